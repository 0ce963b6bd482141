//! Models of library methods: results as terms, which the caller checks against the recorded ones. A method is modelled for what it
//! computes; identity always comes from the recording. Must not know how calls are made.

use std::rc::Rc;

use tracewright_classfile::{BinaryOp, Kind};

use super::arith;
use super::heap::{Array, Body, ObjectId, Slot, SymbolicText, Text};
use super::machine::{Machine, Run};
use super::world::SlotKind;
use crate::expr::{TermId, UnaryOp};
use crate::path::ClauseKind;
use crate::program::MethodRef;

/// What is known of a library method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    Abs(Kind),
    Min(Kind),
    Max(Kind),
    /// `addExact`, `subtractExact`, `multiplyExact`.
    Exact(BinaryOp, Kind),
    NegateExact(Kind),
    ToIntExact,
    Sqrt,
    /// `Integer.compare`, `Long.compare`, `Character.compare`, ...: -1, 0, 1.
    Compare(Kind),
    /// Difference of the operands (`Character.compare`, `Byte.compare`, `Short.compare`).
    Difference,
    Signum(Kind),
    /// `valueOf` of a box.
    Box,
    /// `new Integer(i)` and its like.
    InitBox,
    /// `intValue` and its like: kind in the box, kind given, and for narrow ones the cut.
    Unbox(SlotKind, SlotKind),
    RequireNonNull,
    GetClass,
    /// A predicate on characters, exact up to U+00FF.
    Character(CharacterTest),
    ToLowerCase,
    ToUpperCase,
    StringLength,
    StringIsEmpty,
    StringCharAt,
    StringEquals,
    StringStartsWith,
    StringEndsWith,
    StringIndexOfChar,
    StringToCharArray,
    ArrayCopy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CharacterTest {
    Digit,
    Letter,
    LetterOrDigit,
    UpperCase,
    LowerCase,
    Whitespace,
}

/// Contents of a string, and what they are over the inputs.
pub type KnownText = (Rc<[u16]>, Option<Rc<SymbolicText>>);

/// What a model says of one call.
#[derive(Clone, Copy, Debug)]
pub enum Outcome {
    /// Nothing: take the recording.
    Opaque,
    /// The result.
    Value(Slot),
    /// The box that the recording names holds this.
    Box(Slot),
    /// Nothing is returned, what changed is done.
    Void,
    /// The call does not return.
    Throws,
}

/// The model of a method, if there is one.
pub fn model_of(is_static: bool, method: &MethodRef) -> Option<Model> {
    let descriptor: &str = &method.descriptor;
    let owner = method.owner.internal().strip_prefix("java/lang/");
    Some(match (owner, &*method.name, descriptor) {
        (Some("Math" | "StrictMath"), name, _) if is_static => return math(name, descriptor),
        (Some("Integer" | "Short" | "Byte" | "Character" | "Long" | "Boolean" | "Float" | "Double"), "valueOf", _)
            if is_static && !descriptor.contains("String;)") && !descriptor.contains(";I)") =>
        {
            Model::Box
        }
        (Some(box_class), "<init>", _) if box_kind(box_class).is_some() && !descriptor.contains("String;") => Model::InitBox,
        (Some("Integer"), "compare", "(II)I") => Model::Compare(Kind::Int),
        (Some("Long"), "compare", "(JJ)I") => Model::Compare(Kind::Long),
        (Some("Character" | "Short" | "Byte"), "compare", _) if is_static => Model::Difference,
        (Some("Integer"), "signum", "(I)I") => Model::Signum(Kind::Int),
        (Some("Long"), "signum", "(J)I") => Model::Signum(Kind::Long),
        (Some("Character"), name, "(C)Z" | "(I)Z") if is_static => Model::Character(match name {
            "isDigit" => CharacterTest::Digit,
            "isLetter" => CharacterTest::Letter,
            "isLetterOrDigit" => CharacterTest::LetterOrDigit,
            "isUpperCase" => CharacterTest::UpperCase,
            "isLowerCase" => CharacterTest::LowerCase,
            "isWhitespace" => CharacterTest::Whitespace,
            _ => return None,
        }),
        (Some("Character"), "toLowerCase", "(C)C" | "(I)I") => Model::ToLowerCase,
        (Some("Character"), "toUpperCase", "(C)C" | "(I)I") => Model::ToUpperCase,
        (Some(box_class), name, _) if !is_static && name.ends_with("Value") => {
            Model::Unbox(box_kind(box_class)?, SlotKind::of(&method.return_type()))
        }
        (Some("Object"), "getClass", "()Ljava/lang/Class;") => Model::GetClass,
        (Some("String" | "CharSequence"), "length", "()I") => Model::StringLength,
        (Some("String" | "CharSequence"), "isEmpty", "()Z") => Model::StringIsEmpty,
        (Some("String" | "CharSequence"), "charAt", "(I)C") => Model::StringCharAt,
        (Some("String" | "Object"), "equals", "(Ljava/lang/Object;)Z") => Model::StringEquals,
        (Some("String"), "startsWith", "(Ljava/lang/String;)Z") => Model::StringStartsWith,
        (Some("String"), "endsWith", "(Ljava/lang/String;)Z") => Model::StringEndsWith,
        (Some("String"), "indexOf", "(I)I") => Model::StringIndexOfChar,
        (Some("String"), "toCharArray", "()[C") => Model::StringToCharArray,
        (Some("System"), "arraycopy", _) => Model::ArrayCopy,
        (None, "requireNonNull", _) if method.owner.internal() == "java/util/Objects" && !descriptor.contains("Supplier") => {
            Model::RequireNonNull
        }
        _ => return None,
    })
}

