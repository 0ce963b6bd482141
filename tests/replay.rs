//! The replay against the JVM: samples are compiled, run under the agent with trace probes, and
//! replayed. No value may differ, every clause must hold of its own run, and the clauses of one run
//! must predict every other run of the same test skeleton.

#[path = "common/constants.rs"]
mod constants;
#[path = "replay/draws.rs"]
mod draws;
#[path = "common/jdks.rs"]
mod jdks;
#[path = "replay/lab.rs"]
mod lab;
#[path = "replay/models.rs"]
mod models;
// Calls have arguments of their own here.
#[allow(dead_code)]
#[path = "common/replaying.rs"]
mod replaying;
#[path = "common/test_case.rs"]
mod test_case;
#[path = "common/worker.rs"]
mod worker;

use std::collections::BTreeMap;

use jdks::jdks;
use lab::{Lab, Run, SOURCES, check_executed, is_completed, predict_each_other, replay_checked};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use replaying::call;
use test_case::parse_test;
use tracewright::expr::TermStore;
use tracewright::jvm::Jdk;
use tracewright::program::ClassName;
use tracewright::recording::Recording;
use tracewright::symbolic::{PathEnd, Replay, ReplayConfig, ReplayStats, Replayer};
use tracewright::testcase::{Literal, TestCase};
use tracewright_test_support::{compile_java, jdks_from};

/// Java 21 and later.
const NEWER_SOURCES: &[(&str, &str)] = &[("replay/Patterns.java", include_str!("replay/Patterns.java"))];

/// Records and replays `count` runs of a method. Returns what all replays counted. `predicts`:
/// whether the clauses of one run decide the others.
fn check(lab: &mut Lab, class: &str, name: &str, descriptor: &str, count: usize, predicts: bool) -> ReplayStats {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut terms = TermStore::new();
    let mut runs: Vec<Run> = Vec::new();
    let mut stats = ReplayStats::default();
    let mut recordings = Vec::new();
    for _ in 0..count {
        let test = call(class, name, descriptor, &draws::numbers(descriptor, &mut rng));
        let recording = lab.record(&test);
        recordings.push((test, recording));
    }
    let mut replayer = Replayer::new(&lab.program);
    let mut paths: BTreeMap<u64, usize> = BTreeMap::new();
    for (test, recording) in &recordings {
        let replay = replay_checked(&mut replayer, test, recording, &mut terms);
        check_executed(&replay, recording, &lab.program);
        stats.merge(&replay.stats);
        *paths.entry(replay.path.signature).or_default() += 1;
        if is_completed(&replay) {
            runs.push(Run::new(test, recording, replay));
        }
    }
    assert!(paths.len() > 1, "{class}.{name}: every run took one path");
    if predicts {
        predict_each_other(&format!("{class}.{name}"), &terms, &runs);
    }
    stats
}

/// Records one execution and replays it to its end.
fn record_and_replay(lab: &mut Lab, test: &TestCase) -> (Replay, TermStore) {
    let recording = lab.record(test);
    let mut terms = TermStore::new();
    let replay = replay_checked(&mut Replayer::new(&lab.program), test, &recording, &mut terms);
    (replay, terms)
}

fn family(class: &str, methods: &[(&str, &str, bool)]) {
    for jdk in jdks() {
        let mut lab = Lab::new(jdk);
        for &(name, descriptor, predicts) in methods {
            // Floats have more corners.
            let count = if class == "replay/Floats" { 150 } else { 40 };
            let stats = check(&mut lab, class, name, descriptor, count, predicts);
            println!("{} {class}.{name}: {stats:?}", jdk.version);
        }
    }
}

#[test]
fn integers() {
    family(
        "replay/Ints",
        &[
            ("arithmetic", "(II)I", true),
            ("division", "(II)I", true),
            ("longs", "(JJ)J", true),
            ("longDivision", "(JJ)J", true),
            ("narrow", "(IJ)I", true),
            ("small", "(BSCZ)I", true),
            ("table", "(I)I", true),
            ("lookup", "(I)I", true),
            ("shifts", "(IIJ)I", true),
            ("loop", "(II)I", true),
            ("library", "(II)I", true),
            ("boxes", "(IJZ)I", true),
        ],
    );
}

