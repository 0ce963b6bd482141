//! A constraint tree in words. Flows in: a tree with its terms, and the program where it is known.
//! Flows out: the facts that a report shows. Must not know where the tree comes from, nor how the
//! report is shown.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tracewright_classfile::Code;

use super::explained_test::{ExplainedTest, simple_name, simple_type};
use crate::expr::{TermId, TermStore};
use crate::path::{BranchOutcome, ClauseKind};
use crate::program::{ClassName, MethodRef, Program};
use crate::report::{DecisionReport, DecisionState, ExplainedTree};
use crate::testcase::TestCase;
use crate::tree::{ConstraintTree, Dropped, NodeId, RunId, TreeNode};

/// Says why a pending alternative was not attempted: given the tree, its node and the run that it
/// leaves.
pub(super) type PendingReason<'a> = &'a dyn Fn(&ConstraintTree, NodeId, Option<RunId>) -> Option<String>;

/// Describes the first decisions of a tree, `most` of them, each below the decision before it. `class` is the class
/// under test, whose name is left out of methods. Lines of the source are known where `program` is given.
pub(super) fn describe_tree(
    tree: &ConstraintTree,
    terms: &TermStore,
    program: Option<&Program>,
    class: &ClassName,
    pending_reason: PendingReason<'_>,
    most: usize,
) -> ExplainedTree {
    let (key, stats) = (tree.key(), tree.stats());
    // Every tree comes from a test case.
    let test: TestCase = key.skeleton().parse().unwrap_or_default();
    let explained = ExplainedTest::new(&test, program);
    let java = |term: TermId| terms.java(term, &|symbol| explained.input(symbol));
    let Dropped { often, full, cut } = stats.dropped;
    let dropped = [
        ("one run left the instruction that way too often", often),
        ("the tree was full", full),
        ("the rest of a path, since the tree was full", cut),
    ];
    let mut description = ExplainedTree {
        method: java_signature(&key.method, class),
        name: key.method.name.to_string(),
        descriptor: key.method.descriptor.to_string(),
        test: explained.lines(),
        paths: stats.paths,
        repeated: stats.repeated,
        contradicted: stats.contradicted,
        waiting: stats.frontier,
        infeasible: stats.infeasible,
        timed_out: stats.timed_out,
        dropped: dropped.iter().filter(|(_, count)| *count > 0).map(|(limit, count)| ((*limit).to_owned(), *count)).collect(),
        exhausted: None,
        decisions: Vec::new(),
    };
    let mut lines = SourceLines { program, known: BTreeMap::new() };
    // Recursion is not possible here: a path may be deeper than the stack of the thread.
    let mut pending: Vec<(NodeId, usize, u32)> = vec![(NodeId(0), 0, 0)];
    while description.decisions.len() < most
        && let Some((id, position, depth)) = pending.pop()
    {
        let TreeNode::Computation(edges) = tree.node(id) else { continue };
        let is_taken = |child: NodeId| matches!(tree.node(child), TreeNode::Computation(_) | TreeNode::Terminal);
        // Outcomes that no run took come first, so that the decisions of a path stay together.
        let mut order: Vec<usize> = (0..edges.len()).collect();
        order.sort_by_key(|&place| is_taken(edges[place].child));
        let Some(edge) = order.get(position).map(|&place| &edges[place]) else { continue };
        pending.push((id, position + 1, depth));
        let forks = edges.iter().filter(|edge| is_taken(edge.child)).count() > 1;
        let (state, reason) = match tree.node(edge.child) {
            TreeNode::Computation(_) => (DecisionState::Taken, None),
            TreeNode::Terminal => (DecisionState::Ended, None),
            TreeNode::Unexplored(run) => (DecisionState::Waiting, pending_reason(tree, edge.child, *run)),
            TreeNode::Infeasible { core } => (DecisionState::Infeasible, contradiction_text(core, &java)),
            TreeNode::TimedOut { reason } => (DecisionState::TimedOut, Some(reason.to_string())),
        };
        let is_own = edge.site.method == key.method;
        description.decisions.push(DecisionReport {
            depth: depth + u32::from(!is_taken(edge.child)),
            method: (!is_own).then(|| java_signature(&edge.site.method, class)),
            line: lines.line_of(&edge.site.method, edge.site.bci),
            bci: edge.site.bci,
            kind: kind_name(edge.kind).into(),
            outcome: edge.site.outcome,
            condition: java(edge.term),
            state,
            why: reason,
        });
        pending.push((edge.child, 0, depth + u32::from(forks)));
    }
    description
}

