//! The small language of conditions and filled-in texts: values, arithmetic, comparison and a few functions.
//!
//! Evaluation never fails: a name that has no value is null, and null shows as nothing.
//! Names are checked when the app is loaded.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Map, Value};

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

/// Operators by how strongly they bind, the weakest first; longer spellings before their prefixes.
const PRECEDENCE: [&[(&str, Operator)]; 5] = [
    &[("||", Operator::Or)],
    &[("&&", Operator::And)],
    &[
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
        ("<=", Operator::LessOrEqual),
        (">=", Operator::GreaterOrEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ],
    &[("+", Operator::Plus), ("-", Operator::Minus)],
    &[("*", Operator::Times), ("/", Operator::Divide), ("%", Operator::Modulo)],
];

macro_rules! functions {
    ($($variant:ident $name:literal $min:literal..=$max:literal),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Function { $($variant),* }

        const FUNCTIONS: &[(&str, Function, usize, usize)] = &[$(($name, Function::$variant, $min, $max)),*];
    };
}

functions! {
    Count "count" 1..=2, Sum "sum" 2..=2, Any "any" 2..=2, Find "find" 2..=2, Filter "filter" 2..=2,
    Contains "contains" 2..=2, Lower "lower" 1..=1, Upper "upper" 1..=1, Trim "trim" 1..=1, Length "length" 1..=1,
    Money "money" 1..=1, Percent "percent" 1..=1, Round "round" 1..=2, Number "number" 1..=1, Text "text" 1..=1,
    Min "min" 2..=2, Max "max" 2..=2, Plural "plural" 2..=3, Time "time" 0..=0, Date "date" 0..=1,
    Reversed "reversed" 1..=1, Take "take" 2..=2, Sorted "sorted" 2..=2, Merge "merge" 2..=2, Pad "pad" 2..=2,
}

impl Expression {
    /// # Errors
    /// Says what was expected, with the source.
    pub fn parse(source: &str) -> Result<Self, String> {
        let mut parser = Parser { rest: source };
        let expression = parser.choice().map_err(|e| format!("{e} in the expression `{source}`"))?;
        match parser.skip_space() {
            "" => Ok(expression),
            rest => Err(format!("unexpected `{rest}` in the expression `{source}`")),
        }
    }

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
            Self::Call(function, arguments) => call(*function, arguments, scope),
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

fn call(function: Function, arguments: &[Expression], scope: &Scope) -> Value {
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
pub fn fitting<'e>(
    list: Value,
    condition: &'e Expression,
    scope: &'e Scope,
) -> impl Iterator<Item = Value> + 'e {
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

struct Parser<'a> {
    rest: &'a str,
}

type Parsed = Result<Expression, String>;

impl<'a> Parser<'a> {
    fn skip_space(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        self.rest
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip_space();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.eat(token) { Ok(()) } else { Err(format!("`{token}` expected before `{}`", self.rest)) }
    }

    fn choice(&mut self) -> Parsed {
        let test = self.binary(0)?;
        if !self.eat("?") {
            return Ok(test);
        }
        let yes = self.choice()?;
        self.expect(":")?;
        Ok(Expression::Choice(Box::new(test), Box::new(yes), Box::new(self.choice()?)))
    }

    fn binary(&mut self, level: usize) -> Parsed {
        let Some(operators) = PRECEDENCE.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some((_, operator)) = operators.iter().find(|(token, _)| self.eat(token)) {
            left = Expression::Binary(*operator, Box::new(left), Box::new(self.binary(level + 1)?));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed {
        if self.eat("!") {
            Ok(Expression::Not(Box::new(self.unary()?)))
        } else if self.eat("-") {
            Ok(Expression::Negative(Box::new(self.unary()?)))
        } else {
            self.postfix()
        }
    }

    fn postfix(&mut self) -> Parsed {
        let mut expression = self.primary()?;
        loop {
            if self.eat(".") {
                let name = self.word().ok_or("a name expected after `.`")?;
                expression = Expression::Member(Box::new(expression), name.to_owned());
            } else if self.eat("[") {
                let index = self.choice()?;
                self.expect("]")?;
                expression = Expression::Index(Box::new(expression), Box::new(index));
            } else {
                return Ok(expression);
            }
        }
    }

    fn primary(&mut self) -> Parsed {
        if self.eat("(") {
            let inner = self.choice()?;
            self.expect(")")?;
            return Ok(inner);
        }
        match self.skip_space().chars().next() {
            Some(quote @ ('\'' | '"')) => self.quoted(quote),
            Some(c) if c.is_ascii_digit() => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.name(),
            Some(c) => Err(format!("unexpected `{c}`")),
            None => Err("a value expected".to_owned()),
        }
    }

    fn quoted(&mut self, quote: char) -> Parsed {
        let inner = &self.rest[1..];
        let end = inner.find(quote).ok_or_else(|| format!("{quote} is never closed"))?;
        self.rest = &inner[end + 1..];
        Ok(Expression::Constant(Value::String(inner[..end].to_owned())))
    }

    fn number(&mut self) -> Parsed {
        let end = self.rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        let value = digits.parse().map_err(|_| format!("`{digits}` is no number"))?;
        Ok(Expression::Constant(number_value(value)))
    }

    fn word(&mut self) -> Option<&'a str> {
        self.skip_space();
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    fn name(&mut self) -> Parsed {
        let word = self.word().unwrap_or_default();
        if self.eat("(") {
            return self.call(word);
        }
        Ok(match word {
            "true" => Expression::Constant(Value::Bool(true)),
            "false" => Expression::Constant(Value::Bool(false)),
            "null" => Expression::Constant(Value::Null),
            name => Expression::Name(name.to_owned()),
        })
    }

    fn call(&mut self, name: &str) -> Parsed {
        let Some((_, function, min, max)) = FUNCTIONS.iter().find(|(n, ..)| *n == name) else {
            let known: Vec<_> = FUNCTIONS.iter().map(|(n, ..)| *n).collect();
            return Err(format!("unknown function `{name}`; known are {}", known.join(", ")));
        };
        let mut arguments = Vec::new();
        if !self.eat(")") {
            loop {
                arguments.push(self.choice()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        if !(*min..=*max).contains(&arguments.len()) {
            return Err(format!("`{name}` takes {min} to {max} arguments, not {}", arguments.len()));
        }
        Ok(Expression::Call(*function, arguments))
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
