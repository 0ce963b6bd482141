//! Structural path conditions against the JVM: methods over heaps run with random heaps and are
//! replayed in the structural view.
//!
//! A condition holds for the entry heap of its own run. An exact condition holds for the entry heap
//! of another run if and only if that run has the same decisions.

#[path = "common/jdks.rs"]
mod jdks;
#[path = "common/test_case.rs"]
mod test_case;
#[path = "common/recorder.rs"]
mod recorder;
#[path = "common/worker.rs"]
mod worker;

use std::collections::{BTreeMap, BTreeSet};
use tracewright_classfile::PrimitiveType;

use jdks::jdks;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use recorder::{Recorder, program_of};
use test_case::parse_test;
use tracewright::expr::TermStore;
use tracewright::program::{ClassName, JavaType, MethodRef, Program};
use tracewright::structure::{StructuralClause, StructuralCondition, Structure};
use tracewright::symbolic::{PathEnd, Replay, ReplayConfig, Replayer, View};
use tracewright::testcase::{Answer, Literal, StatementKind, StubKind, TestCase, VarId};
use tracewright_test_support::compile_java;

const SOURCE: &str = include_str!("structure/Heaps.java");
const CLASSES: [&str; 13] =
    ["Node", "Tree", "Table", "Statics", "Card", "Shelf", "Store", "Base", "Derived", "Pair", "Made", "Opaque", "Statics$Color"];
/// Runs of each method.
const RUNS: u32 = 40;

/// Methods whose runs may take one path through heaps of different structure. Their clauses say
/// more than branches: the identity and class of objects, indices, and decisions in library code.
const SAYS_MORE: &[&str] = &[
    "Base.both",
    "Base.linked",
    "Card.sameNames",
    "Made.<init>",
    "Node.contains",
    "Node.isCyclic",
    "Node.overwritten",
    "Node.removeZeros",
    "Node.same",
    "Node.second",
    "Opaque.later",
    "Pair.isLike",
    "Pair.node",
    "Shelf.added",
    "Shelf.at",
    "Shelf.grown",
    "Shelf.holds",
    "Shelf.isEmpty",
    "Shelf.mixed",
    "Shelf.mapped",
    "Statics.isRed",
    "Statics.isSentinel",
    "Store.counted",
    "Store.each",
    "Store.filled",
    "Store.hasWord",
    "Store.longer",
    "Store.lookedUp",
    "Store.ordered",
    "Store.sameData",
    "Store.spelled",
    "Table.copied",
    "Table.firstNull",
    "Table.gridAt",
    "Table.kind",
    "Table.nodeAt",
    "Table.pick",
    "Table.put",
    "Table.repeats",
    "Table.set",
    "Table.shift",
];

/// Methods without an exact condition.
const INEXACT: &[(&str, &str)] = &[
    ("Opaque.hashed", "identity hash"),
    ("Opaque.sameBox", "identity of a box"),
    ("Opaque.run", "lambda"),
    ("Opaque.asked", "stub"),
    ("Store.streamed", "java/util/Collection.stream"),
    ("Opaque.reflected", "java/lang/reflect/Field.get"),
    // The constants were created before the run.
    ("Statics.ordinal", "heaps/Heaps$Statics$Color.ordinal"),
    ("Pair.hashCode", "identity hash"),
    ("Pair.toString", "java/lang/Object.toString"),
    ("Shelf.mixed", "java/util/List.hashCode"),
    // The key that a map finds may be the given string or an equal one.
    ("Shelf.mapped", "identity of a string"),
];

fn class(name: &str) -> ClassName {
    ClassName::new(&format!("heaps/Heaps${name}"))
}

/// A method under test and the methods that make its arguments.
struct Subject {
    name: String,
    target: MethodRef,
    is_static: bool,
    prepare: Option<MethodRef>,
}

struct Subjects {
    subjects: Vec<Subject>,
    /// The makers by the type that they return.
    makers: BTreeMap<JavaType, MethodRef>,
}

