//! The goals of the target classes, by number, with the control dependences between them. Flows in:
//! slots and control dependences; flows out: goals, roots and children of the dependence graph,
//! approaches. Must not know executions.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tracewright_trace::{BranchSlot, LineSlot};

use super::pairs::Pairs;
use super::value_classes::ValueClasses;
use super::weakness::{Weakness, is_accident, is_answer, is_of_fixed_collection, is_unchecked};
use crate::execution::{RunEnd, Thrown, ValueClass, is_of_check, is_of_index, is_of_jdk, is_of_length};
use crate::program::{ClassName, FieldRef, MethodRef};
use crate::testcase::{StatementKind, TestCase};

/// A goal by number. Static goals (branches, lines, methods) have the lowest numbers; exceptions,
/// outputs and inputs get the next one when an execution first shows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GoalId(pub u32);

impl GoalId {
    /// Index into tables by goal.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A target method by number, in class-file order of the target classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodId(pub u32);

impl MethodId {
    /// Index into tables by method.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// One thing that a test can cover.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Goal {
    /// An outcome of a conditional jump or switch, by slot.
    Branch {
        /// The target method.
        method: MethodId,
        /// The branch slot.
        slot: BranchSlot,
    },
    /// A line-number entry, by slot.
    Line {
        /// The target method.
        method: MethodId,
        /// The line slot.
        slot: LineSlot,
    },
    /// A statement of the test calls the method; with `normal`, the call also returns.
    Method {
        /// The target method.
        method: MethodId,
        /// Whether the call also has to return.
        normal: bool,
    },
    /// A call of the method ends with the exception. `site`: class and line of the innermost frame
    /// outside the JDK, which tells throw statements apart.
    Exception {
        /// The method.
        method: MethodRef,
        /// The class of the exception.
        class: ClassName,
        /// Class and line of the frame; `None`: not told apart.
        site: Option<(ClassName, i32)>,
        /// A mock of the test was told to throw it, and nothing caught it; or the JDK or a library refused an
        /// argument, in a class whose collaborators can be mocked. The suite needs no such test.
        is_foreign: bool,
    },
    /// A call of the method returns a value of the class.
    Output {
        /// The method.
        method: MethodRef,
        /// The class of values.
        class: ValueClass,
    },
    /// A call of the method with such an argument returns. The archive has tests for it, but the
    /// suite does not need them. `parameter` counts from 0, without the receiver.
    Input {
        /// The method.
        method: MethodRef,
        /// Position of the parameter.
        parameter: u8,
        /// The class of values.
        class: ValueClass,
    },
    /// One call of the method takes both outcomes.
    Pair {
        /// The target method.
        method: MethodId,
        /// The lower slot.
        first: BranchSlot,
        /// The other one.
        second: BranchSlot,
    },
    /// A request to a controller ends in this way.
    Response {
        /// The method that answers such requests.
        handler: MethodRef,
        /// The last line of the handler that ran, in the order of the class file; `None` where the
        /// request did not reach it.
        line: Option<LineSlot>,
        /// Sending the request throws an exception, in a wrapper of Spring. Tests of plain calls show the
        /// exception itself, so the suite needs none of these.
        threw: bool,
    },
}

/// The methods that answer requests, by verb and path.
pub(super) type Handlers = BTreeMap<(String, String), Handler>;

/// A method that answers requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::search) struct Handler {
    pub(in crate::search) method: MethodRef,
    /// What a request sends is validated before.
    pub(in crate::search) validates: bool,
}

/// A method of a target class with its slots. Slots are numbered over all target classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetMethod {
    /// The method.
    pub method: MethodRef,
    /// Its branch slots, ascending.
    pub branches: Vec<TargetSite<BranchSlot>>,
    /// Its line slots, ascending.
    pub lines: Vec<TargetSite<LineSlot>>,
    /// Keys of switches that lead where the default does, each with the slot of the default. The compiler put them
    /// between the cases of the source (JVMS §3.10), so that they are no goals of their own.
    pub defaults: Vec<(BranchSlot, BranchSlot)>,
}

