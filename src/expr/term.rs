//! The arena of terms: sorts, operators and hash-consed terms. In: operands; out: term ids. It does
//! not know simplification (`build`) or the text form (`text`).

use super::{Input, Interval, Symbol, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The sort of a term, in the sense of SMT-LIB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    /// A clause.
    Bool,
    /// A bit vector of 32 bits: `int` and the narrower types.
    Bv32,
    /// A bit vector of 64 bits: `long`.
    Bv64,
    /// `float`, IEEE 754 binary32.
    Float,
    /// `double`, IEEE 754 binary64.
    Double,
}

impl Sort {
    /// Whether it is a bit vector.
    pub(crate) fn is_bv(self) -> bool {
        matches!(self, Sort::Bv32 | Sort::Bv64)
    }

    /// Whether it is `float` or `double`.
    pub(crate) fn is_fp(self) -> bool {
        matches!(self, Sort::Float | Sort::Double)
    }
}

/// A term of one [`TermStore`]. Operands have smaller ids than the terms made of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(u32);

impl TermId {
    /// Index into tables by term.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for TermId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}

/// A term of a [`TermStore`], by the ids of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A constant.
    Constant(Value),
    /// An input of the test case.
    Input(Input),
    /// An operator with its operand.
    Unary(UnaryOp, TermId),
    /// An operator with its operands.
    Binary(BinaryOp, TermId, TermId),
    /// Condition, then, else.
    Ite(TermId, TermId, TermId),
}

impl Term {
    /// The operands, first operand first.
    pub(crate) fn operands(&self) -> impl DoubleEndedIterator<Item = TermId> {
        let (first, second, third) = match *self {
            Term::Constant(_) | Term::Input(_) => (None, None, None),
            Term::Unary(_, a) => (Some(a), None, None),
            Term::Binary(_, a, b) => (Some(a), Some(b), None),
            Term::Ite(c, a, b) => (Some(c), Some(a), Some(b)),
        };
        first.into_iter().chain(second).chain(third)
    }
}

macro_rules! operators {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $(
                #[doc = concat!("`", $text, "` in the text form.")]
                $(#[$variant_doc])*
                $variant,
            )*
        }

        impl $name {
            /// All operators.
            pub(crate) const ALL: &[$name] = &[$($name::$variant,)*];

            /// The name in the text form.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }
    };
}

operators! {
    /// Operators of one operand. They have SMT-LIB's names if they mean the same, else the JVM's.
    UnaryOp {
        Not = "not",
        BvNeg = "bvneg",
        /// Sign extension of an int.
        I2L = "i2l",
        /// Low half of a long.
        L2I = "l2i",
        /// Zero extension of an int to a long.
        ZeroExtend = "zero_extend",
        I2B = "i2b",
        I2S = "i2s",
        I2F = "i2f",
        I2D = "i2d",
        L2F = "l2f",
        L2D = "l2d",
        /// Saturates, and maps NaN to 0 (JVMS §6.5), as the other three.
        F2I = "f2i",
        F2L = "f2l",
        D2I = "d2i",
        D2L = "d2l",
        F2D = "f2d",
        D2F = "d2f",
        FpNeg = "fp.neg",
        FpAbs = "fp.abs",
        FpSqrt = "fp.sqrt",
        /// Rounds down, up, or to the nearest with ties to even. Zeros keep their signs as in Java.
        FpFloor = "fp.floor",
        FpCeil = "fp.ceil",
        FpRint = "fp.rint",
        /// A clause: the sign bit is set. False for NaN.
        FpIsNegative = "fp.isNegative",
        /// Raw IEEE 754 bits of a float or a double.
        FpToBits = "fp.to_bits",
        /// A float from 32 bits, a double from 64.
        FpFromBits = "fp.from_bits",
        /// Functions of `java.lang.Math`, from here on. They are for evaluation only and as exact
        /// as their libraries.
        Sin = "sin",
        Cos = "cos",
        Tan = "tan",
        Asin = "asin",
        Acos = "acos",
        Atan = "atan",
        Sinh = "sinh",
        Cosh = "cosh",
        Tanh = "tanh",
        Exp = "exp",
        Expm1 = "expm1",
        Log = "log",
        Log10 = "log10",
        Log1p = "log1p",
        Cbrt = "cbrt",
    }
}

