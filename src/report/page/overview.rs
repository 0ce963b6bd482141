//! The overview: all classes with their figures, grouped by package.
//!
//! Flows in: a report. Flows out: the rows and sums of the overview, with the links to the pages of
//! classes. Must not know HTML.

use std::collections::BTreeMap;

use serde::Serialize;

use super::figures::PageFigures;
use super::{has_page, page_link};
use crate::report::{ClassReport, Report, counted};

/// The first page.
#[derive(Debug, Serialize)]
pub(super) struct OverviewPage<'a> {
    seed: u64,
    strategy: &'a str,
    jdk: &'a str,
    shard: Option<&'a str>,
    /// How many classes there are, in words.
    classes: String,
    /// Over all classes.
    figures: PageFigures,
    /// Sorted by name.
    packages: Vec<PackageRow<'a>>,
}

/// A package, followed by its classes.
#[derive(Debug, Serialize)]
struct PackageRow<'a> {
    name: &'a str,
    /// Over its classes.
    figures: PageFigures,
    /// Sorted by name.
    classes: Vec<ClassRow<'a>>,
}

/// A class under test.
#[derive(Debug, Serialize)]
struct ClassRow<'a> {
    /// Empty where the class has none.
    package: &'a str,
    /// The rest of the binary name.
    name: &'a str,
    /// The file of its page as a part of a URL; `None` where the row says all.
    link: Option<String>,
    figures: PageFigures,
    /// Differences, likely faults, and why there is no test file; empty where there is nothing to say.
    note: String,
}

/// Describes the overview of a report.
pub(super) fn overview_page(report: &Report) -> OverviewPage<'_> {
    let all: Vec<&ClassReport> = report.classes.iter().collect();
    let mut packages: BTreeMap<&str, Vec<&ClassReport>> = BTreeMap::new();
    for class in &report.classes {
        packages.entry(split_name(&class.name).0).or_default().push(class);
    }
    OverviewPage {
        seed: report.seed,
        strategy: &report.strategy,
        jdk: &report.jdk,
        shard: report.shard.as_deref(),
        classes: class_counts(&all),
        figures: PageFigures::of(&all),
        packages: packages.into_iter().map(|(name, classes)| package_row(name, classes)).collect(),
    }
}

/// `12 classes, 3 of them without tests`.
fn class_counts(classes: &[&ClassReport]) -> String {
    let count = counted(classes.len() as u64, "class", "classes");
    match classes.iter().filter(|class| class.tests == 0).count() {
        0 => count,
        without => format!("{count}, {without} of them without tests"),
    }
}

/// The row of a package with the rows of its classes.
fn package_row<'a>(package: &'a str, mut classes: Vec<&'a ClassReport>) -> PackageRow<'a> {
    classes.sort_by(|a, b| a.name.cmp(&b.name));
    PackageRow {
        name: if package.is_empty() { "unnamed package" } else { package },
        figures: PageFigures::of(&classes),
        classes: classes.into_iter().map(class_row).collect(),
    }
}

/// The row of a class.
fn class_row(class: &ClassReport) -> ClassRow<'_> {
    let (package, name) = split_name(&class.name);
    let faults = class.faults.len() as u64;
    let faults = (faults > 0).then(|| counted(faults, "likely fault", "likely faults"));
    let differing = class.differences.as_ref().map(|differences| differences.len() as u64).filter(|count| *count > 0);
    let differing = differing.map(|count| counted(count, "difference", "differences"));
    let notes: Vec<String> = differing.into_iter().chain(faults).chain(class.reason.clone()).collect();
    ClassRow {
        package,
        name,
        link: has_page(class).then(|| page_link(&class.name)),
        figures: PageFigures::of(&[class]),
        note: notes.join("; "),
    }
}

/// The package of a binary name, and the rest.
fn split_name(class: &str) -> (&str, &str) {
    class.rsplit_once('.').unwrap_or(("", class))
}
