//! The loop that knows every stage: from classes to written tests and a report.
//!
//! Flows in: the configuration, where the installation lies, a temporary folder, an observer, the interrupt flag. Flows out: the report; the
//! test files are on disk by then. Must not know the command line, nor the insides of any stage.

mod time_budget;
mod class;
mod concolic;
mod explain;
mod mutant_search;
mod training_store;
mod mutation;
mod outdated;
mod recorded_sessions;
mod session_replay;
mod installation;
mod impact;
mod suite;
mod stored_trees;
mod scheduling;
mod verify;

pub use class::ClassExploration;
pub use explain::{explain, explain_session};
pub use installation::Installation;
pub use session_replay::replay_session;

use crate::config::{ClassSelection, Config};
use crate::files;
use crate::jvm::Jdk;
use crate::program::{self, ClassName, Program, TargetError};
use crate::project::Project;
use crate::recording;
use crate::report::{self, ClassReport, Covered, Report};
use crate::testcase::TestCase;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use thiserror::Error;
use tracewright_trace::numbering::search_sites;

/// Why a generation could not be done, by whose matter it is.
#[derive(Clone, Debug, Error)]
pub enum EngineError {
    /// Wrong use: an option that cannot be.
    #[error("{0}")]
    Use(String),
    /// An unusable class path, class or JDK.
    #[error("{0}")]
    Input(String),
    /// A fault of ours or of the installation.
    #[error("{0}")]
    Fault(String),
}

/// Set by the first Ctrl-C.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    pub(crate) fn new() -> Interrupt {
        Interrupt::default()
    }

    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Who watches a generation.
pub trait Observer: Sync {
    fn progress(&self, progress: &Progress);
    /// One line that stays.
    fn message(&self, text: &str);
}

/// How far a class is.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Binary name.
    pub(crate) class: String,
    pub(crate) phase: &'static str,
    pub(crate) line: Covered,
    pub(crate) branch: Covered,
    pub(crate) tests: usize,
    pub executions: u64,
    /// Of the class's time budget.
    pub(crate) left: Option<Duration>,
}

/// What all classes of a generation share.
struct Context<'a> {
    config: &'a Config,
    installation: &'a Installation,
    temporary: &'a Path,
    jdk: Jdk,
    program: Arc<Program>,
    /// What lets Mockito rewrite classes in a JVM that takes no agents later.
    mocking_agent: Option<PathBuf>,
    /// What the user's own tests did.
    existing: Option<Arc<recorded_sessions::RecordedSessions>>,
    /// What attempts of earlier classes and runs taught.
    lessons: training_store::TrainingStore,
    /// What symbolic execution begins with, where it is not to look for that itself.
    start: Option<TestCase>,
    /// What is explored is told of, tree by tree.
    explains: bool,
    /// What a change reaches, where tests are wanted for that alone.
    reached: Option<impact::ImpactedMethods>,
    observer: &'a dyn Observer,
    interrupt: &'a Interrupt,
}

