//! Words for what a test asserts. In: a test; out: the outcome where the call itself shows it, and
//! the other facts, among which the name chooses. Must not know other tests.

use super::request_words::response_words;
use crate::emit::names::{camel, capitalised};
use crate::execution::{ContainerKind, HeldValues, Snapshot};
use crate::oracle::{Assertion, FIELD_ERROR_OF, Fact, HAS_FIELD_ERROR, is_command};
use crate::program::{ClassName, JavaType, MethodModel, MethodRef, RouteEnd};
use crate::testcase::{Literal, StatementKind, VarId};

use super::named_test::{NamedTest, literal_behind, operands};
use super::value_words::{
    class_word, constant_word, count_word, first_words, is_trivial, literal_word, static_word, text_word, type_word, value_word,
};

/// Longest words of one fact.
const LONGEST_FACT: usize = 40;

/// What a fact is about. The first kinds say more about the method under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum About {
    /// The result of the call.
    Result,
    /// The receiver.
    Receiver,
    /// A call that a mock received.
    Call,
    /// The receiver, with a value that says little.
    TrivialReceiver,
    /// An argument or another object.
    Other,
}

/// An asserted fact in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OutcomeFact {
    pub(super) about: About,
    /// What was read: tests of the same method that differ in its value are told apart by it.
    pub(super) inspector: String,
    /// `sizeIs2`
    pub(super) words: String,
    /// The value says little.
    pub(super) is_trivial: bool,
    /// Of a call that the method makes only under a condition, or did not make because of one: the bci of the last
    /// such condition.
    pub(super) decided_at: Option<u32>,
}

/// The outcome that the call itself shows: an exception, a response, a result, a new object. `None`
/// where only other facts show it.
pub(super) fn own_outcome(named: &NamedTest<'_>) -> Option<String> {
    let test = named.test;
    if let Some(expected) = &test.expected {
        return Some(format!("throws{}", class_word(&expected.class)));
    }
    if let Some(words) = response_words(test).or_else(|| restored_words(named)) {
        return Some(words);
    }
    let is_constructor = test.target.as_ref().is_some_and(|target| &*target.name == "<init>");
    let created = || test.target.as_ref().map(|target| format!("creates{}", class_word(&target.owner)));
    let Some(call) = named.call else { return created().filter(|_| is_constructor) };
    match test.assertions.iter().find(|assertion| assertion.subject.index() == call) {
        _ if is_constructor => created(),
        // What a call did to its receiver says more than that it returned it.
        Some(Assertion { fact: Fact::SameAs(same), .. }) if is_told_by_state(named, *same) => None,
        Some(assertion) => Some(format!("returns{}", result_word(named, assertion))),
        None => None,
    }
}

/// Whether the value is the receiver, whose state the test asserts.
fn is_told_by_state(named: &NamedTest<'_>, same: VarId) -> bool {
    named.receiver() == Some(same) && facts(named).iter().any(|fact| fact.about <= About::TrivialReceiver)
}

/// Of a test that compares an object with the one that was read from its bytes, whether they are equal.
fn restored_words(named: &NamedTest<'_>) -> Option<String> {
    let test = named.test;
    let trip = test.test.round_trip().filter(|trip| Some(trip.read.index()) == named.call)?;
    let is_comparison = |assertion: &&Assertion| match named.kind(assertion.subject) {
        StatementKind::Call { receiver, args, .. } => *receiver == Some(trip.written) && args[..] == [trip.read],
        _ => false,
    };
    let word = type_word(&named.statement(trip.written).ty);
    match test.assertions.iter().find(is_comparison)?.fact {
        Fact::Equals(Snapshot::Boolean(true)) => Some(format!("restores{word}")),
        Fact::Equals(Snapshot::Boolean(false)) => Some(format!("restoresOther{word}")),
        _ => None,
    }
}

