//! Z3 on bit-vectors and floats: the base of the solver stack.
//!
//! In: queries; out: outcomes whose models are checked by evaluation. The only file that knows Z3's
//! types. It runs in the hidden subcommand `solver`, and in tests.
//!
//! Every clause is asserted once, behind a literal (`literal => clause`). A query is a check under
//! the literals of its clauses. So Z3 keeps what it learned, and an unsat core is a set of
//! literals. Narrow inputs are narrow vectors, extended to the 32 bits of the operand stack, so
//! their ranges need no clauses.
//!
//! Small values are preferred: a check with tight bounds, also behind literals, comes first and
//! costs little. Large values that are found without bounds are tried again with loose ones. An
//! unsat core without bounds is a core of the clauses, so most unsatisfiable queries need one
//! check.
//!
//! An isolated query gets solvers of its own: see [`solve_isolated`].

use super::{Limits, Outcome, Query, Reason, Solver, Statistics, completed, inputs_of};
use crate::expr::{BinaryOp, Fingerprint, Input, Model, Sort, SymbolKind, Term, TermId, TermStore, UnaryOp, Value};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::time::Duration;
use z3::ast::{Ast as _, BV, Bool, Float, RoundingMode};
use z3::{Config, Context, Params, SatResult, StatisticsValue, with_z3_config};

/// The incremental solver. Its maps are ordered: Z3 reuses the numbers of dropped terms, and its
/// answers depend on these numbers.
pub struct Z3Solver {
    solver: z3::Solver,
    translation: Translation,
    literals: BTreeMap<Fingerprint, Bool>,
    bounds: BTreeMap<(Input, SmallValues), Bool>,
    counted: Statistics,
}

impl std::fmt::Debug for Z3Solver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Z3Solver({} clauses)", self.literals.len())
    }
}

/// Translated terms of any store, by fingerprint.
#[derive(Debug, Default)]
struct Translation {
    nodes: BTreeMap<Fingerprint, AstNode>,
    /// Whether products, quotients and roots of unknown floats are translated, which bit-blasting
    /// seldom solves.
    whole: bool,
}

/// A translated term of each sort.
#[derive(Clone, Debug)]
enum AstNode {
    Bool(Bool),
    Bv(BV),
    Fp(Float),
}

/// Temporary bounds of the inputs. Under the first two, characters are printable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum SmallValues {
    Tight,
    Loose,
    /// Bounds of lengths only: a string of thousands of characters makes every later step slow.
    Lengths,
}

impl SmallValues {
    /// Largest magnitude of a number.
    fn magnitude(self) -> i64 {
        if self == SmallValues::Tight { 10 } else { 1000 }
    }

    fn length(self) -> i64 {
        match self {
            SmallValues::Tight => 4,
            SmallValues::Loose => 20,
            SmallValues::Lengths => 100,
        }
    }

    /// Whether a value is larger than these bounds allow.
    fn exceeded_by(self, kind: SymbolKind, value: Value) -> bool {
        let most = match kind {
            SymbolKind::Length => self.length(),
            _ if self == SmallValues::Lengths => return false,
            _ => self.magnitude(),
        };
        value.integral().is_some_and(|value| value.unsigned_abs() > most.unsigned_abs())
    }

    /// Divisor of the resources for a check under bounds.
    const SHARE: u32 = 4;
}

impl Default for Z3Solver {
    fn default() -> Z3Solver {
        Z3Solver::new()
    }
}

impl Z3Solver {
    /// Beyond this many clauses or translated terms, learned facts cost more than they save.
    const MOST_CLAUSES: usize = 3_000;
    const MOST_TERMS: usize = 200_000;

    /// A solver in the Z3 context of this thread.
    pub fn new() -> Z3Solver {
        Z3Solver::over(z3::Solver::new())
    }

    fn over(solver: z3::Solver) -> Z3Solver {
        Z3Solver {
            solver,
            translation: Translation::default(),
            literals: BTreeMap::new(),
            bounds: BTreeMap::new(),
            counted: Statistics::default(),
        }
    }

