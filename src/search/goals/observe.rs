//! From executions to goals: what an execution hit, by slot, and which goals it covers. Flows in:
//! test cases and their executions; flows out: hits and covered goals. Must not know distances
//! between goals.

use std::collections::BTreeSet;

use tracewright_trace::{BranchSlot, LineSlot};

use super::registry::{Goal, GoalId, GoalRegistry, Handler, MethodId, organisation};
use super::weakness::is_answer;
use crate::execution::{Execution, RunEnd, Thrown, ValueClass, is_of_jdk};
use crate::program::{ClassName, JavaType, MethodRef};
use crate::testcase::{Statement, StatementKind, TestCase};

/// Exceptions by which the JDK says that it does not accept an argument.
const REFUSALS: [&str; 9] = [
    "DateTimeException",
    "DateTimeParseException",
    "IllegalArgumentException",
    "IllegalCharsetNameException",
    "IndexOutOfBoundsException",
    "InvalidPathException",
    "NumberFormatException",
    "PatternSyntaxException",
    "StringIndexOutOfBoundsException",
];

/// The best end of the test's own calls of one method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallOutcome {
    #[default]
    /// No statement calls the method.
    NotCalled,
    /// Each call ended with an exception.
    Threw,
    /// At least one call returned.
    Returned,
}

/// What one execution reached, by slot and method. The tables are reused from one execution to the
/// next; the lists of touched entries make clearing them cheap.
#[derive(Debug, Default)]
pub(crate) struct GoalHits {
    /// By branch slot; NaN: the jump was not reached.
    distances: Vec<f64>,
    lines: Vec<bool>,
    entered: Vec<bool>,
    called: Vec<CallOutcome>,
    touched: Vec<BranchSlot>,
    touched_lines: Vec<LineSlot>,
    touched_methods: Vec<MethodId>,
}

impl GoalHits {
    /// Replaces the hits by those of an execution. `branches`: slots with distances; `lines`:
    /// slots; slots of other classes are ignored.
    pub(crate) fn load(
        &mut self,
        goals: &GoalRegistry,
        branches: &[(BranchSlot, f64)],
        lines: &[LineSlot],
        calls: &[(MethodId, CallOutcome)],
    ) {
        self.clear();
        self.distances.resize(goals.branch_goals.len(), f64::NAN);
        self.lines.resize(goals.line_goals.len(), false);
        self.entered.resize(goals.methods().len(), false);
        self.called.resize(goals.methods().len(), CallOutcome::NotCalled);
        for &(slot, distance) in branches {
            let Some(place) = self.distances.get_mut(slot.index()) else { continue };
            *place = distance;
            self.touched.push(slot);
            if let Some(method) = goals.method_of_branch(slot) {
                self.enter(method);
            }
        }
        for &slot in lines {
            let Some(place) = self.lines.get_mut(slot.index()) else { continue };
            *place = true;
            self.touched_lines.push(slot);
            if let Some(method) = goals.method_of_line(slot) {
                self.enter(method);
            }
        }
        for &(method, called) in calls {
            self.enter(method);
            let known = &mut self.called[method.index()];
            *known = called.max(*known);
        }
    }

    fn enter(&mut self, method: MethodId) {
        if !std::mem::replace(&mut self.entered[method.index()], true) {
            self.touched_methods.push(method);
        }
    }

    fn clear(&mut self) {
        for slot in self.touched.drain(..) {
            self.distances[slot.index()] = f64::NAN;
        }
        for slot in self.touched_lines.drain(..) {
            self.lines[slot.index()] = false;
        }
        for method in self.touched_methods.drain(..) {
            self.entered[method.index()] = false;
            self.called[method.index()] = CallOutcome::NotCalled;
        }
    }

    /// Branch distance of a slot; `None` when its jump was not reached.
    pub(crate) fn distance(&self, slot: BranchSlot) -> Option<f64> {
        self.distances.get(slot.index()).copied().filter(|distance| !distance.is_nan())
    }

    /// Whether the execution reached the line slot.
    pub(crate) fn is_line_hit(&self, slot: LineSlot) -> bool {
        self.lines.get(slot.index()).copied().unwrap_or(false)
    }

    /// Whether the execution entered the method.
    pub(crate) fn is_entered(&self, method: MethodId) -> bool {
        self.entered[method.index()]
    }

