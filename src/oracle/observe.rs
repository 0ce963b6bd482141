//! Observation: appends to a test case the calls whose results show its effects. Flows in: a test
//! case and the cluster of usable members; flows out: the longer test case and its executions. Must
//! not know what is asserted about the results.

use std::collections::BTreeSet;

use super::governed_effects::GovernedEffects;
use super::held_objects::inspect_held;
use super::interactions::is_initial;
use super::requests::{append_response_inspectors, handler};
use super::set_properties::inspect_set_properties;
use super::validation::{absent_errors, append_error_inspectors, collects_errors, errors_by_field};
use super::written_arguments::{reader_of, written_arguments};
use super::{Accessibility, Fact};
use crate::execution::{Execution, RunEnd};
use crate::program::cluster::CallableKind;
use crate::program::{ClassName, Cluster, FieldRef, JavaType, MethodRef};
use crate::testcase::{AnswerOutcome, Literal, RoundTrip, StatementKind, StubKind, TestCase, VarId};

/// A test case followed by inspectors.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedTest {
    /// The statements of the test, then the inspectors.
    pub test: TestCase,
    /// Number of the test's own statements.
    pub acted: u32,
    /// The method or constructor under test.
    pub target: Option<MethodRef>,
}

impl ObservedTest {
    /// The test without its inspectors from this statement on; `None` if the statement is no
    /// inspector.
    pub fn truncated_at(&self, statement: u32) -> Option<ObservedTest> {
        if statement < self.acted {
            return None;
        }
        let mut shorter = self.clone();
        shorter.test.statements.truncate(statement as usize);
        Some(shorter)
    }

    /// The test without this inspector and its dependants; `None` if the statement is no inspector.
    pub fn without_inspector(&self, statement: u32) -> Option<ObservedTest> {
        if statement < self.acted || statement as usize >= self.test.statements.len() {
            return None;
        }
        let mut shorter = self.clone();
        shorter.test.remove_with_dependants(statement as usize);
        Some(shorter)
    }
}

/// How often a test is run again without the inspector that ended its last run.
const MOST_RETRIES: usize = 5;

/// Executes the tests by `run`, which takes test cases and returns one execution for each, in
/// order. An inspector that throws, hangs, is refused or kills the JVM is removed, and its test
/// runs again. After some retries the inspectors behind it are removed as well. Errors of validators are
/// then read by their fields, and their tests run once more, and once more where they are asked for the errors that
/// other tests show. The returned
/// executions are those of the tests as `observed` holds them afterwards.
///
/// # Errors
/// Those of `run`.
pub fn observe_tests<E>(
    observed: &mut [ObservedTest],
    mut run: impl FnMut(&[TestCase]) -> Result<Vec<Execution>, E>,
) -> Result<Vec<Execution>, E> {
    let tests: Vec<TestCase> = observed.iter().map(|observed| observed.test.clone()).collect();
    let mut executions = run(&tests)?;
    for tried in 0..=MOST_RETRIES {
        let again: Vec<(usize, ObservedTest)> = (observed.iter().zip(&executions).enumerate())
            .filter_map(|(position, (observed, execution))| {
                let failing = failing_inspector(&execution.end, observed)?;
                let whole = tried < MOST_RETRIES && execution.end != RunEnd::Died;
                Some((position, if whole { observed.without_inspector(failing)? } else { observed.truncated_at(failing)? }))
            })
            .collect();
        if again.is_empty() {
            break;
        }
        run_again(observed, &mut executions, again, &mut run)?;
    }
    let named = observed.iter().zip(&executions).map(|(observed, execution)| errors_by_field(observed, execution));
    let named: Vec<Option<ObservedTest>> = named.collect();
    run_changed(observed, &mut executions, named, &mut run)?;
    let asking = absent_errors(observed, &executions);
    run_changed(observed, &mut executions, asking, &mut run)?;
    Ok(executions)
}

/// Runs the tests again that have other inspectors.
fn run_changed<E>(
    observed: &mut [ObservedTest],
    executions: &mut [Execution],
    changed: Vec<Option<ObservedTest>>,
    run: &mut impl FnMut(&[TestCase]) -> Result<Vec<Execution>, E>,
) -> Result<(), E> {
    let changed: Vec<(usize, ObservedTest)> =
        changed.into_iter().enumerate().filter_map(|(position, changed)| Some((position, changed?))).collect();
    if changed.is_empty() { Ok(()) } else { run_again(observed, executions, changed, run) }
}

