//! One class, from its class file to its test file and its report.
//!
//! Flows in: the context, the target, the time that is left. Flows out: the test file on disk and a
//! class report.
//!
//! The stages, in their order:
//!
//! 1. *Search* (`class_search`). Candidates run in batches, and symbolic execution beside them, or
//!    in turn with them where steps are counted. Slices of the mutant search run between two
//!    batches. With `--strategy dse`, symbolic execution works alone, and random tests are its
//!    seeds. Where finishing will take much of the time, `draft` verifies the tests found so far.
//! 2. *Suite* (`suite`). The tests that the archive needs for its goals are minimised. Inspectors
//!    are appended, and the tests are observed in two JVMs that differ in chance. Assertions state
//!    what both agree on.
//! 3. *Mutants* (`mutation`). Each test runs once to find the mutants that it infects, then under
//!    these mutants. The cheapest tests stay that together cover the goals and kill the mutants
//!    (`search::cover`), with the assertions that kill, and at least one a test. Statements that a
//!    test does not need for that are dropped (`shortening`).
//! 4. *Verification* (`verify`). Tests of one shape become parameterized tests. The file is compiled
//!    and run in three JVMs. Tests that fail are removed, and the others run again. The draft is taken
//!    instead where it covers clearly more.
//! 5. *Writing* (`output_file`). An existing file that was edited by hand is never replaced.
//!
//! `time_budget` plans how much time the last stages need, and `finish_planner` measures the speed
//! of this machine for it. With `--steps`, no decision depends on a clock.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use super::class_search::{ClassSearch, SearchedClass, show_progress};
use super::context::Context;
use super::covered_goals::{CoveredGoals, archived_suite};
use super::draft::Drafting;
use super::error::EngineError;
use super::mutant_search::MutantSearch;
use super::observation::StatingRules;
use super::obstacles::obstacles_of;
use super::old_version::OldVersion;
use super::output_file::{OutputFile, WrittenFile, write_tests};
use super::place_coverage::{WrittenTests, class_coverage};
use super::public_makers::calls_hidden;
use super::shared_state::SharedState;
use super::suite::Suite;
use super::symbolic_request::SymbolicFacts;
use super::target::Target;
use super::time_budget::{Frameworks, MachineSpeed, TimeBudget};
use super::verify::{Verification, Verified, verify};
use super::wanted_paths::AnsweredPaths;
use super::workers::search_config;
use super::workshop::{ENVIRONMENTS, Verifiers, Workshop};
use crate::emit::Rendered;
use crate::jvm::{JvmError, SearchWorker, WorkerStatistics, threads_per_core};
use crate::oracle::Reset;
use crate::oracle::leftovers::without_bare_resets;
use crate::program::{ClassName, GenericType, MethodRef};
use crate::report::{
    ClassCoverage, ClassFacts, ClassReport, CoverageCount, Discarded, Exhaustion, ExplainedTree, Goals, JvmReport, LikelyFault,
    MethodFacts, OutputFacts, SearchFacts, SearchedGoals, SymbolicReports,
};
use crate::search::{CandidateOrigin, Search, is_unchecked};
use crate::testcase::TestCase;
use tracewright_trace::numbering::search_sites;

/// A class gets no JVM with less time than this.
pub(super) const LEAST_TIME: Duration = Duration::from_millis(400);
/// Tests that are observed where a first try had no time for any, and where the second had none either.
const FEW: [usize; 2] = [8, 2];
/// Symbolic execution gets this time to give its facts when everything else has ended.
const LAST_FACTS: Duration = Duration::from_millis(50);
/// Percent of the goals of a draft that the tests of the last stages have to cover to be written.
const ENOUGH_OF_DRAFT: usize = 97;
/// Why a class has no tests whose worker did not start in time.
const LATE_START: &str = "its JVM was not ready within the budget; raise --budget, or let fewer programs run beside it";

/// What a turn of a class leaves.
#[derive(Debug)]
pub(super) struct GeneratedClass {
    pub(super) report: ClassReport,
    /// The tests that the goals of the search need, from which another turn begins.
    pub(super) archive: Vec<TestCase>,
}

/// What the turn before left of the class.
#[derive(Debug)]
pub(super) struct EarlierTurn {
    /// It stays, with the test file, where this turn has no more.
    pub(super) report: ClassReport,
    pub(super) archive: Vec<TestCase>,
}

