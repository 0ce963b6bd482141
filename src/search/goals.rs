//! What is to be covered, and how far an execution is from it. Flows in: slots and control dependence of the target classes, executions;
//! flows out: goals by number and their fitness. Must not know how candidates come about.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use super::hash::FastMap;
use crate::execution::{Execution, RunEnd, Thrown, ValueClass};
use crate::program::{ClassName, MethodRef};
use crate::testcase::{StatementKind, TestCase};

/// A goal by number. Branches, lines and methods are known from the start; exceptions and outputs get theirs when first seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GoalId(pub u32);

impl GoalId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A target method by number, in class-file order of the target classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodId(pub u32);

/// One thing that a test can show.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Goal {
    /// An outcome of a conditional jump or switch, by slot.
    Branch { method: MethodId, slot: u32 },
    /// A line-number entry, by slot.
    Line { method: MethodId, slot: u32 },
    /// A test calls the method itself (`normal`: and it returns).
    Method { method: MethodId, normal: bool },
    /// A call of the method ends with the exception; `site` tells throw statements of the project apart.
    Exception { method: MethodRef, class: ClassName, site: Option<(ClassName, i32)> },
    /// A call of the method returns a value of the class.
    Output { method: MethodRef, class: ValueClass },
    /// A call of the method with such an argument returns. Tests are kept for it while searching; none is written for it alone.
    Input { method: MethodRef, parameter: u8, class: ValueClass },
}

/// A method of a target class with its slots, numbered over all targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetMethod {
    pub method: MethodRef,
    pub branches: Vec<TargetSite>,
    pub lines: Vec<TargetSite>,
}

/// A slot and the branch slots of the same method that it directly depends on (none: it runs whenever the method does).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetSite {
    pub slot: u32,
    pub depends_on: Vec<u32>,
}

/// How a goal is approached: the branch slots that decide, nearest first, each with its level (0: the goal's own jump).
#[derive(Debug)]
struct Approach {
    steps: Vec<(u32, u32)>,
    /// Level of the method's entry.
    entry: u32,
    method: MethodId,
}

/// All goals, the static ones with how to approach them.
#[derive(Debug)]
pub struct Goals {
    methods: Vec<MethodRef>,
    method_ids: FastMap<MethodRef, MethodId>,
    goals: Vec<Goal>,
    ids: FastMap<Goal, GoalId>,
    approaches: Vec<Approach>,
    groups: Vec<u32>,
    /// Goals that become reachable targets when this one is covered; ascending.
    children: Vec<Vec<GoalId>>,
    /// Goals without a condition: targets from the start.
    roots: Vec<GoalId>,
    branch_goals: Vec<Option<GoalId>>,
    line_goals: Vec<Option<GoalId>>,
    /// Method of a branch or line slot.
    branch_methods: Vec<Option<MethodId>>,
    line_methods: Vec<Option<MethodId>>,
    entered: Vec<GoalId>,
    returned: Vec<GoalId>,
    static_goals: usize,
    settled: BTreeSet<GoalId>,
    settled_methods: BTreeSet<MethodRef>,
}

