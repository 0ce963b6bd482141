//! Plain facts about a class, and the [`ClassReport`] built from them. Flows in: values of the
//! engine without its types. Flows out: the report with its sentences. Must not know the engine.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::untested::main_obstacle;
use super::{
    ClassCoverage, ClassReport, Difference, Discarded, EqualMethod, Exhaustion, ExplainedTree, Goals, LikelyFault, MethodOutcome,
    MethodReport, MutantReport, Obstacle, PathReport, RecordedTestsReport, ReplayReport, SearchReport, SearchedGoals,
    SolverReport, TreeReport, UntestedCause,
};

/// Everything that is known about a class when its generation ends.
pub(crate) struct ClassFacts {
    /// Binary name.
    pub(crate) name: String,
    /// Since the class began.
    pub(crate) time: Duration,
    pub(crate) output: OutputFacts,
    pub(crate) remarks: Vec<String>,
    /// Parameter types without any way to get an object, each with the reason.
    pub(crate) unbuildable_types: BTreeMap<String, String>,
    pub(crate) goals: Goals,
    pub(crate) searched: SearchedGoals,
    pub(crate) methods: Vec<MethodFacts>,
    /// `None` where symbolic execution did not run.
    pub(crate) symbolic: Option<SymbolicReports>,
    pub(crate) search: SearchFacts,
    pub(crate) discarded: Discarded,
    pub(crate) mutants: MutantReport,
    pub(crate) recorded_tests: Option<RecordedTestsReport>,
    pub(crate) outdated_tests: BTreeMap<String, String>,
    pub(crate) acceptable_tests: BTreeSet<String>,
    pub(crate) accepted_tests: BTreeMap<String, String>,
    /// What differs from the earlier version; `None` where nothing was compared.
    pub(crate) differences: Option<Vec<Difference>>,
    pub(crate) equal_methods: Vec<EqualMethod>,
    /// By name and descriptor: methods all of whose paths are known.
    pub(crate) exhausted: BTreeMap<(String, String), Exhaustion>,
    pub(crate) paths: Vec<PathReport>,
    pub(crate) trees: Vec<ExplainedTree>,
    pub(crate) coverage: ClassCoverage,
}

/// The test file of a class.
pub(crate) enum OutputFacts {
    /// No test was left to write.
    Nothing,
    /// `file` is relative to the output folder. `proxies`: some test has a stub that is a proxy.
    Written { file: String, tests: usize, faults: Vec<LikelyFault>, proxies: bool },
    /// An existing file was edited by hand and stays.
    EditedByHand { file: String, faults: Vec<LikelyFault> },
}

/// One method or constructor under test.
pub(crate) struct MethodFacts {
    pub(crate) name: String,
    pub(crate) descriptor: String,
    /// A written test calls it.
    pub(crate) is_tested: bool,
    /// Everything that stood between the method and a written test.
    pub(crate) obstacles: Vec<Obstacle>,
}

impl MethodFacts {
    /// Why no written test calls the method.
    pub(crate) fn reason(&self) -> Option<String> {
        (!self.is_tested).then(|| main_obstacle(&self.obstacles).detail)
    }
}

/// The search of a class.
pub(crate) struct SearchFacts {
    pub(crate) executions: u64,
    /// From the begin of the class to the end of its search.
    pub(crate) time: Duration,
    /// Rejected candidates by reason.
    pub(crate) rejected: BTreeMap<String, u64>,
}

/// The reports of symbolic execution.
pub(crate) struct SymbolicReports {
    pub(crate) replay: ReplayReport,
    pub(crate) solver: SolverReport,
    pub(crate) tree: TreeReport,
}

impl ClassReport {
    /// The report of a class without any attempt to test it.
    pub(crate) fn without_tests(name: &str, reason: String) -> ClassReport {
        ClassReport { name: name.to_owned(), reason: Some(reason), ..ClassReport::default() }
    }

    /// The report of a class whose test file was edited by hand, which was found before the search.
    pub(crate) fn edited_by_hand(name: &str, file: &str) -> ClassReport {
        ClassReport::without_tests(name, reason_of_edited(file))
    }

