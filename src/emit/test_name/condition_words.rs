//! Phrases for what a test gives: arguments, receiver, earlier calls and answers of mocks. In: a
//! test; out: phrases that are true of it. Must not know other tests, nor which phrases the name
//! gets.
//!
//! The most telling phrase comes first. First come values that decide how the test ends, last come
//! those that could be any other. Among the others, first come arguments: a boundary, a value, the
//! overload, a shape. Then come the state of the receiver and what was called before. Last comes
//! everything else that the test makes before the call.

use std::collections::BTreeSet;

use tracewright_classfile::PrimitiveType;

use crate::emit::names::capitalised;
use crate::execution::Snapshot;
use crate::oracle::Fact;
use crate::program::{ClassName, JavaType, MethodRef};
use crate::testcase::{Literal, StatementKind, VarId};

use super::answer_words::{LONGEST_ANSWER, answers, default_answers, is_something};
use super::condition::{Causality, Condition, ITSELF};
use super::expression_words::{boundary_of, description, factory_word, is_factory, value_of};
use super::named_test::{NamedTest, literal_behind, operands};
use super::overload_words::{only_parameter, own_parameters, parameter_types};
use super::phrase::{NamePart, Phrase};
use super::value_words::{
    boundary_word, cased_word, class_word, coded_word, constant_word, count_word, literal_word, shape_words, static_word,
    type_word,
};

/// Longest words of a phrase.
const LONGEST: usize = 36;
/// Longest word for a value in front of the more general phrases.
const SHORT_VALUE: usize = 18;
/// Longest phrase, and most phrases, that a name has although no other test has its method and outcome.
const LONGEST_CAUSE: usize = 32;
const MOST_CAUSES: usize = 2;
/// Values that are told without the names of their parameters, where one of them is a boundary.
const MOST_BARE_VALUES: usize = 2;

/// Whether an argument that may matter is a boundary case.
pub(super) fn has_boundary(named: &NamedTest<'_>) -> bool {
    boundary_argument(named).is_some()
}

/// The first argument that is a boundary case and may matter.
pub(super) fn boundary_argument(named: &NamedTest<'_>) -> Option<Condition> {
    boundary_arguments(named).into_iter().find(|boundary| boundary.cause(named) != Causality::Excluded)
}

/// The first boundary case among what made the receiver that may matter.
pub(super) fn receiver_boundary(named: &NamedTest<'_>) -> Option<Condition> {
    receiver_boundaries(named).into_iter().find(|boundary| boundary.cause(named) != Causality::Excluded)
}

