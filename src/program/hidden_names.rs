//! What callers of a class do not know of it.
//!
//! In: a class. Out: its fields that no constructor, getter or setter names, and the nested classes that are not
//! public. Must not know what is said with these names.

use std::collections::BTreeSet;

use super::model::ClassModel;

/// Prefixes of methods that read or write a field.
const ACCESSORS: [&str; 4] = ["get", "is", "has", "set"];

/// Names that say nothing to callers.
#[derive(Debug)]
pub(super) struct HiddenNames {
    class: String,
    fields: BTreeSet<String>,
    classes: BTreeSet<String>,
}

impl HiddenNames {
    pub(super) fn of(class: &ClassModel) -> HiddenNames {
        let mut known: BTreeSet<String> = BTreeSet::new();
        for method in class.methods.iter().filter(|method| !method.access.is_private()) {
            let name = method.name();
            let property = ACCESSORS.iter().find_map(|prefix| name.strip_prefix(prefix));
            known.extend(property.map(lower_first));
            if method.parameters.is_empty() {
                known.insert(name.to_owned());
            }
            if method.is_constructor() {
                known.extend(class.parameter_names(method).iter().flatten().cloned());
            }
        }
        let is_hidden = |name: &str| !known.contains(name);
        let own = class.fields.iter().filter(|field| !field.access.is_static() && !field.access.is_public());
        let nested = class.file.inner_classes().unwrap_or_default().into_iter();
        HiddenNames {
            class: class.name.internal().to_owned(),
            fields: own.map(|field| field.reference.name.to_string()).filter(|name| is_hidden(name)).collect(),
            classes: nested.filter(|entry| !entry.access.is_public()).map(|entry| entry.inner.to_owned()).collect(),
        }
    }

    /// Whether callers do not know the field.
    pub(super) fn has_field(&self, owner: &str, name: &str) -> bool {
        self.classes.contains(owner) || owner == self.class && self.fields.contains(name)
    }

    /// Whether callers do not know the class of this descriptor.
    pub(super) fn has_type(&self, descriptor: &str) -> bool {
        let class = descriptor.strip_prefix('L').and_then(|class| class.strip_suffix(';'));
        class.is_some_and(|class| self.classes.contains(class))
    }
}

fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(letters).collect()
}
