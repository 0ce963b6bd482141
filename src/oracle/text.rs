//! The text form of asserted tests: the statements of the test case (see `testcase`), and lines
//! that begin with `target`, `acted`, `fault`, `assert` or `throws`. Printing and parsing are
//! inverse: `parse(print(t)) == t`.

use std::fmt;
use std::str::FromStr;

use tracewright_text::{ParseError, Quoted, parse_quoted};

use super::{ArgumentFact, AssertedTest, Assertion, ExpectedException, Fact};
use crate::execution::Snapshot;
use crate::program::{ClassName, JavaType, MethodRef};
use crate::testcase::{Literal, Statement, StatementKind, TestCase, VarId};

impl fmt::Display for AssertedTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(target) = &self.target {
            writeln!(f, "target {}", printed_method(target))?;
        }
        if let Some(fault) = &self.fault {
            writeln!(f, "fault {}", Quoted(&units(fault)))?;
        }
        if self.acted as usize != self.test.statements.len() {
            writeln!(f, "acted {}", self.acted)?;
        }
        write!(f, "{}", self.test)?;
        for Assertion { subject, fact } in &self.assertions {
            write!(f, "assert {subject} ")?;
            match fact {
                Fact::Null => writeln!(f, "null")?,
                Fact::NotNull => writeln!(f, "not-null")?,
                Fact::Equals(value) => writeln!(f, "equals {}", PrintedSnapshot(value))?,
                Fact::SameAs(other) => writeln!(f, "same {other}")?,
                Fact::InstanceOf(class) => writeln!(f, "instance {class}")?,
                Fact::Called { method, arguments, times } => {
                    write!(f, "called {times} {} (", printed_method(method))?;
                    for (position, argument) in arguments.iter().enumerate() {
                        write!(f, "{}{}", if position == 0 { "" } else { ", " }, PrintedArgument(argument))?;
                    }
                    writeln!(f, ")")?;
                }
            }
        }
        if let Some(ExpectedException { class, message }) = &self.expected {
            write!(f, "throws {class}")?;
            if let Some(message) = message {
                write!(f, " {}", Quoted(message))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// The method as statements name it.
fn printed_method(method: &MethodRef) -> String {
    let call = StatementKind::Call { method: method.clone(), interface: false, receiver: None, args: Vec::new() };
    let line = Statement { kind: call, ty: JavaType::Void }.to_string();
    line.trim_start_matches("V = call method ").trim_end_matches(" ()").to_string()
}

/// An argument of a verified call.
struct PrintedArgument<'a>(&'a ArgumentFact);

impl fmt::Display for PrintedArgument<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ArgumentFact::Any => write!(f, "any"),
            ArgumentFact::Is(variable) => write!(f, "is {variable}"),
            ArgumentFact::Equals(value) => write!(f, "equals {}", PrintedSnapshot(value)),
            ArgumentFact::Captured(inspected) => {
                write!(f, "captured")?;
                inspected
                    .iter()
                    .try_for_each(|(method, value)| write!(f, " {{{} gives {}}}", printed_method(method), PrintedSnapshot(value)))
            }
        }
    }
}

fn units(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

/// A value of an assertion.
struct PrintedSnapshot<'a>(&'a Snapshot);

impl fmt::Display for PrintedSnapshot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(literal) = as_literal(self.0) {
            return literal.fmt(f);
        }
        match self.0 {
            Snapshot::Boxed(inner) => write!(f, "boxed {}", PrintedSnapshot(inner)),
            Snapshot::Enum { class, constant } => write!(f, "enum {class} {constant}"),
            Snapshot::Array { element, length, elements } => {
                write!(f, "array {element} {length}")?;
                if let Some(elements) = elements {
                    write!(f, " [")?;
                    for (position, element) in elements.iter().enumerate() {
                        write!(f, "{}{}", if position == 0 { "" } else { ", " }, PrintedSnapshot(element))?;
                    }
                    write!(f, "]")?;
                }
                Ok(())
            }
            _ => write!(f, "nothing"),
        }
    }
}

