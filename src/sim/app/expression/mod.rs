//! The small language of conditions and filled-in texts: values, arithmetic, comparison and a few functions.
//!
//! Evaluation never fails: a name that has no value is null, and null shows as nothing.
//! Names are checked when the app is loaded.

mod function;
mod parse;

use std::cmp::Ordering;
use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

pub use function::{Function, money};

/// What names mean while an expression is evaluated; the inner hide the outer.
#[derive(Clone)]
pub struct Scope<'a> {
    pub state: &'a Map<String, Value>,
    pub data: &'a BTreeMap<String, Value>,
    pub locals: Vec<(String, Value)>,
    pub now: DateTime<Utc>,
}

impl Scope<'_> {
    fn get(&self, name: &str) -> Option<&Value> {
        let local = self.locals.iter().rev().find(|(n, _)| n == name).map(|(_, v)| v);
        local.or_else(|| self.state.get(name)).or_else(|| self.data.get(name))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    Constant(Value),
    Name(String),
    Member(Box<Expression>, String),
    Index(Box<Expression>, Box<Expression>),
    Not(Box<Expression>),
    Negative(Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
    Choice(Box<Expression>, Box<Expression>, Box<Expression>),
    Call(Function, Vec<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    LessOrEqual,
    GreaterOrEqual,
    Less,
    Greater,
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
}

impl Expression {
    /// Calls `visit` with every name that is looked up, outside of what `it` and locals cover.
    pub fn names(&self, visit: &mut impl FnMut(&str)) {
        match self {
            Self::Constant(_) => {}
            Self::Name(name) => visit(name),
            Self::Member(of, _) | Self::Not(of) | Self::Negative(of) => of.names(visit),
            Self::Index(a, b) | Self::Binary(_, a, b) => {
                a.names(visit);
                b.names(visit);
            }
            Self::Choice(a, b, c) => [a, b, c].into_iter().for_each(|e| e.names(visit)),
            Self::Call(_, arguments) => arguments.iter().for_each(|e| e.names(visit)),
        }
    }

    pub fn value(&self, scope: &Scope) -> Value {
        match self {
            Self::Constant(value) => value.clone(),
            Self::Name(name) => scope.get(name).cloned().unwrap_or(Value::Null),
            Self::Member(..) | Self::Index(..) => {
                self.place(scope).cloned().unwrap_or_else(|| self.member_of_computed(scope))
            }
            Self::Not(e) => Value::Bool(!truthy(&e.value(scope))),
            Self::Negative(e) => number_value(-number(&e.value(scope))),
            Self::Binary(operator, a, b) => binary(*operator, a, b, scope),
            Self::Choice(test, yes, no) => {
                if truthy(&test.value(scope)) {
                    yes.value(scope)
                } else {
                    no.value(scope)
                }
            }
            Self::Call(function, arguments) => function::call(*function, arguments, scope),
        }
    }

    /// The stored value that a path of names leads to, without copying it.
    fn place<'s>(&self, scope: &'s Scope) -> Option<&'s Value> {
        match self {
            Self::Name(name) => scope.get(name),
            Self::Member(of, key) => of.place(scope)?.get(key),
            Self::Index(of, index) => {
                let value = of.place(scope)?;
                match index.value(scope) {
                    Value::String(key) => value.get(key),
                    other => value.get(number(&other) as usize),
                }
            }
            _ => None,
        }
    }

    /// A member of something that is computed, such as `find(products, …).name`.
    fn member_of_computed(&self, scope: &Scope) -> Value {
        let found = match self {
            Self::Member(of, key) => of.value(scope).get(key).cloned(),
            Self::Index(of, index) => match index.value(scope) {
                Value::String(key) => of.value(scope).get(&key).cloned(),
                other => of.value(scope).get(number(&other) as usize).cloned(),
            },
            _ => None,
        };
        found.unwrap_or(Value::Null)
    }
}

