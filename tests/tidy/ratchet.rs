//! Violations that are known today: `tests/tidy/<rule>.txt` lists how many each key may have, one
//! `<key> <count>` a line.

use std::collections::BTreeMap;

use crate::repository::root;

/// Violations of one rule, by key: a folder, a file or a name.
#[derive(Debug, Default)]
pub(crate) struct Violations(BTreeMap<String, Vec<String>>);

impl Violations {
    pub(crate) fn add(&mut self, key: &str, description: String) {
        self.0.entry(key.to_owned()).or_default().push(description);
    }

    /// Fails where a key has more violations than its list allows, or, with
    /// `TRACEWRIGHT_STRICT_TIDY=1`, fewer.
    #[track_caller]
    pub(crate) fn check(&self, rule: &str) {
        let path = root().join(format!("tests/tidy/{rule}.txt"));
        if std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1") {
            let lines: String = self.0.iter().map(|(key, found)| format!("{key} {}\n", found.len())).collect();
            std::fs::write(&path, lines).expect("a writable list");
            return;
        }
        let list = std::fs::read_to_string(&path).unwrap_or_default();
        let is_strict = std::env::var_os("TRACEWRIGHT_STRICT_TIDY").is_some_and(|value| value == "1");
        let problems = self.compare(&list, is_strict);
        assert!(problems.is_empty(), "{rule} (tests/tidy/{rule}.txt lists what is allowed):\n{}", problems.join("\n"));
    }

    fn compare(&self, list: &str, is_strict: bool) -> Vec<String> {
        let allowed: BTreeMap<&str, usize> = list
            .lines()
            .filter_map(|line| line.rsplit_once(' '))
            .filter_map(|(key, count)| Some((key, count.parse().ok()?)))
            .collect();
        let mut problems = Vec::new();
        for (key, found) in &self.0 {
            let limit = allowed.get(key.as_str()).copied().unwrap_or(0);
            if found.len() > limit {
                let shown = found[..found.len().min(20)].join("\n  ");
                problems.push(format!("{key}: {} instead of {limit}, among them\n  {shown}", found.len()));
            }
        }
        let unneeded = allowed.iter().filter(|(key, limit)| self.0.get(**key).map_or(0, Vec::len) < **limit);
        problems.extend(unneeded.filter(|_| is_strict).map(|(key, limit)| format!("{key}: fewer than the listed {limit}")));
        problems
    }
}

#[test]
fn violations_beyond_the_list_are_reported() {
    let mut violations = Violations::default();
    for _ in 0..3 {
        violations.add("src", "a line".into());
    }
    assert_eq!(violations.compare("src 3\n", true), Vec::<String>::new());
    assert_eq!(violations.compare("", false).len(), 1);
    assert_eq!(violations.compare("src 2\n", false).len(), 1);
    assert_eq!(violations.compare("src 4\nagent 1\n", false), Vec::<String>::new());
    assert_eq!(violations.compare("src 4\nagent 1\n", true).len(), 2);
}