fn math(name: &str, descriptor: &str) -> Option<Model> {
    let kind = match descriptor.as_bytes().get(1)? {
        b'I' => Kind::Int,
        b'J' => Kind::Long,
        b'D' => Kind::Double,
        _ => return None,
    };
    let same = matches!(descriptor, "(II)I" | "(JJ)J" | "(I)I" | "(J)J");
    Some(match name {
        "abs" if same || descriptor == "(D)D" => Model::Abs(kind),
        "min" if same => Model::Min(kind),
        "max" if same => Model::Max(kind),
        "addExact" if same => Model::Exact(BinaryOp::Add, kind),
        "subtractExact" if same => Model::Exact(BinaryOp::Sub, kind),
        "multiplyExact" if descriptor == "(II)I" => Model::Exact(BinaryOp::Mul, kind),
        "negateExact" if same => Model::NegateExact(kind),
        "toIntExact" => Model::ToIntExact,
        "sqrt" => Model::Sqrt,
        _ => return None,
    })
}

pub fn box_kind(class: &str) -> Option<SlotKind> {
    Some(match class {
        "Integer" => SlotKind::Int,
        "Long" => SlotKind::Long,
        "Short" => SlotKind::Short,
        "Byte" => SlotKind::Byte,
        "Character" => SlotKind::Char,
        "Boolean" => SlotKind::Boolean,
        "Float" => SlotKind::Float,
        "Double" => SlotKind::Double,
        _ => return None,
    })
}

/// Whether a library method leaves the arrays it is given as they are.
pub fn reads_only(method: &MethodRef) -> bool {
    match method.owner.internal() {
        "java/lang/String" => !matches!(&*method.name, "getChars" | "getBytes"),
        "java/lang/StringBuilder" | "java/lang/StringBuffer" => &*method.name != "getChars",
        "java/util/Objects" | "java/lang/Object" | "java/util/List" | "java/util/Set" => true,
        "java/util/Arrays" => {
            !(method.name.starts_with("fill")
                || method.name.starts_with("sort")
                || method.name.starts_with("parallel")
                || method.name.starts_with("setAll"))
        }
        _ => false,
    }
}

