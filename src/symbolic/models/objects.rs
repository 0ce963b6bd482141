//! Models of `Object`, `Objects` and array copies; conversion of model results to recorded objects.
//! Flows in: a call and its recorded result; flows out: slots. Must not know the content of strings
//! and boxes.

use tracewright_classfile::Kind;
use tracewright_trace::Event;

use super::methods::objects::ObjectModel;
use super::result::{ModelResult, NULL_POINTER};
use crate::program::{JavaType, MethodRef};
use crate::symbolic::arith;
use crate::symbolic::completion::InterpResult;
use crate::symbolic::context::ModelContext;
use crate::symbolic::data::ids::SlotKind;
use crate::symbolic::data::objects::{Object, ObjectBody, ObjectId, Slot};
use crate::symbolic::data::strings::KnownString;
use crate::symbolic::reason::UnsupportedReason;

const ARRAY_INDEX: &str = "java/lang/ArrayIndexOutOfBoundsException";

impl ModelContext<'_, '_> {
    /// Applies a model to the arguments of a call, the receiver first.
    pub(super) fn apply_object(&mut self, model: ObjectModel, arguments: &[Slot]) -> InterpResult<ModelResult> {
        let first = arguments.first().copied().unwrap_or_default();
        match model {
            ObjectModel::RequireNonNull if !first.object().is_null() => Ok(ModelResult::Value(first)),
            ObjectModel::RequireNonNull => Ok(ModelResult::Throws(NULL_POINTER)),
            ObjectModel::GetClass => match self.object(first.object()).ty {
                // The run-time class may be a subclass that no recorded value has shown yet.
                Some(_) if self.heap.is_constructed_opaquely(first.object()) && self.object(first.object()).hash == 0 => {
                    Ok(ModelResult::Opaque)
                }
                Some(ty) => {
                    let mirror = self.mirror(ty)?;
                    Ok(ModelResult::Value(Slot::reference(mirror)))
                }
                None => Ok(ModelResult::Opaque),
            },
            ObjectModel::ArrayCopy => self.copy_array(arguments),
            ObjectModel::Clone => self.clone_array(first.object()),
        }
    }

    /// `System.arraycopy`. A clause says whether both parts lie inside the arrays. A symbolic
    /// position makes each cell a choice between cells; it is decided by a clause where that costs
    /// too many terms, or the cells are references.
    fn copy_array(&mut self, arguments: &[Slot]) -> InterpResult<ModelResult> {
        let [source, from, destination, to, count] = *arguments else { return Ok(ModelResult::Opaque) };
        if source.object().is_null() || destination.object().is_null() {
            return Ok(ModelResult::Throws(NULL_POINTER));
        }
        let is_symbolic = [from, to, count].iter().any(|slot| slot.term.is_some());
        self.entry_copy_begins(source.object(), destination.object(), is_symbolic)?;
        let (ObjectBody::Array(read), ObjectBody::Array(written)) =
            (&self.object(source.object()).body, &self.object(destination.object()).body)
        else {
            return Ok(ModelResult::Opaque);
        };
        let kind = read.kind;
        if kind != written.kind || (kind == SlotKind::Ref && self.is_store_refused()) {
            return Ok(ModelResult::Opaque);
        }
        let (read_length, written_length) = (read.length, written.length);
        let lengths = [(read.length, read.length_term), (written.length, written.length_term)];
        let [read_limit, written_limit] = lengths.map(|(length, term)| Slot { bits: u64::from(length), term });
        for (start, limit) in [(from, read_limit), (to, written_limit)] {
            if !self.check_part(limit, start, count)? {
                return Ok(ModelResult::Throws(ARRAY_INDEX));
            }
        }
        let longest = read_length.max(written_length) as i32;
        let cells = read_length as usize * written_length as usize;
        // In the structural view the positions decide which cells of the entry heap are read, so
        // they must be constants.
        let is_choice =
            is_symbolic && !self.view.is_active() && kind != SlotKind::Ref && cells <= self.config.cells * self.config.cells;
        if is_symbolic && lengths.iter().any(|(_, term)| term.is_some()) {
            // The choice is between the cells as they are in this run.
            self.path.mark_inexact();
        }
        if is_choice && self.copy_choices(source.object(), from, destination.object(), to, count, kind) {
            return Ok(ModelResult::Void);
        }
        for place in [from, to, count] {
            if let Some(term) = self.term_if(&[place], Kind::Int)
                && !self.decide_value(term, place.as_int(), 0, longest)?
            {
                self.record_concretisation(UnsupportedReason::ArrayCopy);
            }
        }
        let [at, place, length] = [from, to, count].map(|slot| slot.as_int() as u32);
        self.entry_copied(source.object(), at, destination.object(), place, length)?;
        self.copy_cells(source.object(), from.as_int(), destination.object(), to.as_int(), count.as_int());
        Ok(ModelResult::Void)
    }

