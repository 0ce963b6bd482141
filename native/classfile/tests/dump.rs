//! A class compiled on the fly, in text, as it is read and as it is rewritten. `UPDATE_EXPECT=1` writes the goldens anew.
#![allow(clippy::unwrap_used)]

mod common;

use common::Sample;
use std::path::Path;
use std::sync::LazyLock;
use tracewright_classfile::{ClassFile, CodeEditor, Edge, Snippet};

/// The oldest JDK, since another javac may write other code for the same source.
fn compiled(class: &str) -> ClassFile {
    static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| {
        let home = common::jdks().into_iter().min_by_key(|home| release(home)).unwrap();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dump");
        common::compile(&home, "Small", "17", &folder)
    });
    let samples = &*SAMPLES;
    let sample = samples.iter().find(|sample| sample.origin == format!("{class}.class")).unwrap();
    ClassFile::parse(&sample.bytes).unwrap()
}

/// The feature release, of which the class files of its own `Object` tell.
fn release(home: &Path) -> u16 {
    let image = ristretto_jimage::Image::from_file(&home.join("lib/modules")).unwrap();
    let object = image.get_resource("/java.base/java/lang/Object.class").unwrap();
    ClassFile::parse(object.data()).unwrap().major_version() - 44
}

fn check(golden: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(golden);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert!(text == expected, "{golden} has changed:\n{text}");
}

#[test]
fn a_class() {
    check("small.txt", &compiled("Small").dump());
}

#[test]
fn a_record() {
    check("square.txt", &compiled("Small$Square").dump());
}

#[test]
fn a_rewritten_method() {
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
            editor.insert_on_edge(instruction.bci, Edge::Taken, plain.clone()).unwrap();
        }
        if instruction.op.is_switch() {
            editor.insert_before(instruction.bci, hit(3)).unwrap();
            editor.insert_on_edge(instruction.bci, Edge::Default, plain.clone()).unwrap();
        }
    }
    editor.apply(&mut class).unwrap();
    let class = ClassFile::parse(&class.to_bytes()).unwrap();
    check("grade-rewritten.txt", &class.method(index).dump());
}
