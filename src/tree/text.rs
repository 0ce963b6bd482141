//! The text form of a constraint tree, with pending alternatives: printer and parser.
//!
//! ```text
//! tree 1 T.m(I)V                            version and method under test
//! skeleton                                  the test case without its values, indented
//!   v0: I = int 0
//! stats 2 0 1 0 0 0 0 0                     counts, see `docs/formats/trees.md`
//! run 0                                     test cases with pending alternatives, indented
//!   v0: I = int 4
//! 0 -> computation                          nodes, see below
//! let ?0 (bvadd v0 1)                       a shared term
//! in 0 T.m(I)V                              a method that nodes refer to by number
//! 1 0 jump 0@1=0 (bvslt ?0 5) -> unexplored 0
//! 2 0 jump 0@1=1 (bvsle 5 ?0) -> infeasible [(bvsle 5 ?0)]
//! ```
//!
//! The line of a node is `<node> <parent> <kind> <method>@<bci>=<outcome> <term> -> <state>`. The
//! length of the text is linear in the number of nodes and distinct terms.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::str::FromStr;
use std::sync::Arc;

use tracewright_text::{LineCursor, ParseError};

use super::{ConstraintTree, Dropped, NodeId, RunId, TreeEdge, TreeKey, TreeLimits, TreeNode, TreeStats};
use crate::expr::{TermId, TermReader, TermStore, TermWriter};
use crate::path::BranchOutcome;
use crate::path::text::{next_kind, next_method, print_method};
use crate::program::MethodRef;
use crate::testcase::TestCase;

/// Version of the text form; other versions are not read.
const VERSION: u32 = 1;
/// Before each line of a test case.
const INDENT: &str = "  ";

impl ConstraintTree {
    /// Prints the tree, with the test cases of runs that have pending alternatives.
    pub(crate) fn print(&self, terms: &TermStore) -> String {
        let mut out = format!("tree {VERSION} {}\nskeleton\n", print_method(&self.key.method));
        indent(&self.key.skeleton, &mut out);
        let TreeStats { paths, repeated, infeasible, timed_out, contradicted, dropped, .. } = self.stats;
        let Dropped { often, full, cut } = dropped;
        let _ = writeln!(out, "stats {paths} {repeated} {infeasible} {timed_out} {contradicted} {often} {full} {cut}");
        for (run, test) in self.pending_runs() {
            let _ = writeln!(out, "run {}", run.0);
            indent(&test.to_string(), &mut out);
        }
        let ways = self.ways();
        let mut roots: Vec<TermId> = ways.iter().flatten().map(|(_, edge)| edge.term).collect();
        roots.extend(self.nodes.iter().flat_map(|node| match node {
            TreeNode::Infeasible { core } => core.as_slice(),
            _ => &[],
        }));
        let mut writer = TermWriter::new(terms, &roots);
        let mut methods: BTreeMap<&MethodRef, usize> = BTreeMap::new();
        for (id, (node, way)) in self.nodes.iter().zip(&ways).enumerate() {
            let core = match node {
                TreeNode::Infeasible { core } => core.as_slice(),
                _ => &[],
            };
            for term in way.iter().map(|(_, edge)| edge.term).chain(core.iter().copied()) {
                for (name, text) in writer.definitions(term) {
                    let _ = writeln!(out, "let {name} {text}");
                }
            }
            if let Some((above, TreeEdge { site, kind, term, .. })) = way {
                let next = methods.len();
                let method = *methods.entry(&site.method).or_insert_with(|| {
                    let _ = writeln!(out, "in {next} {}", print_method(&site.method));
                    next
                });
                let (kind, term) = (kind.name(), writer.term(*term));
                let _ = write!(out, "{id} {} {kind} {method}@{}={} {term}", above.0, site.bci, site.outcome);
            } else {
                let _ = write!(out, "{id}");
            }
            let _ = match node {
                TreeNode::Computation(_) => writeln!(out, " -> computation"),
                TreeNode::Unexplored(None) => writeln!(out, " -> unexplored"),
                TreeNode::Unexplored(Some(run)) => writeln!(out, " -> unexplored {}", run.0),
                TreeNode::Terminal => writeln!(out, " -> terminal"),
                TreeNode::Infeasible { core } => {
                    let core: Vec<String> = core.iter().map(|term| writer.term(*term)).collect();
                    writeln!(out, " -> infeasible [{}]", core.join(" | "))
                }
                TreeNode::TimedOut { reason } => writeln!(out, " -> timed-out {reason}"),
            };
        }
        out
    }

