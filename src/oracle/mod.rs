//! The oracle: assertions from observed executions. Flows in: test cases, the cluster of usable
//! members, executions; flows out: an [`AssertedTest`]. Must not know how a test is run, what its
//! Java source is or what time it is.
//!
//! An assertion comes about in three steps:
//!
//! 1. `observe` appends *inspectors* to a test case: getters, `size`, `toString`, `equals`. They
//!    read the result, the receiver and the arguments of the call under test.
//! 2. `statements` turns the values on which all executions agree into assertions. A value gets none
//!    if it differs between executions, holds an identity hash, a path or today's date, or if no
//!    code of the project influenced it. Assertions that others imply are dropped.
//! 3. `kill` selects the assertions by the mutants that they kill, by greedy set cover. A test keeps
//!    its cheapest assertion in any case. `unanswered` verifies calls that nothing else shows, and
//!    that calls of other tests (`absent_calls`) do not come.
//!
//! A test without any assertion shows only that its calls return: step 2 excluded every value. With
//! `TRACEWRIGHT_LOG=tracewright::oracle=debug`, each test is printed with its excluded results and
//! the reasons.
//!
//! `accessibility` says what a test may name, and `fault` which exceptions are likely faults of the
//! class under test.

mod absent_calls;
mod accessibility;
mod accessors;
mod commonness;
mod contents;
mod effects;
mod fault;
mod governed_effects;
mod held_objects;
mod hosted_getters;
mod ignored_results;
mod implied;
mod influence;
mod interactions;
mod kill;
mod listed;
pub(crate) mod leftovers;
mod observe;
mod ranks;
mod reading_cost;
mod requests;
mod restated;
mod set_properties;
mod shortened;
mod statements;
mod text;
mod unanswered;
mod validation;
mod written_arguments;

use std::collections::{BTreeMap, BTreeSet};

use crate::execution::Snapshot;
use crate::program::{BranchOutcome, ClassName, MethodRef};
use crate::testcase::{Statement, StatementKind, TestCase, VarId};

pub(crate) use absent_calls::{ReceivedCalls, received_calls, state_absent_calls};
pub use accessibility::{Accessibility, is_identifier, is_reserved, test_package};
pub(crate) use accessors::{joined, told_by_computation};
pub(crate) use effects::{effects, without_call};
pub(crate) use governed_effects::GovernedEffects;
pub(crate) use hosted_getters::host_getters;
pub use ignored_results::IgnoredResults;
pub(crate) use interactions::is_command;
pub use kill::{Kills, MutantOutcome, mutant_outcome, select_assertions};
pub use leftovers::Reset;
pub use observe::{ObservedTest, append_inspectors, method_under_test, observe_tests};
pub(crate) use statements::can_verify_any;
pub use statements::{DiscardReason, StateOptions, state_assertions};
pub(crate) use text::as_literal;
pub(crate) use unanswered::returns_zero_by_default;
pub(crate) use validation::{FIELD_ERROR_OF, HAS_FIELD_ERROR};
pub(crate) use written_arguments::reads_printed_lines;

/// A test case with its assertions, ready to be printed as Java.
#[derive(Clone, Debug, PartialEq)]
pub struct AssertedTest {
    /// The statements of the test, then its inspectors.
    pub test: TestCase,
    /// Number of the test's own statements. Those after them are inspectors, which are calls for the
    /// assertions alone, and statements that undo.
    pub acted: u32,
    /// In the order of the statements of their subjects; then the calls that mocks did not get.
    pub assertions: Vec<Assertion>,
    /// The exception of the last statement.
    pub expected: Option<ExpectedException>,
    /// The method or constructor under test. It determines the name of the test and its position in
    /// the file.
    pub target: Option<MethodRef>,
    /// A likely fault that the test shows, such as a broken contract, in one phrase.
    pub fault: Option<String>,
    /// A class whose assertions have to be enabled; without them, the test is skipped.
    pub assumes: Option<ClassName>,
    /// Number of statements at the end of the test, behind its inspectors or the statement that
    /// throws, that put back state which the test changed.
    pub undoing: u32,
    /// What the test class does before and after each test, because this one changes shared state.
    pub resets: Vec<Reset>,
    /// What trials with other values have shown about the values of the test. Others
    /// were not tried, or change only results.
    pub relevance: BTreeMap<VarId, ValueRelevance>,
    /// The ways that jumps of the classes under test went in the call under test. Empty where that was not
    /// asked.
    pub ways: BTreeSet<BranchOutcome>,
}

