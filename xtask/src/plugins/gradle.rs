//! A Gradle for tests of the plugin, made of the API jar that the plugin is compiled against.
//!
//! In: the jars of the API. Out: an argument file that makes `java` a `gradle` without daemon and
//! wrapper. It runs on JDK 17 to 23. The API jar contains the classes of all modules and takes the
//! place of one module; each other module is a jar with only its metadata.

use super::java;
use crate::run::check;
use crate::setup::{BuildTools, java_tool};
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use walkdir::WalkDir;
use zip::write::SimpleFileOptions;

/// Folder with the Java of the launcher.
const ENGINE: &str = "xtask/tests/plugins/engine";
/// Packages that Gradle's own start script opens.
const OPENED: [&str; 8] = [
    "java.base/java.lang",
    "java.base/java.lang.invoke",
    "java.base/java.net",
    "java.base/java.nio.charset",
    "java.base/java.util",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
    "java.prefs/java.util.prefs",
];

/// Makes `target/gradle/java.args` if it is missing or older than the sources of the launcher.
///
/// # Errors
/// The API is incomplete, the launcher does not compile, or a file cannot be written.
pub(crate) fn engine(root: &Path, tools: &BuildTools) -> Result<PathBuf> {
    let folder = root.join("target/gradle");
    let arguments = folder.join("java.args");
    let sources = root.join(ENGINE);
    let api = tools
        .gradle
        .iter()
        .find(|jar| starts_with(jar, "gradle-api-"))
        .context("gradle-api-*.jar is missing among the jars of Gradle")?;
    if is_newer(&arguments, &sources)? {
        return Ok(arguments);
    }
    println!("making a Gradle for tests of {}", api.display());
    let _ = fs::remove_dir_all(&folder);
    let (classes, frameworks, lib) = (folder.join("classes"), folder.join("frameworks"), folder.join("home/lib"));
    for made in [&classes, &frameworks, &lib.join("plugins")] {
        fs::create_dir_all(made)?;
    }
    let class_path = java::joined(&tools.gradle);
    let mut javac = Command::new(java_tool("javac"));
    javac
        .args(["-nowarn", "-Xlint:none", "-proc:none", "--release", "17", "-encoding", "UTF-8", "-cp"])
        .arg(&class_path)
        .arg("-d")
        .arg(&classes);
    for entry in WalkDir::new(&sources).sort_by_file_name() {
        let path = entry?.into_path();
        if path.extension().is_some_and(|extension| extension == "java") {
            javac.arg(path);
        }
    }
    check(&mut javac)?;
    let with_classes = std::env::join_paths([classes.as_path()].into_iter().chain(tools.gradle.iter().map(PathBuf::as_path)))?;
    check(
        Command::new(java_tool("java"))
            .arg("-cp")
            .arg(with_classes)
            .arg("dev.tracewright.engine.TestFrameworks")
            .arg(api)
            .arg(&frameworks),
    )?;
    modules(api, tools, &classes, &frameworks, &lib)?;

    let version = version(api);
    let mut started: Vec<PathBuf> = vec![classes];
    started.extend(
        ["worker-main", "base-services", "java-compiler-plugin"].map(|module| lib.join(format!("gradle-{module}-{version}.jar"))),
    );
    let mut languages: Vec<PathBuf> = fs::read_dir(&lib)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    languages.retain(|jar| starts_with(jar, "groovy-") || starts_with(jar, "kotlin-"));
    languages.sort();
    started.extend(languages);
    // A build of a test ends before code by the second compiler pays.
    let mut text = String::from("-Xmx768m\n-XX:+UseSerialGC\n-XX:TieredStopAtLevel=1\n");
    for package in OPENED {
        text.push_str(&format!("--add-opens={package}=ALL-UNNAMED\n"));
    }
    text.push_str(&format!("-cp\n\"{}\"\ndev.tracewright.engine.Launcher\n", java::joined(&started).to_string_lossy()));
    fs::write(&arguments, text)?;
    Ok(arguments)
}

