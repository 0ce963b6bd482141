//! Names of test methods: `method_condition_outcome`. In: an asserted test; out: a name in words of
//! the method under test, the boundary cases among its arguments, and the asserted result. Must not
//! know the source text of the test.
//!
//! Candidates get longer and more exact; the first one that is free and short enough is taken, else
//! one with a number.

use std::collections::BTreeSet;

use crate::execution::Snapshot;
use crate::oracle::{AssertedTest, Fact, is_reserved};
use crate::program::{ClassName, JavaType, MethodRef, Program};
use crate::testcase::{Literal, Statement, StatementKind, VarId};

use super::names::{camel, capitalised};
use super::request_name::{response_words, sent_words};

/// Longest name of a test method, in characters.
const LONGEST: usize = 78;

/// The words for a test of several plain accessors of one object.
fn accessor_words(program: &Program, test: &AssertedTest) -> Option<&'static str> {
    if !test.target.as_ref().is_some_and(|target| program.is_plain_accessor(target)) {
        return None;
    }
    let called = |statement: &Statement| match &statement.kind {
        StatementKind::Call { method, receiver: Some(_), .. } if program.is_plain_accessor(method) => Some(method.clone()),
        _ => None,
    };
    let (acted, inspected) = test.test.statements.split_at(test.acted as usize);
    let is_setter = |method: &MethodRef| !method.parameters().is_empty();
    let setters: BTreeSet<MethodRef> = acted.iter().filter_map(called).filter(is_setter).collect();
    let getters: BTreeSet<MethodRef> = inspected.iter().filter_map(called).collect();
    match (setters.len(), getters.len()) {
        (2.., 2..) => Some("getters_returnWhatSettersSet"),
        (0, 3..) => Some("getters_returnInitialValues"),
        _ => None,
    }
}

/// Chooses a name for the test that is not among `taken`, and adds it there.
pub(crate) fn choose_name(program: &Program, test: &AssertedTest, taken: &mut BTreeSet<String>) -> String {
    let subject = match test.test.performed_request() {
        Some(_) => format!("{}Request", method_word(test)),
        None => method_word(test),
    };
    let conditions = if test.test.has_request() { sent_words(test) } else { boundary_conditions(program, test) };
    let outcome = outcome_words(test);
    let values = argument_values(test);
    let join = |parts: &[&str]| {
        let name: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
        name.join("_")
    };
    let receiver = receiver_constant_word(test);
    let described = call_descriptions(test);
    let after = preceding_call(test);
    let and = |left: &str, right: &str| match (left.is_empty(), right.is_empty()) {
        (true, _) => right.to_string(),
        (_, true) => left.to_string(),
        _ => format!("{left}And{right}"),
    };
    let short = conditions.first().cloned().unwrap_or_default();
    let full = conditions.join("And");
    let on = |condition: &str| {
        let prefixed = with_prefix(condition);
        match &receiver {
            Some(constant) if prefixed.is_empty() => format!("on{constant}"),
            Some(constant) => format!("on{constant}_{prefixed}"),
            None => prefixed,
        }
    };
    let message = test
        .expected
        .as_ref()
        .and_then(|expected| expected.message.as_ref())
        .map(|units| message_words(units))
        .unwrap_or_default();
    let said = if message.is_empty() { String::new() } else { format!("{outcome}_{message}") };
    let candidates = [
        accessor_words(program, test).unwrap_or_default().to_owned(),
        // The response tells requests apart better than what was sent.
        if test.test.has_request() { join(&[&subject, &outcome]) } else { String::new() },
        join(&[&subject, &with_prefix(&full), &outcome]),
        join(&[&subject, &with_prefix(&short), &outcome]),
        if values.is_empty() { String::new() } else { join(&[&subject, &with_prefix(&values), &outcome]) },
        if said.is_empty() { String::new() } else { join(&[&subject, &with_prefix(&full), &said]) },
        join(&[&subject, &on(&values), &outcome]),
        join(&[&subject, &with_prefix(&and(&full, &values)), &outcome]),
        join(&[&subject, &with_prefix(&described.0), &outcome]),
        join(&[&subject, &receiver_prefix(&described.1), &outcome]),
        join(&[&subject, &receiver_prefix(&described.1), &with_prefix(&described.0), &outcome]),
        join(&[&subject, &after, &outcome]),
        join(&[&subject, &after, &with_prefix(&full), &outcome]),
        join(&[&subject, &after, &with_prefix(&described.0), &outcome]),
        join(&[&subject, &receiver_prefix(&described.1), &after, &with_prefix(&described.0), &outcome]),
    ];
    for candidate in &candidates {
        if candidate.is_empty() || candidate.len() > LONGEST || is_reserved(candidate) {
            continue;
        }
        if taken.insert(candidate.clone()) {
            return candidate.clone();
        }
    }
    let mut base = candidates
        .iter()
        .find(|candidate| !candidate.is_empty() && candidate.len() <= LONGEST - 4)
        .cloned()
        .unwrap_or_else(|| subject.clone());
    base.truncate(LONGEST - 4);
    let mut number = 2;
    loop {
        let name = format!("{base}_{number}");
        if taken.insert(name.clone()) {
            return name;
        }
        number += 1;
    }
}

