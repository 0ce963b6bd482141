//! Static facts about the classes: names, hierarchy, members, generic types, control dependence,
//! test cluster.
//!
//! In: a [`ClassSource`]. Out: [`Program`] and [`Cluster`]. Does no I/O; must not know how tests
//! are executed or searched for.

mod branch;
pub mod cluster;
mod constructors;
pub(crate) mod control;
pub(crate) mod coroutines;
mod deciding;
mod deprecated;
mod flow;
pub mod generics;
mod hidden_names;
mod hierarchy;
mod makers;
mod missing;
mod model;
mod names;
mod release;
mod settings;
mod source;
mod target;
mod variable_arguments;

pub use branch::{BranchOutcome, SourceCall, SourceCondition, SourceValue};
pub use cluster::{Cluster, ClusterConfig, StubKind};
pub(crate) use control::ControlDependence;
pub use deciding::{Decision, Route, RouteEnd};
pub(crate) use deprecated::Deprecation;
pub(crate) use flow::{FlowBlock, FlowEdge, FlowGraph, FlowKind};
pub use generics::GenericType;
pub use hierarchy::{LoadError, Program, ResolvedField, ResolvedMethod};
pub use missing::{MissingSupertype, missing_classes};
pub use model::{ClassModel, FieldModel, MethodModel, Nesting};
pub use names::{ClassName, FieldRef, JavaType, MethodRef};
pub(crate) use release::{OLDEST_RELEASE, source_level};
pub use settings::{SettingNames, setting_names};
pub use source::{ClassOrigin, ClassSource};
pub(crate) use target::find_method;
pub use target::{TargetError, find_target, nearest_names, targets};
pub(crate) use variable_arguments::passed_elements;
