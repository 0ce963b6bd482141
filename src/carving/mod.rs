//! Carving: facts about classes under test from recorded executions of the user's tests. Flows in:
//! one process of a recorded session, the classes of that process and the classes as they are now;
//! flows out: [`CarvedFacts`], which are covered branches and instructions, values, and call
//! sequences. Must not know how the search uses them.
//!
//! The history of an object is the call that created it (a constructor, or a method that returned
//! it) and the calls on it since. For each run that enters a class under test, the histories of its
//! receiver and arguments up to there, and the call of the run, make a *carved call sequence*. A
//! value without a recorded origin is a hole in it.

mod align;
mod sequences;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use tracewright_classfile::PrimitiveType;

use tracewright_trace::{ClassId, Content, ContentData, Event, Reference, Verdict};

use crate::program::{ClassName, JavaType, MethodRef, Program};
use crate::recording::{Announced, RecordedProcess, RecordedRun, SessionRecord};
use crate::symbolic::{Coverage, Covered};
use crate::testcase::{CarvedSequence, Literal};

/// Most runs of one class that are read.
const MOST_RUNS: usize = 4000;
/// Most values that are kept of the classes of one request.
const MOST_LITERALS: usize = 400;

/// The facts about some classes that the runs of one or more processes give.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CarvedFacts {
    /// Call sequences. Those that covered something new come first, the largest gain first; then
    /// the others, the methods in turn.
    pub sequences: Vec<CarvedSequence>,
    /// Arguments of methods under test, in the order of their first occurrence.
    pub literals: Vec<Literal>,
    /// Branches and instructions that the runs covered.
    pub covered: Covered,
    /// Number of runs that entered a method of the classes.
    pub runs: usize,
}

impl CarvedFacts {
    /// Adds the facts from another process.
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

/// An object of the recorded process. Objects of one class with the same identity hash count as
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct RecordedObjectId {
    identity_hash: u32,
    class: ClassId,
}

/// An argument as it was recorded.
#[derive(Clone, Debug)]
enum RecordedArgument {
    Literal(Literal),
    /// The primitive value in a box.
    Boxed(Literal),
    /// A whole array of primitives: the type and the values of its cells.
    Array(JavaType, Vec<Literal>),
    Object(RecordedObjectId),
    Unknown,
}

/// An outermost call.
#[derive(Clone, Debug)]
struct RecordedCall {
    /// Position in `CallIndex::methods`.
    method: usize,
    receiver: Option<RecordedObjectId>,
    result: Option<RecordedObjectId>,
    returned: bool,
    /// Encoded events: there are very many calls, and few are decoded again.
    events: Vec<u8>,
}

/// The history of an object, as positions among the calls, ascending.
#[derive(Debug, Default)]
struct ObjectHistory {
    /// Calls that created or returned it. An identity hash may be used again, so that there can be
    /// several.
    made: Vec<usize>,
    /// Calls on it.
    used: Vec<usize>,
}

/// A run that enters a class under test.
#[derive(Clone, Copy, Debug)]
struct EnteringRun {
    run: RecordedRun,
    /// Position of its outermost call; `None` where its method is unknown.
    call: Option<usize>,
}

/// The calls of one process, by object and by class. The session is read once to build it.
pub struct CallIndex {
    process: Arc<RecordedProcess>,
    program: Arc<Program>,
    methods: Vec<MethodRef>,
    /// Number of parameters of each.
    arities: Vec<usize>,
    /// In the order in which they began, within one thread.
    calls: Vec<RecordedCall>,
    objects: HashMap<RecordedObjectId, ObjectHistory>,
    /// By the class that they enter.
    runs: BTreeMap<ClassName, Vec<EnteringRun>>,
}

impl std::fmt::Debug for CallIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallIndex").field("calls", &self.calls.len()).finish_non_exhaustive()
    }
}

