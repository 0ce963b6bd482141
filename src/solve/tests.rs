//! Solvers against brute force, against each other, and against scripted ones that fail.

use super::z3::Z3Solver;
use super::*;
use crate::expr::{Input, Model, Symbol, SymbolKind, TermId, TermStore, UnaryOp, Value};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::time::Duration;

fn query(terms: &mut TermStore, clauses: &[&str], seed: &str) -> Query {
    let clauses = clauses.iter().map(|text| terms.parse(text).expect(text)).collect();
    Query { clauses, seed: seed.parse().expect(seed), limits: Limits::default() }
}

fn ask(solver: &mut impl Solver, clauses: &[&str], seed: &str) -> Outcome {
    let mut terms = TermStore::new();
    let query = query(&mut terms, clauses, seed);
    let outcome = solver.check(&terms, &query);
    if let Outcome::Sat(model) = &outcome {
        assert_eq!(completed(&terms, &query, model).as_ref(), Some(model), "complete, and holds");
    }
    outcome
}

fn check(clauses: &[&str], seed: &str, expected: &str) {
    assert_eq!(wire::write_outcome(&ask(&mut Z3Solver::new(), clauses, seed)), expected, "{clauses:?}");
    let whole = ask(&mut standard(Z3Solver::new()), clauses, seed);
    let kind = |text: &str| text.split(' ').next().map(str::to_string);
    assert_eq!(kind(&wire::write_outcome(&whole)), kind(expected), "{clauses:?}");
}

#[test]
fn contradictions_have_cores() {
    check(&["(bvslt v0 5)", "(bvslt v9 3)", "(bvslt 5 v0)"], "", "unsat 0 2");
    check(&["(bvslt v0 v1)", "(bvslt v1 v2)", "(= v7 1)", "(bvslt v2 v0)"], "", "unsat 0 1 3");
    check(&["false"], "", "unsat 0");
    check(&["(bvslt 65535 (bvadd v0[1] 0))"], "", "unsat 0");
    check(&["(bvslt v0.length 0)"], "", "unsat 0");
    check(&["(= v0:boolean 2)"], "", "unsat 0");
    check(&["(bvslt (bvmul v0:byte v0:byte) 0)"], "", "unsat 0");
    check(&["(= (bvand v0:long 1L) 2L)"], "", "unsat 0");
}

#[test]
fn models_are_small_and_complete() {
    check(&["(= (bvmul v0 3) 21)"], "v5=8", "sat v0=7 v5=8");
    check(&["(= (bvadd v0:long 1L) -9223372036854775808L)"], "", "sat v0=9223372036854775807L");
    check(&["(= v0[2] 97)", "(= v0.length 3)"], "", "sat v0.length=3 v0[2]=97");
    check(&["(= v0:char 0)"], "", "sat v0=0");
    check(&["(= (lcmp v0:long 7L) 0)"], "", "sat v0=7L");
    let Outcome::Sat(model) = ask(&mut Z3Solver::new(), &["(bvslt v1 v0)", "(bvslt v2 v1)"], "") else { panic!("satisfiable") };
    assert!(model.iter().all(|(_, value)| value.integral().is_some_and(|value| value.abs() <= 10)), "{model}");
    // A large number does not make strings longer.
    let clauses = ["(bvslt 100000 v0)", "(bvslt 30 v1.length)", "(bvslt v2.length v1.length)"];
    let Outcome::Sat(model) = ask(&mut Z3Solver::new(), &clauses, "") else { panic!("satisfiable") };
    let length = |statement| model.get(crate::expr::Symbol::length(statement)).and_then(Value::integral);
    assert!(length(1).is_some_and(|length| length <= 100) && length(2).is_some_and(|length| length <= 100), "{model}");
}

#[test]
fn java_division_and_shifts() {
    check(&["(= (bvsdiv v0 -1) v0)", "(not (= v0 0))"], "", "sat v0=-2147483648");
    check(&["(= (bvshl 1 (bvand v0 31)) 1024)", "(bvsle 0 v0)", "(bvslt v0 32)"], "", "sat v0=10");
    check(&["(= (bvlshr v0 28) 15)", "(= (bvand v0 268435455) 0)"], "", "sat v0=-268435456");
    check(&["(= (i2b v0) -1)", "(bvslt 200 v0)", "(bvslt v0 300)"], "", "sat v0=255");
    check(&["(= (l2i v0:long) 5)", "(bvslt 5L v0:long)", "(bvslt v0:long 4294967310L)"], "", "sat v0=4294967301L");
}

