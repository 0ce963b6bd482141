//! The text form of test cases, one statement a line: `v<i>: <descriptor> = <statement>`. Printing
//! and parsing are inverse for every test case: `parse(print(t)) == t`. The format is described in
//! `docs/formats/test-case.md`.

use std::fmt;
use std::str::FromStr;

use super::{Literal, Statement, StatementKind, TestCase, VarId};
use crate::program::{ClassName, FieldRef, JavaType, MethodRef};

/// Where and why a text is no test case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct ParseError {
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong, in one phrase.
    pub reason: String,
}

impl fmt::Display for VarId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl fmt::Display for TestCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, statement) in self.statements.iter().enumerate() {
            writeln!(f, "v{index}: {statement}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = ", Escaped(&self.ty.descriptor(), is_descriptor_char))?;
        match &self.kind {
            StatementKind::Literal(literal) => write!(f, "{literal}"),
            StatementKind::Construct { constructor, args } => write!(f, "new {} ({})", Method(constructor), Variables(args)),
            StatementKind::Call { method, interface, receiver, args } => {
                let target = if *interface { "interface-method" } else { "method" };
                write!(f, "call {target} {} ", Method(method))?;
                if let Some(receiver) = receiver {
                    write!(f, "on {receiver} ")?;
                }
                write!(f, "({})", Variables(args))
            }
            StatementKind::GetField { field, receiver } => {
                write!(f, "get {}", Field(field))?;
                receiver.map_or(Ok(()), |receiver| write!(f, " on {receiver}"))
            }
            StatementKind::PutField { field, receiver, value } => {
                write!(f, "put {}", Field(field))?;
                if let Some(receiver) = receiver {
                    write!(f, " on {receiver}")?;
                }
                write!(f, " value {value}")
            }
            StatementKind::Array { element, length, elements } => {
                write!(f, "array {} {length} ({})", Escaped(&element.descriptor(), is_descriptor_char), Variables(elements))
            }
            StatementKind::PutElement { array, index, value } => write!(f, "element {array} {index} value {value}"),
            StatementKind::Stub { interface, mocked, answers } => {
                let kind = if *mocked { "mock" } else { "stub" };
                write!(f, "{kind} {} (", Escaped(interface.internal(), is_name_char))?;
                for (position, (method, answer)) in answers.iter().enumerate() {
                    let separator = if position == 0 { "" } else { ", " };
                    write!(f, "{separator}{} {answer}", Method(method))?;
                }
                write!(f, ")")
            }
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Null => write!(f, "null"),
            Literal::Boolean(value) => write!(f, "{value}"),
            Literal::Byte(value) => write!(f, "byte {value}"),
            Literal::Char(value) => write!(f, "char {value}"),
            Literal::Short(value) => write!(f, "short {value}"),
            Literal::Int(value) => write!(f, "int {value}"),
            Literal::Long(value) => write!(f, "long {value}"),
            // Rust prints the shortest decimal that reads back to the same bits. Only NaN has
            // several bit patterns.
            Literal::Float(bits) => match f32::from_bits(*bits) {
                value if value.is_nan() => write!(f, "float bits:{bits:08x}"),
                value => write!(f, "float {value:?}"),
            },
            Literal::Double(bits) => match f64::from_bits(*bits) {
                value if value.is_nan() => write!(f, "double bits:{bits:016x}"),
                value => write!(f, "double {value:?}"),
            },
            Literal::Str(units) => {
                write!(f, "string \"")?;
                for &unit in units {
                    match unit {
                        0x22 => write!(f, "\\\"")?,
                        0x5c => write!(f, "\\\\")?,
                        0x20..0x7f => write!(f, "{}", char::from(unit as u8))?,
                        _ => write!(f, "\\u{unit:04x}")?,
                    }
                }
                write!(f, "\"")
            }
            Literal::Class(ty) => write!(f, "class {}", Escaped(&ty.descriptor(), is_descriptor_char)),
        }
    }
}

struct Variables<'a>(&'a [VarId]);

