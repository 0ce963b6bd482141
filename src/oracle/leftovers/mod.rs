//! State that outlives a test: what shows it, and what puts it back. Flows in: the classes whose
//! static state an execution changed, and the test; flows out: statements that show this state, and
//! statements that may give it its first value. Must not know how statements are run: `engine` runs
//! the candidates and keeps those after which the state looks as it did before the test.
//!
//! What a test may use is the public interface of the classes, as its package sees it. A change that
//! this interface does not show, such as a filled cache, counts as none.

mod observers;
mod own_settings;
mod reach;
mod resets;
mod thread_locals;
mod world;

pub(crate) use observers::{StateObservers, differences};
pub(crate) use resets::{candidate_resets, candidate_undos};
pub(crate) use thread_locals::thread_local_holders;
pub(crate) use world::{WorldState, WorldValue, world_state};

use std::collections::BTreeSet;

use super::AssertedTest;
use crate::execution::WorldPart;
use crate::program::MethodRef;
use crate::testcase::{TestCase, TestHash};

/// What a test class does to state that its tests share with others, so that each begins with the
/// same state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reset {
    /// Statements that give the state its first value, whatever it was: done before and after each
    /// test.
    Statements(TestCase),
    /// A value that a static method reads before each test, and another one writes after it.
    Saved {
        /// Takes nothing.
        read: MethodRef,
        /// Takes the value.
        write: MethodRef,
    },
    /// A part of the JVM's own state, read before each test and written after it.
    World(WorldPart),
}

impl Reset {
    /// The methods and constructors that it calls, but for those of the JVM's own state.
    pub(crate) fn called_methods(&self) -> impl Iterator<Item = &MethodRef> {
        let (statements, accessors) = match self {
            Reset::Statements(test) => (Some(test), None),
            Reset::Saved { read, write } => (None, Some([read, write])),
            Reset::World(_) => (None, None),
        };
        statements.into_iter().flat_map(TestCase::called_methods).chain(accessors.into_iter().flatten())
    }
}

/// The tests without those that assert nothing and consist of the statements that the others run before each test,
/// to put state back.
pub(crate) fn without_bare_resets(tests: Vec<AssertedTest>) -> Vec<AssertedTest> {
    let is_bare = |test: &AssertedTest| test.assertions.is_empty() && test.expected.is_none() && test.fault.is_none();
    let resets = tests.iter().filter(|test| !is_bare(test)).flat_map(|test| &test.resets);
    let run_before_each: BTreeSet<TestHash> = resets
        .filter_map(|reset| match reset {
            Reset::Statements(statements) => Some(statements.canonical_hash()),
            Reset::Saved { .. } | Reset::World(_) => None,
        })
        .collect();
    let is_needless = |test: &AssertedTest| is_bare(test) && run_before_each.contains(&test.test.canonical_hash());
    tests.into_iter().filter(|test| !is_needless(test)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_before_each_test_needs_no_test_that_asserts_nothing() {
        let reset = "V = call method p/Cache.reset ()V ()\n";
        let bare: AssertedTest = format!("target p/Cache.reset ()V\nv0: {reset}").parse().expect("well-formed");
        let statements: TestCase = format!("v0: {reset}").parse().expect("well-formed");
        let mut sized: AssertedTest =
            "target p/Cache.size ()I\nv0: I = call method p/Cache.size ()I ()\nassert v0 equals int 0\n"
                .parse()
                .expect("well-formed");
        assert_eq!(without_bare_resets(vec![bare.clone(), sized.clone()]).len(), 2);
        sized.resets.push(Reset::Statements(statements));
        assert_eq!(without_bare_resets(vec![bare.clone(), sized.clone()]), [sized]);
        let own = AssertedTest { resets: vec![Reset::Statements(bare.test.clone())], ..bare };
        assert_eq!(without_bare_resets(vec![own]).len(), 1, "nothing else would run it");
    }
}
