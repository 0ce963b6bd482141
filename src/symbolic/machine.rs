//! The state of one replay and what every part of it uses: frames, clauses, counts, exceptions. Must not know single instructions.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use tracewright_trace::Event;

use super::entry::Entry;
use super::lambda::Given;
use super::linked::{Code, FieldIx, LinkedProgram, MethodIx, NO_SITE, SlotKind, TypeIx};
use super::objects::{Array, Object, ObjectBody, ObjectId, Slot, StringContents};
use super::reason::{UNKNOWN_HEAP_VALUE, UnsupportedReason};
use super::undo::{Journal, Layer};
use super::{PathEnd, Replay, ReplayConfig, ReplayStats};
use crate::expr::{Interval, TermId, TermStore};
use crate::path::{BranchOutcome, Clause, ClauseKind, PathCondition};
use crate::program::{JavaType, MethodRef};
use crate::recording::{EventCursor, Recording};
use crate::structure::Structure;
use crate::testcase::TestCase;

/// One call in progress.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) method: MethodIx,
    pub(crate) code: Rc<Code>,
    pub(crate) pc: usize,
    /// Where its variables and operands begin.
    pub(crate) locals: usize,
    pub(crate) stack: usize,
    /// What its class's site numbers start at in this recording.
    pub(crate) base: u32,
    /// Whether the recording tells of it. Of code that is only interpreted it says nothing until the call of recorded code is done.
    pub(crate) recorded: bool,
    /// What becomes of its result on the way to the caller.
    pub(crate) given: Vec<Given>,
}

/// How a call ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Completion {
    /// Wide values in one slot; zero for void.
    Returned(Slot),
    Threw(ObjectId),
}

/// Why nothing runs on.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// The end of the path.
    End(PathEnd),
    /// What is interpreted cannot be: its call is taken from the recording instead.
    Abort(Abort),
}

#[derive(Clone, Debug)]
pub(crate) struct Abort {
    pub(crate) reason: UnsupportedReason,
    /// Whether it would come to this again.
    pub(crate) lasting: bool,
}

pub(crate) type InterpResult<T> = Result<T, Stop>;