impl fmt::Display for Variables<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, variable) in self.0.iter().enumerate() {
            let separator = if position == 0 { "" } else { ", " };
            write!(f, "{separator}{variable}")?;
        }
        Ok(())
    }
}

struct Method<'a>(&'a MethodRef);

impl fmt::Display for Method<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MethodRef { owner, name, descriptor } = self.0;
        write!(
            f,
            "{}.{} {}",
            Escaped(owner.internal(), is_name_char),
            Escaped(name, is_name_char),
            Escaped(descriptor, is_descriptor_char)
        )
    }
}

struct Field<'a>(&'a FieldRef);

impl fmt::Display for Field<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FieldRef { owner, name, descriptor } = self.0;
        write!(
            f,
            "{}.{} {}",
            Escaped(owner.internal(), is_name_char),
            Escaped(name, is_name_char),
            Escaped(descriptor, is_descriptor_char)
        )
    }
}

/// The JVM allows nearly every character in names (JVMS §4.2.2): what could be taken for our own
/// punctuation is written `\{hex}`.
struct Escaped<'a>(&'a str, fn(char) -> bool);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            if (self.1)(character) {
                write!(f, "{character}")?;
            } else {
                write!(f, "\\{{{:x}}}", character as u32)?;
            }
        }
        Ok(())
    }
}

fn is_name_char(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$' | '/' | '<' | '>' | '-')
}

fn is_descriptor_char(character: char) -> bool {
    is_name_char(character) || matches!(character, '(' | ')' | '[' | ';')
}

impl FromStr for TestCase {
    type Err = ParseError;

    /// Empty lines and lines that start with `#` do not count.
    fn from_str(text: &str) -> Result<TestCase, ParseError> {
        let mut statements = Vec::new();
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let mut cursor = Cursor { rest: line };
            let statement = cursor.statement(statements.len()).map_err(|reason| ParseError { line: index + 1, reason })?;
            statements.push(statement);
        }
        Ok(TestCase { statements })
    }
}

struct Cursor<'a> {
    rest: &'a str,
}

type Parsed<T> = Result<T, String>;

impl<'a> Cursor<'a> {
    fn statement(&mut self, index: usize) -> Parsed<Statement> {
        let defined = self.word().strip_suffix(':').and_then(parse_variable).ok_or("a statement begins with its variable")?;
        if defined.0 as usize != index {
            return Err(format!("this is statement {index}, not {defined}"));
        }
        let ty = self.java_type()?;
        self.expect("=")?;
        let kind = match self.word() {
            "new" => StatementKind::Construct { constructor: self.method()?, args: self.variables()? },
            "call" => {
                let interface = match self.word() {
                    "interface-method" => true,
                    "method" => false,
                    other => return Err(format!("`{other}` where `method` or `interface-method` is expected")),
                };
                let method = self.method()?;
                let receiver = self.after("on")?;
                StatementKind::Call { method, interface, receiver, args: self.variables()? }
            }
            "get" => StatementKind::GetField { field: self.field()?, receiver: self.after("on")? },
            "put" => {
                let field = self.field()?;
                let receiver = self.after("on")?;
                self.expect("value")?;
                StatementKind::PutField { field, receiver, value: self.variable()? }
            }
            "array" => StatementKind::Array { element: self.java_type()?, length: self.number()?, elements: self.variables()? },
            "element" => {
                let array = self.variable()?;
                let index = self.number()?;
                self.expect("value")?;
                StatementKind::PutElement { array, index, value: self.variable()? }
            }
            kind @ ("stub" | "mock") => {
                let interface = ClassName::new(&unescape(self.word())?);
                let mut answers = Vec::new();
                let inner = self.parenthesised()?;
                for answer in inner.split(", ").filter(|answer| !answer.is_empty()) {
                    let mut answer = Cursor { rest: answer };
                    answers.push((answer.method()?, answer.variable()?));
                }
                StatementKind::Stub { interface, mocked: kind == "mock", answers }
            }
            word => StatementKind::Literal(self.literal(word)?),
        };
        if !self.rest.trim().is_empty() {
            return Err(format!("`{}` after the statement", self.rest.trim()));
        }
        Ok(Statement { kind, ty })
    }

