//! The expectation of a written assertion, and another one in its place.
//!
//! In: a written file, a failed assertion, and the value it found. Out: the old and the new expectation,
//! and the file with the new one. Must not know how tests run: the caller compiles and runs the file again.
//!
//! Literals, constants of enums, and classes of exceptions are replaced, in assertions of JUnit and AssertJ and in rows
//! of a parameterized test. A larger expectation, such as a list, is left to a person.

use std::ops::Range;

use super::body::CellValue;
use super::tables::separated_cell;
use super::tokens::{Token, TokenKind, statements, tokens};
use super::{header, literal, written_tests};
use crate::execution::{FailedAssertion, FoundValue};
use crate::program::{ClassName, JavaType};
use crate::testcase::Literal;

/// The new expectation of an assertion, beside the old one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewExpectation {
    /// The expectation as it is written.
    pub(crate) before: String,
    /// The one that holds.
    pub(crate) after: String,
    /// The places that change, with their new text.
    edits: Vec<(Range<usize>, String)>,
    /// The assertion that is called now, and the one to call.
    renamed: Option<(String, &'static str)>,
}

/// The expectation that would hold where the assertion failed; `None` where none can be written.
pub(crate) fn new_expectation(source: &str, failed: &FailedAssertion) -> Option<NewExpectation> {
    let tests = written_tests(source);
    let test = tests.iter().find(|test| (test.lines.0..=test.lines.1).contains(&failed.line))?;
    let starts: Vec<usize> = std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let start_of = |line: u32| starts.get(line as usize).copied().unwrap_or(source.len());
    let all = tokens(source, start_of(test.lines.0 - 1)..start_of(test.lines.1));
    let line = start_of(failed.line - 1)..start_of(failed.line);
    let text = Text { source, tokens: &all };
    statements(source, &all).into_iter().find_map(|statement| {
        let bytes = text.bytes(statement.clone());
        let is_there = bytes.start < line.end && line.start < bytes.end;
        text.assertion(statement).filter(|_| is_there).and_then(|assertion| text.replace(&assertion, failed))
    })
}

/// The file with these expectations, and with the hash of its new text.
pub(crate) fn with_expectations(source: &str, expectations: &[NewExpectation]) -> String {
    let mut edits: Vec<&(Range<usize>, String)> = expectations.iter().flat_map(|new| &new.edits).collect();
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    edits.dedup();
    let (mut text, mut at) = (String::new(), 0);
    for (range, new) in edits {
        // Two rows of one test may ask for the same.
        if range.start >= at {
            text.push_str(&source[at..range.start]);
            text.push_str(new);
            at = range.end;
        }
    }
    text.push_str(&source[at..]);
    for (old, new) in expectations.iter().filter_map(|new| new.renamed.as_ref()) {
        text = with_import(&text, old, new);
    }
    header::with_new_hash(&text).unwrap_or(text)
}

/// The text with an import of the new assertion, from the class of the old one, and without that of the old one where
/// nothing else calls it.
fn with_import(text: &str, old: &str, new: &str) -> String {
    let is_import = |line: &str| line.starts_with("import static ") && line.trim_end().ends_with(&format!(".{old};"));
    let Some(import) = text.lines().find(|line| is_import(line)) else { return text.to_owned() };
    let added = import.trim_end().replace(&format!(".{old};"), &format!(".{new};"));
    let is_called = text.contains(&format!("{old}("));
    let mut has_import = text.lines().any(|line| line.trim_end() == added);
    let mut lines: Vec<&str> = Vec::new();
    let mut is_within = false;
    for line in text.split_inclusive('\n') {
        let is_static = line.starts_with("import static ");
        if !has_import && ((is_static && line.trim_end() > added.as_str()) || (is_within && !is_static)) {
            lines.extend([&added, &line[line.trim_end_matches(['\r', '\n']).len()..]]);
            has_import = true;
        }
        is_within |= is_static;
        if is_called || !is_import(line) {
            lines.push(line);
        }
    }
    lines.concat()
}

/// A call of an assertion, with its tokens.
#[derive(Debug)]
struct AssertionCall {
    statement: Range<usize>,
    name: usize,
    arguments: Vec<Range<usize>>,
    /// The closing bracket.
    end: usize,
}

struct Text<'s> {
    source: &'s str,
    tokens: &'s [Token],
}