/// Runs the tests with other inspectors, which replace those at their positions. Without time for another
/// run, the last one counts as far as it went.
fn run_again<E>(
    observed: &mut [ObservedTest],
    executions: &mut [Execution],
    again: Vec<(usize, ObservedTest)>,
    run: &mut impl FnMut(&[TestCase]) -> Result<Vec<Execution>, E>,
) -> Result<(), E> {
    let tests: Vec<TestCase> = again.iter().map(|(_, observed)| observed.test.clone()).collect();
    for ((position, changed), execution) in again.into_iter().zip(run(&tests)?) {
        if execution.end != RunEnd::Unrun {
            (observed[position], executions[position]) = (changed, execution);
        }
    }
    Ok(())
}

/// The inspector that ended a run. If the JVM died, the first inspector stands for all of them.
fn failing_inspector(end: &RunEnd, observed: &ObservedTest) -> Option<u32> {
    let statement = match end {
        RunEnd::Threw { statement, .. }
        | RunEnd::Budget { statement }
        | RunEnd::Timeout { statement }
        | RunEnd::Refused { statement, .. }
        | RunEnd::Exhausted { statement, .. }
        | RunEnd::Illegal { statement, .. } => *statement,
        RunEnd::Died => observed.acted,
        RunEnd::Completed | RunEnd::Unrun => return None,
    };
    let inspectors = observed.acted..observed.test.statements.len() as u32;
    inspectors.contains(&statement).then_some(statement)
}

/// Most inspectors of one object, and most with its plain getters.
const PER_OBJECT: usize = 8;
const WITH_GETTERS: usize = 16;
/// Most objects of answers that are inspected.
const MOST_ANSWERED: usize = 2;
/// What controllers of Spring put objects for the view in, and most of these that are inspected.
const MODEL: &str = "org/springframework/ui/Model";
const MOST_ATTRIBUTES: usize = 6;
/// Most inspectors of one test.
pub(super) const PER_TEST: usize = 28;

/// Appends inspectors of the object that the last call returned, of its receiver, of its arguments
/// of project classes and those that it can write to or sets, and of project objects that mocks return. Where a
/// mock interrupts the call, whether the thread is interrupted is asked first.
pub fn append_inspectors(test: &TestCase, cluster: &Cluster) -> ObservedTest {
    let target = method_under_test(test, cluster);
    let acted = test.statements.len() as u32;
    let mut observed = ObservedTest { test: test.clone(), acted, target };
    if append_response_inspectors(&mut observed, cluster) {
        return observed;
    }
    let Some(last) = observed.test.statements.last().map(|statement| statement.kind.clone()) else { return observed };
    append_comparison_of_read(&mut observed, cluster);
    // Before another inspector waits for something.
    if interrupts(test) {
        observed.test.push_static_call(&thread_interrupted(), Vec::new());
    }
    append_state_readers(&mut observed, &last, cluster);
    let mut objects: Vec<VarId> = Vec::new();
    if observed.test.statements.last().is_some_and(|statement| statement.ty != JavaType::Void) {
        objects.push(VarId(acted - 1));
    }
    // The receiver comes first, then the arguments of project classes, and those that collect errors.
    let program = cluster.program();
    last.for_each_use(|used| {
        let receiver = matches!(&last, StatementKind::Call { receiver: Some(receiver), .. } if *receiver == used);
        let own = matches!(test.type_of(used), JavaType::Class(class)
            if program.is_project(class) || collects_errors(program, class));
        let buildable = matches!(
            test.statement(used).kind,
            StatementKind::Construct { .. } | StatementKind::Call { .. } | StatementKind::Array { .. }
        );
        if (receiver || own) && buildable && !objects.contains(&used) {
            objects.push(used);
        }
    });
    // What mocks return is changed by the class under test rather than by the test.
    let is_own = |object: &VarId| matches!(test.type_of(*object), JavaType::Class(class) if program.is_project(class));
    let answered: Vec<VarId> = answered_objects(test).into_iter().filter(is_own).take(MOST_ANSWERED).collect();
    objects.extend(answered.into_iter().filter(|object| !objects.contains(object)).collect::<Vec<_>>());
    let governed = GovernedEffects::of_target(program, observed.target.as_ref());
    // What the code sets in an argument says more than what else the argument holds.
    inspect_set_properties(&mut observed, &Accessibility::new(program, &cluster.test_package).for_release(cluster.release));
    // The result says the most, then what the call wrote: there is room for only so many inspectors.
    let (results, others): (Vec<VarId>, Vec<VarId>) = objects.into_iter().partition(|object| object.0 + 1 == acted);
    for object in results {
        inspect(&mut observed, object, cluster, &governed);
    }
    for object in written_arguments(test, acted) {
        if let Some(method) = reader_of(test, object).filter(|_| observed.test.statements.len() < acted as usize + PER_TEST) {
            let ty = method.return_type();
            observed.test.push(StatementKind::Call { method, interface: false, receiver: Some(object), args: Vec::new() }, ty);
        }
    }
    for object in others {
        inspect(&mut observed, object, cluster, &governed);
    }
    observed
}

