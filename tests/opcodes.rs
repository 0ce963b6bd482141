//! The instructions of JVMS §6.5, replayed against the JVM on random inputs.
//!
//! In: families of instructions as javac compiles them (`opcodes/Families.java`), and forms that it
//! never writes (`opcodes/assembled.txt`). Computed values equal the recorded ones, and every
//! instruction is computed.

#[path = "common/assembler.rs"]
mod assembler;
#[path = "common/jdks.rs"]
mod jdks;
#[path = "common/replaying.rs"]
mod replaying;
#[path = "common/recorder.rs"]
mod recorder;
#[path = "common/worker.rs"]
mod worker;

use jdks::jdks;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use recorder::{Recorder, program_of};
use replaying::{arguments, call, is_whole, replay};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tracewright::expr::TermStore;
use tracewright::program::Program;
use tracewright::symbolic::{ReplayStats, Replayer};
use tracewright_classfile::{ClassFile, opcode};
use tracewright_test_support::compile_java;

const ASSEMBLED: &str = include_str!("opcodes/assembled.txt");
const FAMILIES: &str = include_str!("opcodes/Families.java");
/// Runs of each method.
const RUNS: usize = 40;

/// Methods whose replay is incomplete, each with the reported reason.
const REPORTED: &[(&str, &str)] = &[
    // Since Java 6, no class file has subroutines.
    ("opcodes/Throwing.exhausted", "out of memory"),
    ("opcodes/Subroutine.run", "jsr or ret"),
    ("opcodes/Dynamics.primitive", "dynamic constant of a primitive type"),
];
/// Methods with the same path for every input.
const STRAIGHT: &[&str] = &[
    "Calls.nobody",
    "Calls.run",
    "Dynamics.primitive",
    "Handles.handleOf",
    "Handles.typeOf",
    "Named.start",
    "Narrow.toByte",
    "Narrow.toChar",
    "Narrow.toFlag",
    "Narrow.toShort",
    "StackOps.dup2X1",
    "StackOps.dup2X1Long",
    "StackOps.dup2X2",
    "StackOps.dup2X2Forms",
    "StackOps.dupX2Long",
    "Wide.constants",
];

#[test]
fn every_instruction_is_computed_as_the_jvm_does() {
    for jdk in jdks() {
        let folder = tempfile::tempdir().expect("a folder");
        let classes = compile_java(&jdk.home, 17, folder.path(), &[("opcodes/Families.java", FAMILIES)]);
        assembler::assemble_all(ASSEMBLED, &classes);
        let mut recorder = Recorder::new(jdk, classes.clone(), folder.path());
        let program = program_of(jdk, &classes);
        let mut problems = Vec::new();
        let mut methods = 0;
        for class in files(&classes).iter().filter(|class| !class.this_class().contains('$')) {
            for method in class.methods() {
                if !method.access().is_static()
                    || !method.access().is_public()
                    || method.name().starts_with(['<', 'm']) && method.name() != "monitors"
                {
                    continue;
                }
                methods += 1;
                if let Err(problem) = check(&mut recorder, &program, class.this_class(), method.name(), method.descriptor()) {
                    problems.push(format!("{}.{}: {problem}", class.this_class(), method.name()));
                }
            }
        }
        assert!(methods > 50, "{methods}");
        assert!(problems.is_empty(), "JDK {}: {} of {methods}\n{}", jdk.version, problems.len(), problems.join("\n"));
    }
}

fn files(folder: &Path) -> Vec<ClassFile> {
    let mut files: Vec<_> = walkdir::WalkDir::new(folder).into_iter().map(|entry| entry.expect("readable").into_path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "class"));
    files.sort();
    files.iter().map(|path| ClassFile::parse(&std::fs::read(path).expect("readable")).expect("well-formed")).collect()
}

fn check(recorder: &mut Recorder, program: &Program, class: &str, name: &str, descriptor: &str) -> Result<(), String> {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut terms = TermStore::new();
    let recordings: Vec<_> = (0..RUNS)
        .map(|_| call(class, name, descriptor, &arguments(descriptor, &mut rng)))
        .map(|test| (recorder.record_if_legal(&test).expect("a static call is legal"), test))
        .collect();
    let mut replayer = Replayer::new(program);
    let mut stats = ReplayStats::default();
    let mut ends = BTreeMap::new();
    let reported = REPORTED.iter().find(|(method, _)| *method == format!("{class}.{name}"));
    for (recording, test) in &recordings {
        let replay = replay(&mut replayer, test, recording, &mut terms)?;
        if reported.is_none() && !is_whole(&replay) {
            return Err(format!("{:?} {:?}\n{test}{}", replay.end, replay.stats, recording.print()));
        }
        *ends.entry((replay.path.signature, format!("{:?}", replay.end))).or_insert(0) += 1;
        stats.merge(&replay.stats);
    }
    if let Some((_, reason)) = reported {
        return match stats.unsupported.contains_key(*reason) {
            true => Ok(()),
            false => Err(format!("{reason} is not reported any more: {stats:?}")),
        };
    }
    if ends.len() == 1 && !STRAIGHT.contains(&format!("{class}.{name}").trim_start_matches("opcodes/")) {
        return Err(format!("every run took one way: {ends:?}"));
    }
    Ok(())
}

#[test]
fn no_instruction_is_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let classes = compile_java(&jdks()[0].home, 17, folder.path(), &[("opcodes/Families.java", FAMILIES)]);
    assembler::assemble_all(ASSEMBLED, &classes);
    let mut seen = BTreeSet::new();
    for class in files(&classes) {
        for method in class.methods() {
            let code = method.code().expect("well-formed");
            for instruction in code.iter().flat_map(|code| &code.instructions) {
                seen.insert(opcode::mnemonic(instruction.opcode).expect("known"));
                if instruction.wide {
                    seen.insert("wide");
                }
            }
        }
    }
    let missing: Vec<_> = (0..=u8::MAX).filter_map(opcode::mnemonic).filter(|name| !seen.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
