//! What `tracewright explain` says of the constraint trees of a class. Flows in: decisions as the engine lists them; flows out: text for people, JSON for
//! programs. Must not know terms or trees.

use super::counted;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Characters of a condition in the text; JSON has all of it.
const MOST_SHOWN: usize = 240;
/// Levels that lines are indented by, at most.
const MOST_INDENT: usize = 24;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExplainReport {
    /// Binary name.
    pub(crate) class: String,
    pub trees: Vec<ExplainedTree>,
    /// What could not be shown, and why.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(crate) remarks: Vec<String>,
}

/// The paths of one test skeleton through one method.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExplainedTree {
    /// As Java has it: `int classify(int, int, int)`.
    pub method: String,
    pub name: String,
    pub(crate) descriptor: String,
    /// The test case without its values; its variables are those of the conditions.
    pub(crate) test: Vec<String>,
    pub(crate) paths: u64,
    pub(crate) repeated: u64,
    pub(crate) contradicted: u64,
    pub(crate) waiting: u64,
    pub(crate) infeasible: u64,
    pub(crate) timed_out: u64,
    /// Alternatives given up for a limit, by the limit.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub(crate) dropped: BTreeMap<String, u64>,
    /// Each below the decision before it, in the order of the text.
    pub decisions: Vec<DecisionReport>,
}

/// A way out of one decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionReport {
    /// 0 for what a run decides first. Decisions with one way that was taken do not make it grow.
    pub(crate) depth: u32,
    /// Where it stands, if that is not the method itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) method: Option<String>,
    /// Of the source, where the class file has it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u16>,
    pub bci: u32,
    pub(crate) kind: String,
    /// As in `BranchOutcome`.
    pub outcome: u32,
    pub(crate) condition: String,
    pub state: DecisionState,
    /// Why it was not taken, where it was not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecisionState {
    /// A run passed here.
    Taken,
    /// A run ended after it.
    Ended,
    Waiting,
    Infeasible,
    TimedOut,
}

impl ExplainReport {
    pub(crate) fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

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

fn describe(text: &mut String, tree: &ExplainedTree) {
    let _ = writeln!(text, "{}", tree.method);
    for (place, line) in tree.test.iter().enumerate() {
        let _ = writeln!(text, "  {} {line}", if place == 0 { "test:" } else { "     " });
    }
    let _ = write!(
        text,
        "  {}, {} waiting, {} impossible, {} in vain",
        counted(tree.paths - tree.repeated.min(tree.paths), "path", "paths"),
        tree.waiting,
        tree.infeasible,
        tree.timed_out
    );
    if tree.contradicted > 0 {
        let _ = write!(
            text,
            ", {} taken though called impossible (a fault of Tracewright, or chance in the class)",
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
            DecisionState::Waiting => writeln!(text, " -> waiting{why}"),
            DecisionState::Infeasible => writeln!(text, " -> impossible{}", shortened(&why)),
            DecisionState::TimedOut => writeln!(text, " -> in vain{why}"),
        };
    }
    text.push('\n');
}

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
  1 path, 1 waiting, 0 impossible, 0 in vain, 4 given up: one run left the instruction that way too often
  @3, if (bvslt v0 5) -> end of a path
    line 12 of int Other.f(int), if (bvsle 5 v0) -> waiting: third of 3

and 2 trees that cannot be read
";
        assert_eq!(report.text(), expected);
        assert_eq!(serde_json::from_str::<ExplainReport>(&report.json()).expect("its own text"), report);
    }
}