#[test]
fn floats_are_javas() {
    check(&["(= (d2i v0:double) 42)", "(fp.eq v0:double (i2d (d2i v0:double)))"], "", "sat v0=d#4045000000000000");
    // NaN is equal to nothing.
    let nan = ["(not (fp.eq v0:double v0:double))"];
    assert!(matches!(ask(&mut Z3Solver::new(), &nan, ""), Outcome::Sat(_)));
    check(&["(not (fp.eq v0:float v0:float))", "(not (= (f2i v0:float) 0))"], "", "unsat 0 1");
    let saturated = ["(= (d2i v0:double) 2147483647)", "(fp.lt d#41f0000000000000 v0:double)"];
    assert!(matches!(ask(&mut Z3Solver::new(), &saturated, ""), Outcome::Sat(_)));
    check(&["(= (fcmpl v0:double d#3ff0000000000000) 0)"], "", "sat v0=d#3ff0000000000000");
    check(&["(= (fp.to_bits v0:float) 1)"], "", "sat v0=f#00000001");
    check(&["(fp.lt (i2f v0) f#3f000000)", "(fp.lt f#bf000000 (i2f v0))"], "v0=3", "sat v0=0");
}

#[test]
fn operators_that_z3_does_not_get_are_unknown() {
    let product = ["(fp.lt (fp.mul v0:double v0:double) d#c010000000000000)"];
    assert_eq!(wire::write_outcome(&ask(&mut Z3Solver::new(), &product, "")), "unknown unsupported fp.mul");
    check(&["(fp.lt d#4010000000000000 (sin v0:double))"], "", "unknown unsupported sin");
    // The same symbol cannot be an int and a long.
    check(&["(= v0 1)", "(= v0:long 2L)"], "", "unknown unsupported v0 and v0:long in one query");
}

/// A hard query: a factorisation of a product of two primes near 2^31.
const HARD: [&str; 3] = [
    "(= (bvmul v0:long v1:long) 4611685975477714963L)",
    "(bvslt 1L v0:long)",
    "(and (bvslt v0:long v1:long) (bvslt v1:long 4294967296L))",
];

#[test]
fn the_resource_limit_is_unknown_and_deterministic() {
    let run = || {
        let mut terms = TermStore::new();
        let mut query = query(&mut terms, &HARD, "");
        query.limits.resources = 200_000;
        let mut solver = Z3Solver::new();
        let outcome = solver.check(&terms, &query);
        (outcome, solver.statistics().resources)
    };
    let (outcome, _) = run();
    assert_eq!(outcome, Outcome::Unknown(Reason::Resources));
    assert_eq!(run().0, outcome);
    // Afterwards the solver still answers.
    let mut terms = TermStore::new();
    let mut limited = query(&mut terms, &HARD, "");
    limited.limits.resources = 200_000;
    let mut solver = Z3Solver::new();
    solver.check(&terms, &limited);
    assert_eq!(wire::write_outcome(&ask(&mut solver, &["(= (bvadd v0 1) 3)"], "")), "sat v0=2");
}

/// Answers with what it was given, and counts.
#[derive(Debug)]
struct Scripted {
    answers: Vec<Outcome>,
    asked: usize,
}

impl Solver for Scripted {
    fn check(&mut self, _: &TermStore, _: &Query) -> Outcome {
        self.asked += 1;
        self.answers.remove(0)
    }

    fn statistics(&self) -> Statistics {
        Statistics { solved: self.asked as u64, ..Statistics::default() }
    }
}

/// Passes each query on as an isolated one.
struct Apart;

impl Solver for Apart {
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        Z3Solver::new().check_isolated(terms, query)
    }

    fn statistics(&self) -> Statistics {
        Statistics::default()
    }
}

/// Asks Z3 alone.
struct Alone;

impl Solver for Alone {
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        z3::alone(terms, query)
    }

    fn statistics(&self) -> Statistics {
        Statistics::default()
    }
}