/// A slot and the branch slots that it directly depends on, all in one method. Without any, it runs
/// whenever the method does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetSite<Slot> {
    /// The slot.
    pub slot: Slot,
    /// The branch slots that it directly depends on.
    pub depends_on: Vec<BranchSlot>,
}

/// The decisions that lead to a goal.
#[derive(Debug)]
pub(super) struct Approach {
    /// Branch slots with their approach levels, nearest first; level 0 is the goal's own jump.
    pub(super) steps: Vec<(BranchSlot, u32)>,
    /// Approach level of the method's entry.
    pub(super) entry: u32,
    pub(super) method: MethodId,
}

/// The first two names of the package of a class, by which its makers are told from others.
pub(super) fn organisation(class: &ClassName) -> &str {
    let package = class.package();
    package.match_indices('/').nth(1).map_or(package, |(end, _)| &package[..end])
}

/// All goals of one target. Goals are added and closed, never removed or reopened.
#[derive(Debug)]
pub struct GoalRegistry {
    methods: Vec<MethodRef>,
    method_ids: FxHashMap<MethodRef, MethodId>,
    goals: Vec<Goal>,
    ids: FxHashMap<Goal, GoalId>,
    /// By static goal.
    pub(super) approaches: Vec<Approach>,
    /// By static goal: the lowest number of a goal with the same approach.
    groups: Vec<GoalId>,
    /// By goal: goals that directly depend on it in the control dependence; ascending.
    children: Vec<Vec<GoalId>>,
    /// Goals that depend on no branch.
    roots: Vec<GoalId>,
    /// By slot.
    pub(super) branch_goals: Vec<Option<GoalId>>,
    pub(super) line_goals: Vec<Option<GoalId>>,
    branch_methods: Vec<Option<MethodId>>,
    line_methods: Vec<Option<MethodId>>,
    /// By method: the goals of calling it; `NO_GOAL` for a method that tests cannot call.
    entered: Vec<GoalId>,
    returned: Vec<GoalId>,
    static_goals: usize,
    /// Goals that existing tests cover.
    closed: BTreeSet<GoalId>,
    /// Methods of which all lines and branches are closed.
    closed_methods: BTreeSet<MethodRef>,
    /// Empty for a class that answers no requests.
    pub(super) handlers: Handlers,
    /// Fields that a container fills, and methods that it calls, on a new object.
    injected: BTreeSet<InjectedMember>,
    /// Generated methods: the effects of their calls are no goals.
    generated: BTreeSet<MethodRef>,
    /// Methods that the classes inherit from libraries: the effects of their calls are no goals.
    of_libraries: BTreeSet<MethodRef>,
    /// Methods that are not public. Their callers, not they, keep an index in its bounds.
    internal: BTreeSet<MethodRef>,
    /// The target and its superclasses. An exception is known by its innermost line in one of them.
    sites_of_exceptions: Arc<BTreeSet<ClassName>>,
    /// Whether tests can give the target mocks for its collaborators.
    pub(super) has_mocks: bool,
    /// Which classes are values of the project.
    values: ValueClasses,
    pub(super) pairs: Pairs,
    /// By the line of a check: the first method for which it failed.
    checks: FxHashMap<(ClassName, i32), MethodRef>,
}

/// A member through which a container completes new objects.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::search) enum InjectedMember {
    Field(FieldRef),
    Method(MethodRef),
}

