//! The page of a class: the figures of its tests, its open branches with their reasons, and its lines.
//!
//! Flows in: the report of a class, and the text of its source where there is one. Flows out: the
//! sections of the page in their order. Must not know HTML, nor where sources are.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::figures::{CoverageShare, PageFigures};
use super::flow::{FlowDrawing, flow_drawings};
use super::source::{LineListing, line_listing};
use crate::report::signature::java_declaration;
use crate::report::{
    ClassCoverage, ClassReport, CoverageCount, Difference, EqualMethod, LikelyFault, MethodOutcome, MethodReport, NumberSet,
    counted,
};

/// All that is known about a class.
#[derive(Debug, Serialize)]
pub(super) struct ClassPage<'a> {
    /// Binary name.
    name: &'a str,
    figures: PageFigures,
    /// The test file.
    file: Option<&'a str>,
    /// Why there is no test file.
    reason: Option<&'a str>,
    remarks: &'a [String],
    /// What differs from an earlier version; `None` where the class was not compared.
    differences: Option<&'a [Difference]>,
    /// Where nothing differs: in how many executions.
    compared: String,
    /// What is proved about changed methods.
    equal_methods: Vec<String>,
    earlier_tests: Vec<EarlierTestRow<'a>>,
    faults: Vec<FaultEntry<'a>>,
    methods: Vec<MethodRow<'a>>,
    open_branches: Vec<OpenBranchEntry<'a>>,
    mutants: Vec<MutantEntry<'a>>,
    /// In the order of [`ClassCoverage::tests`], which the lines of the listing refer to.
    tests: Vec<TestEntry<'a>>,
    /// `None` where coverage is unknown.
    listing: Option<LineListing<'a>>,
    /// The control flow of the methods that decide something.
    flows: Vec<FlowDrawing<'a>>,
}

/// A test of an earlier run that a change made wrong.
#[derive(Debug, Serialize)]
struct EarlierTestRow<'a> {
    name: &'a str,
    /// The expected and the found value, or why the test fails.
    change: &'a str,
    /// The test has the new value now.
    accepted: bool,
}

/// A likely fault.
#[derive(Debug, Serialize)]
struct FaultEntry<'a> {
    description: &'a str,
    test: &'a str,
    /// Empty where it is unknown.
    input: &'a str,
    place: LinePlace,
}

/// A method of the class.
#[derive(Debug, Serialize)]
struct MethodRow<'a> {
    /// As Java declares it.
    declaration: String,
    is_tested: bool,
    /// `None` where its lines are unknown.
    lines: Option<CoverageShare>,
    /// Why it is untested; empty where that is unknown, or where it is tested.
    reason: &'a str,
    /// What the user can do; empty where there is no advice.
    remedy: &'a str,
}

/// A branch outcome that no test takes.
#[derive(Debug, Serialize)]
struct OpenBranchEntry<'a> {
    place: LinePlace,
    method: &'a str,
    condition: &'a str,
    why: &'a str,
}

/// A mutant that no test kills.
#[derive(Debug, Serialize)]
struct MutantEntry<'a> {
    place: LinePlace,
    change: &'a str,
}

/// A test method.
#[derive(Debug, Serialize)]
struct TestEntry<'a> {
    name: &'a str,
    /// What it covers: `lines 3-5,9`.
    lines: String,
}

/// A line of the source in words, with its anchor on the page where the page has one.
#[derive(Debug, Serialize)]
struct LinePlace {
    label: String,
    anchor: Option<u32>,
}

