//! The report of `tracewright explain`: the constraint trees of a class.
//!
//! Flows in: decisions as the engine lists them. Flows out: text for people, and JSON for programs.
//! Must not know terms or trees.

use super::{BranchCoverage, ClassCoverage, Exhaustion, counted};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Characters of a condition in the text; the JSON has all of them.
const MOST_SHOWN: usize = 240;
/// Levels of indentation, at most.
const MOST_INDENT: usize = 24;

/// The trees of one class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExplainReport {
    /// Binary name.
    pub(crate) class: String,
    /// The branches of the class, where it was explored: those without `open` were taken.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub coverage: Option<ClassCoverage>,
    /// One entry a method under test and form of test case.
    pub trees: Vec<ExplainedTree>,
    /// What could not be shown, and why.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(crate) remarks: Vec<String>,
}

/// The paths of one method under test, by one form of test case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExplainedTree {
    /// As Java declares it: `int classify(int, int, int)`.
    pub method: String,
    /// As in the class file.
    pub name: String,
    pub(crate) descriptor: String,
    /// The test case without its values. Conditions refer to its variables.
    pub(crate) test: Vec<String>,
    pub(crate) paths: u64,
    pub(crate) repeated: u64,
    pub(crate) contradicted: u64,
    pub(crate) waiting: u64,
    pub(crate) infeasible: u64,
    pub(crate) timed_out: u64,
    /// Alternatives that a limit dropped, by limit.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub(crate) dropped: BTreeMap<String, u64>,
    /// Where all paths of the method are known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exhausted: Option<Exhaustion>,
    /// The decisions in the order of the text, each below the decision before it.
    pub decisions: Vec<DecisionReport>,
}

/// A way out of one decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionReport {
    /// Number of decisions before it at which runs took several outcomes.
    pub(crate) depth: u32,
    /// The method that contains it, where that is not the method under test.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) method: Option<String>,
    /// Line of the source, where the class file has it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u16>,
    /// Bytecode index of the instruction.
    pub bci: u32,
    pub(crate) kind: String,
    /// As in `BranchOutcome`.
    pub outcome: u32,
    pub(crate) condition: String,
    /// Whether a run took it.
    pub state: DecisionState,
    /// Why no run took it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why: Option<String>,
}

impl DecisionReport {
    /// Where it falls, and what holds then: `line 6, if code < limit`.
    pub(super) fn sentence(&self) -> String {
        let place = match self.line {
            Some(line) => format!("line {line}"),
            None => format!("@{}", self.bci),
        };
        let method = self.method.as_ref().map(|method| format!(" of {method}")).unwrap_or_default();
        format!("{place}{method}, {} {}", self.kind, shortened(&self.condition))
    }

    /// What is known behind it; empty where a run took it and went on to another decision.
    pub(super) fn standing(&self) -> String {
        let why = self.why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        match self.state {
            DecisionState::Taken => String::new(),
            DecisionState::Ended => "end of a path".into(),
            DecisionState::Waiting => format!("pending{why}"),
            DecisionState::Infeasible => format!("infeasible{}", shortened(&why)),
            DecisionState::TimedOut => format!("unresolved{why}"),
        }
    }
}

/// What is known about an outcome of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecisionState {
    /// A run took it and went on to another decision.
    Taken,
    /// A run took it and made no further decision.
    Ended,
    /// A pending alternative.
    Waiting,
    /// No run can take it.
    Infeasible,
    /// It was attempted without a result.
    TimedOut,
}

impl ExplainReport {
    /// The report as JSON.
    pub(crate) fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// The report as text.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        if let Some(coverage) = &self.coverage {
            describe_open_branches(&mut text, &self.class, coverage, &self.trees);
        }
        for tree in &self.trees {
            let of_method: Vec<&ExplainedTree> = self.trees.iter().filter(|other| other.method == tree.method).collect();
            if plainest(&of_method).is_some_and(|plainest| std::ptr::eq(plainest, tree)) {
                describe(&mut text, tree, of_method.len() - 1);
            }
        }
        for remark in &self.remarks {
            let _ = writeln!(text, "{remark}");
        }
        text
    }
}

/// The tree with the shortest test, and of these the one that shows most: longer forms of a test repeat what it
/// says, once for each call.
fn plainest<'t>(trees: &[&'t ExplainedTree]) -> Option<&'t ExplainedTree> {
    let order = |tree: &&&ExplainedTree| (tree.decisions.is_empty(), tree.test.len(), Reverse(tree.decisions.len()));
    trees.iter().min_by_key(order).copied()
}