fn subjects(program: &Program) -> Subjects {
    let model = |name: &str| program.class(&class(name)).expect("a class");
    let mut makers = BTreeMap::new();
    for name in CLASSES {
        for method in model(name).methods.iter().filter(|method| &*method.reference.name == "make") {
            makers.insert(method.reference.return_type(), method.reference.clone());
        }
    }
    let mut subjects = Vec::new();
    for name in CLASSES.iter().filter(|name| !name.contains("Color")) {
        let model = model(name);
        let methods = &model.methods;
        let prepare = methods.iter().find(|method| &*method.reference.name == "prepare").map(|method| method.reference.clone());
        for method in methods.iter().filter(|method| method.access.is_public()) {
            let target = method.reference.clone();
            let is_init = &*target.name == "<init>";
            let made = |ty: &JavaType| !ty.is_reference() || makers.contains_key(ty) || is_library(ty);
            let is_subject = !matches!(&*target.name, "make" | "prepare") && (!is_init || *name == "Made");
            if is_subject && target.parameters().iter().all(made) {
                let name = format!("{name}.{}", target.name);
                subjects.push(Subject { name, target, is_static: method.access.is_static(), prepare: prepare.clone() });
            }
        }
    }
    Subjects { subjects, makers }
}

fn is_library(ty: &JavaType) -> bool {
    ["java/lang/String", "java/lang/Integer", "java/util/function/IntSupplier"].iter().any(|name| *ty == JavaType::class(name))
}

impl Subjects {
    fn draw(&self, subject: &Subject, rng: &mut ChaCha8Rng) -> TestCase {
        let mut test = TestCase::default();
        if let Some(prepare) = &subject.prepare {
            let seed = push(&mut test, Literal::Int((rng.next_u32() % 64) as i32));
            call(&mut test, prepare, None, vec![seed]);
        }
        let owner = JavaType::Class(subject.target.owner.clone());
        let is_init = &*subject.target.name == "<init>";
        let receiver = (!subject.is_static && !is_init).then(|| self.make(&mut test, &owner, rng));
        let args = subject.target.parameters().iter().map(|ty| self.make(&mut test, ty, rng)).collect();
        if is_init {
            test.push(StatementKind::Construct { constructor: subject.target.clone(), args }, owner);
        } else {
            call(&mut test, &subject.target, receiver, args);
        }
        test
    }

    fn make(&self, test: &mut TestCase, ty: &JavaType, rng: &mut ChaCha8Rng) -> VarId {
        let mut below = |bound: u32| rng.next_u32() % bound;
        match ty {
            JavaType::Primitive(PrimitiveType::Int) => push(test, Literal::Int(below(6) as i32 - 1)),
            JavaType::Primitive(PrimitiveType::Long) => push(test, Literal::Long(i64::from(below(6)) - 1)),
            JavaType::Primitive(PrimitiveType::Double) => {
                push(test, Literal::Double((f64::from(below(5)) / 2.0 - 1.0).to_bits()))
            }
            ty if *ty == JavaType::class("java/lang/String") => {
                let text = ["", "a", "label1", "label2"][below(4) as usize];
                push(test, Literal::Str(text.encode_utf16().collect()))
            }
            ty if *ty == JavaType::class("java/lang/Integer") => {
                let number = push(test, Literal::Int(below(3) as i32 * 100));
                let value_of = MethodRef::new(ClassName::new("java/lang/Integer"), "valueOf", "(I)Ljava/lang/Integer;");
                call(test, &value_of, None, vec![number])
            }
            ty if *ty == JavaType::class("java/util/function/IntSupplier") => {
                let number = push(test, Literal::Int(below(3) as i32));
                let interface = ClassName::new("java/util/function/IntSupplier");
                let answers = vec![Answer::returning(MethodRef::new(interface.clone(), "getAsInt", "()I"), number)];
                test.push(StatementKind::Stub { class: interface, kind: StubKind::Implementation, answers }, ty.clone())
            }
            ty => {
                let seed = push(test, Literal::Int(below(64) as i32));
                call(test, &self.makers[ty], None, vec![seed])
            }
        }
    }
}

fn push(test: &mut TestCase, literal: Literal) -> VarId {
    let ty = match literal {
        Literal::Long(_) => JavaType::LONG,
        Literal::Double(_) => JavaType::DOUBLE,
        Literal::Str(_) => JavaType::class("java/lang/String"),
        _ => JavaType::INT,
    };
    test.push(StatementKind::Literal(literal), ty)
}

fn call(test: &mut TestCase, method: &MethodRef, receiver: Option<VarId>, args: Vec<VarId>) -> VarId {
    let kind = StatementKind::Call { method: method.clone(), interface: false, receiver, args };
    test.push(kind, method.return_type())
}

struct Run {
    test: TestCase,
    replay: Replay,
}

impl Run {
    /// `None` if the method was not entered, because its receiver was null.
    fn structure(&self) -> Option<&Structure> {
        self.replay.structure.as_ref()
    }

    fn is_whole(&self) -> bool {
        matches!(self.replay.end, PathEnd::Returned | PathEnd::Threw { .. })
    }

