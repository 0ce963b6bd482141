//! Class files for properties that hold of every class: those of `java.base`, of jars and of
//! folders.

use std::io::Read;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::environment::development_jars;
use crate::jdk::all_jdks;

/// The bytes of a class file.
#[derive(Clone, Debug)]
pub struct ClassBytes {
    /// Where it comes from: `openjdk-17/java.base/java/lang/Object.class`, `some.jar/a/B.class`.
    pub origin: String,
    /// The whole file.
    pub bytes: Vec<u8>,
}

/// Every class of `java.base` of the JDK in a folder.
///
/// # Panics
/// Where the run-time image cannot be read, or holds implausibly few classes.
pub fn java_base_classes(jdk_home: &Path) -> Vec<ClassBytes> {
    let image = ristretto_jimage::Image::from_file(&jdk_home.join("lib/modules")).expect("a run-time image");
    let label = jdk_home.file_name().expect("a folder").to_string_lossy();
    let mut classes = Vec::new();
    for resource in image.iter() {
        let resource = resource.expect("a resource");
        if resource.module() == "java.base" && resource.extension() == "class" {
            classes.push(ClassBytes { origin: format!("{label}{}", resource.full_name()), bytes: resource.data().to_vec() });
        }
    }
    assert!(classes.len() > 5000, "java.base has thousands of classes");
    classes
}

/// Every class of a jar, including those for later releases (`META-INF/versions`).
///
/// # Panics
/// Where the jar cannot be read.
pub fn jar_classes(path: &Path) -> Vec<ClassBytes> {
    let label = path.file_name().expect("a file").to_string_lossy();
    let file = std::fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut archive = zip::ZipArchive::new(file).expect("a jar");
    let mut classes = Vec::new();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).expect("an entry");
        let name = entry.name().expect("a name").into_owned();
        if name.ends_with(".class") {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).expect("a readable entry");
            classes.push(ClassBytes { origin: format!("{label}/{name}"), bytes });
        }
    }
    classes
}

/// Every class file below a folder, in the order of their paths; the origin is the file name.
///
/// # Panics
/// Where the folder or a file cannot be read.
pub fn class_files_below(folder: &Path) -> Vec<ClassBytes> {
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().map(|entry| entry.expect("an entry"));
    let files = entries.filter(|entry| entry.path().extension().is_some_and(|extension| extension == "class"));
    let read = |entry: walkdir::DirEntry| ClassBytes {
        origin: entry.file_name().to_string_lossy().into_owned(),
        bytes: std::fs::read(entry.path()).expect("a readable class file"),
    };
    files.map(read).collect()
}

/// Every class of `java.base` of every JDK, and of the development jars where there are any.
///
/// # Panics
/// As [`java_base_classes`] and [`jar_classes`] do; in strict mode also where there are no
/// development jars.
pub fn every_class() -> Vec<ClassBytes> {
    let mut classes: Vec<ClassBytes> = all_jdks().iter().flat_map(|jdk| java_base_classes(&jdk.home)).collect();
    for jar in development_jars().unwrap_or_default() {
        classes.extend(jar_classes(&jar));
    }
    classes
}

/// Checks a property of each class on all cores.
///
/// # Panics
/// Where there is no class, or where the property fails for one: the first twenty complaints are
/// shown.
pub fn for_each_class(classes: &[ClassBytes], property: impl Fn(&ClassBytes) -> Result<(), String> + Sync) {
    assert!(!classes.is_empty(), "there is no class to check");
    let next = AtomicUsize::new(0);
    let complaints = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(class) = classes.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(complaint) = property(class) {
                        complaints.lock().expect("no panic holds it").push(format!("{}: {complaint}", class.origin));
                    }
                }
            });
        }
    });
    let complaints = complaints.into_inner().expect("no panic holds it");
    let shown = complaints[..complaints.len().min(20)].join("\n");
    assert!(complaints.is_empty(), "{} of {} classes fail, among them\n{shown}", complaints.len(), classes.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_property_is_reported() {
        let classes = [ClassBytes { origin: "a".into(), bytes: vec![] }];
        for_each_class(&classes, |_| Ok(()));
        let failed = std::panic::catch_unwind(|| for_each_class(&classes, |_| Err("wrong".into())));
        let none = std::panic::catch_unwind(|| for_each_class(&[], |_| Ok(())));
        assert!(failed.is_err() && none.is_err());
    }
}