operators! {
    /// Operators of two operands of one sort. `bv…` and `fp.…` mean what SMT-LIB defines: a
    /// division by zero has a value, and a shift by the width or more gives zeros (or signs). The
    /// constructors of [`TermStore`] build Java's semantics from them.
    BinaryOp {
        And = "and",
        Or = "or",
        /// Equality of two terms of sort Bool or of one bit-vector sort.
        Eq = "=",
        BvSlt = "bvslt",
        BvSle = "bvsle",
        BvUlt = "bvult",
        BvUle = "bvule",
        BvAdd = "bvadd",
        BvSub = "bvsub",
        BvMul = "bvmul",
        BvSdiv = "bvsdiv",
        BvSrem = "bvsrem",
        BvAnd = "bvand",
        BvOr = "bvor",
        BvXor = "bvxor",
        BvShl = "bvshl",
        BvAshr = "bvashr",
        BvLshr = "bvlshr",
        /// -1, 0 or 1 (JVMS §6.5 lcmp).
        Lcmp = "lcmp",
        FpEq = "fp.eq",
        FpLt = "fp.lt",
        FpLeq = "fp.leq",
        FpAdd = "fp.add",
        FpSub = "fp.sub",
        FpMul = "fp.mul",
        FpDiv = "fp.div",
        /// Java's `%`: truncating, unlike `fp.rem`.
        Frem = "frem",
        /// -1, 0 or 1; NaN gives -1 (`fcmpl`, `dcmpl`).
        FpCmpL = "fcmpl",
        /// -1, 0 or 1; NaN gives 1 (`fcmpg`, `dcmpg`).
        FpCmpG = "fcmpg",
        /// Functions of two doubles, for evaluation only.
        Pow = "pow",
        Atan2 = "atan2",
        Hypot = "hypot",
        /// `Math.IEEEremainder`.
        IeeeRemainder = "ieee_remainder",
    }
}

impl UnaryOp {
    /// Whether libraries may differ in the last digit. Such a function is never given to a solver.
    pub(crate) fn is_approximate(self) -> bool {
        self >= UnaryOp::Sin
    }

    /// Sort of the result for an operand of this sort; `None` if the operator does not take it.
    pub(crate) fn result(self, operand: Sort) -> Option<Sort> {
        use UnaryOp::*;
        let (expected, result) = match self {
            Not => (Sort::Bool, Sort::Bool),
            BvNeg => return operand.is_bv().then_some(operand),
            I2L | ZeroExtend => (Sort::Bv32, Sort::Bv64),
            L2I => (Sort::Bv64, Sort::Bv32),
            I2B | I2S => (Sort::Bv32, Sort::Bv32),
            I2F => (Sort::Bv32, Sort::Float),
            I2D => (Sort::Bv32, Sort::Double),
            L2F => (Sort::Bv64, Sort::Float),
            L2D => (Sort::Bv64, Sort::Double),
            F2I => (Sort::Float, Sort::Bv32),
            F2L => (Sort::Float, Sort::Bv64),
            D2I => (Sort::Double, Sort::Bv32),
            D2L => (Sort::Double, Sort::Bv64),
            F2D => (Sort::Float, Sort::Double),
            D2F => (Sort::Double, Sort::Float),
            FpNeg | FpAbs | FpSqrt | FpFloor | FpCeil | FpRint => return operand.is_fp().then_some(operand),
            FpIsNegative => return operand.is_fp().then_some(Sort::Bool),
            Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Exp | Expm1 | Log | Log10 | Log1p | Cbrt => {
                (Sort::Double, Sort::Double)
            }
            FpToBits => {
                return match operand {
                    Sort::Float => Some(Sort::Bv32),
                    Sort::Double => Some(Sort::Bv64),
                    _ => None,
                };
            }
            FpFromBits => {
                return match operand {
                    Sort::Bv32 => Some(Sort::Float),
                    Sort::Bv64 => Some(Sort::Double),
                    _ => None,
                };
            }
        };
        (operand == expected).then_some(result)
    }
}

