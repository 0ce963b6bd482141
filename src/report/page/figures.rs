//! Figures of a class, of a package and of all classes.
//!
//! Flows in: classes of the report. Flows out: sums and percentages, as a page shows them. Must not
//! know which page shows them.

use serde::Serialize;

use crate::report::{ClassReport, CoverageCount};

/// The figures of some classes.
#[derive(Clone, Debug, Serialize)]
pub(super) struct PageFigures {
    tests: usize,
    lines: CoverageShare,
    branches: CoverageShare,
    /// Of those that were run.
    mutants: CoverageShare,
    /// Mutants without a run.
    mutants_not_run: usize,
    /// With one digit after the point.
    seconds: String,
}

impl PageFigures {
    /// The sums over some classes.
    pub(super) fn of(classes: &[&ClassReport]) -> PageFigures {
        PageFigures {
            tests: classes.iter().map(|class| class.tests).fold(0, usize::saturating_add),
            lines: sum_of(classes, |class| class.goals.line),
            branches: sum_of(classes, |class| class.goals.branch),
            mutants: sum_of(classes, mutants_run),
            mutants_not_run: classes.iter().map(|class| class.mutants.not_run).fold(0, usize::saturating_add),
            seconds: format!("{:.1}", classes.iter().fold(0.0, |sum, class| sum + class.seconds)),
        }
    }
}

/// The share of the goals of one kind over some classes.
fn sum_of(classes: &[&ClassReport], kind: impl Fn(&ClassReport) -> CoverageCount) -> CoverageShare {
    let (mut covered, mut total) = (0_usize, 0_usize);
    for count in classes.iter().map(|class| kind(class)) {
        covered = covered.saturating_add(count.covered);
        total = total.saturating_add(count.total);
    }
    CoverageShare::of(CoverageCount { covered, total })
}

/// The mutants that tests ran under.
fn mutants_run(class: &ClassReport) -> CoverageCount {
    let CoverageCount { covered, total } = class.goals.mutant;
    CoverageCount { covered, total: total.saturating_sub(class.mutants.not_run) }
}

/// How many goals of one kind are covered, as a count and as a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct CoverageShare {
    covered: usize,
    total: usize,
    /// From 0 to 100. It is rounded down, so that 100 means all.
    percent: u64,
    /// Hundredths of a percent, from 0 to 10,000, to sort by.
    order: u64,
}

impl CoverageShare {
    /// From 0 to 100.
    pub(super) fn percent(&self) -> u64 {
        self.percent
    }

    /// The share of a count; 0 where there is nothing to cover.
    pub(super) fn of(count: CoverageCount) -> CoverageShare {
        let CoverageCount { covered, total } = count;
        let hundredths = (covered.min(total) as u128 * 10_000).checked_div(total as u128).unwrap_or_default() as u64;
        CoverageShare { covered, total, percent: hundredths / 100, order: hundredths }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Goals, MutantReport};

    #[test]
    fn only_full_coverage_is_one_hundred_percent() {
        let share = |covered, total| {
            let share = CoverageShare::of(CoverageCount { covered, total });
            (share.percent, share.order)
        };
        assert_eq!(share(999, 1000), (99, 9990));
        assert_eq!(share(1000, 1000), (100, 10_000));
        assert_eq!(share(0, 0), (0, 0));
        assert_eq!(share(usize::MAX, usize::MAX), (100, 10_000));
    }

    #[test]
    fn figures_of_classes_are_added() {
        let class = |tests, seconds, covered| ClassReport {
            tests,
            seconds,
            goals: Goals { line: CoverageCount { covered, total: 4 }, ..Goals::default() },
            ..ClassReport::default()
        };
        let (first, second) = (class(2, 1.25, 1), class(3, 0.5, 4));
        let figures = PageFigures::of(&[&first, &second]);
        assert_eq!((figures.tests, figures.seconds.as_str()), (5, "1.8"));
        assert_eq!(figures.lines, CoverageShare { covered: 5, total: 8, percent: 62, order: 6250 });
        assert_eq!(PageFigures::of(&[]).seconds, "0.0");
    }

    #[test]
    fn mutants_without_a_run_are_no_share_of_the_killed_ones() {
        let class = |covered, not_run| ClassReport {
            goals: Goals { mutant: CoverageCount { covered, total: 8 }, ..Goals::default() },
            mutants: MutantReport { not_run, ..MutantReport::default() },
            ..ClassReport::default()
        };
        let figures = PageFigures::of(&[&class(6, 0), &class(0, 8)]);
        assert_eq!(figures.mutants, CoverageShare { covered: 6, total: 8, percent: 75, order: 7500 });
        assert_eq!(figures.mutants_not_run, 8);
    }
}
