//! The solver as a child process: after a hang, a crash or a malformed answer the outcome is
//! `Unknown`, and the next query gets a new process.

use std::io::Write;
use std::path::Path;
use std::time::Duration;
use tracewright::expr::TermStore;
use tracewright::solve::{Limits, Outcome, ProcessLimits, ProcessSolver, Query, Reason, Solver, standard, wire};

const PROGRAM: &str = env!("CARGO_BIN_EXE_tracewright");

fn query(terms: &mut TermStore, clauses: &[&str]) -> Query {
    let clauses = clauses.iter().map(|text| terms.parse(text).expect(text)).collect();
    Query { clauses, seed: Default::default(), limits: Limits::default() }
}

fn ask(solver: &mut ProcessSolver, clauses: &[&str]) -> String {
    let mut terms = TermStore::new();
    let query = query(&mut terms, clauses);
    wire::write_outcome(&solver.check(&terms, &query))
}

/// Writes a shell script that stands in for the solver.
fn script(folder: &Path, body: &str) -> std::path::PathBuf {
    let path = folder.join("solver");
    let mut file = std::fs::File::create(&path).expect("a file");
    write!(file, "{body}").expect("written");
    path
}

fn scripted(folder: &Path, body: &str, limits: ProcessLimits) -> ProcessSolver {
    ProcessSolver::with_command("/bin/sh", [script(folder, body).into_os_string()], limits)
}

/// A script whose first process runs the command `first`; every later process answers `unsat 0`.
fn first_process_runs(first: &str) -> String {
    format!(
        "echo solver test\nif [ ! -e \"$0.seen\" ]; then touch \"$0.seen\"; {first}; fi\n\
         while read -r line; do if [ \"$line\" = end ]; then echo unsat 0; echo used 1; fi; done\n"
    )
}

#[test]
fn queries_are_answered() {
    let mut solver = ProcessSolver::new(PROGRAM, ProcessLimits::default());
    assert_eq!(ask(&mut solver, &["(= (bvmul v0 3) 21)"]), "sat v0=7");
    assert_eq!(ask(&mut solver, &["(bvslt v0 v1)", "(bvslt v1 v0)"]), "unsat 0 1");
    assert_eq!(ask(&mut solver, &["(fp.lt (fp.mul v0:double v0:double) v0:double)"]), "unknown unsupported fp.mul");
    let statistics = solver.statistics();
    assert_eq!((statistics.started, statistics.solved, statistics.killed, statistics.died), (1, 3, 0, 0));
    assert!(statistics.resources > 0);
    assert!(ProcessSolver::probe(Path::new(PROGRAM)).expect("a solver").contains("4.15"));
}

#[test]
fn the_same_queries_get_the_same_answers() {
    let run = || {
        let mut solver = standard(ProcessSolver::new(PROGRAM, ProcessLimits::default()));
        let mut terms = TermStore::new();
        let mut answers = String::new();
        for number in 1..40 {
            let clauses = [
                format!("(bvslt v0 (bvadd v1 {number}))"),
                format!("(= (bvsrem (bvmul v1 v0) {}) {})", number + 3, number % 5),
                format!("(bvslt v2 (bvmul v0 {number}))"),
                format!("(not (= v2 {}))", number * 7 % 11),
            ];
            let query = query(&mut terms, &clauses.each_ref().map(String::as_str));
            answers += &wire::write_outcome(&solver.check(&terms, &query));
            answers.push('\n');
        }
        (answers, solver.statistics().resources)
    };
    assert_eq!(run(), run());
}

#[test]
fn a_process_that_hangs_is_killed_and_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut solver = scripted(folder.path(), &first_process_runs("sleep 1000"), ProcessLimits::default());
    let mut terms = TermStore::new();
    let mut short = query(&mut terms, &["(bvslt v0 v1)"]);
    short.limits.wall = Some(Duration::from_secs(1));
    // On a busy machine, a process can be killed before its script says that it ran.
    let mut killed = 0;
    while killed == 0 || !folder.path().join("solver.seen").exists() {
        assert_eq!(solver.check(&terms, &short), Outcome::Unknown(Reason::Time));
        killed += 1;
        assert!(killed < 100, "no process starts");
    }
    assert_eq!(ask(&mut solver, &["(bvslt v0 v1)"]), "unsat 0");
    let statistics = solver.statistics();
    assert_eq!((statistics.started, statistics.killed, statistics.died), (killed + 1, killed, 0));
}

#[test]
fn a_process_that_dies_is_replaced() {
    for (how, said) in [("exit 3", "exit status: 3"), ("kill -9 $$", "signal: 9"), ("kill -11 $$", "signal: 11")] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut solver = scripted(folder.path(), &first_process_runs(&format!("read -r line; {how}")), ProcessLimits::default());
        let answer = ask(&mut solver, &["(bvslt v0 v1)"]);
        assert!(answer.starts_with("unknown died") && answer.contains(said), "{how}: {answer}");
        assert_eq!(ask(&mut solver, &["(bvslt v0 v1)"]), "unsat 0");
        assert_eq!((solver.statistics().started, solver.statistics().died), (2, 1));
    }
}

