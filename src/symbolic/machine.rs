//! The machine: composes the parts of a replay's state, and has the operations that concern several
//! of them: clauses, allocation, exceptions, ends of paths. Must not know single instructions.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use tracewright_trace::Event;

use super::config::ReplayConfig;
use super::data::code::NO_SITE;
use super::data::ids::{FieldIx, MethodIx, SlotKind, TypeIx};
use super::data::objects::{Array, Object, ObjectBody, ObjectId, Slot, StringContents};
use super::linked::LinkedProgram;
use super::outcome::{PathEnd, Replay, ReplayStats};
use super::reason::{UNKNOWN_HEAP_VALUE, UnsupportedReason};
use super::state::checkpoint::Checkpoint;
use super::state::entry::StructuralEntry;
use super::state::frames::Frames;
use super::state::heap::{Heap, HeapFull};
use super::state::path::Path;
use super::state::recorded::RecordedCursor;
use crate::expr::{Interval, TermId, TermStore};
use crate::path::{BranchOutcome, Clause, ClauseKind};
use crate::program::{JavaType, MethodRef};
use crate::recording::Recording;
use crate::structure::Structure;
use crate::testcase::TestCase;

/// How a call completed (JVMS §2.6.4, §2.6.5).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Completion {
    /// The result in one slot; zero for void.
    Returned(Slot),
    Threw(ObjectId),
}

/// Why the interpreter stops.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// The path ends.
    End(PathEnd),
    /// An attempt to interpret a call fails; the call's result is taken from the recording.
    Abort(Abort),
}

/// A failed attempt to interpret a call.
#[derive(Clone, Debug)]
pub(crate) struct Abort {
    pub(crate) reason: UnsupportedReason,
    /// Whether every attempt would fail for this reason.
    pub(crate) lasting: bool,
}

/// The result of an interpreter operation; the error stops the path or the attempt.
pub(crate) type InterpResult<T> = Result<T, Stop>;

/// The state of one replay. Heap, path, frames and cursor own their fields; the machine keeps what
/// concerns all of them.
pub(crate) struct Machine<'a, 'p> {
    pub(super) linked: &'a mut LinkedProgram<'p>,
    pub(super) test: &'a TestCase,
    pub(super) cursor: RecordedCursor<'a>,
    pub(super) terms: &'a mut TermStore,
    /// Number of terms in the store at which the replay ends.
    pub(super) most_terms: usize,
    pub(super) stop: &'a AtomicBool,
    pub(super) config: &'a ReplayConfig,
    pub(super) heap: Heap,
    pub(super) path: Path,
    pub(super) frames: Frames,
    pub(super) checkpoints: Vec<Checkpoint>,
    pub(super) stats: ReplayStats,
    /// Keys of `ReplayStats::concretised` that were counted inside checkpoints.
    pub(super) concretisations: Vec<Cow<'static, str>>,
    /// The first recorded method that each statement of the test case entered.
    pub(super) entered: BTreeMap<u32, MethodRef>,
    /// Interpreted instructions, those of failed attempts included.
    pub(super) spent: u64,
    /// Value of `spent` at which the current attempt ends.
    pub(super) interpretation_limit: u64,
    /// Interpreted instructions of failed attempts.
    pub(super) failed_instructions: u64,
    /// Lambdas with captured values, by the method that they run. An object here may have another
    /// body by now.
    pub(super) lambdas: HashMap<MethodIx, Vec<ObjectId>>,
    /// Nested entries that recorded code did not call itself.
    pub(super) nesting: usize,
    /// Current statement of the test case.
    pub(super) statement: u32,
    /// Values of the test case's variables, by statement.
    pub(super) variables: Vec<Slot>,
    /// Opaque calls so far that may have changed objects.
    pub(super) opaque_calls: u64,
    /// `java.lang.String`.
    pub(super) string: TypeIx,
    /// In the structural view, while the method under test runs.
    pub(super) entry: Option<Box<StructuralEntry>>,
    pub(super) structure: Option<Structure>,
}

