//! The reasons for which a candidate cannot become a test, in one table. Flows in: executions;
//! flows out: reasons with a text and a report key. Must not know how the search reacts to a
//! rejection.

use crate::execution::{Execution, RunEnd};

/// Reason why the execution of a candidate yields no test. The order is that of the texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RejectionReason {
    /// The execution produced more events than `RunEnd::Budget` allows.
    EventBudget,
    /// A cast failed at an element that only raw types put into its collection.
    HeapPollution,
    /// The worker could not perform a statement: an unknown member or a value of a wrong type.
    Illegal,
    /// Threads of the candidate did not come to rest after its last statement.
    LeftRunning,
    /// The time limit of the batch ended before the candidate was executed.
    NotRun,
    /// The guard refused an operation such as deleting a file or opening a socket.
    Refused,
    /// The stack or the heap was exhausted.
    Exhausted,
    /// A statement threw an exception before any code of the project ran.
    ThrewOutsideProject,
    /// A statement reached the time limit of one candidate.
    TimeLimit,
    /// The worker process ended during the execution.
    WorkerDied,
}

impl RejectionReason {
    /// All reasons, in the order of their texts.
    pub const ALL: [RejectionReason; 10] = [
        RejectionReason::EventBudget,
        RejectionReason::HeapPollution,
        RejectionReason::Illegal,
        RejectionReason::LeftRunning,
        RejectionReason::NotRun,
        RejectionReason::Refused,
        RejectionReason::Exhausted,
        RejectionReason::ThrewOutsideProject,
        RejectionReason::TimeLimit,
        RejectionReason::WorkerDied,
    ];

    /// Reason that follows from the end of an execution alone; `None` when the execution can become
    /// a test.
    ///
    /// An exception outside the project is no reason here: the statements before it may still form
    /// a test (see [`RejectionReason::ThrewOutsideProject`]). Heap pollution needs the test as well.
    pub(crate) fn of_execution(execution: &Execution) -> Option<RejectionReason> {
        Some(match &execution.end {
            RunEnd::Completed | RunEnd::Threw { .. } if execution.left_running => RejectionReason::LeftRunning,
            RunEnd::Completed | RunEnd::Threw { .. } => return None,
            RunEnd::Budget { .. } => RejectionReason::EventBudget,
            RunEnd::Timeout { .. } => RejectionReason::TimeLimit,
            RunEnd::Refused { .. } => RejectionReason::Refused,
            RunEnd::Exhausted { .. } => RejectionReason::Exhausted,
            RunEnd::Died => RejectionReason::WorkerDied,
            RunEnd::Unrun => RejectionReason::NotRun,
            RunEnd::Illegal { .. } => RejectionReason::Illegal,
        })
    }

    /// The key in `report.json`, never changed once released. It also fits into a sentence: "3
    /// candidates ended so: *event budget*".
    pub fn text(self) -> &'static str {
        match self {
            RejectionReason::EventBudget => "event budget",
            RejectionReason::HeapPollution => "heap pollution",
            RejectionReason::Illegal => "illegal",
            RejectionReason::LeftRunning => "left something running",
            RejectionReason::NotRun => "not run in time",
            RejectionReason::Refused => "refused",
            RejectionReason::Exhausted => "stack or heap exhausted",
            RejectionReason::ThrewOutsideProject => "threw outside the project",
            RejectionReason::TimeLimit => "time limit",
            RejectionReason::WorkerDied => "worker died",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_listed_once_in_the_order_of_their_texts() {
        assert!(RejectionReason::ALL.is_sorted_by(|left, right| left < right && left.text() < right.text()));
    }

    #[test]
    fn an_execution_is_rejected_by_its_end_or_by_threads_that_still_run() {
        let execution = |end: RunEnd, left_running: bool| Execution { left_running, ..Execution::without_measurements(end) };
        let reason = |end, left_running| RejectionReason::of_execution(&execution(end, left_running));
        assert_eq!(reason(RunEnd::Completed, false), None);
        assert_eq!(reason(RunEnd::Completed, true), Some(RejectionReason::LeftRunning));
        // The end of the run is the more specific reason.
        assert_eq!(reason(RunEnd::Died, true), Some(RejectionReason::WorkerDied));
        assert_eq!(reason(RunEnd::Unrun, false), Some(RejectionReason::NotRun));
        assert_eq!(reason(RunEnd::Budget { statement: 0 }, false), Some(RejectionReason::EventBudget));
    }
}
