//! Words for the conditions of the source that hold in a test. In: the branches that the code under
//! test took; out: phrases such as `CountIsLessThan2`, `BirthdayIsNull`, `ProductIsNotAvailable`. Must
//! not know the values of the test, nor which phrases its name gets.
//!
//! A value has a word where the source names it: a variable, a field, a property. A condition about
//! anything else has none.

use tracewright_classfile::Condition as Relation;

use crate::emit::names::{capitalised, is_telling};
use crate::program::{BranchOutcome, Program, SourceCall, SourceCondition, SourceValue};
use crate::testcase::Literal;

use super::value_words::{class_word, constant_word, first_words, literal_word, number_word, spoken_word, text_word};

/// A word of at least so many letters is said without the signs around it.
const SHORTEST_WORD: usize = 3;
/// A longer text is said without its punctuation.
const LONGEST_SPELLED: usize = 16;
/// Longest phrase for one condition, and for several.
const LONGEST: usize = 44;
const LONGEST_JOINED: usize = 60;
/// Words that tell a condition from its subject.
const VERBS: [&str; 5] = ["Is", "Lacks", "Contains", "Has", "Starts"];
/// Names that every other variable could have.
const EMPTY_NAMES: [&str; 8] = ["it", "that", "this", "value", "result", "object", "obj", "tmp"];
/// Methods whose result has the name of the receiver: `email.trim()` is still the email.
const VIEWS: [&str; 12] = [
    "trim",
    "strip",
    "toLowerCase",
    "toUpperCase",
    "toString",
    "get",
    "orElse",
    "orElseThrow",
    "stripTrailingZeros",
    "name",
    "stream",
    "getClass",
];
/// Those of them that may take an argument: another value, or a locale.
const TAKING: [&str; 3] = ["orElse", "toLowerCase", "toUpperCase"];
/// Calls that give something else at each call.
const MOVING: [&str; 9] = ["next", "hasNext", "poll", "pop", "read", "readLine", "remove", "add", "iterator"];
/// The character that a digit is told from.
const ZERO_CHARACTER: i64 = b'0' as i64;
/// Words for the places of a list.
const ORDINALS: [&str; 5] = ["First", "Second", "Third", "Fourth", "Fifth"];
/// Properties that need the word of their object.
const COUNTS: [&str; 4] = ["size", "length", "count", "ordinal"];

/// The words for the condition that holds where the branch has this outcome. That something is not null is the usual
/// case, and what a hidden method answers is no news to callers.
pub(super) fn branch_words(program: &Program, branch: &BranchOutcome) -> Option<String> {
    let condition = program.source_condition(branch)?;
    let words = condition_words(&condition)?;
    let is_plain = words.len() <= LONGEST && words.chars().all(|c| c.is_ascii_alphanumeric());
    // `or_whenOrReturnsFalse_returnsFalse` says nothing.
    let is_delegation = matches!(&condition, SourceCondition::IsTrue(SourceValue::Call(call), _)
        if call.method.name == branch.method.name);
    let is_answer = words.ends_with("ReturnsTrue") || words.ends_with("ReturnsFalse");
    let asked = match &condition {
        SourceCondition::IsTrue(SourceValue::Call(call), _) if is_answer => program.resolve(&call.method),
        _ => None,
    };
    let asks_hidden = asked.is_some_and(|found| !found.method().access.is_public());
    (is_plain && !asks_hidden && !is_delegation && !words.ends_with("IsNotNull")).then_some(words)
}

/// The names of variables that the condition is about, and not of those whose properties it is about.
pub(super) fn subjects(condition: &SourceCondition) -> Vec<&str> {
    let values = match condition {
        SourceCondition::IsTrue(value, _) => vec![value],
        SourceCondition::Compares(left, _, right) => vec![left, right],
    };
    values.into_iter().filter_map(subject).collect()
}

