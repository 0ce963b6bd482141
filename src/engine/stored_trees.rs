//! Constraint trees that a session keeps for one class under test.
//!
//! Flows in: the session's file, and trees as they are. Flows out: trees to continue from, and the
//! file. The file also keeps the test cases whose alternatives are pending, and for each branch
//! outcome the first test case that took it: no later run would ask for that outcome again. An
//! entry is used while the classes that it depends on have the same bytes. `docs/formats/trees.md`
//! describes the format:
//!
//! ```text
//!   of demo/T 00c0ffee00c0ffee              classes with the hashes of their bytes, before each entry
//!   test                                    a test case, indented
//!     v0: I = int 4
//!   of demo/T 00c0ffee00c0ffee demo/U 00000000000000ff
//!   tree 1 ...                              `ConstraintTree::print`
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tracewright_trace::class_hash;

use crate::expr::TermStore;
use crate::path::text::{escaped_with, unescaped};
use crate::path::{BranchOutcome, PathCondition};
use crate::program::{ClassName, Program};
use crate::recording::{MAX_TREE_FILE_BYTES, read_trees, write_trees};
use crate::testcase::{StatementKind, TestCase};
use crate::tree::{ConstraintTree, TreeKey, TreeLimits, head};

/// Bytes of the text of one tree, at most; a larger tree is not kept.
const MOST_TREE: usize = 4 << 20;
/// Trees of one class, at most. Those of the latest run come first.
const MOST_TREES: usize = 4_000;
/// Test cases for branch outcomes, at most.
const MOST_TESTS: usize = 1_000;
/// Before each line of a test case.
const INDENT: &str = "  ";

/// The entries of one class.
pub(crate) struct StoredTrees<'p> {
    session: PathBuf,
    class: ClassName,
    program: &'p Program,
    trees: BTreeMap<TreeKey, StoredTree>,
    tests: Vec<Arc<TestCase>>,
    /// Branch outcomes that runs of this process took.
    taken_outcomes: BTreeSet<BranchOutcome>,
    hashes: BTreeMap<ClassName, u64>,
    /// Trees that were too large.
    oversized: u64,
    /// Trees that this process continued from.
    resumed: u64,
}

/// The text of one tree.
struct StoredTree {
    /// The tree behind the line of its classes.
    text: String,
    /// Written by this process.
    is_recent: bool,
}

impl std::fmt::Debug for StoredTrees<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoredTrees").field("class", &self.class).field("trees", &self.trees.len()).finish_non_exhaustive()
    }
}

impl<'p> StoredTrees<'p> {
    /// Reads the entries of a class. Gives a sentence for each reason why some are not used.
    pub(crate) fn open(session: &Path, class: &ClassName, program: &'p Program) -> (StoredTrees<'p>, Vec<String>) {
        let mut kept = StoredTrees {
            session: session.to_path_buf(),
            class: class.clone(),
            program,
            trees: BTreeMap::new(),
            tests: Vec::new(),
            taken_outcomes: BTreeSet::new(),
            hashes: BTreeMap::new(),
            oversized: 0,
            resumed: 0,
        };
        let body = match read_trees(session, class) {
            Ok(body) => body.unwrap_or_default(),
            Err(sentence) => return (kept, vec![sentence]),
        };
        let (mut changed, mut unreadable) = (0, 0);
        for (classes, rest) in sections(&body) {
            if !kept.classes_are_unchanged(classes) {
                changed += 1;
            } else if rest.starts_with("tree ") {
                match head(rest) {
                    Ok(key) => {
                        kept.trees.insert(key, StoredTree { text: format!("{classes}\n{rest}"), is_recent: false });
                    }
                    Err(_) => unreadable += 1,
                }
            } else {
                let tests = rest.split("test\n").filter(|text| !text.is_empty()).map(parse_test);
                kept.tests.extend(tests.flatten().filter(|test| is_callable(test, program)).map(Arc::new));
            }
        }
        let mut sentences = Vec::new();
        let name = class.binary();
        if changed > 0 {
            sentences.push(format!("{name}: {changed} parts of what the session knows are not used: their classes have changed"));
        }
        if unreadable > 0 {
            sentences.push(format!("{name}: {unreadable} trees of the session cannot be read and are not used"));
        }
        (kept, sentences)
    }