    /// The test cases with pending alternatives.
    pub(crate) fn pending_runs(&self) -> impl Iterator<Item = (RunId, &Arc<TestCase>)> {
        let waiting: BTreeSet<RunId> = self
            .nodes
            .iter()
            .filter_map(|node| match node {
                TreeNode::Unexplored(run) => *run,
                _ => None,
            })
            .collect();
        self.runs.iter().filter(move |(run, _)| waiting.contains(run)).map(|(run, test)| (*run, test))
    }

    /// By node: its parent, and the edge from there; `None` for the root.
    fn ways(&self) -> Vec<Option<(NodeId, &TreeEdge)>> {
        let mut ways = vec![None; self.nodes.len()];
        for (above, node) in self.nodes.iter().enumerate() {
            let TreeNode::Computation(edges) = node else { continue };
            for edge in edges {
                ways[edge.child.0 as usize] = Some((NodeId(above as u32), edge));
            }
        }
        ways
    }

    /// Reads the text form. Terms are built in the store as they are written, without
    /// simplification. [`ConstraintTree::insert`] returns pending alternatives again.
    ///
    /// # Errors
    /// The first line that does not fit, such as a node before its parent.
    pub(crate) fn parse(text: &str, terms: &mut TermStore, limits: TreeLimits) -> Result<ConstraintTree, ParseError> {
        let mut lines = TreeLines { text, number: 0 };
        let key = lines.key().map_err(|reason| ParseError { line: lines.number, reason })?;
        let mut builder =
            TreeBuilder { tree: ConstraintTree::new(key, limits), reader: TermReader::new(terms), methods: Vec::new() };
        builder.tree.nodes.clear();
        while let Some(line) = lines.next() {
            builder.line(line, &mut lines).map_err(|reason| ParseError { line: lines.number, reason })?;
        }
        builder.end().map_err(|reason| ParseError { line: lines.number, reason })
    }
}

/// The key of a tree, from the first lines of its text.
///
/// # Errors
/// The line that does not fit.
pub(crate) fn head(text: &str) -> Result<TreeKey, ParseError> {
    let mut lines = TreeLines { text, number: 0 };
    lines.key().map_err(|reason| ParseError { line: lines.number, reason })
}

fn indent(text: &str, out: &mut String) {
    for line in text.lines() {
        let _ = writeln!(out, "{INDENT}{line}");
    }
}

/// The unread lines of a text.
struct TreeLines<'t> {
    text: &'t str,
    /// Number of the line that was read last, from 1.
    number: usize,
}

impl<'t> TreeLines<'t> {
    fn next(&mut self) -> Option<&'t str> {
        if self.text.is_empty() {
            return None;
        }
        let (line, rest) = self.text.split_once('\n').unwrap_or((self.text, ""));
        self.text = rest;
        self.number += 1;
        Some(line)
    }

    /// The lines of a test case, which are indented.
    fn indented(&mut self) -> String {
        let mut text = String::new();
        while self.text.starts_with(INDENT) {
            let line = self.next().unwrap_or_default();
            text.push_str(&line[INDENT.len()..]);
            text.push('\n');
        }
        text
    }

    fn key(&mut self) -> Result<TreeKey, String> {
        let mut line = LineCursor::new(self.next().unwrap_or_default());
        line.expect("tree")?;
        let version: u32 = line.number()?;
        if version != VERSION {
            return Err(format!("version {version} is not known"));
        }
        let method = next_method(&mut line)?;
        line.end()?;
        if self.next() != Some("skeleton") {
            return Err("expected `skeleton`".into());
        }
        Ok(TreeKey { skeleton: self.indented().into(), method })
    }
}

