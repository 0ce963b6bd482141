//! `cargo xtask bench NAME`: the table of benchmarks, and those of `cargo bench` in all packages.
//!
//! In: a name and the arguments of the benchmark. Out: what that benchmark prints and writes. Must
//! not know how a benchmark measures: each one of this package is a module with a `run` function.

use crate::run::{cargo, check, set_test_environment};
use crate::{apps, asserts, effectiveness, fuzz, guards, identical, punctual, queries, record, selection, setup, shards, world};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// A benchmark of this package. The benchmarks of `cargo bench` of all packages are found in their
/// folders.
struct Benchmark {
    /// The name on the command line.
    name: &'static str,
    /// What it measures or makes, in a few words.
    about: &'static str,
    /// Runs it. Takes the root of the project and the arguments after the name.
    run: fn(&Path, &[String]) -> Result<()>,
}

/// The benchmarks of this package, by name.
const BENCHMARKS: [Benchmark; 12] = [
    Benchmark {
        name: "apps",
        about: "coverage and form of the tests of whole applications, samples/shop or others",
        run: apps::run,
    },
    Benchmark {
        name: "asserts",
        about: "programs of samples/asserts whose assertions fail, and false alarms",
        run: asserts::run,
    },
    Benchmark {
        name: "effectiveness",
        about: "line, branch and mutant coverage over time, by strategy",
        run: effectiveness::run,
    },
    Benchmark { name: "fuzz", about: "panics, hangs and memory of every reader on mutated and random bytes", run: fuzz::run },
    Benchmark {
        name: "guards",
        about: "goals of samples/guards that symbolic execution alone reaches, with reasons for the others",
        run: guards::run,
    },
    Benchmark {
        name: "identical",
        about: "whether two programs write the same tests with the same steps and seed",
        run: identical::run,
    },
    Benchmark {
        name: "punctual",
        about: "whether generations end in time and lose nothing on a busy machine",
        run: punctual::run,
    },
    Benchmark {
        name: "queries",
        about: "makes benches/queries.txt, the recorded queries that the benchmark solve repeats",
        run: queries::run,
    },
    Benchmark {
        name: "record",
        about: "CPU time and memory of the agent on the test suites of three libraries, and the replay of their sessions",
        run: record::run,
    },
    Benchmark {
        name: "selection",
        about: "feasible paths and branches by attempts, for each order of alternatives",
        run: selection::run,
    },
    Benchmark { name: "shards", about: "what 1 to 256 machines would take for the classes of a report", run: shards::run },
    Benchmark {
        name: "world",
        about: "whether the tests of samples/world hold on other machines, in any order and beside other tests",
        run: world::run,
    },
];

/// A benchmark of `cargo bench`: a file in the folder `benches` of a package.
struct CargoBenchmark {
    /// The name of the file without its extension.
    name: String,
    /// The first sentence of the file's description.
    about: String,
}

/// Runs the benchmark of this name. `list` prints the names, `all` runs every benchmark of cargo
/// bench.
///
/// # Errors
/// There is no benchmark of this name, or the benchmark fails.
pub(crate) fn run(root: &Path, name: &str, arguments: &[String]) -> Result<()> {
    if let Some(benchmark) = BENCHMARKS.iter().find(|benchmark| benchmark.name == name) {
        return (benchmark.run)(root, arguments);
    }
    let cargo_benchmarks = cargo_benchmarks(root)?;
    match name {
        "list" => print!("{}", list(&cargo_benchmarks)),
        "all" => {
            let names: Vec<&str> = cargo_benchmarks.iter().map(|benchmark| benchmark.name.as_str()).collect();
            run_cargo_bench(root, &names, arguments)?;
        }
        _ if cargo_benchmarks.iter().any(|benchmark| benchmark.name == name) => run_cargo_bench(root, &[name], arguments)?,
        _ => {
            let known = BENCHMARKS.iter().map(|benchmark| benchmark.name);
            let known: Vec<&str> = known.chain(cargo_benchmarks.iter().map(|benchmark| benchmark.name.as_str())).collect();
            bail!("there is no benchmark {name}: the names are {}, all", known.join(", "));
        }
    }
    Ok(())
}

/// One line for each benchmark: its name and what it measures.
fn list(cargo_benchmarks: &[CargoBenchmark]) -> String {
    let own = BENCHMARKS.iter().map(|benchmark| (benchmark.name, benchmark.about));
    let others = cargo_benchmarks.iter().map(|benchmark| (benchmark.name.as_str(), benchmark.about.as_str()));
    let rows: Vec<(&str, &str)> = own.chain(others).chain([("all", "every benchmark of cargo bench")]).collect();
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    rows.into_iter().map(|(name, about)| format!("{name:width$}  {about}\n")).collect()
}

/// The benchmarks of `cargo bench` of all packages, by name.
fn cargo_benchmarks(root: &Path) -> Result<Vec<CargoBenchmark>> {
    let mut benchmarks = Vec::new();
    for entry in walkdir::WalkDir::new(root).max_depth(4).into_iter().filter_entry(|entry| entry.file_name() != "target") {
        let path = entry?.into_path();
        let in_benches = path.parent().and_then(Path::file_name).is_some_and(|folder| folder == "benches");
        let is_benchmark = in_benches && path.extension().is_some_and(|end| end == "rs");
        // `cargo bench` knows the fuzzer as well, but it is run by the benchmark `fuzz` of this
        // package.
        if let Some(name) = path.file_stem().filter(|name| is_benchmark && *name != "fuzz") {
            let about = first_sentence(&fs::read_to_string(&path)?);
            benchmarks.push(CargoBenchmark { name: name.to_string_lossy().into_owned(), about });
        }
    }
    benchmarks.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(benchmarks)
}

