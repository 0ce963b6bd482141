//! Time of one selection among 100,000 pending alternatives, and memory of a pending alternative.
//!
//! An iteration selects an alternative, records the result of its attempt and adds it again. The
//! orders are the weighted random order of tardis (`knn`) and the default of Tracewright
//! (`guided`). The paths have 100 or 5,000 branch outcomes. At first, half of these outcomes are
//! uncovered goals.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use criterion::{Criterion, criterion_group, criterion_main};
use tracewright::expr::TermStore;
use tracewright::path::{BranchOutcome, PathCondition};
use tracewright::program::{ClassName, MethodRef};
use tracewright::select::{AttemptOutcome, Guided, Knn, KnnConfig, Selector};
use tracewright::testcase::{TestCase, TestHash};
use tracewright::tree::{Alternative, NodeId, TreeKey};

/// Number of paths.
const PATHS: u32 = 1_000;
/// Clauses of a path, each with one alternative.
const CLAUSES: u32 = 100;

/// Counts allocated bytes.
struct CountingAllocator;

/// Bytes that are allocated now.
static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is forwarded to the system's allocator.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller meets the contract of the system's allocator, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Paths over twenty inputs with common prefixes. `regions` is the number of parts of the method
/// that they run through.
fn alternatives(terms: &mut TermStore, regions: u32) -> Vec<Alternative> {
    let method = MethodRef::new(ClassName::new("T"), "m", "(I)V");
    let origin = Arc::new(TestCase::default());
    let key = TreeKey::of(&origin, &method);
    let mut all = Vec::with_capacity((PATHS * CLAUSES) as usize);
    for number in 0..PATHS {
        let mut text = String::from("path 0 0 0\n");
        for clause in 0..CLAUSES {
            let variant = if clause < number % CLAUSES { 0 } else { number };
            let (input, bound) = ((clause * 7 + variant) % 20, clause * 3 + variant % 11);
            text.push_str(&format!(
                "jump 0 T.m(I)V @{} =0: (bvslt v{input} {bound}) | =1: (bvsle {bound} v{input})\n",
                (clause + CLAUSES * (number % regions)) * 3
            ));
            // After each tenth decision there is a jump that depends on no input. Its other outcome
            // is a goal.
            if clause % 10 == 9 {
                text.push_str(&format!("passed T.m(I)V @{} =0\n", (clause + CLAUSES * (number % regions)) * 3 + 1));
            }
        }
        let mut path = PathCondition::parse(&text, terms).expect("well-formed");
        // All sites share one method reference, as in a replay.
        for clause in &mut path.clauses {
            clause.site.method = method.clone();
        }
        for passed in &mut path.concrete_branches {
            passed.site.method = method.clone();
        }
        path.clauses.shrink_to_fit();
        let path = Arc::new(path);
        for index in 0..CLAUSES as usize {
            let negated = path.clauses[index].others[0].1;
            let site = path.clauses[index].site.with_outcome(1);
            let (path, origin, key) = (Arc::clone(&path), Arc::clone(&origin), key.clone());
            all.push(Alternative { key, node: NodeId(0), path, index, site, negated, origin, run: TestHash(u64::from(number)) });
        }
    }
    all
}

fn selections(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("select");
    group.sample_size(10);
    for regions in [1, 50] {
        let orders: [(&str, Box<dyn Selector>); 2] =
            [("knn", Box::new(Knn::new(1, KnnConfig::default()))), ("guided", Box::<Guided>::default())];
        for (name, mut selector) in orders {
            let mut terms = TermStore::new();
            // Makes the terms once, so that they do not count as memory of the alternatives.
            drop(alternatives(&mut terms, regions));
            let before = ALLOCATED.load(Ordering::Relaxed);
            let all = alternatives(&mut terms, regions);
            let count = all.len();
            for alternative in all {
                selector.push(&terms, alternative);
            }
            let allocated = ALLOCATED.load(Ordering::Relaxed) - before;
            println!(
                "select/{name}, {count} pending, {} outcomes: {} bytes an alternative",
                regions * CLAUSES,
                allocated / count
            );
            let mut attempts = 0_u32;
            let goals = |site: &BranchOutcome| site.bci >= CLAUSES * regions * 3 / 2 && site.bci >= attempts_so_far();
            group.bench_function(format!("{name}, {count} pending, {} outcomes", regions * CLAUSES), |bencher| {
                bencher.iter(|| {
                    let selected = selector.next(&terms, &goals).expect("pending alternatives");
                    attempts += 1;
                    ATTEMPTS.store(attempts as usize, Ordering::Relaxed);
                    let outcome = if attempts.is_multiple_of(3) {
                        AttemptOutcome::Feasible
                    } else {
                        AttemptOutcome::Infeasible { core: Vec::new() }
                    };
                    selector.record_attempt(&terms, &selected, &outcome);
                    selector.push(&terms, selected);
                });
            });
            let allocated = ALLOCATED.load(Ordering::Relaxed) - before;
            println!(
                "select/{name}, {count} pending, {} outcomes: {} bytes an alternative after {attempts} attempts",
                regions * CLAUSES,
                allocated / count
            );
            ATTEMPTS.store(0, Ordering::Relaxed);
        }
    }
    group.finish();
}

/// Number of attempts of the current order. Goals are closed one after the other as it grows.
static ATTEMPTS: AtomicUsize = AtomicUsize::new(0);

fn attempts_so_far() -> u32 {
    ATTEMPTS.load(Ordering::Relaxed) as u32
}

criterion_group!(benches, selections);
criterion_main!(benches);