#[test]
fn floats() {
    family(
        "replay/Floats",
        &[
            ("floats", "(FF)I", true),
            ("doubles", "(DI)I", true),
            ("conversions", "(DFJ)J", true),
            ("result", "(DD)D", true),
            ("extremes", "(DD)D", true),
            ("singles", "(FF)F", true),
            ("rounding", "(D)D", true),
            ("kinds", "(DF)I", true),
            ("bits", "(DFD)J", true),
            ("fromBits", "(JI)D", true),
            ("boxes", "(DF)I", true),
            ("functions", "(DD)D", false),
            ("angles", "(D)D", true),
            ("casts", "(DF)J", true),
        ],
    );
}

#[test]
fn arrays() {
    family(
        "replay/Arrays1",
        &[
            ("index", "(II)I", true),
            ("size", "(I)I", true),
            ("kinds", "(II)I", true),
            ("given", "([II)I", true),
            ("twoDimensions", "(II)I", false),
            ("copy", "(II)I", true),
            ("references", "(I)I", false),
            ("store", "(I)I", true),
            ("sorted", "(II)I", false),
        ],
    );
}

#[test]
fn objects() {
    family(
        "replay/Objects1",
        &[
            ("virtual", "(II)I", true),
            ("initialise", "(I)I", false),
            ("exceptions", "(I)I", true),
            ("uncaught", "(I)I", true),
            ("nulls", "(I)I", true),
            ("casts", "(I)I", true),
            ("collections", "(II)I", false),
            ("lambdas", "(II)I", false),
            ("parse", "(Ljava/lang/String;)I", false),
            ("recursion", "(I)I", true),
            ("concat", "(ILjava/lang/String;)Ljava/lang/String;", false),
            ("enums", "(I)I", true),
        ],
    );
}

/// Calls of collections and their like are interpreted. The number is the share of calls, in percent,
/// that may stay opaque.
#[test]
fn library_code() {
    let methods = [
        ("list", 0),
        ("bounds", 0),
        ("linked", 0),
        ("deque", 0),
        ("map", 0),
        ("keys", 30),
        ("named", 0),
        ("tree", 0),
        ("ordered", 0),
        ("set", 0),
        ("iterate", 0),
        ("queue", 0),
        ("optional", 0),
        ("objects", 0),
        // From JDK 25 on, sorting numbers goes through a lambda.
        ("arrays", 25),
        ("mathematics", 0),
        ("parse", 0),
        ("big", 0),
        ("time", 0),
        ("helpers", 0),
        ("mixed", 20),
        ("tracked", 80),
        ("half", 95),
        ("identities", 0),
        ("atomic", 0),
        ("concurrent", 0),
    ];
    for jdk in jdks() {
        let mut lab = Lab::new(jdk);
        let mut failures = Vec::new();
        for (name, opaque) in methods {
            let descriptor = if name == "parse" { "(Ljava/lang/String;)I" } else { "(II)I" };
            let stats = check(&mut lab, "replay/Collections1", name, descriptor, 40, true);
            println!("{} {name}: {stats:?}", jdk.version);
            let calls = stats.interpreted_calls + stats.opaque_calls;
            // `parseInt` and its like have models.
            let is_modelled = name == "parse" && calls == 0;
            if !is_modelled && (calls == 0 || stats.opaque_calls * 100 > calls * opaque) {
                failures.push(format!("{name}: {} of {calls} opaque: {:?}", stats.opaque_calls, stats.not_interpreted));
            }
        }
        assert!(failures.is_empty(), "JDK {}: {failures:#?}", jdk.version);
    }
}

