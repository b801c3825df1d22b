//! Whether a text gives a secret away, told by its form. Uses nothing of this crate.

use std::sync::LazyLock;

use regex::Regex;

/// What kind of secret a text holds; never which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum SecretKind {
    Password,
    Token,
    PrivateKey,
    CardNumber,
    Email,
    /// The value of a variable that the steps type as a secret.
    Typed,
}

impl SecretKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Password => "a password",
            Self::Token => "an access token",
            Self::PrivateKey => "a private key",
            Self::CardNumber => "a card number",
            Self::Email => "an e-mail address, which this recording treats as secret",
            Self::Typed => "the value of a secret that the steps type",
        }
    }
}

/// Forms that tell what they are by their first letters, and words that say so.
static FORMS: LazyLock<Vec<(SecretKind, Regex)>> = LazyLock::new(|| {
    let form = |(kind, pattern): (SecretKind, &str)| Regex::new(pattern).ok().map(|regex| (kind, regex));
    PATTERNS.iter().copied().filter_map(form).collect()
});

const PATTERNS: &[(SecretKind, &str)] = &[
    (SecretKind::PrivateKey, r"-----BEGIN [A-Z ]*PRIVATE KEY"),
    // AWS, GitHub, GitLab, Slack, Stripe, Google, npm, OpenAI and Anthropic
    (SecretKind::Token, r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    (SecretKind::Token, r"\bgh[pousr]_[A-Za-z0-9]{36}|\bgithub_pat_[A-Za-z0-9_]{22}|\bglpat-[\w-]{20}"),
    (SecretKind::Token, r"\bxox[abeoprs]-[A-Za-z0-9-]{10}"),
    (SecretKind::Token, r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16}|\bsk-[\w-]{20}|\bnpm_[A-Za-z0-9]{36}"),
    (SecretKind::Token, r"\bAIza[\w-]{35}"),
    // a JSON web token, and what an Authorization header carries
    (SecretKind::Token, r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\."),
    (SecretKind::Token, r"(?i)\bbearer\s+[\w.~+/-]{16}"),
    (SecretKind::Token, r#"(?i)(?:token|api[_-]?key|access[_-]?key|secret)["']?=["']?[^\s"'&,;$•*<\[{]{4}"#),
    (SecretKind::Password, r#"(?i)(?:password|passwd|passcode|pwd)["']?=["']?[^\s"'&,;$•*<\[{]{4}"#),
    // behind a colon words stand too: only what has a digit in it counts
    (
        SecretKind::Token,
        r"(?i)\b(?:token|api[ _-]?key|access[ _-]?key|secret)\s*:\s*[^\s$•*\d]{0,40}\d[^\s•*]{3}",
    ),
    (
        SecretKind::Password,
        r"(?i)\b(?:password|passwd|passcode|pwd)\s*:\s*(?:[^\s$•*\d]{3,40}\d|[^\s$•*\d]{0,40}\d[^\s•*]{3})",
    ),
    (SecretKind::Password, r"://[^/\s:@$]+:[^/\s@$]+@"),
];

static EMAIL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[\w.%+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}").ok());

/// The kinds of secrets that a text holds, by their form alone.
pub(super) fn secrets_in(text: &str) -> Vec<SecretKind> {
    let mut kinds: Vec<SecretKind> =
        FORMS.iter().filter(|(_, form)| form.is_match(text)).map(|(kind, _)| *kind).collect();
    if holds_card_number(text) {
        kinds.push(SecretKind::CardNumber);
    }
    kinds.sort();
    kinds.dedup();
    kinds
}

pub(super) fn holds_email(text: &str) -> bool {
    EMAIL.as_ref().is_some_and(|email| email.is_match(text))
}

/// Whether a name (of a variable, a flag, a field) says that what it names is secret, and what.
pub(super) fn named_secret(name: &str) -> Option<SecretKind> {
    let words: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
    if has(&["password", "passwd", "passcode", "passphrase", "pwd"]) {
        return Some(SecretKind::Password);
    }
    has(&["token", "secret", "apikey", "accesskey", "privatekey", "credential"]).then_some(SecretKind::Token)
}

/// Whether a text says more than the names of variables: `${NAME}` gives nothing away.
pub(in crate::recording) fn is_left_open(text: &str) -> bool {
    let mut rest = text.trim();
    while let Some((before, after)) = rest.split_once("${") {
        match after.split_once('}') {
            Some((_, behind)) if before.trim().is_empty() => rest = behind,
            _ => return true,
        }
    }
    !rest.trim().is_empty()
}

/// 13 to 19 digits, perhaps in groups, that begin as card numbers do and pass their check.
fn holds_card_number(text: &str) -> bool {
    let characters: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < characters.len() {
        let alone = at == 0 || !(characters[at - 1].is_alphanumeric() || ".-_".contains(characters[at - 1]));
        if !characters[at].is_ascii_digit() || !alone {
            at += 1;
            continue;
        }
        let mut digits: Vec<u32> = Vec::new();
        let mut end = at;
        while let Some(c) = characters.get(end) {
            match c.to_digit(10) {
                Some(digit) => digits.push(digit),
                // one separator between two groups
                None if matches!(c, ' ' | '-')
                    && characters.get(end + 1).is_some_and(char::is_ascii_digit) => {}
                None => break,
            }
            end += 1;
        }
        let ends = characters.get(end).is_none_or(|c| !c.is_alphanumeric() && *c != '_');
        if ends && is_card_number(&digits) {
            return true;
        }
        at = end.max(at + 1);
    }
    false
}

fn is_card_number(digits: &[u32]) -> bool {
    let varied = digits.iter().any(|d| d != &digits[0]);
    // Luhn: every second digit from the right counts double, the sum of its own digits
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(i, d)| if i % 2 == 0 { *d } else { d * 2 / 10 + d * 2 % 10 })
        .sum();
    (13..=19).contains(&digits.len()) && (2..=6).contains(&digits[0]) && varied && sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::SecretKind::*;
    use super::*;

    #[test]
    fn every_pattern_is_one() {
        assert_eq!(FORMS.len(), PATTERNS.len());
        assert!(EMAIL.is_some());
    }

    #[test]
    fn secrets_are_known_by_their_form() {
        // in parts, so that no scanner takes this file for a leak
        for (parts, kind) in [
            (&["AKIA", "IOSFODNN7EXAMPLE"][..], Token),
            (&["ghp_", "abcdefghijklmnopqrstuvwxyz0123456789"], Token),
            (&["x sk_", "live_abcdefghijklmnop1234"], Token),
            (&["Authorization: Bearer ", "abcdef0123456789abcdef"], Token),
            (&["shop://x?token", "=abcd1234"], Token),
            (&["eyJhbGciOiJI", "UzI1NiJ9.eyJzdWIiOiIxMjM0.sig"], Token),
            (&["-----BEGIN RSA ", "PRIVATE KEY-----"], PrivateKey),
            (&["--password", "=hunter"], Password),
            (&["Password: ", "hunter2"], Password),
            (&["https://ada:", "hunter@example.com/"], Password),
            (&["4242 4242 ", "4242 4242"], CardNumber),
            (&["card 37828", "2246310005."], CardNumber),
            (&["5555-5555-", "5555-4444"], CardNumber),
        ] {
            assert_eq!(secrets_in(&parts.concat()), [kind], "{parts:?}");
        }
        assert!(holds_email("to ada@example.com, please"));
    }

    #[test]
    fn other_texts_give_nothing_away() {
        for text in [
            "Password: Required",
            "Password: ••••••",
            "Forgot password?",
            "--password=${SHOP_PASSWORD}",
            "Token: ${TOKEN}",
            "4242 4242 4242 4241",
            "4111111111111111a",
            "1234567890123",
            "0000000000000000",
            "Order 1041, 12:30, $45.00",
            "https://example.com:8080/a@b",
            "secret ballot",
        ] {
            assert_eq!(secrets_in(text), [], "{text}");
        }
        assert!(!holds_email("@ada or 3 @ $2.50"));
    }

    #[test]
    fn names_tell_what_they_name() {
        for (name, kind) in [
            ("SHOP_PASSWORD", Some(Password)),
            ("--api-key", Some(Token)),
            ("clientSecret", Some(Token)),
            ("LANGUAGE", None),
        ] {
            assert_eq!(named_secret(name), kind, "{name}");
        }
    }

    #[test]
    fn variables_alone_are_not_left_open() {
        assert!(!is_left_open("${A} ${B}") && !is_left_open(""));
        assert!(is_left_open("x${A}") && is_left_open("${A}x") && is_left_open("${A"));
    }
}