fn receiver_prefix(made: &str) -> String {
    if made.is_empty() { String::new() } else { format!("on{made}") }
}

/// The arguments and the receiver of the call in words for the expressions that made them.
fn call_descriptions(test: &AssertedTest) -> (String, String) {
    let Some(call) = target_call(test) else { return Default::default() };
    let kind = &test.test.statements[call].kind;
    let words: Vec<String> = match kind {
        StatementKind::Call { receiver: Some(receiver), args, .. } if args.contains(receiver) => vec!["Itself".into()],
        _ => arguments(kind).map_or(&[][..], |(_, args)| args).iter().map(|arg| value_description(test, *arg, 2)).collect(),
    };
    let receiver = match kind {
        StatementKind::Call { receiver: Some(receiver), .. } => value_description(test, *receiver, 2),
        _ => String::new(),
    };
    (words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join("And"), receiver)
}

/// The expression that made a value, in words: `is('a')` gives `IsA`, `new Node(1, "x")` gives
/// `Node1AndX`.
fn value_description(test: &AssertedTest, variable: VarId, depth: u32) -> String {
    let statement = &test.test.statements[variable.index()];
    let made_of = |args: &[VarId]| {
        let words = args.iter().map(|arg| if depth == 0 { String::new() } else { value_description(test, *arg, depth - 1) });
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("And")
    };
    match &statement.kind {
        StatementKind::Literal(Literal::Boolean(value)) => if *value { "True" } else { "False" }.into(),
        StatementKind::Literal(Literal::Str(units)) => boundary_word(test, variable, true)
            .filter(|_| string_word(units).is_none())
            .or_else(|| string_word(units))
            .unwrap_or_default(),
        StatementKind::Literal(literal) => {
            literal_word(literal).or_else(|| boundary_word(test, variable, true)).unwrap_or_else(|| type_word(&statement.ty))
        }
        StatementKind::Construct { constructor, args } => format!("{}{}", class_word(&constructor.owner), made_of(args)),
        StatementKind::Call { method, receiver: None, args, .. } if &*method.name == "valueOf" => made_of(args),
        StatementKind::Call { method, args, .. } => format!("{}{}", constant_word(&method.name), made_of(args)),
        StatementKind::GetField { field, .. } => constant_word(&field.name),
        _ => type_word(&statement.ty),
    }
}

/// The last call on the receiver before the call under test: `afterAdd`.
fn preceding_call(test: &AssertedTest) -> String {
    let Some(call) = target_call(test) else { return String::new() };
    let StatementKind::Call { receiver: Some(object), .. } = &test.test.statements[call].kind else { return String::new() };
    let earlier = test.test.statements[..call].iter().rev().find_map(|statement| match &statement.kind {
        StatementKind::Call { method, receiver: Some(receiver), .. } if receiver == object => Some(constant_word(&method.name)),
        _ => None,
    });
    earlier.map_or_else(String::new, |name| format!("after{name}"))
}

/// The condition with `with` in front, unless it begins with `when`.
fn with_prefix(condition: &str) -> String {
    if condition.is_empty() || condition.starts_with("when") { condition.to_string() } else { format!("with{condition}") }
}

/// Index of the last statement that calls the method under test.
fn target_call(test: &AssertedTest) -> Option<usize> {
    let target = test.target.as_ref()?;
    test.test.statements.iter().rposition(|statement| match &statement.kind {
        StatementKind::Construct { constructor, .. } => constructor == target,
        StatementKind::Call { method, .. } => {
            method == target || (method.name == target.name && method.descriptor == target.descriptor)
        }
        _ => false,
    })
}

