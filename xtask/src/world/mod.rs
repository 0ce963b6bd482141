//! `cargo xtask bench world`: whether written tests hold on other machines, in any order and beside
//! other tests.
//!
//! In: the modules of `samples/world` or other Maven projects, and the built program. Out: a table
//! on standard output and `target/bench/world.json`. Tests are generated for every class, then they
//! run in all ways of `ways.rs`. Must not know how the program works: it reads its report and its
//! tests.

mod figures;
mod marks;
mod runner;
mod ways;

use crate::apps::project::{App, Built};
use crate::apps::score::{TestOutcomes, class_path_with_junit, compile, packages, read_outcomes};
use crate::apps::{GenerationOptions, generate_tests};
use crate::benchmarks::{parse_options, write_rows};
use crate::setup::{self, CoverageTools};
use anyhow::{Context, Result, bail};
use clap::Parser;
use figures::{GENERATED, ModuleRow, WayRow, table};
use runner::Tests;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tracewright_jdk::JdkHome;
use walkdir::WalkDir;
use ways::{Groups, Machine, Way};

/// The modules of `samples/world`, each with the oldest Java that can run it.
const MODULES: [(&str, u32); 5] = [("core", 17), ("thousand", 17), ("kotlin", 17), ("groovy", 17), ("java21", 21)];
/// The classes that the build generates: they are no subjects.
const GENERATED_CLASSES: &str = "org.example.world.thousand.units.*";
/// The way that Maven runs.
const MAVEN: &str = "mvn test";
/// The way without changes, which always runs.
const PLAIN: &str = "plain";

/// Command-line options of the benchmark.
#[derive(Parser, Debug)]
#[command(name = "cargo xtask bench world", about = "Whether written tests hold on other machines and beside other tests")]
struct WorldOptions {
    /// Modules of samples/world, separated by commas [default: all].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    modules: Vec<String>,
    /// Instead: folder of a Maven project, with `:MODULE` for a module of it; may be given several
    /// times. Maven itself does not run its generated tests.
    #[arg(long = "app", value_name = "DIR[:MODULE]")]
    apps: Vec<String>,
    /// Only these ways, separated by commas, by their names in the table [default: all].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    ways: Vec<String>,
    /// JVMs at the same time where each test runs alone [default: one a core].
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    #[command(flatten)]
    generation: GenerationOptions,
}

/// A module or project to measure.
struct WorldSubject {
    app: App,
    /// Whether its sources are a copy with comments about branches.
    is_sample: bool,
    /// The oldest Java that can run it.
    release: u32,
    /// The JDK that builds it and generates its tests.
    jdk: JdkHome,
}

/// Files and programs that all subjects share.
struct Bench {
    program: PathBuf,
    junit: PathBuf,
    tools: CoverageTools,
    /// Folder for all files of the benchmark.
    folder: PathBuf,
}

/// Runs the benchmark.
///
/// # Errors
/// A wrong option, a project that Maven cannot build, a comment of a sample that is wrong, or a
/// step that cannot be started.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let Some(options) = parse_options::<WorldOptions>("world", arguments)? else { return Ok(()) };
    if let Some(name) = options.modules.iter().find(|name| !MODULES.iter().any(|(module, _)| module == name)) {
        bail!("bench world: there is no module {name}");
    }
    let ready = setup::everything(root)?;
    let program = options.generation.program(root, &ready)?;
    let folder = root.join("target/bench/world");
    fs::create_dir_all(&folder)?;
    let bench = Bench { program, junit: ready.junit_console, tools: setup::coverage_tools(root)?, folder };
    let mut rows = Vec::new();
    for subject in subjects(root, &options, &bench.folder)? {
        let row = measure(&options, &bench, &subject)?;
        print!("\n{}\n", row.shortfalls());
        rows.push(row);
        // Results so far are written after each module, in case the benchmark is interrupted.
        write_rows(root, "world", options.generation.seed, &rows)?;
    }
    println!("{}", table(&rows));
    let skipped: BTreeSet<&String> = rows.iter().flat_map(|row| &row.skipped).collect();
    for reason in skipped {
        println!("skipped: {reason}");
    }
    println!("written: target/bench/world.json");
    Ok(())
}

