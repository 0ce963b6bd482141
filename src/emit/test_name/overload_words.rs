//! Phrases that say which of several overloads a test calls. In: the method; out: phrases about its parameters. Must
//! not know values.

use std::collections::BTreeSet;

use crate::emit::names::capitalised;
use crate::program::{MethodModel, MethodRef};

use super::condition::Condition;
use super::named_test::NamedTest;
use super::phrase::NamePart;
use super::value_words::{count_word, type_word};

/// Parameters that tell an overload from the others.
const MOST_OWN_PARAMETERS: usize = 2;
/// Types that are listed. Of more, their number is said.
const MOST_TYPES: usize = 2;

/// The parameters that no other overload has: `DataOffsetAndDataLen`.
pub(super) fn own_parameters(named: &NamedTest<'_>, method: &MethodRef) -> Option<Condition> {
    let resolved = named.program.resolve(method)?;
    let is_other = |other: &&MethodModel| {
        let other = &other.reference;
        other.name == method.name && other.descriptor != method.descriptor
    };
    let others: Vec<&MethodModel> = resolved.class.methods.iter().filter(is_other).collect();
    let names = others.iter().flat_map(|other| resolved.class.parameter_names(other));
    let known: BTreeSet<&String> = names.flatten().collect();
    let is_own = |name: &String| name.len() > 1 && !known.contains(name);
    let own = named.parameter_names(method).into_iter().flatten().filter(is_own);
    let words: Vec<String> = own.map(|name| capitalised(&name)).collect();
    let are_named = !others.is_empty() && !words.is_empty() && words.len() <= MOST_OWN_PARAMETERS;
    are_named.then(|| Condition::new(NamePart::Argument, words.join("And"), &[]))
}

/// That another overload has this parameter and more: `StrOnly`.
pub(super) fn only_parameter(named: &NamedTest<'_>, method: &MethodRef) -> Option<Condition> {
    let resolved = named.program.resolve(method)?;
    let names = named.parameter_names(method);
    let [Some(own)] = names.as_slice() else { return None };
    let has_more = |other: &MethodModel| {
        let names = resolved.class.parameter_names(other);
        other.reference.name == method.name && names.len() > 1 && names.iter().flatten().any(|name| name == own)
    };
    let is_overloaded = own.len() > 1 && resolved.class.methods.iter().any(has_more);
    is_overloaded.then(|| Condition::new(NamePart::Argument, format!("{}Only", capitalised(own)), &[]))
}

/// The types of the parameters, for tests of several overloads: `Longs`, `IntAndString`.
pub(super) fn parameter_types(method: &MethodRef) -> Vec<Condition> {
    let types: Vec<String> = method.parameters().iter().map(type_word).collect();
    let words = match types.as_slice() {
        [] => return vec![Condition::new(NamePart::Argument, "NoArguments", &[])],
        [only] => only.clone(),
        [first, rest @ ..] if rest.iter().all(|other| other == first) => format!("{}{first}s", count_word(types.len())),
        types if types.len() > MOST_TYPES => format!("{}Arguments", count_word(types.len())),
        _ => types.join("And"),
    };
    vec![Condition::new(NamePart::Argument, words, &[])]
}
