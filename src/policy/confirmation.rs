//! Taps that somebody must agree to first. Uses `observe`'s way to compare labels, and marks.
//!
//! A refusal brings a token; the same call with the token goes through, once, within two minutes, and only while the
//! screen holds what it held when it was asked.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{PolicyError, Rule};
use crate::frame::hex;
use crate::observe::{contains_words, fold};
use crate::role::Role;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// Confirmations that wait at a time; beyond that the oldest is dropped.
const MOST: usize = 64;

/// Where taps on some labels must be confirmed.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Confirm {
    Never,
    /// On real phones and in real browsers; what a simulator deletes is nobody's.
    #[default]
    Devices,
    Always,
}

/// Words for paying, deleting and sending.
const WORDS: &[&str] = &[
    // English
    "delete",
    "remove",
    "erase",
    "reset all",
    "pay",
    "buy",
    "purchase",
    "place order",
    "order now",
    "subscribe",
    "transfer",
    "donate",
    "send",
    "publish",
    "wipe",
    // Spanish, Portuguese
    "eliminar",
    "borrar",
    "quitar",
    "pagar",
    "comprar",
    "realizar pedido",
    "suscribirse",
    "transferir",
    "enviar",
    "publicar",
    "excluir",
    "apagar",
    "assinar",
    // French
    "supprimer",
    "effacer",
    "payer",
    "acheter",
    "commander",
    "s'abonner",
    "envoyer",
    "publier",
    // German
    "löschen",
    "entfernen",
    "bezahlen",
    "kaufen",
    "jetzt kaufen",
    "bestellen",
    "abonnieren",
    "überweisen",
    "senden",
    "veröffentlichen",
    // Italian, Dutch
    "elimina",
    "cancella",
    "paga",
    "acquista",
    "abbonati",
    "invia",
    "verwijderen",
    "betalen",
    "kopen",
    "versturen",
];
/// The same in writings without spaces between words: any part of a label counts.
const PARTS: &[&str] = &[
    "削除",
    "支払",
    "購入",
    "注文",
    "送信",
    "删除",
    "刪除",
    "支付",
    "付款",
    "购买",
    "購買",
    "发送",
    "삭제",
    "결제",
    "구매",
    "보내기",
];

/// A tap that was asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingTap {
    pub tool: &'static str,
    pub session: String,
    /// Everything that was asked for, without the token.
    pub arguments: String,
    pub role: Role,
    pub label: String,
    /// What stands on the screen, in short.
    pub screen: String,
}

/// Why a tap must be confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asks {
    /// A built-in word.
    Word(&'static str),
    Rule(Rule),
}

impl fmt::Display for Asks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => write!(f, "`{word}` is a word of paying, deleting or sending"),
            Self::Rule(rule) => {
                write!(f, "{} names `{}` ({rule})", rule.rule, rule.pattern.as_deref().unwrap_or_default())
            }
        }
    }
}

/// The built-in word in a label, where there is one.
pub(super) fn sensitive_word(label: &str) -> Option<&'static str> {
    let label = fold(label);
    let word = WORDS.iter().find(|word| contains_words(&label, word));
    word.or_else(|| PARTS.iter().find(|part| label.contains(**part))).copied()
}

/// Whether a label holds the words of a rule.
pub(super) fn holds_words(label: &str, words: &str) -> bool {
    contains_words(&fold(label), &fold(words))
}

/// The confirmations that wait for an answer.
#[derive(Debug, Default)]
pub(super) struct Confirmations {
    open: Mutex<HashMap<String, (PendingTap, Instant)>>,
}

impl Confirmations {
    /// Asks about a tap; the token that agrees to it.
    pub fn ask(&self, tap: PendingTap) -> Result<String, PolicyError> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|e| PolicyError::NoRandom(e.to_string()))?;
        let token = hex(&random);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|_, (_, since)| since.elapsed() < PATIENCE);
        if open.len() >= MOST
            && let Some(oldest) =
                open.iter().min_by_key(|(_, (_, since))| *since).map(|(token, _)| token.clone())
        {
            open.remove(&oldest);
        }
        open.insert(token.clone(), (tap, Instant::now()));
        Ok(token)
    }

    /// Takes a token back. It is void afterwards, whatever comes of it.
    pub fn redeem(&self, token: &str, tap: &PendingTap) -> Result<(), PolicyError> {
        let void = |reason| Err(PolicyError::ConfirmationVoid { reason });
        let Some((asked, since)) = self.take(token) else {
            return void("it is not known, or was used already");
        };
        if since.elapsed() >= PATIENCE {
            return void("it is older than 2 minutes");
        }
        if asked.screen != tap.screen {
            return void("the screen has changed since it was given");
        }
        if asked != *tap {
            return void("it was given for another call");
        }
        Ok(())
    }

    /// Takes a token back without agreement; the tap that it was given for.
    pub fn withdraw(&self, token: &str) -> Option<PendingTap> {
        self.take(token).map(|(tap, _)| tap)
    }

    fn take(&self, token: &str) -> Option<(PendingTap, Instant)> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tap(label: &str, screen: &str) -> PendingTap {
        PendingTap {
            tool: "tap",
            session: "s1".into(),
            arguments: format!("{{\"label\":{label:?}}}"),
            role: Role::Button,
            label: label.into(),
            screen: screen.into(),
        }
    }

    #[test]
    fn paying_deleting_and_sending_are_sensitive_in_many_languages() {
        for label in [
            "Delete",
            "Place Order",
            "Pay $4.00",
            "Jetzt kaufen",
            "Enviar",
            "Supprimer",
            "削除する",
            "支付宝支付",
        ] {
            assert!(sensitive_word(label).is_some(), "{label}");
        }
        for label in ["Continue", "Sender", "Payload", "Repay later?", "Deleted items"] {
            assert_eq!(sensitive_word(label), None, "{label}");
        }
        assert!(holds_words("CONTINUE anyway", "Continue") && !holds_words("Discontinue", "Continue"));
    }

    #[test]
    fn a_token_holds_once_for_that_call_on_that_screen() {
        let confirmations = Confirmations::default();
        let pay = tap("Pay", "a");
        let token = confirmations.ask(pay.clone()).unwrap();
        confirmations.redeem(&token, &pay).unwrap();
        for (wrong, reason) in [
            (pay.clone(), "used already"),
            (tap("Send", "a"), "another call"),
            (tap("Pay", "b"), "screen has changed"),
        ] {
            let token = if reason == "used already" {
                token.clone()
            } else {
                confirmations.ask(pay.clone()).unwrap()
            };
            let error = confirmations.redeem(&token, &wrong).unwrap_err().to_string();
            assert!(error.contains(reason), "{reason}: {error}");
            // a failed try spends it
            assert!(confirmations.redeem(&token, &pay).is_err());
        }
    }
}
