//! How a sentence names a place on the screen: a mark's number, a point, or what it says with role, order and
//! neighbour.

use serde_json::{Map, Value, json};

use crate::instruct::lexer::Kind;
use crate::instruct::pattern::Matcher;
use crate::instruct::slot::{Filling, number, percent, texts, words_of};

/// Every target that stands at `at`.
pub fn fillings(matcher: &Matcher<'_>, at: usize) -> Vec<Filling> {
    let exact: Vec<Filling> = mark(matcher, at).into_iter().chain(point(matcher, at)).collect();
    if exact.is_empty() { labelled(matcher, at) } else { exact }
}

/// What stands there as a label alone: its role may be said, and is not needed.
pub fn labels(matcher: &Matcher<'_>, at: usize) -> Vec<Filling> {
    let alone = labelled(matcher, at).into_iter().filter_map(|filling| {
        let parts = filling.value.as_object()?;
        let is_alone = !parts.contains_key("nth") && !parts.contains_key("near");
        let label = parts.get("label")?.clone();
        is_alone.then_some(Filling { value: label, ..filling })
    });
    alone.collect()
}

/// `#12`, `mark 12`.
fn mark(matcher: &Matcher<'_>, at: usize) -> Option<Filling> {
    let of =
        |token: Option<&crate::instruct::lexer::Token>| token?.folded.trim_start_matches('#').parse().ok();
    let at = past_articles(matcher, at);
    if matcher.token(at)?.folded.starts_with('#') {
        let mark: u32 = of(matcher.token(at))?;
        return Some(Filling::new(at + 1, json!({"mark": mark}), 1));
    }
    let word = words_of(matcher, "mark", at).into_iter().next()?;
    let mark: u32 = of(matcher.token(word.end))?;
    Some(Filling::new(word.end + 1, json!({"mark": mark}), 2))
}

/// `100,200`, `(100, 200)`, `point 100 200`, `x 100 y 200`, `50% 30%`. Shares stay as written.
pub fn point(matcher: &Matcher<'_>, at: usize) -> Option<Filling> {
    let word = words_of(matcher, "point", past_articles(matcher, at)).into_iter().max_by_key(|f| f.end);
    let at = word.map_or(at, |word| word.end);
    let value = |word: &str| -> Option<Value> {
        percent(word)
            .map(Value::from)
            .or_else(|| word.parse::<f64>().ok().filter(|v| v.is_finite()).map(Value::from))
    };
    let (end, x, y) = pair(matcher, at)?;
    Some(Filling::new(end, json!({"x": value(&x)?, "y": value(&y)?}), 2))
}

/// Two numbers, in one word or two.
pub fn pair(matcher: &Matcher<'_>, at: usize) -> Option<(usize, String, String)> {
    let is = |i: usize, word: &str| matcher.token(i).is_some_and(|t| t.folded == word);
    if is(at, "x") && is(at + 2, "y") || is(at, "x") && is(at + 3, "y") {
        let y = if is(at + 2, "y") { at + 3 } else { at + 4 };
        return Some((y + 1, matcher.token(at + 1)?.folded.clone(), matcher.token(y)?.folded.clone()));
    }
    let first = matcher.token(at).filter(|t| t.is_word())?;
    if let Some((x, y)) = first.folded.split_once(',') {
        return Some((at + 1, x.to_owned(), y.to_owned()));
    }
    let is_comma = matcher.token(at + 1).is_some_and(|t| t.kind == Kind::Comma);
    let second = if is_comma { at + 2 } else { at + 1 };
    let token = matcher.token(second).filter(|t| t.is_word())?;
    let is_number = |word: &str| word.trim_end_matches('%').parse::<f64>().is_ok();
    (is_number(&first.folded) && is_number(&token.folded))
        .then(|| (second + 1, first.folded.clone(), token.folded.clone()))
}

/// The first token that is no article. What is written with a capital is part of a name.
pub fn past_articles(matcher: &Matcher<'_>, at: usize) -> usize {
    let mut at = at;
    while matcher.token(at).is_some_and(|t| t.is_small())
        && matcher.token(at + 1).is_some_and(|t| t.is_word() || t.kind == Kind::Quoted)
        && let Some(article) = words_of(matcher, "article", at).first()
    {
        at = article.end;
    }
    at
}

/// A phrase of a table, written small.
fn small(matcher: &Matcher<'_>, table: &str, at: usize) -> Vec<Filling> {
    let mut found = words_of(matcher, table, at);
    found.retain(|f| (at..f.end).all(|i| matcher.token(i).is_some_and(|t| t.is_small())));
    found
}

/// What comes before a label: where it begins, and what is known of it.
#[derive(Clone)]
struct Draft {
    at: usize,
    known: usize,
    parts: Map<String, Value>,
}

impl Draft {
    fn with(&self, at: usize, known: usize, name: &str, value: Value) -> Self {
        let mut parts = self.parts.clone();
        parts.insert(name.to_owned(), value);
        Self { at, known: self.known + known, parts }
    }
}

fn labelled(matcher: &Matcher<'_>, at: usize) -> Vec<Filling> {
    let mut fillings = Vec::new();
    for draft in openings(matcher, at) {
        for label in texts(matcher, draft.at) {
            let labelled = draft.with(label.end, 0, "label", label.value);
            fillings.extend(closings(matcher, &labelled));
        }
    }
    fillings
}

/// `the second button called …`: each part may be there or not.
fn openings(matcher: &Matcher<'_>, at: usize) -> Vec<Draft> {
    let begin = past_articles(matcher, at);
    let plain = Draft { at: begin, known: usize::from(begin > at), parts: Map::new() };
    let mut drafts = vec![plain.clone()];
    // "First name" is a label; "the first Delete" is not one
    if begin > at {
        drafts.extend(
            small(matcher, "ordinal", begin).into_iter().map(|o| plain.with(o.end, 1, "nth", o.value)),
        );
    }
    let with_role = drafts.iter().flat_map(|draft| {
        small(matcher, "role", draft.at).into_iter().map(|role| {
            let called = small(matcher, "called", role.end).into_iter().next();
            let at = called.map_or(role.end, |called| called.end);
            draft.with(at, 1, "role", role.value)
        })
    });
    let with_role: Vec<Draft> = with_role.collect();
    drafts.extend(with_role);
    drafts
}

/// `… button number 2 near …`: each part may be there or not.
fn closings(matcher: &Matcher<'_>, label: &Draft) -> Vec<Filling> {
    let mut drafts = vec![label.clone()];
    if !label.parts.contains_key("role") {
        drafts.extend(
            small(matcher, "role", label.at).into_iter().map(|r| label.with(r.end, 1, "role", r.value)),
        );
    }
    let numbered: Vec<Draft> = drafts
        .iter()
        .filter(|draft| !draft.parts.contains_key("nth"))
        .filter_map(|draft| {
            let word = small(matcher, "number_word", draft.at).into_iter().next()?;
            let number = number(matcher, word.end)?;
            Some(draft.with(number.end, 2, "nth", number.value))
        })
        .collect();
    drafts.extend(numbered);
    let beside: Vec<Draft> = drafts
        .iter()
        .flat_map(|draft| {
            let near = small(matcher, "near", draft.at).into_iter().max_by_key(|f| f.end);
            let named = near.map(|near| texts(matcher, past_articles(matcher, near.end)));
            named.into_iter().flatten().map(|n| draft.with(n.end, 2, "near", n.value)).collect::<Vec<_>>()
        })
        .collect();
    drafts.extend(beside);
    drafts.into_iter().map(|draft| Filling::new(draft.at, draft.parts, draft.known)).collect()
}
