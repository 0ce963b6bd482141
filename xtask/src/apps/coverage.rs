//! The table of JaCoCo's report.
//!
//! In: the CSV text of `jacococli report --csv`. Out: covered lines and branches of each class.

use super::figures::add;
use crate::effectiveness::Covered;
use anyhow::{Context, Result};
use std::collections::BTreeMap;

/// Covered lines and branches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Coverage {
    /// Lines with code.
    pub lines: Covered,
    /// Branches as JaCoCo counts them.
    pub branches: Covered,
}

/// Coverage by binary name of the outermost class. Nested classes count with it.
///
/// # Errors
/// A column or a number is missing.
pub(super) fn read(csv: &str) -> Result<BTreeMap<String, Coverage>> {
    let mut rows = csv.lines();
    let head: Vec<&str> = rows.next().context("JaCoCo wrote no table")?.split(',').collect();
    let column =
        |name: &str| head.iter().position(|title| *title == name).with_context(|| format!("JaCoCo's table has no {name}"));
    let (package, class) = (column("PACKAGE")?, column("CLASS")?);
    let lines = (column("LINE_COVERED")?, column("LINE_MISSED")?);
    let branches = (column("BRANCH_COVERED")?, column("BRANCH_MISSED")?);
    let mut all: BTreeMap<String, Coverage> = BTreeMap::new();
    for row in rows.filter(|row| !row.is_empty()) {
        let cells: Vec<&str> = row.split(',').collect();
        let cell = |index: usize| cells.get(index).copied().with_context(|| format!("a short row: {row}"));
        let counter = |(covered, missed): (usize, usize)| -> Result<Covered> {
            let covered = cell(covered)?.parse::<u64>()?;
            Ok(Covered { covered, total: covered + cell(missed)?.parse::<u64>()? })
        };
        let simple = cell(class)?.split('.').next().unwrap_or_default();
        let name = match cell(package)? {
            "" => simple.to_owned(),
            package => format!("{package}.{simple}"),
        };
        let sum = all.entry(name).or_default();
        add(&mut sum.lines, counter(lines)?);
        add(&mut sum.branches, counter(branches)?);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_classes_count_with_their_outermost_class() {
        let csv = "GROUP,PACKAGE,CLASS,BRANCH_MISSED,BRANCH_COVERED,LINE_MISSED,LINE_COVERED\n\
                   g,p.q,A,1,3,2,5\ng,p.q,A.Inner,0,2,1,1\ng,,B,0,0,4,0\n";
        let all = read(csv).expect("a table");
        let covered = |covered, total| Covered { covered, total };
        assert_eq!(all["p.q.A"], Coverage { lines: covered(6, 9), branches: covered(5, 6) });
        assert_eq!(all["B"].lines, covered(0, 4));
        assert!(read("GROUP,PACKAGE\n").is_err());
    }
}
