//! The machine: it owns the parts of a replay's state and runs the test case over them. In: a test
//! case and its recording; out: a [`Replay`]. The files below are its behaviour, one for each
//! family of operations; they alone see its fields. It lends parts to models and to the structural
//! view as a [`ModelContext`]. Must not know library methods.
//!
//! The structural view is no trait: it has one implementation, and its hooks stand on the path of
//! every read. The machine only knows [`StructuralView::is_active`] and the hooks of the context.

mod calls;
mod checkpoint;
mod concat;
mod events;
mod exceptions;
mod initialisers;
mod interpretation;
mod invoke_dynamic;
mod lambda;
mod natives;
mod pattern_switch;
mod record_methods;
mod statements;
mod step;
mod unsafe_memory;

use std::sync::atomic::AtomicBool;

use super::completion::{InterpResult, Stop};
use super::config::ReplayConfig;
use super::context::ModelContext;
use super::data::code::NO_SITE;
use super::data::ids::{FieldIx, MethodIx, SlotKind, TypeIx};
use super::data::objects::{Object, ObjectId, Slot};
use super::linked::LinkedProgram;
use super::outcome::{PathEnd, Replay};
use super::reason::UnsupportedReason;
use super::state::budget::ReplayBudget;
use super::state::counts::ReplayCounts;
use super::state::frames::Frames;
use super::state::heap::Heap;
use super::state::path::Path;
use super::state::recorded::RecordedCursor;
use super::state::structural_view::StructuralView;
use super::state::test_progress::TestProgress;
use crate::expr::TermStore;
use crate::path::StepKind;
use crate::program::MethodRef;
use crate::recording::Recording;
use crate::testcase::TestCase;

/// The state of one replay in parts, each of which undoes its own changes.
pub(crate) struct Machine<'a, 'p> {
    linked: &'a mut LinkedProgram<'p>,
    terms: &'a mut TermStore,
    config: &'a ReplayConfig,
    test: TestProgress<'a>,
    cursor: RecordedCursor<'a>,
    heap: Heap,
    path: Path,
    frames: Frames,
    counts: ReplayCounts,
    budget: ReplayBudget<'a>,
    view: StructuralView,
    watch: Watch<'a>,
}

