//! The build plugins as their users meet them: real builds by Gradle's own engine and by Maven, with the repository that `cargo xtask plugins` makes.
//! `TRACEWRIGHT_REPOSITORY`, `TRACEWRIGHT_GRADLE` and `TRACEWRIGHT_JUNIT` say where things are (`cargo xtask test` sets them); without them nothing is tested, and said so.

mod gradle;
mod maven;
mod shared;
mod support;
