//! Values that a person would write in place of those that a search found.
//!
//! In: a test case. Out: for its literals, the words and numbers that the parameters suggest to which
//! they are given. Must not know whether a test shows the same with them.
//!
//! A search prefers the shortest values: the empty string, null, 0. In a test, they say that emptiness
//! matters. Where it does not, the name of the parameter is the better word. A solver gives -2147483647
//! where any number above another one would do. A year is one of our time, and a moment the epoch.

use std::collections::{BTreeMap, BTreeSet};

use tracewright_classfile::{Constant, Op};

use super::typical_texts::{
    HTTP_NUMBERS, NameWords, answer_words, code_length, parameter_words, typical_decimals, typical_letters, typical_texts,
    words_of,
};
use crate::program::{ClassName, JavaType, MethodRef, Program};
use crate::testcase::{AnswerOutcome, Literal, StatementKind, TestCase, VarId};

/// The number in place of 0. It is no boundary, and differs from what a counter begins with.
pub(super) const NUMBER: i32 = 2;
/// Numbers in place of negative and large ones, the best first.
const NUMBERS: [i8; 3] = [NUMBER as i8, 10, 100];
/// Numbers in place of one that stands for the status of a response, the best first. The first two are no success.
const HTTP_STATUSES: [i32; 4] = [404, 400, 200, 500];
/// Numbers in place of the width of a text, the best first.
const WIDTHS: [i32; 3] = [80, 40, 20];
/// A number above it is large.
const LARGE: i64 = 100;
/// A long below zero that is no time.
const FEW_BELOW_ZERO: i64 = -1000;
const DECIMAL: f64 = 1.5;
/// The latest year of a test.
const YEAR: i32 = 2024;
/// Years in place of those of other times, the best first. Who was born in the last one is of age at the
/// epoch.
const YEARS: [i32; 5] = [YEAR, YEAR - 1, YEAR + 1, 2000, 1950];
const YEARS_OF_OUR_TIME: std::ops::RangeInclusive<i32> = 1900..=2100;
/// Milliseconds. The fifth day of the epoch is a Monday.
const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
/// Seconds or milliseconds from the epoch, the best first.
const MOMENTS: [i64; 11] = [0, 1000, -1000, HOUR, DAY, -DAY, 7 * HOUR, 4 * DAY, 2 * DAY, 30 * DAY, 365 * DAY];

/// What a call takes a literal for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LiteralRole {
    Year,
    /// Seconds or milliseconds from the epoch.
    Moment,
    /// The digits of a number; of a whole one if `is_whole`.
    Digits {
        is_whole: bool,
    },
    Other,
}

/// The typical values of the literals among the first `acted` statements that are given to calls or fields or
/// that mocks return, the best first. A literal that a person would write may be its own only one. `defaults`:
/// codes that the class under test may give by itself; a test of one of them may show nothing.
pub(super) fn typical_values(
    program: &Program,
    test: &TestCase,
    acted: u32,
    defaults: &BTreeSet<Vec<u16>>,
) -> BTreeMap<VarId, Vec<Literal>> {
    let mut found: BTreeMap<VarId, Vec<Literal>> = BTreeMap::new();
    let mut add = |variable: VarId, role: LiteralRole, words: Option<&NameWords>| {
        let Some(literal) = test.literal(variable).filter(|_| !test.is_fixed_in_request(variable)) else { return };
        let is_text = matches!(test.type_of(variable), JavaType::Class(class) if class.internal() == "java/lang/String");
        let is_default = |text: &Literal| matches!(text, Literal::Str(units) if defaults.contains(units));
        let nothing = Literal::Str(Vec::new());
        let mut typical = typical_literals(if is_default(literal) { &nothing } else { literal }, is_text, role, words);
        typical.sort_by_key(is_default);
        enter(&mut found, variable, role, typical);
    };
    for statement in test.statements.iter().take(acted as usize) {
        match &statement.kind {
            StatementKind::Construct { constructor: method, args } | StatementKind::Call { method, args, .. } => {
                let words = parameter_words(program, method);
                for (position, argument) in args.iter().enumerate() {
                    let words = words.get(position).and_then(Option::as_ref);
                    add(*argument, role_of(method, position), words);
                }
            }
            StatementKind::PutField { field, value, .. } => add(*value, LiteralRole::Other, words_of(&field.name).as_ref()),
            StatementKind::Stub { answers, .. } => {
                for answer in answers {
                    let words = answer_words(&answer.method);
                    for outcome in &answer.outcomes {
                        if let AnswerOutcome::Returns(value) = outcome {
                            add(*value, LiteralRole::Other, words.as_ref());
                        }
                    }
                }
            }
            _ => {}
        }
    }
    for (value, name) in test.named_texts_of_request() {
        let is_number =
            matches!(test.literal(value), Some(Literal::Str(units)) if String::from_utf16_lossy(units).parse::<f64>().is_ok());
        add(
            value,
            if is_number { LiteralRole::Digits { is_whole: false } } else { LiteralRole::Other },
            words_of(&name).as_ref(),
        );
    }
    found
}