impl GeneratedClass {
    /// Of a class without any attempt to test it.
    pub(super) fn without_tests(name: &str, reason: String) -> GeneratedClass {
        GeneratedClass::from(ClassReport::without_tests(name, reason))
    }
}

impl From<ClassReport> for GeneratedClass {
    fn from(report: ClassReport) -> GeneratedClass {
        GeneratedClass { report, archive: Vec::new() }
    }
}

/// Writes the tests of one class. `limit` is what the total budget leaves, and the time of the
/// class counts from `begin`. The search goes on from an earlier turn where there is one.
///
/// [`EngineError::Fault`] where a JVM cannot be kept running, [`EngineError::Use`] where the file
/// cannot be written, [`EngineError::Input`] where the session cannot be read.
pub(super) fn generate_class(
    context: &Context<'_>,
    target: &Target,
    limit: Option<Duration>,
    begin: Instant,
    earlier: Option<&EarlierTurn>,
    shared: &mut SharedState,
) -> Result<GeneratedClass, EngineError> {
    let output = OutputFile::choose(context, target, &shared.compiler)?;
    if let Some(path) = &output.edited {
        return Ok(ClassReport::edited_by_hand(&target.name().binary(), &path.display().to_string()).into());
    }
    let mut mutant_search = MutantSearch::new(context, target);
    let load = threads_per_core();
    let starting = Instant::now();
    let mut config = search_config(context, target);
    config.deadline = TimeBudget::latest_start(context.config.budget, limit, begin);
    let mut worker = match SearchWorker::start(config) {
        Ok(worker) => worker,
        Err(JvmError::Late) => return Ok(GeneratedClass::without_tests(&target.name().binary(), LATE_START.into())),
        Err(error) => return Err(EngineError::start(error)),
    };
    let is_first_class = shared.speed.is_none();
    let measured = MachineSpeed::from_worker_start(starting.elapsed());
    let mut speed = *shared.speed.get_or_insert(measured);
    load.into_iter().for_each(|threads| speed.observe_load(threads));
    let workshop = Workshop::new(context, target, &shared.compiler, output.number, output.change);
    let needed = Frameworks { mocks: target.cluster().has_mocks(), requests: target.cluster().has_requests() };
    speed.observe_loading(needed, workshop.has_waiting_verifiers(&ENVIRONMENTS));
    let mut budget = TimeBudget::new(context.config.budget, limit, begin, speed);
    budget.begin_search();
    let is_short = budget.is_short();
    // Requests take so long to load that one JVM does it beside the search.
    let mut early_verifiers = (needed.requests && speed.loads_frameworks() && !is_short && !budget.counts_steps())
        .then(|| workshop.start_verifiers("0", &ENVIRONMENTS[..1]));
    if early_verifiers.is_some() {
        budget.set_speed(speed.where_all_is_loaded());
    }
    if !budget.affords_mutants(needed) {
        tracing::debug!(?speed, is_short, "there is no time for mutants");
        mutant_search.iter_mut().for_each(MutantSearch::give_up);
    }
    // A session closes goals while the search runs, and a draft could hold tests for them.
    let drafting = context.recorded.is_none().then(|| {
        let rules = StatingRules::new(context, target.cluster());
        Drafting::new(workshop.clone(), target, rules)
    });
    let mutants = mutant_search.as_ref().map_or(0, MutantSearch::mutant_count);
    // A draft does not know what differs.
    let old = OldVersion::start(context, target, mutants).map_err(EngineError::start)?;
    let drafting = drafting.filter(|_| old.is_none() && !context.paths.contains_key(target.name()));
    let mut class_search = ClassSearch::new(context, target, budget, starting.elapsed(), mutant_search, drafting);
    class_search.compare_with(old);
    class_search.search_mut().load_proven_values(&shared.proven_values);
    for test in earlier.into_iter().flat_map(|earlier| &earlier.archive) {
        // A class file that has changed since may lack what the test calls.
        let _ = class_search.search_mut().inject(test.clone(), CandidateOrigin::Seed);
    }
    class_search.show("starting");
    class_search.close_unimpacted_goals();
    // Another class may be compiling.
    if context.recorded.is_some() || is_first_class {
        let compiler = shared.compiler.lock().unwrap_or_else(PoisonError::into_inner);
        class_search.request_session_facts(compiler.start_signal());
        if is_first_class {
            class_search.planner_mut().observe_compiler(compiler.warm_up_time());
        }
    }
    let symbolic = class_search.explore(&mut worker)?;
    let paths = AnsweredPaths::find(context, target, class_search.search(), class_search.budget(), mutants)?;
    let searched = class_search.budget().elapsed();
    let planned = class_search.budget().search_until().map(|until| until - begin);
    tracing::debug!(?planned, took = ?begin.elapsed(), "searched");
    shared.speed = Some(class_search.budget().speed());

    let searched_class = class_search.finish(symbolic);
    let SearchedClass { search, mut budget, mutant_search, observer, recorded, symbolic, drafting, old } = searched_class;
    shared.proven_values.update(search.proven_values());
    let mut suite = Suite::new(context, target, worker, mutant_search, observer, old);
    suite.take_paths(paths);
    let unchecked = search.archive().tests().iter().filter(|(kept, _)| is_unchecked(&kept.end)).count() as u64;
    let mut discarded = Discarded { unchecked, ..Discarded::default() };
    if drafting.as_ref().is_some_and(|drafting| drafting.suffices(&CoveredGoals::of_archive(&search))) {
        budget.rely_on_draft();
    }
    // The JVMs that waited at the begin may run the tests of another class now.
    let is_loaded =
        early_verifiers.as_mut().map_or_else(|| workshop.has_waiting_verifiers(&ENVIRONMENTS), |early| !early.are_loading());
    let mut speed = budget.speed();
    speed.observe_loading(needed, is_loaded);
    budget.set_speed(speed);
    // Where frameworks have to be loaded, one JVM does it meanwhile.
    if early_verifiers.is_none() && (is_short || speed.loads_frameworks()) {
        early_verifiers = Some(workshop.start_verifiers("0", &ENVIRONMENTS[..1]));
    }
    let last_stages = LastStages { context, target, search: &search, workshop: &workshop, is_short };
    let finished = last_stages.run(&mut suite, &mut budget, early_verifiers, shared, &mut discarded);
    let (verified, covered_by) = choose_file(finished, &suite, drafting, &budget, &mut shared.jvm)?;
    let covered = CoveredGoals::union(&covered_by);

    let archive = archived_suite(&search);
    let mutant = suite.killed_mutants(&verified.tests);
    let shown = covered.branches.len() + covered.lines.len() + mutant.covered;
    let better = earlier.filter(|earlier| earlier.report.shown_goals() >= shown && earlier.report.file.is_some());
    let written = match better {
        Some(_) => OutputFacts::Nothing,
        None => write_verified(context, &workshop, &verified)?,
    };
    let (mut symbolic_reports, mut refuted, mut equal_methods) = (None, BTreeSet::new(), Vec::new());
    let (mut trees, mut exhausted) = (Vec::new(), BTreeMap::new());
    let ended = budget.last_deadline().map(|last| last.max(Instant::now() + LAST_FACTS));
    if let Some(facts) = symbolic.facts(context, target.name(), ended) {
        let SymbolicFacts { replay, solver, tree, jvm, training, .. } = facts;
        symbolic_reports = Some(SymbolicReports { replay, solver, tree });
        refuted = facts.refuted;
        (equal_methods, trees, exhausted) = (facts.equal, facts.trees, facts.exhausted);
        add_statistics(&mut shared.jvm, jvm);
        shared.training = Some(training);
    }
    add_statistics(&mut shared.jvm, suite.statistics());
    let unbuildable = target.cluster().unbuildable();
    let (branch_slots, line_slots) = search.goals().count_slots();
    let count = |covered: usize, total: usize| CoverageCount { covered, total };
    let found = CoveredGoals::of_archive(&search);
    let resets = verified.tests.iter().flat_map(|test| &test.resets).flat_map(Reset::called_methods);
    let called = verified.tests.iter().map(|test| &test.test);
    let methods = method_facts(context, target, called, resets, &search, &discarded);
    let mutants = suite.mutant_report(&verified.tests);
    let names = verified.rendered.iter().flat_map(Rendered::tests_by_case).map(|test| test.method.clone());
    let names: Vec<String> = names.collect();
    let differences = suite.described_differences(&verified.tests, &names).map_err(EngineError::fault)?;
    let coverage = class_coverage(&WrittenTests {
        program: &context.program,
        target,
        search: &search,
        methods: &methods,
        refuted: &refuted,
        tests: names.iter().map(String::as_str).zip(&covered_by).collect(),
        surviving: &mutants.surviving,
        loss: discarded.main_cause(),
    });
    let of_method = |(method, known): (MethodRef, Exhaustion)| ((method.name.to_string(), method.descriptor.to_string()), known);
    let facts = ClassFacts {
        name: target.name().binary(),
        output: written,
        goals: Goals {
            branch: count(covered.branches.len(), branch_slots),
            line: count(covered.lines.len(), line_slots),
            mutant,
        },
        searched: SearchedGoals { branch: count(found.branches.len(), branch_slots), line: count(found.lines.len(), line_slots) },
        methods,
        symbolic: symbolic_reports,
        search: SearchFacts {
            executions: search.progress().executions,
            time: searched,
            rejected: search.progress().rejected.iter().map(|(reason, count)| (reason.text().to_owned(), *count)).collect(),
        },
        discarded,
        mutants,
        coverage,
        recorded_tests: recorded,
        outdated_tests: output.outdated,
        acceptable_tests: output.acceptable,
        accepted_tests: output.accepted,
        differences,
        equal_methods,
        exhausted: exhausted.into_iter().filter(|(method, _)| method.owner == *target.name()).map(of_method).collect(),
        paths: suite.path_reports(&verified.tests, &names),
        trees,
        remarks: target.cluster().remarks.iter().cloned().chain(target.missing_classes_sentence()).collect(),
        unbuildable_types: unbuildable.map(|(ty, why)| (GenericType::of(ty).to_string(), why.to_owned())).collect(),
        time: budget.elapsed(),
    };
    tracing::debug!(at = ?budget.elapsed(), "reported");
    let report = ClassReport::from_facts(facts);
    let report = match (better, earlier) {
        (Some(better), _) => better.report.clone().after(&report),
        (None, Some(earlier)) => report.after(&earlier.report),
        (None, None) => report,
    };
    Ok(GeneratedClass { report, archive })
}

