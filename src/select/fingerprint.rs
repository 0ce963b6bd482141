//! Fingerprints of path conditions (tardis §4.2): formulas with common clauses, or clauses of one
//! shape, have common bits. Flows in: the clauses of a slice; flows out: 64 x 16 bits, and the
//! similarity of two of them. Must not know what becomes of a formula.

use crate::expr::{Abstraction, TermId, TermStore};
use crate::slice::sliced;
use crate::tree::Alternative;
use std::collections::HashMap;
use std::fmt;

/// Bits of a row.
const COLUMNS: usize = 64;
const ROWS: usize = 16;
/// Hash functions of a clause.
const HASHES: usize = 3;

/// A two-level Bloom filter. Clauses without values and inputs set bits of the first row; complete
/// clauses set bits in the rows below, in the same columns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bloom {
    /// One word for each row; column 0 is the lowest bit.
    rows: [u64; ROWS],
}

impl Bloom {
    /// Adds a clause by its two hashes.
    pub(crate) fn add(&mut self, clause: ClauseHash) {
        for hash in 0..HASHES {
            let column = bits(clause.shape, hash) as usize % COLUMNS;
            let row = 1 + bits(clause.whole, hash) as usize % (ROWS - 1);
            self.rows[0] |= 1 << column;
            self.rows[row] |= 1 << column;
        }
    }

    /// Reads the text form that `Display` writes; `None` when it is malformed.
    pub(crate) fn parse(text: &str) -> Option<Bloom> {
        let mut bloom = Bloom::default();
        let mut rows = text.split('.');
        for row in &mut bloom.rows {
            let digits = rows.next()?;
            let is_number = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            *row = if digits.is_empty() { 0 } else { u64::from_str_radix(digits, 16).ok().filter(|_| is_number)? };
        }
        rows.next().is_none().then_some(bloom)
    }

    /// Number of bits that are set.
    pub(crate) fn len(&self) -> u32 {
        self.rows.iter().map(|row| row.count_ones()).sum()
    }

    /// Number of bits that both have.
    #[inline]
    pub(crate) fn common(&self, other: &Bloom) -> u32 {
        self.rows.iter().zip(&other.rows).map(|(left, right)| (left & right).count_ones()).sum()
    }

    /// Jaccard similarity: common bits by bits of either, from 0 (nothing in common) to 1 (equal).
    /// Two empty filters are equal.
    #[cfg(test)]
    pub(crate) fn similarity(&self, other: &Bloom) -> f32 {
        jaccard(self.common(other), self.len(), other.len())
    }
}

/// Jaccard similarity of two sets, by the sizes of their intersection and of both; grows when they
/// are alike.
#[inline]
pub fn jaccard(common: u32, left: u32, right: u32) -> f32 {
    match left + right - common {
        0 => 1.0,
        any => common as f32 / any as f32,
    }
}

impl fmt::Debug for Bloom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows: Vec<String> = self.rows.iter().map(|row| format!("{row:016x}")).collect();
        f.write_str(&rows.join("."))
    }
}

/// The rows in hexadecimal with dots between them; an empty row is an empty text.
impl fmt::Display for Bloom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, row) in self.rows.iter().enumerate() {
            f.write_str(if number > 0 { "." } else { "" })?;
            if *row != 0 {
                write!(f, "{row:x}")?;
            }
        }
        Ok(())
    }
}

/// The 21 bits of a hash for one hash function.
fn bits(hash: u64, function: usize) -> u64 {
    hash >> (21 * function) & 0x1f_ffff
}

/// Two hashes of a clause, the same in any term store and any process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClauseHash {
    /// Without constants and identities of inputs: `v7 < 5` and `v2 < 3` have one shape.
    pub(crate) shape: u64,
    pub(crate) whole: u64,
}

/// Hashes of clauses, computed once for the lifetime of a term store.
#[derive(Debug, Default)]
pub struct Hashes {
    known: HashMap<TermId, ClauseHash>,
}

impl Hashes {
    /// The hashes of a clause.
    pub(crate) fn of(&mut self, terms: &TermStore, clause: TermId) -> ClauseHash {
        *self.known.entry(clause).or_insert_with(|| ClauseHash {
            shape: terms.fingerprint(clause, Abstraction::Shape).low(),
            whole: terms.fingerprint(clause, Abstraction::None).low(),
        })
    }

    /// Fingerprint of a formula by its clauses.
    pub(crate) fn bloom(&mut self, terms: &TermStore, clauses: &[TermId]) -> Bloom {
        let mut bloom = Bloom::default();
        for &clause in clauses {
            bloom.add(self.of(terms, clause));
        }
        bloom
    }