/// The codes of currencies and the like in the code of a class.
pub(super) fn code_constants(program: &Program, class: &ClassName) -> BTreeSet<Vec<u16>> {
    let mut found = text_constants(program, class);
    found.retain(|units| code_length(&String::from_utf16_lossy(units)).is_some());
    found
}

/// The texts in the code of a class.
pub(super) fn text_constants(program: &Program, class: &ClassName) -> BTreeSet<Vec<u16>> {
    let Some(model) = program.class(class) else { return BTreeSet::new() };
    let pool = model.file.constant_pool();
    let codes = model.methods.iter().filter_map(|method| model.code(method));
    let mut found = BTreeSet::new();
    for code in codes {
        found.extend(code.instructions.iter().filter_map(|instruction| match &instruction.op {
            Op::Ldc(index) => match pool.get(*index) {
                Ok(Constant::String(units)) => Some(units),
                _ => None,
            },
            _ => None,
        }));
    }
    found
}

/// Enters the typical values of a literal. It may have several uses: any number will do where one of
/// them is no year.
fn enter(found: &mut BTreeMap<VarId, Vec<Literal>>, variable: VarId, role: LiteralRole, typical: Vec<Literal>) {
    if !typical.is_empty() && (role != LiteralRole::Other || !found.contains_key(&variable)) {
        found.insert(variable, typical);
    }
}

/// The years of the test, all moved by the same number so that the latest is typical. `None` where this
/// would change none, or give years of other times.
pub(super) fn moved_years(test: &TestCase, acted: u32) -> Option<Vec<(VarId, Literal)>> {
    let mut years: BTreeMap<VarId, i32> = BTreeMap::new();
    for statement in test.statements.iter().take(acted as usize) {
        let StatementKind::Call { method, args, .. } = &statement.kind else { continue };
        for (position, argument) in args.iter().enumerate() {
            if let (LiteralRole::Year, Some(Literal::Int(year))) = (role_of(method, position), test.literal(*argument)) {
                years.insert(*argument, *year);
            }
        }
    }
    let latest = *years.values().max()?;
    let moved = |year: i32| i32::try_from(i64::from(YEAR) - i64::from(latest) + i64::from(year)).ok();
    let are_of_our_time = |year: &i32| YEARS_OF_OUR_TIME.contains(year);
    let is_wanted = years.len() > 1 && !years.values().all(are_of_our_time);
    let moved: Option<Vec<(VarId, i32)>> = years.into_iter().map(|(variable, year)| Some((variable, moved(year)?))).collect();
    let moved = moved.filter(|moved| is_wanted && moved.iter().all(|(_, year)| are_of_our_time(year)))?;
    Some(moved.into_iter().map(|(variable, year)| (variable, Literal::Int(year))).collect())
}

/// Whether the value is a year, which makes no sense for other numbers that are equal now.
pub(super) fn is_year(value: &Literal) -> bool {
    matches!(value, Literal::Int(year) if YEARS_OF_OUR_TIME.contains(year))
}

/// Whether the change would make texts equal that differ now: two currencies stay two, and a test shows
/// whether the first name stands where the last name should. A code in place of nothing may be that of
/// another text.
pub(super) fn merges_texts(test: &TestCase, acted: u32, variables: &[VarId], from: &Literal, to: &Literal) -> bool {
    let Literal::Str(units) = to else { return false };
    let is_code = code_length(&String::from_utf16_lossy(units)).is_some();
    let is_nothing = matches!(from, Literal::Null) || matches!(from, Literal::Str(units) if units.is_empty());
    let has_it = |variable: VarId| !variables.contains(&variable) && test.literal(variable) == Some(to);
    !(is_code && is_nothing) && (0..acted).map(VarId).any(has_it)
}

/// What the call takes the argument at this position for.
fn role_of(method: &MethodRef, position: usize) -> LiteralRole {
    let first = method.parameters().into_iter().next();
    match (method.owner.internal(), &*method.name, first) {
        _ if position > 0 => LiteralRole::Other,
        (
            "java/time/LocalDate"
            | "java/time/LocalDateTime"
            | "java/time/ZonedDateTime"
            | "java/time/OffsetDateTime"
            | "java/time/YearMonth"
            | "java/time/Year",
            "of",
            Some(JavaType::INT),
        ) => LiteralRole::Year,
        ("java/time/Instant", "ofEpochMilli" | "ofEpochSecond", _) => LiteralRole::Moment,
        ("java/math/BigDecimal", "<init>", Some(JavaType::Class(class))) if class.internal() == "java/lang/String" => {
            LiteralRole::Digits { is_whole: false }
        }
        ("java/math/BigInteger", "<init>", Some(JavaType::Class(class))) if class.internal() == "java/lang/String" => {
            LiteralRole::Digits { is_whole: true }
        }
        _ => LiteralRole::Other,
    }
}