/// What the stages behind the search work with.
struct LastStages<'a> {
    context: &'a Context<'a>,
    target: &'a Target,
    search: &'a Search,
    workshop: &'a Workshop,
    is_short: bool,
}

impl LastStages<'_> {
    /// Minimises, observes, analyses and verifies the tests of the archive. `early_verifiers`: the JVM of the first
    /// environment, where it has started already.
    ///
    /// [`EngineError::Fault`] where a JVM cannot be kept running.
    fn run(
        &self,
        suite: &mut Suite<'_>,
        budget: &mut TimeBudget,
        early_verifiers: Option<Verifiers>,
        shared: &mut SharedState,
        discarded: &mut Discarded,
    ) -> Result<Verified, EngineError> {
        let goals = self.search.goals();
        let tests = suite.minimise(self.search, budget, discarded).map_err(EngineError::fault)?;
        let before = discarded.clone();
        let mut asserted = suite.observe(&tests, goals, budget, discarded).map_err(EngineError::fault)?;
        // There is nothing to verify without them. Tests that two runs tell apart stay lost.
        let is_unstable = discarded.flaky > before.flaky;
        for few in FEW {
            if is_unstable || !asserted.is_empty() || tests.is_empty() || !budget.may_observe_late() {
                break;
            }
            *discarded = before.clone();
            asserted = suite.observe(&tests[..tests.len().min(few)], goals, budget, discarded).map_err(EngineError::fault)?;
        }
        // Each JVM that starts now holds the compiler up.
        let environments = if budget.has_time_to_spare() { ENVIRONMENTS.len() } else { 1 };
        let verifiers = match early_verifiers {
            Some(verifiers) if self.is_short => verifiers,
            Some(mut verifiers) => {
                let further = &ENVIRONMENTS[1..environments];
                if self.workshop.has_waiting_verifiers(further) || budget.allows_further_jvms(asserted.len()) {
                    self.workshop.start_further(&mut verifiers, further);
                }
                verifiers
            }
            None => self.workshop.start_verifiers("0", &ENVIRONMENTS[..environments]),
        };
        self.show(budget, "analysing mutants", asserted.len());
        let asserted = suite.without_lasting_changes(asserted, budget, discarded).map_err(EngineError::fault)?;
        let asserted = suite.select(asserted, goals, budget).map_err(EngineError::fault)?;
        let asserted = suite.restore_shared_state(asserted, budget, discarded).map_err(EngineError::fault)?;
        self.show(budget, "compiling and verifying", asserted.len());
        suite.measure(&asserted, goals, budget).map_err(EngineError::fault)?;
        let asserted = without_bare_resets(suite.without_needless(asserted));
        let asserted = suite.shorten(asserted, goals, budget);
        let asserted = suite.join_accessors(asserted, goals, budget).map_err(EngineError::fault)?;
        let verification = Verification {
            workshop: self.workshop,
            budget,
            interrupt: self.context.interrupt,
            choose_best: &|tests, most| suite.choose_best(tests, most),
        };
        verify(&verification, asserted, verifiers, shared, discarded)
    }

    fn show(&self, budget: &TimeBudget, phase: &'static str, tests: usize) {
        tracing::debug!(at = ?budget.elapsed(), tests, "{phase}");
        show_progress(self.context, self.target, self.search, budget, phase, tests);
    }
}

