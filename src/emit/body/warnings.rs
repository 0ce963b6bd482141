//! Warnings of javac that a test causes by what it uses, not by how it is written: deprecated
//! members and classes (JLS §9.6.4.6), and serialisable anonymous classes. In: a test with its
//! usage; out: the names of the warnings for `@SuppressWarnings`.

use std::collections::BTreeSet;

use crate::oracle::Fact;
use crate::program::{ClassName, FieldRef, JavaType, MethodRef, Program};
use crate::testcase::{Literal, StatementKind, StubKind, VarId};

use super::usage::Usage;

/// The first release with deprecation for removal.
const RELEASE_WITH_REMOVAL: u32 = 9;

/// The warnings that the live statements and the assertions of the test cause. `release`: the source
/// level of the test.
pub(super) fn caused_warnings(program: &Program, usage: &Usage<'_>, release: u32) -> BTreeSet<&'static str> {
    let mut warnings = BTreeSet::new();
    if uses_deprecated(program, usage) {
        warnings.insert("deprecation");
        if release >= RELEASE_WITH_REMOVAL {
            warnings.insert("removal");
        }
    }
    let is_serialisable = |variable: VarId| match usage.kind(variable) {
        StatementKind::Stub { class, kind: StubKind::Implementation, .. } => {
            program.is_subclass(class, &ClassName::new("java/io/Serializable"))
        }
        _ => false,
    };
    if usage.live().any(is_serialisable) {
        warnings.insert("serial");
    }
    warnings
}

fn uses_deprecated(program: &Program, usage: &Usage<'_>) -> bool {
    let of_statements = usage.live().any(|variable| {
        let of_kind = match usage.kind(variable) {
            StatementKind::Construct { constructor: method, .. } | StatementKind::Call { method, .. } => {
                is_deprecated_method(program, method)
            }
            StatementKind::GetField { field, .. } | StatementKind::PutField { field, .. } => is_deprecated_field(program, field),
            StatementKind::Literal(Literal::Class(ty)) => is_deprecated_type(program, ty),
            StatementKind::Stub { class, kind: StubKind::Implementation, .. } => {
                program.abstract_methods(class).iter().any(|method| is_deprecated_method(program, method.reference()))
            }
            StatementKind::Stub { answers, .. } => answers.iter().any(|answer| is_deprecated_method(program, &answer.method)),
            _ => false,
        };
        of_kind || is_deprecated_type(program, usage.erased(variable))
    });
    let of_facts = usage.test().assertions.iter().any(|assertion| match &assertion.fact {
        Fact::Called { method, .. } => is_deprecated_method(program, method),
        Fact::InstanceOf(class) => is_deprecated_class(program, class),
        _ => false,
    });
    let thrown = usage.test().expected.as_ref().is_some_and(|expected| is_deprecated_class(program, &expected.class));
    of_statements || of_facts || thrown
}

fn is_deprecated_method(program: &Program, method: &MethodRef) -> bool {
    is_deprecated_class(program, &method.owner)
        || program.resolve(method).is_some_and(|found| {
            let index = found.method().index;
            found.class.file.method(index).attribute("Deprecated").is_some() || is_deprecated_class(program, &found.class.name)
        })
}

fn is_deprecated_field(program: &Program, field: &FieldRef) -> bool {
    is_deprecated_class(program, &field.owner)
        || program.resolve_field_ref(field).is_some_and(|found| {
            let declared = found.class.file.fields().find(|declared| declared.name() == &*field.name);
            declared.is_some_and(|declared| declared.attribute("Deprecated").is_some())
        })
}

fn is_deprecated_type(program: &Program, ty: &JavaType) -> bool {
    match ty {
        JavaType::Class(class) => is_deprecated_class(program, class),
        JavaType::Array(element) => is_deprecated_type(program, element),
        _ => false,
    }
}

/// Whether the class or one around it is deprecated.
fn is_deprecated_class(program: &Program, class: &ClassName) -> bool {
    program.class(class).is_some_and(|model| {
        model.file.attribute("Deprecated").is_some()
            || model.enclosing().is_some_and(|enclosing| is_deprecated_class(program, enclosing))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::tests::sample_program;

    fn warnings_of(text: &str, release: u32) -> Vec<&'static str> {
        let (program, test) = (sample_program(), text.parse().expect("well-formed"));
        let usage = Usage::of(&program, &test, None);
        caused_warnings(&program, &usage, release).into_iter().collect()
    }

    #[test]
    fn deprecated_members_cause_warnings() {
        let old = "v0: V = call method p/Calls.old ()V ()\n";
        assert_eq!(warnings_of(old, 17), ["deprecation", "removal"]);
        assert_eq!(warnings_of(old, 8), ["deprecation"]);
        assert!(warnings_of("v0: I = int 1\nv1: I = call method p/Calls.size (I)I (v0)\n", 17).is_empty());
    }
}
