//! Structural fingerprints: equal for equal terms of any two stores, different for all others as far as 128 bits go.

use super::{Input, Symbol, Term, TermId, TermStore, Value};
use std::collections::HashMap;

/// Identity of a term across stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(u128);

impl TermStore {
    /// Fingerprints of everything that the roots are made of.
    pub fn fingerprints(&self, roots: &[TermId]) -> HashMap<TermId, Fingerprint> {
        self.renamed_fingerprints(roots, &|symbol| symbol)
    }

    /// The same after renaming symbols.
    pub fn renamed_fingerprints(&self, roots: &[TermId], rename: &dyn Fn(Symbol) -> Symbol) -> HashMap<TermId, Fingerprint> {
        let mut fingerprints: HashMap<TermId, Fingerprint> = HashMap::new();
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
                    bytes.extend(bits.to_le_bytes());
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