impl GoalRegistry {
    /// The static goals of `methods`. `callable` says whether a statement of a test can call a
    /// method; only such methods get goals of being called.
    pub fn new(methods: Vec<TargetMethod>, callable: impl Fn(&MethodRef) -> bool) -> GoalRegistry {
        let own_slots = methods.iter().flat_map(|method| &method.branches).map(|site| site.slot);
        let of_defaults = methods.iter().flat_map(|method| &method.defaults).map(|(key, _)| *key);
        let branch_slots = own_slots.chain(of_defaults).map(|slot| slot.index() + 1).max().unwrap_or(0);
        let line_slots = methods.iter().flat_map(|method| &method.lines).map(|site| site.slot.index() + 1).max().unwrap_or(0);
        let mut goals = GoalRegistry {
            methods: Vec::new(),
            method_ids: FxHashMap::default(),
            goals: Vec::new(),
            ids: FxHashMap::default(),
            approaches: Vec::new(),
            groups: Vec::new(),
            children: Vec::new(),
            roots: Vec::new(),
            branch_goals: vec![None; branch_slots],
            line_goals: vec![None; line_slots],
            branch_methods: vec![None; branch_slots],
            line_methods: vec![None; line_slots],
            entered: Vec::new(),
            returned: Vec::new(),
            static_goals: 0,
            closed: BTreeSet::new(),
            closed_methods: BTreeSet::new(),
            handlers: Handlers::new(),
            injected: BTreeSet::new(),
            generated: BTreeSet::new(),
            of_libraries: BTreeSet::new(),
            internal: BTreeSet::new(),
            sites_of_exceptions: Arc::new(methods.iter().map(|target| target.method.owner.clone()).collect()),
            has_mocks: false,
            values: ValueClasses::new(|_| false),
            pairs: Pairs::default(),
            checks: FxHashMap::default(),
        };
        for (index, target) in methods.iter().enumerate() {
            let method = MethodId(index as u32);
            goals.methods.push(target.method.clone());
            goals.method_ids.insert(target.method.clone(), method);
            let dependences: BTreeMap<BranchSlot, &[BranchSlot]> =
                target.branches.iter().map(|site| (site.slot, &site.depends_on[..])).collect();
            for site in &target.branches {
                let id = goals.add(
                    Goal::Branch { method, slot: site.slot },
                    approach(Some(site.slot), &site.depends_on, &dependences, method),
                );
                goals.branch_goals[site.slot.index()] = Some(id);
                goals.branch_methods[site.slot.index()] = Some(method);
            }
            for (key, default) in &target.defaults {
                goals.branch_goals[key.index()] = goals.branch_goals[default.index()];
                goals.branch_methods[key.index()] = Some(method);
            }
            for site in &target.lines {
                let id =
                    goals.add(Goal::Line { method, slot: site.slot }, approach(None, &site.depends_on, &dependences, method));
                goals.line_goals[site.slot.index()] = Some(id);
                goals.line_methods[site.slot.index()] = Some(method);
            }
        }
        for (index, target) in methods.iter().enumerate() {
            let method = MethodId(index as u32);
            if callable(&target.method) {
                let approach = || Approach { steps: Vec::new(), entry: 0, method };
                goals.entered.push(goals.next());
                goals.add(Goal::Method { method, normal: false }, approach());
                goals.returned.push(goals.next());
                goals.add(Goal::Method { method, normal: true }, approach());
            } else {
                goals.entered.push(NO_GOAL);
                goals.returned.push(NO_GOAL);
            }
        }
        goals.static_goals = goals.goals.len();
        let mut known: HashMap<_, GoalId> = HashMap::new();
        for (index, (goal, approach)) in goals.goals.iter().zip(&goals.approaches).enumerate() {
            let id = GoalId(index as u32);
            let group = match goal {
                Goal::Branch { .. } | Goal::Line { .. } => {
                    let is_line = matches!(goal, Goal::Line { .. });
                    *known.entry((approach.method, is_line, &approach.steps[..])).or_insert(id)
                }
                _ => id,
            };
            goals.groups.push(group);
        }
        goals.children = vec![Vec::new(); goals.static_goals];
        for target in &methods {
            for site in &target.branches {
                goals.add_dependences(goals.branch_goals[site.slot.index()], &site.depends_on);
            }
            for site in &target.lines {
                goals.add_dependences(goals.line_goals[site.slot.index()], &site.depends_on);
            }
        }
        for id in goals.entered.iter().chain(&goals.returned).filter(|id| **id != NO_GOAL) {
            goals.roots.push(*id);
        }
        goals
    }

    /// The same goals, and those of requests that these methods answer.
    pub(in crate::search) fn with_handlers(
        mut self,
        handlers: impl Iterator<Item = ((String, String), Handler)>,
    ) -> GoalRegistry {
        self.handlers = handlers.collect();
        self
    }

