//! A path through a method that somebody asks for (`--path`), and how far a run follows it (SATS).
//!
//! In: the control flow of the method, the wanted blocks or lines, the steps of runs. Out: how many of them a call
//! passes, and which decision of a run has to fall otherwise to come nearer. Must not know how runs are made, nor how
//! a decision is turned round.
//!
//! The wanted path is an automaton: its state is how many of the wanted steps a call has passed. The graph and the
//! automaton together have one node for each block and state, and the *distance* of a node is the least number of ways
//! from there to the end of the wanted path. A decision that can fall otherwise is worth the more, the smaller the
//! distance behind it is. Where no decision has a distance, no run can be led to the path.
//!
//! ```text
//! wanted: B0 B2 B3        distance by block and state        a run B0 B1 B3 passes one step;
//! B0 --0--> B1 --> B3     B0 passed 1: 2    B1 passed 1: -   its decision in B0 has a distance
//!    --1--> B2 --> B3     B2 passed 2: 1    B3 passed 3: 0   of 1 behind outcome 1
//! ```

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::str::FromStr;

use super::{BranchOutcome, PathCondition};
use crate::expr::TermId;
use crate::program::{FlowGraph, FlowKind};

/// The steps that a call has to pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WantedPath {
    /// Blocks of the control flow graph, each directly behind the one before.
    Blocks(Vec<usize>),
    /// Lines of the source in this order. Others may lie between them.
    Lines(Vec<u32>),
}

impl WantedPath {
    /// Number of steps.
    pub(crate) fn len(&self) -> usize {
        match self {
            WantedPath::Blocks(blocks) => blocks.len(),
            WantedPath::Lines(lines) => lines.len(),
        }
    }
}

impl fmt::Display for WantedPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: Vec<String> = match self {
            WantedPath::Blocks(blocks) => blocks.iter().map(|block| format!("B{block}")).collect(),
            WantedPath::Lines(lines) => lines.iter().map(u32::to_string).collect(),
        };
        f.write_str(&steps.join(" "))
    }
}

impl FromStr for WantedPath {
    type Err = String;

    /// Reads blocks such as `B0 B2 B5`, or numbers of lines. Arrows and commas may stand between them.
    fn from_str(text: &str) -> Result<WantedPath, String> {
        let text = text.replace("->", " ");
        let words: Vec<&str> =
            text.split(|c: char| c.is_whitespace() || c == ',' || c == '\u{2192}').filter(|word| !word.is_empty()).collect();
        let Some(first) = words.first() else { return Err("no block and no line is named".into()) };
        let numbers = |prefix: &str, what: &str| -> Result<Vec<u32>, String> {
            let number = |word: &&str| word.strip_prefix(prefix).and_then(|digits| digits.parse().ok());
            words.iter().map(|word| number(word).ok_or_else(|| format!("`{word}` is no {what}"))).collect()
        };
        if first.starts_with('B') {
            let blocks = numbers("B", "block such as B2")?;
            return Ok(WantedPath::Blocks(blocks.into_iter().map(|block| block as usize).collect()));
        }
        Ok(WantedPath::Lines(numbers("", "block such as B2, and no number of a line")?))
    }
}

/// What a call of the watched method did next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WatchedStep {
    /// Frames below the call: the steps of one call have the same number.
    pub(crate) depth: u32,
    /// Number of clauses before the step.
    pub(crate) clauses_before: u32,
    pub(crate) kind: StepKind,
}

/// The kind of a [`WatchedStep`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StepKind {
    /// The call begins.
    Entered,
    /// A jump or switch decided.
    Decided {
        /// Of the jump or switch.
        bci: u32,
        /// The outcome that the run took.
        outcome: u32,
        /// The term that holds because of that; `None`: it does not depend on inputs, as far as the replay knows.
        term: Option<TermId>,
    },
    /// An exception was thrown at this bci, or came out of a call there.
    Threw {
        /// Of the instruction.
        bci: u32,
    },
    /// The method caught it: its handler begins at this bci.
    Caught {
        /// Of the first instruction of the handler.
        bci: u32,
    },
    /// The call returned.
    Returned,
}

