//! Reading, rewriting and writing all of `java.base`: bytes a second, one thread.
#![allow(clippy::unwrap_used)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use tracewright_classfile::{ClassFile, CodeEditor, EditError, Snippet};
use tracewright_test_support::{all_jdks, java_base_classes};

fn java_base(criterion: &mut Criterion) {
    let samples = java_base_classes(&all_jdks()[0].home);
    let bytes: usize = samples.iter().map(|sample| sample.bytes.len()).sum();
    let mut group = criterion.benchmark_group("java.base");
    group.throughput(Throughput::Bytes(bytes as u64));
    group.sample_size(10).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(5));
    group.bench_function("parse", |bencher| {
        bencher.iter(|| samples.iter().for_each(|sample| drop(black_box(ClassFile::parse(&sample.bytes).unwrap()))));
    });
    group.bench_function("parse, write", |bencher| {
        bencher.iter(|| samples.iter().for_each(|sample| drop(black_box(ClassFile::parse(&sample.bytes).unwrap().to_bytes()))));
    });
    group.bench_function("parse, decode all code", |bencher| {
        bencher.iter(|| {
            for sample in &samples {
                let class = ClassFile::parse(&sample.bytes).unwrap();
                class.methods().for_each(|method| drop(black_box(method.code().unwrap())));
            }
        });
    });
    group.bench_function("parse, a probe at every jump and return, write", |bencher| {
        bencher.iter(|| samples.iter().for_each(|sample| drop(black_box(probed(&sample.bytes).unwrap()))));
    });
    group.finish();
}

fn probed(bytes: &[u8]) -> Result<Vec<u8>, EditError> {
    let original = ClassFile::parse(bytes)?;
    let mut class = original.clone();
    let probe = class.constant_pool_mut().add_static_method("java/lang/Probe", "hit", "(I)V").unwrap();
    for method in original.methods().filter(|method| method.has_code()) {
        let mut editor = CodeEditor::new(method)?;
        let places: Vec<u32> = editor
            .instructions()
            .iter()
            .filter(|instruction| !instruction.op.falls_through() || instruction.op.is_conditional_jump())
            .map(|instruction| instruction.bci)
            .collect();
        for bci in places {
            let mut snippet = Snippet::new();
            snippet.push_int(bci as i32).invoke_static(probe);
            match editor.insert_before(bci, snippet) {
                Ok(()) | Err(EditError::EmptyFinalizer) => {}
                Err(error) => return Err(error),
            }
        }
        match editor.apply(&mut class) {
            Ok(()) | Err(EditError::TooLarge { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(class.to_bytes())
}

criterion_group!(benches, java_base);
criterion_main!(benches);