impl BinaryOp {
    /// Whether libraries may differ in the last digit. Such a function is never given to a solver.
    pub(crate) fn is_approximate(self) -> bool {
        matches!(self, BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::Hypot)
    }

    /// Sort of the result for two operands of this sort; `None` if the operator does not take them.
    pub(crate) fn result(self, operands: Sort) -> Option<Sort> {
        use BinaryOp::*;
        let (fits, result) = match self {
            And | Or => (operands == Sort::Bool, Sort::Bool),
            Eq => (!operands.is_fp(), Sort::Bool),
            BvSlt | BvSle | BvUlt | BvUle => (operands.is_bv(), Sort::Bool),
            BvAdd | BvSub | BvMul | BvSdiv | BvSrem | BvAnd | BvOr | BvXor | BvShl | BvAshr | BvLshr => {
                (operands.is_bv(), operands)
            }
            Lcmp => (operands == Sort::Bv64, Sort::Bv32),
            FpEq | FpLt | FpLeq => (operands.is_fp(), Sort::Bool),
            FpAdd | FpSub | FpMul | FpDiv | Frem => (operands.is_fp(), operands),
            FpCmpL | FpCmpG => (operands.is_fp(), Sort::Bv32),
            Pow | Atan2 | Hypot | IeeeRemainder => (operands == Sort::Double, Sort::Double),
        };
        fits.then_some(result)
    }
}

/// A term that mentions more inputs is wide: the set of its inputs is not stored.
pub const MOST_INPUTS: usize = 256;
/// Numbers of input sets from this one on stand for wide terms.
const WIDE: u32 = 1 << 31;

/// A hash-consed, append-only arena: equal terms have equal ids. Its constructors (`build.rs`) fold
/// and simplify.
#[derive(Clone)]
pub struct TermStore {
    terms: Vec<TermEntry>,
    ids: FxHashMap<Term, TermId>,
    /// Distinct sets of inputs, each in symbol order. Terms share them.
    inputs: Vec<Arc<[Input]>>,
    /// The inputs of wide terms, computed on demand. Otherwise a sum over a long array would cost
    /// the square of its length.
    wide: Vec<OnceLock<Box<[Input]>>>,
    input_sets: FxHashMap<Arc<[Input]>, u32>,
    unions: FxHashMap<(u32, u32), u32>,
    pub(super) folding: bool,
    /// Terms visited and inputs listed. Tests compare this with the size of a query.
    #[cfg(test)]
    visits: Arc<std::sync::atomic::AtomicU64>,
}

#[derive(Clone)]
struct TermEntry {
    term: Term,
    sort: Sort,
    inputs: u32,
    /// Saturating.
    tree_size: u64,
    interval: Interval,
    /// Whether the term contains a float or double, and whether it contains an approximate
    /// function.
    floats: bool,
    approximate: bool,
}

impl Default for TermStore {
    fn default() -> TermStore {
        TermStore::new()
    }
}

impl fmt::Debug for TermStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TermStore({} terms)", self.terms.len())
    }
}

impl TermStore {
    /// An empty store.
    pub fn new() -> TermStore {
        let empty: Arc<[Input]> = Arc::from([]);
        TermStore {
            terms: Vec::new(),
            ids: FxHashMap::default(),
            inputs: vec![empty.clone()],
            wide: Vec::new(),
            input_sets: FxHashMap::from_iter([(empty, 0)]),
            unions: FxHashMap::default(),
            folding: true,
            #[cfg(test)]
            visits: Arc::default(),
        }
    }

