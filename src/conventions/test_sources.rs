//! The project's own test classes. In: the folder of the tests. Out: whether most of them are
//! public.

use std::path::{Path, PathBuf};

/// Files that are read at most; the first ones in the order of their paths.
const MOST_FILES: usize = 300;
/// Files and folders that are looked at for them.
const MOST_ENTRIES: usize = 5000;
/// The usual place of test sources.
const USUAL_FOLDER: &str = "src/test/java";
/// Files that were generated do not count.
const GENERATED: &str = "TracewrightTest.java";

/// Whether most classes of the project with JUnit 5 tests are `public`. The classes are those in
/// the folder, or in `src/test/java` of the project around it.
pub(crate) fn has_public_test_classes(folder: &Path) -> bool {
    let own = count(folder);
    let (public, all) = if own.1 > 0 { own } else { usual_folder(folder).map_or((0, 0), |usual| count(&usual)) };
    public * 2 > all
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

/// The number of public test classes, and of all.
fn count(folder: &Path) -> (usize, usize) {
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().take(MOST_ENTRIES).filter_map(Result::ok);
    let sources = entries.filter(|entry| {
        let name = entry.file_name().to_string_lossy();
        entry.file_type().is_file() && name.ends_with(".java") && !name.ends_with(GENERATED)
    });
    let mut counted = (0, 0);
    for entry in sources.take(MOST_FILES) {
        let stem = entry.path().file_stem().unwrap_or_default().to_string_lossy();
        let text = std::fs::read(entry.path()).unwrap_or_default();
        if let Some(is_public) = is_public_test_class(&String::from_utf8_lossy(&text), &stem) {
            counted.1 += 1;
            counted.0 += usize::from(is_public);
        }
    }
    counted
}

/// Whether the class with this name is public; `None` where it holds no JUnit 5 tests.
fn is_public_test_class(text: &str, name: &str) -> Option<bool> {
    let mut lines = text.lines().map(str::trim);
    if !lines.any(|line| line.starts_with("import ") && line.contains(" org.junit.jupiter.api.")) {
        return None;
    }
    lines.find_map(|line| {
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
        assert!(!has_public_test_classes(&out));
        write("ATest", "public ", "org.junit.jupiter.api.Test");
        assert!(has_public_test_classes(&out));
        write("BTest", "", "static org.junit.jupiter.api.Assertions.*");
        write("Helper", "public ", "java.util.List");
        write("CTracewrightTest", "public ", "org.junit.jupiter.api.Test");
        assert!(!has_public_test_classes(&out));
        write("DTest", "public final ", "org.junit.jupiter.api.Test");
        assert!(has_public_test_classes(&out));
    }
}
