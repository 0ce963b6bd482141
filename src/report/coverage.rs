//! What the tests of a class cover, place by place.
//!
//! Flows in: lines, branch outcomes and mutants, as the engine names them. Flows out: the part of
//! `report.json` that the page and code hosts are made from. Sets of numbers are written as ranges,
//! which people can read. Must not know goals or slots of the search, nor sources.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The lines and branch outcomes of a class and those nested in it, and what covers them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassCoverage {
    /// Its source file below a folder of sources, such as `shop/order/Order.java`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<String>,
    /// The methods, in the order of the class files.
    pub(crate) methods: Vec<MethodCoverage>,
    /// The branch outcomes, in the order of the class files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) branches: Vec<BranchCoverage>,
    /// The methods of the test file, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tests: Vec<TestCoverage>,
    /// Mutants that no test is known to kill.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) mutants: Vec<SurvivingMutant>,
}

/// A method with code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MethodCoverage {
    /// As Java declares it: `int classify(int, int, int)`.
    pub(crate) method: String,
    /// Its lines in the source file.
    pub(crate) lines: NumberSet,
    /// Its control flow; absent where it decides nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) flow: Option<MethodFlow>,
}

/// The control flow graph of a method. A block has its place as its name: `B0` is the entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MethodFlow {
    /// The lines of each block.
    pub(crate) blocks: Vec<NumberSet>,
    /// The ways between them.
    pub(crate) edges: Vec<FlowWay>,
}

/// A way from one block to another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FlowWay {
    /// Place of the block in [`MethodFlow::blocks`].
    pub(crate) from: usize,
    /// The same.
    pub(crate) to: usize,
    /// What holds on this way, as the source would say it; empty where nothing is decided.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) condition: String,
    /// Place of the outcome in [`ClassCoverage::branches`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) branch: Option<u32>,
    /// The outcome is one of a condition, not of a switch.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_of_condition: bool,
    /// An exception takes it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_exception: bool,
}

/// One outcome of a conditional jump or switch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BranchCoverage {
    /// Place of its method in [`ClassCoverage::methods`].
    pub(crate) method: usize,
    /// 0 where the class file has no line numbers.
    pub(crate) line: u32,
    /// What holds on this way, as the source would say it; empty where a test takes it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) condition: String,
    /// Why no test takes it; absent where a test does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) open: Option<String>,
}

/// What one test method covers, with all rows of its table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TestCoverage {
    /// Name of the method.
    pub(crate) name: String,
    /// Lines of the source file.
    pub(crate) lines: NumberSet,
    /// Places in [`ClassCoverage::branches`].
    #[serde(default, skip_serializing_if = "NumberSet::is_empty")]
    pub(crate) branches: NumberSet,
}

/// A mutant that no test is known to kill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SurvivingMutant {
    /// 0 where the class file has no line numbers.
    pub(crate) line: u32,
    /// What it changes, in words.
    pub(crate) change: String,
}

impl ClassCoverage {
    /// The source file of the class below a folder of sources, where the class file names it.
    pub(crate) fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// The names of the test methods, in the order of the file.
    pub fn test_names(&self) -> impl Iterator<Item = &str> {
        self.tests.iter().map(|test| test.name.as_str())
    }

    /// Keeps the branches of methods with such a name, as in the class file.
    pub(crate) fn retain_method(&mut self, is_wanted: impl Fn(&str) -> bool) {
        let is_of = |method: &MethodCoverage| {
            let before = method.method.split('(').next().unwrap_or_default();
            let name = if before.starts_with("new ") { "<init>" } else { before.rsplit(' ').next().unwrap_or_default() };
            is_wanted(name)
        };
        let wanted: Vec<bool> = self.methods.iter().map(is_of).collect();
        self.branches.retain(|branch| wanted.get(branch.method).copied().unwrap_or_default());
        // Their places have changed.
        self.tests.clear();
    }

    /// All lines with code.
    pub(crate) fn lines(&self) -> NumberSet {
        self.methods.iter().flat_map(|method| method.lines.iter()).collect()
    }

    /// The lines that a test covers.
    pub(crate) fn covered_lines(&self) -> NumberSet {
        self.tests.iter().flat_map(|test| test.lines.iter()).collect()
    }
}

/// A set of numbers. Its text form has ranges, such as `3-5,9`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NumberSet(BTreeSet<u32>);

impl NumberSet {
    /// In ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().copied()
    }

    /// Whether the number is in the set.
    pub(crate) fn contains(&self, number: u32) -> bool {
        self.0.contains(&number)
    }

    /// Whether there is no number in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<u32> for NumberSet {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> NumberSet {
        NumberSet(numbers.into_iter().collect())
    }
}

impl fmt::Display for NumberSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut numbers = self.iter().peekable();
        let mut separator = "";
        while let Some(first) = numbers.next() {
            let mut last = first;
            while let Some(next) = numbers.next_if(|next| *next == last + 1) {
                last = next;
            }
            write!(f, "{separator}{first}")?;
            if last > first {
                write!(f, "-{last}")?;
            }
            separator = ",";
        }
        Ok(())
    }
}

impl FromStr for NumberSet {
    type Err = String;

    fn from_str(text: &str) -> Result<NumberSet, String> {
        let mut numbers = BTreeSet::new();
        for range in text.split(',').filter(|range| !range.is_empty()) {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            match (first.parse::<u32>(), last.parse::<u32>()) {
                // A class file has at most 65,535 lines, a class never more branches than bytes.
                (Ok(first), Ok(last)) if first <= last && last - first <= 1 << 24 => numbers.extend(first..=last),
                _ => return Err(format!("`{range}` is no range of numbers")),
            }
        }
        Ok(NumberSet(numbers))
    }
}

impl Serialize for NumberSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for NumberSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<NumberSet, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_ranges_and_read_again() {
        for (numbers, text) in [(vec![], ""), (vec![7], "7"), (vec![3, 4, 5, 9], "3-5,9"), (vec![1, 3, 4], "1,3-4")] {
            let set: NumberSet = numbers.into_iter().collect();
            assert_eq!(set.to_string(), text);
            assert_eq!(text.parse::<NumberSet>(), Ok(set));
        }
        for text in ["x", "5-3", "1--2", "0-4294967295"] {
            assert!(text.parse::<NumberSet>().is_err(), "{text}");
        }
    }

    #[test]
    fn lines_of_methods_and_tests_are_put_together() {
        let lines = |text: &str| text.parse::<NumberSet>().expect("ranges");
        let method = |text: &str| MethodCoverage { method: "void f()".into(), lines: lines(text), flow: None };
        let test = |text: &str| TestCoverage { name: "f".into(), lines: lines(text), ..TestCoverage::default() };
        let coverage = ClassCoverage {
            methods: vec![method("1-3"), method("3,7")],
            tests: vec![test("1"), test("7")],
            ..ClassCoverage::default()
        };
        assert_eq!((coverage.lines().to_string(), coverage.covered_lines().to_string()), ("1-3,7".into(), "1,7".into()));
        let json = serde_json::to_string(&coverage).expect("serialises");
        assert_eq!(serde_json::from_str::<ClassCoverage>(&json).expect("is read"), coverage);
    }
}