impl CallIndex {
    /// Reads all calls of the process. `program`: the classes as they were recorded.
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
        for record in process.calls() {
            let (run, call) = match record {
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
                index.add_run(&run.entered, EnteringRun { run: *known, call: number.map(|_| position) });
            }
            if let Some(method) = number {
                let called =
                    recorded_call(method, index.arities[method], &*index.methods[method].name == "<init>", &events[1..], call);
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

    /// Records a run for each class that it enters. `entered`: sites of method entries, ascending.
    fn add_run(&mut self, entered: &[u32], run: EnteringRun) {
        let mut bases = BTreeSet::new();
        let announced = Arc::clone(&self.process.announced);
        // One lookup for each class that is entered, not for each entry.
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

    fn arguments(&self, call: &RecordedCall) -> Vec<RecordedArgument> {
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

    /// Carves the facts about the classes `targets`. `current`: the classes as they are now. Where
    /// the session has another version of a class, coverage holds only what both versions have.
    pub fn carve(&self, targets: &BTreeSet<ClassName>, current: &Program) -> CarvedFacts {
        let mut facts = CarvedFacts::default();
        let mut coverage = Coverage::new(&self.program);
        let announced = &self.process.announced;
        let runs: BTreeMap<u64, EnteringRun> =
            targets.iter().filter_map(|class| self.runs.get(class)).flatten().map(|run| (run.run.place.offset, *run)).collect();
        facts.runs = runs.len();
        let mut known = BTreeSet::new();
        // Positions of calls, and how much their runs covered that no earlier run had.
        let mut gains: Vec<(usize, usize)> = Vec::new();
        for EnteringRun { run, call } in runs.values() {
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
                            facts.literals.push(literal);
                        }
                    }
                }
            }
            let gain = coverage.add(&recording, |method| targets.contains(&method.owner));
            gains.extend(call.map(|call| (call, gain)));
        }
        facts.sequences = sequences::carve_sequences(self, gains);
        let covered = coverage.finish();
        for target in targets {
            let (Some(then), Some(now)) = (self.program.class(target), current.class(target)) else { continue };
            if then.file.to_bytes() == now.file.to_bytes() {
                let of_target = |method: &MethodRef| method.owner == *target;
                let instructions = covered.instructions.iter().filter(|(method, _)| of_target(method));
                facts.covered.instructions.extend(instructions.map(|(method, bcis)| (method.clone(), bcis.clone())));
                facts.covered.branches.extend(covered.branches.iter().filter(|branch| of_target(&branch.method)).cloned());
            } else {
                let aligned = align::align_coverage(&then, &now, &covered);
                facts.covered.instructions.extend(aligned.instructions);
                facts.covered.branches.extend(aligned.branches);
            }
        }
        facts
    }
}

/// The value of a literal or a box, unless it is null.
fn literal_of(argument: RecordedArgument) -> Option<Literal> {
    match argument {
        RecordedArgument::Literal(literal) | RecordedArgument::Boxed(literal) if literal != Literal::Null => Some(literal),
        _ => None,
    }
}

/// A call from its events after the entry. `method`: position among the methods; `arity`: number of
/// its parameters.
fn recorded_call(method: usize, arity: usize, is_init: bool, events: &[Event], encoded: Vec<u8>) -> RecordedCall {
    let mut called = RecordedCall { method, receiver: None, result: None, returned: false, events: encoded };
    let (mut count, mut first) = (0, None);
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Arg32 { .. } | Event::Arg64 { .. } => count += 1,
            Event::ArgRef { index, value } => {
                count += 1;
                let has_content = matches!(events.get(at + 1), Some(Event::Content(_)));
                if *index == 0 && !has_content && !value.is_null() {
                    first = Some(object_id(*value));
                }
            }
            Event::ResultRef { value, .. } => called.result = Some(object_id(*value)),
            Event::RunEnd { verdict } => called.returned = *verdict == Verdict::Completed,
            _ => {}
        }
    }
    called.receiver = first.filter(|_| !is_init && count == arity + 1);
    called
}

fn object_id(reference: Reference) -> RecordedObjectId {
    RecordedObjectId { identity_hash: reference.hash, class: reference.class }
}

/// The arguments of an entry, and the number of events that they and the receiver take. A receiver
/// has index 0; the arguments of constructors begin with 1.
fn arguments(method: &MethodRef, events: &[Event], announced: &Announced) -> (Vec<RecordedArgument>, usize) {
    let parameters = method.parameters();
    let mut found: BTreeMap<u32, RecordedArgument> = BTreeMap::new();
    let mut at = 0;
    while let Some(event) = events.get(at) {
        at += 1;
        let (index, argument) = match event {
            Event::Arg32 { index, value } => (*index, RecordedArgument::Literal(Literal::Int(*value as i32))),
            Event::Arg64 { index, value } => (*index, RecordedArgument::Literal(Literal::Long(*value as i64))),
            Event::ArgRef { index, value } => {
                let content = match events.get(at) {
                    Some(Event::Content(content)) => {
                        at += 1;
                        Some(content)
                    }
                    _ => None,
                };
                (*index, recorded_argument(*value, content, announced))
            }
            _ => {
                at -= 1;
                break;
            }
        };
        found.insert(index, argument);
    }
    let is_init = &*method.name == "<init>";
    let has_receiver = !is_init && found.len() == parameters.len() + 1;
    let first = u32::from(has_receiver || is_init);
    let typed = parameters.iter().zip(first..).map(|(ty, index)| match found.remove(&index) {
        Some(RecordedArgument::Literal(literal)) => {
            typed_literal(ty, &literal).map_or(RecordedArgument::Unknown, RecordedArgument::Literal)
        }
        Some(argument) => argument,
        None => RecordedArgument::Unknown,
    });
    (typed.collect(), at)
}

