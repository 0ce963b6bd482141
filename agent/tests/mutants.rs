//! Mutants, in a JVM under full verification. A class with all kinds of mutants runs with each
//! mutant active; the different results are compared with a golden. All JDKs must agree. The run
//! without an active mutant must have noted each infected mutant.

mod common {
    pub(crate) mod golden;
    pub(crate) mod jvm;
    pub(crate) mod output;
    pub(crate) mod run;
}

use std::fmt::Write as _;
use std::fs;

use common::golden::check_golden;
use common::jvm::{compile, jdks};
use common::output::output;
use tracewright_classfile::{ClassFile, Mutant, Operator, mutants};

const CLASSES: [&str; 3] = ["Mutated", "Mutated$Kind", "Mutated$Pair"];

#[test]
fn each_mutant_changes_the_expected_results() {
    let folder = compile(&["Mutated", "MutatedMain"]);
    let mut all: Vec<Mutant> = Vec::new();
    let mut options = String::new();
    for name in CLASSES {
        let class = ClassFile::parse(&fs::read(folder.join(format!("{name}.class"))).expect("compiled")).expect("a class");
        options += &format!(",mutate={name} {}", all.len() + 1);
        all.extend(mutants(&class).expect("well-formed"));
    }
    for operator in Operator::ALL {
        assert!(all.iter().any(|mutant| mutant.operator == operator), "{operator}");
    }
    for mutant in &all {
        assert_eq!(Mutant::parse(&mutant.to_string()).as_ref(), Ok(mutant));
    }
    let options = format!("mode=mutants{options},mutants={}", all.len());
    let flags = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal"];
    for jdk in jdks() {
        let raw = output(&jdk, &options, &flags, &folder, "MutatedMain", &[&all.len().to_string()]);
        let mut text = String::new();
        for (place, mutant) in all.iter().enumerate() {
            writeln!(text, "{mutant}").expect("text");
            let number = (place + 1).to_string();
            let mut shown = 0;
            for line in raw.lines() {
                let parts: Vec<&str> = line.split('|').collect();
                let [of, call, plain, mutated, foreseen] = parts[..] else { panic!("{line}") };
                assert_ne!(of, "0", "{call} gives something else after the mutants");
                if of == number {
                    assert_eq!(foreseen, "true", "{mutant}: {line}");
                    shown += 1;
                    if shown <= 3 {
                        writeln!(text, "    {call}: {plain} -> {mutated}").expect("text");
                    }
                }
            }
        }
        check_golden("mutants.txt", &text);
    }
}
