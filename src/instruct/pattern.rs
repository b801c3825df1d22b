//! How a command may be said: words, alternatives, what may be left out, and slots.
//!
//! `tap|press [on] {target}`: `|` between alternatives, `_` for the space within one, brackets around what may be
//! left out, braces around a slot, `{name:kind}` where a slot's name is not its kind.

use serde_json::Value;

use crate::instruct::lexer::{Kind, Token};
use crate::instruct::lexicon::Lexicon;
use crate::instruct::slot;

#[derive(Clone, Debug, PartialEq)]
pub enum Element {
    /// Alternatives, each of one or more folded words.
    Words(Vec<Vec<String>>),
    Optional(Vec<Element>),
    Slot {
        name: String,
        kind: String,
    },
}

/// One way to say something.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    pub elements: Vec<Element>,
}

/// What the slots of a pattern were filled with.
pub type Bindings = Vec<(String, Value)>;

/// A pattern that fits some tokens.
#[derive(Clone, Debug, Default)]
pub struct Fit {
    /// The token after the last that it takes.
    pub end: usize,
    /// How many words it knew, against those taken as somebody's own.
    pub known: usize,
    pub bindings: Bindings,
}

/// The farthest token that no pattern went past, and what was wanted there.
#[derive(Clone, Debug, Default)]
pub struct Farthest {
    pub at: usize,
    pub wanted: Vec<String>,
}

impl Farthest {
    pub fn note(&mut self, at: usize, wanted: impl FnOnce() -> String) {
        if at > self.at {
            (self.at, self.wanted) = (at, Vec::new());
        }
        if at == self.at {
            let wanted = wanted();
            if !self.wanted.contains(&wanted) {
                self.wanted.push(wanted);
            }
        }
    }
}

impl Pattern {
    pub fn new(source: &str) -> Self {
        let spaced = source.replace('[', " [ ").replace(']', " ] ");
        let mut words = spaced.split_whitespace();
        Self { elements: elements(&mut words) }
    }

    /// The words it may begin with.
    pub fn first_words(&self) -> Vec<String> {
        let mut words = Vec::new();
        for element in &self.elements {
            match element {
                Element::Words(alternatives) => {
                    words.extend(alternatives.iter().filter_map(|a| a.first().cloned()));
                    break;
                }
                // what may be left out is no verb
                Element::Optional(_) => {}
                Element::Slot { .. } => break,
            }
        }
        words
    }

    /// The most tokens that its first words may take there.
    pub fn opening(&self, tokens: &[Token]) -> usize {
        let Some(Element::Words(alternatives)) = self.elements.first() else { return 0 };
        let stands = |words: &&Vec<String>| {
            words.len() <= tokens.len()
                && words.iter().zip(tokens).all(|(word, t)| t.kind != Kind::Quoted && t.folded == *word)
        };
        alternatives.iter().filter(stands).map(Vec::len).max().unwrap_or(0)
    }

    /// The pattern as it is told: first alternatives, nothing optional.
    pub fn told(&self, lexicon: &Lexicon) -> String {
        let told = self.elements.iter().filter_map(|element| match element {
            Element::Words(alternatives) => alternatives.first().map(|words| words.join(" ")),
            Element::Optional(_) => None,
            Element::Slot { kind, .. } => Some(format!("<{}>", lexicon.slot_name(kind))),
        });
        told.collect::<Vec<_>>().join(" ").replace(" ,", ",")
    }

    /// The same, begun with one of the words that it may begin with.
    pub fn told_with(&self, verb: &str, lexicon: &Lexicon) -> String {
        let begins = self.elements.iter().find_map(|element| match element {
            Element::Words(alternatives) => Some(alternatives),
            _ => None,
        });
        let told = self.told(lexicon);
        let Some(alternatives) = begins else { return told };
        let first = alternatives.first().map(|words| words.join(" "));
        let meant = alternatives.iter().find(|words| words.first().is_some_and(|word| word == verb));
        match (first, meant) {
            (Some(first), Some(meant)) => told.replacen(&first, &meant.join(" "), 1),
            _ => told,
        }
    }

    /// Every way in which it fits the tokens from `at` on.
    pub fn fits(&self, matcher: &mut Matcher<'_>, at: usize) -> Vec<Fit> {
        matcher.fits(&self.elements, Fit { end: at, ..Fit::default() })
    }
}

fn elements<'s>(words: &mut impl Iterator<Item = &'s str>) -> Vec<Element> {
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        found.push(match word {
            "[" => Element::Optional(elements(words)),
            "]" => break,
            word => match word.strip_prefix('{').and_then(|w| w.strip_suffix('}')) {
                Some(slot) => {
                    let (name, kind) = slot.split_once(':').unwrap_or((slot, slot));
                    Element::Slot { name: name.to_owned(), kind: kind.to_owned() }
                }
                None => Element::Words(
                    word.split('|').map(|a| a.split('_').map(str::to_owned).collect()).collect(),
                ),
            },
        });
    }
    found
}

/// Fits patterns to the tokens of one clause.
pub struct Matcher<'a> {
    pub text: &'a str,
    pub tokens: &'a [Token],
    /// Tokens from here on are not looked at.
    pub end: usize,
    pub lexicon: &'a Lexicon,
    pub farthest: &'a mut Farthest,
}

impl Matcher<'_> {
    fn fits(&mut self, elements: &[Element], fit: Fit) -> Vec<Fit> {
        let Some((element, rest)) = elements.split_first() else { return vec![fit] };
        let next: Vec<Fit> = match element {
            Element::Words(alternatives) => self.words(alternatives, &fit),
            Element::Optional(inner) => {
                // what may be left out is not what is missed
                let noted = self.farthest.clone();
                let mut both = self.fits(inner, fit.clone());
                if both.is_empty() && self.farthest.at <= fit.end {
                    *self.farthest = noted;
                }
                both.push(fit);
                both
            }
            Element::Slot { name, kind } => self.slot(name, kind, &fit),
        };
        next.into_iter().flat_map(|fit| self.fits(rest, fit)).collect()
    }

    fn words(&mut self, alternatives: &[Vec<String>], fit: &Fit) -> Vec<Fit> {
        let fitting = alternatives.iter().filter(|words| self.says(fit.end, words));
        let fits: Vec<Fit> = fitting
            .map(|words| Fit { end: fit.end + words.len(), known: fit.known + words.len(), ..fit.clone() })
            .collect();
        if fits.is_empty() {
            self.farthest
                .note(fit.end, || alternatives.first().map_or_else(String::new, |words| words.join(" ")));
        }
        fits
    }

    fn slot(&mut self, name: &str, kind: &str, fit: &Fit) -> Vec<Fit> {
        let fillings = slot::fillings(self, kind, fit.end);
        if fillings.is_empty() {
            self.farthest.note(fit.end, || format!("<{}>", self.lexicon.slot_name(kind)));
        }
        let fits = fillings.into_iter().map(|filling| {
            let mut bindings = fit.bindings.clone();
            bindings.push((name.to_owned(), filling.value));
            Fit { end: filling.end, known: fit.known + filling.known, bindings }
        });
        fits.collect()
    }

    /// The token at a place of the clause.
    pub fn token(&self, at: usize) -> Option<&Token> {
        self.tokens[..self.end].get(at)
    }

    /// Whether these folded words stand there.
    pub fn says(&self, at: usize, words: &[impl AsRef<str>]) -> bool {
        words.iter().enumerate().all(|(i, word)| {
            self.token(at + i).is_some_and(|t| t.kind != Kind::Quoted && t.folded == word.as_ref())
        })
    }
}
