//! Text forms of compiled classes before and after rewriting, compared with golden files.
//! `UPDATE_EXPECT=1` writes the golden files.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::LazyLock;
use tracewright_classfile::{ClassFile, CodeEditor, Snippet};
use tracewright_test_support::{ClassBytes, all_jdks, check_golden, compile_java_file};

/// A class of `Small.java`, compiled by the oldest JDK: another `javac` may write other code.
fn compiled(class: &str) -> ClassFile {
    static SAMPLES: LazyLock<Vec<ClassBytes>> = LazyLock::new(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/Small.java");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dump");
        compile_java_file(&all_jdks()[0].home, &source, 17, &folder)
    });
    let samples = &*SAMPLES;
    let sample = samples.iter().find(|sample| sample.origin == format!("{class}.class")).unwrap();
    ClassFile::parse(&sample.bytes).unwrap()
}

fn check(golden: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(golden);
    check_golden(&path, text);
}

#[test]
fn the_text_form_shows_a_class() {
    check("small.txt", &compiled("Small").dump());
}

#[test]
fn the_text_form_shows_a_record() {
    check("square.txt", &compiled("Small$Square").dump());
}

#[test]
fn the_text_form_shows_a_rewritten_method() {
    let mut class = compiled("Small");
    let probe = class.constant_pool_mut().add_static_method("java/lang/Probe", "hit", "(II)V").unwrap();
    let hit = |site: i32| {
        let mut snippet = Snippet::new();
        snippet.dup().push_int(site).invoke_static(probe);
        snippet
    };
    let mut plain = Snippet::new();
    plain.push_int(1).push_int(70_000).invoke_static(probe);
    let method = class.find_method("grade", "(ID)I").unwrap();
    let index = method.index();
    let mut editor = CodeEditor::new(method).unwrap();
    editor.insert_at_entry(plain.clone()).unwrap();
    for instruction in editor.instructions().to_vec() {
        if instruction.op.is_conditional_jump() {
            editor.insert_before(instruction.bci, hit(2)).unwrap();
        }
        if instruction.op.is_switch() {
            editor.insert_before(instruction.bci, hit(3)).unwrap();
        }
    }
    editor.apply(&mut class).unwrap();
    let class = ClassFile::parse(&class.to_bytes()).unwrap();
    check("grade-rewritten.txt", &class.method(index).dump());
}
