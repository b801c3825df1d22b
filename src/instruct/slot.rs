//! What may fill a slot, with its value made plain: numbers, durations, places, keys, and the words of the tables.

use serde_json::{Value, json};

use crate::instruct::lexer::{Kind, written};
use crate::instruct::pattern::Matcher;
use crate::instruct::target;

/// One way to fill a slot.
#[derive(Clone, Debug, PartialEq)]
pub struct Filling {
    /// The token after the last that it takes.
    pub end: usize,
    pub value: Value,
    /// How many words of it were known.
    pub known: usize,
}

impl Filling {
    pub fn new(end: usize, value: impl Into<Value>, known: usize) -> Self {
        Self { end, value: value.into(), known }
    }
}

/// Every way to fill a slot of this kind from `at` on.
pub fn fillings(matcher: &Matcher<'_>, kind: &str, at: usize) -> Vec<Filling> {
    match kind {
        "target" => target::fillings(matcher, at),
        "point" => target::point(matcher, at).into_iter().collect(),
        "text" => texts(matcher, at),
        "label" => target::labels(matcher, at),
        "app" | "device" => texts(matcher, target::past_articles(matcher, at)),
        "word" | "name" | "path" | "variable" | "crash" => single(matcher, at).into_iter().collect(),
        "bundle" => bundle(matcher, at).into_iter().collect(),
        "number" => number(matcher, at).into_iter().collect(),
        "distance" => distance(matcher, at).into_iter().collect(),
        "duration" => duration(matcher, at).map(|(end, ms)| Filling::new(end, ms, 1)).into_iter().collect(),
        "age" => age(matcher, at).into_iter().collect(),
        "url" => url(matcher, at).into_iter().collect(),
        "coordinates" => coordinates(matcher, at).into_iter().collect(),
        "keys" => keys(matcher, at, true),
        "named_keys" => keys(matcher, at, false),
        "permissions" => permissions(matcher, at),
        table => words_of(matcher, table, at),
    }
}

/// A quotation, or any run of words.
pub fn texts(matcher: &Matcher<'_>, at: usize) -> Vec<Filling> {
    let Some(first) = matcher.token(at) else { return Vec::new() };
    if first.kind == Kind::Quoted {
        return vec![Filling::new(at + 1, first.text.clone(), 0)];
    }
    let run = (at..matcher.end).take_while(|i| matcher.token(*i).is_some_and(|t| t.is_word()));
    let fillings =
        run.map(|last| Filling::new(last + 1, written(matcher.text, &matcher.tokens[at..=last]), 0));
    fillings.collect()
}

fn single(matcher: &Matcher<'_>, at: usize) -> Option<Filling> {
    let token = matcher.token(at).filter(|t| t.is_word() || t.kind == Kind::Quoted)?;
    Some(Filling::new(at + 1, token.text.trim_start_matches('$'), 0))
}

/// A bundle id, such as `com.example.shop`.
fn bundle(matcher: &Matcher<'_>, at: usize) -> Option<Filling> {
    let token = matcher.token(at).filter(|t| t.is_word() || t.kind == Kind::Quoted)?;
    let is_id = token.text.split('.').count() >= 3
        && token.text.split('.').all(|part| {
            !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
        });
    is_id.then(|| Filling::new(at + 1, token.text.clone(), 1))
}

/// The entries of a table of the lexicon that stand there.
pub fn words_of(matcher: &Matcher<'_>, table: &str, at: usize) -> Vec<Filling> {
    let entries = matcher.lexicon.table(table).iter();
    let standing = entries.filter_map(|(phrase, value)| {
        let words: Vec<&str> = phrase.split(' ').collect();
        let value: Value = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
        matcher.says(at, &words).then(|| Filling::new(at + words.len(), value, words.len()))
    });
    standing.collect()
}

/// A whole number in digits, or in words to twenty.
pub fn number(matcher: &Matcher<'_>, at: usize) -> Option<Filling> {
    let token = matcher.token(at).filter(|t| t.is_word())?;
    if let Ok(number) = token.folded.parse::<u32>() {
        return Some(Filling::new(at + 1, number, 1));
    }
    words_of(matcher, "number", at).into_iter().next()
}

/// Points, or a share of the screen, which stays as written: `50%`.
fn distance(matcher: &Matcher<'_>, at: usize) -> Option<Filling> {
    let token = matcher.token(at).filter(|t| t.is_word())?;
    if let Some(share) = percent(&token.folded) {
        return Some(Filling::new(at + 1, share, 1));
    }
    let number = number(matcher, at)?;
    let unit = words_of(matcher, "length_unit", number.end).into_iter().next();
    Some(unit.map_or(number.clone(), |unit| Filling { end: unit.end, known: 2, ..number }))
}

/// `50%`, where it is a share.
pub fn percent(word: &str) -> Option<String> {
    let share: f64 = word.strip_suffix('%')?.replace(',', ".").parse().ok()?;
    (0.0..=100.0).contains(&share).then(|| format!("{share}%"))
}