/// The word for the asserted result of the call.
fn result_word(named: &NamedTest<'_>, assertion: &Assertion) -> String {
    let ty = type_word(&named.statement(assertion.subject).ty);
    match &assertion.fact {
        Fact::Null => "Null".into(),
        Fact::InstanceOf(class) => Some(class_word(class)).filter(|word| is_word(word)).unwrap_or(ty),
        Fact::NotNull | Fact::Called { .. } if ty == "Object" => "NonNull".into(),
        Fact::NotNull | Fact::Called { .. } => ty,
        Fact::SameAs(other) if named.receiver() == Some(*other) => "This".into(),
        Fact::SameAs(other) if named.arguments().contains(other) => "Argument".into(),
        Fact::SameAs(other) => match named.kind(*other) {
            StatementKind::GetField { field, receiver: None } => static_word(field),
            _ => given_word(named, *other)
                .unwrap_or_else(|| if ty == "Object" { "SameInstance".into() } else { format!("Same{ty}") }),
        },
        Fact::Equals(value) => given_property(named, value)
            .or_else(|| record_word(named, &named.statement(assertion.subject).ty, value))
            .unwrap_or_else(|| value_word(value)),
    }
}

/// The word for a record of the class that the method declares anyway: `ImportResultWithUpdated1`. `None` for other
/// values; the class of another record says enough.
fn record_word(named: &NamedTest<'_>, declared: &JavaType, value: &Snapshot) -> Option<String> {
    let Snapshot::Container(HeldValues { kind: ContainerKind::Record(class), elements }) = value else { return None };
    if *declared != JavaType::Class(class.clone()) {
        return None;
    }
    let model = named.program.class(class)?;
    let names: Vec<Option<&str>> = match model.file.record_components().ok().flatten() {
        Some(components) => components.iter().map(|component| Some(component.name)).collect(),
        // A data class of Kotlin.
        None => {
            let takes_all = |method: &&MethodModel| method.name() == "<init>" && method.parameters.len() == elements.len();
            let mut constructors = model.methods.iter().filter(takes_all);
            let (Some(only), None) = (constructors.next(), constructors.next()) else { return None };
            model.parameter_names(only).iter().map(Option::as_deref).collect()
        }
    };
    let component = |(name, value): (&Option<&str>, &Snapshot)| component_word((*name)?, value);
    match names.iter().zip(elements).find_map(component) {
        Some(component) => Some(format!("{}With{component}", class_word(class))),
        None => elements.iter().any(is_empty).then(|| format!("Empty{}", class_word(class))),
    }
}

/// The word for a component of a record; `None` for one that is not filled.
fn component_word(name: &str, value: &Snapshot) -> Option<String> {
    let name = capitalised(name);
    match value {
        Snapshot::Boxed(inner) => component_word(&name, inner),
        Snapshot::Boolean(true) => Some(name),
        Snapshot::Container(HeldValues { kind: ContainerKind::Record(_) | ContainerKind::Value(_), .. }) => {
            Some(format!("{name}{}", value_word(value)))
        }
        Snapshot::Container(held) => (!held.elements.is_empty()).then_some(name),
        value if is_initial_value(value) => None,
        value => Some(if value_word(value) == name { name } else { format!("{name}{}", value_word(value)) }),
    }
}

/// Whether a component that nothing was given for has the value.
fn is_initial_value(value: &Snapshot) -> bool {
    match value {
        Snapshot::Boolean(false) | Snapshot::Byte(0) | Snapshot::Short(0) | Snapshot::Char(0) | Snapshot::Int(0) => true,
        Snapshot::Long(0) | Snapshot::Float(0) | Snapshot::Double(0) => true,
        value => *value == Snapshot::Null || is_empty(value),
    }
}

/// Whether the value is an empty text or an empty container.
fn is_empty(value: &Snapshot) -> bool {
    match value {
        Snapshot::Str(Some(units)) => units.is_empty(),
        Snapshot::Container(HeldValues { kind: ContainerKind::Record(_) | ContainerKind::Value(_), .. }) => false,
        Snapshot::Container(held) => held.elements.is_empty(),
        _ => false,
    }
}