/// Writes the tests and the report. Everything the user can have got wrong is found before the first JVM starts.
pub(crate) fn generate(
    config: &Config,
    installation: &Installation,
    temporary: &Path,
    observer: &dyn Observer,
    interrupt: &Interrupt,
) -> Result<Report, EngineError> {
    let begin = Instant::now();
    let jdk = Jdk::find(config.jdk.as_deref()).map_err(input)?;
    jdk.require_compiler().map_err(input)?;
    let project = Project::open(&config.classpath, &jdk.home).map_err(input)?;
    let chosen = choose(config, &project)?;
    // Mockito's own jar, else (before 5.14) that of the library it attaches with.
    let mocking_agent = ["org.mockito.internal.PremainAttach", "net.bytebuddy.agent.Installer"]
        .iter()
        .find_map(|premain| project.class_path().java_agent(premain))
        .map(Path::to_path_buf);
    let own = if config.since.is_some() { impact::own_classes(config, &project)? } else { Vec::new() };
    let program = Arc::new(Program::new(project));
    let mut chosen = share_out(config, &program, chosen, observer);
    let mut compiler = None;
    let mut reached = None;
    if let Some(since) = &config.since {
        let compiler = compiler.insert(verify::CompilerService::start(&jdk, temporary));
        let found = impact::ImpactedMethods::find(config, since, &own, &program, compiler, temporary, observer)?;
        let count = chosen.len();
        // A class that cannot be found is one to hear of below.
        chosen.retain(|name| program::find_target(&program, name).map_or(true, |model| found.reaches(&program, &model.name)));
        observer.message(&format!("the change reaches {} of {count} classes", chosen.len()));
        reached = Some(found);
    }
    let named = matches!(config.selection, ClassSelection::Named(_));
    let mut targets = Vec::new();
    for name in chosen {
        match class::Target::new(&program, &name, config) {
            Ok(target) => targets.push(Ok(target)),
            // Nothing to call is no mistake; a class that the user named and that cannot be is one to hear of at once.
            Err(error) if named && !matches!(error, TargetError::NothingToCall { .. }) => return Err(input(error)),
            Err(error) => targets.push(Err((name, error.to_string()))),
        }
    }
    for folder in [&config.out, &config.report] {
        files::require_writable_folder(folder)
            .map_err(|error| EngineError::Use(format!("cannot write to {}: {error}", folder.display())))?;
    }

    let recorded: Vec<PathBuf> = config.session.iter().filter(|folder| !recording::can_start_session(folder)).cloned().collect();
    let existing = if recorded.is_empty() { None } else { Some(Arc::new(recorded_sessions::RecordedSessions::open(recorded)?)) };
    let lessons = training_store::TrainingStore::open(config, observer);
    let start = config.start.as_deref().map(start).transpose()?;
    let context = Context {
        config,
        installation,
        temporary,
        jdk,
        program,
        mocking_agent,
        existing,
        reached,
        lessons,
        start,
        explains: false,
        observer,
        interrupt,
    };
    let mut report = Report {
        version: report::VERSION,
        seed: config.seed,
        strategy: config.strategy.to_string(),
        jdk: context.jdk.full_version.clone(),
        shard: config.shard.map(|shard| shard.to_string()),
        ..Report::default()
    };
    // One warm compiler for all classes, started while the first class is searched.
    let compiler = compiler.unwrap_or_else(|| match context.existing {
        Some(_) => verify::CompilerService::waiting(&context.jdk, temporary),
        None => verify::CompilerService::start(&context.jdk, temporary),
    });
    let mut shared = class::Shared { compiler, speed: None };
    let total = targets.len();
    for (index, target) in targets.into_iter().enumerate() {
        let class_report = match target {
            _ if interrupt.is_set() && index > 0 => continue,
            Err((name, reason)) => untested(&name, reason),
            Ok(target) => {
                let name = target.name().binary();
                let limit = share(config, begin, total - index);
                // What all classes share was read in the time of the first.
                let since = if index == 0 { begin } else { Instant::now() };
                if limit.is_some_and(|limit| limit < class::LEAST_TIME) {
                    untested(&name, "the total budget was used up before its turn".into())
                } else {
                    match class::generate(&context, target, limit, since, &mut shared, &mut report.jvm) {
                        Ok(class_report) => class_report,
                        Err(error) if total == 1 => return Err(error),
                        Err(_) if let Some(fault) = context.existing.as_ref().and_then(|existing| existing.fault()) => {
                            return Err(fault.clone());
                        }
                        Err(error) => untested(&name, error.to_string()),
                    }
                }
            }
        };
        report.classes.push(class_report);
        context.lessons.keep(observer);
        write(&report, config)?;
    }
    if total == 0 {
        write(&report, config)?;
    }
    Ok(report)
}

fn write(report: &Report, config: &Config) -> Result<(), EngineError> {
    let unwritable = |error| EngineError::Use(format!("cannot write {}: {error}", config.report.join("report.json").display()));
    report.write(&config.report).map_err(unwritable)
}

/// Of several machines' classes, those of this one.
fn share_out(config: &Config, program: &Program, chosen: Vec<String>, observer: &dyn Observer) -> Vec<String> {
    let Some(shard) = config.shard else { return chosen };
    let with_costs: Vec<(String, u64)> = chosen.into_iter().map(|name| (name.clone(), cost(program, &name))).collect();
    let mine = shard.share(&with_costs);
    let all = with_costs.len();
    let chosen: Vec<String> = with_costs.into_iter().zip(mine).filter(|(_, mine)| *mine).map(|((name, _), _)| name).collect();
    observer.message(&format!("part {shard}: {} of {all} classes", chosen.len()));
    chosen
}