fn subject(value: &SourceValue) -> Option<&str> {
    match value {
        SourceValue::Named(name, _) => Some(name),
        SourceValue::IsInstance(value, _) | SourceValue::Length(value) => subject(value),
        SourceValue::Call(call) if rest_of(&call.method.name, "get").is_none() => {
            call.receiver.as_ref().or(call.args.first()).and_then(subject)
        }
        _ => None,
    }
}

/// The words for conditions that hold together: `RolesLacksStaffAndAdmin`. That something is not null is no
/// news beside others. `None` for more than fit.
pub(super) fn joined_words(conditions: &[String]) -> Option<String> {
    let is_news = |words: &&String| !words.ends_with("IsNotNull");
    let mut told: Vec<&String> = conditions.iter().collect();
    if told.iter().any(is_news) {
        told.retain(is_news);
    }
    let words = joined(&told);
    (!words.is_empty() && words.len() <= LONGEST_JOINED).then_some(words)
}

/// The conditions one after the other. What two of them begin with is said once, where it has a verb.
fn joined(conditions: &[&String]) -> String {
    let mut words = String::new();
    for (place, condition) in conditions.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| split_words(conditions[before])).unwrap_or_default();
        let own = split_words(condition);
        let shared = before.iter().zip(&own).take_while(|(one, other)| one == other).count().min(own.len().saturating_sub(1));
        // `IsNotEmptyAndReported` would say that it is reported.
        let begin = match own[..shared].iter().position(|word| VERBS.contains(word)) {
            Some(verb) if own[verb..shared].contains(&"Not") => verb,
            Some(_) => shared,
            None => 0,
        };
        let rest = &own[begin..];
        words += if place > 0 { "And" } else { "" };
        words += &rest.concat();
    }
    words
}

/// The words of a text in camel case.
fn split_words(text: &str) -> Vec<&str> {
    let is_begin = |(at, letter): &(usize, char)| *at == 0 || letter.is_ascii_uppercase();
    let begins: Vec<usize> = text.char_indices().filter(is_begin).map(|(at, _)| at).collect();
    let ends = begins.iter().skip(1).copied().chain([text.len()]);
    begins.iter().zip(ends).map(|(begin, end)| &text[*begin..end]).collect()
}

fn condition_words(condition: &SourceCondition) -> Option<String> {
    match condition {
        SourceCondition::IsTrue(value, holds) => truth_words(value, *holds),
        // The source may put the constant first.
        SourceCondition::Compares(left @ (SourceValue::Number(_) | SourceValue::Null | SourceValue::This), relation, right)
            if !matches!(right, SourceValue::Number(_) | SourceValue::Null | SourceValue::This) =>
        {
            comparison_words(right, flipped(*relation), left)
        }
        SourceCondition::Compares(left, relation, right) => comparison_words(left, *relation, right),
    }
}

fn flipped(relation: Relation) -> Relation {
    match relation {
        Relation::Lt => Relation::Gt,
        Relation::Gt => Relation::Lt,
        Relation::Le => Relation::Ge,
        Relation::Ge => Relation::Le,
        same => same,
    }
}

fn comparison_words(left: &SourceValue, relation: Relation, right: &SourceValue) -> Option<String> {
    if let (SourceValue::Call(call), SourceValue::Number(number)) = (left, right)
        && let Some(words) = special_comparison(call, relation, *number)
    {
        return words;
    }
    let subject = noun(left)?;
    match right {
        SourceValue::Null => {
            return Some(format!("{subject}{}", if relation == Relation::Eq { "IsNull" } else { "IsNotNull" }));
        }
        SourceValue::This => return Some(format!("{subject}{}This", relation_words(relation))),
        SourceValue::Number(0) if left.is_character() => {}
        SourceValue::Number(0) => return Some(format!("{subject}{}", sign_words(relation))),
        _ => {}
    }
    let object = match right {
        SourceValue::Number(number) if left.is_character() => literal_word(&Literal::Char(u16::try_from(*number).ok()?))?,
        other => noun(other)?,
    };
    match relation {
        Relation::Eq if subject == object => Some(format!("{subject}IsTheSame")),
        Relation::Ne if subject == object => Some(format!("{subject}Differs")),
        _ if subject == object => None,
        _ => Some(format!("{subject}{}{object}", relation_words(relation))),
    }
}

