//! The samples compile, and their comments have the right number of branch outcomes
//! (`samples/README.md`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tracewright_classfile::ClassFile;
use tracewright_test_support::{compile_files, jdks};
use tracewright_trace::search_sites;

/// Feasible outcomes and all outcomes of one line.
type Marks = BTreeMap<u16, (u32, u32)>;

fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut samples: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "java"))
        .collect();
    samples.sort();
    assert!(samples.len() >= 10, "{samples:?}");
    samples
}

/// The comments of a sample by line. A malformed comment fails the test.
fn marks(source: &str) -> Result<Marks, String> {
    let mut marks = Marks::new();
    for (number, line) in (1..).zip(source.lines()) {
        let Some((_, mark)) = line.split_once("// feasible: ") else {
            if line.contains("feasible:") {
                return Err(format!("line {number}: not `// feasible: N of M`"));
            }
            continue;
        };
        let (counts, reason) = match mark.split_once(", infeasible: ") {
            Some((counts, reason)) => (counts, !reason.trim().is_empty()),
            None => (mark, false),
        };
        let counts = counts.split_once(" of ").and_then(|(feasible, all)| Some((feasible.parse().ok()?, all.parse().ok()?)));
        match counts {
            Some((feasible, all)) if feasible <= all && reason == (feasible < all) => {
                marks.insert(number, (feasible, all));
            }
            _ => return Err(format!("line {number}: `{mark}`")),
        }
    }
    Ok(marks)
}

/// The number of branch outcomes of each line, over every class in a folder.
fn outcomes(folder: &Path) -> BTreeMap<u16, u32> {
    let mut outcomes = BTreeMap::new();
    for entry in walkdir::WalkDir::new(folder) {
        let entry = entry.expect("an entry");
        if entry.path().extension().is_none_or(|extension| extension != "class") {
            continue;
        }
        let class = ClassFile::parse(&std::fs::read(entry.path()).expect("readable")).expect("a class file");
        for branch in search_sites(&class).expect("well-formed").branches {
            let code = class.method(branch.method).code().expect("well-formed").expect("it has branches");
            *outcomes.entry(code.line_of(branch.bci).expect("compiled with lines")).or_insert(0) += branch.slots();
        }
    }
    outcomes
}

#[test]
fn every_branch_is_annotated() {
    for jdk in jdks() {
        for sample in samples() {
            let out = tempfile::tempdir().expect("a folder");
            let options = ["--release", "17", "-Xlint:all", "-Werror"];
            compile_files(&jdk.home, &options, out.path(), std::slice::from_ref(&sample));
            let source = std::fs::read_to_string(&sample).expect("text");
            let said: BTreeMap<u16, u32> = match marks(&source) {
                Ok(marks) => marks.into_iter().map(|(line, (_, all))| (line, all)).collect(),
                Err(problem) => panic!("{}: {problem}", sample.display()),
            };
            assert_eq!(said, outcomes(out.path()), "{} compiled by {}", sample.display(), jdk.version);
        }
    }
}

#[test]
fn the_switch_of_assertions_is_no_branch() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("A.java");
    let text = "class A {\n    int m(int a) {\n        assert a > 0 : a;\n        return a;\n    }\n}\n";
    std::fs::write(&source, text).expect("writable");
    for jdk in jdks() {
        let out = tempfile::tempdir().expect("a folder");
        compile_files(&jdk.home, &["--release", "17"], out.path(), std::slice::from_ref(&source));
        assert_eq!(outcomes(out.path()), BTreeMap::from([(3, 2)]), "the condition alone, with {}", jdk.version);
    }
}

#[test]
fn malformed_annotations_are_seen() {
    assert_eq!(marks("a\nif (x) { // feasible: 1 of 2, infeasible: never"), Ok(Marks::from([(2, (1, 2))])));
    for wrong in [
        "// feasible: 2",
        "// feasible: 3 of 2",
        "// feasible: 1 of 2",
        "// feasible: 2 of 2, infeasible: x",
        "// infeasible: x",
        "//feasible: 2 of 2",
    ] {
        assert!(marks(wrong).is_err(), "{wrong}");
    }
}
