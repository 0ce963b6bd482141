//! The many-objective search over test cases. Flows in: program model, cluster, goals, executions;
//! flows out: candidates, and an archive with the best test of each goal. The same seed and
//! executions give the same candidates. Must not know I/O or a clock.

mod archive;
mod lowering;
mod config;
mod cover;
mod dynamosa;
mod earlier_calls;
mod filling;
mod goals;
mod hard_values;
mod injection;
mod mutant_pool;
mod literals;
mod avm;
mod minimise;
mod callable_table;
mod mocks;
mod operators;
mod pollution;
mod requests;
mod sequence;
mod reflection;
mod rejection;
mod repair;
mod round_trip;
mod selection;
mod throw_sites;

pub use archive::{Archive, ArchivedTest};
pub use callable_table::{CallableEntry, CallableEntryKind, CallableIx, CallableTable, CallableTableBuilder, TypeId, ValueKind};
pub use config::SearchConfig;
pub(crate) use cover::minimum_cover;
pub use dynamosa::{CandidateOrigin, MethodFailure, Search, SearchProgress, SolvingCandidate};
pub(crate) use earlier_calls::beginnings;
pub use goals::{CallOutcome, Goal, GoalId, GoalRegistry, MethodId, TargetMethod, TargetSite, exception_goal, normalise};
pub(crate) use goals::{Weakness, is_unchecked};
pub use hard_values::ProvenValues;
pub use minimise::{Minimiser, SuiteTest, choose_suite};
pub(crate) use minimise::{choose_suite_apart, complexity, simpler_literals, without_unused_answers};
pub use mutant_pool::MutantPool;
pub use rejection::RejectionReason;
