//! The rows of a table as Java source. In: columns with their values; out: the annotation that
//! gives the rows to the test, and the factory method where it needs one.
//!
//! One column is written as `@ValueSource`, with `@NullSource` where a row is null, several as
//! `@CsvSource`. Control characters other than line feeds and tabs make the rows arguments in a
//! factory method. JUnit reads an empty cell as null, and quoted cells word for word.

use crate::emit::body::{Cell, CellValue};
use crate::emit::literal;
use crate::emit::names::{mark, mark_type, visible_width};
use crate::program::{ClassName, JavaType};
use crate::testcase::Literal;

use super::Column;

/// The method that makes the arguments of one row.
pub(in crate::emit) const ARGUMENTS: &str = "org.junit.jupiter.params.provider.Arguments.arguments";
/// Package of the annotations that name a source of rows.
const PROVIDERS: &str = "org/junit/jupiter/params/provider";
/// More rows have lines of their own.
const MOST_ROWS_OF_LINE: usize = 3;
/// Several rows of at most so many columns stand on one line, up to this width: longer ones are easier to read below
/// each other.
const SHORT_ROW: usize = 36;
const WIDTH_OF_ROWS: usize = 90;

/// The source of the rows of one table.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::emit) struct RowSource {
    /// The lines of the annotation, with indentation.
    pub(in crate::emit) annotation: Vec<String>,
    /// The lines of the factory method, with indentation; none where the annotation has the rows.
    pub(in crate::emit) factory: Vec<String>,
}

impl RowSource {
    /// The source of these rows. `factory`: the name of the factory method, where there is one. `width`: columns of a
    /// line.
    pub(in crate::emit) fn of(columns: &[Column], factory: &str, width: usize) -> RowSource {
        let annotation = values(columns, width).or_else(|| separated(columns, width));
        match annotation {
            Some(annotation) => RowSource { annotation, factory: Vec::new() },
            None => RowSource {
                annotation: vec![format!("    @{}(\"{factory}\")", marked("MethodSource"))],
                factory: factory_method(columns, factory, WIDTH_OF_ROWS.min(width)),
            },
        }
    }
}

/// Whether an annotation can have the rows.
pub(super) fn fits_annotation(columns: &[Column]) -> bool {
    values(columns, usize::MAX).or_else(|| separated(columns, usize::MAX)).is_some()
}

/// `@ValueSource` for a single column of constant expressions. A null, which is no constant, has an
/// annotation of its own.
fn values(columns: &[Column], width: usize) -> Option<Vec<String>> {
    let [column] = columns else { return None };
    let attribute = match (&column.ty, column.ty.primitive()) {
        (_, Some(primitive)) => format!("{}s", primitive.keyword()),
        (JavaType::Class(name), _) if name.internal() == "java/lang/String" => "strings".into(),
        _ => return None,
    };
    let (nulls, others): (Vec<&Cell>, Vec<&Cell>) =
        column.cells.iter().partition(|cell| cell.value == CellValue::Literal(Literal::Null));
    let values: Option<Vec<String>> = others.into_iter().map(constant).collect();
    let values = values.filter(|values| !values.is_empty())?;
    let mut lines: Vec<String> = nulls.iter().map(|_| format!("    @{}", marked("NullSource"))).collect();
    let annotation = format!("    @{}({attribute} = {{", marked("ValueSource"));
    let line = format!("{annotation}{}}})", values.join(", "));
    match visible_width(&line) <= width {
        true => lines.push(line),
        false => lines.extend(filled(annotation, &values, "    })", width)),
    }
    Some(lines)
}

/// The value as a constant expression (JLS §15.29), which an annotation needs.
fn constant(cell: &Cell) -> Option<String> {
    match &cell.value {
        CellValue::Literal(Literal::Null) | CellValue::EnumConstant(_) => None,
        CellValue::Literal(Literal::Byte(value)) => Some(value.to_string()),
        CellValue::Literal(Literal::Short(value)) => Some(value.to_string()),
        _ if cell.java.ends_with(')') => None,
        _ => Some(cell.java.clone()),
    }
}