/// The property that the test gave this text as its value: `Email` of `setEmail("name@example.org")`. A text
/// of one word says more.
fn given_property(named: &NamedTest<'_>, value: &Snapshot) -> Option<String> {
    let Snapshot::Str(Some(units)) = value else { return None };
    let is_word = |unit: &u16| u8::try_from(*unit).is_ok_and(|byte| byte.is_ascii_alphanumeric());
    if units.is_empty() || units.iter().all(is_word) {
        return None;
    }
    let is_value = |argument: &VarId| matches!(literal_behind(named, *argument), Some(Literal::Str(given)) if given == units);
    named.before().iter().find_map(|statement| match &statement.kind {
        StatementKind::Call { method, receiver: Some(_), args, .. } => {
            let property = method.name.strip_prefix("set").filter(|rest| is_capital(rest))?;
            matches!(&args[..], [only] if is_value(only)).then(|| property.to_owned())
        }
        StatementKind::Construct { constructor, args } if named.program.is_project(&constructor.owner) => {
            let position = args.iter().position(is_value)?;
            Some(named.role(constructor, position, args[position])).filter(|role| !role.is_empty() && role != "String")
        }
        _ => None,
    })
}

/// The word for an object that the receiver got before: `GivenName` from its constructor, else
/// `AddedElement`.
fn given_word(named: &NamedTest<'_>, object: VarId) -> Option<String> {
    let receiver = named.receiver()?;
    if let Some((method, args)) = operands(named.kind(receiver))
        && let Some(position) = args.iter().position(|argument| *argument == object)
    {
        let role = named.role(method, position, object);
        return (!role.is_empty()).then(|| format!("Given{role}"));
    }
    let is_added = named.before().iter().any(|statement| match &statement.kind {
        StatementKind::Call { method, receiver: Some(on), args, .. } => {
            *on == receiver && method.name.starts_with("add") && args.last() == Some(&object)
        }
        _ => false,
    });
    is_added.then(|| "AddedElement".into())
}

