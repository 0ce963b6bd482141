//! Pattern switches (`java.lang.runtime.SwitchBootstraps`): the position of the first matching
//! label over the inputs. The jump on it is ordinary code. In: labels and the selector; out: the
//! position. Must not know class files.

use std::rc::Rc;

use tracewright_classfile::{Conversion, Kind};

use super::Machine;
use super::step::Flow;
use crate::expr::TermId;
use crate::program::JavaType;
use crate::symbolic::arith;
use crate::symbolic::completion::InterpResult;
use crate::symbolic::data::call_sites::CaseLabel;
use crate::symbolic::data::ids::{InvokeIx, SlotKind};
use crate::symbolic::data::objects::{ObjectBody, ObjectId, Slot};
use crate::symbolic::models::ModelResult;
use crate::symbolic::reason::UnsupportedReason;

/// Whether a label matches, with its term where inputs decide it; `None`: not known.
type LabelMatch = Option<(bool, Option<TermId>)>;

impl Machine<'_, '_> {
    /// Executes the call site of a pattern switch.
    pub(crate) fn pattern_switch(
        &mut self,
        labels: &[CaseLabel],
        ix: InvokeIx,
        arguments: &[Slot],
        floor: usize,
    ) -> InterpResult<Flow> {
        let outcome = match (self.linked.invoke(ix).parameters.first(), arguments) {
            (Some(SlotKind::Ref), [selector, restart]) => self.first_label(labels, *selector, restart.as_int())?,
            _ => ModelResult::Opaque,
        };
        if matches!(outcome, ModelResult::Opaque) {
            let selector = arguments.first().copied().unwrap_or_default();
            let carried = match &self.object(selector.object()).body {
                ObjectBody::Str(text) => text.symbolic.is_some(),
                ObjectBody::Boxed(content) => content.term.is_some(),
                _ => false,
            };
            if carried || selector.term.is_some() {
                self.context().record_concretisation(UnsupportedReason::PatternSwitch);
            }
        }
        self.conclude(outcome, ix, ix, arguments, floor)
    }

    fn first_label(&mut self, labels: &[CaseLabel], selector: Slot, restart: i32) -> InterpResult<ModelResult> {
        if selector.object().is_null() {
            return Ok(ModelResult::Value(Slot::int(-1)));
        }
        let mut found: Option<usize> = None;
        let mut clauses: Vec<(usize, TermId)> = Vec::new();
        let mut last = labels.len();
        for (at, label) in labels.iter().enumerate().skip(restart.max(0) as usize) {
            match self.match_label(label, selector)? {
                None if found.is_none() => return Ok(ModelResult::Opaque),
                None => {
                    // The result for other inputs is unknown.
                    self.context().record_concretisation(UnsupportedReason::PatternSwitch);
                    return Ok(ModelResult::Value(Slot::int(found.unwrap_or(last) as i32)));
                }
                Some((true, None)) => {
                    last = at;
                    found = found.or(Some(at));
                    break;
                }
                Some((false, None)) => {}
                Some((holds, Some(clause))) => {
                    clauses.push((at, clause));
                    if holds {
                        found = found.or(Some(at));
                    }
                }
            }
        }
        let mut term = self.terms.int(last as i32);
        for (at, clause) in clauses.into_iter().rev() {
            let here = self.terms.int(at as i32);
            term = self.terms.ite(clause, here, term);
        }
        let bits = Slot::int(found.unwrap_or(last) as i32).bits;
        Ok(ModelResult::Value(arith::slot(self.terms, bits, Some(term))))
    }

    fn match_label(&mut self, label: &CaseLabel, selector: Slot) -> InterpResult<LabelMatch> {
        let object = selector.object();
        Ok(match label {
            CaseLabel::Class(ty) if self.linked.ty(*ty).is_primitive() => None,
            CaseLabel::Class(ty) => self.is_instance(object, *ty).map(|fits| (fits, None)),
            CaseLabel::String(text) => self.match_string_label(text, object)?,
            CaseLabel::Number(number) => self.match_number_label(*number, selector),
            CaseLabel::Constant { class, field } => match self.is_instance(object, *class) {
                Some(true) => self.heap.static_field(*field).and_then(|constant| {
                    let (a, b) = (self.object(object), self.object(constant.object()));
                    let is_known = a.hash != 0 && b.hash != 0;
                    (object == constant.object() || is_known).then_some((object == constant.object(), None))
                }),
                other => other.map(|_| (false, None)),
            },
            CaseLabel::Unknown => None,
        })
    }

    fn match_string_label(&mut self, text: &Rc<[u16]>, object: ObjectId) -> InterpResult<LabelMatch> {
        match self.object(object).body {
            ObjectBody::Str(_) => {
                let label = self.context().intern(text)?;
                self.context().strings_equal(object, label)
            }
            _ => Ok(self.object(object).ty.map(|_| (false, None))),
        }
    }

    /// Whether `Number.intValue` or `Character.charValue` equals the number.
    fn match_number_label(&mut self, number: i32, selector: Slot) -> LabelMatch {
        let object = self.object(selector.object());
        let ty = object.ty?;
        let ObjectBody::Boxed(content) = object.body else {
            let numbers = self.linked.type_ix(&JavaType::class("java/lang/Number"));
            return self.is_instance(selector.object(), numbers).filter(|is_number| !is_number).map(|_| (false, None));
        };
        let content = Slot { bits: content.bits, term: selector.term.or(content.term) };
        let value = match self.linked.boxed_kind(ty)? {
            SlotKind::Boolean => return Some((false, None)),
            SlotKind::Long => arith::convert(self.terms, Conversion::LongToInt, content),
            SlotKind::Float => arith::convert(self.terms, Conversion::FloatToInt, content),
            SlotKind::Double => arith::convert(self.terms, Conversion::DoubleToInt, content),
            _ => content,
        };
        let clause = value.term.and_then(|_| arith::term_of(self.terms, value, Kind::Int)).map(|term| {
            let number = self.terms.int(number);
            self.terms.eq(term, number)
        });
        Some((value.as_int() == number, clause))
    }
}
