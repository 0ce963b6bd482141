//! Compiles the sink (`java/sink`) and hands its class files to `src/sink.rs` as bytes.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tracewright_jdk::JdkHome;

fn main() {
    println!("cargo::rerun-if-changed=java/sink");
    println!("cargo::rerun-if-env-changed=JAVA_HOME");
    if let Err(message) = compile() {
        // `error` makes cargo print the sentence alone, without a backtrace.
        println!("cargo::error={message}");
    }
}

fn compile() -> Result<(), String> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let classes = out.join("sink");
    let _ = fs::remove_dir_all(&classes);
    fs::create_dir_all(&classes).map_err(|error| format!("{}: {error}", classes.display()))?;
    let jdk =
        JdkHome::find_with_compiler().map_err(|error| format!("{error}. Install a JDK 17 or newer, or set JAVA_HOME to one"))?;
    let javac = jdk.tool("javac");
    let source = Path::new("java/sink/java/lang");
    let mut files: Vec<PathBuf> = fs::read_dir(source)
        .map_err(|error| error.to_string())?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .collect();
    files.sort();
    let output = Command::new(&javac)
        .args(["--patch-module", "java.base=java/sink", "-source", "17", "-target", "17", "-nowarn", "-g:source,lines", "-d"])
        .arg(&classes)
        .args(&files)
        .output()
        .map_err(|error| format!("{}: {error}", javac.display()))?;
    if !output.status.success() {
        return Err(format!("{} failed: {}", javac.display(), String::from_utf8_lossy(&output.stderr).replace('\n', " | ")));
    }
    let folder = classes.join("java/lang");
    let mut names: Vec<String> = fs::read_dir(&folder)
        .map_err(|error| error.to_string())?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok()?.strip_suffix(".class").map(str::to_owned))
        .collect();
    names.sort();
    let mut code =
        String::from("/// Internal name and bytes of every class of the sink.\npub const CLASSES: &[(&str, &[u8])] = &[\n");
    for name in names {
        let file = folder.join(format!("{name}.class"));
        code += &format!("    ({:?}, include_bytes!({:?})),\n", format!("java/lang/{name}"), file);
    }
    code += "];\n";
    fs::write(out.join("sink_classes.rs"), code).map_err(|error| error.to_string())
}