#[test]
fn queries_without_answer_get_descent_and_then_a_fresh_solver() {
    // Only the search finds the root: the scripted solver has one answer, for the first attempt.
    let mut solver = FreshSolver::new(Scripted { answers: vec![Outcome::Unknown(Reason::Resources)], asked: 0 });
    let outcome = ask(&mut solver, &["(bvslt 0 v0)", "(= (bvmul v0 v0) 1522756)"], "v0=1");
    assert_eq!(wire::write_outcome(&outcome), "sat v0=1234");
    assert_eq!((solver.statistics().descended, solver.statistics().fresh), (1, 0));
    // Descent finds nothing; the second answer counts.
    let answers = vec![Outcome::Unknown(Reason::Time), Outcome::Unsat { core: vec![1] }];
    let mut solver = FreshSolver::new(Scripted { answers, asked: 0 });
    let outcome = ask(&mut solver, &["(bvslt 0 v0)", "(= (bvmul v0 v0) 3)"], "v0=1");
    assert_eq!(wire::write_outcome(&outcome), "unsat 1");
    assert_eq!((solver.statistics().descended, solver.statistics().fresh), (0, 1));
    // A process that died is not asked again.
    let mut solver = FreshSolver::new(Scripted { answers: vec![Outcome::Unknown(Reason::Died("x".into()))], asked: 0 });
    assert_eq!(wire::write_outcome(&ask(&mut solver, &["(= (bvmul v0 v0) 3)"], "v0=1")), "unknown died x");
    // Z3 does not get the operator, and descent has failed.
    let answers = vec![Outcome::Unknown(Reason::Descent("sin".into())), Outcome::Unknown(Reason::Unsupported("sin".into()))];
    let mut solver = FreshSolver::new(Scripted { answers, asked: 0 });
    let outcome = ask(&mut solver, &["(fp.lt d#4000000000000000 (sin v0:double))"], "v0=d#0000000000000000");
    assert_eq!(wire::write_outcome(&outcome), "unknown descent sin");
}

/// After a failure, one query with floats skips the fresh solver; after the next failure, three
/// do, until it answers. Queries without floats never skip it.
#[test]
fn a_fresh_solver_that_fails_on_floats_is_skipped() {
    let sine = "(fp.lt d#4000000000000000 (sin v0:double))";
    let refused = || Outcome::Unknown(Reason::Resources);
    // The answers that each of nine queries takes: one for the first attempt, one for a fresh
    // solver. The tenth answer is this one.
    let taken = |clauses: &[&str], tenth: Outcome| {
        let mut answers: Vec<Outcome> = std::iter::repeat_with(refused).take(18).collect();
        answers[9] = tenth;
        let mut solver = FreshSolver::new(Scripted { answers, asked: 0 });
        let mut taken = || {
            let before = solver.statistics().solved;
            ask(&mut solver, clauses, "");
            solver.statistics().solved - before
        };
        std::array::from_fn::<u64, 9, _>(|_| taken())
    };
    assert_eq!(taken(&[sine], refused()), [2, 1, 2, 1, 1, 1, 2, 1, 1]);
    assert_eq!(taken(&[sine], Outcome::Unsat { core: vec![0] }), [2, 1, 2, 1, 1, 1, 2, 2, 1]);
    assert_eq!(taken(&["(= (bvmul v0 v0) 3)"], refused()), [2; 9]);
}

/// Recorded clauses that use up the resources of an incremental solver: the hash of 16
/// characters has three wanted bits.
#[test]
fn a_string_with_wanted_bits_in_its_hash_is_found() {
    let mut clause = "v0[0]".to_string();
    for place in 1..16 {
        clause = format!("(bvadd (bvmul {clause} 31) v0[{place}])");
    }
    let clause = format!("(= (bvand (bvxor {clause} (bvlshr {clause} 16)) 15) 2)");
    let outcome = ask(&mut standard(Z3Solver::new()), &[&clause, "(not (= v0[0] 304))"], "v0[0]=304 v0[3]=97");
    assert!(matches!(outcome, Outcome::Sat(_)), "{outcome:?}");
}

#[test]
fn unknown_never_becomes_unsat() {
    for reason in [Reason::Resources, Reason::Time, Reason::Died("x".into()), Reason::Garbage("y".into()), Reason::WrongModel] {
        let answers = vec![Outcome::Unknown(reason.clone()); 12];
        let mut solver = standard(Scripted { answers, asked: 0 });
        for _ in 0..2 {
            let outcome = ask(&mut solver, &["(bvslt v0 v1)", "(= (bvmul v0 v0) 3)"], "v0=0 v1=1");
            assert_eq!(outcome, Outcome::Unknown(reason.clone()));
        }
        assert_eq!(solver.statistics().unknown, 2);
        assert_eq!(solver.statistics().reasons[reason.kind()], 2);
    }
}