/// The phrases that a name has even where no other test has its method and outcome: for what decides
/// how the test ends, and for boundary cases that may.
pub(super) fn usual_conditions(named: &NamedTest<'_>) -> Vec<Phrase> {
    let mut chosen: Vec<Condition> = Vec::new();
    let mut choose = |condition: Condition| {
        // Where the same value was put in before, an argument finds it.
        let is_same = |one: &VarId, other: &VarId| {
            let literal = literal_behind(named, *one);
            one == other || literal.is_some() && literal_behind(named, *other) == literal
        };
        let is_of = |value: &VarId, known: &Condition| known.values.iter().any(|one| is_same(one, value));
        let is_new = !chosen.iter().any(|known| condition.values.iter().any(|value| is_of(value, known)));
        if is_new && chosen.len() < MOST_CAUSES {
            chosen.push(condition);
        }
    };
    // A text that only makes an object valid, such as a currency, is no news.
    let is_news = |condition: &Condition| {
        let is_given = |value: &VarId| named.arguments().contains(value) || named.test.test.literal(*value).is_none();
        condition.is_plain_cause(named) || condition.values.iter().all(is_given)
    };
    // That a query finds something is the usual case.
    let is_usual =
        |condition: &Condition| condition.is_answer && condition.values.iter().all(|value| is_something(named, *value));
    let is_cause = |condition: &Condition| {
        (condition.values.len() == 1 || condition.is_itself())
            && !is_usual(condition)
            && condition.phrase.words.len() <= if condition.is_answer { LONGEST_ANSWER } else { LONGEST_CAUSE }
            && condition.cause(named) == Causality::Certain
            && is_news(condition)
    };
    let may_matter = |condition: &Condition| condition.cause(named) == Causality::Possible;
    let mut causes: Vec<Condition> = conditions(named).into_iter().filter(is_cause).collect();
    // The message of an exception says more than values without a name of their own.
    let is_said = named.test.expected.as_ref().is_some_and(|expected| expected.message.is_some());
    causes.retain(|cause| !is_said || cause.is_plain_cause(named) && !cause.is_itself());
    causes.into_iter().for_each(&mut choose);
    let mut boundaries: Vec<Condition> = boundary_arguments(named).into_iter().filter(may_matter).collect();
    let is_null = |boundary: &Condition| boundary.phrase.words.starts_with("Null");
    if named.test.expected.is_some() && boundaries.iter().any(is_null) {
        boundaries.retain(is_null);
    }
    boundaries.into_iter().for_each(&mut choose);
    if chosen.is_empty() && !is_said {
        chosen.extend(default_answers(named).into_iter().take(1));
    }
    if chosen.is_empty() && !is_said {
        // A collaborator that is left out is no reason: a call that needs it would have failed.
        let is_collaborator = |value: &VarId| literal_behind(named, *value) == Some(&Literal::Null) && !is_text(named, *value);
        let boundaries = receiver_boundaries(named).into_iter().filter(may_matter);
        chosen.extend(boundaries.filter(|boundary| !boundary.values.iter().any(is_collaborator)).take(MOST_CAUSES));
    }
    chosen.into_iter().map(|condition| condition.phrase).collect()
}

fn is_text(named: &NamedTest<'_>, variable: VarId) -> bool {
    matches!(&named.statement(variable).ty, JavaType::Class(class) if class.internal() == "java/lang/String")
}

/// The boundary cases among the arguments of the call, with the names of their parameters.
fn boundary_arguments(named: &NamedTest<'_>) -> Vec<Condition> {
    let Some((method, args)) = named.operands() else { return Vec::new() };
    let parameters = method.parameters();
    let words = args.iter().enumerate().filter_map(|(position, argument)| {
        let word = boundary_of(named, *argument)?;
        // That a list is empty does not matter where any object is taken.
        let is_literal = named.test.test.literal(*argument).is_some();
        if !is_literal && parameters.get(position) == Some(&JavaType::class("java/lang/Object")) {
            return None;
        }
        let role = named.role(method, position, *argument);
        let role =
            if role.is_empty() && matches!(&*word, "Null" | "Empty") { type_word(&named.statement(*argument).ty) } else { role };
        Some(Condition::new(NamePart::Argument, format!("{word}{role}"), &[*argument]))
    });
    let mut found = distinct(words);
    // Most checks of arguments are for null.
    if named.test.expected.is_some() {
        found.sort_by_key(|boundary| !boundary.phrase.words.starts_with("Null"));
    }
    found
}

/// The boundary cases among what made the receiver.
fn receiver_boundaries(named: &NamedTest<'_>) -> Vec<Condition> {
    let Some(receiver) = named.receiver() else { return Vec::new() };
    let changed = renamed_properties(named);
    let Some((method, args)) = operands(named.kind(receiver)) else { return Vec::new() };
    let words = args.iter().enumerate().filter_map(|(position, argument)| {
        let word = boundary_of(named, *argument)?;
        let role = named.role(method, position, *argument);
        if changed.contains(&role) {
            return None;
        }
        let text = if role.is_empty() { format!("MadeWith{word}") } else { joined_value(&format!("{role}Is"), &word) };
        Some(Condition::new(NamePart::State, text, &[*argument]))
    });
    distinct(words)
}