/// A wanted path over the graph of its method.
#[derive(Debug)]
pub(crate) struct PathGuide {
    graph: FlowGraph,
    wanted: WantedPath,
    /// By block: each instruction that begins another line than the one before it.
    lines: Vec<Vec<(u32, u32)>>,
    /// By block of the wanted path: how many steps are passed where the next block is not the wanted one.
    fallback: Vec<usize>,
    /// By block of the wanted path: only an exception leads to it.
    is_caught: Vec<bool>,
    /// By block and number of passed steps.
    distances: Vec<Vec<Option<u32>>>,
}

/// Where a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PlaceOnPath {
    block: usize,
    /// Steps that are passed once the block has run.
    passed: usize,
    /// Steps that were passed before it.
    before: usize,
}

/// How a run follows a wanted path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FollowedPath {
    /// The greatest number of steps that one call passed.
    pub(crate) passed: usize,
    /// Number of calls.
    pub(crate) calls: usize,
    /// In run order.
    moments: Vec<Moment>,
}

/// The begin of a call, or a decision of it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Moment {
    clauses_before: usize,
    decision: Option<DecidedStep>,
    /// Behind it.
    after: Option<PlaceOnPath>,
}

/// A decision of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DecidedStep {
    /// Before it falls.
    place: PlaceOnPath,
    bci: u32,
    outcome: u32,
    term: Option<TermId>,
    /// A clause stands for it.
    has_clause: bool,
}

/// A decision that earlier clauses settle. The wanted path takes its other outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FixedDecision {
    /// Behind the other outcome.
    pub(crate) distance: u32,
    /// Number of clauses before it.
    pub(crate) clauses_before: usize,
    /// What holds; `None`: nothing in it depends on inputs.
    pub(crate) term: Option<TermId>,
    /// Of the jump or switch.
    pub(crate) bci: u32,
    /// The outcome that the run took.
    pub(crate) outcome: u32,
}

impl PathGuide {
    /// `line`: that of an instruction.
    ///
    /// # Errors
    /// A sentence where the method has no such block or line, or where no way leads along the path.
    pub(crate) fn new(graph: FlowGraph, wanted: WantedPath, line: &dyn Fn(u32) -> u32) -> Result<PathGuide, String> {
        let lines: Vec<Vec<(u32, u32)>> = graph.blocks.iter().map(|block| line_changes(&block.instructions, line)).collect();
        let mut guide = PathGuide {
            fallback: Vec::new(),
            is_caught: Vec::new(),
            distances: vec![vec![None; wanted.len() + 1]; graph.blocks.len()],
            graph,
            wanted,
            lines,
        };
        guide.check_steps()?;
        if let WantedPath::Blocks(blocks) = &guide.wanted {
            guide.fallback = fallbacks(blocks);
            let only_caught = |pair: &[usize]| {
                let mut ways = guide.graph.edges.iter().filter(|edge| edge.from == pair[0] && edge.to == pair[1]);
                ways.all(|edge| edge.kind == FlowKind::Exception)
            };
            guide.is_caught = std::iter::once(false).chain(blocks.windows(2).map(only_caught)).collect();
        }
        guide.measure_distances();
        match guide.distance(guide.entry()) {
            Some(_) => Ok(guide),
            None => Err("no way through the method passes these in this order".into()),
        }
    }

    /// Refuses blocks and lines that the method does not have, and blocks that never follow each other.
    fn check_steps(&self) -> Result<(), String> {
        match &self.wanted {
            WantedPath::Blocks(blocks) => {
                let last = self.graph.blocks.len() - 1;
                if let Some(unknown) = blocks.iter().find(|block| **block > last) {
                    return Err(format!("there is no block B{unknown}: the method has B0 to B{last}"));
                }
                let follows = |pair: &&[usize]| self.graph.edges.iter().any(|edge| edge.from == pair[0] && edge.to == pair[1]);
                match blocks.windows(2).find(|pair| !follows(pair)) {
                    Some(pair) => Err(format!("B{} never follows B{} directly", pair[1], pair[0])),
                    None => Ok(()),
                }
            }
            WantedPath::Lines(lines) => {
                let all = || self.lines.iter().flatten().map(|(_, line)| *line);
                match lines.iter().find(|line| !all().any(|known| known == **line)) {
                    Some(unknown) => {
                        let (first, last) = (all().min().unwrap_or(0), all().max().unwrap_or(0));
                        Err(format!("line {unknown} has no code of the method, which has lines {first} to {last}"))
                    }
                    None => Ok(()),
                }
            }
        }
    }

