//! Where the laws find classes: the run-time image of every JDK on this machine, and the jars of `TRACEWRIGHT_LAW_JARS`.
#![allow(dead_code)] // Each test binary uses its part.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A class file and where it comes from (`17.0.1/java.base/java/lang/Object`, `some.jar/a/B`).
pub(crate) struct Sample {
    pub origin: String,
    pub bytes: Vec<u8>,
}

/// Homes of JDKs with a run-time image: `JAVA_HOME`, the `java` on the `PATH`, everything in `/usr/lib/jvm`.
pub(crate) fn jdks() -> Vec<PathBuf> {
    let mut candidates = Vec::new();
    candidates.extend(std::env::var_os("JAVA_HOME").map(PathBuf::from));
    for folder in std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()) {
        if let Ok(java) = folder.join("java").canonicalize()
            && let Some(home) = java.parent().and_then(Path::parent)
        {
            candidates.push(home.to_owned());
        }
    }
    if let Ok(entries) = std::fs::read_dir("/usr/lib/jvm") {
        candidates.extend(entries.flatten().map(|entry| entry.path()));
    }
    let found: BTreeSet<PathBuf> = candidates
        .into_iter()
        .filter_map(|home| home.canonicalize().ok())
        .filter(|home| home.join("lib/modules").is_file())
        .collect();
    assert!(!found.is_empty(), "the laws need a JDK with lib/modules");
    found.into_iter().collect()
}

pub(crate) fn law_jars() -> Vec<PathBuf> {
    let jars = std::env::var_os("TRACEWRIGHT_LAW_JARS").unwrap_or_default();
    std::env::split_paths(&jars).filter(|path| !path.as_os_str().is_empty()).collect()
}

/// Every class of `java.base` of the JDK.
pub(crate) fn java_base(home: &Path) -> Vec<Sample> {
    let image = ristretto_jimage::Image::from_file(&home.join("lib/modules")).expect("an image");
    let label = home.file_name().expect("a folder").to_string_lossy();
    let mut samples = Vec::new();
    for resource in image.iter() {
        let resource = resource.expect("a resource");
        if resource.module() == "java.base" && resource.extension() == "class" {
            samples.push(Sample { origin: format!("{label}{}", resource.full_name()), bytes: resource.data().to_vec() });
        }
    }
    assert!(samples.len() > 5000, "java.base has thousands of classes");
    samples
}

/// Every class of the jar, those for later releases (`META-INF/versions`) among them.
pub(crate) fn jar(path: &Path) -> Vec<Sample> {
    let label = path.file_name().expect("a file").to_string_lossy();
    let file = std::fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut archive = zip::ZipArchive::new(file).expect("a jar");
    let mut samples = Vec::new();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).expect("an entry");
        let name = entry.name().expect("a name").into_owned();
        if name.ends_with(".class") {
            let mut bytes = Vec::new();
            let origin = format!("{label}/{name}");
            entry.read_to_end(&mut bytes).expect("its bytes");
            samples.push(Sample { origin, bytes });
        }
    }
    samples
}

/// Runs the law on every class there is, and fails with the first few complaints.
pub(crate) fn for_every_class(law: impl Fn(&Sample) -> Result<(), String> + Sync) {
    let mut samples = Vec::new();
    for home in jdks() {
        samples.extend(java_base(&home));
    }
    for path in law_jars() {
        samples.extend(jar(&path));
    }
    for_each(&samples, law);
}

pub(crate) fn for_each(samples: &[Sample], law: impl Fn(&Sample) -> Result<(), String> + Sync) {
    let next = AtomicUsize::new(0);
    let complaints = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(sample) = samples.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(complaint) = law(sample) {
                        let mut complaints = complaints.lock().expect("no panic holds it");
                        complaints.push(format!("{}: {complaint}", sample.origin));
                    }
                }
            });
        }
    });
    let complaints = complaints.into_inner().expect("no panic holds it");
    assert!(
        complaints.is_empty(),
        "{} of {} classes break the law, among them\n{}",
        complaints.len(),
        samples.len(),
        complaints[..complaints.len().min(20)].join("\n")
    );
}

/// Runs a command to its end and gives what it wrote to its standard output.
pub(crate) fn run(command: &mut std::process::Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    if !output.status.success() {
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        panic!("{command:?}: {}\n{}", output.status, said.concat());
    }
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The classes that `tests/java/<name>.java` compiles to, for the given release.
pub(crate) fn compile(home: &Path, name: &str, release: &str, folder: &Path) -> Vec<Sample> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/java/{name}.java"));
    compile_file(home, &source, release, folder)
}

pub(crate) fn compile_file(home: &Path, source: &Path, release: &str, folder: &Path) -> Vec<Sample> {
    let name = source.file_stem().expect("a name").to_string_lossy();
    let target = folder.join(format!("{name}-{release}"));
    let mut javac = std::process::Command::new(home.join("bin/javac"));
    javac.args(["-g", "-Xlint:-options", "--release", release, "-d"]).arg(&target).arg(source);
    run(&mut javac);
    let mut paths: Vec<PathBuf> = walkdir::WalkDir::new(&target)
        .into_iter()
        .map(|entry| entry.expect("an entry").into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "class"))
        .collect();
    paths.sort();
    let sample = |path: &PathBuf| Sample {
        origin: path.file_name().expect("a file").to_string_lossy().into_owned(),
        bytes: std::fs::read(path).expect("its bytes"),
    };
    paths.iter().map(sample).collect()
}

/// `class T` with `static void m()` of this code (one slot of stack and one local), and frames in which there is nothing.
pub(crate) fn class_with(major: u8, code: &[u8], frames: &BTreeSet<u32>) -> Vec<u8> {
    let mut pool = Vec::new();
    for text in ["T", "java/lang/Object", "m", "()V", "Code", "StackMapTable"] {
        pool.push(1);
        pool.extend((text.len() as u16).to_be_bytes());
        pool.extend(text.as_bytes());
    }
    pool.extend([7, 0, 1, 7, 0, 2]);
    let mut table = (frames.len() as u16).to_be_bytes().to_vec();
    let mut next = 0;
    for &at in frames {
        table.push(251);
        table.extend(((at - next) as u16).to_be_bytes());
        next = at + 1;
    }
    let mut attribute = vec![0, 1, 0, 1];
    attribute.extend((code.len() as u32).to_be_bytes());
    attribute.extend(code);
    attribute.extend([0, 0, 0, 1, 0, 6]);
    attribute.extend((table.len() as u32).to_be_bytes());
    attribute.extend(table);
    let mut class = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, major, 0, 9];
    class.extend(pool);
    class.extend([0, 0x21, 0, 7, 0, 8, 0, 0, 0, 0, 0, 1, 0, 8, 0, 3, 0, 4, 0, 1, 0, 5]);
    class.extend((attribute.len() as u32).to_be_bytes());
    class.extend(attribute);
    class.extend([0, 0]);
    class
}
