//! Candidates that the search makes a second, without and with the evaluation of their results.
//!
//! Executions are simulated as in `tests/search.rs`, so that no JVM is measured.

#[path = "../tests/search_toy/mod.rs"]
mod search_toy;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tracewright::search::{Search, SearchConfig};

/// Candidates in a batch.
const BATCH: usize = 200;

/// A search after 5,000 executions. A branch behind four others is still uncovered, so goals are
/// left.
fn running_search() -> Search {
    let mut search = search_toy::search(1, SearchConfig { local_search_share: 0.1, ..SearchConfig::default() });
    while search.progress().executions < 5_000 {
        let tests = search.ask(BATCH);
        let results: Vec<_> = tests.iter().map(search_toy::execute).collect();
        search.tell(&tests, &results);
    }
    search
}

fn candidates(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("search");
    group.throughput(Throughput::Elements(BATCH as u64));
    group.sample_size(20);
    group.bench_function("ask", |bencher| {
        let mut search = running_search();
        bencher.iter(|| search.ask(BATCH));
    });
    group.bench_function("ask and tell", |bencher| {
        let mut search = running_search();
        bencher.iter_custom(|rounds| {
            let mut spent = std::time::Duration::ZERO;
            for _ in 0..rounds {
                let start = std::time::Instant::now();
                let tests = search.ask(BATCH);
                spent += start.elapsed();
                let results: Vec<_> = tests.iter().map(search_toy::execute).collect();
                let start = std::time::Instant::now();
                search.tell(&tests, &results);
                spent += start.elapsed();
            }
            spent
        });
    });
    group.finish();
}

criterion_group!(benches, candidates);
criterion_main!(benches);
