//! The call stack of the replay: the current frame, its callers, operands and local variables (JVMS
//! §2.6). In: entries and returns of methods; out: the current instruction and its operands. Must
//! not know objects, terms or recordings.
//!
//! All frames share one operand stack and one vector of local variables, so that a call allocates
//! nothing for them:
//!
//! ```text
//! locals    | caller's variables | current variables      |
//!                                ^ CallFrame::locals
//! operands  | caller's operands  | current operands       |
//!                                ^ CallFrame::stack
//! ```

use std::rc::Rc;

use super::super::data::call_sites::ResultConversion;
use super::super::data::code::{Code, NO_SITE};
use super::super::data::ids::{MethodIx, SlotKind};
use super::super::data::objects::Slot;

/// One call in progress.
#[derive(Clone, Debug)]
pub(crate) struct CallFrame {
    pub(crate) method: MethodIx,
    code: Rc<Code>,
    /// Position in [`Code::ops`].
    pc: usize,
    /// Index of the first local variable.
    locals: usize,
    /// Index of the first operand.
    stack: usize,
    /// First site number of the method's class in this recording.
    pub(crate) base: u32,
    /// Whether the recording has events of this call. Interpreted code has none.
    recorded: bool,
    /// Conversions of its result on the way to the caller, applied from the last to the first.
    conversions: Vec<ResultConversion>,
}

/// Sizes of the stacks when a checkpoint began.
#[derive(Clone, Copy, Debug)]
struct FramesMark {
    callers: usize,
    operands: usize,
    locals: usize,
    nesting: usize,
}

/// The call stack. While no code runs, the current frame is an empty placeholder and there are no
/// callers.
#[derive(Debug)]
pub(crate) struct Frames {
    top: CallFrame,
    callers: Vec<CallFrame>,
    operands: Vec<Slot>,
    locals: Vec<Slot>,
    /// Entries in progress that recorded code did not call itself.
    nesting: usize,
    marks: Vec<FramesMark>,
}

impl Frames {
    /// An empty call stack.
    pub(crate) fn new() -> Frames {
        let code = Rc::new(Code::empty());
        let top =
            CallFrame { method: MethodIx(0), code, pc: 0, locals: 0, stack: 0, base: 0, recorded: true, conversions: Vec::new() };
        Frames { top, callers: Vec::new(), operands: Vec::new(), locals: Vec::new(), nesting: 0, marks: Vec::new() }
    }

    /// The current frame.
    #[inline]
    pub(crate) fn top(&self) -> &CallFrame {
        &self.top
    }

    /// The code of the current method.
    #[inline]
    pub(crate) fn code(&self) -> &Rc<Code> {
        &self.top.code
    }

    /// Replaces the code of the current frame by an equivalent one with the same positions.
    pub(crate) fn replace_code(&mut self, code: Rc<Code>) {
        self.top.code = code;
    }

    /// Position of the current instruction in [`Code::ops`].
    #[inline]
    pub(crate) fn pc(&self) -> usize {
        self.top.pc
    }

    /// Bytecode index of the current instruction; 0 past the end of the code.
    pub(crate) fn bci(&self) -> u32 {
        self.top.code.bcis.get(self.top.pc).copied().unwrap_or(0)
    }

    /// Number of the current instruction's probe in its class; [`NO_SITE`] without a probe.
    #[inline]
    pub(crate) fn local_site(&self) -> u32 {
        self.top.code.ops.get(self.top.pc).map_or(NO_SITE, |instr| instr.site)
    }

    /// Continues with the next instruction.
    #[inline]
    pub(crate) fn advance(&mut self) {
        self.top.pc += 1;
    }

    /// Continues with the instruction at a position.
    #[inline]
    pub(crate) fn jump_to(&mut self, pc: usize) {
        self.top.pc = pc;
    }

    /// Whether the recording has events of the current call.
    #[inline]
    pub(crate) fn is_recorded(&self) -> bool {
        self.top.recorded
    }

    /// Number of callers of the current frame; 0 while no code runs.
    #[inline]
    pub(crate) fn depth(&self) -> usize {
        self.callers.len()
    }

    /// Whether interpreted code runs, which the recording has no events of.
    #[inline]
    pub(crate) fn is_interpreting(&self) -> bool {
        self.depth() > 0 && !self.top.recorded
    }

    /// Site number of the current instruction in this recording.
    #[inline]
    pub(crate) fn site(&self) -> u32 {
        self.top.base.wrapping_add(self.local_site())
    }

    // Nested entries.

    /// Number of nested entries that recorded code did not call itself.
    pub(crate) fn nesting(&self) -> usize {
        self.nesting
    }

    /// Begins a nested entry; the current frame is its own.
    pub(crate) fn begin_nested(&mut self) {
        self.nesting += 1;
    }

    /// Ends the innermost nested entry.
    pub(crate) fn end_nested(&mut self) {
        self.nesting -= 1;
    }

    // Calls.

    /// Begins a call whose local variables are zero.
    pub(crate) fn enter(&mut self, method: MethodIx, code: Rc<Code>, base: u32, recorded: bool) {
        let locals = self.locals.len();
        self.locals.resize(locals + code.max_locals, Slot::ZERO);
        let stack = self.operands.len();
        let frame = CallFrame { method, code, pc: 0, locals, stack, base, recorded, conversions: Vec::new() };
        self.callers.push(std::mem::replace(&mut self.top, frame));
    }

