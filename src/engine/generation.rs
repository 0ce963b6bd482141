//! The loop over all classes: from the configuration to written tests and a report.
//!
//! Flows in: the configuration, the installation, a temporary folder, an observer, the interrupt.
//! Flows out: the report; the test files are on disk by then. Must not know the command line, nor
//! the insides of any stage.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::asked_paths::{find_paths, read_paths};
use super::class_archives::{open_archives, wait_for_archives, write_beside};
use super::class_generation::{ClassExploration, explore_class};
use super::class_order::{ClassWorth, needed_first, needs_of, order_of_worth};
use super::class_path::OpenedClassPath;
use super::class_queue::{ClassQueue, QueuedClass};
use super::compiler::{CompilerService, WarmUp};
use super::context::{Context, EarlierVersion};
use super::error::EngineError;
use super::formatting::format_tests;
use super::impact::{ImpactedMethods, OLD_CLASSES, own_classes};
use super::installation::Installation;
use super::lanes::{FIRST_LOOK, FoundTarget, Lanes};
use super::observer::{Interrupt, Observer};
use super::recorded_sessions::RecordedSessions;
use super::shared_state::SharedState;
use super::target::Target;
use super::training_store::TrainingStore;
use crate::config::{ClassSelection, Config, Parameterized, Since};
use crate::conventions::TestManners;
use crate::files;
use crate::jvm::{Jdk, classes_at_once, classes_in};
use crate::program::{self, ClassName, OLDEST_RELEASE, Program, TargetError};
use crate::project::Project;
use crate::recording;
use crate::report::{JvmReport, Report};
use crate::search::ProvenValues;
use crate::testcase::TestCase;
use tracewright_trace::numbering::search_sites;

/// Classes with a premain method that lets Mockito rewrite classes: Mockito's own, and that of the
/// library which Mockito before 5.14 attaches with.
const MOCKING_AGENTS: [&str; 2] = ["org.mockito.internal.PremainAttach", "net.bytebuddy.agent.Installer"];

/// A class is small up to this expected cost, and so many small classes fit where one large class does.
const SMALL: u64 = JVMS + 30;
const LARGE: usize = 2;
/// The cost of the JVMs of a class, in branches and lines.
const JVMS: u64 = 20;
/// Where a total budget gives each class no more than this, two classes are in work in place of one: starting and
/// finishing a class take much of a short turn, and leave cores idle.
const SHORT_TURN: Duration = Duration::from_secs(6);
/// So many classes, or more, get a total budget of their own where the user names no budget.
const MANY: usize = 20;
/// That budget at least, and for each class.
const USUAL_TOTAL: Duration = Duration::from_secs(600);
const USUAL_TOTAL_BY_CLASS: Duration = Duration::from_secs(2);