/// A recorded `int` or `long` as a literal of the parameter type; `None` where it is none.
fn typed_literal(ty: &JavaType, literal: &Literal) -> Option<Literal> {
    Some(match (ty, literal) {
        (JavaType::Primitive(PrimitiveType::Boolean), Literal::Int(value)) => Literal::Boolean(*value != 0),
        (JavaType::Primitive(PrimitiveType::Byte), Literal::Int(value)) => Literal::Byte(*value as i8),
        (JavaType::Primitive(PrimitiveType::Char), Literal::Int(value)) => Literal::Char(*value as u16),
        (JavaType::Primitive(PrimitiveType::Short), Literal::Int(value)) => Literal::Short(*value as i16),
        (JavaType::Primitive(PrimitiveType::Int), Literal::Int(value)) => Literal::Int(*value),
        (JavaType::Primitive(PrimitiveType::Float), Literal::Int(value)) => Literal::Float(*value as u32),
        (JavaType::Primitive(PrimitiveType::Long), Literal::Long(value)) => Literal::Long(*value),
        (JavaType::Primitive(PrimitiveType::Double), Literal::Long(value)) => Literal::Double(*value as u64),
        (ty, Literal::Null | Literal::Str(_)) if ty.is_reference() => literal.clone(),
        _ => return None,
    })
}

/// A reference argument. Strings, boxes and arrays of primitives have their whole content, other
/// objects only an identity.
fn recorded_argument(value: Reference, content: Option<&Content>, announced: &Announced) -> RecordedArgument {
    if value.is_null() {
        return RecordedArgument::Literal(Literal::Null);
    }
    let Some(content) = content else { return RecordedArgument::Object(object_id(value)) };
    if content.data.len() as u32 != content.length {
        return RecordedArgument::Unknown;
    }
    let array = |ty, cells: Vec<Literal>| RecordedArgument::Array(ty, cells);
    match &content.data {
        ContentData::String(units) => RecordedArgument::Literal(Literal::Str(units.clone())),
        ContentData::Booleans(cells) => array(JavaType::BOOLEAN, cells.iter().map(|cell| Literal::Boolean(*cell != 0)).collect()),
        ContentData::Bytes(cells) => array(JavaType::BYTE, cells.iter().map(|cell| Literal::Byte(*cell as i8)).collect()),
        ContentData::Chars(cells) => array(JavaType::CHAR, cells.iter().map(|cell| Literal::Char(*cell)).collect()),
        ContentData::Shorts(cells) => array(JavaType::SHORT, cells.iter().map(|cell| Literal::Short(*cell as i16)).collect()),
        ContentData::Ints(cells) => array(JavaType::INT, cells.iter().map(|cell| Literal::Int(*cell as i32)).collect()),
        ContentData::Longs(cells) => array(JavaType::LONG, cells.iter().map(|cell| Literal::Long(*cell as i64)).collect()),
        ContentData::Floats(cells) => array(JavaType::FLOAT, cells.iter().map(|cell| Literal::Float(*cell)).collect()),
        ContentData::Doubles(cells) => array(JavaType::DOUBLE, cells.iter().map(|cell| Literal::Double(*cell)).collect()),
        ContentData::Boxed32(_) | ContentData::Boxed64(_) => {
            let literal = match content.data {
                ContentData::Boxed32(value) => Literal::Int(value as i32),
                ContentData::Boxed64(value) => Literal::Long(value as i64),
                _ => return RecordedArgument::Unknown,
            };
            let primitive = announced.class(value.class).and_then(JavaType::unboxed);
            primitive.and_then(|ty| typed_literal(&ty, &literal)).map_or(RecordedArgument::Unknown, RecordedArgument::Boxed)
        }
    }
}
