//! Writes the fixtures anew: compiles the sources, executes calls with the agent, and keeps the
//! runs whose paths differ. Needs a JDK and the agent; [`super::is_recording`] says when it runs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use tracewright::execution::RunEnd;
use tracewright::jvm::{Jdk, ProbeMode, TraceWorker};
use tracewright::program::Program;
use tracewright::project::Project;
use tracewright::recording::Recording;
use tracewright::symbolic::{PathEnd, Replayer};
use tracewright::testcase::{Literal, TestCase};
use tracewright_classfile::ClassFile;
use tracewright_test_support::{class_files_below, compile_java};
use tracewright_trace::{ClassId, Event, Reference, Verdict};

use crate::assembler::assemble_all;
use crate::fixture::Fixture;
use crate::outline::{AskedOutlines, OutlinedProject};
use crate::replaying::{arguments, call};
use crate::worker::config;

/// Random calls of each method.
const CALLS: usize = 24;
/// Fixtures of each method, at most.
const KEPT: usize = 2;
/// Bytes of a fixture, at most.
const LARGEST: usize = 16_000;

/// Sources that are compiled together. The first one has the methods that are called.
struct Subject {
    sources: &'static [(&'static str, &'static str)],
    /// Text of the assembler, beside the sources.
    assembled: &'static str,
    /// The Java release that the sources are compiled for; the oldest JDK that has it records them.
    release: u32,
}

const SUBJECTS: &[Subject] = &[
    java(&[("tests/opcodes/Families.java", include_str!("../opcodes/Families.java"))]),
    Subject { sources: &[("tests/opcodes/assembled.txt", "")], assembled: include_str!("../opcodes/assembled.txt"), release: 17 },
    java(&[("tests/replay/Ints.java", include_str!("../replay/Ints.java"))]),
    java(&[("tests/replay/Floats.java", include_str!("../replay/Floats.java"))]),
    java(&[("tests/replay/Arrays1.java", include_str!("../replay/Arrays1.java"))]),
    java(&[("tests/replay/Objects1.java", include_str!("../replay/Objects1.java"))]),
    java(&[("tests/replay/Strings.java", include_str!("../replay/Strings.java"))]),
    java(&[("tests/replay/Collections1.java", include_str!("../replay/Collections1.java"))]),
    java(&[("tests/replay/Dynamic1.java", include_str!("../replay/Dynamic1.java"))]),
    java(&[("tests/replay/Constants1.java", include_str!("../replay/Constants1.java"))]),
    java(&[("tests/replay/Texts.java", include_str!("../replay/Texts.java"))]),
    java(&[
        ("tests/replay/Library.java", include_str!("../replay/Library.java")),
        ("tests/replay/Texts.java", include_str!("../replay/Texts.java")),
    ]),
    java(&[
        ("tests/replay_fixtures/Interpreted.java", include_str!("Interpreted.java")),
        ("tests/replay_fixtures/library/Ring.java", include_str!("library/Ring.java")),
    ]),
    java(&[(ENDS, include_str!("Ends.java"))]),
    Subject { sources: &[("tests/replay/Patterns.java", include_str!("../replay/Patterns.java"))], assembled: "", release: 21 },
];
const ENDS: &str = "tests/replay_fixtures/Ends.java";

const fn java(sources: &'static [(&'static str, &'static str)]) -> Subject {
    Subject { sources, assembled: "", release: 17 }
}

/// A run of `Ends` that is changed, or replayed under other limits.
struct SpecialRun {
    name: &'static str,
    method: (&'static str, &'static str),
    arguments: &'static [i32],
    limits: &'static [(&'static str, u64)],
    is_stopped: bool,
    change: fn(Vec<Event>) -> Vec<Event>,
}

const LOOP: (&str, &str) = ("loop", "(I)I");
const AS_RECORDED: SpecialRun =
    SpecialRun { name: "", method: LOOP, arguments: &[5], limits: &[], is_stopped: false, change: |events| events };

