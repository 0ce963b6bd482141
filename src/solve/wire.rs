//! The text form of queries and outcomes, which solver processes and logs use
//! (docs/formats/queries.md). In: values or text; out: the other.
//!
//! ```text
//! query 3000000            resources, and milliseconds of wall time if limited; `apart`: isolated
//! define ?0 (bvadd v0 1)   a subterm that several clauses share
//! clause (bvslt ?0 v1)
//! seed v0=1 v1=2
//! end
//! ```
//! is answered by `sat v0=1 v1=3`, `unsat 0 2` or `unknown resources`, each followed by `used 1234`
//! (resources).

use super::{Limits, Outcome, Query, Reason};
use crate::expr::{Model, Sort, TermId, TermReader, TermStore, TermWriter};
use std::fmt::Write as _;
use std::time::Duration;
use tracewright_text::LineCursor;

/// Whether a solver may learn from a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// By the incremental solver, which keeps what it learns.
    Shared,
    /// By a fresh solver; nothing is kept.
    Isolated,
}

/// The lines of a query, from `query` or `apart` to `end`.
pub fn write_query(terms: &TermStore, query: &Query, isolation: Isolation) -> String {
    let word = if isolation == Isolation::Isolated { "apart" } else { "query" };
    let mut text = format!("{word} {}", query.limits.resources);
    if let Some(wall) = query.limits.wall {
        write!(text, " {}", wall.as_millis()).expect("writing to a string");
    }
    text.push('\n');
    let mut writer = TermWriter::new(terms, &query.clauses);
    for clause in &query.clauses {
        for (name, term) in writer.definitions(*clause) {
            writeln!(text, "define {name} {term}").expect("writing to a string");
        }
        writeln!(text, "clause {}", writer.term(*clause)).expect("writing to a string");
    }
    writeln!(text, "seed {}\nend", query.seed).expect("writing to a string");
    text
}

/// Parses the lines of a query, from `query` or `apart` to `end`. The error is one sentence that
/// names the word.
pub(crate) fn read_query<'t>(
    terms: &mut TermStore,
    lines: impl IntoIterator<Item = &'t str>,
) -> Result<(Query, Isolation), String> {
    let mut reader = TermReader::new(terms);
    let mut query = Query { clauses: Vec::new(), seed: Model::new(), limits: Limits::default() };
    let mut begun = None;
    for line in lines {
        let mut line = LineCursor::new(line);
        let word = line.word();
        if begun.is_some() == matches!(word, "query" | "apart") {
            return Err(format!("`{word}` in the wrong place"));
        }
        let wrong = |error: String| format!("{error} in `{word} …`");
        match word {
            "query" | "apart" => {
                begun = Some(if word == "apart" { Isolation::Isolated } else { Isolation::Shared });
                query.limits.resources = line.number().map_err(wrong)?;
                if !line.is_at_end() {
                    query.limits.wall = Some(Duration::from_millis(line.number().map_err(wrong)?));
                }
            }
            "define" => reader.define(line.word(), line.rest()).map_err(wrong)?,
            "clause" => query.clauses.push(reader.term(line.rest()).map_err(wrong)?),
            "seed" => query.seed = line.rest().parse().map_err(|()| "a malformed model".to_string())?,
            "end" => {
                let is_clause = |clause: &TermId| terms.sort(*clause) == Sort::Bool;
                return match begun {
                    Some(isolation) if query.clauses.iter().all(is_clause) => Ok((query, isolation)),
                    _ => Err("a clause that is no clause".into()),
                };
            }
            _ => return Err(format!("unknown word `{word}`")),
        }
    }
    Err("the query does not end".into())
}

/// One line without its end.
pub fn write_outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Sat(model) => format!("sat {model}").trim_end().to_string(),
        Outcome::Unsat { core } => {
            let mut text = "unsat".to_string();
            for position in core {
                write!(text, " {position}").expect("writing to a string");
            }
            text
        }
        Outcome::Unknown(reason) => {
            let detail = match reason {
                Reason::Unsupported(detail)
                | Reason::Descent(detail)
                | Reason::GaveUp(detail)
                | Reason::Died(detail)
                | Reason::Garbage(detail) => detail,
                Reason::Resources | Reason::Time | Reason::Size | Reason::WrongModel => "",
            };
            let detail = detail.replace(['\n', '\r'], " ");
            format!("unknown {} {detail}", reason.kind()).trim_end().to_string()
        }
    }
}

/// Reads an outcome; `None` where the line is no outcome of a query with this many clauses.
pub(crate) fn read_outcome(line: &str, clauses: usize) -> Option<Outcome> {
    let mut line = LineCursor::new(line);
    match line.word() {
        "sat" => line.rest().parse().ok().map(Outcome::Sat),
        "unsat" => {
            let mut core: Vec<usize> = Vec::new();
            while !line.is_at_end() {
                let position = line.number().ok()?;
                if position >= clauses || core.last().is_some_and(|last| position <= *last) {
                    return None;
                }
                core.push(position);
            }
            Some(Outcome::Unsat { core })
        }
        "unknown" => {
            let (kind, detail) = (line.word(), line.verbatim());
            let reason = match kind {
                "resources" => Reason::Resources,
                "time" => Reason::Time,
                "size" => Reason::Size,
                "unsupported" => Reason::Unsupported(detail.into()),
                "descent" => Reason::Descent(detail.into()),
                "gave-up" => Reason::GaveUp(detail.into()),
                "wrong-model" => Reason::WrongModel,
                "died" => Reason::Died(detail.into()),
                "garbage" => Reason::Garbage(detail.into()),
                _ => return None,
            };
            Some(Outcome::Unknown(reason))
        }
        _ => None,
    }
}
