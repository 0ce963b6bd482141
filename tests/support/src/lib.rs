//! Shared parts of the test suites: the environment, JDKs, compiled Java, class files of the JDK,
//! goldens, fuzzing of readers.
//!
//! In: environment variables that `cargo xtask test` sets, and the JDKs of the machine. Out: paths,
//! class files and verdicts. Must not know the program under test: every package of the workspace
//! uses this one as a development dependency.

mod class_files;
mod environment;
pub mod fuzz;
mod golden;
pub mod guards;
mod jdk;

pub use class_files::{ClassBytes, class_files_below, every_class, for_each_class, jar_classes, java_base_classes};
pub use environment::{
    agent_library, assertj_jars, development_jar, development_jars, environment_paths, find_on_path, is_strict, junit_4_jars,
    junit_console_jar, mockito_jars, require, spring_jars,
};
pub use golden::{check_golden, compare_golden};
pub use jdk::{
    Jdk, all_jdks, compile_files, compile_java, compile_java_file, compile_without_warnings, jdks, jdks_from, run_command,
    write_sources,
};