pub(crate) struct Machine<'a, 'p> {
    pub(crate) linked: &'a mut LinkedProgram<'p>,
    pub(crate) test: &'a TestCase,
    pub(crate) recording: &'a Recording,
    pub(crate) cursor: EventCursor<'a>,
    pub(crate) terms: &'a mut TermStore,
    /// The store may grow up to here.
    pub(crate) most_terms: usize,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) config: &'a ReplayConfig,
    pub(crate) path: PathCondition,
    pub(crate) stats: ReplayStats,
    pub(crate) entered: BTreeMap<u32, MethodRef>,
    /// Terms that hold already: asking again is no decision.
    pub(crate) asserted: HashSet<TermId>,
    /// Bounds of terms that the clauses so far leave, where they are narrower than for all inputs.
    pub(crate) known: HashMap<TermId, Interval>,
    pub(crate) heap: Vec<Object>,
    /// Shared objects as this run sees them, where it differs.
    pub(crate) overlay: HashMap<ObjectId, Object>,
    pub(crate) layers: Vec<Layer<'a>>,
    pub(crate) journal: Journal,
    /// Class initialisers of the library that run inside each other.
    pub(crate) initialiser_depth: u32,
    /// Instructions outside recorded code, those of attempts that failed among them.
    pub(crate) spent: u64,
    /// How far `spent` may go now.
    pub(crate) interpretation_limit: u64,
    /// Instructions of attempts that failed.
    pub(crate) failed_instructions: u64,
    /// Objects and cells made.
    pub(crate) allocated: usize,
    pub(crate) statics: HashMap<FieldIx, Slot>,
    pub(crate) by_identity: HashMap<(u32, TypeIx), ObjectId>,
    /// Objects that opaque code could hand back, whose identity hash is not known.
    pub(crate) unhashed: HashMap<TypeIx, Vec<ObjectId>>,
    /// The object that the last recorded reference named, if the replay had not seen it before.
    pub(crate) seen_first: Option<ObjectId>,
    pub(crate) interned: HashMap<Rc<[u16]>, ObjectId>,
    /// Strings that opaque code could have from this run.
    pub(crate) escaped_strings: HashSet<ObjectId>,
    pub(crate) mirrors: HashMap<TypeIx, ObjectId>,
    pub(crate) class_types: HashMap<u32, TypeIx>,
    /// Lambdas with captured values, by what they run. Only a hint: an object here may have become another one.
    pub(crate) lambdas: HashMap<MethodIx, Vec<ObjectId>>,
    /// The current frame; meaningless while no code runs.
    pub(crate) top: Frame,
    pub(crate) callers: Vec<Frame>,
    pub(crate) stack: Vec<Slot>,
    pub(crate) locals: Vec<Slot>,
    pub(crate) nesting: usize,
    /// The recording says when an exception leaves a method.
    pub(crate) tells_exits: bool,
    /// Objects whose constructors code outside the recording called.
    pub(crate) constructed_opaquely: HashSet<ObjectId>,
    /// The statement of the test case that runs.
    pub(crate) statement: u32,
    pub(crate) variables: Vec<Slot>,
    pub(crate) opaque_calls: u64,
    pub(crate) string: TypeIx,
    /// Classes that have probes in this recording.
    pub(crate) recorded_types: HashSet<TypeIx>,
    /// Those of them whose initialisers this recording tells of.
    pub(crate) initialised: HashSet<TypeIx>,
    /// In the structural view, while the method under test runs.
    pub(crate) entry: Option<Box<Entry>>,
    pub(crate) structure: Option<Structure>,
}

impl<'a, 'p> Machine<'a, 'p> {
    pub(crate) fn new(
        linked: &'a mut LinkedProgram<'p>,
        test: &'a TestCase,
        recording: &'a Recording,
        terms: &'a mut TermStore,
        config: &'a ReplayConfig,
        stop: &'a AtomicBool,
    ) -> Machine<'a, 'p> {
        let string = linked.class_ix("java/lang/String");
        let recorded_types = recording.announced.tables().map(|table| linked.named(table.class.internal())).collect();
        let null = Object { ty: None, hash: 0, zeroed: true, escaped: true, body: ObjectBody::Fields(Vec::new()) };
        let nothing = Code {
            ops: Vec::new(),
            bcis: Vec::new(),
            max_locals: 0,
            handlers: Vec::new(),
            switches: Vec::new(),
            strings: Vec::new(),
        };
        let top = Frame {
            method: MethodIx(0),
            code: Rc::new(nothing),
            pc: 0,
            locals: 0,
            stack: 0,
            base: 0,
            recorded: true,
            given: Vec::new(),
        };
        Machine {
            linked,
            test,
            recording,
            cursor: EventCursor::new(recording),
            stop,
            most_terms: terms.len().saturating_add(config.terms),
            terms,
            config,
            path: PathCondition::default(),
            stats: ReplayStats::default(),
            entered: BTreeMap::new(),
            asserted: HashSet::new(),
            known: HashMap::new(),
            heap: vec![null],
            overlay: HashMap::new(),
            layers: Vec::new(),
            journal: Journal::default(),
            initialiser_depth: 0,
            spent: 0,
            interpretation_limit: 0,
            failed_instructions: 0,
            allocated: 0,
            statics: HashMap::new(),
            by_identity: HashMap::new(),
            unhashed: HashMap::new(),
            seen_first: None,
            interned: HashMap::new(),
            escaped_strings: HashSet::new(),
            mirrors: HashMap::new(),
            class_types: HashMap::new(),
            lambdas: HashMap::new(),
            top,
            callers: Vec::new(),
            stack: Vec::new(),
            locals: Vec::new(),
            nesting: 0,
            tells_exits: false,
            constructed_opaquely: HashSet::new(),
            statement: 0,
            variables: vec![Slot::ZERO; test.statements.len()],
            opaque_calls: 0,
            string,
            recorded_types,
            initialised: HashSet::new(),
            entry: None,
            structure: None,
        }
    }