    /// Removes the current frame and continues in its caller.
    pub(crate) fn leave(&mut self) {
        self.locals.truncate(self.top.locals);
        self.operands.truncate(self.top.stack);
        if let Some(caller) = self.callers.pop() {
            self.top = caller;
        }
    }

    /// Sets the conversions of the current call's result.
    pub(crate) fn set_conversions(&mut self, conversions: Vec<ResultConversion>) {
        self.top.conversions = conversions;
    }

    /// Removes and returns the conversions of the current call's result.
    pub(crate) fn take_conversions(&mut self) -> Vec<ResultConversion> {
        std::mem::take(&mut self.top.conversions)
    }

    /// Removes all operands of the current frame.
    pub(crate) fn clear_operands(&mut self) {
        self.operands.truncate(self.top.stack);
    }

    // Local variables. `LinkedProgram::code` has checked that the indices are below `max_locals`.

    /// A local variable of the current frame.
    #[inline]
    pub(crate) fn local(&self, at: u16) -> Slot {
        self.locals[self.top.locals + usize::from(at)]
    }

    /// Sets a local variable of the current frame.
    #[inline]
    pub(crate) fn set_local(&mut self, at: u16, value: Slot) {
        let index = self.top.locals + usize::from(at);
        self.locals[index] = value;
    }

    /// Sets a long or double variable: the second slot is a filler.
    #[inline]
    pub(crate) fn set_wide_local(&mut self, at: u16, value: Slot) {
        let index = self.top.locals + usize::from(at);
        self.locals[index] = value;
        self.locals[index + 1] = Slot::ZERO;
    }

    // Operands. Underflow cannot happen in verified code; in other code it gives zeros, and later a
    // divergence.

    /// Pushes a value of one slot.
    #[inline]
    pub(crate) fn push(&mut self, slot: Slot) {
        self.operands.push(slot);
    }

    /// Pushes a long or double: the second slot is a filler.
    #[inline]
    pub(crate) fn push_wide(&mut self, slot: Slot) {
        self.operands.push(slot);
        self.operands.push(Slot::ZERO);
    }

    /// Pushes a value of the kind.
    #[inline]
    pub(crate) fn push_kind(&mut self, kind: SlotKind, slot: Slot) {
        if kind.is_wide() { self.push_wide(slot) } else { self.push(slot) }
    }

    /// Pushes several slots, the last one on top.
    #[inline]
    pub(crate) fn push_all(&mut self, slots: impl IntoIterator<Item = Slot>) {
        self.operands.extend(slots);
    }

    /// Pops one slot.
    #[inline]
    pub(crate) fn pop(&mut self) -> Slot {
        self.operands.pop().unwrap_or_default()
    }

    /// Pops a long or double.
    #[inline]
    pub(crate) fn pop_wide(&mut self) -> Slot {
        self.operands.pop();
        self.operands.pop().unwrap_or_default()
    }

    /// Pops a value of the kind.
    #[inline]
    pub(crate) fn pop_kind(&mut self, kind: SlotKind) -> Slot {
        if kind.is_wide() { self.pop_wide() } else { self.pop() }
    }

    // Checkpoints. A checkpoint is committed or rolled back while its frames still exist.

    /// Begins a checkpoint.
    pub(crate) fn begin(&mut self) {
        self.marks.push(FramesMark {
            callers: self.callers.len(),
            operands: self.operands.len(),
            locals: self.locals.len(),
            nesting: self.nesting,
        });
    }

    /// Ends the innermost checkpoint and keeps the frames.
    pub(crate) fn commit(&mut self) {
        self.marks.pop();
    }

    /// Ends the innermost checkpoint and removes the frames that were entered since.
    pub(crate) fn roll_back(&mut self) {
        let Some(mark) = self.marks.pop() else { return };
        while self.callers.len() > mark.callers {
            self.leave();
        }
        self.operands.truncate(mark.operands);
        self.locals.truncate(mark.locals);
        self.nesting = mark.nesting;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(max_locals: usize) -> Rc<Code> {
        Rc::new(Code { max_locals, ..Code::empty() })
    }

    #[test]
    fn a_frame_has_operands_and_variables_of_its_own() {
        let mut frames = Frames::new();
        frames.enter(MethodIx(1), code(2), 0, true);
        frames.set_local(1, Slot::int(7));
        frames.push(Slot::int(1));
        frames.enter(MethodIx(2), code(1), 0, false);
        frames.push_wide(Slot::int(2));
        assert!(!frames.is_recorded());
        frames.leave();
        assert_eq!((frames.depth(), frames.local(1), frames.pop()), (1, Slot::int(7), Slot::int(1)));
    }

    #[test]
    fn roll_back_removes_frames_and_operands() {
        let mut frames = Frames::new();
        frames.enter(MethodIx(1), code(1), 0, true);
        frames.push(Slot::int(1));
        frames.begin();
        frames.enter(MethodIx(2), code(3), 0, false);
        frames.push(Slot::int(2));
        frames.roll_back();
        assert_eq!((frames.depth(), frames.top().method), (1, MethodIx(1)));
        frames.begin();
        frames.push(Slot::int(3));
        frames.commit();
        assert_eq!((frames.pop(), frames.pop()), (Slot::int(3), Slot::int(1)));
    }
}
