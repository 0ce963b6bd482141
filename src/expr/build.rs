//! Constructors of terms with the JVM's semantics. In: operands; out: a folded, simplified term.
//! The rules are local: they look at a few operands only. Every rule keeps the value of the term
//! for all inputs in their ranges.
//!
//! Normal forms: constants stand on the right; `x - c` is `x + -c`; `>` and `>=` become `<` and
//! `<=`; a negated integer comparison is the opposite one; `lcmp`, `fcmpl` and `fcmpg` vanish when
//! compared with a constant.

use super::evaluate::{apply_binary, apply_unary};
use super::{BinaryOp, Input, Interval, Sort, Symbol, SymbolKind, Term, TermId, TermStore, UnaryOp, Value};

/// Largest size of an `ite`, as a tree, that a comparison is moved into. Constructors panic on
/// operands of a wrong sort, which verified code does not have (JVMS §4.10).
const LARGEST_CHOICE: u64 = 256;

impl TermStore {
    pub(crate) fn constant(&mut self, value: Value) -> TermId {
        self.raw(Term::Constant(value))
    }

    pub(crate) fn bool(&mut self, value: bool) -> TermId {
        self.constant(Value::Bool(value))
    }

    pub fn int(&mut self, value: i32) -> TermId {
        self.constant(Value::Int(value))
    }

    pub(crate) fn long(&mut self, value: i64) -> TermId {
        self.constant(Value::Long(value))
    }

    pub(crate) fn float(&mut self, value: f32) -> TermId {
        self.constant(Value::float(value))
    }

    pub(crate) fn double(&mut self, value: f64) -> TermId {
        self.constant(Value::double(value))
    }

    pub fn symbol(&mut self, symbol: Symbol, kind: SymbolKind) -> TermId {
        self.raw(Term::Input(Input { symbol, kind }))
    }

    // Arithmetic of int and long.

