//! The one grammar of all languages: sequences, conditions, repetitions, and clauses that fit a form.
//!
//! ```text
//! sequence  := step (link step)*
//! step      := if condition [then] sequence [otherwise sequence]
//!            | repeat bound sequence
//!            | clause [bound]
//! ```
//! A link is a strong one (a stop, "then") or a weak one (a comma, "and") that a verb in small letters follows: an
//! unquoted label may hold "and", and one that begins a word with a capital goes on.

use crate::instruct::MAX_TEXT;
use crate::instruct::error::InstructError;
use crate::instruct::lexer::{self, Kind, Span, Token, written};
use crate::instruct::lexicon::{Lexicon, lexicon};
use crate::instruct::pattern::{Bindings, Farthest, Fit, Matcher, Pattern};
use crate::instruct::plan::{Condition, Language, Plan, PlannedCall, Step};

/// Rounds of a repetition where the text doesn't say how many.
const DEFAULT_ROUNDS: u32 = 10;
/// Rounds that nothing may exceed.
const MAX_ROUNDS: u32 = 100;
/// Steps within steps.
const MAX_DEPTH: usize = 8;
/// Words of one clause.
const MAX_CLAUSE: usize = 200;
/// Forms that are told where something isn't known.
pub(super) const CLOSEST: usize = 3;

type Result<T> = std::result::Result<T, InstructError>;

pub fn parse(text: &str, language: Language) -> Result<Plan> {
    if text.len() > MAX_TEXT {
        let span = Span { start: MAX_TEXT, end: MAX_TEXT };
        let message = format!("a text has at most {MAX_TEXT} bytes; this has {}", text.len());
        return Err(InstructError::at("", span, message));
    }
    let tokens = lexer::tokens(text)?;
    let mut parser = Parser { text, tokens: &tokens, lexicon: lexicon(language), go_on: false, in_if: 0 };
    let steps = parser.whole()?;
    if steps.is_empty() {
        let span = Span { start: text.len(), end: text.len() };
        return Err(InstructError::at(text, span, "there is no command in this text"));
    }
    Ok(Plan { language, steps, go_on: parser.go_on })
}

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
    pub(super) lexicon: &'static Lexicon,
    go_on: bool,
    /// How many ifs are open, whose "otherwise" may follow.
    in_if: usize,
}

