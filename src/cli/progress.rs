//! Progress on standard error: a bar on a terminal, lines elsewhere, JSON lines for programs.

use crate::config::ProgressStyle;
use crate::engine::{ClassProgress, Observer};
use indicatif::{MultiProgress, ProgressBar};
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Shows the progress and the messages of a generation.
#[derive(Debug)]
pub(crate) struct ProgressDisplay(Mutex<DisplayState>);

#[derive(Debug)]
enum DisplayState {
    /// A line for each class in work, by name.
    Bars {
        terminal: MultiProgress,
        bars: BTreeMap<String, ProgressBar>,
    },
    /// When each class in work was shown, and the phase that it was in.
    Plain {
        shown: BTreeMap<String, (Instant, &'static str)>,
    },
    Json,
    Hidden,
}

/// A plain line comes at a change of phase, else at most this often.
const PLAIN_PAUSE: Duration = Duration::from_secs(5);

impl ProgressDisplay {
    /// A display in this style on standard error.
    pub(crate) fn new(style: ProgressStyle) -> ProgressDisplay {
        let state = match style {
            ProgressStyle::Auto if std::io::stderr().is_terminal() => {
                DisplayState::Bars { terminal: MultiProgress::new(), bars: BTreeMap::new() }
            }
            ProgressStyle::Auto | ProgressStyle::Plain => DisplayState::Plain { shown: BTreeMap::new() },
            ProgressStyle::Json => DisplayState::Json,
            ProgressStyle::None => DisplayState::Hidden,
        };
        ProgressDisplay(Mutex::new(state))
    }

    /// Removes the bars from the terminal.
    pub(crate) fn close(&self) {
        if let Ok(DisplayState::Bars { bars, .. }) = self.0.lock().as_deref() {
            bars.values().for_each(ProgressBar::finish_and_clear);
        }
    }
}

impl Observer for ProgressDisplay {
    fn progress(&self, progress: &ClassProgress) {
        let Ok(mut state) = self.0.lock() else { return };
        match &mut *state {
            DisplayState::Bars { terminal, bars } => {
                let bar = bars.entry(progress.class.clone()).or_insert_with(|| terminal.add(spinner()));
                bar.set_message(line(progress));
            }
            DisplayState::Plain { shown } => {
                let now = Instant::now();
                let last = shown.get(&progress.class);
                if last.is_none_or(|(at, phase)| *phase != progress.phase || now - *at >= PLAIN_PAUSE) {
                    eprintln!("{}", line(progress));
                    shown.insert(progress.class.clone(), (now, progress.phase));
                }
            }
            DisplayState::Json => eprintln!(
                "{}",
                serde_json::json!({
                    "class": progress.class, "phase": progress.phase, "branches": progress.branch, "lines": progress.line,
                    "tests": progress.tests, "executions": progress.executions, "left": progress.left.map(|left| left.as_secs_f64()),
                })
            ),
            DisplayState::Hidden => {}
        }
    }

    fn ended(&self, class: &str) {
        let Ok(mut state) = self.0.lock() else { return };
        match &mut *state {
            DisplayState::Bars { terminal, bars } => {
                if let Some(bar) = bars.remove(class) {
                    bar.finish_and_clear();
                    terminal.remove(&bar);
                }
            }
            DisplayState::Plain { shown } => {
                shown.remove(class);
            }
            DisplayState::Json | DisplayState::Hidden => {}
        }
    }

    fn message(&self, text: &str) {
        let Ok(state) = self.0.lock() else { return };
        match &*state {
            DisplayState::Bars { terminal, .. } => terminal.suspend(|| eprintln!("{text}")),
            DisplayState::Plain { .. } => eprintln!("{text}"),
            DisplayState::Json => eprintln!("{}", serde_json::json!({ "message": text })),
            DisplayState::Hidden => {}
        }
    }
}

fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = indicatif::ProgressStyle::with_template("{spinner} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

fn line(progress: &ClassProgress) -> String {
    let simple = progress.class.rsplit('.').next().unwrap_or(&progress.class);
    let mut line = format!("{simple}: {}", progress.phase);
    if progress.branch.total + progress.line.total > 0 {
        let (branch, lines) = (progress.branch, progress.line);
        line += &format!(", branches {}/{}, lines {}/{}", branch.covered, branch.total, lines.covered, lines.total);
    }
    if progress.tests > 0 {
        line += &format!(", tests {}", progress.tests);
    }
    if let Some(left) = progress.left {
        line += &format!(", {:.0} s left", left.as_secs_f64());
    }
    line
}
