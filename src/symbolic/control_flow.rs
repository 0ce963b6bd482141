//! Which instructions of recorded code a run executed, by its control flow alone: no value is computed, so that it can be said of a run
//! whose replay ended early (DESIGN §3). Flows in: a recording and the code; flows out: a count, and the instructions themselves. Must not know objects or
//! terms. Where an instruction threw, the recording does not tell: what stands between it and the next event counts as well, a few instructions at most.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use tracewright_trace::Event;

use super::linked::{Code, LinkedProgram, MethodIx, Op};
use crate::path::BranchOutcome;
use crate::program::MethodRef;
use crate::recording::{Announced, EventCursor, Recording};
use std::rc::Rc;

/// Instructions that recorded code of the main thread executed.
pub(crate) fn executed(linked: &mut LinkedProgram<'_>, recording: &Recording) -> u64 {
    walk(linked, recording, None)
}

fn walk(linked: &mut LinkedProgram<'_>, recording: &Recording, steps: Option<&mut Steps>) -> u64 {
    let mut walk =
        ControlFlowReplay { linked, recording, cursor: EventCursor::new(recording), frames: Vec::new(), count: 0, steps };
    while walk.cursor.peek().is_some() {
        walk.go();
    }
    walk.count
}

/// Instructions by method and place in its code, and ways out of jumps and switches.
#[derive(Debug, Default)]
struct Steps {
    instructions: HashSet<(MethodIx, usize)>,
    outcomes: HashSet<(MethodIx, usize, u32)>,
}

/// The method whose entry a site is.
pub(crate) fn method_at(linked: &mut LinkedProgram<'_>, announced: &Announced, site: u32) -> Option<MethodRef> {
    let table = announced.table_of(site)?;
    let ty = linked.named(table.class.internal());
    let method = linked.entry_at(ty, site - table.base)?;
    Some(linked.method(method).reference.clone())
}

/// What recorded runs executed of some code, however often.
#[derive(Debug)]
pub(crate) struct Coverage<'p> {
    linked: LinkedProgram<'p>,
    steps: Steps,
}

/// The same by names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Covered {
    /// Bytecode indices.
    pub(crate) instructions: BTreeMap<MethodRef, BTreeSet<u32>>,
    pub branches: BTreeSet<BranchOutcome>,
}