    /// Name and version of the solver.
    pub(crate) fn version() -> String {
        z3::full_version().to_string()
    }

    fn renew_when_large(&mut self) {
        if self.literals.len() > Self::MOST_CLAUSES || self.translation.nodes.len() > Self::MOST_TERMS {
            let counted = std::mem::take(&mut self.counted);
            *self = Z3Solver { counted, ..Z3Solver::new() };
        }
    }

    fn solve(&mut self, terms: &TermStore, query: &Query) -> Result<Outcome, Reason> {
        let inputs = inputs_of(terms, &query.clauses)?;
        self.renew_when_large();
        let fingerprints = terms.fingerprints(&query.clauses);
        let mut literals: Vec<Bool> = Vec::with_capacity(query.clauses.len());
        for clause in &query.clauses {
            literals.push(self.literal(terms, &fingerprints, *clause)?);
        }
        match self.bounded(terms, query, &inputs, &literals, SmallValues::Tight)? {
            Some(outcome) => return Ok(outcome),
            None => set_limits(&self.solver, query, 1),
        }
        let model = match self.solver.check_assumptions(&literals) {
            SatResult::Sat => checked_model(&self.solver, terms, query, &inputs)?,
            SatResult::Unsat => return Ok(self.core(&literals).unwrap_or(Outcome::Unknown(Reason::WrongModel))),
            SatResult::Unknown => return Err(reason(&self.solver, query)),
        };
        for bounds in [SmallValues::Loose, SmallValues::Lengths] {
            let is_large = |input: &Input| model.get(input.symbol).is_some_and(|value| bounds.exceeded_by(input.kind, value));
            if inputs.iter().any(is_large)
                && let Some(smaller @ Outcome::Sat(_)) = self.bounded(terms, query, &inputs, &literals, bounds)?
            {
                return Ok(smaller);
            }
        }
        Ok(Outcome::Sat(model))
    }

    /// Checks under bounds; `None` if that says nothing about the query.
    fn bounded(
        &mut self,
        terms: &TermStore,
        query: &Query,
        inputs: &[Input],
        literals: &[Bool],
        bounds: SmallValues,
    ) -> Result<Option<Outcome>, Reason> {
        let mut assumptions = literals.to_vec();
        assumptions.extend(inputs.iter().filter_map(|input| self.bound(*input, bounds)));
        if assumptions.len() == literals.len() {
            return Ok(None);
        }
        set_limits(&self.solver, query, SmallValues::SHARE);
        match self.solver.check_assumptions(&assumptions) {
            SatResult::Sat => checked_model(&self.solver, terms, query, inputs).map(|model| Some(Outcome::Sat(model))),
            SatResult::Unsat => Ok(self.core(literals)),
            SatResult::Unknown => Ok(None),
        }
    }

    /// The core of the last check; `None` if it contains bounds.
    fn core(&self, literals: &[Bool]) -> Option<Outcome> {
        let mut positions = Vec::new();
        for member in self.solver.get_unsat_core() {
            positions.push(literals.iter().position(|literal| literal.ast_eq(member.clone()))?);
        }
        positions.sort_unstable();
        positions.dedup();
        Some(Outcome::Unsat { core: positions })
    }

    fn count(&mut self, outcome: &Outcome, resources: u64) {
        self.counted.solved += 1;
        self.counted.wrong_models += u64::from(*outcome == Outcome::Unknown(Reason::WrongModel));
        self.counted.resources += resources;
    }

    fn literal(
        &mut self,
        terms: &TermStore,
        fingerprints: &FxHashMap<TermId, Fingerprint>,
        clause: TermId,
    ) -> Result<Bool, Reason> {
        let fingerprint = fingerprints[&clause];
        if let Some(literal) = self.literals.get(&fingerprint) {
            return Ok(literal.clone());
        }
        let translated = self.translation.of(terms, fingerprints, clause)?;
        let literal = Bool::new_const(format!("clause!{}", self.literals.len()));
        self.solver.assert(literal.implies(translated.bool()));
        self.literals.insert(fingerprint, literal.clone());
        Ok(literal)
    }