/// Writes the tests and the report. Wrong input is found before the first worker JVM starts.
///
/// [`EngineError::Use`] where options contradict each other or a folder is not writable,
/// [`EngineError::Input`] where the class path, a named class, a session or the JDK cannot be used,
/// [`EngineError::Fault`] where the only class fails.
pub(crate) fn generate(
    config: &Config,
    installation: &Installation,
    temporary: &Path,
    observer: &dyn Observer,
    interrupt: &Interrupt,
) -> Result<Report, EngineError> {
    let begin = Instant::now();
    let jdk = Jdk::find(config.jdk.as_deref()).map_err(EngineError::input)?;
    jdk.require_compiler().map_err(EngineError::input)?;
    let archives = open_archives(installation, &jdk);
    let opened = OpenedClassPath::new(config, &jdk, observer)?;
    let hint = opened.hint();
    let OpenedClassPath { mut config, project, .. } = opened;
    let wanted = config.path.as_deref().map(read_paths).transpose()?;
    if let Some(lines) = &wanted {
        config.selection = ClassSelection::Named(lines.iter().map(|line| line.class.clone()).collect());
        // An answer names the test of its path.
        config.parameterized = Parameterized::Off;
    }
    let names = chosen_classes(&config, &project)?;
    if let Some(total) = usual_total(&config, names.len()) {
        config.total_budget = Some(total);
        let minutes = total.as_secs_f64() / 60.0;
        observer
            .message(&format!("{} classes get {minutes:.0} min together: --total-budget or --budget change that", names.len()));
    }
    let config = &config;
    let mocking_agent = MOCKING_AGENTS.iter().find_map(|premain| project.class_path().java_agent(premain));
    let mocking_agent = mocking_agent.map(Path::to_path_buf);
    let own_entries = project.class_path().own_entries(&names.iter().map(|name| ClassName::from_binary(name)).collect());
    let mut own = if config.since.is_some() { own_classes(config, &project)? } else { Vec::new() };
    if let Some(Since::ClassPath(_)) = config.since {
        // The code of a jar is the user's where it is compared with that of another jar.
        for entry in &own_entries {
            own.extend(project.class_path().classes_of(entry).map_err(EngineError::input)?);
        }
        own.sort();
        own.dedup();
    }
    let program = Arc::new(Program::new(project));
    let mut names = classes_of_shard(config, &program, names, observer);
    let mut compiler = None;
    let mut impacted = None;
    if let Some(since) = &config.since {
        let compiler = compiler.insert(CompilerService::start(&jdk, temporary, archives.as_ref(), WarmUp::default()));
        let found = ImpactedMethods::find(config, since, &own, &program, compiler, temporary, observer)?;
        let count = names.len();
        let is_reached = |name: &String| {
            let class = program::find_target(&program, name).map(|model| model.name.clone());
            let class = class.unwrap_or_else(|_| ClassName::from_binary(name));
            // A class that cannot be found stays: the error below names it.
            program.class(&class).is_none() || found.reaches(&program, &class)
        };
        names.retain(is_reached);
        observer.message(&format!("the change reaches {} of {count} classes", names.len()));
        impacted = Some(found);
    }
    let mut targets = find_targets(config, &program, names, &hint)?;
    if let Some(impacted) = impacted.as_ref().filter(|_| config.compares) {
        for found in &mut targets {
            let Ok(target) = &*found else { continue };
            if let Some(why) = impacted.why_not_compared(&program, target.name()) {
                *found = Err((target.name().binary(), why));
            }
        }
    }
    for target in targets.iter().filter_map(|target| target.as_ref().ok()) {
        target.missing_classes_sentence().into_iter().for_each(|sentence| observer.message(&sentence));
    }
    let mut paths = BTreeMap::new();
    if let (Some(lines), Some(file)) = (&wanted, &config.path) {
        for target in targets.iter().filter_map(|target| target.as_ref().ok()) {
            paths.insert(target.name().clone(), Arc::new(find_paths(lines, file, &program, target)?));
        }
    }
    for folder in [&config.out, &config.report] {
        files::require_writable_folder(folder)
            .map_err(|error| EngineError::Use(format!("cannot write to {}: {error}", folder.display())))?;
    }

    let sessions: Vec<PathBuf> = config.session.iter().filter(|folder| !recording::can_start_session(folder)).cloned().collect();
    let mut context = Context::new(config, installation, temporary, (jdk, program), observer, interrupt);
    context.archives = archives;
    context.mocking_agent = mocking_agent;
    context.own_entries = own_entries;
    context.impacted = impacted;
    context.earlier = earlier_version(config, temporary, &context.jdk)?;
    context.paths = paths;
    context.manners = TestManners::of(&config.out);
    context.recorded = if sessions.is_empty() { None } else { Some(Arc::new(RecordedSessions::open(sessions)?)) };
    context.training = TrainingStore::open(config, observer);
    context.start = config.start.as_deref().map(parse_start).transpose()?;
    let archives = context.archives.as_ref();
    let writing = archives.and_then(|archives| write_beside(archives, config, installation, &context.jdk, temporary));
    // One compiler for all classes. With a session, the search needs the cores first.
    let compiler = compiler.unwrap_or_else(|| {
        // Tests are compiled with a JUnit that the class path need not have.
        let has = |class: &str| class.starts_with("org/junit/") || context.program.class(&ClassName::new(class)).is_some();
        let release = targets.iter().find_map(|target| target.as_ref().ok()).map_or(OLDEST_RELEASE, Target::release);
        let warm_up = WarmUp::of_tests(context.test_class_path(), release, has);
        match context.recorded {
            Some(_) => CompilerService::deferred(&context.jdk, temporary, archives, warm_up),
            None => CompilerService::start(&context.jdk, temporary, archives, warm_up),
        }
    });
    let shared = SharedState {
        compiler: Arc::new(Mutex::new(compiler)),
        speed: None,
        proven_values: ProvenValues::default(),
        jvm: JvmReport::default(),
        training: None,
    };
    let (targets, queue, at_once) = in_order(&context, targets);
    let report = Lanes::new(&context, targets, queue, at_once, begin).generate(shared)?;
    format_tests(&context, &report);
    write_views(&report, &config.report)?;
    if !interrupt.is_set() {
        wait_for_archives(writing, config, begin);
    }
    free_beside(context);
    Ok(report)
}

