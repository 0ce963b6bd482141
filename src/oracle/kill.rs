//! Which assertions are worth their line: those that notice mutants. Flows in: asserted tests and what became of them under mutants; flows out:
//! the assertions to keep, and the further tests that pay. Pure: runs nothing, knows no clock.

use std::collections::BTreeSet;

use super::{AssertedTest, Assertion, Fact};
use crate::execution::{Execution, RunEnd, Snapshot};
use crate::program::ClassName;
use crate::testcase::StatementKind;

/// Assertions that one test keeps at most.
const MOST_KEPT: usize = 8;

/// What a mutant does to a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MutantOutcome {
    /// The test passes.
    Survived,
    /// The test ends at another statement or with another exception, whatever it asserts.
    KilledByTermination,
    /// The assertions with these positions fail.
    KilledByAssertion(Vec<usize>),
}

/// Compares a run of the test's statements with what the test states.
pub fn mutant_outcome(
    test: &AssertedTest,
    execution: &Execution,
    is_subclass: &dyn Fn(&ClassName, &ClassName) -> bool,
) -> MutantOutcome {
    if let Some(expected) = &test.expected {
        let last = test.test.statements.len() as u32 - 1;
        return match &execution.end {
            RunEnd::Unrun => MutantOutcome::Survived,
            RunEnd::Threw { statement, thrown } if *statement == last => {
                let message = expected.message.is_none() || expected.message == thrown.message;
                if message && is_subclass(&thrown.class, &expected.class) {
                    MutantOutcome::Survived
                } else {
                    MutantOutcome::KilledByTermination
                }
            }
            _ => MutantOutcome::KilledByTermination,
        };
    }
    // An inspector that ends the run is there for its assertion alone.
    let (ran, ended) = match &execution.end {
        RunEnd::Completed => (test.test.statements.len() as u32, None),
        RunEnd::Unrun => return MutantOutcome::Survived,
        RunEnd::Threw { statement, .. }
        | RunEnd::Budget { statement }
        | RunEnd::Timeout { statement }
        | RunEnd::Refused { statement, .. }
        | RunEnd::Exhausted { statement, .. }
        | RunEnd::Illegal { statement, .. }
            if *statement >= test.acted =>
        {
            (*statement, Some(*statement))
        }
        _ => return MutantOutcome::KilledByTermination,
    };
    let fails = |assertion: &Assertion| {
        let subject = assertion.subject.0;
        ended == Some(subject) || (subject < ran && !holds(assertion, execution))
    };
    let failing: Vec<usize> =
        test.assertions.iter().enumerate().filter(|(_, assertion)| fails(assertion)).map(|(place, _)| place).collect();
    if failing.is_empty() { MutantOutcome::Survived } else { MutantOutcome::KilledByAssertion(failing) }
}

fn holds(assertion: &Assertion, execution: &Execution) -> bool {
    let index = assertion.subject.index();
    // Arrays are compared when all is done, as they are stated.
    let (Some(now), Some(last)) = (execution.snapshots.get(index), execution.final_snapshots.get(index)) else { return true };
    match &assertion.fact {
        Fact::Null => *now == Snapshot::Null,
        Fact::NotNull => *now != Snapshot::Null,
        Fact::Equals(value @ Snapshot::Array { .. }) => equal(value, last),
        Fact::Equals(value) => equal(value, now),
        Fact::SameAs(other) => matches!(now, Snapshot::Object { same_as: Some(found), .. } if *found == other.0),
        Fact::InstanceOf(class) => matches!(now, Snapshot::Object { class: found, .. } if found == class),
    }
}

/// Whether a value is as stated; of an array without elements, only the length is.
fn equal(stated: &Snapshot, found: &Snapshot) -> bool {
    match (stated, found) {
        (Snapshot::Array { length, elements: None, .. }, Snapshot::Array { length: found, .. }) => length == found,
        (Snapshot::Array { elements: Some(cells), .. }, Snapshot::Array { elements: Some(found), .. }) => {
            cells.len() == found.len() && cells.iter().zip(found).all(|(cell, found)| equal(cell, found))
        }
        // The class of a constant with a body is its own.
        (Snapshot::Enum { constant, .. }, Snapshot::Enum { constant: found, .. }) => constant == found,
        _ => stated == found,
    }
}

/// What is known of one test under mutants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kills {
    pub(crate) by_end: BTreeSet<u32>,
    /// One an assertion.
    pub(crate) by_assertion: Vec<BTreeSet<u32>>,
    /// Mutants that make a difference in it and that it was not run under.
    pub(crate) open: BTreeSet<u32>,
    /// Not to be judged: it does not do under the mutants' switches what it does without them.
    pub(crate) unjudged: bool,
}

impl Kills {
    pub(crate) fn of(test: &AssertedTest) -> Kills {
        Kills { by_assertion: vec![BTreeSet::new(); test.assertions.len()], ..Kills::default() }
    }