/// `@CsvSource`, few rows on one line, more of them on a line each; `None` where some text does not fit there.
fn separated(columns: &[Column], width: usize) -> Option<Vec<String>> {
    let mut rows = Vec::new();
    for row in 0..columns[0].cells.len() {
        let cells: Option<Vec<String>> =
            columns.iter().map(|column| separated_cell(&column.cells[row].value, &column.cells[row].java)).collect();
        let text = cells?.join(", ");
        // An empty line would be no row.
        if text.is_empty() {
            return None;
        }
        rows.push(format!("\"{}\"", literal::in_quotes(text.trim_end().encode_utf16())));
    }
    let annotation = format!("    @{}({{", marked("CsvSource"));
    let line = format!("{annotation}{}}})", rows.join(", "));
    let widest = if rows.len() <= MOST_ROWS_OF_LINE { width } else { WIDTH_OF_ROWS.min(width) };
    let fits = (rows.len() <= MOST_ROWS_OF_LINE || are_short(&rows)) && visible_width(&line) <= widest;
    Some(match () {
        () if fits => vec![line],
        () if are_short(&rows) => filled(annotation, &rows, "    })", WIDTH_OF_ROWS.min(width)),
        () => listed(annotation, &rows, "    })"),
    })
}

/// Whether several of the rows fit on a line.
fn are_short(rows: &[String]) -> bool {
    rows.iter().all(|row| visible_width(row) <= SHORT_ROW)
}

/// The value as a cell that JUnit converts to the type of its column. `java`: the value as an expression.
pub(in crate::emit) fn separated_cell(value: &CellValue, java: &str) -> Option<String> {
    let literal = match value {
        CellValue::EnumConstant(name) => return Some(name.clone()),
        CellValue::Literal(literal) => literal,
    };
    match literal {
        Literal::Null => Some(String::new()),
        Literal::Boolean(flag) => Some(flag.to_string()),
        Literal::Byte(value) => Some(value.to_string()),
        Literal::Short(value) => Some(value.to_string()),
        Literal::Int(value) => Some(value.to_string()),
        Literal::Long(value) => Some(value.to_string()),
        Literal::Char(unit) => quoted(&[*unit]),
        Literal::Float(bits) => {
            let value = f32::from_bits(*bits);
            decimal(value.is_nan(), value.is_infinite(), value < 0.0, &format!("{value:?}")).filter(|_| !java.ends_with(')'))
        }
        Literal::Double(bits) => {
            let value = f64::from_bits(*bits);
            decimal(value.is_nan(), value.is_infinite(), value < 0.0, &format!("{value:?}")).filter(|_| !java.ends_with(')'))
        }
        Literal::Str(units) if java.starts_with('"') && java.ends_with('"') => quoted(units),
        Literal::Str(_) | Literal::Class(_) => None,
    }
}

/// A decimal as `Double.parseDouble` reads it.
fn decimal(is_nan: bool, is_infinite: bool, is_negative: bool, shortest: &str) -> Option<String> {
    Some(match (is_nan, is_infinite) {
        (true, _) => "NaN".into(),
        (_, true) => if is_negative { "-Infinity" } else { "Infinity" }.into(),
        _ => shortest.replace('e', "E"),
    })
}

/// The text, in quotes where JUnit would change or split it; `None` for text that is hard to read
/// in a cell.
fn quoted(units: &[u16]) -> Option<String> {
    let text = String::from_utf16(units).ok()?;
    if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return None;
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-+/:".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) && text != "null" {
        return Some(text);
    }
    Some(format!("'{}'", text.replace('\'', "''")))
}

/// The factory method: `Stream.of(arguments(..), ..)`.
fn factory_method(columns: &[Column], name: &str, width: usize) -> Vec<String> {
    let method = ARGUMENTS.rsplit('.').next().unwrap_or_default();
    let cell = |column: &Column, row: usize| {
        let java = &column.cells[row].java;
        // The null type would be an array of arguments (JLS §15.12.4.2).
        if columns.len() == 1 && java == "null" { format!("({}) null", object()) } else { java.clone() }
    };
    let rows: Vec<String> = (0..columns[0].cells.len())
        .map(|row| {
            let cells: Vec<String> = columns.iter().map(|column| cell(column, row)).collect();
            format!("{method}({})", cells.join(", "))
        })
        .collect();
    let (stream, arguments) = (mark(&ClassName::new("java/util/stream/Stream")), marked("Arguments"));
    let begin = format!("        return {stream}.of(");
    let mut lines = vec![format!("    static {stream}<{arguments}> {name}() {{")];
    if are_short(&rows) {
        lines.extend(filled_at("                ", begin, &rows, width));
        if let Some(last) = lines.last_mut() {
            last.push_str(");");
        }
    } else {
        let last = rows.len() - 1;
        lines.push(begin);
        lines.extend(rows.iter().enumerate().map(|(row, text)| {
            let end = if row == last { ");" } else { "," };
            format!("                {text}{end}")
        }));
    }
    lines.push("    }".into());
    lines
}

