//! Configuration of the search.

/// Sizes are counts and probabilities are in [0, 1]; each field has a default.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchConfig {
    /// Statements at which a test case stops growing.
    pub max_statements: usize,
    /// Values of an array at most; longer arrays end with default values.
    pub max_array_length: usize,
    /// Probability of null where an object is wanted.
    pub null_probability: f64,
    /// Test cases in the population.
    pub population: usize,
    /// Probability that an offspring has two parents.
    pub crossover_probability: f64,
    /// Probability that a candidate is built from nothing rather than from the population.
    pub fresh_probability: f64,
    /// Executions without a newly covered goal or a smaller distance, until part of the population
    /// is replaced.
    pub stagnation: u64,
    /// First tests of each callable under test, before anything evolves.
    pub first_tests: usize,
    /// Share of a batch that local search may use.
    pub local_search_share: f64,
    /// No evolution: every candidate is built from nothing.
    pub random_only: bool,
    /// Objectives at a time at most: the uncovered goals with the nearest tests.
    pub max_objectives: usize,
    /// Candidates that are remembered, so that none is executed twice; then all are forgotten.
    pub remembered_candidates: usize,
    /// Known candidates in a row after which a batch stays short.
    pub candidate_attempts: usize,
    /// Largest absolute value of a number that is harmless as a size or a count.
    pub large_argument: i64,
    /// Descriptions of failed runs that are told apart for one method.
    pub failure_descriptions: usize,
    /// Executions between two computations of the weights of the callables.
    pub weighting_interval: u64,
}

/// Further statements for each further object that an object under test is given.
const ROOM_OF_GIVEN: usize = 3;
/// Objects that the usual length has room for.
const USUALLY_GIVEN: usize = 2;

impl SearchConfig {
    /// The same, with longer test cases where an object under test is given many others, so that
    /// each of them can have answers.
    pub(super) fn with_room_for(self, given: usize) -> SearchConfig {
        let room = ROOM_OF_GIVEN * given.saturating_sub(USUALLY_GIVEN);
        SearchConfig { max_statements: self.max_statements + room, ..self }
    }
}

impl Default for SearchConfig {
    fn default() -> SearchConfig {
        SearchConfig {
            max_statements: 30,
            max_array_length: 5,
            null_probability: 0.04,
            population: 50,
            crossover_probability: 0.6,
            fresh_probability: 0.1,
            stagnation: 3000,
            first_tests: 8,
            local_search_share: 0.4,
            random_only: false,
            max_objectives: 96,
            remembered_candidates: 1 << 20,
            candidate_attempts: 60,
            large_argument: 10_000,
            failure_descriptions: 4,
            weighting_interval: 256,
        }
    }
}
