//! Class path entries: folders and jars, in order. The first entry that has a class wins.
//!
//! In: paths, and the release of the JDK. Out: bytes and names of classes. Must not know what is
//! inside a class file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use walkdir::WalkDir;
use zip::ZipArchive;

use super::ProjectError;
use crate::program::ClassName;

/// The user's class path, with the entries that manifests of jars name.
#[derive(Debug, Default)]
pub struct ClassPath {
    entries: Vec<Entry>,
    /// The given entries that exist, with the jars of `folder/*`.
    plain: Vec<PathBuf>,
    /// The given entries that do not exist.
    missing: Vec<PathBuf>,
}

#[derive(Debug)]
struct Entry {
    path: PathBuf,
    kind: EntryKind,
}

#[derive(Debug)]
enum EntryKind {
    Folder { classes: OnceLock<Vec<ClassName>> },
    Jar(Box<Jar>),
}

struct Jar {
    archive: Mutex<ZipArchive<BufReader<File>>>,
    /// Index of the member that this JDK would load.
    members: BTreeMap<ClassName, usize>,
    /// `Premain-Class`: started with the JVM, the jar is an agent.
    premain: Option<String>,
}

impl std::fmt::Debug for Jar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Jar").field("members", &self.members.len()).finish()
    }
}

impl ClassPath {
    /// Opens every entry. `release` is the feature version of the JDK that will run the classes.
    /// `folder/*` stands for the jars in the folder. Entries that a jar's manifest names follow the
    /// jar. As in the JVM, entries that do not exist are ignored; see [`ClassPath::missing`].
    ///
    /// # Errors
    /// [`ProjectError::NotAJar`] or [`ProjectError::Unreadable`] for an entry of `entries`.
    pub(crate) fn open(entries: &[PathBuf], release: u16) -> Result<ClassPath, ProjectError> {
        let (mut opened, mut plain, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        let mut seen = BTreeSet::new();
        // A stack, so that a manifest's entries come right after their jar.
        let mut pending: Vec<(PathBuf, bool)> = Vec::new();
        for path in entries.iter().rev() {
            pending.extend(expand(path).into_iter().rev().map(|path| (path, true)));
        }
        while let Some((path, required)) = pending.pop() {
            let Ok(canonical) = fs::canonicalize(&path) else {
                if required {
                    missing.push(path);
                }
                continue;
            };
            if required {
                plain.push(path.clone());
            }
            if !seen.insert(canonical.clone()) {
                continue;
            }
            if canonical.is_dir() {
                opened.push(Entry { path, kind: EntryKind::Folder { classes: OnceLock::new() } });
                continue;
            }
            match Jar::open(&path, release) {
                Ok((jar, named_by_manifest)) => {
                    let base = canonical.parent().unwrap_or(Path::new("/"));
                    pending.extend(named_by_manifest.iter().rev().filter_map(|url| Some((manifest_entry(base, url)?, false))));
                    opened.push(Entry { path, kind: EntryKind::Jar(Box::new(jar)) });
                }
                Err(error) if required => return Err(error),
                Err(_) => {}
            }
        }
        Ok(ClassPath { entries: opened, plain, missing })
    }

    /// The given entries that exist, in their order, with the jars that `folder/*` stands for. Other
    /// programs than `java` take them without knowing wildcards.
    pub(crate) fn plain(&self) -> &[PathBuf] {
        &self.plain
    }

    /// The given entries that do not exist, in their order.
    pub(crate) fn missing(&self) -> &[PathBuf] {
        &self.missing
    }

    /// The entries in search order, those of manifests included.
    #[cfg(test)]
    fn entries(&self) -> impl Iterator<Item = &Path> {
        self.entries.iter().map(|entry| entry.path.as_path())
    }

    /// The entries that are folders.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.entries.iter().filter(|entry| matches!(entry.kind, EntryKind::Folder { .. })).map(|entry| entry.path.as_path())
    }

    /// The entries with code of the user: folders, and those that have one of the classes.
    pub(crate) fn own_entries(&self, classes: &BTreeSet<ClassName>) -> Vec<PathBuf> {
        let is_own =
            |entry: &&Entry| matches!(entry.kind, EntryKind::Folder { .. }) || classes.iter().any(|class| entry.contains(class));
        self.entries.iter().filter(is_own).map(|entry| entry.path.clone()).collect()
    }