#[test]
fn strings() {
    family(
        "replay/Strings",
        &[
            ("scan", "(Ljava/lang/String;)I", true),
            ("compare", "(Ljava/lang/String;Ljava/lang/String;)I", true),
            ("index", "(Ljava/lang/String;I)I", true),
            ("characters", "(C)I", true),
            ("identity", "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)I", false),
            ("words", "(Ljava/lang/String;)I", true),
            ("literals", "(Ljava/lang/String;)I", true),
            ("elsewhere", "(Ljava/lang/String;)I", true),
            ("parts", "(Ljava/lang/String;)I", false),
            ("switching", "(Ljava/lang/String;)I", false),
        ],
    );
}

/// Checks methods with the reasons why values of theirs lose their terms; all others keep them.
fn check_concretised(lab: &mut Lab, class: &str, methods: &[(&str, &str, bool, &[&str])]) {
    for &(name, descriptor, predicts, lost) in methods {
        let stats = check(lab, class, name, descriptor, 40, predicts);
        println!("{class}.{name}: {stats:?}");
        let found: Vec<&str> = stats.concretised.keys().map(String::as_str).collect();
        assert_eq!(found, lost, "{class}.{name}");
        assert_eq!(stats.resyncs, 0, "{class}.{name}");
    }
}

#[test]
fn dynamic_call_sites() {
    for jdk in jdks() {
        check_concretised(
            &mut Lab::new(jdk),
            "replay/Dynamic1",
            &[
                ("captures", "(IJZ)I", true, &[]),
                ("inner", "(I)I", true, &[]),
                ("references", "(II)I", true, &[]),
                ("adapted", "(IJ)I", true, &[]),
                ("defaults", "(I)I", true, &[]),
                ("serializable", "(I)I", true, &[]),
                ("failing", "(I)I", true, &[]),
                ("callBacks", "(II)I", true, &[]),
                ("negated", "(II)I", false, &[]),
                ("opaquely", "(IJ)I", true, &[]),
                ("several", "(II)I", true, &[]),
                ("special", "(I)I", true, &[]),
                ("oldSwitches", "(I)I", true, &[]),
            ],
        );
    }
}

#[test]
fn concatenation_and_records() {
    for jdk in jdks() {
        check_concretised(
            &mut Lab::new(jdk),
            "replay/Dynamic1",
            &[
                ("text", "(Ljava/lang/String;CZ)I", true, &[]),
                ("twoTexts", "(Ljava/lang/String;Ljava/lang/String;)I", true, &["identity of a string"]),
                ("objects", "(II)Ljava/lang/String;", false, &["java/lang/Object.toString"]),
                ("build", "(IC)I", true, &[]),
                ("recordEquals", "(IJZB)I", true, &[]),
                ("recordHash", "(IJZB)I", true, &[]),
                ("recordMixed", "(Ljava/lang/String;ID)I", true, &[]),
                ("recordHashes", "(I)I", true, &[]),
                ("recordText", "(CZ)I", true, &[]),
            ],
        );
    }
}

