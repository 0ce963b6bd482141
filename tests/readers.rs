//! No reader panics, and each reads what it prints: a small share of `cargo xtask bench fuzz`.

#[path = "readers/subjects.rs"]
mod subjects;

use subjects::subjects;
use tracewright_test_support::fuzz::{Verdict, check, input, minimised, silence_panics};

/// Inputs of all readers together.
const INPUTS: u64 = 20_000;

/// A format whose examples are rejected would hide every defect behind its first check.
#[test]
fn every_reader_accepts_its_examples() {
    let mut wrong = Vec::new();
    for subject in subjects() {
        for example in &subject.examples {
            let result = (subject.read)(example).map(drop);
            // Some class files of the samples are rejected by one of the rewritings.
            if let Err(reason) = result
                && subject.name != "rewriting"
            {
                wrong.push(format!("{}: {reason}: {}", subject.name, example.escape_ascii()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn mutated_inputs_are_rejected_or_printed_as_they_are_read() {
    silence_panics();
    let mut failures = Vec::new();
    let subjects = subjects();
    let weights: u64 = subjects.iter().map(|subject| subject.weight).sum();
    for subject in &subjects {
        let mut accepted = 0;
        for number in 0..(INPUTS * subject.weight).div_ceil(weights) {
            let bytes = input(subject, 1, number);
            match check(subject.read, &bytes) {
                Verdict::Accepted => accepted += 1,
                Verdict::Rejected => {}
                Verdict::Failed(sentence) => {
                    let least = minimised(subject.read, &bytes);
                    failures.push(format!("{} {number}: {sentence}\n  {}", subject.name, least.escape_ascii()));
                }
            }
        }
        if accepted == 0 {
            failures.push(format!("{}: no input was accepted", subject.name));
        }
    }
    // The default hook again: a panic of this test is no note for `check`.
    let _ = std::panic::take_hook();
    assert!(
        failures.is_empty(),
        "{} failures, repeat with `cargo xtask bench fuzz --reader NAME --seed 1 --input NUMBER`\n{}",
        failures.len(),
        failures.join("\n")
    );
}
