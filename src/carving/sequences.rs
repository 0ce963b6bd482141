//! Carves call sequences. Flows in: the calls of a process in the order of time; flows out: for
//! each run that entered a class under test, the calls that brought its receiver and arguments into
//! their states, and its own call. Must not know what a sequence is used for.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use tracewright_trace::ClassId;

use super::{CallIndex, RecordedArgument, RecordedCall, RecordedObjectId};
use crate::program::{ClassName, JavaType, MethodRef};
use crate::testcase::{CarvedSequence, Literal, StatementKind, VarId, literal_type};

/// Most sequences of one request.
const MOST_SEQUENCES: usize = 300;
/// Most calls of one sequence.
const MOST_CALLS: usize = 30;
/// Most calls on one object since its creation: the first and the last ones of a longer history.
const MOST_USES: usize = 16;
/// Deepest nesting of objects that are arguments of the calls on other objects.
const MOST_DEPTH: usize = 5;
/// Longest array, in cells, and longest string, in UTF-16 units. Longer ones become holes: they
/// make no readable test.
const LONGEST_ARRAY: usize = 32;
const LONGEST_STRING: usize = 120;

/// Carves the sequences of the runs. `gains`: positions of their calls, ascending, and how much of
/// the classes under test each run was the first to cover.
pub(super) fn carve_sequences(index: &CallIndex, gains: Vec<(usize, usize)>) -> Vec<CarvedSequence> {
    let (mut new, old): (Vec<_>, Vec<_>) = gains.into_iter().partition(|(_, gain)| *gain > 0);
    new.sort_by_key(|(position, gain)| (Reverse(*gain), *position));
    // By method, in the order of the runs.
    let mut others: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (position, _) in old {
        if let Some(call) = index.calls.get(position) {
            others.entry(call.method).or_default().push(position);
        }
    }
    let most = others.values().map(Vec::len).max().unwrap_or(0);
    let in_turn = (0..most).flat_map(|round| others.values().filter_map(move |positions| positions.get(round).copied()));
    let carver = Carver { index, exemplars: index.exemplars() };
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for position in new.into_iter().map(|(position, _)| position).chain(in_turn) {
        if all.len() >= MOST_SEQUENCES {
            break;
        }
        let sequence = carver.carve(position);
        if !sequence.test.is_empty() && seen.insert(sequence.test.canonical_hash()) {
            all.push(sequence);
        }
    }
    all
}

/// Whether a call belongs to the history of a surrogate or of an object of the run. Surrogates come
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum HistoryPart {
    Surrogate,
    Run,
}

/// The calls that a sequence needs.
struct RequiredCalls {
    calls: BTreeSet<(HistoryPart, usize)>,
    /// Objects whose creation was not recorded, with the objects of their class that replace them.
    surrogates: HashMap<RecordedObjectId, RecordedObjectId>,
}

/// The object of a class with the longest recorded history.
#[derive(Clone, Copy)]
struct Exemplar {
    object: RecordedObjectId,
    /// Position of the call that creates the next object with its identity; `usize::MAX` if there
    /// is none.
    end: usize,
}

struct Carver<'a> {
    index: &'a CallIndex,
    exemplars: HashMap<ClassId, Exemplar>,
}

impl CallIndex {
    /// By class, the object with the most calls on it since its creation; the earliest of several.
    fn exemplars(&self) -> HashMap<ClassId, Exemplar> {
        let mut best: HashMap<ClassId, (usize, Reverse<usize>, Exemplar)> = HashMap::new();
        for (&object, history) in &self.objects {
            let Some(&made) = history.made.first() else { continue };
            let end = history.made.get(1).copied().unwrap_or(usize::MAX);
            let used = history.used.iter().filter(|used| (made + 1..end).contains(used)).take(MOST_USES).count();
            let candidate = (used, Reverse(made), Exemplar { object, end });
            let found = best.entry(object.class).or_insert(candidate);
            if (candidate.0, candidate.1) > (found.0, found.1) {
                *found = candidate;
            }
        }
        best.into_iter().map(|(class, (_, _, exemplar))| (class, exemplar)).collect()
    }
}

