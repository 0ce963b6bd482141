//! A JDK, JUnit (or stand-ins with the same signatures), the samples compiled.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use tempfile::TempDir;
use tracewright::emit::JUnit;
use tracewright::jvm::Jdk;
use tracewright::program::{ClassName, Program};
use tracewright::project::Project;

pub(crate) struct Bench {
    pub program: Arc<Program>,
    pub sample_classes: Vec<ClassName>,
    jdk: Jdk,
    folder: TempDir,
    class_path: Vec<PathBuf>,
    /// JUnit 5 and 4; stand-ins that cannot run anything when the real ones are not there.
    junit: Vec<PathBuf>,
    runs: bool,
}

pub(crate) struct Source {
    pub class: ClassName,
    pub text: String,
    pub junit: JUnit,
}

impl Source {
    pub(crate) fn of(class: &ClassName, text: String, junit: JUnit) -> Source {
        Source { class: class.clone(), text, junit }
    }
}

fn jdk() -> Option<Jdk> {
    let found =
        Jdk::find(None).ok().filter(|jdk| jdk.has_compiler).or_else(|| Jdk::installed().into_iter().find(|jdk| jdk.has_compiler));
    if found.is_none() {
        eprintln!("skipped: no JDK with a compiler");
    }
    found
}

/// The jars that xtask names, else those of the local Maven repository.
fn junit_jars() -> Option<Vec<PathBuf>> {
    let named = |variable: &str| {
        std::env::var_os(variable)
            .filter(|value| !value.is_empty())
            .map(|value| std::env::split_paths(&value).collect::<Vec<_>>())
    };
    if let (Some(five), Some(four)) = (named("TRACEWRIGHT_JUNIT"), named("TRACEWRIGHT_JUNIT4")) {
        return Some([five, four].concat());
    }
    let repository = PathBuf::from(std::env::var_os("HOME")?).join(".m2/repository");
    let newest = |folder: &str, artifact: &str| {
        let mut versions: Vec<PathBuf> = fs::read_dir(repository.join(folder))
            .ok()?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.is_dir())
            .collect();
        versions.sort();
        let version = versions.pop()?;
        let jar = version.join(format!("{artifact}-{}.jar", version.file_name()?.to_string_lossy()));
        jar.is_file().then_some(jar)
    };
    Some(vec![
        newest("org/junit/platform/junit-platform-console-standalone", "junit-platform-console-standalone")?,
        newest("junit/junit", "junit")?,
        newest("org/hamcrest/hamcrest-core", "hamcrest-core")?,
    ])
}

impl Bench {
    pub(crate) fn open(name: &str) -> Option<Bench> {
        Bench::with_jars(name, &[])
    }

    pub(crate) fn with_jars(name: &str, jars: &[PathBuf]) -> Option<Bench> {
        let jdk = jdk()?;
        let folder = tempfile::Builder::new().prefix(&format!("tracewright-emit-{name}-")).tempdir().expect("a temporary folder");
        let classes = folder.path().join("classes");
        fs::create_dir_all(&classes).expect("a folder");
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emit/samples");
        let mut files: Vec<PathBuf> =
            fs::read_dir(samples).expect("samples").map(|entry| entry.expect("an entry").path()).collect();
        files.sort();
        javac(&jdk, &["-g", "--release", "11", "-Xlint:none"], &[], &classes, &files).expect("samples compile");
        let (junit, runs) = match junit_jars() {
            Some(jars) => (jars, true),
            None => {
                eprintln!("no JUnit here: compiled against stand-ins, not run");
                let stand_ins = folder.path().join("junit");
                fs::create_dir_all(&stand_ins).expect("a folder");
                let file = folder.path().join("StandIns");
                let sources = stand_ins_sources(&file);
                javac(&jdk, &["-Xlint:none"], &[], &stand_ins, &sources).expect("stand-ins compile");
                (vec![stand_ins], false)
            }
        };
        let mut class_path = vec![classes.clone()];
        class_path.extend(jars.iter().cloned());
        let project = Project::open(&class_path, &jdk.home).expect("a project");
        let program = Arc::new(Program::new(project));
        let mut sample_classes: Vec<ClassName> = walkdir::WalkDir::new(&classes)
            .into_iter()
            .filter_map(|entry| {
                let path = entry.ok()?.into_path();
                let relative = path.strip_prefix(&classes).ok()?.to_string_lossy().replace('\\', "/");
                Some(ClassName::new(relative.strip_suffix(".class")?))
            })
            .collect();
        sample_classes.sort();
        Some(Bench { program, sample_classes, jdk, folder, class_path, junit, runs })
    }