    /// The class file in the first entry that has the class.
    pub(crate) fn bytes(&self, class: &ClassName) -> Option<Vec<u8>> {
        self.entries.iter().find_map(|entry| entry.bytes(class))
    }

    /// The index of the entry that has the class.
    pub(super) fn entry_of(&self, class: &ClassName) -> Option<usize> {
        self.entries.iter().position(|entry| entry.contains(class))
    }

    /// The jar whose `Premain-Class` is this class.
    pub(crate) fn java_agent(&self, premain: &str) -> Option<&Path> {
        let agent = |entry: &&Entry| matches!(&entry.kind, EntryKind::Jar(jar) if jar.premain.as_deref() == Some(premain));
        self.entries.iter().find(agent).map(|entry| entry.path.as_path())
    }

    /// Every class of every entry, by name.
    pub(crate) fn classes(&self) -> Vec<ClassName> {
        let all: BTreeSet<ClassName> = self.entries.iter().flat_map(Entry::classes).collect();
        all.into_iter().collect()
    }

    /// The classes of the entry at an index, by name.
    pub(super) fn classes_at(&self, entry: usize) -> Vec<ClassName> {
        self.entries[entry].classes()
    }

    /// The classes of one entry, by name; for `--classes-from`.
    ///
    /// # Errors
    /// [`ProjectError::NoSuchEntry`] when the path does not exist, [`ProjectError::NotOnClassPath`]
    /// when it is no entry.
    pub(crate) fn classes_of(&self, entry: &Path) -> Result<Vec<ClassName>, ProjectError> {
        let wanted = fs::canonicalize(entry).map_err(|_| ProjectError::NoSuchEntry(entry.to_path_buf()))?;
        self.entries
            .iter()
            .find(|candidate| fs::canonicalize(&candidate.path).is_ok_and(|path| path == wanted))
            .map(Entry::classes)
            .ok_or_else(|| ProjectError::NotOnClassPath(entry.to_path_buf()))
    }
}

impl Entry {
    fn bytes(&self, class: &ClassName) -> Option<Vec<u8>> {
        match &self.kind {
            EntryKind::Folder { .. } => fs::read(self.file_of(class)?).ok(),
            EntryKind::Jar(jar) => jar.bytes(class),
        }
    }

    fn contains(&self, class: &ClassName) -> bool {
        match &self.kind {
            EntryKind::Folder { .. } => self.file_of(class).is_some_and(|file| file.is_file()),
            EntryKind::Jar(jar) => jar.members.contains_key(class),
        }
    }

    /// `None` for names that would leave the folder.
    fn file_of(&self, class: &ClassName) -> Option<PathBuf> {
        let internal = class.internal();
        if internal.is_empty() || internal.split('/').any(|part| part.is_empty() || part == "." || part == "..") {
            return None;
        }
        Some(self.path.join(format!("{internal}.class")))
    }

    fn classes(&self) -> Vec<ClassName> {
        match &self.kind {
            EntryKind::Folder { classes } => classes
                .get_or_init(|| {
                    let mut found: Vec<ClassName> = WalkDir::new(&self.path)
                        .follow_links(true)
                        .into_iter()
                        .filter_map(Result::ok)
                        .filter(|file| file.file_type().is_file())
                        .filter_map(|file| {
                            let relative = file.path().strip_prefix(&self.path).ok()?;
                            let parts: Option<Vec<&str>> = relative.iter().map(|part| part.to_str()).collect();
                            class_of_member(&parts?.join("/"))
                        })
                        .collect();
                    found.sort();
                    found
                })
                .clone(),
            EntryKind::Jar(jar) => jar.members.keys().cloned().collect(),
        }
    }
}

