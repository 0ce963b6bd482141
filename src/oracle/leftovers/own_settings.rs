//! What a test sets in objects that outlive it: `Style.PLAIN.setWidth(3)`. In: a test; out: the object, the setter
//! and the getter of each such property. Must not know the values.
//!
//! A shared object may have more properties than observers can ask. Those that the test sets are asked in any case.

use super::reach::{Reach, StateHolder};
use crate::oracle::Accessibility;
use crate::oracle::set_properties::getters_for;
use crate::program::MethodRef;
use crate::testcase::{StatementKind, TestCase, VarId};

/// A property of a shared object that a test sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OwnSetting {
    pub(super) holder: StateHolder,
    /// Takes the value.
    pub(super) setter: MethodRef,
    /// Takes nothing, and returns what the setter takes.
    pub(super) getter: MethodRef,
}

/// The properties that the test sets, in its order.
pub(super) fn own_settings(access: &Accessibility<'_>, reach: &Reach<'_>, test: &TestCase) -> Vec<OwnSetting> {
    let mut found: Vec<OwnSetting> = Vec::new();
    for statement in &test.statements {
        let StatementKind::Call { method, receiver: Some(object), args, .. } = &statement.kind else { continue };
        let Some(holder) = holder_of(test, *object) else { continue };
        let (Some(class), [_]) = (reach.class_of(&holder), args.as_slice()) else { continue };
        let takes = method.parameters().into_iter().next();
        let mut getters = getters_for(access, &class, &method.name).into_iter();
        if let Some(getter) = getters.find(|getter| Some(getter.return_type()) == takes) {
            let setting = OwnSetting { holder, setter: method.clone(), getter };
            if !found.contains(&setting) {
                found.push(setting);
            }
        }
    }
    found
}

/// How the test gets the object, if it is a shared one.
fn holder_of(test: &TestCase, object: VarId) -> Option<StateHolder> {
    Some(match &test.statement(object).kind {
        StatementKind::GetField { field, receiver: None } => StateHolder::Field(field.clone()),
        StatementKind::Call { method, receiver: None, args, .. } if args.is_empty() => StateHolder::Call(method.clone()),
        _ => return None,
    })
}