    /// Whether the next recorded event is the `ArrayStoreException`. Only the recording shows the
    /// classes of unknown elements.
    fn is_store_refused(&self) -> bool {
        let (Some(Event::Caught { value, .. }) | Some(Event::Thrown { value, .. })) = self.cursor.peek() else { return false };
        self.cursor.announced().class(value.class).is_some_and(|class| class.internal() == "java/lang/ArrayStoreException")
    }

    /// Decides by a clause whether the part from `from` of `count` cells lies inside the array.
    /// Returns the answer of this run.
    fn check_part(&mut self, limit: Slot, start: Slot, count: Slot) -> InterpResult<bool> {
        let end = i64::from(start.as_int()) + i64::from(count.as_int());
        let holds = start.as_int() >= 0 && count.as_int() >= 0 && end <= i64::from(limit.as_int());
        if [limit, start, count].iter().all(|slot| slot.term.is_none()) {
            return Ok(holds);
        }
        let terms = [limit, start, count].map(|slot| arith::term_of(self.terms, slot, Kind::Int));
        if let [Some(limit), Some(start), Some(count)] = terms {
            let zero = self.terms.int(0);
            let first = self.terms.le(zero, start);
            let second = self.terms.le(zero, count);
            // A sum could overflow, so the bound is subtracted.
            let room = self.terms.sub(limit, count);
            let third = self.terms.le(start, room);
            self.decide_bounds(holds, [first, second, third])?;
        }
        Ok(holds)
    }

    /// Copies the cells; false where a cell is unknown.
    fn copy_choices(
        &mut self,
        source: ObjectId,
        from: Slot,
        destination: ObjectId,
        to: Slot,
        count: Slot,
        kind: SlotKind,
    ) -> bool {
        let cells_of = |context: &Self, array: ObjectId| -> Option<Vec<Slot>> {
            let object = context.object(array);
            let absent = object.zeroed.then_some(Slot::ZERO);
            let ObjectBody::Array(array) = &object.body else { return None };
            (0..array.length).map(|index| array.get(index).or(absent)).collect()
        };
        let (Some(old), Some(new)) = (cells_of(self, destination), cells_of(self, source)) else { return false };
        let places = [from, to, count].map(|slot| arith::term_of(self.terms, slot, Kind::Int));
        let [Some(from_term), Some(to_term), Some(count_term)] = places else { return false };
        let offset = self.terms.sub(from_term, to_term);
        let end = self.terms.add(to_term, count_term);
        let mut result = Vec::with_capacity(old.len());
        for (index, &before) in old.iter().enumerate() {
            let place = self.terms.int(index as i32);
            let Some(mut copied) = arith::term_of(self.terms, before, kind.kind()) else { return false };
            let unchanged = copied;
            for (from_index, &cell) in new.iter().enumerate() {
                let distance = self.terms.int(from_index as i32 - index as i32);
                let is_here = self.terms.eq(offset, distance);
                let Some(cell) = arith::term_of(self.terms, cell, kind.kind()) else { return false };
                copied = self.terms.ite(is_here, cell, copied);
            }
            let above = self.terms.le(to_term, place);
            let below = self.terms.lt(place, end);
            let inside = self.terms.and(above, below);
            let term = self.terms.ite(inside, copied, unchanged);
            let is_copied = (to.as_int()..to.as_int() + count.as_int()).contains(&(index as i32));
            let bits = if is_copied { new[(index as i32 - to.as_int() + from.as_int()) as usize].bits } else { before.bits };
            result.push(arith::slot(self.terms, bits, Some(term)));
        }
        if let ObjectBody::Array(array) = &mut self.object_mut(destination).body {
            result.into_iter().enumerate().for_each(|(index, cell)| array.set(index as u32, cell));
        }
        true
    }

    fn copy_cells(&mut self, source: ObjectId, from: i32, destination: ObjectId, to: i32, count: i32) {
        let ObjectBody::Array(read) = &self.object(source).body else { return };
        let absent = self.object(source).zeroed.then_some(Slot::ZERO);
        let cells: Vec<Option<Slot>> = (0..count as u32).map(|offset| read.get(from as u32 + offset).or(absent)).collect();
        let is_reference = read.kind == SlotKind::Ref;
        let unknown = cells.iter().any(Option::is_none);
        let escaped = self.object(destination).escaped;
        if escaped && is_reference {
            let references: Vec<Slot> = cells.iter().flatten().copied().collect();
            self.escape(&references);
        }
        let written = self.object_mut(destination);
        if let ObjectBody::Array(array) = &mut written.body {
            if unknown {
                // An unknown cell must not keep its old value.
                array.forget();
                written.zeroed = false;
            } else {
                for (offset, cell) in cells.into_iter().flatten().enumerate() {
                    array.set(to as u32 + offset as u32, cell);
                }
            }
        }
    }

    /// `clone` of an array.
    fn clone_array(&mut self, array: ObjectId) -> InterpResult<ModelResult> {
        let object = self.object(array);
        if !matches!(object.body, ObjectBody::Array(_)) {
            return Ok(ModelResult::Opaque);
        }
        self.entry_clone_begins(array)?;
        let copy = Object { hash: 0, escaped: false, ..self.object(array).clone() };
        let copy = self.allocate(copy)?;
        self.entry_cloned(array, copy)?;
        Ok(ModelResult::Value(Slot::reference(copy)))
    }

