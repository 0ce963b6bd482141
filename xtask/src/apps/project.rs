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
pub(crate) struct App {
    /// Name for tables and folders.
    pub name: String,
    /// Folder of the whole project.
    folder: PathBuf,
    /// Path of the module below the folder.
    module: Option<String>,
    /// The JDK that Maven runs on; none for the one of the environment.
    jdk: Option<PathBuf>,
}

/// A built project.
pub(crate) struct Built {
    /// The folder of the classes to test.
    pub classes: PathBuf,
    /// Everything that its tests may use, without `classes`.
    pub dependencies: Vec<PathBuf>,
}

impl App {
    /// A copy of a project of `samples` below `target`, so that nothing is built inside the sources.
    ///
    /// # Errors
    /// A file cannot be copied.
    pub(crate) fn sample(root: &Path, name: &str, bench: &Path) -> Result<App> {
        let (from, folder) = (root.join("samples").join(name), bench.join(name));
        // Sources that are no longer in the sample must not stay in the copy.
        let sources = walkdir::WalkDir::new(&folder).max_depth(2).into_iter().filter_map(Result::ok);
        for entry in sources.filter(|entry| entry.file_name() == "src").collect::<Vec<_>>() {
            fs::remove_dir_all(entry.path())?;
        }
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
        Ok(App { name: name.into(), folder, module: None, jdk: None })
    }

    /// A module of the project, which is built on this JDK.
    pub(crate) fn module(&self, module: &str, jdk: Option<PathBuf>) -> App {
        App { name: format!("{}-{module}", self.name), folder: self.folder.clone(), module: Some(module.to_owned()), jdk }
    }

    /// The folder of the module, or of the project without one.
    pub(crate) fn module_folder(&self) -> PathBuf {
        self.folder.join(self.module.as_deref().unwrap_or_default())
    }

    /// Maven in the folder of the project, for the module and what it needs.
    pub(crate) fn maven(&self) -> Command {
        let mut maven = Command::new("mvn");
        maven.args(["-q", "-B"]).current_dir(&self.folder);
        if let Some(module) = &self.module {
            maven.args(["-pl", module, "-am"]);
        }
        if let Some(jdk) = &self.jdk {
            maven.env("JAVA_HOME", jdk);
        }
        maven
    }

    /// The project that `DIR` or `DIR:MODULE` names.
    ///
    /// # Errors
    /// There is no POM.
    pub(crate) fn named(text: &str) -> Result<App> {
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
        Ok(App { name, folder, module, jdk: None })
    }

    /// Compiles the project with its tests and asks Maven for the test class path.
    ///
    /// # Errors
    /// Maven fails, or the module has no classes.
    pub(crate) fn build(&self) -> Result<Built> {
        let mut maven = self.maven();
        maven.args(["-DskipTests", "-Dmdep.includeScope=test"]).arg(format!("-Dmdep.outputFile={CLASS_PATH_FILE}"));
        maven.args(["test-compile", setup::CLASS_PATH_GOAL]);
        check(&mut maven).with_context(|| format!("Maven cannot build {}", self.folder.display()))?;
        let module = self.module_folder();
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
    pub(crate) fn class_path(&self) -> Result<OsString> {
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