/// Describes the page of a class.
pub(super) fn class_page<'a>(class: &'a ClassReport, source: Option<&'a str>) -> ClassPage<'a> {
    let coverage = class.coverage.as_ref();
    let listing = coverage.map(|coverage| line_listing(coverage, source));
    let anchors = listing.as_ref().map(LineListing::anchors).unwrap_or_default();
    let covered = coverage.map(ClassCoverage::covered_lines).unwrap_or_default();
    ClassPage {
        name: &class.name,
        figures: PageFigures::of(&[class]),
        file: class.file.as_deref(),
        reason: class.reason.as_deref(),
        remarks: &class.remarks,
        differences: class.differences.as_deref(),
        compared: counted(class.search.executions, "execution", "executions"),
        equal_methods: class.equal_methods.iter().map(EqualMethod::sentence).collect(),
        earlier_tests: earlier_tests(class),
        faults: fault_entries(class, &anchors),
        methods: class.methods.iter().map(|method| method_row(class, method, &covered)).collect(),
        open_branches: coverage.map(|coverage| open_branches(coverage, &anchors)).unwrap_or_default(),
        mutants: coverage.map(|coverage| mutant_entries(coverage, &anchors)).unwrap_or_default(),
        tests: coverage.map(test_entries).unwrap_or_default(),
        listing,
        flows: coverage.map(|coverage| flow_drawings(coverage, &class.trees)).unwrap_or_default(),
    }
}

/// The tests of earlier runs: those that fail first.
fn earlier_tests(class: &ClassReport) -> Vec<EarlierTestRow<'_>> {
    let rows = |tests, accepted| {
        let tests: &BTreeMap<String, String> = tests;
        tests.iter().map(move |(name, change)| EarlierTestRow { name, change, accepted })
    };
    rows(&class.outdated_tests, false).chain(rows(&class.accepted_tests, true)).collect()
}

/// The likely faults, in the order of the report.
fn fault_entries<'a>(class: &'a ClassReport, anchors: &BTreeSet<u32>) -> Vec<FaultEntry<'a>> {
    let entry = |fault: &'a LikelyFault| FaultEntry {
        description: &fault.description,
        test: &fault.test,
        input: &fault.input,
        place: line_place(fault.line.unwrap_or_default(), anchors),
    };
    class.faults.iter().map(entry).collect()
}

/// The row of a method. Coverage names methods by their declarations.
fn method_row<'a>(class: &ClassReport, method: &'a MethodReport, covered: &NumberSet) -> MethodRow<'a> {
    let declaration = java_declaration(&class.name, &method.name, &method.descriptor);
    let known = class.coverage.iter().flat_map(|coverage| &coverage.methods).find(|known| known.method == declaration);
    let lines = known.map(|known| {
        let covered = known.lines.iter().filter(|line| covered.contains(*line)).count();
        CoverageShare::of(CoverageCount { covered, total: known.lines.iter().count() })
    });
    MethodRow {
        is_tested: method.outcome == MethodOutcome::Tested,
        lines,
        reason: method.reason.as_deref().unwrap_or_default(),
        remedy: method.remedy.as_deref().unwrap_or_default(),
        declaration,
    }
}

/// The open branches, in the order of the class files.
fn open_branches<'a>(coverage: &'a ClassCoverage, anchors: &BTreeSet<u32>) -> Vec<OpenBranchEntry<'a>> {
    let open = coverage.branches.iter().filter_map(|branch| Some((branch, branch.open.as_deref()?)));
    open.map(|(branch, why)| OpenBranchEntry {
        place: line_place(branch.line, anchors),
        method: coverage.methods.get(branch.method).map_or("", |method| method.method.as_str()),
        condition: &branch.condition,
        why,
    })
    .collect()
}

/// The surviving mutants, in the order of the report.
fn mutant_entries<'a>(coverage: &'a ClassCoverage, anchors: &BTreeSet<u32>) -> Vec<MutantEntry<'a>> {
    let mutants = coverage.mutants.iter();
    mutants.map(|mutant| MutantEntry { place: line_place(mutant.line, anchors), change: &mutant.change }).collect()
}

/// The tests, in the order of the test file.
fn test_entries(coverage: &ClassCoverage) -> Vec<TestEntry<'_>> {
    let lines_of = |lines: &NumberSet| match lines.iter().count() {
        0 => "no lines".to_owned(),
        1 => format!("line {lines}"),
        _ => format!("lines {lines}"),
    };
    coverage.tests.iter().map(|test| TestEntry { name: &test.name, lines: lines_of(&test.lines) }).collect()
}

/// A line with a link where it has an anchor; line 0 stands for an unknown one.
fn line_place(line: u32, anchors: &BTreeSet<u32>) -> LinePlace {
    let label = if line == 0 { "unknown line".to_owned() } else { format!("line {line}") };
    LinePlace { label, anchor: anchors.get(&line).copied() }
}