    /// The literal that implies the bounds of an input; `None` if there are none.
    fn bound(&mut self, input: Input, bounds: SmallValues) -> Option<Bool> {
        let (low, high) = match input.kind {
            SymbolKind::Boolean | SymbolKind::Float | SymbolKind::Double => return None,
            SymbolKind::Length => (0, bounds.length()),
            _ if bounds == SmallValues::Lengths => return None,
            SymbolKind::Char => (0x20, 0x7e),
            SymbolKind::Byte if bounds == SmallValues::Loose => return None,
            SymbolKind::Byte | SymbolKind::Short | SymbolKind::Int | SymbolKind::Long => {
                (-bounds.magnitude(), bounds.magnitude())
            }
        };
        if let Some(literal) = self.bounds.get(&(input, bounds)) {
            return Some(literal.clone());
        }
        let width = width(input.kind.sort());
        let variable = input_node(input).bv();
        let inside = Bool::and(&[variable.bvsge(BV::from_i64(low, width)), variable.bvsle(BV::from_i64(high, width))]);
        let literal = Bool::new_const(format!("bound!{bounds:?}!{input}"));
        self.solver.assert(literal.implies(inside));
        self.bounds.insert((input, bounds), literal.clone());
        Some(literal)
    }
}

/// Asks solvers without history. Without floats, Z3's solver for bit-vectors (a SAT solver under
/// assumptions) comes first. Then Z3 is asked [`alone`], with more resources, which are added to
/// `elsewhere`.
fn solve_isolated(terms: &TermStore, query: &Query, elsewhere: &mut u64) -> Result<Outcome, Reason> {
    /// Factor of the resources of the last attempt. Few queries get there.
    const MORE: u32 = 4;
    let floats = query.clauses.iter().any(|clause| terms.mentions_floats(*clause));
    let bits = if floats { None } else { z3::Solver::new_for_logic("QF_BV") };
    let wall = query.limits.wall.map(|wall| wall / 2);
    let first =
        Query { limits: Limits { resources: (query.limits.resources / 2).max(1), wall, ..query.limits }, ..query.clone() };
    match Z3Solver::over(bits.unwrap_or_else(z3::Solver::new)).solve(terms, &first) {
        Err(Reason::Resources | Reason::Time | Reason::GaveUp(_) | Reason::Unsupported(_)) => {}
        known => return known,
    }
    let limits = Limits { resources: query.limits.resources.saturating_mul(MORE), wall, ..query.limits };
    let (outcome, spent) = solve_once(terms, &Query { limits, ..query.clone() });
    *elsewhere += spent;
    outcome
}

/// Asks Z3 once, in a context of its own: the clauses are asserted as they are, with every operator
/// that Z3 has, under the limits of the query (resources of 0: no limit). The core of a
/// contradiction is all clauses.
pub fn alone(terms: &TermStore, query: &Query) -> Outcome {
    solve_once(terms, query).0.unwrap_or_else(Outcome::Unknown)
}

/// The outcome of [`alone`], and the resources that Z3 counted.
fn solve_once(terms: &TermStore, query: &Query) -> (Result<Outcome, Reason>, u64) {
    let attempt = |solver: &z3::Solver| {
        let inputs = inputs_of(terms, &query.clauses)?;
        let fingerprints = terms.fingerprints(&query.clauses);
        let mut translation = Translation { whole: true, ..Translation::default() };
        for clause in &query.clauses {
            solver.assert(translation.of(terms, &fingerprints, *clause)?.bool());
        }
        set_limits(solver, query, 1);
        match solver.check() {
            SatResult::Sat => checked_model(solver, terms, query, &inputs).map(Outcome::Sat),
            SatResult::Unsat => Ok(Outcome::Unsat { core: (0..query.clauses.len()).collect() }),
            SatResult::Unknown => Err(reason(solver, query)),
        }
    };
    with_z3_config(&Config::new(), || {
        let solver = z3::Solver::new();
        (attempt(&solver), resources(&solver))
    })
}

