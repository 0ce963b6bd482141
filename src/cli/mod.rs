//! The command line. Flows in: arguments, `tracewright.toml`, signals; flows out: progress on standard error, a closing summary on
//! standard output, the exit status. Must not know how tests come about: it hands a [`Config`] to the engine.

mod argument_file;
mod doctor;
mod explain;
mod installation;
mod merge;
mod progress;
mod record;
mod summary;
mod watchdog;

use crate::config::{Config, PathList, Settings, Shard, Strategy, TimeSpan};
use crate::engine::{self, EngineError, Installation, Interrupt, Observer};
use crate::report::Report;
use crate::solve;
use clap::{Args, Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Exit statuses; programs depend on them.
pub(crate) mod status {
    pub(crate) const DONE: u8 = 0;
    pub(crate) const WRONG_USE: u8 = 1;
    pub(crate) const UNUSABLE_INPUT: u8 = 2;
    pub(crate) const FAULT: u8 = 3;
    pub(crate) const INTERRUPTED: u8 = 130;
}

#[derive(Parser)]
#[command(
    name = "tracewright",
    version,
    about = "Writes small, readable JUnit tests for Java classes by itself",
    disable_help_subcommand = true
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Writes tests for one class or many.
    Generate(Box<Generate>),
    /// Runs a command and records what every JVM that it starts does.
    Record {
        /// Folder of the session; one that exists is added to.
        #[arg(long, value_name = "DIR", default_value = "tracewright-session")]
        session: PathBuf,
        /// Classes to record; `*` matches anything, several by commas [default: all but the JDK, test frameworks and build tools].
        #[arg(long, value_name = "GLOB")]
        include: Option<String>,
        #[command(flatten)]
        limits: record::RecordLimits,
        /// The command, behind `--`.
        #[arg(last = true, required = true, value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// Replays every run of a session and says what it computed.
    Replay {
        /// Folder of the session.
        #[arg(value_name = "DIR")]
        session: PathBuf,
        /// For programs, on standard output.
        #[arg(long)]
        json: bool,
    },
    /// Tells which paths of a class are known, which wait, and why the others were not taken.
    Explain(Box<explain::Explain>),
    /// Puts sessions and reports of several machines into one folder.
    Merge {
        /// Folders with a session, a report.json or both.
        #[arg(required = true, value_name = "DIR")]
        folders: Vec<PathBuf>,
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Shows what report.json of a folder says.
    Report { folder: PathBuf },
    /// Looks at what this machine offers: JDK, agent, solver, JUnit, confinement.
    Doctor {
        /// Home of the JDK to use; default: JAVA_HOME, else the java on the PATH.
        #[arg(long, value_name = "HOME")]
        jdk: Option<PathBuf>,
    },
    #[command(hide = true)]
    Solver,
}

#[derive(Args)]
struct Generate {
    /// Jars and folders of the classes and all they need, as for java.
    #[arg(long, short = 'c', value_name = "CP")]
    classpath: Option<String>,
    /// Binary name of a class to test; may be given several times.
    #[arg(long, value_name = "NAME")]
    class: Vec<String>,
    /// Tests every class of this folder or jar, which lies on the class path; may be given several times.
    #[arg(long, value_name = "DIR|JAR")]
    classes_from: Vec<PathBuf>,
    /// Of the classes of --classes-from these only; `*` matches anything, several by commas.
    #[arg(long, value_name = "GLOB")]
    classes: Option<String>,
    /// Only this method, with or without descriptor: `reduce` or `reduce()Lx/Fraction;`.
    #[arg(long, value_name = "NAME[DESC]")]
    method: Option<String>,
    /// Classes to leave out; `*` matches anything, several by commas.
    #[arg(long, value_name = "GLOB")]
    exclude: Option<String>,
    /// Where the tests go, by package [default: tracewright-tests].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Upper limit in wall-clock time for one class, everything included [default: 30s].
    #[arg(long, value_name = "TIME")]
    budget: Option<TimeSpan>,
    /// Upper limit for all classes together.
    #[arg(long, value_name = "TIME")]
    total_budget: Option<TimeSpan>,
    /// Instead of --budget: candidates and solver queries. The same seed then gives the same bytes.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Seed of all chance [default: 1].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Home of the JDK to run the classes on; default: JAVA_HOME, else the java on the PATH.
    #[arg(long, value_name = "HOME")]
    jdk: Option<PathBuf>,
    /// JUnit version of the tests, 5 or 4 [default: 5].
    #[arg(long, value_name = "5|4")]
    junit: Option<u32>,
    /// How candidates are found: hybrid (search and symbolic execution), search, dse (symbolic execution from random seeds), random
    /// [default: hybrid].
    #[arg(long, value_name = "S")]
    strategy: Option<Strategy>,
    /// Where report.json goes [default: tracewright-report].
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// File with settings under the same names [default: tracewright.toml where there is one].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// How progress is shown: auto, plain, json, none [default: auto].
    #[arg(long, value_name = "HOW")]
    progress: Option<crate::config::Progress>,
    /// What the code under test may do to this machine: files, processes, sockets, by commas [default: nothing].
    #[arg(long, value_name = "WHAT")]
    allow: Option<String>,
    /// Folder of a session (`tracewright record`): its values and calls are where the search begins, and what its tests cover is left out; may be
    /// given several times.
    #[arg(long, value_name = "DIR")]
    session: Vec<PathBuf>,
    /// With --session: also tests for what the recorded tests cover.
    #[arg(long)]
    all: bool,
    /// Only part I of N of the classes, shared out by expected cost; the other parts are for other machines [default: what GitLab, CircleCI, Buildkite,
    /// Bazel, Slurm or (with TRACEWRIGHT_SHARDS) Kubernetes say in their variables].
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Only methods that changed since this git revision, or that call such: a commit, a tag, a branch [default budget then: 10s].
    #[arg(long, value_name = "REV")]
    since: Option<String>,
    /// The same since a session was recorded.
    #[arg(long, value_name = "DIR")]
    since_session: Option<PathBuf>,
    /// Appends every query of the solver with its answer.
    #[arg(long, value_name = "FILE", hide = true)]
    queries: Option<PathBuf>,
    /// Order of the alternatives: fifo, depth-first, coverage-first, knn, knn-indices, guided.
    #[arg(long, value_name = "S", hide = true)]
    order: Option<crate::config::Order>,
    /// Attempts of symbolic execution teach nothing to later classes and runs, nor are taught by earlier ones.
    #[arg(long, hide = true)]
    untrained: bool,
    /// Appends every attempt of symbolic execution with its end.
    #[arg(long, value_name = "FILE", hide = true)]
    attempts: Option<PathBuf>,
    /// A test case that symbolic execution begins with, and with no other: the paths of its last call are looked for.
    #[arg(long, value_name = "FILE", hide = true)]
    start: Option<PathBuf>,
}

/// The whole program but for `main`.
pub fn run() -> ExitCode {
    let given = match argument_file::expand(std::env::args_os()) {
        Ok(given) => given,
        Err(sentence) => {
            eprintln!("tracewright: {sentence}");
            return ExitCode::from(status::WRONG_USE);
        }
    };
    let arguments = match Arguments::try_parse_from(given) {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            // Help and version are no mistakes; everything else is wrong use.
            return ExitCode::from(if error.use_stderr() { status::WRONG_USE } else { status::DONE });
        }
    };
    listen_to_ourselves();
    match arguments.command {
        Command::Generate(generate) => run_generate(*generate),
        Command::Record { session, include, limits, command } => record::record(&session, include.as_deref(), &limits, &command),
        Command::Replay { session, json } => {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            record::replay(&session, json, cores)
        }
        Command::Explain(explain) => explain::run(*explain),
        Command::Merge { folders, out } => match merge::merge(&folders, &out) {
            Ok(said) => {
                print!("{said}");
                ExitCode::SUCCESS
            }
            Err((status, sentence)) => {
                eprintln!("tracewright: {sentence}");
                ExitCode::from(status)
            }
        },
        Command::Report { folder } => match Report::read(&folder) {
            Ok(report) => {
                print!("{}", summary::text(&report));
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("tracewright: cannot read {}: {error}", folder.join("report.json").display());
                ExitCode::from(status::UNUSABLE_INPUT)
            }
        },
        Command::Doctor { jdk } => doctor::run(jdk.as_deref()),
        Command::Solver => solve::process::solver_main(),
    }
}

/// `TRACEWRIGHT_LOG=debug` (or `tracewright::engine=debug`, ...) shows on standard error what the stages say; silent without it.
fn listen_to_ourselves() {
    let filter = std::env::var("TRACEWRIGHT_LOG").unwrap_or_else(|_| "off".into());
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::new(filter))
        .with_writer(std::io::stderr)
        .without_time()
        .init();
}

