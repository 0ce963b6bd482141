//! The search over simulated classes, without a JVM: candidates are legal, nested conditions are
//! covered, and a seed fixes the run.

mod search_toy;

use search_toy::{Types, execute, search};
use tracewright::execution::RunEnd;
use tracewright::search::{CandidateOrigin, Goal, Minimiser, RejectionReason, Search, SearchConfig, choose_suite};
use tracewright::testcase::{StatementKind, TestCase, check};
use tracewright_trace::BranchSlot;

fn run(search: &mut Search, executions: u64, batch: usize) {
    while search.progress().executions < executions && !search.is_done() {
        let tests = search.ask(batch);
        if tests.is_empty() {
            break;
        }
        let results: Vec<_> = tests.iter().map(execute).collect();
        search.tell(&tests, &results);
    }
}

fn covered_slots(search: &Search) -> Vec<u32> {
    let archive = search.archive();
    let mut slots: Vec<u32> = search
        .goals()
        .iter()
        .filter(|(id, _)| archive.is_covered(*id))
        .filter_map(|(_, goal)| match goal {
            Goal::Branch { slot, .. } => Some(slot.0),
            _ => None,
        })
        .collect();
    slots.sort();
    slots
}

#[test]
fn nested_conditions_over_numbers_strings_arrays_and_state_are_covered() {
    for seed in 0..5 {
        let mut search = search(seed, SearchConfig::default());
        run(&mut search, 60_000, 100);
        assert_eq!(covered_slots(&search), (0..26).collect::<Vec<_>>(), "seed {seed}: {:?}", search.progress());
    }
}

#[test]
fn evolution_covers_more_than_random_search() {
    let mut random = search(1, SearchConfig { random_only: true, ..SearchConfig::default() });
    run(&mut random, 60_000, 100);
    let random = covered_slots(&random).len();
    assert!(random < 26 && random > 8, "{random}");
}

#[test]
fn every_candidate_is_legal() {
    let mut search = search(9, SearchConfig::default());
    let mut asked = 0;
    while asked < 10_000 {
        let tests = search.ask(64);
        asked += tests.len();
        assert!(!tests.is_empty());
        for test in &tests {
            assert_eq!(check(test, &Types), Ok(()), "{test}");
            assert_eq!(test.to_string().parse::<TestCase>().as_ref(), Ok(test));
            assert!(test.len() <= 90, "{}", test.len());
        }
        let results: Vec<_> = tests.iter().map(execute).collect();
        search.tell(&tests, &results);
    }
}

#[test]
fn the_same_seed_gives_the_same_archive_also_with_batches_in_flight() {
    let overlapped = || {
        let mut search = search(3, SearchConfig::default());
        let mut flying: Option<Vec<TestCase>> = None;
        for _ in 0..150 {
            let next = search.ask(40);
            if let Some(tests) = flying.replace(next) {
                let results: Vec<_> = tests.iter().map(execute).collect();
                search.tell(&tests, &results);
            }
        }
        search.archive().dump(search.goals())
    };
    let first = overlapped();
    assert!(first.contains("toy/Stack.push"));
    assert_eq!(first, overlapped());
}

#[test]
fn every_callable_is_called_in_the_first_batch() {
    let mut search = search(4, SearchConfig::default());
    let tests = search.ask(40);
    for method in search_toy::methods().into_iter().take(6) {
        let called = tests.iter().flat_map(|test| &test.statements).any(|statement| match &statement.kind {
            StatementKind::Call { method: called, .. } | StatementKind::Construct { constructor: called, .. } => {
                *called == method
            }
            _ => false,
        });
        assert!(called, "{method}");
    }
}

#[test]
fn rejected_executions_are_counted_and_never_archived() {
    let mut search = search(5, SearchConfig::default());
    run(&mut search, 20_000, 50);
    let progress = search.progress();
    let hung = progress.rejected[&RejectionReason::EventBudget];
    assert!(hung > 0 && hung < progress.executions / 20, "{progress:?}");
    for method in search.goals().methods() {
        let expected = (&*method.name == "hang").then_some("it took more steps than a test may (an endless loop?)");
        let ways = search.failures_of(method).unwrap_or_default();
        assert_eq!(ways.iter().map(|way| way.text).collect::<Vec<_>>(), Vec::from_iter(expected), "{method}");
    }
    for (_, kept) in search.archive().iter() {
        assert!(matches!(kept.end, RunEnd::Completed | RunEnd::Threw { .. }));
        assert!(!kept.test.to_string().contains("hang"), "{}", kept.test);
        if let RunEnd::Threw { thrown, .. } = &kept.end {
            let last = kept.test.statements.last().expect("not empty");
            assert!(!thrown.in_project || matches!(last.kind, StatementKind::Call { .. } | StatementKind::Construct { .. }));
        }
    }
}