impl Jar {
    /// The jar and the `Class-Path` of its manifest.
    fn open(path: &Path, release: u16) -> Result<(Jar, Vec<String>), ProjectError> {
        let file = File::open(path).map_err(|source| ProjectError::Unreadable { path: path.to_path_buf(), source })?;
        let mut archive = ZipArchive::new(BufReader::new(file))
            .map_err(|error| ProjectError::NotAJar { path: path.to_path_buf(), reason: error.to_string() })?;
        let manifest = read_member(&mut archive, "META-INF/MANIFEST.MF")
            .map(|bytes| main_attributes(&String::from_utf8_lossy(&bytes)))
            .unwrap_or_default();
        let is_multi_release = manifest.get("multi-release").is_some_and(|value| value.eq_ignore_ascii_case("true"));
        // Version 8 is the base; a higher version that this JDK knows replaces it.
        let mut best: BTreeMap<ClassName, (u16, usize)> = BTreeMap::new();
        for index in 0..archive.len() {
            let Some(name) = archive.name_for_index(index).and_then(|name| name.ok()) else { continue };
            let (version, member) = match name.strip_prefix("META-INF/") {
                None => (8, &*name),
                Some(inner) => {
                    let Some((version, member)) = inner.strip_prefix("versions/").and_then(|inner| inner.split_once('/')) else {
                        continue;
                    };
                    match version.parse::<u16>() {
                        Ok(version) if is_multi_release && (9..=release).contains(&version) => (version, member),
                        _ => continue,
                    }
                }
            };
            let Some(class) = class_of_member(member) else { continue };
            let place = best.entry(class).or_insert((version, index));
            if version > place.0 {
                *place = (version, index);
            }
        }
        let members = best.into_iter().map(|(class, (_, index))| (class, index)).collect();
        let class_path = manifest
            .get("class-path")
            .map_or_else(Vec::new, |list| list.split(' ').filter(|url| !url.is_empty()).map(str::to_string).collect());
        let premain = manifest.get("premain-class").map(|name| name.trim().to_string());
        Ok((Jar { archive: Mutex::new(archive), members, premain }, class_path))
    }

    fn bytes(&self, class: &ClassName) -> Option<Vec<u8>> {
        let index = *self.members.get(class)?;
        let mut archive = self.archive.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut member = archive.by_index(index).ok()?;
        let mut bytes = Vec::with_capacity(usize::try_from(member.size()).unwrap_or(0).min(1 << 24));
        member.read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

fn read_member(archive: &mut ZipArchive<BufReader<File>>, name: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    archive.by_name(name).ok()?.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// `a/B` of `a/B.class`; `None` for other files and for descriptors of modules and packages.
fn class_of_member(member: &str) -> Option<ClassName> {
    let name = member.strip_suffix(".class")?;
    let simple = name.rsplit('/').next().unwrap_or(name);
    (!simple.is_empty() && simple != "module-info" && simple != "package-info").then(|| ClassName::new(name))
}

/// The main section of a manifest, keys in lower case, continuation lines joined.
pub(crate) fn main_attributes(manifest: &str) -> BTreeMap<String, String> {
    let mut attributes = BTreeMap::new();
    let mut last: Option<String> = None;
    for line in manifest.lines() {
        if line.is_empty() {
            break;
        }
        if let Some(rest) = line.strip_prefix(' ') {
            if let Some(value) = last.as_ref().and_then(|key| attributes.get_mut(key)) {
                let value: &mut String = value;
                value.push_str(rest);
            }
        } else if let Some((key, value)) = line.split_once(':') {
            let key = key.to_ascii_lowercase();
            attributes.insert(key.clone(), value.strip_prefix(' ').unwrap_or(value).to_string());
            last = Some(key);
        }
    }
    attributes
}

/// A manifest's entry is a URL relative to the jar; only files are followed.
fn manifest_entry(base: &Path, url: &str) -> Option<PathBuf> {
    let path = url.strip_prefix("file:").unwrap_or(url);
    if path.contains("://") {
        return None;
    }
    Some(base.join(path.replace("%20", " ")))
}

/// `folder/*` as the launcher of `java` reads it: the files in the folder that end with `.jar` or
/// `.JAR`, here by name. Its subfolders and its classes do not belong to it.
fn expand(entry: &Path) -> Vec<PathBuf> {
    if entry.file_name().is_none_or(|name| name != "*") {
        return vec![entry.to_path_buf()];
    }
    let folder = entry.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(listing) = fs::read_dir(folder) else { return vec![entry.to_path_buf()] };
    let is_jar = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "jar" || extension == "JAR");
    let mut jars: Vec<PathBuf> = listing.filter_map(Result::ok).map(|file| file.path()).filter(is_jar).collect();
    jars.sort();
    jars
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::write::SimpleFileOptions;

    use super::*;

    fn write_jar(path: &Path, members: &[(&str, &str)]) {
        let mut writer = zip::ZipWriter::new(File::create(path).expect("created"));
        for (name, text) in members {
            writer.start_file(*name, SimpleFileOptions::default()).expect("started");
            writer.write_all(text.as_bytes()).expect("written");
        }
        writer.finish().expect("finished");
    }

    fn text_of(class_path: &ClassPath, class: &str) -> Option<String> {
        class_path.bytes(&ClassName::new(class)).map(|bytes| String::from_utf8(bytes).expect("text"))
    }

    #[test]
    fn the_first_entry_that_has_a_class_wins() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let (jar, classes) = (folder.path().join("a.jar"), folder.path().join("classes"));
        write_jar(&jar, &[("p/A.class", "jar"), ("p/package-info.class", ""), ("p/notes.txt", "")]);
        fs::create_dir_all(classes.join("p")).expect("created");
        fs::write(classes.join("p/A.class"), "folder").expect("written");
        fs::write(classes.join("p/B.class"), "folder").expect("written");
        let class_path = ClassPath::open(&[jar.clone(), classes.clone()], 17).expect("opens");
        assert_eq!(text_of(&class_path, "p/A").as_deref(), Some("jar"));
        assert_eq!(text_of(&class_path, "p/B").as_deref(), Some("folder"));
        assert_eq!(text_of(&class_path, "p/../p/B"), None);
        assert_eq!(class_path.classes(), [ClassName::new("p/A"), ClassName::new("p/B")]);
        assert_eq!(class_path.classes_of(&jar).expect("on the class path"), [ClassName::new("p/A")]);
        assert_eq!(class_path.entry_of(&ClassName::new("p/A")), Some(0));
        assert_eq!(class_path.entry_of(&ClassName::new("p/B")), Some(1));
        assert!(class_path.classes_of(folder.path()).is_err());
    }

    #[test]
    fn the_newest_version_the_jdk_knows_is_taken() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let jar = folder.path().join("a.jar");
        let manifest = ("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\nMulti-Release: true\r\n");
        write_jar(
            &jar,
            &[
                manifest,
                ("A.class", "8"),
                ("META-INF/versions/11/A.class", "11"),
                ("META-INF/versions/21/A.class", "21"),
                ("META-INF/versions/21/B.class", "21"),
            ],
        );
        let old = ClassPath::open(std::slice::from_ref(&jar), 17).expect("opens");
        assert_eq!((text_of(&old, "A").as_deref(), text_of(&old, "B")), (Some("11"), None));
        let new = ClassPath::open(&[jar], 25).expect("opens");
        assert_eq!((text_of(&new, "A").as_deref(), text_of(&new, "B").as_deref()), (Some("21"), Some("21")));
    }