    /// Sets the members through which a container completes new objects.
    pub(in crate::search) fn set_injected(&mut self, injected: BTreeSet<InjectedMember>) {
        self.injected = injected;
    }

    /// Sets the generated methods of the target.
    pub(in crate::search) fn set_generated(&mut self, generated: BTreeSet<MethodRef>) {
        self.generated = generated;
    }

    /// Sets the methods of the classes that are not public.
    pub(in crate::search) fn set_internal(&mut self, internal: BTreeSet<MethodRef>) {
        self.internal = internal;
    }

    /// Of methods that the classes inherit, each with the class that declares it, sets apart those
    /// that a library declares.
    pub(in crate::search) fn set_inherited(&mut self, inherited: impl Iterator<Item = (MethodRef, ClassName)>) {
        let is_of_library = |declared_in: &ClassName| {
            !is_of_jdk(declared_in) && self.methods.iter().all(|own| organisation(&own.owner) != organisation(declared_in))
        };
        let of_libraries = inherited.filter(|(_, declared_in)| is_of_library(declared_in)).map(|(method, _)| method).collect();
        self.of_libraries = of_libraries;
    }

    /// Sets whether tests can mock collaborators of the target. An exception from a real collaborator
    /// then tells nothing of the target but the place that does not catch it.
    pub(in crate::search) fn set_mocks(&mut self, has_mocks: bool) {
        self.has_mocks = has_mocks;
    }

    /// Sets which classes are values of the project.
    pub(in crate::search) fn set_values(&mut self, values: ValueClasses) {
        self.values = values;
    }

    /// Adds classes from which the target inherits: their lines tell exceptions apart as well.
    pub(in crate::search) fn add_superclasses(&mut self, superclasses: impl Iterator<Item = ClassName>) {
        Arc::make_mut(&mut self.sites_of_exceptions).extend(superclasses);
    }

    /// The classes whose lines tell exceptions apart.
    pub(super) fn sites_of_exceptions(&self) -> Arc<BTreeSet<ClassName>> {
        Arc::clone(&self.sites_of_exceptions)
    }

    /// How little the test says of the classes under test.
    pub(crate) fn weakness(&self, test: &TestCase, end: &RunEnd) -> Weakness {
        if is_unchecked(end) {
            return Weakness::Unchecked;
        }
        let tells_no_contract = |thrown: &Thrown| is_accident(test, thrown) || self.is_of_broken_state(test, thrown);
        if matches!(end, RunEnd::Threw { thrown, .. } if tells_no_contract(thrown)) {
            return Weakness::Accident;
        }
        if is_of_fixed_collection(end) {
            return Weakness::LibraryThrew;
        }
        if !self.has_mocks {
            return Weakness::None;
        }
        let own = &self.sites_of_exceptions;
        let RunEnd::Threw { thrown, .. } = end else {
            let mut calls = test.statements.iter().rev().filter_map(|statement| match &statement.kind {
                StatementKind::Call { method, .. } => Some(method),
                _ => None,
            });
            let is_indirect = calls.next().is_some_and(|last| self.of_libraries.contains(last));
            return if is_indirect { Weakness::CallsInherited } else { Weakness::None };
        };
        match thrown.frames.iter().find(|(class, ..)| !is_of_jdk(class)) {
            // Its frames begin where the mock was called.
            _ if is_answer(test, thrown) => Weakness::MockThrew,
            Some((class, ..)) if own.contains(class) => Weakness::None,
            Some((class, ..)) if self.values.contains(class) => Weakness::ValueThrew,
            Some((class, ..)) if own.iter().any(|own| organisation(own) == organisation(class)) => Weakness::CollaboratorThrew,
            Some(_) => Weakness::LibraryThrew,
            None => Weakness::None,
        }
    }

    /// Whether the test called a method that is not public before, and code outside of the classes threw the exception:
    /// as a rule, that call broke the state of an object.
    fn is_of_broken_state(&self, test: &TestCase, thrown: &Thrown) -> bool {
        let is_own = |class: &ClassName| self.methods.iter().any(|method| method.owner == *class);
        let mut before = test.statements.iter().rev().skip(1).filter_map(|statement| statement.kind.called_method());
        let is_thrown_by_own = thrown.frames.first().is_some_and(|(class, ..)| is_own(class));
        !is_thrown_by_own && before.any(|method| self.internal.contains(method))
    }

