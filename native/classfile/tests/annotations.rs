//! Annotations are read with their values. Type annotations move with the code: `javap` prints the
//! same ones before and after rewriting.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;
use tracewright_classfile::{Annotation, ClassFile, Code, CodeEditor, ElementValue, Snippet};
use tracewright_test_support::{all_jdks, compile_java, compile_java_file, run_command};

#[test]
fn annotations_are_read_with_their_values() {
    let source = "import java.lang.annotation.*;
        @Retention(RetentionPolicy.RUNTIME) @interface Mark {
            String text() default \"\"; int[] numbers() default {}; long large() default 1;
            Class<?> type() default Object.class; RetentionPolicy policy() default RetentionPolicy.CLASS; Inner inner() default @Inner;
        }
        @Retention(RetentionPolicy.RUNTIME) @interface Inner { boolean flag() default false; }
        @Mark(text = \"on class\", numbers = {1, 2}, large = 5, inner = @Inner(flag = true))
        class Marked {
            @Mark(type = String.class, policy = RetentionPolicy.SOURCE) void marked(int plain, @Inner @Mark(text = \"p\") String other) { }
            void plain(int number) { }
        }";
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("marked");
    let classes = compile_java(&all_jdks()[0].home, 11, &folder, &[("Marked.java", source)]);
    let class = ClassFile::parse(&std::fs::read(classes.join("Marked.class")).unwrap()).unwrap();
    let [mark] = &class.annotations().unwrap()[..] else { panic!("one annotation") };
    assert_eq!(mark.descriptor, "LMark;");
    assert_eq!(mark.element("text"), Some(&ElementValue::Text("on class".into())));
    assert_eq!(mark.element("numbers"), Some(&ElementValue::Array(vec![ElementValue::Int(1), ElementValue::Int(2)])));
    assert_eq!((mark.element("large"), mark.element("type")), (Some(&ElementValue::Number), None));
    let inner = Annotation { descriptor: "LInner;".into(), elements: vec![("flag".into(), ElementValue::Int(1))] };
    assert_eq!(mark.element("inner"), Some(&ElementValue::Annotation(inner)));
    let method = |name: &str| class.methods().find(|method| method.name() == name).unwrap();
    let [mark] = &method("marked").annotations().unwrap()[..] else { panic!("one annotation") };
    assert_eq!(mark.element("type"), Some(&ElementValue::Class("Ljava/lang/String;".into())));
    let policy = ElementValue::Enum("Ljava/lang/annotation/RetentionPolicy;".into(), "SOURCE".into());
    assert_eq!(mark.element("policy"), Some(&policy));
    let parameters = method("marked").parameter_annotations().unwrap();
    assert_eq!(parameters.iter().map(Vec::len).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(parameters[1][1].element("text"), Some(&ElementValue::Text("p".into())));
    assert!(method("plain").annotations().unwrap().is_empty() && method("plain").parameter_annotations().unwrap().is_empty());
}

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
