//! What the comments of `samples/guards` ask for (`samples/README.md`). In: sources; out: goals, and sources that tell when one is reached.
//! Also compiled into `tests/guards.rs`, so that benchmark and test mean the same. Must not know of cargo, or of how the program works.

use std::path::{Path, PathBuf};

/// One small class with a guard.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    /// Simple name of the class.
    pub name: String,
    pub file: PathBuf,
    /// The release of Java that its source needs.
    pub release: u32,
    pub source: String,
    pub goals: Vec<Goal>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Goal {
    /// 1-based.
    pub line: u32,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Some test gets there.
    Reached,
    /// No test gets there, for this reason.
    Infeasible(String),
    /// A test could get there, but no symbolic execution finds it, for this reason.
    Cannot(String),
}

/// Where the guards of one release are.
const FOLDERS: [(&str, u32); 2] = [("samples/guards", 17), ("samples/guards/jdk21", 21)];

impl Guard {
    /// Binary name.
    pub(super) fn class(&self) -> String {
        format!("samples.guards.{}", self.name)
    }

    /// How many goals some test can reach and symbolic execution should find.
    pub(super) fn feasible(&self) -> usize {
        self.goals.iter().filter(|goal| goal.kind == Kind::Reached).count()
    }

    /// The source with a call of `Reached.goal` before what stands on the line of each goal.
    pub(super) fn marked(&self) -> String {
        let mut text = String::new();
        for (number, line) in (1..).zip(self.source.lines()) {
            if self.goals.iter().any(|goal| goal.line == number) {
                text.push_str(&format!("Reached.goal(\"{} {number}\"); ", self.name));
            }
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}

/// All guards, by name; the sentence says which comment is wrong.
pub(super) fn guards(root: &Path) -> Result<Vec<Guard>, String> {
    let mut guards = Vec::new();
    for (folder, release) in FOLDERS {
        let entries = std::fs::read_dir(root.join(folder)).map_err(|error| format!("{folder}: {error}"))?;
        for entry in entries {
            let file = entry.map_err(|error| format!("{folder}: {error}"))?.path();
            let Some(name) = file.file_name().and_then(|name| name.to_str()?.strip_suffix(".java")) else { continue };
            let source = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            let goals = goals(&source).map_err(|problem| format!("{}: {problem}", file.display()))?;
            guards.push(Guard { name: name.to_owned(), file: file.clone(), release, source, goals });
        }
    }
    guards.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(guards)
}

fn goals(source: &str) -> Result<Vec<Goal>, String> {
    let mut goals = Vec::new();
    if !source.starts_with("// Feature: ") {
        return Err("it does not begin with `// Feature: `".into());
    }
    for (line, text) in (1..).zip(source.lines()) {
        let Some((statement, goal)) = text.split_once("// goal:") else { continue };
        let kind = match goal.trim().split_once(", ") {
            None if goal.trim() == "reached" => Kind::Reached,
            Some(("infeasible", reason)) if !reason.is_empty() => Kind::Infeasible(reason.to_owned()),
            Some(("cannot", reason)) if !reason.is_empty() => Kind::Cannot(reason.to_owned()),
            _ => {
                return Err(format!(
                    "line {line}: `{}` is none of `reached`, `infeasible, REASON`, `cannot, REASON`",
                    goal.trim()
                ));
            }
        };
        if !statement.trim_end().ends_with(';') {
            return Err(format!("line {line}: a goal is a statement"));
        }
        goals.push(Goal { line, kind });
    }
    if goals.is_empty() {
        return Err("it has no goal".into());
    }
    Ok(goals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_goals() {
        let source = "// Feature: x\nclass A {\n  void f() { }\n  {\n    g(); // goal: reached\n    h(); // goal: cannot, no clock\n  }\n}\n";
        let goals = goals(source).expect("well-formed");
        assert_eq!(goals, [Goal { line: 5, kind: Kind::Reached }, Goal { line: 6, kind: Kind::Cannot("no clock".into()) }]);
        let guard = Guard { name: "A".into(), file: PathBuf::new(), release: 17, source: source.into(), goals };
        assert_eq!((guard.feasible(), guard.class()), (1, "samples.guards.A".into()));
        assert!(guard.marked().contains("\nReached.goal(\"A 5\");     g(); // goal"), "{}", guard.marked());
    }

    #[test]
    fn wrong_comments_are_named() {
        for (source, problem) in [
            (
                "// Feature: x\nf(); // goal: perhaps",
                "line 2: `perhaps` is none of `reached`, `infeasible, REASON`, `cannot, REASON`",
            ),
            (
                "// Feature: x\nf(); // goal: cannot",
                "line 2: `cannot` is none of `reached`, `infeasible, REASON`, `cannot, REASON`",
            ),
            ("// Feature: x\nif (y) { // goal: reached", "line 2: a goal is a statement"),
            ("// Feature: x\nf();", "it has no goal"),
            ("f(); // goal: reached", "it does not begin with `// Feature: `"),
        ] {
            assert_eq!(goals(source), Err(problem.into()), "{source}");
        }
    }
}
