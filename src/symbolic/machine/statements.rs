//! The statements of the test case, performed as the worker performs them. Literals become inputs.
//! In: a test case; out: the end of its path. Must not know instructions.

use std::rc::Rc;

use tracewright_classfile::PrimitiveType;
use tracewright_trace::Event;

use super::Machine;
use super::interpretation::Awaited;
use crate::expr::{Symbol, SymbolKind};
use crate::program::{FieldRef, JavaType, MethodRef};
use crate::symbolic::arith;
use crate::symbolic::completion::{Completion, InterpResult};
use crate::symbolic::config::View;
use crate::symbolic::data::ids::{FieldIx, MethodIx, SlotKind};
use crate::symbolic::data::objects::{Array, Cells, Object, ObjectBody, ObjectId, Slot, StringContents, SymbolicString};
use crate::symbolic::models::{ModelResult, model_of};
use crate::symbolic::outcome::{CallResult, PathEnd};
use crate::symbolic::reason::UnsupportedReason;
use crate::testcase::{Answer, AnswerOutcome, Literal, StatementKind, StubKind, VarId};

impl Machine<'_, '_> {
    /// Performs all statements of the test case.
    pub(crate) fn statements(&mut self) -> InterpResult<PathEnd> {
        let mut next = 0;
        loop {
            match self.cursor.peek() {
                Some(Event::Statement { index }) => {
                    let index = *index as usize;
                    self.cursor.advance();
                    if index < next || index >= self.test.len() {
                        return self.diverge(&format!("statement {next}"), &format!("statement {index}"));
                    }
                    // Statements that cannot fail may have no event.
                    while next < index {
                        self.literal(next)?;
                        next += 1;
                    }
                    self.test.begin_statement(index);
                    match self.perform(index)? {
                        Completion::Returned(value) => self.test.define(index, value),
                        Completion::Threw(exception) => {
                            return Ok(PathEnd::Threw { class: self.class_of_thrown(exception) });
                        }
                    }
                    next = index + 1;
                }
                // An initialiser before the first statement.
                Some(Event::Entry { .. }) => {
                    self.run_nested_entry()?;
                }
                Some(Event::RunEnd { verdict: tracewright_trace::Verdict::Completed }) => {
                    while next < self.test.len() {
                        self.literal(next)?;
                        next += 1;
                    }
                    return Ok(PathEnd::Returned);
                }
                found => return self.mismatch(&format!("statement {next}"), found),
            }
        }
    }

    /// Replays a run whose first entry is a method that unrecorded code called.
    pub(crate) fn outermost(&mut self) -> InterpResult<PathEnd> {
        let completion = self.run_nested_entry()?;
        if let Completion::Threw(exception) = completion {
            self.thrown(exception)?;
            return Ok(PathEnd::Threw { class: self.class_of_thrown(exception) });
        }
        // The result, or the constructed object. Its value is compared when it is loaded.
        if let Some(Event::ResultRef { .. }) = self.cursor.peek() {
            self.cursor.advance();
            self.cursor.contents();
        }
        match self.cursor.peek() {
            Some(Event::RunEnd { verdict: tracewright_trace::Verdict::Completed }) => Ok(PathEnd::Returned),
            found => self.mismatch("end of the run", found),
        }
    }