    pub(crate) fn record(&mut self, mutant: u32, mutant_outcome: &MutantOutcome) {
        match mutant_outcome {
            MutantOutcome::Survived => {}
            MutantOutcome::KilledByTermination => {
                self.by_end.insert(mutant);
            }
            MutantOutcome::KilledByAssertion(failing) => failing.iter().for_each(|&place| {
                self.by_assertion[place].insert(mutant);
            }),
        }
    }

    /// By the end or by any of the assertions that are kept.
    pub(crate) fn killed_by(&self, keep: &[bool]) -> BTreeSet<u32> {
        let mut all = self.by_end.clone();
        for (kills, _) in self.by_assertion.iter().zip(keep).filter(|(_, keep)| **keep) {
            all.extend(kills);
        }
        all
    }
}

/// For each test the assertions to keep; `None` for one that is not `required` and kills nothing more. Every mutant that is known to be killed
/// by something stays killed by something.
pub fn select_assertions(
    tests: &[AssertedTest],
    kills: &[Kills],
    required: &[bool],
    most_further: usize,
) -> Vec<Option<Vec<bool>>> {
    let mut killed: BTreeSet<u32> = BTreeSet::new();
    let mut chosen: Vec<Option<Vec<bool>>> = vec![None; tests.len()];
    for place in (0..tests.len()).filter(|&place| required[place]) {
        chosen[place] = Some(vec![false; tests[place].assertions.len()]);
        killed.extend(&kills[place].by_end);
    }
    let mut known: BTreeSet<u32> = killed.clone();
    kills.iter().for_each(|kills| known.extend(kills.by_assertion.iter().flatten()));
    // What a test is about it says in any case; all of it, where it might be the only one to notice something.
    for (place, keep) in chosen.iter_mut().enumerate() {
        let Some(keep) = keep else { continue };
        let open = kills[place].unjudged || kills[place].open.iter().any(|mutant| !known.contains(mutant));
        let first = cheapest(&tests[place]);
        for (assertion, keep) in keep.iter_mut().enumerate() {
            // That some object is there notices little: not on mere suspicion.
            let weak = tests[place].assertions[assertion].fact == Fact::NotNull;
            *keep = (open && !weak && assertion < MOST_KEPT) || first == Some(assertion);
        }
        killed.extend(kills[place].killed_by(keep));
    }
    add_killers(tests, kills, &mut chosen, &mut killed);
    for _ in 0..most_further {
        let gain = |place: &usize| {
            let all = kills[*place].killed_by(&vec![true; tests[*place].assertions.len()]);
            all.difference(&killed).count()
        };
        let rest = (0..tests.len()).filter(|&place| chosen[place].is_none() && !kills[place].unjudged);
        // Most kills first, then the shortest, then the first.
        let best = rest
            .map(|place| (gain(&place), std::cmp::Reverse(tests[place].test.statements.len()), std::cmp::Reverse(place)))
            .max()
            .filter(|(gain, ..)| *gain > 0);
        let Some((_, _, std::cmp::Reverse(place))) = best else { break };
        let mut keep = vec![false; tests[place].assertions.len()];
        if let Some(first) = cheapest(&tests[place]) {
            keep[first] = true;
        }
        killed.extend(kills[place].killed_by(&keep));
        chosen[place] = Some(keep);
        add_killers(tests, kills, &mut chosen, &mut killed);
    }
    chosen
}

/// Adds the assertion that kills most of what is still alive, until none does.
fn add_killers(tests: &[AssertedTest], kills: &[Kills], chosen: &mut [Option<Vec<bool>>], killed: &mut BTreeSet<u32>) {
    loop {
        let mut best: Option<(usize, std::cmp::Reverse<u32>, usize, usize)> = None;
        for (place, keep) in chosen.iter().enumerate() {
            let Some(keep) = keep else { continue };
            if keep.iter().filter(|keep| **keep).count() >= MOST_KEPT {
                continue;
            }
            for assertion in (0..keep.len()).filter(|&assertion| !keep[assertion]) {
                let gain = kills[place].by_assertion[assertion].difference(killed).count();
                let candidate = (gain, std::cmp::Reverse(cost(&tests[place], assertion)), place, assertion);
                if gain > 0 && best.is_none_or(|best| (candidate.0, candidate.1) > (best.0, best.1)) {
                    best = Some(candidate);
                }
            }
        }
        let Some((_, _, place, assertion)) = best else { return };
        killed.extend(&kills[place].by_assertion[assertion]);
        if let Some(keep) = &mut chosen[place] {
            keep[assertion] = true;
        }
    }
}

fn cheapest(test: &AssertedTest) -> Option<usize> {
    (0..test.assertions.len()).min_by_key(|&assertion| cost(test, assertion))
}