impl Machine<'_, '_> {
    /// What the model says of this call; clauses that it decides are added.
    pub fn apply(&mut self, model: Model, arguments: &[Slot]) -> Run<Outcome> {
        let first = arguments.first().copied().unwrap_or_default();
        let second = arguments.get(1).copied().unwrap_or_default();
        // A library method that throws tells so in the recording: only what a normal end gives is modelled.
        match model {
            Model::Abs(Kind::Double) => {
                let bits = f64::from_bits(first.bits).abs().to_bits();
                let term = self.unary_term(first, Kind::Double, UnaryOp::FpAbs);
                Ok(Outcome::Value(arith::slot(self.terms, bits, term)))
            }
            Model::Sqrt => {
                let bits = f64::from_bits(first.bits).sqrt().to_bits();
                let term = self.unary_term(first, Kind::Double, UnaryOp::FpSqrt);
                Ok(Outcome::Value(arith::slot(self.terms, bits, term)))
            }
            Model::Abs(kind) => {
                let negative = if kind == Kind::Long { first.as_long() < 0 } else { first.as_int() < 0 };
                let negated = arith::negate(self.terms, kind, first);
                let bits = if negative { negated.bits } else { first.bits };
                let term = self.term_if(&[first], kind).map(|term| {
                    let zero = if kind == Kind::Long { self.terms.long(0) } else { self.terms.int(0) };
                    let is_negative = self.terms.lt(term, zero);
                    let negated = self.terms.neg(term);
                    self.terms.ite(is_negative, negated, term)
                });
                Ok(Outcome::Value(arith::slot(self.terms, bits, term)))
            }
            Model::Min(kind) | Model::Max(kind) => {
                let less = if kind == Kind::Long { first.as_long() < second.as_long() } else { first.as_int() < second.as_int() };
                let is_min = matches!(model, Model::Min(_));
                let bits = if less == is_min { first.bits } else { second.bits };
                let term = self.pair(first, second, kind).map(|(a, b)| {
                    let less = self.terms.lt(a, b);
                    if is_min { self.terms.ite(less, a, b) } else { self.terms.ite(less, b, a) }
                });
                Ok(Outcome::Value(arith::slot(self.terms, bits, term)))
            }
            Model::Exact(op, kind) => self.exact(op, kind, first, second),
            Model::NegateExact(kind) => {
                let zero = Slot::ZERO;
                self.exact(BinaryOp::Sub, kind, zero, first)
            }
            Model::ToIntExact => {
                let fits = i32::try_from(first.as_long()).is_ok();
                if let Some(term) = self.term_if(&[first], Kind::Long) {
                    let cut = self.terms.l2i(term);
                    let back = self.terms.i2l(cut);
                    let same = self.terms.eq(back, term);
                    let holds = if fits { same } else { self.terms.not(same) };
                    self.decide(ClauseKind::Model, u32::from(!fits), holds)?;
                }
                let cut = arith::convert(self.terms, tracewright_classfile::Conversion::LongToInt, first);
                Ok(if fits { Outcome::Value(cut) } else { Outcome::Throws })
            }
            Model::Compare(kind) => Ok(Outcome::Value(self.three_way(kind, first, second))),
            Model::Signum(kind) => Ok(Outcome::Value(self.three_way(kind, first, Slot::ZERO))),
            Model::Difference => {
                let difference = arith::binary(self.terms, BinaryOp::Sub, Kind::Int, first, second);
                Ok(Outcome::Value(difference))
            }
            Model::Box => Ok(Outcome::Box(first)),
            Model::InitBox => {
                self.object_mut(first.object()).body = Body::Boxed(second);
                self.escape(&[first]);
                Ok(Outcome::Void)
            }
            Model::Unbox(held, given) => Ok(self.unbox(first, held, given)),
            Model::RequireNonNull if !first.object().is_null() => Ok(Outcome::Value(first)),
            Model::RequireNonNull => Ok(Outcome::Throws),
            Model::GetClass => match self.object(first.object()).ty {
                Some(ty) => {
                    let mirror = self.mirror(ty)?;
                    Ok(Outcome::Value(Slot::reference(mirror)))
                }
                None => Ok(Outcome::Opaque),
            },
            Model::Character(test) => self.character_test(test, first),
            Model::ToLowerCase => self.change_case(first, &[(65, 90, 32), (0xc0, 0xd6, 32), (0xd8, 0xde, 32)]),
            Model::ToUpperCase => self.change_case(
                first,
                &[(97, 122, -32), (0xb5, 0xb5, 743), (0xe0, 0xf6, -32), (0xf8, 0xfe, -32), (0xff, 0xff, 121)],
            ),
            Model::StringLength | Model::StringIsEmpty => Ok(self.string_length(model, first.object())),
            Model::StringCharAt => self.char_at(first.object(), second),
            Model::StringEquals => self.string_equals(first, second),
            Model::StringStartsWith | Model::StringEndsWith => self.string_affix(model, first.object(), second.object()),
            Model::StringIndexOfChar => self.index_of(first.object(), second),
            Model::StringToCharArray => Ok(Outcome::Opaque),
            Model::ArrayCopy => Ok(self.array_copy(arguments)),
        }
    }

