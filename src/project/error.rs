//! Errors of class paths and JDKs. Each message is one sentence that says what to do.

use std::io;
use std::path::PathBuf;

/// Why a class path or a JDK cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// The path does not exist.
    #[error("{} does not exist; --classes-from takes a folder or jar that --classpath names", .0.display())]
    NoSuchEntry(PathBuf),
    /// The entry is a file, but no jar.
    #[error("class path entry {} is neither a directory nor a readable jar ({reason}); give a jar or a folder of classes", path.display())]
    NotAJar {
        /// The file or folder.
        path: PathBuf,
        /// The reason, one clause.
        reason: String,
    },
    /// The entry exists but cannot be read.
    #[error("class path entry {} cannot be read: {source}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The path is no entry of the class path.
    #[error("{} is not on the class path; --classes-from takes a folder or jar that --classpath names", .0.display())]
    NotOnClassPath(PathBuf),
    /// The folder has no modules image of a supported JDK.
    #[error("{} holds no JDK 17 or newer ({reason}); name the home of one by --jdk or JAVA_HOME", home.display())]
    NotAJdk {
        /// The folder.
        home: PathBuf,
        /// The reason, one clause.
        reason: String,
    },
}