/// Z3's resource count of this context.
fn resources(solver: &z3::Solver) -> u64 {
    match solver.get_statistics().value("rlimit count") {
        Some(StatisticsValue::UInt(count)) => count.into(),
        _ => 0,
    }
}

/// The reason why the last check gave no answer.
fn reason(solver: &z3::Solver, query: &Query) -> Reason {
    match solver.get_reason_unknown().unwrap_or_default() {
        words if words.contains("timeout") => Reason::Time,
        words if words.contains("resource") => Reason::Resources,
        // Z3 uses this word for both limits.
        words if words.contains("canceled") && query.limits.wall.is_none() => Reason::Resources,
        words if words.contains("canceled") => Reason::Time,
        words => Reason::GaveUp(words),
    }
}

fn set_limits(solver: &z3::Solver, query: &Query, share: u32) {
    let mut params = Params::new();
    // 0 would mean unlimited.
    params.set_u32("rlimit", if query.limits.resources == 0 { 0 } else { (query.limits.resources / share).max(1) });
    let millis = |wall: Duration| u32::try_from((wall / share).as_millis()).unwrap_or(u32::MAX).max(1);
    params.set_u32("timeout", query.limits.wall.map_or(u32::MAX, millis));
    solver.set_params(&params);
}

fn checked_model(solver: &z3::Solver, terms: &TermStore, query: &Query, inputs: &[Input]) -> Result<Model, Reason> {
    completed(terms, query, &model(solver, inputs)?).ok_or(Reason::WrongModel)
}

fn model(solver: &z3::Solver, inputs: &[Input]) -> Result<Model, Reason> {
    let model = solver.get_model().ok_or(Reason::WrongModel)?;
    inputs
        .iter()
        .map(|input| {
            let bits = match input.kind.sort() {
                Sort::Float | Sort::Double => bits_of(*input),
                _ => input_node(*input).bv(),
            };
            let bits = model.eval(&bits, true).and_then(|bits| bits.as_u64()).ok_or(Reason::WrongModel)?;
            let value = match input.kind.sort() {
                Sort::Bv64 => Value::Long(bits as i64),
                Sort::Float => Value::Float(bits as u32),
                Sort::Double => Value::Double(bits),
                Sort::Bv32 | Sort::Bool => Value::Int(bits as u32 as i32),
            };
            Ok((input.symbol, value))
        })
        .collect()
}

impl Translation {
    fn of(&mut self, terms: &TermStore, fingerprints: &FxHashMap<TermId, Fingerprint>, root: TermId) -> Result<AstNode, Reason> {
        for id in terms.reachable(&[root]) {
            let fingerprint = fingerprints[&id];
            if self.nodes.contains_key(&fingerprint) {
                continue;
            }
            let operand = |id: TermId| self.nodes[&fingerprints[&id]].clone();
            let node = match terms.get(id) {
                Term::Constant(value) => constant(value),
                Term::Input(input) => input_node(input),
                Term::Unary(op, a) => unary(terms, op, a, operand(a), self.whole)?,
                Term::Binary(op @ (BinaryOp::BvMul | BinaryOp::BvSdiv | BinaryOp::BvSrem), a, b) => {
                    narrow(terms, id, op, (a, operand(a).bv()), (b, operand(b).bv()))
                }
                Term::Binary(op, a, b) => {
                    let is_constant = terms.constant_of(a).is_some() || terms.constant_of(b).is_some();
                    binary(op, operand(a), operand(b), terms.sort(a), is_constant || self.whole)?
                }
                Term::Ite(condition, then, otherwise) => match (operand(condition).bool(), operand(then), operand(otherwise)) {
                    (condition, AstNode::Bool(a), AstNode::Bool(b)) => AstNode::Bool(condition.ite(&a, &b)),
                    (condition, AstNode::Bv(a), AstNode::Bv(b)) => AstNode::Bv(condition.ite(&a, &b)),
                    (condition, AstNode::Fp(a), AstNode::Fp(b)) => AstNode::Fp(condition.ite(&a, &b)),
                    _ => unreachable!("both branches have one sort"),
                },
            };
            self.nodes.insert(fingerprint, node);
        }
        Ok(self.nodes[&fingerprints[&root]].clone())
    }
}