/// All phrases, the most telling first.
pub(super) fn conditions(named: &NamedTest<'_>) -> Vec<Condition> {
    let mut found = boundary_arguments(named);
    let Some((method, args)) = named.operands() else { return found };
    found.extend(answers(named));
    found.extend(default_answers(named));
    let values = argument_values(named, method, args);
    let is_single = args.len() == 1;
    let (extreme, shapes) = argument_shapes(named, method, args);
    found.extend(extreme);
    if is_single {
        found.extend(values.iter().filter(|value| value.phrase.words.len() <= SHORT_VALUE).cloned());
    }
    found.extend(own_parameters(named, method).or_else(|| only_parameter(named, method)));
    found.extend(parameter_types(method));
    found.extend(values);
    found.extend(all_values(named, args));
    found.extend(relations(named));
    found.extend(shapes);
    found.extend(receiver_phrases(named));
    found.extend(earlier_calls(named));
    found.extend(descriptions(named, args));
    found.extend(ingredients(named, args));
    found.extend(exact_values(named, method, args));
    found.extend(plain_parameters(named, method, args));
    let longest = |condition: &Condition| if condition.is_answer { LONGEST_ANSWER } else { LONGEST };
    let mut found = distinct(found.into_iter().filter(|condition| condition.phrase.words.len() <= longest(condition)));
    found.sort_by_key(|condition| condition.rank(named));
    found
}

fn distinct(conditions: impl Iterator<Item = Condition>) -> Vec<Condition> {
    let mut known = BTreeSet::new();
    conditions.filter(|Condition { phrase, .. }| !phrase.words.is_empty() && known.insert(phrase.clone())).collect()
}

/// Words in a row, with `Is` between a digit at the end and a value.
fn joined_value(role: &str, value: &str) -> String {
    let is = if role.ends_with(|c: char| c.is_ascii_digit()) { "Is" } else { "" };
    format!("{role}{is}{value}")
}

/// The value of each argument that has a word, with the name of its parameter where there are
/// several.
fn argument_values(named: &NamedTest<'_>, method: &MethodRef, args: &[VarId]) -> Vec<Condition> {
    let mut found = Vec::new();
    for (position, argument) in args.iter().enumerate() {
        let Some(word) = value_of(named, *argument) else { continue };
        if boundary_of(named, *argument).as_ref() == Some(&word) {
            continue;
        }
        let role = named.role(method, position, *argument);
        // `isValid_withAddress_returnsFalse` would say that the text is an address.
        let is_role = |text: &str| role.to_ascii_lowercase().ends_with(&text.to_ascii_lowercase());
        if args.len() == 1 && is_text(named, *argument) && is_role(&word) && asks_about_it(named, method) {
            found.push(Condition::new(NamePart::Argument, "PlainWord", &[*argument]));
            continue;
        }
        let role = if args.len() == 1 { String::new() } else { role };
        if word.eq_ignore_ascii_case(&role) {
            continue;
        }
        found.push(Condition::new(NamePart::Argument, joined_value(&role, &word), &[*argument]));
        let cased = literal_behind(named, *argument).and_then(cased_word);
        found.extend(cased.map(|word| Condition::new(NamePart::Argument, joined_value(&role, &word), &[*argument])));
    }
    found
}

/// Whether the call says of its argument whether it is right.
fn asks_about_it(named: &NamedTest<'_>, method: &MethodRef) -> bool {
    method.return_type() == JavaType::Primitive(PrimitiveType::Boolean) || named.test.expected.is_some()
}

/// The parameters whose values are named as they are: a test says little by them. `SkuSku` says no more than `Sku`.
fn plain_parameters(named: &NamedTest<'_>, method: &MethodRef, args: &[VarId]) -> Vec<Condition> {
    let plain = args.iter().enumerate().filter_map(|(position, argument)| {
        let role = Some(named.role(method, position, *argument)).filter(|_| args.len() > 1)?;
        let word = value_of(named, *argument).filter(|word| word.eq_ignore_ascii_case(&role))?;
        (boundary_of(named, *argument).as_ref() != Some(&word)).then(|| Condition::new(NamePart::Argument, role, &[]))
    });
    plain.collect()
}

