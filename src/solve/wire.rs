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
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if begun.is_some() == matches!(word, "query" | "apart") {
            return Err(format!("`{word}` in the wrong place"));
        }
        let wrong = |error: &dyn std::fmt::Display| format!("{error} in `{word} …`");
        match word {
            "query" | "apart" => {
                begun = Some(if word == "apart" { Isolation::Isolated } else { Isolation::Shared });
                let mut numbers = rest.split(' ').map(|number| number.parse::<u64>().map_err(|error| wrong(&error)));
                let resources = numbers.next().ok_or("a query without limits")??;
                query.limits.resources = u32::try_from(resources).map_err(|error| wrong(&error))?;
                query.limits.wall = numbers.next().transpose()?.map(Duration::from_millis);
            }
            "define" => {
                let (name, term) = rest.split_once(' ').ok_or("a name without a term")?;
                reader.define(name, term).map_err(|error| wrong(&error))?;
            }
            "clause" => {
                let clause = reader.term(rest).map_err(|error| wrong(&error))?;
                query.clauses.push(clause);
            }
            "seed" => query.seed = rest.parse().map_err(|()| "a malformed model".to_string())?,
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
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "sat" => rest.parse().ok().map(Outcome::Sat),
        "unsat" => {
            let core: Vec<usize> = rest.split_ascii_whitespace().map(|position| position.parse().ok()).collect::<Option<_>>()?;
            let ascending = core.windows(2).all(|pair| pair[0] < pair[1]);
            (ascending && core.last().is_none_or(|last| *last < clauses)).then_some(Outcome::Unsat { core })
        }
        "unknown" => {
            let (kind, detail) = rest.split_once(' ').unwrap_or((rest, ""));
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