impl Carver<'_> {
    /// The call at `position` with the calls that it needs, as a call sequence.
    fn carve(&self, position: usize) -> CarvedSequence {
        let mut required = RequiredCalls { calls: BTreeSet::from([(HistoryPart::Run, position)]), surrogates: HashMap::new() };
        self.require_operands(position, HistoryPart::Run, &mut required, 0);
        let mut writer =
            SequenceWriter { sequence: CarvedSequence::default(), variables: HashMap::new(), surrogates: required.surrogates };
        for &(_, position) in &required.calls {
            if let Some(call) = self.index.calls.get(position) {
                self.write(call, &mut writer);
            }
        }
        writer.sequence
    }

    /// Requires the histories of the receiver and of the arguments of a call.
    fn require_operands(&self, position: usize, phase: HistoryPart, required: &mut RequiredCalls, depth: usize) {
        let Some(call) = self.index.calls.get(position) else { return };
        let arguments = self.index.arguments(call).into_iter().filter_map(|argument| match argument {
            RecordedArgument::Object(object) => Some(object),
            _ => None,
        });
        for object in call.receiver.into_iter().chain(arguments) {
            let history = self.index.objects.get(&object);
            let made = history.and_then(|history| history.made.iter().rfind(|made| **made < position)).copied();
            self.require_calls(self.calls_since(object, made, position), phase, required, depth);
            // Without a recorded creation, the exemplar of the class is the surrogate.
            if made.is_none()
                && let Some(exemplar) = self.exemplars.get(&object.class)
                && exemplar.object != object
                && !required.surrogates.contains_key(&object)
            {
                let surrogate = exemplar.object;
                required.surrogates.insert(object, surrogate);
                let made = self.index.objects.get(&surrogate).and_then(|history| history.made.first()).copied();
                let calls = self.calls_since(surrogate, made, exemplar.end);
                self.require_calls(calls, HistoryPart::Surrogate, required, depth);
            }
        }
    }

    /// Requires these calls and their operands, as far as the limits allow.
    fn require_calls(&self, calls: Vec<usize>, phase: HistoryPart, required: &mut RequiredCalls, depth: usize) {
        for call in calls {
            if required.calls.len() < MOST_CALLS && depth < MOST_DEPTH && required.calls.insert((phase, call)) {
                self.require_operands(call, phase, required, depth + 1);
            }
        }
    }

    /// The call that created an object, and the calls on it between that and `end` that returned
    /// normally.
    fn calls_since(&self, object: RecordedObjectId, made: Option<usize>, end: usize) -> Vec<usize> {
        let begin = made.map_or(0, |made| made + 1);
        let used = self.index.objects.get(&object).map(|history| &history.used[..]).unwrap_or_default();
        let used: Vec<usize> = used.iter().copied().filter(|used| (begin..end).contains(used) && self.returned(*used)).collect();
        let skipped = if used.len() > MOST_USES { MOST_USES / 2..used.len() - MOST_USES / 2 } else { 0..0 };
        let used = used.iter().enumerate().filter(|(at, _)| !skipped.contains(at)).map(|(_, used)| *used);
        made.into_iter().chain(used).collect()
    }

    /// The recorded class of an object, or the declared type where that class is no subtype of it.
    fn type_of(&self, object: RecordedObjectId, declared: &JavaType) -> JavaType {
        let class = self.index.process.announced.class(object.class).map(|class| JavaType::Class(class.clone()));
        class.filter(|class| self.index.program.is_subtype(class, declared)).unwrap_or_else(|| declared.clone())
    }

    fn argument_type(&self, declared: &JavaType, argument: &RecordedArgument) -> JavaType {
        match argument {
            RecordedArgument::Object(object) => self.type_of(*object, declared),
            _ => declared.clone(),
        }
    }

    fn returned(&self, position: usize) -> bool {
        self.index.calls.get(position).is_some_and(|call| call.returned)
    }

    /// Appends the call and its arguments to the sequence.
    fn write(&self, call: &RecordedCall, writer: &mut SequenceWriter) {
        let Some(method) = self.index.methods.get(call.method) else { return };
        let mut parameters = method.parameters();
        if method.takes_continuation() {
            parameters.pop();
        }
        let args: Vec<VarId> = parameters
            .iter()
            .zip(self.index.arguments(call))
            .map(|(ty, argument)| writer.argument(&self.argument_type(ty, &argument), &argument))
            .collect();
        let owner = JavaType::Class(method.owner.clone());
        let is_init = &*method.name == "<init>";
        let (kind, ty) = if is_init {
            (StatementKind::Construct { constructor: method.clone(), args }, owner)
        } else {
            let is_static = self.index.is_static(method);
            let receiver = match (is_static, call.receiver) {
                (true, _) => None,
                (false, Some(object)) => Some(writer.object(object, &self.type_of(object, &owner))),
                (false, None) => Some(writer.hole(&owner)),
            };
            let interface = self.index.is_interface(&method.owner);
            (StatementKind::Call { method: method.clone(), interface, receiver, args }, method.return_type())
        };
        let variable = writer.sequence.test.push(kind, ty);
        if let Some(result) = call.result {
            writer.variables.insert(result, variable);
        }
    }
}

