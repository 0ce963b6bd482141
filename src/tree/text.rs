//! The text form of a constraint tree: one node a line, children indented under their edge. For people and goldens; it is not read back.

use std::fmt::Write as _;

use super::{ConstraintTree, Node, NodeId};
use crate::expr::TermStore;

impl ConstraintTree {
    /// `<kind> @<bci> =<outcome> <term> -> <node>`; the method is named where it changes.
    pub fn print(&self, terms: &TermStore) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "tree {} {}", self.key.method, name(self.node(NodeId(0)), terms));
        // An explicit stack: a path may be deeper than the thread's.
        let mut pending: Vec<(NodeId, usize, usize)> = vec![(NodeId(0), 0, 0)];
        while let Some((id, position, depth)) = pending.pop() {
            let Node::Computation(edges) = self.node(id) else { continue };
            let Some(edge) = edges.get(position) else { continue };
            pending.push((id, position + 1, depth));
            let site = &edge.site;
            let method = if site.method == self.key.method { String::new() } else { format!(" {}", site.method) };
            let _ = write!(
                out,
                "{:indent$}{}{method} @{} ={} ",
                "",
                edge.kind.name(),
                site.bci,
                site.outcome,
                indent = 2 * (depth + 1)
            );
            let _ = writeln!(out, "{} -> {}", terms.print(edge.term), name(self.node(edge.child), terms));
            pending.push((edge.child, 0, depth + 1));
        }
        out
    }
}

fn name(node: &Node, terms: &TermStore) -> String {
    match node {
        Node::Computation(_) => "computation".into(),
        Node::Unexplored => "unexplored".into(),
        Node::Terminal => "terminal".into(),
        Node::Infeasible { core } => {
            let core: Vec<String> = core.iter().map(|&term| terms.print(term)).collect();
            format!("infeasible [{}]", core.join(", "))
        }
        Node::TimedOut => "timed-out".into(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{TreeKey, TreeLimits, Verdict};
    use super::*;
    use crate::path::PathCondition;
    use crate::program::{ClassName, MethodRef};
    use crate::testcase::TestCase;

    fn tree() -> (ConstraintTree, TermStore, Arc<TestCase>) {
        let method = MethodRef::new(ClassName::new("T"), "m", "(I)V");
        let key = TreeKey::of(&TestCase::default(), &method);
        (ConstraintTree::new(key, TreeLimits::default()), TermStore::new(), Arc::new(TestCase::default()))
    }

    fn path(text: &str, terms: &mut TermStore) -> Arc<PathCondition> {
        Arc::new(PathCondition::parse(&format!("path 0 0 0\n{text}"), terms).expect("well-formed"))
    }

    const LEFT: &str =
        "jump 0 T.m(I)V @1 =0: (bvslt v0 5) | =1: (bvsle 5 v0)\njump 0 T.m(I)V @4 =1: (bvslt v0 3) | =0: (bvsle 3 v0)\n";
    const RIGHT: &str = "jump 0 T.m(I)V @1 =1: (bvsle 5 v0) | =0: (bvslt v0 5)\n";

    #[test]
    fn a_path_gives_its_alternatives_once() {
        let (mut tree, mut terms, test) = tree();
        let left = path(LEFT, &mut terms);
        let alternatives = tree.insert(&left, &test);
        assert_eq!(alternatives.len(), 2);
        assert!(tree.insert(&left, &test).is_empty());
        assert_eq!(tree.stats().repeated, 1);
        // The run the first alternative asked for: nothing is left to ask there.
        let right = path(RIGHT, &mut terms);
        assert!(alternatives[0].predicted(&right));
        assert!(!alternatives[1].predicted(&right));
        assert!(tree.insert(&right, &test).is_empty());
        assert!(!tree.is_open(alternatives[0].node));
        assert!(tree.is_open(alternatives[1].node));
        let core = vec![left.clauses[0].term];
        tree.settle(alternatives[1].node, Verdict::Infeasible { core });
        let expected = "\
tree T.m(I)V computation
  jump @1 =0 (bvslt v0 5) -> computation
    jump @4 =1 (bvslt v0 3) -> terminal
    jump @4 =0 (bvsle 3 v0) -> infeasible [(bvslt v0 5)]
  jump @1 =1 (bvsle 5 v0) -> terminal
";
        assert_eq!(tree.print(&terms), expected);
        assert_eq!((tree.stats().paths, tree.stats().infeasible, tree.stats().frontier), (3, 1, 0));
    }

    #[test]
    fn a_run_through_an_infeasible_node_is_counted() {
        let (mut tree, mut terms, test) = tree();
        let alternatives = tree.insert(&path(LEFT, &mut terms), &test);
        tree.settle(alternatives[0].node, Verdict::Infeasible { core: Vec::new() });
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
        assert!(tree.stats().dropped > 0);
        assert!(tree.print(&terms).lines().count() <= 7);
    }
}