fn is_word(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// The words for a test without a telling assertion.
pub(super) const NO_FACT: &str = "doesNotThrow";

/// All facts that have words, in the order of the assertions.
pub(super) fn facts(named: &NamedTest<'_>) -> Vec<OutcomeFact> {
    let facts = named.test.assertions.iter().filter_map(|assertion| fact_words(named, assertion));
    facts.filter(|fact| !fact.words.is_empty() && fact.words.len() <= LONGEST_FACT).collect()
}

fn fact_words(named: &NamedTest<'_>, assertion: &Assertion) -> Option<OutcomeFact> {
    let Assertion { subject, fact } = assertion;
    if let Fact::Called { method, times, .. } = fact {
        return Some(call_words(named, *subject, method, *times));
    }
    if Some(subject.index()) == named.call {
        return None;
    }
    let is_restored = |args: &[VarId]| named.test.test.round_trip().is_some_and(|trip| args == [trip.read]);
    if matches!(named.kind(*subject), StatementKind::Call { args, .. } if is_restored(args)) {
        return None;
    }
    let is_trivial = match fact {
        Fact::Equals(value) => is_trivial(value),
        Fact::Null | Fact::NotNull => true,
        _ => false,
    };
    let (inspected, name) = match named.kind(*subject) {
        StatementKind::Call { method, receiver: None, .. } if tells_static_state(named, *subject, method) => {
            let about = if is_trivial { About::TrivialReceiver } else { About::Receiver };
            let words = inspected_words(named, *subject, &method.name, fact, About::Receiver)?;
            return Some(OutcomeFact { about, inspector: method.name.to_string(), words, is_trivial, decided_at: None });
        }
        StatementKind::Call { method, receiver: Some(receiver), args, .. } => {
            // A call of the test itself that happens to be asserted is no state after the call.
            let is_inspector = subject.0 >= named.test.acted || args.is_empty();
            (*receiver, is_inspector.then_some(&method.name)?)
        }
        StatementKind::GetField { field, receiver: Some(receiver) } => (*receiver, &field.name),
        StatementKind::Array { .. } if named.arguments().contains(subject) => return filled_array(fact),
        // What the call wrote to its argument.
        StatementKind::Construct { .. } => return written_collection(fact),
        _ => return None,
    };
    if named.call.is_some_and(|call| subject.index() < call) {
        return None;
    }
    if let Some((errors, words)) = field_verdict(named, *subject, fact) {
        let about = if Some(errors.index()) == named.call { About::Result } else { About::Other };
        let is_trivial = *fact == Fact::Equals(Snapshot::Boolean(false));
        return Some(OutcomeFact { about, inspector: name.to_string(), words, is_trivial, decided_at: None });
    }
    let about = match () {
        () if Some(inspected.index()) == named.call => About::Result,
        () if Some(inspected) == named.receiver() && is_trivial => About::TrivialReceiver,
        () if Some(inspected) == named.receiver() => About::Receiver,
        () => About::Other,
    };
    // A getter of a type variable gives what the container holds: `Optional.get`, `List.get`, `getBody`.
    let is_held = match named.kind(inspected) {
        StatementKind::Call { receiver: Some(holder), method, .. } => {
            Some(holder.index()) == named.call && method.descriptor.ends_with(")Ljava/lang/Object;")
        }
        _ => false,
    };
    let words = match about {
        // Of an `Optional`, a list or a response.
        About::Other if is_held => format!("returns{}", type_word(&named.statement(inspected).ty)),
        About::Other => left_words(named, inspected, name, fact)?,
        _ => inspected_words(named, inspected, name, fact, about)?,
    };
    Some(OutcomeFact { about, inspector: name.to_string(), words, is_trivial, decided_at: None })
}

/// Whether the statement is an inspector that reads static state of the class under test.
fn tells_static_state(named: &NamedTest<'_>, subject: VarId, method: &MethodRef) -> bool {
    let is_own = named.test.target.as_ref().is_some_and(|target| target.owner == method.owner);
    is_own && subject.0 >= named.test.acted
}

/// `callsMailerSendTwice`, `doesNotCallMailerSend`.
fn call_words(named: &NamedTest<'_>, mock: VarId, called: &MethodRef, times: u32) -> OutcomeFact {
    let method = constant_word(&called.name);
    let calls = if times == 0 { "doesNotCall" } else { "calls" };
    let full = format!("{calls}{}{method}", type_word(&named.statement(mock).ty));
    let name = if full.len() <= LONGEST_FACT - 10 { full } else { format!("{calls}{method}") };
    let how_often = match times {
        1 if calls_again(named) => "Once".into(),
        0 | 1 => String::new(),
        2 => "Twice".into(),
        more => format!("{}Times", count_word(more as usize)),
    };
    // A question is no effect. A test that says which call does not come is about that.
    let is_trivial = times != 0 && !is_command(called);
    let end = if times == 0 { RouteEnd::Avoided(called) } else { RouteEnd::Called(called) };
    let words = format!("{name}{how_often}");
    OutcomeFact { about: About::Call, inspector: "calls".into(), words, is_trivial, decided_at: decided_at(named, end) }
}

/// Whether the test called the method under test before.
fn calls_again(named: &NamedTest<'_>) -> bool {
    let is_target =
        |kind: &StatementKind| matches!(kind, StatementKind::Call { method, .. } if named.test.target.as_ref() == Some(method));
    named.before().iter().any(|statement| is_target(&statement.kind))
}

/// The last condition in the method under test that decided about the end.
fn decided_at(named: &NamedTest<'_>, end: RouteEnd<'_>) -> Option<u32> {
    let route = named.program.route(named.test.target.as_ref()?, &named.test.ways)?;
    let decisions = route.decisions(end).into_iter().filter(|decision| !decision.passes_check);
    decisions.flat_map(|decision| decision.operands).map(|operand| operand.bci).max()
}

/// The words for an array among the arguments after the call.
fn filled_array(fact: &Fact) -> Option<OutcomeFact> {
    let Fact::Equals(value) = fact else { return None };
    let word = value_word(value);
    let words = word.strip_prefix("ArrayOf").map_or_else(|| "fillsArray".to_string(), |cells| format!("fillsArrayWith{cells}"));
    Some(OutcomeFact { about: About::Other, inspector: "fills".into(), words, is_trivial: false, decided_at: None })
}

/// The words for a collection among the arguments after the call: `leavesListOfA`.
fn written_collection(fact: &Fact) -> Option<OutcomeFact> {
    let Fact::Equals(value @ Snapshot::Container(_)) = fact else { return None };
    let words = format!("leaves{}", value_word(value));
    Some(OutcomeFact { about: About::Other, inspector: "leaves".into(), words, is_trivial: false, decided_at: None })
}

/// The property that a getter reads: `size`, `name` of `getName`.
fn property(name: &str) -> String {
    let getter = name.strip_prefix("get").filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    camel(getter.unwrap_or(name))
}

/// The words for what an inspector of the result or of the receiver returns.
fn inspected_words(named: &NamedTest<'_>, inspected: VarId, name: &str, fact: &Fact, about: About) -> Option<String> {
    let property = property(name);
    if about != About::Result && is_set(named, &property, fact) {
        return Some(format!("sets{}", capitalised(&property)));
    }
    match (name, fact) {
        ("hashCode", _) => None,
        ("toString", Fact::Equals(Snapshot::Str(Some(units)))) if about == About::Result => {
            result_text(named, &named.statement(inspected).ty, units)
        }
        ("toString", Fact::Equals(Snapshot::Str(Some(units)))) => text_word(units).map(|word| format!("textIs{word}")),
        // All that a list holds.
        ("toArray", Fact::Equals(Snapshot::Array { length: length @ 1.., .. })) if about == About::Result => {
            Some(format!("sizeIs{length}"))
        }
        (_, Fact::Equals(Snapshot::Boolean(holds))) => Some(truth_words(name, *holds)),
        // `cityIsCity` says nothing, nor does `skuIsSku2`.
        (_, Fact::Equals(value)) if is_named_as(named, value, &property) => Some(format!("has{}", capitalised(&property))),
        (_, Fact::Equals(value)) => Some(format!("{property}Is{}", value_word(value))),
        (_, Fact::Null) => Some(format!("{property}IsNull")),
        (_, Fact::NotNull) => Some(format!("has{}", capitalised(&property))),
        (_, Fact::SameAs(other)) if named.receiver() == Some(*other) => Some(format!("{property}IsThis")),
        (_, Fact::SameAs(_)) => Some(format!("keeps{}", capitalised(&property))),
        (_, Fact::InstanceOf(class)) => {
            Some(class_word(class)).filter(|word| is_word(word)).map(|word| format!("{property}Is{word}"))
        }
        (_, Fact::Called { .. }) => None,
    }
}

/// Whether the value is a text that is named as the property, or that the test gave for such a property.
fn is_named_as(named: &NamedTest<'_>, value: &Snapshot, property: &str) -> bool {
    let word = value_word(value);
    let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_given = || given_property(named, value).is_some_and(|given| given.eq_ignore_ascii_case(property));
    matches!(value, Snapshot::Str(_)) && (name.eq_ignore_ascii_case(property) || is_given())
}

/// `isEmpty`, `isNotEmpty`, `hasNext`, `hasNoNext`, `containsIsTrue`.
fn truth_words(name: &str, holds: bool) -> String {
    let rest = |prefix: &str| name.strip_prefix(prefix).filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    match (rest("is"), rest("has"), holds) {
        (Some(_), ..) | (_, Some(_), _) if holds => camel(name),
        (Some(state), ..) => format!("isNot{state}"),
        (_, Some(part), _) => format!("hasNo{part}"),
        (.., true) => format!("{}IsTrue", property(name)),
        (.., false) => format!("{}IsFalse", property(name)),
    }
}

/// Whether the call is a setter and the fact says that the property has the value that was set.
fn is_set(named: &NamedTest<'_>, property: &str, fact: &Fact) -> bool {
    let Some((method, [argument])) = named.operands() else { return false };
    let is_setter = method.name.strip_prefix("set").is_some_and(|name| camel(name) == *property);
    is_setter && is_value_of(named, *argument, fact)
}

/// The words for a result that only its text describes: `returnsEmptyList`, `returnsListOfA`.
fn result_text(named: &NamedTest<'_>, ty: &JavaType, units: &[u16]) -> Option<String> {
    let text = String::from_utf16_lossy(units);
    let word = type_word(ty);
    let is = |ancestor: &str| match ty {
        JavaType::Class(class) => class.internal() == ancestor || named.program.is_subclass(class, &ClassName::new(ancestor)),
        _ => false,
    };
    let inner = |open: &str, close: &str| -> Option<String> {
        let held = text.strip_prefix(open)?.strip_suffix(close)?;
        let held: Vec<u16> = held.encode_utf16().collect();
        text_word(&held)
    };
    if is("java/util/Collection") {
        return Some(match text.as_str() {
            "[]" => format!("returnsEmpty{word}"),
            _ => inner("[", "]").map_or_else(|| format!("returnsNonEmpty{word}"), |held| format!("returns{word}Of{held}")),
        });
    }
    if is("java/util/Map") {
        return Some(if text == "{}" { format!("returnsEmpty{word}") } else { format!("returnsNonEmpty{word}") });
    }
    if is("java/util/Optional") {
        return Some(match text.as_str() {
            "Optional.empty" => "returnsEmptyOptional".into(),
            _ => {
                inner("Optional[", "]").map_or_else(|| "returnsPresentOptional".into(), |held| format!("returnsOptionalOf{held}"))
            }
        });
    }
    if units.is_empty() {
        return Some(format!("returnsEmpty{word}"));
    }
    // What is null is no news: `Item(id=null)` gives `Item`.
    let told: Vec<u16> = before_null(&text).encode_utf16().collect();
    text_word(units).or_else(|| first_words(&told)).or_else(|| first_words(units)).map(|held| format!("returns{held}"))
}

/// The text in front of the first property that is null.
fn before_null(text: &str) -> &str {
    let is_letter = |c: char| c.is_ascii_alphanumeric();
    let is_word = |at: usize| !text[..at].ends_with(is_letter) && !text[at + 4..].starts_with(is_letter);
    let is_of_property = |c: char| is_letter(c) || matches!(c, '=' | ':' | ' ' | '\'');
    match text.match_indices("null").map(|(at, _)| at).find(|at| is_word(*at)) {
        Some(at) => text[..at].trim_end_matches(is_of_property),
        None => text,
    }
}

/// The words for an argument or another object after the call: `setsFormSku`, `leavesFormSkuNull`.
fn left_words(named: &NamedTest<'_>, inspected: VarId, name: &str, fact: &Fact) -> Option<String> {
    let object = type_word(&named.statement(inspected).ty);
    let read = property(name);
    let read = capitalised(read.strip_prefix("is").filter(|rest| is_capital(rest)).unwrap_or(&read));
    if let Some(verb) = change_verb(named, inspected, &read, fact) {
        match fact {
            Fact::Equals(Snapshot::Str(_) | Snapshot::Container(_)) | Fact::SameAs(_) => {
                return Some(format!("{verb}{object}{read}"));
            }
            Fact::Equals(_) if verb == "keeps" => return Some(format!("keeps{object}{read}")),
            Fact::Equals(value) => return Some(format!("sets{object}{read}To{}", value_word(value))),
            _ => {}
        }
    }
    let property = match name {
        "hashCode" => return None,
        "toString" => String::new(),
        _ => read,
    };
    let value = match fact {
        Fact::Equals(Snapshot::Str(Some(units))) if property.is_empty() && is_text_of_jdk(named, inspected) => {
            return Some(format!("writes{}", text_word(units).unwrap_or_else(|| "Text".into())));
        }
        Fact::Equals(Snapshot::Str(Some(units))) if property.is_empty() => text_word(units)?,
        Fact::Equals(value) => value_word(value),
        Fact::Null => "Null".into(),
        _ => return None,
    };
    Some(format!("leaves{object}{property}{value}"))
}

/// What the call did to a property that the object has a setter for: `keeps` where the test gave it the same
/// value before, else `sets`.
fn change_verb(named: &NamedTest<'_>, object: VarId, property: &str, fact: &Fact) -> Option<&'static str> {
    let setter = format!("set{property}");
    let JavaType::Class(class) = &named.statement(object).ty else { return None };
    let model = named.program.class(class)?;
    if !model.methods.iter().any(|method| method.name() == setter) {
        return None;
    }
    let given = named.before().iter().rev().find_map(|statement| match &statement.kind {
        StatementKind::Call { method, receiver: Some(on), args, .. } if *on == object && *method.name == *setter => {
            args.first().copied()
        }
        _ => None,
    });
    Some(if given.is_some_and(|given| is_value_of(named, given, fact)) { "keeps" } else { "sets" })
}

/// Whether the fact says that something has the value of the variable.
fn is_value_of(named: &NamedTest<'_>, variable: VarId, fact: &Fact) -> bool {
    match fact {
        Fact::SameAs(other) => *other == variable,
        Fact::Null => literal_behind(named, variable) == Some(&Literal::Null),
        Fact::Equals(value) => {
            let word = match named.kind(variable) {
                StatementKind::GetField { field, receiver: None } => Some(static_word(field)),
                _ => match literal_behind(named, variable) {
                    Some(Literal::Str(units)) => Some(value_word(&Snapshot::Str(Some(units.clone())))),
                    literal => literal.and_then(literal_word),
                },
            };
            word.is_some_and(|word| word == value_word(value))
        }
        _ => false,
    }
}

/// What a validator of Spring says of a field, and what collects its errors: `rejectsPrice`,
/// `doesNotRejectPrice`.
fn field_verdict(named: &NamedTest<'_>, subject: VarId, fact: &Fact) -> Option<(VarId, String)> {
    let called = |variable: VarId| match named.kind(variable) {
        StatementKind::Call { method, receiver: Some(receiver), args, .. } => Some((&*method.name, *receiver, args)),
        _ => None,
    };
    let (name, receiver, _) = called(subject)?;
    let (verb, asked) = match fact {
        Fact::Equals(Snapshot::Boolean(has_error)) if name == HAS_FIELD_ERROR => {
            (if *has_error { "rejects" } else { "doesNotReject" }, subject)
        }
        Fact::Equals(_) => ("rejects", receiver),
        _ => return None,
    };
    let (name, errors, args) = called(asked)?;
    let [field] = args[..] else { return None };
    let Literal::Str(units) = literal_behind(named, field).filter(|_| [FIELD_ERROR_OF, HAS_FIELD_ERROR].contains(&name))? else {
        return None;
    };
    let field = String::from_utf16_lossy(units);
    field.chars().all(|c| c.is_ascii_alphanumeric()).then(|| (errors, format!("{verb}{}", capitalised(&field))))
}

/// Whether the object is a writer, stream or builder of the JDK, whose text is what was written to it.
fn is_text_of_jdk(named: &NamedTest<'_>, object: VarId) -> bool {
    match &named.statement(object).ty {
        JavaType::Class(class) => class.internal().starts_with("java/io/") || class.internal().starts_with("java/lang/"),
        _ => false,
    }
}

fn is_capital(rest: &str) -> bool {
    rest.starts_with(|c: char| c.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::tests::sample_program;
    use crate::oracle::AssertedTest;

    /// The outcome and the facts of a test of `p/Foo.next` with the argument 3.
    fn outcome(rest: &str) -> (Option<String>, Vec<String>) {
        let text = format!(
            "target p/Foo.next (I)I\nv0: I = int 3\nv1: Lp/Foo; = new p/Foo.<init> ()V ()\n\
             v2: I = call method p/Foo.next (I)I on v1 (v0)\nv3: I = call method p/Foo.getSize ()I on v1 ()\n\
             v4: Z = call method p/Foo.isOpen ()Z on v1 ()\n{rest}"
        );
        let test: AssertedTest = text.parse().expect("well-formed");
        let program = sample_program();
        let named = NamedTest::new(&program, &test);
        (own_outcome(&named), facts(&named).into_iter().map(|fact| fact.words).collect())
    }

    #[test]
    fn the_outcome_is_the_exception_or_the_asserted_result() {
        assert_eq!(outcome("assert v2 equals int 4\n").0.as_deref(), Some("returns4"));
        assert_eq!(outcome("throws java/lang/ArithmeticException\n").0.as_deref(), Some("throwsArithmeticException"));
        assert_eq!(outcome(""), (None, Vec::new()));
        assert_eq!(outcome("assert v2 same v1\n").0.as_deref(), Some("returnsThis"));
    }

    #[test]
    fn the_first_filled_component_tells_a_record_from_others() {
        let list = |elements: Vec<Snapshot>| Snapshot::Container(HeldValues::new(ContainerKind::List, elements));
        assert_eq!(component_word("updated", &Snapshot::Int(1)).as_deref(), Some("Updated1"));
        assert_eq!(component_word("errors", &list(vec![Snapshot::Null])).as_deref(), Some("Errors"));
        assert_eq!(component_word("open", &Snapshot::Boolean(true)).as_deref(), Some("Open"));
        for empty in [Snapshot::Int(0), Snapshot::Null, list(Vec::new()), Snapshot::Boxed(Box::new(Snapshot::Long(0)))] {
            assert_eq!(component_word("created", &empty), None, "{empty:?}");
        }
    }

    #[test]
    fn facts_about_the_receiver_have_words() {
        let found = outcome("assert v3 equals int 2\nassert v4 equals false\n");
        assert_eq!(found, (None, vec!["sizeIs2".into(), "isNotOpen".into()]));
    }

    #[test]
    fn what_a_call_sets_in_its_argument_is_told_from_what_it_keeps() {
        let words = |set: &str, call: u32| -> Vec<String> {
            let (name, count) = (call + 1, call + 2);
            let text = format!(
                "target p/Foo.fill (Lp/Form;)V\nacted {name}\nv0: Lp/Form; = new p/Form.<init> ()V ()\n\
                 v1: Ljava/lang/String; = string \"a b\"\n{set}v{call}: V = call method p/Foo.fill (Lp/Form;)V (v0)\n\
                 v{name}: Ljava/lang/String; = call method p/Form.getName ()Ljava/lang/String; on v0 ()\n\
                 v{count}: I = call method p/Form.getCount ()I on v0 ()\n\
                 assert v{name} equals string \"a b\"\nassert v{count} equals int 4\n"
            );
            let test: AssertedTest = text.parse().expect("well-formed");
            let program = sample_program();
            facts(&NamedTest::new(&program, &test)).into_iter().map(|fact| fact.words).collect()
        };
        assert_eq!(words("", 2), ["setsFormName", "setsFormCountTo4"]);
        let set = "v2: V = call method p/Form.setName (Ljava/lang/String;)V on v0 (v1)\n";
        assert_eq!(words(set, 3), ["keepsFormName", "setsFormCountTo4"]);
    }

    #[test]
    fn a_text_that_the_test_gave_is_named_as_its_property() {
        let outcome = |text: &str| {
            let text = format!(
                "target p/Foo.show (Lp/Form;)Ljava/lang/String;\nv0: Lp/Form; = new p/Form.<init> ()V ()\n\
                 v1: Ljava/lang/String; = string \"{text}\"\n\
                 v2: V = call method p/Form.setName (Ljava/lang/String;)V on v0 (v1)\n\
                 v3: Ljava/lang/String; = call method p/Foo.show (Lp/Form;)Ljava/lang/String; (v0)\n\
                 assert v3 equals string \"{text}\"\n"
            );
            let test: AssertedTest = text.parse().expect("well-formed");
            let program = sample_program();
            own_outcome(&NamedTest::new(&program, &test)).unwrap_or_default()
        };
        assert_eq!(outcome("a@b.example"), "returnsName");
        assert_eq!(outcome("word"), "returnsWord");
    }

    #[test]
    fn properties_that_are_null_are_no_news() {
        assert_eq!(before_null("Item(name=a, id=null)"), "Item(name=a,");
        assert_eq!(before_null("Item(nullable=1)"), "Item(nullable=1)");
    }

    #[test]
    fn a_value_that_is_named_as_its_property_is_not_told() {
        assert_eq!(outcome("assert v3 equals string \"size\"\n").1, ["hasSize"]);
    }

    #[test]
    fn truth_has_words_for_both_answers() {
        let words = |name: &str| [true, false].map(|holds| truth_words(name, holds));
        assert_eq!(words("isOpen"), ["isOpen", "isNotOpen"]);
        assert_eq!(words("hasNext"), ["hasNext", "hasNoNext"]);
        assert_eq!(words("contains"), ["containsIsTrue", "containsIsFalse"]);
    }
}
