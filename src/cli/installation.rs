//! Finds what ships with the program: beside it, or in `../lib`.

use crate::engine::Installation;
use std::path::PathBuf;

/// Looks for each part; the sentence names the first one that is missing and where it was looked for.
pub fn find() -> Result<Installation, String> {
    let program = std::env::current_exe().map_err(|error| format!("the program cannot find itself: {error}"))?;
    let program = std::fs::canonicalize(&program).unwrap_or(program);
    let beside = program.parent().map(PathBuf::from).unwrap_or_default();
    let places = [beside.join("../lib"), beside];
    let look = |name: &str| places.iter().map(|place| place.join(name)).find(|file| file.is_file());
    let need = |name: &str| {
        look(name)
            .map(|file| std::fs::canonicalize(&file).unwrap_or(file))
            .ok_or_else(|| format!("{name} is missing: it belongs beside the program or in ../lib ({})", places[0].display()))
    };
    let agent = format!("{}tracewright_agent{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    Ok(Installation {
        agent: need(&agent)?,
        junit_console: need("junit-platform-console-standalone.jar")?,
        junit4: ["junit4.jar", "hamcrest.jar"].into_iter().filter_map(look).collect(),
        program,
    })
}