/// The words where a call stands for a comparison of its own; `Some(None)`: it has none.
fn special_comparison(call: &SourceCall, relation: Relation, number: i64) -> Option<Option<String>> {
    let receiver = call.receiver.as_ref()?;
    match (&*call.method.name, call.args.as_slice(), number) {
        ("compareTo" | "compareToIgnoreCase", [other], 0) => Some(comparison_words(receiver, relation, other)),
        ("signum", [], 0) => Some(noun(receiver).map(|subject| format!("{subject}{}", sign_words(relation)))),
        ("size" | "length" | "count", [], 0) => Some(noun(receiver).map(|subject| {
            format!("{subject}{}", if matches!(relation, Relation::Eq | Relation::Le) { "IsEmpty" } else { "IsNotEmpty" })
        })),
        ("indexOf" | "lastIndexOf", [part, ..], 0 | -1) => {
            let lacks = match (relation, number) {
                (Relation::Lt, 0) | (Relation::Eq, -1) => true,
                (Relation::Ge, 0) | (Relation::Ne | Relation::Gt, -1) => false,
                _ => return Some(None),
            };
            // A text is searched for a character by its number.
            let part = match part {
                SourceValue::Number(unit) if call.method.descriptor.starts_with("(I") => {
                    u16::try_from(*unit).ok().and_then(|unit| literal_word(&Literal::Char(unit)))
                }
                part => noun(part),
            };
            let verb = if lacks { "Lacks" } else { "Contains" };
            Some(noun(receiver).zip(part).map(|(whole, part)| format!("{whole}{verb}{part}")))
        }
        _ => None,
    }
}

fn containing_words(whole: &SourceValue, part: &SourceValue, contains: bool) -> Option<String> {
    Some(format!("{}{}{}", noun(whole)?, if contains { "Contains" } else { "Lacks" }, noun(part)?))
}

fn relation_words(relation: Relation) -> &'static str {
    match relation {
        Relation::Eq => "Is",
        Relation::Ne => "IsNot",
        Relation::Lt => "IsLessThan",
        Relation::Ge => "IsAtLeast",
        Relation::Gt => "IsGreaterThan",
        Relation::Le => "IsAtMost",
    }
}

/// How a number compares with 0.
fn sign_words(relation: Relation) -> &'static str {
    match relation {
        Relation::Eq => "IsZero",
        Relation::Ne => "IsNotZero",
        Relation::Lt => "IsNegative",
        Relation::Ge => "IsNotNegative",
        Relation::Gt => "IsPositive",
        Relation::Le => "IsNotPositive",
    }
}

fn truth_words(value: &SourceValue, holds: bool) -> Option<String> {
    match value {
        SourceValue::Named(name, _) => {
            let flag = noun(value)?;
            Some(match (is_quality(name), holds) {
                (true, true) => flag,
                (true, false) => format!("Not{flag}"),
                (false, true) => format!("{flag}IsTrue"),
                (false, false) => format!("{flag}IsFalse"),
            })
        }
        SourceValue::IsInstance(value, class) => {
            // The class says enough, whatever the name.
            let subject = match &**value {
                SourceValue::Named(name, _) => capitalised(name),
                value => noun(value)?,
            };
            Some(format!("{subject}{}{}", if holds { "Is" } else { "IsNot" }, class_word(class)))
        }
        SourceValue::Call(call) => call_words(call, holds),
        _ => None,
    }
}