    /// The value of the last call of the test case.
    pub(super) fn call_result(&mut self) -> Option<CallResult> {
        let (index, _) = self.test.target()?;
        let slot = self.test.variable(VarId(index as u32));
        let ty = &self.test.statement_at(index).ty;
        let primitive = match ty {
            JavaType::Void => return Some(CallResult::Nothing),
            JavaType::Primitive(primitive) => *primitive,
            JavaType::Class(_) if slot.object().is_null() => return Some(CallResult::Null),
            JavaType::Class(_) => {
                let ObjectBody::Str(StringContents { units, symbolic }) = &self.object(slot.object()).body else { return None };
                let (units, symbolic) = (units.clone(), symbolic.clone());
                return match (symbolic, units) {
                    (Some(text), _) => Some(CallResult::Text { length: text.length, characters: text.characters.clone() }),
                    (None, Some(units)) => Some(CallResult::Text {
                        length: self.terms.int(units.len() as i32),
                        characters: units.iter().map(|unit| self.terms.int(i32::from(*unit))).collect(),
                    }),
                    (None, None) => None,
                };
            }
            JavaType::Array(_) => return None,
        };
        let constant = match primitive {
            PrimitiveType::Long => self.terms.long(slot.as_long()),
            PrimitiveType::Float => self.terms.float(f32::from_bits(slot.bits as u32)),
            PrimitiveType::Double => self.terms.double(f64::from_bits(slot.bits)),
            _ => self.terms.int(slot.as_int()),
        };
        Some(CallResult::Number(slot.term.unwrap_or(constant)))
    }

    fn class_of_thrown(&self, exception: ObjectId) -> crate::program::ClassName {
        match self.object(exception).ty {
            Some(ty) => self.linked.class_name(ty),
            None => crate::program::ClassName::new("java/lang/Throwable"),
        }
    }

    /// Defines the variable of a literal without an event.
    fn literal(&mut self, index: usize) -> InterpResult<()> {
        let StatementKind::Literal(literal) = &self.test.statement_at(index).kind else {
            return self.diverge(&format!("statement {index}"), "a later statement");
        };
        let value = self.define(index, literal)?;
        self.test.define(index, value);
        Ok(())
    }

    fn define(&mut self, index: usize, literal: &Literal) -> InterpResult<Slot> {
        let statement = index as u32;
        let (bits, kind) = match literal {
            Literal::Null => return Ok(Slot::ZERO),
            Literal::Boolean(value) => (u64::from(*value), SymbolKind::Boolean),
            Literal::Byte(value) => (Slot::int(i32::from(*value)).bits, SymbolKind::Byte),
            Literal::Char(value) => (u64::from(*value), SymbolKind::Char),
            Literal::Short(value) => (Slot::int(i32::from(*value)).bits, SymbolKind::Short),
            Literal::Int(value) => (Slot::int(*value).bits, SymbolKind::Int),
            Literal::Long(value) => (*value as u64, SymbolKind::Long),
            Literal::Float(bits) => (u64::from(*bits), SymbolKind::Float),
            Literal::Double(bits) => (*bits, SymbolKind::Double),
            Literal::Str(units) if self.config.view == View::Structural => {
                return self.context().intern(&units.as_slice().into()).map(Slot::reference);
            }
            Literal::Str(units) => return self.string_input(statement, units),
            Literal::Class(ty) => {
                let ty = self.linked.type_ix(ty);
                return self.context().mirror(ty).map(Slot::reference);
            }
        };
        let term = match self.config.view {
            View::Parametric => Some(self.terms.symbol(Symbol::value(statement), kind)),
            View::Structural => None,
        };
        Ok(Slot { bits, term })
    }

    fn string_input(&mut self, statement: u32, units: &[u16]) -> InterpResult<Slot> {
        if units.len() > self.config.longest_text {
            self.context().record_concretisation(UnsupportedReason::LongStringLiteral);
            return self.context().intern(&units.into()).map(Slot::reference);
        }
        let length = self.terms.symbol(Symbol::length(statement), SymbolKind::Length);
        let count = units.len().max(self.config.characters) as u32;
        let characters = (0..count).map(|index| self.terms.symbol(Symbol::char(statement, index), SymbolKind::Char)).collect();
        let bound = self.terms.int(count as i32);
        let within = Some(self.terms.le(length, bound));
        let symbolic = Some(Rc::new(SymbolicString { length, characters, within, is_literal: true }));
        let body = ObjectBody::Str(StringContents { units: Some(units.into()), symbolic });
        let string = self.linked.string();
        let object = self.context().allocate(Object { ty: Some(string), hash: 0, zeroed: false, escaped: true, body })?;
        Ok(Slot::reference(object))
    }