    /// The term of the first when any of the slots carries one.
    fn term_if(&mut self, slots: &[Slot], kind: Kind) -> Option<TermId> {
        slots.iter().any(|slot| slot.term.is_some()).then(|| arith::term_of(self.terms, slots[0], kind)).flatten()
    }

    pub fn pair(&mut self, a: Slot, b: Slot, kind: Kind) -> Option<(TermId, TermId)> {
        if a.term.is_none() && b.term.is_none() {
            return None;
        }
        Some((arith::term_of(self.terms, a, kind)?, arith::term_of(self.terms, b, kind)?))
    }

    fn unary_term(&mut self, slot: Slot, kind: Kind, op: UnaryOp) -> Option<TermId> {
        if !self.config.floats {
            return None;
        }
        self.term_if(&[slot], kind).map(|term| self.terms.unary(op, term))
    }

    /// Overflow is a branch, as a bounds check is.
    fn exact(&mut self, op: BinaryOp, kind: Kind, a: Slot, b: Slot) -> Run<Outcome> {
        let result = arith::binary(self.terms, op, kind, a, b);
        let overflows = match (op, kind) {
            (BinaryOp::Add, Kind::Int) => a.as_int().checked_add(b.as_int()).is_none(),
            (BinaryOp::Sub, Kind::Int) => a.as_int().checked_sub(b.as_int()).is_none(),
            (BinaryOp::Mul, Kind::Int) => a.as_int().checked_mul(b.as_int()).is_none(),
            (BinaryOp::Add, _) => a.as_long().checked_add(b.as_long()).is_none(),
            (BinaryOp::Sub, _) => a.as_long().checked_sub(b.as_long()).is_none(),
            _ => return Ok(Outcome::Opaque),
        };
        if let Some((x, y)) = self.pair(a, b, kind) {
            let fits = if kind == Kind::Int {
                // In 64 bits nothing overflows.
                let (x, y) = (self.terms.i2l(x), self.terms.i2l(y));
                let wide = match op {
                    BinaryOp::Add => self.terms.add(x, y),
                    BinaryOp::Sub => self.terms.sub(x, y),
                    _ => self.terms.mul(x, y),
                };
                let cut = self.terms.l2i(wide);
                let back = self.terms.i2l(cut);
                self.terms.eq(back, wide)
            } else {
                // Overflow: both operands differ in sign from the result (for a difference: x from y and from the result).
                let sum = if op == BinaryOp::Add { self.terms.add(x, y) } else { self.terms.sub(x, y) };
                let first = self.terms.bitxor(x, sum);
                let second = if op == BinaryOp::Add { self.terms.bitxor(y, sum) } else { self.terms.bitxor(x, y) };
                let both = self.terms.bitand(first, second);
                let zero = self.terms.long(0);
                self.terms.ge(both, zero)
            };
            let holds = if overflows { self.terms.not(fits) } else { fits };
            self.decide(ClauseKind::Model, u32::from(overflows), holds)?;
        }
        Ok(if overflows { Outcome::Throws } else { Outcome::Value(result) })
    }

    fn three_way(&mut self, kind: Kind, a: Slot, b: Slot) -> Slot {
        let ordering = if kind == Kind::Long { a.as_long().cmp(&b.as_long()) } else { a.as_int().cmp(&b.as_int()) };
        let bits = Slot::int(ordering as i32).bits;
        let term = self.pair(a, b, kind).map(|(mut x, mut y)| {
            if kind == Kind::Int {
                x = self.terms.i2l(x);
                y = self.terms.i2l(y);
            }
            self.terms.lcmp(x, y)
        });
        arith::slot(self.terms, bits, term)
    }