/// The tests that are written, and the goals that each covers. These are the tests of the last
/// stages, or those of the early draft where the draft covers clearly more goals: a draft has more
/// tests than it needs, and assertions that kill nothing.
///
/// Fails where the last stages failed and there is no draft.
fn choose_file(
    finished: Result<Verified, EngineError>,
    suite: &Suite<'_>,
    drafting: Option<Drafting>,
    budget: &TimeBudget,
    jvm: &mut JvmReport,
) -> Result<(Verified, Vec<CoveredGoals>), EngineError> {
    let covered: Vec<CoveredGoals> = match &finished {
        Ok(verified) => suite.reached_by(&verified.tests).into_iter().cloned().collect(),
        Err(_) => Vec::new(),
    };
    let Some(mut drafting) = drafting else { return finished.map(|verified| (verified, covered)) };
    let nothing = finished.as_ref().map_or(true, |verified| verified.tests.is_empty());
    drafting.receive(if nothing { budget.last_deadline() } else { Some(Instant::now()) });
    jvm.started += drafting.jvms();
    let (draft, covered_by_draft) = drafting.into_verified();
    let (kept, drafted) = (CoveredGoals::union(&covered).len(), CoveredGoals::union(&covered_by_draft).len());
    let loses_little = drafted * ENOUGH_OF_DRAFT <= kept * 100;
    if loses_little || draft.tests.is_empty() {
        return finished.map(|verified| (verified, covered));
    }
    if let Err(error) = finished {
        tracing::warn!("the early draft is written: {error}");
    }
    tracing::debug!(tests = draft.tests.len(), covered = drafted, instead_of = kept, "the draft is written");
    Ok((draft, covered_by_draft))
}

