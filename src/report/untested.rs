//! Why no written test calls a method: one table of causes, each with its key in `report.json` and
//! what the user can do. Flows in: what was lost on the way from a candidate to a written test.
//! Flows out: the cause that holds, with its details. Must not know the engine.
//!
//! `docs/formats/report.md` has the same table, and a test compares the two.

use std::collections::BTreeMap;

/// Why a method is untested. An earlier cause is more specific than a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum UntestedCause {
    /// The class path lacks a class that the method names.
    MissingClass,
    /// A native library could not be loaded, or lacks a function.
    NativeLibrary,
    /// A class initialiser threw an exception.
    Initialiser,
    /// javac rejects the generated source.
    Uncompilable,
    /// Java source cannot express the tests.
    Unprintable,
    /// The tests failed when they ran as JUnit tests in the environment of the search.
    Failing,
    /// Two runs differ, or the tests failed in another environment.
    Environment,
    /// The tests change state that other tests see, and nothing puts it back.
    SharedState,
    /// There was no time to verify the tests.
    Unverified,
    /// The guard refused an operation.
    Refused,
    /// A call took more events than a test may.
    EndlessLoop,
    /// A call took longer than a test may.
    TimeLimit,
    /// The stack or the heap was exhausted.
    Exhausted,
    /// The JVM ended.
    JvmDied,
    /// Threads were still running at the end.
    LeftRunning,
    /// The runner could not execute a statement.
    Illegal,
    /// There is no object of a parameter type.
    Needs,
    /// Every call threw an exception before code of the project ran.
    Threw,
    /// Every test ends with an exception that only shows a null or an object of a wrong class.
    Unchecked,
    /// Recorded tests cover the method.
    Recorded,
    /// No candidate reached the end of the method.
    NotReached,
}

impl UntestedCause {
    /// All causes, in the order of the table.
    #[cfg(test)]
    const ALL: [UntestedCause; 21] = {
        use UntestedCause::*;
        [
            MissingClass,
            NativeLibrary,
            Initialiser,
            Uncompilable,
            Unprintable,
            Failing,
            Environment,
            SharedState,
            Unverified,
            Refused,
            EndlessLoop,
            TimeLimit,
            Exhausted,
            JvmDied,
            LeftRunning,
            Illegal,
            Needs,
            Threw,
            Unchecked,
            Recorded,
            NotReached,
        ]
    };

    /// The key in `methods.cause`, and what the user can do.
    fn row(self) -> (&'static str, &'static str) {
        match self {
            UntestedCause::MissingClass => ("missing-class", "complete --classpath"),
            UntestedCause::NativeLibrary => ("native-library", "test a class that needs no native library"),
            UntestedCause::Initialiser => ("initialiser", "give the class initialiser what it needs"),
            UntestedCause::Uncompilable => ("uncompilable", "report it as a fault of Tracewright"),
            UntestedCause::Unprintable => ("unprintable", "make the named type or member accessible to its package"),
            UntestedCause::Failing => ("failing", "report it as a fault of Tracewright"),
            UntestedCause::Environment => ("environment", "pass time, chance and settings in as arguments"),
            UntestedCause::SharedState => ("shared-state", "give the class a method for that"),
            UntestedCause::Unverified => ("unverified", "raise --budget"),
            UntestedCause::Refused => ("refused", "allow the operation with --allow"),
            UntestedCause::EndlessLoop => ("endless-loop", "check whether the method ends"),
            UntestedCause::TimeLimit => ("time-limit", "split the method: it is too slow for a test"),
            UntestedCause::Exhausted => ("exhausted", "check for endless recursion or allocation"),
            UntestedCause::JvmDied => ("jvm-died", "check native code that the method calls"),
            UntestedCause::LeftRunning => ("left-running", "end the threads that the method starts"),
            UntestedCause::Illegal => ("illegal", "complete --classpath"),
            UntestedCause::Needs => ("needs", "put an implementation or Mockito on the class path"),
            UntestedCause::Threw => ("threw", "record your own tests and name the --session"),
            UntestedCause::Unchecked => ("unchecked", "check the arguments of the method"),
            UntestedCause::Recorded => ("recorded", "give --all to test it nevertheless"),
            UntestedCause::NotReached => ("not-reached", "raise --budget, or record your own tests and name the --session"),
        }
    }