/// The words for a call that returns true, or false.
fn call_words(call: &SourceCall, holds: bool) -> Option<String> {
    let name: &str = &call.method.name;
    // A static method is asked about its first argument.
    let (subject, others) = match (&call.receiver, call.args.as_slice()) {
        (Some(receiver), others) => (receiver, others),
        (None, [first, others @ ..]) => (first, others),
        (None, []) => return None,
    };
    let name_of = |value: &SourceValue| match value {
        SourceValue::This => Some(String::new()),
        value => noun(value),
    };
    let whose = name_of(subject);
    let is = if holds { "Is" } else { "IsNot" };
    let one_noun = || if let [other] = others { noun(other) } else { None };
    match name {
        "equals" | "equalsIgnoreCase" | "contentEquals" | "areEqual" => {
            let [other] = others else { return None };
            // The source may put the constant first.
            let (subject, other) = if is_constant(subject) && !is_constant(other) { (other, subject) } else { (subject, other) };
            let (whose, other) = (name_of(subject)?, noun(other)?);
            Some(match (whose == other, holds) {
                (true, true) => format!("{whose}IsTheSame"),
                (true, false) => format!("{whose}Differs"),
                _ => format!("{whose}{is}{other}"),
            })
        }
        "contains" | "containsKey" | "containsValue" | "containsIgnoreCase" => containing_words(subject, others.first()?, holds),
        "startsWith" | "endsWith" => {
            let verb = match (name, holds) {
                ("startsWith", true) => "StartsWith",
                ("startsWith", false) => "DoesNotStartWith",
                (_, true) => "EndsWith",
                (_, false) => "DoesNotEndWith",
            };
            Some(format!("{}{verb}{}", whose?, one_noun()?))
        }
        "matches" | "find" if others.is_empty() => Some(format!("{}{}", whose?, if holds { "Matches" } else { "DoesNotMatch" })),
        name if MOVING.contains(&name) => None,
        name => {
            if let Some(quality) = rest_of(name, "is") {
                let other = if others.is_empty() { String::new() } else { one_noun()? };
                // What an object asks itself about an argument is about the argument.
                return Some(if *subject == SourceValue::This && !other.is_empty() {
                    format!("{other}{is}{quality}")
                } else {
                    format!("{}{is}{quality}{other}", whose?)
                });
            }
            // `filled(street)`
            if let (true, [given]) = (is_participle(name), call.args.as_slice()) {
                return Some(format!("{}{is}{}", noun(given)?, capitalised(name)));
            }
            if let Some(part) = rest_of(name, "has") {
                // `hasNonNull("reference")` is about the reference.
                let of_part = one_noun().unwrap_or_default();
                let part = if part == "NonNull" && !of_part.is_empty() { "" } else { part };
                return Some(format!("{}{}{part}{of_part}", whose?, if holds { "Has" } else { "HasNo" }));
            }
            Some(format!("{}Returns{}", capitalised(name), if holds { "True" } else { "False" }))
        }
    }
}

/// Whether the name is that of a state which something was brought to.
fn is_participle(name: &str) -> bool {
    name.len() > "need".len() && name.ends_with("ed") && name.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Whether a flag of this name says what is the case: `blocked`, `visible`, `isOpen`, and not `lhs`.
fn is_quality(name: &str) -> bool {
    let ends = ["able", "ible", "ed", "en", "ing", "ive", "y", "al", "ent", "ant", "ous", "ful", "less"];
    let name = name.rsplit('.').next().unwrap_or(name);
    ends.iter().any(|end| name.ends_with(end)) || ["is", "has", "can"].iter().any(|verb| rest_of(name, verb).is_some())
}

/// Whether the source names a constant, or writes it down.
fn is_constant(value: &SourceValue) -> bool {
    match value {
        SourceValue::Named(name, _) => is_constant_name(name),
        SourceValue::Number(_) | SourceValue::Text(_) | SourceValue::Null => true,
        _ => false,
    }
}

fn is_constant_name(name: &str) -> bool {
    name.len() > 1 && !name.chars().any(|c| c.is_ascii_lowercase())
}

/// What follows a prefix in camel case.
fn rest_of<'n>(name: &'n str, prefix: &str) -> Option<&'n str> {
    name.strip_prefix(prefix).filter(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()))
}

