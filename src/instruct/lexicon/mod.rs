//! The words of each language, as tables: nothing here but data, and looking up in it.

mod en;
mod es;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::instruct::command::Command;
use crate::instruct::pattern::Pattern;
use crate::instruct::plan::Language;

/// What a language is written down as.
pub struct Tables {
    /// How each command is said.
    pub forms: &'static [(Command, &'static str)],
    /// How it is said that something is to be seen, or isn't.
    pub conditions: &'static [(bool, &'static str)],
    pub bounds: &'static [&'static str],
    pub until: &'static [&'static str],
    pub at_most: &'static [&'static str],
    pub if_: &'static [&'static str],
    pub otherwise: &'static [&'static str],
    pub end_if: &'static [&'static str],
    pub repeat: &'static [&'static str],
    pub then: &'static [&'static str],
    pub and: &'static [&'static str],
    pub please: &'static [&'static str],
    pub go_on: &'static [&'static str],
    /// Phrases and what they stand for, by the name of their table.
    pub tables: &'static [(&'static str, &'static [(&'static str, &'static str)])],
    /// What a slot is called in an error.
    pub slot_names: &'static [(&'static str, &'static str)],
}

/// The tables of a language, ready for use.
pub struct Lexicon {
    pub forms: Vec<(Command, Pattern)>,
    pub conditions: Vec<(bool, Pattern)>,
    pub bounds: Vec<Pattern>,
    pub until: Vec<Pattern>,
    pub at_most: Vec<Pattern>,
    pub if_: Vec<Pattern>,
    pub otherwise: Vec<Pattern>,
    pub end_if: Vec<Pattern>,
    pub repeat: Vec<Pattern>,
    pub then: Vec<Pattern>,
    pub and: Vec<Pattern>,
    pub please: Vec<Pattern>,
    pub go_on: Vec<Pattern>,
    verbs: BTreeSet<String>,
    tables: &'static Tables,
}

static ENGLISH: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::new(&en::TABLES));
static SPANISH: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::new(&es::TABLES));

pub fn lexicon(language: Language) -> &'static Lexicon {
    match language {
        Language::En => &ENGLISH,
        Language::Es => &SPANISH,
    }
}

/// A table that a language has no need of.
const NO_ENTRIES: &[(&str, &str)] = &[];

impl Lexicon {
    fn new(tables: &'static Tables) -> Self {
        let all = |sources: &[&str]| sources.iter().map(|source| Pattern::new(source)).collect::<Vec<_>>();
        let forms: Vec<(Command, Pattern)> =
            tables.forms.iter().map(|(command, source)| (*command, Pattern::new(source))).collect();
        let verbs = forms.iter().flat_map(|(_, pattern)| pattern.first_words()).collect();
        let conditions = tables.conditions.iter().map(|(seen, source)| (*seen, Pattern::new(source)));
        Self {
            forms,
            conditions: conditions.collect(),
            bounds: all(tables.bounds),
            until: all(tables.until),
            at_most: all(tables.at_most),
            if_: all(tables.if_),
            otherwise: all(tables.otherwise),
            end_if: all(tables.end_if),
            repeat: all(tables.repeat),
            then: all(tables.then),
            and: all(tables.and),
            please: all(tables.please),
            go_on: all(tables.go_on),
            verbs,
            tables,
        }
    }

    /// The entries of a table, in no order of length.
    pub fn table(&self, name: &str) -> &'static [(&'static str, &'static str)] {
        self.tables.tables.iter().find(|(table, _)| *table == name).map_or(NO_ENTRIES, |(_, entries)| entries)
    }

    pub fn slot_name(&self, kind: &str) -> String {
        let named = self.tables.slot_names.iter().find(|(slot, _)| *slot == kind);
        named.map_or_else(|| kind.to_owned(), |(_, name)| (*name).to_owned())
    }

    /// Whether a command may begin with this folded word.
    pub fn is_verb(&self, word: &str) -> bool {
        self.verbs.contains(word)
    }

    /// Whether it is a verb but for one slip of a finger.
    pub fn slip_of_verb(&self, word: &str) -> bool {
        word.chars().count() >= 4
            && self.verbs.iter().any(|verb| verb.len() >= 4 && strsim::osa_distance(word, verb) == 1)
    }

    /// The verbs nearest to a word, best first.
    pub fn nearest_verbs(&self, word: &str) -> Vec<&str> {
        let mut scored: Vec<(f64, &str)> =
            self.verbs.iter().map(|verb| (likeness(word, verb), verb.as_str())).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        scored.into_iter().map(|(_, verb)| verb).collect()
    }

    /// How near the nearest verb is.
    pub fn nearness(&self, word: &str) -> f64 {
        self.verbs.iter().map(|verb| likeness(word, verb)).fold(0.0, f64::max)
    }

    /// The forms that begin with a word, as they are told; begun with that very word.
    pub fn forms_of(&self, verb: &str) -> Vec<String> {
        let mut told = Vec::new();
        for (_, pattern) in &self.forms {
            if pattern.first_words().iter().any(|word| word == verb) {
                let form = pattern.told_with(verb, self);
                if !told.contains(&form) {
                    told.push(form);
                }
            }
        }
        told
    }

    pub fn condition_forms(&self) -> Vec<String> {
        self.conditions.iter().map(|(_, pattern)| pattern.told(self)).collect()
    }

    pub fn bound_forms(&self) -> Vec<String> {
        let until = self.until.iter().zip(&self.conditions);
        let until = until.map(|(until, (_, seen))| format!("{} {}", until.told(self), seen.told(self)));
        self.bounds.iter().map(|pattern| pattern.told(self)).chain(until).collect()
    }
}

/// By slips of the finger, then by how they begin.
fn likeness(word: &str, verb: &str) -> f64 {
    strsim::normalized_damerau_levenshtein(word, verb) + strsim::jaro_winkler(word, verb) / 4.0
}