    /// Every class of the class path that is not a sample.
    pub(crate) fn library_classes(&self) -> Vec<ClassName> {
        self.program.source().project_classes().into_iter().filter(|class| !self.sample_classes.contains(class)).collect()
    }

    /// Compiles all of it; a compile error fails the test and shows source and message.
    pub(crate) fn compile(&self, sources: &[Source], lint: bool) {
        // The same class may be tested with either version.
        for junit in [JUnit::Five, JUnit::Four] {
            let of_version: Vec<&Source> = sources.iter().filter(|source| source.junit == junit).collect();
            if !of_version.is_empty() {
                self.compile_version(&of_version, &self.out(junit), lint);
            }
        }
    }

    fn out(&self, junit: JUnit) -> PathBuf {
        self.folder.path().join(if junit == JUnit::Five { "five" } else { "four" })
    }

    fn compile_version(&self, sources: &[&Source], out: &Path, lint: bool) {
        let root = out.with_extension("src");
        fs::create_dir_all(out).expect("a folder");
        let mut files = Vec::new();
        for source in sources {
            let file = root.join(format!("{}.java", source.class));
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(&file, &source.text).expect("a file");
            files.push(file);
        }
        let options: &[&str] =
            if lint { &["-Xlint:all,-deprecation,-removal,-serial"] } else { &["-Xlint:none", "-nowarn", "-Xmaxerrs", "100000"] };
        if let Err(message) = javac(&self.jdk, options, &self.class_path_with_junit(), out, &files) {
            let mut shown = String::new();
            for source in sources {
                if message.contains(&format!("{}.java", source.class)) {
                    shown.push_str(&source.text);
                }
            }
            if std::env::var_os("TRACEWRIGHT_EMIT_KEEP").is_some() {
                shown.clear();
                fs::create_dir_all("target/emit").expect("a folder");
                for source in sources {
                    fs::write(format!("target/emit/{}.java", source.class.local_name()), &source.text).expect("a file");
                }
            }
            let shown: String = shown.chars().take(20_000).collect();
            panic!("javac: {message}\n{shown}");
        }
    }

    fn class_path_with_junit(&self) -> Vec<PathBuf> {
        self.class_path.iter().chain(&self.junit).cloned().collect()
    }

