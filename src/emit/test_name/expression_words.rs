//! Words for the values that a test makes: what it writes down, and the expressions that make objects.
//! In: a variable of a test; out: words for it. Must not know what part of a name they become.

use crate::program::{ClassName, JavaType, MethodRef};
use crate::testcase::{Literal, StatementKind, VarId};

use super::named_test::{NamedTest, literal_behind};
use super::value_words::count_word;
use super::value_words::{boundary_word, class_word, constant_word, literal_word, static_word, type_word};

/// The word for an argument that is a boundary case.
pub(super) fn boundary_of(named: &NamedTest<'_>, variable: VarId) -> Option<String> {
    match named.kind(variable) {
        StatementKind::Literal(literal) => boundary_word(literal).map(String::from),
        StatementKind::Construct { constructor, args } if args.is_empty() && is_text_builder(&constructor.owner) => {
            (named.test.test.users(variable).count() == 1).then(|| "Empty".into())
        }
        _ => (named.element_count(variable) == Some(0)).then(|| "Empty".into()),
    }
}

/// Whether the class collects characters.
fn is_text_builder(class: &ClassName) -> bool {
    matches!(class.internal(), "java/lang/StringBuilder" | "java/lang/StringBuffer")
}

/// The word for a value that the test writes down: a literal, a constant, an array of literals.
pub(super) fn value_of(named: &NamedTest<'_>, variable: VarId) -> Option<String> {
    if let Some(literal) = literal_behind(named, variable) {
        return literal_word(literal);
    }
    match named.kind(variable) {
        StatementKind::GetField { field, receiver: None } => Some(static_word(field)),
        StatementKind::Array { length: length @ 1..=5, elements, .. } if is_unchanged_array(named, variable) => {
            let words: Option<Vec<String>> = elements.iter().map(|element| value_of(named, *element)).collect();
            let are_flags = words.iter().flatten().all(|word| word == "True" || word == "False");
            let between = if are_flags { "" } else { "And" };
            words.filter(|words| words.len() == *length as usize).map(|words| words.join(between))
        }
        _ => None,
    }
}

fn is_unchanged_array(named: &NamedTest<'_>, variable: VarId) -> bool {
    !named
        .before()
        .iter()
        .any(|statement| matches!(&statement.kind, StatementKind::PutElement { array, .. } if *array == variable))
}

/// The word for a value that a mock returns.
pub(super) fn answered(named: &NamedTest<'_>, value: VarId) -> String {
    let ty = type_word(&named.statement(value).ty);
    if let StatementKind::Call { method, receiver: None, args, .. } = named.kind(value)
        && method.owner.internal() == "java/util/Optional"
    {
        return args.first().map_or_else(|| "EmptyOptional".into(), |held| answered(named, *held));
    }
    match named.element_count(value) {
        Some(0) => format!("Empty{ty}"),
        Some(count) => format!("{ty}Of{}", count_word(count)),
        None => match boundary_of(named, value) {
            Some(word) if word == "Empty" || word == "Blank" => format!("{word}{ty}"),
            _ => value_of(named, value).unwrap_or(ty),
        },
    }
}

/// The expression that made a value, in words: `is('a')` gives `IsA`, `new Node(1, "x")` gives
/// `Node1AndX`.
pub(super) fn description(named: &NamedTest<'_>, variable: VarId, depth: u32) -> String {
    if let Some(literal) = literal_behind(named, variable) {
        let is_empty = matches!(literal, Literal::Str(units) if units.is_empty());
        let word = if is_empty { Some("Empty".into()) } else { literal_word(literal) };
        return word.unwrap_or_else(|| type_word(&named.statement(variable).ty));
    }
    let made_of = |args: &[VarId]| {
        let words = args.iter().map(|arg| if depth == 0 { String::new() } else { description(named, *arg, depth - 1) });
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("And")
    };
    match named.kind(variable) {
        StatementKind::Construct { constructor, args } => format!("{}{}", class_word(&constructor.owner), made_of(args)),
        StatementKind::Call { method, receiver: None, args, .. } if &*method.name == "valueOf" => made_of(args),
        StatementKind::Call { method, receiver: None, args, .. } if is_factory(method) => {
            factory_word(named, variable, method, args)
                .unwrap_or_else(|| format!("{}{}", class_word(&method.owner), made_of(args)))
        }
        // The name `of` alone does not say what the method makes: `Of1AndEUR`.
        StatementKind::Call { method, receiver: None, args, .. } if &*method.name == "of" => {
            format!("{}{}", class_word(&method.owner), made_of(args))
        }
        // So does that of another factory of a class, such as `getNamespace`, `allocate` or `is`.
        StatementKind::Call { method, receiver: None, args, .. }
            if method.return_type() == JavaType::Class(method.owner.clone()) =>
        {
            let told: Vec<VarId> = args.iter().copied().filter(|arg| value_of(named, *arg).is_some()).collect();
            format!("{}{}", class_word(&method.owner), made_of(&told))
        }
        StatementKind::Call { method, args, .. } => format!("{}{}", constant_word(&method.name), made_of(args)),
        StatementKind::GetField { field, .. } => static_word(field),
        StatementKind::Array { .. } => value_of(named, variable).unwrap_or_else(|| type_word(&named.statement(variable).ty)),
        _ => type_word(&named.statement(variable).ty),
    }
}

