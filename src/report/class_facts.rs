//! Plain facts about a class, and the [`ClassReport`] built from them. Flows in: values of the
//! engine without its types. Flows out: the report with its sentences. Must not know the engine.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{
    ClassReport, Discarded, Goals, LikelyFault, MethodOutcome, MethodReport, MutantReport, RecordedTestsReport, ReplayReport,
    SearchReport, SolverReport, TreeReport,
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
    pub(crate) methods: Vec<MethodFacts>,
    /// `None` where symbolic execution did not run.
    pub(crate) symbolic: Option<SymbolicReports>,
    pub(crate) search: SearchFacts,
    pub(crate) discarded: Discarded,
    pub(crate) mutants: MutantReport,
    pub(crate) recorded_tests: Option<RecordedTestsReport>,
    pub(crate) outdated_tests: BTreeMap<String, String>,
}

/// The test file of a class.
pub(crate) enum OutputFacts {
    /// No test was left to write.
    Nothing,
    /// `file` is relative to the output folder.
    Written { file: String, tests: usize, faults: Vec<LikelyFault> },
    /// An existing file was edited by hand and stays.
    EditedByHand { file: String, faults: Vec<LikelyFault> },
}

/// One method or constructor under test.
pub(crate) struct MethodFacts {
    pub(crate) name: String,
    pub(crate) descriptor: String,
    /// A written test calls it.
    pub(crate) is_tested: bool,
    /// How executions that were rejected ended in a call of it, each with its count.
    pub(crate) rejections: Vec<(String, u32)>,
    /// The first parameter type without any way to get an object, with the reason.
    pub(crate) unbuildable_parameter: Option<(String, String)>,
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

    /// Computes rates and writes the sentences that say why there are no tests.
    pub(crate) fn from_facts(facts: ClassFacts) -> ClassReport {
        let mut report = ClassReport {
            name: facts.name,
            seconds: (facts.time.as_secs_f64() * 1000.0).round() / 1000.0,
            remarks: facts.remarks,
            unbuildable_types: facts.unbuildable_types,
            goals: facts.goals,
            methods: facts.methods.into_iter().map(method_report).collect(),
            discarded: facts.discarded,
            mutants: facts.mutants,
            recorded_tests: facts.recorded_tests,
            outdated_tests: facts.outdated_tests,
            ..ClassReport::default()
        };
        match facts.output {
            OutputFacts::Nothing => {}
            OutputFacts::Written { file, tests, faults } => {
                (report.tests, report.file, report.faults) = (tests, Some(file), faults);
            }
            OutputFacts::EditedByHand { file, faults } => {
                report.faults = faults;
                report.reason =
                    Some(format!("{file} was edited by hand and stays as it is: move it, or name another folder with --out"));
            }
        }
        if report.tests == 0 && report.reason.is_none() {
            report.reason = Some(reason_without_tests(&facts.search));
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

fn method_report(method: MethodFacts) -> MethodReport {
    let reason = (!method.is_tested).then(|| reason_untested(&method));
    let outcome = if method.is_tested { MethodOutcome::Tested } else { MethodOutcome::Untested };
    MethodReport { name: method.name, descriptor: method.descriptor, outcome, reason }
}

fn reason_untested(method: &MethodFacts) -> String {
    if !method.rejections.is_empty() {
        let rejections = method.rejections.iter();
        let sentences: Vec<String> = rejections.map(|(reason, runs)| format!("{runs} runs ended in it: {reason}")).collect();
        return sentences.join("; ");
    }
    match &method.unbuildable_parameter {
        Some((ty, reason)) => format!("no {ty} can be built: {reason}"),
        None => "no passing test was found".into(),
    }
}

/// Names the most frequent rejection reason.
fn reason_without_tests(search: &SearchFacts) -> String {
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
            methods: Vec::new(),
            symbolic: None,
            search: SearchFacts { executions: 50, time: Duration::from_secs(2), rejected: BTreeMap::new() },
            discarded: Discarded::default(),
            mutants: MutantReport::default(),
            recorded_tests: None,
            outdated_tests: BTreeMap::new(),
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
        let written = OutputFacts::Written { file: "ATest.java".into(), tests: 2, faults: Vec::new() };
        let report = ClassReport::from_facts(ClassFacts { output: written, ..facts() });
        assert_eq!((report.tests, report.file.as_deref(), report.reason), (2, Some("ATest.java"), None));
    }

    #[test]
    fn an_untested_method_has_the_most_specific_reason() {
        let method = |is_tested, rejections: &[(&str, u32)], parameter: Option<(&str, &str)>| MethodFacts {
            name: "m".into(),
            descriptor: "()V".into(),
            is_tested,
            rejections: rejections.iter().map(|(reason, runs)| ((*reason).to_owned(), *runs)).collect(),
            unbuildable_parameter: parameter.map(|(ty, reason)| (ty.to_owned(), reason.to_owned())),
        };
        let reason = |method| method_report(method).reason;
        let parameter = Some(("p.B", "it is private"));
        assert_eq!(reason(method(true, &[("x", 1)], parameter)), None);
        let rejected = reason(method(false, &[("the JVM died", 2), ("x", 1)], parameter));
        assert_eq!(rejected.as_deref(), Some("2 runs ended in it: the JVM died; 1 runs ended in it: x"));
        let unbuildable = reason(method(false, &[], parameter));
        assert_eq!(unbuildable.as_deref(), Some("no p.B can be built: it is private"));
        assert_eq!(reason(method(false, &[], None)).as_deref(), Some("no passing test was found"));
    }
}