    /// Whether the condition is exact: it covers every decision of the run.
    fn is_exact(&self) -> bool {
        self.is_whole() && self.replay.stats.identity_ambiguous == 0 && self.structure().is_some_and(|s| s.condition.is_exact())
    }

    fn told(&self, terms: &TermStore) -> String {
        let condition = self.structure().map(|structure| structure.condition.print(terms)).unwrap_or_default();
        format!("{}{:?} {:?}\n{condition}", self.test, self.replay.end, self.replay.stats)
    }
}

fn runs(
    recorder: &mut Recorder,
    replayer: &mut Replayer<'_>,
    subjects: &Subjects,
    subject: &Subject,
    terms: &mut TermStore,
) -> Vec<Run> {
    let mut rng =
        ChaCha8Rng::seed_from_u64(subject.name.bytes().fold(7u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte.into())));
    let mut runs = Vec::new();
    let config = ReplayConfig { view: View::Structural, ..ReplayConfig::default() };
    // The first run initialises classes, which later runs do not repeat.
    for index in 0..=RUNS {
        let (test, recording) = loop {
            let test = subjects.draw(subject, &mut rng);
            if let Some(recording) = recorder.record_if_legal(&test) {
                break (test, recording);
            }
        };
        let replay = replayer.replay(&test, &recording, terms, &config);
        let run = Run { test, replay };
        assert!(run.replay.stats.divergences.is_empty(), "{}\n{}", run.told(terms), recording.print());
        if index > 0 {
            runs.push(run);
        }
    }
    runs
}

fn structure_of(
    recorder: &mut Recorder,
    replayer: &mut Replayer<'_>,
    test: &str,
    config: ReplayConfig,
    terms: &mut TermStore,
) -> Replay {
    let test = parse_test(test);
    let recording = recorder.record_if_legal(&test).expect("a legal test");
    replayer.replay(&test, &recording, terms, &config)
}

#[test]
fn limits_are_counted_and_what_was_not_entered_has_no_condition() {
    let jdk = &jdks()[0];
    let folder = tempfile::tempdir().expect("a folder");
    let classes = compile_java(&jdk.home, 17, folder.path(), &[("heaps/Heaps.java", SOURCE)]);
    let mut recorder = Recorder::new(jdk, classes.clone(), folder.path());
    let program = program_of(jdk, &classes);
    let (mut replayer, mut terms) = (Replayer::new(&program), TermStore::new());
    let structural = ReplayConfig { view: View::Structural, ..ReplayConfig::default() };

    let list = "
v0: I = int 40
v1: Lheaps/Heaps$Long; = call method heaps/Heaps$Long.make (I)Lheaps/Heaps$Long; (v0)
v2: I = call method heaps/Heaps$Long.length ()I on v1 ()
v3: I = int 7
";
    let whole = structure_of(&mut recorder, &mut replayer, list, structural, &mut terms);
    let Structure { condition, heap } = whole.structure.expect("entered");
    assert!(condition.is_exact() && condition.clauses.len() == 41, "{}", condition.print(&terms));
    assert_eq!(condition.holds(&heap, &terms), Some(true));
    let again = structure_of(&mut recorder, &mut replayer, list, structural, &mut terms);
    assert_eq!(again.structure.map(|structure| structure.condition), Some(condition.clone()), "the same each time");

    let short = ReplayConfig { steps: 10, ..structural };
    let cut = structure_of(&mut recorder, &mut replayer, list, short, &mut terms);
    let cut_condition = &cut.structure.as_ref().expect("entered").condition;
    assert_eq!(cut.stats.concretised.get("a long access path"), Some(&1));
    assert_eq!((cut_condition.inexact_from, cut_condition.clauses.len()), (Some(11), 11));
    assert_eq!(cut_condition.clauses, condition.clauses[..11]);

    let few = ReplayConfig { clauses: 5, ..structural };
    let dropped = structure_of(&mut recorder, &mut replayer, list, few, &mut terms);
    let condition = dropped.structure.expect("entered").condition;
    assert_eq!((condition.dropped, condition.clauses.len(), condition.is_exact()), (36, 5, false));

    // A cycle of three nodes: the clauses are in the order of the decisions.
    let cycle = "
v0: I = int 38
v1: Lheaps/Heaps$Node; = call method heaps/Heaps$Node.make (I)Lheaps/Heaps$Node; (v0)
v2: I = int -1
v3: Z = call method heaps/Heaps$Node.contains (I)Z on v1 (v2)
";
    let text = structure_of(&mut recorder, &mut replayer, cycle, structural, &mut terms)
        .structure
        .expect("entered")
        .condition
        .print(&terms);
    let lines: Vec<&str> = text.lines().skip(1).map(|line| line.split(" | ").next().unwrap_or_default()).collect();
    let expected = "\
v0 int arg0
v1 int this.value
v2 int this.next.value
v3 int this.next.next.value
fresh this heaps/Heaps$Node
jump 3 heaps/Heaps$Node.contains(I)Z @19 =1: (not (= v1 v0))
fresh this.next heaps/Heaps$Node
jump 3 heaps/Heaps$Node.contains(I)Z @19 =1: (not (= v2 v0))
fresh this.next.next heaps/Heaps$Node
jump 3 heaps/Heaps$Node.contains(I)Z @19 =1: (not (= v3 v0))
alias this.next.next.next this";
    assert_eq!(lines.join("\n"), expected);

    // The clauses of a failed interpretation are removed.
    let mut attempts = 0;
    for seed in 0..12 {
        let mixed = format!(
            "v0: I = int {seed}
v1: Lheaps/Heaps$Shelf; = call method heaps/Heaps$Shelf.make (I)Lheaps/Heaps$Shelf; (v0)
v2: I = call method heaps/Heaps$Shelf.mixed ()I on v1 ()
"
        );
        let mixed = structure_of(&mut recorder, &mut replayer, &mixed, structural, &mut terms);
        if mixed.stats.concretised.contains_key("java/util/List.hashCode") {
            let text = mixed.structure.expect("entered").condition.print(&terms);
            assert!(text.contains("fresh this.nodes java/util/ArrayList") && !text.contains("elementData"), "{text}");
            attempts += 1;
        }
    }
    assert!(attempts > 2, "{attempts}");

    let library = "
v0: Ljava/util/ArrayList; = new java/util/ArrayList.<init> ()V ()
v1: I = call method java/util/ArrayList.size ()I on v0 ()
";
    assert_eq!(structure_of(&mut recorder, &mut replayer, library, structural, &mut terms).structure, None);
    let parametric = structure_of(&mut recorder, &mut replayer, list, ReplayConfig::default(), &mut terms);
    assert_eq!(parametric.structure, None);
    assert!(parametric.path.clauses.len() > 30, "the loop that made the list");
}