/// Another thread frees the class models. On a busy machine, that takes a large part of a second, and the
/// process usually ends next.
fn free_beside(context: Context<'_>) {
    let program = Arc::clone(&context.program);
    drop(context);
    // Where no thread can be started, the program is freed here.
    let _ = thread::Builder::new().name("free the class models".into()).spawn(move || drop(program));
}

/// The version that tests are compared with (`diff`). Classes that did not change are those of today.
///
/// [`EngineError::Input`] where an entry of its class path cannot be read.
fn earlier_version(config: &Config, temporary: &Path, jdk: &Jdk) -> Result<Option<EarlierVersion>, EngineError> {
    let old = match config.since.as_ref().filter(|_| config.compares) {
        Some(Since::ClassPath(entries)) => entries.clone(),
        Some(Since::Revision(_)) => vec![temporary.join(OLD_CLASSES)],
        Some(Since::Session(_)) | None => return Ok(None),
    };
    let class_path: Vec<PathBuf> =
        old.into_iter().filter(|entry| entry.exists()).chain(config.classpath.iter().cloned()).collect();
    let program = Arc::new(Program::new(Project::open(&class_path, &jdk.home).map_err(EngineError::input)?));
    Ok(Some(EarlierVersion { class_path, program }))
}

/// The total budget of so many classes where the user gives no budget at all; `None` for few of them.
fn usual_total(config: &Config, classes: usize) -> Option<Duration> {
    let is_open = config.total_budget.is_none() && config.is_usual_budget && classes > MANY;
    let by_class = USUAL_TOTAL_BY_CLASS * u32::try_from(classes).unwrap_or(u32::MAX);
    is_open.then(|| USUAL_TOTAL.max(by_class))
}

/// Finds the classes. [`EngineError::Input`] where a class that the user named cannot be tested at
/// all, [`EngineError::Use`] where no class has the method of `--method`. A class with nothing to
/// call is no mistake; of several classes, one that the JVM cannot load is none either. `hint` is
/// the end of the sentence about a class that does not exist.
fn find_targets(
    config: &Config,
    program: &Arc<Program>,
    names: Vec<String>,
    hint: &str,
) -> Result<Vec<FoundTarget>, EngineError> {
    let is_named = matches!(config.selection, ClassSelection::Named(_));
    let is_single = names.len() == 1;
    let mut targets = Vec::new();
    let mut unknown_method = None;
    for name in names {
        match Target::new(program, &name, config) {
            Ok(target) => targets.push(Ok(target)),
            Err(error @ TargetError::Unknown { .. }) if is_named => return Err(EngineError::Input(format!("{error}{hint}"))),
            Err(error) if is_named && is_mistake(&error, is_single) => return Err(EngineError::input(error)),
            Err(error) => {
                if matches!(error, TargetError::UnknownMethod { .. }) {
                    unknown_method.get_or_insert_with(|| error.to_string());
                }
                targets.push(Err((name, error.to_string())));
            }
        }
    }
    match unknown_method {
        Some(sentence) if targets.iter().all(Result::is_err) => Err(EngineError::Use(sentence)),
        _ => Ok(targets),
    }
}