impl Solver for Z3Solver {
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        let before = resources(&self.solver);
        let outcome = self.solve(terms, query).unwrap_or_else(Outcome::Unknown);
        self.count(&outcome, resources(&self.solver).saturating_sub(before));
        outcome
    }

    fn check_isolated(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        let before = resources(&self.solver);
        let mut elsewhere = 0;
        let outcome = solve_isolated(terms, query, &mut elsewhere).unwrap_or_else(Outcome::Unknown);
        self.count(&outcome, resources(&self.solver).saturating_sub(before) + elsewhere);
        outcome
    }

    fn statistics(&self) -> Statistics {
        self.counted.clone()
    }
}

impl AstNode {
    /// Terms are checked when they are made: a clause is a Bool.
    fn bool(self) -> Bool {
        match self {
            AstNode::Bool(node) => node,
            other => unreachable!("{other:?} is no clause"),
        }
    }

    fn bv(self) -> BV {
        match self {
            AstNode::Bv(node) => node,
            other => unreachable!("{other:?} is no bit-vector"),
        }
    }

    fn fp(self) -> Float {
        match self {
            AstNode::Fp(node) => node,
            other => unreachable!("{other:?} is no float"),
        }
    }
}

fn width(sort: Sort) -> u32 {
    if matches!(sort, Sort::Bv64 | Sort::Double) { 64 } else { 32 }
}

/// The bits of a float or double input.
fn bits_of(input: Input) -> BV {
    BV::new_const(input.to_string(), width(input.kind.sort()))
}

fn input_node(input: Input) -> AstNode {
    let name = input.to_string();
    AstNode::Bv(match input.kind {
        SymbolKind::Boolean => BV::new_const(name, 1).zero_ext(31),
        SymbolKind::Byte => BV::new_const(name, 8).sign_ext(24),
        SymbolKind::Char => BV::new_const(name, 16).zero_ext(16),
        SymbolKind::Short => BV::new_const(name, 16).sign_ext(16),
        SymbolKind::Int => BV::new_const(name, 32),
        SymbolKind::Length => BV::new_const(name, 31).zero_ext(1),
        SymbolKind::Long => BV::new_const(name, 64),
        SymbolKind::Float | SymbolKind::Double => return AstNode::Fp(fp_from_bits(&bits_of(input))),
    })
}

fn constant(value: Value) -> AstNode {
    match value {
        Value::Bool(value) => AstNode::Bool(Bool::from_bool(value)),
        Value::Int(value) => AstNode::Bv(BV::from_i64(value.into(), 32)),
        Value::Long(value) => AstNode::Bv(BV::from_i64(value, 64)),
        Value::Float(bits) => AstNode::Fp(fp_from_bits(&BV::from_u64(bits.into(), 32))),
        Value::Double(bits) => AstNode::Fp(fp_from_bits(&BV::from_u64(bits, 64))),
    }
}

fn truth_to_int(condition: &Bool, then: i64, otherwise: &BV) -> BV {
    condition.ite(&BV::from_i64(then, 32), otherwise)
}

