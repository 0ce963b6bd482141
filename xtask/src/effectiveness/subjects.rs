//! The classes of a benchmark.
//!
//! In: binary names. Out: a class path for each.

use crate::run::check;
use crate::setup;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Libraries with dependencies. Maven puts those into the same folder.
const NEEDS: [(&str, &[&str]); 2] = [
    ("commons-text", &["commons-lang3"]),
    ("commons-validator", &["commons-beanutils", "commons-digester", "commons-logging", "commons-collections"]),
];

/// The class path of each class: the jar that holds it with its dependencies, or the compiled
/// samples.
///
/// # Errors
/// A class is neither in a development jar nor in `samples`, or the samples do not compile.
pub(crate) fn classpaths(root: &Path, jars: &[PathBuf], classes: &[String]) -> Result<Vec<String>> {
    let mut samples = None;
    classes
        .iter()
        .map(|class| {
            if let Some(name) = class.strip_prefix("samples.") {
                if !root.join("samples").join(format!("{name}.java")).is_file() {
                    bail!("bench effectiveness: there is no samples/{name}.java");
                }
                let folder = match samples.take() {
                    Some(folder) => folder,
                    None => compile(root)?,
                };
                return Ok(samples.insert(folder).clone());
            }
            classpath(jars, class)
        })
        .collect()
}

/// Compiles all samples and returns the folder of their classes.
fn compile(root: &Path) -> Result<String> {
    let folder = root.join("target/bench/samples");
    let _ = fs::remove_dir_all(&folder);
    let mut sources: Vec<PathBuf> = fs::read_dir(root.join("samples"))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "java"))
        .collect();
    sources.sort();
    check(Command::new(setup::java_tool("javac")).args(["-g", "--release", "17", "-nowarn", "-d"]).arg(&folder).args(sources))?;
    Ok(folder.display().to_string())
}

/// The class path of a class of the development jars.
fn classpath(jars: &[PathBuf], class: &str) -> Result<String> {
    let file = format!("{}.class", class.replace('.', "/"));
    for jar in jars {
        let archive = zip::ZipArchive::new(fs::File::open(jar)?).with_context(|| format!("{} is no jar", jar.display()))?;
        if archive.index_for_name(&file).is_none() {
            continue;
        }
        let needs = NEEDS.iter().find(|(library, _)| is_jar_of(jar, library)).map_or(&[][..], |(_, needs)| needs);
        let mut entries = vec![jar.clone()];
        let mut dependencies: Vec<PathBuf> = fs::read_dir(jar.parent().context("a jar lies in a folder")?)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| needs.iter().any(|library| is_jar_of(path, library)))
            .collect();
        dependencies.sort();
        entries.extend(dependencies);
        return Ok(std::env::join_paths(entries)?.to_string_lossy().into_owned());
    }
    bail!("bench effectiveness: {class} is in none of the development jars (xtask/src/setup.rs) and no sample");
}

/// Whether a jar holds this library: its name is the library's name and a version.
fn is_jar_of(jar: &Path, library: &str) -> bool {
    let name = jar.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    name.strip_prefix(library)
        .and_then(|rest| rest.strip_prefix('-'))
        .is_some_and(|version| version.ends_with(".jar") && version.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jar_is_recognised_by_name_and_version() {
        assert!(is_jar_of(Path::new("x/commons-collections-3.2.2.jar"), "commons-collections"));
        assert!(!is_jar_of(Path::new("x/commons-collections4-4.4.jar"), "commons-collections"));
        assert!(!is_jar_of(Path::new("x/pom.xml"), "pom"));
    }

    #[test]
    fn an_error_names_the_unknown_class() {
        let root = crate::run::project_root();
        let missing = |class: &str| {
            let error = classpaths(&root, &[], &[class.to_owned()]).expect_err("not there");
            error.to_string()
        };
        assert_eq!(missing("samples.Nothing"), "bench effectiveness: there is no samples/Nothing.java");
        assert!(missing("a.B").starts_with("bench effectiveness: a.B is in none of the development jars"));
    }
}
