//! The report of `tracewright explain`: the constraint trees of a class.
//!
//! Flows in: decisions as the engine lists them. Flows out: text for people, and JSON for programs.
//! Must not know terms or trees.

use super::counted;
use serde::{Deserialize, Serialize};
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
        for tree in &self.trees {
            describe(&mut text, tree);
        }
        for remark in &self.remarks {
            let _ = writeln!(text, "{remark}");
        }
        text
    }
}

/// Describes one tree.
fn describe(text: &mut String, tree: &ExplainedTree) {
    let _ = writeln!(text, "{}", tree.method);
    for (place, line) in tree.test.iter().enumerate() {
        let _ = writeln!(text, "  {} {line}", if place == 0 { "test:" } else { "     " });
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
    if tree.decisions.is_empty() {
        let _ = writeln!(text, "  nothing depends on the values of the test");
    }
    for decision in &tree.decisions {
        let _ = write!(text, "  {:indent$}", "", indent = 2 * (decision.depth as usize).min(MOST_INDENT));
        let place = match decision.line {
            Some(line) => format!("line {line}"),
            None => format!("@{}", decision.bci),
        };
        let method = decision.method.as_ref().map(|method| format!(" of {method}")).unwrap_or_default();
        let _ = write!(text, "{place}{method}, {} {}", decision.kind, shortened(&decision.condition));
        let why = decision.why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        let _ = match decision.state {
            DecisionState::Taken => writeln!(text),
            DecisionState::Ended => writeln!(text, " -> end of a path"),
            DecisionState::Waiting => writeln!(text, " -> pending{why}"),
            DecisionState::Infeasible => writeln!(text, " -> infeasible{}", shortened(&why)),
            DecisionState::TimedOut => writeln!(text, " -> unresolved{why}"),
        };
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
        let report = ExplainReport {
            class: "p.T".into(),
            trees: vec![ExplainedTree {
                method: "int m(int)".into(),
                test: vec!["v0: I = int 0".into(), "v1: I = call method p/T.m(I)I (v0)".into()],
                paths: 3,
                repeated: 2,
                waiting: 1,
                dropped: BTreeMap::from([("one run left the instruction that way too often".into(), 4)]),
                decisions: vec![
                    decision(0, "(bvslt v0 5)", DecisionState::Ended, None),
                    decision(1, "(bvsle 5 v0)", DecisionState::Waiting, Some("third of 3")),
                ],
                ..ExplainedTree::default()
            }],
            remarks: vec!["and 2 trees that cannot be read".into()],
        };
        let expected = "\
int m(int)
  test: v0: I = int 0
        v1: I = call method p/T.m(I)I (v0)
  1 path, 1 pending, 0 infeasible, 0 unresolved, 4 given up: one run left the instruction that way too often
  @3, if (bvslt v0 5) -> end of a path
    line 12 of int Other.f(int), if (bvsle 5 v0) -> pending: third of 3

and 2 trees that cannot be read
";
        assert_eq!(report.text(), expected);
        assert_eq!(serde_json::from_str::<ExplainReport>(&report.json()).expect("its own text"), report);
    }
}
