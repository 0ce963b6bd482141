//! What the written tests of a class cover, line by line and branch by branch, for the report.
//!
//! Flows in: the target, the search, the verified tests with the goals that each covers, what
//! symbolic execution refuted. Flows out: the places with the tests that cover them, and for each
//! open branch one sentence that says what it waits for. Must not know how a report is shown.
//!
//! The reason of an open branch is the first that holds: a test was found and lost; its jump is not
//! reached, for which the condition around it or the method itself is the cause; no input takes it;
//! nothing that was tried takes it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tracewright_classfile::{BinaryOp, Code, Mutant, Operator};
use tracewright_trace::{BranchSite, BranchSiteKind, BranchSlot, search_sites};

use super::covered_goals::CoveredGoals;
use super::target::{Target, name_in_source};
use super::tree_text::java_signature;
use crate::execution::TargetClass;
use crate::program::{
    BranchOutcome, ClassModel, ClassName, ControlDependence, FlowBlock, FlowEdge, FlowGraph, FlowKind, MethodModel, MethodRef,
    Program, SourceCondition, SourceValue,
};
use crate::report::{
    BranchCoverage, ClassCoverage, FlowWay, MethodCoverage, MethodFacts, MethodFlow, NumberSet, SurvivingMutant, TestCoverage,
};
use crate::search::{GoalId, Search};

/// What is known about the tests of a class when they are written.
pub(super) struct WrittenTests<'a> {
    pub(super) program: &'a Program,
    pub(super) target: &'a Target,
    pub(super) search: &'a Search,
    /// The methods under test, with what stood between them and a test.
    pub(super) methods: &'a [MethodFacts],
    /// Branch outcomes that no known path leads to.
    pub(super) refuted: &'a BTreeSet<BranchOutcome>,
    /// Each written test case: its test method, and what it covers.
    pub(super) tests: Vec<(&'a str, &'a CoveredGoals)>,
    /// Text forms of the mutants that none of these kills.
    pub(super) surviving: &'a [String],
    /// Why most of the tests were dropped that are not written.
    pub(super) loss: Option<String>,
}

/// The lines and branches of the target's classes, by the goals that stand for them.
#[derive(Default)]
struct Places {
    methods: Vec<MethodCoverage>,
    lines: BTreeMap<GoalId, u32>,
    branches: Vec<BranchCoverage>,
    branch_places: BTreeMap<GoalId, u32>,
}

/// A method with its decoded body, while its branches are described.
struct MethodBody<'a> {
    method: &'a MethodModel,
    code: Arc<Code>,
    control: Arc<ControlDependence>,
    /// By bci of the jump or switch: its site.
    sites: BTreeMap<u32, &'a BranchSite>,
    base: BranchSlot,
    /// Whether a test covers a line of it.
    is_entered: bool,
}

/// Describes what the tests cover.
pub(super) fn class_coverage(written: &WrittenTests<'_>) -> ClassCoverage {
    let covered = CoveredGoals::union(written.tests.iter().map(|(_, covered)| *covered));
    let found = CoveredGoals::of_archive(written.search);
    let mut places = Places::default();
    for class in written.target.classes() {
        written.add_class(&mut places, class, &covered, &found);
    }
    let source = written.program.class(written.target.name()).and_then(|class| source_of(&class));
    let surviving = written.surviving.iter().filter_map(|text| Mutant::parse(text).ok());
    ClassCoverage {
        source,
        tests: places.tests(&written.tests),
        methods: places.methods,
        branches: places.branches,
        mutants: surviving
            .map(|mutant| SurvivingMutant { line: u32::from(mutant.line), change: change_in_words(written.program, &mutant) })
            .collect(),
    }
}

/// The source file of the class below a folder of sources.
fn source_of(class: &ClassModel) -> Option<String> {
    let file = class.file.source_file().ok().flatten()?;
    let package = class.name.package();
    Some(if package.is_empty() { file.to_owned() } else { format!("{package}/{file}") })
}

