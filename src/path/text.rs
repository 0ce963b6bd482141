//! The text form of path conditions (`docs/formats/queries.md`), one clause a line:
//!
//! ```text
//! path <signature> <branches> <dropped>
//! <kind> <statement> <method> @<bci> =<outcome>: <term> | =<outcome>: <term>
//! passed <method> @<bci> =<outcome>
//! concretised
//! watched <depth> <step>
//! ```
//!
//! A `passed` line is a concrete branch, a `watched` line a step of the watched method. `concretised`
//! precedes the first clause that is not exact.
//! `parse(print(p)) == p`.

use std::fmt::Write as _;
use std::iter::Peekable;

use tracewright_text::{Escaping, LineCursor, ParseError};

use super::{BranchOutcome, Clause, ClauseKind, ConcreteBranch, PathCondition, StepKind, WatchedStep};
use crate::expr::{TermId, TermStore};
use crate::program::{ClassName, MethodRef};

impl PathCondition {
    /// Prints the text form, which ends with a newline.
    pub fn print(&self, terms: &TermStore) -> String {
        let mut out = format!("path {:016x} {} {}\n", self.signature, self.branches, self.dropped);
        let mut passed = self.concrete_branches.iter().peekable();
        let mut watched = self.watched.iter().peekable();
        for (index, clause) in self.clauses.iter().enumerate() {
            print_passed(&mut passed, index, &mut out);
            print_watched(&mut watched, index, terms, &mut out);
            if self.inexact_from == Some(index) {
                out.push_str("concretised\n");
            }
            print_clause(clause, terms, &mut out);
            out.push('\n');
        }
        print_passed(&mut passed, self.clauses.len(), &mut out);
        print_watched(&mut watched, self.clauses.len(), terms, &mut out);
        if self.inexact_from.is_some_and(|from| from >= self.clauses.len()) {
            out.push_str("concretised\n");
        }
        out
    }

    /// Reads the text form. Terms are built in the store as they are written, without
    /// simplification.
    ///
    /// # Errors
    /// The first line that is no line of a path condition.
    pub fn parse(text: &str, terms: &mut TermStore) -> Result<PathCondition, ParseError> {
        let mut path = PathCondition::default();
        for (index, line) in text.lines().enumerate() {
            let fail = |reason: String| ParseError::at_index(index, reason);
            if index == 0 {
                path.parse_header(LineCursor::new(line)).map_err(fail)?;
            } else if line == "concretised" {
                path.mark_inexact();
            } else if let Some(passed) = line.strip_prefix("passed ") {
                let mut words = LineCursor::new(passed);
                let site = parse_site(&mut words).and_then(|site| words.end().map(|()| site));
                path.push_concrete_branch(site.map_err(fail)?);
            } else if let Some(step) = line.strip_prefix("watched ") {
                let clauses_before = path.clauses.len() as u32;
                path.watched.push(parse_step(step, clauses_before, terms).map_err(fail)?);
            } else if !line.trim().is_empty() {
                path.clauses.push(parse_clause(line, terms).map_err(fail)?);
            }
        }
        Ok(path)
    }

    /// Reads `path <signature> <branches> <dropped>`.
    fn parse_header(&mut self, mut line: LineCursor<'_>) -> Result<(), String> {
        line.expect("path")?;
        self.signature = line.hexadecimal()?;
        self.branches = line.number()?;
        self.dropped = line.number()?;
        line.end()
    }
}

fn print_passed<'p>(passed: &mut Peekable<impl Iterator<Item = &'p ConcreteBranch>>, clauses: usize, out: &mut String) {
    while let Some(ConcreteBranch { site, .. }) = passed.next_if(|passed| passed.clauses_before as usize <= clauses) {
        let _ = writeln!(out, "passed {} @{} ={}", print_method(&site.method), site.bci, site.outcome);
    }
}

fn print_watched<'p>(
    watched: &mut Peekable<impl Iterator<Item = &'p WatchedStep>>,
    clauses: usize,
    terms: &TermStore,
    out: &mut String,
) {
    while let Some(step) = watched.next_if(|step| step.clauses_before as usize <= clauses) {
        let _ = match &step.kind {
            StepKind::Entered => writeln!(out, "watched {} entered", step.depth),
            StepKind::Decided { bci, outcome, term: None } => {
                writeln!(out, "watched {} decided @{bci} ={outcome}", step.depth)
            }
            StepKind::Decided { bci, outcome, term: Some(term) } => {
                writeln!(out, "watched {} decided @{bci} ={outcome}: {}", step.depth, terms.print(*term))
            }
            StepKind::Threw { bci } => writeln!(out, "watched {} threw @{bci}", step.depth),
            StepKind::Caught { bci } => writeln!(out, "watched {} caught @{bci}", step.depth),
            StepKind::Returned => writeln!(out, "watched {} returned", step.depth),
        };
    }
}

