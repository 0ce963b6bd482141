//! Maven projects: where they are, how they are built, and their class paths.
//!
//! In: a folder, with or without a module. Out: the folder of the module's classes and its test
//! class path.

use crate::run::check;
use crate::setup;
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// File below `target` that Maven writes a class path into.
const CLASS_PATH_FILE: &str = "target/bench-class-path.txt";

/// A Maven project.
pub(super) struct App {
    /// Name for tables and folders.
    pub name: String,
    /// Folder of the whole project.
    folder: PathBuf,
    /// Path of the module below the folder.
    module: Option<String>,
}

/// A built project.
pub(super) struct Built {
    /// The folder of the classes to test.
    pub classes: PathBuf,
    /// Everything that its tests may use, without `classes`.
    pub dependencies: Vec<PathBuf>,
}

impl App {
    /// A copy of `samples/shop` below `target`, so that nothing is built inside the sources.
    ///
    /// # Errors
    /// A file cannot be copied.
    pub(super) fn shop(root: &Path, bench: &Path) -> Result<App> {
        let (from, folder) = (root.join("samples/shop"), bench.join("shop"));
        let _ = fs::remove_dir_all(folder.join("src"));
        for entry in walkdir::WalkDir::new(&from)
            .into_iter()
            .filter_entry(|entry| !matches!(entry.file_name().to_str(), Some("build" | "target" | ".gradle")))
        {
            let entry = entry?;
            let to = folder.join(entry.path().strip_prefix(&from)?);
            if entry.file_type().is_dir() {
                fs::create_dir_all(&to)?;
            } else {
                fs::copy(entry.path(), &to).with_context(|| format!("cannot copy to {}", to.display()))?;
            }
        }
        Ok(App { name: "shop".into(), folder, module: None })
    }

    /// The project that `DIR` or `DIR:MODULE` names.
    ///
    /// # Errors
    /// There is no POM.
    pub(super) fn named(text: &str) -> Result<App> {
        let (folder, module) = match text.rsplit_once(':') {
            Some((folder, module)) if !module.is_empty() => (folder, Some(module.to_owned())),
            _ => (text.trim_end_matches(':'), None),
        };
        let folder = Path::new(folder);
        let pom = folder.join(module.as_deref().unwrap_or_default()).join("pom.xml");
        if !pom.is_file() {
            bail!("bench apps: there is no {}", pom.display());
        }
        let folder = folder.canonicalize()?;
        let mut name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(module) = &module {
            name = format!("{name}-{}", module.replace('/', "-"));
        }
        Ok(App { name, folder, module })
    }

    /// Compiles the project with its tests and asks Maven for the test class path.
    ///
    /// # Errors
    /// Maven fails, or the module has no classes.
    pub(super) fn build(&self) -> Result<Built> {
        let mut maven = Command::new("mvn");
        maven.args(["-q", "-B", "-DskipTests", "-Dmdep.includeScope=test"]).arg(format!("-Dmdep.outputFile={CLASS_PATH_FILE}"));
        if let Some(module) = &self.module {
            maven.args(["-pl", module, "-am"]);
        }
        maven.args(["test-compile", setup::CLASS_PATH_GOAL]).current_dir(&self.folder);
        check(&mut maven).with_context(|| format!("Maven cannot build {}", self.folder.display()))?;
        let module = self.folder.join(self.module.as_deref().unwrap_or_default());
        let classes = module.join("target/classes");
        if !classes.is_dir() {
            bail!("bench apps: {} has no classes", module.display());
        }
        let listed = fs::read_to_string(module.join(CLASS_PATH_FILE)).context("Maven wrote no class path")?;
        Ok(Built { classes, dependencies: std::env::split_paths(listed.trim()).collect() })
    }
}

impl Built {
    /// The classes and all dependencies.
    ///
    /// # Errors
    /// A path contains the separator of class paths.
    pub(super) fn class_path(&self) -> Result<OsString> {
        Ok(std::env::join_paths(std::iter::once(&self.classes).chain(&self.dependencies))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_named_by_its_folder_and_module() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("app/core/api");
        fs::create_dir_all(&inner).expect("writable");
        for pom in [inner.join("pom.xml"), folder.path().join("app/pom.xml")] {
            fs::write(pom, "").expect("writable");
        }
        let app = folder.path().join("app");
        let named = |text: String| App::named(&text);
        assert_eq!(named(app.display().to_string()).expect("a project").name, "app");
        let module = named(format!("{}:core/api", app.display())).expect("a module");
        assert_eq!((module.name.as_str(), module.module.as_deref()), ("app-core-api", Some("core/api")));
        let error = named(format!("{}:core", app.display())).err().expect("no POM");
        assert!(error.to_string().starts_with("bench apps: there is no "), "{error}");
    }
}
