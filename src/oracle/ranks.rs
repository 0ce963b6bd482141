//! Which facts about a test say the most.
//!
//! In: an observed test, the code of the method under test. Out: a rank for each fact. Must not know what becomes of
//! facts of a high rank.

use super::governed_effects::GovernedEffects;
use super::observe::is_untouched;
use super::written_arguments::reads_written;
use super::{Assertion, Fact, ObservedTest};
use crate::program::Program;
use crate::testcase::StatementKind;

/// Ranks the facts about one test.
#[derive(Debug)]
pub(super) struct Ranks<'o> {
    observed: &'o ObservedTest,
    governed: GovernedEffects,
}

impl Ranks<'_> {
    /// Ranks for the facts about a test.
    pub(super) fn of<'o>(observed: &'o ObservedTest, program: &Program) -> Ranks<'o> {
        Ranks { observed, governed: GovernedEffects::of_target(program, observed.target.as_ref()) }
    }

    /// The rank of a fact, the best one lowest: the returned value, then the state of objects, in front what the
    /// code sets under a condition, then other results.
    pub(super) fn rank(&self, assertion: &Assertion) -> u32 {
        let Assertion { subject, fact } = assertion;
        let (test, acted) = (&self.observed.test, self.observed.acted);
        let (called, name) = match &test.statement(*subject).kind {
            StatementKind::Call { method, .. } => (Some(method), &*method.name),
            _ => (None, ""),
        };
        let base = match &test.statement(*subject).kind {
            _ if subject.0 + 1 == acted => 0,
            _ if reads_written(test, acted, *subject) => 10,
            _ if subject.0 >= acted => 20,
            _ if called.is_some() && called == self.observed.target.as_ref() => 10,
            // What the call wrote to its argument.
            StatementKind::Construct { .. } => 5,
            _ => 40,
        };
        let detail = match (fact, name) {
            (_, "hashCode") if subject.0 >= acted => 15,
            (Fact::Null | Fact::Equals(_) | Fact::SameAs(_), _) if self.governed.has(test, acted, assertion) => 0,
            // The object of an answer: state that the class under test did not set is no evidence.
            (Fact::Null | Fact::Equals(_), _) if is_untouched(test, acted, *subject, fact) => 5,
            (Fact::NotNull, _) if subject.0 >= acted => 12,
            // The values of the object come first.
            (Fact::InstanceOf(_), _) => 3,
            (_, "toString") => 2,
            // An object that nothing was done to shows the same.
            (Fact::Null, _) if subject.0 >= acted => 3,
            _ => 1,
        };
        base + detail
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::Snapshot;
    use crate::testcase::VarId;

    #[test]
    fn what_the_code_sets_under_a_condition_comes_first() {
        let text = "v0: Lp/Foo; = new p/Foo.<init> ()V ()\nv1: Lp/Item; = new p/Item.<init> ()V ()\n\
                    v2: V = call method p/Foo.fill (Lp/Item;)V on v0 (v1)\nv3: I = call method p/Item.getPrice ()I on v1 ()\n\
                    v4: I = call method p/Item.getStatus ()I on v1 ()\n";
        let observed = ObservedTest { test: text.parse().expect("well-formed"), acted: 3, target: None };
        let rank = |governed: &[&str], subject: u32, value: i32| {
            let ranks = Ranks { observed: &observed, governed: GovernedEffects::of_setters(governed) };
            ranks.rank(&Assertion { subject: VarId(subject), fact: Fact::Equals(Snapshot::Int(value)) })
        };
        assert_eq!(rank(&[], 3, 7), rank(&[], 4, 7));
        assert!(rank(&["setStatus"], 4, 7) < rank(&["setStatus"], 3, 7));
        // Also a value that nothing set.
        assert!(rank(&["setStatus"], 4, 0) < rank(&["setStatus"], 3, 7));
        assert!(rank(&[], 4, 0) > rank(&[], 3, 7));
    }
}
