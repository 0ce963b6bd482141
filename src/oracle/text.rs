//! The text form of asserted tests: the statements of the test case (see `testcase`), and lines
//! that begin with `target`, `acted`, `undoing`, `fault`, `assumes`, `assert`, `throws`,
//! `relevance`, `way` or `reset`.
//! Printing and parsing are inverse: `parse(print(t)) == t`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use tracewright_text::{Escaping, LineCursor, ParseError, Quoted};

use super::{ArgumentFact, AssertedTest, Assertion, ExpectedException, Fact, Reset, ValueRelevance};
use crate::execution::{ContainerKind, HeldValues, Snapshot, WorldPart};
use crate::program::{BranchOutcome, MethodRef};
use crate::testcase::text::{
    PrintedMethod, escaped_descriptor, escaped_name, parse_class, parse_literal, parse_method, parse_type,
};
use crate::testcase::{Literal, TestCase, VarId};

impl fmt::Display for AssertedTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(target) = &self.target {
            writeln!(f, "target {}", PrintedMethod(target))?;
        }
        if let Some(fault) = &self.fault {
            writeln!(f, "fault {}", Quoted(&units(fault)))?;
        }
        if let Some(class) = &self.assumes {
            writeln!(f, "assumes {class}")?;
        }
        if self.acted as usize != self.test.statements.len() {
            writeln!(f, "acted {}", self.acted)?;
        }
        if self.undoing > 0 {
            writeln!(f, "undoing {}", self.undoing)?;
        }
        write!(f, "{}", self.test)?;
        for Assertion { subject, fact } in &self.assertions {
            write!(f, "assert {subject} ")?;
            match fact {
                Fact::Null => writeln!(f, "null")?,
                Fact::NotNull => writeln!(f, "not-null")?,
                Fact::Equals(value) => writeln!(f, "equals {}", PrintedSnapshot(value))?,
                Fact::SameAs(other) => writeln!(f, "same {other}")?,
                Fact::InstanceOf(class) => writeln!(f, "instance {}", escaped_name(class.internal()))?,
                Fact::Called { method, arguments, times } => {
                    write!(f, "called {times} {} (", PrintedMethod(method))?;
                    for (position, argument) in arguments.iter().enumerate() {
                        write!(f, "{}{}", if position == 0 { "" } else { ", " }, PrintedArgument(argument))?;
                    }
                    writeln!(f, ")")?;
                }
            }
        }
        if let Some(ExpectedException { class, message }) = &self.expected {
            write!(f, "throws {}", escaped_name(class.internal()))?;
            if let Some(message) = message {
                write!(f, " {}", Quoted(message))?;
            }
            writeln!(f)?;
        }
        for (variable, relevance) in &self.relevance {
            let relevance = match relevance {
                ValueRelevance::Decisive => "decisive",
                ValueRelevance::Incidental => "incidental",
            };
            writeln!(f, "relevance {variable} {relevance}")?;
        }
        for BranchOutcome { method, bci, outcome } in &self.ways {
            writeln!(f, "way {} @{bci} ={outcome}", PrintedMethod(method))?;
        }
        for (number, reset) in self.resets.iter().enumerate() {
            match reset {
                Reset::Statements(test) => {
                    test.to_string().lines().try_for_each(|line| writeln!(f, "reset statement {number} {line}"))?;
                }
                Reset::Saved { read, write } => writeln!(f, "reset saved {} {}", PrintedMethod(read), PrintedMethod(write))?,
                Reset::World(part) => writeln!(f, "reset world {}", part.name())?,
            }
        }
        Ok(())
    }
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
                    .try_for_each(|(method, value)| write!(f, " {{{} gives {}}}", PrintedMethod(method), PrintedSnapshot(value)))
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
            Snapshot::Enum { class, constant } => write!(f, "enum {} {}", escaped_name(class.internal()), escaped_name(constant)),
            Snapshot::Array { element, length, elements } => {
                write!(f, "array {} {length}", escaped_descriptor(&element.descriptor()))?;
                if let Some(elements) = elements {
                    write!(f, " [")?;
                    for (position, element) in elements.iter().enumerate() {
                        write!(f, "{}{}", if position == 0 { "" } else { ", " }, PrintedSnapshot(element))?;
                    }
                    write!(f, "]")?;
                }
                Ok(())
            }
            Snapshot::Container(HeldValues { kind, elements }) => {
                match kind {
                    ContainerKind::List => write!(f, "container list [")?,
                    ContainerKind::Set => write!(f, "container set [")?,
                    ContainerKind::Map => write!(f, "container map [")?,
                    ContainerKind::Optional => write!(f, "container optional [")?,
                    ContainerKind::Record(class) => write!(f, "container record {} [", escaped_name(class.internal()))?,
                    ContainerKind::Value(class) => write!(f, "container value {} [", escaped_name(class.internal()))?,
                }
                for (position, element) in elements.iter().enumerate() {
                    write!(f, "{}{}", if position == 0 { "" } else { ", " }, PrintedSnapshot(element))?;
                }
                write!(f, "]")
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
        let mut test = AssertedTest { acted: u32::MAX, ..AssertedTest::without_assertions(TestCase::default()) };
        let mut reset_statements: BTreeMap<usize, String> = BTreeMap::new();
        // Lines of the test case keep their numbers in errors: every other line becomes an empty
        // one.
        let mut statements = String::new();
        for (index, line) in text.lines().enumerate() {
            let at_line = |reason| ParseError::at_index(index, reason);
            let is_own = match line.strip_prefix("reset statement ") {
                Some(rest) => {
                    let (number, statement) = test.numbered_reset(rest).map_err(at_line)?;
                    reset_statements.entry(number).or_default().push_str(&format!("{statement}\n"));
                    true
                }
                None => test.parse_line(line).map_err(at_line)?,
            };
            statements.push_str(if is_own { "" } else { line });
            statements.push('\n');
        }
        test.test = statements.parse()?;
        for (number, text) in reset_statements {
            test.resets[number] = Reset::Statements(text.parse()?);
        }
        test.acted = test.acted.min(test.test.statements.len() as u32);
        Ok(test)
    }
}

