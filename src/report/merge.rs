//! Merges the reports of the parts of one generation (`--shard`).
//!
//! Flows in: reports with the names of their folders. Flows out: the report of the whole
//! generation, or one sentence why there is none.

use super::Report;
use std::collections::{BTreeMap, BTreeSet};

/// Merges the parts; classes are sorted by name.
///
/// # Errors
/// One sentence: there is no part, a class is in two of them, or they differ in seed, strategy or
/// JDK.
pub fn merged(parts: Vec<(String, Report)>) -> Result<Report, String> {
    let mut places: BTreeMap<String, String> = BTreeMap::new();
    let mut whole: Option<(String, Report)> = None;
    for (place, part) in parts {
        for class in &part.classes {
            if let Some(other) = places.insert(class.name.clone(), place.clone()) {
                return Err(format!("{} is in {other} and in {place}: each class can come from one report only", class.name));
            }
        }
        let Some((first, whole)) = &mut whole else {
            whole = Some((place, part));
            continue;
        };
        let differ = |what: &str, here: &dyn std::fmt::Display, there: &dyn std::fmt::Display| {
            Err(format!("{first} and {place} are not of one generation: the {what} is {here} in one and {there} in the other"))
        };
        if whole.version != part.version {
            return differ("version of the format", &whole.version, &part.version);
        }
        if whole.seed != part.seed {
            return differ("seed", &whole.seed, &part.seed);
        }
        if whole.strategy != part.strategy {
            return differ("strategy", &whole.strategy, &part.strategy);
        }
        if whole.jdk != part.jdk {
            return differ("JDK", &whole.jdk, &part.jdk);
        }
        whole.classes.extend(part.classes);
        whole.add_sources(part.sources);
        whole.jvm.started += part.jvm.started;
        whole.jvm.killed += part.jvm.killed;
        whole.jvm.crashed += part.jvm.crashed;
    }
    let (_, mut whole) = whole.ok_or("there is no report to merge")?;
    whole.classes.sort_by(|a, b| a.name.cmp(&b.name));
    whole.shard = None;
    Ok(whole)
}

/// The parts that are missing (`1/3`, `3/3`), where the given ones say how many there are.
pub fn missing_shards(parts: &[(String, Report)]) -> Vec<String> {
    let there: BTreeSet<&str> = parts.iter().filter_map(|(_, part)| part.shard.as_deref()).collect();
    let totals: BTreeSet<u32> = there.iter().filter_map(|shard| shard.split_once('/')?.1.parse().ok()).collect();
    let expected = totals.into_iter().flat_map(|of| (1..=of).map(move |number| format!("{number}/{of}")));
    expected.filter(|shard| !there.contains(shard.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::super::ClassReport;
    use super::*;

    fn part(place: &str, shard: &str, seed: u64, classes: &[&str]) -> (String, Report) {
        let class = |name: &&str| ClassReport { name: (*name).to_owned(), tests: name.len(), ..ClassReport::default() };
        let mut report = Report { seed, classes: classes.iter().map(class).collect(), ..Report::default() };
        report.shard = Some(shard.to_owned()).filter(|shard| !shard.is_empty());
        report.jvm.started = 2;
        (place.to_owned(), report)
    }

    fn merged_text(parts: Vec<(String, Report)>) -> String {
        match merged(parts) {
            Ok(report) => {
                let classes: Vec<String> = report.classes.iter().map(|class| format!("{}:{}", class.name, class.tests)).collect();
                format!("{} {} {:?}", classes.join(" "), report.jvm.started, report.shard)
            }
            Err(sentence) => sentence,
        }
    }

    #[test]
    fn parts_are_joined_by_name() {
        let parts = || vec![part("x", "2/3", 1, &["p.B", "p.Da"]), part("y", "1/3", 1, &["p.A", "p.C"])];
        assert_eq!(merged_text(parts()), "p.A:3 p.B:3 p.C:3 p.Da:4 4 None");
        assert_eq!(missing_shards(&parts()), ["3/3"]);
        assert!(missing_shards(&[part("x", "", 1, &["p.B"])]).is_empty());
    }

    #[test]
    fn parts_that_do_not_belong_together_are_named() {
        let twice = vec![part("x", "", 1, &["p.A"]), part("y", "", 1, &["p.B", "p.A"])];
        assert_eq!(merged_text(twice), "p.A is in x and in y: each class can come from one report only");
        let seeds = vec![part("x", "", 1, &["p.A"]), part("y", "", 2, &["p.B"])];
        assert_eq!(merged_text(seeds), "x and y are not of one generation: the seed is 1 in one and 2 in the other");
        assert_eq!(merged_text(Vec::new()), "there is no report to merge");
    }
}
