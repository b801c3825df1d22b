//! How to look. Uses the types only.

use std::time::Duration;

use crate::mark::Source;

/// Whose word counts in an observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sources {
    pub text: bool,
    pub shape: bool,
    pub accessibility: bool,
}

impl Default for Sources {
    fn default() -> Self {
        Self { text: true, shape: true, accessibility: true }
    }
}

impl Sources {
    /// Exactly these; all where none is named.
    pub fn of(sources: &[Source]) -> Self {
        if sources.is_empty() {
            return Self::default();
        }
        let has = |source| sources.contains(&source);
        Self { text: has(Source::Text), shape: has(Source::Shape), accessibility: has(Source::Accessibility) }
    }

    pub fn allows(self, source: Source) -> bool {
        match source {
            Source::Text => self.text,
            Source::Shape => self.shape,
            Source::Accessibility => self.accessibility,
        }
    }
}

/// How long to wait for rest, and whom to ask.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObserveOptions {
    /// Look until two captures are alike, at most this long; zero takes the first.
    pub settle_timeout: Duration,
    pub sources: Sources,
    /// Marks less sure than this are left out.
    pub min_confidence: f32,
}

impl Default for ObserveOptions {
    fn default() -> Self {
        Self {
            settle_timeout: Duration::from_millis(3_000),
            sources: Sources::default(),
            min_confidence: 0.0,
        }
    }
}

impl ObserveOptions {
    /// One capture as it comes, moving or not.
    pub fn at_once() -> Self {
        Self { settle_timeout: Duration::ZERO, ..Self::default() }
    }
}