/// The boundary cases among the arguments, else their values, where these are short. A value that is named as its
/// parameter says nothing.
pub(super) fn all_given(named: &NamedTest<'_>) -> Option<Phrase> {
    let (method, args) = named.operands()?;
    let boundary = boundary_arguments(named).into_iter().next();
    let is_role = |(position, argument): (usize, &VarId)| {
        let role = named.role(method, position, *argument);
        value_of(named, *argument).is_some_and(|word| word.eq_ignore_ascii_case(&role))
    };
    let says_something = !args.iter().enumerate().any(is_role);
    let is_short = |all: &Condition| says_something && all.phrase.words.len() <= SHORT_VALUE;
    let values = || all_values(named, args).filter(is_short);
    boundary.or_else(values).map(|condition| condition.phrase).filter(|phrase| !phrase.words.is_empty())
}

/// The values of all arguments, where each has a word: `ZeroAndZero`.
fn all_values(named: &NamedTest<'_>, args: &[VarId]) -> Option<Condition> {
    // `EmptyAndValueAndId` does not say what is empty, and `EmptyName` says more than `EmptyAndValue`.
    let boundaries = args.iter().filter(|argument| boundary_of(named, **argument).is_some()).count();
    if boundaries > 0 && (args.len() > MOST_BARE_VALUES || boundaries < args.len()) {
        return None;
    }
    let words: Option<Vec<String>> = args.iter().map(|argument| value_of(named, *argument)).collect();
    words.map(|words| Condition::new(NamePart::Argument, words.join("And"), args))
}

/// Arguments that are the same object or equal literals, and those that are the receiver.
fn relations(named: &NamedTest<'_>) -> Vec<Condition> {
    let args = named.arguments();
    let mut found = Vec::new();
    if named.receiver().is_some_and(|receiver| args.contains(&receiver)) {
        found.push(Condition::new(NamePart::Argument, ITSELF, &[]));
    }
    if let [first, rest @ ..] = args
        && !rest.is_empty()
    {
        let equals = |other: &VarId| {
            other == first || literal_behind(named, *other).is_some_and(|literal| literal_behind(named, *first) == Some(literal))
        };
        let are_literals = args.iter().all(|argument| literal_behind(named, *argument).is_some());
        if rest.iter().all(equals) {
            found.push(Condition::new(NamePart::Argument, "EqualArguments", args));
        } else if are_literals && !rest.iter().any(equals) {
            found.push(Condition::new(NamePart::Argument, "DifferentArguments", args));
        }
    }
    found
}

/// Properties of the arguments: first the extreme ones, such as `LongText`, then those such as
/// `TwoElements` and `LeadingMinus`.
fn argument_shapes(named: &NamedTest<'_>, method: &MethodRef, args: &[VarId]) -> (Vec<Condition>, Vec<Condition>) {
    let (mut extreme, mut found) = (Vec::new(), Vec::new());
    for (position, argument) in args.iter().enumerate() {
        let role = named.role(method, position, *argument);
        let noun = if args.len() == 1 { String::new() } else { format!("In{role}") };
        if let Some(literal) = literal_behind(named, *argument) {
            let is_text = matches!(literal, Literal::Str(_) | Literal::Char(_));
            let subject = match role.as_str() {
                "" => type_word(&named.statement(*argument).ty),
                role => role.to_string(),
            };
            for word in shape_words(literal) {
                let is_property = is_text && !matches!(&*word, "Long" | "Numeric");
                let text = match () {
                    () if !is_property => format!("{word}{subject}"),
                    () if noun.is_empty() => word,
                    () => format!("{word}{noun}"),
                };
                let is_extreme = text.starts_with("Long") || text.starts_with("Large") || text.starts_with("Tiny");
                (if is_extreme { &mut extreme } else { &mut found }).push(Condition::new(NamePart::Argument, text, &[*argument]));
            }
        }
        if let Some(count) = named.element_count(*argument).filter(|count| *count > 0) {
            let plural = if count == 1 { "Element" } else { "Elements" };
            found.push(Condition::new(NamePart::Argument, format!("{}{plural}{noun}", count_word(count)), &[*argument]));
        }
        if let StatementKind::Array { elements, .. } = named.kind(*argument) {
            let is_null = |element: &VarId| matches!(named.kind(*element), StatementKind::Literal(Literal::Null));
            if elements.iter().any(is_null) {
                found.push(Condition::new(NamePart::Argument, format!("NullElement{noun}"), &[*argument]));
            }
        }
    }
    (extreme, found)
}

