//! Values of another test of the same method that is nearly the same.
//!
//! In: two tests, the ways that they go. Out: the values to try in one of them. Must not know whether the test
//! shows the same with them.
//!
//! `if (isClearance && count >= 3)`: in the test of another category, a search leaves `count` at any number. With
//! 2, the test would pass without the first operand. A person changes one thing at a time, and takes the count
//! of the test in which both operands hold. Two tests that make the same calls differ best in what matters alone.

use std::collections::{BTreeMap, BTreeSet};

use super::distinct_values::Exchange;
use crate::oracle::{AssertedTest, Fact};
use crate::program::{BranchOutcome, Decision, MethodRef};
use crate::testcase::{Literal, StatementKind, TestCase, VarId};

/// Most values that one test gets.
const MOST: usize = 6;
/// Most forms of one sibling.
pub(super) const MOST_FORMS: usize = 12;

/// Whether the run with these ways failed at an operand of a condition behind which the other run, with these
/// `conjunctions`, came to further operands.
pub(super) fn fails_before(ways: &BTreeSet<BranchOutcome>, conjunctions: &[Decision]) -> bool {
    let fails = |operand: &BranchOutcome| !ways.contains(operand) && ways.iter().any(|way| way.same_instruction(operand));
    conjunctions.iter().any(|decision| {
        let first = decision.operands.iter().position(fails);
        first.is_some_and(|first| {
            first + 1 < decision.operands.len() && decision.operands[..first].iter().all(|way| ways.contains(way))
        })
    })
}

/// The literals of the other test that differ, for the same arguments of the same calls; one at a time.
pub(super) fn sibling_values(test: &TestCase, acted: u32, sibling: (&TestCase, u32)) -> Vec<Exchange> {
    let theirs = given_literals(sibling.0, sibling.1);
    let other = |(argument, (variable, literal)): (&GivenArgument<'_>, &(VarId, &Literal))| {
        let (_, other) = theirs.get(argument).filter(|(_, other)| other != literal)?;
        let is_free = !test.is_fixed_in_request(*variable) && !matches!(other, Literal::Null);
        is_free.then(|| vec![(*variable, (*other).clone())])
    };
    given_literals(test, acted).iter().filter_map(other).take(MOST).collect()
}

/// As [`sibling_values`], without those that another argument of the same call has.
pub(super) fn alike_values(test: &TestCase, acted: u32, sibling: (&TestCase, u32)) -> Vec<Exchange> {
    let own = given_literals(test, acted);
    let is_free = |variable: VarId, to: &Literal| {
        let users = own.iter().filter(|(_, (own, _))| *own == variable);
        let calls: BTreeSet<(&MethodRef, usize)> = users.map(|((method, before, _), _)| (*method, *before)).collect();
        !own.iter().any(|((method, before, _), (_, literal))| *literal == to && calls.contains(&(*method, *before)))
    };
    let mut exchanges = sibling_values(test, acted, sibling);
    exchanges.retain(|exchange| exchange.iter().all(|(variable, to)| is_free(*variable, to)));
    exchanges
}

/// Whether both tests call the same methods for the same target.
pub(super) fn calls_alike(one: &AssertedTest, other: &AssertedTest) -> bool {
    one.target == other.target && one.test.called_methods().eq(other.test.called_methods())
}

/// The sibling with another value in place of one of its literals. Where the operand that does not hold reads
/// this one, nothing else differs between the two tests.
pub(super) fn with_one_changed(sibling: &AssertedTest) -> Vec<AssertedTest> {
    let mut found = Vec::new();
    for (variable, literal) in given_literals(&sibling.test, sibling.acted).into_values() {
        for other in others(literal).into_iter().filter(|_| !sibling.test.is_fixed_in_request(variable)) {
            let mut changed = sibling.clone();
            if changed.test.replace_literal(variable, other) {
                found.push(changed);
            }
        }
    }
    found.truncate(MOST_FORMS);
    found
}

