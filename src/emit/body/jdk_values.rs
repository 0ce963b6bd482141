//! Expressions of the JDK's value classes. In: the class of a value and the text that the runner gives
//! it; out: the expression that a person would write for an equal value. Must not know which assertion
//! or call it is for.

use crate::emit::{Unprintable, literal};
use crate::execution::Snapshot;
use crate::program::{ClassName, MethodRef};
use crate::testcase::{Literal, StatementKind, VarId};

use super::java::{Expr, Instantiated, Qualifier};
use super::plan::Planner;

/// Language tags with a constant of `Locale`.
const LOCALES: [(&str, &str); 17] = [
    ("und", "ROOT"),
    ("en", "ENGLISH"),
    ("fr", "FRENCH"),
    ("de", "GERMAN"),
    ("it", "ITALIAN"),
    ("ja", "JAPANESE"),
    ("ko", "KOREAN"),
    ("zh", "CHINESE"),
    ("fr-FR", "FRANCE"),
    ("de-DE", "GERMANY"),
    ("it-IT", "ITALY"),
    ("ja-JP", "JAPAN"),
    ("ko-KR", "KOREA"),
    ("en-GB", "UK"),
    ("en-US", "US"),
    ("en-CA", "CANADA"),
    ("fr-CA", "CANADA_FRENCH"),
];
/// The units of `Duration` in nanoseconds, with their factories.
const UNITS: [(i128, &str); 6] = [
    (86_400_000_000_000, "ofDays"),
    (3_600_000_000_000, "ofHours"),
    (60_000_000_000, "ofMinutes"),
    (1_000_000_000, "ofSeconds"),
    (1_000_000, "ofMillis"),
    (1, "ofNanos"),
];

/// Nanoseconds of a second.
const SECOND: i128 = 1_000_000_000;
/// Nanoseconds of a thousand years.
const FARTHEST: i128 = 365_000 * UNITS[0].0;

