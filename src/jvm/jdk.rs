//! The JDK that runs workers: found by `tracewright-jdk`, with errors for the user.

use std::path::{Path, PathBuf};

use tracewright_jdk::{JdkError, JdkHome};

use super::JvmError;

/// An installed JDK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jdk {
    /// Canonical path of the home.
    pub home: PathBuf,
    /// Feature version: 17, 25.
    pub version: u32,
    /// `JAVA_VERSION` of the `release` file: `17.0.15`.
    pub full_version: String,
    /// It can compile.
    pub has_compiler: bool,
}

impl Jdk {
    /// The JDK named explicitly, else that of `JAVA_HOME`, else that of the first `java` on the
    /// `PATH`.
    ///
    /// # Errors
    /// [`JvmError::NoJdk`] when none is named, [`JvmError::UnusableJdk`] or [`JvmError::OldJdk`]
    /// for the one that is.
    pub fn find(explicit: Option<&Path>) -> Result<Jdk, JvmError> {
        JdkHome::find(explicit).map(Jdk::from).map_err(JvmError::from)
    }

    /// The JDK in one folder.
    ///
    /// # Errors
    /// [`JvmError::UnusableJdk`] or [`JvmError::OldJdk`].
    #[cfg(test)]
    pub(crate) fn at(home: &Path) -> Result<Jdk, JvmError> {
        JdkHome::open(home).map(Jdk::from).map_err(JvmError::from)
    }

    /// Every JDK with a compiler in the folder of the distribution, ascending by version: the
    /// project's own suites run on them.
    pub fn installed() -> Vec<Jdk> {
        JdkHome::installed().into_iter().map(Jdk::from).collect()
    }

    /// Path of the launcher.
    pub fn java(&self) -> PathBuf {
        self.home.join("bin/java")
    }

    /// Checks that the JDK can compile.
    ///
    /// # Errors
    /// [`JvmError::NoCompiler`].
    pub(crate) fn require_compiler(&self) -> Result<(), JvmError> {
        if self.has_compiler { Ok(()) } else { Err(JvmError::NoCompiler { home: self.home.clone() }) }
    }
}

impl From<JdkHome> for Jdk {
    fn from(home: JdkHome) -> Jdk {
        let JdkHome { path, version, full_version, has_compiler } = home;
        Jdk { home: path, version, full_version, has_compiler }
    }
}

impl From<JdkError> for JvmError {
    fn from(error: JdkError) -> JvmError {
        match error {
            JdkError::NotFound => JvmError::NoJdk,
            JdkError::Unusable { home, reason } => JvmError::UnusableJdk { home, why: reason.into() },
            JdkError::TooOld { home, version } => JvmError::OldJdk { home, version },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_no_jdk_is_named_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let error = Jdk::at(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("is no usable JDK: it has no bin/java"), "{error}");
        let error = Jdk::at(&folder.path().join("nowhere")).unwrap_err().to_string();
        assert!(error.ends_with("there is no such folder"), "{error}");
    }
}