/// The word for the method under test.
fn method_word(test: &AssertedTest) -> String {
    let Some(target) = &test.target else { return "test".into() };
    match &*target.name {
        "<init>" => "constructor".into(),
        name => {
            let clean: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            let lowered = camel(&clean);
            if lowered.starts_with(|first: char| first.is_ascii_alphabetic()) {
                lowered.chars().take(40).collect()
            } else {
                format!("test{clean}")
            }
        }
    }
}

/// At most two conditions: boundary cases among the arguments of the call, else among those that
/// made its receiver.
fn boundary_conditions(program: &Program, test: &AssertedTest) -> Vec<String> {
    let Some(call) = target_call(test) else { return Vec::new() };
    let mut found = argument_words(program, test, call, false);
    if found.is_empty()
        && let StatementKind::Call { receiver: Some(receiver), .. } = &test.test.statements[call].kind
    {
        found = argument_words(program, test, receiver.index(), true);
    }
    found.truncate(2);
    found
}

fn arguments(kind: &StatementKind) -> Option<(&MethodRef, &[VarId])> {
    match kind {
        StatementKind::Construct { constructor, args } => Some((constructor, args)),
        StatementKind::Call { method, args, .. } => Some((method, args)),
        _ => None,
    }
}

/// The boundary cases among the arguments of a statement, with the names of their parameters.
/// `receiver`: the statement made the receiver of the call under test.
fn argument_words(program: &Program, test: &AssertedTest, index: usize, receiver: bool) -> Vec<String> {
    let Some((method, args)) = arguments(&test.test.statements[index].kind) else { return Vec::new() };
    let resolved = program.resolve(method);
    let names: Vec<Option<String>> =
        resolved.as_ref().map(|found| found.class.parameter_names(found.method()).to_vec()).unwrap_or_default();
    let mut words: Vec<String> = Vec::new();
    for (position, arg) in args.iter().enumerate() {
        let Some(word) = boundary_word(test, *arg, args.len() == 1) else { continue };
        let primitive = test.test.statements[arg.index()].ty.is_primitive();
        let role = match names.get(position).cloned().flatten() {
            Some(name) if is_telling(&name) && (name.len() > 1 || primitive) => capitalised(&name),
            _ if args.len() == 1 && word != "Null" && word != "Empty" => String::new(),
            _ => type_word(&test.test.statements[arg.index()].ty),
        };
        let text = if receiver && !role.is_empty() { format!("when{role}Is{word}") } else { format!("{word}{role}") };
        let text = if receiver && text.starts_with(&word) { format!("whenMadeWith{text}") } else { text };
        let text = if words.is_empty() { text } else { text.trim_start_matches("when").to_string() };
        if !words.contains(&text) {
            words.push(text);
        }
    }
    words
}

/// Whether the name of a parameter has a meaning: not `arg0`, `p1` or the like, which compilers
/// and obfuscators leave.
fn is_telling(name: &str) -> bool {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric());
    let numbered = name.trim_end_matches(|c: char| c.is_ascii_digit());
    plain && name.len() <= 20 && !(numbered.len() < name.len() && matches!(numbered, "arg" | "p" | "param" | "var"))
}

/// The simple name of the type as a word; `IntArray` for an array.
fn type_word(ty: &JavaType) -> String {
    match ty {
        JavaType::Array(element) => format!("{}Array", type_word(element)),
        JavaType::Class(name) => {
            let simple: String =
                name.local_name().rsplit('$').next().unwrap_or_default().chars().filter(char::is_ascii_alphanumeric).collect();
            capitalised(&simple)
        }
        primitive => capitalised(primitive.keyword().unwrap_or_default()),
    }
}