const SPECIAL_RUNS: &[SpecialRun] = &[
    SpecialRun { name: "returned", ..AS_RECORDED },
    SpecialRun { name: "threw", method: ("divide", "(II)I"), arguments: &[7, 0], ..AS_RECORDED },
    SpecialRun { name: "budget-instructions", limits: &[("instructions", 20)], ..AS_RECORDED },
    SpecialRun { name: "budget-frames", method: ("descend", "(I)I"), limits: &[("frames", 4)], ..AS_RECORDED },
    SpecialRun { name: "budget-terms", limits: &[("terms", 2)], ..AS_RECORDED },
    SpecialRun { name: "budget-events", change: |events| ended(&events, Verdict::Budget), ..AS_RECORDED },
    SpecialRun { name: "dropped-clauses", limits: &[("clauses", 2)], ..AS_RECORDED },
    SpecialRun { name: "guessed-identity", method: ("reflect", "(I)I"), ..AS_RECORDED },
    SpecialRun { name: "stopped", is_stopped: true, ..AS_RECORDED },
    SpecialRun { name: "refused", method: ("leave", "(I)I"), ..AS_RECORDED },
    SpecialRun { name: "jvm-died", change: |events| first_half(&events), ..AS_RECORDED },
    SpecialRun { name: "exhausted", change: |events| ended(&events, Verdict::Exhausted), ..AS_RECORDED },
    SpecialRun { name: "ended-from-outside", change: |events| ended(&events, Verdict::from_word(9)), ..AS_RECORDED },
    SpecialRun { name: "diverged-result", change: with_other_result, ..AS_RECORDED },
    SpecialRun { name: "diverged-branch", change: with_other_branch, ..AS_RECORDED },
    SpecialRun { name: "unannounced-class", method: ("describe", "(I)Ljava/lang/String;"), change: unannounced, ..AS_RECORDED },
];

fn first_half(events: &[Event]) -> Vec<Event> {
    events[..events.len() / 2].to_vec()
}

fn ended(events: &[Event], verdict: Verdict) -> Vec<Event> {
    first_half(events).into_iter().chain([Event::RunEnd { verdict }]).collect()
}

fn with_other_result(events: Vec<Event>) -> Vec<Event> {
    let change = |event| match event {
        Event::Ret32 { site, value } => Event::Ret32 { site, value: value + 1 },
        Event::Result32 { index, value } => Event::Result32 { index, value: value + 1 },
        event => event,
    };
    events.into_iter().map(change).collect()
}

fn with_other_branch(mut events: Vec<Event>) -> Vec<Event> {
    let branch = events.iter().position(|event| matches!(event, Event::BranchNot | Event::BranchTaken)).expect("a branch");
    events[branch] = if events[branch] == Event::BranchNot { Event::BranchTaken } else { Event::BranchNot };
    events
}

fn unannounced(events: Vec<Event>) -> Vec<Event> {
    events.into_iter().filter(|event| !matches!(event, Event::Class { name, .. } if name == "java/lang/String")).collect()
}

/// Records every subject; class files, outlines and fixtures below `folder` are replaced.
pub(crate) fn record_all(folder: &Path) {
    if folder.exists() {
        std::fs::remove_dir_all(folder).expect("a writable folder");
    }
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let mut names = BTreeSet::new();
    let mut folders = Vec::new();
    for (number, subject) in SUBJECTS.iter().enumerate() {
        let below = temporary.path().join(number.to_string());
        std::fs::create_dir_all(&below).expect("a writable folder");
        let classes = if subject.assembled.is_empty() {
            let sources: Vec<_> = subject.sources.iter().map(|(path, text)| (package_path(path), *text)).collect();
            compile_java(&jdk_of(subject).home, subject.release, &below, &sources)
        } else {
            let classes = below.join("classes");
            assemble_all(subject.assembled, &classes);
            classes
        };
        for class in class_files(&classes) {
            names.extend(
                class.constant_pool().indices().filter_map(|index| class.constant_pool().utf8(index).ok()).map(str::to_owned),
            );
        }
        folders.push((below, classes));
    }
    let names = Arc::new(names);
    let asked = AskedOutlines::default();
    for (subject, (below, classes)) in SUBJECTS.iter().zip(&folders) {
        let jdk = jdk_of(subject);
        let project = Project::open(std::slice::from_ref(classes), Path::new(&jdk.home)).expect("a project");
        let source = OutlinedProject { project, names: names.clone(), asked: asked.clone() };
        let program = Program::new(source);
        let agent = tracewright_test_support::agent_library();
        let mut config = config(jdk, Some(agent), classes.clone(), below, ProbeMode::Trace);
        config.include = vec!["opcodes/*".into(), "replay/*".into()];
        let mut recorder = Recorder { worker: TraceWorker::start(config).expect("a worker"), program: &program };
        if subject.sources[0].0 == ENDS {
            recorder.record_special_runs(&folder.join("runs"));
        } else {
            recorder.record_methods(subject, classes, &folder.join("runs"));
        }
        copy_classes(classes, &folder.join("classes"));
    }
    let outlines: String = asked.lock().expect("no other thread failed").values().map(String::as_str).collect();
    std::fs::write(folder.join("jdk.txt"), outlines).expect("a writable folder");
    std::fs::write(folder.join("sources.txt"), source_hashes()).expect("a writable folder");
}

