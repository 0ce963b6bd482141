//! Modifiers and inspectors: methods that build up an object before it is used, and methods that
//! tell its state.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Scope;
use super::callables::CallableTable;
use super::needed::NeededTypes;
use crate::program::cluster::{CallableId, jdk};
use crate::program::{ClassModel, ClassName, ClassOrigin, JavaType, MethodModel, Program};

/// Distance from the target up to which project objects are built up by their methods, unless the
/// code under test calls methods of their class.
const MAX_MODIFIED_DISTANCE: u32 = 1;
/// Parameters of a modifier: with more of them it costs more than it builds up.
const MAX_MODIFIER_PARAMETERS: usize = 4;

/// Members by the static type of their receiver.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// Classes whose methods the code under test calls: the state of their objects matters, however
    /// far away they are.
    pub(super) used_classes: BTreeSet<ClassName>,
    pub(super) modifiers: BTreeMap<JavaType, Vec<CallableId>>,
    pub(super) inspectors: BTreeMap<JavaType, Vec<CallableId>>,
}

/// What a member is used for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Modify,
    Inspect,
}

impl Members {
    /// Adds the members of a type that is `distance` steps away from the target; modifiers defer
    /// the types they need.
    pub(super) fn add_members_of<'a>(
        &mut self,
        ty: &JavaType,
        distance: u32,
        scope: Scope<'a>,
        callables: &mut CallableTable<'a>,
        needed: &mut NeededTypes,
    ) {
        let JavaType::Class(name) = ty else { return };
        let Some(class) = scope.program.class(name) else { return };
        let distance = if self.used_classes.contains(name) { distance.min(MAX_MODIFIED_DISTANCE) } else { distance };
        let found = match class.origin {
            ClassOrigin::Jdk => jdk_members(scope.program, name, |_| true, callables),
            ClassOrigin::Project => project_members(scope, &class, distance, callables),
        };
        for (id, use_of) in found {
            let members = match use_of {
                Use::Modify => &mut self.modifiers,
                Use::Inspect => &mut self.inspectors,
            };
            members.entry(ty.clone()).or_default().push(id);
            if use_of == Use::Modify {
                needed.need_operands_later(callables.get(id), distance + 1);
            }
        }
    }

    /// Adds the inspectors of a type that the code under test returns and of which no test needs a value.
    pub(super) fn add_inspectors_of<'a>(&mut self, ty: &JavaType, scope: Scope<'a>, callables: &mut CallableTable<'a>) {
        let JavaType::Class(name) = ty else { return };
        let Some(class) = scope.program.class(name).filter(|_| !self.inspectors.contains_key(ty)) else { return };
        let found = match class.origin {
            ClassOrigin::Jdk => jdk_members(scope.program, name, |_| true, callables),
            // No method modifies an object that no test makes.
            ClassOrigin::Project => project_members(scope, &class, MAX_MODIFIED_DISTANCE + 1, callables),
        };
        for (id, _) in found.into_iter().filter(|(_, use_of)| *use_of == Use::Inspect) {
            self.inspectors.entry(ty.clone()).or_default().push(id);
        }
    }

    /// Removes the members of some types.
    pub(super) fn remove(&mut self, types: &BTreeSet<JavaType>) {
        self.modifiers.retain(|ty, _| !types.contains(ty));
        self.inspectors.retain(|ty, _| !types.contains(ty));
    }
}

/// The entries of the JDK tables that apply to the class and pass the filter, modifiers first.
fn jdk_members(
    program: &Program,
    class: &ClassName,
    mut is_wanted: impl FnMut(&str) -> bool,
    callables: &mut CallableTable<'_>,
) -> Vec<(CallableId, Use)> {
    let mut found = Vec::new();
    for (table, use_of) in [(jdk::MODIFIERS, Use::Modify), (jdk::INSPECTORS, Use::Inspect)] {
        for entry in table.iter().filter(|entry| is_wanted(entry)) {
            found.extend(table_method(program, entry, class, callables).map(|id| (id, use_of)));
        }
    }
    found
}

/// The callable of a table entry `owner.name descriptor`, if the class is a subtype of the owner
/// and the JDK has the method.
fn table_method(program: &Program, entry: &str, class: &ClassName, callables: &mut CallableTable<'_>) -> Option<CallableId> {
    let (owner, member) = entry.split_once('.')?;
    let (name, descriptor) = member.split_once(' ')?;
    let owner = ClassName::new(owner);
    // The cheap test comes first: most entries belong to classes that have nothing to do with the
    // type.
    if !program.is_subclass(class, &owner) {
        return None;
    }
    // Properties are texts, although their type takes anything.
    let is_of_texts = || program.is_subclass(class, &ClassName::new("java/util/Properties"));
    if owner.internal() == "java/util/Map" && name == "put" && is_of_texts() {
        return None;
    }
    let model = program.class(&owner)?;
    let method = model.method(name, descriptor)?;
    Some(callables.intern(&model, method, &owner))
}