/// The snapshot as a literal of test cases, if it is one.
pub(crate) fn as_literal(value: &Snapshot) -> Option<Literal> {
    Some(match value {
        Snapshot::Null => Literal::Null,
        Snapshot::Boolean(value) => Literal::Boolean(*value),
        Snapshot::Byte(value) => Literal::Byte(*value),
        Snapshot::Char(value) => Literal::Char(*value),
        Snapshot::Short(value) => Literal::Short(*value),
        Snapshot::Int(value) => Literal::Int(*value),
        Snapshot::Long(value) => Literal::Long(*value),
        Snapshot::Float(value) => Literal::Float(*value),
        Snapshot::Double(value) => Literal::Double(*value),
        Snapshot::Str(Some(units)) => Literal::Str(units.clone()),
        Snapshot::ClassLiteral(ty) => Literal::Class(ty.clone()),
        _ => return None,
    })
}

fn from_literal(literal: Literal) -> Snapshot {
    match literal {
        Literal::Null => Snapshot::Null,
        Literal::Boolean(value) => Snapshot::Boolean(value),
        Literal::Byte(value) => Snapshot::Byte(value),
        Literal::Char(value) => Snapshot::Char(value),
        Literal::Short(value) => Snapshot::Short(value),
        Literal::Int(value) => Snapshot::Int(value),
        Literal::Long(value) => Snapshot::Long(value),
        Literal::Float(value) => Snapshot::Float(value),
        Literal::Double(value) => Snapshot::Double(value),
        Literal::Str(units) => Snapshot::Str(Some(units)),
        Literal::Class(ty) => Snapshot::ClassLiteral(ty),
    }
}

impl FromStr for AssertedTest {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<AssertedTest, ParseError> {
        let mut test = AssertedTest {
            test: TestCase::default(),
            acted: u32::MAX,
            assertions: Vec::new(),
            expected: None,
            target: None,
            fault: None,
        };
        // Lines of the test case keep their numbers in errors: every other line becomes an empty
        // one.
        let mut statements = String::new();
        for (index, line) in text.lines().enumerate() {
            let fail = |reason: String| ParseError::at_index(index, reason);
            match line.split_once(' ') {
                Some(("target", method)) => test.target = Some(parse_method(method).map_err(fail)?),
                Some(("acted", count)) => test.acted = count.parse().map_err(|_| fail(format!("`{count}` is no number")))?,
                Some(("fault", quoted)) => {
                    test.fault = Some(String::from_utf16_lossy(&parse_whole_quoted(quoted).map_err(fail)?))
                }
                Some(("assert", rest)) => test.assertions.push(parse_assertion(rest).map_err(fail)?),
                Some(("throws", rest)) => {
                    let (class, message) = rest.split_once(' ').map_or((rest, None), |(class, message)| (class, Some(message)));
                    let message = message.map(parse_whole_quoted).transpose().map_err(fail)?;
                    test.expected = Some(ExpectedException { class: ClassName::new(class), message });
                }
                _ => statements.push_str(line),
            }
            statements.push('\n');
        }
        test.test = statements.parse()?;
        test.acted = test.acted.min(test.test.statements.len() as u32);
        Ok(test)
    }
}

fn parse_assertion(text: &str) -> Result<Assertion, String> {
    let mut words = text.splitn(3, ' ');
    let subject = parse_variable(words.next().unwrap_or_default())?;
    let (kind, rest) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let fact = match kind {
        "null" => Fact::Null,
        "not-null" => Fact::NotNull,
        "equals" => Fact::Equals(parse_value(rest, 0)?),
        "same" => Fact::SameAs(parse_variable(rest)?),
        "instance" => Fact::InstanceOf(ClassName::new(rest)),
        "called" => parse_called(rest)?,
        other => return Err(format!("`{other}` is no fact")),
    };
    Ok(Assertion { subject, fact })
}