/// The word for an argument that is a boundary case. Booleans have one only as the single argument
/// (`alone`).
fn boundary_word(test: &AssertedTest, variable: VarId, alone: bool) -> Option<String> {
    let word = match &test.test.statements[variable.index()].kind {
        StatementKind::Literal(literal) => match literal {
            Literal::Null => "Null",
            Literal::Boolean(value) if alone => {
                if *value {
                    "True"
                } else {
                    "False"
                }
            }
            Literal::Byte(0) | Literal::Short(0) | Literal::Int(0) | Literal::Long(0) => "Zero",
            Literal::Int(i32::MIN) | Literal::Long(i64::MIN) => "Minimum",
            Literal::Int(i32::MAX) | Literal::Long(i64::MAX) => "Maximum",
            Literal::Byte(value) if *value < 0 => "Negative",
            Literal::Short(value) if *value < 0 => "Negative",
            Literal::Int(value) if *value < 0 => "Negative",
            Literal::Long(value) if *value < 0 => "Negative",
            Literal::Float(bits) => float_boundary_word(f64::from(f32::from_bits(*bits)))?,
            Literal::Double(bits) => float_boundary_word(f64::from_bits(*bits))?,
            Literal::Str(units) if units.is_empty() => "Empty",
            Literal::Str(units) if units.iter().all(|unit| *unit == 0x20 || (9..=13).contains(unit)) => "Blank",
            Literal::Str(units) if units.iter().all(|unit| (0x30..=0x39).contains(unit)) => "Numeric",
            Literal::Char(unit) if *unit == 0x20 => "Space",
            Literal::Char(unit) if *unit < 0x20 => "Control",
            _ => return None,
        },
        StatementKind::Array { length: 0, .. } => "Empty",
        StatementKind::Construct { constructor, args }
            if args.is_empty() && constructor.owner.package().starts_with("java/util") =>
        {
            "Empty"
        }
        _ => return None,
    };
    Some(word.into())
}

fn float_boundary_word(value: f64) -> Option<&'static str> {
    match value {
        value if value.is_nan() => Some("NaN"),
        value if value.is_infinite() => Some("Infinite"),
        0.0 => Some("Zero"),
        value if value < 0.0 => Some("Negative"),
        _ => None,
    }
}

/// The values of the arguments in words, for tests that differ only in them.
fn argument_values(test: &AssertedTest) -> String {
    let Some(call) = target_call(test) else { return String::new() };
    let Some((_, args)) = arguments(&test.test.statements[call].kind) else { return String::new() };
    let words: Vec<String> = args
        .iter()
        .filter_map(|arg| match &test.test.statements[arg.index()].kind {
            StatementKind::Literal(literal) => literal_word(literal),
            StatementKind::GetField { field, receiver: None } => Some(constant_word(&field.name)),
            _ => None,
        })
        .collect();
    words.join("And")
}

/// The word for a literal that has one.
fn literal_word(literal: &Literal) -> Option<String> {
    match literal {
        Literal::Boolean(value) => Some(if *value { "True".into() } else { "False".into() }),
        Literal::Byte(value) => number_word(i64::from(*value)),
        Literal::Short(value) => number_word(i64::from(*value)),
        Literal::Int(value) => number_word(i64::from(*value)),
        Literal::Long(value) => number_word(*value),
        Literal::Char(unit) => string_word(&[*unit]),
        Literal::Str(units) => string_word(units),
        Literal::Float(bits) => decimal_word(&f32::from_bits(*bits).to_string()),
        Literal::Double(bits) => decimal_word(&f64::from_bits(*bits).to_string()),
        Literal::Class(ty) => Some(format!("{}Class", type_word(ty))),
        _ => None,
    }
}

/// The word for a whole number of at most five digits.
fn number_word(value: i64) -> Option<String> {
    match value {
        0 => Some("Zero".into()),
        1..=99_999 => Some(value.to_string()),
        -99_999..=-1 => Some(format!("Minus{}", -value)),
        _ => None,
    }
}

/// A short string in words: `"a "` is `ASpace`. `None` for long ones and for characters without a
/// word.
fn string_word(units: &[u16]) -> Option<String> {
    if units.is_empty() || units.len() > 16 {
        return None;
    }
    let mut words = String::new();
    let mut starts = true;
    for unit in units {
        let character = char::from_u32(u32::from(*unit))?;
        let word = match character {
            letter if letter.is_ascii_alphanumeric() => {
                words.push(if starts { letter.to_ascii_uppercase() } else { letter });
                starts = false;
                continue;
            }
            ' ' => "Space",
            '.' => "Dot",
            ',' => "Comma",
            '-' => "Minus",
            '+' => "Plus",
            '/' => "Slash",
            '\\' => "Backslash",
            '*' => "Star",
            ':' => "Colon",
            ';' => "Semicolon",
            '_' => "Underscore",
            '=' => "Equals",
            '#' => "Hash",
            '%' => "Percent",
            '&' => "Ampersand",
            '@' => "At",
            '$' => "Dollar",
            '!' => "Bang",
            '?' => "QuestionMark",
            '"' => "Quote",
            '\'' => "Apostrophe",
            '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' => "Bracket",
            '\n' => "LineFeed",
            '\t' => "Tab",
            _ => return None,
        };
        words.push_str(word);
        starts = true;
    }
    (words.len() <= 24).then_some(words)
}