/// Whether the error about a class that the user named ends the generation. `is_single`: no other
/// class is to be tested.
fn is_mistake(error: &TargetError, is_single: bool) -> bool {
    match error {
        TargetError::NothingToCall { .. } | TargetError::UnknownMethod { .. } => false,
        TargetError::LacksSupertype { .. } => is_single,
        _ => true,
    }
}

/// The targets in the order in which they begin, the queue of them, and how many large ones are in work at the same
/// time.
fn in_order(context: &Context<'_>, targets: Vec<FoundTarget>) -> (Vec<FoundTarget>, ClassQueue, usize) {
    let config = context.config;
    let name_of = |target: &FoundTarget| match target {
        Ok(target) => target.name().clone(),
        Err((name, _)) => ClassName::from_binary(name),
    };
    let names: Vec<ClassName> = targets.iter().map(name_of).collect();
    let at_once = classes_at_once(context.memory);
    let each = config.total_budget.map(|total| total / u32::try_from(names.len().max(1)).unwrap_or(u32::MAX));
    let is_tight = each.is_some_and(|each| each < FIRST_LOOK);
    let is_short = each.is_some_and(|each| each * u32::try_from(at_once).unwrap_or(1) < SHORT_TURN);
    let (needs, order) = if is_tight {
        let worth: Vec<ClassWorth> = names.iter().map(|name| worth_of(&context.program, name)).collect();
        (vec![BTreeSet::new(); names.len()], order_of_worth(&worth))
    } else {
        let needs = needs_of(&context.program, &names);
        let order = needed_first(&needs);
        (needs, order)
    };
    let place_of: BTreeMap<usize, usize> = order.iter().copied().zip(0..).collect();
    let (capacity, large) = match config.threads {
        // Each class may be large.
        Some(threads) => (threads.min(classes_in(context.memory)), 1),
        None if is_short => (at_once * LARGE, 1),
        None => (at_once * LARGE, LARGE),
    };
    let queued = order.iter().enumerate().map(|(place, position)| {
        let needs = needs[*position].iter().map(|needed| place_of[needed]).filter(|needed| *needed < place).collect();
        let is_small = expected_cost(&context.program, &names[*position].binary()) <= SMALL;
        QueuedClass { needs, size: if is_small { 1 } else { large } }
    });
    let queue = ClassQueue::new(queued.collect(), capacity);
    let mut targets: Vec<Option<FoundTarget>> = targets.into_iter().map(Some).collect();
    let ordered = order.iter().filter_map(|position| targets[*position].take()).collect();
    (ordered, queue, capacity / large)
}

/// Writes what is made from the report: the page, and the files for code hosts and CI.
fn write_views(report: &Report, folder: &Path) -> Result<(), EngineError> {
    report.write_views(folder).map_err(|error| EngineError::Use(format!("cannot write to {}: {error}", folder.display())))
}

/// With `--shard`, the classes of this machine.
fn classes_of_shard(config: &Config, program: &Program, names: Vec<String>, observer: &dyn Observer) -> Vec<String> {
    let Some(shard) = config.shard else { return names };
    let with_costs: Vec<(String, u64)> = names.into_iter().map(|name| (name.clone(), expected_cost(program, &name))).collect();
    let is_mine = shard.share(&with_costs);
    let all = with_costs.len();
    let mine = with_costs.into_iter().zip(is_mine).filter(|(_, is_mine)| *is_mine);
    let names: Vec<String> = mine.map(|((name, _), _)| name).collect();
    observer.message(&format!("part {shard}: {} of {all} classes", names.len()));
    names
}

