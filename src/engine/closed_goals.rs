//! Goals that a generation does not search for, because recorded tests cover them or no change
//! reaches them.
//!
//! Flows in: carved facts or the impacted methods. Flows out: a search and a mutant search without
//! these goals. Must not know how the facts are found.

use std::collections::BTreeSet;

use tracewright_trace::numbering::search_sites;

use super::impact::ImpactedMethods;
use super::mutant_search::MutantSearch;
use super::target::Target;
use crate::carving::CarvedFacts;
use crate::path::BranchOutcome;
use crate::program::{MethodRef, Program};
use crate::report::RecordedTestsReport;
use crate::search::{GoalId, Search};
use crate::testcase::{CarvedSequence, TestCase};

/// Seeds the search with carved values and rebuilds the carved call sequences as test cases. Goals
/// that recorded tests cover are closed unless `keeps_covered` is true.
pub(super) fn seed_search(
    facts: CarvedFacts,
    target: &Target,
    program: &Program,
    search: &mut Search,
    mutant_search: Option<&mut MutantSearch<'_>>,
    keeps_covered: bool,
) -> (RecordedTestsReport, Vec<TestCase>) {
    let mut report = RecordedTestsReport { runs: facts.runs, values: facts.literals.len(), ..RecordedTestsReport::default() };
    for literal in facts.literals {
        search.seed_literal(literal);
    }
    let rebuilt = |life: &CarvedSequence| {
        let test = search.fill_carved_sequence(life, !keeps_covered);
        tracing::debug!("carved\n{life}rebuilt\n{}", test.as_ref().map(ToString::to_string).unwrap_or_default());
        test
    };
    let sequences: Vec<TestCase> = facts.sequences.iter().filter_map(rebuilt).collect();
    report.call_sequences = sequences.len();
    let was_run = |method: &MethodRef, bci: u32| facts.covered.instructions.get(method).is_some_and(|bcis| bcis.contains(&bci));
    let goals = ClosedGoals::find(target, program, search, was_run, &facts.covered.branches);
    (report.lines, report.branches) = (goals.lines.len(), goals.branches.len());
    if !keeps_covered {
        report.goals_left_out = goals.lines.len() + goals.branches.len();
        if let Some(mutant_search) = mutant_search {
            report.goals_left_out += mutant_search.exclude_mutants(was_run);
        }
        search.close_goals(goals.all());
    }
    (report, sequences)
}

/// Closes the goals of all methods that a change does not reach.
pub(super) fn close_unimpacted_goals(
    impacted: &ImpactedMethods,
    target: &Target,
    program: &Program,
    search: &mut Search,
    mutant_search: Option<&mut MutantSearch<'_>>,
) {
    let is_out = |method: &MethodRef, _: u32| !impacted.contains(method);
    let outcomes = target.branch_slots().map(|(site, _)| site);
    let branches: BTreeSet<BranchOutcome> = outcomes.filter(|site| is_out(&site.method, 0)).cloned().collect();
    let goals = ClosedGoals::find(target, program, search, is_out, &branches);
    if let Some(mutant_search) = mutant_search {
        mutant_search.exclude_mutants(is_out);
    }
    search.close_goals(goals.all());
}

/// Goals to close, by kind.
struct ClosedGoals {
    lines: BTreeSet<GoalId>,
    branches: BTreeSet<GoalId>,
    methods: BTreeSet<GoalId>,
}

impl ClosedGoals {
    /// `is_closed` says whether the goals of an instruction are closed: its line, and at bci 0 the
    /// goals of its method. `branches` are the closed branch outcomes.
    fn find(
        target: &Target,
        program: &Program,
        search: &Search,
        is_closed: impl Fn(&MethodRef, u32) -> bool,
        branches: &BTreeSet<BranchOutcome>,
    ) -> ClosedGoals {
        let goals = search.goals();
        let mut closed = ClosedGoals { lines: BTreeSet::new(), branches: BTreeSet::new(), methods: BTreeSet::new() };
        closed.branches.extend(branches.iter().filter_map(|branch| goals.branch_goal(target.slot_of(branch)?)));
        for class in target.classes() {
            let Some(model) = program.class(&class.name) else { continue };
            let sites = search_sites(&model.file).map(|sites| sites.lines).unwrap_or_default();
            for site in sites {
                let method = model.methods.iter().find(|method| method.index == site.method);
                if method.is_some_and(|method| is_closed(&method.reference, site.bci)) {
                    closed.lines.extend(goals.line_goal(site.slot.from_base(class.line_base)));
                }
            }
            for method in model.methods.iter().filter(|method| is_closed(&method.reference, 0)) {
                closed.methods.extend(goals.method_goals(&method.reference));
            }
        }
        closed
    }

    fn all(self) -> impl Iterator<Item = GoalId> {
        self.lines.into_iter().chain(self.branches).chain(self.methods)
    }
}
