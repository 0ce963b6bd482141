//! `tracewright explain`: the constraint trees of a class, from a session or explored for the purpose.

use super::{failed, over_file, run_engine, status};
use crate::config::{Order, Settings, Strategy, TimeSpan};
use crate::engine;
use crate::report::ExplainReport;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Where the class is explored, if nothing else is said.
const BUDGET: Duration = Duration::from_secs(10);

#[derive(Args)]
pub(crate) struct Explain {
    /// Binary name of the class.
    #[arg(value_name = "CLASS")]
    class: String,
    /// Only this method, with or without descriptor: `reduce` or `reduce()Lx/Fraction;`.
    #[arg(value_name = "METHOD")]
    method: Option<String>,
    /// Folder of a session: what `generate --session` left there is told, and nothing is run.
    #[arg(long, value_name = "DIR")]
    session: Option<PathBuf>,
    /// Jars and folders of the classes and all they need, as for java. With --session: for the lines of the source.
    #[arg(long, short = 'c', value_name = "CP")]
    classpath: Option<String>,
    /// Without --session: how long the class is explored [default: 10s].
    #[arg(long, value_name = "TIME")]
    budget: Option<TimeSpan>,
    /// Instead of --budget: candidates and solver queries. The same seed then gives the same text.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Seed of all chance [default: 1].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Home of the JDK to run the class on; default: JAVA_HOME, else the java on the PATH.
    #[arg(long, value_name = "HOME")]
    jdk: Option<PathBuf>,
    /// File with settings under the same names [default: tracewright.toml where there is one].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// What the code under test may do to this machine: files, processes, sockets, by commas [default: nothing].
    #[arg(long, value_name = "WHAT")]
    allow: Option<String>,
    /// Order of the alternatives.
    #[arg(long, value_name = "S", hide = true)]
    order: Option<Order>,
    /// For programs, on standard output.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(flags: Explain) -> ExitCode {
    let (class, session, json) = (flags.class.clone(), flags.session.clone(), flags.json);
    let method = flags.method.clone();
    let settings = settings(flags);
    let text = |report: &ExplainReport| if json { report.json() + "\n" } else { report.text() };
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
        Err(sentence) => {
            eprintln!("tracewright: {sentence}");
            return ExitCode::from(status::WRONG_USE);
        }
    };
    let classpath: Option<Vec<PathBuf>> = settings.classpath.map(|text| std::env::split_paths(&text).collect());
    match engine::explain_session(&session, &class, method.as_deref(), classpath.as_deref(), settings.jdk.as_deref()) {
        Ok(report) => {
            print!("{}", text(&report));
            ExitCode::from(status::DONE)
        }
        Err(error) => failed(&error),
    }
}

fn settings(flags: Explain) -> Result<Settings, String> {
    let budget = flags.budget.or(flags.steps.is_none().then_some(TimeSpan(BUDGET)));
    let method = flags.method.clone();
    let given = Settings {
        classpath: flags.classpath,
        class: Some(vec![flags.class]),
        budget,
        steps: flags.steps,
        seed: flags.seed,
        jdk: flags.jdk,
        strategy: Some(Strategy::Dse),
        allow: flags.allow,
        order: flags.order,
        ..Settings::default()
    };
    // What is explained is named here alone, and nothing is written.
    Ok(Settings { method, session: None, queries: None, attempts: None, ..over_file(given, flags.config)? })
}