    /// Runs what was compiled.
    pub(crate) fn run(&self, sources: &[Source]) {
        if !self.runs {
            eprintln!("skipped: nothing to run tests with");
            return;
        }
        for junit in [JUnit::Five, JUnit::Four] {
            let classes: Vec<String> =
                sources.iter().filter(|source| source.junit == junit).map(|source| source.class.binary()).collect();
            if classes.is_empty() {
                continue;
            }
            let mut class_path = self.class_path_with_junit();
            class_path.push(self.out(junit));
            let joined = std::env::join_paths(&class_path).expect("a class path");
            let mut command = Command::new(self.jdk.java());
            command.arg("-cp").arg(&joined);
            match junit {
                JUnit::Five => {
                    command.args(["org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner", "--details=tree"]);
                    for class in &classes {
                        command.arg(format!("--select-class={class}"));
                    }
                }
                JUnit::Four => {
                    command.arg("org.junit.runner.JUnitCore").args(&classes);
                }
            }
            let output = command.output().expect("java starts");
            assert!(
                output.status.success(),
                "{}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
}

fn javac(jdk: &Jdk, options: &[&str], class_path: &[PathBuf], out: &Path, files: &[PathBuf]) -> Result<(), String> {
    let arguments = out.with_extension("args");
    let listed: String = files.iter().map(|file| format!("\"{}\"\n", file.display().to_string().replace('\\', "/"))).collect();
    fs::write(&arguments, listed).expect("a file");
    let output = Command::new(jdk.home.join("bin/javac"))
        .args(options)
        .args(["-proc:none", "-implicit:none", "-encoding", "US-ASCII"])
        .arg("-cp")
        .arg(std::env::join_paths(class_path).expect("a class path"))
        .arg("-d")
        .arg(out)
        .arg(format!("@{}", arguments.display()))
        .output()
        .map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    // Warnings of lint show what `@SuppressWarnings` should have covered.
    let warned = options.iter().any(|option| option.starts_with("-Xlint:all")) && said.contains("warning: [");
    if output.status.success() && !warned { Ok(()) } else { Err(said) }
}

/// JUnit's annotations and assertions by signature only.
fn stand_ins_sources(folder: &Path) -> Vec<PathBuf> {
    let primitives = ["byte", "short", "int", "long", "char"];
    let boxes = ["Byte", "Short", "Integer", "Long", "Character", "Float", "Double"];
    let unboxed = ["byte", "short", "int", "long", "char", "float", "double"];
    let mut equal = String::new();
    for primitive in primitives {
        equal.push_str(&format!("public static void assertEquals({primitive} a, {primitive} b) {{}}\n"));
    }
    for real in ["float", "double"] {
        equal.push_str(&format!("public static void assertEquals({real} a, {real} b) {{}}\n"));
        equal.push_str(&format!("public static void assertEquals({real} a, {real} b, {real} d) {{}}\n"));
    }
    for (boxed, primitive) in boxes.iter().zip(unboxed) {
        equal.push_str(&format!("public static void assertEquals({primitive} a, {boxed} b) {{}}\n"));
        equal.push_str(&format!("public static void assertEquals({boxed} a, {primitive} b) {{}}\n"));
        equal.push_str(&format!("public static void assertEquals({boxed} a, {boxed} b) {{}}\n"));
    }
    let arrays: String = unboxed
        .iter()
        .chain(&["boolean", "Object"])
        .map(|element| format!("public static void assertArrayEquals({element}[] a, {element}[] b) {{}}\n"))
        .collect();
    let common = "
        public static void assertEquals(Object a, Object b) {}
        public static void assertNotEquals(Object a, Object b) {}
        public static void assertSame(Object a, Object b) {}
        public static void assertNull(Object a) {}
        public static void assertNotNull(Object a) {}
        public static void assertTrue(boolean a) {}
        public static void assertFalse(boolean a) {}
        public interface Executable { void execute() throws Throwable; }
        public static <T extends Throwable> T assertThrows(Class<T> type, Executable body) { return null; }
    ";
    let four = "
        public static void assertEquals(long a, long b) {}
        public static void assertEquals(double a, double b) {}
        public static void assertEquals(double a, double b, double d) {}
        public static void assertEquals(float a, float b, float d) {}
        public static void assertArrayEquals(double[] a, double[] b, double d) {}
        public static void assertArrayEquals(float[] a, float[] b, float d) {}
        public static void assertArrayEquals(byte[] a, byte[] b) {}
        public static void assertArrayEquals(short[] a, short[] b) {}
        public static void assertArrayEquals(char[] a, char[] b) {}
        public static void assertArrayEquals(int[] a, int[] b) {}
        public static void assertArrayEquals(long[] a, long[] b) {}
        public static void assertArrayEquals(boolean[] a, boolean[] b) {}
        public static void assertArrayEquals(Object[] a, Object[] b) {}
    ";
    let mut written = Vec::new();
    for (path, text) in [
        ("org/junit/jupiter/api/Test.java", "package org.junit.jupiter.api; public @interface Test {}".to_string()),
        ("org/junit/Test.java", "package org.junit; public @interface Test {}".to_string()),
        (
            "org/junit/jupiter/api/Assertions.java",
            format!("package org.junit.jupiter.api; public class Assertions {{ {common} {equal} {arrays} }}"),
        ),
        ("org/junit/Assert.java", format!("package org.junit; public class Assert {{ {common} {four} }}")),
    ] {
        let file = folder.join(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(&file, text).expect("a file");
        written.push(file);
    }
    written
}