/// A lab with loadable constants that javac never emits: calls of placeholder methods become `ldc`.
fn with_constants(jdk: &Jdk) -> Lab {
    use constants::{Constant, put_constants};
    let folder = tempfile::tempdir().expect("a folder");
    let classes = compile_java(&jdk.home, 17, folder.path(), SOURCES);
    let path = classes.join("replay/Constants1.class");
    let (own, cell, color) = ("replay/Constants1", "replay/Constants1$Cell", "Lreplay/Constants1$Color;");
    let library = "java/lang/invoke/ConstantBootstraps";
    let bootstrap = "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;";
    let condy = |method: &str, rest: &str, name: &str, descriptor: &str, arguments: Vec<Constant>| {
        let kind = format!("{bootstrap}{rest}");
        let owner = if method == "own" { own } else { library };
        Constant::dynamic(Constant::handle(6, owner, method, &kind), name, descriptor, arguments)
    };
    let invoke = "Ljava/lang/invoke/MethodHandle;[Ljava/lang/Object;)Ljava/lang/Object;";
    let constants = [
        ("doubled", Constant::handle(6, own, "twice", "(I)I")),
        ("cell", Constant::handle(8, cell, "<init>", "(I)V")),
        ("value", Constant::handle(1, cell, "value", "I")),
        ("sum", Constant::handle(5, cell, "sum", "(I)I")),
        ("nothing", condy("nullConstant", ")Ljava/lang/Object;", "_", "Ljava/lang/String;", vec![])),
        ("intClass", condy("primitiveClass", ")Ljava/lang/Class;", "I", "Ljava/lang/Class;", vec![])),
        ("red", condy("enumConstant", ")Ljava/lang/Enum;", "RED", color, vec![])),
        (
            "truth",
            condy(
                "getStaticFinal",
                "Ljava/lang/Class;)Ljava/lang/Object;",
                "TRUE",
                "Ljava/lang/Boolean;",
                vec![Constant::Class("java/lang/Boolean".into())],
            ),
        ),
        (
            "text",
            condy(
                "invoke",
                invoke,
                "text",
                "Ljava/lang/Object;",
                vec![Constant::handle(6, own, "makeText", "()Ljava/lang/String;")],
            ),
        ),
        ("made", condy("invoke", invoke, "made", "I", vec![Constant::handle(6, own, "make", "()I")])),
        ("own", condy("own", "I)Ljava/lang/Object;", "own", "I", vec![Constant::Int(5)])),
    ];
    let bytes = std::fs::read(&path).expect("a class file");
    std::fs::write(&path, put_constants(&bytes, own, &constants)).expect("a class file");
    Lab::with(jdk, folder, classes)
}

#[test]
fn constants_of_bootstrap_methods() {
    for jdk in jdks() {
        let mut lab = with_constants(jdk);
        let methods: &[(&str, &str, bool, &[&str])] = &[("handles", "(I)I", true, &[]), ("constants", "(I)I", true, &[])];
        check_concretised(&mut lab, "replay/Constants1", methods);
        // The first use in a JVM records how the constant is made; later uses record nothing.
        let mut ends = Vec::new();
        for value in [3, 60] {
            let test = call("replay/Constants1", "primitives", "(I)I", &[vec![Literal::Int(value)]]);
            let recording = lab.record(&test);
            let mut terms = TermStore::new();
            let mut replayer = Replayer::new(&lab.program);
            let replay = replayer.replay(&test, &recording, &mut terms, &ReplayConfig::default());
            assert!(replay.stats.divergences.is_empty(), "{:?}", replay.stats);
            let clauses: Vec<String> = replay.path.clauses.iter().map(|clause| terms.print(clause.term).to_string()).collect();
            ends.push((replay.end, clauses));
        }
        assert_eq!(ends[0], (PathEnd::Returned, vec!["(bvsle v0 47)".to_string()]));
        let reason = "dynamic constant of a primitive type".to_string();
        assert_eq!(ends[1], (PathEnd::Unsupported { reason }, vec![]));
    }
}

#[test]
fn pattern_switches_are_computed() {
    let Some(newer) = jdks_from(21) else { return };
    let newer: Vec<&Jdk> = jdks().iter().filter(|jdk| newer.iter().any(|found| found.version == jdk.version)).collect();
    for jdk in newer {
        check_concretised(
            &mut Lab::of(jdk, 21, NEWER_SOURCES),
            "replay/Patterns",
            &[
                ("types", "(ILjava/lang/String;)I", true, &[]),
                ("objects", "(ILjava/lang/String;)I", true, &[]),
                ("strings", "(Ljava/lang/String;)I", true, &[]),
                ("numbers", "(I)I", true, &[]),
                ("enums", "(I)I", true, &[]),
                ("qualified", "(I)I", true, &[]),
                ("instances", "(ILjava/lang/String;)I", true, &[]),
            ],
        );
    }
}