/// A duration in milliseconds: `2 s`, `500ms`, `half a second`, `a minute`.
pub fn duration(matcher: &Matcher<'_>, at: usize) -> Option<(usize, u64)> {
    if let Some(whole) = words_of(matcher, "whole_duration", at).into_iter().max_by_key(|f| f.end) {
        return Some((whole.end, whole.value.as_u64()?));
    }
    let token = matcher.token(at).filter(|t| t.is_word())?;
    let digits = token.folded.find(|c: char| c.is_alphabetic()).unwrap_or(token.folded.len());
    let (amount, joined) = token.folded.split_at(digits);
    let amount = match amount.replace(',', ".").parse::<f64>() {
        Ok(amount) => amount,
        Err(_) => number(matcher, at)?.value.as_f64()?,
    };
    let units = matcher.lexicon.table("time_unit");
    let (end, unit) = if joined.is_empty() || digits == 0 {
        let unit = words_of(matcher, "time_unit", at + 1).into_iter().next()?;
        (unit.end, unit.value.as_f64()?)
    } else {
        let (_, unit) = units.iter().find(|(name, _)| *name == joined)?;
        (at + 1, unit.parse().ok()?)
    };
    let milliseconds = amount * unit;
    (0.0..=86_400_000.0).contains(&milliseconds).then_some((end, milliseconds.round() as u64))
}

/// How far back: `5m`, as `logs` takes it.
fn age(matcher: &Matcher<'_>, at: usize) -> Option<Filling> {
    let (end, milliseconds) = duration(matcher, at)?;
    Some(Filling::new(end, format!("{}s", milliseconds.div_ceil(1000)), 1))
}

/// An address; one without a scheme is a web page's.
fn url(matcher: &Matcher<'_>, at: usize) -> Option<Filling> {
    let token = matcher.token(at).filter(|t| t.is_word() || t.kind == Kind::Quoted)?;
    let text = &token.text;
    let scheme = text.split_once(':').map(|(scheme, _)| scheme);
    let has_scheme = scheme.is_some_and(|s| {
        s.starts_with(|c: char| c.is_ascii_alphabetic())
            && s.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    });
    if has_scheme {
        return Some(Filling::new(at + 1, text.clone(), 1));
    }
    let is_host =
        text.starts_with("www.") || text.split_once('/').is_some_and(|(host, _)| host.contains('.'));
    is_host.then(|| Filling::new(at + 1, format!("https://{text}"), 1))
}

/// `40.4, -3.7`: latitude and longitude in degrees.
fn coordinates(matcher: &Matcher<'_>, at: usize) -> Option<Filling> {
    let (end, first, second) = target::pair(matcher, at)?;
    let (latitude, longitude): (f64, f64) = (first.parse().ok()?, second.parse().ok()?);
    let holds = (-90.0..=90.0).contains(&latitude) && (-180.0..=180.0).contains(&longitude);
    holds.then(|| Filling::new(end, json!({"latitude": latitude, "longitude": longitude}), 1))
}

/// One key or several, each with its modifiers: `return`, `cmd+a`, `command shift z`, `a b c`.
fn keys(matcher: &Matcher<'_>, at: usize, characters: bool) -> Vec<Filling> {
    let (mut all, mut end) = (Vec::new(), at);
    let mut fillings = Vec::new();
    while let Some((after, key)) = key(matcher, end, characters) {
        all.push(key);
        fillings.push(Filling::new(after, all.clone(), after - at));
        // "a, b and c"
        let is_comma = matcher.token(after).is_some_and(|t| t.kind == Kind::Comma);
        let joint = if is_comma { after + 1 } else { after };
        end = words_of(matcher, "and", joint).first().map_or(joint, |and| and.end);
    }
    fillings
}

fn key(matcher: &Matcher<'_>, at: usize, characters: bool) -> Option<(usize, Value)> {
    let (mut modifiers, mut end) = (Vec::new(), at);
    while let Some(modifier) = words_of(matcher, "modifier", end).into_iter().max_by_key(|f| f.end) {
        modifiers.push(modifier.value);
        end = modifier.end;
    }
    let token = matcher.token(end).filter(|t| t.is_word())?;
    if let Some((before, last)) = token.text.rsplit_once('+').filter(|(before, _)| !before.is_empty()) {
        let known = matcher.lexicon.table("modifier");
        for part in before.split('+') {
            let part = crate::instruct::lexer::fold(part);
            let (_, value) = known.iter().find(|(name, _)| *name == part)?;
            modifiers.push(json!(value));
        }
        let folded = crate::instruct::lexer::fold(last);
        let named = matcher.lexicon.table("key").iter().find(|(name, _)| *name == folded);
        let key = named.map(|(_, key)| (*key).to_owned()).or_else(|| character(last))?;
        return Some((end + 1, json!({"key": key, "modifiers": modifiers})));
    }
    let named = words_of(matcher, "key", end).into_iter().max_by_key(|f| f.end);
    let (end, key) = match named {
        Some(named) => (named.end, named.value),
        None if characters || !modifiers.is_empty() => (end + 1, json!(character(&token.text)?)),
        None => return None,
    };
    let key =
        if modifiers.is_empty() { json!({"key": key}) } else { json!({"key": key, "modifiers": modifiers}) };
    Some((end, key))
}

fn character(word: &str) -> Option<String> {
    (word.chars().count() == 1).then(|| word.to_owned())
}

/// One permission or several.
fn permissions(matcher: &Matcher<'_>, at: usize) -> Vec<Filling> {
    let (mut all, mut end) = (Vec::new(), target::past_articles(matcher, at));
    let mut fillings = Vec::new();
    while let Some(next) = words_of(matcher, "permission", end).into_iter().max_by_key(|f| f.end) {
        all.push(next.value);
        fillings.push(Filling::new(next.end, all.clone(), all.len()));
        let is_comma = matcher.token(next.end).is_some_and(|t| t.kind == Kind::Comma);
        let joint = if is_comma { next.end + 1 } else { next.end };
        let joint = words_of(matcher, "and", joint).first().map_or(joint, |and| and.end);
        end = target::past_articles(matcher, joint);
    }
    fillings
}
