//! Mutants of methods that a test calls on its way to the method under test.
//!
//! In: all tests with the mutants that their assertions kill, and what is an effect of the calls under test. Out: the
//! kills that count. Must not know which tests and assertions are kept.
//!
//! `options.addOption(opt)` and then `hasOption(opt)` may assert the result of the first call, or a list that only the
//! first call changed. Such an assertion kills mutants of `addOption`, and says nothing of `hasOption`. It does not
//! count for them where a test of `addOption` kills them too. Nor does an exception count that such a call throws under
//! a mutant, where nothing reads its result.

use std::collections::BTreeSet;

use tracewright_classfile::Mutant;

use crate::execution::MutantId;
use crate::oracle::{AssertedTest, Fact, Kills};
use crate::program::MethodRef;
use crate::testcase::{StatementKind, VarId};

/// Removes from the kills of assertions about earlier calls those of mutants that a test of the mutated method kills.
/// `kills`: one element a test. `mutants`: by number.
pub(super) fn leave_out_borrowed(tests: &[AssertedTest], kills: &mut [Kills], mutants: &[Option<Mutant>]) {
    let is_own = |mutant: &MutantId, test: &AssertedTest| {
        let changed = mutants.get(mutant.index()).and_then(Option::as_ref);
        changed.zip(test.target.as_ref()).is_some_and(|(changed, target)| is_in(changed, target))
    };
    let mut killed_by_own: BTreeSet<MutantId> = BTreeSet::new();
    for (test, kills) in tests.iter().zip(&*kills) {
        let asserted = (0..test.assertions.len()).filter(|place| !is_borrowed(test, kills, *place));
        let killed = asserted.flat_map(|place| &kills.by_assertion[place]).chain(&kills.by_end);
        killed_by_own.extend(killed.filter(|mutant| is_own(mutant, test)));
    }
    for (test, kills) in tests.iter().zip(kills) {
        let is_elsewhere = |mutant: &MutantId| {
            let changed = mutants.get(mutant.index()).and_then(Option::as_ref);
            killed_by_own.contains(mutant) && changed.is_some_and(|changed| calls_for_nothing(test, changed))
        };
        kills.by_end.retain(|mutant| is_own(mutant, test) || !is_elsewhere(mutant));
        for place in (0..test.assertions.len()).filter(|place| is_borrowed(test, kills, *place)).collect::<Vec<_>>() {
            kills.by_assertion[place].retain(|mutant| is_own(mutant, test) || !killed_by_own.contains(mutant));
        }
    }
}

/// Whether an earlier statement calls the mutated method, and nothing uses the result.
fn calls_for_nothing(test: &AssertedTest, mutant: &Mutant) -> bool {
    (0..test.acted.saturating_sub(1)).map(VarId).any(|at| match &test.test.statement(at).kind {
        StatementKind::Call { method, .. } => is_in(mutant, method) && test.test.users(at).next().is_none(),
        _ => false,
    })
}

fn is_in(mutant: &Mutant, method: &MethodRef) -> bool {
    mutant.class == *method.owner.internal() && mutant.method == *method.name && mutant.descriptor == *method.descriptor
}

/// Whether the assertion is about what an earlier call returned, or about an object that the call under test leaves as
/// it was.
fn is_borrowed(test: &AssertedTest, kills: &Kills, place: usize) -> bool {
    let assertion = &test.assertions[place];
    if matches!(assertion.fact, Fact::Called { .. }) {
        return false;
    }
    let is_call = matches!(test.test.statement(assertion.subject).kind, StatementKind::Call { .. });
    is_call && assertion.subject.0 + 1 < test.acted || kills.is_about_same_state(test, place)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTER: &str = "target p/Foo.put ()Z\nacted 2\nv0: Lp/Foo; = new p/Foo.<init> ()V ()\n\
                          v1: Z = call method p/Foo.put ()Z on v0 ()\nv2: I = call method p/Foo.size ()I on v0 ()\n\
                          assert v1 equals true\nassert v2 equals int 1\n";
    const READER: &str = "target p/Foo.has ()Z\nacted 3\nv0: Lp/Foo; = new p/Foo.<init> ()V ()\n\
                          v1: Z = call method p/Foo.put ()Z on v0 ()\nv2: Z = call method p/Foo.has ()Z on v0 ()\n\
                          v3: I = call method p/Foo.size ()I on v0 ()\n\
                          assert v1 equals true\nassert v2 equals true\nassert v3 equals int 1\n";

    #[test]
    fn mutants_of_an_earlier_call_count_for_its_own_test() {
        let mutant = |line: &str| Some(Mutant::parse(line).expect("well-formed"));
        let mutants = [
            None,
            mutant("p/Foo.put()Z @4 line 3 FALSE_RETURNS ireturn->0 #0"),
            mutant("p/Foo.put()Z @8 line 2 VOID_METHOD_CALLS p/Foo.init()V->nothing #1"),
            mutant("p/Foo.has()Z @8 line 7 FALSE_RETURNS ireturn->0 #2"),
        ];
        let tests = [SETTER, READER].map(|text| text.parse::<AssertedTest>().expect("well-formed"));
        let left = |of_setter: [&[u32]; 2]| {
            let sets = |numbers: &[u32]| numbers.iter().map(|number| MutantId(*number)).collect::<BTreeSet<_>>();
            let mut kills = [
                Kills { effects: vec![true; 2], by_assertion: of_setter.map(sets).to_vec(), ..Kills::default() },
                Kills {
                    effects: vec![false, true, false],
                    by_assertion: vec![sets(&[1]), sets(&[3]), sets(&[2])],
                    ..Kills::default()
                },
            ];
            leave_out_borrowed(&tests, &mut kills, &mutants);
            let [_, reader] = kills;
            reader.by_assertion.iter().map(|killed| killed.len()).collect::<Vec<_>>()
        };
        assert_eq!(left([&[1], &[2]]), [0, 1, 0]);
        assert_eq!(left([&[], &[2]]), [1, 1, 0], "no test of the method kills the first one");
        assert_eq!(left([&[1], &[]]), [0, 1, 1]);
    }
}