/// `whole` as in [`Translation`].
fn unary(terms: &TermStore, op: UnaryOp, operand: TermId, node: AstNode, whole: bool) -> Result<AstNode, Reason> {
    use UnaryOp::*;
    Ok(match op {
        Not => AstNode::Bool(node.bool().not()),
        BvNeg => AstNode::Bv(node.bv().bvneg()),
        I2L => AstNode::Bv(node.bv().sign_ext(32)),
        ZeroExtend => AstNode::Bv(node.bv().zero_ext(32)),
        L2I => AstNode::Bv(node.bv().extract(31, 0)),
        I2B => AstNode::Bv(node.bv().extract(7, 0).sign_ext(24)),
        I2S => AstNode::Bv(node.bv().extract(15, 0).sign_ext(16)),
        I2F | L2F => AstNode::Fp(fp_from_signed(&node.bv(), 32)),
        I2D | L2D => AstNode::Fp(fp_from_signed(&node.bv(), 64)),
        F2I => AstNode::Bv(saturated(&node.fp(), 32, 32)),
        F2L => AstNode::Bv(saturated(&node.fp(), 32, 64)),
        D2I => AstNode::Bv(saturated(&node.fp(), 64, 32)),
        D2L => AstNode::Bv(saturated(&node.fp(), 64, 64)),
        F2D => AstNode::Fp(node.fp().to_fp_with_rounding_mode(&nearest(), &z3::Sort::double())),
        D2F => AstNode::Fp(node.fp().to_fp_with_rounding_mode(&nearest(), &z3::Sort::float32())),
        FpNeg => AstNode::Fp(node.fp().unary_neg()),
        FpAbs => AstNode::Fp(node.fp().unary_abs()),
        FpFromBits => AstNode::Fp(fp_from_bits(&node.bv())),
        // SMT-LIB has one NaN without bits. The bits of an input are known; a computed NaN gets one
        // pattern.
        FpToBits => match terms.get(operand) {
            Term::Input(input) => AstNode::Bv(bits_of(input)),
            _ => AstNode::Bv(computed_bits(&node.fp(), terms.sort(operand))),
        },
        FpFloor => AstNode::Fp(rounded(&node.fp(), &RoundingMode::round_towards_negative())),
        FpCeil => AstNode::Fp(rounded(&node.fp(), &RoundingMode::round_towards_positive())),
        FpRint => AstNode::Fp(rounded(&node.fp(), &nearest())),
        FpIsNegative => AstNode::Bool(is_negative(&node.fp())),
        FpSqrt if whole => AstNode::Fp(square_root(&node.fp())),
        FpSqrt | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Exp | Expm1 | Log | Log10 | Log1p | Cbrt => {
            return Err(Reason::Unsupported(op.name().into()));
        }
    })
}

