//! The interpreter loop: one instruction after the other (JVMS §6.5). Calls are in `calls`, arithmetic in `arith`.

use std::sync::atomic::Ordering;
use tracewright_classfile::{ArrayKind, BinaryOp, Condition, Kind, StackOp};
use tracewright_trace::Event;

use super::PathEnd;
use super::arith;
use super::linked::{FieldIx, Op, SlotKind, SwitchInfo, TypeIx};
use super::machine::{Completion, InterpResult, Machine, Stop};
use super::objects::{Array, Cells, ObjectBody, ObjectId, Slot, StringContents};
use super::reason::UnsupportedReason;
use crate::expr::TermId;
use crate::path::ClauseKind;
use crate::program::JavaType;

/// Runs on: nothing special, or the frames above the floor are done.
pub(crate) type Flow = Option<Completion>;

impl Machine<'_, '_> {
    /// Runs until the frames above `floor` callers are done.
    pub(crate) fn run(&mut self, floor: usize) -> InterpResult<Completion> {
        loop {
            if let Some(completion) = self.step(floor)? {
                return Ok(completion);
            }
        }
    }

    #[inline]
    fn step(&mut self, floor: usize) -> InterpResult<Flow> {
        let Some(instr) = self.top.code.ops.get(self.top.pc).copied() else {
            return self.unsupported(UnsupportedReason::EndOfCode);
        };
        if self.top.recorded {
            self.stats.executed += 1;
            self.stats.replayed += 1;
            if self.stats.executed > self.config.instructions {
                return self.budget("instructions of the replay");
            }
        } else {
            self.spent += 1;
            self.stats.interpreted_instructions += 1;
            if self.spent > self.interpretation_limit {
                return self.limit("interpreted instructions");
            }
        }
        if self.stop.load(Ordering::Relaxed) {
            return Err(Stop::End(PathEnd::Stopped));
        }
        if self.terms.len() > self.most_terms {
            return self.budget("terms of the replay");
        }
        match instr.op {
            Op::Nop => {}
            Op::Const(bits) => self.push(Slot::raw(u64::from(bits))),
            Op::WideConst(bits) => self.push_wide(Slot::raw(bits)),
            Op::Str(index) => {
                let units = self.top.code.strings[index as usize].clone();
                let object = self.intern(&units)?;
                self.push(Slot::reference(object));
            }
            Op::ClassConst(ty) => {
                let object = self.mirror(ty)?;
                self.push(Slot::reference(object));
            }
            Op::UnknownRef => {
                let object = self.unknown_object()?;
                self.push(Slot::reference(object));
            }
            Op::Handle(handle) => {
                let object = self.unknown_object()?;
                self.object_mut(object).body = ObjectBody::Handle(self.linked.handle_of(handle).clone());
                self.push(Slot::reference(object));
            }
            Op::Dynamic(field, maker) => return self.dynamic_constant(field, maker, floor),
            Op::Load(local) => {
                let slot = self.locals[self.top.locals + usize::from(local)];
                self.push(slot);
            }
            Op::Load2(local) => {
                let slot = self.locals[self.top.locals + usize::from(local)];
                self.push_wide(slot);
            }
            Op::Store(local) => {
                let slot = self.pop();
                self.locals[self.top.locals + usize::from(local)] = slot;
            }
            Op::LoadInput(local) => {
                let slot = self.entry_local(local)?;
                self.push(slot);
            }
            Op::StoreInput(local) => {
                self.entry_local_written(local);
                let slot = self.pop();
                self.locals[self.top.locals + usize::from(local)] = slot;
            }
            Op::Store2(local) => {
                let slot = self.pop_wide();
                let at = self.top.locals + usize::from(local);
                self.locals[at] = slot;
                self.locals[at + 1] = Slot::ZERO;
            }
            Op::ArrayLoad(kind) => return self.array_load(kind, floor),
            Op::ArrayStore(kind) => return self.array_store(kind, floor),
            Op::Stack(op) => self.stack_op(op),
            Op::Binary(op, kind) => return self.binary(op, kind, floor),
            Op::Neg(kind) => {
                let wide = kind.slots() == 2;
                let a = if wide { self.pop_wide() } else { self.pop() };
                let a = self.floating_operand(kind, a);
                let result = arith::negate(self.terms, kind, a);
                self.push_result(wide, result);
            }
            Op::Iinc(local, delta) => {
                let at = self.top.locals + usize::from(local);
                let delta = Slot::int(i32::from(delta));
                self.locals[at] = arith::binary(self.terms, BinaryOp::Add, Kind::Int, self.locals[at], delta);
            }
            Op::Convert(conversion) => {
                let a = if conversion.from().slots() == 2 { self.pop_wide() } else { self.pop() };
                let floating = |kind| matches!(kind, Kind::Float | Kind::Double);
                let a = if floating(conversion.from()) {
                    self.floating_operand(conversion.from(), a)
                } else {
                    self.floating_operand(conversion.to(), a)
                };
                let result = arith::convert(self.terms, conversion, a);
                self.push_result(conversion.to().slots() == 2, result);
            }
            Op::Compare(comparison) => {
                let wide = comparison.kind().slots() == 2;
                let (b, a) = if wide { (self.pop_wide(), self.pop_wide()) } else { (self.pop(), self.pop()) };
                let b = self.floating_operand(comparison.kind(), b);
                let a = self.floating_operand(comparison.kind(), a);
                let result = arith::compare(self.terms, comparison, a, b);
                self.push(result);
            }
            Op::If(condition, target) => {
                let a = self.pop();
                return self.jump_int(condition, a, Slot::ZERO, target);
            }
            Op::IfIcmp(condition, target) => {
                let b = self.pop();
                let a = self.pop();
                return self.jump_int(condition, a, b, target);
            }
            Op::IfAcmp(condition, target) => {
                let (right, left) = (self.pop(), self.pop());
                let (a, b) = (left.object(), right.object());
                let decided = if self.entry.is_some() {
                    // Of an input that is a box nothing says where it was made.
                    self.entry_compared(left, right, u32::from(condition == Condition::Ne))?;
                    None
                } else {
                    match self.shared_equal(left, right)? {
                        Some(decided) => Some(decided),
                        None => self.cached_boxes_equal(left, right).map(|(equal, term)| (equal, Some(term))),
                    }
                };
                if decided.is_none()
                    && self.entry.is_none()
                    && (self.is_computed_string(a) || self.is_computed_string(b))
                    && !a.is_null()
                    && !b.is_null()
                {
                    // Whether a method gives its receiver or a new string depends on what is in it.
                    self.record_concretisation(UnsupportedReason::StringIdentity);
                }
                if let Some((equal, term)) = decided {
                    let taken = equal == (condition == Condition::Eq);
                    self.check_branch(taken)?;
                    if let Some(term) = term {
                        let holds = if equal { term } else { self.terms.not(term) };
                        self.add_clause(ClauseKind::Jump, u32::from(taken), holds)?;
                    }
                    self.go(taken, target);
                    return Ok(None);
                }
                let mut taken = self.is_same(a, b) == (condition == Condition::Eq);
                if self.top.recorded {
                    if !self.taken_is(taken) && self.may_be_identical(a, b) {
                        self.stats.identity_ambiguous += 1;
                        taken = !taken;
                    }
                } else if a != b && self.may_be_identical(a, b) {
                    self.mark_possibly_stale(a);
                }
                return self.jump(taken, target);
            }
            Op::IfNull(condition, target) => {
                let a = self.pop().object();
                return self.jump(a.is_null() == (condition == Condition::Eq), target);
            }
            Op::Goto(target) => {
                self.top.pc = target as usize;
                return Ok(None);
            }
            Op::Switch(index) => return self.switch(index as usize),
            Op::Return(kind) => return self.return_(kind, floor),
            Op::GetStatic(field) => return self.get_static(field, floor),
            Op::PutStatic(field) => {
                if let Some(exception) = self.initialise(self.linked.field(field).owner)? {
                    return self.throw(exception, floor);
                }
                let kind = self.linked.field(field).kind;
                let value = self.pop_kind(kind);
                let value = arith::narrow(self.terms, kind, value);
                self.entry_static_written(field);
                if self.top.recorded {
                    self.set_static(field, value);
                } else {
                    self.put_library_static(field, value)?;
                }
            }
            Op::GetField(field) => {
                let kind = self.linked.field(field).kind;
                let reference = self.pop();
                let object = reference.object();
                if object.is_null() {
                    return self.throw_new("java/lang/NullPointerException", floor);
                }
                let (computed, resync) = self.field_value(object, field);
                let (computed, resync) = if self.top.recorded {
                    (computed, resync)
                } else {
                    self.interpreted_field(reference, field, computed, resync)?
                };
                let value = self.load(kind, computed, resync)?;
                if self.top.recorded && computed != Some(value) {
                    self.set_field(object, field, value);
                }
                let value = if self.entry.is_some() { self.entry_field(object, field, value, computed)? } else { value };
                self.push_kind(kind, value);
            }
            Op::PutField(field) => {
                let kind = self.linked.field(field).kind;
                let value = self.pop_kind(kind);
                let object = self.pop().object();
                if object.is_null() {
                    return self.throw_new("java/lang/NullPointerException", floor);
                }
                let value = arith::narrow(self.terms, kind, value);
                self.put_field(object, field, value);
            }
            Op::Invoke(invoke) => return self.invoke(invoke, floor),
            Op::New(ty) => {
                if let Some(exception) = self.initialise(ty)? {
                    return self.throw(exception, floor);
                }
                let object = self.new_object(ty)?;
                if self.is_string(ty) {
                    self.object_mut(object).body = ObjectBody::Str(StringContents { units: None, symbolic: None });
                }
                self.push(Slot::reference(object));
            }
            Op::NewArray(ty) => return self.new_array_op(ty, floor),
            Op::MultiNewArray(ty, dimensions) => return self.multi_new_array(ty, dimensions, floor),
            Op::ArrayLength => {
                let array = self.pop().object();
                if array.is_null() {
                    return self.throw_new("java/lang/NullPointerException", floor);
                }
                let length = match &self.object(array).body {
                    ObjectBody::Array(array) => Slot { bits: u64::from(array.length), term: array.length_term },
                    _ => return self.unsupported(UnsupportedReason::LengthOfNonArray),
                };
                self.push(length);
            }
            Op::Throw => {
                let exception = self.pop().object();
                if exception.is_null() {
                    return self.throw_new("java/lang/NullPointerException", floor);
                }
                return self.throw(exception, floor);
            }
            Op::CheckCast(ty) => {
                let slot = self.pop();
                if !self.cast_holds(slot.object(), ty) {
                    return self.throw_new("java/lang/ClassCastException", floor);
                }
                self.push(slot);
            }
            Op::InstanceOf(ty) => {
                let object = self.pop().object();
                let result = self.instance_of(object, ty)?;
                self.push(Slot::int(i32::from(result)));
            }
            Op::Monitor => {
                if self.pop().object().is_null() {
                    return self.throw_new("java/lang/NullPointerException", floor);
                }
            }
            Op::Unsupported(reason) => return self.unsupported(reason.clone()),
        }
        self.top.pc += 1;
        Ok(None)
    }

