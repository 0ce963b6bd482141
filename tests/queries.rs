//! The recorded queries of the benchmark `solve` under all combinations of solver layers: verdicts
//! do not contradict each other, models satisfy their queries, and Z3 alone answers no query that
//! the stack leaves unknown.
//!
//! Limits are resource counts, not times. `TRACEWRIGHT_QUERIES=FILE:FILE` takes every query of
//! other recordings.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};
use tracewright::expr::TermStore;
use tracewright::solve::wire::{self, Isolation};
use tracewright::solve::z3::{self, Z3Solver};
use tracewright::solve::{Layer, Limits, Outcome, Query, Solver, Statistics, read_log, standard};

/// Resource limit. It is below that of the recordings, because only agreement is tested.
const LIMITS: Limits = Limits { resources: 25_000, wall: None, descent: 100_000 };
/// One of so many queries of the sample is checked by all combinations of layers.
const STRIDE: usize = 30;

/// Two Z3 contexts in one process influence each other: with the same resource limit, only one may
/// find an answer.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/queries.txt")
}

/// The recordings, each with its own term store, and the stride for expensive checks.
fn recordings() -> (Vec<(TermStore, Vec<Query>)>, usize) {
    let (files, stride) = match std::env::var_os("TRACEWRIGHT_QUERIES") {
        Some(files) => (std::env::split_paths(&files).collect(), 1),
        None => (vec![sample()], STRIDE),
    };
    let read = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).expect("a recording");
        let mut terms = TermStore::new();
        let entries = read_log(&mut terms, &text).expect("readable");
        (terms, entries.into_iter().map(|(query, _)| query).collect())
    };
    (files.iter().map(read).collect(), stride)
}

/// Z3 with a memory of its answers, so that combinations of layers share them.
#[derive(Clone, Default)]
struct Remembering {
    answers: Rc<RefCell<HashMap<String, Outcome>>>,
}

impl Remembering {
    fn answer(&mut self, terms: &TermStore, query: &Query, manner: Isolation) -> Outcome {
        let text = wire::write_query(terms, query, manner);
        if let Some(known) = self.answers.borrow().get(&text) {
            return known.clone();
        }
        let outcome = match manner {
            Isolation::Shared => Z3Solver::new().check(terms, query),
            Isolation::Isolated => Z3Solver::new().check_isolated(terms, query),
        };
        self.answers.borrow_mut().insert(text, outcome.clone());
        outcome
    }
}

impl Solver for Remembering {
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        self.answer(terms, query, Isolation::Shared)
    }

    fn check_isolated(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        self.answer(terms, query, Isolation::Isolated)
    }

    fn statistics(&self) -> Statistics {
        Statistics::default()
    }
}

/// Every subset of the layers.
fn combinations() -> Vec<Vec<Layer>> {
    let subset =
        |bits: usize| Layer::ALL.iter().enumerate().filter(move |(place, _)| bits >> place & 1 == 1).map(|(_, layer)| *layer);
    (0..1 << Layer::ALL.len()).map(|bits| subset(bits).collect()).collect()
}

/// The verdict; `None` if it is unknown. Checks that a model satisfies the query and that a core is
/// unsatisfiable.
fn verdict(terms: &TermStore, query: &Query, outcome: &Outcome, who: &str) -> Option<bool> {
    match outcome {
        Outcome::Sat(model) => {
            let violated = query.clauses.iter().find(|clause| !terms.holds(**clause, model));
            assert_eq!(violated.map(|clause| terms.print(*clause)), None, "{who}: a model");
            Some(true)
        }
        Outcome::Unsat { core } => {
            let core = core.iter().map(|place| query.clauses[*place]).collect();
            let again = z3::alone(terms, &Query { clauses: core, seed: query.seed.clone(), limits: LIMITS });
            assert!(!matches!(again, Outcome::Sat(_)), "{who}: a core that has a model");
            Some(false)
        }
        Outcome::Unknown(_) => None,
    }
}

