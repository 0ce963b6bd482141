//! Type annotations move with the code: `javap` prints the same ones before and after rewriting.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;
use tracewright_classfile::{ClassFile, Code, CodeEditor, Snippet};
use tracewright_test_support::{all_jdks, compile_java_file, run_command};

#[test]
fn type_annotations_stay_with_their_instructions() {
    let home = &all_jdks()[0].home;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("annotations");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/TypeUses.java");
    let samples = compile_java_file(home, &source, 11, &folder);
    let sample = samples.iter().find(|sample| sample.origin == "TypeUses.class").unwrap();
    let old = ClassFile::parse(&sample.bytes).unwrap();
    let mut new = old.clone();
    let method = old.methods().find(|method| method.name() == "uses").unwrap();
    let mut editor = CodeEditor::new(method).unwrap();
    let mut snippet = Snippet::new();
    snippet.push_int(1).pop();
    for instruction in editor.instructions().to_vec() {
        editor.insert_before(instruction.bci, snippet.clone()).unwrap();
    }
    editor.apply(&mut new).unwrap();
    let new = ClassFile::parse(&new.to_bytes()).unwrap();
    let before = marks(home, &folder, &old);
    assert!(before.iter().filter(|line| line.contains("offset")).count() >= 5, "{before:#?}");
    for kind in
        ["LOCAL_VARIABLE", "CAST", "NEW", "INSTANCEOF", "METHOD_INVOCATION", "CONSTRUCTOR_REFERENCE", "EXCEPTION_PARAMETER"]
    {
        assert!(before.iter().any(|line| line.contains(kind)), "no {kind} in {before:#?}");
    }
    assert_eq!(marks(home, &folder, &new), before);
}

/// The annotations in the code of `uses` as `javap` prints them. Every bci is replaced by the
/// number of the instruction there.
fn marks(home: &Path, folder: &Path, class: &ClassFile) -> Vec<String> {
    let path = folder.join("shown.class");
    std::fs::write(&path, class.to_bytes()).unwrap();
    let text = run_command(Command::new(home.join("bin/javap")).args(["-v", "-p"]).arg(&path));
    let code = class.methods().find(|method| method.name() == "uses").unwrap().code().unwrap().unwrap();
    let lines: Vec<&str> = text.lines().skip_while(|line| !line.contains(" uses(")).collect();
    let targets = ["offset=", "start_pc=", "length=", "exception_index="];
    let found = lines.iter().filter(|line| targets.iter().any(|target| line.contains(target)));
    found.map(|line| by_instruction(line.trim(), &code)).collect()
}

/// Replaces the bci in `NEW, offset=12` by the number of the instruction, and the bounds of the
/// range in `{start_pc=3, length=9, index=1}` by two such numbers.
fn by_instruction(line: &str, code: &Code) -> String {
    // A snippet of two instructions stands before each old instruction.
    let is_rewritten = code.instructions[1].mnemonic() == "pop";
    let number = |bci: u32| {
        let index = code.index_of(bci).unwrap_or(code.instructions.len());
        if is_rewritten { index / 3 } else { index }
    };
    let value = |key: &str, from: &str| -> Option<u32> {
        let digits = &from[from.find(key)? + key.len()..];
        digits[..digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len())].parse().ok()
    };
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("start_pc=") {
        let start = value("start_pc=", &rest[at..]).unwrap();
        let length = value("length=", &rest[at..]).unwrap();
        out += &format!("{}from {} to {}", &rest[..at], number(start), number(start + length));
        rest = &rest[rest.find(", index=").unwrap()..];
        let (index, after) = rest.split_at(rest.find('}').unwrap());
        out += index;
        rest = after;
    }
    if let Some(offset) = value("offset=", rest) {
        let bci = code.instruction_at(offset).expect("an annotated instruction");
        out += &rest.replace(&format!("offset={offset}"), &format!("offset={} {}", number(offset), bci.mnemonic()));
    } else {
        out += rest;
    }
    out
}