/// The constant that is the receiver, the values that made it, and those that were set on it or on
/// another object.
fn receiver_phrases(named: &NamedTest<'_>) -> Vec<Condition> {
    let mut found = Vec::new();
    if let Some(receiver) = named.receiver() {
        if let StatementKind::GetField { field, receiver: None } = named.kind(receiver) {
            found.push(Condition::new(NamePart::Receiver, static_word(field), &[receiver]));
        }
        let untouched = untouched_receiver(named);
        found.extend(untouched.map(|Phrase { part, words }| Condition::new(part, words, &[])));
        found.extend(receiver_boundaries(named));
        let changed = renamed_properties(named);
        if let Some((method, args)) = operands(named.kind(receiver)) {
            for (position, argument) in args.iter().enumerate() {
                let role = named.role(method, position, *argument);
                if let Some(word) = value_of(named, *argument).filter(|_| !changed.contains(&role)) {
                    let text = if role.is_empty() { format!("MadeWith{word}") } else { format!("{role}Is{word}") };
                    found.push(Condition::new(NamePart::State, text, &[*argument]));
                }
            }
        }
    }
    let set = set_properties(named);
    found.extend(set.iter().map(|set| Condition { phrase: set.phrase(), ..Condition::new(NamePart::State, "", &[set.value]) }));
    found
}

/// Names of properties that do not mean what made the receiver: those that are set later, and the parameters of the
/// call.
fn renamed_properties(named: &NamedTest<'_>) -> BTreeSet<String> {
    let parameters = named.operands().map(|(method, _)| named.parameter_names(method)).unwrap_or_default();
    let parameters = parameters.into_iter().flatten().map(|name| capitalised(&name));
    set_properties(named).into_iter().map(|set| set.name).chain(parameters).collect()
}

/// That the object under test gets another one that is equal to it.
pub(super) fn equal_argument(named: &NamedTest<'_>) -> Option<Phrase> {
    let (method, [argument]) = named.operands()? else { return None };
    let is_true = |fact: &Fact| matches!(fact, Fact::Equals(Snapshot::Boolean(true)));
    let returns_true =
        named.test.assertions.iter().any(|found| Some(found.subject.index()) == named.call && is_true(&found.fact));
    let is_equals = &*method.name == "equals" && &*method.descriptor == "(Ljava/lang/Object;)Z";
    let is_other = Some(*argument) != named.receiver();
    let words = format!("Equal{}", type_word(&named.statement(*argument).ty));
    (is_equals && returns_true && is_other).then(|| Phrase::new(NamePart::Argument, words))
}

/// The constant that the method is called on.
pub(super) fn constant_receiver(named: &NamedTest<'_>) -> Option<Phrase> {
    let StatementKind::GetField { field, receiver: None } = named.kind(named.receiver()?) else { return None };
    Some(Phrase::new(NamePart::Receiver, static_word(field))).filter(|phrase| phrase.words.len() <= SHORT_VALUE)
}