#[test]
fn the_stored_sample_is_small_and_covers_many_classes() {
    let text = std::fs::read_to_string(sample()).expect("the sample");
    assert!(text.len() <= 1_000_000, "{} bytes", text.len());
    let classes: BTreeSet<&str> =
        text.lines().filter_map(|line| line.strip_prefix("# ")?.split(' ').next()).filter(|name| name.contains('.')).collect();
    assert!(classes.len() >= 20, "{classes:?}");
    let entries = read_log(&mut TermStore::new(), &text).expect("readable");
    let count = |of: fn(&Outcome) -> bool| entries.iter().filter(|(_, outcome)| of(outcome)).count();
    assert!(count(|outcome| matches!(outcome, Outcome::Sat(_))) >= 50);
    assert!(count(|outcome| matches!(outcome, Outcome::Unsat { .. })) >= 50);
    assert!(count(|outcome| matches!(outcome, Outcome::Unknown(_))) >= 20);
}

#[test]
fn no_combination_of_layers_contradicts_another() {
    let _held = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let (recordings, stride) = recordings();
    let mut verdicts = 0;
    for (terms, queries) in &recordings {
        let mut stack = standard(Z3Solver::new());
        for (number, query) in queries.iter().enumerate() {
            let query = Query { limits: LIMITS, ..query.clone() };
            let mut seen: Vec<(bool, String)> = Vec::new();
            let mut judged: Vec<Outcome> = Vec::new();
            let mut judge = |outcome: &Outcome, who: String| {
                if judged.contains(outcome) {
                    return;
                }
                judged.push(outcome.clone());
                seen.extend(verdict(terms, &query, outcome, &format!("{number}: {who}")).map(|verdict| (verdict, who)));
            };
            judge(&stack.check(terms, &query), "the stack".into());
            judge(&z3::alone(terms, &query), "Z3 alone".into());
            if number % stride == 0 {
                let base = Remembering::default();
                for layers in combinations() {
                    let bottom: Box<dyn Solver> = Box::new(base.clone());
                    let mut solver = layers.iter().rev().fold(bottom, |solver, layer| layer.over(solver));
                    judge(&solver.check(terms, &query), format!("{layers:?}"));
                }
            }
            verdicts += seen.len();
            for (verdict, who) in &seen {
                assert_eq!(*verdict, seen[0].0, "{number}: {who} against {}", seen[0].1);
            }
        }
    }
    assert!(verdicts > 0);
}

/// Stack and Z3 alone have a part of the recorded resource limit, so that the test is short. The
/// same sequence of queries has the same answers, which `--steps` relies on.
#[test]
fn answers_are_repeatable_and_z3_alone_answers_no_unknown_query() {
    let _held = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    /// Factor of the resource limit of Z3 alone.
    const ALONE: u32 = 4;
    let (recordings, _) = recordings();
    let mut unknown = 0;
    for (terms, queries) in &recordings {
        // Each thread has its own Z3, and each stack its own hash tables.
        let answers = || -> Vec<Outcome> {
            let mut stack = standard(Z3Solver::new());
            queries.iter().map(|query| stack.check(terms, &Query { limits: LIMITS, ..query.clone() })).collect()
        };
        let outcomes = answers();
        let again = std::thread::scope(|scope| scope.spawn(answers).join().expect("answers"));
        for (number, (query, outcome)) in queries.iter().zip(outcomes).enumerate() {
            assert_eq!(outcome, again[number], "{number}: the same question has the same answer");
            let query = Query { limits: LIMITS, ..query.clone() };
            let Outcome::Unknown(reason) = outcome else { continue };
            unknown += 1;
            let limits = Limits { resources: LIMITS.resources * ALONE, ..LIMITS };
            let alone = z3::alone(terms, &Query { limits, ..query });
            assert!(matches!(alone, Outcome::Unknown(_)), "{number}: unknown by {reason}, but {}", wire::write_outcome(&alone));
        }
    }
    assert!(unknown > 0, "a test of nothing");
}
