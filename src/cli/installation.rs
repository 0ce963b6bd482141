//! Finds what ships with the program: beside it, or in `../lib`.

use crate::engine::Installation;
use std::path::PathBuf;

/// The agent alone.
pub(crate) fn agent() -> Result<PathBuf, String> {
    Parts::new()?.need(&agent_name())
}

fn agent_name() -> String {
    format!("{}tracewright_agent{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX)
}

/// Looks for each part; the sentence names the first one that is missing and where it was looked for.
pub(crate) fn find() -> Result<Installation, String> {
    let parts = Parts::new()?;
    Ok(Installation {
        agent: parts.need(&agent_name())?,
        junit_console: parts.need("junit-platform-console-standalone.jar")?,
        junit4: ["junit4.jar", "hamcrest.jar"].into_iter().filter_map(|name| parts.look(name)).collect(),
        program: parts.program,
    })
}

struct Parts {
    program: PathBuf,
    places: [PathBuf; 2],
}

impl Parts {
    fn new() -> Result<Parts, String> {
        let program = std::env::current_exe().map_err(|error| format!("the program cannot find itself: {error}"))?;
        let program = std::fs::canonicalize(&program).unwrap_or(program);
        let beside = program.parent().map(PathBuf::from).unwrap_or_default();
        Ok(Parts { program, places: [beside.join("../lib"), beside] })
    }

    fn look(&self, name: &str) -> Option<PathBuf> {
        self.places.iter().map(|place| place.join(name)).find(|file| file.is_file())
    }

    fn need(&self, name: &str) -> Result<PathBuf, String> {
        self.look(name).map(|file| std::fs::canonicalize(&file).unwrap_or(file)).ok_or_else(|| {
            format!("{name} is missing: it belongs beside the program or in ../lib ({})", self.places[0].display())
        })
    }
}