/// The typical values in place of a literal, the best first; none where the literal is as good as any.
fn typical_literals(literal: &Literal, is_text: bool, role: LiteralRole, words: Option<&NameWords>) -> Vec<Literal> {
    let texts = |texts: Vec<String>| texts.iter().map(|text| Literal::Str(text.encode_utf16().collect())).collect();
    match (literal, role) {
        (Literal::Int(year), LiteralRole::Year) if YEARS_OF_OUR_TIME.contains(year) => vec![literal.clone()],
        (Literal::Int(_), LiteralRole::Year) => YEARS.map(Literal::Int).into(),
        (Literal::Long(_), LiteralRole::Moment) => MOMENTS.map(Literal::Long).into(),
        (Literal::Str(units), LiteralRole::Digits { is_whole }) => {
            texts(typical_decimals(&String::from_utf16_lossy(units), is_whole))
        }
        (Literal::Null, LiteralRole::Digits { .. }) => Vec::new(),
        (Literal::Str(units), _) => texts(typical_texts(Some(&String::from_utf16_lossy(units)), words)),
        (Literal::Null, _) if is_text => texts(typical_texts(None, words)),
        (Literal::Char(unit), _) => typical_letters(*unit, words).iter().map(|letter| Literal::Char(*letter as u16)).collect(),
        (Literal::Int(value), _) if words.is_some_and(|words| words.is_http_status(*value)) => {
            let is_one = HTTP_NUMBERS.contains(value);
            if is_one { vec![literal.clone()] } else { HTTP_STATUSES.map(Literal::Int).into() }
        }
        (Literal::Int(_), _) if words.is_some_and(NameWords::is_width) => WIDTHS.map(Literal::Int).into(),
        (Literal::Byte(value), _) => numbers(i64::from(*value)).map(Literal::Byte).collect(),
        (Literal::Short(value), _) => numbers(i64::from(*value)).map(|number| Literal::Short(number.into())).collect(),
        (Literal::Int(value), _) => numbers(i64::from(*value)).map(|number| Literal::Int(number.into())).collect(),
        // Others are often times, and a few nanoseconds pass on some machines only.
        (Literal::Long(FEW_BELOW_ZERO..=0), _) => vec![Literal::Long(i64::from(NUMBER))],
        (Literal::Float(bits), _) if f32::from_bits(*bits) == 0.0 => vec![Literal::Float((DECIMAL as f32).to_bits())],
        (Literal::Double(bits), _) if f64::from_bits(*bits) == 0.0 => vec![Literal::Double(DECIMAL.to_bits())],
        _ => Vec::new(),
    }
}