#[test]
fn a_model_that_does_not_fit_is_not_passed_on() {
    let wrong: Model = "v0=1 v1=1".parse().expect("well-formed");
    let mut solver = Frozen::new(Scripted { answers: vec![Outcome::Sat(wrong), Outcome::Unknown(Reason::WrongModel)], asked: 0 });
    let outcome = ask(&mut solver, &["(bvslt v0 v1)", "(bvslt 3 v0)"], "v0=0 v1=1");
    assert_eq!(outcome, Outcome::Unknown(Reason::WrongModel));
}

#[test]
fn folding_answers_alone() {
    let mut solver = Folding::new(Scripted { answers: Vec::new(), asked: 0 });
    let mut answers = |clauses: &[&str], seed: &str| wire::write_outcome(&ask(&mut solver, clauses, seed));
    assert_eq!(answers(&["(bvsle 7 v0)", "(= v1 2)", "(bvslt v0 7)"], ""), "unsat 0 2");
    assert_eq!(answers(&["(bvslt v0 3)", "(= v0 5)"], ""), "unsat 0 1");
    assert_eq!(answers(&["(not (= v0:boolean 0))", "(not (= v0:boolean 1))"], ""), "unsat 0 1");
    assert_eq!(answers(&["(bvslt 9223372036854775806L v0:long)", "(not (= v0:long 9223372036854775807L))"], ""), "unsat 0 1");
    assert_eq!(answers(&["(bvslt v0 3)"], "v0=2"), "sat v0=2");
}

#[test]
fn the_cache_knows_renamed_queries_and_cores() {
    let answers = vec![Outcome::Unsat { core: vec![0, 2] }, Outcome::Sat("v0=7 v1=11".parse().expect("well-formed"))];
    let mut solver = Cache::new(Scripted { answers, asked: 0 });
    let mut answers = |clauses: &[&str]| wire::write_outcome(&ask(&mut solver, clauses, ""));
    assert_eq!(answers(&["(bvslt v0 v1)", "(bvslt v3 9)", "(bvslt v1 v0)"]), "unsat 0 2");
    // The same clauses about other inputs, in another order.
    assert_eq!(answers(&["(bvslt v4 v5)", "(bvslt v8 9)", "(bvslt v5 v4)"]), "unsat 0 2");
    // More clauses than the core.
    assert_eq!(answers(&["(= v7 1)", "(bvslt v1 v0)", "(bvslt v0 v1)"]), "unsat 1 2");
    assert_eq!(answers(&["(= (bvmul v0 v1) 77)"]), "sat v0=7 v1=11");
    assert_eq!(answers(&["(= (bvmul v5 v6) 77)"]), "sat v5=7 v6=11");
    // A recent model fits.
    assert_eq!(answers(&["(bvslt 6 v0)", "(bvslt v1 12)"]), "sat v0=7 v1=11");
    assert_eq!(solver.statistics().cached, 4);
}

#[test]
fn slicing_keeps_the_seed_and_maps_cores() {
    let clauses = ["(bvslt v0 5)", "(bvslt v1 9)", "(bvslt v2 v1)", "(bvslt 20 v2)"];
    let mut solver = Slicing::new(Z3Solver::new());
    assert_eq!(wire::write_outcome(&ask(&mut solver, &clauses, "v0=4 v1=8 v2=1")), "unsat 1 2 3");
    // The seed violates a clause outside the slice: it stays in.
    let outcome = ask(&mut solver, &["(bvslt v0 5)", "(= v1 9)"], "v0=70 v1=1");
    assert!(matches!(&outcome, Outcome::Sat(model) if model.get(crate::expr::Symbol::value(1)) == Some(Value::Int(9))));
}

#[test]
fn frozen_inputs_keep_the_values_of_the_run() {
    let mut solver = Frozen::new(Z3Solver::new());
    let outcome = ask(&mut solver, &["(bvslt v0 v1)", "(bvslt v1 v2)", "(= (bvsrem v2 7) 3)"], "v0=100 v1=200 v2=300");
    let Outcome::Sat(model) = outcome else { panic!("{outcome:?}") };
    assert!(model.to_string().starts_with("v0=100 v1=200 v2="), "{model}");
    assert_eq!(solver.statistics().frozen, 1);
    // Not with v0 = 100; the whole query is asked.
    let outcome = ask(&mut solver, &["(bvslt v0 v1)", "(bvslt v1 3)"], "v0=100 v1=200");
    assert!(matches!(outcome, Outcome::Sat(_)));
    assert_eq!(solver.statistics().frozen, 1);
}

