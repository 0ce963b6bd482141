//! Compiles the sequence runner (`agent/java/runner`) into the jar that `src/jvm` embeds.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use tracewright_jdk::JdkHome;

const SOURCES: &str = "agent/java/runner";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={SOURCES}");
    println!("cargo::rerun-if-env-changed=JAVA_HOME");
    let jdk = JdkHome::find_with_compiler()
        .unwrap_or_else(|error| fail(&format!("{error}. Install a JDK 17 or newer, or set JAVA_HOME to one")));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let classes = out.join("runner-classes");
    let _ = fs::remove_dir_all(&classes);
    let mut sources = Vec::new();
    collect_java_files(Path::new(SOURCES), &mut sources);
    sources.sort();
    let mut javac = Command::new(jdk.tool("javac"));
    javac.args(["--release", "17", "-g", "-nowarn", "-Xlint:-options", "-encoding", "UTF-8", "-d"]).arg(&classes).args(&sources);
    run(javac, "javac");
    let mut jar = Command::new(jdk.tool("jar"));
    // A fixed date, so that the same sources give the same bytes.
    jar.args(["--create", "--date=1980-01-01T00:00:02Z", "--file"])
        .arg(out.join("tracewright-runner.jar"))
        .arg("--manifest")
        .arg(Path::new(SOURCES).join("MANIFEST.MF"))
        .arg("-C")
        .arg(&classes)
        .arg(".");
    run(jar, "jar");
}

fn collect_java_files(folder: &Path, sources: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| fail(&format!("{}: {error}", folder.display()))) {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            collect_java_files(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "java") {
            sources.push(path);
        }
    }
}

fn run(mut command: Command, name: &str) {
    match command.output() {
        Ok(output) if output.status.success() => {}
        Ok(output) => fail(&format!(
            "{name} does not accept {SOURCES}:\n{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )),
        Err(error) => fail(&format!("`{name}` cannot be run: {error}")),
    }
}

/// Ends the build with an error that cargo prints without a backtrace.
fn fail(reason: &str) -> ! {
    for line in reason.lines() {
        println!("cargo::error={line}");
    }
    std::process::exit(1)
}
