//! What a session tells about classes that tests are to be written for: which of their branches and lines existing tests cover, which values
//! occur, and how objects are made and used. Flows in: a process of a session and its classes; flows out: `CarvedFacts`. Must not know how the search uses it.
//!
//! The *life* of an object is the call that made it (a constructor, or a method that returned it), and the calls on it since. Of each run that began with a
//! method under test, the lives of its receiver and arguments up to there make a test case; what nothing recorded made is a hole in it.

mod align;
mod sequences;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use tracewright_trace::{Content, ContentData, Event, Reference, Verdict};

use crate::program::{ClassName, JavaType, MethodRef, Program};
use crate::recording::{Announced, RecordedProcess, RecordedRun, SessionRecord};
use crate::symbolic::{Coverage, Covered};
use crate::testcase::{CarvedSequence, Literal};

/// Runs of one class that are looked at.
const MOST_RUNS: usize = 4000;
/// Values remembered of one class.
const MOST_LITERALS: usize = 400;

/// What the runs of one process tell about some classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CarvedFacts {
    /// Those first that did what none before them had done, most of it first; then the others, the methods in turn.
    pub sequences: Vec<CarvedSequence>,
    /// Arguments of the methods, in the order in which they were first seen.
    pub literals: Vec<Literal>,
    pub covered: Covered,
    /// Runs in which a method was entered.
    pub runs: usize,
}

impl CarvedFacts {
    /// What another process tells as well.
    pub(crate) fn add(&mut self, other: CarvedFacts) {
        self.sequences.extend(other.sequences);
        self.literals.extend(other.literals);
        self.runs += other.runs;
        self.covered.branches.extend(other.covered.branches);
        for (method, bcis) in other.covered.instructions {
            self.covered.instructions.entry(method).or_default().extend(bcis);
        }
    }
}

/// Identity hash and class of an object.
type Key = (u32, u32);

/// An argument as it was recorded.
#[derive(Clone, Debug)]
enum Given {
    Literal(Literal),
    /// A value of a `java.lang` class that boxes it.
    Boxed(Literal),
    /// An array of primitives, all of it.
    Array(JavaType, Vec<Literal>),
    Object(Key),
    Unknown,
}

/// An outermost call.
#[derive(Clone, Debug)]
struct Called {
    /// Position in `CallIndex::methods`.
    method: usize,
    receiver: Option<Key>,
    result: Option<Key>,
    returned: bool,
    /// Encoded: there are very many, and few are asked for.
    events: Vec<u8>,
}

/// Who made an object, and who was called on it, by positions among the calls.
#[derive(Debug, Default)]
struct Known {
    made: Vec<usize>,
    used: Vec<usize>,
}

/// A run that enters a class.
#[derive(Clone, Copy, Debug)]
struct Entering {
    run: RecordedRun,
    /// Position of its outermost call, where that is known.
    call: Option<usize>,
}

/// A process, looked through once.
pub struct CallIndex {
    process: Arc<RecordedProcess>,
    program: Arc<Program>,
    methods: Vec<MethodRef>,
    /// Parameters of each.
    arities: Vec<usize>,
    /// In the order of time, as far as one thread goes.
    calls: Vec<Called>,
    objects: HashMap<Key, Known>,
    /// By the classes that they enter.
    runs: BTreeMap<ClassName, Vec<Entering>>,
}

impl std::fmt::Debug for CallIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallIndex").field("calls", &self.calls.len()).finish_non_exhaustive()
    }
}

