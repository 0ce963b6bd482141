//! How many instructions of recorded code a run executed, by its control flow alone: no value is computed, so that it can be said of a run
//! whose replay ended early (DESIGN §3). Flows in: a recording and the code; flows out: a count. Must not know objects or terms. Where an
//! instruction threw, the recording does not tell: what stands between it and the next event counts as well, a few instructions at most.

use tracewright_trace::Event;

use super::world::{Code, MethodIx, Op, World};
use crate::recording::{Cursor, Recording};
use std::rc::Rc;

/// Instructions that recorded code of the main thread executed.
pub fn executed(world: &mut World<'_>, recording: &Recording) -> u64 {
    let mut walk = Walk { world, recording, cursor: Cursor::new(recording), frames: Vec::new(), count: 0 };
    while walk.cursor.peek().is_some() {
        walk.go();
    }
    walk.count
}

struct Frame {
    code: Rc<Code>,
    pc: usize,
    /// What its class's site numbers start at.
    base: u32,
    /// The current instruction is counted and waits: for a callee, or for an initialiser that it started.
    waits: bool,
}

struct Walk<'a, 'p> {
    world: &'a mut World<'p>,
    recording: &'a Recording,
    cursor: Cursor<'a>,
    frames: Vec<Frame>,
    count: u64,
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

impl Walk<'_, '_> {
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
                let step = match found {
                    Some(Event::BranchTaken) => Step::To(target as usize),
                    Some(Event::BranchNot) => Step::Next,
                    _ => return Step::Unfit,
                };
                self.cursor.advance();
                step
            }
            Op::Switch(index) => {
                let Some(Event::Switch { key }) = found else { return Step::Unfit };
                let Some(info) = frame.code.switches.get(index as usize) else { return Step::Unfit };
                let target = info.cases.get(info.outcome(*key)).map_or(info.default, |case| case.1);
                self.cursor.advance();
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

    fn entered(&mut self) -> Step {
        if let Some(frame) = self.frames.last_mut() {
            frame.waits = true;
        }
        if self.enter() { Step::Entered } else { Step::Unfit }
    }

    /// Begins the method whose entry is at hand.
    fn enter(&mut self) -> bool {
        let Some(Event::Entry { site }) = self.cursor.peek() else { return false };
        let Some((code, base)) = self.code_at(site.0) else { return false };
        self.cursor.advance();
        while let Some(Event::Arg32 { .. } | Event::Arg64 { .. } | Event::ArgRef { .. }) = self.cursor.peek() {
            self.cursor.advance();
            self.cursor.contents();
        }
        self.frames.push(Frame { code, pc: 0, base, waits: false });
        true
    }

    fn code_at(&mut self, site: u32) -> Option<(Rc<Code>, u32)> {
        let table = self.recording.announced.table_of(site)?;
        let (base, class) = (table.base, table.class.clone());
        let ty = self.world.named(class.internal());
        let method: MethodIx = self.world.entry_at(ty, site - base)?;
        Some((self.world.code(method).ok()?, base))
    }

    /// An exception, perhaps through code that is not recorded: on with the frame that the event at hand belongs to.
    fn resume(&mut self) {
        let found = self.cursor.peek();
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
    (local != super::world::NO_SITE).then(|| frame.base.wrapping_add(local))
}

fn returned_at(event: &Event) -> Option<u32> {
    match event {
        Event::RetVoid { site } | Event::Ret32 { site, .. } | Event::Ret64 { site, .. } | Event::RetRef { site, .. } => {
            Some(site.0)
        }
        _ => None,
    }
}
