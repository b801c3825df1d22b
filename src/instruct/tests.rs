//! Sentences and the plans they become, in tables: a sentence a line, set in below it what is planned.

use std::fmt::Write;

use super::*;
use crate::instruct::command::Command;
use crate::instruct::lexicon::lexicon;

const ENGLISH: &str = include_str!("phrasings/en.txt");
const SPANISH: &str = include_str!("phrasings/es.txt");

/// A plan in one line.
fn brief(steps: &[Step]) -> String {
    let told = steps.iter().map(|step| match step {
        Step::Call(call) => {
            let arguments = serde_json::Value::Object(call.arguments.clone());
            if call.arguments.is_empty() { call.call.clone() } else { format!("{} {arguments}", call.call) }
        }
        Step::If { condition, then, otherwise } => {
            let mut told = format!("if {} [{}]", condition.told(), brief(then));
            if !otherwise.is_empty() {
                // writing to a String can't fail
                let _ = write!(told, " else [{}]", brief(otherwise));
            }
            told
        }
        Step::Repeat { times, until, steps } => {
            let until = until.as_ref().map_or_else(String::new, |until| format!(" until {}", until.told()));
            format!("{times} times{until} [{}]", brief(steps))
        }
    });
    told.collect::<Vec<_>>().join("; ")
}

fn planned(sentence: &str, language: Option<Language>) -> String {
    match parse(&sentence.replace('⏎', "\n"), language) {
        Ok(plan) if plan.go_on => format!("{}; go on", brief(&plan.steps)),
        Ok(plan) => brief(&plan.steps),
        Err(error) => format!("error: {}\n{}\n{:?}", error.message, error.pointed(), error.closest),
    }
}

/// Sentence and plan, in turn.
fn phrasings(table: &'static str) -> Vec<(&'static str, &'static str)> {
    let mut lines = table.lines().filter(|line| !line.trim().is_empty());
    let mut pairs = Vec::new();
    while let (Some(sentence), Some(plan)) = (lines.next(), lines.next()) {
        pairs.push((sentence, plan.trim()));
    }
    pairs
}

#[test]
fn every_phrasing_becomes_its_plan_also_where_the_language_is_not_named() {
    for (language, table) in [(Language::En, ENGLISH), (Language::Es, SPANISH)] {
        let pairs = phrasings(table);
        assert!(pairs.len() >= 120, "{language:?}: {}", pairs.len());
        for (sentence, plan) in pairs {
            assert_eq!(planned(sentence, Some(language)), plan, "{language:?}: {sentence}");
            assert_eq!(planned(sentence, None), plan, "{sentence}");
        }
    }
}

#[test]
fn every_command_can_be_said_in_every_language() {
    for language in [Language::En, Language::Es] {
        let forms = &lexicon(language).forms;
        for command in Command::ALL {
            assert!(forms.iter().any(|(known, _)| known == command), "{language:?}: {command:?}");
        }
    }
}

/// What is refused: the sentence, what is pointed at, and a known form that is offered.
const REFUSED: &[(&str, &str, &str)] = &[
    ("foo", "^^^", ""),
    ("tpa Sign In", "^^^", "tap <target>"),
    ("tap Sign In then foo", "                 ^^^", ""),
    ("tap Sign In and tpye hello", "                ^^^^", "type <text>"),
    ("tap Sign In⏎swpe up⏎tap B", "^^^^", "swipe <up|down|left|right>"),
    ("tap", "   ^", "tap <target>"),
    ("wait for", "        ^", "wait for <target>"),
    ("if Allow blinks tap A", "   ^^^^^^^^^^^^", "<target> is visible"),
    ("if Allow is visible", "                   ^", ""),
    ("otherwise tap A", "^^^^^^^^^", ""),
    ("repeat tap Next", "       ^^^", "<number> times"),
    ("repeat 500 times: tap A", "       ^^^", ""),
    ("tap A 0 times", "      ^", ""),
    ("tap \"Sign In", "    ^", ""),
    ("tap A, B", "     ^", "tap <target>"),
    ("  ", "  ^", ""),
    ("toac Entrar", "^^^^", "toca <objetivo>"),
    ("toca Entrar y luego foo", "                    ^^^", ""),
    ("si Permitir parpadea toca A", "   ^^^^^^^^^^^^^^^^^", "<objetivo> es visible"),
    ("repite toca Siguiente", "       ^^^^", "<número> veces"),
];

#[test]
fn what_is_not_known_is_pointed_at_with_the_closest_forms() {
    for (sentence, caret, form) in REFUSED {
        let error = parse(&sentence.replace('⏎', "\n"), None).expect_err(sentence);
        let pointed = error.pointed();
        assert_eq!(pointed.lines().last(), Some(*caret), "{sentence}: {}\n{pointed}", error.message);
        let offered = error.closest.iter().any(|known| known == form);
        assert!(form.is_empty() || offered, "{sentence}: {:?}", error.closest);
    }
}

#[test]
fn a_plan_is_data() {
    let plan = parse("if A is visible tap B, otherwise swipe up until C is visible then tap D 3 times", None)
        .unwrap();
    let text = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan, "{text}");
    assert!(text.contains(r#""said":"tap B""#), "{text}");
    assert_eq!(plan.calls().len(), 3);
}

#[test]
fn long_and_odd_texts_are_answered_quickly() {
    let started = std::time::Instant::now();
    for text in [
        "tap A and ".repeat(1_500),
        format!("type {}", "a ".repeat(150)),
        format!("tap {}", "near ".repeat(150)),
        "if A is visible ".repeat(1_000),
        "repeat ".repeat(2_000),
        ", , ; : . ".repeat(1_500),
        "a".repeat(MAX_TEXT + 1),
        "tap the first button button number 2 near the row near Card until it until".to_owned(),
        "« ".to_owned(),
        "¿é\u{301}🙂? then 🙂".to_owned(),
    ] {
        // an answer, whichever
        let _ = parse(&text, None);
    }
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
