//! Getters for what the method under test sets in its arguments. In: an observed test; out: the test with a call of
//! each getter at its end. Must not know the values.
//!
//! Objects of a library are arguments as well: a binder, a builder, a view. They have more getters than a test can
//! ask. What the code of the method under test puts there is asked in any case: behind
//! `binder.setDisallowedFields("id")` comes `binder.getDisallowedFields()`.

use super::observe::PER_TEST;
use super::{Accessibility, ObservedTest};
use crate::program::{ClassName, JavaType, MethodModel, MethodRef};
use crate::testcase::{StatementKind, VarId};

/// Getters of one argument, at most.
const OF_ARGUMENT: usize = 4;

/// Appends the getters for the arguments that the test constructs.
pub(super) fn inspect_set_properties(observed: &mut ObservedTest, access: &Accessibility<'_>) {
    let program = access.program();
    let Some(called) = observed.target.as_ref().and_then(|target| called_methods(access, target)) else { return };
    let call = observed.acted.checked_sub(1).map(|call| observed.test.statement(VarId(call)).kind.clone());
    let Some(StatementKind::Call { args, .. }) = call else { return };
    for argument in args {
        let StatementKind::Construct { constructor, .. } = &observed.test.statement(argument).kind else { continue };
        let class = constructor.owner.clone();
        if class.package().starts_with("java/") {
            continue;
        }
        let of_class = called.iter().filter(|method| program.is_subclass(&class, &method.owner));
        let mut getters: Vec<MethodRef> = Vec::new();
        for getter in of_class.flat_map(|method| getters_for(access, &class, &method.name)) {
            if !getters.contains(&getter) {
                getters.push(getter);
            }
        }
        for getter in getters.into_iter().take(OF_ARGUMENT) {
            let has_room = observed.test.statements.len() < observed.acted as usize + PER_TEST;
            if has_room && !is_asked(observed, argument, &getter) {
                append(observed, argument, getter);
            }
        }
    }
}

/// Whether another inspector asks the object for the property.
fn is_asked(observed: &ObservedTest, object: VarId, getter: &MethodRef) -> bool {
    observed.test.statements.iter().skip(observed.acted as usize).any(|statement| {
        matches!(&statement.kind, StatementKind::Call { method, receiver, .. } if *receiver == Some(object) && method.name == getter.name)
    })
}

fn append(observed: &mut ObservedTest, object: VarId, method: MethodRef) {
    let ty = method.return_type();
    observed.test.push(StatementKind::Call { method, interface: false, receiver: Some(object), args: Vec::new() }, ty);
}

/// The methods that the code of the method calls.
fn called_methods(access: &Accessibility<'_>, method: &MethodRef) -> Option<Vec<MethodRef>> {
    let found = access.program().resolve(method)?;
    let code = found.class.code(found.method())?;
    let called = code.instructions.iter().filter_map(|instruction| found.class.called_by(&instruction.op));
    Some(called.map(|called| MethodRef::new(ClassName::new(called.owner), called.name, called.descriptor)).collect())
}

/// The getters of a class for what a setter of this name sets, or what a method such as `addValidators` adds.
pub(super) fn getters_for(access: &Accessibility<'_>, class: &ClassName, setter: &str) -> Vec<MethodRef> {
    let is_property = |property: &&str| property.starts_with(|first: char| first.is_ascii_uppercase());
    let Some(property) = ["set", "add"].iter().find_map(|verb| setter.strip_prefix(verb)).filter(is_property) else {
        return Vec::new();
    };
    let single = property.strip_suffix('s').unwrap_or(property);
    let names = [format!("get{single}"), format!("get{property}"), format!("get{property}s"), format!("is{property}")];
    let mut found: Vec<MethodRef> = Vec::new();
    for ancestor in access.program().superclass_chain(class) {
        let is_getter = |method: &&MethodModel| {
            names.iter().any(|name| name == method.name())
                && method.parameters.is_empty()
                && method.returns != JavaType::Void
                && !method.is_static()
                && !method.access.is_synthetic()
                && access.can_use_method(method)
        };
        let getters = ancestor.methods.iter().filter(is_getter).map(|method| method.reference.clone());
        found.extend(getters.map(|getter| MethodRef { owner: class.clone(), ..getter }));
    }
    found
}
