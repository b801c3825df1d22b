//! Reading expressions.

use serde_json::Value;

use super::function::FUNCTIONS;
use super::{Expression, Operator, number_value};

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
