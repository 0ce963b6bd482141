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
use tracewright::testcase::{StatementKind, TestCase, TypeSystem, check};
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

#[test]
fn elements_of_another_type_than_a_use_wants_pollute_the_heap() {
    let program = program();
    let pollutes = |text: &str, element: &str| {
        let test: TestCase = text.parse().expect("well-formed");
        assert_eq!(check(&test, &*program), Ok(()), "{test}");
        program.pollutes_heap(&test, &ClassName::new(element))
    };
    let needs_raw_types = |text: &str| program.needs_raw_types(&text.parse().expect("well-formed"));
    let (of_object, of_string) = ("java/lang/Object", "java/lang/String");
    let object = "Ljava/lang/Object; = new java/lang/Object.<init> ()V ()";
    let string = "Ljava/lang/String; = string \"a\"";
    let add = "Z = call method java/util/LinkedList.add (Ljava/lang/Object;)Z on v0 (v1)";
    // ProcessBuilder(List<String>), and HashSet(Collection<? extends E>)
    let process = "Ljava/lang/ProcessBuilder; = new java/lang/ProcessBuilder.<init> (Ljava/util/List;)V (v0)";
    let set = "Ljava/util/HashSet; = new java/util/HashSet.<init> (Ljava/util/Collection;)V (v0)";
    let list = |value: &str, used: &str| {
        format!("v0: Ljava/util/LinkedList; = new java/util/LinkedList.<init> ()V ()\nv1: {value}\nv2: {add}\nv3: {used}\n")
    };
    assert!(needs_raw_types(&list(object, process)) && !needs_raw_types(&list(string, process)));
    assert!(pollutes(&list(object, process), of_object));
    assert!(!pollutes(&list(string, process), of_string));
    assert!(!pollutes(&list("Ljava/lang/Object; = null", process), "java/lang/Integer"));
    // Nothing says what the list is to contain, and a cast failed at such an element.
    assert!(pollutes(&list(string, set), of_string));
    assert!(!pollutes(&list(string, set), of_object));
    // The result of a factory: `List.of(E...)`.
    let factory = |value: &str| {
        format!(
            "v0: {value}\nv1: [Ljava/lang/Object; = array Ljava/lang/Object; 1 (v0)\n\
             v2: Ljava/util/List; = call interface-method java/util/List.of ([Ljava/lang/Object;)Ljava/util/List; (v1)\n\
             v3: {}\n",
            process.replace("v0", "v2")
        )
    };
    assert!(pollutes(&factory(object), of_object));
    assert!(!pollutes(&factory(string), of_string));
    // The result of a method that says what its list contains: `List<String> ProcessBuilder.command()`.
    let returned = |value: &str| {
        format!(
            "v0: [Ljava/lang/String; = array Ljava/lang/String; 0 ()\n\
             v1: Ljava/lang/ProcessBuilder; = new java/lang/ProcessBuilder.<init> ([Ljava/lang/String;)V (v0)\n\
             v2: Ljava/util/List; = call method java/lang/ProcessBuilder.command ()Ljava/util/List; on v1 ()\n\
             v3: {value}\n\
             v4: Z = call interface-method java/util/List.add (Ljava/lang/Object;)Z on v2 (v3)\n"
        )
    };
    assert!(pollutes(&returned(object), of_object));
    assert!(!pollutes(&returned(string), of_string));
}
