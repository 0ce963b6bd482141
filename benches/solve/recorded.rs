//! Recorded queries, repeated by an instrumented solver stack.
//!
//! In: the text that `generate --queries FILE` wrote, or a sample of it. Out: for each layer of the
//! stack the number of queries that reach it, the number that it answers, and its time; and the
//! queries that the stack leaves unknown although Z3 alone answers them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tracewright::expr::TermStore;
use tracewright::solve::{
    Counted, Layer, Limits, Outcome, ProcessLimits, ProcessSolver, Query, Solver, Statistics, read_log, z3,
};

/// Time limit of Z3 alone for a query that the stack leaves unknown.
const ALONE: Duration = Duration::from_secs(1);

/// Number of slowest queries that are listed with the time of each layer.
const SLOWEST: usize = 10;

/// The queries of one class in the order of the recording. They share one stack, as during
/// recording.
pub(crate) struct Recording {
    /// Binary name of the class.
    pub class: String,
    terms: TermStore,
    /// Each query with its number in the file.
    queries: Vec<(String, Query)>,
}

/// Reads a text of recorded queries. A line `# <class> <number>` may precede each query. Queries
/// before the first such line belong to the class `name`.
///
/// # Errors
/// A query is malformed, or not every query has a heading.
pub(crate) fn read(name: &str, text: &str) -> Result<Vec<Recording>, String> {
    let mut parts: Vec<(String, Vec<String>, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        let heading = line.strip_prefix("# ").and_then(|heading| heading.trim_end().split_once(' '));
        let class = heading.map_or(name, |(class, _)| class);
        if parts.is_empty() || heading.is_some() && parts.last().is_some_and(|(last, ..)| last != class) {
            parts.push((class.to_owned(), Vec::new(), String::new()));
        }
        let (_, numbers, text) = parts.last_mut().expect("just pushed");
        numbers.extend(heading.map(|(_, number)| number.to_owned()));
        text.push_str(line);
    }
    let recording = |(class, numbers, text): (String, Vec<String>, String)| {
        let mut terms = TermStore::new();
        let entries = read_log(&mut terms, &text).map_err(|error| format!("{class}: {error}"))?;
        let numbers = if numbers.is_empty() { (1..=entries.len()).map(|number| number.to_string()).collect() } else { numbers };
        if numbers.len() != entries.len() {
            return Err(format!("{class}: {} headings, {} queries", numbers.len(), entries.len()));
        }
        // Without a time limit, the answers are the same on every machine.
        let without_time_limit = |query: Query| Query { limits: Limits { wall: None, ..query.limits }, ..query };
        let queries = numbers.into_iter().zip(entries.into_iter().map(|(query, _)| without_time_limit(query))).collect();
        Ok(Recording { class, terms, queries })
    };
    parts.into_iter().map(recording).collect()
}

/// One query at one layer.
#[derive(Clone, Copy, Debug, Default)]
struct Visit {
    is_reached: bool,
    is_answered: bool,
    /// Time in this layer and those below.
    time: Duration,
}

/// One query at each layer from the outside in, and last at the solver.
type Visits = [Visit; Layer::ALL.len() + 1];

/// A layer that measures the layer below.
struct Probe<'s> {
    inner: Box<dyn Solver + 's>,
    /// Index in [`Visits`].
    layer: usize,
    visits: Rc<RefCell<Visits>>,
}

impl Solver for Probe<'_> {
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        let begin = Instant::now();
        let outcome = self.inner.check(terms, query);
        let visit = &mut self.visits.borrow_mut()[self.layer];
        visit.time += begin.elapsed();
        visit.is_reached = true;
        visit.is_answered = !matches!(outcome, Outcome::Unknown(_));
        outcome
    }

    /// An additional query of a layer counts as time of that layer.
    fn check_isolated(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        self.inner.check_isolated(terms, query)
    }

    fn statistics(&self) -> Statistics {
        self.inner.statistics()
    }
}

/// The standard stack over a solver process, with a probe at each layer.
struct ProbedStack {
    stack: Counted<Box<dyn Solver>>,
    visits: Rc<RefCell<Visits>>,
}

impl ProbedStack {
    /// `program` is the executable that runs the solver process.
    fn new(program: &str) -> ProbedStack {
        let visits = Rc::new(RefCell::new(Visits::default()));
        let probe =
            |layer, inner: Box<dyn Solver>| -> Box<dyn Solver> { Box::new(Probe { inner, layer, visits: visits.clone() }) };
        let base = Box::new(ProcessSolver::new(program, ProcessLimits::default()));
        let stack = Layer::ALL
            .into_iter()
            .enumerate()
            .rev()
            .fold(probe(Layer::ALL.len(), base), |stack, (index, layer)| probe(index, layer.over(stack)));
        ProbedStack { stack: Counted::new(stack), visits }
    }

    /// The outcome of a query, its visits and its time in the whole stack.
    fn check(&mut self, terms: &TermStore, query: &Query) -> (Outcome, Visits, Duration) {
        *self.visits.borrow_mut() = Visits::default();
        let begin = Instant::now();
        let outcome = self.stack.check(terms, query);
        (outcome, *self.visits.borrow(), begin.elapsed())
    }
}

/// The figures of one layer.
#[derive(Debug, Default)]
struct LayerFigures {
    reached: usize,
    answered: usize,
    times: Vec<Duration>,
}