/// The members of a project class and its supertypes, each overridden method once.
fn project_members(
    scope: Scope<'_>,
    class: &Arc<ClassModel>,
    distance: u32,
    callables: &mut CallableTable<'_>,
) -> Vec<(CallableId, Use)> {
    let Scope { program, access, .. } = scope;
    let is_under_test = scope.classes.contains(&class.name);
    let mut found = Vec::new();
    // Name and descriptor of the methods that a subtype has taken already.
    let mut taken: BTreeSet<(String, String)> = BTreeSet::new();
    let mut ancestors = program.superclass_chain(&class.name);
    ancestors.extend(program.all_interfaces(&class.name).iter().filter_map(|interface| program.class(interface)));
    for ancestor in ancestors {
        if ancestor.origin == ClassOrigin::Jdk {
            let prefix = format!("{}.", ancestor.name);
            let is_wanted = |entry: &str| {
                let member = entry.strip_prefix(&prefix).and_then(|member| member.split_once(' '));
                member.is_some_and(|(name, descriptor)| taken.insert((name.to_string(), descriptor.to_string())))
            };
            found.extend(jdk_members(program, &class.name, is_wanted, callables));
            continue;
        }
        for method in &ancestor.methods {
            let is_plain = !method.is_static() && !method.is_constructor() && access.method(method);
            let is_part = is_component(method.name()) && is_data_class(&ancestor);
            if !is_plain || is_part || !taken.insert((method.name().to_string(), method.reference.descriptor.to_string())) {
                continue;
            }
            // The method that overrides this one with other parameter types is a member already.
            let selected = program.resolve_method(&class.name, method.name(), &method.reference.descriptor);
            if selected.is_some_and(|selected| selected.method().access.is_bridge()) {
                continue;
            }
            let Some(use_of) = use_of(program, &ancestor, method, distance, callables) else { continue };
            // The assertion would cause a warning, and another method says the same.
            let is_deprecated = || ancestor.file.method(method.index).attribute("Deprecated").is_some();
            if use_of == Use::Inspect && is_deprecated() {
                continue;
            }
            let owner = if !is_under_test && access.class(&ancestor) { &ancestor.name } else { &class.name };
            found.push((callables.intern(&ancestor, method, owner), use_of));
        }
    }
    found
}

/// The use of a project method, `None` when it has none.
fn use_of(
    program: &Program,
    class: &ClassModel,
    method: &MethodModel,
    distance: u32,
    callables: &mut CallableTable<'_>,
) -> Option<Use> {
    let hints = callables.hints(class, method);
    let is_value_method =
        matches!((method.name(), &*method.reference.descriptor), ("equals", "(Ljava/lang/Object;)Z") | ("hashCode", "()I"));
    let is_abstract_getter =
        || method.access.is_abstract() && method.parameters.is_empty() && is_getter_name(method.name(), &method.returns);
    if is_value_method || (hints.observer || is_abstract_getter()) && is_comparable(program, &method.returns) {
        return Some(Use::Inspect);
    }
    let may_modify = !hints.writes.is_empty() || method.returns == JavaType::Void || method.access.is_abstract();
    let is_worthwhile = method.parameters.len() <= MAX_MODIFIER_PARAMETERS && distance <= MAX_MODIFIED_DISTANCE;
    (may_modify && is_worthwhile).then_some(Use::Modify)
}

/// Whether an assertion can state a value of the type.
fn is_comparable(program: &Program, ty: &JavaType) -> bool {
    const COMPARABLE: [&str; 5] =
        ["java/util/Collection", "java/util/Map", "java/util/Optional", "java/util/Date", "java/util/Locale"];
    match ty {
        JavaType::Void => false,
        JavaType::Array(element) => is_comparable(program, element),
        JavaType::Class(name) => {
            let has_equals =
                |class: Arc<ClassModel>| class.is_enum() || class.method("equals", "(Ljava/lang/Object;)Z").is_some();
            name.internal().starts_with("java/lang/")
                || has_constants(program, name)
                || COMPARABLE.iter().any(|known| program.is_subclass(name, &ClassName::new(known)))
                || program.class(name).is_some_and(has_equals)
        }
        _ => true,
    }
}

/// Whether an enum beside the interface implements it: its values are mostly constants, which an
/// assertion can name.
fn has_constants(program: &Program, interface: &ClassName) -> bool {
    let is_open = program.class(interface).is_some_and(|class| class.is_interface() && class.origin == ClassOrigin::Project);
    let is_constant = |class: &ClassName| {
        class.package() == interface.package()
            && program.class(class).is_some_and(|model| model.is_enum())
            && program.is_subclass(class, interface)
    };
    is_open && program.source().neighbours(interface).iter().any(is_constant)
}

/// Whether the name is that of a method by which Kotlin takes an object apart: a getter says the same.
fn is_component(name: &str) -> bool {
    name.strip_prefix("component").is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
}

/// Whether the class has the method `copy` that returns another object of the class, as data classes of
/// Kotlin have.
fn is_data_class(class: &ClassModel) -> bool {
    class.methods.iter().any(|method| method.name() == "copy" && method.returns == JavaType::Class(class.name.clone()))
}

fn is_getter_name(name: &str, returns: &JavaType) -> bool {
    let has_prefix =
        |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    let is_getter = ["get", "is", "has"].into_iter().any(has_prefix) || matches!(name, "size" | "isEmpty" | "length");
    is_getter && *returns != JavaType::Void
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_have_numbers() {
        for (name, expected) in [("component1", true), ("component12", true), ("component", false), ("components2", false)] {
            assert_eq!(is_component(name), expected, "{name}");
        }
    }

    #[test]
    fn getters_are_known_by_their_names() {
        for (name, expected) in
            [("getSize", true), ("isOpen", true), ("size", true), ("get", false), ("island", false), ("hashCode", false)]
        {
            assert_eq!(is_getter_name(name, &JavaType::INT), expected, "{name}");
        }
        assert!(!is_getter_name("getSize", &JavaType::Void));
    }
}