    /// A store whose constructors simplify nothing, for tests of folding.
    #[cfg(test)]
    pub(crate) fn without_folding() -> TermStore {
        TermStore { folding: false, ..TermStore::new() }
    }

    /// Number of distinct terms.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there is no term.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The term of an id.
    pub(crate) fn get(&self, id: TermId) -> Term {
        #[cfg(test)]
        self.visit(1);
        self.terms[id.index()].term
    }

    #[cfg(test)]
    fn visit(&self, count: usize) {
        self.visits.fetch_add(count as u64, std::sync::atomic::Ordering::Relaxed);
    }

    /// Terms visited and inputs listed since the last call.
    #[cfg(test)]
    pub(crate) fn take_visits(&self) -> u64 {
        self.visits.swap(0, std::sync::atomic::Ordering::Relaxed)
    }

    /// The sort of a term.
    pub(crate) fn sort(&self, id: TermId) -> Sort {
        self.terms[id.index()].sort
    }

    /// The inputs that a term mentions, in symbol order.
    pub(crate) fn symbols_of(&self, id: TermId) -> &[Input] {
        let inputs: &[Input] = match self.terms[id.index()].inputs {
            wide if wide >= WIDE => self.wide[(wide - WIDE) as usize].get_or_init(|| self.inputs_of_wide(&[id]).into()),
            set => &self.inputs[set as usize],
        };
        #[cfg(test)]
        self.visit(inputs.len());
        inputs
    }

    /// The inputs that any of the terms mentions, in symbol order. Shared sets are visited once.
    pub(crate) fn symbols_of_all(&self, ids: &[TermId]) -> Vec<Input> {
        let (wide, narrow): (Vec<TermId>, Vec<TermId>) = ids.iter().partition(|id| self.is_wide(**id));
        let mut sets: Vec<u32> = narrow.into_iter().map(|id| self.terms[id.index()].inputs).collect();
        sets.sort_unstable();
        sets.dedup();
        let mut inputs = self.inputs_of_wide(&wide);
        inputs.extend(sets.into_iter().flat_map(|set| self.inputs[set as usize].iter().copied()));
        inputs.sort_unstable();
        inputs.dedup();
        #[cfg(test)]
        self.visit(inputs.len());
        inputs
    }

    /// The symbols of the terms in the order of their first mention.
    pub(crate) fn symbols_as_mentioned(&self, ids: &[TermId]) -> Vec<Symbol> {
        let mut order: Vec<Symbol> = Vec::new();
        let (mut sets, mut seen) = (FxHashSet::default(), FxHashSet::default());
        for id in ids {
            if sets.insert(self.terms[id.index()].inputs) {
                order.extend(self.symbols_of(*id).iter().map(|input| input.symbol).filter(|symbol| seen.insert(*symbol)));
            }
        }
        order
    }

    /// The inputs of a wide term. The walk stops at terms with a stored set.
    fn inputs_of_wide(&self, roots: &[TermId]) -> Vec<Input> {
        let mut inputs: Vec<Input> = Vec::new();
        let mut sets: FxHashSet<u32> = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let mut pending = roots.to_vec();
        while let Some(id) = pending.pop() {
            let set = self.terms[id.index()].inputs;
            if set < WIDE {
                if sets.insert(set) {
                    inputs.extend(self.inputs[set as usize].iter());
                }
            } else if seen.insert(id) {
                pending.extend(self.get(id).operands());
            }
        }
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }

    /// Whether the term mentions more than [`MOST_INPUTS`] inputs.
    pub(crate) fn is_wide(&self, id: TermId) -> bool {
        self.terms[id.index()].inputs >= WIDE
    }

    /// Whether the term contains a float or a double.
    pub(crate) fn mentions_floats(&self, id: TermId) -> bool {
        self.terms[id.index()].floats
    }

    /// Whether the value of the term may differ in the last digit from what Java computes.
    pub(crate) fn is_approximate(&self, id: TermId) -> bool {
        self.terms[id.index()].approximate
    }