/// Whether the method is a factory of the JDK such as `of`, `ofMillis` or `asList`.
pub(super) fn is_factory(method: &MethodRef) -> bool {
    let unit = method.name.strip_prefix("of").unwrap_or(if &*method.name == "asList" { "" } else { "-" });
    method.owner.package().starts_with("java/") && !unit.starts_with(|c: char| !c.is_ascii_uppercase())
}

/// The word for what a factory of the JDK makes: `Date20240131`, `2Days`, `EpochMilli5`, `ListOfTwo`.
/// Its arguments alone would name something else.
pub(super) fn factory_word(named: &NamedTest<'_>, variable: VarId, method: &MethodRef, args: &[VarId]) -> Option<String> {
    let ty = type_word(&named.statement(variable).ty);
    match named.element_count(variable) {
        Some(0) => return Some(format!("Empty{ty}")),
        Some(count) => return Some(format!("{ty}Of{}", count_word(count))),
        None => {}
    }
    let number = |argument: &VarId| match literal_behind(named, *argument) {
        Some(Literal::Int(value)) => Some(i64::from(*value)),
        Some(Literal::Long(value)) => Some(*value),
        _ => None,
    };
    match (method.name.strip_prefix("of")?, args) {
        ("", [year, month, day]) if method.owner.internal() == "java/time/LocalDate" => {
            match (number(year)?, number(month)?, number(day)?) {
                (year @ 0..=9999, month, day) => Some(format!("Date{year:04}{month:02}{day:02}")),
                _ => None,
            }
        }
        (unit, [amount]) if unit.starts_with("Epoch") => {
            Some(format!("{unit}{}", literal_word(literal_behind(named, *amount)?)?))
        }
        (unit, [amount]) if !unit.is_empty() && number(amount).is_some() => {
            Some(format!("{}{unit}", literal_word(literal_behind(named, *amount)?)?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::tests::sample_program;
    use crate::oracle::AssertedTest;

    /// The words for the last variable of the test.
    fn words(text: &str) -> String {
        let test: AssertedTest = text.parse().expect("well-formed");
        let last = VarId(test.test.len() as u32 - 1);
        description(&NamedTest::new(&sample_program(), &test), last, 2)
    }

    #[test]
    fn factories_have_the_words_of_what_they_make() {
        let numbers = "v0: I = int 24\nv1: I = int 1\nv2: I = int 5\nv3: J = long 3\n";
        let date = "v4: Ljava/time/LocalDate; = call method java/time/LocalDate.of (III)Ljava/time/LocalDate; (v0, v1, v2)\n";
        assert_eq!(words(&format!("{numbers}{date}")), "Date00240105");
        let of = |class: &str, name: &str| {
            words(&format!(
                "{numbers}v4: Ljava/time/{class}; = call method java/time/{class}.{name} (J)Ljava/time/{class}; (v3)\n"
            ))
        };
        assert_eq!([of("Duration", "ofDays"), of("Instant", "ofEpochMilli")], ["3Days", "EpochMilli3"]);
        let zone = "v0: I = int 2\nv1: I = int 1\n\
                    v2: Ljava/time/MonthDay; = call method java/time/MonthDay.of (II)Ljava/time/MonthDay; (v0, v1)\n";
        assert_eq!(words(zone), "MonthDay2And1");
        let factory = "v0: I = int 7\nv1: Lp/Foo; = null\n\
                       v2: Lp/Bag; = call method p/Bag.allocate (ILp/Foo;)Lp/Bag; (v0, v1)\n";
        assert_eq!(words(factory), "Bag7AndNull");
        let list = "v0: Ljava/lang/String; = string \"a\"\nv1: [Ljava/lang/Object; = array Ljava/lang/Object; 1 (v0)\n\
                    v2: Ljava/util/List; = call method java/util/Arrays.asList ([Ljava/lang/Object;)Ljava/util/List; (v1)\n";
        assert_eq!(words(list), "ListOfOne");
    }
}
