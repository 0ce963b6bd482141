//! One fixture: a test case, the trace of its run, limits of the replay, and the expected result,
//! all in one text file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use tracewright::expr::TermStore;
use tracewright::recording::Recording;
use tracewright::symbolic::{PathEnd, Replay, ReplayConfig, Replayer, StopFlag, seed_with};
use tracewright::testcase::TestCase;

/// Characters of a string input that have variables. The default of the program makes expected
/// texts long.
const CHARACTERS: usize = 4;

/// A recorded run and what its replay must give.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fixture {
    /// Path below the folder of runs, without the extension.
    pub(crate) name: String,
    /// The source of the class whose method is called.
    pub(crate) source: String,
    /// Fields of [`ReplayConfig`] that differ from the default.
    pub(crate) limits: BTreeMap<String, u64>,
    /// The replay is told to stop before it begins.
    pub(crate) is_stopped: bool,
    pub(crate) test: String,
    pub(crate) trace: String,
    pub(crate) expected: String,
}

impl Fixture {
    /// The text of a fixture file.
    pub(crate) fn print(&self) -> String {
        let mut out = format!("source {}\n", self.source);
        for (field, value) in &self.limits {
            let _ = writeln!(out, "limit {field} {value}");
        }
        if self.is_stopped {
            out.push_str("stopped\n");
        }
        let _ = write!(out, "== test\n{}== trace\n{}== expected\n{}", self.test, self.trace, self.expected);
        out
    }

    /// Reads the text of a fixture file; panics with the line that does not belong there.
    pub(crate) fn parse(name: &str, text: &str) -> Fixture {
        let mut fixture = Fixture { name: name.to_owned(), ..Fixture::default() };
        let mut section = "";
        for line in text.lines() {
            if let Some(title) = line.strip_prefix("== ") {
                section = title;
                continue;
            }
            let words: Vec<&str> = line.split(' ').collect();
            match (section, &words[..]) {
                ("", ["source", source]) => fixture.source = (*source).to_owned(),
                ("", ["limit", field, value]) => {
                    fixture.limits.insert((*field).to_owned(), value.parse().expect("a number"));
                }
                ("", ["stopped"]) => fixture.is_stopped = true,
                ("test", _) => push_line(&mut fixture.test, line),
                ("trace", _) => push_line(&mut fixture.trace, line),
                ("expected", _) => push_line(&mut fixture.expected, line),
                _ => panic!("{name}: `{line}` is no line of a fixture"),
            }
        }
        fixture
    }

    /// Every fixture below a folder, by name.
    pub(crate) fn read_all(folder: &Path) -> Vec<Fixture> {
        let mut paths: Vec<PathBuf> = walkdir::WalkDir::new(folder)
            .into_iter()
            .map(|entry| entry.expect("a readable folder").into_path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
            .collect();
        paths.sort();
        let name = |path: &Path| path.strip_prefix(folder).expect("below").with_extension("").to_string_lossy().into_owned();
        paths.iter().map(|path| Fixture::parse(&name(path), &std::fs::read_to_string(path).expect("a fixture"))).collect()
    }

    /// Writes the file of the fixture below a folder.
    pub(crate) fn write(&self, folder: &Path) {
        let path = folder.join(format!("{}.txt", self.name));
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a writable folder");
        std::fs::write(path, self.print()).expect("a writable folder");
    }

    /// Replays the trace.
    ///
    /// # Errors A clause that does not hold of the inputs of the run, or another outcome of its
    /// branch that holds as well.
    pub(crate) fn replay(&self, replayer: &mut Replayer<'_>) -> Result<(Replay, String), String> {
        let test: TestCase = self.test.parse().unwrap_or_else(|error| panic!("{}: {error}", self.name));
        let recording = Recording::parse(&self.trace).unwrap_or_else(|error| panic!("{}: {error}", self.name));
        let mut terms = TermStore::new();
        let stop = StopFlag::default();
        stop.store(self.is_stopped, std::sync::atomic::Ordering::Relaxed);
        replayer.stop_with(stop);
        let replay = replayer.replay(&test, &recording, &mut terms, &self.config());
        let seed = seed_with(&test, CHARACTERS as u32);
        for clause in replay.path.clauses.iter().filter(|_| replay.end != PathEnd::Diverged) {
            if !terms.holds(clause.term, &seed) {
                return Err(format!("{}: {} does not hold", self.name, terms.print(clause.term)));
            }
            if let Some((outcome, other)) = clause.others.iter().find(|(_, other)| terms.holds(*other, &seed)) {
                return Err(format!("{}: ={outcome} {} holds as well", self.name, terms.print(*other)));
            }
        }
        let found = describe(&replay, &terms);
        Ok((replay, found))
    }

    fn config(&self) -> ReplayConfig {
        let mut config = ReplayConfig { characters: CHARACTERS, ..ReplayConfig::default() };
        for (field, &value) in &self.limits {
            match field.as_str() {
                "instructions" => config.instructions = value,
                "frames" => config.frames = value as usize,
                "clauses" => config.clauses = value as usize,
                "heap" => config.heap = value as usize,
                "terms" => config.terms = value as usize,
                "term-size" => config.term_size = value,
                "cells" => config.cells = value as usize,
                other => panic!("{}: no limit is called {other}", self.name),
            }
        }
        config
    }
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// The name of a path end. A variant that is added to [`PathEnd`] needs a name here and a fixture.
pub(crate) fn end_name(end: &PathEnd) -> &'static str {
    match end {
        PathEnd::Returned => "returned",
        PathEnd::Threw { .. } => "threw",
        PathEnd::Unsupported { .. } => "unsupported",
        PathEnd::Budget { .. } => "budget",
        PathEnd::Stopped => "stopped",
        PathEnd::JvmDied => "jvm died",
        PathEnd::Diverged => "diverged",
    }
}

/// Every name that [`end_name`] gives.
pub(crate) const ENDS: [&str; 7] = ["returned", "threw", "unsupported", "budget", "stopped", "jvm died", "diverged"];

/// How the path ended, the counts of the replay that are not zero, and the path condition.
fn describe(replay: &Replay, terms: &TermStore) -> String {
    let stats = &replay.stats;
    let mut out = format!("end {:?}\n", replay.end);
    let counts = [
        ("executed", stats.executed),
        ("replayed", stats.replayed),
        ("interpreted calls", stats.interpreted_calls),
        ("opaque calls", stats.opaque_calls),
        ("resynchronised", stats.resyncs),
        ("ambiguous references", stats.identity_ambiguous),
    ];
    for (name, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        let _ = writeln!(out, "{name}: {count}");
    }
    for (title, reasons) in
        [("not interpreted", &stats.not_interpreted), ("concretised", &stats.concretised), ("unsupported", &stats.unsupported)]
    {
        for (reason, count) in reasons {
            let _ = writeln!(out, "{title}: {count} {reason}");
        }
    }
    for (divergence, count) in &stats.divergences {
        let _ = writeln!(out, "divergence: {count} {divergence:?}");
    }
    out + &replay.path.print(terms)
}