/// A call sequence while it is written.
struct SequenceWriter {
    sequence: CarvedSequence,
    surrogates: HashMap<RecordedObjectId, RecordedObjectId>,
    variables: HashMap<RecordedObjectId, VarId>,
}

impl SequenceWriter {
    /// A value that the search fills in.
    fn hole(&mut self, ty: &JavaType) -> VarId {
        let variable = self.literal(Literal::Null, ty);
        self.sequence.holes.insert(variable);
        variable
    }

    fn literal(&mut self, literal: Literal, ty: &JavaType) -> VarId {
        self.sequence.test.push(StatementKind::Literal(literal), ty.clone())
    }

    /// The variable that holds the object or its surrogate. An object without either is one hole
    /// for all of its uses.
    fn object(&mut self, object: RecordedObjectId, ty: &JavaType) -> VarId {
        let object = self.surrogates.get(&object).copied().unwrap_or(object);
        match self.variables.get(&object) {
            Some(variable) => *variable,
            None => {
                let hole = self.hole(ty);
                self.variables.insert(object, hole);
                hole
            }
        }
    }

    fn argument(&mut self, ty: &JavaType, argument: &RecordedArgument) -> VarId {
        match argument {
            RecordedArgument::Literal(Literal::Str(units)) if units.len() <= LONGEST_STRING => {
                self.literal(Literal::Str(units.clone()), &JavaType::class("java/lang/String"))
            }
            RecordedArgument::Literal(Literal::Str(_)) | RecordedArgument::Unknown => self.hole(ty),
            RecordedArgument::Literal(literal) => self.literal(literal.clone(), ty),
            RecordedArgument::Boxed(literal) => {
                let primitive = literal_type(literal);
                let Some(boxed) = primitive.primitive().map(|primitive| ClassName::new(primitive.box_class())) else {
                    return self.hole(ty);
                };
                let value = self.literal(literal.clone(), &primitive);
                let descriptor = format!("({})L{boxed};", primitive.descriptor());
                let method = MethodRef::new(boxed.clone(), "valueOf", &descriptor);
                let call = StatementKind::Call { method, interface: false, receiver: None, args: vec![value] };
                self.sequence.test.push(call, JavaType::Class(boxed))
            }
            RecordedArgument::Array(element, cells) if cells.len() <= LONGEST_ARRAY => {
                let elements = cells.iter().map(|cell| self.literal(cell.clone(), element)).collect();
                let kind = StatementKind::Array { element: element.clone(), length: cells.len() as u32, elements };
                self.sequence.test.push(kind, JavaType::Array(Box::new(element.clone())))
            }
            RecordedArgument::Array(..) => self.hole(ty),
            RecordedArgument::Object(object) => self.object(*object, ty),
        }
    }
}
