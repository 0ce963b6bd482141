//! `cargo xtask bench queries FILE...`: makes a sample of recorded queries that is small enough to
//! be stored.
//!
//! In: files that `tracewright generate --queries FILE` wrote, each named after its class. Out:
//! `benches/queries.txt`, which the benchmark `solve` repeats. Must not know terms: a query is text
//! that ends with an answer.
//!
//! This is stratified sampling. Queries of one class, one kind of answer and one size (by powers of
//! four) are a stratum. In rounds, each stratum contributes one query, small sizes first: the one
//! with the least hash of those that are left. A query that does not fit into the remaining bytes
//! is omitted. The sample keeps the order of the recording. The same files give the same bytes.

use crate::benchmarks::parse_options;
use anyhow::{Context, Result, anyhow, bail};
use clap::Parser;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use tracewright_text::fnv1a_64;

/// Command-line options of the benchmark.
#[derive(Parser, Debug)]
#[command(name = "cargo xtask bench queries", about = "A sample of recorded queries for the benchmark `solve`")]
struct QueriesOptions {
    /// Files that `generate --queries FILE` wrote, one for each class: FILE is `<class>.txt`.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Greatest size of the sample in bytes.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    bytes: usize,
    /// Greatest size of a query in bytes. Larger ones are omitted: a few of them would fill the
    /// sample.
    #[arg(long, value_name = "N", default_value_t = 16_000)]
    largest: usize,
    /// The file to write.
    #[arg(long, value_name = "FILE", default_value = "benches/queries.txt")]
    out: PathBuf,
}

/// A recorded query with its answer.
#[derive(Clone, Copy, Debug)]
struct RecordedQuery<'t> {
    /// Binary name of the class.
    class: &'t str,
    /// Position in its file, from 1.
    number: usize,
    /// The lines of the query and of its answer.
    text: &'t str,
}

impl RecordedQuery<'_> {
    /// The line above the query in the sample.
    fn heading(&self) -> String {
        format!("# {} {}\n", self.class, self.number)
    }

    /// Size in the sample, in bytes.
    fn bytes(&self) -> usize {
        self.heading().len() + self.text.len()
    }

    /// The kind of answer: `sat`, `unsat`, or `unknown` with its cause.
    fn answer(&self) -> String {
        let line = self.text.trim_end().lines().next_back().unwrap_or_default();
        let words = if line.starts_with("unknown") { 2 } else { 1 };
        line.split(' ').take(words).collect::<Vec<_>>().join(" ")
    }

    /// The logarithm of the length to the base of 4.
    fn size(&self) -> u32 {
        self.text.len().ilog2() / 2
    }
}

/// The queries of one file. An incomplete query at the end is omitted.
fn entries<'t>(class: &'t str, text: &'t str) -> Vec<RecordedQuery<'t>> {
    let mut entries = Vec::new();
    let mut rest = text;
    while let Some(end) = rest.find("\nend\n") {
        let answer = end + "\nend\n".len();
        let Some(length) = rest[answer..].find('\n') else { break };
        let (text, after) = rest.split_at(answer + length + 1);
        entries.push(RecordedQuery { class, number: entries.len() + 1, text });
        rest = after;
    }
    entries
}

/// Queries by size, class and answer; those of one stratum by hash.
type Strata<'t> = BTreeMap<(u32, &'t str, String), BTreeMap<u64, RecordedQuery<'t>>>;

/// Chooses queries of at most `largest` bytes each, and of at most `bytes` bytes together.
fn sample<'t>(entries: &[RecordedQuery<'t>], bytes: usize, largest: usize) -> Vec<RecordedQuery<'t>> {
    let mut strata: Strata<'_> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.text.len() <= largest) {
        let stratum = strata.entry((entry.size(), entry.class, entry.answer())).or_default();
        // Equal queries have one entry.
        stratum.entry(fnv1a_64(entry.text.as_bytes())).or_insert(*entry);
    }
    let mut left = bytes;
    let mut chosen = Vec::new();
    while !strata.is_empty() {
        for stratum in strata.values_mut() {
            if let Some((_, entry)) = stratum.pop_first()
                && let Some(after) = left.checked_sub(entry.bytes())
            {
                left = after;
                chosen.push(entry);
            }
        }
        strata.retain(|_, stratum| !stratum.is_empty());
    }
    chosen.sort_by_key(|entry| (entry.class, entry.number));
    chosen
}