    fn unbox(&mut self, reference: Slot, held: SlotKind, given: SlotKind) -> Outcome {
        let Body::Boxed(content) = self.object(reference.object()).body else { return Outcome::Opaque };
        let content = Slot { bits: content.bits, term: reference.term.or(content.term) };
        let (from, to) = (held.kind(), given.kind());
        if from == to {
            return Outcome::Value(arith::narrow(self.terms, given, content));
        }
        use tracewright_classfile::Conversion::*;
        let conversion = match (from, to) {
            (Kind::Int, Kind::Long) => IntToLong,
            (Kind::Int, Kind::Float) => IntToFloat,
            (Kind::Int, Kind::Double) => IntToDouble,
            (Kind::Long, Kind::Int) => LongToInt,
            (Kind::Long, Kind::Float) => LongToFloat,
            (Kind::Long, Kind::Double) => LongToDouble,
            (Kind::Float, Kind::Int) => FloatToInt,
            (Kind::Float, Kind::Long) => FloatToLong,
            (Kind::Float, Kind::Double) => FloatToDouble,
            (Kind::Double, Kind::Int) => DoubleToInt,
            (Kind::Double, Kind::Long) => DoubleToLong,
            (Kind::Double, Kind::Float) => DoubleToFloat,
            _ => return Outcome::Opaque,
        };
        let converted = arith::convert(self.terms, conversion, content);
        Outcome::Value(arith::narrow(self.terms, given, converted))
    }

    // Characters. Above U+00FF the tables are the JDK's business: that a character is below is a clause of its own.

    /// The term of a character, when it is below U+0100.
    fn latin(&mut self, character: Slot) -> Run<Option<TermId>> {
        let Some(term) = self.term_if(&[character], Kind::Int) else { return Ok(None) };
        let below = (0..=0xff).contains(&character.as_int());
        let limit = self.terms.int(0x100);
        let inside = self.terms.ult(term, limit);
        let holds = if below { inside } else { self.terms.not(inside) };
        self.decide(ClauseKind::Model, u32::from(!below), holds)?;
        Ok(below.then_some(term))
    }

    fn character_test(&mut self, test: CharacterTest, character: Slot) -> Run<Outcome> {
        let code = character.as_int();
        let Some(term) = self.latin(character)? else { return Ok(Outcome::Opaque) };
        let ranges = ranges_of(test);
        let holds = ranges.iter().any(|&(low, high)| (low..=high).contains(&code));
        let mut any = self.terms.bool(false);
        for &(low, high) in ranges {
            let inside = self.in_range(term, low, high);
            any = self.terms.or(any, inside);
        }
        let result = self.truth_value(any);
        Ok(Outcome::Value(arith::slot(self.terms, u64::from(holds), Some(result))))
    }

    /// Each range of characters with what is added to them.
    fn change_case(&mut self, character: Slot, changes: &[(i32, i32, i32)]) -> Run<Outcome> {
        let code = character.as_int();
        let Some(term) = self.latin(character)? else { return Ok(Outcome::Opaque) };
        let (mut result, mut value) = (term, code);
        for &(low, high, by) in changes {
            let inside = self.in_range(term, low, high);
            let by_term = self.terms.int(by);
            let changed = self.terms.add(term, by_term);
            result = self.terms.ite(inside, changed, result);
            if (low..=high).contains(&code) {
                value = code + by;
            }
        }
        Ok(Outcome::Value(arith::slot(self.terms, Slot::int(value).bits, Some(result))))
    }

    fn in_range(&mut self, term: TermId, low: i32, high: i32) -> TermId {
        let (low_term, high_term) = (self.terms.int(low), self.terms.int(high));
        if low == high {
            return self.terms.eq(term, low_term);
        }
        let above = self.terms.le(low_term, term);
        let below = self.terms.le(term, high_term);
        self.terms.and(above, below)
    }

    pub fn truth_value(&mut self, clause: TermId) -> TermId {
        let (one, zero) = (self.terms.int(1), self.terms.int(0));
        self.terms.ite(clause, one, zero)
    }

    // Strings.

    pub fn text(&self, object: ObjectId) -> Option<KnownText> {
        match &self.object(object).body {
            Body::Str(Text { units: Some(units), symbolic }) => Some((units.clone(), symbolic.clone())),
            _ => None,
        }
    }

