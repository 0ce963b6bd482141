//! Shards: one generation divided over several machines.
//!
//! Flows in: `--shard I/N` or the variables of CI systems and job arrays, and the expected cost of
//! each class. Flows out: whether a class belongs to this machine, equal on every machine. Must not
//! know what makes a class costly.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::str::FromStr;

/// Part `number` of `of` parts, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: u32,
    of: u32,
}

/// The variables in which a system tells a job its part.
struct ShardVariables {
    name: &'static str,
    number: &'static str,
    /// The number of the first part.
    first: u32,
    total: &'static str,
}

/// The variables are read in this order: a test runner may run inside the job of a CI system.
const SHARD_VARIABLES: [ShardVariables; 4] = [
    ShardVariables { name: "Bazel", number: "TEST_SHARD_INDEX", first: 0, total: "TEST_TOTAL_SHARDS" },
    ShardVariables { name: "GitLab", number: "CI_NODE_INDEX", first: 1, total: "CI_NODE_TOTAL" },
    ShardVariables { name: "CircleCI", number: "CIRCLE_NODE_INDEX", first: 0, total: "CIRCLE_NODE_TOTAL" },
    ShardVariables { name: "Buildkite", number: "BUILDKITE_PARALLEL_JOB", first: 0, total: "BUILDKITE_PARALLEL_JOB_COUNT" },
];

impl Shard {
    fn new(number: u32, of: u32) -> Option<Shard> {
        (1..=of).contains(&number).then_some(Shard { number, of })
    }

    /// Whether there is more than one part.
    pub(crate) fn is_part(self) -> bool {
        self.of > 1
    }

    /// The part that the variables give, and the name of the system; `None` without such variables,
    /// or where there is one part only. `variable` gives the value of a variable.
    ///
    /// The error is one sentence about variables that contradict each other: otherwise some classes
    /// would get no tests.
    pub(crate) fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Option<(Shard, &'static str)>, String> {
        let read = |name: &str| variable(name).filter(|text| !text.is_empty());
        let whole = |name: &str| -> Result<Option<u32>, String> {
            let number = |text: String| text.trim().parse().map_err(|_| format!("{name} is `{text}`, which is no number"));
            read(name).map(number).transpose()
        };
        for ShardVariables { name, number, first, total } in SHARD_VARIABLES {
            let (Some(found), Some(of)) = (whole(number)?, whole(total)?) else { continue };
            let shard = found.checked_sub(first).and_then(|before| Shard::new(before.checked_add(1)?, of));
            let shard = shard
                .ok_or_else(|| format!("{number} is {found} and {total} is {of}: there is no such part; give --shard I/N"))?;
            return Ok(Some((shard, name)).filter(|(shard, _)| shard.is_part()));
        }
        if let Some(found) = whole("SLURM_ARRAY_TASK_ID")? {
            let name = "SLURM_ARRAY_TASK_ID";
            let of = whole("SLURM_ARRAY_TASK_COUNT")?
                .ok_or_else(|| format!("{name} is set without SLURM_ARRAY_TASK_COUNT: give --shard I/N"))?;
            let (least, step) =
                (whole("SLURM_ARRAY_TASK_MIN")?.unwrap_or(0), whole("SLURM_ARRAY_TASK_STEP")?.unwrap_or(1).max(1));
            let shard =
                found.checked_sub(least).filter(|after| after % step == 0).and_then(|after| Shard::new(after / step + 1, of));
            // The tasks of an array may be listed (`--array=1,5,7`). Then the variables do not give
            // the part.
            let shard = shard.ok_or_else(|| format!("{name} is {found}, and the tasks are no plain row: give --shard I/N"))?;
            return Ok(Some((shard, "Slurm")).filter(|(shard, _)| shard.is_part()));
        }
        if let Some(found) = whole("JOB_COMPLETION_INDEX")?
            && let Some(of) = whole("TRACEWRIGHT_SHARDS")?
        {
            let shard = found.checked_add(1).and_then(|number| Shard::new(number, of));
            let shard = shard.ok_or_else(|| {
                format!("JOB_COMPLETION_INDEX is {found} and TRACEWRIGHT_SHARDS is {of}: there is no such part")
            })?;
            return Ok(Some((shard, "Kubernetes")).filter(|(shard, _)| shard.is_part()));
        }
        Ok(None)
    }