/// The branch outcomes that no input leads to, wherever a path of these trees has the decision.
pub(super) fn refuted_outcomes<'t>(trees: impl Iterator<Item = &'t ConstraintTree>) -> BTreeSet<BranchOutcome> {
    let (mut refuted, mut possible): (BTreeSet<&BranchOutcome>, BTreeSet<&BranchOutcome>) = (BTreeSet::new(), BTreeSet::new());
    for tree in trees {
        // A tree does not keep what a limit dropped, so that nothing is refuted in it.
        let is_whole = tree.stats().dropped == Dropped::default();
        let mut pending = vec![NodeId(0)];
        while let Some(id) = pending.pop() {
            let TreeNode::Computation(edges) = tree.node(id) else { continue };
            for edge in edges {
                match tree.node(edge.child) {
                    TreeNode::Infeasible { .. } if is_whole => refuted.insert(&edge.site),
                    TreeNode::Computation(_) => {
                        pending.push(edge.child);
                        possible.insert(&edge.site)
                    }
                    _ => possible.insert(&edge.site),
                };
            }
        }
    }
    refuted.difference(&possible).map(|outcome| (*outcome).clone()).collect()
}

/// The unsatisfiable core as text; `None` where the solver gave none.
pub(super) fn contradiction_text(core: &[TermId], java: &dyn Fn(TermId) -> String) -> Option<String> {
    let core: Vec<String> = core.iter().map(|term| java(*term)).collect();
    (!core.is_empty()).then(|| format!("never together: {}", core.join(", ")))
}

/// The kind of a decision, in the words of the Java language.
fn kind_name(kind: ClauseKind) -> &'static str {
    match kind {
        ClauseKind::Jump => "if",
        ClauseKind::Switch => "switch",
        ClauseKind::Null => "null check",
        ClauseKind::Bounds => "array index",
        ClauseKind::DivZero => "division by zero",
        ClauseKind::Cast => "cast",
        ClauseKind::NegSize => "array size",
        ClauseKind::Store => "array store",
        ClauseKind::Model => "inside of the library",
    }
}

/// A method as Java declares it: `int Other.f(int, String[])`. The owner is left out where it is
/// `class`.
pub(super) fn java_signature(method: &MethodRef, class: &ClassName) -> String {
    let parameters: Vec<String> = method.parameters().iter().map(simple_type).collect();
    let parameters = parameters.join(", ");
    let owner = simple_name(&method.owner);
    match &*method.name {
        "<init>" => format!("new {owner}({parameters})"),
        "<clinit>" => format!("static initializer of {owner}"),
        name if method.owner == *class => format!("{} {name}({parameters})", simple_type(&method.return_type())),
        name => format!("{} {owner}.{name}({parameters})", simple_type(&method.return_type())),
    }
}

/// Finds lines of the source by method and bci; keeps the code of each method.
struct SourceLines<'a> {
    program: Option<&'a Program>,
    known: BTreeMap<MethodRef, Option<Arc<Code>>>,
}

impl SourceLines<'_> {
    fn line_of(&mut self, method: &MethodRef, bci: u32) -> Option<u16> {
        let program = self.program?;
        let code = self.known.entry(method.clone()).or_insert_with(|| {
            let class = program.class(&method.owner)?;
            class.code(class.methods.iter().find(|known| known.reference == *method)?)
        });
        code.as_ref()?.line_of(bci)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_those_of_java_source() {
        let class = ClassName::new("p/Outer$Inner");
        let signature = |owner: &str, name: &str, descriptor: &str| {
            java_signature(&MethodRef::new(ClassName::new(owner), name, descriptor), &class)
        };
        assert_eq!(signature("p/Outer$Inner", "f", "(I[Ljava/lang/String;)Z"), "boolean f(int, String[])");
        assert_eq!(signature("q/Other", "f", "()V"), "void Other.f()");
        assert_eq!(signature("p/Outer$Inner", "<init>", "(J)V"), "new Outer.Inner(long)");
        assert_eq!(signature("q/Other", "<clinit>", "()V"), "static initializer of Other");
    }
}