    /// The best end of the test's own calls of the method.
    pub(crate) fn call_outcome(&self, method: MethodId) -> CallOutcome {
        self.called[method.index()]
    }
}

/// Calls `found` with each dynamic goal that the execution covers: exception, classes of outputs,
/// classes of inputs. `own`: see [`exception_goal`].
fn observed(test: &TestCase, execution: &Execution, own: &BTreeSet<ClassName>, has_mocks: bool, mut found: impl FnMut(Goal)) {
    let method_at = |index: usize| match &test.statements.get(index)?.kind {
        StatementKind::Call { method, .. } | StatementKind::Construct { constructor: method, .. } => Some(method),
        _ => None,
    };
    for (index, output) in execution.outputs.iter().enumerate() {
        if let (Some(method), Some(class)) = (method_at(index), *output)
            && &*method.name != "<init>"
        {
            found(Goal::Output { method: method.clone(), class });
        }
    }
    let returned = match &execution.end {
        RunEnd::Threw { statement, .. } => *statement as usize,
        _ => test.len(),
    };
    for statement in test.statements.iter().take(returned) {
        let (StatementKind::Construct { constructor: method, args } | StatementKind::Call { method, args, .. }) = &statement.kind
        else {
            continue;
        };
        for (parameter, argument) in (0u8..).zip(args) {
            let class = match test.literal(*argument) {
                Some(literal) => ValueClass::of_literal(literal),
                // Who has an object as well makes no difference to its use.
                None => match execution.outputs.get(argument.index()).copied().flatten() {
                    Some(ValueClass::Given) => Some(ValueClass::Present),
                    class => class,
                },
            };
            if let Some(class) = class {
                found(Goal::Input { method: method.clone(), parameter, class });
            }
        }
    }
    if let RunEnd::Threw { statement, thrown } = &execution.end
        && thrown.in_project
        && let Some(method) = method_at(*statement as usize)
        && let Some(mut goal) = match is_checked_elsewhere(method, thrown, own) {
            false => Some(exception_goal(method, thrown, own)),
            true => helper_that_checks(thrown, own).map(|site| Goal::Exception {
                method: method.clone(),
                class: thrown.class.clone(),
                site: Some(site),
                is_foreign: false,
            }),
        }
    {
        if let Goal::Exception { is_foreign, .. } = &mut goal {
            *is_foreign = is_answer(test, thrown) || has_mocks && is_refused_elsewhere(thrown, own);
        }
        found(goal);
    }
}

/// Whether other code than the called method checked an argument for null or for its class: another
/// method of the classes under test, or a constructor of another class. The line of the check is a
/// goal where the check is; each caller needs no test of its own.
fn is_checked_elsewhere(method: &MethodRef, thrown: &Thrown, own: &BTreeSet<ClassName>) -> bool {
    let checker = thrown.frames.iter().find(|(class, name, _)| own.contains(class) || !is_of_jdk(class) && name == "<init>");
    let is_caller = |(class, name, _): &(ClassName, String, i32)| own.contains(class) && *name == *method.name;
    thrown.is_of_check() && checker.is_some_and(|checker| !is_caller(checker))
}

/// The line in another method of the classes under test that let other code check, such as `Objects.requireNonNull`.
/// That line runs as well where the check holds.
fn helper_that_checks(thrown: &Thrown, own: &BTreeSet<ClassName>) -> Option<(ClassName, i32)> {
    let is_checker = |(class, name, _): &(ClassName, String, i32)| own.contains(class) || !is_of_jdk(class) && name == "<init>";
    let checker = thrown.frames.iter().position(is_checker).filter(|checker| *checker > 0)?;
    let (class, _, line) = thrown.frames.get(checker).filter(|(class, ..)| own.contains(class))?;
    Some((class.clone(), *line))
}

/// Whether code of the JDK or of a library did not accept an argument that the classes under test passed on. Which
/// texts and numbers it takes is no property of a class that works with others.
fn is_refused_elsewhere(thrown: &Thrown, own: &BTreeSet<ClassName>) -> bool {
    let class = thrown.class.internal();
    let simple = class.rsplit('/').next().unwrap_or(class);
    let is_of_others = |class: &ClassName| is_of_jdk(class) || own.iter().all(|own| organisation(own) != organisation(class));
    is_of_jdk(&thrown.class) && REFUSALS.contains(&simple) && thrown.frames.first().is_some_and(|(class, ..)| is_of_others(class))
}

