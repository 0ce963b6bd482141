//! `tracewright explain`: the constraint trees of a class, from a session or from an exploration.

use super::{add_settings_file, fail, fail_with, run_engine, status};
use crate::config::{Order, Settings, Strategy, TimeSpan};
use crate::engine;
use crate::report::ExplainReport;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Budget of an exploration where none is given.
const DEFAULT_BUDGET: Duration = Duration::from_secs(10);

/// The options of `explain`. Their help differs from that of `generate`, and only some of them
/// apply.
#[derive(Args)]
pub(crate) struct Explain {
    /// Binary name of the class.
    #[arg(value_name = "CLASS")]
    class: String,
    /// Only this method, with or without descriptor: `reduce` or `reduce()Lx/Fraction;`.
    #[arg(value_name = "METHOD")]
    method: Option<String>,
    /// Folder of a session: what `generate --session` left there is shown, and nothing is run.
    #[arg(long, value_name = "DIR")]
    session: Option<PathBuf>,
    /// Jars and folders of the classes and all they need, as for java. With --session: for the
    /// lines of the source.
    #[arg(long, short = 'c', value_name = "CP")]
    classpath: Option<String>,
    /// Without --session: how long the class is explored [default: 10s].
    #[arg(long, value_name = "TIME")]
    budget: Option<TimeSpan>,
    /// Instead of --budget: executions and solver queries. The same seed then gives the same text.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Seed of all random choices [default: 1].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Home of the JDK to run the class on; default: JAVA_HOME, else the java on the PATH.
    #[arg(long, value_name = "HOME")]
    jdk: Option<PathBuf>,
    /// File with settings under the same names [default: tracewright.toml where there is one].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// What the code under test may do to this machine: files, processes, sockets, by commas
    /// [default: nothing].
    #[arg(long, value_name = "WHAT")]
    allow: Option<String>,
    /// Order of the alternatives.
    #[arg(long, value_name = "S", hide = true)]
    order: Option<Order>,
    /// For programs, on standard output.
    #[arg(long)]
    json: bool,
}

/// Prints the trees as text or as JSON and gives the exit status.
pub(crate) fn run(explain: Explain) -> ExitCode {
    let (class, method, session) = (explain.class.clone(), explain.method.clone(), explain.session.clone());
    let json = explain.json;
    let text = |report: &ExplainReport| if json { report.json() + "\n" } else { report.text() };
    let settings = settings(explain);
    let Some(session) = session else {
        return run_engine(
            settings,
            |config, installation, temporary, observer, interrupt| {
                engine::explain(config, installation, temporary, &class, observer, interrupt)
            },
            |report, _| text(report),
        );
    };
    let settings = match settings {
        Ok(settings) => settings,
        Err(sentence) => return fail(status::WRONG_USE, &sentence),
    };
    let classpath: Option<Vec<PathBuf>> = settings.classpath.map(|text| std::env::split_paths(&text).collect());
    let jdk = settings.jdk.as_deref();
    match engine::explain_session(&session, &class, method.as_deref(), classpath.as_deref(), jdk) {
        Ok(report) => {
            print!("{}", text(&report));
            ExitCode::from(status::DONE)
        }
        Err(error) => fail_with(&error),
    }
}

/// The settings of the exploration. Class and method come from the command line alone, and nothing
/// is written.
fn settings(explain: Explain) -> Result<Settings, String> {
    let flags = Settings {
        classpath: explain.classpath,
        class: Some(vec![explain.class]),
        budget: explain.budget.or(explain.steps.is_none().then_some(TimeSpan(DEFAULT_BUDGET))),
        steps: explain.steps,
        seed: explain.seed,
        jdk: explain.jdk,
        strategy: Some(Strategy::Dse),
        allow: explain.allow,
        order: explain.order,
        ..Settings::default()
    };
    let settings = add_settings_file(flags, explain.config)?;
    Ok(Settings { method: explain.method, session: None, queries: None, attempts: None, ..settings })
}
