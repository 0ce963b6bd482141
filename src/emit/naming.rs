//! Names of test methods: the method under test, what is special about its arguments, what comes out. In: an asserted test; out: words.

use std::collections::BTreeSet;

use crate::execution::Snapshot;
use crate::oracle::{AssertedTest, Fact, is_reserved};
use crate::program::{ClassName, JavaType, MethodRef, Program};
use crate::testcase::{Literal, StatementKind, VarId};

use super::names::{camel, capitalised};

/// Longer names are cut.
const LONGEST: usize = 78;

/// A name for the test that is not among `taken`, and takes it.
pub(crate) fn test_name(program: &Program, test: &AssertedTest, taken: &mut BTreeSet<String>) -> String {
    let subject = subject(test);
    let conditions = conditions(program, test);
    let outcome = outcome(test);
    let values = values(test);
    let join = |parts: &[&str]| {
        let name: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
        name.join("_")
    };
    let receiver = receiver_constant(test);
    let described = descriptions(test);
    let after = before_call(test);
    let and = |left: &str, right: &str| match (left.is_empty(), right.is_empty()) {
        (true, _) => right.to_string(),
        (_, true) => left.to_string(),
        _ => format!("{left}And{right}"),
    };
    let short = conditions.first().cloned().unwrap_or_default();
    let full = conditions.join("And");
    let on = |condition: &str| {
        let prefixed = prefixed(condition);
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
        join(&[&subject, &prefixed(&full), &outcome]),
        join(&[&subject, &prefixed(&short), &outcome]),
        if values.is_empty() { String::new() } else { join(&[&subject, &prefixed(&values), &outcome]) },
        if said.is_empty() { String::new() } else { join(&[&subject, &prefixed(&full), &said]) },
        join(&[&subject, &on(&values), &outcome]),
        join(&[&subject, &prefixed(&and(&full, &values)), &outcome]),
        join(&[&subject, &prefixed(&described.0), &outcome]),
        join(&[&subject, &on_made(&described.1), &outcome]),
        join(&[&subject, &on_made(&described.1), &prefixed(&described.0), &outcome]),
        join(&[&subject, &after, &outcome]),
        join(&[&subject, &after, &prefixed(&full), &outcome]),
        join(&[&subject, &after, &prefixed(&described.0), &outcome]),
        join(&[&subject, &on_made(&described.1), &after, &prefixed(&described.0), &outcome]),
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

fn on_made(made: &str) -> String {
    if made.is_empty() { String::new() } else { format!("on{made}") }
}

/// The arguments and the receiver of the call in words that tell how they were made.
fn descriptions(test: &AssertedTest) -> (String, String) {
    let Some(call) = target_call(test) else { return Default::default() };
    let kind = &test.test.statements[call].kind;
    let words: Vec<String> = match kind {
        StatementKind::Call { receiver: Some(receiver), args, .. } if args.contains(receiver) => vec!["Itself".into()],
        _ => arguments(kind).map_or(&[][..], |(_, args)| args).iter().map(|arg| description(test, *arg, 2)).collect(),
    };
    let receiver = match kind {
        StatementKind::Call { receiver: Some(receiver), .. } => description(test, *receiver, 2),
        _ => String::new(),
    };
    (words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join("And"), receiver)
}

/// `is('a')` gives `IsA`, `new Node(1, "x")` gives `Node1AndX`, a list of its own gives `ArrayList`.
fn description(test: &AssertedTest, variable: VarId, depth: u32) -> String {
    let statement = &test.test.statements[variable.index()];
    let made_of = |args: &[VarId]| {
        let words = args.iter().map(|arg| if depth == 0 { String::new() } else { description(test, *arg, depth - 1) });
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("And")
    };
    match &statement.kind {
        StatementKind::Literal(Literal::Boolean(value)) => if *value { "True" } else { "False" }.into(),
        StatementKind::Literal(Literal::Str(units)) => {
            special(test, variable, true).filter(|_| text(units).is_none()).or_else(|| text(units)).unwrap_or_default()
        }
        StatementKind::Literal(literal) => {
            plain(literal).or_else(|| special(test, variable, true)).unwrap_or_else(|| type_word(&statement.ty))
        }
        StatementKind::Construct { constructor, args } => format!("{}{}", simple(&constructor.owner), made_of(args)),
        StatementKind::Call { method, receiver: None, args, .. } if &*method.name == "valueOf" => made_of(args),
        StatementKind::Call { method, args, .. } => format!("{}{}", constant_word(&method.name), made_of(args)),
        StatementKind::GetField { field, .. } => constant_word(&field.name),
        _ => type_word(&statement.ty),
    }
}

/// The last call that its receiver saw before: `afterAdd`.
fn before_call(test: &AssertedTest) -> String {
    let Some(call) = target_call(test) else { return String::new() };
    let StatementKind::Call { receiver: Some(object), .. } = &test.test.statements[call].kind else { return String::new() };
    let earlier = test.test.statements[..call].iter().rev().find_map(|statement| match &statement.kind {
        StatementKind::Call { method, receiver: Some(receiver), .. } if receiver == object => Some(constant_word(&method.name)),
        _ => None,
    });
    earlier.map_or_else(String::new, |name| format!("after{name}"))
}

/// `with…` or `when…`.
fn prefixed(condition: &str) -> String {
    if condition.is_empty() || condition.starts_with("when") { condition.to_string() } else { format!("with{condition}") }
}

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

fn subject(test: &AssertedTest) -> String {
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

/// At most two conditions: what is special about the arguments of the call, else about those that its receiver was made from.
fn conditions(program: &Program, test: &AssertedTest) -> Vec<String> {
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

fn argument_words(program: &Program, test: &AssertedTest, index: usize, receiver: bool) -> Vec<String> {
    let Some((method, args)) = arguments(&test.test.statements[index].kind) else { return Vec::new() };
    let resolved = program.resolve(method);
    let names: Vec<Option<String>> =
        resolved.as_ref().map(|found| found.class.parameter_names(found.method()).to_vec()).unwrap_or_default();
    let mut words: Vec<String> = Vec::new();
    for (position, arg) in args.iter().enumerate() {
        let Some(word) = special(test, *arg, args.len() == 1) else { continue };
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

/// Not `arg0`, `p1` or the like, which compilers and obfuscators leave.
fn is_telling(name: &str) -> bool {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric());
    let numbered = name.trim_end_matches(|c: char| c.is_ascii_digit());
    plain && name.len() <= 20 && !(numbered.len() < name.len() && matches!(numbered, "arg" | "p" | "param" | "var"))
}

fn type_word(ty: &JavaType) -> String {
    match ty {
        JavaType::Array(element) => format!("{}Array", type_word(element)),
        JavaType::Class(name) => {
            let simple: String =
                name.local_name().rsplit('$').next().unwrap_or_default().chars().filter(char::is_ascii_alphanumeric).collect();
            capitalised(&simple)
        }
        JavaType::Boolean => "Boolean".into(),
        JavaType::Byte => "Byte".into(),
        JavaType::Char => "Char".into(),
        JavaType::Short => "Short".into(),
        JavaType::Int => "Int".into(),
        JavaType::Long => "Long".into(),
        JavaType::Float => "Float".into(),
        JavaType::Double => "Double".into(),
        JavaType::Void => "Void".into(),
    }
}

/// The word for an argument that is a boundary case; booleans only where they stand alone.
fn special(test: &AssertedTest, variable: VarId, alone: bool) -> Option<String> {
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
            Literal::Float(bits) => float_word(f64::from(f32::from_bits(*bits)))?,
            Literal::Double(bits) => float_word(f64::from_bits(*bits))?,
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

fn float_word(value: f64) -> Option<&'static str> {
    match value {
        value if value.is_nan() => Some("NaN"),
        value if value.is_infinite() => Some("Infinite"),
        0.0 => Some("Zero"),
        value if value < 0.0 => Some("Negative"),
        _ => None,
    }
}

/// The plain values of the arguments, for tests that differ in nothing else.
fn values(test: &AssertedTest) -> String {
    let Some(call) = target_call(test) else { return String::new() };
    let Some((_, args)) = arguments(&test.test.statements[call].kind) else { return String::new() };
    let words: Vec<String> = args
        .iter()
        .filter_map(|arg| match &test.test.statements[arg.index()].kind {
            StatementKind::Literal(literal) => plain(literal),
            StatementKind::GetField { field, receiver: None } => Some(constant_word(&field.name)),
            _ => None,
        })
        .collect();
    words.join("And")
}

fn plain(literal: &Literal) -> Option<String> {
    match literal {
        Literal::Boolean(value) => Some(if *value { "True".into() } else { "False".into() }),
        Literal::Byte(value) => number(i64::from(*value)),
        Literal::Short(value) => number(i64::from(*value)),
        Literal::Int(value) => number(i64::from(*value)),
        Literal::Long(value) => number(*value),
        Literal::Char(unit) => text(&[*unit]),
        Literal::Str(units) => text(units),
        Literal::Float(bits) => decimal(&f32::from_bits(*bits).to_string()),
        Literal::Double(bits) => decimal(&f64::from_bits(*bits).to_string()),
        Literal::Class(ty) => Some(format!("{}Class", type_word(ty))),
        _ => None,
    }
}

fn number(value: i64) -> Option<String> {
    match value {
        0 => Some("Zero".into()),
        1..=99_999 => Some(value.to_string()),
        -99_999..=-1 => Some(format!("Minus{}", -value)),
        _ => None,
    }
}

/// A short text in words: `"a "` is `ASpace`.
fn text(units: &[u16]) -> Option<String> {
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

/// The first words of a message.
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

/// The constant that the method is called on.
fn receiver_constant(test: &AssertedTest) -> Option<String> {
    let call = target_call(test)?;
    let StatementKind::Call { receiver: Some(receiver), .. } = &test.test.statements[call].kind else { return None };
    match &test.test.statements[receiver.index()].kind {
        StatementKind::GetField { field, receiver: None } => Some(constant_word(&field.name)),
        _ => None,
    }
}

/// A finite number in its shortest decimal form, as a word.
fn decimal(written: &str) -> Option<String> {
    let plain = written.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '.'));
    (plain && written.len() <= 7).then(|| written.trim_end_matches(".0").replace('-', "Minus").replace('.', "Point"))
}

fn outcome(test: &AssertedTest) -> String {
    if let Some(expected) = &test.expected {
        return format!("throws{}", simple(&expected.class));
    }
    let call = target_call(test);
    let own = call.and_then(|call| test.assertions.iter().find(|assertion| assertion.subject.index() == call));
    if let Some(assertion) = own {
        let constructed = matches!(call.map(|call| &test.test.statements[call].kind), Some(StatementKind::Construct { .. }));
        let verb = if constructed { "creates" } else { "returns" };
        let word = match &assertion.fact {
            Fact::Null => "Null".into(),
            Fact::NotNull | Fact::InstanceOf(_) => type_word(&test.test.statements[assertion.subject.index()].ty),
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
    // What an inspector says afterwards.
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
        _ if constructor => test.target.as_ref().map_or_else(String::new, |target| format!("creates{}", simple(&target.owner))),
        _ => "succeeds".into(),
    }
}

fn simple(class: &ClassName) -> String {
    type_word(&JavaType::Class(class.clone()))
}

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
        Snapshot::Byte(value) => number(i64::from(*value)).unwrap_or_else(|| "Byte".into()),
        Snapshot::Short(value) => number(i64::from(*value)).unwrap_or_else(|| "Short".into()),
        Snapshot::Int(i32::MIN) => "Minimum".into(),
        Snapshot::Int(i32::MAX) => "Maximum".into(),
        Snapshot::Int(value) => number(i64::from(*value)).unwrap_or_else(|| "Int".into()),
        Snapshot::Long(value) => number(*value).unwrap_or_else(|| "Long".into()),
        Snapshot::Char(unit) => text(&[*unit]).unwrap_or_else(|| "Char".into()),
        Snapshot::Float(bits) => float_outcome(f64::from(f32::from_bits(*bits)), &f32::from_bits(*bits).to_string()),
        Snapshot::Double(bits) => float_outcome(f64::from_bits(*bits), &f64::from_bits(*bits).to_string()),
        Snapshot::Str(Some(units)) if units.is_empty() => "EmptyString".into(),
        Snapshot::Str(Some(units)) => text(units).unwrap_or_else(|| "String".into()),
        Snapshot::Boxed(inner) => value_word(inner),
        Snapshot::Enum { constant, .. } => constant_word(constant),
        Snapshot::ClassLiteral(ty) => format!("{}Class", type_word(ty)),
        Snapshot::Array { length: 0, .. } => "EmptyArray".into(),
        Snapshot::Array { element, .. } => format!("{}Array", type_word(element)),
        Snapshot::Object { class, .. } => simple(class),
        Snapshot::Str(None) => "String".into(),
        Snapshot::Absent => String::new(),
    }
}

fn float_outcome(value: f64, written: &str) -> String {
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
        _ => decimal(written).unwrap_or_else(|| "Number".into()),
    }
}