/// The goal of an exception. Its site is the innermost frame in one of the classes `own`, else the
/// innermost frame outside the JDK. A `NullPointerException` has no site, nor has what an instruction throws for a
/// number, so that one test for each method is enough.
pub fn exception_goal(method: &MethodRef, thrown: &Thrown, own: &BTreeSet<ClassName>) -> Goal {
    let innermost = |is_wanted: &dyn Fn(&ClassName) -> bool| thrown.frames.iter().find(|(class, ..)| is_wanted(class));
    let site = innermost(&|class| own.contains(class))
        .or_else(|| innermost(&|class| !is_of_jdk(class)))
        .filter(|_| thrown.class.internal() != "java/lang/NullPointerException" && !thrown.is_of_instruction())
        .map(|(class, _, line)| (class.clone(), *line));
    Goal::Exception { method: method.clone(), class: kind_of_exception(&thrown.class), site, is_foreign: false }
}

/// The class by which a goal knows an exception: `java.util.Formatter` has a class for each mistake in a format, and a
/// caller needs one test for all of them.
fn kind_of_exception(class: &ClassName) -> ClassName {
    let of_formatter = class.internal().strip_prefix("java/util/").is_some_and(|simple| {
        let simple = simple.strip_suffix("Exception").unwrap_or_default();
        simple.contains("Format") && !simple.contains('/')
    });
    if of_formatter { ClassName::new("java/util/IllegalFormatException") } else { class.clone() }
}

impl GoalRegistry {
    /// Appends the dynamic goals that the execution covers and registers new ones. `under_test`
    /// selects the methods.
    pub(in crate::search) fn register_observed(
        &mut self,
        test: &TestCase,
        execution: &Execution,
        under_test: impl Fn(&MethodRef) -> bool,
        covered: &mut Vec<GoalId>,
    ) {
        if let Some(goal) = self.response(test, execution) {
            covered.push(self.register(goal));
        }
        let own = self.sites_of_exceptions();
        observed(test, execution, &own, self.has_mocks, |goal| {
            let (Goal::Output { method, .. } | Goal::Input { method, .. } | Goal::Exception { method, .. }) = &goal else {
                return;
            };
            if under_test(method) && !self.is_checked_for_another(&goal) {
                covered.push(self.register(goal));
            }
        });
    }

    /// The goal of the request that the test ends with. A test that also calls the handler itself has
    /// none, since its lines may belong to that call.
    fn response(&self, test: &TestCase, execution: &Execution) -> Option<Goal> {
        if self.handlers.is_empty() {
            return None;
        }
        let request = test.performed_request()?;
        let handler = self.handlers.get(&(request.verb, request.path))?;
        let Handler { method: handler, validates } = handler;
        let is_called =
            |statement: &Statement| matches!(&statement.kind, StatementKind::Call { method, .. } if method == handler);
        let is_controller = *test.type_of(request.controller) == JavaType::Class(handler.owner.clone());
        if !is_controller || test.statements.iter().any(is_called) {
            return None;
        }
        let threw = match &execution.end {
            RunEnd::Completed => false,
            RunEnd::Threw { statement, thrown } if *statement == request.perform.0 && thrown.in_project => {
                // Tests of plain calls show what happens without a collaborator.
                let message = thrown.message.as_ref().map(|units| String::from_utf16_lossy(units)).unwrap_or_default();
                if message.contains("java.lang.NullPointerException") {
                    return None;
                }
                true
            }
            _ => return None,
        };
        let id = self.method_id(handler)?;
        let line = execution.lines.iter().filter(|slot| self.method_of_line(**slot) == Some(id)).max().copied();
        // A request that does not reach the handler tells only of the framework, except where the
        // handler has it validated first.
        if line.is_none() && (threw || !validates || !test.sends_values()) {
            return None;
        }
        Some(Goal::Response { handler: handler.clone(), line, threw })
    }

    /// Appends the static goals that the execution covers.
    pub(in crate::search) fn append_static_covered(
        &self,
        execution: &Execution,
        calls: &[(MethodId, CallOutcome)],
        covered: &mut Vec<GoalId>,
    ) {
        for &(slot, distance) in &execution.branches {
            if distance == 0.0 {
                covered.extend(self.branch_goal(slot));
            }
        }
        covered.extend(execution.lines.iter().filter_map(|&slot| self.line_goal(slot)));
        for &(method, called) in calls {
            covered.extend(self.entered_goal(method));
            if called == CallOutcome::Returned {
                covered.extend(self.returned_goal(method));
            }
        }
    }

