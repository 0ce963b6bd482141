//! Limits of one replay, and what its inputs are.

/// The inputs that path conditions mention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// The literals of the test case: a solver's model is the next test.
    #[default]
    Parametric,
    /// The heap at the entry of the method under test, which is the test case's last call. Literals
    /// are no inputs. The replay gives a [`Structure`](crate::structure::Structure) if recorded
    /// code was entered. `Replay::path` is then only its raw material.
    Structural,
}

/// Configuration of one replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayConfig {
    /// What the inputs are.
    pub view: View,
    /// Bytecode instructions of recorded code, at most.
    pub instructions: u64,
    /// Clauses of a path condition, at most; later ones are counted as dropped.
    pub clauses: usize,
    /// Frames on the replayed call stack, at most.
    pub frames: usize,
    /// Nested callbacks from opaque code, at most.
    pub nesting: usize,
    /// Length up to which an access at a symbolic index becomes a choice between all cells.
    /// Accesses to longer arrays are concretised and counted.
    pub cells: usize,
    /// Switch keys that become alternatives of their own, at most.
    pub switch_keys: usize,
    /// Characters of a string input that have symbols, at least. Longer literals have one symbol
    /// for each character.
    pub characters: usize,
    /// Longest literal that is an input, in UTF-16 units. Longer ones are concretised and counted.
    pub longest_text: usize,
    /// Steps of an access path, at most. Values behind longer paths are concretised and counted.
    pub steps: usize,
    /// Objects and array cells that one replay allocates, at most.
    pub heap: usize,
    /// Tree size of a term, at most. Larger terms, and those that mention hundreds of inputs, are
    /// concretised and counted, since no solver answers them.
    pub term_size: u64,
    /// New terms of one replay, at most.
    pub terms: usize,
    /// Whether floats and doubles carry terms.
    pub floats: bool,
    /// Limits of interpreting code that was not recorded.
    pub interpretation: InterpretationLimits,
}

/// Limits of interpreting code that was not recorded, in instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterpretationLimits {
    /// For one call from recorded code; 0 switches interpretation off.
    pub(crate) call: u64,
    /// For one replay.
    pub(crate) total: u64,
    /// For the failed attempts of one replay.
    pub(crate) wasted: u64,
}

impl Default for ReplayConfig {
    fn default() -> ReplayConfig {
        ReplayConfig {
            view: View::Parametric,
            instructions: 50_000_000,
            clauses: 4_000,
            frames: 4_000,
            nesting: 100,
            cells: 64,
            switch_keys: 256,
            characters: 16,
            longest_text: 256,
            steps: 256,
            heap: 8_000_000,
            term_size: 100_000,
            terms: 2_000_000,
            floats: true,
            interpretation: InterpretationLimits { call: 200_000, total: 10_000_000, wasted: 2_000_000 },
        }
    }
}