/// The method of which the path keeps each step.
#[derive(Debug, Default)]
struct Watch<'a> {
    method: Option<&'a MethodRef>,
    /// The same in resolved form, once it was entered.
    entered: Option<MethodIx>,
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
        let recorded_types = recording.announced.tables().map(|table| linked.named(table.class.internal())).collect();
        let most_terms = terms.len().saturating_add(config.terms);
        Machine {
            linked,
            terms,
            config,
            test: TestProgress::new(test),
            cursor: RecordedCursor::new(recording, recorded_types),
            heap: Heap::new(config.heap),
            path: Path::default(),
            frames: Frames::new(),
            counts: ReplayCounts::default(),
            budget: ReplayBudget::new(stop, most_terms, config.interpretation),
            view: StructuralView::default(),
            watch: Watch::default(),
        }
    }

    /// The same machine, whose path keeps each step of the method.
    pub(crate) fn watching(mut self, method: Option<&'a MethodRef>) -> Machine<'a, 'p> {
        self.watch.method = method;
        self
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
        let reason = match &end {
            PathEnd::Returned | PathEnd::Threw { .. } | PathEnd::Stopped => None,
            PathEnd::Unsupported { reason } => Some(reason.clone()),
            PathEnd::Budget { what } => Some(format!("limit of {what}")),
            PathEnd::JvmDied => Some("the recording ends".into()),
            PathEnd::Diverged => Some("divergence".into()),
        };
        let ended_early = reason.map(|reason| {
            let executed = super::control_flow::executed(self.linked, self.cursor.recording());
            (reason, executed.saturating_sub(self.counts.executed()))
        });
        let result = if end == PathEnd::Returned { self.call_result() } else { None };
        self.end_entry();
        let unsupported = match &end {
            PathEnd::Unsupported { reason } => Some(&**reason),
            _ => None,
        };
        let stats = self.counts.finish(ended_early, unsupported);
        let structure = self.view.into_structure();
        Replay { path: self.path.into_condition(), end, result, stats, entered: self.test.into_entered(), structure }
    }

    /// Lends the parts that models and the structural view work on.
    #[inline]
    fn context(&mut self) -> ModelContext<'_, 'p> {
        ModelContext {
            linked: self.linked,
            terms: self.terms,
            heap: &mut self.heap,
            path: &mut self.path,
            counts: &mut self.counts,
            view: &mut self.view,
            cursor: &self.cursor,
            frames: &self.frames,
            config: self.config,
            statement: self.test.statement(),
        }
    }

    // Position.

    /// Bytecode index of the current instruction.
    fn bci(&self) -> u32 {
        self.frames.bci()
    }

    /// Site number of the current instruction in this recording.
    #[inline]
    fn site(&self) -> u32 {
        self.frames.site()
    }

    /// Whether the current instruction has a probe.
    #[inline]
    fn has_site(&self) -> bool {
        self.frames.local_site() != NO_SITE
    }

    /// Whether the recording has probes of the class.
    fn is_recorded_class(&self, ty: TypeIx) -> bool {
        self.cursor.is_recorded_type(ty)
    }

    // Ends.

    /// Ends the path; in interpreted code only the attempt fails.
    fn unsupported<T>(&self, reason: UnsupportedReason) -> InterpResult<T> {
        Err(Stop::unsupported(reason, self.frames.is_interpreting()))
    }

    /// Ends the path at a limit.
    fn budget<T>(&self, what: &str) -> InterpResult<T> {
        Err(Stop::budget(what))
    }

    /// Ends the path at a limit; inside a checkpoint only the attempt fails.
    fn limit<T>(&self, what: &'static str) -> InterpResult<T> {
        Err(Stop::limit(what, self.heap.checkpoints() > 0))
    }

    /// Fails the attempt; another attempt may succeed.
    fn abort<T>(&self, reason: UnsupportedReason) -> InterpResult<T> {
        Err(Stop::abort(reason))
    }

    /// Fails the attempt; every attempt would fail for this reason.
    fn abort_for_good<T>(&self, reason: UnsupportedReason) -> InterpResult<T> {
        Err(Stop::lasting_abort(reason))
    }

    // Objects.

    /// The object; the one for null where the number is invalid.
    #[inline]
    fn object(&self, id: ObjectId) -> &Object {
        self.heap.object(&self.linked.shared_heap, id)
    }

    /// The object for any change; [`Machine::set_cell`] and [`Machine::set_field`] cost less.
    #[inline]
    fn object_mut(&mut self, id: ObjectId) -> &mut Object {
        self.heap.object_mut(&mut self.linked.shared_heap, id)
    }

    /// Writes an array cell.
    #[inline]
    fn set_cell(&mut self, id: ObjectId, at: u32, value: Slot) {
        self.heap.set_cell(&mut self.linked.shared_heap, id, at, value);
    }

    /// Writes an instance field.
    #[inline]
    fn set_field(&mut self, id: ObjectId, field: FieldIx, value: Slot) {
        self.heap.set_field(&mut self.linked.shared_heap, id, field, value);
    }

    /// Whether the type is `java.lang.String`.
    #[inline]
    fn is_string(&self, ty: TypeIx) -> bool {
        ty == self.linked.string()
    }

    /// The internal name of the object's class, for messages; `?` if it is unknown.
    fn type_name(&self, id: ObjectId) -> String {
        self.linked.type_name(id, self.object(id).ty)
    }

    /// Whether two references are known to be one object.
    fn is_same(&self, a: ObjectId, b: ObjectId) -> bool {
        self.heap.is_same(&self.linked.shared_heap, a, b)
    }

    // Operand stack.

    /// Pushes a value of one slot.
    #[inline]
    fn push(&mut self, slot: Slot) {
        self.frames.push(slot);
    }

    /// Pushes a long or double.
    #[inline]
    fn push_wide(&mut self, slot: Slot) {
        self.frames.push_wide(slot);
    }

    /// Pushes a value of the kind.
    #[inline]
    fn push_kind(&mut self, kind: SlotKind, slot: Slot) {
        self.frames.push_kind(kind, slot);
    }

    /// Pops one slot.
    #[inline]
    fn pop(&mut self) -> Slot {
        self.frames.pop()
    }

    /// Pops a long or double.
    #[inline]
    fn pop_wide(&mut self) -> Slot {
        self.frames.pop_wide()
    }

    /// Pops a value of the kind.
    #[inline]
    fn pop_kind(&mut self, kind: SlotKind) -> Slot {
        self.frames.pop_kind(kind)
    }

    // Frames.

    /// Begins a recorded call. `arguments`: the receiver, unless static, and the arguments, one
    /// slot each.
    fn enter(&mut self, method: MethodIx, base: u32, arguments: &[Slot]) -> InterpResult<()> {
        self.enter_frame(method, base, true, arguments)
    }

    /// Begins a call; `base`: the first site number of its class.
    fn enter_frame(&mut self, method: MethodIx, base: u32, recorded: bool, arguments: &[Slot]) -> InterpResult<()> {
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
        if self.watch.method.is_some_and(|watched| info.reference == *watched) {
            self.watch.entered = Some(method);
            self.watch_step(|_| StepKind::Entered);
        }
        let info = self.linked.method(method);
        let mut at = 0;
        let receiver = (!info.is_static).then_some(SlotKind::Ref);
        // `LinkedProgram::code` has checked that they fit.
        for (kind, &argument) in receiver.iter().chain(info.parameters.iter()).zip(arguments) {
            self.frames.set_local(at, argument);
            at += 1 + u16::from(kind.is_wide());
        }
        Ok(())
    }

    /// Keeps a step of the current call where its method is watched. `kind` gets the current bci.
    #[inline]
    fn watch_step(&mut self, kind: impl FnOnce(u32) -> StepKind) {
        if self.watch.entered == Some(self.frames.top().method) && self.frames.is_recorded() {
            self.path.push_watched(self.frames.depth(), kind(self.frames.bci()));
        }
    }
}
