//! Jumps, switches and returns (JVMS §2.11.7): each is compared with the recorded outcome, and adds
//! a clause when inputs decide it.

use tracewright_classfile::{Condition, Kind};
use tracewright_trace::Event;

use super::super::Machine;
use super::Flow;
use crate::expr::TermId;
use crate::path::{ClauseKind, StepKind};
use crate::symbolic::arith;
use crate::symbolic::completion::{Completion, InterpResult};
use crate::symbolic::data::code::{Op, SwitchInfo};
use crate::symbolic::data::ids::SlotKind;
use crate::symbolic::data::objects::{ObjectId, Slot};
use crate::symbolic::reason::UnsupportedReason;

impl Machine<'_, '_> {
    /// Whether the next event agrees with the outcome; true without a branch event.
    pub(super) fn taken_is(&self, taken: bool) -> bool {
        match self.cursor.peek() {
            Some(Event::BranchTaken) => taken,
            Some(Event::BranchNot) => !taken,
            _ => true,
        }
    }

    /// Whether two objects of the replay may be one object of the JVM.
    pub(super) fn may_be_identical(&self, a: ObjectId, b: ObjectId) -> bool {
        let (x, y) = (self.object(a), self.object(b));
        let fit = x.ty == y.ty || x.ty.is_none() || y.ty.is_none();
        !a.is_null() && !b.is_null() && (a == b || fit && (x.hash == 0 || y.hash == 0) && (x.escaped || y.escaped))
    }

    /// Jumps on a comparison of two references. A comparison of boxes or computed strings may
    /// depend on the inputs.
    pub(super) fn jump_acmp(&mut self, condition: Condition, target: u32) -> InterpResult<Flow> {
        let (right, left) = (self.pop(), self.pop());
        let (a, b) = (left.object(), right.object());
        let decided = if self.view.is_active() {
            // In the structural view, the origin of an input box is unknown.
            self.context().entry_compared(left, right, u32::from(condition == Condition::Ne))?;
            None
        } else {
            match self.context().shared_equal(left, right)? {
                Some(decided) => Some(decided),
                None => self.cached_boxes_equal(left, right).map(|(equal, term)| (equal, Some(term))),
            }
        };
        if decided.is_none()
            && !self.view.is_active()
            && (self.context().is_computed_string(a) || self.context().is_computed_string(b))
            && !a.is_null()
            && !b.is_null()
        {
            // Library methods may return the receiver or a new string, depending on its contents.
            self.context().record_concretisation(UnsupportedReason::StringIdentity);
        }
        if let Some((equal, term)) = decided {
            let taken = equal == (condition == Condition::Eq);
            self.check_branch(taken)?;
            if let Some(term) = term {
                let holds = if equal { term } else { self.terms.not(term) };
                self.context().add_clause(ClauseKind::Jump, u32::from(taken), holds)?;
            }
            self.continue_at(taken, target);
            return Ok(None);
        }
        let mut taken = self.is_same(a, b) == (condition == Condition::Eq);
        if self.frames.is_recorded() {
            if !self.taken_is(taken) && self.may_be_identical(a, b) {
                self.counts.count_ambiguous_identity();
                taken = !taken;
            }
        } else if a != b && self.may_be_identical(a, b) {
            self.mark_possibly_stale(a);
        }
        self.jump(taken, target)
    }

    /// Jumps on a comparison of two ints.
    pub(super) fn jump_int(&mut self, condition: Condition, a: Slot, b: Slot, target: u32) -> InterpResult<Flow> {
        let taken = condition.holds(a.as_int(), b.as_int());
        if a.term.is_some() || b.term.is_some() {
            if self.heap.is_initialising()
                && let Some(behind) = self.truth_value_of(target)
            {
                let unknown = self.environment_dependent_value(SlotKind::Boolean);
                self.push(unknown);
                self.frames.jump_to(behind);
                return Ok(None);
            }
            self.check_branch(taken)?;
            if let (Some(x), Some(y)) = (arith::term_of(self.terms, a, Kind::Int), arith::term_of(self.terms, b, Kind::Int)) {
                let relation = arith::condition(self.terms, condition, x, y);
                let holds = if taken { relation } else { self.terms.not(relation) };
                self.context().add_clause(ClauseKind::Jump, u32::from(taken), holds)?;
            }
            self.continue_at(taken, target);
            return Ok(None);
        }
        self.jump(taken, target)
    }

    /// The join position of a jump whose two sides push a constant each, as in `flag = a == b`.
    pub(super) fn truth_value_of(&self, target: u32) -> Option<usize> {
        let (ops, at, target) = (&self.frames.code().ops, self.frames.pc(), target as usize);
        match (ops.get(at + 1)?.op, ops.get(at + 2)?.op, ops.get(target)?.op) {
            (Op::Const(_), Op::Goto(behind), Op::Const(_)) if behind as usize == target + 1 && target == at + 3 => {
                Some(target + 1)
            }
            _ => None,
        }
    }

