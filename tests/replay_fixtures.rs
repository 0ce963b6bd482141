//! Recorded runs that are replayed without a JVM. `tests/data/replay` has the class files of the
//! subjects, outlines of the JDK classes that they need, and one text file for each run with its
//! trace and the expected path condition.
//!
//! - `UPDATE_EXPECT=1 cargo test --test replay_fixtures` accepts what the replay gives today; it
//!   needs no JDK.
//! - `UPDATE_EXPECT=1 cargo xtask test --test replay_fixtures` compiles and records every run anew;
//!   it needs a JDK and the agent.

#[path = "common/assembler.rs"]
mod assembler;
#[path = "replay_fixtures/fixture.rs"]
mod fixture;
#[path = "common/jdks.rs"]
mod jdks;
#[path = "replay_fixtures/outline.rs"]
mod outline;
#[path = "replay_fixtures/record.rs"]
mod record;
// Recording needs its random calls; its checked replay is that of the suites with a JVM.
#[allow(dead_code)]
#[path = "common/replaying.rs"]
mod replaying;
#[path = "common/worker.rs"]
mod worker;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use fixture::{ENDS, Fixture, end_name};
use outline::{StoredClasses, parse_outlines};
use tracewright::program::{ClassName, MethodRef, Program};
use tracewright::symbolic::{ModelFamily, Replay, Replayer};
use tracewright_classfile::{ClassFile, Op, opcode};
use tracewright_test_support::class_files_below;
use tracewright_trace::{Event, trace_sites};

/// The least number of fixtures.
const FIXTURES: usize = 150;

/// A fixture with its replay and the text that it gives.
type Replayed = (Fixture, Replay, String);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/replay")
}

fn is_updating() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1")
}

/// Whether every run is recorded anew: `cargo xtask test` names the agent.
fn is_recording() -> bool {
    is_updating() && std::env::var_os("TRACEWRIGHT_AGENT").is_some()
}

/// Every fixture, replayed once for all tests.
fn replayed() -> &'static [Replayed] {
    static REPLAYED: OnceLock<Vec<Replayed>> = OnceLock::new();
    REPLAYED.get_or_init(|| {
        if is_recording() {
            record::record_all(&folder());
        }
        let program = Program::new(stored_classes());
        let replay = |fixture: Fixture| {
            let (replay, found) = fixture.replay(&mut Replayer::new(&program)).unwrap_or_else(|problem| panic!("{problem}"));
            (fixture, replay, found)
        };
        Fixture::read_all(&folder().join("runs")).into_iter().map(replay).collect()
    })
}

fn stored_classes() -> StoredClasses {
    let outlines = std::fs::read_to_string(folder().join("jdk.txt")).expect("the outlines of the JDK");
    let project = class_files().into_iter().map(|(name, _, bytes)| (ClassName::new(&name), bytes)).collect();
    StoredClasses { project, jdk: parse_outlines(&outlines).iter().map(outline::Outline::class_file).collect() }
}

fn class_files() -> Vec<(String, ClassFile, Vec<u8>)> {
    let files = class_files_below(&folder().join("classes")).into_iter();
    let parsed = files.map(|class| (ClassFile::parse(&class.bytes).expect("well-formed"), class.bytes));
    parsed.map(|(class, bytes)| (class.this_class().to_owned(), class, bytes)).collect()
}

#[test]
fn recorded_runs_replay_to_their_expected_paths() {
    let mut problems = Vec::new();
    for (fixture, _, found) in replayed() {
        if is_updating() {
            Fixture { expected: found.clone(), ..fixture.clone() }.write(&folder().join("runs"));
        } else if fixture.expected != *found {
            problems.push(format!("{}: expected\n{}found\n{found}", fixture.name, fixture.expected));
        }
    }
    assert!(problems.is_empty(), "{} fixtures (UPDATE_EXPECT=1 accepts):\n{}", problems.len(), problems.join("\n"));
    assert!(replayed().len() >= FIXTURES, "{} fixtures", replayed().len());
}

#[test]
fn fixtures_print_as_they_are_parsed() {
    for (fixture, ..) in replayed() {
        assert_eq!(Fixture::parse(&fixture.name, &fixture.print()), *fixture);
    }
}