/// The first words of an exception message, at most five.
fn message_words(units: &[u16]) -> String {
    let message = String::from_utf16_lossy(units);
    let words = message.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut taken = String::new();
    for word in words.take(5) {
        if taken.len() + word.len() > 28 {
            break;
        }
        taken.push_str(&if taken.is_empty() { camel(word) } else { capitalised(word) });
    }
    taken
}

/// `ONE_THIRD` → `OneThird`.
fn constant_word(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let lowered = if word.chars().any(|c| c.is_ascii_lowercase()) { word.to_string() } else { word.to_ascii_lowercase() };
        capitalised(&lowered)
    });
    words.collect::<String>().chars().filter(char::is_ascii_alphanumeric).collect()
}

/// The word for the constant that the method is called on.
fn receiver_constant_word(test: &AssertedTest) -> Option<String> {
    let call = target_call(test)?;
    let StatementKind::Call { receiver: Some(receiver), .. } = &test.test.statements[call].kind else { return None };
    match &test.test.statements[receiver.index()].kind {
        StatementKind::GetField { field, receiver: None } => Some(constant_word(&field.name)),
        _ => None,
    }
}

/// The word for a decimal number; `None` for a long one, an infinity or NaN.
fn decimal_word(written: &str) -> Option<String> {
    let plain = written.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '.'));
    (plain && written.len() <= 7).then(|| written.trim_end_matches(".0").replace('-', "Minus").replace('.', "Point"))
}

/// The asserted result: `throwsX`, `returnsX`, `createsX`, or `sizeIsTwo` for an inspector.
fn outcome_words(test: &AssertedTest) -> String {
    if let Some(expected) = &test.expected {
        return format!("throws{}", class_word(&expected.class));
    }
    if let Some(words) = response_words(test) {
        return words;
    }
    let call = target_call(test);
    let own = call.and_then(|call| test.assertions.iter().find(|assertion| assertion.subject.index() == call));
    if let Some(assertion) = own {
        let constructed = matches!(call.map(|call| &test.test.statements[call].kind), Some(StatementKind::Construct { .. }));
        let verb = if constructed { "creates" } else { "returns" };
        let word = match &assertion.fact {
            Fact::Null => "Null".into(),
            Fact::NotNull | Fact::InstanceOf(_) | Fact::Called { .. } => {
                type_word(&test.test.statements[assertion.subject.index()].ty)
            }
            Fact::SameAs(other) => {
                let receiver = call.and_then(|call| match &test.test.statements[call].kind {
                    StatementKind::Call { receiver, .. } => *receiver,
                    _ => None,
                });
                if receiver == Some(*other) { "This".into() } else { "Argument".into() }
            }
            Fact::Equals(value) => value_word(value),
        };
        return format!("{verb}{word}");
    }
    // The result of an inspector.
    let witness = test.assertions.iter().find_map(|assertion| {
        let StatementKind::Call { method, .. } = &test.test.statements[assertion.subject.index()].kind else { return None };
        let getter = method.name.strip_prefix("get").filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
        match &assertion.fact {
            Fact::Equals(Snapshot::Boolean(true)) if method.name.starts_with("is") || method.name.starts_with("has") => {
                Some(camel(&method.name))
            }
            Fact::Equals(value) if !matches!(&*method.name, "toString" | "hashCode") => {
                let name = camel(getter.unwrap_or(&method.name));
                (name.len() <= 24).then(|| format!("{name}Is{}", value_word(value)))
            }
            _ => None,
        }
    });
    let constructor = test.target.as_ref().is_some_and(|target| &*target.name == "<init>");
    match witness {
        Some(witness) if !constructor => witness,
        _ if constructor => {
            test.target.as_ref().map_or_else(String::new, |target| format!("creates{}", class_word(&target.owner)))
        }
        _ => "succeeds".into(),
    }
}

fn class_word(class: &ClassName) -> String {
    type_word(&JavaType::Class(class.clone()))
}