    /// Jumps where no input decides.
    #[inline]
    pub(super) fn jump(&mut self, taken: bool, target: u32) -> InterpResult<Flow> {
        self.check_branch(taken)?;
        if self.frames.is_recorded() && !self.heap.is_initialising() && self.path.has_room_for_concrete_branch() {
            let site = self.context().branch_site(u32::from(taken));
            self.path.push_concrete_branch(site);
        }
        self.continue_at(taken, target);
        Ok(None)
    }

    /// Continues at the target or behind the jump.
    #[inline]
    pub(super) fn continue_at(&mut self, taken: bool, target: u32) {
        if taken {
            self.frames.jump_to(target as usize);
        } else {
            self.frames.advance();
        }
    }

    /// Compares a branch outcome with the recorded one.
    #[inline]
    pub(super) fn check_branch(&mut self, taken: bool) -> InterpResult<()> {
        if !self.frames.is_recorded() {
            return Ok(());
        }
        let site = self.site();
        let found = self.cursor.peek();
        let agrees = match found {
            Some(Event::BranchTaken) => taken,
            Some(Event::BranchNot) => !taken,
            _ => false,
        };
        if !agrees {
            return self.mismatch(if taken { "branch taken" } else { "branch not taken" }, found);
        }
        self.cursor.advance();
        self.path.record_outcome(site, u32::from(taken));
        self.watch_step(|bci| StepKind::Decided { bci, outcome: u32::from(taken), term: None });
        Ok(())
    }

    /// Executes a switch.
    pub(super) fn switch(&mut self, index: usize) -> InterpResult<Flow> {
        let code = self.frames.code().clone();
        let Some(info) = code.switches.get(index) else { return self.unsupported(UnsupportedReason::MissingSwitchTable) };
        let key = self.pop();
        let site = self.site();
        match self.cursor.peek() {
            _ if !self.frames.is_recorded() => {}
            Some(Event::Switch { key: recorded }) if *recorded == key.as_int() => {
                self.cursor.advance();
            }
            found => return self.mismatch(&format!("switch on {}", key.as_int()), found),
        }
        let outcome = info.outcome(key.as_int());
        if self.frames.is_recorded() {
            self.path.record_outcome(site, outcome as u32);
            self.watch_step(|bci| StepKind::Decided { bci, outcome: outcome as u32, term: None });
        }
        if let Some(term) = key.term.and_then(|_| arith::term_of(self.terms, key, Kind::Int)) {
            let holds = self.switch_term(info, term, outcome);
            let mut others = Vec::new();
            let ways = info.cases.len().min(self.config.switch_keys);
            for other in (0..ways).chain([info.cases.len()]).filter(|&other| other != outcome) {
                others.push((other as u32, self.switch_term(info, term, other)));
            }
            if info.cases.len() > ways {
                self.context().record_concretisation(UnsupportedReason::ManySwitchKeys);
            }
            self.context().add_clause_with_alternatives(ClauseKind::Switch, outcome as u32, holds, others)?;
        }
        self.frames.jump_to(info.cases.get(outcome).map_or(info.default, |case| case.1));
        Ok(None)
    }

    /// The term that is true where the switch takes an outcome.
    pub(super) fn switch_term(&mut self, info: &SwitchInfo, term: TermId, outcome: usize) -> TermId {
        if let Some(&(key, _)) = info.cases.get(outcome) {
            let key = self.terms.int(key);
            return self.terms.eq(term, key);
        }
        if let Some((low, high)) = info.range {
            let (low, high) = (self.terms.int(low), self.terms.int(high));
            let below = self.terms.lt(term, low);
            let above = self.terms.gt(term, high);
            return self.terms.or(below, above);
        }
        let mut none = self.terms.bool(true);
        for &(key, _) in &info.cases {
            let key = self.terms.int(key);
            let differs = self.terms.ne(term, key);
            none = self.terms.and(none, differs);
        }
        none
    }

    /// Executes a return.
    pub(super) fn return_(&mut self, kind: Option<Kind>, floor: usize) -> InterpResult<Flow> {
        match self.cursor.peek() {
            _ if !self.frames.is_recorded() => {}
            Some(Event::Exit) => self.cursor.advance(),
            found => return self.mismatch("exit", found),
        }
        let value = match kind {
            None => Slot::ZERO,
            Some(kind) if kind.slots() == 2 => self.pop_wide(),
            Some(_) => self.pop(),
        };
        let given = self.frames.take_conversions();
        self.watch_step(|_| StepKind::Returned);
        self.frames.leave();
        if self.frames.depth() <= floor {
            return Ok(Some(Completion::Returned(value)));
        }
        self.returned(value, &given, floor)
    }
}
