//! Finding an installed JDK and reading its version without starting it.
//!
//! In: a folder, or `JAVA_HOME` and `PATH`. Out: a [`JdkHome`], or the reason why there is none.
//! The program, the build scripts and the checks all ask here, so that they agree on one JDK. This
//! crate must not know what a JDK is used for.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::{env, fmt, fs};

/// Feature version of the oldest JDK that is supported.
pub const OLDEST: u32 = 17;

/// Folder in which Linux distributions install JDKs.
const USUAL_FOLDER: &str = "/usr/lib/jvm";

/// An installed Java runtime of at least version [`OLDEST`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JdkHome {
    /// The canonical path of the home, which has `bin/java`.
    pub path: PathBuf,
    /// Feature version: 17, 25.
    pub version: u32,
    /// `JAVA_VERSION` of the `release` file: `17.0.15`.
    pub full_version: String,
    /// It has `bin/javac`: it is a JDK, not only a JRE.
    pub has_compiler: bool,
}

/// Why a folder is no usable JDK, or why none was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JdkError {
    /// Neither `JAVA_HOME` nor `PATH` names one.
    NotFound,
    /// The folder is none of a JDK.
    Unusable {
        /// The folder as it was given.
        home: PathBuf,
        /// A clause with the subject "it" or "there".
        reason: &'static str,
    },
    /// The JDK is older than [`OLDEST`].
    TooOld {
        /// Canonical path of the home.
        home: PathBuf,
        /// Its feature version.
        version: u32,
    },
}

impl fmt::Display for JdkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JdkError::NotFound => f.write_str("no JDK was found: set JAVA_HOME or put `java` on the PATH"),
            JdkError::Unusable { home, reason } => write!(f, "{} is no usable JDK: {reason}", home.display()),
            JdkError::TooOld { home, version } => {
                write!(f, "JDK {version} in {} is too old: {OLDEST} is the oldest supported version", home.display())
            }
        }
    }
}

impl std::error::Error for JdkError {}

impl JdkHome {
    /// The JDK in one folder.
    ///
    /// # Errors
    /// [`JdkError::Unusable`] when the folder, its `bin/java` or its `release` file is missing or
    /// names no version, [`JdkError::TooOld`] below version [`OLDEST`].
    pub fn open(home: &Path) -> Result<JdkHome, JdkError> {
        let unusable = |reason| JdkError::Unusable { home: home.to_path_buf(), reason };
        let path = fs::canonicalize(home).map_err(|_| unusable("there is no such folder"))?;
        if !path.join("bin/java").is_file() {
            return Err(unusable("it has no bin/java"));
        }
        let release = fs::read_to_string(path.join("release")).map_err(|_| unusable("it has no `release` file"))?;
        let full_version =
            release_value(&release, "JAVA_VERSION").ok_or_else(|| unusable("its `release` file names no version"))?;
        let version = feature_version(full_version).ok_or_else(|| unusable("its version cannot be read"))?;
        if version < OLDEST {
            return Err(JdkError::TooOld { home: path, version });
        }
        let has_compiler = path.join("bin/javac").is_file();
        Ok(JdkHome { version, full_version: full_version.to_owned(), has_compiler, path })
    }

    /// The JDK named explicitly, else that of `JAVA_HOME`, else that of the first `java` on the
    /// `PATH`.
    ///
    /// # Errors
    /// [`JdkError::NotFound`] when none of the three names one. The first that names one decides:
    /// its errors are those of [`JdkHome::open`].
    pub fn find(explicit: Option<&Path>) -> Result<JdkHome, JdkError> {
        find_in(explicit, env::var_os("JAVA_HOME"), env::var_os("PATH"))
    }

    /// The JDK to build with: that of [`JdkHome::find`], or the newest of [`JdkHome::installed`]
    /// when that finds none or one without a compiler.
    ///
    /// # Errors
    /// As [`JdkHome::find`]; a runtime without a compiler is [`JdkError::Unusable`].
    pub fn find_with_compiler() -> Result<JdkHome, JdkError> {
        let found = match JdkHome::find(None) {
            Ok(found) if found.has_compiler => return Ok(found),
            Ok(found) => JdkError::Unusable { home: found.path, reason: "it has no bin/javac" },
            Err(error) => error,
        };
        JdkHome::installed().pop().ok_or(found)
    }

    /// Every JDK with a compiler in the folder where distributions install them, ascending by
    /// version, then by path.
    pub fn installed() -> Vec<JdkHome> {
        installed_in(Path::new(USUAL_FOLDER))
    }

    /// Every JDK with a compiler that `JAVA_HOME`, the `PATH` or the folder of the distribution
    /// has, ascending by version, then by path.
    pub fn all() -> Vec<JdkHome> {
        let mut found = installed_in(Path::new(USUAL_FOLDER));
        let path = env::var_os("PATH").unwrap_or_default();
        let on_path = env::split_paths(&path).filter_map(|folder| home_of_java(&folder.join("java")));
        for home in env::var_os("JAVA_HOME").map(PathBuf::from).into_iter().chain(on_path) {
            add_compiler(&home, &mut found);
        }
        found.sort_by(|left, right| (left.version, &left.path).cmp(&(right.version, &right.path)));
        found
    }

    /// Path of a tool of the JDK: `java`, `javac`, `jar`. It may be missing in a JRE.
    pub fn tool(&self, name: &str) -> PathBuf {
        self.path.join("bin").join(name)
    }
}

