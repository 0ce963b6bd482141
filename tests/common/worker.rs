//! The configuration of worker JVMs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tracewright::jvm::{Jdk, ProbeMode, WorkerConfig};

/// The configuration of a worker for a folder of classes, with a heap of 96 MiB and its files in
/// `folder`. `None` means no agent. An execution may take so long that only code that hangs reaches
/// the limit, also on a busy machine.
pub(crate) fn config(jdk: &Jdk, agent: Option<PathBuf>, classes: PathBuf, folder: &Path, mode: ProbeMode) -> WorkerConfig {
    let mut config = WorkerConfig::new(jdk.clone(), agent.unwrap_or_default(), vec![classes], folder.join("run"), mode);
    config.heap_mb = 96;
    config.candidate_timeout = Duration::from_secs(30);
    config
}