/// The word for a value that the source names.
fn noun(value: &SourceValue) -> Option<String> {
    match value {
        SourceValue::Named(name, _) => {
            // The only object of a class has the name of no value.
            if name == "INSTANCE" {
                return None;
            }
            if is_constant_name(name) {
                return Some(constant_word(name));
            }
            // `range.end`
            if let Some((object, field)) = name.split_once('.') {
                return Some(format!("{}{}", capitalised(object), capitalised(field)));
            }
            (name.len() > 1 && is_telling(name) && !EMPTY_NAMES.contains(&name.as_str())).then(|| capitalised(name))
        }
        SourceValue::Number(number) => number_word(*number),
        SourceValue::Text(units) => {
            let spelled = text_word(units).filter(|word| word.len() <= LONGEST_SPELLED && !is_enclosed_word(units));
            spelled.or_else(|| spoken_word(units)).or_else(|| first_words(units))
        }
        SourceValue::Null => Some("Null".into()),
        SourceValue::Length(array) => Some(format!("{}Length", noun(array)?)),
        SourceValue::Call(call) => property_noun(call),
        SourceValue::Computed(values, sign) => computed_noun(&values.0, sign, &values.1),
        SourceValue::This
        | SourceValue::IsInstance(..)
        | SourceValue::Compared(_)
        | SourceValue::Element(_)
        | SourceValue::Inner(..)
        | SourceValue::Unknown => None,
    }
}

/// Whether the text is one word with signs around it, which say nothing: `/api/`, `Bearer `.
fn is_enclosed_word(units: &[u16]) -> bool {
    let text = String::from_utf16_lossy(units);
    let word = text.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    word.len() < text.len() && word.len() >= SHORTEST_WORD && word.chars().all(|c| c.is_ascii_alphanumeric())
}

/// The word for a sum or a difference: `DashPlus5`. What is left of a character without `'0'` is a digit.
fn computed_noun(left: &SourceValue, sign: &str, right: &SourceValue) -> Option<String> {
    match (sign, right) {
        ("-", SourceValue::Number(ZERO_CHARACTER)) if left.is_character() => Some("Digit".into()),
        // `AMinusBPlusC` would be another sum; and the number of a character says nothing.
        (_, SourceValue::Computed(..)) => None,
        _ if left.is_character() => None,
        ("+" | "-", _) => Some(format!("{}{}{}", noun(left)?, if sign == "+" { "Plus" } else { "Minus" }, noun(right)?)),
        _ => None,
    }
}

/// The word for an element of a list that the source takes by its number: `FirstOfRow`.
fn element_noun(list: &SourceValue, index: &SourceValue) -> Option<String> {
    let SourceValue::Number(index) = index else { return None };
    let ordinal = ORDINALS.get(usize::try_from(*index).ok()?)?;
    Some(format!("{ordinal}Of{}", noun(list)?))
}

/// The word for what a getter returns, and what a view shows.
fn property_noun(call: &SourceCall) -> Option<String> {
    let name: &str = &call.method.name;
    match (&call.receiver, call.args.as_slice()) {
        (Some(SourceValue::Inner(..)), _) => None,
        (Some(receiver), args) if VIEWS.contains(&name) && args.len() <= usize::from(TAKING.contains(&name)) => noun(receiver),
        (Some(_), [text]) if name == "matcher" => noun(text),
        (Some(_), [_]) if name == "charAt" => Some("Character".into()),
        (Some(receiver), [index]) if name == "get" && call.method.descriptor.starts_with("(I)L") => element_noun(receiver, index),
        (Some(receiver), [amount]) => moved_noun(receiver, name, amount),
        // A text that has an empty name may have a length.
        (Some(receiver), []) if COUNTS.contains(&name) => {
            let whose = noun(receiver);
            let is_text = name == "length" && matches!(receiver, SourceValue::Named(..));
            (whose.is_some() || is_text).then(|| format!("{}{}", whose.unwrap_or_default(), capitalised(name)))
        }
        (Some(_), []) if !MOVING.contains(&name) => {
            let property = rest_of(name, "get").map_or_else(|| capitalised(name), str::to_owned);
            is_telling(&property).then_some(property)
        }
        (None, [] | [_]) if name == "now" => {
            Some(if call.method.owner.internal() == "java/time/LocalDate" { "Today" } else { "Now" }.into())
        }
        _ => None,
    }
}

