//! One draw among 100,000 open paths, its ending told and the path put back, and the memory of an open path: the lottery of tardis, and the order that
//! Tracewright uses. Two sorts of paths: with a hundred ways out in all, and with some five thousand, half of which are open goals at first.

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

const PATHS: u32 = 1_000;
const CLAUSES: u32 = 100;

/// Counts the bytes that are held.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all is done by the system's allocator; the counter has no say.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Paths that begin alike and go apart, over twenty inputs. `places`: parts of the method that they are in.
fn alternatives(terms: &mut TermStore, places: u32) -> Vec<Alternative> {
    let method = MethodRef::new(ClassName::new("T"), "m", "(I)V");
    let origin = Arc::new(TestCase::default());
    let key = TreeKey::of(&origin, &method);
    let mut all = Vec::with_capacity((PATHS * CLAUSES) as usize);
    for number in 0..PATHS {
        let mut text = String::from("path 0 0 0\n");
        for clause in 0..CLAUSES {
            let apart = if clause < number % CLAUSES { 0 } else { number };
            let (input, bound) = ((clause * 7 + apart) % 20, clause * 3 + apart % 11);
            text.push_str(&format!(
                "jump 0 T.m(I)V @{} =0: (bvslt v{input} {bound}) | =1: (bvsle {bound} v{input})\n",
                (clause + CLAUSES * (number % places)) * 3
            ));
            // Each tenth decision is followed by a jump that no input decides, and whose other way is a goal.
            if clause % 10 == 9 {
                text.push_str(&format!("passed T.m(I)V @{} =0\n", (clause + CLAUSES * (number % places)) * 3 + 1));
            }
        }
        let mut path = PathCondition::parse(&text, terms).expect("well-formed");
        // As in a replay, where names are shared.
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

fn draws(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("select");
    group.sample_size(10);
    for places in [1, 50] {
        let orders: [(&str, Box<dyn Selector>); 2] =
            [("knn", Box::new(Knn::new(1, KnnConfig::default()))), ("guided", Box::<Guided>::default())];
        for (name, mut selector) in orders {
            let mut terms = TermStore::new();
            // The terms are there already when a path is found: they are not its own.
            drop(alternatives(&mut terms, places));
            let before = HELD.load(Ordering::Relaxed);
            let all = alternatives(&mut terms, places);
            let count = all.len();
            for alternative in all {
                selector.push(&terms, alternative);
            }
            let held = HELD.load(Ordering::Relaxed) - before;
            println!("select/{name}, {count} open, {} ways out: {} bytes a path", places * CLAUSES, held / count);
            let mut attempts = 0_u32;
            let goals = |site: &BranchOutcome| site.bci >= CLAUSES * places * 3 / 2 && site.bci >= attempts_seen();
            group.bench_function(format!("{name}, {count} open, {} ways out", places * CLAUSES), |bencher| {
                bencher.iter(|| {
                    let drawn = selector.next(&terms, &goals).expect("open paths");
                    attempts += 1;
                    SEEN.store(attempts as usize, Ordering::Relaxed);
                    let ending = if attempts.is_multiple_of(3) {
                        AttemptOutcome::Feasible
                    } else {
                        AttemptOutcome::Infeasible { core: Vec::new() }
                    };
                    selector.record_attempt(&terms, &drawn, &ending);
                    selector.push(&terms, drawn);
                });
            });
            let held = HELD.load(Ordering::Relaxed) - before;
            println!(
                "select/{name}, {count} open, {} ways out: {} bytes a path after {attempts} attempts",
                places * CLAUSES,
                held / count
            );
            SEEN.store(0, Ordering::Relaxed);
        }
    }
    group.finish();
}

/// Attempts so far: goals are reached one after the other.
static SEEN: AtomicUsize = AtomicUsize::new(0);

fn attempts_seen() -> u32 {
    SEEN.load(Ordering::Relaxed) as u32
}

criterion_group!(benches, draws);
criterion_main!(benches);