#[test]
fn objects_made_by_the_test_case() {
    let text = "
v0: I = int 90
v1: Lreplay/Objects1; = new replay/Objects1.<init> (I)V (v0)
v2: I = int 7
v3: Lreplay/Objects1; = call method replay/Objects1.add (I)Lreplay/Objects1; on v1 (v2)
v4: Z = call method replay/Objects1.isSame (Lreplay/Objects1;)Z on v3 (v1)
v5: Lreplay/Objects1; = call method replay/Objects1.add (I)Lreplay/Objects1; on v1 (v2)
v6: Lreplay/Objects1; = null
v7: Z = call method replay/Objects1.isSame (Lreplay/Objects1;)Z on v1 (v6)
";
    let mut lab = Lab::new(&jdks()[0]);
    let test = parse_test(text);
    let (replay, terms) = record_and_replay(&mut lab, &test);
    assert_eq!(replay.end, PathEnd::Threw { class: ClassName::new("java/lang/NullPointerException") });
    let clauses: Vec<String> = replay
        .path
        .clauses
        .iter()
        .map(|clause| format!("{} {} {}", clause.statement, clause.site.outcome, terms.print(clause.term)))
        .collect();
    assert_eq!(clauses, ["3 1 (bvsle (bvadd v0 v2) 100)", "5 0 (bvslt 100 (bvadd (bvadd v0 v2) v2))"]);
    assert_eq!(replay.entered[&3].name.as_ref(), "add");
}

/// A length that the path has decided is a constant in later clauses, and implied clauses are left
/// out.
#[test]
fn decided_lengths_are_constants_in_later_clauses() {
    let mut lab = Lab::new(&jdks()[0]);
    let text = |text: &str| vec![Literal::Str(text.encode_utf16().collect())];
    let test = call("replay/Texts", "decided", "(Ljava/lang/String;)I", &[text("abd")]);
    let (replay, terms) = record_and_replay(&mut lab, &test);
    let clauses: Vec<String> = replay.path.clauses.iter().map(|clause| terms.print(clause.term)).collect();
    assert_eq!(clauses[..2], ["(= v0.length 3)", "(= v0[1] 98)"]);
    assert!(clauses.iter().any(|clause| clause.ends_with("v0[2]) 96354))")), "{clauses:#?}");
    assert!(clauses[2..].iter().all(|clause| !clause.contains(".length") && !clause.contains("v0[1]")), "{clauses:#?}");
}

/// A jump on the result of a called method depends on no input; the decisions in that method are
/// clauses before it.
#[test]
fn jumps_on_results_are_concrete_branches() {
    let mut lab = Lab::new(&jdks()[0]);
    let number = |value| vec![Literal::Int(value)];
    let test = call("replay/Ints", "answers", "(II)I", &[number(5), number(3)]);
    let (replay, terms) = record_and_replay(&mut lab, &test);
    assert_eq!(replay.path.clauses.len(), 4, "{}", replay.path.print(&terms));
    let passed: Vec<(u32, &str, u32)> = replay
        .path
        .concrete_branches
        .iter()
        .map(|passed| (passed.clauses_before, &*passed.site.method.name, passed.site.outcome))
        .collect();
    assert_eq!(passed, [(2, "answers", 1), (4, "answers", 0)]);
}

/// A literal above the limit of characters is a constant; the others stay inputs.
#[test]
fn long_literals_are_no_inputs() {
    let string = |length: usize| vec![Literal::Str("k".repeat(length).encode_utf16().collect())];
    let descriptor = "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)I";
    let mut lab = Lab::new(&jdks()[0]);
    let config = ReplayConfig::default();
    for (lengths, clauses) in [([config.longest_text; 3], 3), ([config.longest_text + 1; 3], 0), ([60_000, 3, 60_000], 1)] {
        let test = call("replay/Strings", "identity", descriptor, &lengths.map(string));
        let (replay, terms) = record_and_replay(&mut lab, &test);
        assert_eq!(replay.path.clauses.len(), clauses, "{}", replay.path.print(&terms));
        assert_eq!(replay.stats.concretised.contains_key("a long string literal"), lengths[0] > config.longest_text);
    }
}

