//! The instructions of recorded code that a run executed, from its control flow alone. No value is
//! computed, so it works for runs whose replay ended early. In: a recording and linked code; out:
//! counts and positions. Must not know objects or terms. Where an instruction throws, the
//! instructions up to the next event are counted too, a few at most.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use tracewright_trace::Event;

use super::data::code::{Code, Op};
use super::data::ids::MethodIx;
use super::linked::LinkedProgram;
use crate::path::BranchOutcome;
use crate::program::MethodRef;
use crate::recording::{Announced, EventCursor, Recording};

/// Instructions of recorded code that the main thread executed.
pub(crate) fn executed(linked: &mut LinkedProgram<'_>, recording: &Recording) -> u64 {
    replay_control_flow(linked, recording, None)
}

/// Follows the whole recording. Returns the number of executed instructions.
fn replay_control_flow(linked: &mut LinkedProgram<'_>, recording: &Recording, steps: Option<&mut ExecutedInstructions>) -> u64 {
    let mut replay =
        ControlFlowReplay { linked, recording, cursor: EventCursor::new(recording), frames: Vec::new(), count: 0, steps };
    while replay.cursor.peek().is_some() {
        replay.run_frame();
    }
    replay.count
}

/// Executed instructions and branch outcomes, by method and position.
#[derive(Debug, Default)]
struct ExecutedInstructions {
    instructions: HashSet<(MethodIx, usize)>,
    outcomes: HashSet<(MethodIx, usize, u32)>,
}

/// The method of an entry site.
pub(crate) fn method_at(linked: &mut LinkedProgram<'_>, announced: &Announced, site: u32) -> Option<MethodRef> {
    let table = announced.table_of(site)?;
    let ty = linked.named(table.class.internal());
    let method = linked.entry_at(ty, site - table.base)?;
    Some(linked.method(method).reference.clone())
}

/// Instructions and branch outcomes that recorded runs executed at least once.
#[derive(Debug)]
pub(crate) struct Coverage<'p> {
    linked: LinkedProgram<'p>,
    steps: ExecutedInstructions,
}

/// Executed instructions and branch outcomes of recorded runs, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Covered {
    /// Executed instructions by bytecode index.
    pub(crate) instructions: BTreeMap<MethodRef, BTreeSet<u32>>,
    /// Branch outcomes that a run took.
    pub branches: BTreeSet<BranchOutcome>,
}

