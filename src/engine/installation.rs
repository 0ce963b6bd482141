//! The parts of the installation that a generation needs. A plain value: the command line finds the
//! files.

use std::path::PathBuf;

/// Paths of the files that ship with the program.
#[derive(Clone, Debug)]
pub struct Installation {
    /// The program itself; solver processes are started from it.
    pub program: PathBuf,
    /// The native agent of worker JVMs.
    pub agent: PathBuf,
    /// The console launcher of JUnit with all that it needs.
    pub junit_console: PathBuf,
    /// JUnit 4 and Hamcrest, where they are shipped.
    pub junit4: Vec<PathBuf>,
    /// The folder for what later runs can use again; `None`: nothing is kept.
    pub cache: Option<PathBuf>,
}
