//! Methods all of whose paths are known.
//!
//! Flows in: the constraint tree of a method, and whether each of its runs was followed without a loss. Flows out: the
//! number of paths, and the bound for which that holds. Must not know how paths are explored.
//!
//! For each input, such a method takes one of these paths: an exception that none of them has is excluded. This is
//! said of static methods alone whose arguments decide everything, and are numbers, truth values and texts. It is not
//! said where a value lost its term, code was not followed, an alternative waits, or a limit left one out. Null in
//! place of a text is no input here.

use std::collections::HashSet;

use crate::changes::depends_on_arguments_alone;
use crate::program::{JavaType, Program};
use crate::report::Exhaustion;
use crate::symbolic::{PathEnd, Replay};
use crate::testcase::{Literal, StatementKind, TestCase, VarId};
use crate::tree::{ConstraintTree, TreeKey};

/// What is known of the method of a tree where each of its paths is. `characters`: the length of the texts that were
/// explored.
pub(super) fn exhaustion(program: &Program, tree: &ConstraintTree, characters: usize) -> Option<Exhaustion> {
    let takes_text = covers_all_inputs(tree.key())?;
    let paths = tree.explored_paths()?;
    depends_on_arguments_alone(program, &tree.key().method)
        .then(|| Exhaustion { paths, longest_text: takes_text.then_some(characters) })
}

/// What in a replay makes its path condition or its result incomplete.
pub(super) fn what_is_inexact(replay: &Replay) -> Option<&'static str> {
    let stats = &replay.stats;
    if replay.path.inexact_from.is_some() || !stats.concretised.is_empty() {
        Some("a value lost its term")
    } else if stats.opaque_calls > 0 {
        Some("code was called that is not followed")
    } else if !stats.unsupported.is_empty() || !stats.divergences.is_empty() {
        Some("a run could not be followed")
    } else {
        None
    }
}

/// Whether the run came to its end.
pub(super) fn is_whole(end: &PathEnd) -> bool {
    matches!(end, PathEnd::Returned | PathEnd::Threw { .. })
}

/// Whether the test calls one static method and nothing else, with inputs for all of its arguments, and then whether
/// one of them is a text.
pub(super) fn covers_all_inputs(key: &TreeKey) -> Option<bool> {
    let test: TestCase = key.skeleton().parse().ok()?;
    let mut takes_text = false;
    for statement in &test.statements {
        match &statement.kind {
            StatementKind::Literal(Literal::Null | Literal::Class(_)) => return None,
            StatementKind::Literal(literal) => takes_text |= matches!(literal, Literal::Str(_)),
            StatementKind::Call { method, receiver: None, args, .. } if *method == key.method => {
                // One input for two arguments leaves pairs of values out.
                let own: HashSet<_> = args.iter().collect();
                let is_input =
                    |argument: &&VarId| matches!(test.type_of(**argument), JavaType::Primitive(_) | JavaType::Class(_));
                if own.len() != args.len() || !args.iter().all(|argument| is_input(&argument)) {
                    return None;
                }
            }
            _ => return None,
        }
    }
    Some(takes_text)
}
