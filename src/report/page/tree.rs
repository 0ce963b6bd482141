//! The constraint tree of a method as the page shows it.
//!
//! Flows in: the described trees of a class. Flows out: the decisions of one method in words, with their indentation.
//! Must not know HTML, nor how trees are made.

use serde::Serialize;

use crate::report::{DecisionReport, DecisionState, ExplainedTree, counted};

/// Levels of indentation, at most.
const MOST_INDENT: u32 = 16;

/// The decisions of one method.
#[derive(Debug, Serialize)]
pub(super) struct TreeView<'a> {
    /// The test without its values.
    test: &'a [String],
    /// `12 paths, 3 infeasible`.
    figures: String,
    decisions: Vec<DecisionRow>,
}

/// One way out of a decision.
#[derive(Debug, Serialize)]
struct DecisionRow {
    indent: u32,
    sentence: String,
    standing: String,
    is_taken: bool,
}

/// The tree of the method with this declaration.
pub(super) fn tree_view<'a>(trees: &'a [ExplainedTree], method: &str) -> Option<TreeView<'a>> {
    let tree = trees.iter().find(|tree| tree.method == method && !tree.decisions.is_empty())?;
    let paths = counted(tree.paths - tree.repeated.min(tree.paths), "path", "paths");
    let row = |decision: &DecisionReport| DecisionRow {
        indent: decision.depth.min(MOST_INDENT),
        sentence: decision.sentence(),
        standing: decision.standing(),
        is_taken: matches!(decision.state, DecisionState::Taken | DecisionState::Ended),
    };
    Some(TreeView {
        test: &tree.test,
        figures: format!("{paths}, {} pending, {} infeasible, {} unresolved", tree.waiting, tree.infeasible, tree.timed_out),
        decisions: tree.decisions.iter().map(row).collect(),
    })
}