/// `sort` is that of the operands. `whole` as in [`Translation`], or an operand is a constant.
fn binary(op: BinaryOp, a: AstNode, b: AstNode, sort: Sort, whole: bool) -> Result<AstNode, Reason> {
    use BinaryOp::*;
    Ok(match op {
        And => AstNode::Bool(Bool::and(&[a.bool(), b.bool()])),
        Or => AstNode::Bool(Bool::or(&[a.bool(), b.bool()])),
        Eq if sort == Sort::Bool => AstNode::Bool(a.bool().iff(b.bool())),
        Eq => AstNode::Bool(a.bv().eq(b.bv())),
        BvSlt => AstNode::Bool(a.bv().bvslt(b.bv())),
        BvSle => AstNode::Bool(a.bv().bvsle(b.bv())),
        BvUlt => AstNode::Bool(a.bv().bvult(b.bv())),
        BvUle => AstNode::Bool(a.bv().bvule(b.bv())),
        BvAdd => AstNode::Bv(a.bv().bvadd(b.bv())),
        BvSub => AstNode::Bv(a.bv().bvsub(b.bv())),
        BvMul | BvSdiv | BvSrem => unreachable!("translated by `narrow`"),
        BvAnd => AstNode::Bv(a.bv().bvand(b.bv())),
        BvOr => AstNode::Bv(a.bv().bvor(b.bv())),
        BvXor => AstNode::Bv(a.bv().bvxor(b.bv())),
        BvShl => AstNode::Bv(a.bv().bvshl(b.bv())),
        BvAshr => AstNode::Bv(a.bv().bvashr(b.bv())),
        BvLshr => AstNode::Bv(a.bv().bvlshr(b.bv())),
        Lcmp => {
            let (a, b) = (a.bv(), b.bv());
            let not_less = truth_to_int(&a.eq(b.clone()), 0, &BV::from_i64(1, 32));
            AstNode::Bv(truth_to_int(&a.bvslt(b), -1, &not_less))
        }
        FpEq => AstNode::Bool(a.fp().eq_fpa(b.fp())),
        FpLt => AstNode::Bool(a.fp().lt(b.fp())),
        FpLeq => AstNode::Bool(a.fp().le(b.fp())),
        FpAdd => AstNode::Fp(a.fp().add_with_rounding_mode(b.fp(), &nearest())),
        FpSub => AstNode::Fp(a.fp().sub_with_rounding_mode(b.fp(), &nearest())),
        // Bit-blasting seldom solves products of two unknown floats.
        FpMul if whole => AstNode::Fp(a.fp().mul_with_rounding_mode(b.fp(), &nearest())),
        FpDiv if whole => AstNode::Fp(a.fp().div_with_rounding_mode(b.fp(), &nearest())),
        FpMul | FpDiv | Frem | Pow | Atan2 | Hypot | IeeeRemainder => return Err(Reason::Unsupported(op.name().into())),
        FpCmpL | FpCmpG => {
            let (a, b) = (a.fp(), b.fp());
            let nan = BV::from_i64(if op == FpCmpL { -1 } else { 1 }, 32);
            let greater = truth_to_int(&a.gt(b.clone()), 1, &nan);
            let not_less = truth_to_int(&a.eq_fpa(b.clone()), 0, &greater);
            AstNode::Bv(truth_to_int(&a.lt(b), -1, &not_less))
        }
    })
}

/// A product, quotient or remainder over as many bits as its values need, usually far fewer than
/// its type has.
fn narrow(terms: &TermStore, id: TermId, op: BinaryOp, (a, x): (TermId, BV), (b, y): (TermId, BV)) -> AstNode {
    let bits = |term: TermId| {
        let interval = terms.interval(term);
        65 - (interval.high.max(!interval.low).max(interval.low).max(!interval.high) as u64).leading_zeros()
    };
    let width = x.get_size();
    // One more for the quotient of the least value and -1.
    let needed = bits(a).max(bits(b)).max(bits(id)) + 1;
    let (x, y) = if needed < width { (x.extract(needed - 1, 0), y.extract(needed - 1, 0)) } else { (x, y) };
    let is_unsigned = terms.interval(a).low >= 0 && terms.interval(b).low > 0;
    let result = match op {
        BinaryOp::BvMul => x.bvmul(y),
        BinaryOp::BvSdiv if is_unsigned => x.bvudiv(y),
        BinaryOp::BvSdiv => x.bvsdiv(y),
        _ if is_unsigned => x.bvurem(y),
        _ => x.bvsrem(y),
    };
    AstNode::Bv(if needed < width { result.sign_ext(width - needed) } else { result })
}

fn nearest() -> RoundingMode {
    RoundingMode::round_nearest_ties_to_even()
}

/// Java's narrowing (JVMS §6.5 f2i): NaN becomes 0, and large values saturate. `from` and `to` are
/// widths in bits.
fn saturated(value: &Float, from: u32, to: u32) -> BV {
    // A power of two: exact in both float formats.
    let limit = (1u128 << (to - 1)) as f64;
    let fp = |limit: f64| if from == 64 { Float::from_f64(limit) } else { Float::from_f32(limit as f32) };
    let (least, most) = if to == 64 { (i64::MIN, i64::MAX) } else { (i64::from(i32::MIN), i64::from(i32::MAX)) };
    let truncated = value.to_sbv_with_rounding_mode(&RoundingMode::round_towards_zero(), to);
    let below = value.le(fp(-limit)).ite(&BV::from_i64(least, to), &truncated);
    let above = value.ge(fp(limit)).ite(&BV::from_i64(most, to), &below);
    value.is_nan().ite(&BV::from_i64(0, to), &above)
}