    pub fn add(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::BvAdd, a, b)
    }

    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::BvSub, a, b)
    }

    pub fn mul(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::BvMul, a, b)
    }

    /// Java's division. The divisor must not be zero; the check is a branch of its own.
    pub(crate) fn div(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::BvSdiv, a, b)
    }

    /// Java's remainder. The divisor must not be zero.
    pub(crate) fn rem(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::BvSrem, a, b)
    }

    pub(crate) fn neg(&mut self, a: TermId) -> TermId {
        self.unary(UnaryOp::BvNeg, a)
    }

    pub fn bitand(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::BvAnd, a, b)
    }

    pub(crate) fn bitor(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::BvOr, a, b)
    }

    pub(crate) fn bitxor(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::BvXor, a, b)
    }

    /// `a << count`; the count is an int and masked as in Java.
    pub(crate) fn shl(&mut self, a: TermId, count: TermId) -> TermId {
        self.shift(BinaryOp::BvShl, a, count)
    }

    /// `a >> count`
    pub(crate) fn shr(&mut self, a: TermId, count: TermId) -> TermId {
        self.shift(BinaryOp::BvAshr, a, count)
    }

    /// `a >>> count`
    pub(crate) fn ushr(&mut self, a: TermId, count: TermId) -> TermId {
        self.shift(BinaryOp::BvLshr, a, count)
    }

    fn shift(&mut self, op: BinaryOp, a: TermId, count: TermId) -> TermId {
        let wide = self.sort(a) == Sort::Bv64;
        let mask = self.int(if wide { 63 } else { 31 });
        let count = self.bitand(count, mask);
        let count = if wide { self.unary(UnaryOp::ZeroExtend, count) } else { count };
        self.binary(op, a, count)
    }

    pub(crate) fn lcmp(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Lcmp, a, b)
    }

    // Conversions between integral types.

    pub(crate) fn i2l(&mut self, a: TermId) -> TermId {
        self.unary(UnaryOp::I2L, a)
    }

    pub(crate) fn l2i(&mut self, a: TermId) -> TermId {
        self.unary(UnaryOp::L2I, a)
    }

    pub(crate) fn i2b(&mut self, a: TermId) -> TermId {
        self.unary(UnaryOp::I2B, a)
    }

    pub(crate) fn i2c(&mut self, a: TermId) -> TermId {
        let mask = self.int(0xffff);
        self.bitand(a, mask)
    }

    pub(crate) fn i2s(&mut self, a: TermId) -> TermId {
        self.unary(UnaryOp::I2S, a)
    }

    // Floats and doubles; the sort of the operand says which.

    pub(crate) fn fadd(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::FpAdd, a, b)
    }

    pub(crate) fn fsub(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::FpSub, a, b)
    }

    pub(crate) fn fmul(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::FpMul, a, b)
    }

    pub(crate) fn fdiv(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::FpDiv, a, b)
    }

    pub(crate) fn frem(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Frem, a, b)
    }

    pub(crate) fn fneg(&mut self, a: TermId) -> TermId {
        self.unary(UnaryOp::FpNeg, a)
    }

    /// `fcmpl`, `dcmpl`
    pub(crate) fn fcmpl(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::FpCmpL, a, b)
    }

    /// `fcmpg`, `dcmpg`
    pub(crate) fn fcmpg(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::FpCmpG, a, b)
    }

    /// Int or long to float.
    pub(crate) fn convert_to_float(&mut self, a: TermId) -> TermId {
        match self.sort(a) {
            Sort::Bv32 => self.unary(UnaryOp::I2F, a),
            Sort::Bv64 => self.unary(UnaryOp::L2F, a),
            Sort::Double => self.unary(UnaryOp::D2F, a),
            _ => a,
        }
    }

    /// Int, long or float to double.
    pub(crate) fn convert_to_double(&mut self, a: TermId) -> TermId {
        match self.sort(a) {
            Sort::Bv32 => self.unary(UnaryOp::I2D, a),
            Sort::Bv64 => self.unary(UnaryOp::L2D, a),
            Sort::Float => self.unary(UnaryOp::F2D, a),
            _ => a,
        }
    }

    /// Long, float or double to int.
    pub(crate) fn convert_to_int(&mut self, a: TermId) -> TermId {
        match self.sort(a) {
            Sort::Bv64 => self.unary(UnaryOp::L2I, a),
            Sort::Float => self.unary(UnaryOp::F2I, a),
            Sort::Double => self.unary(UnaryOp::D2I, a),
            _ => a,
        }
    }

    /// Int, float or double to long.
    pub(crate) fn convert_to_long(&mut self, a: TermId) -> TermId {
        match self.sort(a) {
            Sort::Bv32 => self.unary(UnaryOp::I2L, a),
            Sort::Float => self.unary(UnaryOp::F2L, a),
            Sort::Double => self.unary(UnaryOp::D2L, a),
            _ => a,
        }
    }

    // Clauses.

    pub fn not(&mut self, a: TermId) -> TermId {
        self.unary(UnaryOp::Not, a)
    }

    pub(crate) fn and(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::And, a, b)
    }

    pub(crate) fn or(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Or, a, b)
    }

    /// Equality of ints, longs or clauses. For floats, Java's `==`.
    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        let op = if self.sort(a).is_fp() { BinaryOp::FpEq } else { BinaryOp::Eq };
        self.binary(op, a, b)
    }

    pub(crate) fn ne(&mut self, a: TermId, b: TermId) -> TermId {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// A comparison: signed for ints and longs, IEEE 754 for floats, as the next three.
    pub fn lt(&mut self, a: TermId, b: TermId) -> TermId {
        let op = if self.sort(a).is_fp() { BinaryOp::FpLt } else { BinaryOp::BvSlt };
        self.binary(op, a, b)
    }

    pub fn le(&mut self, a: TermId, b: TermId) -> TermId {
        let op = if self.sort(a).is_fp() { BinaryOp::FpLeq } else { BinaryOp::BvSle };
        self.binary(op, a, b)
    }

    pub(crate) fn gt(&mut self, a: TermId, b: TermId) -> TermId {
        self.lt(b, a)
    }

    pub(crate) fn ge(&mut self, a: TermId, b: TermId) -> TermId {
        self.le(b, a)
    }

    /// Unsigned less-than; `ult(index, length)` is the bounds check of an array.
    pub(crate) fn ult(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::BvUlt, a, b)
    }

    pub(crate) fn ite(&mut self, condition: TermId, then: TermId, otherwise: TermId) -> TermId {
        if !self.folding {
            return self.raw(Term::Ite(condition, then, otherwise));
        }
        match self.truth(condition) {
            Some(true) => return then,
            Some(false) => return otherwise,
            None => {}
        }
        if then == otherwise {
            return then;
        }
        if let Term::Unary(UnaryOp::Not, inner) = self.get(condition) {
            return self.ite(inner, otherwise, then);
        }
        if let Term::Ite(nested, inner, _) = self.get(then)
            && nested == condition
        {
            return self.ite(condition, inner, otherwise);
        }
        if let Term::Ite(nested, _, inner) = self.get(otherwise)
            && nested == condition
        {
            return self.ite(condition, then, inner);
        }
        if self.sort(then) == Sort::Bool {
            match (self.truth(then), self.truth(otherwise)) {
                (Some(true), _) => return self.or(condition, otherwise),
                (_, Some(false)) => return self.and(condition, then),
                (Some(false), _) => {
                    let negated = self.not(condition);
                    return self.and(negated, otherwise);
                }
                (_, Some(true)) => {
                    let negated = self.not(condition);
                    return self.or(negated, then);
                }
                (None, None) => {}
            }
        }
        self.raw(Term::Ite(condition, then, otherwise))
    }

    /// A term by operator, simplified. The named constructors call this.
    pub(crate) fn unary(&mut self, op: UnaryOp, a: TermId) -> TermId {
        if !self.folding {
            return self.raw(Term::Unary(op, a));
        }
        if let Some(value) = self.constant_of(a)
            && op.result(value.sort()).is_some()
        {
            return self.constant(apply_unary(op, value));
        }
        let term = self.get(a);
        match (op, term) {
            (UnaryOp::Not, Term::Unary(UnaryOp::Not, inner)) => return inner,
            (UnaryOp::Not, Term::Binary(comparison, x, y)) => {
                let opposite = match comparison {
                    BinaryOp::BvSlt => Some(BinaryOp::BvSle),
                    BinaryOp::BvSle => Some(BinaryOp::BvSlt),
                    BinaryOp::BvUlt => Some(BinaryOp::BvUle),
                    BinaryOp::BvUle => Some(BinaryOp::BvUlt),
                    _ => None,
                };
                if let Some(opposite) = opposite {
                    return self.binary(opposite, y, x);
                }
                // Of a term that is 0 or 1, not one of them is the other.
                if comparison == BinaryOp::Eq
                    && let Some(Value::Int(value)) = self.constant_of(y)
                    && self.interval(x).low == 0
                    && self.interval(x).high == 1
                {
                    let other = self.int(1 - value);
                    return self.eq(x, other);
                }
            }
            (UnaryOp::BvNeg, Term::Unary(UnaryOp::BvNeg, inner)) => return inner,
            (UnaryOp::BvNeg, Term::Binary(BinaryOp::BvSub, x, y)) => return self.sub(y, x),
            (UnaryOp::FpNeg, Term::Unary(UnaryOp::FpNeg, inner)) => return inner,
            (UnaryOp::L2I, Term::Unary(UnaryOp::I2L | UnaryOp::ZeroExtend, inner)) => return inner,
            (UnaryOp::ZeroExtend, _) if self.interval(a).low >= 0 => return self.i2l(a),
            (UnaryOp::I2B, _) if self.fits(a, SymbolKind::Byte) => return a,
            (UnaryOp::I2S, _) if self.fits(a, SymbolKind::Short) => return a,
            // A narrower cast makes a wider one before it superfluous.
            (UnaryOp::I2B, Term::Unary(UnaryOp::I2S, inner)) => return self.i2b(inner),
            // A double holds every int.
            (UnaryOp::D2I, Term::Unary(UnaryOp::I2D, inner)) => return inner,
            (UnaryOp::D2L, Term::Unary(UnaryOp::I2D, inner)) => return self.i2l(inner),
            (UnaryOp::FpToBits, Term::Unary(UnaryOp::FpFromBits, inner)) => return inner,
            (UnaryOp::FpFromBits, Term::Unary(UnaryOp::FpToBits, inner)) => return inner,
            _ => {}
        }
        if let Term::Ite(condition, then, otherwise) = term
            && op != UnaryOp::Not
            && (self.constant_of(then).is_some() && self.constant_of(otherwise).is_some())
        {
            let then = self.unary(op, then);
            let otherwise = self.unary(op, otherwise);
            return self.ite(condition, then, otherwise);
        }
        self.raw(Term::Unary(op, a))
    }

    /// A term by operator, simplified. The named constructors call this.
    pub(crate) fn binary(&mut self, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        if !self.folding {
            return self.raw(Term::Binary(op, a, b));
        }
        if let (Some(x), Some(y)) = (self.constant_of(a), self.constant_of(b))
            && x.sort() == y.sort()
            && op.result(x.sort()).is_some()
        {
            return self.constant(apply_binary(op, x, y));
        }
        use BinaryOp::*;
        let simpler = match op {
            And | Or => self.connective(op, a, b),
            Eq => self.equality(a, b),
            BvSlt | BvSle | BvUlt | BvUle => self.ordering(op, a, b),
            BvAdd | BvSub | BvMul | BvSdiv | BvSrem => self.arithmetic(op, a, b),
            BvAnd | BvOr | BvXor => self.bitwise(op, a, b),
            BvShl | BvAshr | BvLshr => self.shifted(op, a, b),
            Lcmp if a == b => Some(self.int(0)),
            FpEq if a == b => self.is_number(a).or_else(|| self.float_comparison(op, a, b)),
            FpEq | FpLt | FpLeq => self.float_comparison(op, a, b),
            _ => None,
        };
        match simpler {
            Some(simpler) => simpler,
            None => self.raw(Term::Binary(op, a, b)),
        }
    }

    /// `x == x`, which holds unless `x` is NaN.
    fn is_number(&mut self, x: TermId) -> Option<TermId> {
        match self.get(x) {
            Term::Unary(UnaryOp::FpNeg | UnaryOp::FpAbs, inner) => Some(self.eq(inner, inner)),
            Term::Unary(UnaryOp::I2F | UnaryOp::I2D | UnaryOp::L2F | UnaryOp::L2D, _) => Some(self.bool(true)),
            _ => None,
        }
    }

    fn connective(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        // The value that decides the connective alone.
        let absorbing = op == BinaryOp::Or;
        for (this, other) in [(a, b), (b, a)] {
            if let Some(value) = self.truth(this) {
                return Some(if value == absorbing { this } else { other });
            }
        }
        if a == b {
            return Some(a);
        }
        (self.not(a) == b).then(|| self.bool(absorbing))
    }

    fn equality(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        if a == b {
            return Some(self.bool(true));
        }
        if self.constant_of(a).is_some() {
            return Some(self.eq(b, a));
        }
        if self.sort(a) == Sort::Bool {
            return match self.truth(b) {
                Some(true) => Some(a),
                Some(false) => Some(self.not(a)),
                None => None,
            };
        }
        if self.interval(a).is_disjoint(self.interval(b)) {
            return Some(self.bool(false));
        }
        if let (Term::Unary(UnaryOp::I2L, x), Term::Unary(UnaryOp::I2L, y)) = (self.get(a), self.get(b)) {
            return Some(self.eq(x, y));
        }
        let constant = self.constant_of(b)?;
        if let Some(decided) = self.outcomes(a, constant, BinaryOp::Eq, false) {
            return Some(decided);
        }
        match self.get(a) {
            Term::Binary(BinaryOp::BvAdd, x, offset) => {
                let offset = self.constant_of(offset)?;
                let target = self.constant(apply_binary(BinaryOp::BvSub, constant, offset));
                Some(self.eq(x, target))
            }
            Term::Binary(BinaryOp::BvXor, x, mask) => {
                let mask = self.constant_of(mask)?;
                let target = self.constant(apply_binary(BinaryOp::BvXor, constant, mask));
                Some(self.eq(x, target))
            }
            Term::Binary(BinaryOp::BvSub, x, y) if constant.integral() == Some(0) => Some(self.eq(x, y)),
            Term::Unary(UnaryOp::BvNeg, x) => {
                let target = self.constant(apply_unary(UnaryOp::BvNeg, constant));
                Some(self.eq(x, target))
            }
            // The constant fits in an int: the intervals meet.
            Term::Unary(UnaryOp::I2L, x) => {
                let target = self.int(i32::try_from(constant.integral()?).ok()?);
                Some(self.eq(x, target))
            }
            _ => self.through_ite(BinaryOp::Eq, a, b),
        }
    }

    fn ordering(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        let strict = matches!(op, BinaryOp::BvSlt | BinaryOp::BvUlt);
        if a == b {
            return Some(self.bool(!strict));
        }
        // Without sign only 0 is not more than what is one less.
        if op == BinaryOp::BvUlt && self.is_one_less(a, b) || op == BinaryOp::BvUle && self.is_one_less(b, a) {
            let (whole, sort) = if strict { (b, self.sort(b)) } else { (a, self.sort(a)) };
            let zero = self.integral(sort, 0);
            return Some(if strict { self.ne(whole, zero) } else { self.eq(whole, zero) });
        }
        let (x, y) = (self.interval(a), self.interval(b));
        if matches!(op, BinaryOp::BvUlt | BinaryOp::BvUle) {
            if x.low >= 0 && y.low >= 0 {
                return Some(if strict { self.lt(a, b) } else { self.le(a, b) });
            }
            return None;
        }
        let (always, never) = if strict { (x.high < y.low, x.low >= y.high) } else { (x.high <= y.low, x.low > y.high) };
        if always || never {
            return Some(self.bool(always));
        }
        // At a bound of the other side only one value is left.
        if !strict && x.low == y.high {
            return Some(self.eq(a, b));
        }
        if let (Term::Unary(UnaryOp::I2L, x), Term::Unary(UnaryOp::I2L, y)) = (self.get(a), self.get(b)) {
            return Some(self.binary(op, x, y));
        }
        for (term, constant, reversed) in [(a, b, false), (b, a, true)] {
            let Some(value) = self.constant_of(constant) else { continue };
            if let Some(decided) = self.outcomes(term, value, op, reversed) {
                return Some(decided);
            }
            if let Term::Unary(UnaryOp::I2L, narrow) = self.get(term) {
                let narrow_constant = self.int(i32::try_from(value.integral()?).ok()?);
                let (a, b) = if reversed { (narrow_constant, narrow) } else { (narrow, narrow_constant) };
                return Some(self.binary(op, a, b));
            }
        }
        self.through_ite(op, a, b)
    }

    /// Whether a term is `x - 1` for this `x`.
    fn is_one_less(&self, less: TermId, than: TermId) -> bool {
        matches!(self.get(less), Term::Binary(BinaryOp::BvAdd, x, one)
            if x == than && self.constant_of(one).and_then(Value::integral) == Some(-1))
    }

    /// The comparison of the source behind a comparison of `lcmp`, `fcmpl` or `fcmpg` with a
    /// constant. `reversed`: the constant is the left operand.
    fn outcomes(&mut self, term: TermId, constant: Value, op: BinaryOp, reversed: bool) -> Option<TermId> {
        let Term::Binary(comparison @ (BinaryOp::Lcmp | BinaryOp::FpCmpL | BinaryOp::FpCmpG), a, b) = self.get(term) else {
            return None;
        };
        let holds = |outcome: i32| {
            let (x, y) = if reversed { (constant, Value::Int(outcome)) } else { (Value::Int(outcome), constant) };
            apply_binary(op, x, y) == Value::Bool(true)
        };
        let unordered = comparison != BinaryOp::Lcmp;
        // A NaN is one of the outcomes -1 and 1; the comparison that has to be false for it is the one negated.
        let nan_is_less = comparison == BinaryOp::FpCmpL;
        Some(match (holds(-1), holds(0), holds(1)) {
            (false, false, false) => self.bool(false),
            (true, true, true) => self.bool(true),
            (false, true, false) => self.eq(a, b),
            (true, false, true) => self.ne(a, b),
            (true, false, false) if unordered && nan_is_less => {
                let inverse = self.ge(a, b);
                self.not(inverse)
            }
            (true, false, false) => self.lt(a, b),
            (true, true, false) if unordered && nan_is_less => {
                let inverse = self.gt(a, b);
                self.not(inverse)
            }
            (true, true, false) => self.le(a, b),
            (false, false, true) if unordered && !nan_is_less => {
                let inverse = self.le(a, b);
                self.not(inverse)
            }
            (false, false, true) => self.gt(a, b),
            (false, true, true) if unordered && !nan_is_less => {
                let inverse = self.lt(a, b);
                self.not(inverse)
            }
            (false, true, true) => self.ge(a, b),
        })
    }

    /// Moves a comparison with a constant into an `ite` with a constant branch, so that one
    /// comparison folds.
    fn through_ite(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        let (choice, constant, reversed) = if self.constant_of(b).is_some() { (a, b, false) } else { (b, a, true) };
        self.constant_of(constant)?;
        let Term::Ite(condition, then, otherwise) = self.get(choice) else { return None };
        // A long chain of choices would be copied as a whole for every comparison.
        if self.tree_size(choice) > LARGEST_CHOICE {
            return None;
        }
        if self.constant_of(then).is_none() && self.constant_of(otherwise).is_none() {
            return None;
        }
        let [then, otherwise] = [then, otherwise].map(|branch| {
            let (a, b) = if reversed { (constant, branch) } else { (branch, constant) };
            self.binary(op, a, b)
        });
        Some(self.ite(condition, then, otherwise))
    }

    fn arithmetic(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        use BinaryOp::*;
        let sort = self.sort(a);
        if matches!(op, BvAdd | BvMul) && self.constant_of(a).is_some() {
            return Some(self.binary(op, b, a));
        }
        let left = self.constant_of(a).and_then(Value::integral);
        let right = self.constant_of(b).and_then(Value::integral);
        match (op, left, right) {
            (BvAdd | BvSub, _, Some(0)) | (BvMul | BvSdiv, _, Some(1)) => return Some(a),
            (BvSub, _, _) if a == b => return Some(self.integral(sort, 0)),
            (BvSub, Some(0), _) | (BvMul | BvSdiv, _, Some(-1)) => {
                let operand = if op == BvSub { b } else { a };
                return Some(self.neg(operand));
            }
            (BvSub, _, Some(_)) => {
                let opposite = self.neg(b);
                return Some(self.add(a, opposite));
            }
            (BvMul, _, Some(0)) => return Some(b),
            (BvSrem, _, Some(1 | -1)) => return Some(self.integral(sort, 0)),
            _ => {}
        }
        if let Some(narrow) = self.as_int(op, a, b) {
            return Some(narrow);
        }
        match (op, self.get(a), self.get(b)) {
            // (x + c) + d, (x * c) * d
            (BvAdd | BvMul, Term::Binary(inner, x, c), _) if inner == op && right.is_some() && self.constant_of(c).is_some() => {
                let constant = self.binary(op, c, b);
                Some(self.binary(op, x, constant))
            }
            // (x - y) + y, (x + y) - y, (y + x) - y
            (BvAdd, Term::Binary(BvSub, x, y), _) if y == b => Some(x),
            (BvAdd, _, Term::Binary(BvSub, x, y)) if y == a => Some(x),
            (BvSub, Term::Binary(BvAdd, x, y), _) if y == b => Some(x),
            (BvSub, Term::Binary(BvAdd, x, y), _) if x == b => Some(y),
            (BvAdd, _, Term::Unary(UnaryOp::BvNeg, x)) => Some(self.sub(a, x)),
            (BvAdd, Term::Unary(UnaryOp::BvNeg, x), _) if right.is_none() => Some(self.sub(b, x)),
            (BvSub, _, Term::Unary(UnaryOp::BvNeg, x)) => Some(self.add(a, x)),
            // Constants choose between constants.
            (_, Term::Ite(condition, then, otherwise), _)
                if right.is_some() && self.constant_of(then).is_some() && self.constant_of(otherwise).is_some() =>
            {
                let then = self.binary(op, then, b);
                let otherwise = self.binary(op, otherwise, b);
                Some(self.ite(condition, then, otherwise))
            }
            _ => None,
        }
    }

    /// Int arithmetic for longs that are extended ints, if the result is an int, too.
    fn as_int(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        let is_wide = |term: Term| matches!(term, Term::Unary(UnaryOp::I2L, _));
        if self.sort(a) != Sort::Bv64 || !(is_wide(self.get(a)) || is_wide(self.get(b))) {
            return None;
        }
        let result = Interval::of(self, &Term::Binary(op, a, b), Sort::Bv64);
        let int = Interval::full(Sort::Bv32);
        // A division by what may be zero, or -1, has every long for a result.
        if !int.contains(result.low) || !int.contains(result.high) {
            return None;
        }
        let mut narrow = |term: TermId| match self.get(term) {
            Term::Unary(UnaryOp::I2L, narrow) => Some(narrow),
            _ => {
                let value = i32::try_from(self.constant_of(term)?.integral()?).ok()?;
                Some(self.int(value))
            }
        };
        let (a, b) = (narrow(a)?, narrow(b)?);
        let result = self.binary(op, a, b);
        Some(self.i2l(result))
    }

    fn bitwise(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        use BinaryOp::*;
        let sort = self.sort(a);
        if self.constant_of(a).is_some() {
            return Some(self.binary(op, b, a));
        }
        if a == b {
            return Some(if op == BvXor { self.integral(sort, 0) } else { a });
        }
        let constant = self.constant_of(b)?.integral()?;
        match (op, constant) {
            (BvAnd, -1) | (BvOr | BvXor, 0) => return Some(a),
            (BvAnd, 0) | (BvOr, -1) => return Some(b),
            _ => {}
        }
        let interval = self.interval(a);
        // A mask of low ones that covers every value of the operand.
        if op == BvAnd
            && constant > 0
            && constant & (constant.wrapping_add(1)) == 0
            && interval.low >= 0
            && interval.high <= constant
        {
            return Some(a);
        }
        match self.get(a) {
            Term::Binary(inner, x, c) if inner == op && self.constant_of(c).is_some() => {
                let both = self.binary(op, c, b);
                Some(self.binary(op, x, both))
            }
            // Sign bits that the mask drops do not matter.
            Term::Unary(UnaryOp::I2B, x) if op == BvAnd && (0..=0xff).contains(&constant) => Some(self.bitand(x, b)),
            Term::Unary(UnaryOp::I2S, x) if op == BvAnd && (0..=0xffff).contains(&constant) => Some(self.bitand(x, b)),
            Term::Ite(condition, then, otherwise)
                if self.constant_of(then).is_some() && self.constant_of(otherwise).is_some() =>
            {
                let then = self.binary(op, then, b);
                let otherwise = self.binary(op, otherwise, b);
                Some(self.ite(condition, then, otherwise))
            }
            _ => None,
        }
    }

    fn shifted(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        if self.constant_of(b).and_then(Value::integral) == Some(0) || self.constant_of(a).and_then(Value::integral) == Some(0) {
            return Some(a);
        }
        // No sign to copy.
        (op == BinaryOp::BvAshr && self.interval(a).low >= 0).then(|| self.binary(BinaryOp::BvLshr, a, b))
    }

    fn raw(&mut self, term: Term) -> TermId {
        match self.exact(term) {
            Some(id) => id,
            None => {
                let sorts: Vec<Sort> = term.operands().map(|operand| self.sort(operand)).collect();
                panic!("operands of the wrong sorts {sorts:?} in {term:?}")
            }
        }
    }

    fn truth(&self, id: TermId) -> Option<bool> {
        self.constant_of(id).and_then(Value::truth)
    }

    fn integral(&mut self, sort: Sort, value: i64) -> TermId {
        if sort == Sort::Bv64 { self.long(value) } else { self.int(value as i32) }
    }

    fn fits(&self, id: TermId, kind: SymbolKind) -> bool {
        let interval = self.interval(id);
        kind.range().is_some_and(|(low, high)| low <= interval.low && interval.high <= high)
    }
}