/// What is measured: the modules of a copy of `samples/world`, or the given projects.
fn subjects(root: &Path, options: &WorldOptions, folder: &Path) -> Result<Vec<WorldSubject>> {
    let usual = JdkHome::find_with_compiler().map_err(|error| anyhow::anyhow!("bench world: {error}"))?;
    if !options.apps.is_empty() {
        let subject =
            |app: &String| Ok(WorldSubject { app: App::named(app)?, is_sample: false, release: 17, jdk: usual.clone() });
        return options.apps.iter().map(subject).collect();
    }
    let sample = App::sample(root, "world", folder)?;
    let mut subjects = Vec::new();
    for (module, release) in MODULES {
        if !options.modules.is_empty() && !options.modules.iter().any(|name| name == module) {
            continue;
        }
        let newest = JdkHome::installed().pop().filter(|newest| newest.version >= release);
        let usable = Some(usual.clone()).filter(|usual| usual.version >= release).or(newest);
        let Some(jdk) = usable else {
            println!("world-{module}: skipped, there is no JDK {release}");
            continue;
        };
        subjects.push(WorldSubject { app: sample.module(module, Some(jdk.path.clone())), is_sample: true, release, jdk });
    }
    Ok(subjects)
}

/// Generates the tests of a subject and runs them in all ways.
fn measure(options: &WorldOptions, bench: &Bench, subject: &WorldSubject) -> Result<ModuleRow> {
    let name = &subject.app.name;
    let module = subject.app.module_folder();
    // Generated tests of an earlier run must not be compiled as hand-written ones.
    remove_generated(&module.join("target/test-classes"))?;
    println!("{name}: building with Maven");
    let built = subject.app.build()?;
    let work = bench.folder.join(format!("{name}-work"));
    let generation = &options.generation;
    if !generation.reuse {
        let _ = fs::remove_dir_all(&work);
    }
    fs::create_dir_all(&work)?;
    let mut row =
        ModuleRow { module: name.clone(), budget: generation.budget.clone(), steps: generation.steps, ..ModuleRow::default() };
    if !generation.reuse {
        println!("{name}: generating tests");
        let jdk = subject.jdk.path.to_string_lossy().into_owned();
        let more = ["--jdk", &jdk, "--exclude", GENERATED_CLASSES];
        row.seconds = generate_tests(&bench.program, generation, &more, &built, &work)?;
    }
    let report = fs::read_to_string(work.join("report/report.json")).context("the program wrote no report")?;
    row.classes = figures::classes(&report)?;
    let classes = work.join("test-classes");
    let _ = fs::remove_dir_all(&classes);
    let compiled = compile(&subject.jdk.tool("javac"), &work, &class_path_with_junit(&built, &bench.junit)?, &classes)?;
    row.uncompilable_files = compiled.rejected;
    run_ways(options, bench, subject, &built, &compiled.files, &mut row)?;
    Ok(row)
}