impl CallIndex {
    pub fn new(process: Arc<RecordedProcess>, program: Arc<Program>) -> CallIndex {
        let mut index = CallIndex {
            process: Arc::clone(&process),
            program: Arc::clone(&program),
            methods: Vec::new(),
            arities: Vec::new(),
            calls: Vec::new(),
            objects: HashMap::new(),
            runs: BTreeMap::new(),
        };
        let mut coverage = Coverage::new(&program);
        let mut numbers: HashMap<u32, Option<usize>> = HashMap::new();
        let places: HashMap<u64, RecordedRun> = process.runs.iter().map(|run| (run.place.offset, *run)).collect();
        for told in process.calls() {
            let (run, call) = match told {
                SessionRecord::Run(mut run) => {
                    let call = std::mem::take(&mut run.call);
                    (Some(run), call)
                }
                SessionRecord::Call(call) => (None, call.events),
            };
            let (events, _) = tracewright_trace::decode(&call);
            let position = index.calls.len();
            let number = events.first().and_then(|event| {
                let Event::Entry { site } = event else { return None };
                *numbers.entry(site.0).or_insert_with(|| {
                    let method = coverage.method_at(&process.announced, site.0)?;
                    index.arities.push(method.parameters().len());
                    index.methods.push(method);
                    Some(index.methods.len() - 1)
                })
            });
            if let Some(run) = &run
                && let Some(known) = places.get(&run.place.offset)
            {
                index.note_entered(&run.entered, Entering { run: *known, call: number.map(|_| position) });
            }
            if let Some(method) = number {
                let called = called(method, index.arities[method], &*index.methods[method].name == "<init>", &events[1..], call);
                if let Some(result) = called.result {
                    index.objects.entry(result).or_default().made.push(position);
                }
                if let Some(receiver) = called.receiver {
                    index.objects.entry(receiver).or_default().used.push(position);
                }
                index.calls.push(called);
            }
        }
        index
    }

    /// `entered`: sites of entries, ascending.
    fn note_entered(&mut self, entered: &[u32], run: Entering) {
        let mut bases = BTreeSet::new();
        let announced = Arc::clone(&self.process.announced);
        // Asked once for each class that is entered, not for each entry.
        let mut last = 0..0;
        for &site in entered {
            if !last.contains(&site)
                && let Some(table) = announced.table_of(site)
            {
                last = table.base..table.base + table.count;
                bases.insert(table.base);
            }
        }
        for base in bases {
            if let Some(table) = announced.table_of(base) {
                let runs = self.runs.entry(table.class.clone()).or_default();
                if runs.len() < MOST_RUNS {
                    runs.push(run);
                }
            }
        }
    }

    fn arguments(&self, call: &Called) -> Vec<Given> {
        let (events, _) = tracewright_trace::decode(&call.events);
        match (self.methods.get(call.method), events.get(1..)) {
            (Some(method), Some(events)) => arguments(method, events, &self.process.announced).0,
            _ => Vec::new(),
        }
    }

    fn is_static(&self, method: &MethodRef) -> bool {
        let class = self.program.class(&method.owner);
        class.is_some_and(|class| class.method(&method.name, &method.descriptor).is_some_and(|method| method.is_static()))
    }

    fn is_interface(&self, class: &ClassName) -> bool {
        self.program.class(class).is_some_and(|class| class.is_interface())
    }

