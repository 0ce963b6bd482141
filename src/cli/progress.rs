//! Live progress on standard error: a bar on a terminal, lines elsewhere, JSON lines for programs.

use crate::config;
use crate::engine::{ClassProgress, Observer};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub(crate) struct Show(Mutex<How>);

#[derive(Debug)]
enum How {
    Bar(ProgressBar),
    Plain { last: Option<(Instant, String)> },
    Json,
    Quiet,
}

/// Plain lines come at a change of phase, else at most this often.
const PLAIN_PAUSE: Duration = Duration::from_secs(5);

impl Show {
    pub(crate) fn new(how: config::Progress) -> Show {
        let how = match how {
            config::Progress::Auto if std::io::stderr().is_terminal() => {
                let bar = ProgressBar::new_spinner();
                if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                    bar.set_style(style);
                }
                bar.enable_steady_tick(Duration::from_millis(120));
                How::Bar(bar)
            }
            config::Progress::Auto | config::Progress::Plain => How::Plain { last: None },
            config::Progress::Json => How::Json,
            config::Progress::None => How::Quiet,
        };
        Show(Mutex::new(how))
    }

    pub(crate) fn close(&self) {
        if let Ok(How::Bar(bar)) = self.0.lock().as_deref() {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Show {
    fn progress(&self, progress: &ClassProgress) {
        let Ok(mut how) = self.0.lock() else { return };
        match &mut *how {
            How::Bar(bar) => bar.set_message(line(progress)),
            How::Plain { last } => {
                let now = Instant::now();
                let key = format!("{} {}", progress.class, progress.phase);
                if last.as_ref().is_none_or(|(at, phase)| *phase != key || now - *at >= PLAIN_PAUSE) {
                    eprintln!("{}", line(progress));
                    *last = Some((now, key));
                }
            }
            How::Json => eprintln!(
                "{}",
                serde_json::json!({
                    "class": progress.class, "phase": progress.phase, "branches": progress.branch, "lines": progress.line,
                    "tests": progress.tests, "executions": progress.executions, "left": progress.left.map(|left| left.as_secs_f64()),
                })
            ),
            How::Quiet => {}
        }
    }

    fn message(&self, text: &str) {
        let Ok(how) = self.0.lock() else { return };
        match &*how {
            How::Bar(bar) => bar.suspend(|| eprintln!("{text}")),
            How::Plain { .. } => eprintln!("{text}"),
            How::Json => eprintln!("{}", serde_json::json!({ "message": text })),
            How::Quiet => {}
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