    /// Number of nodes when written as a tree; saturates.
    pub(crate) fn tree_size(&self, id: TermId) -> u64 {
        self.terms[id.index()].tree_size
    }

    /// Bounds of a bit-vector term for all inputs; the full interval for other sorts.
    pub(crate) fn interval(&self, id: TermId) -> Interval {
        self.terms[id.index()].interval
    }

    /// The value of a constant term; `None` for other terms.
    pub fn constant_of(&self, id: TermId) -> Option<Value> {
        if let Term::Constant(value) = self.get(id) { Some(value) } else { None }
    }

    /// All subterms of the roots, each once, operands first.
    pub(crate) fn reachable(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut seen = FxHashSet::default();
        let mut pending: Vec<TermId> = roots.to_vec();
        while let Some(id) = pending.pop() {
            if seen.insert(id) {
                pending.extend(self.get(id).operands());
            }
        }
        let mut all: Vec<TermId> = seen.into_iter().collect();
        all.sort_unstable();
        all
    }

    /// The term without simplification; `None` if the operands have wrong sorts.
    pub(crate) fn exact(&mut self, term: Term) -> Option<TermId> {
        let sort = match term {
            Term::Constant(value) => value.sort(),
            Term::Input(input) => input.kind.sort(),
            Term::Unary(op, a) => op.result(self.sort(a))?,
            Term::Binary(op, a, b) => {
                if self.sort(a) != self.sort(b) {
                    return None;
                }
                op.result(self.sort(a))?
            }
            Term::Ite(c, a, b) => {
                if self.sort(c) != Sort::Bool || self.sort(a) != self.sort(b) {
                    return None;
                }
                self.sort(a)
            }
        };
        Some(self.intern(term, sort))
    }

    fn intern(&mut self, term: Term, sort: Sort) -> TermId {
        if let Some(id) = self.ids.get(&term) {
            return *id;
        }
        let mut inputs = match term {
            Term::Input(input) => self.input_set(Arc::from([input])),
            _ => term.operands().fold(0, |set, operand| self.union(set, self.terms[operand.index()].inputs)),
        };
        if inputs >= WIDE {
            inputs = WIDE + self.wide.len() as u32;
            self.wide.push(OnceLock::new());
        }
        let tree_size = term.operands().fold(1u64, |size, operand| size.saturating_add(self.tree_size(operand)));
        let interval = Interval::of(self, &term, sort);
        let id = TermId(u32::try_from(self.terms.len()).expect("fewer than 2^32 terms"));
        let approximate = match term {
            Term::Unary(op, _) => op.is_approximate(),
            Term::Binary(op, ..) => op.is_approximate(),
            _ => false,
        };
        let floats = sort.is_fp() || term.operands().any(|operand| self.mentions_floats(operand));
        let approximate = approximate || term.operands().any(|operand| self.is_approximate(operand));
        self.terms.push(TermEntry { term, sort, inputs, tree_size, interval, floats, approximate });
        self.ids.insert(term, id);
        id
    }

    fn input_set(&mut self, set: Arc<[Input]>) -> u32 {
        if let Some(id) = self.input_sets.get(&set) {
            return *id;
        }
        let id = self.inputs.len() as u32;
        self.inputs.push(set.clone());
        self.input_sets.insert(set, id);
        id
    }

    fn union(&mut self, a: u32, b: u32) -> u32 {
        if a == b || b == 0 || a >= WIDE {
            return a;
        }
        if a == 0 || b >= WIDE {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(id) = self.unions.get(&key) {
            return *id;
        }
        let mut both: Vec<Input> = self.inputs[a as usize].iter().chain(self.inputs[b as usize].iter()).copied().collect();
        both.sort_unstable();
        both.dedup();
        let id = if both.len() > MOST_INPUTS { WIDE } else { self.input_set(both.into()) };
        self.unions.insert(key, id);
        id
    }
}
