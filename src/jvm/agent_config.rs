//! The configuration file of the agent in the JVM of a worker (docs/formats/agent-options.md).
//!
//! In: the configuration of the worker, the folder of its JVM. Out: a file. Must not know when the
//! agent reads it.

use std::fs;
use std::path::{Path, PathBuf};

use tracewright_trace::INTERFACE_VERSION;

use super::{ProbeMode, WorkerConfig};

/// Words of four bytes that one run may record (1 MiB). Of longer runs only the beginning can be
/// solved anyway.
const MAX_RUN_WORDS: u64 = 1 << 18;

/// The file that a recording JVM appends its trace to.
pub(super) fn trace_file(folder: &Path) -> PathBuf {
    folder.join("trace")
}

/// Writes the configuration of the agent into the folder of its JVM, and gives its file.
pub(super) fn write_agent_config(config: &WorkerConfig, folder: &Path) -> std::io::Result<PathBuf> {
    let mut text = format!("interface={INTERFACE_VERSION}\nmode={}\n", config.mode.word());
    if !config.include.is_empty() {
        text += &format!("include={}\n", config.include.join(","));
    }
    if !config.exclude.is_empty() {
        text += &format!("exclude={}\n", config.exclude.join(","));
    }
    for target in &config.targets {
        text += &format!("target={} {} {}\n", target.name, target.branch_base.0, target.line_base.0);
    }
    text += &format!("branch-slots={}\nline-slots={}\n", config.branch_slots, config.line_slots);
    if config.mode == ProbeMode::Mutants {
        for class in &config.mutated {
            text += &format!("mutate={} {}\n", class.name, class.first.0);
        }
        text += &format!("mutants={}\n", config.last_mutant.map_or(0, |mutant| mutant.0));
    }
    if config.mode == ProbeMode::Trace {
        text += &format!("trace={}\nevent-cap={MAX_RUN_WORDS}\n", trace_file(folder).display());
    }
    text += &format!("temporary={}\nstatus={}\n", folder.join("tmp").display(), folder.join("status").display());
    text += &config.pins.surroundings.agent_options();
    text += &config.allow.agent_option();
    let file = folder.join("agent.config");
    fs::write(&file, text)?;
    Ok(file)
}