/// Reads the rest of a `watched` line.
fn parse_step(text: &str, clauses_before: u32, terms: &mut TermStore) -> Result<WatchedStep, String> {
    let (head, term) = text.split_once(": ").map_or((text, None), |(head, term)| (head, Some(term)));
    let mut words = LineCursor::new(head);
    let depth = words.number()?;
    let kind = match words.word() {
        "entered" => StepKind::Entered,
        "returned" => StepKind::Returned,
        "threw" => StepKind::Threw { bci: words.prefixed_number("@")? },
        "caught" => StepKind::Caught { bci: words.prefixed_number("@")? },
        "decided" => {
            let (bci, outcome) = (words.prefixed_number("@")?, words.prefixed_number("=")?);
            let term = term.map(|term| parse_term(term, terms)).transpose()?;
            StepKind::Decided { bci, outcome, term }
        }
        other => return Err(format!("no step `{other}`")),
    };
    words.end()?;
    Ok(WatchedStep { depth, clauses_before, kind })
}

/// Reads `<method> @<bci> =<outcome>`.
fn parse_site(words: &mut LineCursor<'_>) -> Result<BranchOutcome, String> {
    let method = next_method(words)?;
    Ok(BranchOutcome { method, bci: words.prefixed_number("@")?, outcome: words.prefixed_number("=")? })
}

/// Appends the line of a clause without its newline.
pub(crate) fn print_clause(clause: &Clause, terms: &TermStore, out: &mut String) {
    let site = &clause.site;
    let name = clause.kind.name();
    let _ = write!(out, "{name} {} {} @{} ={}: ", clause.statement, print_method(&site.method), site.bci, site.outcome);
    out.push_str(&terms.print(clause.term));
    for (outcome, term) in &clause.others {
        let _ = write!(out, " | ={outcome}: {}", terms.print(*term));
    }
}

/// Reads the line of a clause; the error says what was expected.
pub(crate) fn parse_clause(line: &str, terms: &mut TermStore) -> Result<Clause, String> {
    let mut ways = line.split(" | ");
    let (head, first) = ways.next().and_then(|way| way.split_once(": ")).ok_or("no `: `")?;
    let mut words = LineCursor::new(head);
    let kind = next_kind(&mut words)?;
    let statement = words.number()?;
    let site = parse_site(&mut words)?;
    words.end()?;
    let term = parse_term(first, terms)?;
    let mut others = Vec::new();
    for way in ways {
        let (outcome, text) = way.split_once(": ").ok_or("no `: ` after `|`")?;
        others.push((LineCursor::new(outcome).prefixed_number("=")?, parse_term(text, terms)?));
    }
    Ok(Clause { term, site, kind, statement, others })
}

fn parse_term(text: &str, terms: &mut TermStore) -> Result<TermId, String> {
    terms.parse(text).map_err(|error| error.to_string())
}

/// Reads the kind of a clause, which is the next word.
///
/// # Errors
/// The word names no kind.
pub(crate) fn next_kind(words: &mut LineCursor<'_>) -> Result<ClauseKind, String> {
    let kind = words.word();
    ClauseKind::ALL.into_iter().find(|known| known.name() == kind).ok_or_else(|| format!("no kind `{kind}`"))
}

/// Reads a method, which is the next word, as [`print_method`] prints it.
///
/// # Errors
/// The word is no method.
pub(crate) fn next_method(words: &mut LineCursor<'_>) -> Result<MethodRef, String> {
    let method = words.word();
    parse_method(method).ok_or_else(|| format!("no method `{method}`"))
}

/// Prints `owner.name(descriptor)`. Separators inside names, which JVMS §4.2.2 allows, become
/// `%<hex>;`.
pub(crate) fn print_method(method: &MethodRef) -> String {
    format!("{}.{}{}", escaped(method.owner.internal()), escaped(&method.name), escaped_with(&method.descriptor, &[' ', '|']))
}

