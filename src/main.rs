//! The program `tracewright`. Everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    tracewright::cli::run()
}