    /// Whether each class belongs to this part. `classes` are names with expected costs. Costly
    /// classes are assigned first, each to the part with the least cost so far.
    pub(crate) fn share(self, classes: &[(String, u64)]) -> Vec<bool> {
        let mut order: Vec<usize> = (0..classes.len()).collect();
        order.sort_by_key(|&index| (Reverse(classes[index].1), &classes[index].0));
        let mut loads: BinaryHeap<Reverse<(u64, u32)>> = (1..=self.of).map(|part| Reverse((0, part))).collect();
        let mut mine = vec![false; classes.len()];
        for index in order {
            let Some(Reverse((load, part))) = loads.pop() else { break };
            mine[index] = part == self.number;
            loads.push(Reverse((load.saturating_add(classes[index].1.max(1)), part)));
        }
        mine
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(number, of)| Some((number.trim().parse().ok()?, of.trim().parse().ok()?)));
        parts
            .and_then(|(number, of)| Shard::new(number, of))
            .ok_or_else(|| format!("`{text}` is no part of a whole: write 1/4, 2/4, 3/4 or 4/4"))
    }
}

impl<'de> serde::Deserialize<'de> for Shard {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Shard, D::Error> {
        <String as serde::Deserialize>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment_says(variables: &str) -> String {
        let variable = |name: &str| {
            let found = variables.split(' ').filter_map(|pair| pair.split_once('=')).find(|(known, _)| *known == name);
            found.map(|(_, value)| value.to_owned())
        };
        match Shard::from_environment(variable) {
            Ok(Some((shard, by))) => format!("{shard} by {by}"),
            Ok(None) => "no part".into(),
            Err(sentence) => sentence,
        }
    }

    #[test]
    fn a_part_is_written_as_it_is_read() {
        for text in ["1/1", "3/4"] {
            assert_eq!(text.parse::<Shard>().expect(text).to_string(), text);
        }
        for text in ["0/4", "5/4", "1/0", "1", "a/b", "-1/2", ""] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_variables_of_each_system_give_the_part() {
        for (variables, expected) in [
            ("", "no part"),
            ("CI_NODE_TOTAL=1", "no part"),
            ("CI_NODE_INDEX=2 CI_NODE_TOTAL=3", "2/3 by GitLab"),
            ("CIRCLE_NODE_INDEX=0 CIRCLE_NODE_TOTAL=1", "no part"),
            ("CIRCLE_NODE_INDEX=2 CIRCLE_NODE_TOTAL=3", "3/3 by CircleCI"),
            ("BUILDKITE_PARALLEL_JOB=0 BUILDKITE_PARALLEL_JOB_COUNT=5", "1/5 by Buildkite"),
            ("TEST_SHARD_INDEX=1 TEST_TOTAL_SHARDS=2 CI_NODE_INDEX=1 CI_NODE_TOTAL=9", "2/2 by Bazel"),
            ("SLURM_ARRAY_TASK_ID=14 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_STEP=2", "3/3 by Slurm"),
            ("SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_COUNT=3", "1/3 by Slurm"),
            (
                "SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1",
                "SLURM_ARRAY_TASK_ID is 7, and the tasks are no plain row: give --shard I/N",
            ),
            ("SLURM_ARRAY_TASK_ID=7", "SLURM_ARRAY_TASK_ID is set without SLURM_ARRAY_TASK_COUNT: give --shard I/N"),
            ("JOB_COMPLETION_INDEX=4", "no part"),
            ("JOB_COMPLETION_INDEX=4 TRACEWRIGHT_SHARDS=5", "5/5 by Kubernetes"),
            (
                "CI_NODE_INDEX=4 CI_NODE_TOTAL=3",
                "CI_NODE_INDEX is 4 and CI_NODE_TOTAL is 3: there is no such part; give --shard I/N",
            ),
            ("CI_NODE_INDEX=x CI_NODE_TOTAL=3", "CI_NODE_INDEX is `x`, which is no number"),
        ] {
            assert_eq!(environment_says(variables), expected, "{variables}");
        }
    }

    #[test]
    fn every_class_belongs_to_one_shard_and_shards_cost_alike() {
        let classes: Vec<(String, u64)> = (0..50).map(|number| (format!("C{number:02}"), number * number % 17 + 1)).collect();
        let parts: Vec<Vec<bool>> = (1..=3).map(|number| Shard { number, of: 3 }.share(&classes)).collect();
        let mut loads = [0; 3];
        for (index, (name, cost)) in classes.iter().enumerate() {
            let of: Vec<usize> = (0..3).filter(|part| parts[*part][index]).collect();
            assert_eq!(of.len(), 1, "{name}");
            loads[of[0]] += cost;
        }
        let (least, most) = (loads.iter().min().expect("three"), loads.iter().max().expect("three"));
        assert!(most - least <= 17, "{loads:?}");
        // The order of the classes does not count.
        let backwards: Vec<(String, u64)> = classes.iter().rev().cloned().collect();
        let mut again = Shard { number: 2, of: 3 }.share(&backwards);
        again.reverse();
        assert_eq!(again, parts[1]);
    }
}