impl<'s> Text<'s> {
    fn word(&self, at: usize) -> &'s str {
        self.tokens.get(at).map_or("", |token| &self.source[token.range.clone()])
    }

    fn bytes(&self, tokens: Range<usize>) -> Range<usize> {
        match (self.tokens.get(tokens.start), tokens.end.checked_sub(1).and_then(|last| self.tokens.get(last))) {
            (Some(first), Some(last)) if first.range.start < last.range.end => first.range.start..last.range.end,
            _ => 0..0,
        }
    }

    fn text(&self, tokens: Range<usize>) -> &'s str {
        &self.source[self.bytes(tokens)]
    }

    /// The first assertion of the statement.
    fn assertion(&self, statement: Range<usize>) -> Option<AssertionCall> {
        let name = statement.clone().find(|at| self.word(*at).starts_with("assert") && self.word(at + 1) == "(")?;
        let (arguments, end) = self.arguments(name + 1, statement.end)?;
        Some(AssertionCall { statement, name, arguments, end })
    }

    /// The arguments of the call with this opening bracket, and its closing bracket.
    fn arguments(&self, open: usize, until: usize) -> Option<(Vec<Range<usize>>, usize)> {
        let (mut depth, mut first, mut arguments) = (0_usize, open + 1, Vec::new());
        for at in open..until {
            match self.word(at) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                "," if depth == 1 => {
                    arguments.push(first..at);
                    first = at + 1;
                }
                _ => {}
            }
            if depth == 0 {
                if first < at {
                    arguments.push(first..at);
                }
                return Some((arguments, at));
            }
        }
        None
    }

    fn replace(&self, assertion: &AssertionCall, failed: &FailedAssertion) -> Option<NewExpectation> {
        let found = failed.found.as_ref();
        let renamed = |new: &'static str, before: &str, after: &str, edits: Vec<(Range<usize>, String)>| {
            let name = self.bytes(assertion.name..assertion.name + 1);
            let edits = std::iter::once((name, new.to_owned())).chain(edits).collect();
            let renamed = Some((self.word(assertion.name).to_owned(), new));
            Some(NewExpectation { before: before.to_owned(), after: after.to_owned(), edits, renamed })
        };
        match (self.word(assertion.name), &assertion.arguments[..]) {
            ("assertTrue", [_]) => renamed("assertFalse", "true", "false", Vec::new()),
            ("assertFalse", [_]) => renamed("assertTrue", "false", "true", Vec::new()),
            ("assertNotNull", [_]) => renamed("assertNull", "not null", "null", Vec::new()),
            ("assertNull", [actual]) => {
                let new = stated(found?, "")?;
                let at = self.bytes(actual.clone()).start;
                renamed("assertEquals", "null", &new, vec![(at..at, format!("{new}, "))])
            }
            ("assertEquals", [expected, actual, ..])
                if found == Some(&FoundValue::Literal(Literal::Null)) && self.is_value(expected.clone()) =>
            {
                let expected = self.bytes(expected.clone());
                let removed = expected.start..self.bytes(actual.clone()).start;
                renamed("assertNull", &self.source[expected], "null", vec![(removed, String::new())])
            }
            ("assertEquals", [expected, _, ..]) => self.in_place(expected.clone(), failed),
            ("assertThrows", [expected, body, ..]) => match found {
                Some(FoundValue::Literal(Literal::Class(JavaType::Class(class)))) => {
                    self.thrown(assertion, expected.clone(), class)
                }
                None if assertion.statement.start == assertion.name && self.source.contains("org.junit.jupiter") => {
                    let removed = self.bytes(expected.clone()).start..self.bytes(body.clone()).start;
                    let class = self.text(expected.clone()).trim_end_matches(".class");
                    renamed("assertDoesNotThrow", class, "no exception", vec![(removed, String::new())])
                }
                _ => None,
            },
            ("assertThat", [_]) => self.chained(assertion, failed),
            _ => None,
        }
    }

    /// The same for the last call of a chain of AssertJ.
    fn chained(&self, assertion: &AssertionCall, failed: &FailedAssertion) -> Option<NewExpectation> {
        let call = (assertion.end + 1..assertion.statement.end).rev().find(|at| self.word(*at) == ".")? + 1;
        let (arguments, end) = self.arguments(call + 1, assertion.statement.end)?;
        if end + 1 != assertion.statement.end || self.word(call + 1) != "(" {
            return None;
        }
        let whole = self.bytes(call..end + 1);
        let changed = |before: &str, after: &str, text: String| {
            let (before, after) = (before.to_owned(), after.to_owned());
            Some(NewExpectation { before, after, edits: vec![(whole.clone(), text)], renamed: None })
        };
        let null = FoundValue::Literal(Literal::Null);
        match (self.word(call), &arguments[..]) {
            ("isTrue", []) => changed("true", "false", "isFalse()".into()),
            ("isFalse", []) => changed("false", "true", "isTrue()".into()),
            ("isNotNull", []) => changed("not null", "null", "isNull()".into()),
            ("isNull", []) => {
                let new = stated(failed.found.as_ref()?, "")?;
                changed("null", &new, format!("isEqualTo({new})"))
            }
            ("isEqualTo", [expected]) if failed.found.as_ref() == Some(&null) && self.is_value(expected.clone()) => {
                changed(self.text(expected.clone()), "null", "isNull()".into())
            }
            ("isEqualTo", [expected]) => self.in_place(expected.clone(), failed),
            _ => None,
        }
    }

    /// Another value in the place of one that is written out, there or in a row.
    fn in_place(&self, expected: Range<usize>, failed: &FailedAssertion) -> Option<NewExpectation> {
        let found = failed.found.as_ref()?;
        if expected.len() == 1 && self.tokens[expected.start].kind == TokenKind::Word && !self.is_value(expected.clone()) {
            return self.in_row(self.word(expected.start), failed.row.checked_sub(1)?, found);
        }
        let before = self.text(expected.clone()).to_owned();
        let after = stated(found, &before).filter(|_| self.is_value(expected.clone()))?;
        Some(NewExpectation { edits: vec![(self.bytes(expected), after.clone())], before, after, renamed: None })
    }

    /// Another value in a row of the parameterized test.
    fn in_row(&self, parameter: &str, row: usize, found: &FoundValue) -> Option<NewExpectation> {
        let void = (0..self.tokens.len()).find(|at| self.word(*at) == "void" && self.word(at + 2) == "(")?;
        let (parameters, _) = self.arguments(void + 2, self.tokens.len())?;
        let column = parameters.iter().position(|tokens| self.word(tokens.end - 1) == parameter)?;
        let source = (0..void).find(|at| self.word(*at) == "CsvSource")?;
        let (_, end) = self.arguments(source + 1, void)?;
        let texts: Vec<usize> = (source..end).filter(|at| self.tokens[*at].kind == TokenKind::Text).collect();
        if (source..end).any(|at| self.word(at) == "+") {
            return None;
        }
        let row = self.bytes(*texts.get(row)?..texts[row] + 1);
        let inner = row.start + 1..row.end - 1;
        let cell = cells(&self.source[inner.clone()]).nth(column)?;
        let cell = inner.start + cell.start..inner.start + cell.end;
        let value = match found {
            FoundValue::Literal(literal) => CellValue::Literal(literal.clone()),
            FoundValue::Constant { name, .. } => CellValue::EnumConstant(name.clone()),
        };
        let after = separated_cell(&value, &stated(found, "")?)?;
        let before = self.source[cell.clone()].to_owned();
        let written = literal::in_quotes(after.encode_utf16());
        let named = |text: String| if text.is_empty() { "null".to_owned() } else { text };
        Some(NewExpectation { before: named(before), after: named(after), edits: vec![(cell, written)], renamed: None })
    }

    /// Another class of exceptions.
    fn thrown(&self, assertion: &AssertionCall, expected: Range<usize>, class: &ClassName) -> Option<NewExpectation> {
        let old = self.text(expected.clone()).strip_suffix(".class")?;
        let binary = class.binary().replace('$', ".");
        let package = self.source.lines().find_map(|line| line.strip_prefix("package ")?.trim_end().strip_suffix(';'));
        let is_visible = class.package() == "java/lang"
            || package.is_some_and(|package| package == class.package().replace('/', "."))
            || self.source.lines().any(|line| line.trim_end() == format!("import {binary};"));
        let new = if is_visible { class.local_name().replace('$', ".") } else { binary };
        let first = self.bytes(expected).start;
        let mut edits = vec![(first..first + old.len(), new.clone())];
        let variable = self.text(assertion.statement.start..assertion.name);
        if variable.starts_with(old) && variable.ends_with('=') {
            let first = self.bytes(assertion.statement.clone()).start;
            edits.push((first..first + old.len(), new.clone()));
        }
        Some(NewExpectation { before: old.to_owned(), after: new, edits, renamed: None })
    }

    /// Whether the tokens are a literal or a constant.
    fn is_value(&self, tokens: Range<usize>) -> bool {
        let kinds: Vec<TokenKind> = tokens.clone().map(|at| self.tokens[at].kind).collect();
        let words: Vec<&str> = tokens.map(|at| self.word(at)).collect();
        match (&words[..], &kinds[..]) {
            (["true" | "false" | "null"], _) => true,
            (["(", "byte" | "short" | "char" | "long" | "float" | "double", ")", .., _], [.., TokenKind::Number])
            | (["-", _], [_, TokenKind::Number])
            | ([_], [TokenKind::Number | TokenKind::Text]) => true,
            ([.., ".", "repeat", "(", _, ")"], [TokenKind::Text, ..]) => words.len() == 6,
            ([.., ".", last], [TokenKind::Word, ..]) => {
                let is_name = words.iter().enumerate().all(|(at, word)| (at % 2 == 1) == (*word == "."));
                is_name && (*last == "NaN" || last.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'))
            }
            (_, [TokenKind::Text, ..]) => words.iter().zip(&kinds).all(|(word, kind)| *word == "+" || *kind == TokenKind::Text),
            _ => false,
        }
    }
}

