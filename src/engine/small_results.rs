//! Short texts where a test asserts a large number.
//!
//! In: a test. Out: the test with texts of one letter. Must not know whether it then shows the same.
//!
//! `hashCode` of an object with the name `value` is 111972721; with the name `a` it is 97 and a bit, which a reader can
//! check.

use std::collections::BTreeMap;

use crate::execution::Snapshot;
use crate::oracle::{AssertedTest, Fact};
use crate::testcase::{Literal, StatementKind, VarId};

/// Numbers with more digits are large, unless they are bounds.
const DIGITS: usize = 6;

/// The test with a letter of its own in place of each text; `None` where it asserts no large number, or has no long
/// text.
pub(super) fn with_short_texts(test: &AssertedTest) -> Option<AssertedTest> {
    if count_large(test) == 0 {
        return None;
    }
    let mut letters: BTreeMap<Vec<u16>, u16> = BTreeMap::new();
    let mut changed = test.clone();
    for variable in (0..test.acted).map(VarId).filter(|variable| !test.test.is_fixed_in_request(*variable)) {
        let kind = &mut changed.test.statements[variable.index()].kind;
        if let StatementKind::Literal(Literal::Str(units)) = kind
            && units.len() > 1
        {
            let next = u16::from(b'a') + letters.len() as u16;
            *units = vec![*letters.entry(units.clone()).or_insert(next)];
        }
    }
    (!letters.is_empty() && letters.len() < 26).then_some(changed)
}

/// The number of large whole numbers that the test asserts.
pub(super) fn count_large(test: &AssertedTest) -> usize {
    let is_large = |fact: &Fact| match fact {
        Fact::Equals(Snapshot::Int(i32::MIN | i32::MAX) | Snapshot::Long(i64::MIN | i64::MAX)) => false,
        Fact::Equals(Snapshot::Int(value)) => digits(i64::from(*value)) > DIGITS,
        Fact::Equals(Snapshot::Long(value)) => digits(*value) > DIGITS,
        _ => false,
    };
    test.assertions.iter().filter(|assertion| is_large(&assertion.fact)).count()
}

/// The digits that a reader has to compare.
fn digits(value: i64) -> usize {
    value.unsigned_abs().to_string().trim_end_matches('0').len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_code_is_that_of_a_letter() {
        let short = |text: &str, hash: i32| -> Option<String> {
            let text = format!(
                "v0: Ljava/lang/String; = string \"{text}\"\nv1: Lp/T; = new p/T.<init> (Ljava/lang/String;)V (v0)\n\
                 v2: I = call method p/T.hashCode ()I on v1 ()\nassert v2 equals int {hash}\n"
            );
            let test: AssertedTest = text.parse().expect("well-formed");
            with_short_texts(&test)?.test.to_string().lines().next().map(str::to_owned)
        };
        assert_eq!(short("value", 111_972_721).as_deref(), Some("v0: Ljava/lang/String; = string \"a\""));
        assert_eq!(short("value", 9_972), None);
        assert_eq!(short("v", 111_972_721), None);
        assert_eq!(short("value", i32::MIN), None);
    }
}