/// `<times> <method> (<argument>, <argument>)`.
fn parse_called(text: &str) -> Result<Fact, String> {
    let (times, rest) = text.split_once(' ').ok_or("`called` needs a number")?;
    let times = times.parse().ok().filter(|times| *times > 0).ok_or_else(|| format!("`{times}` is no number of calls"))?;
    let (method, arguments) = rest
        .split_once(" (")
        .and_then(|(owner, rest)| {
            // The descriptor begins with a parenthesis too.
            let (descriptor, arguments) = rest.split_once(" (")?;
            Some((format!("{owner} ({descriptor}"), arguments.strip_suffix(')')?))
        })
        .ok_or("`called` needs a method and arguments")?;
    let arguments = split_list(arguments).into_iter().map(parse_argument).collect::<Result<Vec<_>, String>>()?;
    Ok(Fact::Called { method: parse_method(&method)?, arguments, times })
}

fn parse_argument(text: &str) -> Result<ArgumentFact, String> {
    let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
    Ok(match kind {
        "any" => ArgumentFact::Any,
        "is" => ArgumentFact::Is(parse_variable(rest)?),
        "equals" => ArgumentFact::Equals(parse_value(rest, 0)?),
        "captured" => {
            let parse_inspected = |inspected: &str| {
                let inner = inspected.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
                let (method, value) = inner.and_then(|inner| inner.split_once(" gives ")).ok_or("an inspector gives a value")?;
                Ok((parse_method(method)?, parse_value(value, 0)?))
            };
            ArgumentFact::Captured(split_braced(rest).into_iter().map(parse_inspected).collect::<Result<Vec<_>, String>>()?)
        }
        other => return Err(format!("`{other}` says nothing of an argument")),
    })
}

/// Splits at the spaces between closing and opening braces outside of strings.
fn split_braced(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut quoted, mut escaped) = (Vec::new(), 0, false, false);
    for (index, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => quoted = !quoted,
            ' ' if !quoted && text[..index].ends_with('}') && text[index..].starts_with(" {") => {
                parts.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    if !text[start..].is_empty() {
        parts.push(&text[start..]);
    }
    parts
}

fn parse_variable(word: &str) -> Result<VarId, String> {
    word.strip_prefix('v').and_then(|number| number.parse().ok()).map(VarId).ok_or_else(|| format!("`{word}` is no variable"))
}

/// Depth of nested boxes and arrays in a value; workers send 16.
const DEEPEST: usize = 32;

fn parse_value(text: &str, depth: usize) -> Result<Snapshot, String> {
    if depth > DEEPEST {
        return Err(format!("a value is nested deeper than {DEEPEST}"));
    }
    match text.split_once(' ') {
        Some(("boxed", inner)) => Ok(Snapshot::Boxed(Box::new(parse_value(inner, depth + 1)?))),
        Some(("enum", rest)) => {
            let (class, constant) = rest.split_once(' ').ok_or("`enum` needs a class and a constant")?;
            Ok(Snapshot::Enum { class: ClassName::new(class), constant: constant.into() })
        }
        Some(("array", rest)) => {
            let mut words = rest.splitn(3, ' ');
            let element = words.next().and_then(JavaType::parse).ok_or("`array` needs an element type")?;
            let length = words.next().and_then(|length| length.parse().ok()).ok_or("`array` needs a length")?;
            let elements = words
                .next()
                .map(|list| {
                    let inner =
                        list.strip_prefix('[').and_then(|list| list.strip_suffix(']')).ok_or("a list in brackets is missing")?;
                    split_list(inner).into_iter().map(|value| parse_value(value, depth + 1)).collect::<Result<Vec<_>, String>>()
                })
                .transpose()?;
            Ok(Snapshot::Array { element, length, elements })
        }
        _ => parse_literal(text).map(from_literal),
    }
}

/// Splits at the commas outside of strings and inner lists.
fn split_list(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quoted, mut escaped) = (Vec::new(), 0, 0, false, false);
    for (index, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            // Descriptors of arrays have opening brackets only.
            '[' if text[..index].ends_with(' ') && !text[index..].starts_with("[L") && bracket_opens_list(&text[index..]) => {
                depth += 1
            }
            ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..index].trim());
                start = index + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        parts.push(text[start..].trim());
    }
    parts
}