    /// Why `differences` is `None` in the report of a `diff`.
    pub(crate) fn why_not_compared(&self) -> &str {
        self.reason.as_deref().unwrap_or("no reason found")
    }

    /// Goals that the written tests cover: branches, lines and mutants.
    pub(crate) fn shown_goals(&self) -> usize {
        self.goals.branch.covered + self.goals.line.covered + self.goals.mutant.covered
    }

    /// The report with what another turn of the class took.
    #[must_use]
    pub(crate) fn after(mut self, other: &ClassReport) -> ClassReport {
        let searching = |report: &ClassReport| match report.search.per_second {
            rate if rate > 0.0 => report.search.executions as f64 / rate,
            _ => 0.0,
        };
        let time = searching(&self) + searching(other);
        self.seconds = ((self.seconds + other.seconds) * 1000.0).round() / 1000.0;
        self.search.executions += other.search.executions;
        if time > 0.0 {
            self.search.per_second = (self.search.executions as f64 / time).round();
        }
        self
    }

    /// Computes rates and writes the sentences that say why there are no tests.
    pub(crate) fn from_facts(facts: ClassFacts) -> ClassReport {
        let mut report = ClassReport {
            name: facts.name,
            seconds: (facts.time.as_secs_f64() * 1000.0).round() / 1000.0,
            remarks: facts.remarks,
            unbuildable_types: facts.unbuildable_types,
            goals: facts.goals,
            searched: Some(facts.searched),
            methods: facts.methods.into_iter().map(|method| method_report(method, &facts.exhausted)).collect(),
            discarded: facts.discarded,
            mutants: facts.mutants,
            recorded_tests: facts.recorded_tests,
            outdated_tests: facts.outdated_tests,
            acceptable_tests: facts.acceptable_tests,
            accepted_tests: facts.accepted_tests,
            differences: facts.differences,
            equal_methods: facts.equal_methods,
            paths: facts.paths,
            trees: facts.trees,
            coverage: Some(facts.coverage),
            ..ClassReport::default()
        };
        match facts.output {
            OutputFacts::Nothing => {}
            OutputFacts::Written { file, tests, faults, proxies } => {
                (report.tests, report.file, report.faults) = (tests, Some(file), faults);
                report.proxies = proxies;
            }
            OutputFacts::EditedByHand { file, faults } => {
                report.faults = faults;
                report.reason = Some(reason_of_edited(&file));
            }
        }
        if report.tests == 0 && report.reason.is_none() {
            report.reason = Some(reason_without_tests(&report.methods, &facts.search));
        }
        if let Some(SymbolicReports { replay, solver, tree }) = facts.symbolic {
            (report.replay, report.solver, report.tree) = (replay, solver, tree);
        }
        let SearchFacts { executions, time, rejected } = facts.search;
        let per_second = (executions as f64 / time.as_secs_f64().max(0.001)).round();
        report.search = SearchReport { executions, per_second, rejected };
        report
    }
}

fn method_report(method: MethodFacts, exhausted: &BTreeMap<(String, String), Exhaustion>) -> MethodReport {
    let MethodFacts { name, descriptor, is_tested, obstacles } = method;
    let exhausted = exhausted.get(&(name.clone(), descriptor.clone())).cloned();
    let outcome = if is_tested { MethodOutcome::Tested } else { MethodOutcome::Untested };
    let tested = MethodReport { name, descriptor, outcome, cause: None, reason: None, remedy: None, exhausted };
    if is_tested {
        return tested;
    }
    let Obstacle { cause, detail, .. } = main_obstacle(&obstacles);
    let (cause, remedy) = (cause.key().into(), cause.remedy().into());
    MethodReport { cause: Some(cause), reason: Some(detail), remedy: Some(remedy), ..tested }
}

fn reason_of_edited(file: &str) -> String {
    format!("{file} was edited by hand and stays as it is: move it, or name another folder with --out")
}