/// How a value is made.
#[derive(Debug, PartialEq, Eq)]
enum JdkExpression {
    /// By a static field of its class.
    Constant(&'static str),
    /// By its constructor with the text.
    New,
    /// By a static method with the text.
    Read(&'static str),
    /// By a static method with numbers.
    Of(&'static str, Vec<i64>),
}

impl Planner<'_> {
    /// `Instant.EPOCH.plus(Duration.ofDays(4))` for a call that makes a moment from a number. `None` for other
    /// calls.
    ///
    /// # Errors
    /// `InaccessibleType` for a class that cannot be named.
    pub(super) fn moment(&self, method: &MethodRef, given: &[VarId]) -> Result<Option<Expr>, Unprintable> {
        let unit = match (method.owner.internal(), &*method.name, &*method.descriptor) {
            ("java/time/Instant", "ofEpochMilli", _) => 1_000_000,
            ("java/time/Instant", "ofEpochSecond", "(J)Ljava/time/Instant;") => 1_000_000_000,
            _ => return Ok(None),
        };
        let number_of = |variable: &VarId| match self.usage.kind(*variable) {
            StatementKind::Literal(Literal::Long(value)) if self.usage.is_inline(*variable) => Some(*value),
            _ => None,
        };
        let Some(value) = given.first().and_then(number_of) else { return Ok(None) };
        let Some((count, factory)) = distance_from_epoch(value, unit) else { return Ok(None) };
        let class = |name: &str| self.named_class(&ClassName::new(name)).map(Qualifier::Class);
        let epoch = Expr::Field { on: class("java/time/Instant")?, name: "EPOCH".into() };
        let call = |on, method: &str, arg| Expr::Call { on, method: method.into(), args: vec![arg], exceptions: Vec::new() };
        let distance = call(class("java/time/Duration")?, factory, number(count));
        Ok(Some(call(Qualifier::Object(Box::new(epoch)), if value > 0 { "plus" } else { "minus" }, distance)))
    }

    /// The expression for a value of a class of the JDK with this text.
    ///
    /// # Errors
    /// `Unprintable::Malformed` without a text; `InaccessibleType` for a class that cannot be named.
    pub(super) fn jdk_value(&self, class: &ClassName, elements: &[Snapshot]) -> Result<Expr, Unprintable> {
        let [Snapshot::Str(Some(units))] = elements else {
            return Err(Unprintable::Malformed(format!("a value of {class} without a text")));
        };
        let named = self.named_class(class)?;
        let text = || literal::string(units, self.options.release).map(|text| Expr::literal(text, Literal::Str(units.clone())));
        let on = Qualifier::Class(named.clone());
        let call = |method: &str, args| Expr::Call { on: on.clone(), method: method.into(), args, exceptions: Vec::new() };
        Ok(match made(class, &String::from_utf16_lossy(units)) {
            JdkExpression::Constant(name) => Expr::Field { on, name: name.into() },
            JdkExpression::New => {
                Expr::New { class: Instantiated::Class(named), diamond: false, args: vec![text()?], exceptions: Vec::new() }
            }
            JdkExpression::Read(method) => call(method, vec![text()?]),
            JdkExpression::Of(method, numbers) => call(method, numbers.into_iter().map(number).collect()),
        })
    }
}

/// How far a moment is from the epoch, as an argument of `Duration` and the name of its factory; `None` for the
/// epoch itself, for parts of a second, and for moments so far away that a sum may throw what the call does not.
/// `unit`: nanoseconds.
fn distance_from_epoch(value: i64, unit: i128) -> Option<(i64, &'static str)> {
    let nanos = i128::from(value.unsigned_abs()) * unit;
    let (size, factory) = UNITS.iter().find(|(size, _)| (1..FARTHEST).contains(&nanos) && nanos % size == 0)?;
    if *size < SECOND {
        return None;
    }
    Some((i64::try_from(nanos / size).ok()?, factory))
}

/// A whole number, with a suffix only where it needs one.
fn number(value: i64) -> Expr {
    match i32::try_from(value) {
        Ok(short) => Expr::literal(short.to_string(), Literal::Int(short)),
        Err(_) => Expr::literal(literal::long(value), Literal::Long(value)),
    }
}

fn made(class: &ClassName, text: &str) -> JdkExpression {
    match class.internal() {
        "java/math/BigDecimal" => small_number(text).map_or(JdkExpression::New, JdkExpression::Constant),
        "java/math/BigInteger" => match (small_number(text), text.parse()) {
            (Some(name), _) => JdkExpression::Constant(name),
            (None, Ok(value)) => JdkExpression::Of("valueOf", vec![value]),
            (None, Err(_)) => JdkExpression::New,
        },
        "java/time/Duration" => duration(text).unwrap_or(JdkExpression::Read("parse")),
        "java/time/Period" => period(text).unwrap_or(JdkExpression::Read("parse")),
        "java/time/Instant" if text == "1970-01-01T00:00:00Z" => JdkExpression::Constant("EPOCH"),
        "java/time/LocalDate" => numbers(text, &['-', '-']),
        "java/time/LocalTime" if text.len() == 5 => numbers(text, &[':']),
        "java/time/LocalTime" => numbers(text, &[':', ':']),
        "java/time/LocalDateTime" if text.matches(':').count() == 1 => numbers(text, &['-', '-', 'T', ':']),
        "java/time/LocalDateTime" => numbers(text, &['-', '-', 'T', ':', ':']),
        "java/time/Year" => numbers(text, &[]),
        "java/time/YearMonth" => numbers(text, &['-']),
        "java/time/MonthDay" => text.strip_prefix("--").map_or(JdkExpression::Read("parse"), |date| numbers(date, &['-'])),
        "java/time/ZoneOffset" if text == "Z" => JdkExpression::Constant("UTC"),
        "java/time/ZoneOffset" | "java/time/ZoneId" => JdkExpression::Read("of"),
        "java/util/UUID" => JdkExpression::Read("fromString"),
        "java/util/Currency" => JdkExpression::Read("getInstance"),
        "java/net/URI" => JdkExpression::Read("create"),
        "java/util/Locale" => LOCALES
            .iter()
            .find(|(tag, _)| *tag == text)
            .map_or(JdkExpression::Read("forLanguageTag"), |(_, name)| JdkExpression::Constant(name)),
        _ => JdkExpression::Read("parse"),
    }
}

/// The constant for a number without decimals.
fn small_number(text: &str) -> Option<&'static str> {
    match text {
        "0" => Some("ZERO"),
        "1" => Some("ONE"),
        "10" => Some("TEN"),
        _ => None,
    }
}

/// `of` with the numbers between the separators; `parse` with the text where it has other parts, such
/// as a fraction of a second or the sign of a year.
fn numbers(text: &str, separators: &[char]) -> JdkExpression {
    let mut rest = text;
    let mut found = Vec::new();
    for separator in separators {
        let Some((part, after)) = rest.split_once(*separator) else { return JdkExpression::Read("parse") };
        found.push(part);
        rest = after;
    }
    found.push(rest);
    let is_number = |part: &&str| !part.is_empty() && part.len() <= 9 && part.chars().all(|digit| digit.is_ascii_digit());
    let values: Option<Vec<i64>> =
        if found.iter().all(is_number) { found.iter().map(|part| part.parse().ok()).collect() } else { None };
    values.map_or(JdkExpression::Read("parse"), |values| JdkExpression::Of("of", values))
}

/// The duration by its largest unit without a fraction: `PT2H` is `ofHours(2)`.
fn duration(text: &str) -> Option<JdkExpression> {
    let mut nanos: i128 = 0;
    let mut rest = text.strip_prefix("PT")?;
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_ascii_uppercase())?;
        let (whole, fraction) = rest[..end].split_once('.').unwrap_or((&rest[..end], ""));
        let unit = match &rest[end..=end] {
            "H" => UNITS[1].0,
            "M" => UNITS[2].0,
            _ => UNITS[3].0,
        };
        let part: i128 = format!("{fraction:0<9}").parse().ok()?;
        let is_negative = whole.starts_with('-');
        nanos += whole.parse::<i128>().ok()? * unit + if is_negative { -part } else { part };
        rest = &rest[end + 1..];
    }
    if nanos == 0 {
        return Some(JdkExpression::Constant("ZERO"));
    }
    let (unit, factory) = UNITS.into_iter().find(|(unit, _)| nanos % unit == 0)?;
    Some(JdkExpression::Of(factory, vec![i64::try_from(nanos / unit).ok()?]))
}