impl Parser<'_> {
    /// All sentences.
    fn whole(&mut self) -> Result<Vec<Step>> {
        let (mut steps, mut at) = (Vec::new(), 0);
        loop {
            at = self.past_links(at);
            if at >= self.tokens.len() {
                return Ok(steps);
            }
            if let Some(end) = self.phrase(&self.lexicon.go_on, at) {
                (self.go_on, at) = (true, end);
                continue;
            }
            let (step, end) = self.step(at, 0)?;
            steps.extend(step);
            at = self.linked(end)?;
        }
    }

    /// The steps up to the end of the sentence, of the text, or an "otherwise" of an open if.
    fn sequence(&mut self, from: usize, depth: usize) -> Result<(Vec<Step>, usize)> {
        let (mut steps, mut at) = (Vec::new(), from);
        loop {
            let (step, end) = self.step(at, depth)?;
            steps.extend(step);
            let next = self.past_commas(end);
            let closes = self.closes(end) || self.closes(next);
            if closes || self.link(end).is_none() {
                return Ok((steps, end));
            }
            at = self.past_links_in_sentence(end);
            if self.closes(at) {
                return Ok((steps, at));
            }
        }
    }

    /// Whether a sequence ends there.
    fn closes(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return true };
        token.kind == Kind::Stop
            || self.phrase(&self.lexicon.end_if, at).is_some()
            || self.in_if > 0 && self.phrase(&self.lexicon.otherwise, at).is_some()
    }

    fn step(&mut self, at: usize, depth: usize) -> Result<(Vec<Step>, usize)> {
        if depth > MAX_DEPTH {
            return Err(self.error(at, format!("at most {MAX_DEPTH} steps within steps")));
        }
        if let Some(end) = self.phrase(&self.lexicon.if_, at) {
            return self.conditional(end, depth);
        }
        if let Some(end) = self.phrase(&self.lexicon.repeat, at) {
            return self.repetition(end, depth);
        }
        if self.phrase(&self.lexicon.otherwise, at).is_some() {
            return Err(self.error(at, "there is no if before this"));
        }
        self.clause(at)
    }

    fn conditional(&mut self, at: usize, depth: usize) -> Result<(Vec<Step>, usize)> {
        let (condition, end) = self.condition(at)?;
        self.in_if += 1;
        let body = self.past_then(end);
        let (then, mut end) = self.sequence(body, depth + 1)?;
        let mut otherwise = Vec::new();
        // "otherwise" may begin the next sentence
        let after = self.past_stops(end);
        let elsewhere = [end, self.past_commas(end), after]
            .into_iter()
            .find_map(|place| self.phrase(&self.lexicon.otherwise, place));
        self.in_if -= 1;
        if let Some(begin) = elsewhere {
            let begin = self.past_then(begin);
            (otherwise, end) = self.sequence(begin, depth + 1)?;
        }
        let end = self.phrase(&self.lexicon.end_if, end).unwrap_or(end);
        Ok((vec![Step::If { condition, then, otherwise }], end))
    }

    /// The condition that stands there: the shortest after which something that can be done follows.
    fn condition(&self, at: usize) -> Result<(Condition, usize)> {
        let mut farthest = Farthest::default();
        let end = (at..self.tokens.len()).find(|i| self.tokens[*i].kind == Kind::Stop);
        let end = end.unwrap_or(self.tokens.len()).min(at + MAX_CLAUSE);
        let mut fits = self.condition_fits(at, end, &mut farthest);
        fits.sort_by_key(|(_, fit)| (fit.end, usize::MAX - fit.known));
        let begins = |fit: &Fit, small| self.begins_step(self.past_then(fit.end), small);
        let found = fits.iter().find(|(_, fit)| begins(fit, true));
        let found = found.or_else(|| fits.iter().find(|(_, fit)| begins(fit, false))).or(fits.first());
        match found {
            Some((visible, fit)) => Ok((self.seen(at, *visible, fit)?, fit.end)),
            None => Err(self.no_condition(at, end)),
        }
    }

    fn condition_fits(&self, at: usize, end: usize, farthest: &mut Farthest) -> Vec<(bool, Fit)> {
        let lexicon = self.lexicon;
        let mut matcher = Matcher { text: self.text, tokens: self.tokens, end, lexicon, farthest };
        let all = lexicon.conditions.iter();
        all.flat_map(|(visible, pattern)| {
            pattern.fits(&mut matcher, at).into_iter().map(|fit| (*visible, fit)).collect::<Vec<_>>()
        })
        .collect()
    }

    fn seen(&self, at: usize, visible: bool, fit: &Fit) -> Result<Condition> {
        let target =
            fit.bindings.iter().find_map(|(_, value)| value.as_object()).cloned().unwrap_or_default();
        if !target.contains_key("label") {
            return Err(self.error(at, "a condition names what is to be seen by its label"));
        }
        Ok(Condition { target, visible })
    }

    /// `repeat 3 times: …`, `repeat … until …`.
    fn repetition(&mut self, at: usize, depth: usize) -> Result<(Vec<Step>, usize)> {
        let end = self.tokens[at.min(self.tokens.len())..].iter().position(|t| t.kind == Kind::Stop);
        let end = end.map_or(self.tokens.len(), |i| at + i);
        if let Some((bound, end)) = self.leading_bound(at, end)? {
            let begin = self.past_then(self.past_colon(end));
            let (steps, end) = self.sequence(begin, depth + 1)?;
            return Ok((vec![bound.around(steps)], end));
        }
        let (steps, end) = self.step(at, depth + 1)?;
        if is_bounded(&steps) {
            return Ok((steps, end));
        }
        let known = self.lexicon.bound_forms();
        let message = "how often? a repetition has a bound";
        Err(self.error(at, message).with_closest(known.into_iter().take(CLOSEST).collect()))
    }

    /// The bound that stands at the beginning of a repetition.
    fn leading_bound(&self, at: usize, end: usize) -> Result<Option<(Bound, usize)>> {
        let mut farthest = Farthest::default();
        let mut best: Option<(Bound, usize)> = None;
        for (bound, fit) in self.bound_fits(at, end, &mut farthest)? {
            let begin = self.past_then(self.past_colon(fit.end));
            if self.begins_step(begin, false) && best.as_ref().is_none_or(|(_, end)| fit.end > *end) {
                best = Some((bound, fit.end));
            }
        }
        Ok(best)
    }

    fn bound_fits(&self, at: usize, end: usize, farthest: &mut Farthest) -> Result<Vec<(Bound, Fit)>> {
        let mut found = Vec::new();
        for pattern in &self.lexicon.bounds {
            let lexicon = self.lexicon;
            let mut matcher = Matcher { text: self.text, tokens: self.tokens, end, lexicon, farthest };
            for fit in pattern.fits(&mut matcher, at) {
                found.push((Bound { times: self.times(at, &fit)?, until: None }, fit));
            }
        }
        for until in self.lexicon.until.iter() {
            let lexicon = self.lexicon;
            let mut matcher = Matcher { text: self.text, tokens: self.tokens, end, lexicon, farthest };
            for begin in until.fits(&mut matcher, at) {
                for (visible, seen) in self.condition_fits(begin.end, end, farthest) {
                    let until = Some(self.seen(begin.end, visible, &seen)?);
                    let known = begin.known + seen.known;
                    found.push((
                        Bound { times: DEFAULT_ROUNDS, until: until.clone() },
                        Fit { known, ..seen.clone() },
                    ));
                    for pattern in &self.lexicon.at_most {
                        let mut matcher =
                            Matcher { text: self.text, tokens: self.tokens, end, lexicon, farthest };
                        for fit in pattern.fits(&mut matcher, seen.end) {
                            let times = self.times(at, &fit)?;
                            let known = known + fit.known;
                            found.push((Bound { times, until: until.clone() }, Fit { known, ..fit }));
                        }
                    }
                }
            }
            if farthest.wanted.is_empty() {
                farthest.note(at, || until.told(lexicon));
            }
        }
        Ok(found)
    }

    fn times(&self, at: usize, fit: &Fit) -> Result<u32> {
        let times = fit.bindings.iter().find_map(|(_, value)| value.as_u64()).unwrap_or(1);
        match u32::try_from(times) {
            Ok(times @ 1..=MAX_ROUNDS) => Ok(times),
            _ => Err(self.error(at, format!("from 1 to {MAX_ROUNDS} times; got {times}"))),
        }
    }

    /// One command, and how often it is done.
    fn clause(&self, at: usize) -> Result<(Vec<Step>, usize)> {
        let end = self.clause_end(at);
        if end - at > MAX_CLAUSE {
            let message = format!("a command has at most {MAX_CLAUSE} words; quote what is to be typed");
            return Err(self.error(at, message));
        }
        let mut farthest = Farthest { at, wanted: Vec::new() };
        if let Some(steps) = self.command(at, end, &mut farthest)? {
            return Ok((steps, end));
        }
        let first = self.tokens.get(at).map(|t| t.folded.as_str()).unwrap_or_default();
        Err(self.not_known(at, farthest, &self.lexicon.forms_of(first)))
    }

    /// The command that is all of these tokens: the fit that knows most of its words.
    fn command(&self, at: usize, end: usize, farthest: &mut Farthest) -> Result<Option<Vec<Step>>> {
        let mut best: Option<(usize, Vec<Step>)> = None;
        for (command, pattern) in &self.lexicon.forms {
            let lexicon = self.lexicon;
            let mut matcher = Matcher { text: self.text, tokens: self.tokens, end, lexicon, farthest };
            for fit in pattern.fits(&mut matcher, at) {
                let made = |to: usize, bindings: Bindings| -> Vec<Step> {
                    let said = written(self.text, &self.tokens[at..to]);
                    let calls = command.arguments(bindings).into_iter();
                    let call = |arguments| PlannedCall {
                        call: command.call().into(),
                        arguments,
                        said: said.clone(),
                    };
                    calls.map(call).map(Step::Call).collect()
                };
                let better = |known: usize| best.as_ref().is_none_or(|(most, _)| known > *most);
                if fit.end == end {
                    if better(fit.known) {
                        best = Some((fit.known, made(end, fit.bindings)));
                    }
                    continue;
                }
                let begin = fit.end;
                let whole = self.bound_fits(begin, end, farthest)?.into_iter().filter(|(_, b)| b.end == end);
                if let Some((bound, bounded)) = whole.max_by_key(|(_, bound)| bound.known)
                    && better(fit.known + bounded.known)
                {
                    best = Some((fit.known + bounded.known, vec![bound.around(made(begin, fit.bindings))]));
                }
            }
        }
        Ok(best.map(|(_, steps)| steps))
    }

    /// Where the clause that begins at `at` ends.
    fn clause_end(&self, at: usize) -> usize {
        let is_strong = |i: usize| self.tokens[i].is_small() && self.phrase(&self.lexicon.then, i).is_some();
        // "press and hold" begins no second step
        let opening = self.lexicon.forms.iter().map(|(_, form)| form.opening(&self.tokens[at..])).max();
        let begin = at + opening.unwrap_or(0).max(1);
        let end =
            (begin..self.tokens.len()).find(|i| self.closes(*i) || is_strong(*i) || self.is_weak_link(*i));
        end.unwrap_or(self.tokens.len())
    }

    /// A comma or "and" before a verb.
    fn is_weak_link(&self, at: usize) -> bool {
        let is_comma = self.tokens[at].kind == Kind::Comma;
        let and = self.tokens[at].is_small().then(|| self.phrase(&self.lexicon.and, at)).flatten();
        let Some(next) = and.or(is_comma.then_some(at + 1)) else { return false };
        let next = if is_comma { self.past_links_in_sentence(next) } else { next };
        let is_strong = is_comma && (self.closes(next) || next > at + 1);
        is_strong || self.begins_step(next, !is_comma)
    }

    /// Whether a step begins there; `small` wants its verb in small letters, and takes a slip of one letter for one.
    pub(super) fn begins_step(&self, at: usize, small: bool) -> bool {
        let Some(token) = self.tokens.get(at).filter(|t| t.is_word()) else { return false };
        if small && !token.is_small() {
            return false;
        }
        self.lexicon.is_verb(&token.folded)
            || self.phrase(&self.lexicon.if_, at).is_some()
            || self.phrase(&self.lexicon.repeat, at).is_some()
            || self.phrase(&self.lexicon.go_on, at).is_some()
            || small && self.lexicon.slip_of_verb(&token.folded)
    }

    /// The end of the link that stands there.
    fn link(&self, at: usize) -> Option<usize> {
        let token = self.tokens.get(at)?;
        if matches!(token.kind, Kind::Stop | Kind::Comma) {
            return Some(at + 1);
        }
        self.phrase(&self.lexicon.then, at).or_else(|| self.phrase(&self.lexicon.and, at))
    }

    /// Past the link that must stand between two steps.
    fn linked(&self, at: usize) -> Result<usize> {
        if at >= self.tokens.len() {
            return Ok(at);
        }
        self.link(at).ok_or_else(|| self.error(at, "this doesn't follow from what comes before"))
    }

    fn past_links(&self, at: usize) -> usize {
        self.past(at, |at| self.link(at).or_else(|| self.phrase(&self.lexicon.please, at)))
    }

    fn past_links_in_sentence(&self, at: usize) -> usize {
        let in_sentence = |at| self.link(at).filter(|_| self.tokens[at].kind != Kind::Stop);
        self.past(at, |at| in_sentence(at).or_else(|| self.phrase(&self.lexicon.please, at)))
    }

    fn past_commas(&self, at: usize) -> usize {
        self.past(at, |at| self.tokens.get(at).filter(|t| t.kind == Kind::Comma).map(|_| at + 1))
    }

    fn past_colon(&self, at: usize) -> usize {
        if self.tokens.get(at).is_some_and(|t| t.kind == Kind::Colon) { at + 1 } else { at }
    }

    fn past_stops(&self, at: usize) -> usize {
        self.past(at, |at| self.tokens.get(at).filter(|t| t.kind == Kind::Stop).map(|_| at + 1))
    }

    /// Past what may stand between a condition and what is done.
    fn past_then(&self, at: usize) -> usize {
        self.past_links_in_sentence(self.past_colon(self.past_commas(at)))
    }

    fn past(&self, at: usize, next: impl Fn(usize) -> Option<usize>) -> usize {
        let mut at = at;
        while let Some(end) = next(at) {
            at = end;
        }
        at
    }

    /// The end of one of these patterns, which have no slots, where it stands there.
    fn phrase(&self, patterns: &[Pattern], at: usize) -> Option<usize> {
        let mut nobody = Farthest::default();
        let end = self.tokens.len();
        let mut matcher = Matcher {
            text: self.text,
            tokens: self.tokens,
            end,
            lexicon: self.lexicon,
            farthest: &mut nobody,
        };
        let fits = patterns.iter().flat_map(|pattern| pattern.fits(&mut matcher, at));
        fits.map(|fit| fit.end).filter(|end| *end > at).max()
    }
}

/// A repetition, or a swipe that repeats itself.
fn is_bounded(steps: &[Step]) -> bool {
    match steps {
        [Step::Repeat { .. }] => true,
        [Step::Call(call)] => call.arguments.contains_key("until"),
        _ => false,
    }
}

/// How often.
#[derive(Clone, Debug)]
struct Bound {
    times: u32,
    until: Option<Condition>,
}

impl Bound {
    /// A single swipe towards a label is the tool's own repetition.
    fn around(self, mut steps: Vec<Step>) -> Step {
        if let ([Step::Call(call)], Some(until)) = (steps.as_mut_slice(), &self.until)
            && call.call == "swipe"
            && call.arguments.contains_key("direction")
            && !call.arguments.contains_key("until")
            && until.visible
            && until.target.len() == 1
            && let Some(label) = until.target.get("label")
        {
            call.arguments.insert("until".into(), label.clone());
            call.arguments.insert("max_swipes".into(), self.times.into());
            return Step::Call(call.clone());
        }
        Step::Repeat { times: self.times, until: self.until, steps }
    }
}