/// The oldest JDK that has the release of the subject.
fn jdk_of(subject: &Subject) -> &'static Jdk {
    crate::jdks::jdks().iter().find(|jdk| jdk.version >= subject.release).expect("a JDK of the release")
}

/// One line for each source: its path and the hash of its text.
pub(crate) fn source_hashes() -> String {
    let mut lines = BTreeSet::new();
    for subject in SUBJECTS {
        let texts = subject.sources.iter().map(|(path, text)| (*path, if text.is_empty() { subject.assembled } else { *text }));
        lines.extend(texts.map(|(path, text)| format!("{:016x} {path}\n", tracewright_trace::class_hash(text.as_bytes()))));
    }
    lines.into_iter().collect()
}

/// The path of a source below the root of its packages: the first folder is named as the test, the
/// last ones as the package.
fn package_path(path: &'static str) -> &'static str {
    match path.strip_prefix("tests/replay_fixtures/") {
        Some(library) if library.contains('/') => library,
        Some("Ends.java") => "replay/Ends.java",
        Some("Interpreted.java") => "replay/Interpreted.java",
        Some(other) => panic!("{other} has no package"),
        None => path.strip_prefix("tests/").expect("a source of a test"),
    }
}

fn class_files(classes: &Path) -> Vec<ClassFile> {
    class_files_below(classes).iter().map(|class| ClassFile::parse(&class.bytes).expect("well-formed")).collect()
}

fn copy_classes(from: &Path, to: &Path) {
    for class in class_files_below(from) {
        let name = ClassFile::parse(&class.bytes).expect("well-formed").this_class().to_owned();
        let path = to.join(format!("{name}.class"));
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a writable folder");
        std::fs::write(path, class.bytes).expect("a writable folder");
    }
}

struct Recorder<'p> {
    worker: TraceWorker,
    program: &'p Program,
}

impl Recorder<'_> {
    fn record_methods(&mut self, subject: &Subject, classes: &Path, folder: &Path) {
        let source = subject.sources[0].0;
        for class in class_files(classes).iter().filter(|class| !class.this_class().contains(['$'])) {
            // Other sources only have classes that the first one needs.
            let is_first = package_path(source).strip_suffix(".java") == Some(class.this_class());
            if subject.assembled.is_empty() && !is_first {
                continue;
            }
            for method in class.methods() {
                let (access, name, descriptor) = (method.access(), method.name(), method.descriptor());
                let is_called =
                    access.is_static() && access.is_public() && !name.starts_with('<') && !descriptor.starts_with("([L");
                if !is_called || descriptor.contains("MethodHandles") || !has_plain_parameters(descriptor) {
                    continue;
                }
                let simple = class.this_class().rsplit('/').next().expect("a name");
                let prefix = format!("{simple}/{name}");
                let mut rng = ChaCha8Rng::seed_from_u64(11);
                let tests = (0..CALLS).map(|_| call(class.this_class(), name, descriptor, &arguments(descriptor, &mut rng)));
                self.keep_distinct_paths(source, &prefix, tests.collect(), folder);
            }
        }
    }

    /// Writes the shortest fixtures among those calls whose paths differ, those with clauses first.
    fn keep_distinct_paths(&mut self, source: &str, prefix: &str, tests: Vec<TestCase>, folder: &Path) {
        let mut by_path: BTreeMap<(bool, String), Fixture> = BTreeMap::new();
        for test in tests {
            let Some(events) = self.events_of(&test) else { continue };
            let mut fixture = Fixture { source: source.into(), test: test.to_string(), ..Fixture::default() };
            fixture.trace = tracewright_trace::print(&normalised(&events));
            let (replay, found) = match fixture.replay(&mut Replayer::new(self.program)) {
                Ok(replayed) => replayed,
                Err(problem) => panic!("{prefix}: {problem}"),
            };
            if replay.end == PathEnd::Diverged || !replay.stats.divergences.is_empty() {
                println!("{prefix} is left out: {found}");
                continue;
            }
            fixture.expected = found;
            let path = format!("{:016x} {:?}", replay.path.signature, replay.end);
            let size = fixture.print().len();
            let key = (replay.path.clauses.is_empty(), path);
            if size <= LARGEST && by_path.get(&key).is_none_or(|known| size < known.print().len()) {
                by_path.insert(key, fixture);
            }
        }
        let mut kept: Vec<_> = by_path.into_iter().map(|((is_empty, _), fixture)| (is_empty, fixture)).collect();
        kept.sort_by_key(|(is_empty, fixture)| (*is_empty, fixture.print().len()));
        for (number, (_, mut fixture)) in kept.into_iter().take(KEPT).enumerate() {
            fixture.name = format!("{prefix}-{}", number + 1);
            fixture.write(folder);
        }
    }

    fn record_special_runs(&mut self, folder: &Path) {
        for run in SPECIAL_RUNS {
            let (name, descriptor) = run.method;
            let arguments: Vec<_> = run.arguments.iter().map(|&argument| vec![Literal::Int(argument)]).collect();
            let test = call("replay/Ends", name, descriptor, &arguments);
            let events = self.events_of(&test).expect("a run that is not illegal");
            let mut fixture = Fixture {
                name: format!("Ends/{}", run.name),
                source: ENDS.into(),
                limits: run.limits.iter().map(|&(field, value)| (field.to_owned(), value)).collect(),
                is_stopped: run.is_stopped,
                test: test.to_string(),
                trace: tracewright_trace::print(&(run.change)(normalised(&events))),
                expected: String::new(),
            };
            let replayed = fixture.replay(&mut Replayer::new(self.program));
            fixture.expected = replayed.unwrap_or_else(|problem| panic!("{problem}")).1;
            fixture.write(folder);
        }
    }

    /// The events of one execution; `None` where the test case is illegal.
    fn events_of(&mut self, test: &TestCase) -> Option<Vec<Event>> {
        let recorded = self.worker.record(test).expect("a recording");
        if matches!(recorded.execution.end, RunEnd::Illegal { .. } | RunEnd::Died | RunEnd::Timeout { .. }) {
            return None;
        }
        let text = Recording::from_bytes(&recorded.trace).print();
        Some(tracewright_trace::parse(&text).expect("its own text"))
    }
}