    /// Number of steps of the wanted path.
    pub(crate) fn len(&self) -> usize {
        self.wanted.len()
    }

    /// The step behind so many passed ones, as the user wrote it.
    pub(crate) fn step(&self, passed: usize) -> String {
        match &self.wanted {
            WantedPath::Blocks(blocks) => blocks.get(passed).map(|block| format!("B{block}")).unwrap_or_default(),
            WantedPath::Lines(lines) => lines.get(passed).map(|line| format!("line {line}")).unwrap_or_default(),
        }
    }

    fn entry(&self) -> PlaceOnPath {
        self.go_to(0, 0)
    }

    /// The place at the begin of a block.
    fn go_to(&self, block: usize, before: usize) -> PlaceOnPath {
        PlaceOnPath { block, passed: self.advance(before, block, None), before }
    }

    /// The steps that are passed behind a block; `until`: it runs up to this bci only.
    fn advance(&self, passed: usize, block: usize, until: Option<u32>) -> usize {
        match &self.wanted {
            WantedPath::Blocks(blocks) => {
                let mut passed = passed;
                loop {
                    match blocks.get(passed) {
                        None => return passed,
                        Some(wanted) if *wanted == block => return passed + 1,
                        // The exception may come from a block behind the one where the `try` begins.
                        Some(_) if self.is_caught[passed] || passed == 0 => return passed,
                        Some(_) => passed = self.fallback[passed - 1],
                    }
                }
            }
            WantedPath::Lines(lines) => {
                let ran = self.lines[block].iter().take_while(|(bci, _)| until.is_none_or(|until| *bci <= until));
                ran.fold(passed, |passed, (_, line)| passed + usize::from(lines.get(passed) == Some(line)))
            }
        }
    }

    fn distance(&self, place: PlaceOnPath) -> Option<u32> {
        self.distances[place.block][place.passed]
    }

    /// Breadth first, from the ends of the wanted path back to the entry.
    fn measure_distances(&mut self) {
        let (blocks, states) = (self.graph.blocks.len(), self.wanted.len() + 1);
        let mut before: Vec<Vec<(usize, usize)>> = vec![Vec::new(); blocks * states];
        for edge in &self.graph.edges {
            for passed in 0..states {
                let to = self.go_to(edge.to, passed);
                before[to.block * states + to.passed].push((edge.from, passed));
            }
        }
        let mut pending: VecDeque<(usize, usize)> = (0..blocks).map(|block| (block, states - 1)).collect();
        for (block, passed) in &pending {
            self.distances[*block][*passed] = Some(0);
        }
        while let Some((block, passed)) = pending.pop_front() {
            let next = self.distances[block][passed].map_or(0, |distance| distance + 1);
            for (from, state) in &before[block * states + passed] {
                let place = &mut self.distances[*from][*state];
                if place.is_none() {
                    *place = Some(next);
                    pending.push_back((*from, *state));
                }
            }
        }
    }

    /// Whether a call of the run passes all steps.
    pub(crate) fn is_passed_by(&self, path: &PathCondition) -> bool {
        self.follow(path).passed == self.len()
    }

