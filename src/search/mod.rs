//! The many-objective search over test cases. Flows in: program model, cluster, goals, executions; flows out: candidates and an archive of
//! the best test per goal. Pure: the same seed and the same executions give the same candidates; no I/O, no clock.

mod archive;
mod compile;
mod config;
mod dynamosa;
mod goals;
mod hash;
mod hunt;
mod literals;
mod local;
mod minimise;
mod model;
mod operators;
mod random;
mod selection;

pub use archive::{Archive, Kept};
pub use config::SearchConfig;
pub use dynamosa::{Origin, Progress, Search, SolvingCandidate};
pub use goals::{Called, Goal, GoalId, Goals, MethodId, TargetMethod, TargetSite, exception_goal, normalise};
pub use hunt::Hunt;
pub use minimise::{Minimiser, SuiteTest, choose_suite};
pub use model::{Callable, CallableId, CallableKind, Model, ModelBuilder, TypeId, ValueKind};