impl Goals {
    /// `callable`: whether test cases can call the method themselves; only such methods get the goals of being called.
    pub fn new(methods: Vec<TargetMethod>, callable: impl Fn(&MethodRef) -> bool) -> Goals {
        let slots = |sites: fn(&TargetMethod) -> &[TargetSite]| {
            methods.iter().flat_map(sites).map(|site| site.slot as usize + 1).max().unwrap_or(0)
        };
        let (branch_slots, line_slots) = (slots(|method| &method.branches), slots(|method| &method.lines));
        let mut goals = Goals {
            methods: Vec::new(),
            method_ids: FastMap::default(),
            goals: Vec::new(),
            ids: FastMap::default(),
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
            settled: BTreeSet::new(),
            settled_methods: BTreeSet::new(),
        };
        for (index, target) in methods.iter().enumerate() {
            let method = MethodId(index as u32);
            goals.methods.push(target.method.clone());
            goals.method_ids.insert(target.method.clone(), method);
            let dependences: BTreeMap<u32, &[u32]> =
                target.branches.iter().map(|site| (site.slot, &site.depends_on[..])).collect();
            for site in &target.branches {
                let id =
                    goals.add(Goal::Branch { method, slot: site.slot }, approach(Some(site.slot), site, &dependences, method));
                goals.branch_goals[site.slot as usize] = Some(id);
                goals.branch_methods[site.slot as usize] = Some(method);
            }
            for site in &target.lines {
                let id = goals.add(Goal::Line { method, slot: site.slot }, approach(None, site, &dependences, method));
                goals.line_goals[site.slot as usize] = Some(id);
                goals.line_methods[site.slot as usize] = Some(method);
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
        let mut known: HashMap<_, u32> = HashMap::new();
        for (index, (goal, approach)) in goals.goals.iter().zip(&goals.approaches).enumerate() {
            let group = match goal {
                Goal::Branch { .. } | Goal::Line { .. } => {
                    let is_line = matches!(goal, Goal::Line { .. });
                    *known.entry((approach.method, is_line, &approach.steps[..])).or_insert(index as u32)
                }
                _ => index as u32,
            };
            goals.groups.push(group);
        }
        goals.children = vec![Vec::new(); goals.static_goals];
        for target in &methods {
            for site in &target.branches {
                goals.hang(goals.branch_goals[site.slot as usize], site);
            }
            for site in &target.lines {
                goals.hang(goals.line_goals[site.slot as usize], site);
            }
        }
        for id in goals.entered.iter().chain(&goals.returned).filter(|id| **id != NO_GOAL) {
            goals.roots.push(*id);
        }
        goals
    }

    fn hang(&mut self, id: Option<GoalId>, site: &TargetSite) {
        let Some(id) = id else { return };
        let parents: BTreeSet<GoalId> =
            site.depends_on.iter().filter_map(|&slot| self.branch_goals[slot as usize]).filter(|&parent| parent != id).collect();
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

    /// The number of a goal that was only found while running.
    pub(super) fn discover(&mut self, goal: Goal) -> GoalId {
        if let Some(&id) = self.ids.get(&goal) {
            return id;
        }
        let id = self.next();
        self.ids.insert(goal.clone(), id);
        self.goals.push(goal);
        id
    }

    pub(crate) fn len(&self) -> usize {
        self.goals.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.goals.is_empty()
    }

    /// Goals known before anything ran: numbers below this.
    pub fn static_goals(&self) -> usize {
        self.static_goals
    }

    pub(crate) fn goal(&self, id: GoalId) -> &Goal {
        &self.goals[id.index()]
    }

    pub(crate) fn find(&self, goal: &Goal) -> Option<GoalId> {
        self.ids.get(goal).copied()
    }

    pub fn iter(&self) -> impl Iterator<Item = (GoalId, &Goal)> {
        self.goals.iter().enumerate().map(|(index, goal)| (GoalId(index as u32), goal))
    }

    pub(crate) fn method(&self, id: MethodId) -> &MethodRef {
        &self.methods[id.0 as usize]
    }

    pub fn methods(&self) -> &[MethodRef] {
        &self.methods
    }

    pub(crate) fn method_id(&self, method: &MethodRef) -> Option<MethodId> {
        self.method_ids.get(method).copied()
    }

    /// The goals of calling the method itself.
    pub(crate) fn method_goals(&self, method: &MethodRef) -> impl Iterator<Item = GoalId> {
        let id = self.method_id(method);
        let goals = id.into_iter().flat_map(|id| [self.entered_goal(id), self.returned_goal(id)]);
        goals.flatten()
    }

    /// Whether the suite needs a test for it; the other goals keep what is worth varying.
    pub fn is_required(&self, id: GoalId) -> bool {
        let is_settled = match &self.goals[id.index()] {
            Goal::Input { .. } => true,
            Goal::Exception { method, .. } | Goal::Output { method, .. } => self.settled_methods.contains(method),
            _ => false,
        };
        !is_settled && !self.settled.contains(&id)
    }

    /// Of a method all lines and branches of which are settled, no test tells what else it returns or throws.
    pub(super) fn settle_methods(&mut self) {
        let mut open = BTreeSet::new();
        let mut all = BTreeSet::new();
        for (index, goal) in self.goals.iter().enumerate().take(self.static_goals) {
            let (Goal::Branch { method, .. } | Goal::Line { method, .. }) = goal else { continue };
            all.insert(*method);
            if !self.settled.contains(&GoalId(index as u32)) {
                open.insert(*method);
            }
        }
        self.settled_methods.extend(all.difference(&open).map(|method| self.methods[method.0 as usize].clone()));
    }

    /// Whether tests are there already that cover some goals.
    pub(crate) fn leaves_out(&self) -> bool {
        !self.settled.is_empty()
    }

    /// No test of ours is needed for the goal: one is there already.
    pub(super) fn settle(&mut self, id: GoalId) {
        self.settled.insert(id);
    }

    /// An exception that only says that null is not welcome.
    pub fn is_of_null(&self, id: GoalId) -> bool {
        matches!(&self.goals[id.index()], Goal::Exception { class, .. } if class.internal() == "java/lang/NullPointerException")
    }

    /// The method that a static goal lies in.
    pub(crate) fn method_of(&self, id: GoalId) -> Option<MethodId> {
        match self.goals[id.index()] {
            Goal::Branch { method, .. } | Goal::Line { method, .. } | Goal::Method { method, .. } => Some(method),
            _ => None,
        }
    }

    pub fn branch_goal(&self, slot: u32) -> Option<GoalId> {
        self.branch_goals.get(slot as usize).copied().flatten()
    }

    pub(crate) fn line_goal(&self, slot: u32) -> Option<GoalId> {
        self.line_goals.get(slot as usize).copied().flatten()
    }

    pub(super) fn entered_goal(&self, method: MethodId) -> Option<GoalId> {
        Some(self.entered[method.0 as usize]).filter(|id| *id != NO_GOAL)
    }

    pub(super) fn returned_goal(&self, method: MethodId) -> Option<GoalId> {
        Some(self.returned[method.0 as usize]).filter(|id| *id != NO_GOAL)
    }

    pub(super) fn method_of_branch(&self, slot: u32) -> Option<MethodId> {
        self.branch_methods.get(slot as usize).copied().flatten()
    }

    pub(super) fn method_of_line(&self, slot: u32) -> Option<MethodId> {
        self.line_methods.get(slot as usize).copied().flatten()
    }

    /// Targets from the start.
    pub(super) fn roots(&self) -> &[GoalId] {
        &self.roots
    }

    /// What becomes a target when the goal is covered.
    pub(super) fn children(&self, id: GoalId) -> &[GoalId] {
        self.children.get(id.index()).map_or(&[], |children| children)
    }

    /// Goals with equal approaches have equal fitness until one of them is covered: one objective is enough for all of a group.
    pub(super) fn approach_group(&self, id: GoalId) -> u32 {
        self.groups[id.index()]
    }

    /// Whether the goal's own jump decides: a smaller distance can come from other values alone.
    pub(super) fn has_distance(&self, id: GoalId) -> bool {
        matches!(self.goals[id.index()], Goal::Branch { .. })
    }

    /// 0: covered; else approach level + distance of the nearest decision, d/(d+1). Only for static goals.
    pub(super) fn fitness(&self, id: GoalId, reached: &Reached) -> f64 {
        let covered = match self.goals[id.index()] {
            Goal::Branch { slot, .. } => reached.distance(slot) == Some(0.0),
            Goal::Line { slot, .. } => reached.line(slot),
            Goal::Method { method, normal } => {
                return match reached.called(method) {
                    Called::No => 1.0,
                    Called::Threw if normal => 0.5,
                    Called::Threw | Called::Returned => 0.0,
                };
            }
            _ => false,
        };
        if covered {
            return 0.0;
        }
        let approach = &self.approaches[id.index()];
        let mut best = f64::INFINITY;
        for &(slot, level) in &approach.steps {
            if f64::from(level) >= best {
                break;
            }
            if let Some(distance) = reached.distance(slot) {
                best = best.min(f64::from(level) + normalise(distance));
            }
        }
        if best.is_finite() {
            return best;
        }
        let entered = reached.entered(approach.method);
        f64::from(approach.entry + if entered { 0 } else { 1 }) + 0.5
    }
}

const NO_GOAL: GoalId = GoalId(u32::MAX);

/// Maps a distance to [0, 1), monotonically. Of the usual d/(d+1) all distances above 10^8 would be equal in floating point; the logarithm keeps
/// them apart.
pub fn normalise(distance: f64) -> f64 {
    if distance.is_nan() {
        return HARDLY_BELOW_ONE;
    }
    let logarithm = distance.ln_1p();
    if logarithm.is_infinite() { HARDLY_BELOW_ONE } else { logarithm / (logarithm + 1.0) }
}

const HARDLY_BELOW_ONE: f64 = 0.999_999;

/// Breadth first over the control dependences from the goal to the entry.
fn approach(own: Option<u32>, site: &TargetSite, dependences: &BTreeMap<u32, &[u32]>, method: MethodId) -> Approach {
    let mut steps: Vec<(u32, u32)> = own.map(|slot| (slot, 0)).into_iter().collect();
    let mut known: BTreeSet<u32> = steps.iter().map(|step| step.0).collect();
    let mut pending: VecDeque<(u32, u32)> = site.depends_on.iter().map(|&slot| (slot, 1)).collect();
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

/// How the test's own calls of a method ended, the best of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Called {
    #[default]
    No,
    Threw,
    Returned,
}

/// What an execution reached, for looking up by slot. Reused from one execution to the next.
#[derive(Debug, Default)]
pub(crate) struct Reached {
    /// `NaN`: not reached.
    distances: Vec<f64>,
    lines: Vec<bool>,
    entered: Vec<bool>,
    called: Vec<Called>,
    touched: Vec<u32>,
    touched_lines: Vec<u32>,
    touched_methods: Vec<MethodId>,
}

impl Reached {
    pub(crate) fn load(&mut self, goals: &Goals, branches: &[(u32, f64)], lines: &[u32], calls: &[(MethodId, Called)]) {
        self.clear();
        self.distances.resize(goals.branch_goals.len(), f64::NAN);
        self.lines.resize(goals.line_goals.len(), false);
        self.entered.resize(goals.methods.len(), false);
        self.called.resize(goals.methods.len(), Called::No);
        for &(slot, distance) in branches {
            let Some(place) = self.distances.get_mut(slot as usize) else { continue };
            *place = distance;
            self.touched.push(slot);
            if let Some(method) = goals.method_of_branch(slot) {
                self.enter(method);
            }
        }
        for &slot in lines {
            let Some(place) = self.lines.get_mut(slot as usize) else { continue };
            *place = true;
            self.touched_lines.push(slot);
            if let Some(method) = goals.method_of_line(slot) {
                self.enter(method);
            }
        }
        for &(method, called) in calls {
            self.enter(method);
            let known = &mut self.called[method.0 as usize];
            *known = called.max(*known);
        }
    }

    fn enter(&mut self, method: MethodId) {
        if !std::mem::replace(&mut self.entered[method.0 as usize], true) {
            self.touched_methods.push(method);
        }
    }

    fn clear(&mut self) {
        for slot in self.touched.drain(..) {
            self.distances[slot as usize] = f64::NAN;
        }
        for slot in self.touched_lines.drain(..) {
            self.lines[slot as usize] = false;
        }
        for method in self.touched_methods.drain(..) {
            self.entered[method.0 as usize] = false;
            self.called[method.0 as usize] = Called::No;
        }
    }

    pub(crate) fn distance(&self, slot: u32) -> Option<f64> {
        self.distances.get(slot as usize).copied().filter(|distance| !distance.is_nan())
    }

    pub(crate) fn line(&self, slot: u32) -> bool {
        self.lines.get(slot as usize).copied().unwrap_or(false)
    }

    pub(crate) fn entered(&self, method: MethodId) -> bool {
        self.entered[method.0 as usize]
    }

    pub(crate) fn called(&self, method: MethodId) -> Called {
        self.called[method.0 as usize]
    }
}

/// The goals that are only found while running: calls `found` with each exception and class of output and input that the execution shows.
fn shown(test: &TestCase, execution: &Execution, mut found: impl FnMut(Goal)) {
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
                None => execution.outputs.get(argument.index()).copied().flatten(),
            };
            if let Some(class) = class {
                found(Goal::Input { method: method.clone(), parameter, class });
            }
        }
    }
    if let RunEnd::Threw { statement, thrown } = &execution.end
        && thrown.in_project
        && let Some(method) = method_at(*statement as usize)
    {
        found(exception_goal(method, thrown));
    }
}

