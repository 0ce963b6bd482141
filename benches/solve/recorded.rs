//! Recorded queries, asked again. In: the text that `generate --queries FILE` wrote, or a sample of it; out: for each layer of the stack how many queries
//! reach it, how many of them it settles, and what it costs; and what the stack leaves unknown although Z3 alone would settle it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tracewright::expr::TermStore;
use tracewright::solve::{
    Counted, Layer, Limits, Outcome, ProcessLimits, ProcessSolver, Query, Solver, Statistics, read_log, z3,
};

/// What Z3 alone gets for a query that the stack does not settle.
const ALONE: Duration = Duration::from_secs(1);

/// Queries that are named with what each layer cost.
const DEAREST: usize = 10;

/// The queries of one class, in the order in which they were asked: they share a stack, as they did when they were recorded.
pub(crate) struct Recording {
    pub class: String,
    terms: TermStore,
    /// With the number of each in its file.
    queries: Vec<(String, Query)>,
}

/// The recordings of a text. Before each query a line `# <class> <number>` may stand; those before the first one belong to `name`.
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
        // Resources alone: the same answers on any machine.
        let unhurried = |query: Query| Query { limits: Limits { wall: None, ..query.limits }, ..query };
        let queries = numbers.into_iter().zip(entries.into_iter().map(|(query, _)| unhurried(query))).collect();
        Ok(Recording { class, terms, queries })
    };
    parts.into_iter().map(recording).collect()
}

/// What happened to one query at one layer.
#[derive(Clone, Copy, Debug, Default)]
struct Visit {
    is_reached: bool,
    is_settled: bool,
    /// With all that is below.
    time: Duration,
}

/// At the layers and the solver, from the outside in.
type Visits = [Visit; Layer::ALL.len() + 1];

struct Probe<'s> {
    inner: Box<dyn Solver + 's>,
    place: usize,
    visits: Rc<RefCell<Visits>>,
}

impl Solver for Probe<'_> {
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        let begin = Instant::now();
        let outcome = self.inner.check(terms, query);
        let visit = &mut self.visits.borrow_mut()[self.place];
        visit.time += begin.elapsed();
        visit.is_reached = true;
        visit.is_settled = !matches!(outcome, Outcome::Unknown(_));
        outcome
    }

    /// What a layer asks for on its own account is its own time.
    fn check_isolated(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        self.inner.check_isolated(terms, query)
    }

    fn statistics(&self) -> Statistics {
        self.inner.statistics()
    }
}

/// The standard stack over a solver process, and what it does with the query that it is asked.
struct Probed {
    stack: Counted<Box<dyn Solver>>,
    visits: Rc<RefCell<Visits>>,
}

impl Probed {
    fn new(program: &str) -> Probed {
        let visits = Rc::new(RefCell::new(Visits::default()));
        let probe =
            |place, inner: Box<dyn Solver>| -> Box<dyn Solver> { Box::new(Probe { inner, place, visits: visits.clone() }) };
        let base = Box::new(ProcessSolver::new(program, ProcessLimits::default()));
        let stack = Layer::ALL
            .into_iter()
            .enumerate()
            .rev()
            .fold(probe(Layer::ALL.len(), base), |stack, (place, layer)| probe(place, layer.over(stack)));
        Probed { stack: Counted::new(stack), visits }
    }

    fn ask(&mut self, terms: &TermStore, query: &Query) -> (Outcome, Visits, Duration) {
        *self.visits.borrow_mut() = Visits::default();
        let begin = Instant::now();
        let outcome = self.stack.check(terms, query);
        (outcome, *self.visits.borrow(), begin.elapsed())
    }
}

#[derive(Debug, Default)]
struct Row {
    reached: usize,
    settled: usize,
    times: Vec<Duration>,
}

impl Row {
    fn count(&mut self, is_settled: bool, time: Duration) {
        self.reached += 1;
        self.settled += usize::from(is_settled);
        self.times.push(time);
    }

    fn line(&mut self, name: &str) -> String {
        self.times.sort_unstable();
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let share = |percent: usize| self.times.get((self.times.len() * percent / 100).min(self.times.len().saturating_sub(1)));
        let [median, high] = [50, 95].map(|percent| share(percent).copied().map_or(0.0, micros));
        let total: Duration = self.times.iter().sum();
        format!("{name:10} {:>8} {:>8} {median:>12.1} {high:>12.1} {:>9.3}", self.reached, self.settled, total.as_secs_f64())
    }
}

/// Asks all queries and returns the table.
pub(crate) fn profile(program: &str, recordings: &[Recording]) -> String {
    let names: Vec<String> =
        Layer::ALL.iter().map(|layer| format!("{layer:?}").to_lowercase()).chain(["z3".to_owned()]).collect();
    let mut rows: Vec<Row> = (0..=Layer::ALL.len()).map(|_| Row::default()).collect();
    let (mut whole, mut fresh, mut contradictions) = (Row::default(), Row::default(), 0);
    let mut answers: BTreeMap<String, usize> = BTreeMap::new();
    let mut dearest: Vec<(Duration, String)> = Vec::new();
    for recording in recordings {
        let mut probed = Probed::new(program);
        for (number, query) in &recording.queries {
            let (outcome, visits, time) = probed.ask(&recording.terms, query);
            let answer = match &outcome {
                Outcome::Sat(_) => "sat".to_owned(),
                Outcome::Unsat { .. } => "unsat".to_owned(),
                Outcome::Unknown(reason) => format!("unknown {}", reason.kind()),
            };
            whole.count(!matches!(outcome, Outcome::Unknown(_)), time);
            // What the stack is compared with: for each query a solver that knows nothing.
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
            for (place, row) in rows.iter_mut().enumerate().filter(|(place, _)| visits[*place].is_reached) {
                let below = visits.get(place + 1).copied().unwrap_or_default();
                let own = visits[place].time.saturating_sub(below.time);
                let settles = visits[place].is_settled && !below.is_settled;
                row.count(settles, own);
                if settles {
                    costs += &format!(", settled by {}", names[place]);
                }
                if own > Duration::from_millis(1) {
                    costs += &format!(", {} {:.0}", names[place], own.as_secs_f64() * 1e3);
                }
            }
            dearest.push((time, costs));
        }
    }
    let mut lines =
        vec![format!("{:10} {:>8} {:>8} {:>12} {:>12} {:>9}", "layer", "reached", "settled", "median us", "95 % us", "total s")];
    lines.extend(names.iter().zip(&mut rows).map(|(name, row)| row.line(name)));
    lines.push(whole.line("stack"));
    lines.push(fresh.line("fresh"));
    let [own, other] = [&whole, &fresh].map(|row| row.times.iter().sum::<Duration>().as_secs_f64());
    lines.push(format!("the stack is {:.1} times as fast as a fresh solver each; contradictions: {contradictions}", other / own));
    lines.extend(answers.into_iter().map(|(answer, count)| format!("{count:>8} {answer}")));
    dearest.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
    lines.extend(dearest.into_iter().take(DEAREST).map(|(time, costs)| format!("{:>8.0} ms {costs}", time.as_secs_f64() * 1e3)));
    lines.join("\n")
}

/// A line for each query that the stack leaves unknown and Z3 alone settles, with a second and no count of resources; and how many were
/// left unknown.
pub(crate) fn missed(program: &str, recordings: &[Recording]) -> (Vec<String>, usize) {
    let (mut missed, mut unknown) = (Vec::new(), 0);
    for recording in recordings {
        let mut probed = Probed::new(program);
        for (number, query) in &recording.queries {
            let Outcome::Unknown(reason) = probed.ask(&recording.terms, query).0 else { continue };
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