/// What a class is expected to cost, in no unit: the JVMs that each class needs, and what there is to cover.
fn cost(program: &Program, name: &str) -> u64 {
    const EACH: u64 = 20;
    let Ok(model) = program::find_target(program, name) else { return 1 };
    let classes = program::targets(program, &model.name);
    let sites = classes.iter().filter_map(|class| search_sites(&program.class(class)?.file).ok());
    EACH + sites.map(|sites| u64::from(sites.branch_slots) + u64::from(sites.line_slots)).sum::<u64>()
}

/// Searches each class and writes nothing: what a strategy finds, without the price of tests.
pub fn explore(
    config: &Config,
    installation: &Installation,
    temporary: &Path,
    observer: &dyn Observer,
) -> Result<Vec<ClassExploration>, EngineError> {
    let interrupt = &Interrupt::new();
    let jdk = Jdk::find(config.jdk.as_deref()).map_err(input)?;
    let project = Project::open(&config.classpath, &jdk.home).map_err(input)?;
    let chosen = choose(config, &project)?;
    let program = Arc::new(Program::new(project));
    let context = Context {
        config,
        installation,
        temporary,
        jdk,
        program,
        mocking_agent: None,
        existing: None,
        reached: None,
        lessons: training_store::TrainingStore::default(),
        start: None,
        explains: false,
        observer,
        interrupt,
    };
    let explore = |name: &String| class::explore(&context, &class::Target::new(&context.program, name, config).map_err(input)?);
    chosen.iter().map(explore).collect()
}

fn input(error: impl std::fmt::Display) -> EngineError {
    EngineError::Input(error.to_string())
}

/// Names of the classes to test as the user wrote them, in that order, or binary names by name.
fn choose(config: &Config, project: &Project) -> Result<Vec<String>, EngineError> {
    let mut chosen: Vec<String> = match &config.selection {
        ClassSelection::Named(names) => names.iter().map(|name| name.trim().to_owned()).collect(),
        ClassSelection::From { entries, classes } => {
            let mut names = Vec::new();
            for entry in entries {
                let there = project.class_path().classes_of(entry).map_err(input)?;
                names.extend(there.iter().filter(|name| is_top_level(name)).map(ClassName::binary));
            }
            names.retain(|name| classes.as_ref().is_none_or(|classes| classes.matches(name)));
            names
        }
    };
    let mut seen = BTreeSet::new();
    chosen.retain(|name| !config.exclude.matches(name) && seen.insert(name.clone()));
    if chosen.is_empty() {
        return Err(EngineError::Use(match &config.selection {
            ClassSelection::Named(_) => "--exclude leaves out every class that --class names".into(),
            ClassSelection::From { entries, classes } => {
                let places: Vec<String> = entries.iter().map(|entry| entry.display().to_string()).collect();
                let what = if classes.is_some() || !config.exclude.is_empty() {
                    "that --classes and --exclude let through"
                } else {
                    "to test"
                };
                format!("no class {what} in {}", places.join(", "))
            }
        }));
    }
    Ok(chosen)
}

/// Nested classes are tested with the class they lie in.
fn is_top_level(name: &ClassName) -> bool {
    !name.local_name().contains('$') && !name.local_name().ends_with("-info")
}

/// What is left of the total budget for this class, shared evenly with the classes after it.
fn share(config: &Config, begin: Instant, classes_left: usize) -> Option<Duration> {
    let total = config.total_budget?;
    let left = total.saturating_sub(begin.elapsed());
    Some(left / u32::try_from(classes_left.max(1)).unwrap_or(u32::MAX))
}

fn untested(name: &str, reason: String) -> ClassReport {
    ClassReport { name: name.to_owned(), reason: Some(reason), ..ClassReport::default() }
}

/// The test case of a text.
fn start(text: &str) -> Result<TestCase, EngineError> {
    text.parse().map_err(|error| EngineError::Use(format!("--start holds no test case: {error}")))
}