/// Exceptions are told apart by the innermost frame outside the JDK, except those that only say that null is not welcome.
pub fn exception_goal(method: &MethodRef, thrown: &Thrown) -> Goal {
    let outside_jdk = |class: &ClassName| {
        !["java/", "javax/", "jdk/", "sun/", "com/sun/"].iter().any(|package| class.internal().starts_with(package))
    };
    let site = thrown
        .frames
        .iter()
        .find(|(class, _, _)| outside_jdk(class))
        .filter(|_| thrown.class.internal() != "java/lang/NullPointerException")
        .map(|(class, _, line)| (class.clone(), *line));
    Goal::Exception { method: method.clone(), class: thrown.class.clone(), site }
}

impl Goals {
    /// The goals that are only found while running, added where they are new.
    pub(super) fn discover_shown(
        &mut self,
        test: &TestCase,
        execution: &Execution,
        under_test: impl Fn(&MethodRef) -> bool,
        covered: &mut Vec<GoalId>,
    ) {
        shown(test, execution, |goal| {
            let (Goal::Output { method, .. } | Goal::Input { method, .. } | Goal::Exception { method, .. }) = &goal else {
                return;
            };
            if under_test(method) {
                covered.push(self.discover(goal));
            }
        });
    }

    /// The goals known from the start that the execution covers are appended.
    pub(super) fn static_covered(&self, execution: &Execution, calls: &[(MethodId, Called)], covered: &mut Vec<GoalId>) {
        for &(slot, distance) in &execution.branches {
            if distance == 0.0 {
                covered.extend(self.branch_goal(slot));
            }
        }
        covered.extend(execution.lines.iter().filter_map(|&slot| self.line_goal(slot)));
        for &(method, called) in calls {
            covered.extend(self.entered_goal(method));
            if called == Called::Returned {
                covered.extend(self.returned_goal(method));
            }
        }
    }

