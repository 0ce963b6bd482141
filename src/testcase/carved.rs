//! Call sequences carved from recorded executions. A carved sequence is a test case in which some
//! values are unknown. Its text form is that of the test case, then a line `holes: v1 v3`.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use tracewright_text::ParseError;

use super::{TestCase, VarId};

/// A test case with holes. Each hole is a null literal of the wanted type, which the search
/// replaces by a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CarvedSequence {
    pub(crate) test: TestCase,
    /// Variables of null literals in `test`.
    pub(crate) holes: BTreeSet<VarId>,
}

impl fmt::Display for CarvedSequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}holes:", self.test)?;
        for hole in &self.holes {
            write!(f, " {hole}")?;
        }
        writeln!(f)
    }
}

impl FromStr for CarvedSequence {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<CarvedSequence, ParseError> {
        let wrong = |line: usize, reason: &str| ParseError { line, reason: reason.to_owned() };
        let count = text.lines().count();
        let (statements, holes) = match text.trim_end().rsplit_once('\n') {
            Some((statements, holes)) => (format!("{statements}\n"), holes),
            None => (String::new(), text.trim_end()),
        };
        let holes = holes.strip_prefix("holes:").ok_or_else(|| wrong(count, "no line `holes:`"))?;
        let test: TestCase = statements.parse()?;
        let hole = |word: &str| {
            let number = word.strip_prefix('v').and_then(|number| number.parse().ok()).map(VarId);
            number
                .filter(|hole| hole.index() < test.len())
                .ok_or_else(|| wrong(count, "a hole that is no variable of the sequence"))
        };
        let holes = holes.split_whitespace().map(hole).collect::<Result<_, _>>()?;
        Ok(CarvedSequence { test, holes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_carved_sequence_prints_as_it_was_parsed() {
        let text = "v0: Ljava/lang/Object; = null\nv1: I = int 3\nv2: Lp/C; = new p/C.<init> (Ljava/lang/Object;I)V (v0, v1)\nholes: v0\n";
        let sequence: CarvedSequence = text.parse().expect("a sequence");
        assert_eq!(sequence.holes, BTreeSet::from([VarId(0)]));
        assert_eq!(sequence.to_string(), text);
        assert_eq!("holes:\n".parse::<CarvedSequence>(), Ok(CarvedSequence::default()));
        for wrong in ["", "v0: I = int 3\n", "v0: I = int 3\nholes: v1\n", "v0: I = int 3\nholes: x\n"] {
            assert!(wrong.parse::<CarvedSequence>().is_err(), "{wrong}");
        }
    }
}