/// Of a test that ends with an object read from a stream, appends whether it equals the one that was written. Where its
/// class does not compare values, its text tells what came back.
fn append_comparison_of_read(observed: &mut ObservedTest, cluster: &Cluster) {
    let Some(RoundTrip { written, read }) = observed.test.round_trip() else { return };
    let JavaType::Class(class) = observed.test.type_of(written) else { return };
    if read.index() + 1 != observed.acted as usize {
        return;
    }
    let object = ClassName::new("java/lang/Object");
    let overrides = |name: &str, descriptor: &str| {
        cluster.program().resolve_method(class, name, descriptor).is_some_and(|found| found.class.name != object)
    };
    let (name, descriptor, receiver, args, ty) = match () {
        () if overrides("equals", "(Ljava/lang/Object;)Z") => {
            ("equals", "(Ljava/lang/Object;)Z", written, vec![read], JavaType::BOOLEAN)
        }
        () if overrides("toString", "()Ljava/lang/String;") => {
            ("toString", "()Ljava/lang/String;", read, Vec::new(), JavaType::class("java/lang/String"))
        }
        () => return,
    };
    let method = MethodRef::new(object, name, descriptor);
    observed.test.push(StatementKind::Call { method, interface: false, receiver: Some(receiver), args }, ty);
}

/// Behind a static method without a result, appends the static methods of its class that only tell something.
fn append_state_readers(observed: &mut ObservedTest, last: &StatementKind, cluster: &Cluster) {
    let StatementKind::Call { method: called, receiver: None, .. } = last else { return };
    if called.return_type() != JavaType::Void {
        return;
    }
    let program = cluster.program();
    let access = Accessibility::new(program, &cluster.test_package).for_release(cluster.release);
    let readers = cluster.callables.iter().filter(|callable| {
        let is_reader = callable.kind == CallableKind::Static && callable.hints.observer && !callable.interface;
        let can_call = || program.resolve(&callable.method).is_some_and(|found| access.can_use_method(found.method()));
        is_reader && callable.method.owner == called.owner && can_call()
    });
    for reader in readers.take(PER_OBJECT) {
        observed.test.push_static_call(&reader.method, Vec::new());
    }
}

/// The method that tells whether the thread is interrupted, and ends that.
pub(super) fn thread_interrupted() -> MethodRef {
    MethodRef::new(ClassName::new("java/lang/Thread"), "interrupted", "()Z")
}

/// Whether a mock throws an `InterruptedException`. Who catches it should interrupt the thread again.
fn interrupts(test: &TestCase) -> bool {
    let is_interrupt = |outcome: &AnswerOutcome| match outcome {
        AnswerOutcome::Throws(exception) => *test.type_of(*exception) == JavaType::class("java/lang/InterruptedException"),
        AnswerOutcome::Returns(_) => false,
    };
    test.statements.iter().any(|statement| match &statement.kind {
        StatementKind::Stub { answers, .. } => answers.iter().flat_map(|answer| &answer.outcomes).any(is_interrupt),
        _ => false,
    })
}

/// The objects that the test builds and that mocks return, alone or inside another object.
pub(super) fn answered_objects(test: &TestCase) -> Vec<VarId> {
    let mut answered = vec![false; test.statements.len()];
    for (index, statement) in test.statements.iter().enumerate().rev() {
        match &statement.kind {
            StatementKind::Stub { kind: StubKind::Mock, answers, .. } => {
                answers.iter().flat_map(|answer| &answer.outcomes).for_each(|outcome| {
                    if let AnswerOutcome::Returns(value) = outcome {
                        answered[value.index()] = true;
                    }
                });
            }
            kind if answered[index] => kind.for_each_use(|used| answered[used.index()] = true),
            _ => {}
        }
    }
    let built = |variable: &VarId| matches!(test.statement(*variable).kind, StatementKind::Construct { .. });
    (0..answered.len() as u32).map(VarId).filter(|variable| answered[variable.index()] && built(variable)).collect()
}