    /// Fingerprint of the clauses that decide whether an alternative is feasible: those that share
    /// objects with the last one.
    pub(crate) fn of_alternative(&mut self, terms: &TermStore, alternative: &Alternative) -> Bloom {
        self.bloom(terms, &sliced(terms, &alternative.terms()))
    }

    /// Forgets all hashes; called when the term store changes.
    pub(crate) fn clear(&mut self) {
        self.known.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bloom(clauses: &[&str]) -> Bloom {
        let mut terms = TermStore::new();
        let clauses: Vec<TermId> = clauses.iter().map(|text| terms.parse(text).expect("well-formed")).collect();
        Hashes::default().bloom(&terms, &clauses)
    }

    #[test]
    fn clauses_of_one_shape_set_bits_in_the_same_columns() {
        // tardis, figure 5: `a[0] > 6`, `a[5] > 6` and `b[2] > 3`.
        let (one, other) = (bloom(&["(bvslt 6 v0)"]), bloom(&["(bvslt 8 v1)"]));
        assert_eq!(one.rows[0], other.rows[0]);
        assert_ne!(one, other);
        let columns = |bloom: &Bloom| bloom.rows[1..].iter().fold(0, |all, row| all | row);
        assert_eq!(columns(&one), columns(&other));
        assert_eq!(columns(&one), one.rows[0]);
        assert_ne!(bloom(&["(= 6 v0)"]).rows[0], one.rows[0]);
        assert_eq!(bloom(&["(bvslt v1 v0)"]).rows[0], bloom(&["(bvslt v0 v1)"]).rows[0]);
        // The same input twice is another shape than two inputs.
        assert_ne!(bloom(&["(bvslt v1 (bvmul v1 v1))"]).rows[0], bloom(&["(bvslt v1 (bvmul v1 v0))"]).rows[0]);
        assert_eq!(bloom(&["(bvslt v1 (bvmul v1 v1))"]).rows[0], bloom(&["(bvslt v3 (bvmul v3 v3))"]).rows[0]);
    }

    #[test]
    fn a_fingerprint_is_the_same_in_any_store_and_any_process() {
        let clauses = ["(bvslt 6 v0)", "(= v1.length v2)"];
        let mut terms = TermStore::new();
        for other in ["(bvsle v9 (bvadd v2 77))", "(= v2 v1.length)", "(= v0 v1)"] {
            terms.parse(other).expect("well-formed");
        }
        let filled: Vec<TermId> = clauses.iter().rev().map(|text| terms.parse(text).expect("well-formed")).collect();
        assert_eq!(Hashes::default().bloom(&terms, &filled), bloom(&clauses));
        // A change of this value requires a new version of the text form of trainings.
        assert_eq!(bloom(&clauses).to_string(), "410400004102.....4000..100..2.400000000..400000000000.10000000000..");
    }

    #[test]
    fn similarity_grows_with_common_clauses() {
        let whole = bloom(&["(bvslt 6 v0)", "(= v1 v2)", "(bvsle v3 4)"]);
        let most = bloom(&["(bvslt 6 v0)", "(= v1 v2)"]);
        let shape = bloom(&["(bvslt 7 v4)"]);
        assert!(whole.similarity(&most) > whole.similarity(&shape));
        assert!(whole.similarity(&shape) > whole.similarity(&bloom(&["(bvslt v0 v1)"])));
    }

    #[test]
    fn empty_filters_equal_each_other_only() {
        let empty = Bloom::default();
        assert_eq!(empty.similarity(&empty), 1.0);
        assert_eq!(empty.similarity(&bloom(&["(bvslt 6 v0)"])), 0.0);
    }

    proptest! {
        #[test]
        fn similarity_is_a_similarity(left in prop::collection::vec(any::<(u64, u64)>(), 0..40), right in prop::collection::vec(any::<(u64, u64)>(), 0..40)) {
            let filter = |clauses: &[(u64, u64)]| {
                let mut bloom = Bloom::default();
                clauses.iter().for_each(|&(shape, whole)| bloom.add(ClauseHash { shape, whole }));
                bloom
            };
            let (left, right) = (filter(&left), filter(&right));
            let similarity = left.similarity(&right);
            prop_assert!((0.0..=1.0).contains(&similarity));
            prop_assert_eq!(similarity, right.similarity(&left));
            prop_assert_eq!(left.similarity(&left), 1.0);
            prop_assert_eq!(similarity == 1.0, left == right);
        }
    }
}