impl WrittenTests<'_> {
    fn add_class(&self, places: &mut Places, target: &TargetClass, covered: &CoveredGoals, found: &CoveredGoals) {
        let goals = self.search.goals();
        let Some(class) = self.program.class(&target.name) else { return };
        let Ok(sites) = search_sites(&class.file) else { return };
        for method in &class.methods {
            let of_method = sites.lines.iter().filter(|site| site.method == method.index);
            let lines: Vec<(GoalId, u32)> = of_method
                .filter_map(|site| Some((goals.line_goal(site.slot.from_base(target.line_base))?, u32::from(site.line))))
                .collect();
            let own: BTreeMap<u32, &BranchSite> =
                sites.branches.iter().filter(|site| site.method == method.index).map(|site| (site.bci, site)).collect();
            let has_branches = own.values().any(|site| goals.branch_goal(site.slot.from_base(target.branch_base)).is_some());
            if lines.is_empty() && !has_branches {
                continue;
            }
            let number = places.methods.len();
            places.methods.push(MethodCoverage {
                method: shown_name(&method.reference, self.target),
                lines: lines.iter().map(|(_, line)| *line).collect(),
                flow: None,
            });
            let is_entered = lines.iter().any(|(goal, _)| covered.contains(*goal));
            places.lines.extend(lines);
            let (Some(code), Some(control)) = (class.code(method), class.control_dependence(method)) else { continue };
            let body = MethodBody { method, code, control, sites: own, base: target.branch_base, is_entered };
            for site in body.sites.values() {
                for outcome in 0..site.slots() {
                    let slot = body.slot(site, outcome);
                    let own = goals.branch_goal(slot).filter(|_| goals.slot_of_goal(slot) == slot);
                    let Some(goal) = own else { continue };
                    let open = (!covered.contains(goal)).then(|| self.open_reason(&body, site, outcome, covered, found));
                    places.branch_places.insert(goal, places.branches.len() as u32);
                    places.branches.push(BranchCoverage {
                        method: number,
                        line: body.line(site.bci),
                        condition: if open.is_some() { self.condition(&body, site, outcome) } else { String::new() },
                        open,
                    });
                }
            }
            if has_branches {
                places.methods[number].flow = Some(self.flow(&body, &places.branch_places));
            }
        }
    }

    /// The control flow of a method, with the places of its branch outcomes.
    fn flow(&self, body: &MethodBody<'_>, branch_places: &BTreeMap<GoalId, u32>) -> MethodFlow {
        let graph = FlowGraph::of(&body.code);
        let lines = |block: &FlowBlock| {
            block.instructions.iter().map(|bci| body.line(*bci)).filter(|line| *line > 0).collect::<NumberSet>()
        };
        let way = |edge: &FlowEdge| {
            let way = FlowWay { from: edge.from, to: edge.to, ..FlowWay::default() };
            let FlowKind::Outcome { bci, outcome } = edge.kind else {
                return FlowWay { is_exception: edge.kind == FlowKind::Exception, ..way };
            };
            let Some(site) = body.sites.get(&bci) else { return way };
            let goal = self.search.goals().branch_goal(body.slot(site, outcome));
            FlowWay {
                condition: self.condition(body, site, outcome),
                branch: goal.and_then(|goal| branch_places.get(&goal).copied()),
                is_of_condition: !is_switch(&site.kind),
                ..way
            }
        };
        MethodFlow { blocks: graph.blocks.iter().map(lines).collect(), edges: graph.edges.iter().map(way).collect() }
    }

    /// What holds where the jump or switch goes this way, as the source would say it.
    fn condition(&self, body: &MethodBody<'_>, site: &BranchSite, outcome: u32) -> String {
        let key = match &site.kind {
            BranchSiteKind::TableSwitch { low, .. } if outcome + 1 < site.slots() => Some(i64::from(*low) + i64::from(outcome)),
            BranchSiteKind::LookupSwitch { keys } => keys.get(outcome as usize).copied().map(i64::from),
            BranchSiteKind::TableSwitch { .. } => None,
            _ => {
                let condition = self.program.source_condition(&body.outcome(site.bci, outcome));
                return condition.map_or_else(|| "another condition".into(), |condition| condition_in_words(&condition));
            }
        };
        // Strings and constants of enums have other numbers in the class file than in the source.
        key.map_or_else(|| "no case of the switch matches".into(), |key| format!("the switch has the key {key}"))
    }

    /// Why no test takes the branch.
    fn open_reason(
        &self,
        body: &MethodBody<'_>,
        site: &BranchSite,
        outcome: u32,
        covered: &CoveredGoals,
        found: &CoveredGoals,
    ) -> String {
        let goals = self.search.goals();
        let is_in = |goals_of: &CoveredGoals, site: &BranchSite, outcome: u32| {
            goals.branch_goal(body.slot(site, outcome)).is_some_and(|goal| goals_of.contains(goal))
        };
        if is_in(found, site, outcome) {
            let loss = self.loss.as_ref().map(|loss| format!("; of this class, {loss}")).unwrap_or_default();
            return format!("a test that takes it was found and not written{loss}");
        }
        let way = body.outcome(site.bci, outcome);
        let is_null = || self.program.source_condition(&way).is_some_and(|condition| condition.is_null_check(true));
        if self.program.guards_close(&way) && is_null() {
            return "the compiler added this check of a resource: it is taken where the resource is null".into();
        }
        if (0..site.slots()).any(|other| is_in(covered, site, other) || is_in(found, site, other)) {
            let branch = body.outcome(site.bci, outcome);
            return if self.refuted.contains(&branch) {
                "no input takes it: on every known path, the conditions before it contradict it".into()
            } else {
                format!("none of {} runs took it", self.search.progress().executions)
            };
        }
        let around = body.control.depends_on(site.bci).iter().filter(|edge| edge.bci != site.bci);
        let known: Vec<(&BranchSite, u32)> =
            around.filter_map(|edge| Some((*body.sites.get(&edge.bci)?, edge.outcome))).collect();
        if let Some((before, way)) = known.iter().find(|(before, way)| !is_in(covered, before, *way)) {
            let condition = self.condition(body, before, *way);
            return match body.line(before.bci) {
                0 => format!("it is reached where {condition}"),
                line => format!("it is reached where {condition} (line {line})"),
            };
        }
        if !known.is_empty() || body.is_entered {
            return "no run got this far: an exception before it, or the lack of one, led elsewhere".into();
        }
        self.reason_of_method(&body.method.reference)
            .unwrap_or_else(|| format!("no test reaches {}", shown_name(&body.method.reference, self.target)))
    }

    /// Why the method is untested, where it is one of those under test.
    fn reason_of_method(&self, method: &MethodRef) -> Option<String> {
        // Methods under test have the name of the target.
        let is_own = method.owner == *self.target.name();
        let facts = self
            .methods
            .iter()
            .filter(|_| is_own)
            .find(|facts| *facts.name == *method.name && *facts.descriptor == *method.descriptor)?;
        facts.reason()
    }
}

