//! The state of an unfinished run, on disk. A killed run continues from there (`--resume`).
//!
//! Flows in: the classes whose turn has ended, with their reports and the tests of their archives. Flows out: files
//! in a folder beside the report, and what an earlier run left in them. The folder is removed when a run has come to
//! its end. Must not know how a class is generated.
//!
//! A class is taken from an earlier run where its class files are the same, the options that decide about its tests
//! are, and its test file is there as it was written.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tracewright_trace::class_hash;

use super::turns::TurnEnd;
use crate::config::Config;
use crate::emit;
use crate::files;
use crate::program::{self, ClassName, Program};
use crate::report::ClassReport;
use crate::testcase::TestCase;

/// The folder, beside `report.json`.
const FOLDER: &str = "unfinished";
/// Longest name of a file without its end, in bytes.
const LONGEST_NAME: usize = 200;

/// What a class has after its last turn.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct KeptClass {
    /// Hash of the class files and of the options.
    inputs: String,
    /// Milliseconds from the begin of the run to the end of the turn.
    elapsed: u64,
    pub(super) report: ClassReport,
    /// The tests of the archive, in their text form.
    tests: Vec<String>,
    /// Milliseconds that the last turn was given, and those that it took.
    given: u64,
    took: u64,
}

impl KeptClass {
    /// The class after a turn.
    pub(super) fn new(report: ClassReport, tests: &[TestCase], turn: TurnEnd) -> KeptClass {
        KeptClass {
            inputs: String::new(),
            elapsed: 0,
            report,
            tests: tests.iter().map(ToString::to_string).collect(),
            given: milliseconds(turn.given),
            took: milliseconds(turn.took),
        }
    }

    /// The tests of the archive, without those that can no longer be read.
    pub(super) fn tests(&self) -> Vec<TestCase> {
        self.tests.iter().filter_map(|text| text.parse().ok()).collect()
    }

    /// Time from the begin of the run to the end of the turn.
    pub(super) fn elapsed(&self) -> Duration {
        Duration::from_millis(self.elapsed)
    }

    /// What the last turn was given, and what it took.
    pub(super) fn times(&self) -> (Duration, Duration) {
        (Duration::from_millis(self.given), Duration::from_millis(self.took))
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The folder of a run.
#[derive(Debug)]
pub(super) struct KeptRun {
    folder: PathBuf,
    /// What all classes have in common.
    options: String,
    /// Where the tests are written.
    out: PathBuf,
}

impl KeptRun {
    /// The folder of the run with these options. Nothing is written yet.
    pub(super) fn new(config: &Config) -> KeptRun {
        let Config { seed, junit, parameterized, strategy, method, .. } = config;
        let options = format!("{seed} {junit:?} {parameterized:?} {strategy} {method:?}");
        KeptRun { folder: config.report.join(FOLDER), options, out: config.out.clone() }
    }

    /// Whether an earlier run left something.
    pub(super) fn is_there(&self) -> bool {
        files::is_filled(&self.folder)
    }

    /// What the earlier run has of the class, where it still holds.
    pub(super) fn read(&self, program: &Program, class: &ClassName) -> Option<KeptClass> {
        let text = files::read_text_if_exists(&self.folder.join(file_name(class))).ok()??;
        let kept: KeptClass = serde_json::from_str(&text).ok()?;
        let has_tests = kept.report.file.as_ref().is_none_or(|file| is_as_written(&self.out.join(file)));
        (kept.inputs == self.inputs(program, class) && has_tests).then_some(kept)
    }

    /// Writes what the class has. `elapsed`: since the begin of the run.
    ///
    /// Fails with the error of the operating system.
    pub(super) fn write(&self, program: &Program, class: &ClassName, kept: KeptClass, elapsed: Duration) -> io::Result<()> {
        let kept = KeptClass { inputs: self.inputs(program, class), elapsed: milliseconds(elapsed), ..kept };
        files::write_below(&self.folder, &file_name(class), &serde_json::to_vec(&kept)?)
    }

    /// Removes the folder. What cannot be removed stays.
    pub(super) fn remove(&self) {
        files::remove_folder(&self.folder);
    }

    fn inputs(&self, program: &Program, class: &ClassName) -> String {
        let mut text = self.options.clone();
        for class in program::targets(program, class) {
            let hash = program.source().bytes(&class).map_or(0, |(bytes, _)| class_hash(&bytes));
            text += &format!(" {hash:016x}");
        }
        format!("{:016x}", class_hash(text.as_bytes()))
    }
}

fn file_name(class: &ClassName) -> String {
    let name = class.binary();
    let fits = name.len() <= LONGEST_NAME;
    let name = if fits { name } else { format!("{:016x}", class_hash(name.as_bytes())) };
    format!("{name}.json")
}

/// Whether the test file exists without edits by hand.
fn is_as_written(file: &Path) -> bool {
    files::read_text_if_exists(file).ok().flatten().is_some_and(|source| emit::is_untouched(&source))
}
