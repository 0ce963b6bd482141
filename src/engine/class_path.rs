//! The class path of a generation. Flows in: the configuration with the entries that the user
//! typed. Flows out: the opened project, and a configuration whose entries all exist and have no
//! wildcard, since the compiler and the runner read them as they stand.

use std::path::PathBuf;

use super::error::EngineError;
use super::observer::Observer;
use crate::config::Config;
use crate::jvm::Jdk;
use crate::project::Project;

/// A configuration with its opened class path.
pub(super) struct OpenedClassPath {
    /// The configuration; its class path holds plain entries.
    pub(super) config: Config,
    pub(super) project: Project,
    /// Entries that do not exist.
    missing: Vec<PathBuf>,
}

impl OpenedClassPath {
    /// Opens the class path and warns of the entries that do not exist.
    ///
    /// [`EngineError::Input`] where an entry or the JDK cannot be read.
    pub(super) fn new(config: &Config, jdk: &Jdk, observer: &dyn Observer) -> Result<OpenedClassPath, EngineError> {
        let project = Project::open(&config.classpath, &jdk.home).map_err(EngineError::input)?;
        let missing = project.class_path().missing().to_vec();
        for entry in &missing {
            observer.message(&format!("class path entry {} does not exist and is ignored, as java ignores it", entry.display()));
        }
        let config = Config { classpath: project.class_path().plain().to_vec(), ..config.clone() };
        Ok(OpenedClassPath { config, project, missing })
    }

    /// The end of a sentence about a class that was not found: entries that do not exist are the
    /// likely cause.
    pub(super) fn hint(&self) -> String {
        let missing: Vec<String> = self.missing.iter().map(|entry| entry.display().to_string()).collect();
        if missing.is_empty() { String::new() } else { format!("; no such class path entry: {}", missing.join(", ")) }
    }
}
