//! The facts that a branch of the method under test decides about.
//!
//! In: asserted tests with the ways that jumps went in them, the effects that depend on a jump. Out: a flag for each
//! assertion. A flagged assertion is about an effect that the code has on one side of a jump. Other tests of the method
//! went the other way, and the result does not tell. Must not know which assertions are kept.
//!
//! ```text
//! if (product.getStatus() == null) {
//!     product.setStatus(DRAFT);      a test whose product has a status is about the status that it keeps
//! }
//! ```

use std::collections::{BTreeMap, BTreeSet};

use crate::oracle::{AssertedTest, Fact, GovernedEffects};
use crate::program::{BranchOutcome, MethodRef, Program};

/// For each assertion of each test, whether it is about what a jump decided. `ways`: one of each test.
pub(super) fn governed_facts(program: &Program, tests: &[AssertedTest], ways: &[BTreeSet<BranchOutcome>]) -> Vec<Vec<bool>> {
    let mut known: BTreeMap<(&MethodRef, u32), GovernedEffects> = BTreeMap::new();
    let mut found = Vec::with_capacity(tests.len());
    for (place, test) in tests.iter().enumerate() {
        let mut governed = vec![false; test.assertions.len()];
        let found_target = test.target.as_ref().and_then(|target| program.resolve(target));
        let is_of_class = |way: &&BranchOutcome| {
            let is_made = matches!(&*way.method.name, "<init>" | "<clinit>") && test.target.as_ref() != Some(&way.method);
            !is_made && found_target.as_ref().is_some_and(|found| found.class.name == way.method.owner)
        };
        for way in ways[place].iter().filter(is_of_class).filter(|way| is_untold(place, way, tests, ways)) {
            let jump = (&way.method, way.bci);
            let effects = known.entry(jump).or_insert_with(|| GovernedEffects::of_jump(program, jump.0, jump.1));
            for (governed, assertion) in governed.iter_mut().zip(&test.assertions) {
                *governed |= effects.has(&test.test, test.acted, assertion);
            }
        }
        found.push(governed);
    }
    found
}

/// Whether other tests of the method went the other way at the jump and do not differ in their result.
fn is_untold(place: usize, way: &BranchOutcome, tests: &[AssertedTest], ways: &[BTreeSet<BranchOutcome>]) -> bool {
    let test = &tests[place];
    let went_otherwise =
        |ways: &BTreeSet<BranchOutcome>| ways.iter().any(|other| other.same_instruction(way) && other.outcome != way.outcome);
    if test.expected.is_some() || went_otherwise(&ways[place]) {
        return false;
    }
    let others: Vec<&AssertedTest> = (0..tests.len())
        .filter(|other| tests[*other].target == test.target && !ways[*other].contains(way) && went_otherwise(&ways[*other]))
        .map(|other| &tests[other])
        .collect();
    let own = result_of(test);
    // Which of its objects a test got back depends on the numbers of its variables.
    let is_same = |one: &Fact, other: &Fact| one == other || matches!((one, other), (Fact::SameAs(_), Fact::SameAs(_)));
    let differs = |other: &&AssertedTest| {
        let is_told = own.is_some_and(|own| result_of(other).is_none_or(|result| !is_same(own, result)));
        other.expected.is_some() || is_told
    };
    !others.is_empty() && !others.iter().all(differs)
}

/// What the test can assert of the result of its call.
fn result_of(test: &AssertedTest) -> Option<&Fact> {
    test.assertions.iter().find(|assertion| assertion.subject.0 + 1 == test.acted).map(|assertion| &assertion.fact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ClassName;

    fn test(result: i32) -> AssertedTest {
        let text = format!(
            "target p/Foo.fill (Lp/Item;)I\nacted 3\nv0: Lp/Foo; = new p/Foo.<init> ()V ()\nv1: Lp/Item; = new p/Item.<init> ()V ()\n\
             v2: I = call method p/Foo.fill (Lp/Item;)I on v0 (v1)\nv3: I = call method p/Item.getStatus ()I on v1 ()\n\
             assert v2 equals int {result}\nassert v3 equals int 3\n"
        );
        text.parse().expect("well-formed")
    }

    fn way(outcome: u32) -> BTreeSet<BranchOutcome> {
        let method = MethodRef::new(ClassName::new("p/Foo"), "fill", "(Lp/Item;)I");
        BTreeSet::from([BranchOutcome { method, bci: 4, outcome }])
    }

    #[test]
    fn a_jump_is_untold_where_both_ways_give_the_same_result() {
        let untold = |results: [i32; 2], ways: [BTreeSet<BranchOutcome>; 2]| {
            let tests = results.map(test);
            is_untold(0, ways[0].first().expect("a way"), &tests, &ways)
        };
        assert!(untold([1, 1], [way(0), way(1)]));
        assert!(!untold([1, 2], [way(0), way(1)]));
        assert!(!untold([1, 1], [way(0), way(0)]));
    }
}