    fn string_length(&mut self, model: Model, string: ObjectId) -> Outcome {
        let Some((units, symbolic)) = self.text(string) else { return Outcome::Opaque };
        let length = symbolic.map(|symbolic| symbolic.length);
        if model == Model::StringLength {
            return Outcome::Value(arith::slot(self.terms, units.len() as u64, length));
        }
        let term = length.map(|length| {
            let zero = self.terms.int(0);
            let empty = self.terms.eq(length, zero);
            self.truth_value(empty)
        });
        Outcome::Value(arith::slot(self.terms, u64::from(units.is_empty()), term))
    }

    fn char_at(&mut self, string: ObjectId, index: Slot) -> Run<Outcome> {
        let Some((units, symbolic)) = self.text(string) else { return Ok(Outcome::Opaque) };
        let at = index.as_int() as u32;
        let inside = (at as usize) < units.len();
        let of_length = Slot { bits: units.len() as u64, term: symbolic.as_ref().map(|symbolic| symbolic.length) };
        if let Some((index, length)) = self.pair(index, of_length, Kind::Int) {
            let bound = self.terms.ult(index, length);
            let holds = if inside { bound } else { self.terms.not(bound) };
            self.decide(ClauseKind::Bounds, u32::from(!inside), holds)?;
        }
        let Some(&unit) = units.get(at as usize) else { return Ok(Outcome::Throws) };
        if index.term.is_some()
            && let Some(text) = &symbolic
        {
            self.within_variables(&units, text)?;
        }
        let characters: Vec<TermId> = match &symbolic {
            Some(symbolic) => symbolic.characters.clone(),
            None if index.term.is_some() => units.iter().map(|&unit| self.terms.int(i32::from(unit))).collect(),
            None => Vec::new(),
        };
        let term = match index.term {
            None => characters.get(at as usize).copied(),
            Some(_) if characters.len() > self.config.cells => {
                self.concretised("symbolic index into a string");
                None
            }
            Some(_) if symbolic.as_ref().is_some_and(|text| text.characters.len() < units.len()) => None,
            Some(_) => arith::term_of(self.terms, index, Kind::Int).and_then(|index| {
                let mut cells = characters.iter().enumerate().rev();
                let (_, &last) = cells.next()?;
                Some(cells.fold(last, |otherwise, (position, &cell)| {
                    let here = self.terms.int(position as i32);
                    let is_here = self.terms.eq(index, here);
                    self.terms.ite(is_here, cell, otherwise)
                }))
            }),
        };
        Ok(Outcome::Value(arith::slot(self.terms, u64::from(unit), term)))
    }

    /// `equals` of two strings.
    fn string_equals(&mut self, a: Slot, b: Slot) -> Run<Outcome> {
        if a.object() == b.object() && self.text(a.object()).is_some() {
            return Ok(Outcome::Value(Slot::int(1)));
        }
        let Some((equal, term)) = self.texts_equal(a.object(), b.object())? else { return Ok(Outcome::Opaque) };
        let term = term.map(|term| self.truth_value(term));
        Ok(Outcome::Value(arith::slot(self.terms, u64::from(equal), term)))
    }

    /// Whether two texts are equal, and as a clause where inputs decide it; `None`: one is not known, or too long for its variables.
    pub fn texts_equal(&mut self, a: ObjectId, b: ObjectId) -> Run<Option<(bool, Option<TermId>)>> {
        let (Some((x, x_symbolic)), Some((y, y_symbolic))) = (self.text(a), self.text(b)) else { return Ok(None) };
        let term = match (x_symbolic, y_symbolic) {
            (None, None) => return Ok(Some((x == y, None))),
            (Some(symbolic), None) => self.is_constant(&symbolic, &y),
            (None, Some(symbolic)) => self.is_constant(&symbolic, &x),
            (Some(x_symbolic), Some(y_symbolic)) => {
                self.within_variables(&x, &x_symbolic)?;
                self.within_variables(&y, &y_symbolic)?;
                Some(self.are_equal(&x_symbolic, &y_symbolic))
            }
        };
        Ok(term.map(|term| (x == y, Some(term))))
    }