/// The expected cost of a class, without a unit: its branch and line slots, and a constant for its
/// JVMs.
fn expected_cost(program: &Program, name: &str) -> u64 {
    let Ok(model) = program::find_target(program, name) else { return 1 };
    let classes = program::targets(program, &model.name);
    let sites = classes.iter().filter_map(|class| search_sites(&program.class(class)?.file).ok());
    JVMS + sites.map(|sites| u64::from(sites.branch_slots) + u64::from(sites.line_slots)).sum::<u64>()
}

/// Searches each class and writes nothing.
///
/// # Errors
/// [`EngineError::Input`] where the class path, a class or the JDK cannot be used;
/// [`EngineError::Fault`] where a JVM cannot be kept running.
pub fn explore(
    config: &Config,
    installation: &Installation,
    temporary: &Path,
    observer: &dyn Observer,
) -> Result<Vec<ClassExploration>, EngineError> {
    let interrupt = &Interrupt::new();
    let jdk = Jdk::find(config.jdk.as_deref()).map_err(EngineError::input)?;
    let OpenedClassPath { config, project, .. } = OpenedClassPath::new(config, &jdk, observer)?;
    let config = &config;
    let names = chosen_classes(config, &project)?;
    let program = Arc::new(Program::new(project));
    let context = Context::new(config, installation, temporary, (jdk, program), observer, interrupt);
    let explore = |name: &String| {
        let target = Target::new(&context.program, name, config).map_err(EngineError::input)?;
        explore_class(&context, &target)
    };
    names.iter().map(explore).collect()
}

/// Names of the classes to test: as the user wrote them and in that order, or binary names in
/// alphabetical order. [`EngineError::Use`] where no class is left.
fn chosen_classes(config: &Config, project: &Project) -> Result<Vec<String>, EngineError> {
    let mut chosen: Vec<String> = match &config.selection {
        ClassSelection::Named(names) => names.iter().map(|name| name.trim().to_owned()).collect(),
        ClassSelection::From { entries, classes } => {
            let mut names = Vec::new();
            for entry in entries {
                let found = project.class_path().classes_of(entry).map_err(EngineError::input)?;
                names.extend(found.iter().filter(|name| is_top_level(name)).map(ClassName::binary));
            }
            names.retain(|name| classes.as_ref().is_none_or(|classes| classes.matches(name)));
            names
        }
    };
    let mut seen = BTreeSet::new();
    chosen.retain(|name| !config.exclude.matches(name) && seen.insert(name.clone()));
    if !chosen.is_empty() {
        return Ok(chosen);
    }
    Err(EngineError::Use(match &config.selection {
        ClassSelection::Named(_) => "--exclude leaves out every class that --class names".into(),
        ClassSelection::From { entries, classes } => {
            let places: Vec<String> = entries.iter().map(|entry| entry.display().to_string()).collect();
            let is_filtered = classes.is_some() || !config.exclude.is_empty();
            let which = if is_filtered { "that --classes and --exclude let through" } else { "to test" };
            format!("no class {which} in {}", places.join(", "))
        }
    }))
}

/// Nested classes are tested together with the class that contains them.
fn is_top_level(name: &ClassName) -> bool {
    !name.local_name().contains('$') && !name.local_name().ends_with("-info")
}

fn worth_of(program: &Program, class: &ClassName) -> ClassWorth {
    let is_public = program.class(class).is_some_and(|model| model.access.is_public());
    ClassWorth { is_public, goals: expected_cost(program, &class.binary()) }
}

fn parse_start(text: &str) -> Result<TestCase, EngineError> {
    text.parse().map_err(|error| EngineError::Use(format!("--start holds no test case: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_classes_and_descriptions_of_packages_are_not_chosen() {
        for (name, expected) in [("p/A", true), ("p/A$B", false), ("p/package-info", false), ("p$q/A", true)] {
            assert_eq!(is_top_level(&ClassName::new(name)), expected, "{name}");
        }
    }
}