    fn literal(&mut self, word: &str) -> Parsed<Literal> {
        Ok(match word {
            "null" => Literal::Null,
            "true" => Literal::Boolean(true),
            "false" => Literal::Boolean(false),
            "byte" => Literal::Byte(self.number()?),
            "char" => Literal::Char(self.number()?),
            "short" => Literal::Short(self.number()?),
            "int" => Literal::Int(self.number()?),
            "long" => Literal::Long(self.number()?),
            "float" => match self.word() {
                word if word.starts_with("bits:") => {
                    Literal::Float(u32::from_str_radix(&word[5..], 16).map_err(|error| format!("`{word}`: {error}"))?)
                }
                word => Literal::Float(word.parse::<f32>().map_err(|error| format!("`{word}`: {error}"))?.to_bits()),
            },
            "double" => match self.word() {
                word if word.starts_with("bits:") => {
                    Literal::Double(u64::from_str_radix(&word[5..], 16).map_err(|error| format!("`{word}`: {error}"))?)
                }
                word => Literal::Double(word.parse::<f64>().map_err(|error| format!("`{word}`: {error}"))?.to_bits()),
            },
            "string" => Literal::Str(self.string()?),
            "class" => Literal::Class(self.java_type()?),
            other => return Err(format!("`{other}` begins no statement")),
        })
    }

    /// The next word; empty at the end of the line.
    fn word(&mut self) -> &'a str {
        let rest = self.rest.trim_start_matches(' ');
        let end = rest.find(' ').unwrap_or(rest.len());
        self.rest = &rest[end..];
        &rest[..end]
    }

    fn expect(&mut self, expected: &str) -> Parsed<()> {
        match self.word() {
            word if word == expected => Ok(()),
            word => Err(format!("`{word}` where `{expected}` is expected")),
        }
    }

    fn number<N: FromStr<Err: fmt::Display>>(&mut self) -> Parsed<N> {
        let word = self.word();
        word.parse().map_err(|error| format!("`{word}`: {error}"))
    }

    fn variable(&mut self) -> Parsed<VarId> {
        let word = self.word();
        parse_variable(word).ok_or_else(|| format!("`{word}` is no variable"))
    }

    /// The variable that follows `keyword`, when that is the next word.
    fn after(&mut self, keyword: &str) -> Parsed<Option<VarId>> {
        let before = self.rest;
        if self.word() == keyword {
            return self.variable().map(Some);
        }
        self.rest = before;
        Ok(None)
    }

    fn parenthesised(&mut self) -> Parsed<&'a str> {
        let rest = self.rest.trim();
        let inner = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).ok_or("a list in parentheses is missing")?;
        self.rest = "";
        Ok(inner)
    }

    fn variables(&mut self) -> Parsed<Vec<VarId>> {
        let inner = self.parenthesised()?;
        inner
            .split(", ")
            .filter(|variable| !variable.is_empty())
            .map(|variable| parse_variable(variable).ok_or_else(|| format!("`{variable}` is no variable")))
            .collect()
    }

    fn java_type(&mut self) -> Parsed<JavaType> {
        let descriptor = unescape(self.word())?;
        JavaType::parse(&descriptor).ok_or_else(|| format!("`{descriptor}` is no descriptor"))
    }

    fn member(&mut self) -> Parsed<(ClassName, String, String)> {
        let word = self.word();
        let (owner, name) = word.split_once('.').ok_or_else(|| format!("`{word}` is no member"))?;
        Ok((ClassName::new(&unescape(owner)?), unescape(name)?, unescape(self.word())?))
    }

    fn method(&mut self) -> Parsed<MethodRef> {
        let (owner, name, descriptor) = self.member()?;
        if JavaType::parse_method(&descriptor).is_none() {
            return Err(format!("`{descriptor}` is no method descriptor"));
        }
        Ok(MethodRef::new(owner, &name, &descriptor))
    }

    fn field(&mut self) -> Parsed<FieldRef> {
        let (owner, name, descriptor) = self.member()?;
        if JavaType::parse(&descriptor).is_none() {
            return Err(format!("`{descriptor}` is no field descriptor"));
        }
        Ok(FieldRef::new(owner, &name, &descriptor))
    }

    fn string(&mut self) -> Parsed<Vec<u16>> {
        let unfinished = "a string ends with a quotation mark";
        let text = self.rest.trim_start_matches(' ').strip_prefix('"').ok_or("a string begins with a quotation mark")?;
        let mut units = Vec::new();
        let mut characters = text.char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.rest = &text[at + 1..];
                    return Ok(units);
                }
                '\\' => match characters.next().ok_or(unfinished)?.1 {
                    'u' => {
                        let digits: String = characters.by_ref().take(4).map(|(_, digit)| digit).collect();
                        units.push(u16::from_str_radix(&digits, 16).map_err(|error| format!("`\\u{digits}`: {error}"))?);
                    }
                    escaped => units.extend_from_slice(escaped.encode_utf16(&mut [0; 2])),
                },
                _ => units.extend_from_slice(character.encode_utf16(&mut [0; 2])),
            }
        }
        Err(unfinished.into())
    }
}