    /// Reference comparison of two string literals, which the JVM interns (JLS §3.10.5): they are one where their contents are equal.
    /// `None`: one is no literal.
    pub fn literals_equal(&mut self, a: ObjectId, b: ObjectId) -> Run<Option<(bool, Option<TermId>)>> {
        if a == b || !self.is_literal(a) || !self.is_literal(b) {
            return Ok(None);
        }
        self.texts_equal(a, b)
    }

    fn is_literal(&self, object: ObjectId) -> bool {
        match &self.object(object).body {
            // Other texts with terms are made by the code under test.
            Body::Str(Text { symbolic: Some(_), .. }) => self.is_string_input(object),
            Body::Str(Text { units: Some(units), .. }) => self.interned.get(units) == Some(&object),
            _ => false,
        }
    }

    /// A text is not longer than what has variables: a clause of its own.
    pub fn within_variables(&mut self, units: &[u16], text: &SymbolicText) -> Run<()> {
        let within = units.len() <= text.characters.len();
        let bound = self.terms.int(text.characters.len() as i32);
        let short = self.terms.le(text.length, bound);
        let holds = if within { short } else { self.terms.not(short) };
        self.decide(ClauseKind::Model, u32::from(!within), holds)
    }

    /// The text is this constant; `None`: the constant is longer than what has variables.
    fn is_constant(&mut self, text: &SymbolicText, units: &[u16]) -> Option<TermId> {
        if units.len() > text.characters.len() {
            return None;
        }
        let length = self.terms.int(units.len() as i32);
        let same_length = self.terms.eq(text.length, length);
        let same = self.match_at(text, 0, units);
        Some(self.terms.and(same_length, same))
    }

    fn match_at(&mut self, text: &SymbolicText, from: usize, units: &[u16]) -> TermId {
        let mut all = self.terms.bool(true);
        for (&character, &unit) in text.characters.iter().skip(from).zip(units) {
            let unit = self.terms.int(i32::from(unit));
            let same = self.terms.eq(character, unit);
            all = self.terms.and(all, same);
        }
        all
    }

    /// Of texts that are not longer than what has variables.
    fn are_equal(&mut self, x: &SymbolicText, y: &SymbolicText) -> TermId {
        let mut all = self.terms.eq(x.length, y.length);
        for (position, (&a, &b)) in x.characters.iter().zip(&y.characters).enumerate() {
            let position = self.terms.int(position as i32);
            let beyond = self.terms.le(x.length, position);
            let same = self.terms.eq(a, b);
            let either = self.terms.or(beyond, same);
            all = self.terms.and(all, either);
        }
        all
    }

    fn string_affix(&mut self, model: Model, string: ObjectId, affix: ObjectId) -> Run<Outcome> {
        let (Some((units, Some(symbolic))), Some((affix, None))) = (self.text(string), self.text(affix)) else {
            return Ok(Outcome::Opaque);
        };
        let is_prefix = model == Model::StringStartsWith;
        let holds = if is_prefix { units.starts_with(&affix) } else { units.ends_with(&affix) };
        let bound = symbolic.characters.len();
        if affix.len() > bound {
            return Ok(Outcome::Opaque);
        }
        if !is_prefix {
            self.within_variables(&units, &symbolic)?;
        }
        let needed = self.terms.int(affix.len() as i32);
        let term = if is_prefix {
            let long_enough = self.terms.ge(symbolic.length, needed);
            let same = self.match_at(&symbolic, 0, &affix);
            self.terms.and(long_enough, same)
        } else {
            // One case for each length.
            let mut any = self.terms.bool(false);
            for length in affix.len()..=bound {
                let this = self.terms.int(length as i32);
                let is_length = self.terms.eq(symbolic.length, this);
                let same = self.match_at(&symbolic, length - affix.len(), &affix);
                let both = self.terms.and(is_length, same);
                any = self.terms.or(any, both);
            }
            any
        };
        let term = self.truth_value(term);
        Ok(Outcome::Value(arith::slot(self.terms, u64::from(holds), Some(term))))
    }

