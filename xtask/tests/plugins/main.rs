//! The build plugins in real builds by Gradle and Maven, with the repository of `cargo xtask
//! plugins`.
//!
//! `cargo xtask test` sets `TRACEWRIGHT_REPOSITORY`, `TRACEWRIGHT_GRADLE` and `TRACEWRIGHT_JUNIT`.
//! Without them, the tests write what they skip.

mod gradle;
mod maven;
mod shared;
mod support;