    pub(crate) fn run_test(mut self) -> Replay {
        let end = self.statements();
        self.finish(end)
    }

    /// Replays a run that begins with an entry.
    pub(crate) fn run_outermost(mut self) -> Replay {
        self.tells_exits = true;
        let end = self.outermost();
        self.finish(end)
    }

    fn finish(mut self, end: InterpResult<PathEnd>) -> Replay {
        let end = match end {
            Ok(end) | Err(Stop::End(end)) => end,
            Err(Stop::Abort(abort)) => PathEnd::Unsupported { reason: abort.reason.key().into_owned() },
        };
        let unknown = self.stats.executed - self.stats.replayed;
        if unknown > 0 {
            self.stats.unreplayed.insert(UNKNOWN_HEAP_VALUE.into(), unknown);
        }
        let reason = match &end {
            PathEnd::Returned | PathEnd::Threw { .. } | PathEnd::Stopped => None,
            PathEnd::Unsupported { reason } => Some(reason.clone()),
            PathEnd::Budget { what } => Some(format!("limit of {what}")),
            PathEnd::JvmDied => Some("the recording ends".into()),
            PathEnd::Diverged => Some("divergence".into()),
        };
        if let Some(reason) = reason {
            let behind = super::control_flow::executed(self.linked, self.recording).saturating_sub(self.stats.executed);
            self.stats.executed += behind;
            *self.stats.unreplayed.entry(reason).or_default() += behind;
        }
        if let PathEnd::Unsupported { reason } = &end {
            *self.stats.unsupported.entry(reason.clone()).or_default() += 1;
        }
        self.end_entry();
        Replay { path: self.path, end, stats: self.stats, entered: self.entered, structure: self.structure }
    }

    // Where we are.

    /// Whether bytecode runs (else a statement of the test case does).
    pub(crate) fn in_code(&self) -> bool {
        !self.callers.is_empty()
    }

    pub(crate) fn bci(&self) -> u32 {
        self.top.code.bcis.get(self.top.pc).copied().unwrap_or(0)
    }

    /// Absolute site of the current instruction.
    #[inline]
    pub(crate) fn site(&self) -> u32 {
        let local = self.top.code.ops.get(self.top.pc).map_or(NO_SITE, |instr| instr.site);
        self.top.base.wrapping_add(local)
    }

    /// Whether the current instruction has a probe.
    #[inline]
    pub(crate) fn has_site(&self) -> bool {
        self.top.code.ops.get(self.top.pc).is_some_and(|instr| instr.site != NO_SITE)
    }

    pub(crate) fn here(&self) -> String {
        if self.in_code() {
            format!("{} @{}", self.linked.method(self.top.method).reference, self.bci())
        } else {
            format!("statement {}", self.statement)
        }
    }

    // Ends.

    pub(crate) fn unsupported<T>(&self, reason: UnsupportedReason) -> InterpResult<T> {
        if self.in_library() {
            return self.abort(reason);
        }
        Err(Stop::End(PathEnd::Unsupported { reason: reason.key().into_owned() }))
    }

    pub(crate) fn budget<T>(&self, what: &str) -> InterpResult<T> {
        Err(Stop::End(PathEnd::Budget { what: what.into() }))
    }

    /// A limit that what is interpreted may have met by itself.
    pub(crate) fn limit<T>(&self, what: &'static str) -> InterpResult<T> {
        if self.layers.is_empty() { self.budget(what) } else { self.abort(UnsupportedReason::Limit(what)) }
    }

