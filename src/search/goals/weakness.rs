//! How little a test may say of the classes under test. In: how a test ended. Out: a rank, with what it costs. Must not
//! know goals.

use crate::execution::{RunEnd, Thrown};
use crate::program::{ClassName, JavaType};
use crate::testcase::{AnswerOutcome, Statement, StatementKind, TestCase};

/// How little a test says of the classes under test, least weak first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weakness {
    /// It says something.
    None,
    /// It calls the classes through a method that they inherit from a library. This and the next
    /// four hold only for classes whose collaborators can be mocked, but for fixed collections.
    CallsInherited,
    /// An exception from a real collaborator ended the test: the class under test only did not catch
    /// it.
    CollaboratorThrew,
    /// The same, where it is a value of the project, which no field of the target holds.
    ValueThrew,
    /// The same, where the collaborator is of a library.
    LibraryThrew,
    /// The same, where the collaborator is a mock, to which the test gave the exception.
    MockThrew,
    /// See [`is_accident`].
    Accident,
    /// See [`is_unchecked`]. No suite has such a test.
    Unchecked,
}

impl Weakness {
    /// What it adds to the cost of a test, in statements. A weak test is kept for a goal only where
    /// the other tests are longer by more than this.
    pub(crate) fn cost(self) -> u32 {
        match self {
            Weakness::None => 0,
            Weakness::CallsInherited
            | Weakness::CollaboratorThrew
            | Weakness::ValueThrew
            | Weakness::LibraryThrew
            | Weakness::MockThrew
            | Weakness::Accident => 8,
            Weakness::Unchecked => 40,
        }
    }

    /// Whether code of libraries, of mocks or of values threw an exception, or the JVM for a wrong index, which the
    /// class under test only did not catch. Which exceptions these are is no property of the class.
    pub(crate) fn is_foreign_exception(self) -> bool {
        matches!(self, Weakness::ValueThrew | Weakness::LibraryThrew | Weakness::MockThrew | Weakness::Accident)
    }
}

/// Whether a test with this end only shows a null or an object of a wrong class that nothing checks.
/// Such a test tells of a missing collaborator or of raw types, and of no contract.
pub(crate) fn is_unchecked(end: &RunEnd) -> bool {
    matches!(end, RunEnd::Threw { thrown, .. } if thrown.is_unchecked())
}

/// Whether the exception comes from a collection of the JDK that cannot be changed. The classes under
/// test only did not catch it.
pub(super) fn is_of_fixed_collection(end: &RunEnd) -> bool {
    let RunEnd::Threw { thrown, .. } = end else { return false };
    thrown.class.internal() == "java/lang/UnsupportedOperationException"
        && thrown.frames.first().is_some_and(|(class, ..)| class.package() == "java/util")
}

/// Whether the exception is no contract of the class: see [`Thrown::is_accident`] and [`changes_what_it_reads`].
pub(super) fn is_accident(test: &TestCase, thrown: &Thrown) -> bool {
    thrown.is_accident() || changes_what_it_reads(test, thrown)
}

/// Whether a collection got itself as the elements to add, and found that it changes while it is read. Its contract
/// leaves open what then happens.
fn changes_what_it_reads(test: &TestCase, thrown: &Thrown) -> bool {
    let gets_itself = |statement: &Statement| match &statement.kind {
        StatementKind::Call { receiver: Some(receiver), args, .. } => args.contains(receiver),
        _ => false,
    };
    let is_modified = thrown.class.internal() == "java/util/ConcurrentModificationException";
    is_modified && test.statements.last().is_some_and(gets_itself)
}

/// Whether a mock of the test throws exceptions of this class, or one that came out of a request in
/// another exception, which names it.
pub(super) fn is_answer(test: &TestCase, thrown: &Thrown) -> bool {
    let answers = test.statements.iter().flat_map(|statement| match &statement.kind {
        StatementKind::Stub { answers, .. } => &answers[..],
        _ => &[],
    });
    let message = thrown.message.as_ref().filter(|_| test.has_request()).map(|units| String::from_utf16_lossy(units));
    let names = |class: &ClassName| message.as_ref().is_some_and(|message| message.contains(&class.binary()));
    answers.flat_map(|answer| &answer.outcomes).any(|outcome| match outcome {
        AnswerOutcome::Throws(value) => match test.type_of(*value) {
            JavaType::Class(class) => *class == thrown.class || names(class),
            _ => false,
        },
        AnswerOutcome::Returns(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_that_gets_itself_ends_by_accident() {
        let reads_itself = |argument: &str, class: &str| {
            let made = "= new p/List.<init> ()V ()\n";
            let text = format!(
                "v0: Lp/List; {made}v1: Lp/List; {made}\
                 v2: Z = call method p/List.addAll (Ljava/util/Collection;)Z on v0 ({argument})\n"
            );
            let thrown = Thrown { class: ClassName::new(class), message: None, in_project: true, frames: Vec::new() };
            changes_what_it_reads(&text.parse().expect("well-formed"), &thrown)
        };
        let modified = "java/util/ConcurrentModificationException";
        assert!(reads_itself("v0", modified));
        assert!(!reads_itself("v1", modified) && !reads_itself("v0", "java/lang/IllegalArgumentException"));
    }
}