#[derive(Default)]
struct Counts {
    runs: u64,
    exact: u64,
    pairs: u64,
    holding: u64,
    open: u64,
}

#[test]
fn a_condition_decides_the_path() {
    for jdk in jdks() {
        let folder = tempfile::tempdir().expect("a folder");
        let classes = compile_java(&jdk.home, 17, folder.path(), &[("heaps/Heaps.java", SOURCE)]);
        let mut recorder = Recorder::new(jdk, classes.clone(), folder.path());
        let program = program_of(jdk, &classes);
        let subjects = subjects(&program);
        let only = std::env::var("TRACEWRIGHT_SUBJECTS").ok();
        let mut replayer = Replayer::new(&program);
        let mut wrong = Vec::new();
        let (mut all, mut seen) = (Counts::default(), BTreeSet::new());
        for subject in &subjects.subjects {
            if only.as_ref().is_some_and(|only| !subject.name.contains(only.as_str())) {
                continue;
            }
            let mut terms = TermStore::new();
            let runs = runs(&mut recorder, &mut replayer, &subjects, subject, &mut terms);
            if only.is_some() {
                runs.iter().for_each(|run| println!("{}", run.told(&terms)));
            }
            let mut counts = Counts::default();
            check(subject, &runs, &mut terms, &mut counts, &mut wrong, &mut seen);
            println!(
                "{:<24} {:>3} runs {:>3} exact {:>4} pairs {:>4} holding {:>4} open",
                subject.name, counts.runs, counts.exact, counts.pairs, counts.holding, counts.open
            );
            all.runs += counts.runs;
            all.exact += counts.exact;
            all.open += counts.open;
            all.holding += counts.holding;
            all.pairs += counts.pairs;
        }
        println!(
            "{} exact of {} runs, {} holding and {} open of {} pairs",
            all.exact, all.runs, all.holding, all.open, all.pairs
        );
        let mut kinds = BTreeMap::new();
        for problem in &wrong {
            *kinds.entry(problem.lines().next()).or_insert(0) += 1;
        }
        println!("{kinds:#?}");
        assert!(wrong.is_empty(), "JDK {}: {}", jdk.version, wrong.join("\n"));
        if only.is_none() {
            assert!(all.exact * 10 >= all.runs * 8, "{} of {}", all.exact, all.runs);
            assert_eq!(seen.len(), 4, "every kind of clause about references appears: {seen:?}");
        }
    }
}