/// Writes the sample.
///
/// # Errors
/// A file cannot be read or written, or two files belong to one class.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let Some(options) = parse_options::<QueriesOptions>("queries", arguments)? else { return Ok(()) };
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for file in &options.files {
        let class =
            file.file_stem().and_then(|stem| stem.to_str()).ok_or_else(|| anyhow!("{} does not name a class", file.display()))?;
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        if texts.insert(class.to_owned(), text).is_some() {
            bail!("bench queries: there are two files of {class}");
        }
    }
    let all: Vec<RecordedQuery<'_>> = texts.iter().flat_map(|(class, text)| entries(class, text)).collect();
    let chosen = sample(&all, options.bytes, options.largest);
    let text: String = chosen.iter().map(|entry| entry.heading() + entry.text).collect();
    let out = root.join(&options.out);
    fs::write(&out, &text).with_context(|| format!("cannot write {}", out.display()))?;
    let classes: BTreeSet<&str> = chosen.iter().map(|entry| entry.class).collect();
    println!("{} of {} queries of {} classes, {} bytes: {}", chosen.len(), all.len(), classes.len(), text.len(), out.display());
    for (answer, counts) in by_answer(&all, &chosen) {
        println!("{answer:24} {:>7} of {:>7}", counts[1], counts[0]);
    }
    Ok(())
}

/// The number of all queries and of the chosen ones, by answer.
fn by_answer(all: &[RecordedQuery<'_>], chosen: &[RecordedQuery<'_>]) -> BTreeMap<String, [usize; 2]> {
    let mut counts: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for (column, entries) in [all, chosen].into_iter().enumerate() {
        for entry in entries {
            counts.entry(entry.answer()).or_default()[column] += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(clause: &str, answer: &str) -> String {
        format!("query 1000 700\nclause {clause}\nseed v0=1\nend\n{answer}\n")
    }

    #[test]
    fn a_recording_is_split_into_queries() {
        let text = query("(= v0 2)", "sat v0=2") + &query("false", "unsat 0") + "query 1000\nclause true\nseed \nend";
        let found = entries("p.A", &text);
        let answers: Vec<String> = found.iter().map(RecordedQuery::answer).collect();
        assert_eq!(answers, ["sat", "unsat"]);
        assert_eq!(found[1].heading() + found[1].text, "# p.A 2\n".to_owned() + &query("false", "unsat 0"));
        let unknown = query("(= v0 3)", "unknown descent fp.mul");
        assert_eq!(entries("p.A", &unknown)[0].answer(), "unknown descent");
    }

    #[test]
    fn each_stratum_contributes_one_query_before_any_contributes_two() {
        let many: String =
            (0..50).map(|value| query(&format!("(= v0 {})", value + 10), &format!("sat v0={}", value + 10))).collect();
        let text = many.clone() + &many + &query("false", "unsat 0") + &query("(= v0 v1)", "unknown time");
        let all = entries("p.A", &text);
        let one = all[0].bytes();
        let answers = |bytes: usize| {
            let chosen = sample(&all, bytes, 1_000);
            assert!(chosen.iter().map(RecordedQuery::bytes).sum::<usize>() <= bytes);
            assert!(chosen.windows(2).all(|pair| pair[0].number < pair[1].number), "the sample keeps the order of the recording");
            by_answer(&[], &chosen).into_iter().map(|(answer, counts)| format!("{answer} {}", counts[1])).collect::<Vec<_>>()
        };
        assert_eq!(answers(3 * one + 10), ["sat 1", "unknown time 1", "unsat 1"]);
        // A query that was recorded twice is in the sample once.
        assert_eq!(answers(1_000_000), ["sat 50", "unknown time 1", "unsat 1"]);
        assert!(sample(&all, 1_000_000, 10).is_empty());
    }
}
