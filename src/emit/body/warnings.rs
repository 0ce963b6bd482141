//! Warnings of javac that a test causes by what it uses, not by how it is written: deprecated
//! members and classes (JLS §9.6.4.6), and serialisable anonymous classes. In: a test with its
//! usage; out: the names of the warnings for `@SuppressWarnings`.

use std::collections::BTreeSet;

use crate::oracle::Fact;
use crate::program::{ClassName, Deprecation, MethodRef, Program};
use crate::testcase::{Literal, StatementKind, StubKind, VarId};

use super::usage::Usage;

/// The warning that `@Deprecated` at the code that causes it suppresses as well.
pub(crate) const DEPRECATION: &str = "deprecation";
/// The first release with deprecation for removal.
const RELEASE_WITH_REMOVAL: u32 = 9;

/// The warnings that the live statements and the assertions of the test cause. `release`: the source
/// level of the test.
pub(super) fn caused_warnings(program: &Program, usage: &Usage<'_>, release: u32) -> BTreeSet<&'static str> {
    let mut warnings = BTreeSet::new();
    let deprecation = deprecation(program, usage);
    if deprecation != Deprecation::Current {
        warnings.insert(DEPRECATION);
    }
    if deprecation == Deprecation::ForRemoval && release >= RELEASE_WITH_REMOVAL {
        warnings.insert("removal");
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

/// The worst that something the test uses is marked with.
fn deprecation(program: &Program, usage: &Usage<'_>) -> Deprecation {
    let of_method = |method: &MethodRef| program.deprecation_of_method(method);
    let worst = |all: &mut dyn Iterator<Item = Deprecation>| all.max().unwrap_or_default();
    let of_statement = |variable: VarId| {
        let of_kind = match usage.kind(variable) {
            StatementKind::Construct { constructor, .. } => of_method(constructor),
            StatementKind::Call { method, .. } => of_method(method),
            StatementKind::GetField { field, .. } | StatementKind::PutField { field, .. } => program.deprecation_of_field(field),
            StatementKind::Literal(Literal::Class(ty)) => program.deprecation_of_type(ty),
            StatementKind::Stub { class, kind: StubKind::Implementation, .. } => {
                worst(&mut program.abstract_methods(class).iter().map(|method| of_method(method.reference())))
            }
            StatementKind::Stub { answers, .. } => worst(&mut answers.iter().map(|answer| of_method(&answer.method))),
            _ => Deprecation::Current,
        };
        of_kind.max(program.deprecation_of_type(usage.erased(variable)))
    };
    let of_fact = |fact: &Fact| match fact {
        Fact::Called { method, .. } => of_method(method),
        Fact::InstanceOf(class) => program.deprecation_of_class(class),
        _ => Deprecation::Current,
    };
    let thrown = usage.test().expected.iter().map(|expected| program.deprecation_of_class(&expected.class));
    let of_facts = usage.test().assertions.iter().map(|assertion| of_fact(&assertion.fact));
    worst(&mut usage.live().map(of_statement).chain(of_facts).chain(thrown))
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
        assert_eq!(warnings_of(old, 17), ["deprecation"]);
        assert_eq!(warnings_of(old, 8), ["deprecation"]);
        assert!(warnings_of("v0: I = int 1\nv1: I = call method p/Calls.size (I)I (v0)\n", 17).is_empty());
    }
}
