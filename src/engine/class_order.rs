//! The order in which classes are generated: classes that others need for their objects come first. Where time
//! is too short for all of them, those that are worth most come first.
//!
//! Flows in: the targets, the program. Flows out: positions of targets. Must not know what a search
//! learns.
//!
//! Values that were hard to make are handed from class to class. An order knows how to take lines only
//! after it is known how a line is made, so the class of the line is searched before.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::program::generics::Wildcard;
use crate::program::{ClassName, GenericType, Program};

/// For each class the positions of the classes that its constructors take.
pub(super) fn needs_of(program: &Program, classes: &[ClassName]) -> Vec<BTreeSet<usize>> {
    let positions: BTreeMap<&ClassName, usize> = classes.iter().zip(0..).collect();
    let needs = |class| {
        let needed = classes_of_constructors(program, class);
        needed.iter().filter_map(|needed| positions.get(needed).copied()).collect()
    };
    classes.iter().map(needs).collect()
}

/// What tests of a class are worth to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClassWorth {
    /// Other packages may use it: it is no helper.
    pub(super) is_public: bool,
    /// Its lines and branches. The first seconds of a large class cover more of them than those of a small one.
    pub(super) goals: u64,
}

/// The positions of the classes, those that are worth most first.
pub(super) fn order_of_worth(classes: &[ClassWorth]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..classes.len()).collect();
    order.sort_by_key(|place| Reverse((classes[*place].is_public, classes[*place].goals)));
    order
}

/// The positions, each behind those that it needs, as far as these do not need it themselves. Positions that need each
/// other are ascending, and all else stays as it is.
pub(super) fn needed_first(needs: &[BTreeSet<usize>]) -> Vec<usize> {
    let mut graph = DiGraph::<(), ()>::new();
    let nodes: Vec<NodeIndex> = needs.iter().map(|_| graph.add_node(())).collect();
    for (needing, needed) in needs.iter().enumerate() {
        needed.iter().filter(|needed| **needed != needing).for_each(|needed| {
            graph.add_edge(nodes[needing], nodes[*needed], ());
        });
    }
    // The components come in reverse topological order: those that are needed first.
    let mut order = Vec::with_capacity(needs.len());
    for component in tarjan_scc(&graph) {
        let mut positions: Vec<usize> = component.into_iter().map(NodeIndex::index).collect();
        positions.sort_unstable();
        order.extend(positions);
    }
    order
}

/// The classes that occur in the types of the parameters of the constructors.
fn classes_of_constructors(program: &Program, class: &ClassName) -> BTreeSet<ClassName> {
    let mut found = BTreeSet::new();
    let Some(model) = program.class(class) else { return found };
    for constructor in model.methods.iter().filter(|method| method.name() == "<init>") {
        constructor.signature.arguments.iter().for_each(|argument| add_classes(argument, &mut found));
    }
    found
}

fn add_classes(ty: &GenericType, found: &mut BTreeSet<ClassName>) {
    match ty {
        GenericType::Primitive(_) | GenericType::Variable(_) | GenericType::Wildcard(Wildcard::Any) => {}
        GenericType::Class { name, arguments, .. } => {
            found.insert(name.clone());
            arguments.iter().for_each(|argument| add_classes(argument, found));
        }
        GenericType::Array(inner) | GenericType::Wildcard(Wildcard::Extends(inner) | Wildcard::Super(inner)) => {
            add_classes(inner, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(needs: &[&[usize]]) -> Vec<usize> {
        needed_first(&needs.iter().map(|needed| needed.iter().copied().collect()).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_needed_comes_first_and_all_else_stays_as_it_was() {
        assert_eq!(order(&[&[], &[], &[]]), [0, 1, 2]);
        assert_eq!(order(&[&[2], &[], &[1]]), [1, 2, 0]);
        // 1 and 2 need each other, and 3 needs itself.
        assert_eq!(order(&[&[1], &[2], &[1], &[3]]), [1, 2, 0, 3]);
    }

    #[test]
    fn large_public_classes_are_worth_most() {
        let classes =
            [(false, 900), (true, 10), (true, 40), (true, 10)].map(|(is_public, goals)| ClassWorth { is_public, goals });
        assert_eq!(order_of_worth(&classes), [2, 1, 3, 0]);
    }
}