    /// The test's own calls of target methods in statement order, each with its end.
    pub(in crate::search) fn calls(&self, test: &TestCase, execution: &Execution) -> Vec<(MethodId, CallOutcome)> {
        let (threw, ran) = match &execution.end {
            RunEnd::Threw { statement, thrown } => (*statement as usize, *statement as usize + usize::from(thrown.in_project)),
            _ => (usize::MAX, test.len()),
        };
        let mut calls = Vec::new();
        for (index, statement) in test.statements.iter().enumerate().take(ran) {
            if let Some(method) = statement.kind.called_method().and_then(|method| self.method_id(method)) {
                calls.push((method, if index == threw { CallOutcome::Threw } else { CallOutcome::Returned }));
            }
        }
        calls
    }

    /// The registered goals that the execution covers, ascending. Empty when the execution is
    /// rejected.
    pub fn covered_by(&self, test: &TestCase, execution: &Execution) -> Vec<GoalId> {
        let mut covered = Vec::new();
        if execution.left_running || !matches!(execution.end, RunEnd::Completed | RunEnd::Threw { .. }) {
            return covered;
        }
        let calls = self.calls(test, execution);
        self.append_static_covered(execution, &calls, &mut covered);
        covered.extend(self.known_pairs(execution, &calls));
        covered.extend(self.response(test, execution).and_then(|goal| self.find(&goal)));
        let own = self.sites_of_exceptions();
        observed(test, execution, &own, self.has_mocks, |goal| covered.extend(self.find(&goal)));
        covered.sort_unstable();
        covered.dedup();
        covered
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::goals;
    use super::*;
    use crate::program::ClassName;

    #[test]
    fn exceptions_of_mocks_and_of_requests_are_parents_only() {
        let mut goals = goals();
        let method = goals.methods()[0].clone();
        let exception =
            |is_foreign: bool| Goal::Exception { method: method.clone(), class: ClassName::new("E"), site: None, is_foreign };
        let response = |threw: bool| Goal::Response { handler: method.clone(), line: None, threw };
        let ids = [exception(false), response(false), exception(true), response(true)].map(|goal| goals.register(goal));
        assert_eq!(ids.map(|id| goals.is_required(id)), [true, true, false, false]);
    }

    #[test]
    fn a_refusal_elsewhere_is_thrown_by_code_of_others() {
        let own = BTreeSet::from([ClassName::new("org/shop/T")]);
        let thrown = |class: &str, frames: &[&str]| {
            let frames = frames.iter().map(|class| (ClassName::new(class), "m".to_owned(), 1)).collect();
            is_refused_elsewhere(&Thrown { class: ClassName::new(class), message: None, in_project: true, frames }, &own)
        };
        assert!(thrown("java/lang/IllegalArgumentException", &["java/net/URI", "org/shop/T"]));
        assert!(thrown("java/lang/IllegalArgumentException", &["org/library/Page", "org/shop/T"]));
        assert!(!thrown("java/lang/IllegalArgumentException", &["org/shop/T"]), "a check of its own");
        assert!(!thrown("java/lang/IllegalArgumentException", &["org/shop/price/Money", "org/shop/T"]));
        assert!(!thrown("java/util/NoSuchElementException", &["java/util/Optional", "T"]), "nothing was found");
        assert!(!thrown("p/IllegalArgumentException", &["java/util/Optional", "T"]));
    }

    #[test]
    fn the_last_line_of_the_handler_tells_responses_apart() {
        let mut test: TestCase =
            crate::testcase::requests::tests::request().replace("Lp/C;", "LT;").replace("p/C", "T").parse().unwrap();
        let handler = goals().methods()[0].clone();
        let with_handler = |validates: bool| {
            let path = ("get".to_string(), "/owners/{id}".to_string());
            goals().with_handlers([(path, Handler { method: handler.clone(), validates })].into_iter())
        };
        let goals = with_handler(false);
        let ended = |end: RunEnd, lines: &[u32]| Execution {
            lines: lines.iter().map(|slot| LineSlot(*slot)).collect(),
            ..Execution::without_measurements(end)
        };
        let response =
            |line: Option<u32>, threw: bool| Some(Goal::Response { handler: handler.clone(), line: line.map(LineSlot), threw });
        let thrown = |message: &str, in_project: bool| {
            let message = Some(message.encode_utf16().collect());
            let thrown = Thrown { class: ClassName::new("E"), message, in_project, frames: Vec::new() };
            RunEnd::Threw { statement: test.len() as u32 - 1, thrown }
        };
        assert_eq!(goals.response(&test, &ended(RunEnd::Completed, &[0, 1])), response(Some(1), false));
        assert_eq!(goals.response(&test, &ended(RunEnd::Completed, &[])), None);
        assert_eq!(with_handler(true).response(&test, &ended(RunEnd::Completed, &[])), response(None, false));
        assert_eq!(with_handler(true).response(&test, &ended(thrown("failed: p.E: x", true), &[])), None);
        assert_eq!(goals.response(&test, &ended(thrown("failed: p.E: x", true), &[0])), response(Some(0), true));
        assert_eq!(goals.response(&test, &ended(thrown("failed: java.lang.NullPointerException", true), &[0])), None);
        assert_eq!(goals.response(&test, &ended(thrown("x", false), &[0])), None);
        // Another object is the controller.
        test.statements[0].ty = crate::program::JavaType::class("Other");
        assert_eq!(goals.response(&test, &ended(RunEnd::Completed, &[0, 1])), None);
    }

    #[test]
    fn the_site_of_an_exception_is_in_the_class_under_test_where_it_passed_it() {
        let frames = [("java/util/Objects", 1), ("p/Client", 2), ("T", 7), ("p/Test", 9)];
        let frames = frames.map(|(class, line)| (ClassName::new(class), "m".to_owned(), line)).to_vec();
        let thrown = Thrown { class: ClassName::new("E"), message: None, in_project: true, frames };
        let method = goals().methods()[0].clone();
        let site = |own: &str| match exception_goal(&method, &thrown, &BTreeSet::from([ClassName::new(own)])) {
            Goal::Exception { site, .. } => site.map(|(class, line)| (class.internal().to_owned(), line)),
            other => panic!("{other:?}"),
        };
        let place = |class: &str, line: i32| Some((class.to_owned(), line));
        assert_eq!(site("T"), place("T", 7));
        assert_eq!(site("q/Other"), place("p/Client", 2));
    }

    #[test]
    fn mistakes_in_a_format_are_one_kind_of_exception() {
        let kind = |class: &str| kind_of_exception(&ClassName::new(class)).internal().to_owned();
        let mistakes = ["MissingFormatWidth", "UnknownFormatConversion", "IllegalFormatPrecision", "DuplicateFormatFlags"];
        for class in mistakes {
            assert_eq!(kind(&format!("java/util/{class}Exception")), "java/util/IllegalFormatException");
        }
        for class in ["java/util/NoSuchElementException", "java/util/zip/DataFormatException", "p/FormatException"] {
            assert_eq!(kind(class), class);
        }
    }

    #[test]
    fn indexes_and_divisors_that_no_code_checks_are_one_goal_for_each_method() {
        let method = goals().methods()[0].clone();
        let has_site = |class: &str, message: &str, thrower: &str| {
            let class = ClassName::new(class);
            let frames = vec![(ClassName::new(thrower), "m".to_owned(), 7), (ClassName::new("T"), "m".to_owned(), 9)];
            let thrown = Thrown { class, message: Some(message.encode_utf16().collect()), in_project: true, frames };
            match exception_goal(&method, &thrown, &BTreeSet::from([ClassName::new("T")])) {
                Goal::Exception { site, .. } => site.is_some(),
                other => panic!("{other:?}"),
            }
        };
        let array = "java/lang/ArrayIndexOutOfBoundsException";
        assert!(!has_site(array, "Index 5 out of bounds for length 3", "T"));
        assert!(!has_site("java/lang/ArithmeticException", "/ by zero", "T"));
        assert!(!has_site("java/lang/NegativeArraySizeException", "-1", "p/Library"));
        assert!(has_site(array, "no such column", "T"), "code wrote this message");
        assert!(has_site("java/lang/ArithmeticException", "Rounding necessary", "T"));
        assert!(has_site(array, "Index 5 out of bounds for length 3", "java/util/ArrayList"), "the JDK checks");
    }

    #[test]
    fn a_check_in_another_method_or_constructor_is_that_methods_own() {
        let own = BTreeSet::from([ClassName::new("T")]);
        let method = goals().methods()[0].clone();
        let by = |class: &str, checker: &str| {
            let (owner, checker) = checker.split_once('.').unwrap_or(("T", checker));
            let frames = [("java/util/Objects", "requireNonNull", 1), (owner, checker, 7), ("T", &*method.name, 9)];
            let frames = frames.map(|(class, name, line)| (ClassName::new(class), name.to_owned(), line)).to_vec();
            let thrown = Thrown { class: ClassName::new(class), message: None, in_project: true, frames };
            is_checked_elsewhere(&method, &thrown, &own)
        };
        assert!(by("java/lang/NullPointerException", "check") && by("java/lang/ClassCastException", "check"));
        assert!(by("java/lang/NullPointerException", "p/Id.<init>") && !by("java/lang/NullPointerException", "p/Checks.notNull"));
        assert!(!by("java/lang/NullPointerException", &method.name) && !by("java/lang/IllegalStateException", "check"));
    }

    #[test]
    fn a_check_that_a_helper_leaves_to_others_has_one_test() {
        let null = |checked_by: &[&str], method: &str| {
            let name = |class: &&str| (ClassName::new(class), "requireNonNull".to_owned(), 1);
            let own = [("check", 7), (method, 9)].map(|(name, line)| (ClassName::new("T"), name.to_owned(), line));
            let frames = checked_by.iter().map(name).chain(own).collect();
            Thrown { class: ClassName::new("java/lang/NullPointerException"), message: None, in_project: true, frames }
        };
        let own = BTreeSet::from([ClassName::new("T")]);
        let objects = ["java/util/Objects"];
        assert_eq!(helper_that_checks(&null(&objects, "m"), &own), Some((ClassName::new("T"), 7)));
        assert_eq!(helper_that_checks(&null(&[], "m"), &own), None, "a line of its own throws");
        let mut goals = goals();
        let mut register = |method: &str| {
            let text = format!("v0: LT; = null\nv1: V = call method T.{method} ()V on v0 ()\n");
            let test: TestCase = text.parse().expect("well-formed");
            let end = RunEnd::Threw { statement: 1, thrown: null(&objects, method) };
            let mut covered = Vec::new();
            goals.register_observed(&test, &Execution::without_measurements(end), |_| true, &mut covered);
            covered.len()
        };
        assert_eq!((register("m"), register("n"), register("m")), (1, 0, 1));
    }

    #[test]
    fn classes_of_inputs_are_goals_that_the_suite_does_not_need() {
        let mut goals = goals();
        let test: TestCase = "v0: I = int -3\nv1: Ljava/lang/String; = null\nv2: [I = array I 0 ()\n\
            v3: V = call method T.m (ILjava/lang/String;[I)V (v0, v1, v2)\nv4: V = call method T.m (ILjava/lang/String;[I)V (v0, v1, v2)\n"
            .parse()
            .expect("a test case");
        let mut execution = Execution {
            classes: vec![None; 5],
            outputs: vec![None, None, Some(ValueClass::Present), None, None],
            ..Execution::without_measurements(RunEnd::Completed)
        };
        let mut observe = |execution: &Execution| {
            let mut covered = Vec::new();
            goals.register_observed(&test, execution, |method| &*method.name == "m", &mut covered);
            covered.sort_unstable();
            covered.dedup();
            let all: Vec<(u8, ValueClass)> = covered
                .iter()
                .filter(|goal| !goals.is_required(**goal))
                .map(|goal| match goals.goal(*goal) {
                    Goal::Input { parameter, class, .. } => (*parameter, *class),
                    other => panic!("{other:?}"),
                })
                .collect();
            (covered.len(), all)
        };
        let inputs = vec![(0, ValueClass::Negative), (1, ValueClass::Null), (2, ValueClass::Present)];
        assert_eq!(observe(&execution), (3, inputs));
        // Inputs count only for calls that returned.
        let thrown = Thrown {
            class: ClassName::new("E"),
            message: None,
            in_project: true,
            frames: vec![(ClassName::new("T"), "m".into(), 7)],
        };
        execution.end = RunEnd::Threw { statement: 3, thrown };
        assert_eq!(observe(&execution), (1, Vec::new()));
    }
}
