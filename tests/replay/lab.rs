//! What the suites of the replay share: compiled samples in a worker, checked replays, and the check
//! that the clauses of one run predict other runs.

use std::collections::BTreeMap;
use std::path::Path;

use tracewright::expr::{Model, TermStore};
use tracewright::jvm::{Jdk, ProbeMode, TraceWorker};
use tracewright::program::{ClassName, Program};
use tracewright::project::Project;
use tracewright::recording::Recording;
use tracewright::symbolic::{PathEnd, Replay, Replayer, seed_of};
use tracewright::testcase::{Literal, StatementKind, TestCase};
use tracewright_test_support::{agent_library, compile_java};

use crate::replaying::replay;
use crate::worker;

/// Sources of Java 17.
pub(crate) const SOURCES: &[(&str, &str)] = &[
    ("replay/Ints.java", include_str!("Ints.java")),
    ("replay/Floats.java", include_str!("Floats.java")),
    ("replay/Arrays1.java", include_str!("Arrays1.java")),
    ("replay/Objects1.java", include_str!("Objects1.java")),
    ("replay/Strings.java", include_str!("Strings.java")),
    ("replay/Collections1.java", include_str!("Collections1.java")),
    ("replay/Dynamic1.java", include_str!("Dynamic1.java")),
    ("replay/Constants1.java", include_str!("Constants1.java")),
    ("replay/Texts.java", include_str!("Texts.java")),
    ("replay/Library.java", include_str!("Library.java")),
];
/// A worker that records calls of compiled sources, and their program.
pub(crate) struct Lab {
    pub(crate) worker: TraceWorker,
    pub(crate) program: Program,
    _folder: tempfile::TempDir,
}

impl Lab {
    /// A worker for the sources of Java 17.
    pub(crate) fn new(jdk: &Jdk) -> Lab {
        Lab::of(jdk, 17, SOURCES)
    }

    /// A worker for sources of a Java release.
    pub(crate) fn of(jdk: &Jdk, release: u32, sources: &[(&str, &str)]) -> Lab {
        let folder = tempfile::tempdir().expect("a folder");
        let classes = compile_java(&jdk.home, release, folder.path(), sources);
        Lab::with(jdk, folder, classes)
    }

    /// A worker for compiled classes in a folder that lives as long as it.
    pub(crate) fn with(jdk: &Jdk, folder: tempfile::TempDir, classes: std::path::PathBuf) -> Lab {
        let mut config = worker::config(jdk, Some(agent_library()), classes.clone(), folder.path(), ProbeMode::Trace);
        config.include = vec!["replay/*".into()];
        let program = Program::new(Project::open(&[classes], Path::new(&jdk.home)).expect("a project"));
        Lab { worker: TraceWorker::start(config).expect("a worker"), program, _folder: folder }
    }

    /// Records one execution.
    pub(crate) fn record(&mut self, test: &TestCase) -> Recording {
        let recorded = self.worker.record(test).expect("a recording");
        Recording::from_bytes(&recorded.trace)
    }
}

/// A replayed run with what a prediction needs.
pub(crate) struct Run {
    seed: Model,
    replay: Replay,
    skeleton: String,
    /// First site number of each class in the recording.
    bases: BTreeMap<ClassName, u32>,
}