    #[inline]
    pub(crate) fn push_result(&mut self, wide: bool, slot: Slot) {
        let slot = self.bounded(slot);
        if wide { self.push_wide(slot) } else { self.push(slot) }
    }

    /// Drops a term that has grown beyond what any solver would answer.
    fn bounded(&mut self, slot: Slot) -> Slot {
        match slot.term {
            Some(term) if self.terms.tree_size(term) > self.config.term_size || self.terms.is_wide(term) => {
                self.record_concretisation(UnsupportedReason::LargeTerm);
                Slot::raw(slot.bits)
            }
            _ => slot,
        }
    }

    fn floating_operand(&mut self, kind: Kind, slot: Slot) -> Slot {
        if slot.term.is_some() && !self.config.floats && matches!(kind, Kind::Float | Kind::Double) {
            self.record_concretisation(UnsupportedReason::FloatingPoint);
            return Slot::raw(slot.bits);
        }
        slot
    }

    fn binary(&mut self, op: BinaryOp, kind: Kind, floor: usize) -> InterpResult<Flow> {
        let wide = kind.slots() == 2;
        let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr | BinaryOp::Ushr);
        let b = if wide && !is_shift { self.pop_wide() } else { self.pop() };
        let a = if wide { self.pop_wide() } else { self.pop() };
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) && matches!(kind, Kind::Int | Kind::Long) {
            let is_zero = b.bits == 0;
            if let Some(divisor) = b.term.and_then(|_| arith::term_of(self.terms, b, kind)) {
                let zero = if wide { self.terms.long(0) } else { self.terms.int(0) };
                let holds = if is_zero { self.terms.eq(divisor, zero) } else { self.terms.ne(divisor, zero) };
                self.add_clause(ClauseKind::DivZero, u32::from(is_zero), holds)?;
            }
            if is_zero {
                return self.throw_new("java/lang/ArithmeticException", floor);
            }
        }
        let (a, b) = (self.floating_operand(kind, a), self.floating_operand(kind, b));
        let result = arith::binary(self.terms, op, kind, a, b);
        self.push_result(wide, result);
        self.top.pc += 1;
        Ok(None)
    }

    fn stack_op(&mut self, op: StackOp) {
        // Copies of slots, whatever they hold: a long is two of them.
        match op {
            StackOp::Pop => {
                self.pop();
            }
            StackOp::Pop2 => {
                self.pop();
                self.pop();
            }
            StackOp::Dup => {
                let a = self.pop();
                self.stack.extend([a, a]);
            }
            StackOp::DupX1 => {
                let a = self.pop();
                let b = self.pop();
                self.stack.extend([a, b, a]);
            }
            StackOp::DupX2 => {
                let a = self.pop();
                let b = self.pop();
                let c = self.pop();
                self.stack.extend([a, c, b, a]);
            }
            StackOp::Dup2 => {
                let a = self.pop();
                let b = self.pop();
                self.stack.extend([b, a, b, a]);
            }
            StackOp::Dup2X1 => {
                let a = self.pop();
                let b = self.pop();
                let c = self.pop();
                self.stack.extend([b, a, c, b, a]);
            }
            StackOp::Dup2X2 => {
                let a = self.pop();
                let b = self.pop();
                let c = self.pop();
                let d = self.pop();
                self.stack.extend([b, a, d, c, b, a]);
            }
            StackOp::Swap => {
                let a = self.pop();
                let b = self.pop();
                self.stack.extend([a, b]);
            }
        }
    }

    // Jumps.

    /// Whether the recording says so; true when it says nothing here.
    fn taken_is(&self, taken: bool) -> bool {
        match self.cursor.peek() {
            Some(Event::BranchTaken) => taken,
            Some(Event::BranchNot) => !taken,
            _ => true,
        }
    }

    /// Whether two objects of the replay could be one of the JVM.
    fn may_be_identical(&self, a: ObjectId, b: ObjectId) -> bool {
        let (x, y) = (self.object(a), self.object(b));
        let fit = x.ty == y.ty || x.ty.is_none() || y.ty.is_none();
        !a.is_null() && !b.is_null() && (a == b || fit && (x.hash == 0 || y.hash == 0) && (x.escaped || y.escaped))
    }

    fn jump_int(&mut self, condition: Condition, a: Slot, b: Slot, target: u32) -> InterpResult<Flow> {
        let taken = condition.holds(a.as_int(), b.as_int());
        if a.term.is_some() || b.term.is_some() {
            if self.initialiser_depth > 0
                && let Some(behind) = self.truth_value_of(target)
            {
                let unknown = self.environment_dependent_value(SlotKind::Boolean);
                self.push(unknown);
                self.top.pc = behind;
                return Ok(None);
            }
            self.check_branch(taken)?;
            if let (Some(x), Some(y)) = (arith::term_of(self.terms, a, Kind::Int), arith::term_of(self.terms, b, Kind::Int)) {
                let relation = arith::condition(self.terms, condition, x, y);
                let holds = if taken { relation } else { self.terms.not(relation) };
                self.add_clause(ClauseKind::Jump, u32::from(taken), holds)?;
            }
            self.go(taken, target);
            return Ok(None);
        }
        self.jump(taken, target)
    }

    /// Where both ways of a jump meet again when all they do is push a constant each, as for `flag = a == b`.
    fn truth_value_of(&self, target: u32) -> Option<usize> {
        let (ops, at, target) = (&self.top.code.ops, self.top.pc, target as usize);
        match (ops.get(at + 1)?.op, ops.get(at + 2)?.op, ops.get(target)?.op) {
            (Op::Const(_), Op::Goto(behind), Op::Const(_)) if behind as usize == target + 1 && target == at + 3 => {
                Some(target + 1)
            }
            _ => None,
        }
    }

    #[inline]
    fn jump(&mut self, taken: bool, target: u32) -> InterpResult<Flow> {
        self.check_branch(taken)?;
        if self.top.recorded && self.initialiser_depth == 0 && self.path.has_room_for_concrete_branch() {
            let site = self.branch_site(u32::from(taken));
            self.path.push_concrete_branch(site);
        }
        self.go(taken, target);
        Ok(None)
    }

    #[inline]
    fn go(&mut self, taken: bool, target: u32) {
        if taken {
            self.top.pc = target as usize;
        } else {
            self.top.pc += 1;
        }
    }

    #[inline]
    fn check_branch(&mut self, taken: bool) -> InterpResult<()> {
        if !self.top.recorded {
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
        Ok(())
    }

    fn switch(&mut self, index: usize) -> InterpResult<Flow> {
        let code = self.top.code.clone();
        let Some(info) = code.switches.get(index) else { return self.unsupported(UnsupportedReason::MissingSwitchTable) };
        let key = self.pop();
        let site = self.site();
        match self.cursor.peek() {
            _ if !self.top.recorded => {}
            Some(Event::Switch { key: recorded }) if *recorded == key.as_int() => {
                self.cursor.advance();
            }
            found => return self.mismatch(&format!("switch on {}", key.as_int()), found),
        }
        let outcome = info.outcome(key.as_int());
        if self.top.recorded {
            self.path.record_outcome(site, outcome as u32);
        }
        if let Some(term) = key.term.and_then(|_| arith::term_of(self.terms, key, Kind::Int)) {
            let holds = self.switch_term(info, term, outcome);
            let mut others = Vec::new();
            let ways = info.cases.len().min(self.config.switch_keys);
            for other in (0..ways).chain([info.cases.len()]).filter(|&other| other != outcome) {
                others.push((other as u32, self.switch_term(info, term, other)));
            }
            if info.cases.len() > ways {
                self.record_concretisation(UnsupportedReason::ManySwitchKeys);
            }
            self.add_clause_with_alternatives(ClauseKind::Switch, outcome as u32, holds, others)?;
        }
        self.top.pc = info.cases.get(outcome).map_or(info.default, |case| case.1);
        Ok(None)
    }

    fn switch_term(&mut self, info: &SwitchInfo, term: TermId, outcome: usize) -> TermId {
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

    fn return_(&mut self, kind: Option<Kind>, floor: usize) -> InterpResult<Flow> {
        match self.cursor.peek() {
            _ if !self.top.recorded => {}
            Some(Event::Exit) => self.cursor.advance(),
            found => return self.mismatch("exit", found),
        }
        let value = match kind {
            None => Slot::ZERO,
            Some(kind) if kind.slots() == 2 => self.pop_wide(),
            Some(_) => self.pop(),
        };
        let given = std::mem::take(&mut self.top.given);
        self.leave();
        if self.callers.len() <= floor {
            return Ok(Some(Completion::Returned(value)));
        }
        self.returned(value, &given, floor)
    }

    // Fields.

    /// The value the replay knows, and whether opaque code may have changed it since.
    pub(crate) fn field_value(&mut self, object: ObjectId, field: FieldIx) -> (Option<Slot>, bool) {
        let known = self.object(object);
        let (value, zeroed, escaped) = (known.field(field), known.zeroed, known.escaped);
        let value = value.or(zeroed.then_some(Slot::ZERO));
        (value, escaped && (self.may_have_changed() || self.is_from_before(object)))
    }

    /// Whether code that is not replayed may have changed what escaped.
    fn may_have_changed(&self) -> bool {
        self.opaque_calls > 0 || self.recording.threads.len() > 1
    }

    /// Whether recorded code uses an object that all runs share, as an initialiser left it: a run before may have changed it for good.
    fn is_from_before(&self, object: ObjectId) -> bool {
        self.top.recorded && object.shared_index().is_some()
    }

    pub(crate) fn put_field(&mut self, object: ObjectId, field: FieldIx, value: Slot) {
        if self.object(object).escaped && self.linked.field(field).kind == SlotKind::Ref {
            self.escape(&[value]);
        }
        self.entry_field_written(object, field);
        self.set_field(object, field, value);
    }

    fn get_static(&mut self, field: FieldIx, floor: usize) -> InterpResult<Flow> {
        if !self.top.recorded {
            let value = self.interpreted_static(field)?;
            self.entry_constant(field, value);
            self.push_kind(self.linked.field(field).kind, value);
            self.top.pc += 1;
            return Ok(None);
        }
        // A class outside recorded code may call back while it is initialised.
        let owner = self.linked.field(field).owner;
        if let Some(exception) = self.initialise(owner)? {
            return self.throw(exception, floor);
        }
        while let Some(Event::Entry { .. }) = self.cursor.peek() {
            if let Completion::Threw(_) = self.run_nested_entry()? {
                let exception = self.inferred_exception("load of a static field")?;
                return self.throw(exception, floor);
            }
        }
        if let Some(Event::Caught { .. } | Event::Thrown { .. }) = self.cursor.peek() {
            let exception = self.inferred_exception("load of a static field")?;
            return self.throw(exception, floor);
        }
        let kind = self.linked.field(field).kind;
        let computed = match self.statics.get(&field) {
            Some(&known) => Some(known),
            None => self.checked_static(field)?,
        };
        let resync = self.recording.threads.len() > 1 || (self.opaque_calls > 0 && !self.is_recorded_class(owner));
        let value = self.load(kind, computed, resync)?;
        let value = if self.entry.is_some() { self.entry_static(field, value, computed)? } else { value };
        if self.statics.get(&field) != Some(&value) {
            self.set_static(field, value);
        }
        self.push_kind(kind, value);
        self.top.pc += 1;
        Ok(None)
    }

    // Arrays.

    /// Pops index and array and makes the implicit checks (JVMS §6.5 iaload).
    fn element_of(&mut self) -> InterpResult<Result<(ObjectId, u32, Slot), &'static str>> {
        let index = self.pop();
        let array = self.pop().object();
        if array.is_null() {
            return Ok(Err("java/lang/NullPointerException"));
        }
        let ObjectBody::Array(Array { length, length_term, .. }) = self.object(array).body else {
            return self.unsupported(UnsupportedReason::ElementOfNonArray);
        };
        let at = index.as_int() as u32;
        let inside = at < length;
        if index.term.is_some() || length_term.is_some() {
            let of_length = Slot { bits: u64::from(length), term: length_term };
            let terms = (arith::term_of(self.terms, index, Kind::Int), arith::term_of(self.terms, of_length, Kind::Int));
            if let (Some(index), Some(length)) = terms {
                let bound = self.terms.ult(index, length);
                let holds = if inside { bound } else { self.terms.not(bound) };
                self.add_clause(ClauseKind::Bounds, u32::from(!inside), holds)?;
            }
        }
        if inside { Ok(Ok((array, at, index))) } else { Ok(Err("java/lang/ArrayIndexOutOfBoundsException")) }
    }

    fn array_load(&mut self, kind: ArrayKind, floor: usize) -> InterpResult<Flow> {
        let (array, at, mut index) = match self.element_of()? {
            Ok(element) => element,
            Err(class) => return self.throw_new(class, floor),
        };
        if self.entry.is_some() {
            self.entry_index(array, at, &mut index)?;
        }
        let object = self.object(array);
        let (escaped, zeroed) = (object.escaped, object.zeroed);
        let ObjectBody::Array(cells) = &object.body else { return self.unsupported(UnsupportedReason::ElementOfNonArray) };
        let slot_kind = cells.kind;
        if slot_kind.kind() != kind.kind() {
            return self.unsupported(UnsupportedReason::ArrayKindMismatch);
        }
        let absent = zeroed.then_some(Slot::ZERO);
        let computed = cells.get(at).or(absent);
        let resync = escaped && (self.may_have_changed() || self.is_from_before(array));
        if resync && !self.top.recorded && array.shared_index().is_none() {
            self.mark_possibly_stale(array);
        }
        let value = self.load(slot_kind, computed, resync)?;
        let as_computed = computed == Some(value);
        if !as_computed {
            self.set_cell(array, at, value);
        }
        let value = if self.entry.is_some() { self.entry_cell(array, at, value, computed)? } else { value };
        let mut result = value;
        if let Some(index) = index.term {
            if matches!(&self.object(array).body, ObjectBody::Array(Array { length_term: Some(_), .. })) {
                // The choice is between the cells of this run.
                self.path.mark_inexact();
            }
            result.term = match self.choice(array, index, slot_kind) {
                Some(choice) if as_computed => arith::slot(self.terms, 0, Some(choice)).term,
                _ if slot_kind == SlotKind::Ref && as_computed && self.add_cell_clause(array, at, index)? => result.term,
                _ => {
                    self.record_concretisation(UnsupportedReason::SymbolicIndex);
                    None
                }
            };
        }
        let result = self.bounded(result);
        self.push_kind(slot_kind, result);
        self.top.pc += 1;
        Ok(None)
    }

    /// The cell at a symbolic index as a choice between all; `None`: references, too many cells, or one is not known.
    fn choice(&mut self, array: ObjectId, index: TermId, kind: SlotKind) -> Option<TermId> {
        let object = self.object(array);
        let absent = object.zeroed.then_some(Slot::ZERO);
        let ObjectBody::Array(cells) = &object.body else { return None };
        if kind == SlotKind::Ref || cells.length as usize > self.config.cells || cells.length == 0 {
            return None;
        }
        let slots: Vec<Slot> = (0..cells.length).map(|at| cells.get(at).or(absent)).collect::<Option<_>>()?;
        let mut choice: Option<TermId> = None;
        for (at, slot) in slots.into_iter().enumerate().rev() {
            let cell = arith::term_of(self.terms, slot, kind.kind())?;
            choice = Some(match choice {
                None => cell,
                Some(otherwise) => {
                    let here = self.terms.int(at as i32);
                    let is_here = self.terms.eq(index, here);
                    self.terms.ite(is_here, cell, otherwise)
                }
            });
        }
        choice
    }

    /// A reference has no term: which of the references in the array is read is a clause, all cells that hold the same one together.
    /// False: too many cells, or one is not known.
    fn add_cell_clause(&mut self, array: ObjectId, at: u32, index: TermId) -> InterpResult<bool> {
        let object = self.object(array);
        let absent = object.zeroed.then_some(Slot::ZERO);
        let ObjectBody::Array(cells) = &object.body else { return Ok(false) };
        if cells.length as usize > self.config.cells {
            return Ok(false);
        }
        let Some(slots) = (0..cells.length).map(|at| cells.get(at).or(absent)).collect::<Option<Vec<Slot>>>() else {
            return Ok(false);
        };
        let mut ways: Vec<(Slot, Vec<u32>)> = Vec::new();
        for (position, &slot) in slots.iter().enumerate() {
            match ways.iter_mut().find(|(known, _)| *known == slot) {
                Some((_, cells)) => cells.push(position as u32),
                None => ways.push((slot, vec![position as u32])),
            }
        }
        if ways.len() < 2 {
            return Ok(true);
        }
        let mut decided = Vec::new();
        for (slot, cells) in &ways {
            // That the index is inside is known: most cells are said as not the others.
            let most = cells.len() * 2 > slots.len();
            let named: Vec<u32> = (0..slots.len() as u32).filter(|cell| cells.contains(cell) != most).collect();
            let mut any = self.terms.bool(false);
            for cell in named {
                let here = self.terms.int(cell as i32);
                let is_here = self.terms.eq(index, here);
                any = self.terms.or(any, is_here);
            }
            decided.push((*slot, cells[0], if most { self.terms.not(any) } else { any }));
        }
        let ways = decided;
        self.decide_way(&ways, slots[at as usize])?;
        Ok(true)
    }

    /// Outcomes of reads and writes at a symbolic index come after those of the bounds check.
    fn decide_way(&mut self, ways: &[(Slot, u32, TermId)], taken: Slot) -> InterpResult<()> {
        let Some(&(_, first, holds)) = ways.iter().find(|(slot, ..)| *slot == taken) else { return Ok(()) };
        let others = ways.iter().filter(|way| way.1 != first).map(|&(_, first, term)| (first + 2, term)).collect();
        self.add_clause_with_alternatives(ClauseKind::Bounds, first + 2, holds, others)
    }

    fn array_store(&mut self, kind: ArrayKind, floor: usize) -> InterpResult<Flow> {
        let value = if kind.kind().slots() == 2 { self.pop_wide() } else { self.pop() };
        let (array, at, mut index) = match self.element_of()? {
            Ok(element) => element,
            Err(class) => return self.throw_new(class, floor),
        };
        if self.entry.is_some() {
            self.entry_index(array, at, &mut index)?;
            self.entry_cell_written(array, at);
        }
        if kind == ArrayKind::Reference && !value.object().is_null() {
            let element = self.object(array).ty.and_then(|ty| self.linked.element(ty));
            let stored = self.object(value.object()).ty;
            if let (Some(element), Some(stored)) = (element, stored)
                && self.linked.is_known(stored)
                && !self.linked.is_subtype(stored, element)
            {
                return self.throw_new("java/lang/ArrayStoreException", floor);
            }
            if self.object(array).escaped {
                self.escape(&[value]);
            }
        }
        let mut index = index.term;
        if let (ArrayKind::Reference, Some(term)) = (kind, index) {
            let ObjectBody::Array(Array { length, .. }) = self.object(array).body else { return Ok(None) };
            if length as usize <= self.config.cells {
                // Each cell is a way of its own.
                let mut ways = Vec::new();
                for position in 0..length {
                    let here = self.terms.int(position as i32);
                    ways.push((Slot::raw(u64::from(position)), position, self.terms.eq(term, here)));
                }
                self.decide_way(&ways, Slot::raw(u64::from(at)))?;
                index = None;
            }
        }
        self.store_cell(array, at, index, value);
        self.top.pc += 1;
        Ok(None)
    }

    fn store_cell(&mut self, array: ObjectId, at: u32, index: Option<TermId>, value: Slot) {
        let absent = self.object(array).zeroed.then_some(Slot::ZERO);
        let ObjectBody::Array(Array { kind, length, .. }) = self.object(array).body else { return };
        let value = arith::narrow(self.terms, kind, value);
        if let Some(index) = index {
            if kind == SlotKind::Ref || length as usize > self.config.cells {
                self.record_concretisation(UnsupportedReason::SymbolicIndex);
            } else if let Some(stored) = arith::term_of(self.terms, value, kind.kind()) {
                // Every cell may be the one that is written.
                for cell in 0..length {
                    let ObjectBody::Array(cells) = &self.object(array).body else { return };
                    let Some(old) = cells.get(cell).or(absent) else { continue };
                    let Some(old_term) = arith::term_of(self.terms, old, kind.kind()) else { continue };
                    let here = self.terms.int(cell as i32);
                    let is_here = self.terms.eq(index, here);
                    let term = self.terms.ite(is_here, stored, old_term);
                    let bits = if cell == at { value.bits } else { old.bits };
                    let slot = arith::slot(self.terms, bits, Some(term));
                    self.set_cell(array, cell, slot);
                }
                // A cell that was not known before.
                let ObjectBody::Array(cells) = &self.object(array).body else { return };
                if cells.get(at).is_none_or(|cell| cell.bits != value.bits) {
                    self.set_cell(array, at, Slot::raw(value.bits));
                }
                return;
            }
        }
        self.set_cell(array, at, value);
    }

    fn new_array_op(&mut self, ty: TypeIx, floor: usize) -> InterpResult<Flow> {
        let length = self.pop();
        let negative = length.as_int() < 0;
        let term = length.term.and_then(|_| arith::term_of(self.terms, length, Kind::Int));
        if let Some(term) = term {
            let zero = self.terms.int(0);
            let holds = if negative { self.terms.lt(term, zero) } else { self.terms.ge(term, zero) };
            self.add_clause(ClauseKind::NegSize, u32::from(negative), holds)?;
        }
        if negative {
            return self.throw_new("java/lang/NegativeArraySizeException", floor);
        }
        let array = self.new_array(ty, length.as_int() as u32)?;
        if let ObjectBody::Array(array) = &mut self.object_mut(array).body {
            array.length_term = term;
        }
        self.push(Slot::reference(array));
        self.top.pc += 1;
        Ok(None)
    }

    fn multi_new_array(&mut self, ty: TypeIx, dimensions: u8, floor: usize) -> InterpResult<Flow> {
        let mut lengths: Vec<Slot> = (0..dimensions).map(|_| self.pop()).collect();
        lengths.reverse();
        // Every size is looked at before anything is made (JVMS §6.5 multianewarray); the first negative one throws.
        for length in &lengths {
            let negative = length.as_int() < 0;
            if let Some(term) = length.term.and_then(|_| arith::term_of(self.terms, *length, Kind::Int)) {
                let zero = self.terms.int(0);
                let holds = if negative { self.terms.lt(term, zero) } else { self.terms.ge(term, zero) };
                self.add_clause(ClauseKind::NegSize, u32::from(negative), holds)?;
            }
            if negative {
                return self.throw_new("java/lang/NegativeArraySizeException", floor);
            }
        }
        let array = self.nested_arrays(ty, &lengths)?;
        self.push(Slot::reference(array));
        self.top.pc += 1;
        Ok(None)
    }

    /// Depth is at most 255, the number of dimensions (JVMS §4.4.1).
    fn nested_arrays(&mut self, ty: TypeIx, lengths: &[Slot]) -> InterpResult<ObjectId> {
        let Some((first, rest)) = lengths.split_first() else { return Ok(ObjectId::NULL) };
        let length = first.as_int() as u32;
        let array = self.new_array(ty, length)?;
        let element = self.linked.element(ty);
        let mut cells = Vec::new();
        if let (Some(element), false) = (element, rest.is_empty()) {
            for _ in 0..length {
                cells.push(Slot::reference(self.nested_arrays(element, rest)?));
            }
        }
        if let ObjectBody::Array(array) = &mut self.object_mut(array).body {
            array.length_term = first.term;
            if !cells.is_empty() {
                array.cells = Cells::Dense(cells);
            }
        }
        Ok(array)
    }

    // Types.

    pub(crate) fn cast_holds(&mut self, object: ObjectId, ty: TypeIx) -> bool {
        if object.is_null() {
            return true;
        }
        match self.is_instance(object, ty) {
            Some(holds) => holds,
            None if !self.top.recorded => true,
            // A hidden class: whether the JVM threw is what the recording says next.
            None => !matches!(self.cursor.peek(), Some(Event::Caught { value, .. } | Event::Thrown { value, .. })
                if self.recording.announced.class(value.class).is_some_and(|name| name.internal() == "java/lang/ClassCastException")),
        }
    }

    fn instance_of(&mut self, object: ObjectId, ty: TypeIx) -> InterpResult<bool> {
        if object.is_null() {
            return Ok(false);
        }
        match self.is_instance(object, ty) {
            Some(holds) => Ok(holds),
            None if *self.linked.ty(ty) == JavaType::class("java/lang/Object") => Ok(true),
            None if !self.top.recorded => self.abort(UnsupportedReason::InstanceOfUnknownClass),
            None => {
                // A hidden class: the jump on the result tells.
                let taken = match self.cursor.peek() {
                    Some(Event::BranchTaken) => true,
                    Some(Event::BranchNot) => false,
                    _ => return self.unsupported(UnsupportedReason::InstanceOfHiddenClass),
                };
                match self.top.code.ops.get(self.top.pc + 1).map(|instr| instr.op) {
                    Some(Op::If(Condition::Ne, _)) => Ok(taken),
                    Some(Op::If(Condition::Eq, _)) => Ok(!taken),
                    _ => self.unsupported(UnsupportedReason::InstanceOfHiddenClass),
                }
            }
        }
    }

    pub(crate) fn throw_new(&mut self, class: &str, floor: usize) -> InterpResult<Flow> {
        let exception = self.new_exception(class)?;
        self.throw(exception, floor)
    }
}
