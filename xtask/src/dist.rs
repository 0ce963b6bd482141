//! `target/dist`: the files that a user unpacks and runs; and the demonstration.
//!
//! In: a release build and the set-up. Out: `bin`, `lib` and the Maven repository of plugins and
//! natives.

use crate::plugins;
use crate::run::{cargo, check};
use crate::setup::{self, Ready};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The class of the demonstration.
const DEMO_CLASS: &str = "org.apache.commons.lang3.math.Fraction";
/// The library that holds it.
const DEMO_JAR: &str = "commons-lang3";

/// Lays out `target/dist` with the Maven repository of plugins and natives. `repository` is the
/// address of the sources for the POMs.
///
/// # Errors
/// The set-up or a build fails, or a file cannot be written.
pub(crate) fn dist(root: &Path, repository: Option<&str>) -> Result<()> {
    let (folder, _) = installation(root)?;
    let origin = plugins::Origin::of_workspace(repository);
    plugins::repository(root, &setup::build_tools(root)?, &folder, &folder.join("maven"), plugins::Purpose::Publish, &origin)?;
    println!("target/dist is complete: start target/dist/bin/tracewright, or use target/dist/maven as a repository of a build");
    if origin.repository == plugins::NO_REPOSITORY {
        println!(
            "its POMs name a placeholder as the address of the sources: before you publish them, give --repository ADDRESS or set \
             `repository` in Cargo.toml"
        );
    }
    Ok(())
}

/// Builds in release and lays out `bin/` and `lib/`. Returns the folder and the set-up.
///
/// # Errors
/// The set-up or the build fails, or a file cannot be written.
pub(crate) fn installation(root: &Path) -> Result<(PathBuf, Ready)> {
    let ready = setup::everything(root)?;
    check(cargo().args(["build", "--release", "--package", "tracewright", "--package", "tracewright-agent"]))?;
    let folder = root.join("target/dist");
    lay_out(root, "release", &ready, &folder)?;
    Ok((folder, ready))
}

/// Replaces `bin` and `lib` of a folder by the files of a build profile. The Maven repository beside them stays.
///
/// # Errors
/// A built file is missing, or a file cannot be written.
pub(crate) fn lay_out(root: &Path, profile: &str, ready: &Ready, folder: &Path) -> Result<()> {
    let built = root.join("target").join(profile);
    let (bin, lib) = (folder.join("bin"), folder.join("lib"));
    for replaced in [&bin, &lib] {
        let _ = fs::remove_dir_all(replaced);
        fs::create_dir_all(replaced)?;
    }
    let program = format!("tracewright{}", std::env::consts::EXE_SUFFIX);
    copy(&built.join(&program), &bin.join(&program))?;
    let agent = format!("{}tracewright_agent{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    copy(&built.join(&agent), &lib.join(&agent))?;
    // Programs are linked to the SONAME (`libz3.so.4.15`), a file beside `libz3.so`.
    for entry in fs::read_dir(ready.z3_library.parent().context("libz3 lies in a folder")?)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.contains(".so.") || name.ends_with(".dylib") || name.ends_with(".dll") {
            copy(&entry.path(), &lib.join(name))?;
        }
    }
    setup::place_junit(&lib, ready)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).map(drop).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}

/// Generates tests for [`DEMO_CLASS`] and prints figures and one test.
///
/// # Errors
/// The set-up, a build or the generation fails.
pub(crate) fn demo(root: &Path) -> Result<()> {
    let (folder, ready) = installation(root)?;
    let jar = ready
        .development_jars
        .iter()
        .find(|jar| jar.file_name().is_some_and(|name| name.to_string_lossy().starts_with(DEMO_JAR)))
        .context("the demonstration's jar is among the development jars")?;
    let out = root.join("target/demo/tests");
    let report = root.join("target/demo/report");
    let _ = fs::remove_dir_all(root.join("target/demo"));
    fs::create_dir_all(&out)?;
    let start = Instant::now();
    check(
        Command::new(folder.join("bin/tracewright"))
            .args(["generate", "--class", DEMO_CLASS, "--budget", "30s", "--classpath"])
            .arg(jar)
            .arg("--out")
            .arg(&out)
            .arg("--report")
            .arg(&report),
    )?;
    let seconds = start.elapsed().as_secs_f64();
    let tests = out.join(format!("{}TracewrightTest.java", DEMO_CLASS.replace('.', "/")));
    let source = fs::read_to_string(&tests).with_context(|| format!("no tests at {}", tests.display()))?;
    let figures: serde_json::Value = serde_json::from_str(&fs::read_to_string(report.join("report.json"))?)?;
    let class = &figures["classes"][0];
    println!("\n{} tests for {DEMO_CLASS} in {seconds:.1} s", class["tests"]);
    for goal in ["line", "branch"] {
        let (covered, total) = (class["goals"][goal]["covered"].as_f64(), class["goals"][goal]["total"].as_f64());
        if let (Some(covered), Some(total)) = (covered, total) {
            println!("  {goal:6} {covered:.0} of {total:.0} ({:.1} %)", 100.0 * covered / total.max(1.0));
        }
    }
    println!("  tests  {}", tests.strip_prefix(root).unwrap_or(&tests).display());
    println!("  report {}\n\nOne of them:\n", report.strip_prefix(root).unwrap_or(&report).join("report.json").display());
    println!("{}", longest_short_test(&source));
    Ok(())
}

/// The longest test method with at most eight statements.
fn longest_short_test(source: &str) -> &str {
    let mut best = "";
    let mut rest = source;
    while let Some(start) = rest.find("    @Test") {
        let body = &rest[start..];
        let end = body.find("\n    }\n").map_or(body.len(), |end| end + 7);
        let test = &body[..end];
        if test.lines().count() <= 11 && test.lines().count() > best.lines().count() {
            best = test;
        }
        rest = &body[end..];
    }
    best
}
