//! The only module that knows every stage: it turns a configuration into written tests and a
//! report.
//!
//! Flows in: the configuration, the installation, a temporary folder, an observer, the interrupt.
//! Flows out: test files on disk, and reports. Must not know the command line, nor the insides of
//! any stage.
//!
//! `generation` loops over the classes. `class_generation` leads one class through the stages:
//! `class_search` (with `mutant_search` and `concolic`), `suite`, `mutation`, `verify`. The files
//! below are in the order of their dependencies.

mod error;
mod exhaustion;
mod observer;
mod installation;
mod leftovers;
mod background;
mod time_budget;
mod compiler;
mod class_archives;
mod recorded_sessions;
mod training_store;
mod target;
mod impact;
mod borrowed_kills;
mod one_name;
mod context;
mod workers;
mod mutation;
mod missing_values;
mod mutant_search;
mod closed_goals;
mod tree_text;
mod typical_texts;
mod typical_values;
mod distinct_values;
mod filled_arrays;
mod hidden_calls;
mod same_keys;
mod sibling_values;
mod simpler_documents;
mod governed_facts;
mod place_coverage;
mod plain_elements;
mod plainer_statements;
mod public_makers;
mod small_results;
mod stated_arguments;
mod telling_amounts;
mod collaborators;
mod stopped_runs;
mod symbolic_request;
mod stored_trees;
mod string_bounds;
mod asserted_steps;
mod asked_paths;
mod attempt_log;
mod concolic;
mod run_progress;
mod scheduling;
mod shadow;
mod symbolic_thread;
mod symbolic_share;
mod finish_planner;
mod covered_goals;
mod needless_parts;
mod unasked_answers;
mod untouched_state;
mod observation;
mod shortening;
mod shown_test;
mod usual_objects;
mod value_relevance;
mod tests_apart;
mod mocked_listeners;
mod suite;
mod shared_state;
mod workshop;
mod verify;
mod wanted_paths;
mod draft;
mod outdated;
mod obstacles;
mod output_file;
mod class_search;
mod class_generation;
mod class_order;
mod class_path;
mod class_queue;
mod formatting;
mod generation;
mod kept_run;
mod old_version;
mod lanes;
mod turns;
mod explain;
mod explained_test;
mod session_replay;

pub use class_generation::ClassExploration;
pub use error::EngineError;
pub use explain::{explain, explain_session};
pub use generation::explore;
pub(crate) use generation::generate;
pub use installation::Installation;
pub use observer::{ClassProgress, Interrupt, Observer};
pub use session_replay::replay_session;
pub(crate) use stored_trees::read_stored_entries;
