//! `cargo xtask bench queries FILE...`: a sample of recorded queries, small enough to be stored. In: files that `tracewright generate --queries FILE` wrote,
//! each named after its class; out: `benches/queries.txt`, which the benchmark `solve` asks again. Knows queries as text that ends with an
//! answer, and nothing of terms.
//!
//! The rule: queries of one class, one kind of answer and one size (by powers of four) are a stratum. In rounds, each stratum gives one query, small sizes
//! first, that with the least hash among those it has left; what does not fit any more is left out. They are written in the order in which they were
//! recorded. The same files give the same bytes.

use crate::run::bench_options;
use anyhow::{Context, Result, anyhow, bail};
use clap::Parser;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use tracewright_text::fnv1a_64;

#[derive(Parser, Debug)]
#[command(name = "cargo xtask bench queries", about = "A sample of recorded queries for the benchmark `solve`")]
struct Options {
    /// What `generate --queries FILE` wrote, one file a class: FILE is `<class>.txt`.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Size of the sample at most, in bytes.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    bytes: usize,
    /// Larger queries are left out, in bytes: a few of them would leave no room.
    #[arg(long, value_name = "N", default_value_t = 16_000)]
    largest: usize,
    #[arg(long, value_name = "FILE", default_value = "benches/queries.txt")]
    out: PathBuf,
}

/// A query with its answer, as it was written down.
#[derive(Clone, Copy, Debug)]
struct Entry<'t> {
    class: &'t str,
    /// In its file, from 1.
    number: usize,
    text: &'t str,
}

impl Entry<'_> {
    /// The line above it in the sample.
    fn heading(&self) -> String {
        format!("# {} {}\n", self.class, self.number)
    }

    fn bytes(&self) -> usize {
        self.heading().len() + self.text.len()
    }

    /// `sat`, `unsat`, or `unknown` with its cause.
    fn answer(&self) -> String {
        let line = self.text.trim_end().lines().next_back().unwrap_or_default();
        let words = if line.starts_with("unknown") { 2 } else { 1 };
        line.split(' ').take(words).collect::<Vec<_>>().join(" ")
    }

    /// The number of times that 4 divides its length.
    fn size(&self) -> u32 {
        self.text.len().ilog2() / 2
    }
}

/// The entries of one file; what stands after the last `end` and its answer was broken off and is left out.
fn entries<'t>(class: &'t str, text: &'t str) -> Vec<Entry<'t>> {
    let mut entries = Vec::new();
    let mut rest = text;
    while let Some(end) = rest.find("\nend\n") {
        let answer = end + "\nend\n".len();
        let Some(length) = rest[answer..].find('\n') else { break };
        let (text, after) = rest.split_at(answer + length + 1);
        entries.push(Entry { class, number: entries.len() + 1, text });
        rest = after;
    }
    entries
}

/// By size, class and answer; within one, by hash.
type Strata<'t> = BTreeMap<(u32, &'t str, String), BTreeMap<u64, Entry<'t>>>;

fn sample<'t>(entries: &[Entry<'t>], bytes: usize, largest: usize) -> Vec<Entry<'t>> {
    let mut strata: Strata<'_> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.text.len() <= largest) {
        let stratum = strata.entry((entry.size(), entry.class, entry.answer())).or_default();
        // A query that was asked twice stands there once.
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

pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let Some(options) = bench_options::<Options>("queries", arguments)? else { return Ok(()) };
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for file in &options.files {
        let class = file.file_stem().and_then(|stem| stem.to_str()).ok_or_else(|| anyhow!("no class in {}", file.display()))?;
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        if texts.insert(class.to_owned(), text).is_some() {
            bail!("bench queries: two files of {class}");
        }
    }
    let all: Vec<Entry<'_>> = texts.iter().flat_map(|(class, text)| entries(class, text)).collect();
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

/// How many of all and of the chosen queries had an answer.
fn by_answer(all: &[Entry<'_>], chosen: &[Entry<'_>]) -> BTreeMap<String, [usize; 2]> {
    let mut counts: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for (place, entries) in [all, chosen].into_iter().enumerate() {
        for entry in entries {
            counts.entry(entry.answer()).or_default()[place] += 1;
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
    fn a_recording_is_cut_into_queries() {
        let text = query("(= v0 2)", "sat v0=2") + &query("false", "unsat 0") + "query 1000\nclause true\nseed \nend";
        let found = entries("p.A", &text);
        let answers: Vec<String> = found.iter().map(Entry::answer).collect();
        assert_eq!(answers, ["sat", "unsat"]);
        assert_eq!(found[1].heading() + found[1].text, "# p.A 2\n".to_owned() + &query("false", "unsat 0"));
        let unknown = query("(= v0 3)", "unknown descent fp.mul");
        assert_eq!(entries("p.A", &unknown)[0].answer(), "unknown descent");
    }

    #[test]
    fn every_stratum_is_in_the_sample_before_any_is_twice() {
        let many: String =
            (0..50).map(|value| query(&format!("(= v0 {})", value + 10), &format!("sat v0={}", value + 10))).collect();
        let text = many.clone() + &many + &query("false", "unsat 0") + &query("(= v0 v1)", "unknown time");
        let all = entries("p.A", &text);
        let one = all[0].bytes();
        let answers = |bytes: usize| {
            let chosen = sample(&all, bytes, 1_000);
            assert!(chosen.iter().map(Entry::bytes).sum::<usize>() <= bytes);
            assert!(chosen.windows(2).all(|pair| pair[0].number < pair[1].number), "in the order of the recording");
            by_answer(&[], &chosen).into_iter().map(|(answer, counts)| format!("{answer} {}", counts[1])).collect::<Vec<_>>()
        };
        assert_eq!(answers(3 * one + 10), ["sat 1", "unknown time 1", "unsat 1"]);
        // What was asked twice stands there once.
        assert_eq!(answers(1_000_000), ["sat 50", "unknown time 1", "unsat 1"]);
        assert!(sample(&all, 1_000_000, 10).is_empty());
    }
}