    fn perform(&mut self, index: usize) -> InterpResult<Completion> {
        let statement = self.test.statement_at(index);
        match &statement.kind {
            StatementKind::Literal(literal) => {
                let value = self.define(index, literal)?;
                self.result(&statement.ty, Some(value))
            }
            StatementKind::Construct { constructor, args } => {
                let ty = self.linked.type_ix(&JavaType::Class(constructor.owner.clone()));
                let object = self.context().new_object(ty)?;
                if self.is_string(ty) {
                    self.object_mut(object).body = ObjectBody::Str(StringContents { units: None, symbolic: None });
                }
                let mut arguments = vec![Slot::reference(object)];
                arguments.extend(args.iter().map(|&variable| self.test.variable(variable)));
                let target = self.linked.statement_target(constructor, None);
                self.call(target, constructor, false, &arguments, &statement.ty, Some(Slot::reference(object)))
            }
            StatementKind::Call { method, receiver, args, .. } => {
                let mut arguments: Vec<Slot> = receiver.iter().map(|&variable| self.test.variable(variable)).collect();
                let object = arguments.first().map_or(ObjectId::NULL, |slot| slot.object());
                arguments.extend(args.iter().map(|&variable| self.test.variable(variable)));
                let target = match receiver {
                    // The method runs in a coroutine, perhaps in parts: this call is not followed.
                    _ if method.suspends_with(args.len()) => None,
                    None => self.linked.statement_target(method, None),
                    Some(_) if object.is_null() => None,
                    // A stub's class is unknown: inherited methods are entered as resolved.
                    Some(_) => {
                        let selected = self.object(object).ty.and_then(|ty| self.linked.statement_target(method, Some(ty)));
                        selected.or_else(|| self.linked.statement_target(method, None))
                    }
                };
                self.call(target, method, receiver.is_none(), &arguments, &statement.ty, None)
            }
            StatementKind::GetField { field, receiver } => {
                let field = self.linked.field_ix(field);
                self.get_field(field, receiver.map(|variable| self.test.variable(variable)), &statement.ty)
            }
            StatementKind::PutField { field, receiver, value } => {
                self.put_field_statement(field, receiver.map(|variable| self.test.variable(variable)), *value)
            }
            StatementKind::Array { element, length, elements } => {
                let ty = self.linked.type_ix(&JavaType::Array(Box::new(element.clone())));
                let kind = SlotKind::of(element);
                let array = self.context().new_array(ty, *length)?;
                let cells: Vec<Slot> = elements.iter().map(|&variable| self.test.variable(variable)).collect();
                if let ObjectBody::Array(Array { cells: Cells::Dense(dense), .. }) = &mut self.object_mut(array).body {
                    dense.iter_mut().zip(cells).for_each(|(cell, value)| *cell = value);
                } else {
                    return self.unsupported(UnsupportedReason::LongTestArray);
                }
                debug_assert!(!kind.is_wide() || length < &u32::MAX);
                self.result(&statement.ty, Some(Slot::reference(array)))
            }
            StatementKind::PutElement { array, index, value } => {
                let (array, value) = (self.test.variable(*array).object(), self.test.variable(*value));
                if let Some(Event::Thrown { .. }) = self.cursor.peek() {
                    return self.result(&statement.ty, None);
                }
                let escaped = self.object(array).escaped;
                let mut is_reference = false;
                if let ObjectBody::Array(cells) = &mut self.object_mut(array).body {
                    is_reference = cells.kind == SlotKind::Ref;
                    if *index < cells.length {
                        cells.set(*index, value);
                    }
                }
                if escaped && is_reference {
                    self.context().escape(&[value]);
                }
                self.result(&statement.ty, Some(Slot::ZERO))
            }
            // A stub of an abstract class: its constructor runs and writes fields.
            StatementKind::Stub { kind: StubKind::Implementation, answers, .. }
                if matches!(self.cursor.peek(), Some(Event::Entry { .. })) =>
            {
                self.record_stub_answers(answers);
                self.result(&statement.ty, None)
            }
            StatementKind::Stub { answers, .. } => {
                // No constructor of a mock runs, but its class may be initialised.
                while let Some(Event::Entry { .. }) = self.cursor.peek() {
                    self.run_nested_entry()?;
                }
                self.record_stub_answers(answers);
                let answers = answers
                    .iter()
                    .flat_map(|answer| {
                        let method = &answer.method;
                        let returned = answer.outcomes.iter().filter_map(|outcome| match outcome {
                            AnswerOutcome::Returns(value) => Some(self.test.variable(*value)),
                            AnswerOutcome::Throws(_) => None,
                        });
                        returned.map(|value| (method.name.clone(), method.descriptor.clone(), value))
                    })
                    .collect();
                let body = ObjectBody::Stub { answers, fields: Vec::new() };
                let object = self.context().allocate(Object { ty: None, hash: 0, zeroed: false, escaped: true, body })?;
                self.result(&statement.ty, Some(Slot::reference(object)))
            }
        }
    }