/// What a reader has to take in: a plain value of what the test itself got is least.
fn cost(test: &AssertedTest, assertion: usize) -> u32 {
    let Assertion { subject, fact } = &test.assertions[assertion];
    let place = match &test.test.statements[subject.index()].kind {
        _ if subject.0 + 1 == test.acted => 0,
        StatementKind::Call { method, .. } if &*method.name == "hashCode" && subject.0 >= test.acted => 6,
        _ if subject.0 >= test.acted => 2,
        StatementKind::Call { method, .. } if test.target.as_ref() == Some(method) => 1,
        _ => 4,
    };
    let kind = match fact {
        Fact::Equals(Snapshot::Array { elements, .. }) => 3 + elements.as_ref().map_or(0, |cells| cells.len() as u32 / 4),
        Fact::Equals(Snapshot::Str(Some(units))) => 1 + units.len() as u32 / 40,
        Fact::Equals(_) | Fact::Null => 1,
        Fact::SameAs(_) => 2,
        Fact::InstanceOf(_) => 4,
        Fact::NotNull => 6,
    };
    place * 2 + kind
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = "\
target p/Foo.next (I)I
acted 3
v0: I = int 3
v1: Lp/Foo; = new p/Foo.<init> (I)V (v0)
v2: I = call method p/Foo.next (I)I on v1 (v0)
v3: I = call method p/Foo.size ()I on v1 ()
v4: Ljava/lang/String; = call method p/Foo.name ()Ljava/lang/String; on v1 ()
assert v2 equals int 4
assert v3 equals int 1
assert v4 equals string \"a\"
";

    fn test() -> AssertedTest {
        TEST.parse().expect("well-formed")
    }

    fn execution(end: RunEnd, values: [Snapshot; 3]) -> Execution {
        let mut snapshots = vec![Snapshot::Absent; 2];
        snapshots.extend(values);
        Execution {
            end,
            branches: Vec::new(),
            lines: Vec::new(),
            final_snapshots: snapshots.clone(),
            snapshots,
            classes: Vec::new(),
            outputs: Vec::new(),
            seen_strings: Vec::new(),
            left_running: false,
        }
    }

    fn text(text: &str) -> Snapshot {
        Snapshot::Str(Some(text.encode_utf16().collect()))
    }

    #[test]
    fn a_mutant_is_noticed_by_what_fails() {
        let mutant_outcome = |end, values| mutant_outcome(&test(), &execution(end, values), &|_, _| true);
        let plain = || [Snapshot::Int(4), Snapshot::Int(1), text("a")];
        assert_eq!(mutant_outcome(RunEnd::Completed, plain()), MutantOutcome::Survived);
        assert_eq!(mutant_outcome(RunEnd::Unrun, plain()), MutantOutcome::Survived);
        assert_eq!(mutant_outcome(RunEnd::Budget { statement: 2 }, plain()), MutantOutcome::KilledByTermination);
        assert_eq!(mutant_outcome(RunEnd::Died, plain()), MutantOutcome::KilledByTermination);
        assert_eq!(
            mutant_outcome(RunEnd::Completed, [Snapshot::Int(5), Snapshot::Int(1), text("b")]),
            MutantOutcome::KilledByAssertion(vec![0, 2])
        );
        // An inspector that throws fails its own assertion; those behind it have not been asked.
        let broken = [Snapshot::Int(4), Snapshot::Absent, Snapshot::Absent];
        assert_eq!(mutant_outcome(RunEnd::Timeout { statement: 3 }, broken), MutantOutcome::KilledByAssertion(vec![1]));
    }

    fn kills(by_end: &[u32], by_assertion: [&[u32]; 3]) -> Kills {
        Kills {
            by_end: by_end.iter().copied().collect(),
            by_assertion: by_assertion.iter().map(|kills| kills.iter().copied().collect()).collect(),
            ..Kills::default()
        }
    }

    #[test]
    fn what_kills_nothing_more_goes() {
        let tests = [test(), test()];
        let known = [kills(&[1], [&[2], &[2, 3], &[]]), kills(&[], [&[4], &[3], &[2]])];
        let chosen = select_assertions(&tests, &known, &[true, true], 0);
        // Each says what it is about; 3 is killed by the first that does.
        assert_eq!(chosen, [Some(vec![true, true, false]), Some(vec![true, false, false])]);
    }

    #[test]
    fn what_is_not_known_keeps_its_assertions() {
        let mut open = kills(&[], [&[2], &[], &[]]);
        open.open.insert(9);
        assert_eq!(select_assertions(&[test()], &[open.clone()], &[true], 0), [Some(vec![true; 3])]);
        // Another test kills that mutant: nothing is lost.
        let chosen = select_assertions(&[test(), test()], &[open, kills(&[9], [&[], &[], &[]])], &[true, true], 0);
        assert_eq!(chosen[0], Some(vec![true, false, false]));
    }

    #[test]
    fn a_further_test_has_to_kill() {
        let tests = [test(), test(), test()];
        let known = [kills(&[1], [&[], &[], &[]]), kills(&[1], [&[], &[], &[]]), kills(&[], [&[], &[], &[7]])];
        let chosen = select_assertions(&tests, &known, &[true, false, false], 5);
        assert_eq!(chosen, [Some(vec![true, false, false]), None, Some(vec![true, false, true])]);
        assert_eq!(select_assertions(&tests, &known, &[true, false, false], 0)[2], None);
    }
}
