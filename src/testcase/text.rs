//! The text form of test cases, one statement a line: `v<i>: <descriptor> = <statement>`. Printing
//! and parsing are inverse for every test case: `parse(print(t)) == t`. The format is described in
//! `docs/formats/test-case.md`.

use std::fmt;
use std::str::FromStr;

use tracewright_text::{Escaping, LineCursor, ParseError, Quoted};

use super::{Answer, AnswerOutcome, Literal, Statement, StatementKind, StubKind, TestCase, VarId};
use crate::program::{ClassName, FieldRef, JavaType, MethodRef};

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
        write!(f, "{} = ", escaped_descriptor(&self.ty.descriptor()))?;
        match &self.kind {
            StatementKind::Literal(literal) => write!(f, "{literal}"),
            StatementKind::Construct { constructor, args } => {
                write!(f, "new {} ({})", PrintedMethod(constructor), Variables(args))
            }
            StatementKind::Call { method, interface, receiver, args } => {
                let target = if *interface { "interface-method" } else { "method" };
                write!(f, "call {target} {} ", PrintedMethod(method))?;
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
                write!(f, "array {} {length} ({})", escaped_descriptor(&element.descriptor()), Variables(elements))
            }
            StatementKind::PutElement { array, index, value } => write!(f, "element {array} {index} value {value}"),
            StatementKind::Stub { class, kind, answers } => {
                let kind = match kind {
                    StubKind::Implementation => "stub",
                    StubKind::Mock => "mock",
                };
                write!(f, "{kind} {} (", escaped_name(class.internal()))?;
                for (position, answer) in answers.iter().enumerate() {
                    let separator = if position == 0 { "" } else { ", " };
                    write!(f, "{separator}{answer}")?;
                }
                write!(f, ")")
            }
        }
    }
}

/// `<method> v0`, or `<method> for v1,any v0 then throws v2`.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", PrintedMethod(&self.method))?;
        for (position, argument) in self.arguments.iter().enumerate() {
            f.write_str(if position == 0 { " for " } else { "," })?;
            match argument {
                Some(variable) => write!(f, "{variable}")?,
                None => f.write_str("any")?,
            }
        }
        for (position, outcome) in self.outcomes.iter().enumerate() {
            f.write_str(if position == 0 { " " } else { " then " })?;
            match outcome {
                AnswerOutcome::Returns(value) => write!(f, "{value}")?,
                AnswerOutcome::Throws(exception) => write!(f, "throws {exception}")?,
            }
        }
        Ok(())
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
            Literal::Str(units) => write!(f, "string {}", Quoted(units)),
            Literal::Class(ty) => write!(f, "class {}", escaped_descriptor(&ty.descriptor())),
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

/// Writes a method as `owner.name descriptor`.
pub(crate) struct PrintedMethod<'a>(pub(crate) &'a MethodRef);

impl fmt::Display for PrintedMethod<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MethodRef { owner, name, descriptor } = self.0;
        write!(f, "{}.{} {}", escaped_name(owner.internal()), escaped_name(name), escaped_descriptor(descriptor))
    }
}

struct Field<'a>(&'a FieldRef);

impl fmt::Display for Field<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FieldRef { owner, name, descriptor } = self.0;
        write!(f, "{}.{} {}", escaped_name(owner.internal()), escaped_name(name), escaped_descriptor(descriptor))
    }
}

/// A name in which characters that could be taken for punctuation are written `\{hex}`: the JVM
/// allows nearly every character in names (JVMS §4.2.2).
pub(crate) fn escaped_name(name: &str) -> String {
    Escaping::BRACES.escape(name, is_name_char)
}

/// A descriptor with the same escapes as [`escaped_name`].
pub(crate) fn escaped_descriptor(descriptor: &str) -> String {
    Escaping::BRACES.escape(descriptor, is_descriptor_char)
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
            let statement = StatementCursor(LineCursor::new(line)).statement(statements.len());
            statements.push(statement.map_err(|reason| ParseError::at_index(index, reason))?);
        }
        Ok(TestCase { statements })
    }
}

/// The unread rest of a line, with the parts that statements are made of.
struct StatementCursor<'a>(LineCursor<'a>);

type Parsed<T> = Result<T, String>;

/// Reads the literal that comes next on the line.
///
/// # Errors
/// No literal begins here, or its value is malformed.
pub(crate) fn parse_literal(line: &mut LineCursor<'_>) -> Result<Literal, String> {
    let mut cursor = StatementCursor(line.clone());
    let word = cursor.0.word();
    let literal = cursor.literal(word)?;
    *line = cursor.0;
    Ok(literal)
}