/// The word for a date or time before or after another one: `BirthdayPlus18Years`, `SentPlusPeriod`.
fn moved_noun(receiver: &SourceValue, method: &str, amount: &SourceValue) -> Option<String> {
    let (direction, unit) = match method {
        "plus" => ("Plus", ""),
        "minus" => ("Minus", ""),
        _ => match (rest_of(method, "plus"), rest_of(method, "minus")) {
            (Some(unit), _) => ("Plus", unit),
            (None, unit) => ("Minus", unit?),
        },
    };
    let is_said = unit.is_empty() || matches!(amount, SourceValue::Number(_));
    Some(format!("{}{direction}{}{unit}", noun(receiver)?, noun(amount).filter(|_| is_said)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{ClassName, MethodRef};

    fn variable(name: &str, kind: char) -> SourceValue {
        SourceValue::Named(name.into(), kind)
    }

    fn call(name: &str, descriptor: &str, receiver: Option<SourceValue>, args: &[SourceValue]) -> SourceValue {
        let method = MethodRef::new(ClassName::new("p/Shop"), name, descriptor);
        SourceValue::Call(Box::new(SourceCall { method, receiver, args: args.to_vec() }))
    }

    fn compared(left: SourceValue, relation: Relation, right: SourceValue) -> String {
        condition_words(&SourceCondition::Compares(left, relation, right)).unwrap_or_default()
    }

    /// The words for a call that returns true, and that returns false.
    fn asked(name: &str, receiver: Option<SourceValue>, args: &[SourceValue]) -> [String; 2] {
        let value = call(name, "()Z", receiver, args);
        [true, false].map(|holds| condition_words(&SourceCondition::IsTrue(value.clone(), holds)).unwrap_or_default())
    }

    #[test]
    fn comparisons_are_said_with_the_names_of_the_source() {
        let count = || variable("count", 'I');
        let available = || call("getAvailable", "()I", Some(variable("level", 'L')), &[]);
        assert_eq!(compared(available(), Relation::Lt, count()), "AvailableIsLessThanCount");
        assert_eq!(compared(count(), Relation::Le, SourceValue::Number(0)), "CountIsNotPositive");
        assert_eq!(compared(SourceValue::Number(9), Relation::Lt, count()), "CountIsGreaterThan9");
        assert_eq!(compared(call("getBirthday", "()Lp/Date;", None, &[]), Relation::Eq, SourceValue::Null), "");
        let birthday = || call("getBirthday", "()Lp/Date;", Some(variable("customer", 'L')), &[]);
        assert_eq!(compared(birthday(), Relation::Ne, SourceValue::Null), "BirthdayIsNotNull");
        assert_eq!(compared(variable("status", 'L'), Relation::Ne, variable("SOLD_OUT", 'L')), "StatusIsNotSoldOut");
        assert_eq!(compared(variable("order", 'L'), Relation::Eq, variable("INSTANCE", 'L')), "");
        let length = call("length", "()I", Some(variable("secret", 'L')), &[]);
        assert_eq!(compared(length.clone(), Relation::Lt, SourceValue::Number(8)), "SecretLengthIsLessThan8");
        assert_eq!(compared(length, Relation::Gt, SourceValue::Number(0)), "SecretIsNotEmpty");
        let month = |of: &str| call("getMonth", "()Lp/Month;", Some(variable(of, 'L')), &[]);
        assert_eq!(compared(month("birthday"), Relation::Ne, month("today")), "MonthDiffers");
        let price = call("compareTo", "(Lp/Price;)I", Some(variable("price", 'L')), &[variable("least", 'L')]);
        assert_eq!(compared(price, Relation::Ge, SourceValue::Number(0)), "PriceIsAtLeastLeast");
        assert_eq!(compared(SourceValue::This, Relation::Ne, variable("parent", 'L')), "ParentIsNotThis");
        assert_eq!(compared(variable("sign", 'C'), Relation::Eq, SourceValue::Number(45)), "SignIsDash");
        assert_eq!(compared(SourceValue::Unknown, Relation::Eq, SourceValue::Number(1)), "");
        let computed = |left, sign, right| SourceValue::Computed(Box::new((left, right)), sign);
        let length = call("length", "()I", Some(variable("value", 'L')), &[]);
        let limit = computed(variable("dash", 'I'), "+", SourceValue::Number(5));
        assert_eq!(compared(length, Relation::Lt, limit), "LengthIsLessThanDashPlus5");
        let letter = || call("charAt", "(I)C", Some(variable("value", 'L')), &[variable("i", 'I')]);
        assert_eq!(compared(letter(), Relation::Lt, SourceValue::Number(65)), "CharacterIsLessThanA");
        let digit = computed(letter(), "-", SourceValue::Number(48));
        assert_eq!(compared(digit, Relation::Ne, variable("expected", 'I')), "DigitIsNotExpected");
        let column = |index| call("get", "(I)Lp/S;", Some(variable("row", 'L')), &[SourceValue::Number(index)]);
        let blank = |index| call("isBlank", "()Z", Some(column(index)), &[]);
        let words = |index| condition_words(&SourceCondition::IsTrue(blank(index), true)).unwrap_or_default();
        assert_eq!([words(0), words(2), words(9)], ["FirstOfRowIsBlank", "ThirdOfRowIsBlank", ""]);
        let adult = call("plusYears", "(J)Lp/Date;", Some(variable("birthday", 'L')), &[SourceValue::Number(18)]);
        let period = variable("RETURN_PERIOD", 'L');
        let over = call("plus", "(Lp/Period;)Lp/Date;", Some(variable("sent", 'L')), std::slice::from_ref(&period));
        assert_eq!(asked("isBefore", Some(over), &[variable("now", 'L')])[0], "SentPlusReturnPeriodIsBeforeNow");
        assert_eq!(
            asked("isAfter", Some(adult), &[variable("today", 'L')]),
            ["BirthdayPlus18YearsIsAfterToday", "BirthdayPlus18YearsIsNotAfterToday"]
        );
    }

    #[test]
    fn what_callers_do_not_know_has_no_words() {
        let inner = |kind| SourceValue::Inner("node".into(), kind);
        assert_eq!(compared(inner('L'), Relation::Eq, SourceValue::Null), "");
        assert_eq!(compared(call("getColor", "()I", Some(inner('L')), &[]), Relation::Eq, SourceValue::Number(1)), "");
        let flag = SourceCondition::IsTrue(inner('Z'), true);
        assert_eq!(condition_words(&flag), None);
        let token = Some(variable("token", 'L'));
        let starts = call("startsWith", "(Ljava/lang/String;)Z", token, &[variable("prefix", 'L')]);
        assert_eq!(subjects(&SourceCondition::IsTrue(starts, true)), ["token"]);
        let name = call("getName", "()Lp/S;", Some(variable("form", 'L')), &[]);
        assert_eq!(subjects(&SourceCondition::Compares(name, Relation::Eq, variable("other", 'L'))), ["other"]);
    }

    #[test]
    fn conditions_that_hold_together_share_their_subject() {
        let words = |conditions: &[&str]| {
            let conditions: Vec<String> = conditions.iter().map(|words| words.to_string()).collect();
            joined_words(&conditions).unwrap_or_default()
        };
        assert_eq!(words(&["RolesLacksStaff", "RolesLacksAdmin"]), "RolesLacksStaffAndAdmin");
        assert_eq!(words(&["PercentIsNotNegative", "PercentIsAtMost100"]), "PercentIsNotNegativeAndAtMost100");
        assert_eq!(words(&["FirstNameIsNull", "FirstNameIsEmpty"]), "FirstNameIsNullAndEmpty");
        assert_eq!(words(&["CategoryIsClearance", "CountIsAtLeast3"]), "CategoryIsClearanceAndCountIsAtLeast3");
        let dates = ["BirthdayIsNotNull", "MonthIsTheSame", "DayOfMonthIsTheSame"];
        assert_eq!(words(&dates), "MonthIsTheSameAndDayOfMonthIsTheSame");
        assert_eq!(words(&["NameIsNotNull", "NameIsEmpty"]), "NameIsEmpty");
        assert_eq!(words(&["SkusIsNotEmpty", "SkusIsNotReported"]), "SkusIsNotEmptyAndIsNotReported");
        assert_eq!(words(&["Open"]), "Open");
        assert_eq!(words(&[]), "");
    }

    #[test]
    fn questions_are_said_as_they_are_answered() {
        let product = || Some(variable("product", 'L'));
        assert_eq!(asked("isAvailable", product(), &[]), ["ProductIsAvailable", "ProductIsNotAvailable"]);
        assert_eq!(asked("isEmpty", Some(SourceValue::This), &[]), ["IsEmpty", "IsNotEmpty"]);
        assert_eq!(asked("hasErrors", product(), &[]), ["ProductHasErrors", "ProductHasNoErrors"]);
        assert_eq!(asked("equals", product(), &[variable("other", 'L')]), ["ProductIsOther", "ProductIsNotOther"]);
        let get = || SourceValue::Text("GET".encode_utf16().collect());
        assert_eq!(asked("equals", Some(get()), &[variable("method", 'L')]), ["MethodIsGET", "MethodIsNotGET"]);
        assert_eq!(asked("areEqual", None, &[variable("a1", 'L'), variable("a1", 'L')]), ["A1IsTheSame", "A1Differs"]);
        assert_eq!(asked("isBlank", None, &[variable("text", 'L')]), ["TextIsBlank", "TextIsNotBlank"]);
        let text = SourceValue::Text("x".encode_utf16().collect());
        assert_eq!(asked("contains", product(), std::slice::from_ref(&text)), ["ProductContainsX", "ProductLacksX"]);
        let path = SourceValue::Text("/api/products".encode_utf16().collect());
        assert_eq!(asked("startsWith", product(), &[path])[0], "ProductStartsWithApiProducts");
        let scheme = SourceValue::Text("Bearer ".encode_utf16().collect());
        assert_eq!(asked("startsWith", product(), &[scheme])[1], "ProductDoesNotStartWithBearer");
        let key = SourceValue::Text("reference".encode_utf16().collect());
        assert_eq!(asked("hasNonNull", product(), std::slice::from_ref(&key)), ["ProductHasReference", "ProductHasNoReference"]);
        assert_eq!(
            asked("hasFieldErrors", product(), &[key]),
            ["ProductHasFieldErrorsReference", "ProductHasNoFieldErrorsReference"]
        );
        assert_eq!(asked("startsWith", product(), &[text]), ["ProductStartsWithX", "ProductDoesNotStartWithX"]);
        assert_eq!(
            asked("existsBySku", product(), &[SourceValue::Unknown]),
            ["ExistsBySkuReturnsTrue", "ExistsBySkuReturnsFalse"]
        );
        assert_eq!(asked("filled", None, &[variable("street", 'L')]), ["StreetIsFilled", "StreetIsNotFilled"]);
        assert_eq!(asked("hasNext", product(), &[]), ["", ""]);
        let flag = |holds| condition_words(&SourceCondition::IsTrue(variable("blocked", 'Z'), holds)).unwrap_or_default();
        assert_eq!([flag(true), flag(false)], ["Blocked", "NotBlocked"]);
        let flag = |holds| condition_words(&SourceCondition::IsTrue(variable("lhs", 'Z'), holds)).unwrap_or_default();
        assert_eq!([flag(true), flag(false)], ["LhsIsTrue", "LhsIsFalse"]);
    }
}