/// Whether the fact of an inspector says that an argument of the call under test, or an object which
/// a mock returns, has a null, zero or false. State that the class under test did not set is no
/// evidence.
pub(super) fn is_untouched(test: &TestCase, acted: u32, subject: VarId, fact: &Fact) -> bool {
    let StatementKind::Call { receiver: Some(receiver), .. } = &test.statement(subject).kind else { return false };
    let is_zero = match fact {
        Fact::Null => true,
        Fact::Equals(value) => is_initial(value),
        _ => false,
    };
    is_zero && subject.0 >= acted && is_given(test, acted, *receiver)
}

/// Whether the inspector reads an argument of the call under test, or an object which a mock returns.
pub(super) fn reads_given(test: &TestCase, acted: u32, subject: VarId) -> bool {
    match &test.statement(subject).kind {
        StatementKind::Call { receiver: Some(receiver), .. } | StatementKind::GetField { receiver: Some(receiver), .. } => {
            subject.0 >= acted && is_given(test, acted, *receiver)
        }
        _ => false,
    }
}

/// Whether the inspector reads a property that the test set in another object before: what the class made of
/// it says more than a property that nothing set.
pub(super) fn reads_set_property(test: &TestCase, acted: u32, subject: VarId) -> bool {
    let StatementKind::Call { method, receiver: Some(read), .. } = &test.statement(subject).kind else { return false };
    let Some(property) = ["get", "is"].iter().find_map(|prefix| method.name.strip_prefix(prefix)) else { return false };
    let sets = |kind: &StatementKind| match kind {
        StatementKind::Call { method, receiver: Some(on), .. } => on != read && method.name.strip_prefix("set") == Some(property),
        _ => false,
    };
    subject.0 >= acted && test.statements.iter().take(acted as usize).any(|statement| sets(&statement.kind))
}

/// Of an object to which the call writes, only what the call changed becomes a fact.
fn is_given(test: &TestCase, acted: u32, object: VarId) -> bool {
    !written_arguments(test, acted).contains(&object) && is_handed_in(test, acted, object)
}

fn is_handed_in(test: &TestCase, acted: u32, object: VarId) -> bool {
    is_argument(test, acted, object) || answered_objects(test).contains(&object)
}

/// Whether the last of the first `acted` statements takes the object as an argument.
fn is_argument(test: &TestCase, acted: u32, object: VarId) -> bool {
    match (acted as usize).checked_sub(1).map(|last| &test.statements[last].kind) {
        Some(StatementKind::Call { receiver, args, .. }) => *receiver != Some(object) && args.contains(&object),
        Some(StatementKind::Construct { args, .. }) => args.contains(&object),
        _ => false,
    }
}

/// The last call or construction of a class under test, else the last call of all; `None` without
/// any call. Of a request to a controller, the method that answers it; of a test that ends with an object read
/// from a stream, the call that reads it.
pub fn method_under_test(test: &TestCase, cluster: &Cluster) -> Option<MethodRef> {
    if let Some(handler) = handler(test, cluster) {
        return Some(handler);
    }
    if let Some(RoundTrip { read, .. }) = test.round_trip()
        && read.index() + 1 == test.len()
        && let StatementKind::Call { method, .. } = &test.statement(read).kind
    {
        return Some(method.clone());
    }
    let called = |kind: &StatementKind| match kind {
        StatementKind::Construct { constructor, .. } => Some(constructor.clone()),
        StatementKind::Call { method, .. } => Some(method.clone()),
        _ => None,
    };
    let program = cluster.program();
    let under_test = |method: &MethodRef| {
        cluster.classes.contains(&method.owner)
            || cluster.classes.iter().any(|class| program.is_subclass(class, &method.owner) && program.is_project(&method.owner))
    };
    let methods: Vec<MethodRef> = test.statements.iter().filter_map(|statement| called(&statement.kind)).collect();
    methods.iter().rev().find(|method| under_test(method)).or(methods.last()).cloned()
}