    /// Test cases to execute again: those for branch outcomes, then those with pending
    /// alternatives.
    pub(crate) fn tests(&self) -> Vec<TestCase> {
        let mut seen = BTreeSet::new();
        let waiting = self.trees.values().flat_map(|text| {
            let runs = text.text.split("\nrun ").skip(1).filter_map(|run| run.split_once('\n'));
            runs.filter_map(|(_, test)| parse_test(test)).collect::<Vec<_>>()
        });
        let tests = self.tests.iter().map(|test| (**test).clone()).chain(waiting);
        tests.filter(|test| is_callable(test, self.program) && seen.insert(test.canonical_hash())).collect()
    }

    /// Removes a stored tree and parses it into `terms`; `None` where there is none that can be
    /// read.
    pub(crate) fn remove_tree(&mut self, key: &TreeKey, terms: &mut TermStore, limits: TreeLimits) -> Option<ConstraintTree> {
        let text = self.trees.remove(key)?;
        let (_, tree) = text.text.split_once('\n')?;
        match ConstraintTree::parse(tree, terms, limits) {
            Ok(tree) => {
                self.resumed += u64::from(!text.is_recent);
                Some(tree)
            }
            Err(error) => {
                tracing::warn!(%error, "a tree of the session cannot be read");
                None
            }
        }
    }

    /// Stores the text of a tree, unless no decision of it depends on an input or it is too large.
    pub(crate) fn insert_tree(&mut self, tree: &ConstraintTree, terms: &TermStore) {
        // A tree without decisions has no alternatives to continue with.
        if tree.is_trivial() {
            return;
        }
        let methods = tree.methods();
        let mut classes: BTreeSet<ClassName> = methods.into_iter().map(|method| method.owner.clone()).collect();
        classes.extend(parse_lines(tree.key().skeleton()).iter().flat_map(owners));
        let text = tree.print(terms);
        if text.len() > MOST_TREE {
            self.oversized += 1;
            return;
        }
        let text = format!("{}\n{text}", self.class_line(&classes));
        self.trees.insert(tree.key().clone(), StoredTree { text, is_recent: true });
    }

    /// Keeps the test case where its run is the first to take some branch outcome.
    pub(crate) fn record_run(&mut self, test: &Arc<TestCase>, path: &PathCondition) {
        let known = self.tests.iter().position(|known| known == test);
        let mut takes_new_outcome = false;
        for clause in &path.clauses {
            takes_new_outcome |= !self.taken_outcomes.contains(&clause.site) && self.taken_outcomes.insert(clause.site.clone());
        }
        match (known, takes_new_outcome) {
            (None, true) if self.tests.len() < MOST_TESTS => self.tests.push(test.clone()),
            (Some(known), false) => {
                self.tests.remove(known);
            }
            _ => {}
        }
    }

    /// Number of trees that this process continued from.
    pub(crate) fn resumed(&self) -> u64 {
        self.resumed
    }

    /// Replaces the file of the session. The error is one sentence, also where some trees had to be
    /// left out.
    pub(crate) fn write(&mut self) -> Result<(), String> {
        let mut classes: BTreeSet<ClassName> = self.tests.iter().flat_map(|test| owners(test)).collect();
        classes.insert(self.class.clone());
        let mut body = self.class_line(&classes) + "\n";
        for test in &self.tests {
            body.push_str("test\n");
            for line in test.to_string().lines() {
                let _ = writeln!(body, "{INDENT}{line}");
            }
        }
        let (recent, old): (Vec<&StoredTree>, Vec<&StoredTree>) = self.trees.values().partition(|text| text.is_recent);
        let (mut count, mut left_out) = (0, self.oversized);
        for text in recent.into_iter().chain(old) {
            if count >= MOST_TREES || body.len() + text.text.len() > MAX_TREE_FILE_BYTES - 64 {
                left_out += 1;
                continue;
            }
            count += 1;
            body.push_str(&text.text);
        }
        write_trees(&self.session, &self.class, &body)?;
        if left_out > 0 {
            return Err(format!("{}: {left_out} trees are too large, or too many, for the session", self.class.binary()));
        }
        Ok(())
    }

    /// The line `of <class> <hash> ...` that comes before an entry.
    fn class_line(&mut self, classes: &BTreeSet<ClassName>) -> String {
        let mut line = String::from("of");
        for class in classes {
            let _ = write!(line, " {} {:016x}", escaped_with(class.internal(), &[' ']), self.hash(class));
        }
        line
    }