/// Reads what [`print_method`] prints; `None` where the text is no method.
pub(crate) fn parse_method(text: &str) -> Option<MethodRef> {
    let parenthesis = text.find('(')?;
    let (owner, name) = text[..parenthesis].rsplit_once('.')?;
    Some(MethodRef::new(ClassName::new(&unescaped(owner)?), &unescaped(name)?, &unescaped(&text[parenthesis..])?))
}

fn escaped(name: &str) -> String {
    escaped_with(name, &[' ', '|', '(', ')', ':', '.'])
}

/// The name with `%`, white space and the special characters written as `%<hex>;`.
pub(crate) fn escaped_with(name: &str, special: &[char]) -> String {
    Escaping::PERCENT.escape(name, |c| c != '%' && !c.is_whitespace() && !special.contains(&c))
}

/// The inverse of [`escaped_with`]; `None` where an escape is malformed.
pub(crate) fn unescaped(text: &str) -> Option<String> {
    Escaping::PERCENT.unescape(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
path 00000000000000ff 3 1
jump 1 demo/Triangle.classify(III)I @4 =0: (bvslt v0 v1:long) | =1: (not (bvslt v0 v1:long))
passed demo/Triangle.isOdd(I)Z @7 =1
passed demo/Triangle.isOdd(I)Z @9 =0
switch 2 demo/T.a%20;b()V @17 =2: (= v0 3) | =0: (= v0 1) | =1: (= v0 2)
concretised
bounds 2 demo/T.<init>([I)V @0 =1: (bvule 4 v2.length) | =0: (bvult 4 v2.length)
passed demo/T.<init>([I)V @7 =1
";

    #[test]
    fn untaken_outcomes_come_with_their_distance() {
        let mut terms = TermStore::new();
        let text = TEXT.replace(":long", "");
        let path = PathCondition::parse(&text, &mut terms).expect("well-formed");
        let by = |index, most| -> Vec<String> {
            path.untaken_outcomes_after(index, most)
                .iter()
                .map(|(site, between)| format!("@{} ={} {between}", site.bci, site.outcome))
                .collect()
        };
        assert_eq!(by(0, 9), ["@7 =0 0", "@9 =1 0", "@7 =0 2"]);
        assert_eq!(by(0, 1), ["@7 =0 0"]);
        assert_eq!(by(1, 9), ["@7 =0 1"]);
        let decided = path.clauses[0].clone();
        let mut path = PathCondition::default();
        assert!(!path.has_room_for_concrete_branch(), "nothing was decided");
        path.clauses.push(decided);
        let mut kept = 0;
        while path.has_room_for_concrete_branch() {
            let site = path.clauses[0].site.clone();
            path.push_concrete_branch(site);
            kept += 1;
        }
        assert_eq!(kept, 16);
    }

    #[test]
    fn printing_and_parsing_are_inverse() {
        // `v1:long` cannot be compared with an int: the text is refused, not taken for something
        // else.
        let mut terms = TermStore::new();
        assert_eq!(PathCondition::parse(TEXT, &mut terms).map_err(|error| error.line), Err(2));
        let text = TEXT.replace("v1:long", "v1");
        let path = PathCondition::parse(&text, &mut terms).expect("well-formed");
        assert_eq!(path.print(&terms), text);
        assert_eq!(&*path.clauses[1].site.method.name, "a b");
        assert_eq!(PathCondition::parse(&path.print(&terms), &mut terms).expect("own text"), path);
    }

    #[test]
    fn malformed_lines_are_errors() {
        for text in ["", "path", "path x 1 0", "path 0 0 0\nhop 1 a.b()V @0 =0: true", "path 0 0 0\njump 1 ab()V @0 =0: true"] {
            let parsed = PathCondition::parse(text, &mut TermStore::new());
            assert_eq!(parsed.is_err(), !text.is_empty(), "{text}");
        }
    }

    #[test]
    fn paths_with_other_outcomes_have_other_signatures() {
        let sign = |outcomes: &[(u32, u32)]| {
            let mut path = PathCondition::default();
            outcomes.iter().for_each(|&(site, outcome)| path.record_outcome(site, outcome));
            path.signature
        };
        assert_eq!(sign(&[(1, 0), (2, 1)]), sign(&[(1, 0), (2, 1)]));
        assert_ne!(sign(&[(1, 0), (2, 1)]), sign(&[(2, 1), (1, 0)]));
        assert_ne!(sign(&[(1, 0)]), sign(&[(1, 1)]));
    }
}
