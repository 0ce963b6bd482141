//! Structural fingerprints. In: terms; out: 128-bit hashes, equal for equal terms of any two
//! stores. Different terms collide only by chance.

use super::{Input, Symbol, Term, TermId, TermStore, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Identity of a term across stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(u128);

impl Fingerprint {
    /// The lower half, for tables that tolerate collisions.
    pub(crate) fn low(self) -> u64 {
        self.0 as u64
    }
}

/// The parts of a term that a fingerprint ignores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abstraction {
    /// Nothing.
    None,
    /// Constants and the names of inputs. The inputs of a term are numbered from left to right
    /// (tardis §4.2, abstract clauses).
    Shape,
}

impl TermStore {
    /// The fingerprint of a term, equal in any store and any process.
    pub(crate) fn fingerprint(&self, root: TermId, abstraction: Abstraction) -> Fingerprint {
        match abstraction {
            Abstraction::None => self.fingerprints(&[root])[&root],
            Abstraction::Shape => {
                let mut numbers: BTreeMap<Symbol, u32> = BTreeMap::new();
                let mut seen = FxHashSet::default();
                let mut pending = vec![root];
                while let Some(id) = pending.pop() {
                    let term = self.get(id);
                    if let Term::Input(input) = term {
                        let next = numbers.len() as u32;
                        numbers.entry(input.symbol).or_insert(next);
                    }
                    // The left one is met first.
                    let operands: Vec<TermId> = term.operands().filter(|operand| seen.insert(*operand)).collect();
                    pending.extend(operands.into_iter().rev());
                }
                let rename = |symbol: Symbol| Symbol::value(numbers[&symbol]);
                self.hashed(&[root], &rename, abstraction)[&root]
            }
        }
    }

    /// Fingerprints of all subterms of the roots.
    pub(crate) fn fingerprints(&self, roots: &[TermId]) -> FxHashMap<TermId, Fingerprint> {
        self.renamed_fingerprints(roots, &|symbol| symbol)
    }

    /// Fingerprints of all subterms of the roots after renaming symbols.
    pub(crate) fn renamed_fingerprints(
        &self,
        roots: &[TermId],
        rename: &dyn Fn(Symbol) -> Symbol,
    ) -> FxHashMap<TermId, Fingerprint> {
        self.hashed(roots, rename, Abstraction::None)
    }

    fn hashed(
        &self,
        roots: &[TermId],
        rename: &dyn Fn(Symbol) -> Symbol,
        abstraction: Abstraction,
    ) -> FxHashMap<TermId, Fingerprint> {
        let mut fingerprints: FxHashMap<TermId, Fingerprint> = FxHashMap::default();
        let mut bytes: Vec<u8> = Vec::with_capacity(64);
        for id in self.reachable(roots) {
            bytes.clear();
            let term = self.get(id);
            match term {
                Term::Constant(value) => {
                    let (tag, bits) = match value {
                        Value::Bool(value) => (0, value.into()),
                        Value::Int(value) => (1, value as u64),
                        Value::Long(value) => (2, value as u64),
                        Value::Float(bits) => (3, bits.into()),
                        Value::Double(bits) => (4, bits),
                    };
                    bytes.extend([0, tag]);
                    if abstraction == Abstraction::None {
                        bytes.extend(bits.to_le_bytes());
                    }
                }
                Term::Input(Input { symbol, kind }) => {
                    bytes.extend([1, kind as u8]);
                    bytes.extend(rename(symbol).to_string().into_bytes());
                }
                Term::Unary(op, _) => bytes.extend([2, op as u8]),
                Term::Binary(op, ..) => bytes.extend([3, op as u8]),
                Term::Ite(..) => bytes.push(4),
            }
            for operand in term.operands() {
                bytes.extend(fingerprints[&operand].0.to_le_bytes());
            }
            let mut half = [0; 16];
            half.copy_from_slice(&blake3::hash(&bytes).as_bytes()[..16]);
            fingerprints.insert(id, Fingerprint(u128::from_le_bytes(half)));
        }
        fingerprints
    }
}