    /// Whether the classes of a line have the hashes that the line says.
    fn classes_are_unchanged(&mut self, line: &str) -> bool {
        let words: Vec<&str> = line.split(' ').skip(1).collect();
        words.len().is_multiple_of(2)
            && words.chunks(2).all(|pair| {
                let hash = unescaped(pair[0]).map(|name| self.hash(&ClassName::new(&name)));
                hash.is_some_and(|hash| pair[1] == format!("{hash:016x}"))
            })
    }

    /// Hash of the bytes of a class; 0 where there is no such class.
    fn hash(&mut self, class: &ClassName) -> u64 {
        let program = self.program;
        *self
            .hashes
            .entry(class.clone())
            .or_insert_with(|| program.source().bytes(class).map_or(0, |(bytes, _)| class_hash(&bytes)))
    }
}

/// Parses all trees of a class that a session holds, and counts those that cannot be read. Trees of
/// changed classes are included. The error is one sentence.
pub(crate) fn parse_stored_trees(
    session: &Path,
    class: &ClassName,
    terms: &mut TermStore,
) -> Result<(Vec<ConstraintTree>, u64), String> {
    let body = read_trees(session, class)?.unwrap_or_default();
    let texts = sections(&body).into_iter().map(|(_, rest)| rest).filter(|rest| rest.starts_with("tree "));
    let (mut trees, mut unreadable) = (Vec::new(), 0);
    for text in texts {
        match ConstraintTree::parse(text, terms, TreeLimits::default()) {
            Ok(tree) => trees.push(tree),
            Err(_) => unreadable += 1,
        }
    }
    Ok((trees, unreadable))
}

/// Reads all entries in the body of a file of trees, and counts the trees and test cases that are
/// well-formed.
pub(crate) fn read_stored_entries(body: &str, terms: &mut TermStore) -> (usize, usize) {
    let (mut trees, mut tests) = (0, 0);
    for (_, rest) in sections(body) {
        if rest.starts_with("tree ") {
            let tree = head(rest).is_ok() && ConstraintTree::parse(rest, terms, TreeLimits::default()).is_ok();
            trees += usize::from(tree);
        } else {
            tests += rest.split("test\n").filter(|text| !text.is_empty()).filter_map(parse_test).count();
        }
    }
    (trees, tests)
}

/// The entries of a file: the line of the classes, and the text up to the next such line.
fn sections(body: &str) -> Vec<(&str, &str)> {
    let starts = body.match_indices("of ").map(|(at, _)| at).filter(|&at| at == 0 || body[..at].ends_with('\n'));
    let mut starts: Vec<usize> = starts.collect();
    starts.push(body.len());
    let section = |pair: &[usize]| {
        let text = &body[pair[0]..pair[1]];
        text.split_once('\n').unwrap_or((text, ""))
    };
    starts.windows(2).map(section).collect()
}

/// Parses the test case in the indented lines that a text begins with.
fn parse_test(text: &str) -> Option<TestCase> {
    let lines = text.lines().map_while(|line| line.strip_prefix(INDENT));
    parse_lines(&lines.flat_map(|line| [line, "\n"]).collect::<String>())
}

fn parse_lines(text: &str) -> Option<TestCase> {
    text.parse().ok()
}

/// Classes whose members a test case uses.
fn owners(test: &TestCase) -> Vec<ClassName> {
    let owner = |kind: &StatementKind| match kind {
        StatementKind::Construct { constructor, .. } => Some(constructor.owner.clone()),
        StatementKind::Call { method, .. } => Some(method.owner.clone()),
        StatementKind::GetField { field, .. } | StatementKind::PutField { field, .. } => Some(field.owner.clone()),
        StatementKind::Stub { class, .. } => Some(class.clone()),
        _ => None,
    };
    test.statements.iter().filter_map(|statement| owner(&statement.kind)).collect()
}

/// Whether all classes and members that a test case names exist.
fn is_callable(test: &TestCase, program: &Program) -> bool {
    test.statements.iter().all(|statement| match &statement.kind {
        StatementKind::Construct { constructor: method, .. } | StatementKind::Call { method, .. } => {
            program.resolve(method).is_some()
        }
        StatementKind::GetField { field, .. } | StatementKind::PutField { field, .. } => {
            program.resolve_field_ref(field).is_some()
        }
        StatementKind::Stub { class, answers, .. } => {
            program.class(class).is_some() && answers.iter().all(|answer| program.resolve(&answer.method).is_some())
        }
        _ => true,
    })
}
