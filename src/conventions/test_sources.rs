//! The project's own test classes. In: the folder of the tests. Out: how most of them are written.

use std::path::{Path, PathBuf};

/// Files that are read at most; the first ones in the order of their paths.
const MOST_FILES: usize = 300;
/// Files and folders that are looked at for them.
const MOST_ENTRIES: usize = 5000;
/// The usual place of test sources.
const USUAL_FOLDER: &str = "src/test/java";
/// Files that were generated do not count.
const GENERATED: &str = "TracewrightTest.java";

/// How most test classes of the project are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TestManners {
    /// Those with JUnit 5 tests are `public`.
    pub(crate) has_public_classes: bool,
    /// They use the assertions of AssertJ.
    pub(crate) uses_assertj: bool,
}

impl TestManners {
    /// The manners of the classes in the folder, or in `src/test/java` of the project around it.
    pub(crate) fn of(folder: &Path) -> TestManners {
        let own = count(folder);
        let counts = if own.is_empty() { usual_folder(folder).map(|usual| count(&usual)).unwrap_or_default() } else { own };
        TestManners {
            has_public_classes: counts.public * 2 > counts.jupiter,
            uses_assertj: counts.assertj * 2 > counts.jupiter + counts.junit4,
        }
    }
}

/// Numbers of test classes.
#[derive(Clone, Copy, Debug, Default)]
struct TestClassCounts {
    jupiter: usize,
    /// Of those with JUnit 5 tests.
    public: usize,
    junit4: usize,
    /// Of all of them.
    assertj: usize,
}

impl TestClassCounts {
    fn is_empty(self) -> bool {
        self.jupiter + self.junit4 == 0
    }
}

/// The nearest `src/test/java` beside the folder or beside one around it. The folder of this
/// process is the last one that is looked in.
fn usual_folder(folder: &Path) -> Option<PathBuf> {
    let folder = super::absolute(folder);
    let project = std::env::current_dir().ok()?.canonicalize().ok()?;
    let around: Vec<&Path> = folder.ancestors().skip(1).collect();
    let most = around.iter().position(|other| **other == *project).map_or(1, |position| position + 1);
    around.iter().take(most).map(|other| other.join(USUAL_FOLDER)).find(|usual| usual.is_dir())
}

/// The numbers of the test classes in the folder.
fn count(folder: &Path) -> TestClassCounts {
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().take(MOST_ENTRIES).filter_map(Result::ok);
    let sources = entries.filter(|entry| {
        let name = entry.file_name().to_string_lossy();
        entry.file_type().is_file() && name.ends_with(".java") && !name.ends_with(GENERATED)
    });
    let mut counts = TestClassCounts::default();
    for entry in sources.take(MOST_FILES) {
        let stem = entry.path().file_stem().unwrap_or_default().to_string_lossy();
        let text = std::fs::read(entry.path()).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        if let Some(is_public) = is_public_test_class(&text, &stem) {
            counts.jupiter += 1;
            counts.public += usize::from(is_public);
        } else if imports(&text, "org.junit.") {
            counts.junit4 += 1;
        } else {
            continue;
        }
        counts.assertj += usize::from(imports(&text, "org.assertj.core.api."));
    }
    counts
}

/// Whether the source imports something whose name begins so.
fn imports(text: &str, begin: &str) -> bool {
    let imported = text.lines().map(str::trim).filter_map(|line| line.strip_prefix("import "));
    imported.map(|name| name.trim_start_matches("static ").trim_start()).any(|name| name.starts_with(begin))
}

/// Whether the class with this name is public; `None` where it holds no JUnit 5 tests.
fn is_public_test_class(text: &str, name: &str) -> Option<bool> {
    if !imports(text, "org.junit.jupiter.api.") {
        return None;
    }
    text.lines().map(str::trim).find_map(|line| {
        let words: Vec<&str> = line.split(|unit: char| !unit.is_alphanumeric() && unit != '_').collect();
        let at = words.windows(2).position(|pair| pair == ["class", name])?;
        words[..at].iter().all(|word| ["public", "abstract", "final"].contains(word)).then(|| words.contains(&"public"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_majority_of_the_classes_with_tests_decides() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = folder.path().join("out");
        let write = |name: &str, modifier: &str, import: &str| {
            let path = folder.path().join(USUAL_FOLDER).join(format!("{name}.java"));
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("writable");
            let text = format!("package p;\nimport {import};\n\n/** The class {name}. */\n{modifier}class {name} {{\n}}\n");
            std::fs::write(path, text).expect("writable");
        };
        let is_public = || TestManners::of(&out).has_public_classes;
        assert!(!is_public());
        write("ATest", "public ", "org.junit.jupiter.api.Test");
        assert!(is_public());
        write("BTest", "", "static org.junit.jupiter.api.Assertions.*");
        write("Helper", "public ", "java.util.List");
        write("CTracewrightTest", "public ", "org.junit.jupiter.api.Test");
        assert!(!is_public());
        write("DTest", "public final ", "org.junit.jupiter.api.Test");
        assert!(is_public());
        let uses_assertj = || TestManners::of(&out).uses_assertj;
        write("ATest", "", "org.junit.jupiter.api.Test;\nimport static org.assertj.core.api.Assertions.assertThat");
        write("ETest", "public ", "org.junit.Test;\nimport org.assertj.core.api.Assertions");
        assert!(!uses_assertj(), "two of four");
        write("BTest", "", "org.junit.jupiter.api.Test;\nimport static org.assertj.core.api.Assertions.*");
        assert!(uses_assertj());
    }
}