#[test]
fn malformed_answers_are_rejected() {
    for malformed in
        ["echo yes; echo used 1", "echo unsat 7; echo used 1", "echo sat v0; echo used 1", "echo unsat 0; echo unsat 0"]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let mut solver = scripted(folder.path(), &first_process_runs(malformed), ProcessLimits::default());
        let answer = ask(&mut solver, &["(bvslt v0 v1)"]);
        assert!(answer.starts_with("unknown garbage"), "{malformed}: {answer}");
        assert_eq!(ask(&mut solver, &["(bvslt v0 v1)"]), "unsat 0");
    }
    // The assignment does not satisfy the query.
    let folder = tempfile::tempdir().expect("a folder");
    let mut solver = scripted(folder.path(), &first_process_runs("echo sat v0=5 v1=5; echo used 1"), ProcessLimits::default());
    assert_eq!(ask(&mut solver, &["(bvslt v0 v1)"]), "unknown wrong-model");
    assert_eq!(solver.statistics().wrong_models, 1);
}

#[test]
fn a_program_that_is_no_solver_is_unknown() {
    let mut solver = ProcessSolver::new("/no/such/program", ProcessLimits::default());
    assert!(ask(&mut solver, &["(bvslt v0 v1)"]).starts_with("unknown died"));
    let mut solver = ProcessSolver::with_command("/bin/echo", ["hello"], ProcessLimits::default());
    assert!(ask(&mut solver, &["(bvslt v0 v1)"]).starts_with("unknown garbage"));
    assert!(ProcessSolver::probe(Path::new("/bin/true")).is_err());
}

#[test]
fn processes_are_recycled() {
    let mut solver = ProcessSolver::new(PROGRAM, ProcessLimits { queries: 2, ..ProcessLimits::default() });
    for number in 0..5 {
        assert_eq!(ask(&mut solver, &[&format!("(= (bvadd v0 {number}) 9)")]), format!("sat v0={}", 9 - number));
    }
    assert_eq!(solver.statistics().started, 3);
}

/// The query asks for the factors of a product of two primes near 2^31, which no solver finds in
/// 300 ms.
#[test]
fn a_hard_query_ends_with_its_wall_time() {
    let mut terms = TermStore::new();
    let mut query = query(
        &mut terms,
        &[
            "(= (bvmul v0:long v1:long) 4611685975477714963L)",
            "(bvslt 1L v0:long)",
            "(and (bvslt v0:long v1:long) (bvslt v1:long 4294967296L))",
        ],
    );
    query.limits = Limits { resources: u32::MAX, wall: Some(Duration::from_millis(300)), ..Limits::default() };
    let mut solver = ProcessSolver::new(PROGRAM, ProcessLimits::default());
    assert_eq!(solver.check(&terms, &query), Outcome::Unknown(Reason::Time));
    assert_eq!(ask(&mut solver, &["(= (bvadd v0 1) 9)"]), "sat v0=8");
}

#[test]
fn memory_is_bounded() {
    let limits = ProcessLimits { memory: 16 << 20, ..ProcessLimits::default() };
    let mut solver = ProcessSolver::new(PROGRAM, limits);
    // libz3 alone does not fit.
    assert!(ask(&mut solver, &["(bvslt v0 v1)"]).starts_with("unknown died"));
}

#[test]
fn a_process_that_earlier_queries_filled_is_replaced_and_asked_again() {
    let folder = tempfile::tempdir().expect("a folder");
    // The first process answers one query, then reports that its memory is used up, and would die
    // of a third query.
    let full = "read_query() { while read -r line; do [ \"$line\" = end ] && break; done; }; \
                read_query; echo unsat 0; echo used 1; read_query; echo unknown gave-up out of memory; echo used 1; read_query; exit 3";
    let mut solver = scripted(folder.path(), &first_process_runs(full), ProcessLimits::default());
    assert_eq!(ask(&mut solver, &["(= v0 1)"]), "unsat 0");
    assert_eq!(ask(&mut solver, &["(= v0 2)"]), "unsat 0");
    assert_eq!((solver.statistics().started, solver.statistics().solved, solver.statistics().died), (2, 2, 0));
    // A first query that uses up the memory gets this as its answer: a new process would not help.
    let folder = tempfile::tempdir().expect("a folder");
    let full = "while read -r line; do if [ \"$line\" = end ]; then echo unknown gave-up out of memory; echo used 1; fi; done";
    let mut solver = scripted(folder.path(), &first_process_runs(full), ProcessLimits::default());
    assert_eq!(ask(&mut solver, &["(= v0 1)"]), "unknown gave-up out of memory");
    assert_eq!(ask(&mut solver, &["(= v0 1)"]), "unsat 0");
}