    pub(crate) fn record_concretisation(&mut self, reason: UnsupportedReason) {
        if self.initialiser_depth > 0 {
            return;
        }
        self.path.mark_inexact();
        let key = reason.key();
        self.note_concretised(&key);
        match self.stats.concretised.get_mut(&*key) {
            Some(count) => *count += 1,
            None => {
                self.stats.concretised.insert(key.into_owned(), 1);
            }
        }
    }

    // Operand stack. Underflow cannot happen in verified code; in other code it gives zeros and soon a divergence.

    #[inline]
    pub(crate) fn push(&mut self, slot: Slot) {
        self.stack.push(slot);
    }

    #[inline]
    pub(crate) fn push_wide(&mut self, slot: Slot) {
        self.stack.push(slot);
        self.stack.push(Slot::ZERO);
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Slot {
        self.stack.pop().unwrap_or_default()
    }

    #[inline]
    pub(crate) fn pop_wide(&mut self) -> Slot {
        self.stack.pop();
        self.stack.pop().unwrap_or_default()
    }

    pub(crate) fn push_kind(&mut self, kind: SlotKind, slot: Slot) {
        if kind.is_wide() { self.push_wide(slot) } else { self.push(slot) }
    }

    pub(crate) fn pop_kind(&mut self, kind: SlotKind) -> Slot {
        if kind.is_wide() { self.pop_wide() } else { self.pop() }
    }

    // Frames.

    /// Begins a call with the receiver (unless static) and the arguments, wide ones in one slot.
    pub(crate) fn enter(&mut self, method: MethodIx, base: u32, arguments: &[Slot]) -> InterpResult<()> {
        self.enter_frame(method, base, true, arguments)
    }

    pub(crate) fn enter_frame(&mut self, method: MethodIx, base: u32, recorded: bool, arguments: &[Slot]) -> InterpResult<()> {
        if self.callers.len() >= self.config.frames {
            return self.limit("frames");
        }
        let code = match self.linked.code(method) {
            Ok(code) => code,
            Err(reason) => return self.unsupported(reason),
        };
        if recorded {
            self.linked.read_literals(method, &code);
        }
        let locals = self.locals.len();
        self.locals.resize(locals + code.max_locals, Slot::ZERO);
        let info = self.linked.method(method);
        if recorded && info.is_clinit {
            self.initialised.insert(info.ty);
        }
        let mut at = locals;
        let receiver = (!info.is_static).then_some(SlotKind::Ref);
        // `prepare` has checked that they fit.
        for (kind, &argument) in receiver.iter().chain(info.parameters.iter()).zip(arguments) {
            self.locals[at] = argument;
            at += 1 + usize::from(kind.is_wide());
        }
        let frame = Frame { method, code, pc: 0, locals, stack: self.stack.len(), base, recorded, given: Vec::new() };
        self.callers.push(std::mem::replace(&mut self.top, frame));
        Ok(())
    }

    /// Drops the current frame and goes back to its caller.
    pub(crate) fn leave(&mut self) {
        self.locals.truncate(self.top.locals);
        self.stack.truncate(self.top.stack);
        if let Some(caller) = self.callers.pop() {
            self.top = caller;
        }
    }

    // Clauses.

    pub(crate) fn branch_site(&self, outcome: u32) -> BranchOutcome {
        if self.in_code() {
            let method = self.linked.method(self.top.method).reference.clone();
            BranchOutcome { method, bci: self.bci(), outcome }
        } else {
            let method = MethodRef::new(crate::program::ClassName::new("test"), "statement", "()V");
            BranchOutcome { method, bci: self.statement, outcome }
        }
    }

    /// A decision with two ways out; `holds` is what is true of this run.
    pub(crate) fn add_clause(&mut self, kind: ClauseKind, outcome: u32, holds: TermId) -> InterpResult<()> {
        let negated = self.terms.not(holds);
        self.add_clause_with_alternatives(kind, outcome, holds, vec![(1 - outcome.min(1), negated)])
    }

    pub(crate) fn add_clause_with_alternatives(
        &mut self,
        kind: ClauseKind,
        outcome: u32,
        holds: TermId,
        others: Vec<(u32, TermId)>,
    ) -> InterpResult<()> {
        if self.implied_truth(holds) == Some(true) {
            return Ok(());
        }
        if self.take(kind, outcome, holds, others)? {
            self.narrow_bounds_by(holds);
        }
        Ok(())
    }

    /// That a text is no longer than what has variables: nothing is learnt from it, so that a question beyond that is asked.
    pub(crate) fn add_length_bound(&mut self, within: TermId) -> InterpResult<()> {
        let beyond = self.terms.not(within);
        self.take(ClauseKind::Model, 0, within, vec![(1, beyond)]).map(drop)
    }

    /// Adds the clause; whether it was.
    fn take(&mut self, kind: ClauseKind, outcome: u32, holds: TermId, others: Vec<(u32, TermId)>) -> InterpResult<bool> {
        if let Some(value) = self.terms.constant_of(holds) {
            if value.truth() == Some(true) {
                return Ok(false);
            }
            return self.diverge("a clause that holds of this run", &format!("false at outcome {outcome}"));
        }
        if self.initialiser_depth > 0 {
            return self.abort(UnsupportedReason::EnvironmentDependentInitialiser);
        }
        if !self.record_assertion(holds) {
            return Ok(false);
        }
        if self.path.clauses.len() >= self.config.clauses {
            self.path.dropped += 1;
            return Ok(false);
        }
        let others = others.into_iter().filter(|&(_, term)| self.terms.constant_of(term).is_none()).collect();
        let site = self.branch_site(outcome);
        self.path.clauses.push(Clause { term: holds, site, kind, statement: self.statement, others });
        Ok(true)
    }

    // Objects.

    pub(crate) fn allocate(&mut self, object: Object) -> InterpResult<ObjectId> {
        if self.initialiser_depth > 0 {
            return match self.linked.shared_heap.allocate(object) {
                Some(id) => Ok(id),
                None => self.abort(UnsupportedReason::SharedObjectLimit),
            };
        }
        self.allocated += 1 + match &object.body {
            ObjectBody::Array(Array { cells: super::objects::Cells::Dense(cells), .. }) => cells.len(),
            _ => 0,
        };
        if self.allocated > self.config.heap {
            return self.limit("heap");
        }
        let id = ObjectId(self.heap.len() as u32);
        self.heap.push(object);
        Ok(id)
    }

    /// As `new` makes it.
    pub(crate) fn new_object(&mut self, ty: TypeIx) -> InterpResult<ObjectId> {
        self.allocate(Object { ty: Some(ty), hash: 0, zeroed: true, escaped: false, body: ObjectBody::Fields(Vec::new()) })
    }

    /// An exception that the JVM throws by itself. Its message and the like are not known.
    pub(crate) fn new_exception(&mut self, class: &str) -> InterpResult<ObjectId> {
        let ty = self.linked.class_ix(class);
        self.allocate(Object { ty: Some(ty), hash: 0, zeroed: false, escaped: true, body: ObjectBody::Fields(Vec::new()) })
    }

    pub(crate) fn new_array(&mut self, ty: TypeIx, length: u32) -> InterpResult<ObjectId> {
        let kind = self.linked.element(ty).map_or(SlotKind::Ref, |element| SlotKind::of(self.linked.ty(element)));
        let body = ObjectBody::Array(Array::zeroed(kind, length));
        self.allocate(Object { ty: Some(ty), hash: 0, zeroed: true, escaped: false, body })
    }

    pub(crate) fn intern(&mut self, units: &Rc<[u16]>) -> InterpResult<ObjectId> {
        if self.initialiser_depth == 0
            && let Some(&object) = self.interned.get(units)
        {
            return Ok(object);
        }
        // The JVM's string table reaches it.
        let body = ObjectBody::Str(StringContents { units: Some(units.clone()), symbolic: None });
        let object = Object { ty: Some(self.string), hash: 0, zeroed: false, escaped: true, body };
        let object = match self.linked.shared_heap.interned(units, &object) {
            Some(shared) => shared,
            None => self.allocate(object)?,
        };
        self.set_interned(units.clone(), object);
        Ok(object)
    }

    pub(crate) fn mirror(&mut self, ty: TypeIx) -> InterpResult<ObjectId> {
        if self.initialiser_depth == 0
            && let Some(&object) = self.mirrors.get(&ty)
        {
            return Ok(object);
        }
        let class = self.linked.class_ix("java/lang/Class");
        let object = Object { ty: Some(class), hash: 0, zeroed: false, escaped: true, body: ObjectBody::Mirror };
        let object = match self.linked.shared_heap.mirror(ty, &object) {
            Some(shared) => shared,
            None => self.allocate(object)?,
        };
        self.set_mirror(ty, object);
        Ok(object)
    }

    #[inline]
    pub(crate) fn object(&self, id: ObjectId) -> &Object {
        if let Some(index) = id.shared_index() {
            return self.shared_object(id, index);
        }
        // Ids come from `allocate` alone, but a reference in code that does not verify may be any number.
        self.heap.get(id.0 as usize).unwrap_or(&self.heap[0])
    }

    fn shared_object(&self, id: ObjectId, index: usize) -> &Object {
        let own = if self.initialiser_depth > 0 { None } else { self.overlay.get(&id) };
        own.or_else(|| self.linked.shared_heap.get(index)).unwrap_or(&self.heap[0])
    }

    /// The object to be changed in any way; a cell or a field has [`Machine::set_cell`] and [`Machine::set_field`], which cost less.
    pub(crate) fn object_mut(&mut self, id: ObjectId) -> &mut Object {
        let Some(index) = id.shared_index() else {
            if !self.layers.is_empty() {
                self.note_object(id);
            }
            let index = if (id.0 as usize) < self.heap.len() { id.0 as usize } else { 0 };
            return &mut self.heap[index];
        };
        if self.initialiser_depth == 0 {
            self.own_copy(id);
        }
        self.note_object(id);
        self.writable(id, index)
    }

    pub(crate) fn set_cell(&mut self, id: ObjectId, at: u32, value: Slot) {
        if let Some(index) = id.shared_index() {
            if self.initialiser_depth == 0 {
                self.own_copy(id);
            }
            self.note_cell(id, at);
            if let ObjectBody::Array(array) = &mut self.writable(id, index).body {
                array.set(at, value);
            }
            return;
        }
        if !self.layers.is_empty() {
            self.note_cell(id, at);
        }
        if let Some(Object { body: ObjectBody::Array(array), .. }) = self.heap.get_mut(id.0 as usize) {
            array.set(at, value);
        }
    }

    pub(crate) fn set_field(&mut self, id: ObjectId, field: FieldIx, value: Slot) {
        if let Some(index) = id.shared_index() {
            if self.initialiser_depth == 0 {
                self.own_copy(id);
            }
            self.note_field(id, field);
            return self.writable(id, index).set_field(field, value);
        }
        if !self.layers.is_empty() {
            self.note_field(id, field);
        }
        if let Some(object) = self.heap.get_mut(id.0 as usize) {
            object.set_field(field, value);
        }
    }

    /// From now on the run has a copy of its own of the shared object.
    fn own_copy(&mut self, id: ObjectId) {
        if !self.overlay.contains_key(&id) {
            self.note_hidden(id);
            let copy = self.object(id).clone();
            self.overlay.insert(id, copy);
        }
    }

    fn writable(&mut self, id: ObjectId, index: usize) -> &mut Object {
        if self.initialiser_depth > 0 {
            if let Some(layer) = self.layers.last_mut() {
                layer.reached_out |= index < layer.shared;
            }
            return match self.linked.shared_heap.get_mut(index) {
                Some(object) => object,
                None => &mut self.heap[0],
            };
        }
        match self.overlay.get_mut(&id) {
            Some(object) => object,
            None => &mut self.heap[0],
        }
    }

    pub(crate) fn is_string(&self, ty: TypeIx) -> bool {
        ty == self.string
    }

    pub(crate) fn type_name(&self, id: ObjectId) -> String {
        if id.is_null() {
            return "null".into();
        }
        match self.object(id).ty {
            Some(ty) => match self.linked.ty(ty) {
                JavaType::Class(name) => name.internal().to_string(),
                other => other.descriptor(),
            },
            None => "?".into(),
        }
    }

    // Exceptions.

    /// Looks for a handler of the exception from the current instruction outwards, down to the frame above `floor` callers.
    /// `None`: one was found and runs next.
    pub(crate) fn throw(&mut self, exception: ObjectId, floor: usize) -> InterpResult<Option<Completion>> {
        // No probe tells of it, but it is a way the run took.
        if self.top.recorded {
            self.path.record_outcome(self.top.base.wrapping_add(self.bci()), u32::MAX);
        }
        while self.callers.len() > floor {
            if let Some(index) = self.handler(exception) {
                let handler = &self.top.code.handlers[index];
                let (target, site) = (handler.handler, self.top.base.wrapping_add(handler.site));
                match self.cursor.peek() {
                    _ if !self.top.recorded => {}
                    Some(Event::Caught { site: found, value }) if found.0 == site => {
                        // The same handler catches what the machine threw instead, somewhere before.
                        if self.recording.announced.class(value.class).map(|name| name.internal())
                            != Some(&*self.type_name(exception))
                        {
                            self.machine_error(*value)?;
                        }
                        self.cursor.advance();
                        let contents = self.cursor.contents();
                        self.check_reference(exception, *value, contents, "exception")?;
                    }
                    found => return self.mismatch(&format!("{} caught at site {site}", self.type_name(exception)), found),
                }
                self.stack.truncate(self.top.stack);
                self.push(Slot::reference(exception));
                self.top.pc = target;
                return Ok(None);
            }
            self.left_by(exception, floor)?;
            self.leave();
        }
        Ok(Some(Completion::Threw(exception)))
    }

    /// In runs of a user's VM, each method says that an exception leaves it, but for the outermost one, whose run ends, and constructors without
    /// an object yet.
    fn left_by(&mut self, exception: ObjectId, floor: usize) -> InterpResult<()> {
        let is_outermost = self.nesting == 1 && self.callers.len() == floor + 1;
        if !self.tells_exits || !self.top.recorded || is_outermost {
            return Ok(());
        }
        let Some(&Event::Thrown { index, value }) = self.cursor.peek() else { return Ok(()) };
        if self.entry_method(index) != Some((self.top.method, self.top.base)) {
            return Ok(());
        }
        if self.recording.announced.class(value.class).map(|name| name.internal()) != Some(&*self.type_name(exception)) {
            self.machine_error(value)?;
        }
        self.cursor.advance();
        let contents = self.cursor.contents();
        self.check_reference(exception, value, contents, "exception")
    }

    fn handler(&mut self, exception: ObjectId) -> Option<usize> {
        let code = self.top.code.clone();
        let ty = self.object(exception).ty;
        code.handlers.iter().position(|handler| {
            (handler.start..handler.end).contains(&self.top.pc)
                && match (handler.catches, ty) {
                    (None, _) => true,
                    (Some(catches), Some(ty)) => self.linked.is_subtype(ty, catches),
                    (Some(_), None) => false,
                }
        })
    }
}