fn parse_variable(word: &str) -> Option<VarId> {
    word.strip_prefix('v')?.parse().ok().map(VarId)
}

fn unescape(text: &str) -> Parsed<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("\\{") {
        plain.push_str(&rest[..start]);
        let end = rest[start..].find('}').ok_or("an escape ends with a brace")? + start;
        let character = u32::from_str_radix(&rest[start + 2..end], 16).ok().and_then(char::from_u32);
        plain.push(character.ok_or_else(|| format!("`{}` is no character", &rest[start..=end]))?);
        rest = &rest[end + 1..];
    }
    plain.push_str(rest);
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn class_name() -> impl Strategy<Value = ClassName> {
        prop_oneof![
            Just("java/lang/String"),
            Just("a/B$C"),
            Just("Name With Space"),
            Just("odd/na(m)e,\\{x}"),
            Just("ünï/cödé"),
            Just("p/Q-R"),
        ]
        .prop_map(ClassName::new)
    }

    fn java_type() -> impl Strategy<Value = JavaType> {
        let leaf = prop_oneof![
            Just(JavaType::Boolean),
            Just(JavaType::Byte),
            Just(JavaType::Char),
            Just(JavaType::Short),
            Just(JavaType::Int),
            Just(JavaType::Long),
            Just(JavaType::Float),
            Just(JavaType::Double),
            class_name().prop_map(JavaType::Class),
        ];
        leaf.prop_recursive(2, 4, 1, |inner| inner.prop_map(|element| JavaType::Array(Box::new(element))))
    }

    fn literal() -> impl Strategy<Value = Literal> {
        prop_oneof![
            Just(Literal::Null),
            any::<bool>().prop_map(Literal::Boolean),
            any::<i8>().prop_map(Literal::Byte),
            any::<u16>().prop_map(Literal::Char),
            any::<i16>().prop_map(Literal::Short),
            any::<i32>().prop_map(Literal::Int),
            any::<i64>().prop_map(Literal::Long),
            prop_oneof![any::<u32>(), Just(0x7fc0_0001), Just(0xffc0_0000), Just(0x8000_0000)].prop_map(Literal::Float),
            prop_oneof![any::<u64>(), Just(0x7ff8_0000_0000_0001), Just(0xfff0_0000_0000_0000), Just(1)]
                .prop_map(Literal::Double),
            prop::collection::vec(prop_oneof![any::<u16>(), 0xd800..0xe000u16, 0x20..0x7fu16], 0..12).prop_map(Literal::Str),
            java_type().prop_map(Literal::Class),
        ]
    }

    fn method() -> impl Strategy<Value = MethodRef> {
        (
            class_name(),
            prop_oneof![Just("name"), Just("<init>"), Just("is it (really), so")],
            prop::collection::vec(java_type(), 0..3),
            java_type(),
        )
            .prop_map(|(owner, name, parameters, returned)| {
                let parameters: String = parameters.iter().map(JavaType::descriptor).collect();
                MethodRef::new(owner, name, &format!("({parameters}){}", returned.descriptor()))
            })
    }

    fn field() -> impl Strategy<Value = FieldRef> {
        (class_name(), prop_oneof![Just("f"), Just("a b")], java_type())
            .prop_map(|(owner, name, ty)| FieldRef::new(owner, name, &ty.descriptor()))
    }

    fn variable() -> impl Strategy<Value = VarId> {
        (0..40u32).prop_map(VarId)
    }

    fn kind() -> impl Strategy<Value = StatementKind> {
        let variables = || prop::collection::vec(variable(), 0..4);
        let maybe = || prop::option::of(variable());
        prop_oneof![
            literal().prop_map(StatementKind::Literal),
            (method(), variables()).prop_map(|(constructor, args)| StatementKind::Construct { constructor, args }),
            (method(), any::<bool>(), maybe(), variables())
                .prop_map(|(method, interface, receiver, args)| { StatementKind::Call { method, interface, receiver, args } }),
            (field(), maybe()).prop_map(|(field, receiver)| StatementKind::GetField { field, receiver }),
            (field(), maybe(), variable()).prop_map(|(field, receiver, value)| StatementKind::PutField {
                field,
                receiver,
                value
            }),
            (java_type(), any::<u32>(), variables()).prop_map(|(element, length, elements)| StatementKind::Array {
                element,
                length,
                elements
            }),
            (variable(), any::<u32>(), variable()).prop_map(|(array, index, value)| StatementKind::PutElement {
                array,
                index,
                value
            }),
            (class_name(), any::<bool>(), prop::collection::vec((method(), variable()), 0..3))
                .prop_map(|(interface, mocked, answers)| StatementKind::Stub { interface, mocked, answers }),
        ]
    }

    proptest! {
        #[test]
        fn printed_test_cases_parse_to_the_same(kinds in prop::collection::vec((kind(), prop_oneof![java_type(), Just(JavaType::Void)]), 0..8)) {
            let test = TestCase { statements: kinds.into_iter().map(|(kind, ty)| Statement { kind, ty }).collect() };
            let text = test.to_string();
            prop_assert_eq!(text.parse::<TestCase>().map_err(|error| error.to_string()), Ok(test), "{}", text);
        }

        #[test]
        fn any_text_parses_or_gives_an_error(text in "\\PC{0,60}", tail in "v0: I = (new|call method|string \"|stub|mock|get|int|double bits:)? ?\\PC{0,20}") {
            let _ = text.parse::<TestCase>();
            let _ = tail.parse::<TestCase>();
        }
    }

    #[test]
    fn every_kind_of_statement_prints_as_it_was_parsed() {
        let text = "\
v0: I = int 3
v1: Lp/Q; = new p/Q.<init> (I)V (v0)
v2: Ljava/lang/String; = string \"a\\\"\\u0000\"
v3: V = call method p/Q.set (Ljava/lang/String;I)V on v1 (v2, v0)
v4: I = get p/Q.size I on v1
v5: [I = array I 4 (v0, v4)
v6: D = double -0.0
v7: Lp/F; = stub p/F (p/F.apply (I)D v6)
v8: Lp/Q; = mock p/Q (p/Q.area ()D v6)
";
        let test: TestCase = text.parse().expect("well-formed");
        assert_eq!(test.to_string(), text);
    }

    #[test]
    fn errors_name_their_line() {
        let error = "v0: I = int 3\nv1: I = itn 3\n".parse::<TestCase>().expect_err("itn is no statement");
        assert_eq!(error.to_string(), "line 2: `itn` begins no statement");
        let error = "v1: I = int 3\n".parse::<TestCase>().expect_err("wrong number");
        assert_eq!(error.to_string(), "line 1: this is statement 0, not v1");
    }
}