    /// Number of members of objects that the test fills in place of a container.
    pub(crate) fn count_injected(&self, test: &TestCase) -> usize {
        if self.injected.is_empty() {
            return 0;
        }
        let filled = test.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::PutField { field, receiver: Some(object), .. } => {
                Some((*object, InjectedMember::Field(field.clone())))
            }
            StatementKind::Call { method, receiver: Some(object), .. } => Some((*object, InjectedMember::Method(method.clone()))),
            _ => None,
        });
        filled.filter(|(_, member)| self.injected.contains(member)).collect::<BTreeSet<_>>().len()
    }

    /// Enters a goal below the branches that it directly depends on, or as a root.
    fn add_dependences(&mut self, id: Option<GoalId>, depends_on: &[BranchSlot]) {
        let Some(id) = id else { return };
        let parents: BTreeSet<GoalId> =
            depends_on.iter().filter_map(|&slot| self.branch_goals[slot.index()]).filter(|&parent| parent != id).collect();
        if parents.is_empty() {
            self.roots.push(id);
        }
        for parent in parents {
            self.children[parent.index()].push(id);
        }
    }

    fn next(&self) -> GoalId {
        GoalId(self.goals.len() as u32)
    }

    fn add(&mut self, goal: Goal, approach: Approach) -> GoalId {
        let id = self.next();
        self.ids.insert(goal.clone(), id);
        self.goals.push(goal);
        self.approaches.push(approach);
        id
    }

    /// Number of a goal that an execution shows; a new goal is added.
    pub(in crate::search) fn register(&mut self, goal: Goal) -> GoalId {
        if let Some(&id) = self.ids.get(&goal) {
            return id;
        }
        let id = self.next();
        self.ids.insert(goal.clone(), id);
        self.goals.push(goal);
        id
    }

    /// Whether the goal is an exception of a check in a helper that has a goal with another method. One test of the
    /// check is enough.
    pub(super) fn is_checked_for_another(&mut self, goal: &Goal) -> bool {
        match goal {
            Goal::Exception { method, class, site: Some(site), .. } if is_of_check(class) => {
                let first = self.checks.entry(site.clone()).or_insert_with(|| method.clone());
                *first != *method
            }
            _ => false,
        }
    }

    /// Number of goals known so far.
    pub(crate) fn len(&self) -> usize {
        self.goals.len()
    }

    /// Number of goals known before any execution; their numbers are below this.
    pub fn static_goals(&self) -> usize {
        self.static_goals
    }

    /// Numbers of branch goals and of line goals.
    pub(crate) fn count_slots(&self) -> (usize, usize) {
        let count = |slots: &[Option<GoalId>]| slots.iter().flatten().collect::<BTreeSet<_>>().len();
        (count(&self.branch_goals), count(&self.line_goals))
    }

    /// Whether the goal was known before any execution.
    pub(in crate::search) fn is_static(&self, id: GoalId) -> bool {
        id.index() < self.static_goals
    }

    /// The goal of a number. Panics when the number comes from another registry.
    pub(crate) fn goal(&self, id: GoalId) -> &Goal {
        &self.goals[id.index()]
    }

    /// Number of a goal; `None` when no execution has shown it yet.
    pub(crate) fn find(&self, goal: &Goal) -> Option<GoalId> {
        self.ids.get(goal).copied()
    }

    /// All goals known so far, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (GoalId, &Goal)> {
        self.goals.iter().enumerate().map(|(index, goal)| (GoalId(index as u32), goal))
    }

    /// The target methods, by [`MethodId`].
    pub fn methods(&self) -> &[MethodRef] {
        &self.methods
    }

    /// Number of a method; `None` when it is not of a target class.
    pub(crate) fn method_id(&self, method: &MethodRef) -> Option<MethodId> {
        self.method_ids.get(method).copied()
    }

    /// The goals of calling the method, if tests can call it: the call, and its return.
    pub(crate) fn method_goals(&self, method: &MethodRef) -> impl Iterator<Item = GoalId> {
        let id = self.method_id(method);
        let goals = id.into_iter().flat_map(|id| [self.entered_goal(id), self.returned_goal(id)]);
        goals.flatten()
    }

    /// Whether the suite needs a test for the goal. The archive also has tests for other goals, as
    /// parents.
    pub fn is_required(&self, id: GoalId) -> bool {
        let is_closed = match &self.goals[id.index()] {
            Goal::Input { .. } | Goal::Exception { is_foreign: true, .. } | Goal::Response { threw: true, .. } => true,
            Goal::Exception { class, site: None, .. } if is_of_length(class) => true,
            Goal::Exception { method, class, site: None, .. } if is_of_index(class) && self.internal.contains(method) => true,
            // The response to a request shows what a handler returns.
            Goal::Output { method, .. } if self.is_handler(method) => true,
            Goal::Method { method, .. } => self.is_handler(&self.methods[method.index()]),
            Goal::Exception { method, .. } | Goal::Output { method, .. } | Goal::Response { handler: method, .. } => {
                [&self.closed_methods, &self.generated, &self.of_libraries].into_iter().any(|methods| methods.contains(method))
            }
            // A constructor that only fills components runs wherever such an object is needed.
            Goal::Branch { method, .. } | Goal::Line { method, .. } => self.generated.contains(&self.methods[method.index()]),
            Goal::Pair { method, first, second } => {
                let method = &self.methods[method.index()];
                // Recorded tests that take one of the outcomes may take both.
                let is_known = |slot: BranchSlot| self.branch_goal(slot).is_some_and(|goal| self.closed.contains(&goal));
                self.generated.contains(method) || self.is_handler(method) || is_known(*first) || is_known(*second)
            }
        };
        !is_closed && !self.closed.contains(&id)
    }

    /// Whether requests are answered by the method.
    fn is_handler(&self, method: &MethodRef) -> bool {
        self.handlers.values().any(|handler| handler.method == *method)
    }

    /// Closes the exceptions and outputs of each method of which all lines and branches are closed.
    /// Called after [`GoalRegistry::close`].
    pub(in crate::search) fn close_methods(&mut self) {
        let mut open = BTreeSet::new();
        let mut all = BTreeSet::new();
        for (index, goal) in self.goals.iter().enumerate().take(self.static_goals) {
            let (Goal::Branch { method, .. } | Goal::Line { method, .. }) = goal else { continue };
            all.insert(*method);
            if !self.closed.contains(&GoalId(index as u32)) {
                open.insert(*method);
            }
        }
        self.closed_methods.extend(all.difference(&open).map(|method| self.methods[method.index()].clone()));
    }

    /// Whether existing tests cover some goals.
    pub(crate) fn has_closed_goals(&self) -> bool {
        !self.closed.is_empty()
    }

    /// Closes a goal that an existing test covers: the suite needs no test for it.
    pub(in crate::search) fn close(&mut self, id: GoalId) {
        self.closed.insert(id);
    }

    /// The method of an exception; `None` for other goals.
    pub(crate) fn thrower(&self, id: GoalId) -> Option<&MethodRef> {
        match &self.goals[id.index()] {
            Goal::Exception { method, .. } => Some(method),
            _ => None,
        }
    }

    /// The method of a static goal or a pair; `None` for other goals.
    pub(crate) fn method_of(&self, id: GoalId) -> Option<MethodId> {
        match self.goals[id.index()] {
            Goal::Branch { method, .. } | Goal::Line { method, .. } | Goal::Method { method, .. } | Goal::Pair { method, .. } => {
                Some(method)
            }
            _ => None,
        }
    }

    /// The goal of a branch slot; `None` when no target method has the slot.
    pub fn branch_goal(&self, slot: BranchSlot) -> Option<GoalId> {
        self.branch_goals.get(slot.index()).copied().flatten()
    }

    /// The slot that the goal of a branch slot is about: that of the default for a key of a switch that leads there.
    pub(crate) fn slot_of_goal(&self, slot: BranchSlot) -> BranchSlot {
        match self.branch_goal(slot).map(|goal| self.goal(goal)) {
            Some(Goal::Branch { slot, .. }) => *slot,
            _ => slot,
        }
    }

    /// The goal of a line slot; `None` when no target method has the slot.
    pub(crate) fn line_goal(&self, slot: LineSlot) -> Option<GoalId> {
        self.line_goals.get(slot.index()).copied().flatten()
    }

    /// The goal of calling the method; `None` when tests cannot call it.
    pub(in crate::search) fn entered_goal(&self, method: MethodId) -> Option<GoalId> {
        Some(self.entered[method.index()]).filter(|id| *id != NO_GOAL)
    }

    /// The goal of a call that returns; `None` when tests cannot call the method.
    pub(in crate::search) fn returned_goal(&self, method: MethodId) -> Option<GoalId> {
        Some(self.returned[method.index()]).filter(|id| *id != NO_GOAL)
    }

    /// The method that a branch slot belongs to.
    pub(in crate::search) fn method_of_branch(&self, slot: BranchSlot) -> Option<MethodId> {
        self.branch_methods.get(slot.index()).copied().flatten()
    }

    /// The method that a line slot belongs to.
    pub(in crate::search) fn method_of_line(&self, slot: LineSlot) -> Option<MethodId> {
        self.line_methods.get(slot.index()).copied().flatten()
    }

    /// Goals that depend on no branch: the first targets.
    pub(in crate::search) fn roots(&self) -> &[GoalId] {
        &self.roots
    }

    /// Goals that become targets when the goal is covered; ascending.
    pub(in crate::search) fn children(&self, id: GoalId) -> &[GoalId] {
        self.children.get(id.index()).map_or(&[], |children| children)
    }

    /// The first goal of the same approach. Until one of them is covered, they have equal
    /// fitness, so that one objective serves all of them.
    pub(in crate::search) fn approach_group(&self, id: GoalId) -> GoalId {
        self.groups[id.index()]
    }

    /// Whether the goal is an outcome of a jump, so that other values alone can lower its distance.
    pub(in crate::search) fn has_distance(&self, id: GoalId) -> bool {
        matches!(self.goals[id.index()], Goal::Branch { .. })
    }
}

