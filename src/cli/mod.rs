//! The command line.
//!
//! Flows in: arguments, `tracewright.toml`, signals. Flows out: progress on standard error, a
//! summary on standard output, the exit status. Must not know how tests are generated: the engine
//! gets a [`Config`].

mod argument_file;
mod doctor;
mod explain;
mod installation;
mod merge;
mod own_session;
mod progress;
mod record;
mod summary;
mod temporary;
mod watchdog;

use crate::config::{Config, ProgressStyle, Settings, Shard, base_of_pull_request};
use crate::engine::{self, EngineError, Installation, Interrupt, Observer};
use crate::report::Report;
use crate::solve;
use clap::{Args, Parser, Subcommand};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use temporary::TemporaryFolder;

/// Exit statuses. Other programs depend on them.
pub(crate) mod status {
    /// The command did its work.
    pub(crate) const DONE: u8 = 0;
    /// The options are wrong.
    pub(crate) const WRONG_USE: u8 = 1;
    /// The class path, a class, a session, a report or the JDK cannot be used.
    pub(crate) const UNUSABLE_INPUT: u8 = 2;
    /// A fault of Tracewright or of its installation.
    pub(crate) const FAULT: u8 = 3;
    /// The behaviour differs (`diff --fail-on-change`).
    pub(crate) const DIFFERS: u8 = 4;
    /// Interrupted by a signal.
    pub(crate) const INTERRUPTED: u8 = 130;
}

/// The settings file that is read where `--config` names none.
const USUAL_SETTINGS_FILE: &str = "tracewright.toml";
/// Selects log messages of the stages, as `tracing_subscriber::EnvFilter` reads them; without it
/// there are none.
const LOG_VARIABLE: &str = "TRACEWRIGHT_LOG";

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
    /// Shows what changed in behaviour since an earlier version, by tests that fail there.
    Diff(Box<Diff>),
    /// Runs a command and records what every JVM that it starts does.
    Record(record::Record),
    /// Replays every run of a session and says what it computed.
    Replay {
        /// Folder of the session.
        #[arg(value_name = "DIR")]
        session: PathBuf,
        /// For programs, on standard output.
        #[arg(long)]
        json: bool,
    },
    /// Lists the known paths of a class, the pending alternatives, and why the others were not
    /// taken.
    Explain(Box<explain::Explain>),
    /// Puts sessions and reports of several machines into one folder.
    Merge {
        /// Folders with a session, a report.json or both.
        #[arg(required = true, value_name = "DIR")]
        folders: Vec<PathBuf>,
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Prints the report.json of a folder as text, and writes its page again.
    Report {
        /// Folder with a report.json.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Folders of sources for the page, by the separator of a class path [default: where the class files
        /// were].
        #[arg(long, value_name = "PATH")]
        sources: Option<OsString>,
        /// Opens the page in a browser.
        #[arg(long)]
        open: bool,
    },
    /// Checks what this machine offers: JDK, agent, solver, JUnit, confinement.
    Doctor {
        /// Home of the JDK to use; default: JAVA_HOME, else the java on the PATH.
        #[arg(long, value_name = "HOME")]
        jdk: Option<PathBuf>,
    },
    /// The solver process.
    #[command(hide = true)]
    Solver,
}

#[derive(Args)]
struct Generate {
    #[command(flatten)]
    settings: Settings,
    /// File with settings under the same names [default: tracewright.toml where there is one].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

#[derive(Args)]
struct Diff {
    /// The earlier version: jars and folders of its classes, or a git revision [default: the base of the pull request
    /// that the CI system names].
    #[arg(long, value_name = "CP|REV")]
    old: Option<String>,
    /// Ends with status 4 where the behaviour differs.
    #[arg(long)]
    fail_on_change: bool,
    #[command(flatten)]
    generate: Generate,
}

/// Runs the program with the arguments of the process and gives its exit status.
pub fn run() -> ExitCode {
    let arguments = match argument_file::expand(std::env::args_os()) {
        Ok(arguments) => arguments,
        Err(sentence) => return fail(status::WRONG_USE, &sentence),
    };
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            // Help and version go to standard output and are no mistakes.
            return ExitCode::from(if error.use_stderr() { status::WRONG_USE } else { status::DONE });
        }
    };
    start_logging();
    match arguments.command {
        Command::Generate(generate) => own_session::run_in_own_session(|| run_generate(*generate)),
        Command::Diff(diff) => own_session::run_in_own_session(|| run_diff(*diff)),
        Command::Record(record) => record::record(&record),
        Command::Replay { session, json } => {
            let threads = std::thread::available_parallelism().map_or(1, usize::from);
            record::replay(&session, json, threads)
        }
        Command::Explain(explain) => explain::run(*explain),
        Command::Merge { folders, out } => match merge::merge(&folders, &out) {
            Ok(summary) => {
                print!("{summary}");
                ExitCode::SUCCESS
            }
            Err((status, sentence)) => fail(status, &sentence),
        },
        Command::Report { folder, sources, open } => show_report(&folder, sources.as_deref(), open),
        Command::Doctor { jdk } => doctor::run(jdk.as_deref()),
        Command::Solver => solve::process::solver_main(),
    }
}

