//! What stands between a method and a written test. Flows in: lost tests, failed runs of the search,
//! and facts of the cluster. Flows out: the obstacles of each method, for the report. Must not know
//! which of them explains most: that is the report's matter.

use super::target::Target;
use crate::oracle::DiscardReason;
use crate::program::{ClassName, GenericType, JavaType, MethodRef};
use crate::report::{Discarded, Obstacle, UntestedCause};
use crate::search::{MethodFailure, RejectionReason, Search, is_unchecked};
use crate::testcase::TestCase;

/// Counts a lost test for each method that it calls.
pub(super) fn record_lost(discarded: &mut Discarded, test: &TestCase, cause: UntestedCause, detail: &str) {
    for method in test.called_methods() {
        discarded.losses.record(&method.to_string(), cause, detail);
    }
}

/// The cause of a test that could not be observed again, and a clause about it. `thrown`: the
/// message of the exception that ended it.
pub(super) fn unobserved_cause(reason: &DiscardReason, thrown: Option<&str>) -> (UntestedCause, String) {
    match reason {
        DiscardReason::NotObserved => (UntestedCause::Unverified, "there was no time to observe its tests again".into()),
        DiscardReason::Unstable => (UntestedCause::Environment, "two runs of its tests ended differently".into()),
        DiscardReason::Endless => (UntestedCause::TimeLimit, reason.to_string()),
        DiscardReason::Refused(what) => (UntestedCause::Refused, refused(what)),
        DiscardReason::Exhausted(_) => (UntestedCause::Exhausted, reason.to_string()),
        DiscardReason::Died => (UntestedCause::JvmDied, reason.to_string()),
        DiscardReason::Illegal(_) => (UntestedCause::Illegal, reason.to_string()),
        DiscardReason::IdentityHash => (UntestedCause::Environment, reason.to_string()),
        DiscardReason::LeftRunning => (UntestedCause::LeftRunning, "its threads were still running at the end".into()),
        DiscardReason::Unsuitable(class) => thrown_cause(class, thrown),
    }
}

/// Everything that stood between the method and a written test.
pub(super) fn obstacles_of(target: &Target, method: &MethodRef, search: &Search, discarded: &Discarded) -> Vec<Obstacle> {
    let mut obstacles = Vec::new();
    let mut add = |cause, detail: String, count| obstacles.push(Obstacle { cause, detail, count });
    for class in target.missing_classes().get(method).into_iter().flatten() {
        add(UntestedCause::MissingClass, format!("it needs {}, which is not on the class path", class.binary()), 1);
    }
    for Obstacle { cause, detail, count } in discarded.losses.of(&method.to_string()).iter().cloned() {
        add(cause, detail, count);
    }
    for failure in search.failures_of(method).unwrap_or_default() {
        let (cause, detail) = failure_cause(&failure);
        add(cause, format!("{detail} ({} runs)", failure.runs), failure.runs.into());
    }
    let cluster = target.cluster();
    let receiver = (&*method.name != "<init>").then(|| JavaType::Class(method.owner.clone()));
    for ty in method.parameters().into_iter().chain(receiver) {
        if let Some((_, reason)) = cluster.unbuildable().find(|(unbuildable, _)| **unbuildable == ty) {
            add(UntestedCause::Needs, format!("no instance of {} could be made, because {reason}", GenericType::of(&ty)), 1);
        }
    }
    let (goals, archive) = (search.goals(), search.archive());
    if goals.method_goals(method).any(|goal| archive.is_closed(goal)) {
        add(UntestedCause::Recorded, "recorded tests cover it".into(), 1);
    }
    let mut archived = goals.method_goals(method).filter_map(|goal| archive.get(goal)).peekable();
    if obstacles.is_empty() && archived.peek().is_some() {
        let is_unchecked = archived.all(|kept| is_unchecked(&kept.end));
        let (cause, detail) = match (is_unchecked, discarded.unverified.is_empty()) {
            (true, _) => (UntestedCause::Unchecked, "every call ended with a null or a wrong class that nothing checks for"),
            (false, false) => (UntestedCause::Unverified, "there was no time for its tests"),
            (false, true) => (UntestedCause::Environment, "a test reached its end once, and not when it ran again"),
        };
        obstacles.push(Obstacle { cause, detail: detail.into(), count: 1 });
    }
    obstacles
}