/// That nothing was done to the receiver since it was made without arguments: a collection is empty, and another object
/// has its defaults, where its state can change.
pub(super) fn untouched_receiver(named: &NamedTest<'_>) -> Option<Phrase> {
    let receiver = named.receiver()?;
    let StatementKind::Construct { constructor, args } = named.kind(receiver) else { return None };
    let class = &constructor.owner;
    let is = |ancestor: &str| named.program.is_subclass(class, &ClassName::new(ancestor));
    let is_used = named.before().iter().any(|statement| statement.kind.uses().contains(&receiver));
    let holds_elements = is("java/util/Collection") || is("java/util/Map");
    // A size is no element.
    let is_plain = |arg: &VarId| matches!(named.kind(*arg), StatementKind::Literal(literal) if *literal != Literal::Null);
    let takes_nothing = args.iter().all(|arg| holds_elements && is_plain(arg));
    if !takes_nothing || is_used || named.program.has_only_final_fields(class) {
        return None;
    }
    let name = class_word(class);
    let only_reads = named.test.target.as_ref().is_some_and(|target| named.program.is_plain_accessor(target));
    match () {
        () if holds_elements && only_reads => Some(Phrase::new(NamePart::Default, "Default")),
        () if holds_elements => Some(Phrase::new(NamePart::State, "Empty")),
        () if named.arguments().is_empty() => Some(Phrase::new(NamePart::Default, "Default")),
        () => (name.len() <= SHORT_VALUE).then(|| Phrase::new(NamePart::Receiver, format!("New{name}"))),
    }
}

/// A property that a test sets.
struct SetProperty {
    name: String,
    word: String,
    value: VarId,
}

impl SetProperty {
    /// `StatusIsActive`; a value that is named as the property, as in `CityIsCity`, says nothing.
    fn phrase(&self) -> Phrase {
        let SetProperty { name, word, .. } = self;
        let words = if word.eq_ignore_ascii_case(name) { format!("{name}IsSet") } else { format!("{name}Is{word}") };
        Phrase::new(NamePart::State, words)
    }
}

/// The last value of each property and field that the test sets before the call, in words.
fn set_properties(named: &NamedTest<'_>) -> Vec<SetProperty> {
    let mut found: Vec<SetProperty> = Vec::new();
    for statement in named.before() {
        let (name, value) = match &statement.kind {
            StatementKind::Call { method, receiver: Some(_), args, .. } if args.len() == 1 => {
                match method.name.strip_prefix("set").filter(|name| name.starts_with(|c: char| c.is_ascii_uppercase())) {
                    Some(name) => (name.to_string(), args[0]),
                    None => continue,
                }
            }
            StatementKind::PutField { field, value, .. } => (constant_word(&field.name), *value),
            _ => continue,
        };
        let word = boundary_of(named, value)
            .filter(|word| word == "Empty" || word == "Blank")
            .or_else(|| value_of(named, value))
            .unwrap_or_else(|| description(named, value, 2));
        found.retain(|known| known.name != name);
        found.push(SetProperty { name, word, value });
    }
    found
}

/// Calls on the receiver before the call; for a static method, other calls of its class.
fn earlier_calls(named: &NamedTest<'_>) -> Vec<Condition> {
    let Some((called, _)) = named.operands() else { return Vec::new() };
    let receiver = named.receiver();
    let mut names: Vec<String> = Vec::new();
    let mut others: Vec<String> = Vec::new();
    for (index, statement) in named.before().iter().enumerate() {
        let StatementKind::Call { method, receiver: on, .. } = &statement.kind else { continue };
        if on.is_some() && is_read(method) {
            continue;
        }
        let word = constant_word(&method.name);
        if (receiver.is_some() && *on == receiver) || (receiver.is_none() && on.is_none() && method.owner == called.owner) {
            names.push(word);
        } else if on.is_some() && !named.is_used(VarId(index as u32)) {
            // A call whose result is used makes something.
            others.push(format!("{}{word}", class_word(&method.owner)));
        }
    }
    let mut found: Vec<Condition> = Vec::new();
    let after = |words: String| Condition::new(NamePart::History, words, &[]);
    found.extend(names.last().map(|last| after(last.clone())));
    let last = names.last().map(|last| names.iter().filter(|name| *name == last).count());
    if let (Some(count @ 2..), Some(name)) = (last, names.last()) {
        found.push(after(format!("{}Calls{}", count_word(count), format_args!("Of{name}"))));
    }
    found.extend(names.iter().rev().skip(1).map(|name| after(name.clone())));
    found.extend(others.into_iter().rev().map(after));
    found
}

