//! Folders of sources, found by where class files lie. Flows in: folders of class files, the path of a
//! source file below its folder. Flows out: the folder. Must not know why a source is wanted.

use std::path::{Path, PathBuf};

/// Folders of a module that hold sources, in Maven's layout and Gradle's, and in older ones. Generated sources come
/// after those of people.
const USUAL: [&str; 9] = [
    "src/main/java",
    "src/main/kotlin",
    "src/main/groovy",
    "src/main/scala",
    "src",
    "java",
    "target/generated-sources/annotations",
    "build/generated/sources/annotationProcessor/java/main",
    "",
];
/// A module is so many folders above its class files at most, as with `build/classes/java/main`.
const MOST_LEVELS: usize = 5;

/// The folder that has the source file (`shop/order/Order.java`), near one of these folders of class
/// files. It is relative where it lies below the current folder.
pub(crate) fn find_source_folder<'p>(class_folders: impl Iterator<Item = &'p Path>, file: &str) -> Option<PathBuf> {
    let has_file = |folder: &PathBuf| folder.join(file).is_file();
    let near = |folder: &Path| -> Option<PathBuf> {
        let folder = std::path::absolute(folder).ok()?;
        let mut modules = folder.ancestors().take(MOST_LEVELS);
        modules.find_map(|module| USUAL.iter().map(|usual| module.join(usual)).find(has_file))
    };
    let found = class_folders.filter(|folder| folder.is_dir()).find_map(near)?;
    let current = std::env::current_dir().ok();
    let relative = current.and_then(|current| found.strip_prefix(current).ok().map(Path::to_path_buf));
    Some(relative.unwrap_or(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_found_beside_class_files() {
        let module = tempfile::tempdir().expect("a folder");
        let classes = module.path().join("build/classes/java/main");
        let sources = module.path().join("src/main/java");
        for folder in [&classes, &sources.join("p")] {
            std::fs::create_dir_all(folder).expect("a folder");
        }
        std::fs::write(sources.join("p/A.java"), "").expect("a file");
        let find = |file| find_source_folder([module.path().join("lib.jar").as_path(), &classes].into_iter(), file);
        assert_eq!(find("p/A.java"), Some(sources));
        assert_eq!(find("p/B.java"), None);
    }
}
