//! The program. Everything else is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("solver") => tracewright::solve::process::solver_main(),
        _ => {
            eprintln!("tracewright: nothing to do");
            ExitCode::from(1)
        }
    }
}