impl AssertedTest {
    /// Reads `<number> <statement>`, and makes room for the reset with this number.
    fn numbered_reset<'l>(&mut self, rest: &'l str) -> Result<(usize, &'l str), String> {
        let (number, statement) = rest.split_once(' ').ok_or("a reset needs a number and a statement")?;
        let number: usize = number.parse().map_err(|_| format!("`{number}` is no number of a reset"))?;
        if number == self.resets.len() {
            self.resets.push(Reset::Statements(TestCase::default()));
        }
        let is_known = matches!(self.resets.get(number), Some(Reset::Statements(_)));
        if is_known { Ok((number, statement)) } else { Err(format!("reset {number} is out of order")) }
    }

    /// Reads a line of an asserted test; `false` where it belongs to the test case.
    fn parse_line(&mut self, line: &str) -> Result<bool, String> {
        let mut line = LineCursor::new(line);
        match line.word() {
            "target" => self.target = Some(parse_method(&mut line)?),
            "acted" => self.acted = line.number()?,
            "undoing" => self.undoing = line.number()?,
            "reset" => {
                let reset = match line.word() {
                    "saved" => Reset::Saved { read: parse_method(&mut line)?, write: parse_method(&mut line)? },
                    "world" => {
                        let name = line.word();
                        Reset::World(WorldPart::of_name(name).ok_or_else(|| format!("`{name}` is no part of the world"))?)
                    }
                    other => return Err(format!("`{other}` is no reset")),
                };
                self.resets.push(reset);
            }
            "fault" => self.fault = Some(String::from_utf16_lossy(&line.quoted()?)),
            "assumes" => self.assumes = Some(parse_class(&mut line)?),
            "assert" => self.assertions.push(parse_assertion(&mut line)?),
            "relevance" => {
                let variable = VarId(line.prefixed_number("v")?);
                let relevance = match line.word() {
                    "decisive" => ValueRelevance::Decisive,
                    "incidental" => ValueRelevance::Incidental,
                    other => return Err(format!("`{other}` is no relevance")),
                };
                self.relevance.insert(variable, relevance);
            }
            "way" => {
                let method = parse_method(&mut line)?;
                let (bci, outcome) = (line.prefixed_number("@")?, line.prefixed_number("=")?);
                self.ways.insert(BranchOutcome { method, bci, outcome });
            }
            "throws" => {
                let class = parse_class(&mut line)?;
                let message = if line.end().is_ok() { None } else { Some(line.quoted()?) };
                self.expected = Some(ExpectedException { class, message });
            }
            _ => return Ok(false),
        }
        line.end()?;
        Ok(true)
    }
}