/// Runs the compiled tests in all ways and measures what they cover.
fn run_ways(
    options: &WorldOptions,
    bench: &Bench,
    subject: &WorldSubject,
    built: &Built,
    files: &[String],
    row: &mut ModuleRow,
) -> Result<()> {
    let name = &subject.app.name;
    let work = bench.folder.join(format!("{name}-work"));
    let left_out = work.join("left-out.txt");
    let _ = fs::remove_file(&left_out);
    let own_tests = subject.app.module_folder().join("target/test-classes");
    let jar = runner::runner_jar(&subject.jdk.path, &bench.junit, &work)?;
    let class_path = std::env::split_paths(&class_path_with_junit(built, &bench.junit)?).skip(1).collect::<Vec<_>>();
    let class_path = with_copied_jars(class_path, &work.join("libraries"))?;
    let junit = with_copied_jars(vec![bench.junit.clone()], &work.join("junit"))?.remove(0);
    let tests = Tests {
        launcher: [junit, jar.clone()],
        class_path: [vec![work.join("test-classes")], vec![own_tests.clone()], class_path].concat(),
        generated: files.iter().filter_map(|file| class_of(&work.join("tests"), Path::new(file), ".java")).collect(),
        hand_written: hand_written(&own_tests),
        jdk: subject.jdk.path.clone(),
        work: work.clone(),
        left_out: left_out.clone(),
        jobs: options.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |cores| cores.get())),
    };
    if tests.generated.is_empty() {
        row.skipped.push(format!("all ways of {name}: no test was written"));
        return Ok(());
    }
    let (ways, skipped) = ways::ways(&machine(subject, &jar, &work));
    let is_known = |name: &String| {
        let skips = skipped.iter().any(|reason| reason.starts_with(&format!("{name}:")));
        skips || name == PLAIN || name == MAVEN || ways.iter().any(|way| way.name == *name)
    };
    if let Some(name) = options.ways.iter().find(|name| !is_known(name)) {
        bail!("bench world: there is no way {name}");
    }
    row.skipped.extend(skipped);
    // The first run also names all tests. Those that fail in it do not count as coverage.
    let plain = tests.run(&Way { name: PLAIN.into(), ..Way::default() }, &BTreeSet::new())?;
    println!("{name}: plain: {}", plain.summary());
    let all: BTreeSet<String> = plain.passed.iter().chain(plain.failures.keys()).cloned().collect();
    measure_coverage(bench, subject, built, &tests, &plain, row)?;
    row.ways.insert(PLAIN.into(), plain);
    let mut wanted: Vec<Way> = ways.into_iter().filter(|way| is_wanted(options, &way.name)).collect();
    // What hand-written tests do by themselves says nothing about the generated ones.
    let mut control = WayRow::default();
    if !tests.hand_written.is_empty() {
        control = tests.run(
            &Way { name: "hand-written only".into(), groups: Groups::HandWritten, seeds: vec![1, 2, 3], ..Way::default() },
            &all,
        )?;
        row.failing_hand_written = control.failures.keys().cloned().collect();
        fs::write(&left_out, row.failing_hand_written.iter().map(|test| format!("{test}\n")).collect::<String>())?;
    } else {
        wanted.retain(|way| matches!(way.groups, Groups::Generated | Groups::Twice | Groups::Alone | Groups::Subset));
        row.skipped.push(format!("ways of {name} with hand-written tests: it has none"));
    }
    if !subject.is_sample {
        row.skipped.push(format!("{MAVEN} of {name}: the folder is not a copy"));
    } else if is_wanted(options, MAVEN) {
        let result = run_maven(subject, files, &work)?;
        println!("{name}: {MAVEN}: {}", result.summary());
        row.ways.insert(MAVEN.into(), result);
    }
    for way in wanted {
        let mut result = tests.run(&way, &all)?;
        if matches!(way.groups, Groups::AfterHandWritten | Groups::BeforeHandWritten) {
            result.leave_out(&control);
        }
        println!("{name}: {}: {}", way.name, result.summary());
        row.ways.insert(way.name, result);
    }
    Ok(())
}

/// Copies jars into a folder: other users may not read the repository of Maven.
fn with_copied_jars(class_path: Vec<PathBuf>, folder: &Path) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(folder)?;
    let copy = |(index, path): (usize, PathBuf)| {
        if !path.is_file() {
            return Ok(path);
        }
        let to = folder.join(format!("{index}-{}", path.file_name().unwrap_or_default().to_string_lossy()));
        fs::copy(&path, &to).with_context(|| format!("cannot copy {}", path.display()))?;
        Ok(to)
    };
    class_path.into_iter().enumerate().map(copy).collect()
}

/// Whether a way was asked for.
fn is_wanted(options: &WorldOptions, way: &str) -> bool {
    options.ways.is_empty() || options.ways.iter().any(|wanted| wanted == way)
}

