//! Constructors of terms, one for each operation of the JVM and each connective.
//!
//! In: operands of the same store. Out: the term, folded and simplified by the rules of
//! `simplify`, unless the store was built without folding. Constructors panic on operands of a
//! wrong sort, which verified code does not have (JVMS §4.10).

use super::{BinaryOp, Input, Sort, Symbol, SymbolKind, Term, TermId, TermStore, UnaryOp, Value};

impl TermStore {
    /// A constant of any sort.
    pub(crate) fn constant(&mut self, value: Value) -> TermId {
        self.raw(Term::Constant(value))
    }

    /// A clause that always or never holds.
    pub(crate) fn bool(&mut self, value: bool) -> TermId {
        self.constant(Value::Bool(value))
    }

    /// An int, also for the narrower types.
    pub fn int(&mut self, value: i32) -> TermId {
        self.constant(Value::Int(value))
    }

    /// A long.
    pub(crate) fn long(&mut self, value: i64) -> TermId {
        self.constant(Value::Long(value))
    }

    /// A float.
    pub(crate) fn float(&mut self, value: f32) -> TermId {
        self.constant(Value::float(value))
    }

    /// A double.
    pub(crate) fn double(&mut self, value: f64) -> TermId {
        self.constant(Value::double(value))
    }

    /// An input of the test case.
    pub fn symbol(&mut self, symbol: Symbol, kind: SymbolKind) -> TermId {
        self.raw(Term::Input(Input { symbol, kind }))
    }

    // Arithmetic of int and long.

    /// The sum of two ints or longs.
    pub fn add(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::BvAdd, a, b)
    }

    /// The difference of two ints or longs.
    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::BvSub, a, b)
    }

    /// The product of two ints or longs.
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

    /// `-a` of an int or long.
    pub(crate) fn neg(&mut self, a: TermId) -> TermId {
        self.unary(UnaryOp::BvNeg, a)
    }

    /// The bitwise and of two ints or longs.
    pub fn bitand(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::BvAnd, a, b)
    }

    /// The bitwise or of two ints or longs.
    pub(crate) fn bitor(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::BvOr, a, b)
    }

    /// The bitwise exclusive or of two ints or longs.
    pub(crate) fn bitxor(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::BvXor, a, b)
    }

    /// `a << count`; the count is an int and masked as in Java.
    pub(crate) fn shl(&mut self, a: TermId, count: TermId) -> TermId {
        self.shift(BinaryOp::BvShl, a, count)
    }

    /// `a >> count`; the count is as in [`TermStore::shl`].
    pub(crate) fn shr(&mut self, a: TermId, count: TermId) -> TermId {
        self.shift(BinaryOp::BvAshr, a, count)
    }

    /// `a >>> count`; the count is as in [`TermStore::shl`].
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

    /// -1, 0 or 1 as an int (JVMS §6.5 lcmp).
    pub(crate) fn lcmp(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Lcmp, a, b)
    }

    // Conversions between integral types.

    /// Int to long, with sign.
    pub(crate) fn i2l(&mut self, a: TermId) -> TermId {
        self.unary(UnaryOp::I2L, a)
    }

    /// The low half of a long.
    pub(crate) fn l2i(&mut self, a: TermId) -> TermId {
        self.unary(UnaryOp::L2I, a)
    }

    /// Int to byte, which stays an int term.
    pub(crate) fn i2b(&mut self, a: TermId) -> TermId {
        self.unary(UnaryOp::I2B, a)
    }

    /// Int to char, which stays an int term.
    pub(crate) fn i2c(&mut self, a: TermId) -> TermId {
        let mask = self.int(0xffff);
        self.bitand(a, mask)
    }

    /// Int to short, which stays an int term.
    pub(crate) fn i2s(&mut self, a: TermId) -> TermId {
        self.unary(UnaryOp::I2S, a)
    }

    // Floats and doubles; the sort of the operand says which.

    /// The sum, as the next three operations for floats or doubles.
    pub(crate) fn fadd(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::FpAdd, a, b)
    }

    /// The difference.
    pub(crate) fn fsub(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::FpSub, a, b)
    }

    /// The product.
    pub(crate) fn fmul(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::FpMul, a, b)
    }

    /// The quotient.
    pub(crate) fn fdiv(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::FpDiv, a, b)
    }

    /// Java's remainder, whose sign is that of the dividend (JVMS §6.5 frem).
    pub(crate) fn frem(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Frem, a, b)
    }

    /// `-a`, also of zeros and NaN.
    pub(crate) fn fneg(&mut self, a: TermId) -> TermId {
        self.unary(UnaryOp::FpNeg, a)
    }

    /// -1, 0 or 1 as an int; -1 with NaN (JVMS §6.5 fcmpl, dcmpl).
    pub(crate) fn fcmpl(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::FpCmpL, a, b)
    }

    /// -1, 0 or 1 as an int; 1 with NaN (JVMS §6.5 fcmpg, dcmpg).
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

    /// The negation of a clause.
    pub fn not(&mut self, a: TermId) -> TermId {
        self.unary(UnaryOp::Not, a)
    }

    /// The conjunction of two clauses.
    pub(crate) fn and(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::And, a, b)
    }

    /// The disjunction of two clauses.
    pub(crate) fn or(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Or, a, b)
    }

    /// Equality of ints, longs or clauses. For floats, Java's `==`.
    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        let op = if self.sort(a).is_fp() { BinaryOp::FpEq } else { BinaryOp::Eq };
        self.binary(op, a, b)
    }

    /// The negation of [`TermStore::eq`].
    pub(crate) fn ne(&mut self, a: TermId, b: TermId) -> TermId {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// `a < b`: with sign for ints and longs, as in IEEE 754 for floats.
    pub fn lt(&mut self, a: TermId, b: TermId) -> TermId {
        let op = if self.sort(a).is_fp() { BinaryOp::FpLt } else { BinaryOp::BvSlt };
        self.binary(op, a, b)
    }

    /// `a <= b`, as [`TermStore::lt`].
    pub fn le(&mut self, a: TermId, b: TermId) -> TermId {
        let op = if self.sort(a).is_fp() { BinaryOp::FpLeq } else { BinaryOp::BvSle };
        self.binary(op, a, b)
    }

    /// `a > b`, as [`TermStore::lt`].
    pub(crate) fn gt(&mut self, a: TermId, b: TermId) -> TermId {
        self.lt(b, a)
    }

    /// `a >= b`, as [`TermStore::lt`].
    pub(crate) fn ge(&mut self, a: TermId, b: TermId) -> TermId {
        self.le(b, a)
    }

    /// Unsigned less-than; `ult(index, length)` is the bounds check of an array.
    pub(crate) fn ult(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::BvUlt, a, b)
    }

    /// The term as it stands, without simplification. Panics on operands of a wrong sort.
    pub(super) fn raw(&mut self, term: Term) -> TermId {
        match self.exact(term) {
            Some(id) => id,
            None => {
                let sorts: Vec<Sort> = term.operands().map(|operand| self.sort(operand)).collect();
                panic!("operands of the wrong sorts {sorts:?} in {term:?}")
            }
        }
    }

    /// An integer constant of the sort, which is `Bv32` or `Bv64`. A value outside the range of
    /// an int is cut to its low bits.
    pub(super) fn integral(&mut self, sort: Sort, value: i64) -> TermId {
        if sort == Sort::Bv64 { self.long(value) } else { self.int(value as i32) }
    }
}