    /// The recorded array that a call returned, filled with the characters of the string.
    pub(crate) fn char_array_result(&mut self, text: KnownString, recorded: ObjectId, callee: &MethodRef) -> InterpResult<Slot> {
        self.counts.count_checked();
        let fits = match &self.object(recorded).body {
            ObjectBody::Array(array) => {
                let same =
                    |(index, &unit): (usize, &u16)| array.get(index as u32).is_none_or(|cell| cell.bits == u64::from(unit));
                array.kind == SlotKind::Char
                    && array.length as usize == text.units.len()
                    && text.units.iter().enumerate().all(same)
            }
            _ => false,
        };
        if !fits {
            let computed = String::from_utf16_lossy(&text.units);
            let found = self.type_name(recorded);
            return self.diverge(&format!("model of {callee}: {computed:?}"), &found);
        }
        self.set_characters(recorded, &text);
        Ok(Slot::reference(recorded))
    }

    /// The recorded array that a call returned, filled with strings.
    pub(crate) fn strings_result(
        &mut self,
        texts: Vec<KnownString>,
        recorded: ObjectId,
        callee: &MethodRef,
    ) -> InterpResult<Slot> {
        self.counts.count_checked();
        let found = match &self.object(recorded).body {
            ObjectBody::Array(array) if array.kind == SlotKind::Ref => Some(array.length as usize),
            _ => None,
        };
        if found != Some(texts.len()) {
            let expected = format!("model of {callee}: {} texts", texts.len());
            return self.diverge(&expected, &format!("{found:?}"));
        }
        self.set_strings(recorded, texts)?;
        Ok(Slot::reference(recorded))
    }

    fn set_strings(&mut self, array: ObjectId, texts: Vec<KnownString>) -> InterpResult<()> {
        for (index, text) in texts.into_iter().enumerate() {
            let string = self.new_string(text)?;
            if let ObjectBody::Array(cells) = &mut self.object_mut(array).body {
                cells.set(index as u32, string);
            }
        }
        Ok(())
    }

    /// The recorded object that a call returned, with the modelled content. An object that was
    /// visible before keeps its content.
    pub(crate) fn object_result(&mut self, body: ObjectBody, recorded: ObjectId) -> Slot {
        if self.is_first_seen(recorded) {
            let object = self.object_mut(recorded);
            object.body = body;
            // No other code has a reference to the object.
            object.escaped = false;
        }
        Slot::reference(recorded)
    }

    /// The result of a modelled call without a recorded result: a new object. `None` where the
    /// model gives no result.
    pub(crate) fn unrecorded_result(&mut self, outcome: ModelResult, returns: &JavaType) -> InterpResult<Option<Slot>> {
        Ok(match outcome {
            ModelResult::Value(value) => Some(value),
            ModelResult::String(text) => Some(self.new_string(text)?),
            ModelResult::Chars(text) => Some(self.new_chars(&text)?),
            ModelResult::Strings(texts) => {
                let ty = self.linked.type_ix(returns);
                let array = self.new_array(ty, texts.len() as u32)?;
                self.set_strings(array, texts)?;
                Some(Slot::reference(array))
            }
            ModelResult::Box(value) => {
                let ty = Some(self.linked.type_ix(returns));
                let object = Object { ty, hash: 0, zeroed: false, escaped: true, body: ObjectBody::Boxed(value) };
                let object = self.allocate(object)?;
                Some(Slot { bits: Slot::reference(object).bits, term: value.term })
            }
            ModelResult::Object(body) => {
                let ty = Some(self.linked.type_ix(returns));
                let object = self.allocate(Object { ty, hash: 0, zeroed: false, escaped: false, body })?;
                Some(Slot::reference(object))
            }
            ModelResult::Opaque | ModelResult::Void | ModelResult::Throws(_) => None,
            ModelResult::Approximate(_) | ModelResult::Recorded => None,
        })
    }

    /// A new array, for calls without a recorded result.
    fn new_chars(&mut self, text: &KnownString) -> InterpResult<Slot> {
        let ty = self.linked.type_ix(&JavaType::Array(Box::new(JavaType::CHAR)));
        let array = self.new_array(ty, text.units.len() as u32)?;
        self.set_characters(array, text);
        Ok(Slot::reference(array))
    }

    fn set_characters(&mut self, array: ObjectId, text: &KnownString) {
        let length_term = text.symbolic.as_ref().map(|symbolic| symbolic.length);
        let length_term = length_term.filter(|&term| self.terms.constant_of(term).is_none());
        let ObjectBody::Array(chars) = &mut self.object_mut(array).body else { return };
        chars.length_term = length_term;
        for (index, &unit) in text.units.iter().enumerate() {
            let term = text.symbolic.as_ref().and_then(|symbolic| symbolic.characters.get(index).copied());
            chars.set(index as u32, Slot { bits: u64::from(unit), term });
        }
    }
}
