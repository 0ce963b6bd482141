//! The replay against the JVM: samples are compiled, run under the agent with trace probes, and replayed. No value may differ, every
//! clause must hold of its own run, and the clauses of one run must foretell every other run of the same test skeleton.

#[path = "common/constants.rs"]
mod constants;
#[path = "common/jdks.rs"]
mod jdks;
#[path = "common/test_case.rs"]
mod test_case;
#[path = "common/worker.rs"]
mod worker;
#[path = "replay/models.rs"]
mod models;

use std::collections::BTreeMap;
use std::path::Path;

use jdks::jdks;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use test_case::parse_test;
use tracewright::expr::{Model, TermStore};
use tracewright::jvm::{Jdk, ProbeMode, TraceWorker};
use tracewright::path::PathCondition;
use tracewright::program::{ClassName, JavaType, MethodRef, Program};
use tracewright::project::Project;
use tracewright::recording::Recording;
use tracewright::symbolic::{PathEnd, Replay, ReplayConfig, ReplayStats, Replayer, seed_of};
use tracewright::testcase::{Literal, StatementKind, TestCase, VarId};
use tracewright_test_support::{agent_library, compile_java, jdks_from};

const SOURCES: &[(&str, &str)] = &[
    ("replay/Ints.java", include_str!("replay/Ints.java")),
    ("replay/Floats.java", include_str!("replay/Floats.java")),
    ("replay/Arrays1.java", include_str!("replay/Arrays1.java")),
    ("replay/Objects1.java", include_str!("replay/Objects1.java")),
    ("replay/Strings.java", include_str!("replay/Strings.java")),
    ("replay/Collections1.java", include_str!("replay/Collections1.java")),
    ("replay/Dynamic1.java", include_str!("replay/Dynamic1.java")),
    ("replay/Constants1.java", include_str!("replay/Constants1.java")),
    ("replay/Texts.java", include_str!("replay/Texts.java")),
    ("replay/Library.java", include_str!("replay/Library.java")),
];
/// Java 21 and later.
const NEWER_SOURCES: &[(&str, &str)] = &[("replay/Patterns.java", include_str!("replay/Patterns.java"))];

struct Lab {
    worker: TraceWorker,
    program: Program,
    _folder: tempfile::TempDir,
}

impl Lab {
    fn new(jdk: &Jdk) -> Lab {
        Lab::of(jdk, 17, SOURCES)
    }

    fn of(jdk: &Jdk, release: u32, sources: &[(&str, &str)]) -> Lab {
        let folder = tempfile::tempdir().expect("a folder");
        let classes = compile_java(&jdk.home, release, folder.path(), sources);
        Lab::with(jdk, folder, classes)
    }

    fn with(jdk: &Jdk, folder: tempfile::TempDir, classes: std::path::PathBuf) -> Lab {
        let mut config = worker::config(jdk, Some(agent_library()), classes.clone(), folder.path(), ProbeMode::Trace);
        config.include = vec!["replay/*".into()];
        let program = Program::new(Project::open(&[classes], Path::new(&jdk.home)).expect("a project"));
        Lab { worker: TraceWorker::start(config).expect("a worker"), program, _folder: folder }
    }

    fn record(&mut self, test: &TestCase) -> Recording {
        let recorded = self.worker.record(test).expect("a recording");
        Recording::from_bytes(&recorded.trace)
    }
}

/// A call of a static method with these literals; arrays are given as their elements.
fn call(class: &str, name: &str, descriptor: &str, arguments: &[Argument]) -> TestCase {
    let method = MethodRef::new(ClassName::new(class), name, descriptor);
    let mut test = TestCase::default();
    let mut variables = Vec::new();
    for argument in arguments {
        variables.push(match argument {
            Argument::One(literal) => push(&mut test, literal),
            Argument::Ints(elements) => {
                let elements: Vec<VarId> = elements.iter().map(|&element| push(&mut test, &Literal::Int(element))).collect();
                let array = StatementKind::Array { element: JavaType::Int, length: elements.len() as u32, elements };
                test.push(array, JavaType::Array(Box::new(JavaType::Int)))
            }
        });
    }
    let returned = method.return_type();
    test.push(StatementKind::Call { method, interface: false, receiver: None, args: variables }, returned);
    test
}