#[test]
fn the_last_clause_alone_is_a_candidate() {
    let mut terms = TermStore::new();
    let query = query(&mut terms, &["(bvslt v0 5)", "(= v0 7)"], "v0=1 v1=2");
    let model = optimistic(&mut Z3Solver::new(), &terms, &query).expect("satisfiable alone");
    assert_eq!(model.to_string(), "v0=7 v1=2");
}

#[test]
fn logs_can_be_asked_again() {
    #[derive(Clone, Default)]
    struct Shared(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);
    impl std::io::Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let shared = Shared::default();
    let mut solver = Log::new(Z3Solver::new(), Some(Box::new(shared.clone())));
    ask(&mut solver, &["(bvslt v0 v1)", "(bvslt v1 v0)"], "v0=1 v1=2");
    ask(&mut solver, &["(= v0 12)"], "v0=1");
    let text = String::from_utf8(shared.0.lock().unwrap().clone()).expect("text");
    let mut terms = TermStore::new();
    let entries = read_log(&mut terms, &text).expect("readable");
    assert_eq!(entries.len(), 2);
    for (query, outcome) in entries {
        assert_eq!(Z3Solver::new().check(&terms, &query), outcome);
    }
    assert!(read_log(&mut terms, "query 5\nclause v0\nseed \nend\nsat").is_err());
}

#[test]
fn serve_answers_in_the_text_form() {
    let input = "query 1000000\ndefine ?0 (bvadd v0 1)\nclause (= ?0 5)\nclause (bvslt ?0 v1)\nseed v0=0 v1=0\nend\n\
                 rubbish\nend\nquery 1000\nclause (bvslt v0 v0)\nseed\nend\n";
    let mut output = Vec::new();
    process::serve(input.as_bytes(), &mut output).expect("no broken pipe");
    let text = String::from_utf8(output).expect("text");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("used ")).collect();
    assert!(lines[0].starts_with("solver "));
    assert!(lines[1].starts_with("sat v0=4 v1="));
    assert!(lines[2].starts_with("unknown garbage"));
    assert_eq!(lines[3], "unsat 0");
    assert_eq!(text.lines().filter(|line| line.starts_with("used ")).count(), 3);
}

/// A path like that of a loop: the term of each clause contains the term of the clause before it
/// twice.
fn ladder(terms: &mut TermStore, steps: u32) -> Query {
    let mut rung = terms.parse("v1").expect("well-formed");
    let mut query = Query { clauses: Vec::new(), seed: Model::new(), limits: Limits::default() };
    for step in 0..steps {
        let input = terms.symbol(crate::expr::Symbol::value(1 + step % 40), SymbolKind::Int);
        let other = terms.bitxor(rung, input);
        let product = terms.mul(rung, other);
        rung = terms.add(product, input);
        let limit = terms.int(step as i32);
        // 0 under the seed.
        query.clauses.push(terms.le(rung, limit));
    }
    let last = query.clauses.pop().expect("one at least");
    query.clauses.push(terms.not(last));
    query
}

/// The work of the layers and the length of their messages are linear in the number of distinct
/// terms, not in their size as trees or in clauses times terms.
#[test]
fn the_work_of_all_layers_is_linear_in_distinct_terms() {
    let work = |steps: u32| {
        let mut terms = TermStore::new();
        let query = ladder(&mut terms, steps);
        assert!(terms.tree_size(query.clauses[steps as usize - 1]) > 1 << 60);
        let answers = vec![Outcome::Unknown(Reason::Time); 4];
        let mut solver = standard(Scripted { answers, asked: 0 });
        terms.take_visits();
        assert_eq!(solver.check(&terms, &query), Outcome::Unknown(Reason::Time));
        let distinct = terms.reachable(&query.clauses).len() as u64;
        let layers = terms.take_visits();
        let text = wire::write_query(&terms, &query, wire::Isolation::Shared);
        (distinct, layers, terms.take_visits(), text.len() as u64)
    };
    let (distinct, layers, written, length) = work(3_000);
    assert!(layers < 80 * distinct, "{layers} looks at {distinct} terms");
    assert!(written < 10 * distinct, "{written} looks at {distinct} terms");
    assert!(length < 60 * distinct, "{length} bytes for {distinct} terms");
}