/// Stands for a missing goal in tables by method.
const NO_GOAL: GoalId = GoalId(u32::MAX);
/// The approach of a goal: breadth first over the control dependences from the goal to the entry,
/// in time linear in their number. `own`: the goal's own branch slot.
fn approach(
    own: Option<BranchSlot>,
    depends_on: &[BranchSlot],
    dependences: &BTreeMap<BranchSlot, &[BranchSlot]>,
    method: MethodId,
) -> Approach {
    let mut steps: Vec<(BranchSlot, u32)> = own.map(|slot| (slot, 0)).into_iter().collect();
    let mut known: BTreeSet<BranchSlot> = steps.iter().map(|step| step.0).collect();
    let mut pending: VecDeque<(BranchSlot, u32)> = depends_on.iter().map(|&slot| (slot, 1)).collect();
    let mut entry = 1;
    while let Some((slot, level)) = pending.pop_front() {
        if !known.insert(slot) {
            continue;
        }
        steps.push((slot, level));
        entry = level + 1;
        pending.extend(dependences.get(&slot).copied().unwrap_or_default().iter().map(|&parent| (parent, level + 1)));
    }
    Approach { steps, entry, method }
}

#[cfg(test)]
mod tests {
    use super::super::testing::goals;
    use super::*;

    #[test]
    fn a_key_that_leads_to_the_default_counts_as_the_default() {
        let site = |slot| TargetSite { slot: BranchSlot(slot), depends_on: Vec::new() };
        let switch = TargetMethod {
            method: MethodRef::new(ClassName::new("T"), "m", "()V"),
            branches: vec![site(0), site(2), site(3)],
            lines: Vec::new(),
            defaults: vec![(BranchSlot(1), BranchSlot(3))],
        };
        let goals = GoalRegistry::new(vec![switch], |_| true);
        assert_eq!(goals.branch_goal(BranchSlot(1)), goals.branch_goal(BranchSlot(3)));
        assert_eq!(goals.slot_of_goal(BranchSlot(1)), BranchSlot(3));
        assert_eq!(goals.method_of_branch(BranchSlot(1)), Some(MethodId(0)));
        assert_eq!(goals.count_slots(), (3, 0));
    }

