//! Local search on the literals of one test for one goal: an alternating variable method (AVM). All
//! exploratory and pattern moves are proposed at once, since candidates are executed in batches.
//! Flows in: a test near its goal, fitness of probes; flows out: probes. Must not know other goals.

use std::collections::VecDeque;
use std::sync::Arc;

use tracewright_classfile::PrimitiveType;

use super::goals::GoalId;
use super::literals::{LiteralPool, as_integer, bits_of, integer_literal, kind_of, step_f32, step_f64};
use crate::testcase::{Literal, StatementKind, TestCase, VarId};

/// Probes of one search at most.
const BUDGET: u32 = 3000;
/// Longer tests keep literals with several uses.
const LONGEST: usize = 80;
/// Positions of a string that are varied at most.
const POSITIONS: usize = 24;

/// Search for one goal from one test. First, two small changes of every literal show which literals
/// the distance depends on. These are then varied in turn; the others only get a few likely values.
#[derive(Debug)]
pub(crate) struct AvmSearch {
    pub(crate) goal: GoalId,
    /// Distinguishes probes of this search from those of earlier ones that are still being
    /// executed.
    pub(crate) id: u32,
    base: Arc<TestCase>,
    fitness: f64,
    variables: Vec<VarId>,
    /// By position in `variables`: whether a small change of the literal changed the distance.
    sensitive: Vec<bool>,
    nudging: bool,
    /// Position of the variable that is varied.
    at: usize,
    /// Variables without improvement since the last improvement.
    idle: usize,
    probes: VecDeque<(TestCase, usize)>,
    outstanding: u32,
    used: u32,
    best: Option<(f64, Arc<TestCase>, usize)>,
}

impl AvmSearch {
    /// A search from `base`, which has this fitness; `None` when the test has no literal to vary.
    pub(crate) fn new(goal: GoalId, id: u32, mut base: Arc<TestCase>, fitness: f64) -> Option<AvmSearch> {
        Arc::make_mut(&mut base).unshare_literals(LONGEST);
        let variables = variables(&base);
        if variables.is_empty() {
            return None;
        }
        let mut session = AvmSearch {
            goal,
            id,
            base,
            fitness,
            sensitive: vec![false; variables.len()],
            variables,
            nudging: true,
            at: 0,
            idle: 0,
            probes: VecDeque::new(),
            outstanding: 0,
            used: 0,
            best: None,
        };
        for position in 0..session.variables.len() {
            session.propose(position, nudges);
        }
        Some(session)
    }

    /// The next probe, with the position of the variable that it varies.
    pub(crate) fn next_probe(&mut self) -> Option<(TestCase, usize)> {
        let probe = self.probes.pop_front()?;
        self.outstanding += 1;
        self.used += 1;
        Some(probe)
    }

    /// Withdraws a probe that was not executed.
    pub(crate) fn skip(&mut self, position: usize) {
        self.outstanding -= 1;
        self.used -= 1;
        // Without an execution, the variable may be sensitive.
        self.sensitive[position] |= self.nudging;
    }

    /// Reports the fitness of a probe; infinite when its execution was rejected.
    pub(crate) fn report(&mut self, position: usize, test: &TestCase, fitness: f64) {
        self.outstanding = self.outstanding.saturating_sub(1);
        if self.nudging && fitness.is_finite() && fitness != self.fitness {
            self.sensitive[position] = true;
        }
        if fitness < self.best.as_ref().map_or(self.fitness, |best| best.0) {
            self.best = Some((fitness, Arc::new(test.clone()), position));
        }
    }