fn parse_assertion(line: &mut LineCursor<'_>) -> Result<Assertion, String> {
    let subject = VarId(line.prefixed_number("v")?);
    let fact = match line.word() {
        "null" => Fact::Null,
        "not-null" => Fact::NotNull,
        "equals" => Fact::Equals(parse_value(line, 0)?),
        "same" => Fact::SameAs(VarId(line.prefixed_number("v")?)),
        "instance" => Fact::InstanceOf(parse_class(line)?),
        "called" => parse_called(line)?,
        other => return Err(format!("`{other}` is no fact")),
    };
    Ok(Assertion { subject, fact })
}

/// Depth of nested boxes and arrays in a value; workers send 16.
const DEEPEST: usize = 32;
fn parse_value(line: &mut LineCursor<'_>, depth: usize) -> Result<Snapshot, String> {
    if depth > DEEPEST {
        return Err(format!("a value is nested deeper than {DEEPEST}"));
    }
    if line.take_keyword("boxed") {
        return Ok(Snapshot::Boxed(Box::new(parse_value(line, depth + 1)?)));
    }
    if line.take_keyword("enum") {
        let class = parse_class(line)?;
        let constant = line.word();
        if constant.is_empty() {
            return Err("`enum` needs a class and a constant".into());
        }
        return Ok(Snapshot::Enum { class, constant: Escaping::BRACES.unescape(constant)? });
    }
    if line.take_keyword("array") {
        let element = parse_type(line)?;
        let length = line.number()?;
        let elements = if line.take_mark('[') {
            Some(parse_list(line, &[',', ']'], ']', |element| parse_value(element, depth + 1))?)
        } else {
            None
        };
        return Ok(Snapshot::Array { element, length, elements });
    }
    if line.take_keyword("container") {
        let kind = match line.word() {
            "list" => ContainerKind::List,
            "set" => ContainerKind::Set,
            "map" => ContainerKind::Map,
            "optional" => ContainerKind::Optional,
            "record" => ContainerKind::Record(parse_class(line)?),
            "value" => ContainerKind::Value(parse_class(line)?),
            other => return Err(format!("`{other}` is no kind of container")),
        };
        line.expect_mark('[')?;
        let elements = parse_list(line, &[',', ']'], ']', |element| parse_value(element, depth + 1))?;
        if kind == ContainerKind::Map && elements.len() % 2 == 1 {
            return Err("a map needs a value for each key".into());
        }
        if matches!(kind, ContainerKind::Value(_)) && !matches!(elements[..], [Snapshot::Str(Some(_))]) {
            return Err("a value needs its text".into());
        }
        return Ok(Snapshot::Container(HeldValues { kind, elements }));
    }
    parse_literal(line).map(from_literal)
}

/// `<times> <method> (<argument>, <argument>)`.
fn parse_called(line: &mut LineCursor<'_>) -> Result<Fact, String> {
    let times = line.number()?;
    let method = parse_method(line)?;
    line.expect_mark('(')?;
    Ok(Fact::Called { method, arguments: parse_list(line, &[',', ')'], ')', parse_argument)?, times })
}

fn parse_argument(line: &mut LineCursor<'_>) -> Result<ArgumentFact, String> {
    Ok(match line.word() {
        "any" => ArgumentFact::Any,
        "is" => ArgumentFact::Is(VarId(line.prefixed_number("v")?)),
        "equals" => ArgumentFact::Equals(parse_value(line, 0)?),
        "captured" => {
            let mut inspected = Vec::new();
            while line.take_mark('{') {
                inspected.push(parse_inspected(line)?);
            }
            ArgumentFact::Captured(inspected)
        }
        other => return Err(format!("`{other}` says nothing of an argument")),
    })
}

/// `<method> gives <value>}`; the opening brace is taken.
fn parse_inspected(line: &mut LineCursor<'_>) -> Result<(MethodRef, Snapshot), String> {
    let outer = line.marks();
    // The descriptor of the method holds parentheses, which end words outside of it.
    let mut inner = line.clone().with_marks(&[]);
    let method = parse_method(&mut inner)?;
    inner.expect("gives")?;
    let mut inner = inner.with_marks(&['}']);
    let value = parse_value(&mut inner, 0)?;
    inner.expect_mark('}')?;
    *line = inner.with_marks(outer);
    Ok((method, value))
}