enum Argument {
    One(Literal),
    Ints(Vec<i32>),
}

fn push(test: &mut TestCase, literal: &Literal) -> VarId {
    let ty = match literal {
        Literal::Boolean(_) => JavaType::Boolean,
        Literal::Byte(_) => JavaType::Byte,
        Literal::Char(_) => JavaType::Char,
        Literal::Short(_) => JavaType::Short,
        Literal::Int(_) => JavaType::Int,
        Literal::Long(_) => JavaType::Long,
        Literal::Float(_) => JavaType::Float,
        Literal::Double(_) => JavaType::Double,
        Literal::Class(_) => JavaType::class("java/lang/Class"),
        Literal::Null | Literal::Str(_) => JavaType::class("java/lang/String"),
    };
    test.push(StatementKind::Literal(literal.clone()), ty)
}

/// Small numbers mostly, and the edges of the types.
fn arguments(descriptor: &str, rng: &mut ChaCha8Rng) -> Vec<Argument> {
    let (parameters, _) = JavaType::parse_method(descriptor).expect("a descriptor");
    let draws = std::cell::RefCell::new(rng);
    let below = |bound: u32| draws.borrow_mut().next_u32() % bound;
    let number = || match below(8) {
        0 | 2 => {
            [0, -1000, -1, i64::from(i32::MAX), i64::from(i32::MIN), i64::MAX, i64::MIN, 77777, 2, 65535][below(10) as usize]
        }
        1 => i64::from(below(u32::MAX)) << below(32),
        _ => i64::from(below(11)) - 3,
    };
    let mut arguments = Vec::new();
    for parameter in parameters {
        let value = number();
        arguments.push(match parameter {
            JavaType::Boolean => Argument::One(Literal::Boolean(value & 1 == 1)),
            JavaType::Byte => Argument::One(Literal::Byte(value as i8)),
            JavaType::Char => {
                let character = b"x0q Z\xe9-"[value.rem_euclid(7) as usize];
                Argument::One(Literal::Char(u16::from(character)))
            }
            JavaType::Short => Argument::One(Literal::Short(value as i16)),
            JavaType::Int => Argument::One(Literal::Int(value as i32)),
            JavaType::Long => Argument::One(Literal::Long(value)),
            JavaType::Float => {
                // NaN of several kinds, zeros, infinities, subnormal numbers, edges of the integers, halves.
                const SPECIAL: [u32; 14] = [
                    0x7fc0_0000,
                    0xffc0_1234,
                    0x7f80_0001,
                    0x8000_0000,
                    0,
                    0x7f80_0000,
                    0xff80_0000,
                    1,
                    0x8000_0003,
                    0x7f7f_ffff,
                    0x4f00_0000,
                    0xdf00_0000,
                    0x3eff_ffff,
                    0x0080_0000,
                ];
                let drawn = below(u32::MAX);
                let bits = match below(8) {
                    0..3 => SPECIAL[(drawn % 14) as usize],
                    3 => drawn,
                    _ => (value as f32 / 4.0).to_bits(),
                };
                Argument::One(Literal::Float(bits))
            }
            JavaType::Double => {
                const SPECIAL: [u64; 14] = [
                    0x7ff8_0000_0000_0000,
                    0xfff8_0000_0000_1234,
                    0x7ff0_0000_0000_0001,
                    1 << 63,
                    0,
                    0x7ff0_0000_0000_0000,
                    0xfff0_0000_0000_0000,
                    1,
                    (1 << 63) + 3,
                    0x7fef_ffff_ffff_ffff,
                    0x41e0_0000_0000_0000,
                    0xc3e0_0000_0000_0000,
                    0x3fdf_ffff_ffff_ffff,
                    0x0010_0000_0000_0000,
                ];
                let drawn = u64::from(below(u32::MAX)) << 32 | u64::from(below(u32::MAX));
                let bits = match below(8) {
                    0..3 => SPECIAL[(drawn % 14) as usize],
                    3 => drawn,
                    _ => (value as f64 / 4.0).to_bits(),
                };
                Argument::One(Literal::Double(bits))
            }
            JavaType::Array(_) => Argument::Ints((0..3).map(|_| number() as i32).collect()),
            JavaType::Class(_) => {
                let texts = ["", "yes", "abc", "a", "one", "two", "12", "-3x", "x", "ax1", "\u{e9}bc", "bb"];
                let text = texts[value.rem_euclid(texts.len() as i64) as usize];
                Argument::One(Literal::Str(text.encode_utf16().collect()))
            }
            JavaType::Void => unreachable!("no parameter is void"),
        });
    }
    arguments
}

