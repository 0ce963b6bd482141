//! Time of the solver's layers on recorded queries, and of Z3 on the alternatives of one long path.
//!
//! - First it repeats recorded queries: path conditions of development classes (`queries.txt`). The
//!   table
//!   shows for each layer the queries that it answers, its median time and its 95th percentile.
//! - With `-- --queries FILE...` it repeats the queries of these files; `FILE` is `<class>.txt`.
//! - With `-- --check` it only searches queries that Z3 alone answers within a second while the
//!   stack leaves
//!   them unknown. The exit status is 1 if there is one.
//! - Then criterion measures the alternatives of a made path over 24 ints, with a fixed seed.

#[path = "solve/recorded.rs"]
mod recorded;

use criterion::{Criterion, Throughput};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::hint::black_box;
use std::path::PathBuf;
use std::process::ExitCode;
use tracewright::expr::{Model, Symbol, SymbolKind, TermId, TermStore, Value};
use tracewright::solve::z3::Z3Solver;
use tracewright::solve::{Limits, Outcome, ProcessLimits, ProcessSolver, Query, Solver, standard};

/// The program whose solver process is measured.
const PROGRAM: &str = env!("CARGO_BIN_EXE_tracewright");
/// The stored sample of recorded queries.
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/queries.txt");

/// Clauses of the made path.
const BRANCHES: usize = 60;
/// Inputs of the made path.
const INPUTS: u32 = 24;
/// Alternatives of the made path that are measured.
const FLIPS: usize = 30;
/// Resource limit of Z3. It is small, so that a criterion sample takes about a second; a query
/// beyond it is unknown.
const RESOURCES: u32 = 200_000;

/// A random path condition and an assignment under which every clause holds.
fn path(terms: &mut TermStore, seed: u64) -> (Vec<TermId>, Model) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let model: Model = (0..INPUTS).map(|input| (Symbol::value(input), Value::Int(rng.random_range(-100..100)))).collect();
    let mut clauses = Vec::new();
    while clauses.len() < BRANCHES {
        let operand = |terms: &mut TermStore, rng: &mut dyn Rng| {
            let input = |terms: &mut TermStore, rng: &mut dyn Rng| {
                terms.symbol(Symbol::value(rng.random_range(0..INPUTS)), SymbolKind::Int)
            };
            let a = input(terms, rng);
            let b = input(terms, rng);
            let c = terms.int(rng.random_range(-50..50));
            match rng.random_range(0..100) {
                0..6 => terms.mul(a, b),
                6..40 => terms.add(a, b),
                40..60 => terms.sub(a, c),
                60..62 => terms.mul(a, c),
                75..80 => terms.bitand(a, c),
                _ => a,
            }
        };
        let (x, y) = (operand(terms, &mut rng), operand(terms, &mut rng));
        let clause = match rng.random_range(0..4) {
            0 => terms.eq(x, y),
            1 => terms.le(x, y),
            _ => terms.lt(x, y),
        };
        let clause = if terms.holds(clause, &model) { clause } else { terms.not(clause) };
        if terms.constant_of(clause).is_none() {
            clauses.push(clause);
        }
    }
    (clauses, model)
}

/// Queries for alternatives of the path, in the order of its clauses.
fn alternatives(terms: &mut TermStore) -> Vec<Query> {
    let (clauses, seed) = path(terms, 7);
    (0..FLIPS)
        .map(|flip| {
            let position = flip * BRANCHES / FLIPS;
            let mut clauses = clauses[..=position].to_vec();
            let last = clauses.pop().expect("one at least");
            clauses.push(terms.not(last));
            Query { clauses, seed: seed.clone(), limits: Limits { resources: RESOURCES, ..Limits::default() } }
        })
        .collect()
}

/// The numbers of satisfiable, unsatisfiable and unknown queries.
fn count_outcomes(solver: &mut dyn Solver, terms: &TermStore, queries: &[Query]) -> [u32; 3] {
    let mut counts = [0; 3];
    for query in queries {
        counts[match solver.check(terms, query) {
            Outcome::Sat(_) => 0,
            Outcome::Unsat { .. } => 1,
            Outcome::Unknown(_) => 2,
        }] += 1;
    }
    counts
}

fn solving(criterion: &mut Criterion) {
    let mut terms = TermStore::new();
    let queries = alternatives(&mut terms);
    let mut group = criterion.benchmark_group("alternatives");
    group.sample_size(10).throughput(Throughput::Elements(FLIPS as u64));
    for (name, fresh) in [("z3, one solver", false), ("z3, fresh solvers", true)] {
        let mut once = Z3Solver::new();
        println!("{name}: sat, unsat, unknown {:?}", count_outcomes(&mut once, &terms, &queries));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut solver = Z3Solver::new();
                for query in &queries {
                    if fresh {
                        solver = Z3Solver::new();
                    }
                    black_box(solver.check(&terms, query));
                }
            });
        });
    }
    let mut stack = standard(ProcessSolver::new(PROGRAM, ProcessLimits::default()));
    println!("standard stack: sat, unsat, unknown {:?}, {:?}", count_outcomes(&mut stack, &terms, &queries), stack.statistics());
    group.bench_function("standard stack, process", |bencher| {
        bencher.iter(|| {
            let mut stack = standard(ProcessSolver::new(PROGRAM, ProcessLimits::default()));
            count_outcomes(&mut stack, &terms, &queries)
        });
    });
    group.finish();

    let mut group = criterion.benchmark_group("terms");
    group.throughput(Throughput::Elements(BRANCHES as u64));
    group.bench_function("build a path", |bencher| bencher.iter(|| path(&mut TermStore::new(), 7)));
    let last = queries.last().expect("some");
    group.throughput(Throughput::Elements(last.clauses.len() as u64));
    group.bench_function("evaluate a path", |bencher| {
        bencher.iter(|| last.clauses.iter().filter(|clause| terms.holds(**clause, &last.seed)).count());
    });
    group.bench_function("print and parse a path", |bencher| {
        bencher.iter(|| {
            let mut copy = TermStore::new();
            for clause in &last.clauses {
                copy.parse(&terms.print(*clause)).expect("well-formed");
            }
            copy.len()
        });
    });
    group.finish();
}

/// Reads the recorded queries of all files.
fn recordings(files: &[PathBuf]) -> Result<Vec<recorded::Recording>, String> {
    let mut all = Vec::new();
    for file in files {
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = std::fs::read_to_string(file).map_err(|error| wrong(&error))?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        all.extend(recorded::read(&name, &text).map_err(|error| wrong(&error))?);
    }
    Ok(all)
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).peekable();
    let (mut files, mut is_check) = (Vec::new(), false);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--check" => is_check = true,
            "--queries" => {
                while let Some(file) = arguments.next_if(|argument| !argument.starts_with("--")) {
                    files.push(PathBuf::from(file));
                }
            }
            // Arguments of cargo and criterion.
            _ => {}
        }
    }
    let is_sample = files.is_empty();
    if is_sample {
        files.push(SAMPLE.into());
    }
    let recordings = match recordings(&files) {
        Ok(recordings) => recordings,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    if is_check {
        let (missed, unknown) = recorded::missed(PROGRAM, &recordings);
        missed.iter().for_each(|query| println!("{query}"));
        println!("{unknown} unknown, {} of which Z3 alone answers within a second", missed.len());
        return if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    println!("{}", recorded::profile(PROGRAM, &recordings));
    if is_sample {
        let mut criterion = Criterion::default().configure_from_args();
        solving(&mut criterion);
        criterion.final_summary();
    }
    ExitCode::SUCCESS
}
