//! The watchdog: ends a generation that hangs although every stage has limits of its own.
//!
//! Flows in: the progress of the engine. Flows out: one sentence, and the end of the process. Where
//! steps are counted, there is no watchdog, because nothing may depend on the clock.

use crate::config::Budget;
use crate::engine::{ClassProgress, Observer};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Without progress for twice the budget of a class and this time, the process hangs.
const SLACK: Duration = Duration::from_secs(60);

/// Passes progress and messages on, and remembers the last progress of each class in work.
pub(crate) struct Watched<'a> {
    observer: &'a dyn Observer,
    last: Mutex<BTreeMap<String, (&'static str, Instant)>>,
}

impl<'a> Watched<'a> {
    /// An observer that passes everything on and remembers when it last heard of the engine.
    pub(crate) fn new(observer: &'a dyn Observer) -> Watched<'a> {
        Watched { observer, last: Mutex::default() }
    }

    /// Runs `work`. Calls `stuck` with a sentence when there was no progress for too long.
    pub(crate) fn watch<R>(&self, budget: Budget, stuck: impl Fn(&str) + Send, work: impl FnOnce() -> R) -> R {
        let Budget::Time(budget) = budget else { return work() };
        self.watch_for(2 * budget + SLACK, Duration::from_secs(1), stuck, work)
    }

    fn watch_for<R>(&self, most: Duration, every: Duration, stuck: impl Fn(&str) + Send, work: impl FnOnce() -> R) -> R {
        let (alive, ended) = crossbeam_channel::bounded::<()>(0);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                while ended.recv_timeout(every) == Err(crossbeam_channel::RecvTimeoutError::Timeout) {
                    let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
                    let stands_still = last.iter().find(|(_, (_, at))| at.elapsed() > most).map(|(class, _)| class.clone());
                    if let Some((class, (phase, _))) = stands_still.and_then(|class| last.remove_entry(&class)) {
                        stuck(&format!(
                            "{class} stands still (phase: {phase}), far beyond its budget: a fault of Tracewright; what was written before is complete"
                        ));
                    }
                }
            });
            let result = work();
            drop(alive);
            result
        })
    }
}

impl Observer for Watched<'_> {
    fn progress(&self, progress: &ClassProgress) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.insert(progress.class.clone(), (progress.phase, Instant::now()));
        drop(last);
        self.observer.progress(progress);
    }

    fn ended(&self, class: &str) {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).remove(class);
        self.observer.ended(class);
    }

    fn message(&self, text: &str) {
        self.observer.message(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::CoverageCount;
    use std::sync::mpsc::channel;

    struct Silent;

    impl Observer for Silent {
        fn progress(&self, _: &ClassProgress) {}
        fn message(&self, _: &str) {}
    }

    #[test]
    fn a_missing_progress_is_reported_once() {
        let watched = Watched::new(&Silent);
        let (sender, heard) = channel();
        let said = |text: &str| sender.send(text.to_owned()).expect("a receiver");
        watched.watch_for(Duration::from_millis(20), Duration::from_millis(1), said, || {
            assert!(heard.recv_timeout(Duration::from_millis(60)).is_err(), "nothing has begun yet");
            let covered = CoverageCount::default();
            let progress = ClassProgress {
                class: "p.A".into(),
                phase: "minimising",
                line: covered,
                branch: covered,
                tests: 0,
                executions: 0,
                left: None,
            };
            watched.progress(&progress);
            let sentence = heard.recv_timeout(Duration::from_secs(60)).expect("it is noticed");
            assert!(sentence.starts_with("p.A stands still (phase: minimising)"), "{sentence}");
            assert!(heard.recv_timeout(Duration::from_millis(60)).is_err(), "once");
            watched.progress(&ClassProgress { class: "p.B".into(), ..progress });
            watched.ended("p.B");
            assert!(heard.recv_timeout(Duration::from_millis(60)).is_err(), "it has ended");
        });
    }
}