/// The clauses with access paths instead of input numbers. A longer array has more inputs and more
/// alternatives, which another run may not have.
fn spell(condition: &StructuralCondition, terms: &TermStore) -> String {
    let text = condition.print(terms);
    let mut out = String::new();
    for line in text.lines().skip(1 + condition.inputs.len()) {
        let line = line.split(" | ").next().unwrap_or_default();
        let is_clause_of_value = line.contains(": ");
        for word in line.split_inclusive([' ', '(', ')', ':', '.', '[']) {
            let digits: String = word.strip_prefix('v').unwrap_or_default().chars().take_while(char::is_ascii_digit).collect();
            match digits.parse::<usize>().ok().and_then(|number| condition.inputs.get(number)) {
                Some(input) if is_clause_of_value => {
                    out.push_str(&format!("<{}>{}", input.path, &word[1 + digits.len()..]));
                }
                _ => out.push_str(word),
            }
        }
        out.push('\n');
    }
    out
}

fn check(
    subject: &Subject,
    runs: &[Run],
    terms: &mut TermStore,
    counts: &mut Counts,
    wrong: &mut Vec<String>,
    seen: &mut BTreeSet<&'static str>,
) {
    let inexact = INEXACT.iter().find(|(name, _)| *name == subject.name).map(|(_, reason)| *reason);
    if let Some(reason) = inexact
        && !runs.iter().any(|run| run.replay.stats.concretised.contains_key(reason))
    {
        wrong.push(format!("{}: `{reason}` is never counted", subject.name));
    }
    let says_more = SAYS_MORE.contains(&&*subject.name);
    let mut more = false;
    for run in runs {
        let Some(structure) = run.structure() else { continue };
        counts.runs += 1;
        let condition = &structure.condition;
        let text = condition.print(terms);
        let parsed = StructuralCondition::parse(&text, terms).expect("own text");
        assert_eq!(parsed.print(terms), text);
        if condition.holds(&structure.heap, terms) != Some(true) {
            wrong.push(format!(
                "{}: does not hold of its own heap\n{}{:#?}",
                subject.name,
                run.told(terms),
                structure.heap.roots
            ));
        }
        seen.extend(condition.clauses.iter().filter_map(|clause| match clause {
            StructuralClause::Null(_) => Some("null"),
            StructuralClause::Alias(..) => Some("alias"),
            StructuralClause::Fresh(..) => Some("fresh"),
            StructuralClause::Present(..) => Some("present"),
            StructuralClause::Value(_) => None,
        }));
        if run.is_exact() {
            counts.exact += 1;
        } else if inexact.is_none() {
            println!("{}: not exact, {:?} {:?}", subject.name, run.replay.end, run.replay.stats.concretised);
            if condition.inexact_from.is_none() && run.is_whole() && run.replay.stats.identity_ambiguous == 0 {
                wrong.push(format!("{}: dropped\n{}", subject.name, run.told(terms)));
            }
        }
        if !run.is_exact() {
            continue;
        }
        let spelled = spell(condition, terms);
        for other in runs.iter().filter(|other| other.is_whole()) {
            let Some(other_structure) = other.structure() else { continue };
            counts.pairs += 1;
            let holds = condition.holds(&other_structure.heap, terms);
            let signed = |condition: &StructuralCondition| (condition.signature, condition.branches);
            let same_path = signed(condition) == signed(&other_structure.condition);
            let same_clauses = spelled == spell(&other_structure.condition, terms);
            counts.holding += u64::from(holds == Some(true));
            counts.open += u64::from(holds.is_none());
            let told = |problem: &str| format!("{}: {problem}\n{}--\n{}", subject.name, run.told(terms), other.told(terms));
            if holds == Some(true) && !same_path {
                wrong.push(told("holds of a run that takes another path"));
            }
            if other.is_exact() && holds != other_structure.condition.holds(&structure.heap, terms) {
                wrong.push(told("holds of a run whose condition does not hold of it"));
            }
            if other.is_exact() && (holds == Some(true)) != same_clauses {
                wrong.push(told(&format!("{holds:?} of a run whose clauses are the same: {same_clauses}")));
            }
            if same_path && holds != Some(true) {
                more = true;
                if !says_more && other.is_exact() {
                    wrong.push(told(&format!("{holds:?} of a run that takes the same path")));
                }
            }
        }
    }
    if says_more && !more {
        wrong.push(format!("{}: says no more than its path", subject.name));
    }
}