fn fp_sort(width: u32) -> z3::Sort {
    if width == 64 { z3::Sort::double() } else { z3::Sort::float32() }
}

/// The float with these IEEE 754 bits.
fn fp_from_bits(bits: &BV) -> Float {
    let context = Context::thread_local();
    let sort = fp_sort(bits.get_size());
    // SAFETY: the vector and the sort are alive and belong to this thread's context, and the vector
    // has the width of the sort.
    let float = unsafe { z3_sys::Z3_mk_fpa_to_fp_bv(context.get_z3_context(), bits.get_z3_ast(), sort.get_z3_sort()) };
    wrapped(&context, float)
}

/// The float nearest to a signed integer; `width` is that of the float.
fn fp_from_signed(bits: &BV, width: u32) -> Float {
    let context = Context::thread_local();
    let sort = fp_sort(width);
    let rounding = nearest();
    // SAFETY: rounding mode, vector and sort are alive and belong to this thread's context.
    let float = unsafe {
        z3_sys::Z3_mk_fpa_to_fp_signed(context.get_z3_context(), rounding.get_z3_ast(), bits.get_z3_ast(), sort.get_z3_sort())
    };
    wrapped(&context, float)
}

fn square_root(value: &Float) -> Float {
    let context = Context::thread_local();
    let rounding = nearest();
    // SAFETY: rounding mode and float are alive and belong to this thread's context.
    let float = unsafe { z3_sys::Z3_mk_fpa_sqrt(context.get_z3_context(), rounding.get_z3_ast(), value.get_z3_ast()) };
    wrapped(&context, float)
}

/// The float rounded to an integral value.
fn rounded(value: &Float, rounding: &RoundingMode) -> Float {
    let context = Context::thread_local();
    // SAFETY: rounding mode and float are alive and belong to this thread's context.
    let float =
        unsafe { z3_sys::Z3_mk_fpa_round_to_integral(context.get_z3_context(), rounding.get_z3_ast(), value.get_z3_ast()) };
    wrapped(&context, float)
}

/// Whether the sign bit is set; false for NaN.
fn is_negative(value: &Float) -> Bool {
    let context = Context::thread_local();
    // SAFETY: the float is alive and belongs to this thread's context.
    let clause = unsafe { z3_sys::Z3_mk_fpa_is_negative(context.get_z3_context(), value.get_z3_ast()) };
    let clause = clause.expect("a well-sorted operand");
    // SAFETY: Z3 just made this clause in this context; wrapping takes a reference to it.
    unsafe { Bool::wrap(&context, clause) }
}

/// The IEEE 754 bits of a computed float, with the NaN that evaluation uses.
fn computed_bits(value: &Float, sort: Sort) -> BV {
    let context = Context::thread_local();
    // SAFETY: the float is alive and belongs to this thread's context.
    let bits = unsafe { z3_sys::Z3_mk_fpa_to_ieee_bv(context.get_z3_context(), value.get_z3_ast()) };
    let bits = bits.expect("a well-sorted operand");
    // SAFETY: Z3 just made this vector in this context; wrapping takes a reference to it.
    let bits = unsafe { BV::wrap(&context, bits) };
    let nan = if sort == Sort::Double { f64::NAN.to_bits() } else { f32::NAN.to_bits().into() };
    value.is_nan().ite(&BV::from_u64(nan, width(sort)), &bits)
}

fn wrapped(context: &Context, float: Option<z3_sys::Z3_ast>) -> Float {
    let float = float.expect("well-sorted operands");
    // SAFETY: Z3 just made this term of a float sort in this context; wrapping takes a reference to
    // it.
    unsafe { Float::wrap(context, float) }
}