/// The parts between commas up to the closing mark; the opening one is taken. Inside the list, words
/// end before each of `marks`.
fn parse_list<T>(
    line: &mut LineCursor<'_>,
    marks: &'static [char],
    closing: char,
    mut parse: impl FnMut(&mut LineCursor<'_>) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let outer = line.marks();
    let mut list = line.clone().with_marks(marks);
    let mut parts = Vec::new();
    while !list.take_mark(closing) {
        if !parts.is_empty() {
            list.expect_mark(',')?;
        }
        parts.push(parse(&mut list)?);
    }
    *line = list.with_marks(outer);
    Ok(parts)
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
undoing 1
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
assert v2 equals array Lp/A\\{5d}; 2 [enum p/A\\{5d} X\\{2c}\\{20}Y, array [Z 0 []]
assert v1 same v0
assert v1 instance p/Bar
assert v1 called 1 p/Foo.flush ()V ()
assert v1 called 2 p/Foo.at (ILjava/lang/String;)V (equals int 3, is v0)
assert v1 called 1 p/Foo.put ([ILp/Bar;)V (any, captured {p/Bar.name ()Ljava/lang/String; gives string \"}, { gives \"} {p/Bar.ids ()[I gives array I 2 [int 1, int 2]} {p/Bar.kind ()Lp/K; gives enum p/K a\\{7d}})
throws java/lang/ArithmeticException \"/ by zero\"
relevance v0 decisive
relevance v1 incidental
way p/Foo.next (I)I @4 =0
way p/Foo.next (I)I @9 =1
reset statement 0 v0: Lp/Foo; = get p/Foo.ONE Lp/Foo;
reset statement 0 v1: V = call method p/Foo.clear ()V on v0 ()
reset saved p/Foo.kind ()Lp/K; p/Foo.setKind (Lp/K;)V
reset world time-zone
reset statement 3 v0: V = call method p/Foo.clear ()V ()
";
        let parsed: AssertedTest = text.parse().unwrap();
        assert_eq!(parsed.to_string(), text);
        assert_eq!(parsed.to_string().parse::<AssertedTest>().unwrap(), parsed);
        assert_eq!(parsed.assertions.len(), 17);
    }

    #[test]
    fn resets_stand_in_order() {
        for (text, reason) in [
            ("reset statement 1 v0: V = call method p/Foo.clear ()V ()", "reset 1 is out of order"),
            ("reset world moon", "`moon` is no part of the world"),
            ("reset never", "`never` is no reset"),
        ] {
            let error = text.parse::<AssertedTest>().expect_err("malformed").to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn deep_values_are_refused() {
        let boxed = |depth: usize| format!("v0: I = int 3\nassert v0 equals {}int 1\n", "boxed ".repeat(depth));
        assert!(boxed(16).parse::<AssertedTest>().is_ok());
        let error = boxed(100_000).parse::<AssertedTest>().expect_err("too deep");
        assert_eq!(error.to_string(), "line 2: a value is nested deeper than 32");
        let lists = format!("v0: I = int 3\nassert v0 equals {}", "array [I 1 [".repeat(10_000));
        assert_eq!(lists.parse::<AssertedTest>().expect_err("too deep").reason, "a value is nested deeper than 32");
        for value in ["array [I 1 [int 1", "array [I 1 [int 1 int 2]", "array [I x", "enum p/A", "int 3 4", "string \"a"] {
            assert!(format!("assert v0 equals {value}").parse::<AssertedTest>().is_err(), "{value}");
        }
        for call in
            ["1 p/A.b ()V", "1 p/A.b ()V (any", "1 p/A.b (I)V (any any)", "1 p/A.b (I)V (captured {p/C.d ()I gives int 1)"]
        {
            assert!(format!("assert v0 called {call}").parse::<AssertedTest>().is_err(), "{call}");
        }
    }

    #[test]
    fn an_error_names_its_line() {
        let error = "v0: I = int 3\nassert v0 is 3\n".parse::<AssertedTest>().unwrap_err();
        assert_eq!((error.line, error.reason.as_str()), (2, "`is` is no fact"));
    }
}