impl AssertedTest {
    /// Whether an inspector reads what the call under test returned: `iterator.hasNext()` says more of
    /// `list.iterator()` than the list does.
    pub(crate) fn reads_result(&self, subject: VarId) -> bool {
        match &self.test.statement(subject).kind {
            StatementKind::Call { receiver: Some(read), .. } | StatementKind::GetField { receiver: Some(read), .. } => {
                subject.0 >= self.acted && read.0 + 1 == self.acted
            }
            _ => false,
        }
    }

    /// Whether the two tests do the same until their calls return, but for values of literals.
    pub(crate) fn is_twin_of(&self, other: &AssertedTest) -> bool {
        let own = &self.test.statements[..self.acted as usize];
        let others = &other.test.statements[..other.acted as usize];
        let is_alike = |(one, other): (&Statement, &Statement)| match (&one.kind, &other.kind) {
            (StatementKind::Literal(_), StatementKind::Literal(_)) => one.ty == other.ty,
            (one, other) => one == other,
        };
        own.len() == others.len() && own.iter().zip(others).all(is_alike)
    }

    /// Whether the method is the one under test. The method of a hidden class may be called by the interface of the
    /// object.
    pub(crate) fn is_about(&self, method: &MethodRef) -> bool {
        let is_above = |target: &MethodRef| {
            let [own, other] = [&target.owner, &method.owner].map(|owner| owner.internal().contains('$'));
            own && !other && (&target.name, &target.descriptor) == (&method.name, &method.descriptor)
        };
        self.target.as_ref().is_some_and(|target| target == method || is_above(target))
    }

    /// The test with any text in place of those that it expects; `None` where it expects none.
    pub(crate) fn with_any_texts(&self) -> Option<AssertedTest> {
        let mut weaker = self.clone();
        for assertion in &mut weaker.assertions {
            if matches!(assertion.fact, Fact::Equals(Snapshot::Str(Some(_)))) {
                assertion.fact = Fact::NotNull;
            }
        }
        if let Some(expected) = &mut weaker.expected {
            expected.message = None;
        }
        (weaker != *self).then_some(weaker)
    }
}

/// What another value in place of one of a test's values changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueRelevance {
    /// The code under test takes other branches, or ends in another way.
    Decisive,
    /// Nothing: all that the test asserts still holds.
    Incidental,
}

/// A fact about the variable of one statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Assertion {
    /// The variable.
    pub subject: VarId,
    /// What holds for it.
    pub fact: Fact,
}

/// What an assertion says of its subject.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// The value is null.
    Null,
    /// The value is an object.
    NotNull,
    /// Equal to a primitive, string, boxed primitive, enum constant or class literal, or to an array
    /// or a container of such values and nulls. For an array without `elements` only the length is
    /// stated.
    Equals(Snapshot),
    /// The same object as that of an earlier variable.
    SameAs(VarId),
    /// An instance of exactly this class, which the method does not declare.
    InstanceOf(ClassName),
    /// The mock received calls of the method with such arguments.
    Called {
        /// The method.
        method: MethodRef,
        /// One for each parameter.
        arguments: Vec<ArgumentFact>,
        /// Number of these calls. 0: the test has to show that the method is not called.
        times: u32,
    },
}

/// What an assertion says of an argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentFact {
    /// Nothing.
    Any,
    /// The object of a variable.
    Is(VarId),
    /// Equal to a literal, as in [`Fact::Equals`].
    Equals(Snapshot),
    /// An object that the code under test made: what its inspectors return.
    Captured(Vec<(MethodRef, Snapshot)>),
}

/// The exception that the last statement of a test throws.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedException {
    /// The thrown class or its nearest superclass that a test can name.
    pub class: ClassName,
    /// The message in UTF-16 units, if code of the project wrote it and it is the same in every
    /// execution.
    pub message: Option<Vec<u16>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_may_stand_for_those_that_a_test_expects() {
        let parse = |text: &str| text.parse::<AssertedTest>().expect("well-formed");
        let home = "target p/Machine.home ()Ljava/lang/String;\nv0: Ljava/lang/String; = call method p/Machine.home ()Ljava/lang/String; ()\n";
        let told = parse(&format!("{home}assert v0 equals string \"/opt\"\n"));
        assert_eq!(told.with_any_texts(), Some(parse(&format!("{home}assert v0 not-null\n"))));
        assert_eq!(parse(&format!("{home}assert v0 null\n")).with_any_texts(), None);
        let thrown = parse(&format!("{home}throws java/lang/IllegalStateException \"no /opt\"\n"));
        assert_eq!(thrown.with_any_texts(), Some(parse(&format!("{home}throws java/lang/IllegalStateException\n"))));
    }
}