/// A tree that grows line by line.
struct TreeBuilder<'a> {
    tree: ConstraintTree,
    reader: TermReader<'a>,
    methods: Vec<MethodRef>,
}

impl TreeBuilder<'_> {
    fn line(&mut self, line: &str, lines: &mut TreeLines<'_>) -> Result<(), String> {
        let mut words = LineCursor::new(line);
        if words.take_keyword("stats") {
            self.tree.stats = stats(&mut words)?;
        } else if words.take_keyword("run") {
            let run = RunId(words.number()?);
            let test = TestCase::from_str(&lines.indented()).map_err(|error| format!("the test case: {error}"))?;
            self.tree.runs.insert(run, Arc::new(test));
        } else if words.take_keyword("in") {
            let place: usize = words.number()?;
            if place != self.methods.len() {
                return Err(format!("method {place} where {} should stand", self.methods.len()));
            }
            self.methods.push(next_method(&mut words)?);
        } else if words.take_keyword("let") {
            let name = words.word();
            self.reader.define(name, words.remainder())?;
        } else {
            self.node(&mut words)?;
        }
        words.end()
    }

    fn node(&mut self, words: &mut LineCursor<'_>) -> Result<(), String> {
        let id = NodeId(words.number()?);
        if id.0 as usize != self.tree.nodes.len() || self.tree.nodes.len() >= self.tree.limits.nodes {
            return Err(format!("node {} where {} should stand", id.0, self.tree.nodes.len()));
        }
        let is_root = words.take_keyword("->");
        if is_root != (id.0 == 0) {
            return Err("the first node, and no other, has no parent".into());
        }
        if !is_root {
            let (way, state) = words.rest().split_once(" -> ").ok_or("no ` -> `")?;
            let mut way = LineCursor::new(way);
            let above: usize = way.number()?;
            let kind = next_kind(&mut way)?;
            let edge = TreeEdge { site: self.site(way.word())?, kind, term: self.reader.term(way.remainder())?, child: id };
            match self.tree.nodes.get_mut(above) {
                Some(TreeNode::Computation(edges)) => edges.push(edge),
                _ => return Err(format!("node {above} has no branch outcomes")),
            }
            *words = LineCursor::new(state);
        }
        let node = self.state(words)?;
        if let TreeNode::Unexplored(Some(run)) = node {
            if !self.tree.runs.contains_key(&run) {
                return Err(format!("no run {}", run.0));
            }
            self.tree.resting.insert(id);
        }
        self.tree.nodes.push(node);
        Ok(())
    }

    /// Reads `<method>@<bci>=<outcome>`.
    fn site(&self, text: &str) -> Result<BranchOutcome, String> {
        let mut parts = LineCursor::new(text).with_marks(&['@', '=']);
        let method: usize = parts.number()?;
        parts.expect_mark('@')?;
        let bci = parts.number()?;
        parts.expect_mark('=')?;
        let outcome = parts.number()?;
        parts.end()?;
        let method = self.methods.get(method).ok_or_else(|| format!("no method {method}"))?;
        Ok(BranchOutcome { method: method.clone(), bci, outcome })
    }

    fn state(&mut self, words: &mut LineCursor<'_>) -> Result<TreeNode, String> {
        Ok(match words.word() {
            "computation" => TreeNode::Computation(Vec::new()),
            "terminal" => TreeNode::Terminal,
            "unexplored" if words.end().is_ok() => TreeNode::Unexplored(None),
            "unexplored" => TreeNode::Unexplored(Some(RunId(words.number()?))),
            "timed-out" => TreeNode::TimedOut { reason: words.remainder().into() },
            "infeasible" => {
                let core = words.remainder();
                let core = core.strip_prefix('[').and_then(|core| core.strip_suffix(']')).ok_or("no core")?;
                let core = core.split(" | ").filter(|text| !text.is_empty()).map(|text| self.reader.term(text));
                TreeNode::Infeasible { core: core.collect::<Result<_, String>>()? }
            }
            state => return Err(format!("no state `{state}`")),
        })
    }

    fn end(self) -> Result<ConstraintTree, String> {
        let is_hollow = |node: &TreeNode| matches!(node, TreeNode::Computation(edges) if edges.is_empty());
        if self.tree.nodes.is_empty() || self.tree.nodes.iter().any(is_hollow) {
            return Err("the tree is incomplete".into());
        }
        Ok(self.tree)
    }
}