#[test]
fn solutions_of_the_solver_run_next_and_cover_goals() {
    let mut search = search(6, SearchConfig { random_only: true, ..SearchConfig::default() });
    run(&mut search, 500, 50);
    let candidates = search.solving_candidates(4);
    assert!(!candidates.is_empty());
    assert!(candidates.iter().all(|candidate| !search.archive().is_covered(candidate.goal)));
    let model: TestCase =
        "v0: I = int 123456789\nv1: I = int 123456796\nv2: Ljava/lang/String; = string \"\"\nv3: D = double 1.0\n\
        v4: I = call method toy/Predicates.nested (IILjava/lang/String;D)I (v0, v1, v2, v3)\n"
            .parse()
            .expect("well-formed");
    search.inject(model.clone(), CandidateOrigin::Solver).expect("legal");
    let tests = search.ask(3);
    assert_eq!(tests[0], model);
    let results: Vec<_> = tests.iter().map(execute).collect();
    search.tell(&tests, &results);
    assert!(covered_slots(&search).contains(&3));
    assert!(search.progress().gains[&CandidateOrigin::Solver] > 0);
    let illegal: TestCase = "v0: I = call method toy/Stack.pop ()I on v1 ()\n".parse().expect("well-formed");
    assert!(search.inject(illegal, CandidateOrigin::Solver).is_err());
}

#[test]
fn exceptions_and_classes_of_outputs_are_goals_of_their_own() {
    let mut search = search(7, SearchConfig::default());
    run(&mut search, 5_000, 50);
    let found: Vec<String> =
        search.goals().iter().skip(search.goals().static_goals()).map(|(_, goal)| format!("{goal:?}")).collect();
    for expected in ["EmptyStackException", "IllegalArgumentException", "Negative", "Zero", "Positive"] {
        assert!(found.iter().any(|goal| goal.contains(expected)), "{expected}: {found:?}");
    }
}

#[test]
fn a_minimised_test_has_only_statements_that_its_goals_need() {
    let long: TestCase = "v0: I = int 9000\nv1: Ltoy/Stack; = new toy/Stack.<init> (I)V (v0)\nv2: I = int 77\n\
        v3: V = call method toy/Stack.push (I)V on v1 (v2)\nv4: V = call method toy/Stack.push (I)V on v1 (v0)\n\
        v5: I = call method toy/Stack.pop ()I on v1 ()\nv6: I = call method toy/Stack.pop ()I on v1 ()\n\
        v7: I = int -5\nv8: V = call method toy/Stack.push (I)V on v1 (v7)\nv9: I = call method toy/Stack.pop ()I on v1 ()\n\
        v10: I = call method toy/Stack.pop ()I on v1 ()\n"
        .parse()
        .expect("well-formed");
    // One `pop` that does not return the fifth element, and one on an empty stack.
    for (slots, expected) in [
        (
            [18, 20].as_slice(),
            "v0: I = int 0\nv1: Ltoy/Stack; = new toy/Stack.<init> (I)V (v0)\nv2: V = call method toy/Stack.push (I)V on v1 (v0)\n\
             v3: I = call method toy/Stack.pop ()I on v1 ()\n",
        ),
        (
            [19].as_slice(),
            "v0: I = int 0\nv1: Ltoy/Stack; = new toy/Stack.<init> (I)V (v0)\nv2: I = call method toy/Stack.pop ()I on v1 ()\n",
        ),
    ] {
        let goals = search_toy::goals();
        let wanted: Vec<_> = slots.iter().filter_map(|slot| goals.branch_goal(BranchSlot(*slot))).collect();
        let mut minimiser = Minimiser::new(long.clone(), wanted);
        let mut rounds = 0;
        loop {
            let tests = minimiser.ask();
            if tests.is_empty() {
                break;
            }
            rounds += 1;
            let results: Vec<_> = tests.iter().map(execute).collect();
            minimiser.tell(&goals, &results);
        }
        assert_eq!(minimiser.result().to_string(), expected);
        assert!(rounds < 20, "{rounds}");
    }
}

#[test]
fn a_minimised_suite_covers_every_goal_with_fewer_tests() {
    let mut search = search(8, SearchConfig::default());
    run(&mut search, 20_000, 100);
    let kept: Vec<_> =
        search.archive().tests().into_iter().map(|(kept, _)| ((*kept.test).clone(), execute(&kept.test))).collect();
    let goals = search.goals();
    let all: std::collections::BTreeSet<_> =
        kept.iter().flat_map(|(test, execution)| goals.covered_by(test, execution)).collect();
    assert_eq!(all, search.archive().covered_goals());
    let all: std::collections::BTreeSet<_> = all.into_iter().filter(|goal| goals.is_required(*goal)).collect();
    assert!(goals.iter().any(|(goal, _)| !goals.is_required(goal)));
    let suite = choose_suite(goals, &kept);
    let answered: Vec<_> = suite.iter().flat_map(|test| test.goals.iter().copied()).collect();
    assert_eq!(answered.len(), all.len());
    assert_eq!(answered.into_iter().collect::<std::collections::BTreeSet<_>>(), all);
    assert!(suite.len() < kept.len(), "{} of {}", suite.len(), kept.len());
}