    /// Follows the calls of the watched method in a run.
    pub(crate) fn follow(&self, path: &PathCondition) -> FollowedPath {
        let mut followed = FollowedPath::default();
        let mut calls: BTreeMap<u32, PlaceOnPath> = BTreeMap::new();
        for step in &path.watched {
            let clauses_before = step.clauses_before as usize;
            match (&step.kind, calls.get(&step.depth).copied()) {
                (StepKind::Entered, _) => {
                    followed.calls += 1;
                    calls.insert(step.depth, self.entry());
                    followed.moments.push(Moment { clauses_before, decision: None, after: Some(self.entry()) });
                }
                (StepKind::Decided { bci, outcome, term }, Some(place)) => {
                    let place = self.walk(place, Some(*bci));
                    let after = self.behind(place, *bci, *outcome);
                    followed.passed = followed.passed.max(place.passed).max(self.passed_at_begin(after));
                    let clause = path.clauses.get(clauses_before).filter(|clause| clause.site.bci == *bci);
                    let has_clause = clause.is_some_and(|clause| *term == Some(clause.term));
                    let decision = DecidedStep { place, bci: *bci, outcome: *outcome, term: *term, has_clause };
                    followed.moments.push(Moment { clauses_before, decision: Some(decision), after });
                    match after {
                        Some(after) => calls.insert(step.depth, after),
                        None => calls.remove(&step.depth),
                    };
                }
                (StepKind::Threw { bci }, Some(place)) => {
                    let place = self.walk(place, Some(*bci));
                    let passed = self.advance(place.before, place.block, Some(*bci));
                    followed.passed = followed.passed.max(passed);
                    calls.insert(step.depth, PlaceOnPath { passed, ..place });
                }
                (StepKind::Caught { bci }, Some(place)) => {
                    if let Some(handler) = self.graph.block_of(*bci) {
                        let place = self.go_to(handler, place.passed);
                        followed.passed = followed.passed.max(self.passed_at_begin(Some(place)));
                        calls.insert(step.depth, place);
                    }
                }
                (StepKind::Returned, Some(place)) => {
                    followed.passed = followed.passed.max(self.walk(place, None).passed);
                    calls.remove(&step.depth);
                }
                (_, None) => {}
            }
        }
        followed
    }

    /// The steps that are passed where a block begins: a block is passed then, its lines are not yet.
    fn passed_at_begin(&self, place: Option<PlaceOnPath>) -> usize {
        place.map_or(0, |place| match self.wanted {
            WantedPath::Blocks(_) => place.passed,
            WantedPath::Lines(_) => place.before,
        })
    }

    /// Takes the ways that nothing decides, up to the block with the instruction, or to the end.
    fn walk(&self, mut place: PlaceOnPath, bci: Option<u32>) -> PlaceOnPath {
        for _ in 0..self.graph.blocks.len() {
            if bci.is_some_and(|bci| self.graph.blocks[place.block].instructions.contains(&bci)) {
                break;
            }
            let mut next = self.graph.edges.iter().filter(|edge| edge.from == place.block && edge.kind == FlowKind::Next);
            let Some(edge) = next.next() else { break };
            place = self.go_to(edge.to, place.passed);
        }
        place
    }

    /// The place behind an outcome.
    fn behind(&self, place: PlaceOnPath, bci: u32, outcome: u32) -> Option<PlaceOnPath> {
        let mut ways = self.graph.edges.iter().filter(|edge| edge.from == place.block);
        let way = ways.find(|edge| edge.kind == FlowKind::Outcome { bci, outcome })?;
        Some(self.go_to(way.to, place.passed))
    }

    /// The distance where a run leaves its path at a clause, with the other outcome. `None`: it cannot lead to the
    /// wanted path. `may_call_again`: the run may call the method at another time as well.
    pub(crate) fn distance_of(
        &self,
        followed: &FollowedPath,
        clause: usize,
        other: &BranchOutcome,
        may_call_again: bool,
    ) -> Option<u32> {
        let here = match followed.own_decision(clause, other.bci) {
            Some(DecidedStep { place, bci, .. }) => self.behind(place, bci, other.outcome).and_then(|after| self.distance(after)),
            // Another decision may change what the method decides next.
            None => {
                let before = followed.moments.iter().rev().find(|moment| moment.clauses_before <= clause);
                let place = before.map_or(Some(self.entry()), |moment| moment.after);
                place.and_then(|place| self.distance(place)).map(|distance| distance + 1)
            }
        };
        let again = || self.distance(self.entry()).map(|distance| distance + self.graph.blocks.len() as u32);
        here.or_else(|| if may_call_again { again() } else { None })
    }