fn failure_cause(failure: &MethodFailure<'_>) -> (UntestedCause, String) {
    let text = failure.text.to_owned();
    match failure.reason {
        RejectionReason::Refused => (UntestedCause::Refused, refused(text.strip_prefix("refused ").unwrap_or(&text))),
        RejectionReason::EventBudget => (UntestedCause::EndlessLoop, text),
        RejectionReason::TimeLimit => (UntestedCause::TimeLimit, text),
        RejectionReason::Exhausted => (UntestedCause::Exhausted, text),
        RejectionReason::WorkerDied => (UntestedCause::JvmDied, text),
        RejectionReason::LeftRunning => (UntestedCause::LeftRunning, text),
        RejectionReason::Illegal | RejectionReason::HeapPollution => (UntestedCause::Illegal, text),
        RejectionReason::NotRun => (UntestedCause::Unverified, text),
        RejectionReason::ThrewOutsideProject => {
            let (class, message) = text.split_once(": ").map_or((&*text, None), |(class, message)| (class, Some(message)));
            thrown_cause(&ClassName::from_binary(class), message)
        }
    }
}

/// The cause of calls that threw an exception which no test can expect.
fn thrown_cause(class: &ClassName, message: Option<&str>) -> (UntestedCause, String) {
    let message = message.unwrap_or("no message");
    match class.internal() {
        "java/lang/UnsatisfiedLinkError" => {
            (UntestedCause::NativeLibrary, format!("every call threw UnsatisfiedLinkError: {message}"))
        }
        "java/lang/ExceptionInInitializerError" => {
            (UntestedCause::Initialiser, format!("every call threw an exception in a class initialiser: {message}"))
        }
        "java/lang/NoClassDefFoundError" if message.starts_with("Could not initialize class") => {
            (UntestedCause::Initialiser, format!("every call threw NoClassDefFoundError: {message}"))
        }
        "java/lang/NoClassDefFoundError" => {
            (UntestedCause::MissingClass, format!("it needs {}, which is not on the class path", message.replace('/', ".")))
        }
        _ => (UntestedCause::Threw, format!("every call threw {}", class.binary())),
    }
}

/// What was refused, in words; the method of the JDK tells the details.
fn refused(operation: &str) -> String {
    let operation = operation.split(' ').next().unwrap_or(operation);
    let kind = match operation {
        _ if operation.contains("Runtime.") || operation.contains("Shutdown.") || operation.contains("Signal.") => {
            "ending the JVM"
        }
        _ if operation.contains("Process") => "starting or ending a process",
        _ if operation.starts_with("sun.nio.ch.") => "opening a network connection",
        _ if operation.contains("Thread.") => "starting a thread",
        _ => "changing a file",
    };
    format!("refused: {kind} ({operation})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_linking_have_causes_of_their_own() {
        let cause = |class: &str, message| thrown_cause(&ClassName::new(&format!("java/lang/{class}")), message);
        assert_eq!(cause("UnsatisfiedLinkError", Some("no foo in java.library.path")).0, UntestedCause::NativeLibrary);
        let (found, detail) = cause("ExceptionInInitializerError", Some("java.lang.IllegalStateException: boom"));
        assert_eq!(found, UntestedCause::Initialiser);
        assert!(detail.ends_with("java.lang.IllegalStateException: boom"), "{detail}");
        assert_eq!(cause("NoClassDefFoundError", Some("Could not initialize class p.A")).0, UntestedCause::Initialiser);
        let missing = cause("NoClassDefFoundError", Some("dep/Base"));
        assert_eq!(missing, (UntestedCause::MissingClass, "it needs dep.Base, which is not on the class path".into()));
        assert_eq!(cause("NullPointerException", None).0, UntestedCause::Threw);
    }

    #[test]
    fn refused_operations_are_named_by_kind() {
        for (operation, kind) in [
            ("java.lang.ProcessImpl.start", "process"),
            ("sun.nio.ch.Net.socket", "network"),
            ("java.io.File.delete /a", "file (java.io.File.delete)"),
            ("java.lang.Runtime.exit", "JVM"),
        ] {
            assert!(refused(operation).contains(kind), "{operation}: {}", refused(operation));
        }
    }
}
