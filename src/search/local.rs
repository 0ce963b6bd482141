//! Local search on the literals of one test for one goal: an alternating variable method whose exploratory and pattern moves are all tried at
//! once, since candidates travel in batches. Flows in: a test near its goal, fitness of probes; flows out: probes. Must not know what
//! else is searched for.

use std::collections::VecDeque;
use std::sync::Arc;

use super::goals::GoalId;
use super::literals::{LiteralPool, as_integer, integer_literal, kind_of, step_f32, step_f64};
use super::model::ValueKind;
use crate::testcase::{Literal, StatementKind, TestCase, VarId};

/// Probes of one session at most.
const BUDGET: u32 = 3000;
/// Positions of a string that are varied at most.
const POSITIONS: usize = 24;

/// Local search for one goal from one test.
#[derive(Debug)]
pub struct Session {
    pub goal: GoalId,
    base: Arc<TestCase>,
    fitness: f64,
    variables: Vec<VarId>,
    at: usize,
    /// Variables without improvement since the last one.
    idle: usize,
    probes: VecDeque<TestCase>,
    outstanding: u32,
    used: u32,
    best: Option<(f64, Arc<TestCase>)>,
}

impl Session {
    /// `None` when the test has no literal to vary.
    pub fn new(goal: GoalId, base: Arc<TestCase>, fitness: f64, pool: &LiteralPool) -> Option<Session> {
        let variables = variables(&base);
        if variables.is_empty() {
            return None;
        }
        let mut session = Session {
            goal,
            base,
            fitness,
            variables,
            at: 0,
            idle: 0,
            probes: VecDeque::new(),
            outstanding: 0,
            used: 0,
            best: None,
        };
        session.fill(pool);
        Some(session)
    }

    pub fn next(&mut self) -> Option<TestCase> {
        let probe = self.probes.pop_front()?;
        self.outstanding += 1;
        self.used += 1;
        Some(probe)
    }

    /// A probe that was not run after all: it is known already.
    pub fn skipped(&mut self) {
        self.outstanding -= 1;
        self.used -= 1;
    }

    pub fn told(&mut self, test: &TestCase, fitness: f64) {
        self.outstanding = self.outstanding.saturating_sub(1);
        if fitness < self.best.as_ref().map_or(self.fitness, |best| best.0) {
            self.best = Some((fitness, Arc::new(test.clone())));
        }
    }

    /// Moves on when every probe of the round is back. False: the session is over.
    pub fn advance(&mut self, pool: &LiteralPool) -> bool {
        if self.outstanding > 0 || !self.probes.is_empty() {
            return true;
        }
        match self.best.take() {
            Some((fitness, test)) => {
                self.fitness = fitness;
                // A probe that threw was cut: its variables have other numbers.
                self.variables = variables(&test);
                self.base = test;
                self.idle = 0;
            }
            None => {
                self.idle += 1;
                self.at += 1;
            }
        }
        if self.idle >= self.variables.len() || self.used >= BUDGET || self.fitness <= 0.0 {
            return false;
        }
        self.fill(pool);
        true
    }

    fn fill(&mut self, pool: &LiteralPool) {
        let variable = self.variables[self.at % self.variables.len()];
        let Some(current) = self.base.literal(variable) else { return };
        for literal in neighbours(current, &self.base, pool) {
            let mut probe = (*self.base).clone();
            if literal != *current && probe.replace_literal(variable, literal) {
                self.probes.push_back(probe);
            }
        }
    }
}

/// The literals that can be varied. Later ones first: they are mostly the arguments of the call that matters.
fn variables(test: &TestCase) -> Vec<VarId> {
    (0..test.len() as u32)
        .rev()
        .map(VarId)
        .filter(|variable| test.literal(*variable).is_some_and(|literal| !matches!(literal, Literal::Null | Literal::Class(_))))
        .collect()
}

/// Every literal one move away.
fn neighbours(literal: &Literal, test: &TestCase, pool: &LiteralPool) -> Vec<Literal> {
    let kind = kind_of(literal);
    let mut found = Vec::new();
    // Equal to another value of the test, or next to it.
    for statement in &test.statements {
        if let StatementKind::Literal(other) = &statement.kind
            && kind_of(other) == kind
            && other != literal
            && !found.contains(other)
        {
            found.push(other.clone());
        }
    }
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
        Literal::Char(value) => integers(kind, i64::from(*value), 16, pool, &mut found),
        other => {
            let width = match kind {
                ValueKind::Byte => 8,
                ValueKind::Short => 16,
                ValueKind::Long => 64,
                _ => 32,
            };
            integers(kind, as_integer(other).expect("the rest are integers"), width, pool, &mut found);
        }
    }
    found
}

fn integers(kind: ValueKind, value: i64, width: u32, pool: &LiteralPool, found: &mut Vec<Literal>) {
    for power in 0..width {
        found.extend(integer_literal(kind, value.wrapping_add(1 << power)));
        found.extend(integer_literal(kind, value.wrapping_sub(1 << power)));
    }
    found.extend(integer_literal(kind, value.wrapping_neg()));
    for seed in pool.recent_integers().take(24) {
        found.extend(integer_literal(kind, seed));
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