/// Whether a bracket opens a list. A list is empty or begins with a word of more than one letter; a
/// descriptor continues with `[`, or with one letter and a space.
fn bracket_opens_list(text: &str) -> bool {
    let inner = text[1..].trim_start_matches('[');
    inner.starts_with(']') || inner.chars().take_while(char::is_ascii_alphabetic).count() > 1
}

fn parse_literal(text: &str) -> Result<Literal, String> {
    match parse_statement(text)? {
        StatementKind::Literal(literal) => Ok(literal),
        _ => Err(format!("`{text}` is no value")),
    }
}

/// A string in quotation marks that fills the text.
fn parse_whole_quoted(text: &str) -> Result<Vec<u16>, String> {
    match parse_quoted(text.trim())? {
        (units, "") => Ok(units),
        (_, left) => Err(format!("`{left}` is left over")),
    }
}

fn parse_method(text: &str) -> Result<MethodRef, String> {
    match parse_statement(&format!("call method {text} ()"))? {
        StatementKind::Call { method, .. } => Ok(method),
        _ => Err(format!("`{text}` is no method")),
    }
}

/// Parses a part that asserted tests share with statements, by the grammar of statements.
fn parse_statement(text: &str) -> Result<StatementKind, String> {
    let parsed = format!("v0: V = {text}").parse::<TestCase>().map_err(|error| error.reason)?;
    parsed.statements.into_iter().next().map(|statement| statement.kind).ok_or_else(|| "nothing here".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asserted_tests_print_as_they_were_parsed() {
        let text = "\
target p/Foo.<init> (I)V
fault \"hashCode differs, \\\"equals\\\" does not\"
acted 2
v0: I = int 3
v1: Lp/Foo; = new p/Foo.<init> (I)V (v0)
v2: I = call method p/Foo.size ()I on v1 ()
assert v1 not-null
assert v1 null
assert v2 equals int -3
assert v2 equals boxed char 97
assert v2 equals string \"a]b, \\u000a\"
assert v2 equals enum p/Foo$Kind ONE
assert v2 equals class [I
assert v2 equals array Ljava/lang/String; 3 [string \"a, [\", null, string \"]\"]
assert v2 equals array [I 2 [array I 1 [int 1], array I 0 []]
assert v2 equals array [[I 1 [array [I 1 [array I 1 [int 1]]]
assert v2 equals array D 5000
assert v1 same v0
assert v1 instance p/Bar
assert v1 called 1 p/Foo.flush ()V ()
assert v1 called 2 p/Foo.at (ILjava/lang/String;)V (equals int 3, is v0)
assert v1 called 1 p/Foo.put ([ILp/Bar;)V (any, captured {p/Bar.name ()Ljava/lang/String; gives string \"}, { gives \"} {p/Bar.ids ()[I gives array I 2 [int 1, int 2]})
throws java/lang/ArithmeticException \"/ by zero\"
";
        let parsed: AssertedTest = text.parse().unwrap();
        assert_eq!(parsed.to_string(), text);
        assert_eq!(parsed.to_string().parse::<AssertedTest>().unwrap(), parsed);
        assert_eq!(parsed.assertions.len(), 16);
    }

    #[test]
    fn deep_values_are_refused() {
        let boxed = |depth: usize| format!("v0: I = int 3\nassert v0 equals {}int 1\n", "boxed ".repeat(depth));
        assert!(boxed(16).parse::<AssertedTest>().is_ok());
        let error = boxed(100_000).parse::<AssertedTest>().expect_err("too deep");
        assert_eq!(error.to_string(), "line 2: a value is nested deeper than 32");
        let lists = format!("assert v0 equals {}", "array [I 1 [".repeat(10_000));
        assert!(lists.parse::<AssertedTest>().is_err());
    }

    #[test]
    fn an_error_names_its_line() {
        let error = "v0: I = int 3\nassert v0 is 3\n".parse::<AssertedTest>().unwrap_err();
        assert_eq!((error.line, error.reason.as_str()), (2, "`is` is no fact"));
    }
}
