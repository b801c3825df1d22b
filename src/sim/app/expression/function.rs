//! The functions that expressions can call.

use chrono::TimeDelta;
use serde_json::Value;

use super::{Expression, Scope, compare, display, number, number_value, truthy};

macro_rules! functions {
    ($($variant:ident $name:literal $min:literal..=$max:literal),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Function { $($variant),* }

        /// Names with the fewest and the most arguments.
        pub(super) const FUNCTIONS: &[(&str, Function, usize, usize)] = &[$(($name, Function::$variant, $min, $max)),*];
    };
}

functions! {
    Count "count" 1..=2, Sum "sum" 2..=2, Any "any" 2..=2, Find "find" 2..=2, Filter "filter" 2..=2,
    Contains "contains" 2..=2, Lower "lower" 1..=1, Upper "upper" 1..=1, Trim "trim" 1..=1, Length "length" 1..=1,
    Money "money" 1..=1, Percent "percent" 1..=1, Round "round" 1..=2, Number "number" 1..=1, Text "text" 1..=1,
    Min "min" 2..=2, Max "max" 2..=2, Plural "plural" 2..=3, Time "time" 0..=0, Date "date" 0..=1,
    Reversed "reversed" 1..=1, Take "take" 2..=2, Sorted "sorted" 2..=2, Merge "merge" 2..=2, Pad "pad" 2..=2,
}

pub(super) fn call(function: Function, arguments: &[Expression], scope: &Scope) -> Value {
    let value = |i: usize| arguments.get(i).map_or(Value::Null, |e| e.value(scope));
    let text = |i: usize| display(&value(i));
    let num = |i: usize| number(&value(i));
    match function {
        Function::Count => match arguments.get(1) {
            Some(condition) => number_value(fitting(value(0), condition, scope).count() as f64),
            None => number_value(length(&value(0))),
        },
        Function::Sum => {
            let mut inner = scope.clone();
            number_value(items(value(0)).map(|item| number(&with_it(&arguments[1], item, &mut inner))).sum())
        }
        Function::Any => Value::Bool(fitting(value(0), &arguments[1], scope).next().is_some()),
        Function::Find => fitting(value(0), &arguments[1], scope).next().unwrap_or(Value::Null),
        Function::Filter => Value::Array(fitting(value(0), &arguments[1], scope).collect()),
        Function::Contains => match value(0) {
            Value::Array(list) => Value::Bool(list.contains(&value(1))),
            other => Value::Bool(display(&other).to_lowercase().contains(&text(1).trim().to_lowercase())),
        },
        Function::Lower => Value::String(text(0).to_lowercase()),
        Function::Upper => Value::String(text(0).to_uppercase()),
        Function::Trim => Value::String(text(0).trim().to_owned()),
        Function::Length => number_value(length(&value(0))),
        Function::Money => Value::String(money(num(0))),
        Function::Percent => Value::String(format!("{:.0}%", num(0) * 100.0)),
        Function::Round => {
            let factor = 10f64.powi(num(1) as i32);
            number_value((num(0) * factor).round() / factor)
        }
        Function::Number => number_value(num(0)),
        Function::Text => Value::String(text(0)),
        Function::Min => number_value(num(0).min(num(1))),
        Function::Max => number_value(num(0).max(num(1))),
        Function::Plural => {
            let word = if num(0) == 1.0 {
                text(1)
            } else if arguments.len() > 2 {
                text(2)
            } else {
                text(1) + "s"
            };
            Value::String(format!("{} {word}", text(0)))
        }
        Function::Time => Value::String(scope.now.format("%-H:%M").to_string()),
        Function::Date => {
            let days = TimeDelta::try_days(num(0) as i64).unwrap_or_default();
            let date = scope.now.checked_add_signed(days).unwrap_or(scope.now);
            Value::String(date.format("%b %-d, %Y").to_string())
        }
        Function::Reversed => Value::Array(items(value(0)).rev().collect()),
        Function::Take => Value::Array(items(value(0)).take(num(1) as usize).collect()),
        Function::Sorted => {
            let mut inner = scope.clone();
            let mut keyed: Vec<_> = items(value(0))
                .map(|item| (with_it(&arguments[1], item.clone(), &mut inner), item))
                .collect();
            keyed.sort_by(|a, b| compare(&a.0, &b.0));
            Value::Array(keyed.into_iter().map(|(_, item)| item).collect())
        }
        Function::Merge => {
            let mut list: Vec<_> = items(value(0)).collect();
            list.extend(items(value(1)));
            Value::Array(list)
        }
        Function::Pad => Value::String(format!("{:0>width$}", text(0), width = (num(1) as usize).min(64))),
    }
}

fn items(value: Value) -> std::vec::IntoIter<Value> {
    match value {
        Value::Array(list) => list.into_iter(),
        _ => Vec::new().into_iter(),
    }
}

fn with_it(expression: &Expression, item: Value, scope: &mut Scope) -> Value {
    scope.locals.push(("it".to_owned(), item));
    let value = expression.value(scope);
    scope.locals.pop();
    value
}

/// The items of a list for which the condition over `it` holds.
fn fitting<'e>(list: Value, condition: &'e Expression, scope: &'e Scope) -> impl Iterator<Item = Value> + 'e {
    let mut inner = scope.clone();
    items(list).filter(move |item| truthy(&with_it(condition, item.clone(), &mut inner)))
}

fn length(value: &Value) -> f64 {
    match value {
        Value::Array(list) => list.len() as f64,
        Value::Object(map) => map.len() as f64,
        Value::String(text) => text.chars().count() as f64,
        _ => 0.0,
    }
}

/// `$1,249.00`.
pub fn money(amount: f64) -> String {
    let cents = (amount.abs() * 100.0).round() as u64;
    let digits = (cents / 100).to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let sign = if amount < 0.0 && cents > 0 { "-" } else { "" };
    format!("{sign}${grouped}.{:02}", cents % 100)
}
