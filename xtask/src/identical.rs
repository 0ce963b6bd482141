//! `cargo xtask bench identical`: whether two programs write the same tests.
//!
//! In: two built programs and classes of the development jars. Out: a table on standard output, and
//! an error if any file differs. Both programs run with the same steps and seed, so a difference is
//! a change of behaviour. The generated files stay in `target/bench/identical`.

use crate::benchmarks::{self, parse_options};
use crate::effectiveness::subjects;
use crate::setup;
use anyhow::{Result, bail};
use clap::Parser;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Ten development classes: numbers, strings, dates, collections, parsers.
const CLASSES: [&str; 10] = [
    "org.apache.commons.lang3.math.Fraction",
    "org.apache.commons.lang3.CharRange",
    "org.apache.commons.lang3.time.DurationFormatUtils",
    "org.apache.commons.codec.language.DoubleMetaphone",
    "org.apache.commons.cli.DefaultParser",
    "org.apache.commons.collections4.bidimap.TreeBidiMap",
    "org.apache.commons.text.WordUtils",
    "org.apache.commons.validator.routines.checkdigit.ISBN10CheckDigit",
    "org.jdom2.Attribute",
    "org.json.JSONTokener",
];

/// Command-line options of the benchmark.
#[derive(Parser, Debug)]
#[command(name = "cargo xtask bench identical", about = "Whether two programs write the same tests with the same steps and seed")]
struct IdenticalOptions {
    /// The first executable, with its `lib` beside it as in target/dist.
    #[arg(long, value_name = "FILE")]
    before: PathBuf,
    /// The second executable, laid out the same way.
    #[arg(long, value_name = "FILE")]
    after: PathBuf,
    /// Binary names of classes of the development jars, separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = CLASSES.map(str::to_owned))]
    classes: Vec<String>,
    /// Steps for each class.
    #[arg(long, value_name = "N", default_value_t = 3000)]
    steps: u64,
    /// Seed of both runs.
    #[arg(long, value_name = "N", default_value_t = 7)]
    seed: u64,
}

/// Runs the benchmark.
///
/// # Errors
/// A wrong option, a program that fails, a class for which no program writes a test, or different
/// tests.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let Some(options) = parse_options::<IdenticalOptions>("identical", arguments)? else { return Ok(()) };
    let ready = setup::everything(root)?;
    let folder = root.join("target/bench/identical");
    let classpaths = subjects::classpaths(root, &ready.development_jars, &options.classes)?;
    let mut different = Vec::new();
    for (class, classpath) in options.classes.iter().zip(&classpaths) {
        let [before, after] = [("before", &options.before), ("after", &options.after)].map(|(name, program)| {
            let out = folder.join(name).join(class);
            generate(program, class, classpath, &options, &out).and_then(|()| read_files(&out.join("tests")))
        });
        let (before, after) = (before?, after?);
        let verdict = compare(&before, &after);
        println!("{class}: {verdict}");
        if verdict != Verdict::Same(before.len()) {
            different.push(class.as_str());
        }
    }
    if !different.is_empty() {
        bail!("bench identical: {} of {} classes differ: {}", different.len(), classpaths.len(), different.join(", "));
    }
    Ok(())
}

/// Runs one program on one class.
fn generate(program: &Path, class: &str, classpath: &str, options: &IdenticalOptions, out: &Path) -> Result<()> {
    let limits = ["--steps".to_owned(), options.steps.to_string(), "--seed".to_owned(), options.seed.to_string()];
    benchmarks::generate("identical", program, class, classpath, &limits, out)
}

/// The files below a folder with their contents, by relative path; none for a folder that does not
/// exist.
fn read_files(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for entry in walkdir::WalkDir::new(folder).into_iter().filter_map(|entry| entry.ok()) {
        if entry.file_type().is_file() {
            files.insert(entry.path().strip_prefix(folder)?.to_path_buf(), fs::read(entry.path())?);
        }
    }
    Ok(files)
}

/// The comparison of the files of one class.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// The number of equal files.
    Same(usize),
    /// Neither program wrote a file, so nothing was compared.
    Nothing,
    /// The first file that differs or is missing on one side.
    Different(PathBuf),
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Verdict::Same(count) => write!(f, "identical ({count} files)"),
            Verdict::Nothing => f.write_str("no program wrote a test"),
            Verdict::Different(path) => write!(f, "{} differs", path.display()),
        }
    }
}

/// Compares files by path and content.
fn compare(before: &BTreeMap<PathBuf, Vec<u8>>, after: &BTreeMap<PathBuf, Vec<u8>>) -> Verdict {
    if before.is_empty() && after.is_empty() {
        return Verdict::Nothing;
    }
    let differs = |path: &&PathBuf| before.get(*path) != after.get(*path);
    match before.keys().chain(after.keys()).find(differs) {
        Some(path) => Verdict::Different(path.clone()),
        None => Verdict::Same(before.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(contents: &[(&str, &str)]) -> BTreeMap<PathBuf, Vec<u8>> {
        contents.iter().map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec())).collect()
    }

    #[test]
    fn equal_files_are_identical() {
        let one = files(&[("p/A.java", "a"), ("p/B.java", "b")]);
        assert_eq!(compare(&one, &one), Verdict::Same(2));
    }

    #[test]
    fn changed_and_missing_files_differ() {
        let one = files(&[("p/A.java", "a"), ("p/B.java", "b")]);
        assert_eq!(compare(&one, &files(&[("p/A.java", "a"), ("p/B.java", "c")])), Verdict::Different("p/B.java".into()));
        assert_eq!(compare(&files(&[("p/A.java", "a")]), &one), Verdict::Different("p/B.java".into()));
    }

    #[test]
    fn a_comparison_without_files_is_no_success() {
        assert_eq!(compare(&files(&[]), &files(&[])), Verdict::Nothing);
    }
}