/// What the last call in front of the call under test changes in its receiver, as far as its name tells:
/// the property that it sets, else the call.
pub(super) fn last_change(named: &NamedTest<'_>) -> Option<Phrase> {
    let receiver = named.receiver()?;
    let last = named.before().iter().enumerate().rev().find_map(|(index, statement)| match &statement.kind {
        StatementKind::Call { method, receiver: Some(on), .. } if *on == receiver => {
            (!is_read(method) && !named.is_used(VarId(index as u32))).then_some(method)
        }
        _ => None,
    })?;
    let property = last.name.strip_prefix("set").unwrap_or_default();
    let set = set_properties(named).into_iter().find(|set| set.name == property && !set.word.is_empty());
    let set = set.map(|set| set.phrase()).filter(|set| set.words.len() <= LONGEST_CAUSE);
    Some(set.unwrap_or_else(|| Phrase::new(NamePart::History, constant_word(&last.name))))
}

/// Whether the name of the method is that of one that only reads.
fn is_read(method: &MethodRef) -> bool {
    let is_word_end = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_lowercase());
    ["get", "is", "has", "to"].iter().any(|prefix| method.name.strip_prefix(prefix).is_some_and(is_word_end))
}

/// The arguments and the receiver in words for the expressions that made them.
fn descriptions(named: &NamedTest<'_>, args: &[VarId]) -> Vec<Condition> {
    let all: Vec<String> = args.iter().map(|argument| description(named, *argument, 2)).filter(|word| !word.is_empty()).collect();
    let mut found: Vec<Condition> = Vec::new();
    for argument in args.iter().filter(|argument| literal_behind(named, **argument).is_none()) {
        let with = |depth: u32| Condition::new(NamePart::Argument, description(named, *argument, depth), &[*argument]);
        found.extend((0..=2).map(with));
    }
    if let Some(receiver) = named.receiver() {
        let on = |depth: u32| Condition::new(NamePart::Receiver, description(named, receiver, depth), &[receiver]);
        // `onBuild` says nothing of the object.
        let is_plain_call = matches!(named.kind(receiver), StatementKind::Call { method, args, .. }
            if args.is_empty() && !method.name.starts_with("get"));
        found.extend((1..=2).filter(|_| !is_plain_call).map(on));
    }
    found.push(Condition::new(NamePart::Argument, all.join("And"), args));
    found
}