impl LayerFigures {
    fn count(&mut self, is_answered: bool, time: Duration) {
        self.reached += 1;
        self.answered += usize::from(is_answered);
        self.times.push(time);
    }

    fn line(&mut self, name: &str) -> String {
        self.times.sort_unstable();
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let share = |percent: usize| self.times.get((self.times.len() * percent / 100).min(self.times.len().saturating_sub(1)));
        let [median, high] = [50, 95].map(|percent| share(percent).copied().map_or(0.0, micros));
        let total: Duration = self.times.iter().sum();
        format!("{name:10} {:>8} {:>8} {median:>12.1} {high:>12.1} {:>9.3}", self.reached, self.answered, total.as_secs_f64())
    }
}

/// Repeats all queries. Returns a table with a line for each layer.
pub(crate) fn profile(program: &str, recordings: &[Recording]) -> String {
    let names: Vec<String> =
        Layer::ALL.iter().map(|layer| format!("{layer:?}").to_lowercase()).chain(["z3".to_owned()]).collect();
    let mut rows: Vec<LayerFigures> = (0..=Layer::ALL.len()).map(|_| LayerFigures::default()).collect();
    let (mut whole, mut fresh, mut contradictions) = (LayerFigures::default(), LayerFigures::default(), 0);
    let mut answers: BTreeMap<String, usize> = BTreeMap::new();
    let mut slowest: Vec<(Duration, String)> = Vec::new();
    for recording in recordings {
        let mut probed = ProbedStack::new(program);
        for (number, query) in &recording.queries {
            let (outcome, visits, time) = probed.check(&recording.terms, query);
            let answer = match &outcome {
                Outcome::Sat(_) => "sat".to_owned(),
                Outcome::Unsat { .. } => "unsat".to_owned(),
                Outcome::Unknown(reason) => format!("unknown {}", reason.kind()),
            };
            whole.count(!matches!(outcome, Outcome::Unknown(_)), time);
            // For comparison, a fresh solver answers each query.
            let begin = Instant::now();
            let alone = z3::alone(&recording.terms, query);
            fresh.count(!matches!(alone, Outcome::Unknown(_)), begin.elapsed());
            contradictions += usize::from(matches!(
                (&outcome, &alone),
                (Outcome::Sat(_), Outcome::Unsat { .. }) | (Outcome::Unsat { .. }, Outcome::Sat(_))
            ));
            let mut costs =
                format!("{} {number}: {answer}, alone {:.0} ms", recording.class, begin.elapsed().as_secs_f64() * 1e3);
            *answers.entry(answer).or_default() += 1;
            for (layer, row) in rows.iter_mut().enumerate().filter(|(layer, _)| visits[*layer].is_reached) {
                let below = visits.get(layer + 1).copied().unwrap_or_default();
                let own = visits[layer].time.saturating_sub(below.time);
                let answers_here = visits[layer].is_answered && !below.is_answered;
                row.count(answers_here, own);
                if answers_here {
                    costs += &format!(", answered by {}", names[layer]);
                }
                if own > Duration::from_millis(1) {
                    costs += &format!(", {} {:.0}", names[layer], own.as_secs_f64() * 1e3);
                }
            }
            slowest.push((time, costs));
        }
    }
    let mut lines =
        vec![format!("{:10} {:>8} {:>8} {:>12} {:>12} {:>9}", "layer", "reached", "answered", "median us", "95 % us", "total s")];
    lines.extend(names.iter().zip(&mut rows).map(|(name, row)| row.line(name)));
    lines.push(whole.line("stack"));
    lines.push(fresh.line("fresh"));
    let [own, other] = [&whole, &fresh].map(|row| row.times.iter().sum::<Duration>().as_secs_f64());
    lines.push(format!("the stack is {:.1} times as fast as a fresh solver each; contradictions: {contradictions}", other / own));
    lines.extend(answers.into_iter().map(|(answer, count)| format!("{count:>8} {answer}")));
    slowest.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
    lines.extend(slowest.into_iter().take(SLOWEST).map(|(time, costs)| format!("{:>8.0} ms {costs}", time.as_secs_f64() * 1e3)));
    lines.join("\n")
}

/// The queries that the stack leaves unknown while Z3 alone answers them within [`ALONE`] and
/// without a resource limit, one line each; and the number of unknown queries.
pub(crate) fn missed(program: &str, recordings: &[Recording]) -> (Vec<String>, usize) {
    let (mut missed, mut unknown) = (Vec::new(), 0);
    for recording in recordings {
        let mut probed = ProbedStack::new(program);
        for (number, query) in &recording.queries {
            let Outcome::Unknown(reason) = probed.check(&recording.terms, query).0 else { continue };
            unknown += 1;
            let limits = Limits { resources: 0, wall: Some(ALONE), ..query.limits };
            let begin = Instant::now();
            let outcome = z3::alone(&recording.terms, &Query { limits, ..query.clone() });
            let verdict = match outcome {
                Outcome::Sat(_) => "sat",
                Outcome::Unsat { .. } => "unsat",
                Outcome::Unknown(_) => continue,
            };
            let name = &recording.class;
            let time = begin.elapsed().as_millis();
            missed.push(format!("{name} {number}: {reason}, but Z3 alone says {verdict} in {time} ms"));
        }
    }
    (missed, unknown)
}