/// The first sentence of the description at the start of a Rust file, without its full stop.
fn first_sentence(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).take_while(|line| !line.is_empty());
    let paragraph = lines.collect::<Vec<_>>().join(" ");
    paragraph.split(". ").next().unwrap_or_default().trim_end_matches('.').to_owned()
}

/// Builds the program in release and runs benchmarks of `cargo bench`.
fn run_cargo_bench(root: &Path, names: &[&str], arguments: &[String]) -> Result<()> {
    let ready = setup::everything(root)?;
    check(cargo().args(["build", "--release", "--workspace"]))?;
    setup::place_junit(&root.join("target/release"), &ready)?;
    let mut command = cargo();
    command.args(["bench", "--workspace"]);
    for name in names {
        command.args(["--bench", name]);
    }
    if !arguments.is_empty() {
        command.arg("--").args(arguments);
    }
    set_test_environment(&mut command, &ready);
    check(&mut command)
}

/// Parses the arguments of a benchmark; `None` if they asked for help, which is then printed.
///
/// # Errors
/// One sentence that names the wrong argument.
pub(crate) fn parse_options<O: clap::Parser>(name: &str, arguments: &[String]) -> Result<Option<O>> {
    match O::try_parse_from(std::iter::once(name).chain(arguments.iter().map(String::as_str))) {
        Ok(options) => Ok(Some(options)),
        Err(help) if !help.use_stderr() => {
            help.print()?;
            Ok(None)
        }
        Err(error) => {
            let text = error.to_string();
            bail!("bench {name}: {}", text.lines().next().unwrap_or_default().trim_start_matches("error: "));
        }
    }
}

/// Writes the rows of a benchmark as `target/bench/NAME.json`, one row a line.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn write_rows<R: serde::Serialize>(root: &Path, name: &str, seed: u64, rows: &[R]) -> Result<()> {
    let path = root.join("target/bench").join(format!("{name}.json"));
    fs::write(&path, rows_as_json(name, seed, rows)?).with_context(|| format!("cannot write {}", path.display()))
}

/// The JSON text of [`write_rows`].
fn rows_as_json<R: serde::Serialize>(name: &str, seed: u64, rows: &[R]) -> Result<String> {
    let lines = rows.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?.join(",\n");
    Ok(format!("{{\"bench\": \"{name}\", \"seed\": {seed}, \"rows\": [\n{lines}\n]}}\n"))
}

/// Runs `generate` of one program on one class. `limits` are the options that limit the run. Tests go
/// to `tests` in the folder, the report to `report`, the output to `log`.
///
/// # Errors
/// The program cannot be started or fails; the message names the benchmark.
pub(crate) fn generate(bench: &str, program: &Path, class: &str, classpath: &str, limits: &[String], out: &Path) -> Result<()> {
    let _ = fs::remove_dir_all(out);
    fs::create_dir_all(out)?;
    let log = fs::File::create(out.join("log"))?;
    let status = Command::new(program)
        .args(["generate", "--classpath", classpath, "--class", class, "--progress", "none"])
        .args(limits)
        .arg("--out")
        .arg(out.join("tests"))
        .arg("--report")
        .arg(out.join("report"))
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .status()
        .with_context(|| format!("cannot start {}", program.display()))?;
    if !status.success() {
        bail!("bench {bench}: {} ended with {status} for {class}: see {}", program.display(), out.join("log").display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::project_root;

    #[test]
    fn benchmarks_are_known_by_name() {
        let cargo_benchmarks = cargo_benchmarks(&project_root()).expect("readable");
        let list = list(&cargo_benchmarks);
        for name in ["effectiveness", "executions", "identical", "rewrite", "search", "solve", "trace_overhead"] {
            assert!(list.lines().any(|line| line.starts_with(&format!("{name} "))), "{name}:\n{list}");
        }
        assert!(cargo_benchmarks.iter().all(|benchmark| !benchmark.about.is_empty()));
        let error = run(&project_root(), "nothing", &[]).expect_err("no such benchmark");
        assert!(
            error.to_string().starts_with(
                "there is no benchmark nothing: the names are apps, asserts, effectiveness, fuzz, guards, identical, punctual, queries, record, selection, shards, world, "
            ),
            "{error}"
        );
    }

    #[test]
    fn a_description_is_its_first_sentence() {
        assert_eq!(first_sentence("//! Steps a\n//! second. In: x.\n\nuse y;\n"), "Steps a second");
        assert_eq!(first_sentence("//! Steps.\n//!\n//! More.\n"), "Steps");
    }

    #[test]
    fn rows_are_written_one_a_line() {
        let text = rows_as_json("guards", 3, &[serde_json::json!({"subject": "p.A"}), serde_json::json!(1)]).expect("JSON");
        assert_eq!(text, "{\"bench\": \"guards\", \"seed\": 3, \"rows\": [\n{\"subject\":\"p.A\"},\n1\n]}\n");
    }
}