/// Reads the class name that comes next on the line, as [`escaped_name`] writes it.
///
/// # Errors
/// No word comes next, or an escape in it is malformed.
pub(crate) fn parse_class(line: &mut LineCursor<'_>) -> Result<ClassName, String> {
    match line.word() {
        "" => Err("a class is missing".into()),
        word => Ok(ClassName::new(&Escaping::BRACES.unescape(word)?)),
    }
}

/// Reads the type that comes next on the line, as [`escaped_descriptor`] writes it.
///
/// # Errors
/// The next word is no descriptor.
pub(crate) fn parse_type(line: &mut LineCursor<'_>) -> Result<JavaType, String> {
    let descriptor = Escaping::BRACES.unescape(line.word())?;
    JavaType::parse(&descriptor).ok_or_else(|| format!("`{descriptor}` is no descriptor"))
}

/// Reads the method that comes next on the line, as [`PrintedMethod`] writes it.
///
/// # Errors
/// No method with a descriptor begins here.
pub(crate) fn parse_method(line: &mut LineCursor<'_>) -> Result<MethodRef, String> {
    let mut cursor = StatementCursor(line.clone());
    let method = cursor.method()?;
    *line = cursor.0;
    Ok(method)
}

impl StatementCursor<'_> {
    fn statement(&mut self, index: usize) -> Parsed<Statement> {
        let defined = self.0.word().strip_suffix(':').and_then(parse_variable).ok_or("a statement begins with its variable")?;
        if defined.0 as usize != index {
            return Err(format!("this is statement {index}, not {defined}"));
        }
        let ty = self.java_type()?;
        self.0.expect("=")?;
        let kind = match self.0.word() {
            "new" => StatementKind::Construct { constructor: self.method()?, args: self.variables()? },
            "call" => {
                let interface = match self.0.word() {
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
                self.0.expect("value")?;
                StatementKind::PutField { field, receiver, value: self.variable()? }
            }
            "array" => StatementKind::Array { element: self.java_type()?, length: self.0.number()?, elements: self.variables()? },
            "element" => {
                let array = self.variable()?;
                let index = self.0.number()?;
                self.0.expect("value")?;
                StatementKind::PutElement { array, index, value: self.variable()? }
            }
            kind @ ("stub" | "mock") => {
                let class = ClassName::new(&Escaping::BRACES.unescape(self.0.word())?);
                let mut answers = Vec::new();
                let inner = self.0.parenthesised()?;
                for answer in inner.split(", ").filter(|answer| !answer.is_empty()) {
                    answers.push(StatementCursor(LineCursor::new(answer)).answer()?);
                }
                let kind = if kind == "mock" { StubKind::Mock } else { StubKind::Implementation };
                StatementKind::Stub { class, kind, answers }
            }
            word => StatementKind::Literal(self.literal(word)?),
        };
        self.0.end()?;
        Ok(Statement { kind, ty })
    }

    /// An answer that fills the line.
    fn answer(&mut self) -> Parsed<Answer> {
        let method = self.method()?;
        let mut arguments = Vec::new();
        if self.0.take_keyword("for") {
            for argument in self.0.word().split(',') {
                arguments.push(match argument {
                    "any" => None,
                    variable => Some(parse_variable(variable).ok_or_else(|| format!("`{variable}` is no argument"))?),
                });
            }
        }
        let mut outcomes = Vec::new();
        loop {
            let throws = self.0.take_keyword("throws");
            let variable = self.variable()?;
            outcomes.push(if throws { AnswerOutcome::Throws(variable) } else { AnswerOutcome::Returns(variable) });
            if !self.0.take_keyword("then") {
                break;
            }
        }
        self.0.end()?;
        Ok(Answer { method, arguments, outcomes })
    }

    fn literal(&mut self, word: &str) -> Parsed<Literal> {
        Ok(match word {
            "null" => Literal::Null,
            "true" => Literal::Boolean(true),
            "false" => Literal::Boolean(false),
            "byte" => Literal::Byte(self.0.number()?),
            "char" => Literal::Char(self.0.number()?),
            "short" => Literal::Short(self.0.number()?),
            "int" => Literal::Int(self.0.number()?),
            "long" => Literal::Long(self.0.number()?),
            "float" => match self.0.word() {
                word if word.starts_with("bits:") => {
                    Literal::Float(u32::from_str_radix(&word[5..], 16).map_err(|error| format!("`{word}`: {error}"))?)
                }
                word => Literal::Float(word.parse::<f32>().map_err(|error| format!("`{word}`: {error}"))?.to_bits()),
            },
            "double" => match self.0.word() {
                word if word.starts_with("bits:") => {
                    Literal::Double(u64::from_str_radix(&word[5..], 16).map_err(|error| format!("`{word}`: {error}"))?)
                }
                word => Literal::Double(word.parse::<f64>().map_err(|error| format!("`{word}`: {error}"))?.to_bits()),
            },
            "string" => Literal::Str(self.0.quoted()?),
            "class" => Literal::Class(self.java_type()?),
            other => return Err(format!("`{other}` begins no statement")),
        })
    }

    fn variable(&mut self) -> Parsed<VarId> {
        let word = self.0.word();
        parse_variable(word).ok_or_else(|| format!("`{word}` is no variable"))
    }

    /// The variable that follows `keyword`, when that is the next word.
    fn after(&mut self, keyword: &str) -> Parsed<Option<VarId>> {
        if self.0.take_keyword(keyword) { self.variable().map(Some) } else { Ok(None) }
    }

    fn variables(&mut self) -> Parsed<Vec<VarId>> {
        let inner = self.0.parenthesised()?;
        inner
            .split(", ")
            .filter(|variable| !variable.is_empty())
            .map(|variable| parse_variable(variable).ok_or_else(|| format!("`{variable}` is no variable")))
            .collect()
    }

    fn java_type(&mut self) -> Parsed<JavaType> {
        parse_type(&mut self.0)
    }

    fn member(&mut self) -> Parsed<(ClassName, String, String)> {
        let word = self.0.word();
        let (owner, name) = word.split_once('.').ok_or_else(|| format!("`{word}` is no member"))?;
        Ok((
            ClassName::new(&Escaping::BRACES.unescape(owner)?),
            Escaping::BRACES.unescape(name)?,
            Escaping::BRACES.unescape(self.0.word())?,
        ))
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
}

fn parse_variable(word: &str) -> Option<VarId> {
    word.strip_prefix('v')?.parse().ok().map(VarId)
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
            Just(JavaType::BOOLEAN),
            Just(JavaType::BYTE),
            Just(JavaType::CHAR),
            Just(JavaType::SHORT),
            Just(JavaType::INT),
            Just(JavaType::LONG),
            Just(JavaType::FLOAT),
            Just(JavaType::DOUBLE),
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

    fn answer() -> impl Strategy<Value = Answer> {
        let outcome = prop_oneof![variable().prop_map(AnswerOutcome::Returns), variable().prop_map(AnswerOutcome::Throws)];
        (method(), prop::collection::vec(prop::option::of(variable()), 0..3), prop::collection::vec(outcome, 1..4))
            .prop_map(|(method, arguments, outcomes)| Answer { method, arguments, outcomes })
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
            (
                class_name(),
                prop_oneof![Just(StubKind::Implementation), Just(StubKind::Mock)],
                prop::collection::vec(answer(), 0..3)
            )
                .prop_map(|(class, kind, answers)| StatementKind::Stub { class, kind, answers }),
        ]
    }

    #[test]
    fn malformed_statements_are_refused() {
        for statement in [
            "I = int 3 4",
            "I = int 99999999999",
            "Lp/I; = stub p/I (p/I.f ()I v0 v1)",
            "Lp/I; = stub p/I (p/I.f I v0)",
            "Lp/I; = mock p/I (p/I.f ()I)",
            "Lp/I; = mock p/I (p/I.f ()I v0 then)",
            "Lp/I; = mock p/I (p/I.f (I)I for v0)",
            "Lp/I; = mock p/I (p/I.f (I)I for v0,some v1)",
            "Ljava/lang/String; = string \"a",
            "Ljava/lang/String; = string \"\\u12\"",
            "I = get p/A.\\{zz} I",
            "I = get p/A.b Ip",
            "V = call p/A.f ()V ()",
            "II = int 3",
        ] {
            let error = format!("v0: {statement}\n").parse::<TestCase>().expect_err(statement);
            assert_eq!(error.line, 1, "{statement}");
        }
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
v9: Ljava/lang/RuntimeException; = new java/lang/RuntimeException.<init> ()V ()
v10: Lp/Q; = mock p/Q (p/Q.at (II)D for v0,any v6 then throws v9 then v6, p/Q.size ()I v0)
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