/// Reads the eight counts; the state of the tree says how many alternatives are pending.
fn stats(words: &mut LineCursor<'_>) -> Result<TreeStats, String> {
    let mut next = || words.number::<u64>().map_err(|reason| format!("stats: {reason}"));
    Ok(TreeStats {
        paths: next()?,
        repeated: next()?,
        infeasible: next()?,
        timed_out: next()?,
        frontier: 0,
        contradicted: next()?,
        dropped: Dropped { often: next()?, full: next()?, cut: next()? },
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::super::{Alternative, TreeKey, TreeLimits, Verdict};
    use super::*;
    use crate::path::PathCondition;
    use crate::program::ClassName;

    fn tree() -> (ConstraintTree, TermStore, Arc<TestCase>) {
        let method = MethodRef::new(ClassName::new("T"), "m", "(I)V");
        let test: TestCase = "v0: I = int 4\n".parse().expect("a test case");
        let key = TreeKey::of(&test, &method);
        (ConstraintTree::new(key, TreeLimits::default()), TermStore::new(), Arc::new(test))
    }

    fn path(text: &str, terms: &mut TermStore) -> Arc<PathCondition> {
        Arc::new(PathCondition::parse(&format!("path 0 0 0\n{text}"), terms).expect("well-formed"))
    }

    const LEFT: &str =
        "jump 0 T.m(I)V @1 =0: (bvslt v0 5) | =1: (bvsle 5 v0)\njump 0 T.m(I)V @4 =1: (bvslt v0 3) | =0: (bvsle 3 v0)\n";
    const RIGHT: &str = "jump 0 T.m(I)V @1 =1: (bvsle 5 v0) | =0: (bvslt v0 5)\n";

    #[test]
    fn each_alternative_of_a_path_is_returned_once() {
        let (mut tree, mut terms, test) = tree();
        let left = path(LEFT, &mut terms);
        let alternatives = tree.insert(&left, &test);
        assert_eq!(alternatives.len(), 2);
        assert!(tree.insert(&left, &test).is_empty());
        assert_eq!(tree.stats().repeated, 1);
        // The run that the first alternative asked for has no alternatives of its own.
        let right = path(RIGHT, &mut terms);
        assert!(alternatives[0].predicted(&right));
        assert!(!alternatives[1].predicted(&right));
        assert!(tree.insert(&right, &test).is_empty());
        assert!(!tree.is_open(alternatives[0].node));
        assert!(tree.is_open(alternatives[1].node));
        let core = vec![left.clauses[0].term];
        tree.store_verdict(alternatives[1].node, Verdict::Infeasible { core });
        let expected = "\
tree 1 T.m(I)V
skeleton
  v0: I = int 0
stats 3 1 1 0 0 0 0 0
0 -> computation
let ?0 (bvslt v0 5)
in 0 T.m(I)V
1 0 jump 0@1=0 ?0 -> computation
2 0 jump 0@1=1 (bvsle 5 v0) -> terminal
3 1 jump 0@4=1 (bvslt v0 3) -> terminal
4 1 jump 0@4=0 (bvsle 3 v0) -> infeasible [?0]
";
        assert_eq!(tree.print(&terms), expected);
        assert_eq!((tree.stats().paths, tree.stats().infeasible, tree.stats().frontier), (3, 1, 0));
    }

    /// A run that comes again gets the pending alternatives of the stored tree once.
    #[test]
    fn a_parsed_tree_returns_pending_alternatives_once_more() {
        let (mut tree, mut terms, test) = tree();
        let left = path(LEFT, &mut terms);
        let alternatives = tree.insert(&left, &test);
        tree.store_verdict(alternatives[1].node, Verdict::TimedOut { reason: "the solver\ngave up".into() });
        let text = tree.print(&terms);
        assert!(
            text.contains("2 0 jump 0@1=1 (bvsle 5 v0) -> unexplored 0\n") && text.contains("run 0\n  v0: I = int 4\n"),
            "{text}"
        );
        assert!(text.contains("-> timed-out the solver gave up\n"), "{text}");
        assert_eq!(head(&text).as_ref(), Ok(tree.key()));
        let mut terms = TermStore::new();
        let mut again = ConstraintTree::parse(&text, &mut terms, TreeLimits::default()).expect("its own text");
        assert_eq!(again.print(&terms), text);
        let left = path(LEFT, &mut terms);
        let offered = again.insert(&left, &test);
        assert_eq!(offered.iter().map(|alternative| alternative.index).collect::<Vec<_>>(), [0]);
        assert!(again.insert(&left, &test).is_empty());
        // Alternatives that a run took meanwhile are not pending.
        let mut passed = ConstraintTree::parse(&text, &mut terms, TreeLimits::default()).expect("its own text");
        assert!(passed.insert(&path(RIGHT, &mut terms), &test).is_empty());
        assert!(passed.insert(&left, &test).is_empty());
    }

    #[test]
    fn a_prediction_holds_for_equal_branch_outcomes_whatever_their_terms() {
        let (mut tree, mut terms, test) = tree();
        let alternatives = tree.insert(&path(LEFT, &mut terms), &test);
        let other_terms = RIGHT.replace("(bvsle 5 v0)", "(bvsle 6 (bvadd v0 1))");
        assert_ne!(other_terms, RIGHT);
        assert!(alternatives[0].predicted(&path(&other_terms, &mut terms)));
        let other_instruction = RIGHT.replace("@1", "@2");
        assert!(!alternatives[0].predicted(&path(&other_instruction, &mut terms)));
        assert!(!alternatives[0].predicted(&path("", &mut terms)), "the run ended before the decision");
    }

    #[test]
    fn a_run_through_an_infeasible_node_is_counted() {
        let (mut tree, mut terms, test) = tree();
        let alternatives = tree.insert(&path(LEFT, &mut terms), &test);
        tree.store_verdict(alternatives[0].node, Verdict::Infeasible { core: Vec::new() });
        tree.insert(&path(RIGHT, &mut terms), &test);
        assert_eq!(tree.stats().contradicted, 1);
    }

    #[test]
    fn alternatives_and_nodes_are_bounded() {
        let (tree, mut terms, test) = tree();
        let mut tree = ConstraintTree::new(tree.key().clone(), TreeLimits { nodes: 7, per_site: 2 });
        let round = |k: i32| format!("jump 0 T.m(I)V @1 =0: (bvslt v0 {k}) | =1: (bvsle {k} v0)\n");
        let text: String = (0..10).map(round).collect();
        let alternatives = tree.insert(&path(&text, &mut terms), &test);
        assert_eq!(alternatives.len(), 2);
        assert_eq!(tree.stats().dropped, Dropped { often: 2, full: 0, cut: 1 });
        assert_eq!(tree.print(&terms).lines().filter(|line| line.contains(" -> ")).count(), 7);
    }

    #[test]
    fn shared_terms_are_written_once() {
        let (mut tree, mut terms, test) = tree();
        let mut term = String::from("v0");
        for _ in 0..60 {
            let inner = terms.parse(&term).expect("a term");
            let doubled = terms.exact(crate::expr::Term::Binary(crate::expr::BinaryOp::BvAdd, inner, inner)).expect("ints");
            term = terms.print(doubled);
        }
        let clause = format!("jump 0 T.m(I)V @1 =0: (bvslt {term} 5) | =1: (bvsle 5 {term})\n");
        tree.insert(&path(&clause, &mut terms), &test);
        let text = tree.print(&terms);
        assert!(text.len() < 4_000, "{}", text.len());
        let mut fresh = TermStore::new();
        let again = ConstraintTree::parse(&text, &mut fresh, TreeLimits::default()).expect("its own text");
        assert_eq!(again.print(&fresh), text);
    }

    #[test]
    fn malformed_texts_are_errors() {
        let (mut tree, mut terms, test) = tree();
        tree.insert(&path(LEFT, &mut terms), &test);
        let text = tree.print(&terms);
        for (from, to) in [
            ("tree 1", "tree 2"),
            ("stats 1", "stats x"),
            ("in 0", "in 1"),
            ("1 0 jump", "1 7 jump"),
            ("1 0 jump", "1 0 hop"),
            ("0@4", "3@4"),
            ("-> terminal", "-> nowhere"),
            ("unexplored 0", "unexplored 9"),
            ("0 -> computation", "0 -> terminal"),
            ("(bvslt v0 5)", "(bvslt v0 5L)"),
        ] {
            assert!(text.contains(from), "{from} in {text}");
            let wrong = text.replacen(from, to, 1);
            assert!(ConstraintTree::parse(&wrong, &mut TermStore::new(), TreeLimits::default()).is_err(), "{wrong}");
        }
        for end in 0..text.len() {
            // No beginning of a text is worse than an error.
            let _ = ConstraintTree::parse(&text[..end], &mut TermStore::new(), TreeLimits::default());
        }
    }

    proptest! {
        /// Runs over a program of a few decisions, with verdicts about some of the alternatives.
        #[test]
        fn text_round_trips(runs in proptest::collection::vec(proptest::collection::vec((0..3u32, 0..4i32, any::<bool>()), 0..6), 1..8),
                            fates in proptest::collection::vec(0..4u8, 0..40)) {
            let (mut tree, mut terms, _) = tree();
            let mut offered: Vec<Alternative> = Vec::new();
            for (place, run) in runs.iter().enumerate() {
                let clause = |(at, k, is_less): &(u32, i32, bool)| {
                    let (less, not) = (format!("(bvslt (bvmul v0 v0) {k})"), format!("(bvsle {k} (bvmul v0 v0))"));
                    let method = if *at == 2 { "lib/U$V.a%20;b()J" } else { "T.m(I)V" };
                    match is_less {
                        true => format!("jump 0 {method} @{at} =1: {less} | =0: {not}\n"),
                        false => format!("bounds 0 {method} @{at} =0: {not} | =1: {less}\n"),
                    }
                };
                let test: TestCase = format!("v0: I = int {place}\n").parse().expect("a test case");
                offered.extend(tree.insert(&path(&run.iter().map(clause).collect::<String>(), &mut terms), &Arc::new(test)));
            }
            for (alternative, fate) in offered.iter().zip(&fates) {
                let core = alternative.terms();
                match fate {
                    0 => tree.store_verdict(alternative.node, Verdict::Infeasible { core }),
                    1 => tree.store_verdict(alternative.node, Verdict::TimedOut { reason: "a -> b | c".into() }),
                    2 => tree.store_verdict(alternative.node, Verdict::Infeasible { core: Vec::new() }),
                    _ => {}
                }
            }
            let text = tree.print(&terms);
            // In the same store, the same terms; in another one, the same text.
            let again = ConstraintTree::parse(&text, &mut terms, TreeLimits::default());
            let again = again.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
            prop_assert_eq!(&again.nodes, &tree.nodes);
            prop_assert_eq!((again.key(), again.stats()), (tree.key(), tree.stats()));
            let waiting: Vec<_> = again.runs.iter().map(|(run, test)| (*run, test)).collect();
            prop_assert_eq!(waiting, tree.pending_runs().collect::<Vec<_>>());
            let mut fresh = TermStore::new();
            let elsewhere = ConstraintTree::parse(&text, &mut fresh, TreeLimits::default());
            prop_assert_eq!(elsewhere.map(|tree| tree.print(&fresh)), Ok(text));
        }
    }
}