/// Checks that the clauses of one run predict the path of a run with other inputs.
fn predict(terms: &TermStore, from: &Run, other: &Run) -> Result<(), String> {
    // After the first inexact clause nothing is predicted.
    let exact = |index: usize| from.replay.path.is_exact(index) && other.replay.path.is_exact(index);
    for (index, clause) in from.replay.path.clauses.iter().enumerate() {
        if !exact(index) {
            return Ok(());
        }
        let found = other.replay.path.clauses.get(index);
        if terms.holds(clause.term, &other.seed) {
            match found {
                Some(found) if found.site == clause.site => continue,
                // A clause that folds away for the other's constants, or is implied there, is not
                // kept.
                _ => return Err(format!("clause {index} holds, found {:?}", found.map(|found| found.site.to_string()))),
            }
        }
        let expected: Vec<u32> =
            clause.others.iter().filter(|(_, term)| terms.holds(*term, &other.seed)).map(|(outcome, _)| *outcome).collect();
        let [outcome] = expected[..] else { return Err(format!("clause {index}: outcomes {expected:?} instead of one")) };
        let wanted = clause.site.with_outcome(outcome);
        return match found {
            Some(found) if found.site == wanted => Ok(()),
            found => Err(format!("clause {index}: wanted {wanted}, found {:?}", found.map(|found| found.site.to_string()))),
        };
    }
    let last = from.replay.path.clauses.len();
    let (path, expected) = (&other.replay.path, &from.replay.path);
    if path.clauses.len() != last && exact(last) {
        return Err("every clause holds, but the other run has more".into());
    }
    // A decision without a clause lost its terms somewhere. A new worker numbers sites anew.
    let comparable = from.bases.iter().all(|(class, base)| other.bases.get(class).is_none_or(|other| other == base));
    if comparable && path.inexact_from.is_none() && expected.inexact_from.is_none() && path.signature != expected.signature {
        return Err("every clause holds, but the other run took another path".into());
    }
    Ok(())
}

/// Whether the replay followed the run to its end.
pub(crate) fn is_completed(replay: &Replay) -> bool {
    matches!(replay.end, PathEnd::Returned | PathEnd::Threw { .. })
}

/// Replays a recording; the replay must follow it to its end without a divergence. Only a run that
/// is out of memory may end early, since that depends on the machine.
pub(crate) fn replay_checked(
    replayer: &mut Replayer<'_>,
    test: &TestCase,
    recording: &Recording,
    terms: &mut TermStore,
) -> Replay {
    let replay = replay(replayer, test, recording, terms).unwrap_or_else(|problem| panic!("{problem}"));
    let is_out_of_memory = replay.end == PathEnd::Unsupported { reason: "out of memory".into() };
    assert!(is_completed(&replay) || is_out_of_memory, "{test}{:?}\n{:#?}\n{}", replay.end, replay.stats, recording.print());
    replay
}

/// The count of executed instructions by the control flow alone must agree with the replay, except
/// for instructions after one that threw.
pub(crate) fn check_executed(replay: &Replay, recording: &Recording, program: &Program) {
    if is_completed(replay) {
        let (counted, executed) = (tracewright::symbolic::executed(recording, program), replay.stats.executed);
        let thrown =
            recording.print().lines().filter(|line| line.starts_with("caught") || line.starts_with("thrown")).count() as u64;
        assert!((executed..=executed + 60 * thrown).contains(&counted), "{counted} instead of {executed}\n{}", recording.print());
    }
}

impl Run {
    /// A replayed run of a test case.
    pub(crate) fn new(test: &TestCase, recording: &Recording, replay: Replay) -> Run {
        let bases = recording.announced.tables().map(|table| (table.class.clone(), table.base)).collect();
        Run { seed: seed_of(test), skeleton: skeleton(test), replay, bases }
    }
}

/// The number of statements, and of symbols that each string has. Only runs of one skeleton predict
/// each other.
fn skeleton(test: &TestCase) -> String {
    let counts = test.statements.iter().map(|statement| match &statement.kind {
        StatementKind::Literal(Literal::Str(units)) => units.len().max(16),
        _ => 0,
    });
    format!("{:?}", counts.collect::<Vec<usize>>())
}

/// Checks that every run predicts every other run of its skeleton. Returns the number of
/// predictions.
pub(crate) fn predict_each_other(method: &str, terms: &TermStore, runs: &[Run]) -> usize {
    let mut predictions = 0;
    for from in runs {
        for other in runs.iter().filter(|other| other.skeleton == from.skeleton) {
            predictions += 1;
            if let Err(problem) = predict(terms, from, other) {
                panic!(
                    "{method}: {problem}\nfrom {}\n{}other {}\n{}",
                    from.seed,
                    from.replay.path.print(terms),
                    other.seed,
                    other.replay.path.print(terms)
                );
            }
        }
    }
    predictions
}