    /// The fixed decisions of a run. The first one is nearest to the end of the wanted path.
    pub(crate) fn fixed_decisions(&self, followed: &FollowedPath) -> Vec<FixedDecision> {
        let mut fixed: Vec<FixedDecision> = Vec::new();
        for Moment { clauses_before, decision, .. } in &followed.moments {
            let Some(DecidedStep { place, bci, outcome, term, .. }) = decision.filter(|decision| !decision.has_clause) else {
                continue;
            };
            let others = self.graph.edges.iter().filter(|edge| edge.from == place.block);
            let others = others.filter_map(|edge| match edge.kind {
                FlowKind::Outcome { bci: own, outcome: other } if own == bci && other != outcome => Some(other),
                _ => None,
            });
            let distances = others.filter_map(|other| self.distance(self.behind(place, bci, other)?));
            let clauses_before = *clauses_before;
            fixed.extend(distances.min().map(|distance| FixedDecision { distance, clauses_before, term, bci, outcome }));
        }
        fixed.sort();
        fixed
    }
}

impl FollowedPath {
    /// The decision of the method that the clause at this index stands for.
    fn own_decision(&self, clause: usize, bci: u32) -> Option<DecidedStep> {
        let at = self.moments.iter().filter(|moment| moment.clauses_before == clause);
        let mut decisions = at.filter_map(|moment| moment.decision);
        decisions.find(|decision| decision.has_clause && decision.bci == bci)
    }
}

/// The first instruction of each line, in order.
fn line_changes(instructions: &[u32], line: &dyn Fn(u32) -> u32) -> Vec<(u32, u32)> {
    let mut changes: Vec<(u32, u32)> = Vec::new();
    for bci in instructions {
        let line = line(*bci);
        if line > 0 && changes.last().is_none_or(|(_, last)| *last != line) {
            changes.push((*bci, line));
        }
    }
    changes
}