    #[test]
    fn goals_become_targets_below_the_branches_that_they_depend_on() {
        let goals = goals();
        let id = |slot| goals.branch_goal(BranchSlot(slot)).expect("a goal");
        assert!(goals.roots().contains(&id(0)) && goals.roots().contains(&goals.line_goal(LineSlot(0)).expect("a goal")));
        assert!(!goals.roots().contains(&id(2)) && !goals.roots().contains(&id(4)));
        assert_eq!(goals.children(id(1)), [id(2), id(3)]);
        assert_eq!(goals.children(id(3)), [id(4), id(5), goals.line_goal(LineSlot(1)).expect("a goal")]);
        // Tests cannot call the hidden method: its line is a goal, its call is none.
        assert_eq!(goals.entered_goal(MethodId(1)), None);
        assert!(goals.entered_goal(MethodId(0)).is_some());
        assert_eq!(goals.static_goals(), 6 + 3 + 2);
    }

    #[test]
    fn what_other_tests_show_needs_no_test_of_its_own() {
        let plain = goals();
        let entered = plain.entered_goal(MethodId(0)).expect("a goal");
        let branch = plain.branch_goal(BranchSlot(0)).expect("a goal");
        assert!(plain.is_required(entered) && plain.is_required(branch));
        let handler = Handler { method: plain.methods[0].clone(), validates: false };
        let answering = goals().with_handlers(std::iter::once((("GET".into(), "/items".into()), handler)));
        assert!(!answering.is_required(entered) && answering.is_required(branch), "requests show what it returns");
        let mut generated = goals();
        generated.set_generated(BTreeSet::from([plain.methods[0].clone()]));
        assert!(!generated.is_required(branch));
    }