/// What the machine has for a subject.
fn machine(subject: &WorldSubject, jar: &Path, work: &Path) -> Machine {
    let mut jdks: BTreeMap<u32, PathBuf> = BTreeMap::new();
    for jdk in JdkHome::installed().into_iter().filter(|jdk| jdk.version >= subject.release) {
        jdks.entry(jdk.version).or_insert(jdk.path);
    }
    let libraries = WalkDir::new("/usr/lib").max_depth(3).into_iter().filter_map(Result::ok);
    let fake_clock = libraries.map(walkdir::DirEntry::into_path).find(|path| path.ends_with("faketime/libfaketime.so.1"));
    let silent = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        let command = command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let nobody = ways::as_nobody();
    let tests = [jar, work].map(|path| path.to_string_lossy().into_owned());
    let arguments: Vec<&str> =
        nobody[1..].iter().map(String::as_str).chain(["test", "-r", &tests[0], "-a", "-r", &tests[1]]).collect();
    Machine {
        jdks: jdks.into_iter().collect(),
        variables: variables_read(&subject.app.module_folder().join("src/main")),
        fake_clock,
        other_user: silent(&nobody[0], &arguments),
        taskset: silent("taskset", &["-c", "0", "true"]),
    }
}

/// The environment variables that sources name in `getenv("NAME")`.
fn variables_read(sources: &Path) -> Vec<String> {
    let mut names = BTreeSet::new();
    for entry in WalkDir::new(sources).into_iter().filter_map(Result::ok) {
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        let calls = text.split("getenv(\"").skip(1);
        names.extend(calls.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
    }
    names.into_iter().collect()
}

/// The class of a file below a folder; none for other files.
fn class_of(folder: &Path, file: &Path, extension: &str) -> Option<String> {
    let relative = file.strip_prefix(folder).ok()?.to_string_lossy().into_owned();
    Some(relative.strip_suffix(extension)?.replace('/', "."))
}

/// The classes with hand-written tests, by the usual names.
fn hand_written(classes: &Path) -> Vec<String> {
    let files = WalkDir::new(classes).sort_by_file_name().into_iter().filter_map(Result::ok);
    let names = files.filter_map(|entry| class_of(classes, entry.path(), ".class"));
    let is_test = |name: &String| (name.ends_with("Test") || name.ends_with("Tests")) && !name.contains(['$']);
    names.filter(|name| is_test(name) && !name.ends_with(GENERATED)).collect()
}

/// Removes files of generated tests from a folder.
fn remove_generated(folder: &Path) -> Result<()> {
    for entry in WalkDir::new(folder).into_iter().filter_map(Result::ok) {
        if entry.file_type().is_file() && entry.file_name().to_string_lossy().contains(GENERATED) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Puts the generated tests beside the hand-written ones and runs `mvn test`.
fn run_maven(subject: &WorldSubject, files: &[String], work: &Path) -> Result<WayRow> {
    let module = subject.app.module_folder();
    let (sources, reports) = (module.join("src/test/java"), module.join("target/surefire-reports"));
    let temporary = work.join("maven-tmp");
    for folder in [&reports, &temporary] {
        let _ = fs::remove_dir_all(folder);
    }
    fs::create_dir_all(&temporary)?;
    for file in files {
        let to = sources.join(Path::new(file).strip_prefix(work.join("tests"))?);
        fs::create_dir_all(to.parent().context("a folder")?)?;
        fs::copy(file, &to)?;
    }
    let start = std::time::Instant::now();
    let output = subject
        .app
        .maven()
        .args(["test", "-Dmaven.test.failure.ignore=true", "-Dsurefire.timeout=600"])
        .arg(format!("-DargLine=-ea -XX:+EnableDynamicAgentLoading -Djava.io.tmpdir={}", temporary.display()))
        .output()
        .context("mvn cannot be started")?;
    remove_generated(&sources)?;
    remove_generated(&module.join("target/test-classes"))?;
    let mut outcomes = TestOutcomes::default();
    for entry in WalkDir::new(&reports).sort_by_file_name().into_iter().filter_map(Result::ok) {
        if entry.path().extension().is_some_and(|extension| extension == "xml") {
            read_outcomes(&fs::read_to_string(entry.path())?, &mut outcomes);
        }
    }
    fs::write(work.join("maven.txt"), [output.stdout, output.stderr].concat())?;
    let message = |test: String| (test, "see maven.txt".to_owned());
    let mut row = WayRow { runs: 1, passed: outcomes.passed, ..WayRow::default() };
    row.add(WayRow { failures: outcomes.failed.into_iter().map(message).collect(), ..WayRow::default() });
    if !output.status.success() {
        row.failures.insert(figures::JVM.into(), "Maven failed, see maven.txt".into());
    }
    row.files_left = runner::files_below(&temporary);
    row.seconds = (start.elapsed().as_secs_f64() * 10.0).round() / 10.0;
    Ok(row)
}

/// Measures the branches that the environment does not decide.
fn measure_coverage(
    bench: &Bench,
    subject: &WorldSubject,
    built: &Built,
    tests: &Tests,
    plain: &WayRow,
    row: &mut ModuleRow,
) -> Result<()> {
    if !subject.is_sample {
        return Ok(());
    }
    let (data, xml) = (tests.work.join("jacoco.exec"), tests.work.join("jacoco.xml"));
    let _ = fs::remove_file(&data);
    fs::write(&tests.left_out, plain.failures.keys().map(|test| format!("{test}\n")).collect::<String>())?;
    let agent = bench.tools.agent.display();
    let agent = format!("-javaagent:{agent}=destfile={},includes={}", data.display(), packages(&built.classes));
    tests.run_measured(&[agent])?;
    fs::remove_file(&tests.left_out)?;
    let mut java = Command::new(subject.jdk.tool("java"));
    java.arg("-jar").arg(&bench.tools.cli).arg("report");
    if data.is_file() {
        java.arg(&data);
    }
    java.arg("--classfiles").arg(&built.classes).arg("--xml").arg(&xml).arg("--quiet");
    crate::run::check(&mut java).context("JaCoCo cannot report")?;
    let branches = marks::branches(&fs::read_to_string(&xml)?)?;
    let mut wrong = Vec::new();
    for source in
        WalkDir::new(subject.app.module_folder().join("src/main")).sort_by_file_name().into_iter().filter_map(Result::ok)
    {
        let Some(file) = branches.keys().find(|file| source.path().ends_with(file)) else { continue };
        let figures = marks::compare(&fs::read_to_string(source.path())?, &branches[file]);
        wrong.extend(figures.wrong.into_iter().map(|problem| format!("{file}:{problem}")));
        let class = file.rsplit_once('.').map_or(file.as_str(), |(name, _)| name).replace('/', ".");
        // A file of Kotlin may have several classes; the figures stand with the one of its name.
        if let Some(row) = row.classes.get_mut(&class) {
            (row.branches, row.missed) = (figures.independent, figures.missed);
        }
    }
    if !wrong.is_empty() {
        bail!("bench world: comments about branches in samples/world are wrong:\n{}", wrong.join("\n"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_named_by_their_files() {
        let class = |file: &str| class_of(Path::new("/t"), Path::new(file), ".java");
        assert_eq!(class("/t/p/q/ATest.java"), Some("p.q.ATest".into()));
        assert_eq!(class("/t/p/q/ATest.txt"), None);
    }

    #[test]
    fn hand_written_tests_are_found_by_name() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("p")).expect("writable");
        for name in ["ATest", "BTests", "C", "ATracewrightTest", "ATest$1"] {
            fs::write(folder.path().join(format!("p/{name}.class")), "").expect("writable");
        }
        assert_eq!(hand_written(folder.path()), ["p.ATest", "p.BTests"]);
        remove_generated(folder.path()).expect("writable");
        assert!(!folder.path().join("p/ATracewrightTest.class").exists() && folder.path().join("p/ATest.class").exists());
    }

    #[test]
    fn the_sample_reads_variables() {
        let core = crate::run::project_root().join("samples/world/core/src/main");
        assert_eq!(variables_read(&core), ["APP_MODE", "HOME", "PATH"]);
    }
}