#[test]
fn fixtures_were_recorded_from_the_sources_of_today() {
    replayed();
    let recorded = std::fs::read_to_string(folder().join("sources.txt")).expect("the hashes of the sources");
    assert_eq!(recorded, record::source_hashes(), "record again: UPDATE_EXPECT=1 cargo xtask test --test replay_fixtures");
    for (fixture, ..) in replayed() {
        assert!(recorded.contains(&format!(" {}\n", fixture.source)), "{}: no source {}", fixture.name, fixture.source);
    }
}

#[test]
fn every_path_end_has_a_fixture() {
    let found: BTreeSet<&str> = replayed().iter().map(|(_, replay, _)| end_name(&replay.end)).collect();
    assert_eq!(found, BTreeSet::from(ENDS));
}

#[test]
fn every_way_to_leave_a_value_to_the_recording_has_a_fixture() {
    let any = |has: fn(&Replay) -> bool| replayed().iter().any(|(_, replay, _)| has(replay));
    assert!(any(|replay| replay.stats.interpreted_calls > 0), "interpreted");
    assert!(any(|replay| replay.stats.opaque_calls > 0), "opaque");
    assert!(any(|replay| !replay.stats.concretised.is_empty()), "concretised");
    assert!(any(|replay| !replay.stats.not_interpreted.is_empty()), "not interpreted");
    assert!(any(|replay| !replay.stats.unsupported.is_empty()), "unsupported");
}

#[test]
fn every_opcode_has_a_fixture() {
    let entered = entered_methods();
    let mut found = BTreeSet::new();
    for (name, class, _) in class_files() {
        for index in entered.get(&name).into_iter().flatten() {
            let code = class.method(*index).code().expect("well-formed");
            for instruction in code.iter().flat_map(|code| &code.instructions) {
                found.insert(opcode::mnemonic(instruction.opcode).expect("a known opcode"));
                if instruction.wide {
                    found.insert("wide");
                }
            }
        }
    }
    let missing: Vec<_> = (0..=u8::MAX).filter_map(opcode::mnemonic).filter(|name| !found.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_model_family_has_a_fixture() {
    let entered = entered_methods();
    let mut found = BTreeSet::new();
    for (name, class, _) in class_files() {
        for index in entered.get(&name).into_iter().flatten() {
            let code = class.method(*index).code().expect("well-formed");
            for instruction in code.iter().flat_map(|code| &code.instructions).filter(|instruction| instruction.op.is_invoke()) {
                let Some(member) = instruction.op.member_index() else { continue };
                let member = class.constant_pool().member(member).expect("well-formed");
                let method = MethodRef::new(ClassName::new(member.owner), member.name, member.descriptor);
                found.extend(ModelFamily::of(matches!(instruction.op, Op::InvokeStatic(_)), &method));
            }
        }
    }
    assert_eq!(found, BTreeSet::from(ModelFamily::ALL));
}

/// The methods that runs enter: for each class, positions in the class file.
fn entered_methods() -> BTreeMap<String, BTreeSet<usize>> {
    // Recording anew writes the class files.
    let replayed = replayed();
    let files = class_files();
    let sites: BTreeMap<&str, _> =
        files.iter().map(|(name, class, _)| (name.as_str(), trace_sites(class).expect("well-formed"))).collect();
    let mut entered: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (fixture, ..) in replayed {
        let events = tracewright_trace::parse(&fixture.trace).expect("a trace");
        let mut classes = BTreeMap::new();
        let mut tables = BTreeMap::new();
        for event in &events {
            match event {
                Event::Class { id, name } => {
                    classes.insert(*id, name.as_str());
                }
                Event::ClassSites { base, class, .. } => {
                    tables.insert(*base, classes[class]);
                }
                Event::Entry { site } => {
                    let (base, class) = tables.range(..=site.0).next_back().expect("an announced class");
                    let method = sites[class].sites[(site.0 - base) as usize].method;
                    entered.entry((*class).to_owned()).or_default().insert(method);
                }
                _ => {}
            }
        }
    }
    entered
}