    /// The test's own calls of target methods, each with how it ended.
    pub(super) fn calls(&self, test: &TestCase, execution: &Execution) -> Vec<(MethodId, Called)> {
        let (threw, ran) = match &execution.end {
            RunEnd::Threw { statement, thrown } => (*statement as usize, *statement as usize + usize::from(thrown.in_project)),
            _ => (usize::MAX, test.len()),
        };
        let mut calls = Vec::new();
        for (index, statement) in test.statements.iter().enumerate().take(ran) {
            if let StatementKind::Construct { constructor: method, .. } | StatementKind::Call { method, .. } = &statement.kind
                && let Some(method) = self.method_id(method)
            {
                calls.push((method, if index == threw { Called::Threw } else { Called::Returned }));
            }
        }
        calls
    }

    /// All known goals that the execution covers, ascending. Empty when it can be no test.
    pub fn covered_by(&self, test: &TestCase, execution: &Execution) -> Vec<GoalId> {
        let mut covered = Vec::new();
        if execution.left_running || !matches!(execution.end, RunEnd::Completed | RunEnd::Threw { .. }) {
            return covered;
        }
        self.static_covered(execution, &self.calls(test, execution), &mut covered);
        shown(test, execution, |goal| covered.extend(self.find(&goal)));
        covered.sort_unstable();
        covered.dedup();
        covered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `if (a) { if (b) { line 1 } }` with slots 0/1 for a and 2/3 for b; line 0 at the entry; a loop whose jump (4/5) depends on itself.
    fn goals() -> Goals {
        let site = |slot, depends_on: &[u32]| TargetSite { slot, depends_on: depends_on.to_vec() };
        let method = |name| MethodRef::new(ClassName::new("T"), name, "()V");
        Goals::new(
            vec![
                TargetMethod {
                    method: method("m"),
                    branches: vec![site(0, &[]), site(1, &[]), site(2, &[1]), site(3, &[1]), site(4, &[3, 5]), site(5, &[3, 5])],
                    lines: vec![site(0, &[]), site(1, &[3])],
                },
                TargetMethod { method: method("hidden"), branches: Vec::new(), lines: vec![site(2, &[])] },
            ],
            |method| &*method.name != "hidden",
        )
    }

    fn fitness(goals: &Goals, goal: GoalId, branches: &[(u32, f64)], lines: &[u32]) -> f64 {
        let mut reached = Reached::default();
        // What was loaded before must leave no trace.
        reached.load(goals, &[(0, 0.0), (1, 0.0), (2, 0.0), (3, 0.0), (4, 0.0)], &[0, 1, 2], &[(MethodId(0), Called::Returned)]);
        reached.load(goals, branches, lines, &[]);
        goals.fitness(goal, &reached)
    }

    #[test]
    fn fitness_falls_on_the_way_to_a_branch() {
        let goals = goals();
        let deep = goals.branch_goal(4).expect("a goal");
        let way = [
            fitness(&goals, deep, &[], &[]),
            fitness(&goals, deep, &[], &[0]),
            fitness(&goals, deep, &[(0, 0.0), (1, 1e12)], &[0]),
            fitness(&goals, deep, &[(0, 0.0), (1, 1e12 - 1e6)], &[0]),
            fitness(&goals, deep, &[(0, 0.0), (1, 1.0)], &[0]),
            // The outcome was taken, but an exception came before the next jump.
            fitness(&goals, deep, &[(0, 1.0), (1, 0.0)], &[0]),
            fitness(&goals, deep, &[(1, 0.0), (2, 0.0), (3, 7.0)], &[0]),
            fitness(&goals, deep, &[(1, 0.0), (3, 0.0), (4, 7.0), (5, 0.0)], &[0]),
            fitness(&goals, deep, &[(1, 0.0), (3, 0.0), (4, 0.0), (5, 0.0)], &[0]),
        ];
        assert!(way.is_sorted_by(|left, right| left > right), "{way:?}");
        assert_eq!(way[way.len() - 1], 0.0);
        assert!(way[way.len() - 2] < 1.0 && way[way.len() - 3] > 1.0);
    }

    #[test]
    fn lines_are_approached_through_what_decides_about_them() {
        let goals = goals();
        let line = goals.line_goal(1).expect("a goal");
        let near = fitness(&goals, line, &[(1, 0.0), (3, 2.0)], &[0]);
        assert!(near > fitness(&goals, line, &[(1, 0.0), (3, 1.0)], &[0]));
        assert!(near < fitness(&goals, line, &[(1, 3.0)], &[0]));
        assert_eq!(fitness(&goals, line, &[(1, 0.0), (3, 0.0)], &[0, 1]), 0.0);
    }

    #[test]
    fn goals_wait_for_those_that_decide_about_them() {
        let goals = goals();
        let id = |slot| goals.branch_goal(slot).expect("a goal");
        assert!(goals.roots().contains(&id(0)) && goals.roots().contains(&goals.line_goal(0).expect("a goal")));
        assert!(!goals.roots().contains(&id(2)) && !goals.roots().contains(&id(4)));
        assert_eq!(goals.children(id(1)), [id(2), id(3)]);
        assert_eq!(goals.children(id(3)), [id(4), id(5), goals.line_goal(1).expect("a goal")]);
        // Nothing calls the hidden method from outside: its line is a goal, being called is none.
        assert_eq!(goals.entered_goal(MethodId(1)), None);
        assert!(goals.entered_goal(MethodId(0)).is_some());
        assert_eq!(goals.static_goals(), 6 + 3 + 2);
    }

    #[test]
    fn classes_of_inputs_are_goals_that_no_test_is_written_for() {
        let mut goals = goals();
        let test: TestCase = "v0: I = int -3\nv1: Ljava/lang/String; = null\nv2: [I = array I 0 ()\n\
            v3: V = call method T.m (ILjava/lang/String;[I)V (v0, v1, v2)\nv4: V = call method T.m (ILjava/lang/String;[I)V (v0, v1, v2)\n"
            .parse()
            .expect("a test case");
        let mut execution = Execution {
            end: RunEnd::Completed,
            branches: Vec::new(),
            lines: Vec::new(),
            snapshots: Vec::new(),
            final_snapshots: Vec::new(),
            classes: vec![None; 5],
            outputs: vec![None, None, Some(ValueClass::Present), None, None],
            seen_strings: Vec::new(),
            left_running: false,
        };
        let mut shown = |execution: &Execution| {
            let mut covered = Vec::new();
            goals.discover_shown(&test, execution, |method| &*method.name == "m", &mut covered);
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
        assert_eq!(shown(&execution), (3, inputs));
        // Only what a call returned from was welcome.
        let thrown = Thrown {
            class: ClassName::new("E"),
            message: None,
            in_project: true,
            frames: vec![(ClassName::new("T"), "m".into(), 7)],
        };
        execution.end = RunEnd::Threw { statement: 3, thrown };
        assert_eq!(shown(&execution), (1, Vec::new()));
    }

    #[test]
    fn distances_stay_apart_over_all_magnitudes() {
        let distances = [0.0, 1e-300, 1e-9, 0.5, 1.0, 1e8, 1e8 + 1.0, 4e9, 1e15, 1e300];
        let normal: Vec<f64> = distances.iter().map(|distance| normalise(*distance)).collect();
        assert!(normal.is_sorted_by(|left, right| left < right), "{normal:?}");
        assert!(normal.iter().chain(&[normalise(f64::INFINITY), normalise(f64::NAN)]).all(|value| (0.0..1.0).contains(value)));
    }
}
