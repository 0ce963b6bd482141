//! Finding a JDK and knowing its version without starting it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::JvmError;

/// Version of the oldest JDK that workers run on.
const OLDEST: u32 = 17;

/// An installed JDK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jdk {
    pub home: PathBuf,
    /// Feature version: 17, 25.
    pub version: u32,
    /// `JAVA_VERSION` of the `release` file: `17.0.15`.
    pub full_version: String,
    /// It can compile.
    pub has_compiler: bool,
}

impl Jdk {
    /// The JDK named explicitly, else of `JAVA_HOME`, else of the first `java` on the `PATH`.
    pub fn find(explicit: Option<&Path>) -> Result<Jdk, JvmError> {
        if let Some(home) = explicit {
            return Jdk::at(home);
        }
        if let Some(home) = std::env::var_os("JAVA_HOME").filter(|home| !home.is_empty()) {
            return Jdk::at(Path::new(&home));
        }
        let path: OsString = std::env::var_os("PATH").unwrap_or_default();
        let java = std::env::split_paths(&path).map(|folder| folder.join("java")).find(|java| java.is_file());
        // `java` on the PATH is mostly a chain of links that ends in `<home>/bin/java`.
        let home =
            java.and_then(|java| fs::canonicalize(java).ok()).and_then(|java| Some(java.parent()?.parent()?.to_path_buf()));
        Jdk::at(&home.ok_or(JvmError::NoJdk)?)
    }

    /// The JDK in one folder.
    pub(crate) fn at(home: &Path) -> Result<Jdk, JvmError> {
        let unusable = |why: &str| JvmError::UnusableJdk { home: home.to_path_buf(), why: why.into() };
        let home = fs::canonicalize(home).map_err(|_| unusable("there is no such folder"))?;
        if !home.join("bin/java").is_file() {
            return Err(unusable("it has no bin/java"));
        }
        let release = fs::read_to_string(home.join("release")).map_err(|_| unusable("it has no `release` file"))?;
        let full_version =
            release_value(&release, "JAVA_VERSION").ok_or_else(|| unusable("its `release` file names no version"))?;
        let version = feature_version(&full_version).ok_or_else(|| unusable("its version cannot be read"))?;
        if version < OLDEST {
            return Err(JvmError::OldJdk { home, version });
        }
        let has_compiler = home.join("bin/javac").is_file();
        Ok(Jdk { home, version, full_version, has_compiler })
    }

    /// Every usable JDK below `/usr/lib/jvm`, ascending by version: what the project's own suites run on.
    pub fn installed() -> Vec<Jdk> {
        let mut found: Vec<Jdk> = Vec::new();
        for entry in fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten() {
            match Jdk::at(&entry.path()) {
                Ok(jdk) if jdk.has_compiler && !found.contains(&jdk) => found.push(jdk),
                _ => {}
            }
        }
        found.sort_by(|left, right| (left.version, &left.home).cmp(&(right.version, &right.home)));
        found
    }

    pub fn java(&self) -> PathBuf {
        self.home.join("bin/java")
    }

    pub(crate) fn require_compiler(&self) -> Result<(), JvmError> {
        if self.has_compiler { Ok(()) } else { Err(JvmError::NoCompiler { home: self.home.clone() }) }
    }
}

/// `KEY="value"` of a `release` file.
fn release_value(release: &str, key: &str) -> Option<String> {
    release.lines().find_map(|line| {
        let value = line.strip_prefix(key)?.strip_prefix('=')?;
        Some(value.trim().trim_matches('"').to_string())
    })
}

/// `17.0.15` → 17, `25` → 25, `1.8.0_402` → 8.
fn feature_version(version: &str) -> Option<u32> {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    let first = numbers.next()?.ok()?;
    if first == 1 { numbers.next()?.ok() } else { Some(first) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_release_files() {
        let release = "IMPLEMENTOR=\"Debian\"\nJAVA_VERSION=\"17.0.15\"\nJAVA_VERSION_DATE=\"2025-04-15\"\n";
        assert_eq!(release_value(release, "JAVA_VERSION").as_deref(), Some("17.0.15"));
        for (text, version) in [("17.0.15", Some(17)), ("25", Some(25)), ("25-ea", Some(25)), ("1.8.0_402", Some(8)), ("x", None)]
        {
            assert_eq!(feature_version(text), version, "{text}");
        }
    }

    #[test]
    fn a_folder_that_is_no_jdk_is_named_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let error = Jdk::at(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("is no usable JDK: it has no bin/java"), "{error}");
        let error = Jdk::at(&folder.path().join("nowhere")).unwrap_err().to_string();
        assert!(error.ends_with("there is no such folder"), "{error}");
    }
}