    #[test]
    fn what_an_inherited_method_throws_after_an_internal_call_is_an_accident() {
        let mut goals = goals();
        goals.set_internal(BTreeSet::from([MethodRef::new(ClassName::new("T"), "unlink", "()V")]));
        let weakness = |called: &str, thrower: &str| {
            let text = format!(
                "v0: LT; = new T.<init> ()V ()\nv1: V = call method T.{called} ()V on v0 ()\n\
                 v2: I = call method T.size ()I on v0 ()\n"
            );
            let frames = vec![(ClassName::new(thrower), "size".to_owned(), 3)];
            let (class, message) = (ClassName::new("p/E"), None);
            let thrown = Thrown { class, message, in_project: true, frames };
            goals.weakness(&text.parse().expect("well-formed"), &RunEnd::Threw { statement: 2, thrown })
        };
        assert_eq!(weakness("unlink", "Base"), Weakness::Accident);
        assert_eq!(weakness("unlink", "T"), Weakness::None, "a check of the class itself");
        assert_eq!(weakness("clear", "Base"), Weakness::None);
    }

    #[test]
    fn what_instructions_refuse_in_internal_methods_needs_no_test() {
        let is_required = |is_internal: bool, class: &str, site: Option<(ClassName, i32)>| {
            let mut goals = goals();
            let method = goals.methods[0].clone();
            goals.set_internal(if is_internal { BTreeSet::from([method.clone()]) } else { BTreeSet::new() });
            let class = ClassName::new(&format!("java/lang/{class}Exception"));
            let goal = goals.register(Goal::Exception { method, class, site, is_foreign: false });
            goals.is_required(goal)
        };
        let thrown_by_code = Some((ClassName::new("T"), 7));
        assert!(is_required(false, "ArrayIndexOutOfBounds", None) && is_required(true, "NullPointer", None));
        assert!(is_required(true, "ArrayIndexOutOfBounds", thrown_by_code));
        assert!(!is_required(true, "ArrayIndexOutOfBounds", None) && !is_required(false, "NegativeArraySize", None));
    }
}