/// The annotation with as many values on each line as fit there.
fn filled(begin: String, values: &[String], end: &str, width: usize) -> Vec<String> {
    let mut lines = filled_at("        ", begin, values, width);
    lines.push(end.to_owned());
    lines
}

/// The values on as few lines as they fit on, behind a line of its own for what begins them.
pub(in crate::emit) fn filled_at(indent: &str, begin: String, values: &[String], width: usize) -> Vec<String> {
    let mut lines = vec![begin];
    let mut line = String::new();
    for (place, value) in values.iter().enumerate() {
        let comma = if place + 1 == values.len() { "" } else { "," };
        let longer = if line.is_empty() { format!("{indent}{value}{comma}") } else { format!("{line} {value}{comma}") };
        if line.is_empty() || visible_width(&longer) <= width {
            line = longer;
        } else {
            lines.push(std::mem::replace(&mut line, format!("{indent}{value}{comma}")));
        }
    }
    lines.push(line);
    lines
}

/// The annotation with one row on each line.
fn listed(begin: String, values: &[String], end: &str) -> Vec<String> {
    let last = values.len() - 1;
    let comma = |row: usize| if row == last { "" } else { "," };
    let listed = values.iter().enumerate().map(|(row, value)| format!("        {value}{}", comma(row)));
    std::iter::once(begin).chain(listed).chain(std::iter::once(end.to_owned())).collect()
}

fn marked(simple: &str) -> String {
    mark(&ClassName::new(&format!("{PROVIDERS}/{simple}")))
}

fn object() -> String {
    mark_type(&JavaType::class("java/lang/Object"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_quoted_where_a_cell_would_change_it() {
        let cell = |text: &str| quoted(&text.encode_utf16().collect::<Vec<u16>>());
        for (text, expected) in [
            ("1/2", "1/2"),
            ("", "''"),
            (" a", "' a'"),
            ("a,b", "'a,b'"),
            ("it's", "'it''s'"),
            ("#1", "'#1'"),
            ("null", "'null'"),
            ("say \"x\"", "'say \"x\"'"),
        ] {
            assert_eq!(cell(text).as_deref(), Some(expected), "{text}");
        }
        let quoted = |text: &str| Some(format!("'{text}'"));
        assert_eq!([cell("a\\b"), cell("a\tb"), cell("é")], ["a\\b", "a\tb", "é"].map(quoted));
        assert_eq!([cell("a\rb"), cell("\0")], [None, None], "JUnit may take a line end for another one");
    }

    #[test]
    fn values_fill_lines() {
        let values: Vec<String> = (0..60).map(|number| format!("\"text {number}\"")).collect();
        let lines = filled("@V({".into(), &values, "})", 120);
        assert!(lines.len() < 10 && lines.iter().all(|line| line.len() <= 120), "{lines:#?}");
        let listed: Vec<String> = lines[1..lines.len() - 1].iter().map(|line| line.trim().to_owned()).collect();
        assert_eq!(listed.join(" "), values.join(", "));
        let long = vec!["x".repeat(200); 2];
        assert_eq!(filled("@V({".into(), &long, "})", 120).len(), 4, "a value is never cut");
    }

    #[test]
    fn decimals_are_written_as_java_reads_them() {
        let cell = |value: f64| decimal(value.is_nan(), value.is_infinite(), value < 0.0, &format!("{value:?}"));
        let cells = [1.5, -0.0, f64::NAN, f64::NEG_INFINITY, 1e300, f64::MIN_POSITIVE].map(|value| cell(value).unwrap());
        assert_eq!(cells, ["1.5", "-0.0", "NaN", "-Infinity", "1E300", "2.2250738585072014E-308"]);
    }
}