    /// Records that unrecorded code may return the answers of a stub.
    fn record_stub_answers(&mut self, answers: &[Answer]) {
        for variable in answers.iter().flat_map(Answer::uses) {
            let answer = self.test.variable(variable);
            self.heap.record_escaped_string(answer.object());
        }
    }

    /// Performs a constructor or method call. `gives`: the result, if it is known beforehand.
    fn call(
        &mut self,
        target: Option<MethodIx>,
        method: &MethodRef,
        is_static: bool,
        arguments: &[Slot],
        ty: &JavaType,
        gives: Option<Slot>,
    ) -> InterpResult<Completion> {
        while let Some(Event::Entry { site }) = self.cursor.peek() {
            match self.entry_method(site.0) {
                Some((entered, base)) if Some(entered) == target => {
                    self.cursor.advance();
                    let mut arguments = arguments.to_vec();
                    self.check_arguments(entered, &mut arguments)?;
                    self.test.record_entered(|| self.linked.method(entered).reference.clone());
                    let floor = self.frames.depth();
                    self.enter(entered, base, &arguments)?;
                    self.begin_entry(entered);
                    let completion = self.run(floor)?;
                    self.end_entry();
                    return match completion {
                        Completion::Returned(value) => {
                            let returns = method.return_type();
                            let value = match gives {
                                Some(gives) => gives,
                                None => arith::narrow(self.terms, SlotKind::of(&returns), value),
                            };
                            self.result(ty, Some(value))
                        }
                        Completion::Threw(exception) => self.thrown(exception),
                    };
                }
                Some((entered, _)) if self.linked.method(entered).is_clinit => {
                    self.run_nested_entry()?;
                }
                _ => break,
            }
        }
        let outcome = self.modelled(model_of(is_static, method), target, arguments)?;
        if let (ModelResult::Opaque, Some(target)) = (&outcome, target) {
            let returned = method.return_type();
            let returns = (returned != JavaType::Void).then(|| SlotKind::of(&returned));
            match self.interpret(target, arguments, Awaited::Result { returns, gives })? {
                Some(Completion::Returned(value)) => {
                    let value = arith::narrow(self.terms, returns.unwrap_or(SlotKind::Int), value);
                    return self.result(ty, Some(gives.unwrap_or(value)));
                }
                Some(Completion::Threw(exception)) => return self.thrown(exception),
                None => {}
            }
        }
        if matches!(outcome, ModelResult::Opaque) {
            self.pass_to_opaque_code(method, arguments);
        }
        let completion = self.result(ty, gives)?;
        if let Completion::Threw(exception) = completion {
            self.check_exception(&outcome, exception, method)?;
        }
        match completion {
            Completion::Returned(recorded) if gives.is_none() => {
                let returned = method.return_type();
                let returns = (returned != JavaType::Void).then(|| SlotKind::of(&returned));
                self.combine(outcome, recorded, returns, method, arguments).map(Completion::Returned)
            }
            completion => Ok(completion),
        }
    }

