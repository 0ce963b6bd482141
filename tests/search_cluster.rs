//! The search over clusters of JDK classes: every candidate is legal, whatever the results of
//! executions are.
//!
//! Executions are random, because only the operators are tested. No JVM runs.

use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tracewright::execution::TargetClass;
use tracewright::execution::{Execution, RunEnd, Thrown};
use tracewright::program::{ClassName, Cluster, ClusterConfig, Program};
use tracewright::project::Project;
use tracewright::search::{GoalRegistry, Search, SearchConfig};
use tracewright::testcase::{StatementKind, TestCase, check};
use tracewright_test_support::jdks;
use tracewright_trace::{BranchSlot, LineSlot};

fn program() -> Arc<Program> {
    Arc::new(Program::new(Project::open(&[], &jdks()[0].home).expect("the image of the JDK")))
}

fn any_execution(test: &TestCase, goals: &GoalRegistry, rng: &mut ChaCha8Rng) -> Execution {
    let count = test.len() as u32;
    let statement = rng.random_range(0..count);
    let end = match rng.random_range(0..20) {
        0..4 => {
            let thrown = Thrown {
                class: ClassName::new("java/lang/IllegalStateException"),
                message: None,
                in_project: rng.random_bool(0.9),
                frames: Vec::new(),
            };
            RunEnd::Threw { statement, thrown }
        }
        4 => RunEnd::Budget { statement },
        5 => RunEnd::Illegal { statement, why: "made up".into() },
        _ => RunEnd::Completed,
    };
    let mut branches = Vec::new();
    for slot in (0..goals.static_goals() as u32).map(BranchSlot) {
        if goals.branch_goal(slot).is_some() && rng.random_bool(0.02) {
            let distance = if rng.random_bool(0.05) { 0.0 } else { f64::from(rng.random_range(1..1_000_000)) };
            branches.push((slot, distance));
        }
    }
    Execution {
        branches,
        classes: vec![None; test.len()],
        outputs: vec![None; test.len()],
        seen_strings: vec!["seen".encode_utf16().collect()],
        ..Execution::without_measurements(end)
    }
}

#[test]
fn every_candidate_over_real_classes_is_legal() {
    let program = program();
    for (name, wanted) in [
        ("java/util/TreeMap", 2_000),
        ("java/math/BigDecimal", 2_000),
        ("java/lang/StringBuilder", 2_000),
        ("java/util/Scanner", 1_000),
        ("java/util/stream/Collectors", 1_000),
        ("java/time/LocalDate", 1_000),
        ("java/util/concurrent/ConcurrentHashMap", 1_000),
    ] {
        let target = ClassName::new(name);
        let config = ClusterConfig { test_package: Some("elsewhere".into()), ..ClusterConfig::default() };
        let cluster = Cluster::build(&program, &target, &config).unwrap_or_else(|error| panic!("{name}: {error}"));
        let classes = [TargetClass { name: target, branch_base: BranchSlot(0), line_base: LineSlot(0) }];
        let goals = GoalRegistry::of_classes(&program, &classes, &cluster);
        assert!(goals.static_goals() > 50, "{name}: {}", goals.static_goals());
        let mut search = Search::new(program.clone(), &cluster, goals, SearchConfig::default(), 1);
        assert!(!search.callables().under_test().is_empty(), "{name}");
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut asked = 0;
        let mut called = std::collections::BTreeSet::new();
        let mut longest = 0;
        while asked < wanted {
            let tests = search.ask(100);
            assert!(!tests.is_empty(), "{name}");
            asked += tests.len();
            for test in &tests {
                assert_eq!(check(test, &*program), Ok(()), "{name}:\n{test}");
                assert_eq!(test.to_string().parse::<TestCase>().as_ref(), Ok(test));
                longest = longest.max(test.len());
                for statement in &test.statements {
                    if let StatementKind::Call { method, .. } | StatementKind::Construct { constructor: method, .. } =
                        &statement.kind
                    {
                        called.insert(method.clone());
                    }
                }
            }
            let results: Vec<_> = tests.iter().map(|test| any_execution(test, search.goals(), &mut rng)).collect();
            search.tell(&tests, &results);
        }
        assert!(longest <= 120, "{name}: {longest}");
        let uncalled: Vec<_> = search
            .callables()
            .under_test()
            .iter()
            .filter_map(|id| search.callables().callable(*id).method())
            .filter(|method| !called.contains(method))
            .collect();
        assert!(uncalled.is_empty(), "{name}: {uncalled:?}");
    }
}