/// The reason that most methods have, else the most frequent rejection reason.
fn reason_without_tests(methods: &[MethodReport], search: &SearchFacts) -> String {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for method in methods.iter().filter(|method| method.cause.as_deref() != Some(UntestedCause::NotReached.key())) {
        if let (Some(reason), Some(remedy)) = (&method.reason, &method.remedy) {
            *counts.entry((reason, remedy)).or_default() += 1;
        }
    }
    if let Some(((reason, remedy), _)) = counts.into_iter().max_by_key(|(_, count)| *count) {
        return format!("{reason}; {remedy}");
    }
    match search.rejected.iter().max_by_key(|(_, count)| **count) {
        Some((reason, count)) => {
            format!("no sequence could become a test; {count} of {} ended so: {reason}", search.executions)
        }
        None => "no sequence of calls reached it".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> ClassFacts {
        ClassFacts {
            name: "p.A".into(),
            time: Duration::from_micros(1_234_567),
            output: OutputFacts::Nothing,
            remarks: Vec::new(),
            unbuildable_types: BTreeMap::new(),
            goals: Goals::default(),
            searched: SearchedGoals::default(),
            methods: Vec::new(),
            symbolic: None,
            search: SearchFacts { executions: 50, time: Duration::from_secs(2), rejected: BTreeMap::new() },
            discarded: Discarded::default(),
            mutants: MutantReport::default(),
            recorded_tests: None,
            differences: None,
            outdated_tests: BTreeMap::new(),
            acceptable_tests: BTreeSet::new(),
            accepted_tests: BTreeMap::new(),
            equal_methods: Vec::new(),
            exhausted: BTreeMap::new(),
            paths: Vec::new(),
            trees: Vec::new(),
            coverage: ClassCoverage::default(),
        }
    }

    #[test]
    fn a_class_without_tests_has_a_reason() {
        let report = ClassReport::from_facts(facts());
        assert_eq!((report.seconds, report.search.per_second), (1.235, 25.0));
        assert_eq!(report.reason.as_deref(), Some("no sequence of calls reached it"));
        let mut rejected = facts();
        rejected.search.rejected = BTreeMap::from([("time limit".into(), 3), ("refused".into(), 40)]);
        let reason = ClassReport::from_facts(rejected).reason.expect("a reason");
        assert_eq!(reason, "no sequence could become a test; 40 of 50 ended so: refused");
        let edited = OutputFacts::EditedByHand { file: "out/ATest.java".into(), faults: Vec::new() };
        let reason = ClassReport::from_facts(ClassFacts { output: edited, ..facts() }).reason.expect("a reason");
        assert!(reason.starts_with("out/ATest.java was edited by hand"), "{reason}");
        let written = OutputFacts::Written { file: "ATest.java".into(), tests: 2, faults: Vec::new(), proxies: true };
        let report = ClassReport::from_facts(ClassFacts { output: written, ..facts() });
        assert_eq!((report.tests, report.file.as_deref(), report.reason), (2, Some("ATest.java"), None));
    }

    #[test]
    fn an_untested_method_has_its_cause_with_a_remedy_and_the_class_that_of_most_methods() {
        let method = |is_tested, obstacles: &[(UntestedCause, &str)]| MethodFacts {
            name: "m".into(),
            descriptor: "()V".into(),
            is_tested,
            obstacles: obstacles
                .iter()
                .map(|(cause, detail)| Obstacle { cause: *cause, detail: (*detail).into(), count: 1 })
                .collect(),
        };
        let refused = [(UntestedCause::Needs, "no p.B"), (UntestedCause::Refused, "refused delete")];
        let report = method_report(method(false, &refused), &BTreeMap::new());
        assert_eq!((report.cause.as_deref(), report.reason.as_deref()), (Some("refused"), Some("refused delete")));
        assert_eq!(method_report(method(true, &refused), &BTreeMap::new()).reason, None);
        assert_eq!(method_report(method(false, &[]), &BTreeMap::new()).cause.as_deref(), Some("not-reached"));
        let methods = || vec![method(false, &[]), method(false, &refused), method(false, &refused)];
        let reason = ClassReport::from_facts(ClassFacts { methods: methods(), ..facts() }).reason.expect("a reason");
        assert_eq!(reason, "refused delete; allow the operation with --allow");
    }
}