fn run_generate(flags: Generate) -> ExitCode {
    run_engine(settings(flags), engine::generate, |report, config| {
        format!("{}{}", summary::text(report), summary::places(report, config))
    })
}

/// Does what the settings ask for, with what all work of the engine needs, and says what came of it on standard output.
fn run_engine<R>(
    settings: Result<Settings, String>,
    work: impl FnOnce(&Config, &Installation, &Path, &dyn Observer, &Interrupt) -> Result<R, EngineError>,
    say: impl FnOnce(&R, &Config) -> String,
) -> ExitCode {
    let config = match settings.and_then(sharded).and_then(|settings| Config::new(settings).map_err(|error| error.to_string())) {
        Ok(config) => config,
        Err(sentence) => {
            eprintln!("tracewright: {sentence}");
            return ExitCode::from(status::WRONG_USE);
        }
    };
    let interrupt = Interrupt::new();
    listen(&interrupt);
    let (installation, temporary) = match installation::find().and_then(|found| Ok((found, temporary()?))) {
        Ok(both) => both,
        Err(sentence) => {
            eprintln!("tracewright: {sentence}");
            return ExitCode::from(status::FAULT);
        }
    };
    let show = progress::Show::new(config.progress);
    let watched = watchdog::Watched::new(&show);
    let stuck = |sentence: &str| {
        show.close();
        eprintln!("tracewright: {sentence}");
        // Nothing of what hangs can be waited for; workers and solvers end with this process.
        let _ = std::fs::remove_dir_all(temporary.path());
        std::process::exit(i32::from(status::FAULT));
    };
    let outcome = watched.watch(config.budget, stuck, || work(&config, &installation, temporary.path(), &watched, &interrupt));
    show.close();
    match outcome {
        Ok(result) => {
            print!("{}", say(&result, &config));
            ExitCode::from(if interrupt.is_set() { status::INTERRUPTED } else { status::DONE })
        }
        Err(error) => failed(&error),
    }
}