/// Appends the inspectors of one object. `governed`: what the call under test does under conditions.
fn inspect(observed: &mut ObservedTest, object: VarId, cluster: &Cluster, governed: &GovernedEffects) {
    let ty = observed.test.type_of(object).clone();
    let JavaType::Class(class) = &ty else { return };
    if is_value(class) {
        return;
    }
    let program = cluster.program();
    if collects_errors(program, class) {
        return append_error_inspectors(observed, object);
    }
    let access = Accessibility::new(program, &cluster.test_package).for_release(cluster.release);
    let asked = observed.test.statements.iter().skip(observed.acted as usize).filter_map(|statement| match &statement.kind {
        StatementKind::Call { method, receiver: Some(asked), .. } if *asked == object => Some(method),
        _ => None,
    });
    let mut called: BTreeSet<(String, String)> =
        asked.map(|method| (method.name.to_string(), method.descriptor.to_string())).collect();
    let mut added = 0;
    let mut add = |observed: &mut ObservedTest, method: MethodRef, interface: bool, args: Vec<VarId>| {
        let most = if program.is_plain_accessor(&method) { WITH_GETTERS } else { PER_OBJECT };
        let room = added < most && observed.test.statements.len() < observed.acted as usize + PER_TEST;
        if room && called.insert((method.name.to_string(), method.descriptor.to_string())) {
            let ty = method.return_type();
            observed.test.push(StatementKind::Call { method, interface, receiver: Some(object), args }, ty);
            added += 1;
        }
    };

    // Containers of the JDK have a size, and a `toString` that shows their elements.
    let is = |ancestor: &str| program.is_subclass(class, &ClassName::new(ancestor));
    let interface = program.class(class).is_some_and(|model| model.is_interface());
    let is_abstract = program.class(class).is_some_and(|model| model.is_abstract());
    let attributes = attributes_of(observed, cluster).filter(|_| is(MODEL));
    if let Some(attributes) = attributes {
        return append_attributes(observed, object, &attributes);
    }
    if is("java/util/Collection") || is("java/util/Map") {
        add(observed, MethodRef::new(class.clone(), "size", "()I"), interface, Vec::new());
    }
    let container = is("java/util/Collection") || is("java/util/Map") || is("java/lang/CharSequence") || is("java/util/Optional");
    inspect_held(observed, object, &access);

    // The cluster's inspectors: those of the class itself before inherited ones.
    let mut inspectors: Vec<_> = cluster.inspectors(&ty).iter().map(|id| cluster.callable(*id)).collect();
    // First come getters of fields that the call may change or sets under a condition, then other getters of one
    // field. Values computed from several fields, and objects, tell less.
    let written = written_fields(observed, object, cluster);
    inspectors.sort_by_key(|callable| {
        let plain = callable.returns.is_primitive() || matches!(&callable.returns, JavaType::Class(class) if is_value(class));
        let is_changed = callable.hints.reads.iter().any(|field| written.contains(field))
            || governed.has_property(&callable.method.name) && program.is_plain_accessor(&callable.method);
        (!is_changed, callable.declared_in != *class, !callable.project, !plain, callable.hints.reads.len().max(1))
    });
    // Of other objects, a constant can say which class they have.
    let is_made = matches!(observed.test.statement(object).kind, StatementKind::Construct { .. });
    let is_of_known_class = is_made && object.0 + 1 < observed.acted;
    for callable in inspectors {
        let reachable = program.resolve(&callable.method).is_some_and(|found| access.can_use_method(found.method()));
        let name = &*callable.method.name;
        // Another object of the same class (`abs()`, `negate()`) is no state of this one. An `Object` may
        // stand for a type variable.
        let derived = matches!(&callable.returns, JavaType::Class(returned)
            if returned.internal() != "java/lang/Object" && program.is_subclass(class, returned) && !is_value(returned));
        // A hash code is asserted only in tests of `equals`.
        let hash = name == "hashCode" && observed.target.as_ref().is_none_or(|target| &*target.name != "equals");
        let takes_none = callable.parameters.is_empty() && callable.returns != JavaType::Void;
        let is_fixed = is_of_known_class && program.gives_constant(&callable.method);
        if takes_none && !is_fixed && reachable && !derived && !hash && !is_excluded(name, &callable.declared_in) {
            let mut method = callable.method.clone();
            // The test may not be able to name the class that declares an inherited method.
            if !cluster.is_subtype(&ty, &JavaType::Class(method.owner.clone())) {
                continue;
            }
            if !access.can_name_class(&method.owner) {
                method.owner = class.clone();
            }
            let interface = program.class(&method.owner).is_some_and(|model| model.is_interface());
            add(observed, method, interface, Vec::new());
        }
    }
    for access in cluster.fields.iter().filter(|access| !access.is_static) {
        let owner = &access.field.owner;
        if added_fields(observed) < 4
            && program.is_subclass(class, owner)
            && observed.test.statements.len() < observed.acted as usize + PER_TEST
        {
            let field: FieldRef = access.field.clone();
            let ty = field.field_type();
            observed.test.push(StatementKind::GetField { field, receiver: Some(object) }, ty);
        }
    }
    let to_string = program.resolve_method(class, "toString", "()Ljava/lang/String;");
    // An exception says its class and its message.
    let says_nothing = |class: &ClassName| matches!(class.internal(), "java/lang/Object" | "java/lang/Throwable");
    let declares = to_string.is_some_and(|found| !says_nothing(&found.class.name));
    if declares || container || interface || is_abstract {
        let owner = ClassName::new("java/lang/Object");
        let method = MethodRef::new(owner, "toString", "()Ljava/lang/String;");
        let known = observed.test.statements[observed.acted as usize..].iter().any(|statement| {
            matches!(&statement.kind, StatementKind::Call { method, receiver, .. } if *receiver == Some(object) && &*method.name == "toString")
        });
        if !known && observed.test.statements.len() < observed.acted as usize + PER_TEST {
            let ty = method.return_type();
            observed.test.push(StatementKind::Call { method, interface: false, receiver: Some(object), args: Vec::new() }, ty);
        }
    }
    // Equality with another object of the same class.
    let equals = program.resolve_method(class, "equals", "(Ljava/lang/Object;)Z");
    if equals.is_some_and(|found| program.is_project(&found.class.name)) {
        let other = (0..observed.acted).map(VarId).find(|other| {
            *other != object
                && *observed.test.type_of(*other) == ty
                && matches!(observed.test.statement(*other).kind, StatementKind::Construct { .. } | StatementKind::Call { .. })
        });
        if let Some(other) = other {
            let method = MethodRef::new(ClassName::new("java/lang/Object"), "equals", "(Ljava/lang/Object;)Z");
            let kind = StatementKind::Call { method, interface: false, receiver: Some(object), args: vec![other] };
            observed.test.push(kind, JavaType::BOOLEAN);
        }
    }
}