/// `ofDays(3)` where it has days alone, `of(1, 2, 3)` with several units.
fn period(text: &str) -> Option<JdkExpression> {
    let (mut years, mut months, mut days) = (0, 0, 0);
    let mut rest = text.strip_prefix('P')?;
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_ascii_uppercase())?;
        let value: i64 = rest[..end].parse().ok()?;
        match &rest[end..=end] {
            "Y" => years = value,
            "M" => months = value,
            "D" => days = value,
            _ => return None,
        }
        rest = &rest[end + 1..];
    }
    Some(match (years, months, days) {
        (0, 0, 0) => JdkExpression::Constant("ZERO"),
        (0, 0, days) => JdkExpression::Of("ofDays", vec![days]),
        (0, months, 0) => JdkExpression::Of("ofMonths", vec![months]),
        (years, 0, 0) => JdkExpression::Of("ofYears", vec![years]),
        (years, months, days) => JdkExpression::Of("of", vec![years, months, days]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(class: &str, text: &str) -> String {
        match made(&ClassName::new(class), text) {
            JdkExpression::Constant(name) => name.into(),
            JdkExpression::New => format!("new {text}"),
            JdkExpression::Read(method) => format!("{method} {text}"),
            JdkExpression::Of(method, numbers) => format!("{method}{numbers:?}"),
        }
    }

    #[test]
    fn moments_are_told_by_their_distance_from_the_epoch() {
        const MILLI: i128 = 1_000_000;
        let distance = |value: i64| distance_from_epoch(value, MILLI);
        assert_eq!(distance(345_600_000), Some((4, "ofDays")));
        assert_eq!(distance(-25_200_000), Some((7, "ofHours")));
        assert_eq!(distance(40_000_000), Some((40_000, "ofSeconds")));
        assert_eq!(distance(7), None);
        assert_eq!(distance(0), None);
        assert_eq!(distance(i64::MIN), None);
    }

    #[test]
    fn numbers_keep_their_scale() {
        for (text, decimal, integer) in [("0", "ZERO", "ZERO"), ("10", "TEN", "TEN"), ("7", "new 7", "valueOf[7]")] {
            assert_eq!(written("java/math/BigDecimal", text), decimal);
            assert_eq!(written("java/math/BigInteger", text), integer);
        }
        assert_eq!(written("java/math/BigDecimal", "0.00"), "new 0.00");
        assert_eq!(written("java/math/BigInteger", "92233720368547758070"), "new 92233720368547758070");
    }

    #[test]
    fn dates_and_times_are_made_of_numbers_where_they_can_be() {
        for (class, text, expected) in [
            ("LocalDate", "2024-01-31", "of[2024, 1, 31]"),
            ("LocalDate", "-0001-01-01", "parse -0001-01-01"),
            ("LocalDate", "+12345-01-01", "parse +12345-01-01"),
            ("LocalTime", "10:05", "of[10, 5]"),
            ("LocalTime", "10:05:09", "of[10, 5, 9]"),
            ("LocalTime", "10:05:09.500", "parse 10:05:09.500"),
            ("LocalDateTime", "2024-01-31T10:05", "of[2024, 1, 31, 10, 5]"),
            ("LocalDateTime", "2024-01-31T10:05:09", "of[2024, 1, 31, 10, 5, 9]"),
            ("Instant", "1970-01-01T00:00:00Z", "EPOCH"),
            ("Instant", "1970-01-01T00:00:00.002Z", "parse 1970-01-01T00:00:00.002Z"),
            ("Year", "2024", "of[2024]"),
            ("YearMonth", "2024-02", "of[2024, 2]"),
            ("MonthDay", "--12-03", "of[12, 3]"),
            ("ZoneOffset", "Z", "UTC"),
            ("ZoneOffset", "+02:00", "of +02:00"),
            ("ZoneId", "Europe/Berlin", "of Europe/Berlin"),
            ("OffsetDateTime", "2024-01-31T10:05Z", "parse 2024-01-31T10:05Z"),
        ] {
            assert_eq!(written(&format!("java/time/{class}"), text), expected, "{text}");
        }
    }

    #[test]
    fn amounts_of_time_have_their_largest_unit() {
        for (text, expected) in [
            ("PT0S", "ZERO"),
            ("PT48H", "ofDays[2]"),
            ("PT1H30M", "ofMinutes[90]"),
            ("PT-5S", "ofSeconds[-5]"),
            ("PT0.25S", "ofMillis[250]"),
            ("PT-0.5S", "ofMillis[-500]"),
            ("PT1.000000001S", "ofNanos[1000000001]"),
            ("PT2562047788015215H30M7S", "ofSeconds[9223372036854775807]"),
        ] {
            assert_eq!(written("java/time/Duration", text), expected, "{text}");
        }
        for (text, expected) in [("P0D", "ZERO"), ("P3D", "ofDays[3]"), ("P-1Y", "ofYears[-1]"), ("P1Y2M3D", "of[1, 2, 3]")] {
            assert_eq!(written("java/time/Period", text), expected, "{text}");
        }
    }

    #[test]
    fn other_values_are_read_from_their_texts() {
        assert_eq!(written("java/util/Locale", "en-US"), "US");
        assert_eq!(written("java/util/Locale", "pt-BR"), "forLanguageTag pt-BR");
        assert_eq!(written("java/util/Currency", "EUR"), "getInstance EUR");
        assert_eq!(written("java/net/URI", "http://a.example/"), "create http://a.example/");
    }
}