struct Run {
    seed: Model,
    replay: Replay,
    skeleton: String,
    /// What the site numbers of each class start at.
    bases: BTreeMap<ClassName, u32>,
}

/// What the run with other inputs must do, judged by the clauses of this one.
fn foretell(terms: &TermStore, from: &Run, other: &Run) -> Result<(), String> {
    // Behind what was taken from the recording nothing is foretold.
    let exact = |index: usize| from.replay.path.is_exact(index) && other.replay.path.is_exact(index);
    for (index, clause) in from.replay.path.clauses.iter().enumerate() {
        if !exact(index) {
            return Ok(());
        }
        let found = other.replay.path.clauses.get(index);
        if terms.holds(clause.term, &other.seed) {
            match found {
                Some(found) if found.site == clause.site => continue,
                // A clause that folds away for the other's constants, or is implied there, is not kept.
                _ => return Err(format!("clause {index} holds, found {:?}", found.map(|found| found.site.to_string()))),
            }
        }
        let expected: Vec<u32> =
            clause.others.iter().filter(|(_, term)| terms.holds(*term, &other.seed)).map(|(outcome, _)| *outcome).collect();
        let [outcome] = expected[..] else { return Err(format!("clause {index}: ways {expected:?} instead of one")) };
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
    // What the inputs decide without a clause lost its terms somewhere. A worker that was replaced counts sites anew.
    let comparable = from.bases.iter().all(|(class, base)| other.bases.get(class).is_none_or(|other| other == base));
    if comparable && path.inexact_from.is_none() && expected.inexact_from.is_none() && path.signature != expected.signature {
        return Err("every clause holds, but the other run took another path".into());
    }
    Ok(())
}

fn is_whole(replay: &Replay) -> bool {
    matches!(replay.end, PathEnd::Returned | PathEnd::Threw { .. })
}

/// What happens for the largest arrays is the machine's business.
fn out_of_memory(replay: &Replay) -> bool {
    replay.end == PathEnd::Unsupported { reason: "out of memory".into() }
}

fn no_divergence(replay: &Replay, path: &PathCondition, terms: &TermStore, test: &TestCase, recording: &Recording) {
    assert!(
        replay.stats.divergences.is_empty() && (is_whole(replay) || out_of_memory(replay)),
        "{test}{:?}\n{:#?}\n{}\n{}",
        replay.end,
        replay.stats,
        path.print(terms),
        recording.print()
    );
    let seed = seed_of(test);
    for clause in &replay.path.clauses {
        assert!(terms.holds(clause.term, &seed), "{test}{} does not hold\n{}", terms.print(clause.term), path.print(terms));
        for (outcome, other) in &clause.others {
            assert!(!terms.holds(*other, &seed), "{test}={outcome} {} holds, too", terms.print(*other));
        }
    }
}

/// The walk of the control flow counts what the replay does, but for instructions behind one that threw.
fn walks(replay: &Replay, recording: &Recording, program: &Program) {
    if is_whole(replay) {
        let (walked, executed) = (tracewright::symbolic::executed(recording, program), replay.stats.executed);
        let thrown =
            recording.print().lines().filter(|line| line.starts_with("caught") || line.starts_with("thrown")).count() as u64;
        assert!((executed..=executed + 60 * thrown).contains(&walked), "{walked} instead of {executed}\n{}", recording.print());
    }
}

/// Records and replays `count` runs of a method; what all replays counted.
fn check(lab: &mut Lab, class: &str, name: &str, descriptor: &str, count: usize, foretold: bool) -> ReplayStats {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut terms = TermStore::new();
    let mut runs: Vec<Run> = Vec::new();
    let mut stats = ReplayStats::default();
    let mut recordings = Vec::new();
    for _ in 0..count {
        let test = call(class, name, descriptor, &arguments(descriptor, &mut rng));
        let recording = lab.record(&test);
        recordings.push((test, recording));
    }
    let mut replayer = Replayer::new(&lab.program);
    let mut paths: BTreeMap<u64, usize> = BTreeMap::new();
    for (test, recording) in &recordings {
        let replay = replayer.replay(test, recording, &mut terms, &ReplayConfig::default());
        no_divergence(&replay, &replay.path, &terms, test, recording);
        walks(&replay, recording, &lab.program);
        stats.merge(&replay.stats);
        *paths.entry(replay.path.signature).or_default() += 1;
        if !is_whole(&replay) {
            continue;
        }
        let bases = recording.announced.tables().map(|table| (table.class.clone(), table.base)).collect();
        runs.push(Run { seed: seed_of(test), skeleton: format!("{}", test.statements.len()), replay, bases });
    }
    let seeds: Vec<String> = runs.iter().map(|run| run.seed.to_string()).collect();
    assert!(paths.len() > 1, "{class}.{name}: every run took one path: {seeds:?}");
    if foretold {
        for from in &runs {
            for other in runs.iter().filter(|other| other.skeleton == from.skeleton) {
                if let Err(problem) = foretell(&terms, from, other) {
                    panic!(
                        "{class}.{name}: {problem}\nfrom {}\n{}other {}\n{}",
                        from.seed,
                        from.replay.path.print(&terms),
                        other.seed,
                        other.replay.path.print(&terms)
                    );
                }
            }
        }
    }
    stats
}

fn family(class: &str, methods: &[(&str, &str, bool)]) {
    for jdk in jdks() {
        let mut lab = Lab::new(jdk);
        for &(name, descriptor, foretold) in methods {
            // Floats have more corners.
            let count = if class == "replay/Floats" { 150 } else { 40 };
            let stats = check(&mut lab, class, name, descriptor, count, foretold);
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

/// Collections and the like are interpreted: all but so many percent of their calls.
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
            // Numbers in texts have models.
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

/// Every method with what may lose its terms in it; all else must keep them.
fn understood(lab: &mut Lab, class: &str, methods: &[(&str, &str, bool, &[&str])]) {
    for &(name, descriptor, foretold, lost) in methods {
        let stats = check(lab, class, name, descriptor, 40, foretold);
        println!("{class}.{name}: {stats:?}");
        let found: Vec<&str> = stats.concretised.keys().map(String::as_str).collect();
        assert_eq!(found, lost, "{class}.{name}");
        assert_eq!(stats.resyncs, 0, "{class}.{name}");
    }
}

#[test]
fn dynamic_call_sites() {
    for jdk in jdks() {
        understood(
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
        understood(
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

/// Constants that javac writes nowhere: calls of the class's place holders become `ldc`.
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
        understood(&mut lab, "replay/Constants1", methods);
        // What no event tells: the first use in a JVM shows how the constant is made, later ones do not.
        let mut ends = Vec::new();
        for value in [3, 60] {
            let test = call("replay/Constants1", "primitives", "(I)I", &[Argument::One(Literal::Int(value))]);
            let recording = lab.record(&test);
            let mut terms = TermStore::new();
            let replay = tracewright::symbolic::replay(&test, &recording, &lab.program, &mut terms, &ReplayConfig::default());
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
        understood(
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
    let recording = lab.record(&test);
    let mut terms = TermStore::new();
    let replay = tracewright::symbolic::replay(&test, &recording, &lab.program, &mut terms, &ReplayConfig::default());
    no_divergence(&replay, &replay.path, &terms, &test, &recording);
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

/// What the path has decided is a constant in what comes later, and what follows from it is no question.
#[test]
fn decided_lengths_are_put_in() {
    let mut lab = Lab::new(&jdks()[0]);
    let text = |text: &str| Argument::One(Literal::Str(text.encode_utf16().collect()));
    let test = call("replay/Texts", "decided", "(Ljava/lang/String;)I", &[text("abd")]);
    let recording = lab.record(&test);
    let mut terms = TermStore::new();
    let replay = tracewright::symbolic::replay(&test, &recording, &lab.program, &mut terms, &ReplayConfig::default());
    no_divergence(&replay, &replay.path, &terms, &test, &recording);
    let clauses: Vec<String> = replay.path.clauses.iter().map(|clause| terms.print(clause.term)).collect();
    assert_eq!(clauses[..2], ["(= v0.length 3)", "(= v0[1] 98)"]);
    assert!(clauses.iter().any(|clause| clause.ends_with("v0[2]) 96354))")), "{clauses:#?}");
    assert!(clauses[2..].iter().all(|clause| !clause.contains(".length") && !clause.contains("v0[1]")), "{clauses:#?}");
}

/// A jump on what a called method answered asks no input; the decisions in that method stand before it.
#[test]
fn jumps_on_answers_are_passed() {
    let mut lab = Lab::new(&jdks()[0]);
    let number = |value| Argument::One(Literal::Int(value));
    let test = call("replay/Ints", "answers", "(II)I", &[number(5), number(3)]);
    let recording = lab.record(&test);
    let mut terms = TermStore::new();
    let replay = tracewright::symbolic::replay(&test, &recording, &lab.program, &mut terms, &ReplayConfig::default());
    no_divergence(&replay, &replay.path, &terms, &test, &recording);
    assert_eq!(replay.path.clauses.len(), 4, "{}", replay.path.print(&terms));
    let passed: Vec<(u32, &str, u32)> = replay
        .path
        .concrete_branches
        .iter()
        .map(|passed| (passed.clauses_before, &*passed.site.method.name, passed.site.outcome))
        .collect();
    assert_eq!(passed, [(2, "answers", 1), (4, "answers", 0)]);
}

/// Nobody solves for thousands of characters: a long literal is its text and nothing more, the others stay inputs.
#[test]
fn long_literals_have_no_variables() {
    let string = |length: usize| Argument::One(Literal::Str("k".repeat(length).encode_utf16().collect()));
    let descriptor = "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)I";
    let mut lab = Lab::new(&jdks()[0]);
    let config = ReplayConfig::default();
    for (lengths, clauses) in [([config.longest_text; 3], 3), ([config.longest_text + 1; 3], 0), ([60_000, 3, 60_000], 1)] {
        let test = call("replay/Strings", "identity", descriptor, &lengths.map(string));
        let recording = lab.record(&test);
        let mut terms = TermStore::new();
        let replay = tracewright::symbolic::replay(&test, &recording, &lab.program, &mut terms, &config);
        no_divergence(&replay, &replay.path, &terms, &test, &recording);
        assert_eq!(replay.path.clauses.len(), clauses, "{}", replay.path.print(&terms));
        assert_eq!(replay.stats.concretised.contains_key("a long string literal"), lengths[0] > config.longest_text);
    }
}

/// The constructor of an abstract class runs inside the statement, and its methods work on the object.
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
        let recording = lab.record(&test);
        let mut terms = TermStore::new();
        let replay = tracewright::symbolic::replay(&test, &recording, &lab.program, &mut terms, &ReplayConfig::default());
        no_divergence(&replay, &replay.path, &terms, &test, &recording);
        assert_eq!(replay.end, PathEnd::Returned);
        // 5 + 4 + 4 > 12, and again.
        let outcomes: Vec<u32> = replay.path.clauses.iter().map(|clause| clause.site.outcome).collect();
        assert_eq!(outcomes.len(), 2, "{}", replay.path.print(&terms));
        assert_eq!(outcomes[0], outcomes[1]);
    }
}

/// No constructor of a mock runs; what it answers is an input.
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
        let recording = lab.record(&test);
        let mut terms = TermStore::new();
        let replay = tracewright::symbolic::replay(&test, &recording, &lab.program, &mut terms, &ReplayConfig::default());
        no_divergence(&replay, &replay.path, &terms, &test, &recording);
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
        let test = call(class, name, descriptor, &arguments(descriptor, &mut rng));
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