/// Writes the jars of all modules and of the libraries that they name into `lib`.
fn modules(api: &Path, tools: &BuildTools, classes: &Path, frameworks: &Path, lib: &Path) -> Result<()> {
    let version = version(api);
    let mut whole = zip::ZipArchive::new(fs::File::open(api)?)?;
    // The metadata of each module: the modules and libraries that it needs.
    let mut metadata: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for index in 0..whole.len() {
        let mut entry = whole.by_index(index)?;
        let Some(module) = entry.name()?.strip_suffix("-classpath.properties").map(str::to_owned) else { continue };
        if module.starts_with("gradle-") && !module.contains('/') {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            metadata.insert(module, bytes);
        }
    }
    for missing in ["gradle-java-compiler-plugin", "gradle-installation-beacon"] {
        metadata.entry(missing.into()).or_insert_with(|| b"projects=\nruntime=\n".to_vec());
    }
    for (module, text) in &metadata {
        let target = lib.join(format!("{module}-{version}.jar"));
        if module == "gradle-base-services" {
            link_or_copy(api, &target)?;
            continue;
        }
        let extra = match module.as_str() {
            "gradle-java-compiler-plugin" => Some((classes, "org")),
            "gradle-worker-main" => Some((frameworks, "")),
            _ => None,
        };
        small_jar(&target, &format!("{module}-classpath.properties"), text, extra)?;
    }
    let libraries: BTreeSet<String> = metadata
        .values()
        .flat_map(|text| String::from_utf8_lossy(text).lines().map(str::to_owned).collect::<Vec<_>>())
        .filter_map(|line| Some(line.strip_prefix("runtime=")?.to_owned()))
        .flat_map(|names| names.split(',').map(str::to_owned).collect::<Vec<_>>())
        .filter(|name| !name.is_empty())
        .collect();
    for name in libraries {
        let known = tools.gradle.iter().find(|jar| jar.file_name().is_some_and(|file| *file == *name));
        match known.filter(|jar| ["groovy", "kotlin-stdlib", "ant-"].iter().any(|prefix| starts_with(jar, prefix))) {
            Some(jar) => link_or_copy(jar, &lib.join(&name))?,
            // The API jar contains its classes under other names.
            None => small_jar(&lib.join(&name), "META-INF/empty", b"", None)?,
        }
    }
    Ok(())
}

/// Writes a jar with one text and the classes below a folder.
fn small_jar(target: &Path, name: &str, text: &[u8], classes: Option<(&Path, &str)>) -> Result<()> {
    let mut jar = zip::ZipWriter::new(fs::File::create(target)?);
    let options = SimpleFileOptions::default();
    jar.start_file("META-INF/MANIFEST.MF", options)?;
    jar.write_all(b"Manifest-Version: 1.0\r\n\r\n")?;
    jar.start_file(name, options)?;
    jar.write_all(text)?;
    if let Some((folder, below)) = classes {
        for entry in WalkDir::new(folder.join(below)).sort_by_file_name() {
            let path = entry?.into_path();
            if path.extension().is_some_and(|extension| extension == "class") {
                jar.start_file(path.strip_prefix(folder)?.to_string_lossy(), options)?;
                jar.write_all(&fs::read(&path)?)?;
            }
        }
    }
    jar.finish()?;
    Ok(())
}

/// Links a file, or copies it where the file system has no links. The API jar is large.
fn link_or_copy(from: &Path, to: &Path) -> Result<()> {
    if fs::hard_link(from, to).is_err() {
        fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    }
    Ok(())
}

/// The version in the name of the API jar.
fn version(api: &Path) -> String {
    let name = api.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    name.trim_start_matches("gradle-api-").to_owned()
}

/// Whether the file name begins with a prefix.
fn starts_with(jar: &Path, prefix: &str) -> bool {
    jar.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix))
}

/// Whether a file exists and is newer than all sources.
fn is_newer(made: &Path, sources: &Path) -> Result<bool> {
    let Ok(made) = fs::metadata(made).and_then(|metadata| metadata.modified()) else { return Ok(false) };
    for entry in WalkDir::new(sources) {
        if entry?.metadata()?.modified()? > made {
            return Ok(false);
        }
    }
    Ok(true)
}