/// Values that most conditions tell from this one.
fn others(literal: &Literal) -> Vec<Literal> {
    match literal {
        Literal::Str(units) if !units.is_empty() => vec![Literal::Null, Literal::Str(Vec::new())],
        Literal::Boolean(holds) => vec![Literal::Boolean(!holds)],
        Literal::Int(number) => [number.checked_sub(1), number.checked_add(1)].into_iter().flatten().map(Literal::Int).collect(),
        Literal::Long(number) => {
            [number.checked_sub(1), number.checked_add(1)].into_iter().flatten().map(Literal::Long).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether both tests say the same of how the call under test ends.
pub(super) fn ends_alike(one: &AssertedTest, other: &AssertedTest) -> bool {
    let result = |test: &AssertedTest| -> Option<Fact> {
        let of_result = test.assertions.iter().find(|assertion| assertion.subject.0 + 1 == test.acted);
        of_result.map(|assertion| assertion.fact.clone())
    };
    let says_something = one.expected.is_some() || result(one).is_some();
    says_something && one.expected == other.expected && result(one) == result(other)
}

/// An argument of a test: the method that gets it, the number of calls of this method before, its position.
type GivenArgument<'t> = (&'t MethodRef, usize, usize);

/// The literals among the arguments of calls and constructions.
fn given_literals(test: &TestCase, acted: u32) -> BTreeMap<GivenArgument<'_>, (VarId, &Literal)> {
    let mut calls: BTreeMap<&MethodRef, usize> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for statement in test.statements.iter().take(acted as usize) {
        let (StatementKind::Construct { constructor: method, args } | StatementKind::Call { method, args, .. }) = &statement.kind
        else {
            continue;
        };
        let before = calls.entry(method).or_default();
        for (position, argument) in args.iter().enumerate() {
            found.extend(test.literal(*argument).map(|literal| ((method, *before, position), (*argument, literal))));
        }
        *before += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ClassName;

    #[test]
    fn a_test_gets_the_values_of_its_sibling() {
        let test = |first: &str, count: i32| -> TestCase {
            let text = format!(
                "v0: Ljava/lang/String; = {first}\nv1: I = int {count}\nv2: Lp/Item; = new p/Item.<init> (I)V (v1)\n\
                 v3: I = int 7\nv4: Lp/Item; = new p/Item.<init> (I)V (v3)\n\
                 v5: Z = call method p/Shop.sell (Ljava/lang/String;Lp/Item;)Z (v0, v4)\n"
            );
            text.parse().expect("well-formed")
        };
        let values = |own: &TestCase, other: &TestCase| sibling_values(own, 6, (other, 6));
        let (own, other) = (test("string \"a\"", 2), test("string \"b\"", 3));
        let b = Literal::Str("b".encode_utf16().collect());
        assert_eq!(values(&own, &other), [vec![(VarId(1), Literal::Int(3))], vec![(VarId(0), b)]]);
        assert_eq!(values(&own, &test("null", 2)), Vec::<Exchange>::new(), "null says nothing");
    }

    #[test]
    fn a_value_that_the_call_has_already_is_not_taken() {
        let test = |values: [i32; 3]| -> TestCase {
            let literals = (0..3).zip(values).map(|(place, value)| format!("v{place}: I = int {value}\n"));
            let call = "v3: I = call method p/Shop.sum (III)I (v0, v1, v2)\n";
            format!("{}{call}", literals.collect::<String>()).parse().expect("well-formed")
        };
        let found = |own, other| alike_values(&test(own), 4, (&test(other), 4));
        assert_eq!(found([1, 2, 3], [4, 3, 3]), [vec![(VarId(0), Literal::Int(4))]]);
        assert_eq!(found([1, 2, 3], [1, 2, 3]), Vec::<Exchange>::new());
    }

    #[test]
    fn one_value_of_the_sibling_changes_at_a_time() {
        let text = "\
v0: Ljava/lang/String; = string \"a\"
v1: I = int 3
v2: Lp/Item; = new p/Item.<init> (Ljava/lang/String;I)V (v0, v1)
v3: Z = call method p/Item.isComplete ()Z on v2 ()
assert v3 equals true
";
        let sibling: AssertedTest = text.parse().expect("well-formed");
        let values = |test: &AssertedTest| [0, 1].map(|place| test.test.literal(VarId(place)).cloned());
        let a = || Some(Literal::Str("a".encode_utf16().collect()));
        let three = || Some(Literal::Int(3));
        let expected = [
            [Some(Literal::Null), three()],
            [Some(Literal::Str(Vec::new())), three()],
            [a(), Some(Literal::Int(2))],
            [a(), Some(Literal::Int(4))],
        ];
        assert_eq!(with_one_changed(&sibling).iter().map(values).collect::<Vec<_>>(), expected);
        let other: AssertedTest = text.replace("equals true", "equals false").parse().expect("well-formed");
        assert!(ends_alike(&sibling, &sibling) && !ends_alike(&sibling, &other));
    }

    #[test]
    fn the_sibling_comes_to_operands_that_the_test_does_not_reach() {
        let method = MethodRef::new(ClassName::new("p/Shop"), "sell", "(I)Z");
        let way = |bci: u32, outcome: u32| BranchOutcome { method: method.clone(), bci, outcome };
        let both = [Decision { operands: vec![way(3, 0), way(9, 0)], passes_check: false }];
        let fails = |ways: &[(u32, u32)]| {
            let ways = ways.iter().map(|(bci, outcome)| way(*bci, *outcome)).collect();
            fails_before(&ways, &both)
        };
        assert!(fails(&[(3, 1)]));
        assert!(!fails(&[(3, 0), (9, 1)]), "all operands were asked");
        assert!(!fails(&[(3, 0), (9, 0)]) && !fails(&[(20, 1)]));
    }
}
