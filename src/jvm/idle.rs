//! JVMs of workers that have ended, for workers of other classes.
//!
//! In: running JVMs, each with what was decided at its start. Out: one that fits. It knows its sink,
//! its runner is compiled, and the agent takes other targets. Must not know what workers execute.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use super::process::JvmProcess;
use super::{Allow, Pins, ProbeMode, WorkerConfig};

/// Workers of one JVM, at most: the classes of each leave a little behind.
const MOST_WORKERS: u32 = 25;
/// JVMs that wait, at most; the one that waits longest makes room.
const MOST_WAITING: usize = 8;

/// What a JVM keeps from its start to its end.
#[derive(Debug, PartialEq)]
pub(super) struct JvmSettings {
    java: PathBuf,
    agent_library: PathBuf,
    temporary: PathBuf,
    mode: ProbeMode,
    heap_mb: u32,
    allow: Allow,
    pins: Pins,
    jvm_options: Vec<String>,
}

impl JvmSettings {
    /// Those of a worker; `None` where its JVM cannot serve others. The trace of a JVM is one file, in
    /// which a class is announced once.
    pub(super) fn of(config: &WorkerConfig) -> Option<JvmSettings> {
        matches!(config.mode, ProbeMode::Search | ProbeMode::Mutants).then(|| JvmSettings {
            java: config.jdk.java(),
            agent_library: config.agent_library.clone(),
            temporary: config.temporary.clone(),
            mode: config.mode,
            heap_mb: config.heap_mb,
            allow: config.allow,
            pins: config.pins.clone(),
            jvm_options: config.jvm_options.clone(),
        })
    }
}

/// A JVM without work.
#[derive(Debug)]
pub(super) struct IdleJvm {
    pub(super) settings: JvmSettings,
    pub(super) process: JvmProcess,
    /// Workers that it has had.
    pub(super) workers: u32,
}

/// JVMs without work.
#[derive(Debug, Default)]
pub struct IdleJvms(Mutex<Vec<IdleJvm>>);

impl IdleJvms {
    pub(super) fn take(&self, settings: &JvmSettings) -> Option<IdleJvm> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = waiting.iter().rposition(|jvm| jvm.settings == *settings)?;
        Some(waiting.remove(place))
    }

    /// Ends all of them.
    pub(crate) fn clear(&self) {
        let waiting = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        drop(waiting);
    }

    pub(super) fn put(&self, jvm: IdleJvm) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if jvm.workers < MOST_WORKERS {
            if waiting.len() >= MOST_WAITING {
                waiting.remove(0);
            }
            waiting.push(jvm);
        }
    }
}
