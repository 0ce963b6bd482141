//! Finds the files that ship with the program: beside it, or in `../lib`.

use crate::engine::Installation;
use std::path::PathBuf;

/// The path of the agent. The error is one sentence.
pub(crate) fn agent() -> Result<PathBuf, String> {
    InstalledFiles::new()?.find_required(&agent_name())
}

fn agent_name() -> String {
    format!("{}tracewright_agent{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX)
}

/// Finds all files. The error names the first one that is missing and where it should be.
pub(crate) fn find() -> Result<Installation, String> {
    let files = InstalledFiles::new()?;
    Ok(Installation {
        agent: files.find_required(&agent_name())?,
        junit_console: files.find_required("junit-platform-console-standalone.jar")?,
        junit4: ["junit4.jar", "hamcrest.jar"].into_iter().filter_map(|name| files.find_optional(name)).collect(),
        program: files.program,
        cache: cache(),
    })
}

/// The folder that the user names for caches, or the usual one of the system.
fn cache() -> Option<PathBuf> {
    match std::env::var_os("TRACEWRIGHT_CACHE") {
        Some(folder) if folder.is_empty() => None,
        Some(folder) => Some(folder.into()),
        None => dirs::cache_dir().map(|folder| folder.join("tracewright")),
    }
}

/// Looks for files in the folders of the installation.
struct InstalledFiles {
    program: PathBuf,
    folders: [PathBuf; 2],
}

impl InstalledFiles {
    fn new() -> Result<InstalledFiles, String> {
        let program = std::env::current_exe().map_err(|error| format!("the program cannot find itself: {error}"))?;
        let program = std::fs::canonicalize(&program).unwrap_or(program);
        let beside = program.parent().map(PathBuf::from).unwrap_or_default();
        Ok(InstalledFiles { program, folders: [beside.join("../lib"), beside] })
    }

    fn find_optional(&self, name: &str) -> Option<PathBuf> {
        self.folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file())
    }

    fn find_required(&self, name: &str) -> Result<PathBuf, String> {
        self.find_optional(name).map(|file| std::fs::canonicalize(&file).unwrap_or(file)).ok_or_else(|| {
            format!("{name} is missing: it belongs beside the program or in ../lib ({})", self.folders[0].display())
        })
    }
}