fn binary(operator: Operator, a: &Expression, b: &Expression, scope: &Scope) -> Value {
    let left = a.value(scope);
    match operator {
        Operator::Or => return if truthy(&left) { left } else { b.value(scope) },
        Operator::And => return if truthy(&left) { b.value(scope) } else { left },
        _ => {}
    }
    let right = b.value(scope);
    let order = compare(&left, &right);
    match operator {
        Operator::Equal => Value::Bool(order == Ordering::Equal),
        Operator::NotEqual => Value::Bool(order != Ordering::Equal),
        Operator::Less => Value::Bool(order == Ordering::Less),
        Operator::Greater => Value::Bool(order == Ordering::Greater),
        Operator::LessOrEqual => Value::Bool(order != Ordering::Greater),
        Operator::GreaterOrEqual => Value::Bool(order != Ordering::Less),
        Operator::Plus if left.is_string() || right.is_string() => {
            Value::String(display(&left) + &display(&right))
        }
        Operator::Plus => number_value(number(&left) + number(&right)),
        Operator::Minus => number_value(number(&left) - number(&right)),
        Operator::Times => number_value(number(&left) * number(&right)),
        Operator::Divide => number_value(number(&left) / number(&right)),
        Operator::Modulo => number_value(number(&left).rem_euclid(number(&right))),
        Operator::Or | Operator::And => left,
    }
}

fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Number(_), Value::Number(_)) => number(a).total_cmp(&number(b)),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        _ if a == b => Ordering::Equal,
        _ => display(a).cmp(&display(b)).then(Ordering::Less),
    }
}

/// Null, false, 0, and what is empty don't hold.
pub fn truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(b) => *b,
        Value::Number(n) => n.as_f64() != Some(0.0),
        Value::String(s) => !s.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(_) => true,
    }
}

pub fn number(value: &Value) -> f64 {
    match value {
        Value::Number(n) => n.as_f64().unwrap_or(0.0),
        Value::Bool(b) => f64::from(u8::from(*b)),
        Value::String(s) => s.trim().parse().unwrap_or(0.0),
        _ => 0.0,
    }
}

/// A whole number stays one, so that it shows without a point.
pub fn number_value(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 {
        Value::from(number as i64)
    } else {
        Value::from(number)
    }
}

/// A value as a person reads it.
pub fn display(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(display).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn value(source: &str) -> Value {
        let Value::Object(state) = json!({
            "name": "Ada", "n": 3, "cart": [{"price": 24.9, "quantity": 2}, {"price": 5, "quantity": 1}]
        }) else {
            unreachable!()
        };
        let data = BTreeMap::new();
        let scope = Scope { state: &state, data: &data, locals: vec![], now: DateTime::UNIX_EPOCH };
        Expression::parse(source).unwrap().value(&scope)
    }

    #[test]
    fn operators_bind_as_in_arithmetic() {
        assert_eq!(value("1 + 2 * n - 4 / 2"), json!(5));
        assert_eq!(value("!(n == 3) || name == 'Ada' && n >= 3"), json!(true));
        assert_eq!(value("n > 2 ? 'many' : 'few'"), json!("many"));
        assert_eq!(value("name + ' ' + n"), json!("Ada 3"));
    }

    #[test]
    fn lists_are_counted_summed_and_searched() {
        assert_eq!(value("count(cart)"), json!(2));
        assert_eq!(value("money(sum(cart, it.price * it.quantity))"), json!("$54.80"));
        assert_eq!(value("find(cart, it.quantity == 1).price"), json!(5));
        assert_eq!(value("any(cart, it.price > 100)"), json!(false));
        assert_eq!(value("cart[1].price"), json!(5));
        assert_eq!(value("missing.anything"), Value::Null);
    }

    #[test]
    fn money_groups_thousands() {
        assert_eq!(money(1249.0), "$1,249.00");
        assert_eq!(money(0.999), "$1.00");
        assert_eq!(money(-12.5), "-$12.50");
    }

    #[test]
    fn a_wrong_expression_says_what_is_wrong() {
        for (source, part) in
            [("1 +", "a value expected"), ("sume(cart)", "unknown function"), ("a b", "unexpected `b`")]
        {
            let error = Expression::parse(source).unwrap_err();
            assert!(error.contains(part) && error.contains(source), "{error}");
        }
    }
}