fn failed(error: &EngineError) -> ExitCode {
    eprintln!("tracewright: {error}");
    ExitCode::from(match error {
        EngineError::Use(_) => status::WRONG_USE,
        EngineError::Input(_) => status::UNUSABLE_INPUT,
        EngineError::Fault(_) => status::FAULT,
    })
}

/// The folder of this run: workers may write there and nowhere else. It goes when the run ends.
fn temporary() -> Result<tempfile::TempDir, String> {
    tempfile::Builder::new().prefix("tracewright-").tempdir().map_err(|error| format!("no temporary folder can be made: {error}"))
}

fn text_of(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))
}

/// Where neither flags nor file say which part this is, the system that runs this job may.
fn sharded(settings: Settings) -> Result<Settings, String> {
    if settings.shard.is_some() {
        return Ok(settings);
    }
    let told = Shard::from_environment(|name| std::env::var(name).ok())?;
    use crate::config::Progress;
    if let Some((shard, by)) = told
        && !matches!(settings.progress, Some(Progress::Json | Progress::None))
    {
        eprintln!("part {shard} of the classes, as {by} tells; --shard 1/1 takes all of them");
    }
    Ok(Settings { shard: told.map(|(shard, _)| shard), ..settings })
}

/// Flags over file.
fn settings(flags: Generate) -> Result<Settings, String> {
    let file = flags.config;
    let given = Settings {
        classpath: flags.classpath,
        class: (!flags.class.is_empty()).then_some(flags.class),
        classes_from: (!flags.classes_from.is_empty()).then_some(PathList(flags.classes_from)),
        classes: flags.classes,
        method: flags.method,
        exclude: flags.exclude,
        out: flags.out,
        budget: flags.budget,
        total_budget: flags.total_budget,
        steps: flags.steps,
        seed: flags.seed,
        jdk: flags.jdk,
        junit: flags.junit,
        strategy: flags.strategy,
        report: flags.report,
        progress: flags.progress,
        allow: flags.allow,
        queries: flags.queries,
        order: flags.order,
        attempts: flags.attempts,
        start: flags.start.as_deref().map(text_of).transpose()?,
        untrained: flags.untrained.then_some(true),
        session: (!flags.session.is_empty()).then_some(PathList(flags.session)),
        all: flags.all.then_some(true),
        shard: flags.shard,
        since: flags.since,
        since_session: flags.since_session,
    };
    over_file(given, file)
}

/// Flags over file.
fn over_file(given: Settings, file: Option<PathBuf>) -> Result<Settings, String> {
    const USUAL: &str = "tracewright.toml";
    let file = match file {
        Some(file) => file,
        None if Path::new(USUAL).is_file() => USUAL.into(),
        None => return Ok(given),
    };
    let text = std::fs::read_to_string(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let mut from_file = Settings::from_toml(&text, file).map_err(|error| error.to_string())?;
    // What excludes each other does so within one place; a flag simply wins over the file.
    if given.class.is_some() || given.classes_from.is_some() {
        (from_file.class, from_file.classes_from) = (None, None);
    }
    if given.class.is_some() {
        from_file.classes = None;
    }
    if given.budget.is_some() || given.steps.is_some() {
        (from_file.budget, from_file.steps) = (None, None);
    }
    if given.since.is_some() || given.since_session.is_some() {
        (from_file.since, from_file.since_session) = (None, None);
    }
    Ok(given.or(from_file))
}

/// The first Ctrl-C asks the engine to finish; a second one ends at once.
fn listen(interrupt: &Interrupt) {
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // A signal that cannot be listened to keeps its usual meaning: the process ends.
        let _ = signal_hook::flag::register_conditional_shutdown(signal, i32::from(status::INTERRUPTED), interrupt.flag());
        let _ = signal_hook::flag::register(signal, interrupt.flag());
    }
}