    /// Starts the next round when every probe of the round is reported. False: the search has
    /// ended.
    pub(crate) fn advance(&mut self, pool: &LiteralPool) -> bool {
        if self.outstanding > 0 || !self.probes.is_empty() {
            return true;
        }
        match self.best.take() {
            Some((fitness, test, position)) => {
                self.fitness = fitness;
                if test.len() != self.base.len() {
                    // A probe that threw was truncated, so its variables differ.
                    return self.restart(test);
                }
                self.base = test;
                self.idle = 0;
                self.at = position;
            }
            None if self.nudging => {}
            None => {
                self.idle += 1;
                self.at += 1;
            }
        }
        if self.nudging {
            self.nudging = false;
            // Sensitive variables first, each group in its order.
            let mut order: Vec<usize> = (0..self.variables.len()).collect();
            order.sort_by_key(|position| !self.sensitive[*position]);
            self.variables = order.iter().map(|position| self.variables[*position]).collect();
            self.sensitive.sort_by_key(|sensitive| !sensitive);
            self.at = 0;
        }
        while self.probes.is_empty() {
            if self.idle >= self.variables.len() || self.used >= BUDGET || self.fitness <= 0.0 {
                return false;
            }
            let position = self.at % self.variables.len();
            if self.sensitive[position] {
                self.propose(position, |literal, test| neighbours(literal, test, pool));
            } else {
                self.propose(position, |literal, test| likely(literal, test, pool));
            }
            if self.probes.is_empty() {
                self.idle += 1;
                self.at += 1;
            }
        }
        true
    }

    fn restart(&mut self, base: Arc<TestCase>) -> bool {
        let used = self.used;
        match AvmSearch::new(self.goal, self.id, base, self.fitness) {
            Some(session) if used < BUDGET => *self = AvmSearch { used, ..session },
            _ => return false,
        }
        true
    }

    fn propose(&mut self, position: usize, literals: impl Fn(&Literal, &TestCase) -> Vec<Literal>) {
        let variable = self.variables[position];
        let Some(current) = self.base.literal(variable) else { return };
        for literal in literals(current, &self.base) {
            let mut probe = (*self.base).clone();
            if literal != *current && probe.replace_literal(variable, literal) {
                self.probes.push_back((probe, position));
            }
        }
    }
}

/// Two small changes that show whether the literal matters.
fn nudges(literal: &Literal, _: &TestCase) -> Vec<Literal> {
    match literal {
        Literal::Null | Literal::Class(_) => Vec::new(),
        Literal::Boolean(value) => vec![Literal::Boolean(!value)],
        Literal::Float(bits) => [1.0, -0.5].map(|step| Literal::Float((f32::from_bits(*bits) + step).to_bits())).to_vec(),
        Literal::Double(bits) => [1.0, -0.5].map(|step| Literal::Double((f64::from_bits(*bits) + step).to_bits())).to_vec(),
        Literal::Char(unit) => vec![Literal::Char(unit.wrapping_add(1)), Literal::Char(unit ^ 0x20)],
        Literal::Str(units) => {
            let mut longer = units.clone();
            longer.push(u16::from(b'a'));
            let mut other = units.clone();
            match other.first_mut() {
                Some(first) => *first ^= 1,
                None => other.extend([u16::from(b'1'), u16::from(b'2')]),
            }
            vec![Literal::Str(longer), Literal::Str(other)]
        }
        other => {
            let value = as_integer(other).expect("the rest are integers");
            let ty = other.primitive().expect("integers are primitive");
            [1, -16].iter().filter_map(|step| integer_literal(ty, value.wrapping_add(*step))).collect()
        }
    }
}

/// Values that may be equal to a compared one although no distance leads there: other literals of
/// the test, and seeds.
fn likely(literal: &Literal, test: &TestCase, pool: &LiteralPool) -> Vec<Literal> {
    let mut found = others(literal, test);
    match literal.primitive() {
        Some(ty) => found.extend(pool.recent_integers().take(12).filter_map(|seed| integer_literal(ty, seed))),
        None if matches!(literal, Literal::Str(_)) => {
            found.extend(pool.recent_strings().take(24).map(|seed| Literal::Str(seed.clone())));
        }
        None => {}
    }
    found
}