impl<'p> Coverage<'p> {
    pub(crate) fn new(program: &'p crate::program::Program) -> Coverage<'p> {
        Coverage { linked: LinkedProgram::new(program), steps: Steps::default() }
    }

    /// How many instructions and ways out of methods like `wanted` were not known before.
    pub(crate) fn add(&mut self, recording: &Recording, wanted: impl Fn(&MethodRef) -> bool) -> usize {
        let mut steps = Steps::default();
        walk(&mut self.linked, recording, Some(&mut steps));
        let mut asked: HashMap<MethodIx, bool> = HashMap::new();
        let linked = &self.linked;
        let mut counts = |method: MethodIx| *asked.entry(method).or_insert_with(|| wanted(&linked.method(method).reference));
        let mut gain = 0;
        for step in steps.instructions {
            gain += usize::from(self.steps.instructions.insert(step) && counts(step.0));
        }
        for step in steps.outcomes {
            gain += usize::from(self.steps.outcomes.insert(step) && counts(step.0));
        }
        gain
    }

    /// The method whose entry this site is.
    pub(crate) fn method_at(&mut self, announced: &Announced, site: u32) -> Option<MethodRef> {
        method_at(&mut self.linked, announced, site)
    }

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

struct Frame {
    method: MethodIx,
    code: Rc<Code>,
    pc: usize,
    /// What its class's site numbers start at.
    base: u32,
    /// The current instruction is counted and waits: for a callee, or for an initialiser that it started.
    waits: bool,
}

struct ControlFlowReplay<'a, 'p> {
    linked: &'a mut LinkedProgram<'p>,
    recording: &'a Recording,
    cursor: EventCursor<'a>,
    frames: Vec<Frame>,
    count: u64,
    /// Where somebody wants to know more than how many.
    steps: Option<&'a mut Steps>,
}

/// What an instruction did.
enum Step {
    Next,
    To(usize),
    Left,
    /// The event at hand begins another method.
    Entered,
    /// The event at hand is none of this instruction.
    Unfit,
}

impl ControlFlowReplay<'_, '_> {
    /// Runs until the innermost frame is left, another is entered, or the events lead elsewhere.
    fn go(&mut self) {
        let Some(frame) = self.frames.last_mut() else {
            if !self.enter() {
                self.cursor.advance();
            }
            return;
        };
        // Between two events no instruction runs twice: loops have jumps, and jumps have events.
        let mut quiet = frame.code.ops.len();
        let mut at = self.cursor.position();
        loop {
            let Some(frame) = self.frames.last_mut() else { return };
            let Some(instr) = frame.code.ops.get(frame.pc) else {
                self.frames.pop();
                return;
            };
            let op = instr.op;
            if !std::mem::replace(&mut frame.waits, false) {
                self.count += 1;
                if let Some(steps) = &mut self.steps {
                    steps.instructions.insert((frame.method, frame.pc));
                }
            }
            match self.step(op) {
                Step::Next => self.move_on(None),
                Step::To(target) => self.move_on(Some(target)),
                Step::Left => {
                    self.frames.pop();
                    return;
                }
                Step::Entered => return,
                Step::Unfit => return self.resume(),
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

    fn move_on(&mut self, target: Option<usize>) {
        if let Some(frame) = self.frames.last_mut() {
            frame.pc = target.unwrap_or(frame.pc + 1);
        }
    }

    fn step(&mut self, op: Op) -> Step {
        let Some(frame) = self.frames.last() else { return Step::Unfit };
        let found = self.cursor.peek();
        match op {
            Op::If(_, target) | Op::IfIcmp(_, target) | Op::IfAcmp(_, target) | Op::IfNull(_, target) => {
                let (step, outcome) = match found {
                    Some(Event::BranchTaken) => (Step::To(target as usize), 1),
                    Some(Event::BranchNot) => (Step::Next, 0),
                    _ => return Step::Unfit,
                };
                let place = (frame.method, frame.pc);
                self.cursor.advance();
                self.took(place, outcome);
                step
            }
            Op::Switch(index) => {
                let Some(Event::Switch { key }) = found else { return Step::Unfit };
                let Some(info) = frame.code.switches.get(index as usize) else { return Step::Unfit };
                let outcome = info.outcome(*key);
                let target = info.cases.get(outcome).map_or(info.default, |case| case.1);
                let place = (frame.method, frame.pc);
                self.cursor.advance();
                self.took(place, outcome as u32);
                Step::To(target)
            }
            Op::Goto(target) => Step::To(target as usize),
            Op::Return(_) => match found {
                Some(Event::Exit) => {
                    self.cursor.advance();
                    Step::Left
                }
                _ => Step::Unfit,
            },
            Op::Throw | Op::Unsupported(_) => Step::Unfit,
            Op::Invoke(_) => match found {
                Some(Event::Entry { .. }) => self.entered(),
                Some(event) if returned_at(event).is_some_and(|site| Some(site) == site_of(frame)) => {
                    self.cursor.advance();
                    self.cursor.contents();
                    Step::Next
                }
                _ => Step::Unfit,
            },
            // What may start an initialiser.
            Op::GetStatic(_) | Op::PutStatic(_) | Op::New(_) | Op::Dynamic(..) if matches!(found, Some(Event::Entry { .. })) => {
                self.entered()
            }
            Op::GetStatic(_) | Op::GetField(_) | Op::ArrayLoad(_) if site_of(frame).is_some() => match found {
                Some(Event::Load32 { .. } | Event::Load64 { .. } | Event::LoadRef { .. }) => {
                    self.cursor.advance();
                    self.cursor.contents();
                    Step::Next
                }
                _ => Step::Unfit,
            },
            _ => Step::Next,
        }
    }

    fn took(&mut self, (method, pc): (MethodIx, usize), outcome: u32) {
        if let Some(steps) = &mut self.steps {
            steps.outcomes.insert((method, pc, outcome));
        }
    }

    fn entered(&mut self) -> Step {
        if let Some(frame) = self.frames.last_mut() {
            frame.waits = true;
        }
        if self.enter() { Step::Entered } else { Step::Unfit }
    }

    /// Begins the method whose entry is at hand.
    fn enter(&mut self) -> bool {
        let Some(Event::Entry { site }) = self.cursor.peek() else { return false };
        let Some((method, code, base)) = self.code_at(site.0) else { return false };
        self.cursor.advance();
        while let Some(Event::Arg32 { .. } | Event::Arg64 { .. } | Event::ArgRef { .. }) = self.cursor.peek() {
            self.cursor.advance();
            self.cursor.contents();
        }
        self.frames.push(Frame { method, code, pc: 0, base, waits: false });
        true
    }

    fn code_at(&mut self, site: u32) -> Option<(MethodIx, Rc<Code>, u32)> {
        let table = self.recording.announced.table_of(site)?;
        let (base, class) = (table.base, table.class.clone());
        let ty = self.linked.named(class.internal());
        let method: MethodIx = self.linked.entry_at(ty, site - base)?;
        Some((method, self.linked.code(method).ok()?, base))
    }

    /// An exception, perhaps through code that is not recorded: on with the frame that the event at hand belongs to.
    fn resume(&mut self) {
        let found = self.cursor.peek();
        if let Some(&Event::Thrown { index, .. }) = found
            && let Some((method, _, base)) = self.code_at(index)
            && let Some(left) = self.frames.iter().rposition(|frame| frame.method == method && frame.base == base)
            && left > 0
        {
            // It leaves this method; whether the next one as well, the events say.
            self.frames.truncate(left);
            self.cursor.advance();
            self.cursor.contents();
            return;
        }
        let fits = |frame: &Frame| match found {
            Some(Event::Caught { site, .. }) => {
                let handler = frame.code.handlers.iter().find(|handler| frame.base.wrapping_add(handler.site) == site.0);
                handler.map(|handler| Some(handler.handler))
            }
            Some(event) => returned_at(event).filter(|site| frame.waits && Some(*site) == site_of(frame)).map(|_| None),
            None => None,
        };
        let place = self.frames.iter().rposition(|frame| fits(frame).is_some());
        let Some((place, to)) = place.and_then(|place| Some((place, fits(self.frames.get(place)?)?))) else {
            // Nothing goes on here: the statement is over, or the event belongs to nobody.
            match found {
                Some(Event::Entry { .. }) if matches!(self.entered(), Step::Entered) => {}
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
            (frame.pc, frame.waits) = (handler, false);
            self.cursor.advance();
            self.cursor.contents();
        }
    }
}

fn site_of(frame: &Frame) -> Option<u32> {
    let local = frame.code.ops.get(frame.pc)?.site;
    (local != super::linked::NO_SITE).then(|| frame.base.wrapping_add(local))
}

fn returned_at(event: &Event) -> Option<u32> {
    match event {
        Event::RetVoid { site } | Event::Ret32 { site, .. } | Event::Ret64 { site, .. } | Event::RetRef { site, .. } => {
            Some(site.0)
        }
        _ => None,
    }
}
