//! State that a call without a result left as it was.
//!
//! In: tests with the mutants that their assertions kill, and what is an effect of the call. Out: the kills that say
//! something of the call. Must not know which assertions are kept.
//!
//! After `printHelp(options)` every getter still returns what the constructor set. Such an assertion fails under
//! mutants of the getter and of the constructor, which have tests of their own. Under a mutant of the call, it shows a
//! change that the call must not make.

use tracewright_classfile::Mutant;

use crate::oracle::{AssertedTest, Kills};

/// Removes from the kills of assertions about untouched state those of mutants that are not about the call.
/// `mutants`: by number.
pub(super) fn leave_out_untouched(test: &AssertedTest, kills: &mut Kills, mutants: &[Option<Mutant>]) {
    for (place, assertion) in test.assertions.iter().enumerate() {
        if !kills.is_about_untouched(test, place) {
            continue;
        }
        let Some(read) = test.test.statement(assertion.subject).kind.called_method() else { continue };
        let is_elsewhere = |mutant: &Mutant| {
            let is_of_reader = mutant.method == *read.name && mutant.descriptor == *read.descriptor;
            is_of_reader || matches!(&*mutant.method, "<init>" | "<clinit>")
        };
        let is_about_call = |number: usize| !mutants.get(number).is_some_and(|mutant| mutant.as_ref().is_some_and(is_elsewhere));
        kills.by_assertion[place].retain(|mutant| is_about_call(mutant.index()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::MutantId;
    use std::collections::BTreeSet;

    const TEST: &str = "target p/Foo.print ()V\nacted 2\nv0: Lp/Foo; = new p/Foo.<init> ()V ()\n\
                        v1: V = call method p/Foo.print ()V on v0 ()\nv2: I = call method p/Foo.width ()I on v0 ()\n\
                        assert v2 equals int 74\n";

    #[test]
    fn mutants_of_getters_and_constructors_are_not_about_a_call() {
        let mutant = |line: &str| Some(Mutant::parse(line).expect("well-formed"));
        let mutants = [
            None,
            mutant("p/Foo.width()I @4 line 3 PRIMITIVE_RETURNS ireturn->0 #0"),
            mutant("p/Foo.<init>()V @8 line 2 VOID_METHOD_CALLS p/Foo.init()V->nothing #1"),
            mutant("p/Foo.print()V @8 line 7 VOID_METHOD_CALLS p/Foo.reset()V->nothing #2"),
        ];
        let test: AssertedTest = TEST.parse().expect("well-formed");
        let left = |is_effect: bool| {
            let mut kills = Kills { effects: vec![is_effect], ..Kills::of(&test) };
            kills.by_assertion[0] = [1, 2, 3].map(MutantId).into();
            leave_out_untouched(&test, &mut kills, &mutants);
            kills.by_assertion.remove(0)
        };
        assert_eq!(left(false), BTreeSet::from([MutantId(3)]));
        assert_eq!(left(true).len(), 3);
    }
}