    fn index_of(&mut self, string: ObjectId, character: Slot) -> Run<Outcome> {
        let Some((units, symbolic)) = self.text(string) else { return Ok(Outcome::Opaque) };
        // A supplementary character is two units.
        let Ok(code) = u16::try_from(character.as_int()) else { return Ok(Outcome::Opaque) };
        let found = units.iter().position(|&unit| unit == code).map_or(-1, |position| position as i32);
        let Some(symbolic) = symbolic else {
            return Ok(if character.term.is_some() { Outcome::Opaque } else { Outcome::Value(Slot::int(found)) });
        };
        let Some(wanted) = arith::term_of(self.terms, character, Kind::Int) else { return Ok(Outcome::Opaque) };
        self.within_variables(&units, &symbolic)?;
        let mut result = self.terms.int(-1);
        for (position, &cell) in symbolic.characters.iter().enumerate().rev() {
            let position = self.terms.int(position as i32);
            let inside = self.terms.lt(position, symbolic.length);
            let same = self.terms.eq(cell, wanted);
            let here = self.terms.and(inside, same);
            result = self.terms.ite(here, position, result);
        }
        Ok(Outcome::Value(arith::slot(self.terms, Slot::int(found).bits, Some(result))))
    }

    /// `System.arraycopy` of arrays whose places are not symbolic.
    fn array_copy(&mut self, arguments: &[Slot]) -> Outcome {
        let [source, from, destination, to, length] = arguments else { return Outcome::Opaque };
        let (Body::Array(read), Body::Array(written)) =
            (&self.object(source.object()).body, &self.object(destination.object()).body)
        else {
            return Outcome::Opaque;
        };
        let (from_at, to_at, count) = (from.as_int(), to.as_int(), length.as_int());
        let fits = |start: i32, array: &Array| {
            start >= 0 && count >= 0 && i64::from(start) + i64::from(count) <= i64::from(array.length)
        };
        if !fits(from_at, read) || !fits(to_at, written) || read.kind != written.kind {
            return Outcome::Opaque;
        }
        if [from, to, length].iter().any(|slot| slot.term.is_some()) {
            self.concretised("java/lang/System.arraycopy");
        }
        let Body::Array(read) = &self.object(source.object()).body else { return Outcome::Opaque };
        let absent = self.object(source.object()).zeroed.then_some(Slot::ZERO);
        let cells: Vec<Option<Slot>> = (0..count as u32).map(|offset| read.get(from_at as u32 + offset).or(absent)).collect();
        let is_reference = read.kind == SlotKind::Ref;
        let unknown = cells.iter().any(Option::is_none);
        let escaped = self.object(destination.object()).escaped;
        if escaped && is_reference {
            let references: Vec<Slot> = cells.iter().flatten().copied().collect();
            self.escape(&references);
        }
        let written = self.object_mut(destination.object());
        if let Body::Array(array) = &mut written.body {
            if unknown {
                // A cell that is not known must not look like the one that was there.
                array.forget();
                written.zeroed = false;
            } else {
                for (offset, cell) in cells.into_iter().flatten().enumerate() {
                    array.set(to_at as u32 + offset as u32, cell);
                }
            }
        }
        Outcome::Void
    }
}

/// What `java.lang.Character` says up to U+00FF.
fn ranges_of(test: CharacterTest) -> &'static [(i32, i32)] {
    match test {
        CharacterTest::Digit => &[(48, 57)],
        CharacterTest::Letter => {
            &[(65, 90), (97, 122), (0xaa, 0xaa), (0xb5, 0xb5), (0xba, 0xba), (0xc0, 0xd6), (0xd8, 0xf6), (0xf8, 0xff)]
        }
        CharacterTest::LetterOrDigit => {
            &[(48, 57), (65, 90), (97, 122), (0xaa, 0xaa), (0xb5, 0xb5), (0xba, 0xba), (0xc0, 0xd6), (0xd8, 0xf6), (0xf8, 0xff)]
        }
        CharacterTest::UpperCase => &[(65, 90), (0xc0, 0xd6), (0xd8, 0xde)],
        CharacterTest::LowerCase => &[(97, 122), (0xaa, 0xaa), (0xb5, 0xb5), (0xba, 0xba), (0xdf, 0xf6), (0xf8, 0xff)],
        CharacterTest::Whitespace => &[(9, 13), (28, 32)],
    }
}