    /// What is known of these classes. `current`: the classes as they are now; where the session has another version, no more is said of coverage than both have.
    pub fn carve(&self, targets: &BTreeSet<ClassName>, current: &Program) -> CarvedFacts {
        let mut past = CarvedFacts::default();
        let mut coverage = Coverage::new(&self.program);
        let announced = &self.process.announced;
        let runs: BTreeMap<u64, Entering> =
            targets.iter().filter_map(|class| self.runs.get(class)).flatten().map(|run| (run.run.place.offset, *run)).collect();
        past.runs = runs.len();
        let mut known = BTreeSet::new();
        // Positions of calls, and what their runs did that none before them had done.
        let mut gains: Vec<(usize, usize)> = Vec::new();
        for Entering { run, call } in runs.values() {
            let Some(Ok(recording)) = self.process.read_runs(std::slice::from_ref(run)).pop() else { continue };
            let events = recording.main_thread().map(|thread| &thread.events[..]).unwrap_or_default();
            for (at, event) in events.iter().enumerate() {
                let Event::Entry { site } = event else { continue };
                if !announced.table_of(site.0).is_some_and(|table| targets.contains(&table.class)) {
                    continue;
                }
                if known.len() < MOST_LITERALS
                    && let Some(method) = coverage.method_at(announced, site.0)
                {
                    let (arguments, _) = arguments(&method, &events[at + 1..], announced);
                    for literal in arguments.into_iter().filter_map(literal_of) {
                        if known.insert(literal.clone()) {
                            past.literals.push(literal);
                        }
                    }
                }
            }
            let gain = coverage.add(&recording, |method| targets.contains(&method.owner));
            gains.extend(call.map(|call| (call, gain)));
        }
        past.sequences = sequences::carve(self, gains);
        let covered = coverage.finish();
        for target in targets {
            let (Some(then), Some(now)) = (self.program.class(target), current.class(target)) else { continue };
            if then.file.to_bytes() == now.file.to_bytes() {
                let of_target = |method: &MethodRef| method.owner == *target;
                let instructions = covered.instructions.iter().filter(|(method, _)| of_target(method));
                past.covered.instructions.extend(instructions.map(|(method, bcis)| (method.clone(), bcis.clone())));
                past.covered.branches.extend(covered.branches.iter().filter(|branch| of_target(&branch.method)).cloned());
            } else {
                let aligned = align::aligned(&then, &now, &covered);
                past.covered.instructions.extend(aligned.instructions);
                past.covered.branches.extend(aligned.branches);
            }
        }
        past
    }
}

fn literal_of(given: Given) -> Option<Literal> {
    match given {
        Given::Literal(literal) | Given::Boxed(literal) if literal != Literal::Null => Some(literal),
        _ => None,
    }
}

/// `events`: what follows the entry; `arity`: parameters of the method.
fn called(method: usize, arity: usize, is_init: bool, events: &[Event], encoded: Vec<u8>) -> Called {
    let mut called = Called { method, receiver: None, result: None, returned: false, events: encoded };
    let (mut count, mut first) = (0, None);
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Arg32 { .. } | Event::Arg64 { .. } => count += 1,
            Event::ArgRef { index, value } => {
                count += 1;
                let has_content = matches!(events.get(at + 1), Some(Event::Content(_)));
                if *index == 0 && !has_content && !value.is_null() {
                    first = Some(key(*value));
                }
            }
            Event::ResultRef { value, .. } => called.result = Some(key(*value)),
            Event::RunEnd { verdict } => called.returned = *verdict == Verdict::Completed,
            _ => {}
        }
    }
    called.receiver = first.filter(|_| !is_init && count == arity + 1);
    called
}

fn key(reference: Reference) -> Key {
    (reference.hash, reference.class.0)
}

/// Arguments of an entry, and how many events they and the receiver are. The receiver has index 0 where the method has one; constructors begin with 1.
fn arguments(method: &MethodRef, events: &[Event], announced: &Announced) -> (Vec<Given>, usize) {
    let parameters = method.parameters();
    let mut found: BTreeMap<u32, Given> = BTreeMap::new();
    let mut at = 0;
    while let Some(event) = events.get(at) {
        at += 1;
        let (index, given) = match event {
            Event::Arg32 { index, value } => (*index, Given::Literal(Literal::Int(*value as i32))),
            Event::Arg64 { index, value } => (*index, Given::Literal(Literal::Long(*value as i64))),
            Event::ArgRef { index, value } => {
                let content = match events.get(at) {
                    Some(Event::Content(content)) => {
                        at += 1;
                        Some(content)
                    }
                    _ => None,
                };
                (*index, given(*value, content, announced))
            }
            _ => {
                at -= 1;
                break;
            }
        };
        found.insert(index, given);
    }
    let is_init = &*method.name == "<init>";
    let has_receiver = !is_init && found.len() == parameters.len() + 1;
    let first = u32::from(has_receiver || is_init);
    let typed = parameters.iter().zip(first..).map(|(ty, index)| match found.remove(&index) {
        Some(Given::Literal(literal)) => typed(ty, &literal).map_or(Given::Unknown, Given::Literal),
        Some(given) => given,
        None => Given::Unknown,
    });
    (typed.collect(), at)
}