/// Writes the verified tests where there are any.
fn write_verified(context: &Context<'_>, workshop: &Workshop, verified: &Verified) -> Result<OutputFacts, EngineError> {
    let Some(rendered) = &verified.rendered else { return Ok(OutputFacts::Nothing) };
    let faults = rendered.tests_by_case().zip(&verified.tests).filter_map(|(test, asserted)| {
        let description = asserted.fault.clone()?;
        let line = asserted.target.as_ref().and_then(|method| context.program.first_line(method));
        Some(LikelyFault { test: test.method.clone(), description, input: rendered.body_of(test), line })
    });
    let faults = faults.collect();
    Ok(match write_tests(&context.config.out, rendered, workshop.layout())? {
        WrittenFile::Written(file) => OutputFacts::Written {
            file: file.display().to_string(),
            tests: rendered.test_cases(),
            faults,
            proxies: rendered.has_proxies(),
        },
        WrittenFile::EditedByHand(file) => OutputFacts::EditedByHand { file: file.display().to_string(), faults },
    })
}

/// Result of [`explore_class`] and of `engine::explore`: what a search finds without finishing any
/// test.
#[derive(Debug)]
pub struct ClassExploration {
    /// Lines of the target's classes that candidates reached.
    pub lines: BTreeSet<(ClassName, u16)>,
    /// The report without tests.
    pub report: ClassReport,
    /// The constraint trees in words, where `explain` asks for them.
    pub(crate) trees: Vec<ExplainedTree>,
    /// The branches, with what the open ones wait for.
    pub(crate) coverage: ClassCoverage,
}