fn is_switch(kind: &BranchSiteKind) -> bool {
    matches!(kind, BranchSiteKind::TableSwitch { .. } | BranchSiteKind::LookupSwitch { .. })
}

impl MethodBody<'_> {
    fn slot(&self, site: &BranchSite, outcome: u32) -> BranchSlot {
        site.slot.of_outcome(outcome).from_base(self.base)
    }

    fn outcome(&self, bci: u32, outcome: u32) -> BranchOutcome {
        BranchOutcome { method: self.method.reference.clone(), bci, outcome }
    }

    /// 0 where there is no line number table.
    fn line(&self, bci: u32) -> u32 {
        self.code.line_of(bci).map_or(0, u32::from)
    }
}

impl Places {
    /// The test methods in their order, each with what its rows cover.
    fn tests(&self, cases: &[(&str, &CoveredGoals)]) -> Vec<TestCoverage> {
        let mut tests: Vec<TestCoverage> = Vec::new();
        for (name, covered) in cases {
            let lines = covered.lines.iter().filter_map(|goal| self.lines.get(goal).copied());
            let branches = covered.branches.iter().filter_map(|goal| self.branch_places.get(goal).copied());
            match tests.last_mut().filter(|last| last.name == *name) {
                Some(last) => {
                    last.lines = last.lines.iter().chain(lines).collect();
                    last.branches = last.branches.iter().chain(branches).collect();
                }
                None => {
                    tests.push(TestCoverage { name: (*name).to_owned(), lines: lines.collect(), branches: branches.collect() });
                }
            }
        }
        tests
    }
}