impl<'a, 'p> Machine<'a, 'p> {
    /// A machine before the first event of the recording. `stop` ends the replay when another
    /// thread sets it.
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
        Machine {
            linked,
            test,
            cursor: RecordedCursor::new(recording, recorded_types),
            stop,
            most_terms: terms.len().saturating_add(config.terms),
            terms,
            config,
            heap: Heap::new(config.heap),
            path: Path::default(),
            frames: Frames::new(),
            checkpoints: Vec::new(),
            stats: ReplayStats::default(),
            concretisations: Vec::new(),
            entered: BTreeMap::new(),
            spent: 0,
            interpretation_limit: 0,
            failed_instructions: 0,
            lambdas: HashMap::new(),
            nesting: 0,
            statement: 0,
            variables: vec![Slot::ZERO; test.statements.len()],
            opaque_calls: 0,
            string,
            entry: None,
            structure: None,
        }
    }

    /// Replays a test case.
    pub(crate) fn run_test(mut self) -> Replay {
        let end = self.statements();
        self.finish(end)
    }

    /// Replays a run that begins with an entry.
    pub(crate) fn run_outermost(mut self) -> Replay {
        self.cursor.expect_method_exits();
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
            let behind = super::control_flow::executed(self.linked, self.cursor.recording()).saturating_sub(self.stats.executed);
            self.stats.executed += behind;
            *self.stats.unreplayed.entry(reason).or_default() += behind;
        }
        if let PathEnd::Unsupported { reason } = &end {
            *self.stats.unsupported.entry(reason.clone()).or_default() += 1;
        }
        self.end_entry();
        Replay { path: self.path.into_condition(), end, stats: self.stats, entered: self.entered, structure: self.structure }
    }

    // Position.

    /// Whether bytecode runs; else a statement of the test case does.
    pub(crate) fn in_code(&self) -> bool {
        self.frames.depth() > 0
    }

    /// Bytecode index of the current instruction.
    pub(crate) fn bci(&self) -> u32 {
        self.frames.bci()
    }

    /// Site number of the current instruction in this recording.
    #[inline]
    pub(crate) fn site(&self) -> u32 {
        self.frames.top().base.wrapping_add(self.frames.local_site())
    }

    /// Whether the current instruction has a probe.
    #[inline]
    pub(crate) fn has_site(&self) -> bool {
        self.frames.local_site() != NO_SITE
    }

    /// The current instruction or statement, for messages.
    pub(crate) fn here(&self) -> String {
        if self.in_code() {
            format!("{} @{}", self.linked.method(self.frames.top().method).reference, self.bci())
        } else {
            format!("statement {}", self.statement)
        }
    }

    // Ends.

    /// Ends the path; in interpreted code only the attempt fails.
    pub(crate) fn unsupported<T>(&self, reason: UnsupportedReason) -> InterpResult<T> {
        if self.in_library() {
            return self.abort(reason);
        }
        Err(Stop::End(PathEnd::Unsupported { reason: reason.key().into_owned() }))
    }

    /// Ends the path at a limit.
    pub(crate) fn budget<T>(&self, what: &str) -> InterpResult<T> {
        Err(Stop::End(PathEnd::Budget { what: what.into() }))
    }

    /// Ends the path at a limit. Inside a checkpoint only the attempt fails, since interpreted code
    /// may have reached the limit.
    pub(crate) fn limit<T>(&self, what: &'static str) -> InterpResult<T> {
        if self.checkpoints.is_empty() { self.budget(what) } else { self.abort(UnsupportedReason::Limit(what)) }
    }

    /// Counts a value that loses its term, and marks the path condition as inexact.
    pub(crate) fn record_concretisation(&mut self, reason: UnsupportedReason) {
        if self.heap.is_initialising() {
            return;
        }
        self.path.mark_inexact();
        let key = reason.key();
        if !self.checkpoints.is_empty() {
            self.concretisations.push(key.clone());
        }
        match self.stats.concretised.get_mut(&*key) {
            Some(count) => *count += 1,
            None => {
                self.stats.concretised.insert(key.into_owned(), 1);
            }
        }
    }

    // Operand stack.

    /// Pushes a value of one slot.
    #[inline]
    pub(crate) fn push(&mut self, slot: Slot) {
        self.frames.push(slot);
    }

    /// Pushes a long or double.
    #[inline]
    pub(crate) fn push_wide(&mut self, slot: Slot) {
        self.frames.push_wide(slot);
    }

    /// Pushes a value of the kind.
    #[inline]
    pub(crate) fn push_kind(&mut self, kind: SlotKind, slot: Slot) {
        self.frames.push_kind(kind, slot);
    }

    /// Pops one slot.
    #[inline]
    pub(crate) fn pop(&mut self) -> Slot {
        self.frames.pop()
    }

    /// Pops a long or double.
    #[inline]
    pub(crate) fn pop_wide(&mut self) -> Slot {
        self.frames.pop_wide()
    }

    /// Pops a value of the kind.
    #[inline]
    pub(crate) fn pop_kind(&mut self, kind: SlotKind) -> Slot {
        self.frames.pop_kind(kind)
    }

    // Frames.

    /// Begins a recorded call. `arguments`: the receiver, unless static, and the arguments, one
    /// slot each.
    pub(crate) fn enter(&mut self, method: MethodIx, base: u32, arguments: &[Slot]) -> InterpResult<()> {
        self.enter_frame(method, base, true, arguments)
    }

    /// Begins a call; `base`: the first site number of its class.
    pub(crate) fn enter_frame(&mut self, method: MethodIx, base: u32, recorded: bool, arguments: &[Slot]) -> InterpResult<()> {
        if self.frames.depth() >= self.config.frames {
            return self.limit("frames");
        }
        let code = match self.linked.code(method) {
            Ok(code) => code,
            Err(reason) => return self.unsupported(reason),
        };
        if recorded {
            self.linked.read_literals(method, &code);
        }
        let info = self.linked.method(method);
        if recorded && info.is_clinit {
            self.cursor.record_initialised(info.ty);
        }
        self.frames.enter(method, code, base, recorded);
        let mut at = 0;
        let receiver = (!info.is_static).then_some(SlotKind::Ref);
        // `LinkedProgram::code` has checked that they fit.
        for (kind, &argument) in receiver.iter().chain(info.parameters.iter()).zip(arguments) {
            self.frames.set_local(at, argument);
            at += 1 + u16::from(kind.is_wide());
        }
        Ok(())
    }

    // Clauses.

    /// The branch outcome of the current instruction or statement.
    pub(crate) fn branch_site(&self, outcome: u32) -> BranchOutcome {
        if self.in_code() {
            let method = self.linked.method(self.frames.top().method).reference.clone();
            BranchOutcome { method, bci: self.bci(), outcome }
        } else {
            let method = MethodRef::new(crate::program::ClassName::new("test"), "statement", "()V");
            BranchOutcome { method, bci: self.statement, outcome }
        }
    }

    /// Adds a clause with two outcomes; `holds` is the term that is true in this run.
    pub(crate) fn add_clause(&mut self, kind: ClauseKind, outcome: u32, holds: TermId) -> InterpResult<()> {
        let negated = self.terms.not(holds);
        self.add_clause_with_alternatives(kind, outcome, holds, vec![(1 - outcome.min(1), negated)])
    }

    /// Adds a clause; `others`: the alternatives by outcome.
    pub(crate) fn add_clause_with_alternatives(
        &mut self,
        kind: ClauseKind,
        outcome: u32,
        holds: TermId,
        others: Vec<(u32, TermId)>,
    ) -> InterpResult<()> {
        if self.path.implied_truth(self.terms, holds) == Some(true) {
            return Ok(());
        }
        if self.push_clause(kind, outcome, holds, others)? {
            self.path.narrow_bounds_by(self.terms, holds);
        }
        Ok(())
    }

    /// Adds the clause that a string has no more characters than symbols. Bounds are not narrowed
    /// by it: otherwise longer strings would never be tried.
    pub(crate) fn add_length_bound(&mut self, within: TermId) -> InterpResult<()> {
        let beyond = self.terms.not(within);
        self.push_clause(ClauseKind::Model, 0, within, vec![(1, beyond)]).map(drop)
    }

    /// Appends a clause unless it follows already. Returns whether it was appended.
    fn push_clause(&mut self, kind: ClauseKind, outcome: u32, holds: TermId, others: Vec<(u32, TermId)>) -> InterpResult<bool> {
        if let Some(value) = self.terms.constant_of(holds) {
            if value.truth() == Some(true) {
                return Ok(false);
            }
            return self.diverge("a clause that holds of this run", &format!("false at outcome {outcome}"));
        }
        if self.heap.is_initialising() {
            return self.abort(UnsupportedReason::EnvironmentDependentInitialiser);
        }
        if !self.path.assert_term(holds) {
            return Ok(false);
        }
        if self.path.condition().clauses.len() >= self.config.clauses {
            self.path.drop_clause();
            return Ok(false);
        }
        let others = others.into_iter().filter(|&(_, term)| self.terms.constant_of(term).is_none()).collect();
        let site = self.branch_site(outcome);
        self.path.push_clause(Clause { term: holds, site, kind, statement: self.statement, others });
        Ok(true)
    }

    /// The values that an int or long term may have on this path, both bounds included.
    pub(crate) fn bounds(&self, term: TermId) -> Interval {
        self.path.bounds(self.terms, term)
    }

    /// The constant that the term equals on this path; the term itself where it may vary.
    pub(crate) fn constant_on_path(&mut self, term: TermId) -> TermId {
        self.path.constant_on_path(self.terms, term)
    }

    /// The truth value of a clause that the earlier clauses imply; `None` where they imply none.
    pub(crate) fn implied_truth(&self, clause: TermId) -> Option<bool> {
        self.path.implied_truth(self.terms, clause)
    }

    // Objects.

    /// Adds an object to the heap.
    ///
    /// # Errors
    /// The path ends, or the attempt aborts, when the heap is full.
    pub(crate) fn allocate(&mut self, object: Object) -> InterpResult<ObjectId> {
        match self.heap.allocate(&mut self.linked.shared_heap, object) {
            Ok(id) => Ok(id),
            Err(HeapFull::Own) => self.limit("heap"),
            Err(HeapFull::Shared) => self.abort(UnsupportedReason::SharedObjectLimit),
        }
    }

    /// Allocates an object as `new` does.
    pub(crate) fn new_object(&mut self, ty: TypeIx) -> InterpResult<ObjectId> {
        self.allocate(Object { ty: Some(ty), hash: 0, zeroed: true, escaped: false, body: ObjectBody::Fields(Vec::new()) })
    }

    /// Allocates an exception that the JVM throws. Its fields are unknown.
    pub(crate) fn new_exception(&mut self, class: &str) -> InterpResult<ObjectId> {
        let ty = self.linked.class_ix(class);
        self.allocate(Object { ty: Some(ty), hash: 0, zeroed: false, escaped: true, body: ObjectBody::Fields(Vec::new()) })
    }

    /// Allocates an array of zeros.
    pub(crate) fn new_array(&mut self, ty: TypeIx, length: u32) -> InterpResult<ObjectId> {
        let kind = self.linked.element(ty).map_or(SlotKind::Ref, |element| SlotKind::of(self.linked.ty(element)));
        let body = ObjectBody::Array(Array::zeroed(kind, length));
        self.allocate(Object { ty: Some(ty), hash: 0, zeroed: true, escaped: false, body })
    }

    /// The interned string with these UTF-16 units.
    pub(crate) fn intern(&mut self, units: &Rc<[u16]>) -> InterpResult<ObjectId> {
        if !self.heap.is_initialising()
            && let Some(object) = self.heap.interned(units)
        {
            return Ok(object);
        }
        // The JVM's string table refers to it, so it has escaped.
        let body = ObjectBody::Str(StringContents { units: Some(units.clone()), symbolic: None });
        let object = Object { ty: Some(self.string), hash: 0, zeroed: false, escaped: true, body };
        let object = match self.linked.shared_heap.interned(units, &object) {
            Some(shared) => shared,
            None => self.allocate(object)?,
        };
        self.heap.set_interned(units.clone(), object);
        Ok(object)
    }

    /// The `Class` object of a type.
    pub(crate) fn mirror(&mut self, ty: TypeIx) -> InterpResult<ObjectId> {
        if !self.heap.is_initialising()
            && let Some(object) = self.heap.mirror(ty)
        {
            return Ok(object);
        }
        let class = self.linked.class_ix("java/lang/Class");
        let object = Object { ty: Some(class), hash: 0, zeroed: false, escaped: true, body: ObjectBody::Mirror };
        let object = match self.linked.shared_heap.mirror(ty, &object) {
            Some(shared) => shared,
            None => self.allocate(object)?,
        };
        self.heap.set_mirror(ty, object);
        Ok(object)
    }

    /// The object; the one for null where the number is invalid.
    #[inline]
    pub(crate) fn object(&self, id: ObjectId) -> &Object {
        self.heap.object(&self.linked.shared_heap, id)
    }

    /// The object for any change; [`Machine::set_cell`] and [`Machine::set_field`] cost less.
    #[inline]
    pub(crate) fn object_mut(&mut self, id: ObjectId) -> &mut Object {
        self.heap.object_mut(&mut self.linked.shared_heap, id)
    }

    /// Writes an array cell.
    #[inline]
    pub(crate) fn set_cell(&mut self, id: ObjectId, at: u32, value: Slot) {
        self.heap.set_cell(&mut self.linked.shared_heap, id, at, value);
    }

    /// Writes an instance field.
    #[inline]
    pub(crate) fn set_field(&mut self, id: ObjectId, field: FieldIx, value: Slot) {
        self.heap.set_field(&mut self.linked.shared_heap, id, field, value);
    }

    /// Whether the type is `java.lang.String`.
    pub(crate) fn is_string(&self, ty: TypeIx) -> bool {
        ty == self.string
    }

    /// The internal name of the object's class, for messages; `?` if it is unknown.
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

    /// Searches a handler for the exception from the current instruction outwards, down to the
    /// frame above `floor` callers. `None`: a handler was found and runs next.
    pub(crate) fn throw(&mut self, exception: ObjectId, floor: usize) -> InterpResult<Option<Completion>> {
        // A throw has no event, but it belongs to the path.
        if self.frames.is_recorded() {
            self.path.record_outcome(self.frames.top().base.wrapping_add(self.bci()), u32::MAX);
        }
        while self.frames.depth() > floor {
            if let Some(index) = self.handler(exception) {
                let handler = &self.frames.code().handlers[index];
                let (target, site) = (handler.handler, self.frames.top().base.wrapping_add(handler.site));
                match self.cursor.peek() {
                    _ if !self.frames.is_recorded() => {}
                    Some(Event::Caught { site: found, value }) if found.0 == site => {
                        // The handler may catch another exception that the JVM threw earlier.
                        if self.cursor.announced().class(value.class).map(|name| name.internal())
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
                self.frames.clear_operands();
                self.push(Slot::reference(exception));
                self.frames.jump_to(target);
                return Ok(None);
            }
            self.left_by(exception, floor)?;
            self.frames.leave();
        }
        Ok(Some(Completion::Threw(exception)))
    }

    /// Consumes the event of an exception that leaves a method. Recordings of target JVMs have one
    /// for each method except the outermost one, and except constructors without an initialised
    /// object.
    fn left_by(&mut self, exception: ObjectId, floor: usize) -> InterpResult<()> {
        let is_outermost = self.nesting == 1 && self.frames.depth() == floor + 1;
        if !self.cursor.has_method_exits() || !self.frames.is_recorded() || is_outermost {
            return Ok(());
        }
        let Some(&Event::Thrown { index, value }) = self.cursor.peek() else { return Ok(()) };
        if self.entry_method(index) != Some((self.frames.top().method, self.frames.top().base)) {
            return Ok(());
        }
        if self.cursor.announced().class(value.class).map(|name| name.internal()) != Some(&*self.type_name(exception)) {
            self.machine_error(value)?;
        }
        self.cursor.advance();
        let contents = self.cursor.contents();
        self.check_reference(exception, value, contents, "exception")
    }

    fn handler(&mut self, exception: ObjectId) -> Option<usize> {
        let code = self.frames.code().clone();
        let ty = self.object(exception).ty;
        code.handlers.iter().position(|handler| {
            (handler.start..handler.end).contains(&self.frames.pc())
                && match (handler.catches, ty) {
                    (None, _) => true,
                    (Some(catches), Some(ty)) => self.linked.is_subtype(ty, catches),
                    (Some(_), None) => false,
                }
        })
    }
}
