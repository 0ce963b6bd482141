//! `cargo xtask bench fuzz`: builds and runs the fuzzer of the readers (`benches/fuzz.rs`).

use std::path::Path;

use anyhow::Result;

use crate::run::{cargo, check};
use crate::setup;

/// Runs the fuzzer with its options. The profile for development is used, since it checks for
/// overflows of integers.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    setup::everything(root)?;
    let mut command = cargo();
    command.args(["bench", "--profile", "dev", "--package", "tracewright", "--bench", "fuzz", "--"]);
    check(command.args(arguments))
}
