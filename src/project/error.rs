//! What can be wrong with a class path or a JDK. Each message is one sentence that says what to do.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    #[error("class path entry {} does not exist; check --classpath (entries are separated by `:`)", .0.display())]
    NoSuchEntry(PathBuf),
    #[error("class path entry {} is neither a directory nor a readable jar ({reason}); give a jar or a folder of classes", path.display())]
    NotAJar { path: PathBuf, reason: String },
    #[error("class path entry {} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{} is not on the class path; --classes-from takes a folder or jar that --classpath names", .0.display())]
    NotOnClassPath(PathBuf),
    #[error("{} holds no JDK 17 or newer ({reason}); name the home of one by --jdk or JAVA_HOME", home.display())]
    NotAJdk { home: PathBuf, reason: String },
}