/// The numbers to write in place of one.
fn numbers(value: i64) -> impl Iterator<Item = i8> {
    let tried = match value {
        0 => 1,
        1..=LARGE => 0,
        _ => NUMBERS.len(),
    };
    NUMBERS.into_iter().take(tried)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Literal {
        Literal::Str(text.encode_utf16().collect())
    }

    #[test]
    fn empty_values_and_texts_have_typical_ones() {
        let sku = words_of("sku");
        let typical = |literal: &Literal| typical_literals(literal, true, LiteralRole::Other, sku.as_ref());
        assert_eq!(typical(&text("q")), ["sku", "sku2"].map(text));
        assert_eq!(typical(&Literal::Null), ["sku", "sku2"].map(text));
        assert_eq!(typical_literals(&Literal::Null, false, LiteralRole::Other, sku.as_ref()), []);
        assert_eq!(typical(&Literal::Boolean(false)), []);
        assert_eq!([-83, 5].map(|id| typical(&Literal::Long(id))), [vec![Literal::Long(2)], Vec::new()]);
    }

    #[test]
    fn numbers_that_a_person_would_write_have_no_other() {
        let typical = |number: i32| typical_literals(&Literal::Int(number), false, LiteralRole::Other, None);
        let numbers = |numbers: &[i32]| numbers.iter().copied().map(Literal::Int).collect::<Vec<_>>();
        assert_eq!([0, 7, 100].map(typical), [numbers(&[2]), Vec::new(), Vec::new()]);
        assert_eq!([-1, 101, i32::MIN].map(typical), [const { [2, 10, 100] }; 3].map(|all| numbers(&all)));
    }

    #[test]
    fn a_status_is_that_of_a_response() {
        let status =
            |number: i32| typical_literals(&Literal::Int(number), false, LiteralRole::Other, words_of("statusCode").as_ref());
        assert_eq!(status(2), [404, 400, 200, 500].map(Literal::Int));
        let width = typical_literals(&Literal::Int(2), false, LiteralRole::Other, words_of("maxWidth").as_ref());
        assert_eq!(width, [80, 40, 20].map(Literal::Int));
        assert_eq!([200, 503].map(status), [200, 503].map(|known| vec![Literal::Int(known)]));
        let other = |number: i32| typical_literals(&Literal::Int(number), false, LiteralRole::Other, words_of("status").as_ref());
        assert_eq!((other(3), other(503)), (Vec::new(), vec![Literal::Int(503)]));
    }

    #[test]
    fn factories_of_times_and_numbers_say_what_their_arguments_are() {
        let role = |owner: &str, name: &str, descriptor: &str, position| {
            role_of(&MethodRef::new(ClassName::new(owner), name, descriptor), position)
        };
        assert_eq!(role("java/time/LocalDate", "of", "(III)Ljava/time/LocalDate;", 0), LiteralRole::Year);
        assert_eq!(role("java/time/LocalDate", "of", "(III)Ljava/time/LocalDate;", 1), LiteralRole::Other);
        assert_eq!(role("java/time/LocalTime", "of", "(II)Ljava/time/LocalTime;", 0), LiteralRole::Other);
        assert_eq!(role("java/time/Instant", "ofEpochMilli", "(J)Ljava/time/Instant;", 0), LiteralRole::Moment);
        let digits = LiteralRole::Digits { is_whole: false };
        assert_eq!(role("java/math/BigDecimal", "<init>", "(Ljava/lang/String;)V", 0), digits);
        assert_eq!(role("java/math/BigDecimal", "<init>", "(I)V", 0), LiteralRole::Other);
    }

    #[test]
    fn years_and_moments_are_those_of_our_time() {
        let year = |year: i32| typical_literals(&Literal::Int(year), false, LiteralRole::Year, words_of("year").as_ref());
        assert_eq!(year(2), [2024, 2023, 2025, 2000, 1950].map(Literal::Int));
        assert_eq!(year(1999), [Literal::Int(1999)]);
        let moment = typical_literals(&Literal::Long(-100_000_000_000_000), false, LiteralRole::Moment, None);
        assert_eq!(moment[..3], [0, 1000, -1000].map(Literal::Long));
    }

    /// Dates in these years.
    fn dates(years: &[i32]) -> TestCase {
        let mut test = String::new();
        for (index, year) in years.iter().enumerate() {
            let (first, month, date) = (3 * index, 3 * index + 1, 3 * index + 2);
            test.push_str(&format!(
                "v{first}: I = int {year}\nv{month}: I = int 1\nv{date}: Ljava/time/LocalDate; = \
                 call method java/time/LocalDate.of (III)Ljava/time/LocalDate; (v{first}, v{month}, v{month})\n"
            ));
        }
        test.parse().expect("well-formed")
    }

    #[test]
    fn years_move_together() {
        let moved = |years: &[i32]| moved_years(&dates(years), 3 * years.len() as u32);
        let expected = vec![(VarId(0), Literal::Int(2023)), (VarId(3), Literal::Int(2024))];
        assert_eq!(moved(&[0, 1]), Some(expected));
        for others in [&[2][..], &[2020, 2021], &[-999_999_999, 999_999_999]] {
            assert_eq!(moved(others), None, "{others:?}");
        }
    }

    #[test]
    fn a_literal_that_is_a_year_among_others_gets_a_year() {
        let mut found = BTreeMap::new();
        let years = vec![Literal::Int(2024)];
        let entries =
            [(LiteralRole::Other, vec![Literal::Int(2)]), (LiteralRole::Year, years.clone()), (LiteralRole::Other, vec![])];
        for (role, typical) in entries {
            enter(&mut found, VarId(0), role, typical);
        }
        assert_eq!(found.get(&VarId(0)), Some(&years));
    }

    #[test]
    fn different_texts_stay_different() {
        let test: TestCase = "v0: Ljava/lang/String; = string \"EUR\"\nv1: Ljava/lang/String; = string \"QQQ\"\n\
                              v2: V = call method p/Foo.convert (Ljava/lang/String;Ljava/lang/String;)V (v0, v1)\n"
            .parse()
            .expect("well-formed");
        let merges = |variables: &[u32], from: &Literal, to: &str| {
            let variables: Vec<VarId> = variables.iter().copied().map(VarId).collect();
            merges_texts(&test, 3, &variables, from, &text(to))
        };
        let code = text("QQQ");
        assert_eq!([merges(&[1], &code, "EUR"), merges(&[1], &code, "USD"), merges(&[0, 1], &code, "EUR")], [true, false, false]);
        assert!(!merges(&[1], &Literal::Null, "EUR"), "it had no code");
    }
}