    fn get_field(&mut self, field: FieldIx, receiver: Option<Slot>, ty: &JavaType) -> InterpResult<Completion> {
        let computed = match receiver {
            Some(receiver) if receiver.object().is_null() => None,
            Some(receiver) => self.context().field_value(receiver.object(), field).0,
            None => {
                while let Some(Event::Entry { .. }) = self.cursor.peek() {
                    self.run_nested_entry()?;
                }
                self.heap.static_field(field)
            }
        };
        let completion = self.result(ty, computed)?;
        if let Completion::Returned(value) = completion {
            match receiver {
                Some(receiver) => self.object_mut(receiver.object()).set_field(field, value),
                None => {
                    self.heap.set_static(field, value);
                }
            }
        }
        Ok(completion)
    }

    fn put_field_statement(&mut self, field: &FieldRef, receiver: Option<Slot>, value: VarId) -> InterpResult<Completion> {
        let field = self.linked.field_ix(field);
        let value = self.test.variable(value);
        while let Some(Event::Entry { .. }) = self.cursor.peek() {
            self.run_nested_entry()?;
        }
        if let Some(Event::Thrown { .. }) = self.cursor.peek() {
            return self.result(&JavaType::Void, None);
        }
        match receiver {
            Some(receiver) => self.put_field(receiver.object(), field, value),
            None => {
                self.heap.set_static(field, value);
            }
        }
        self.result(&JavaType::Void, Some(Slot::ZERO))
    }

    /// Begins the structural view if the current statement calls the method under test, which has
    /// just been entered. Does nothing in the parametric view.
    fn begin_entry(&mut self, method: MethodIx) {
        if self.config.view != View::Structural || !self.test.is_target() {
            return;
        }
        let parameters = self.context().begin_entry(method);
        for (local, value) in parameters.values {
            self.frames.set_local(local, value);
        }
        self.frames.replace_code(parameters.code);
    }

    /// Ends the structural view, if it has begun.
    pub(super) fn end_entry(&mut self) {
        if self.view.is_active() {
            self.context().end_entry();
        }
    }

    /// Consumes the result of a statement, or its exception. A known result is compared with the
    /// recorded one.
    fn result(&mut self, ty: &JavaType, computed: Option<Slot>) -> InterpResult<Completion> {
        loop {
            let found = self.cursor.peek();
            match found {
                // Callbacks of the statement's callee.
                Some(Event::Entry { .. }) => {
                    self.run_nested_entry()?;
                }
                Some(Event::Thrown { value, .. }) => {
                    let value = *value;
                    self.machine_error(value)?;
                    self.cursor.advance();
                    let contents = self.cursor.contents();
                    return self.object_of_reference(value, contents).map(Completion::Threw);
                }
                Some(Event::ResultVoid { .. }) => {
                    self.cursor.advance();
                    return Ok(Completion::Returned(computed.unwrap_or_default()));
                }
                Some(event @ (Event::Result32 { .. } | Event::Result64 { .. } | Event::ResultRef { .. })) => {
                    let kind = SlotKind::of(ty);
                    let value = match computed {
                        Some(computed) => {
                            self.check_value(kind, computed, event, "result").map(|checked| checked.map(|()| computed))
                        }
                        None => self.value_from_event(kind, event),
                    };
                    return match value {
                        Some(value) => value.map(Completion::Returned),
                        None => self.mismatch(&format!("result of {kind:?}"), found),
                    };
                }
                // A statement that cannot fail may have no result event.
                Some(Event::Statement { .. } | Event::RunEnd { .. }) if computed.is_some() => {
                    return Ok(Completion::Returned(computed.unwrap_or_default()));
                }
                found => return self.mismatch("result of a statement", found),
            }
        }
    }

    fn thrown(&mut self, exception: ObjectId) -> InterpResult<Completion> {
        match self.cursor.peek() {
            Some(Event::Thrown { value, .. }) => {
                let value = *value;
                self.cursor.advance();
                let contents = self.cursor.contents();
                self.check_reference(exception, value, contents, "thrown")?;
                Ok(Completion::Threw(exception))
            }
            found => {
                let expected = format!("thrown {}", self.type_name(exception));
                self.mismatch(&expected, found)
            }
        }
    }
}