/// Whether random arguments can be made: primitive types, strings, and arrays of primitive types.
fn has_plain_parameters(descriptor: &str) -> bool {
    let parameters = descriptor.split(')').next().unwrap_or_default().replace("Ljava/lang/String;", "");
    !parameters.contains('L') && !parameters.contains("[[")
}

/// The same run with class numbers and identity hashes in the order of their first use, without
/// unused announcements. A run that shows an identity hash to the program keeps its hashes.
fn normalised(events: &[Event]) -> Vec<Event> {
    let mut used: Vec<ClassId> = Vec::new();
    let mut hashes: HashMap<u32, u32> = HashMap::from([(0, 0)]);
    let mut values = BTreeSet::new();
    for event in events {
        match event {
            Event::ClassSites { class, .. } => used.push(*class),
            Event::Load32 { value } | Event::Ret32 { value, .. } | Event::Arg32 { value, .. } => {
                values.insert(*value);
            }
            _ => {}
        }
        if let Some(reference) = reference_of(event).filter(|reference| !reference.is_null()) {
            used.push(reference.class);
            let next = hashes.len() as u32;
            hashes.entry(reference.hash).or_insert(next);
        }
    }
    let shows_hashes = hashes.keys().any(|hash| *hash > 0xFFFF && values.contains(hash));
    let mut numbers: HashMap<ClassId, ClassId> = HashMap::new();
    for class in used {
        let next = ClassId(numbers.len() as u32 + 1);
        numbers.entry(class).or_insert(next);
    }
    let rename = |reference: &mut Reference| {
        if !reference.is_null() {
            reference.class = numbers[&reference.class];
            reference.hash = if shows_hashes { reference.hash } else { hashes[&reference.hash] };
        }
    };
    let mut announcements = Vec::new();
    let mut run = Vec::new();
    for mut event in events.iter().cloned() {
        match &mut event {
            Event::Class { id, .. } => match numbers.get(id) {
                Some(number) => *id = *number,
                None => continue,
            },
            Event::ClassSites { class, .. } => *class = numbers[class],
            Event::LoadRef { value }
            | Event::RetRef { value, .. }
            | Event::ArgRef { value, .. }
            | Event::Caught { value, .. }
            | Event::ResultRef { value, .. }
            | Event::Thrown { value, .. } => rename(value),
            _ => {}
        }
        if matches!(event, Event::Class { .. }) { announcements.push(event) } else { run.push(event) }
    }
    announcements.sort_by_key(|event| if let Event::Class { id, .. } = event { id.0 } else { 0 });
    announcements.into_iter().chain(run).collect()
}

fn reference_of(event: &Event) -> Option<Reference> {
    match event {
        Event::LoadRef { value }
        | Event::RetRef { value, .. }
        | Event::ArgRef { value, .. }
        | Event::Caught { value, .. }
        | Event::ResultRef { value, .. }
        | Event::Thrown { value, .. } => Some(*value),
        _ => None,
    }
}
