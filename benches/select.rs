//! One draw among 100,000 open paths, its ending told and the path put back: the lottery of tardis, and the order that Tracewright uses.

use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use tracewright::expr::TermStore;
use tracewright::path::{BranchSite, PathCondition};
use tracewright::program::{ClassName, MethodRef};
use tracewright::select::{Ending, Guided, Knn, KnnConfig, Selector};
use tracewright::testcase::TestCase;
use tracewright::tree::{Alternative, NodeId, TreeKey};

const PATHS: u32 = 1_000;
const CLAUSES: u32 = 100;

/// Paths that begin alike and go apart, over twenty inputs.
fn alternatives(terms: &mut TermStore) -> Vec<Alternative> {
    let method = MethodRef::new(ClassName::new("T"), "m", "(I)V");
    let origin = Arc::new(TestCase::default());
    let key = TreeKey::of(&origin, &method);
    let mut all = Vec::new();
    for number in 0..PATHS {
        let mut text = String::from("path 0 0 0\n");
        for clause in 0..CLAUSES {
            let apart = if clause < number % CLAUSES { 0 } else { number };
            let (input, bound) = ((clause * 7 + apart) % 20, clause * 3 + apart % 11);
            text.push_str(&format!(
                "jump 0 T.m(I)V @{} =0: (bvslt v{input} {bound}) | =1: (bvsle {bound} v{input})\n",
                clause * 3
            ));
        }
        let path = Arc::new(PathCondition::parse(&text, terms).expect("well-formed"));
        for index in 0..CLAUSES as usize {
            let negated = terms.not(path.clauses[index].term);
            let site = BranchSite { method: method.clone(), bci: index as u32 * 3, outcome: 1 };
            let (path, origin, key) = (Arc::clone(&path), Arc::clone(&origin), key.clone());
            all.push(Alternative { key, node: NodeId(0), path, index, site, negated, origin, run: u64::from(number) });
        }
    }
    all
}

fn draws(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("select");
    group.sample_size(10);
    let orders: [(&str, Box<dyn Selector>); 2] =
        [("knn", Box::new(Knn::new(1, KnnConfig::default()))), ("guided", Box::<Guided>::default())];
    for (name, mut selector) in orders {
        let mut terms = TermStore::new();
        for alternative in alternatives(&mut terms) {
            selector.push(&terms, alternative);
        }
        let mut attempts = 0_u32;
        let nothing = |_: &BranchSite| false;
        group.bench_function(format!("{name}, 100,000 open"), |bencher| {
            bencher.iter(|| {
                let drawn = selector.next(&terms, &nothing).expect("open paths");
                attempts += 1;
                let ending = if attempts.is_multiple_of(3) { Ending::Feasible } else { Ending::Infeasible { core: Vec::new() } };
                selector.learn(&terms, &drawn, &ending);
                selector.push(&terms, drawn);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, draws);
criterion_main!(benches);