/// Says of each branch that no run took what it waits for. `trees`: those of the methods that the user asks
/// about.
fn describe_open_branches(text: &mut String, class: &str, coverage: &ClassCoverage, trees: &[ExplainedTree]) {
    let total = coverage.branches.len();
    let open: Vec<&BranchCoverage> = coverage.branches.iter().filter(|branch| branch.open.is_some()).collect();
    let _ = writeln!(text, "{class}: {} of {} taken", total - open.len(), counted(total as u64, "branch", "branches"));
    let mut method = None;
    for branch in open {
        let of_method = coverage.methods.get(branch.method).map_or("", |method| &method.method);
        if method.replace(of_method) != Some(of_method) {
            let _ = writeln!(text, "  {of_method}");
        }
        let place = if branch.line > 0 { format!("line {}, ", branch.line) } else { String::new() };
        let why = branch.open.as_deref().unwrap_or_default();
        let _ = writeln!(text, "    {place}{}: {}", shortened(&branch.condition), shortened(why));
    }
    if !trees.is_empty() {
        text.push('\n');
    }
}

/// Describes one tree. `others`: how many further forms of a test its method has.
fn describe(text: &mut String, tree: &ExplainedTree, others: usize) {
    let _ = writeln!(text, "{}", tree.method);
    for (place, line) in tree.test.iter().enumerate() {
        let _ = writeln!(text, "  {} {line}", if place == 0 { "test:" } else { "     " });
    }
    if others > 0 {
        let _ = writeln!(text, "  (and {} of its test)", counted(others as u64, "other form", "other forms"));
    }
    let _ = write!(
        text,
        "  {}, {} pending, {} infeasible, {} unresolved",
        counted(tree.paths - tree.repeated.min(tree.paths), "path", "paths"),
        tree.waiting,
        tree.infeasible,
        tree.timed_out
    );
    if tree.contradicted > 0 {
        let _ = write!(
            text,
            ", {} taken though proven infeasible (a fault of Tracewright, or nondeterminism of the class)",
            tree.contradicted
        );
    }
    for (limit, count) in &tree.dropped {
        let _ = write!(text, ", {count} given up: {limit}");
    }
    text.push('\n');
    if let Some(known) = &tree.exhausted {
        let _ = writeln!(text, "  {}", known.sentence());
    }
    if tree.decisions.is_empty() {
        let _ = writeln!(text, "  nothing depends on the values of the test");
    }
    for decision in &tree.decisions {
        let indent = 2 * (decision.depth as usize).min(MOST_INDENT);
        let _ = write!(text, "  {:indent$}{}", "", decision.sentence());
        let standing = decision.standing();
        let _ = if standing.is_empty() { writeln!(text) } else { writeln!(text, " -> {standing}") };
    }
    text.push('\n');
}

/// The text, cut where it is long.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::MethodCoverage;
    use super::*;

    #[test]
    fn text_and_json() {
        let decision = |depth, condition: &str, state, why: Option<&str>| DecisionReport {
            depth,
            method: (depth > 0).then(|| "int Other.f(int)".into()),
            line: (depth > 0).then_some(12),
            bci: 3,
            kind: "if".into(),
            outcome: 1,
            condition: condition.into(),
            state,
            why: why.map(str::to_owned),
        };
        let branch = |line, open: Option<&str>| BranchCoverage {
            method: 0,
            line,
            condition: "limit > 7".into(),
            open: open.map(str::to_owned),
        };
        let coverage = ClassCoverage {
            methods: vec![MethodCoverage { method: "int m(int)".into(), ..MethodCoverage::default() }],
            branches: vec![branch(4, None), branch(4, Some("none of 9 runs took it")), branch(0, Some("no input takes it"))],
            ..ClassCoverage::default()
        };
        let report = ExplainReport {
            class: "p.T".into(),
            coverage: Some(coverage),
            trees: vec![ExplainedTree {
                method: "int m(int)".into(),
                test: vec!["t = new T()".into(), "t.m(limit)".into()],
                paths: 3,
                repeated: 2,
                waiting: 1,
                dropped: BTreeMap::from([("one run left the instruction that way too often".into(), 4)]),
                decisions: vec![
                    decision(0, "limit < 5", DecisionState::Ended, None),
                    decision(1, "5 <= limit", DecisionState::Waiting, Some("third of 3")),
                ],
                ..ExplainedTree::default()
            }],
            remarks: vec!["and 2 trees that cannot be read".into()],
        };
        let expected = "\
p.T: 1 of 3 branches taken
  int m(int)
    line 4, limit > 7: none of 9 runs took it
    limit > 7: no input takes it

int m(int)
  test: t = new T()
        t.m(limit)
  1 path, 1 pending, 0 infeasible, 0 unresolved, 4 given up: one run left the instruction that way too often
  @3, if limit < 5 -> end of a path
    line 12 of int Other.f(int), if 5 <= limit -> pending: third of 3

and 2 trees that cannot be read
";
        assert_eq!(report.text(), expected);
        assert_eq!(serde_json::from_str::<ExplainReport>(&report.json()).expect("its own text"), report);
    }
}
