//! The command language: a sentence in English or Spanish becomes a plan of calls. Pure; uses nothing of this crate.
//!
//! Text → tokens with spans ([`lexer`]) → clauses matched against the forms of one language ([`lexicon`], tables
//! only) by one grammar ([`grammar`]) → a [`Plan`], which is data. What a command means, in either language, is
//! one row of [`command`]. No model, no guessing: what isn't known is pointed at.

pub mod command;
pub mod error;
mod explain;
pub mod grammar;
pub mod lexer;
pub mod lexicon;
pub mod pattern;
pub mod plan;
pub mod slot;
pub mod target;

#[cfg(test)]
mod tests;

use std::cmp::Ordering;

pub use error::InstructError;
pub use plan::{Condition, Language, Plan, PlannedCall, Step};

/// The most characters a text may have.
pub const MAX_TEXT: usize = 20_000;

/// The plan that `text` asks for. Without a language the one that understands it is taken, English first.
///
/// # Errors
/// Something in it is not known: where, and which known forms come closest.
pub fn parse(text: &str, language: Option<Language>) -> Result<Plan, InstructError> {
    if let Some(language) = language {
        return grammar::parse(text, language);
    }
    let english = match grammar::parse(text, Language::En) {
        Ok(plan) => return Ok(plan),
        Err(error) => error,
    };
    match grammar::parse(text, Language::Es) {
        Ok(plan) => Ok(plan),
        Err(spanish) if explains_better(text, &spanish, &english) => Err(spanish),
        Err(_) => Err(english),
    }
}

/// Whether Spanish understood more of it, or knows a verb nearer to the word that stopped both.
fn explains_better(text: &str, spanish: &InstructError, english: &InstructError) -> bool {
    let word = lexer::fold(text.get(english.span.start..english.span.end).unwrap_or_default());
    let nearness = |language| lexicon::lexicon(language).nearness(&word);
    match spanish.reached().cmp(&english.reached()) {
        Ordering::Equal => nearness(Language::Es) > nearness(Language::En),
        order => order == Ordering::Greater,
    }
}