/// Many models nearly fit: trying one costs the clauses that it violates, not all clauses.
#[test]
fn recent_models_are_tried_by_the_last_clause_first() {
    let mut terms = TermStore::new();
    let answers = (0..32).map(|value| Outcome::Sat(format!("v0={value}").parse().expect("well-formed"))).collect();
    let mut solver = Cache::new(Scripted { answers, asked: 0 });
    for value in 0..32 {
        let query = query(&mut terms, &[&format!("(= v0 {value})")], "");
        solver.check(&terms, &query);
    }
    let mut ladder = ladder(&mut terms, 1_000);
    ladder.clauses.push(terms.parse("(bvslt 100 v0)").expect("well-formed"));
    terms.take_visits();
    assert_eq!(solver.recent(&terms, &ladder), None);
    let distinct = terms.reachable(&ladder.clauses).len() as u64;
    assert!(terms.take_visits() < 3 * distinct);
}

#[test]
fn queries_with_too_many_terms_are_unknown_by_size() {
    let mut terms = TermStore::new();
    let query = ladder(&mut terms, 80_000);
    let mut solver = Slicing::new(Scripted { answers: Vec::new(), asked: 0 });
    assert_eq!(solver.check(&terms, &query), Outcome::Unknown(Reason::Size));
}

/// Random clauses over small inputs: grown from genes, without floats.
fn small_clauses(terms: &mut TermStore, inputs: &[Input], genes: &[(u8, u16, u16)]) -> Vec<TermId> {
    let mut pool: Vec<TermId> = inputs.iter().map(|input| terms.symbol(input.symbol, input.kind)).collect();
    pool.extend([0, 1, 3, -7, 64, 100].map(|value| terms.int(value)));
    let mut clauses: Vec<TermId> = Vec::new();
    for &(what, a, b) in genes {
        let (x, y) = (pool[a as usize % pool.len()], pool[b as usize % pool.len()]);
        let clause = |index: u16| (!clauses.is_empty()).then(|| clauses[index as usize % clauses.len()]);
        match what % 20 {
            0 => pool.push(terms.add(x, y)),
            1 => pool.push(terms.sub(x, y)),
            2 => pool.push(terms.mul(x, y)),
            3 => pool.push(terms.bitand(x, y)),
            4 => pool.push(terms.bitxor(x, y)),
            5 => pool.push(terms.shl(x, y)),
            6 => pool.push(terms.shr(x, y)),
            7 => pool.push(terms.ushr(x, y)),
            8 => pool.push(terms.i2b(x)),
            9 => pool.push(terms.i2c(x)),
            10 => pool.push(terms.div(x, y)),
            11 => pool.push(terms.rem(x, y)),
            12 => {
                if let Some(condition) = clause(b) {
                    pool.push(terms.ite(condition, x, y));
                }
            }
            13 => clauses.push(terms.eq(x, y)),
            14 => clauses.push(terms.ne(x, y)),
            15 => clauses.push(terms.lt(x, y)),
            16 => clauses.push(terms.le(x, y)),
            17 => clauses.push(terms.ult(x, y)),
            18 => {
                if let (Some(a), Some(b)) = (clause(a), clause(b)) {
                    clauses.push(terms.or(a, b));
                }
            }
            _ => {
                let (wide_x, wide_y) = (terms.i2l(x), terms.i2l(y));
                let order = terms.lcmp(wide_x, wide_y);
                pool.push(order);
            }
        }
    }
    clauses.truncate(8);
    clauses
}

fn small_inputs() -> Vec<Input> {
    use crate::expr::Symbol;
    vec![
        Input { symbol: Symbol::value(0), kind: SymbolKind::Boolean },
        Input { symbol: Symbol::value(1), kind: SymbolKind::Byte },
        Input { symbol: Symbol::value(2), kind: SymbolKind::Boolean },
    ]
}

/// Every assignment of the small inputs.
fn assignments() -> impl Iterator<Item = Model> {
    let inputs = small_inputs();
    (0..1024).map(move |bits: i32| {
        let values = [bits & 1, i32::from((bits >> 2) as u8 as i8), (bits >> 1) & 1];
        inputs.iter().zip(values).map(|(input, value)| (input.symbol, Value::Int(value))).collect()
    })
}