/// The attributes that the method under test gives its view, where it answers requests.
fn attributes_of(observed: &ObservedTest, cluster: &Cluster) -> Option<Vec<String>> {
    let target = observed.target.as_ref()?;
    let template = cluster.requests.as_ref()?.templates.iter().find(|template| template.handler == *target)?;
    Some(template.attributes.clone())
}

/// Appends inspectors for the attributes of a model.
fn append_attributes(observed: &mut ObservedTest, model: VarId, attributes: &[String]) {
    let method = MethodRef::new(ClassName::new(MODEL), "getAttribute", "(Ljava/lang/String;)Ljava/lang/Object;");
    for attribute in attributes.iter().take(MOST_ATTRIBUTES) {
        let name = Literal::Str(attribute.encode_utf16().collect());
        let name = observed.test.push(StatementKind::Literal(name), JavaType::class("java/lang/String"));
        let kind = StatementKind::Call { method: method.clone(), interface: true, receiver: Some(model), args: vec![name] };
        observed.test.push(kind, method.return_type());
    }
}

/// The fields of the object that the call under test may write, where it is called on the object.
fn written_fields<'c>(observed: &ObservedTest, object: VarId, cluster: &'c Cluster) -> &'c [FieldRef] {
    let call = observed.acted.checked_sub(1).map(|call| &observed.test.statement(VarId(call)).kind);
    let Some(StatementKind::Call { method, receiver: Some(receiver), .. }) = call else { return &[] };
    let called = cluster.callables.iter().find(|callable| callable.method == *method && *receiver == object);
    called.map_or(&[], |called| &called.hints.writes)
}

/// Whether the method is no inspector: it shows the identity of an object, belongs to `Object`, or
/// is added elsewhere.
fn is_excluded(name: &str, declared_in: &ClassName) -> bool {
    declared_in.internal() == "java/lang/Object"
        || matches!(name, "getClass" | "clone" | "finalize" | "notify" | "notifyAll" | "wait" | "iterator" | "spliterator" | "stream")
        // `toString` is added once, for every class that declares it.
        || name == "toString"
}

/// Whether an assertion can state the values of the class.
pub(super) fn is_value(class: &ClassName) -> bool {
    matches!(class.internal(), "java/lang/String" | "java/lang/Class") || JavaType::unboxed(class).is_some()
}

/// Number of field reads among the inspectors.
fn added_fields(observed: &ObservedTest) -> usize {
    let inspectors = &observed.test.statements[observed.acted as usize..];
    inspectors.iter().filter(|statement| matches!(statement.kind, StatementKind::GetField { .. })).count()
}