    /// The key in `methods.cause`, never changed once released.
    pub(crate) fn key(self) -> &'static str {
        self.row().0
    }

    /// What the user can do, one phrase.
    pub(crate) fn remedy(self) -> &'static str {
        self.row().1
    }
}

/// One cause with its details, and how often it was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Obstacle {
    pub(crate) cause: UntestedCause,
    /// A clause for the user, with the names in question.
    pub(crate) detail: String,
    pub(crate) count: u64,
}

/// What was lost of each method, under a name of the method that its owner chooses.
#[derive(Clone, Debug, Default)]
pub(crate) struct MethodLosses(BTreeMap<String, Vec<Obstacle>>);

/// Obstacles that are kept of one method.
const MOST_OBSTACLES: usize = 16;

impl MethodLosses {
    /// Counts a test of the method that was lost.
    pub(crate) fn record(&mut self, method: &str, cause: UntestedCause, detail: &str) {
        let obstacles = self.0.entry(method.to_owned()).or_default();
        let known = obstacles.iter().position(|known| known.cause == cause && known.detail == detail);
        match known {
            Some(place) => obstacles[place].count += 1,
            None if obstacles.len() < MOST_OBSTACLES => {
                obstacles.push(Obstacle { cause, detail: detail.to_owned(), count: 1 });
            }
            None => {}
        }
    }

    /// What was lost of the method.
    pub(crate) fn of(&self, method: &str) -> &[Obstacle] {
        self.0.get(method).map_or(&[], Vec::as_slice)
    }
}

/// The obstacle that explains best why there is no test: of the most specific kind the most
/// frequent one.
pub(super) fn main_obstacle(obstacles: &[Obstacle]) -> Obstacle {
    let rank = |obstacle: &&Obstacle| (std::cmp::Reverse(group(obstacle.cause)), obstacle.count);
    // Of equal ones, the first.
    let best = obstacles.iter().rev().max_by_key(rank).cloned();
    let nothing = || Obstacle { cause: UntestedCause::NotReached, detail: "no test reached its end".into(), count: 0 };
    best.unwrap_or_else(nothing)
}

/// Causes of one group are compared by their counts.
fn group(cause: UntestedCause) -> u32 {
    use UntestedCause::*;
    match cause {
        MissingClass => 0,
        NativeLibrary => 1,
        Initialiser => 2,
        Uncompilable | Unprintable | Failing | Environment | SharedState | Unverified => 3,
        Refused | EndlessLoop | TimeLimit | Exhausted | JvmDied | LeftRunning | Illegal => 4,
        Needs => 5,
        Threw | Unchecked => 6,
        Recorded => 7,
        NotReached => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_has_the_table() {
        let document = include_str!("../../docs/formats/report.md");
        for cause in UntestedCause::ALL {
            let (key, remedy) = cause.row();
            let row = document.lines().find(|line| line.starts_with(&format!("| `{key}` |")));
            let row = row.unwrap_or_else(|| panic!("docs/formats/report.md lacks {key}"));
            assert!(row.ends_with(&format!("| {remedy} |")), "{row}: {remedy}");
        }
        let rows = document.split("Causes of an untested method").nth(1).and_then(|rest| rest.split("\n\n").nth(1));
        assert_eq!(rows.map(|rows| rows.lines().count()), Some(UntestedCause::ALL.len() + 2));
    }

    #[test]
    fn the_most_specific_obstacle_explains_most() {
        let mut losses = MethodLosses::default();
        for _ in 0..3 {
            losses.record("m", UntestedCause::Unverified, "late");
        }
        losses.record("m", UntestedCause::Uncompilable, "name clash");
        assert_eq!(main_obstacle(losses.of("m")), Obstacle { cause: UntestedCause::Unverified, detail: "late".into(), count: 3 });
        losses.record("m", UntestedCause::NativeLibrary, "no foo");
        assert_eq!(main_obstacle(losses.of("m")).detail, "no foo");
        assert_eq!(main_obstacle(losses.of("n")).cause, UntestedCause::NotReached);
    }
}
