//! The goals to cover, and the distance of an execution from each. Flows in: slots and control
//! dependences of the target classes, executions; flows out: goals by number and their fitness.
//! Must not know how candidates are built.

mod fitness;
mod observe;
mod pairs;
mod registry;
mod value_classes;
mod weakness;

pub use fitness::normalise;
pub(crate) use observe::GoalHits;
pub use observe::{CallOutcome, exception_goal};
pub use registry::{Goal, GoalId, GoalRegistry, MethodId, TargetMethod, TargetSite};
pub(super) use registry::{Handler, InjectedMember};
pub(super) use value_classes::ValueClasses;
pub(crate) use weakness::{Weakness, is_unchecked};

#[cfg(test)]
pub(super) mod testing {
    use tracewright_trace::{BranchSlot, LineSlot};

    use super::*;
    use crate::program::{ClassName, MethodRef};

    /// `if (a) { if (b) { line 1 } }` with slots 0/1 for a and 2/3 for b, line 0 at the entry, and a
    /// loop whose jump (4/5) depends on itself.
    pub(in crate::search) fn goals() -> GoalRegistry {
        let slots = |slots: &[u32]| slots.iter().copied().map(BranchSlot).collect();
        let site = |slot, depends_on: &[u32]| TargetSite { slot: BranchSlot(slot), depends_on: slots(depends_on) };
        let line = |slot, depends_on: &[u32]| TargetSite { slot: LineSlot(slot), depends_on: slots(depends_on) };
        let method = |name| MethodRef::new(ClassName::new("T"), name, "()V");
        GoalRegistry::new(
            vec![
                TargetMethod {
                    method: method("m"),
                    branches: vec![site(0, &[]), site(1, &[]), site(2, &[1]), site(3, &[1]), site(4, &[3, 5]), site(5, &[3, 5])],
                    lines: vec![line(0, &[]), line(1, &[3])],
                    defaults: Vec::new(),
                },
                TargetMethod { method: method("hidden"), branches: Vec::new(), lines: vec![line(2, &[])], defaults: Vec::new() },
            ],
            |method| &*method.name != "hidden",
        )
    }
}
