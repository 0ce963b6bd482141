//! Array instructions (JVMS §2.11.5). An access at a symbolic index becomes a choice between the
//! cells of a small array.

use tracewright_classfile::{ArrayKind, Kind};

use super::super::Machine;
use super::Flow;
use crate::expr::TermId;
use crate::path::ClauseKind;
use crate::symbolic::arith;
use crate::symbolic::completion::InterpResult;
use crate::symbolic::data::ids::{SlotKind, TypeIx};
use crate::symbolic::data::objects::{Array, Cells, ObjectBody, ObjectId, Slot};
use crate::symbolic::reason::UnsupportedReason;

impl Machine<'_, '_> {
    /// Pops index and array, and makes the checks of an array access (JVMS §6.5 iaload). The inner
    /// error is the exception's class.
    pub(super) fn element_of(&mut self) -> InterpResult<Result<(ObjectId, u32, Slot), &'static str>> {
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
                self.context().add_clause(ClauseKind::Bounds, u32::from(!inside), holds)?;
            }
        }
        if inside { Ok(Ok((array, at, index))) } else { Ok(Err("java/lang/ArrayIndexOutOfBoundsException")) }
    }

    /// Executes an array load.
    pub(super) fn array_load(&mut self, kind: ArrayKind, floor: usize) -> InterpResult<Flow> {
        let (array, at, mut index) = match self.element_of()? {
            Ok(element) => element,
            Err(class) => return self.throw_new(class, floor),
        };
        if self.view.is_active() {
            self.context().entry_index(array, at, &mut index)?;
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
        let resync = escaped && (self.context().may_have_changed() || self.context().is_from_before(array));
        let resync = resync || self.heap.has_guessed_identity(array);
        if resync && !self.frames.is_recorded() && array.shared_index().is_none() {
            self.mark_possibly_stale(array);
        }
        let value = self.load(slot_kind, computed, resync)?;
        let as_computed = computed == Some(value);
        if !as_computed {
            self.set_cell(array, at, value);
        }
        let value = if self.view.is_active() { self.context().entry_cell(array, at, value, computed)? } else { value };
        let mut result = value;
        if let Some(index) = index.term {
            if matches!(&self.object(array).body, ObjectBody::Array(Array { length_term: Some(_), .. })) {
                // The choice covers the cells of this run only.
                self.path.mark_inexact();
            }
            result.term = match self.choice(array, index, slot_kind) {
                Some(choice) if as_computed => arith::slot(self.terms, 0, Some(choice)).term,
                _ if slot_kind == SlotKind::Ref && as_computed && self.add_cell_clause(array, at, index)? => result.term,
                _ => {
                    self.context().record_concretisation(UnsupportedReason::SymbolicIndex);
                    None
                }
            };
        }
        let result = self.bounded(result);
        self.push_kind(slot_kind, result);
        self.frames.advance();
        Ok(None)
    }

    /// The value at a symbolic index as a choice between all cells. `None`: references, too many
    /// cells, or an unknown cell.
    pub(super) fn choice(&mut self, array: ObjectId, index: TermId, kind: SlotKind) -> Option<TermId> {
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

    /// Adds a clause for the reference that is read at a symbolic index: references have no terms.
    /// Cells with the same reference share an outcome. False: too many cells, or an unknown cell.
    pub(super) fn add_cell_clause(&mut self, array: ObjectId, at: u32, index: TermId) -> InterpResult<bool> {
        let object = self.object(array);
        let absent = object.zeroed.then_some(Slot::ZERO);
        let ObjectBody::Array(cells) = &object.body else { return Ok(false) };
        if cells.length as usize > self.config.cells {
            return Ok(false);
        }
        let Some(slots) = (0..cells.length).map(|at| cells.get(at).or(absent)).collect::<Option<Vec<Slot>>>() else {
            return Ok(false);
        };
        let mut references: Vec<(Slot, Vec<u32>)> = Vec::new();
        for (position, &slot) in slots.iter().enumerate() {
            match references.iter_mut().find(|(known, _)| *known == slot) {
                Some((_, cells)) => cells.push(position as u32),
                None => references.push((slot, vec![position as u32])),
            }
        }
        if references.len() < 2 {
            return Ok(true);
        }
        let mut outcomes = Vec::new();
        for (slot, cells) in &references {
            // The index is within bounds. The most frequent reference is the negation of the
            // others.
            let most = cells.len() * 2 > slots.len();
            let named: Vec<u32> = (0..slots.len() as u32).filter(|cell| cells.contains(cell) != most).collect();
            let mut any = self.terms.bool(false);
            for cell in named {
                let here = self.terms.int(cell as i32);
                let is_here = self.terms.eq(index, here);
                any = self.terms.or(any, is_here);
            }
            outcomes.push((*slot, cells[0], if most { self.terms.not(any) } else { any }));
        }
        self.add_access_clause(&outcomes, slots[at as usize])?;
        Ok(true)
    }

    /// Adds the clause of an access at a symbolic index. `outcomes`: each value, the position of
    /// its first cell, and the term that it is accessed. They are numbered after the outcomes of
    /// the bounds check.
    pub(super) fn add_access_clause(&mut self, outcomes: &[(Slot, u32, TermId)], taken: Slot) -> InterpResult<()> {
        let Some(&(_, first, holds)) = outcomes.iter().find(|(slot, ..)| *slot == taken) else { return Ok(()) };
        let others = outcomes.iter().filter(|other| other.1 != first).map(|&(_, first, term)| (first + 2, term)).collect();
        self.context().add_clause_with_alternatives(ClauseKind::Bounds, first + 2, holds, others)
    }

    /// Executes an array store.
    pub(super) fn array_store(&mut self, kind: ArrayKind, floor: usize) -> InterpResult<Flow> {
        let value = if kind.kind().slots() == 2 { self.pop_wide() } else { self.pop() };
        let (array, at, mut index) = match self.element_of()? {
            Ok(element) => element,
            Err(class) => return self.throw_new(class, floor),
        };
        if self.view.is_active() {
            self.context().entry_index(array, at, &mut index)?;
            self.context().entry_cell_written(array, at);
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
                self.context().escape(&[value]);
            }
        }
        let mut index = index.term;
        if let (ArrayKind::Reference, Some(term)) = (kind, index) {
            let ObjectBody::Array(Array { length, .. }) = self.object(array).body else { return Ok(None) };
            if length as usize <= self.config.cells {
                // Each cell is an outcome of its own.
                let mut outcomes = Vec::new();
                for position in 0..length {
                    let here = self.terms.int(position as i32);
                    outcomes.push((Slot::raw(u64::from(position)), position, self.terms.eq(term, here)));
                }
                self.add_access_clause(&outcomes, Slot::raw(u64::from(at)))?;
                index = None;
            }
        }
        self.store_cell(array, at, index, value);
        self.frames.advance();
        Ok(None)
    }

    /// Stores a value. `index`: the term of a symbolic index, at which any cell may change.
    pub(super) fn store_cell(&mut self, array: ObjectId, at: u32, index: Option<TermId>, value: Slot) {
        let absent = self.object(array).zeroed.then_some(Slot::ZERO);
        let ObjectBody::Array(Array { kind, length, .. }) = self.object(array).body else { return };
        let value = arith::narrow(self.terms, kind, value);
        if let Some(index) = index {
            if kind == SlotKind::Ref || length as usize > self.config.cells {
                self.context().record_concretisation(UnsupportedReason::SymbolicIndex);
            } else if let Some(stored) = arith::term_of(self.terms, value, kind.kind()) {
                // The store may go to any cell.
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
                // The stored cell was unknown before.
                let ObjectBody::Array(cells) = &self.object(array).body else { return };
                if cells.get(at).is_none_or(|cell| cell.bits != value.bits) {
                    self.set_cell(array, at, Slot::raw(value.bits));
                }
                return;
            }
        }
        self.set_cell(array, at, value);
    }

    /// Executes `newarray` and `anewarray`.
    pub(super) fn new_array_op(&mut self, ty: TypeIx, floor: usize) -> InterpResult<Flow> {
        let length = self.pop();
        let negative = length.as_int() < 0;
        let term = length.term.and_then(|_| arith::term_of(self.terms, length, Kind::Int));
        if let Some(term) = term {
            let zero = self.terms.int(0);
            let holds = if negative { self.terms.lt(term, zero) } else { self.terms.ge(term, zero) };
            self.context().add_clause(ClauseKind::NegSize, u32::from(negative), holds)?;
        }
        if negative {
            return self.throw_new("java/lang/NegativeArraySizeException", floor);
        }
        let array = self.context().new_array(ty, length.as_int() as u32)?;
        if let ObjectBody::Array(array) = &mut self.object_mut(array).body {
            array.length_term = term;
        }
        self.push(Slot::reference(array));
        self.frames.advance();
        Ok(None)
    }

    /// Executes `multianewarray`.
    pub(super) fn multi_new_array(&mut self, ty: TypeIx, dimensions: u8, floor: usize) -> InterpResult<Flow> {
        let mut lengths: Vec<Slot> = (0..dimensions).map(|_| self.pop()).collect();
        lengths.reverse();
        // All lengths are checked before an array is allocated (JVMS §6.5 multianewarray); the
        // first negative one throws.
        for length in &lengths {
            let negative = length.as_int() < 0;
            if let Some(term) = length.term.and_then(|_| arith::term_of(self.terms, *length, Kind::Int)) {
                let zero = self.terms.int(0);
                let holds = if negative { self.terms.lt(term, zero) } else { self.terms.ge(term, zero) };
                self.context().add_clause(ClauseKind::NegSize, u32::from(negative), holds)?;
            }
            if negative {
                return self.throw_new("java/lang/NegativeArraySizeException", floor);
            }
        }
        let array = self.nested_arrays(ty, &lengths)?;
        self.push(Slot::reference(array));
        self.frames.advance();
        Ok(None)
    }

    /// Allocates an array of arrays. The recursion depth is the number of dimensions, at most 255
    /// (JVMS §4.4.1).
    pub(super) fn nested_arrays(&mut self, ty: TypeIx, lengths: &[Slot]) -> InterpResult<ObjectId> {
        let Some((first, rest)) = lengths.split_first() else { return Ok(ObjectId::NULL) };
        let length = first.as_int() as u32;
        let array = self.context().new_array(ty, length)?;
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
}