fn find_in(explicit: Option<&Path>, java_home: Option<OsString>, path: Option<OsString>) -> Result<JdkHome, JdkError> {
    let named = java_home.filter(|home| !home.is_empty());
    if let Some(home) = explicit.or(named.as_deref().map(Path::new)) {
        return JdkHome::open(home);
    }
    JdkHome::open(&home_on_path(path.as_deref().unwrap_or_default()).ok_or(JdkError::NotFound)?)
}

/// The home of the first `java`, which mostly is a chain of links that ends in `<home>/bin/java`.
fn home_on_path(path: &OsStr) -> Option<PathBuf> {
    let java = env::split_paths(path).map(|folder| folder.join("java")).find(|java| java.is_file())?;
    home_of_java(&java)
}

fn home_of_java(java: &Path) -> Option<PathBuf> {
    Some(fs::canonicalize(java).ok()?.parent()?.parent()?.to_path_buf())
}

fn installed_in(folder: &Path) -> Vec<JdkHome> {
    let mut found: Vec<JdkHome> = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        add_compiler(&entry.path(), &mut found);
    }
    found.sort_by(|left, right| (left.version, &left.path).cmp(&(right.version, &right.path)));
    found
}

/// Adds the JDK in a folder if it has a compiler. Distributions link one home under several names;
/// it counts once.
fn add_compiler(home: &Path, found: &mut Vec<JdkHome>) {
    match JdkHome::open(home) {
        Ok(jdk) if jdk.has_compiler && !found.contains(&jdk) => found.push(jdk),
        _ => {}
    }
}

/// The value of a line `KEY="value"` of a JDK's `release` file.
pub fn release_value<'a>(release: &'a str, key: &str) -> Option<&'a str> {
    release.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('=')).map(|value| value.trim().trim_matches('"'))
}

/// The feature version: 17 of `17.0.15`, 25 of `25-ea`, 8 of `1.8.0_402`.
pub fn feature_version(version: &str) -> Option<u32> {
    let version = version.strip_prefix("1.").unwrap_or(version);
    let end = version.find(|c: char| !c.is_ascii_digit()).unwrap_or(version.len());
    version[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that looks like a JDK.
    fn write_jdk(home: &Path, version: &str, tools: &[&str]) {
        fs::create_dir_all(home.join("bin")).expect("a folder");
        for tool in tools {
            fs::write(home.join("bin").join(tool), "").expect("written");
        }
        fs::write(home.join("release"), format!("IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"{version}\"\n")).expect("written");
    }

    #[test]
    fn release_files_name_the_version() {
        let release = "IMPLEMENTOR=\"Debian\"\nJAVA_VERSION=\"17.0.15\"\nJAVA_VERSION_DATE=\"2025-04-15\"\n";
        assert_eq!(release_value(release, "JAVA_VERSION"), Some("17.0.15"));
        assert_eq!(release_value(release, "MODULES"), None);
        for (text, version) in
            [("17.0.15", Some(17)), ("25", Some(25)), ("26-ea", Some(26)), ("1.8.0_402", Some(8)), ("x", None), ("", None)]
        {
            assert_eq!(feature_version(text), version, "{text}");
        }
    }

    #[test]
    fn unusable_folders_are_named_with_the_reason() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let reason = |home: &Path| JdkHome::open(home).expect_err("no JDK").to_string();
        assert!(reason(&folder.path().join("nowhere")).ends_with("is no usable JDK: there is no such folder"));
        assert!(reason(folder.path()).ends_with("is no usable JDK: it has no bin/java"));
        write_jdk(folder.path(), "1.8.0_402", &["java"]);
        assert!(reason(folder.path()).ends_with("is too old: 17 is the oldest supported version"));
        write_jdk(folder.path(), "new", &["java"]);
        assert!(reason(folder.path()).ends_with("its version cannot be read"));
    }

    #[test]
    fn an_explicit_home_comes_before_java_home_and_the_path() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let home = |name: &str| folder.path().join(name);
        for (name, version) in [("a", "17.0.1"), ("b", "21"), ("c", "25")] {
            write_jdk(&home(name), version, &["java", "javac"]);
        }
        let path = Some(home("c").join("bin").into_os_string());
        let java_home = || Some(home("b").into_os_string());
        let version = |found: Result<JdkHome, JdkError>| found.expect("a JDK").version;
        assert_eq!(version(find_in(Some(&home("a")), java_home(), path.clone())), 17);
        assert_eq!(version(find_in(None, java_home(), path.clone())), 21);
        assert_eq!(version(find_in(None, Some("".into()), path.clone())), 25);
        assert_eq!(find_in(None, None, None), Err(JdkError::NotFound));
        // A wrong JAVA_HOME is an error, even where the PATH would do.
        assert!(matches!(find_in(None, Some(home("d").into()), path), Err(JdkError::Unusable { .. })));
    }

    #[test]
    fn installed_jdks_are_ascending_and_have_a_compiler() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        write_jdk(&folder.path().join("a"), "25", &["java", "javac"]);
        write_jdk(&folder.path().join("b"), "17.0.1", &["java", "javac"]);
        write_jdk(&folder.path().join("jre"), "21", &["java"]);
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path().join("a"), folder.path().join("default")).expect("a link");
        assert_eq!(installed_in(folder.path()).iter().map(|jdk| jdk.version).collect::<Vec<_>>(), [17, 25]);
        assert!(installed_in(&folder.path().join("none")).is_empty());
    }
}