/// The constructor of an abstract class runs inside the statement, and its methods work on the
/// object.
#[test]
fn stubs_of_abstract_classes() {
    let text = "
v0: I = int 4
v1: Lreplay/Objects1$Meter; = stub replay/Objects1$Meter (replay/Objects1$Meter.read ()I v0)
v2: I = int 12
v3: I = int 12
v4: I = call method replay/Objects1$Meter.total (I)I on v1 (v2)
v5: I = call method replay/Objects1$Meter.total (I)I on v1 (v3)
";
    for jdk in jdks() {
        let mut lab = Lab::new(jdk);
        let test = parse_test(text);
        let (replay, terms) = record_and_replay(&mut lab, &test);
        assert_eq!(replay.end, PathEnd::Returned);
        // 5 + 4 + 4 > 12, and again.
        let outcomes: Vec<u32> = replay.path.clauses.iter().map(|clause| clause.site.outcome).collect();
        assert_eq!(outcomes.len(), 2, "{}", replay.path.print(&terms));
        assert_eq!(outcomes[0], outcomes[1]);
    }
}

/// No constructor of a mock runs; its answers are inputs.
#[test]
fn mocks_answer_with_inputs() {
    let text = "
v0: I = int 4
v1: Lreplay/Objects1$Vault; = mock replay/Objects1$Vault (replay/Objects1$Vault.read (Ljava/lang/String;)I v0)
v2: I = int 12
v3: I = call method replay/Objects1$Vault.judge (Lreplay/Objects1$Vault;I)I (v1, v2)
v4: I = call method replay/Objects1$Vault.judge (Lreplay/Objects1$Vault;I)I (v1, v2)
";
    for jdk in jdks() {
        let mut lab = Lab::new(jdk);
        let test = parse_test(text);
        let (replay, terms) = record_and_replay(&mut lab, &test);
        assert_eq!(replay.end, PathEnd::Returned);
        let clauses: Vec<String> = replay.path.clauses.iter().map(|clause| terms.print(clause.term).to_string()).collect();
        // 4 + 2 + 3 and 4 + 4 + 5: the fields were 0, the initialiser of the class ran.
        assert_eq!(clauses, ["(bvsle (bvadd v0 5) v2)", "(bvslt v2 (bvadd v0 9))"]);
    }
}

#[test]
fn damaged_recordings_end_the_path() {
    let mut lab = Lab::new(&jdks()[0]);
    let calls = [
        ("replay/Objects1", "collections", "(II)I"),
        ("replay/Objects1", "exceptions", "(I)I"),
        ("replay/Objects1", "lambdas", "(II)I"),
        ("replay/Arrays1", "kinds", "(II)I"),
        ("replay/Strings", "compare", "(Ljava/lang/String;Ljava/lang/String;)I"),
    ];
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut ends: BTreeMap<String, u32> = BTreeMap::new();
    for (class, name, descriptor) in calls {
        let test = call(class, name, descriptor, &draws::numbers(descriptor, &mut rng));
        let trace = lab.worker.record(&test).expect("a recording").trace;
        let mut replayer = Replayer::new(&lab.program);
        for round in 0..400 {
            let mut damaged = trace.clone();
            match round % 4 {
                0 => damaged.truncate(rng.next_u32() as usize % trace.len()),
                1 => {
                    let at = rng.next_u32() as usize % trace.len();
                    damaged[at] = rng.next_u32() as u8;
                }
                2 => {
                    let at = rng.next_u32() as usize % trace.len();
                    damaged[at] ^= 1 << (rng.next_u32() % 8);
                }
                _ => {
                    let at = rng.next_u32() as usize % trace.len();
                    damaged.remove(at);
                }
            }
            let recording = Recording::from_bytes(&damaged);
            let config = ReplayConfig { instructions: 100_000, heap: 100_000, ..ReplayConfig::default() };
            let replay = replayer.replay(&test, &recording, &mut TermStore::new(), &config);
            *ends.entry(format!("{:?}", replay.end).split([' ', '{']).next().unwrap_or_default().into()).or_default() += 1;
        }
    }
    println!("{ends:?}");
    assert!(ends.len() >= 3, "{ends:?}");
}