/// A recorded int or long as the type that it has in the method.
fn typed(ty: &JavaType, literal: &Literal) -> Option<Literal> {
    Some(match (ty, literal) {
        (JavaType::Boolean, Literal::Int(value)) => Literal::Boolean(*value != 0),
        (JavaType::Byte, Literal::Int(value)) => Literal::Byte(*value as i8),
        (JavaType::Char, Literal::Int(value)) => Literal::Char(*value as u16),
        (JavaType::Short, Literal::Int(value)) => Literal::Short(*value as i16),
        (JavaType::Int, Literal::Int(value)) => Literal::Int(*value),
        (JavaType::Float, Literal::Int(value)) => Literal::Float(*value as u32),
        (JavaType::Long, Literal::Long(value)) => Literal::Long(*value),
        (JavaType::Double, Literal::Long(value)) => Literal::Double(*value as u64),
        (ty, Literal::Null | Literal::Str(_)) if ty.is_reference() => literal.clone(),
        _ => return None,
    })
}

fn given(value: Reference, content: Option<&Content>, announced: &Announced) -> Given {
    if value.is_null() {
        return Given::Literal(Literal::Null);
    }
    let Some(content) = content else { return Given::Object(key(value)) };
    if content.data.len() as u32 != content.length {
        return Given::Unknown;
    }
    let array = |ty, cells: Vec<Literal>| Given::Array(ty, cells);
    match &content.data {
        ContentData::String(units) => Given::Literal(Literal::Str(units.clone())),
        ContentData::Booleans(cells) => array(JavaType::Boolean, cells.iter().map(|cell| Literal::Boolean(*cell != 0)).collect()),
        ContentData::Bytes(cells) => array(JavaType::Byte, cells.iter().map(|cell| Literal::Byte(*cell as i8)).collect()),
        ContentData::Chars(cells) => array(JavaType::Char, cells.iter().map(|cell| Literal::Char(*cell)).collect()),
        ContentData::Shorts(cells) => array(JavaType::Short, cells.iter().map(|cell| Literal::Short(*cell as i16)).collect()),
        ContentData::Ints(cells) => array(JavaType::Int, cells.iter().map(|cell| Literal::Int(*cell as i32)).collect()),
        ContentData::Longs(cells) => array(JavaType::Long, cells.iter().map(|cell| Literal::Long(*cell as i64)).collect()),
        ContentData::Floats(cells) => array(JavaType::Float, cells.iter().map(|cell| Literal::Float(*cell)).collect()),
        ContentData::Doubles(cells) => array(JavaType::Double, cells.iter().map(|cell| Literal::Double(*cell)).collect()),
        ContentData::Boxed32(_) | ContentData::Boxed64(_) => {
            let literal = match content.data {
                ContentData::Boxed32(value) => Literal::Int(value as i32),
                ContentData::Boxed64(value) => Literal::Long(value as i64),
                _ => return Given::Unknown,
            };
            let class = announced.class(value.class).map(ClassName::internal).unwrap_or_default();
            let primitive = BOXES.iter().find(|(name, _)| *name == class).map(|(_, ty)| ty);
            primitive.and_then(|ty| typed(ty, &literal)).map_or(Given::Unknown, Given::Boxed)
        }
    }
}

/// The boxes and what is in them.
const BOXES: [(&str, JavaType); 8] = [
    ("java/lang/Boolean", JavaType::Boolean),
    ("java/lang/Byte", JavaType::Byte),
    ("java/lang/Character", JavaType::Char),
    ("java/lang/Short", JavaType::Short),
    ("java/lang/Integer", JavaType::Int),
    ("java/lang/Long", JavaType::Long),
    ("java/lang/Float", JavaType::Float),
    ("java/lang/Double", JavaType::Double),
];
