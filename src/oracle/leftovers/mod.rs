//! State that outlives a test: what shows it, and what puts it back. Flows in: the classes whose
//! static state an execution changed, and the test; flows out: statements that show this state, and
//! statements that may give it its first value. Must not know how statements are run: `engine` runs
//! the candidates and keeps those after which the state looks as it did before the test.
//!
//! What a test may use is the public interface of the classes, as its package sees it. A change that
//! this interface does not show, such as a filled cache, counts as none.

mod observers;
mod reach;
mod resets;
mod world;

pub(crate) use observers::{StateObservers, differences};
pub(crate) use resets::{candidate_resets, candidate_undos};
pub(crate) use world::{WorldState, WorldValue, world_state};

use crate::execution::WorldPart;
use crate::program::MethodRef;
use crate::testcase::TestCase;

/// What a test class does to state that its tests share with others, so that each begins with the
/// same state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reset {
    /// Statements that give the state its first value, whatever it was: done before and after each
    /// test.
    Statements(TestCase),
    /// A value that a static method reads before each test, and another one writes after it.
    Saved {
        /// Takes nothing.
        read: MethodRef,
        /// Takes the value.
        write: MethodRef,
    },
    /// A part of the JVM's own state, read before each test and written after it.
    World(WorldPart),
}