/// The other literals of the same kind in the test.
fn others(literal: &Literal, test: &TestCase) -> Vec<Literal> {
    let kind = kind_of(literal);
    let mut found = Vec::new();
    for statement in &test.statements {
        if let StatementKind::Literal(other) = &statement.kind
            && kind_of(other) == kind
            && other != literal
            && !found.contains(other)
        {
            found.push(other.clone());
        }
    }
    found
}

/// The literals that can be varied; later ones first, since these mostly are arguments of the call
/// that matters.
fn variables(test: &TestCase) -> Vec<VarId> {
    (0..test.len() as u32)
        .rev()
        .map(VarId)
        .filter(|variable| test.literal(*variable).is_some_and(|literal| !matches!(literal, Literal::Null | Literal::Class(_))))
        .collect()
}

/// Every literal that is one move away.
fn neighbours(literal: &Literal, test: &TestCase, pool: &LiteralPool) -> Vec<Literal> {
    let mut found = others(literal, test);
    match literal {
        Literal::Null | Literal::Class(_) => {}
        Literal::Boolean(value) => found.push(Literal::Boolean(!value)),
        Literal::Float(bits) => {
            found.extend([0.0f32, 1.0, -1.0, f32::from_bits(*bits).round()].map(|value| Literal::Float(value.to_bits())));
            for power in 0..31 {
                found.push(Literal::Float(step_f32(*bits, 1 << power)));
                found.push(Literal::Float(step_f32(*bits, -(1 << power))));
            }
        }
        Literal::Double(bits) => {
            let value = f64::from_bits(*bits);
            found.extend([0.0, 1.0, -1.0, value.round(), value + 1.0, value - 1.0].map(|value| Literal::Double(value.to_bits())));
            for power in 0..63 {
                found.push(Literal::Double(step_f64(*bits, 1 << power)));
                found.push(Literal::Double(step_f64(*bits, -(1 << power))));
            }
        }
        Literal::Str(units) => strings(units, pool, &mut found),
        Literal::Char(value) => integers(PrimitiveType::Char, i64::from(*value), pool, &mut found),
        other => {
            let ty = other.primitive().expect("integers are primitive");
            integers(ty, as_integer(other).expect("the rest are integers"), pool, &mut found);
        }
    }
    found
}

fn integers(ty: PrimitiveType, value: i64, pool: &LiteralPool, found: &mut Vec<Literal>) {
    for power in 0..bits_of(ty) {
        found.extend(integer_literal(ty, value.wrapping_add(1 << power)));
        found.extend(integer_literal(ty, value.wrapping_sub(1 << power)));
    }
    found.extend(integer_literal(ty, value.wrapping_neg()));
    for seed in pool.recent_integers().take(24) {
        found.extend(integer_literal(ty, seed));
    }
}

fn strings(units: &[u16], pool: &LiteralPool, found: &mut Vec<Literal>) {
    let mut add = |edit: &dyn Fn(&mut Vec<u16>)| {
        let mut edited = units.to_vec();
        edit(&mut edited);
        found.push(Literal::Str(edited));
    };
    for at in 0..units.len().min(POSITIONS) {
        for power in 0..8 {
            add(&|edited| edited[at] = edited[at].wrapping_add(1 << power));
            add(&|edited| edited[at] = edited[at].wrapping_sub(1 << power));
        }
        add(&|edited| {
            edited.remove(at);
        });
        for unit in [b'0', b'a', b' ', b'-', b'.'] {
            add(&|edited| edited.insert(at, u16::from(unit)));
        }
        add(&|edited| edited.truncate(at));
    }
    for unit in *b"0aA -._/" {
        add(&|edited| edited.push(u16::from(unit)));
    }
    add(&|edited| edited.extend_from_within(..));
    for seed in pool.recent_strings().take(40) {
        add(&|edited| *edited = seed.clone());
        add(&|edited| edited.extend(seed));
        add(&|edited| {
            edited.splice(0..0, seed.iter().copied());
        });
    }
}