    #[test]
    fn manifests_name_further_entries() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let (first, second) = (folder.path().join("first.jar"), folder.path().join("se cond.jar"));
        write_jar(&first, &[("META-INF/MANIFEST.MF", "Class-Path: se%20con\r\n d.jar missing.jar http://h/x.jar first.jar\r\n")]);
        write_jar(&second, &[("B.class", "second")]);
        let class_path = ClassPath::open(std::slice::from_ref(&first), 17).expect("opens");
        assert_eq!(text_of(&class_path, "B").as_deref(), Some("second"));
        assert_eq!(class_path.entries().count(), 2);
    }

    #[test]
    fn a_star_stands_for_the_jars_of_its_folder_alone() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = |name: &str| folder.path().join(name);
        for (name, class) in [("b.jar", "B.class"), ("a.JAR", "A.class"), ("c.zip", "C.class"), ("d.Jar", "D.class")] {
            write_jar(&path(name), &[(class, name)]);
        }
        fs::create_dir(path("below")).expect("created");
        write_jar(&path("below/e.jar"), &[("E.class", "e")]);
        fs::write(path("F.class"), "f").expect("written");
        let nowhere = folder.path().join("nowhere/*");
        let class_path = ClassPath::open(&[path("*"), nowhere.clone()], 17).expect("opens");
        assert_eq!(class_path.classes(), [ClassName::new("A"), ClassName::new("B")]);
        assert_eq!(class_path.plain(), [path("a.JAR"), path("b.jar")]);
        assert_eq!(class_path.missing(), [nowhere]);
    }

    #[test]
    fn a_missing_entry_is_ignored_and_a_file_that_is_no_jar_is_refused() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let (text, missing) = (folder.path().join("notes.txt"), folder.path().join("missing.jar"));
        fs::write(&text, "no jar").expect("written");
        let class_path = ClassPath::open(&[missing.clone(), folder.path().to_path_buf()], 17).expect("opens");
        assert_eq!((class_path.missing(), class_path.plain().len()), (&[missing][..], 1));
        let message = ClassPath::open(&[text], 17).expect_err("refused").to_string();
        assert!(message.contains("neither a directory nor a readable jar"), "{message}");
    }
}