impl<'p> Coverage<'p> {
    /// Coverage without recordings.
    pub(crate) fn new(program: &'p crate::program::Program) -> Coverage<'p> {
        Coverage { linked: LinkedProgram::new(program), steps: ExecutedInstructions::default() }
    }

    /// Adds a recording. Returns how many instructions and branch outcomes of `wanted` methods are
    /// new.
    pub(crate) fn add(&mut self, recording: &Recording, wanted: impl Fn(&MethodRef) -> bool) -> usize {
        let mut steps = ExecutedInstructions::default();
        replay_control_flow(&mut self.linked, recording, Some(&mut steps));
        let mut known: HashMap<MethodIx, bool> = HashMap::new();
        let linked = &self.linked;
        let mut counts = |method: MethodIx| *known.entry(method).or_insert_with(|| wanted(&linked.method(method).reference));
        let mut gain = 0;
        for step in steps.instructions {
            gain += usize::from(self.steps.instructions.insert(step) && counts(step.0));
        }
        for step in steps.outcomes {
            gain += usize::from(self.steps.outcomes.insert(step) && counts(step.0));
        }
        gain
    }

    /// The method of an entry site.
    pub(crate) fn method_at(&mut self, announced: &Announced, site: u32) -> Option<MethodRef> {
        method_at(&mut self.linked, announced, site)
    }

    /// The coverage by names.
    pub(crate) fn finish(mut self) -> Covered {
        let mut covered = Covered::default();
        for (method, pc) in self.steps.instructions {
            let reference = self.linked.method(method).reference.clone();
            let Some(bci) = self.linked.code(method).ok().and_then(|code| code.bcis.get(pc).copied()) else { continue };
            covered.instructions.entry(reference).or_default().insert(bci);
        }
        for (method, pc, outcome) in self.steps.outcomes {
            let reference = self.linked.method(method).reference.clone();
            let Some(bci) = self.linked.code(method).ok().and_then(|code| code.bcis.get(pc).copied()) else { continue };
            covered.branches.insert(BranchOutcome { method: reference, bci, outcome });
        }
        covered
    }
}

/// One call in progress.
struct ControlFlowFrame {
    method: MethodIx,
    code: Rc<Code>,
    pc: usize,
    /// First site number of the class.
    base: u32,
    /// Whether the current instruction is counted and its callee or initialiser runs.
    is_calling: bool,
}

/// A replay that computes no value.
struct ControlFlowReplay<'a, 'p> {
    linked: &'a mut LinkedProgram<'p>,
    recording: &'a Recording,
    cursor: EventCursor<'a>,
    frames: Vec<ControlFlowFrame>,
    count: u64,
    /// `None`: only the count is needed.
    steps: Option<&'a mut ExecutedInstructions>,
}

/// The effect of an instruction.
enum InstructionEffect {
    Next,
    To(usize),
    Left,
    /// The next event enters another method.
    Entered,
    /// The next event does not belong to the instruction.
    Unfit,
}

impl ControlFlowReplay<'_, '_> {
    /// Runs until the innermost frame is left, another is entered, or an event does not fit.
    fn run_frame(&mut self) {
        let Some(frame) = self.frames.last_mut() else {
            if !self.enter() {
                self.cursor.advance();
            }
            return;
        };
        // Between two events no instruction runs twice, since loops contain jumps, and jumps have
        // events.
        let mut quiet = frame.code.ops.len();
        let mut at = self.cursor.position();
        loop {
            let Some(frame) = self.frames.last_mut() else { return };
            let Some(instr) = frame.code.ops.get(frame.pc) else {
                self.frames.pop();
                return;
            };
            let op = instr.op;
            if !std::mem::replace(&mut frame.is_calling, false) {
                self.count += 1;
                if let Some(steps) = &mut self.steps {
                    steps.instructions.insert((frame.method, frame.pc));
                }
            }
            match self.step(op) {
                InstructionEffect::Next => self.continue_at(None),
                InstructionEffect::To(target) => self.continue_at(Some(target)),
                InstructionEffect::Left => {
                    self.frames.pop();
                    return;
                }
                InstructionEffect::Entered => return,
                InstructionEffect::Unfit => return self.resume(),
            }
            if self.cursor.position() != at {
                (at, quiet) = (self.cursor.position(), self.frames.last().map_or(0, |frame| frame.code.ops.len()));
            } else if quiet == 0 {
                return self.resume();
            } else {
                quiet -= 1;
            }
        }
    }

    fn continue_at(&mut self, target: Option<usize>) {
        if let Some(frame) = self.frames.last_mut() {
            frame.pc = target.unwrap_or(frame.pc + 1);
        }
    }

    fn step(&mut self, op: Op) -> InstructionEffect {
        let Some(frame) = self.frames.last() else { return InstructionEffect::Unfit };
        let found = self.cursor.peek();
        match op {
            Op::If(_, target) | Op::IfIcmp(_, target) | Op::IfAcmp(_, target) | Op::IfNull(_, target) => {
                let (step, outcome) = match found {
                    Some(Event::BranchTaken) => (InstructionEffect::To(target as usize), 1),
                    Some(Event::BranchNot) => (InstructionEffect::Next, 0),
                    _ => return InstructionEffect::Unfit,
                };
                let place = (frame.method, frame.pc);
                self.cursor.advance();
                self.took(place, outcome);
                step
            }
            Op::Switch(index) => {
                let Some(Event::Switch { key }) = found else { return InstructionEffect::Unfit };
                let Some(info) = frame.code.switches.get(index as usize) else { return InstructionEffect::Unfit };
                let outcome = info.outcome(*key);
                let target = info.cases.get(outcome).map_or(info.default, |case| case.1);
                let place = (frame.method, frame.pc);
                self.cursor.advance();
                self.took(place, outcome as u32);
                InstructionEffect::To(target)
            }
            Op::Goto(target) => InstructionEffect::To(target as usize),
            Op::Return(_) => match found {
                Some(Event::Exit) => {
                    self.cursor.advance();
                    InstructionEffect::Left
                }
                _ => InstructionEffect::Unfit,
            },
            Op::Throw | Op::Unsupported(_) => InstructionEffect::Unfit,
            Op::Invoke(_) => match found {
                Some(Event::Entry { .. }) => self.entered(),
                Some(event) if returned_at(event).is_some_and(|site| Some(site) == site_of(frame)) => {
                    self.cursor.advance();
                    self.cursor.contents();
                    InstructionEffect::Next
                }
                _ => InstructionEffect::Unfit,
            },
            // These may start an initialiser.
            Op::GetStatic(_) | Op::PutStatic(_) | Op::New(_) | Op::Dynamic(..) if matches!(found, Some(Event::Entry { .. })) => {
                self.entered()
            }
            Op::GetStatic(_) | Op::GetField(_) | Op::ArrayLoad(_) if site_of(frame).is_some() => match found {
                Some(Event::Load32 { .. } | Event::Load64 { .. } | Event::LoadRef { .. }) => {
                    self.cursor.advance();
                    self.cursor.contents();
                    InstructionEffect::Next
                }
                _ => InstructionEffect::Unfit,
            },
            _ => InstructionEffect::Next,
        }
    }

