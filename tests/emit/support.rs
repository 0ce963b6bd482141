//! Compiles and runs generated sources: a JDK, JUnit 4 and 5, and the compiled classes of
//! `tests/emit/samples`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use tempfile::TempDir;
use tracewright::emit::JUnit;
use tracewright::jvm::Jdk;
use tracewright::program::{ClassName, Program};
use tracewright::project::Project;
use tracewright_test_support::{jdks, junit_4_jars, junit_console_jar};

pub(crate) struct Bench {
    pub program: Arc<Program>,
    pub sample_classes: Vec<ClassName>,
    jdk: Jdk,
    folder: TempDir,
    class_path: Vec<PathBuf>,
    /// The jars of JUnit 5 and 4.
    junit: Vec<PathBuf>,
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

impl Bench {
    /// Compiles the sample classes into a temporary folder; `None` if JUnit is missing.
    pub(crate) fn open(name: &str) -> Option<Bench> {
        Bench::with_jars(name, &[])
    }

    /// As [`Bench::open`], with further jars on the class path.
    pub(crate) fn with_jars(name: &str, jars: &[PathBuf]) -> Option<Bench> {
        let junit = [vec![junit_console_jar()?], junit_4_jars()?].concat();
        let jdk = Jdk::find(Some(&jdks()[0].home)).expect("a usable JDK");
        let folder = tempfile::Builder::new().prefix(&format!("tracewright-emit-{name}-")).tempdir().expect("a temporary folder");
        let classes = folder.path().join("classes");
        fs::create_dir_all(&classes).expect("a folder");
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emit/samples");
        let mut files: Vec<PathBuf> =
            fs::read_dir(samples).expect("samples").map(|entry| entry.expect("an entry").path()).collect();
        files.sort();
        javac(&jdk, &["-g", "--release", "17", "-Xlint:none"], &[], &classes, &files).expect("samples compile");
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
        Some(Bench { program, sample_classes, jdk, folder, class_path, junit })
    }

    /// Every class of the class path that is not a sample.
    pub(crate) fn library_classes(&self) -> Vec<ClassName> {
        self.program.source().project_classes().into_iter().filter(|class| !self.sample_classes.contains(class)).collect()
    }

    /// Compiles all sources. A compile error fails the test and shows source and message.
    pub(crate) fn compile(&self, sources: &[Source], lint: bool) {
        // A class may have tests for both versions of JUnit.
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
        let options: &[&str] = if lint {
            &["-Xlint:all,-processing,-path,-classfile", "-Werror"]
        } else {
            &["-Xlint:none", "-nowarn", "-Xmaxerrs", "100000"]
        };
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

    /// Runs the compiled tests.
    pub(crate) fn run(&self, sources: &[Source]) {
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
    // A warning shows that `@SuppressWarnings` is missing.
    let warned = options.iter().any(|option| option.starts_with("-Xlint:all")) && said.contains("warning: [");
    if output.status.success() && !warned { Ok(()) } else { Err(said) }
}