/// The value as an expression. `old` stood in its place: a constant is named in the same way.
fn stated(found: &FoundValue, old: &str) -> Option<String> {
    Some(match found {
        FoundValue::Constant { class, name } => match old.rsplit_once('.') {
            Some((prefix, _)) if class.local_name().ends_with(prefix.rsplit('.').next()?) => format!("{prefix}.{name}"),
            _ => format!("{}.{name}", class.binary().replace('$', ".")),
        },
        FoundValue::Literal(literal) => match literal {
            Literal::Null => "null".into(),
            Literal::Boolean(value) => value.to_string(),
            Literal::Byte(value) => format!("(byte) {value}"),
            Literal::Short(value) => format!("(short) {value}"),
            Literal::Char(unit) => literal::char(*unit),
            Literal::Int(value) => literal::int(*value),
            Literal::Long(value) => literal::long(*value),
            Literal::Float(bits) => literal::float(*bits),
            Literal::Double(bits) => literal::double(*bits),
            // Lines of source level 8 suit every level.
            Literal::Str(units) => literal::string(units, 8).ok()?,
            Literal::Class(_) => return None,
        },
    })
}

/// The cells of a row of `@CsvSource`, without the blanks around them.
fn cells(row: &str) -> impl Iterator<Item = Range<usize>> {
    let mut is_quoted = false;
    let mut ends: Vec<usize> = Vec::new();
    for (at, c) in row.char_indices() {
        is_quoted ^= c == '\'';
        ends.extend((c == ',' && !is_quoted).then_some(at));
    }
    ends.push(row.len());
    let mut first = 0;
    ends.into_iter().map(move |end| {
        let cell = &row[first..end];
        let begin = first + (cell.len() - cell.trim_start().len());
        let range = begin..begin + cell.trim().len();
        first = end + 1;
        range
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"package p;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MeterTracewrightTest {

    @Test
    void level_returns3() {
        Meter meter = new Meter(2);
        assertEquals(3, meter.level(5, "a, b"));
        assertTrue(meter.isOpen());
        assertEquals("low", meter.name(
                2));
        assertEquals(List.of(1), meter.all());
        assertEquals(State.OPEN, meter.state());
    }

    @ParameterizedTest
    @CsvSource({
        "1, 'a, b', low",
        "2, '', "
    })
    void name_returnsExpected(int level, String text, String expected) {
        assertEquals(expected, new Meter(level).name(text));
    }

    @Test
    void level_throwsIllegalArgumentException() {
        Meter meter = new Meter(2);
        IllegalArgumentException exception = assertThrows(IllegalArgumentException.class, () -> meter.level(-1));
        assertThrows(IllegalStateException.class, () -> meter.close());
    }
}
"#;

    fn line_of(text: &str) -> u32 {
        FILE.lines().position(|line| line.contains(text)).expect("a line") as u32 + 1
    }

    fn expectation(at: &str, row: usize, found: Option<&str>) -> Option<NewExpectation> {
        let found = found.map(|found| FoundValue::from_sent(found).expect("a value"));
        new_expectation(FILE, &FailedAssertion { line: line_of(at), row, found })
    }

    /// Both values, and the lines that are new.
    fn change(at: &str, row: usize, found: Option<&str>) -> (String, String, Vec<String>) {
        let new = expectation(at, row, found).expect("an expectation");
        let text = with_expectations(FILE, std::slice::from_ref(&new));
        let lines = text.lines().filter(|line| !FILE.lines().any(|old| old == *line)).map(|line| line.trim().to_owned());
        (new.before, new.after, lines.collect())
    }

    #[test]
    fn a_value_takes_the_place_of_another() {
        let owned = |before: &str, after: &str, lines: &[&str]| {
            (before.to_owned(), after.to_owned(), lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(change("meter.level(5", 0, Some("I-4")), owned("3", "-4", &[r#"assertEquals(-4, meter.level(5, "a, b"));"#]));
        assert_eq!(change("assertEquals(\"low", 0, Some("sa\"b")).2, [r#"assertEquals("a\"b", meter.name("#]);
        assert_eq!(change("meter.state", 0, Some("Ep.Meter$State.SHUT")).2, ["assertEquals(State.SHUT, meter.state());"]);
        assert_eq!(
            change("isOpen", 0, None),
            owned(
                "true",
                "false",
                &["import static org.junit.jupiter.api.Assertions.assertFalse;", "assertFalse(meter.isOpen());"]
            )
        );
        let null = change("meter.level(5", 0, Some("N"));
        assert_eq!(
            null.2,
            ["import static org.junit.jupiter.api.Assertions.assertNull;", r#"assertNull(meter.level(5, "a, b"));"#]
        );
        assert_eq!(expectation("meter.all()", 0, Some("I3")), None, "a list is no literal");
        assert_eq!(expectation("meter.level(5", 0, None), None, "the value is not told");
        assert_eq!(expectation("new Meter(2);", 0, Some("I3")), None, "no assertion is there");
    }

    #[test]
    fn a_row_gets_another_value() {
        let change = |row: usize, found: &str| {
            let new = expectation("expected, new", row, Some(found)).expect("an expectation");
            let text = with_expectations(FILE, std::slice::from_ref(&new));
            (new.before, new.after, text.lines().nth(line_of("\"1, ") as usize + row - 2).expect("a row").trim().to_owned())
        };
        assert_eq!(change(1, "shigh"), ("low".into(), "high".into(), "\"1, 'a, b', high\",".into()));
        assert_eq!(change(2, "sa, \"b"), ("null".into(), "'a, \"b'".into(), "\"2, '', 'a, \\\"b'\"".into()));
        assert_eq!(change(1, "N").2, "\"1, 'a, b', \",");
        assert_eq!(expectation("expected, new", 0, Some("shigh")), None, "no row is known");
    }

    #[test]
    fn an_exception_gets_another_class() {
        let thrown = change("meter.level(-1)", 0, Some("Tjava.util.NoSuchElementException"));
        let line = "java.util.NoSuchElementException exception = \
                    assertThrows(java.util.NoSuchElementException.class, () -> meter.level(-1));";
        assert_eq!((thrown.0.as_str(), thrown.2), ("IllegalArgumentException", vec![line.to_owned()]));
        let none = change("meter.close()", 0, None);
        assert_eq!((none.0.as_str(), none.1.as_str()), ("IllegalStateException", "no exception"));
        assert_eq!(none.2[1], "assertDoesNotThrow(() -> meter.close());");
        assert_eq!(expectation("meter.level(-1)", 0, None), None, "its message is asked for");
    }

    #[test]
    fn chains_and_several_changes_are_written_at_once() {
        let file = FILE.replace("assertTrue(meter.isOpen())", "assertThat(meter.isOpen()).isTrue()");
        let file = file.replace("assertEquals(\"low\", meter.name(", "assertThat(meter.name(2)).isEqualTo(\"low\"); name(");
        let failed = |text: &str, found: Option<&str>| {
            let line = file.lines().position(|line| line.contains(text)).expect("a line") as u32 + 1;
            let found = found.and_then(FoundValue::from_sent);
            new_expectation(&file, &FailedAssertion { line, row: 0, found }).expect("an expectation")
        };
        let all = [failed("isTrue", None), failed("isEqualTo", Some("N")), failed("level(5", Some("I8")), failed("isTrue", None)];
        let text = with_expectations(&file, &all);
        for line in
            ["assertThat(meter.isOpen()).isFalse();", "assertThat(meter.name(2)).isNull();", "assertEquals(8, meter.level("]
        {
            assert!(text.contains(line), "{text}");
        }
        let written = header::with_header(3, None, FILE);
        let new = FailedAssertion { line: line_of("meter.level(5") + 1, row: 0, found: FoundValue::from_sent("I8") };
        let new = new_expectation(&written, &new).expect("an expectation");
        assert!(header::is_untouched(&with_expectations(&written, &[new])), "the file counts as written by the program");
    }
}