/// By place: the longest proper prefix that is a suffix of the steps up to there (Knuth, Morris, Pratt).
fn fallbacks(steps: &[usize]) -> Vec<usize> {
    let mut fallback = vec![0; steps.len()];
    for place in 1..steps.len() {
        let mut length = fallback[place - 1];
        while length > 0 && steps[length] != steps[place] {
            length = fallback[length - 1];
        }
        fallback[place] = length + usize::from(steps[length] == steps[place]);
    }
    fallback
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::TermStore;
    use crate::program::{FlowBlock, FlowEdge};

    /// `B0` decides at 2 between `B1` and `B2`, both lead to `B3`, which decides at 9 between another round and the
    /// end, `B4`. Line 10 is `B0`, 11 `B1`, 12 `B2`, 13 `B3` and 14 `B4`.
    fn graph() -> FlowGraph {
        let block = |instructions: &[u32]| FlowBlock { instructions: instructions.to_vec() };
        let edge = |from, to, kind| FlowEdge { from, to, kind };
        let way = |bci, outcome| FlowKind::Outcome { bci, outcome };
        FlowGraph {
            blocks: vec![block(&[0, 2]), block(&[4]), block(&[6]), block(&[8, 9]), block(&[12])],
            edges: vec![
                edge(0, 1, way(2, 0)),
                edge(0, 2, way(2, 1)),
                edge(1, 3, FlowKind::Next),
                edge(2, 3, FlowKind::Next),
                edge(3, 4, way(9, 0)),
                edge(3, 0, way(9, 1)),
            ],
        }
    }

    fn guide(steps: &str) -> Result<PathGuide, String> {
        let line = |bci: u32| match bci {
            0..4 => 10,
            4..6 => 11,
            6..8 => 12,
            8..12 => 13,
            _ => 14,
        };
        PathGuide::new(graph(), steps.parse()?, &line)
    }

    /// A run with these decisions. Each has a clause.
    fn run(decisions: &[(u32, u32)], terms: &mut TermStore) -> PathCondition {
        let mut text = String::from("path 0 0 0\nwatched 1 entered\n");
        for (place, (bci, outcome)) in decisions.iter().enumerate() {
            let term = format!("(bvslt v{place} 5)");
            text += &format!("watched 1 decided @{bci} ={outcome}: {term}\n");
            text += &format!("jump 0 T.m()V @{bci} ={outcome}: {term} | ={}: (bvsle 5 v{place})\n", 1 - outcome);
        }
        text += "watched 1 returned\n";
        let path = PathCondition::parse(&text, terms).expect("well-formed");
        assert_eq!(path.print(terms).lines().count(), text.lines().count());
        path
    }

    #[test]
    fn a_path_is_written_as_it_is_read() {
        for (text, printed) in [("B0 B12", "B0 B12"), ("B0->B1, B2", "B0 B1 B2"), ("12,14 \u{2192} 17", "12 14 17")] {
            assert_eq!(text.parse::<WantedPath>().map(|path| path.to_string()).as_deref(), Ok(printed));
        }
        for (text, why) in [("", "no block and no line is named"), ("B0 3", "`3` is no block such as B2")] {
            assert_eq!(text.parse::<WantedPath>(), Err(why.to_owned()));
        }
    }

    #[test]
    fn steps_that_the_method_cannot_pass_are_refused() {
        for (steps, why) in [
            ("B0 B7", "there is no block B7: the method has B0 to B4"),
            ("B0 B3", "B3 never follows B0 directly"),
            ("10 19", "line 19 has no code of the method, which has lines 10 to 14"),
            ("14 10", "no way through the method passes these in this order"),
        ] {
            assert_eq!(guide(steps).map(|guide| guide.len()), Err(why.to_owned()), "{steps}");
        }
    }

    #[test]
    fn a_run_passes_steps_and_its_decisions_have_distances() {
        let mut terms = TermStore::new();
        // Out of the loop after one round, through B1.
        let once = run(&[(2, 0), (9, 0)], &mut terms);
        let guide = guide("B0 B2 B3 B0 B1").expect("the blocks follow each other");
        let followed = guide.follow(&once);
        assert_eq!((followed.passed, followed.calls), (1, 1));
        let distance = |clause: usize, bci, outcome| {
            let other = BranchOutcome { outcome, bci, ..once.clauses[0].site.clone() };
            guide.distance_of(&followed, clause, &other, false)
        };
        // Behind outcome 1 of B0 are three more ways. The decision of B3 leads back to B0, which is passed again then.
        assert_eq!((distance(0, 2, 1), distance(1, 9, 1)), (Some(3), Some(4)));
        let twice = run(&[(2, 1), (9, 1), (2, 0), (9, 0)], &mut terms);
        assert_eq!(guide.follow(&twice).passed, guide.len());
    }

    #[test]
    fn lines_may_have_others_between_them() {
        let mut terms = TermStore::new();
        let guide = guide("12 11 14").expect("the lines are there");
        let twice = run(&[(2, 1), (9, 1), (2, 0), (9, 0)], &mut terms);
        assert_eq!(guide.follow(&twice).passed, 3);
        let once = run(&[(2, 0), (9, 0)], &mut terms);
        assert_eq!(guide.follow(&once).passed, 0);
        // The line behind the place of an exception does not run.
        let text = "path 0 0 0\nwatched 1 entered\nwatched 1 decided @2 =1\nwatched 1 threw @6\n";
        let thrown = PathCondition::parse(text, &mut terms).expect("well-formed");
        assert_eq!(guide.follow(&thrown).passed, 1);
    }

    #[test]
    fn a_decision_without_a_clause_is_settled() {
        let mut terms = TermStore::new();
        let text = "path 0 0 0\nwatched 1 entered\nwatched 1 decided @2 =0\nwatched 1 decided @9 =0: (bvslt v0 5)\n\
                    jump 0 T.m()V @9 =0: (bvslt v0 5) | =1: (bvsle 5 v0)\nwatched 1 returned\n";
        let path = PathCondition::parse(text, &mut terms).expect("well-formed");
        let guide = guide("B0 B2").expect("the blocks follow each other");
        let followed = guide.follow(&path);
        let fixed = guide.fixed_decisions(&followed);
        let places: Vec<(u32, u32)> = fixed.iter().map(|decision| (decision.bci, decision.distance)).collect();
        assert_eq!(places, [(2, 0)]);
        let other = BranchOutcome { outcome: 1, ..path.clauses[0].site.clone() };
        assert_eq!(guide.distance_of(&followed, 0, &other, false), Some(1), "another round may take it");
    }
}
