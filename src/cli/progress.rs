//! Progress on standard error: a bar on a terminal, lines elsewhere, JSON lines for programs.

use crate::config::ProgressStyle;
use crate::engine::{ClassProgress, Observer};
use indicatif::ProgressBar;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Shows the progress and the messages of a generation.
#[derive(Debug)]
pub(crate) struct ProgressDisplay(Mutex<DisplayState>);

#[derive(Debug)]
enum DisplayState {
    Bar(ProgressBar),
    Plain { last: Option<(Instant, String)> },
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
                let bar = ProgressBar::new_spinner();
                if let Ok(style) = indicatif::ProgressStyle::with_template("{spinner} {msg}") {
                    bar.set_style(style);
                }
                bar.enable_steady_tick(Duration::from_millis(120));
                DisplayState::Bar(bar)
            }
            ProgressStyle::Auto | ProgressStyle::Plain => DisplayState::Plain { last: None },
            ProgressStyle::Json => DisplayState::Json,
            ProgressStyle::None => DisplayState::Hidden,
        };
        ProgressDisplay(Mutex::new(state))
    }

    /// Removes the bar from the terminal.
    pub(crate) fn close(&self) {
        if let Ok(DisplayState::Bar(bar)) = self.0.lock().as_deref() {
            bar.finish_and_clear();
        }
    }
}

impl Observer for ProgressDisplay {
    fn progress(&self, progress: &ClassProgress) {
        let Ok(mut state) = self.0.lock() else { return };
        match &mut *state {
            DisplayState::Bar(bar) => bar.set_message(line(progress)),
            DisplayState::Plain { last } => {
                let now = Instant::now();
                let key = format!("{} {}", progress.class, progress.phase);
                if last.as_ref().is_none_or(|(at, phase)| *phase != key || now - *at >= PLAIN_PAUSE) {
                    eprintln!("{}", line(progress));
                    *last = Some((now, key));
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

    fn message(&self, text: &str) {
        let Ok(state) = self.0.lock() else { return };
        match &*state {
            DisplayState::Bar(bar) => bar.suspend(|| eprintln!("{text}")),
            DisplayState::Plain { .. } => eprintln!("{text}"),
            DisplayState::Json => eprintln!("{}", serde_json::json!({ "message": text })),
            DisplayState::Hidden => {}
        }
    }
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