/// Constants, literals and classes of everything that the test makes before the call.
fn ingredients(named: &NamedTest<'_>, args: &[VarId]) -> Vec<Condition> {
    let statements = named.before();
    let mut of_arguments = vec![false; named.test.test.statements.len()];
    for argument in args {
        for (needed, all) in named.test.test.definition_cone(*argument).into_iter().zip(&mut of_arguments) {
            *all |= needed;
        }
    }
    let set: BTreeSet<VarId> = set_properties(named).into_iter().map(|set| set.value).collect();
    let (mut constants, mut values, mut classes) = (Vec::new(), Vec::new(), Vec::new());
    for (index, statement) in statements.iter().enumerate() {
        let variable = VarId(index as u32);
        if !statement.kind.has_effect() && !named.is_used(variable) {
            continue;
        }
        let (part, is) = if of_arguments[index] { (NamePart::Argument, "") } else { (NamePart::State, "Is") };
        // Only the receiver is what the method is called on.
        let object_part = if Some(variable) == named.receiver() { NamePart::Receiver } else { NamePart::Argument };
        let is_answered = is_answered(named, variable);
        match &statement.kind {
            // The property that it is the value of has a phrase.
            StatementKind::GetField { .. } if set.contains(&variable) => {}
            StatementKind::GetField { field, receiver: None } => {
                constants.push(Condition::new(object_part, static_word(field), &[variable]));
            }
            // The call that gets a boxed literal has a phrase for it.
            StatementKind::Call { .. } | StatementKind::Construct { .. } if literal_behind(named, variable).is_some() => {}
            StatementKind::Call { method, receiver: None, args, .. } if is_factory(method) => {
                let word = factory_word(named, variable, method, args).filter(|_| !is_answered);
                let class = class_word(&method.owner);
                let words = word.map(|word| match part {
                    NamePart::State if named.element_count(variable).is_none() => joined_value(&class, &format!("Is{word}")),
                    _ => word,
                });
                let part = if named.element_count(variable).is_some() { object_part } else { part };
                values.extend(words.map(|words| Condition::new(part, words, &[variable])));
            }
            StatementKind::Construct { constructor: method, args } | StatementKind::Call { method, args, .. } => {
                for (position, argument) in args.iter().enumerate() {
                    let Some(literal) = literal_behind(named, *argument) else { continue };
                    let boundary = boundary_word(literal).filter(|word| matches!(*word, "Empty" | "Blank")).map(String::from);
                    let Some(word) = boundary.or_else(|| literal_word(literal)) else { continue };
                    let is_of_jdk = method.owner.package().starts_with("java/");
                    let is_on_object = matches!(statement.kind, StatementKind::Call { receiver: Some(_), .. });
                    if is_of_jdk && is_on_object {
                        let words = format!("{word}In{}", class_word(&method.owner));
                        values.push(Condition::new(NamePart::Argument, words, &[*argument]));
                        continue;
                    }
                    if is_of_jdk && args.len() > 1 {
                        // `LocalDateIs1` would be another date.
                        continue;
                    }
                    let role = match named.role(method, position, *argument).as_str() {
                        // Its parameters are named `i` and `val`.
                        _ if is_of_jdk => class_word(&method.owner),
                        "" if &*method.name == "<init>" => class_word(&method.owner),
                        "" => constant_word(&method.name),
                        role => role.to_string(),
                    };
                    let is_boundary = boundary_word(literal).is_some();
                    let words = match part {
                        NamePart::Argument if is_boundary => format!("{word}{role}"),
                        _ => joined_value(&role, &format!("{is}{word}")),
                    };
                    if word != role {
                        values.push(Condition::new(part, words, &[*argument]));
                    }
                }
                if matches!(statement.kind, StatementKind::Construct { .. }) && !is_answered {
                    classes.push(Condition::new(object_part, class_word(&method.owner), &[variable]));
                }
                if let Some(count) = named.element_count(variable).filter(|count| *count > 0 && !is_answered) {
                    let words = format!("{}Of{}", type_word(&statement.ty), count_word(count));
                    values.push(Condition::new(object_part, words, &[variable]));
                }
            }
            StatementKind::Stub { class, .. } if !is_answered => {
                classes.push(Condition::new(object_part, class_word(class), &[variable]));
            }
            _ => {}
        }
    }
    constants.into_iter().chain(values).chain(classes).collect()
}

/// Whether a mock returns or throws the object; the phrase for the answer then has it.
fn is_answered(named: &NamedTest<'_>, variable: VarId) -> bool {
    named.before().iter().any(|statement| match &statement.kind {
        StatementKind::Stub { answers, .. } => {
            answers.iter().flat_map(|answer| &answer.outcomes).any(|outcome| outcome.variable() == variable)
        }
        _ => false,
    })
}

/// Values that only a code point tells apart.
fn exact_values(named: &NamedTest<'_>, method: &MethodRef, args: &[VarId]) -> Vec<Condition> {
    let mut found = Vec::new();
    for (position, argument) in args.iter().enumerate() {
        let Some(literal) = literal_behind(named, *argument) else { continue };
        let role = if args.len() == 1 { String::new() } else { named.role(method, position, *argument) };
        let words = coded_word(literal).map(|word| joined_value(&role, &word));
        found.extend(words.map(|words| Condition::new(NamePart::Argument, words, &[*argument])));
    }
    found
}