/// Prints the report of a folder, and writes its page.
fn show_report(folder: &Path, sources: Option<&OsStr>, opens: bool) -> ExitCode {
    let mut report = match Report::read(folder) {
        Ok(report) => report,
        Err(error) => {
            let path = folder.join("report.json");
            return fail(status::UNUSABLE_INPUT, &format!("cannot read {}: {error}", path.display()));
        }
    };
    report.add_sources(sources.map(|folders| std::env::split_paths(folders).collect()).unwrap_or_default());
    print!("{}", summary::text(&report));
    if let Err(error) = report.write_views(folder) {
        return fail(status::WRONG_USE, &format!("cannot write to {}: {error}", folder.display()));
    }
    let page = folder.join("index.html");
    println!("page in {}", page.display());
    match opens.then(|| open::that(&page)) {
        Some(Err(error)) => fail(status::WRONG_USE, &format!("no browser opens {}: {error}", page.display())),
        _ => ExitCode::SUCCESS,
    }
}

/// Parses the text of an argument file behind `generate`, up to the configuration. The error is the
/// message that the user gets.
pub(crate) fn check_arguments(text: &str) -> Result<(), String> {
    let line = ["tracewright", "generate"].map(OsString::from).into_iter().chain(argument_file::arguments_of(text));
    match Arguments::try_parse_from(line).map_err(|error| error.to_string())?.command {
        Command::Generate(generate) => Config::new(generate.settings).map(drop).map_err(|error| error.to_string()),
        _ => Ok(()),
    }
}

/// Shows log messages on standard error, such as those of
/// `TRACEWRIGHT_LOG=tracewright::engine=debug`.
fn start_logging() {
    let filter = std::env::var(LOG_VARIABLE).unwrap_or_else(|_| "off".into());
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::new(filter))
        .with_writer(std::io::stderr)
        .without_time()
        .init();
}

fn run_generate(generate: Generate) -> ExitCode {
    let settings = read_start(generate.settings).and_then(|flags| add_settings_file(flags, generate.config));
    run_engine(settings, engine::generate, |report, config| {
        format!("{}{}", summary::text(report), summary::places(report, config))
    })
}

/// Writes tests for what differs, and tells it.
fn run_diff(Diff { old, fail_on_change, generate }: Diff) -> ExitCode {
    let settings = add_settings_file(generate.settings, generate.config);
    let settings = settings.and_then(|settings| {
        let old = old.or_else(|| base_of_pull_request(|name| std::env::var(name).ok()));
        let missing = "nothing to compare with: give --old a git revision, or jars and folders of earlier classes";
        Ok(Settings { old: Some(old.ok_or(missing)?), ..settings })
    });
    let mut differs = false;
    let ended = run_engine(settings, engine::generate, |report, config| {
        differs = report.classes.iter().any(|class| class.differences.as_ref().is_some_and(|found| !found.is_empty()));
        format!("{}{}", summary::differences(report), summary::places(report, config))
    });
    if fail_on_change && differs && ended == ExitCode::SUCCESS { ExitCode::from(status::DIFFERS) } else { ended }
}

