//! The constraint trees of a class in words.
//!
//! Flows in: the trees of symbolic execution. Flows out: all of them for `explain`, or the plainest of each method for
//! the page. Must not know how they are shown.
//! Of a method all of whose paths are known, the number of paths flows out too.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::super::exhaustion::exhaustion;
use super::super::tree_text::describe_tree;
use super::Concolic;
use crate::program::{ClassName, MethodRef, Program};
use crate::report::{Exhaustion, ExplainedTree};
use crate::tree::{ConstraintTree, NodeId, TreeKey};

/// Trees of a class, and decisions of each, that the report describes, at most.
const MOST_TREES: usize = 24;
const MOST_DECISIONS: usize = 80;

impl Concolic<'_> {
    /// The trees in words, with the selector's reasons for pending alternatives.
    pub(in crate::engine) fn describe_trees(&self, program: &Program, class: &ClassName) -> Vec<ExplainedTree> {
        let standings: BTreeMap<(&TreeKey, NodeId), String> =
            self.selector.explain_pending().into_iter().map(|(key, node, standing)| ((key, node), standing)).collect();
        let pending_reason = |tree: &ConstraintTree, node, _| {
            standings.get(&(tree.key(), node)).map(|standing| format!("not drawn yet: {standing}"))
        };
        let trees = self.trees.values();
        let describe = |tree| ExplainedTree {
            exhausted: self.exhaustion(program, tree),
            ..describe_tree(tree, &self.terms, Some(program), class, &pending_reason, usize::MAX)
        };
        trees.map(describe).collect()
    }

    /// For each method the tree with the shortest test, and of these the one with the most paths, cut to what a page
    /// can show.
    pub(in crate::engine) fn describe_plainest_trees(&self, program: &Program, class: &ClassName) -> Vec<ExplainedTree> {
        let rank = |tree: &ConstraintTree| (tree.key().skeleton().lines().count(), Reverse(tree.stats().paths));
        let mut plainest: BTreeMap<&MethodRef, &ConstraintTree> = BTreeMap::new();
        for tree in self.trees.values().filter(|tree| !tree.is_trivial()) {
            let known = plainest.entry(&tree.key().method).or_insert(tree);
            if rank(tree) < rank(known) {
                *known = tree;
            }
        }
        let no_reason = |_: &ConstraintTree, _, _| None;
        let describe = |tree| ExplainedTree {
            exhausted: self.exhaustion(program, tree),
            ..describe_tree(tree, &self.terms, Some(program), class, &no_reason, MOST_DECISIONS)
        };
        plainest.into_values().take(MOST_TREES).map(describe).collect()
    }

    /// What is known of the method of a tree where each of its paths is. How an earlier session followed its runs is
    /// unknown.
    fn exhaustion(&self, program: &Program, tree: &ConstraintTree) -> Option<Exhaustion> {
        let is_exact = self.stored.is_none() && !self.inexact.contains(tree.key());
        if is_exact { exhaustion(program, tree, self.config.characters) } else { None }
    }

    /// The methods all of whose paths are known.
    pub(in crate::engine) fn exhausted_methods(&self, program: &Program) -> BTreeMap<MethodRef, Exhaustion> {
        let known = |tree| Some((ConstraintTree::key(tree).method.clone(), self.exhaustion(program, tree)?));
        self.trees.values().filter_map(known).collect()
    }
}
