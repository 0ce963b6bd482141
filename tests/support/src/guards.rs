//! The guards of `samples/guards`: small classes whose comments say which lines symbolic execution
//! should reach.
//!
//! In: Java sources. Out: goals by line, and sources that report when a goal is reached.
//! `samples/README.md` has the form of the comments. Used by `tests/guards.rs` and by `cargo xtask
//! bench guards`, so that both judge the same goals.

use std::path::{Path, PathBuf};

/// A small class with statements behind a condition that is hard to satisfy.
#[derive(Clone, Debug)]
pub struct Guard {
    /// Simple name of the class.
    pub name: String,
    /// Its package.
    pub package: &'static str,
    /// The source file.
    pub file: PathBuf,
    /// The release of Java that the source needs: 17, 21.
    pub release: u32,
    /// The text of the source file.
    pub source: String,
    /// The goals in the order of their lines, at least one.
    pub goals: Vec<Goal>,
}

/// A statement that a test should or cannot reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// 1-based.
    pub line: u32,
    /// What is expected of the program.
    pub kind: GoalKind,
}

/// What is expected of the program at a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoalKind {
    /// Symbolic execution should find a test that reaches the statement.
    Reached,
    /// No test can reach the statement, for this reason.
    Infeasible(String),
    /// A test could reach the statement, but symbolic execution does not find it, for this reason.
    Cannot(String),
    /// Whether a test reaches the statement depends on chance, for this reason. Nothing is
    /// expected.
    ByChance(String),
}

/// The folders of guards, each with the package and the release of Java of its sources.
const FOLDERS: [(&str, &str, u32); 2] =
    [("samples/guards", "samples.guards", 17), ("samples/guards/jdk21", "samples.guards", 21)];
/// The folder of guards that ask for objects of a special shape.
const SHAPES: [(&str, &str, u32); 1] = [("samples/guards/shapes", "samples.guards.shapes", 17)];

impl Guard {
    /// The binary name of the class.
    pub fn class(&self) -> String {
        format!("{}.{}", self.package, self.name)
    }

    /// The number of goals that symbolic execution should reach.
    pub fn feasible(&self) -> usize {
        self.goals.iter().filter(|goal| goal.kind == GoalKind::Reached).count()
    }

    /// The source with a call of `Reached.goal` at the start of the line of each goal.
    pub fn marked(&self) -> String {
        let mut text = String::new();
        for (number, line) in (1..).zip(self.source.lines()) {
            if self.goals.iter().any(|goal| goal.line == number) {
                text.push_str(&format!("samples.guards.Reached.goal(\"{} {number}\"); ", self.name));
            }
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}

/// The guards of single features below the root of the repository, by name.
///
/// # Errors
/// A sentence that names the file and line of a malformed comment, or the folder or file that
/// cannot be read.
pub fn guards(root: &Path) -> Result<Vec<Guard>, String> {
    guards_of(root, &FOLDERS)
}

/// The guards that ask for objects of a special shape, by name.
///
/// # Errors
/// As [`guards`].
pub fn shapes(root: &Path) -> Result<Vec<Guard>, String> {
    guards_of(root, &SHAPES)
}

fn guards_of(root: &Path, folders: &[(&str, &'static str, u32)]) -> Result<Vec<Guard>, String> {
    let mut guards = Vec::new();
    for &(folder, package, release) in folders {
        let entries = std::fs::read_dir(root.join(folder)).map_err(|error| format!("{folder}: {error}"))?;
        for entry in entries {
            let file = entry.map_err(|error| format!("{folder}: {error}"))?.path();
            let Some(name) = file.file_name().and_then(|name| name.to_str()?.strip_suffix(".java")) else { continue };
            let source = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            let goals = goals(&source).map_err(|problem| format!("{}: {problem}", file.display()))?;
            guards.push(Guard { name: name.to_owned(), package, file: file.clone(), release, source, goals });
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
            None if goal.trim() == "reached" => GoalKind::Reached,
            Some(("infeasible", reason)) if !reason.is_empty() => GoalKind::Infeasible(reason.to_owned()),
            Some(("cannot", reason)) if !reason.is_empty() => GoalKind::Cannot(reason.to_owned()),
            Some(("by chance", reason)) if !reason.is_empty() => GoalKind::ByChance(reason.to_owned()),
            _ => {
                return Err(format!(
                    "line {line}: `{}` is none of `reached`, `infeasible, REASON`, `cannot, REASON`, `by chance, REASON`",
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
    fn comments_are_parsed_as_goals() {
        let source = "// Feature: x\nclass A {\n  void f() { }\n  {\n    g(); // goal: reached\n    \
                      h(); // goal: cannot, no clock\n  }\n}\n";
        let goals = goals(source).expect("well-formed");
        assert_eq!(
            goals,
            [Goal { line: 5, kind: GoalKind::Reached }, Goal { line: 6, kind: GoalKind::Cannot("no clock".into()) }]
        );
        let guard = Guard {
            name: "A".into(),
            package: "samples.guards.shapes",
            file: PathBuf::new(),
            release: 17,
            source: source.into(),
            goals,
        };
        assert_eq!((guard.feasible(), guard.class()), (1, "samples.guards.shapes.A".into()));
        let marked = guard.marked();
        assert!(marked.contains("\nsamples.guards.Reached.goal(\"A 5\");     g(); // goal"), "{marked}");
    }

    #[test]
    fn malformed_comments_are_reported_by_line() {
        for (source, problem) in [
            (
                "// Feature: x\nf(); // goal: perhaps",
                "line 2: `perhaps` is none of `reached`, `infeasible, REASON`, `cannot, REASON`, `by chance, REASON`",
            ),
            (
                "// Feature: x\nf(); // goal: cannot",
                "line 2: `cannot` is none of `reached`, `infeasible, REASON`, `cannot, REASON`, `by chance, REASON`",
            ),
            ("// Feature: x\nif (y) { // goal: reached", "line 2: a goal is a statement"),
            ("// Feature: x\nf();", "it has no goal"),
            ("f(); // goal: reached", "it does not begin with `// Feature: `"),
        ] {
            assert_eq!(goals(source), Err(problem.into()), "{source}");
        }
    }
}