/// Searches until nothing is left to gain or the budget is used up, and writes no tests. No mutants
/// are searched for.
pub(super) fn explore_class(context: &Context<'_>, target: &Target) -> Result<ClassExploration, EngineError> {
    let begin = Instant::now();
    let mut worker = SearchWorker::start(search_config(context, target)).map_err(EngineError::start)?;
    let speed = MachineSpeed::from_worker_start(begin.elapsed());
    let mut budget = TimeBudget::new(context.config.budget, None, begin, speed);
    budget.begin_search();
    let mut class_search = ClassSearch::new(context, target, budget, begin.elapsed(), None, None);
    let symbolic = class_search.explore(&mut worker)?;
    let mut report = ClassReport { name: target.name().binary(), ..ClassReport::default() };
    let (mut trees, mut refuted) = (Vec::new(), BTreeSet::new());
    if let Some(facts) = symbolic.facts(context, target.name(), None) {
        (report.replay, report.solver, report.tree) = (facts.replay, facts.solver, facts.tree);
        (trees, refuted) = (facts.trees, facts.refuted);
    }
    let search = class_search.search();
    let archived = archived_suite(search);
    let found = CoveredGoals::of_archive(search);
    let coverage = class_coverage(&WrittenTests {
        program: &context.program,
        target,
        search,
        methods: &method_facts(context, target, archived.iter(), [], search, &Discarded::default()),
        refuted: &refuted,
        tests: vec![("", &found)],
        surviving: &[],
        loss: None,
    });
    let progress = search.progress();
    report.search.executions = progress.executions;
    let covered = |(covered, total): (usize, usize)| CoverageCount { covered, total };
    (report.goals.line, report.goals.branch) = (covered(progress.lines), covered(progress.branches));
    Ok(ClassExploration { lines: covered_lines(context, target, search), report, trees, coverage })
}

fn covered_lines(context: &Context<'_>, target: &Target, search: &Search) -> BTreeSet<(ClassName, u16)> {
    let is_covered = |slot| search.goals().line_goal(slot).is_some_and(|goal| search.archive().is_covered(goal));
    let mut lines = BTreeSet::new();
    for class in target.classes() {
        let sites = context.program.class(&class.name).and_then(|model| search_sites(&model.file).ok());
        let sites = sites.into_iter().flat_map(|sites| sites.lines);
        let covered = sites.filter(|site| is_covered(site.slot.from_base(class.line_base)));
        lines.extend(covered.map(|site| (class.name.clone(), site.line)));
    }
    lines
}

fn add_statistics(jvm: &mut JvmReport, statistics: WorkerStatistics) {
    jvm.started += statistics.started;
    jvm.killed += statistics.killed;
    jvm.crashed += statistics.crashed;
}

/// The methods under test that tests are wanted for, without generated ones and those that only hold values: whether
/// a test calls each, or `resets` has it, which run before and after tests; and the facts that explain why not.
fn method_facts<'t>(
    context: &Context<'_>,
    target: &'t Target,
    tests: impl Iterator<Item = &'t TestCase> + Clone,
    resets: impl IntoIterator<Item = &'t MethodRef>,
    search: &Search,
    discarded: &Discarded,
) -> Vec<MethodFacts> {
    let cluster = target.cluster();
    let requests = cluster.requests.as_ref();
    let handler = |test: &TestCase| {
        let request = test.performed_request()?;
        requests?.template(&request.verb, &request.path).map(|template| &template.handler)
    };
    let called = tests.clone().flat_map(|test| test.called_methods().chain(handler(test)));
    let called: BTreeSet<&MethodRef> = called.chain(resets).collect();
    let is_wanted = |method: &MethodRef| {
        let Some(impacted) = &context.impacted else { return true };
        // A method is reported under the name of the target, but may be inherited from a class
        // nested in it.
        let mut owners = target.classes().iter().map(|class| &class.name);
        owners.any(|owner| impacted.contains(&MethodRef::new(owner.clone(), &method.name, &method.descriptor)))
    };
    let methods = cluster.under_test.iter().take(cluster.own).map(|id| &cluster.callable(*id).method);
    let is_shown =
        |method: &MethodRef| !context.program.is_generated(method) && !context.program.only_holds_values(target.name(), method);
    methods
        .filter(|method| is_wanted(method) && is_shown(method))
        .map(|method| {
            let is_called = |test| calls_hidden(&context.program, test, method);
            let is_tested = called.contains(method) || tests.clone().any(is_called);
            MethodFacts {
                name: method.name.to_string(),
                descriptor: method.descriptor.to_string(),
                is_tested,
                obstacles: if is_tested { Vec::new() } else { obstacles_of(target, method, search, discarded) },
            }
        })
        .collect()
}