/// The method as a person would name it; the body of a lambda by the method around it.
pub(super) fn shown_name(method: &MethodRef, target: &Target) -> String {
    match name_in_source(&method.name) {
        around if method.name.starts_with("lambda$") => format!("lambda in {around}"),
        _ => java_signature(method, target.name()),
    }
}

/// The condition as Java writes it. The iterator of a loop has no name there.
pub(super) fn condition_in_words(condition: &SourceCondition) -> String {
    match condition {
        SourceCondition::IsTrue(SourceValue::Call(call), has_next)
            if &*call.method.name == "hasNext" && call.receiver == Some(SourceValue::Unknown) =>
        {
            if *has_next {
                "there is a next element".into()
            } else {
                "there is no next element".into()
            }
        }
        _ if condition.has_unknown() => "another condition".into(),
        _ => condition.to_string(),
    }
}

/// What the mutant changes, in words.
fn change_in_words(program: &Program, mutant: &Mutant) -> String {
    let (before, after) = mutant.change.split_once("->").unwrap_or((&mutant.change, ""));
    let condition = || {
        let method = MethodRef::new(ClassName::new(&mutant.class), &mutant.method, &mutant.descriptor);
        let bci = mutant.bcis.first().copied().unwrap_or_default();
        // Compilers jump where the condition of the source does not hold.
        let condition = program.source_condition(&BranchOutcome { method, bci, outcome: 0 });
        condition.map_or_else(|| "a condition".to_owned(), |condition| condition_in_words(&condition))
    };
    match mutant.operator {
        Operator::ConditionalsBoundary => format!("the bound of {} is included or left out", condition()),
        Operator::NegateConditionals => format!("{} becomes its opposite", condition()),
        Operator::Increments => "a step goes the other way".into(),
        Operator::InvertNegs => "a number keeps its sign".into(),
        Operator::Math => format!("{} becomes {}", operator_sign(before), operator_sign(after)),
        Operator::VoidMethodCalls => format!("the call of {} is left out", called_name(before)),
        Operator::FalseReturns
        | Operator::TrueReturns
        | Operator::PrimitiveReturns
        | Operator::EmptyReturns
        | Operator::NullReturns => {
            format!("the result is always {after}")
        }
    }
}

/// The sign in Java of an instruction such as `iadd`.
fn operator_sign(mnemonic: &str) -> &str {
    BinaryOp::of_mnemonic(mnemonic).map_or(mnemonic, |op| op.sign())
}

/// `Order.cancel` of `shop/order/Order.cancel()V`.
fn called_name(member: &str) -> String {
    let name = member.split('(').next().unwrap_or(member);
    name.rsplit('/').next().unwrap_or(name).replace('$', ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_operations_and_calls_have_the_names_of_the_source() {
        assert_eq!(["iadd", "lushr", "dneg"].map(operator_sign), ["+", ">>>", "dneg"]);
        assert_eq!(called_name("shop/order/Order$Line.cancel(I)V"), "Order.Line.cancel");
    }
}