/// Numbers of all kinds, many of them special.
fn doubles() -> impl Strategy<Value = f64> {
    let special = vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        1.5,
        2.5,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
    ];
    let edges = vec![
        2147483647.0,
        2147483648.0,
        -2147483648.5,
        9.223372036854775e18,
        9.223372036854776e18,
        -1e19,
        4503599627370497.5,
        1e-40,
    ];
    prop_oneof![
        proptest::sample::select(special),
        proptest::sample::select(edges),
        (-1000i32..1000).prop_map(|value| f64::from(value) / 4.0),
        any::<u64>().prop_map(f64::from_bits).prop_filter("one NaN", |value| !value.is_nan()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn small_widths_agree_with_brute_force(
        genes in proptest::collection::vec(any::<(u8, u16, u16)>(), 4..50), seed in 0usize..1024, folding: bool,
    ) {
        let mut terms = if folding { TermStore::new() } else { TermStore::without_folding() };
        let clauses = small_clauses(&mut terms, &small_inputs(), &genes);
        let seed = assignments().nth(seed).expect("one of them");
        let all: Vec<usize> = (0..clauses.len()).collect();
        let satisfiable = |positions: &[usize]| {
            assignments().any(|model| positions.iter().all(|position| terms.holds(clauses[*position], &model)))
        };
        let query = Query { clauses: clauses.clone(), seed, limits: Limits::default() };
        let mut solvers: Vec<(&str, Box<dyn Solver>)> = vec![
            ("plain", Box::new(Z3Solver::new())),
            ("folding", Box::new(Folding::new(Z3Solver::new()))),
            ("slicing", Box::new(Slicing::new(Z3Solver::new()))),
            ("frozen", Box::new(Frozen::new(Z3Solver::new()))),
            ("cache", Box::new(Cache::new(Z3Solver::new()))),
            ("afresh", Box::new(FreshSolver::new(Z3Solver::new()))),
            ("narrowing", Box::new(BranchAndPrune::new(Z3Solver::new()))),
            ("apart", Box::new(Apart)),
            ("alone", Box::new(Alone)),
            ("standard", Box::new(standard(Z3Solver::new()))),
        ];
        for (name, solver) in &mut solvers {
            // Asked twice: facts that the solver keeps from the first answer must not change the
            // second.
            for _ in 0..2 {
                match solver.check(&terms, &query) {
                    Outcome::Sat(model) => {
                        prop_assert_eq!(completed(&terms, &query, &model), Some(model), "{}", name);
                    }
                    Outcome::Unsat { core } => {
                        prop_assert!(!satisfiable(&all), "{} says unsat", name);
                        prop_assert!(!satisfiable(&core), "{}'s core {:?} is satisfiable", name, core);
                    }
                    Outcome::Unknown(reason) => prop_assert!(false, "{}: {}", name, reason),
                }
            }
        }
    }

    #[test]
    fn z3_computes_narrow_numbers_as_evaluation_does(x: i8, y: i16, divisor in 1..1000i32) {
        let mut terms = TermStore::new();
        let a = terms.symbol(Symbol::value(0), SymbolKind::Byte);
        let b = terms.symbol(Symbol::value(1), SymbolKind::Short);
        let c = terms.symbol(Symbol::value(2), SymbolKind::Char);
        let divisors = [divisor, -divisor].map(|divisor| terms.int(divisor));
        let positive = terms.add(c, divisors[0]);
        let model: Model = format!("v0={x} v1={y} v2={}", y as u16).parse().expect("well-formed");
        let product = terms.mul(a, b);
        let mut computed = vec![product, terms.mul(product, product), terms.mul(b, c)];
        for dividend in [a, b, c, product] {
            for divisor in [divisors[0], divisors[1], positive] {
                computed.push(terms.div(dividend, divisor));
                computed.push(terms.rem(dividend, divisor));
            }
        }
        for term in computed {
            let inputs = [(a, i32::from(x)), (b, i32::from(y)), (c, i32::from(y as u16))];
            let mut clauses: Vec<TermId> = inputs
                .iter()
                .map(|&(input, value)| {
                    let value = terms.int(value);
                    terms.eq(input, value)
                })
                .collect();
            let value = terms.evaluate(term, &model);
            let value = terms.constant(value);
            let differs = terms.ne(term, value);
            clauses.push(differs);
            let query = Query { clauses, seed: Model::new(), limits: Limits::default() };
            let outcome = Z3Solver::new().check(&terms, &query);
            prop_assert!(matches!(outcome, Outcome::Unsat { .. }), "{}: {:?}", terms.print(term), outcome);
        }
    }

    #[test]
    fn z3_computes_floats_as_evaluation_does(x in doubles(), y in doubles(), single: bool) {
        use crate::expr::BinaryOp;
        let mut terms = TermStore::without_folding();
        let [a, b] = [x, y].map(|x| if single { terms.float(x as f32) } else { terms.double(x) });
        let sort = terms.sort(a);
        let mut computed: Vec<TermId> = Vec::new();
        for op in UnaryOp::ALL.iter().filter(|op| !op.is_approximate() && op.result(sort).is_some()) {
            // The sign of a NaN is not Z3's business.
            if *op != UnaryOp::FpSqrt && !(matches!(op, UnaryOp::FpNeg) && x.is_nan()) {
                computed.push(terms.unary(*op, a));
            }
        }
        let handed_over = |op: &BinaryOp| !op.is_approximate() && !matches!(op, BinaryOp::Frem | BinaryOp::IeeeRemainder);
        for op in BinaryOp::ALL.iter().filter(|op| op.result(sort).is_some() && handed_over(op)) {
            computed.push(terms.binary(*op, a, b));
        }
        for term in computed {
            let (result, value) = match terms.evaluate(term, &Model::new()) {
                Value::Float(bits) => (terms.unary(UnaryOp::FpToBits, term), Value::Int(bits as i32)),
                Value::Double(bits) => (terms.unary(UnaryOp::FpToBits, term), Value::Long(bits as i64)),
                value => (term, value),
            };
            let value = terms.constant(value);
            let clauses = vec![terms.eq(result, value)];
            let query = Query { clauses, seed: Model::new(), limits: Limits::default() };
            let outcome = Z3Solver::new().check(&terms, &query);
            prop_assert_eq!(outcome, Outcome::Sat(Model::new()), "{}", terms.print(query.clauses[0]));
        }
    }

    #[test]
    fn one_incremental_solver_agrees_with_fresh_ones(
        genes in proptest::collection::vec(any::<(u8, u16, u16)>(), 10..60), picks in proptest::collection::vec(any::<u8>(), 1..12),
    ) {
        let mut terms = TermStore::new();
        let clauses = small_clauses(&mut terms, &small_inputs(), &genes);
        let mut incremental = Z3Solver::new();
        let mut stack = standard(Z3Solver::new());
        for pick in picks {
            let clauses: Vec<TermId> =
                clauses.iter().enumerate().filter(|(position, _)| pick >> position & 1 == 1).map(|(_, clause)| *clause).collect();
            let query = Query { clauses, seed: Model::new(), limits: Limits::default() };
            let kind = |outcome: Outcome| matches!(outcome, Outcome::Sat(_));
            let fresh = kind(Z3Solver::new().check(&terms, &query));
            prop_assert_eq!(kind(incremental.check(&terms, &query)), fresh);
            prop_assert_eq!(kind(stack.check(&terms, &query)), fresh);
        }
    }

    #[test]
    fn queries_round_trip(genes in proptest::collection::vec(any::<(u8, u16, u16)>(), 4..60), wall in proptest::option::of(0u64..9999)) {
        let mut terms = TermStore::new();
        let clauses = small_clauses(&mut terms, &small_inputs(), &genes);
        let seed = assignments().nth(77).expect("one of them");
        let limits = Limits { resources: 17, wall: wall.map(Duration::from_millis), ..Limits::default() };
        let query = Query { clauses, seed, limits };
        let manner = if genes.len() % 2 == 0 { wire::Isolation::Isolated } else { wire::Isolation::Shared };
        let text = wire::write_query(&terms, &query, manner);
        let (copy, read) = wire::read_query(&mut terms, text.lines()).expect("readable");
        prop_assert_eq!(read, manner);
        prop_assert_eq!(copy.clauses, query.clauses);
        prop_assert_eq!(copy.seed, query.seed);
        prop_assert_eq!(copy.limits, query.limits);
    }

    #[test]
    fn outcomes_round_trip(core in proptest::collection::btree_set(0usize..20, 0..5), which in 0usize..10) {
        let reasons = [
            Reason::Resources, Reason::Time, Reason::Size, Reason::Descent("sin".into()), Reason::WrongModel, Reason::Unsupported("fp.mul".into()), Reason::GaveUp("words of two".into()),
            Reason::Died("signal: 9".into()), Reason::Garbage(String::new()),
        ];
        let core: BTreeSet<usize> = core;
        let outcome = match reasons.get(which) {
            Some(reason) => Outcome::Unknown(reason.clone()),
            None => Outcome::Unsat { core: core.into_iter().collect() },
        };
        prop_assert_eq!(wire::read_outcome(&wire::write_outcome(&outcome), 20), Some(outcome));
    }
}
