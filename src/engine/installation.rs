//! Where the parts of the installation lie. A plain value: who looks for them is the command line.

use std::path::PathBuf;

#[derive(Clone, Debug)]
pub struct Installation {
    /// The program itself: solver processes are started from it.
    pub program: PathBuf,
    pub agent: PathBuf,
    pub junit_console: PathBuf,
    /// JUnit 4 and Hamcrest, where they are shipped.
    pub junit4: Vec<PathBuf>,
}