/// The word for an asserted value.
fn value_word(value: &Snapshot) -> String {
    match value {
        Snapshot::Null => "Null".into(),
        Snapshot::Boolean(value) => {
            if *value {
                "True".into()
            } else {
                "False".into()
            }
        }
        Snapshot::Byte(value) => number_word(i64::from(*value)).unwrap_or_else(|| "Byte".into()),
        Snapshot::Short(value) => number_word(i64::from(*value)).unwrap_or_else(|| "Short".into()),
        Snapshot::Int(i32::MIN) => "Minimum".into(),
        Snapshot::Int(i32::MAX) => "Maximum".into(),
        Snapshot::Int(value) => number_word(i64::from(*value)).unwrap_or_else(|| "Int".into()),
        Snapshot::Long(value) => number_word(*value).unwrap_or_else(|| "Long".into()),
        Snapshot::Char(unit) => string_word(&[*unit]).unwrap_or_else(|| "Char".into()),
        Snapshot::Float(bits) => float_outcome_word(f64::from(f32::from_bits(*bits)), &f32::from_bits(*bits).to_string()),
        Snapshot::Double(bits) => float_outcome_word(f64::from_bits(*bits), &f64::from_bits(*bits).to_string()),
        Snapshot::Str(Some(units)) if units.is_empty() => "EmptyString".into(),
        Snapshot::Str(Some(units)) => string_word(units).unwrap_or_else(|| "String".into()),
        Snapshot::Boxed(inner) => value_word(inner),
        Snapshot::Enum { constant, .. } => constant_word(constant),
        Snapshot::ClassLiteral(ty) => format!("{}Class", type_word(ty)),
        Snapshot::Array { length: 0, .. } => "EmptyArray".into(),
        Snapshot::Array { element, .. } => format!("{}Array", type_word(element)),
        Snapshot::Object { class, .. } => class_word(class),
        Snapshot::Str(None) => "String".into(),
        Snapshot::Absent => String::new(),
    }
}

fn float_outcome_word(value: f64, written: &str) -> String {
    match value {
        value if value.is_nan() => "NaN".into(),
        value if value.is_infinite() => {
            if value > 0.0 {
                "Infinity".into()
            } else {
                "MinusInfinity".into()
            }
        }
        0.0 => "Zero".into(),
        _ => decimal_word(written).unwrap_or_else(|| "Number".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    #[test]
    fn short_strings_have_words() {
        for (text, expected) in [
            ("a ", Some("ASpace")),
            ("x-1", Some("XMinus1")),
            ("[]", Some("BracketBracket")),
            ("", None),
            ("é", None),
            ("more than sixteen units", None),
        ] {
            assert_eq!(string_word(&units(text)).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn numbers_have_words_up_to_five_digits() {
        assert_eq!([0, 7, -7].map(|value| number_word(value).unwrap_or_default()), ["Zero", "7", "Minus7"]);
        assert_eq!((number_word(100_000), number_word(-100_000)), (None, None));
        assert_eq!(
            (decimal_word("-1.5"), decimal_word("2.0"), decimal_word("NaN")),
            (Some("Minus1Point5".into()), Some("2".into()), None)
        );
    }

    #[test]
    fn constants_and_messages_become_words() {
        assert_eq!(constant_word("ONE_THIRD"), "OneThird");
        assert_eq!(message_words(&units("Index: 5, Size: 3 (of the whole list)")), "index5Size3Of");
        assert!(is_telling("offset") && !is_telling("arg0") && !is_telling("p1"));
    }

    /// A test of `p/Foo.next` with this literal as its argument.
    fn test(literal: &str, rest: &str) -> AssertedTest {
        format!(
            "target p/Foo.next (I)I\nv0: I = {literal}\nv1: Lp/Foo; = new p/Foo.<init> ()V ()\n\
             v2: I = call method p/Foo.next (I)I on v1 (v0)\n{rest}"
        )
        .parse()
        .expect("well-formed")
    }

    #[test]
    fn the_outcome_is_the_exception_or_the_asserted_result() {
        assert_eq!(outcome_words(&test("int 3", "assert v2 equals int 4\n")), "returns4");
        assert_eq!(outcome_words(&test("int 3", "throws java/lang/ArithmeticException\n")), "throwsArithmeticException");
        assert_eq!(outcome_words(&test("int 3", "")), "succeeds");
    }

    #[test]
    fn arguments_at_a_boundary_have_words() {
        let word = |literal: &str| boundary_word(&test(literal, ""), VarId(0), true);
        assert_eq!(word("int 0").as_deref(), Some("Zero"));
        assert_eq!(word("int -3").as_deref(), Some("Negative"));
        assert_eq!(word("int 2147483647").as_deref(), Some("Maximum"));
        assert_eq!(word("int 3"), None);
        assert_eq!(argument_values(&test("int 3", "")), "3");
    }
}