    fn took(&mut self, (method, pc): (MethodIx, usize), outcome: u32) {
        if let Some(steps) = &mut self.steps {
            steps.outcomes.insert((method, pc, outcome));
        }
    }

    fn entered(&mut self) -> InstructionEffect {
        if let Some(frame) = self.frames.last_mut() {
            frame.is_calling = true;
        }
        if self.enter() { InstructionEffect::Entered } else { InstructionEffect::Unfit }
    }

    /// Begins the method of the next event.
    fn enter(&mut self) -> bool {
        let Some(Event::Entry { site }) = self.cursor.peek() else { return false };
        let Some((method, code, base)) = self.code_at(site.0) else { return false };
        self.cursor.advance();
        while let Some(Event::Arg32 { .. } | Event::Arg64 { .. } | Event::ArgRef { .. }) = self.cursor.peek() {
            self.cursor.advance();
            self.cursor.contents();
        }
        self.frames.push(ControlFlowFrame { method, code, pc: 0, base, is_calling: false });
        true
    }

    fn code_at(&mut self, site: u32) -> Option<(MethodIx, Rc<Code>, u32)> {
        let table = self.recording.announced.table_of(site)?;
        let (base, class) = (table.base, table.class.clone());
        let ty = self.linked.named(class.internal());
        let method: MethodIx = self.linked.entry_at(ty, site - base)?;
        Some((method, self.linked.code(method).ok()?, base))
    }

    /// Continues after an exception, in the frame that the next event belongs to.
    fn resume(&mut self) {
        let found = self.cursor.peek();
        if let Some(&Event::Thrown { index, .. }) = found
            && let Some((method, _, base)) = self.code_at(index)
            && let Some(left) = self.frames.iter().rposition(|frame| frame.method == method && frame.base == base)
            && left > 0
        {
            // Further events tell whether the exception leaves the caller too.
            self.frames.truncate(left);
            self.cursor.advance();
            self.cursor.contents();
            return;
        }
        let fits = |frame: &ControlFlowFrame| match found {
            Some(Event::Caught { site, .. }) => {
                let handler = frame.code.handlers.iter().find(|handler| frame.base.wrapping_add(handler.site) == site.0);
                handler.map(|handler| Some(handler.handler))
            }
            Some(event) => returned_at(event).filter(|site| frame.is_calling && Some(*site) == site_of(frame)).map(|_| None),
            None => None,
        };
        let place = self.frames.iter().rposition(|frame| fits(frame).is_some());
        let Some((place, to)) = place.and_then(|place| Some((place, fits(self.frames.get(place)?)?))) else {
            // The statement has ended, or the event fits no frame.
            match found {
                Some(Event::Entry { .. }) if matches!(self.entered(), InstructionEffect::Entered) => {}
                Some(Event::Entry { .. } | Event::Caught { .. }) => self.cursor.advance(),
                _ => {
                    self.frames.clear();
                    self.cursor.advance();
                }
            }
            return;
        };
        self.frames.truncate(place + 1);
        if let (Some(frame), Some(handler)) = (self.frames.last_mut(), to) {
            (frame.pc, frame.is_calling) = (handler, false);
            self.cursor.advance();
            self.cursor.contents();
        }
    }
}

fn site_of(frame: &ControlFlowFrame) -> Option<u32> {
    let local = frame.code.ops.get(frame.pc)?.site;
    (local != super::data::code::NO_SITE).then(|| frame.base.wrapping_add(local))
}

fn returned_at(event: &Event) -> Option<u32> {
    match event {
        Event::RetVoid { site } | Event::Ret32 { site, .. } | Event::Ret64 { site, .. } | Event::RetRef { site, .. } => {
            Some(site.0)
        }
        _ => None,
    }
}
