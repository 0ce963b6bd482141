//! Warnings of javac that a test causes by what it uses, not by how it is written: deprecated
//! members and classes (JLS §9.6.4.6), and serialisable anonymous classes. In: a test with its
//! usage; out: the names of the warnings for `@SuppressWarnings`.

use std::collections::BTreeSet;

use crate::oracle::Fact;
use crate::program::{ClassName, Program};
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
                program.is_deprecated_method(method)
            }
            StatementKind::GetField { field, .. } | StatementKind::PutField { field, .. } => program.is_deprecated_field(field),
            StatementKind::Literal(Literal::Class(ty)) => program.is_deprecated_type(ty),
            StatementKind::Stub { class, kind: StubKind::Implementation, .. } => {
                program.abstract_methods(class).iter().any(|method| program.is_deprecated_method(method.reference()))
            }
            StatementKind::Stub { answers, .. } => answers.iter().any(|answer| program.is_deprecated_method(&answer.method)),
            _ => false,
        };
        of_kind || program.is_deprecated_type(usage.erased(variable))
    });
    let of_facts = usage.test().assertions.iter().any(|assertion| match &assertion.fact {
        Fact::Called { method, .. } => program.is_deprecated_method(method),
        Fact::InstanceOf(class) => program.is_deprecated_class(class),
        _ => false,
    });
    let thrown = usage.test().expected.as_ref().is_some_and(|expected| program.is_deprecated_class(&expected.class));
    of_statements || of_facts || thrown
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