/// Runs the engine with a configuration, an installation, a temporary folder and an observer.
/// Prints the `summary` of the result on standard output.
fn run_engine<R>(
    settings: Result<Settings, String>,
    work: impl FnOnce(&Config, &Installation, &Path, &dyn Observer, &Interrupt) -> Result<R, EngineError>,
    summary: impl FnOnce(&R, &Config) -> String,
) -> ExitCode {
    let config =
        settings.and_then(add_shard_of_environment).and_then(|settings| Config::new(settings).map_err(|error| error.to_string()));
    let config = match config {
        Ok(config) => config,
        Err(sentence) => return fail(status::WRONG_USE, &sentence),
    };
    let interrupt = Interrupt::new();
    register_signals(&interrupt);
    let parts = installation::find().and_then(|installation| Ok((installation, TemporaryFolder::new()?)));
    let (installation, temporary) = match parts {
        Ok(parts) => parts,
        Err(sentence) => return fail(status::FAULT, &sentence),
    };
    let display = progress::ProgressDisplay::new(config.progress);
    let watched = watchdog::Watched::new(&display);
    let end_process = |sentence: &str| {
        display.close();
        eprintln!("tracewright: {sentence}");
        // Threads that hang cannot be joined; worker and solver processes end with this process.
        let _ = std::fs::remove_dir_all(temporary.path());
        std::process::exit(i32::from(status::FAULT));
    };
    let run = || work(&config, &installation, temporary.path(), &watched, &interrupt);
    let outcome = watched.watch(config.budget, end_process, run);
    display.close();
    match outcome {
        Ok(result) => {
            print!("{}", summary(&result, &config));
            ExitCode::from(if interrupt.is_set() { status::INTERRUPTED } else { status::DONE })
        }
        Err(error) => fail_with(&error),
    }
}

/// Prints one sentence on standard error and gives the exit status.
fn fail(status: u8, sentence: &str) -> ExitCode {
    eprintln!("tracewright: {sentence}");
    ExitCode::from(status)
}

/// Prints an error of the engine and gives the exit status of its kind.
fn fail_with(error: &EngineError) -> ExitCode {
    let status = match error {
        EngineError::Use(_) => status::WRONG_USE,
        EngineError::Input(_) => status::UNUSABLE_INPUT,
        EngineError::Fault(_) | EngineError::Installation(_) => status::FAULT,
    };
    fail(status, &error.to_string())
}

fn read_text(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))
}

/// Reads the test case that `--start` names.
fn read_start(flags: Settings) -> Result<Settings, String> {
    let start = flags.start_file.as_deref().map(read_text).transpose()?;
    Ok(Settings { start, ..flags })
}

/// Without a shard in the settings, takes that of the CI system or job array that runs this job,
/// and says so.
fn add_shard_of_environment(settings: Settings) -> Result<Settings, String> {
    if settings.shard.is_some() {
        return Ok(settings);
    }
    let found = Shard::from_environment(|name| std::env::var(name).ok())?;
    if let Some((shard, system)) = found
        && !matches!(settings.progress, Some(ProgressStyle::Json | ProgressStyle::None))
    {
        eprintln!("part {shard} of the classes, as {system} tells; --shard 1/1 takes all of them");
    }
    Ok(Settings { shard: found.map(|(shard, _)| shard), ..settings })
}

/// Adds the settings of the file: the given one, else `tracewright.toml` where there is one. Flags
/// win.
fn add_settings_file(flags: Settings, file: Option<PathBuf>) -> Result<Settings, String> {
    let file = match file {
        Some(file) => file,
        None if Path::new(USUAL_SETTINGS_FILE).is_file() => USUAL_SETTINGS_FILE.into(),
        None => return Ok(flags),
    };
    let text = read_text(&file)?;
    let from_file = Settings::from_toml(&text, file).map_err(|error| error.to_string())?;
    Ok(flags.over_file(from_file))
}

/// The first signal sets the interrupt, a second one ends the process at once.
fn register_signals(interrupt: &Interrupt) {
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // A signal without a handler ends the process, which is acceptable.
        let _ = signal_hook::flag::register_conditional_shutdown(signal, i32::from(status::INTERRUPTED), interrupt.flag());
        let _ = signal_hook::flag::register(signal, interrupt.flag());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_declaration_of_the_options_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn flags_become_settings() {
        let line = ["tracewright", "generate", "-c", "a", "--class", "B", "--class", "C", "--all", "--budget", "2s"];
        let arguments = Arguments::try_parse_from(line).expect("well-formed");
        let Command::Generate(generate) = arguments.command else { panic!("generate") };
        let settings = generate.settings;
        assert_eq!(settings.class, Some(vec!["B".into(), "C".into()]));
        assert!(settings.all && !settings.untrained && settings.session.is_none());
        for option in ["--thread-count", "--start-file"] {
            let line = ["tracewright", "generate", option, "2"];
            let error = Arguments::try_parse_from(line).err().expect("an unknown option").to_string();
            assert!(error.contains(&format!("unexpected argument '{option}'")), "{error}");
        }
    }
}
