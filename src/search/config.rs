//! Configuration of the search.

/// All of it has defaults; sizes are counts unless said otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchConfig {
    /// Test cases stop growing at this many statements.
    pub max_statements: usize,
    /// Arrays get at most this many values; a long one has zeros behind them.
    pub max_array_length: usize,
    /// Chance of passing null where an object is wanted.
    pub null_probability: f64,
    /// Test cases that evolve.
    pub population: usize,
    /// Chance that an offspring has two parents.
    pub crossover_probability: f64,
    /// Chance that a candidate is made from nothing rather than from the population.
    pub fresh_probability: f64,
    /// Executions without a newly covered goal or a smaller distance after which part of the population is replaced.
    pub stagnation: u64,
    /// Test cases of each callable under test before anything evolves.
    pub first_tests: usize,
    /// Share of a batch that local search may take.
    pub local_search_share: f64,
    /// No evolution: every candidate is made from nothing.
    pub random_only: bool,
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
        }
    }
}
