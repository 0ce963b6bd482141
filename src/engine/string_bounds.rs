//! Bounds of strings in a replay. Flows in: clauses and test cases. Flows out: whether a result
//! depends on how many characters of a string have variables.
//!
//! A replay gives variables to the characters of a string literal and to its length. A string has
//! as many variables as characters, but at least a minimum that the replay is configured with. The
//! clause `length <= variables` is an artefact of that choice: a proof that needs it says nothing
//! about longer strings. The same holds for a model whose string is longer than its variables. The
//! engine then replays the run with twice as many variables, up to a limit, and asks again.

use crate::expr::{BinaryOp, Input, Symbol, SymbolPart, Term, TermId, TermStore, Value};
use crate::testcase::{Literal, StatementKind, TestCase};

/// Whether a string of the new test has another number of variables than the same string of the
/// original test, in a replay with at least `minimum` variables a string.
pub(super) fn changes_variable_count(origin: &TestCase, test: &TestCase, minimum: usize) -> bool {
    let kinds = origin.statements.iter().zip(&test.statements).map(|(before, after)| (&before.kind, &after.kind));
    kinds.into_iter().any(|kinds| match kinds {
        (StatementKind::Literal(Literal::Str(before)), StatementKind::Literal(Literal::Str(after))) => {
            after.len().max(minimum) != before.len().max(minimum)
        }
        _ => false,
    })
}

/// The number of variables that is enough for each string of both tests, at least `minimum`.
pub(super) fn most_characters(origin: &TestCase, test: &TestCase, minimum: usize) -> usize {
    let lengths = origin.statements.iter().chain(&test.statements).filter_map(|statement| match &statement.kind {
        StatementKind::Literal(Literal::Str(units)) => Some(units.len()),
        _ => None,
    });
    lengths.fold(minimum, usize::max)
}

/// Whether a clause says that a string is not longer than its number of variables.
pub(super) fn is_length_bound(terms: &TermStore, clause: TermId, origin: &TestCase, minimum: usize) -> bool {
    match terms.get(clause) {
        Term::Binary(BinaryOp::BvSle, length, bound) => is_variable_count(terms, length, bound, origin, minimum),
        _ => false,
    }
}

/// Whether a clause says that a string is longer than its number of variables.
pub(super) fn exceeds_length_bound(terms: &TermStore, clause: TermId, origin: &TestCase, minimum: usize) -> bool {
    match terms.get(clause) {
        Term::Binary(BinaryOp::BvSlt, bound, length) => is_variable_count(terms, length, bound, origin, minimum),
        _ => false,
    }
}

/// Whether `length` is the length of a string input and `bound` the number of its variables.
fn is_variable_count(terms: &TermStore, length: TermId, bound: TermId, origin: &TestCase, minimum: usize) -> bool {
    let Term::Input(Input { symbol: Symbol { statement, part: SymbolPart::Length }, .. }) = terms.get(length) else {
        return false;
    };
    let variables = match origin.statements.get(statement as usize).map(|statement| &statement.kind) {
        Some(StatementKind::Literal(Literal::Str(units))) => units.len().max(minimum),
        _ => return false,
    };
    terms.constant_of(bound).and_then(Value::integral) == i64::try_from(variables).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_count_changes_beyond_the_minimum_only() {
        let test = |text: &str| format!("v0: Ljava/lang/String; = string \"{text}\"\n").parse::<TestCase>().expect("a test case");
        let changes = |before: &str, after: &str| changes_variable_count(&test(before), &test(after), 4);
        assert!(changes("ab", "abcde") && changes("abcdef", "abcdefg") && changes("abcdef", "abcde"));
        assert!(!changes("ab", "abcd") && !changes("abcd", "a") && !changes("abcdef", "abcdef"));
        let most = |before: &str, after: &str| most_characters(&test(before), &test(after), 4);
        assert_eq!([most("ab", "a"), most("ab", "abcde"), most("abcdefg", "abcde")], [4, 5, 7]);
    }

    #[test]
    fn a_bound_is_a_clause_about_all_variables_of_a_string() {
        let mut terms = TermStore::new();
        let test = "v0: Ljava/lang/String; = string \"abc\"\nv1: I = int 4\n".parse::<TestCase>().expect("a test case");
        let mut holds = |is: fn(&TermStore, TermId, &TestCase, usize) -> bool, clause: &str, minimum| {
            let clause = terms.parse(clause).expect(clause);
            is(&terms, clause, &test, minimum)
        };
        assert!(holds(is_length_bound, "(bvsle v0.length 16)", 16) && holds(is_length_bound, "(bvsle v0.length 3)", 2));
        assert!(!holds(is_length_bound, "(bvsle v0.length 16)", 32) && !holds(is_length_bound, "(bvsle v1 16)", 16));
        assert!(!holds(is_length_bound, "(bvslt v0.length 16)", 16));
        assert!(holds(exceeds_length_bound, "(bvslt 16 v0.length)", 16));
        assert!(!holds(exceeds_length_bound, "(bvslt v0.length 16)", 16));
    }
}
