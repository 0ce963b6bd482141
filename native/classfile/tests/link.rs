//! Links rewritten classes in every JDK, the classes of `java.base` with full verification. The
//! result must be that for the original class. A class with a broken frame must be rejected, since
//! otherwise these tests could not fail.
#![allow(clippy::unwrap_used)]

mod assembled;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use tracewright_classfile::{ClassFile, CodeEditor, EditError, Instruction, Kind, Op, Snippet};
use tracewright_test_support::{
    ClassBytes, Jdk, all_jdks, compile_java_file, development_jars, jar_classes, java_base_classes, run_command,
};

#[test]
fn java_base_links() {
    for Jdk { home, .. } in all_jdks() {
        let samples = without_modules(java_base_classes(home));
        let bench = Bench::new("java-base", home);
        let rewritten: Vec<ClassBytes> = samples.iter().map(rewrite).collect();
        let names = names(&samples);
        let verdicts = bench.link_boot(&rewritten, &names);
        // All original classes link.
        let bad: Vec<_> = verdicts.iter().filter(|(_, verdict)| *verdict != "ok").collect();
        assert!(bad.is_empty(), "{} of {}: {:#?}", bad.len(), verdicts.len(), &bad[..bad.len().min(10)]);
        assert_eq!(verdicts.len(), names.len());
    }
}

#[test]
fn jars_link() {
    let Some(jars) = development_jars() else { return };
    let jars: Vec<Vec<ClassBytes>> = jars.iter().map(|path| without_modules(jar_classes(path))).collect();
    for Jdk { home, .. } in all_jdks() {
        let bench = Bench::new("jars", home);
        for samples in &jars {
            differential(&bench, samples);
        }
    }
}

/// One source as class files of several versions. Version 49 is verified by type inference, later
/// ones by type checking (JVMS §4.10).
#[test]
fn a_class_of_every_age_links() {
    for Jdk { home, .. } in all_jdks() {
        let bench = Bench::new("ages", home);
        let samples = compile_java_file(home, &java_source("Shapes"), 8, &bench.folder);
        for major in [46, 47, 48, 49, 50, 51, 52] {
            let aged = |sample: &ClassBytes| {
                let mut bytes = sample.bytes.clone();
                bytes[6..8].copy_from_slice(&u16::to_be_bytes(major));
                ClassBytes { origin: sample.origin.clone(), bytes }
            };
            let aged: Vec<ClassBytes> = samples.iter().map(aged).collect();
            let verdicts = differential(&bench, &aged);
            assert!(verdicts.values().any(|verdict| verdict == "ok"), "{major}: {verdicts:?}");
        }
    }
}

/// Code with subroutines (`jsr`, `ret`) can be rewritten, but gets no handler for the whole method.
#[test]
fn a_subroutine_links() {
    let code = [
        3, 153, 0, 3, // iconst_0; ifeq to the next instruction
        168, 0, 7, // jsr
        168, 0, 4,   // jsr
        177, // return
        75, 0, 169, 0, // astore_0; nop; ret 0
    ];
    let bytes = assembled::class_with(48, &code, &BTreeSet::new());
    let class = ClassFile::parse(&bytes).unwrap();
    let mut editor = CodeEditor::new(class.method(0)).unwrap();
    let refused = editor.catch_all(0, Snippet::new());
    assert_eq!(refused, Err(EditError::Subroutine { bci: 4 }));
    for Jdk { home, .. } in all_jdks() {
        let bench = Bench::new("subroutine", home);
        let sample = ClassBytes { origin: "T.class".into(), bytes: bytes.clone() };
        let verdicts = differential(&bench, &[sample]);
        assert_eq!(verdicts["T"], "ok");
    }
}

/// A method whose jumps become too long for 16 bits, with many values on the stack and in local
/// variables at these jumps.
#[test]
fn a_method_with_jumps_that_grow_too_long_links() {
    let mut source = String::from("class Big {\n static Object big(int n, long l, String s, double[] d) {\n");
    source += "  Object found = null;\n for (int i = 0; i < n; i++) {\n";
    // Each of these jumps skips the whole body.
    for number in 0..25 {
        source += &format!("  if (n + {number} != l) {{\n");
    }
    source += "  Object inner = new StringBuilder(i > 3 ? s : found == null ? \"a\" : grow(\n";
    source += "i > 5 ? new Object[] {\n";
    for number in 0..210 {
        source += &format!("   i + {number} > l ? d[{number}] : null,\n");
    }
    source += "  } : new Object[] {s, l, i});\n   float f = i; if (i != 7) { long k = i; \n";
    for number in 0..110 {
        source += &format!("   if (l == {number}) {{ found = s; k += {number}; }}\n");
    }
    source += "   l -= k; } else { found = inner; }\n";
    source += &"  }\n".repeat(25);
    source += "  }\n  return found;\n }\n";
    source += " static String grow(Object[] values) { return values.toString(); }\n}\n";
    source = source.replace("l, i});", "l, i}));");
    for Jdk { home, .. } in all_jdks() {
        let bench = Bench::new("big", home);
        let path = bench.folder.join("Big.java");
        std::fs::write(&path, &source).unwrap();
        for (release, major) in [(8, 49), (11, 55)] {
            let mut samples = compile_java_file(home, &path, release, &bench.folder);
            samples[0].bytes[7] = major;
            let verdicts = differential(&bench, &samples);
            assert_eq!(verdicts["Big"], "ok");
            let rewritten = ClassFile::parse(&rewrite(&samples[0]).bytes).unwrap();
            let code = rewritten.method(1).code().unwrap().unwrap();
            let inverted = |pair: &[Instruction]| {
                pair[0].op.jump_target() == Some(pair[1].next_bci()) && pair[0].op.is_conditional_jump() && pair[1].len == 5
            };
            let grown = code.instructions.windows(2).filter(|pair| inverted(pair)).count();
            assert!(grown > 20, "{grown} jumps have grown in {} bytes", code.code_len());
        }
    }
}

#[test]
fn a_broken_frame_is_noticed() {
    for Jdk { home, .. } in all_jdks() {
        let bench = Bench::new("broken", home);
        let samples = compile_java_file(home, &java_source("Shapes"), 11, &bench.folder);
        let rewritten: Vec<ClassBytes> = samples.iter().map(rewrite).collect();
        let broken: Vec<ClassBytes> = rewritten.iter().filter_map(break_a_frame).collect();
        assert!(!broken.is_empty());
        let names = names(&samples);
        for (name, verdict) in bench.link_jar(&rewritten, &names) {
            assert_eq!(verdict, "ok", "{name}");
        }
        for (name, verdict) in bench.link_jar(&broken, &self::names(&broken)) {
            assert!(verdict.starts_with("java.lang.VerifyError"), "{name}: {verdict}");
        }
        // Classes of the boot loader are verified only with an option of the JVM.
        let boot: Vec<ClassBytes> = java_base_classes(home)
            .into_iter()
            .filter(|sample| sample.origin.ends_with("/java/util/Scanner.class"))
            .map(|sample| break_a_frame(&sample).unwrap())
            .collect();
        let verdicts = bench.link_boot(&boot, &["java.util.Scanner".into()]);
        assert!(verdicts["java.util.Scanner"].starts_with("java.lang.VerifyError"), "{verdicts:?}");
    }
}

/// Links the original and the rewritten classes, whose results must be equal. Returns the results
/// of the original classes by name.
fn differential(bench: &Bench, samples: &[ClassBytes]) -> BTreeMap<String, String> {
    let rewritten: Vec<ClassBytes> = samples.iter().map(rewrite).collect();
    let names = names(samples);
    let before = bench.link_jar(samples, &names);
    let after = bench.link_jar(&rewritten, &names);
    assert_eq!(before.len(), names.len());
    for ((name, verdict), sample) in names.iter().map(|name| (name, &before[name])).zip(samples) {
        let after = &after[name];
        // Verification by type inference merges types in an order that inserted code can change. It
        // may then load a class that is missing when the jar's dependencies are.
        let is_old = ClassFile::parse(&sample.bytes).unwrap().major_version() < 50;
        if !(is_old && verdict == "ok" && after == "java.lang.NoClassDefFoundError") {
            assert_eq!(verdict, after, "{name}, {} with {}", sample.origin, bench.home.display());
        }
    }
    before
}

fn without_modules(mut samples: Vec<ClassBytes>) -> Vec<ClassBytes> {
    samples.retain(|sample| !sample.origin.contains("META-INF/") && !sample.origin.ends_with("module-info.class"));
    samples
}

fn names(samples: &[ClassBytes]) -> Vec<String> {
    samples.iter().map(|sample| ClassFile::parse(&sample.bytes).unwrap().this_class().replace('/', ".")).collect()
}

/// The class with snippets of several shapes before and after every instruction.
fn rewrite(sample: &ClassBytes) -> ClassBytes {
    let old = ClassFile::parse(&sample.bytes).unwrap();
    let mut class = old.clone();
    for method in old.methods().filter(|method| method.has_code()) {
        let outcome = CodeEditor::new(method).and_then(|mut editor| {
            insert_everywhere(&mut editor)?;
            editor.apply(&mut class)
        });
        match outcome {
            // The other methods of the class are still rewritten.
            Ok(()) | Err(EditError::TooLarge { .. } | EditError::EmptyFinalizer) => {}
            Err(error) => panic!("{}, {}: {error}", sample.origin, method.name()),
        }
    }
    ClassBytes { origin: sample.origin.clone(), bytes: class.to_bytes() }
}

fn insert_everywhere(editor: &mut CodeEditor) -> Result<(), EditError> {
    let mark = || {
        let mut snippet = Snippet::new();
        snippet.push_int(40_000).pop();
        snippet
    };
    editor.insert_at_entry(mark())?;
    for instruction in editor.instructions().to_vec() {
        let bci = instruction.bci;
        let mut before = mark();
        match &instruction.op {
            Op::If(..) | Op::TableSwitch(_) | Op::LookupSwitch(_) => {
                before.dup().pop();
            }
            Op::IfIcmp(..) | Op::IfAcmp(..) => {
                before.dup2().pop2();
            }
            Op::IfNull(..) => {
                before.dup().push_null().swap().pop2();
            }
            Op::Return(Some(kind)) => {
                before.dup_kind(*kind).push_long(5).pop2();
                if *kind == Kind::Long {
                    before.push_null().dup_x2().pop().pop2().pop();
                } else {
                    before.stack(pop_of(*kind));
                }
            }
            _ => {}
        }
        editor.insert_before(bci, before)?;
        if instruction.op.falls_through() {
            let mut after = mark();
            if let Op::ArrayLoad(kind) = instruction.op {
                after.dup_kind(kind.kind()).stack(pop_of(kind.kind()));
            }
            editor.insert_after(bci, after)?;
        }
    }
    Ok(())
}

fn pop_of(kind: Kind) -> tracewright_classfile::StackOp {
    if kind.slots() == 2 { tracewright_classfile::StackOp::Pop2 } else { tracewright_classfile::StackOp::Pop }
}

/// The class with the first frame of its first method with frames moved by one byte; `None` for a
/// class without frames.
fn break_a_frame(sample: &ClassBytes) -> Option<ClassBytes> {
    let class = ClassFile::parse(&sample.bytes).unwrap();
    let pool = class.constant_pool();
    let contents = class.methods().find_map(|method| {
        let code = method.code().unwrap()?;
        method.attribute("Code").filter(|_| !code.frames.is_empty())
    })?;
    let name = pool.indices().find(|&index| pool.utf8(index) == Ok("StackMapTable")).unwrap().to_be_bytes();
    // The name, the length, the count and the first frame of the table. `javac` writes it as the
    // last attribute of `Code`.
    let table = contents.windows(2).rposition(|window| window == name).unwrap();
    let code = sample.bytes.windows(contents.len()).position(|window| window == contents).unwrap();
    let frame = code + table + 8;
    let mut bytes = sample.bytes.clone();
    let low_byte_of_delta = if bytes[frame] < 128 { frame } else { frame + 2 };
    bytes[low_byte_of_delta] = bytes[low_byte_of_delta].wrapping_add(1);
    Some(ClassBytes { origin: sample.origin.clone(), bytes })
}

/// A source file of `tests/java`.
fn java_source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/java/{name}.java"))
}

/// A JDK and a working folder in which `LinkAll` is compiled.
struct Bench {
    home: PathBuf,
    folder: PathBuf,
}

impl Bench {
    fn new(name: &str, home: &Path) -> Bench {
        let label = home.file_name().unwrap().to_string_lossy();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("link-{name}-{label}"));
        std::fs::create_dir_all(&folder).unwrap();
        run_command(Command::new(home.join("bin/javac")).arg("-d").arg(&folder).arg(java_source("LinkAll")));
        Bench { home: home.to_owned(), folder }
    }

    fn link_boot(&self, samples: &[ClassBytes], names: &[String]) -> BTreeMap<String, String> {
        let patch = self.jar(samples, "patch.jar");
        let mut patch_option = std::ffi::OsString::from("java.base=");
        patch_option.push(patch);
        let mut java = self.java();
        java.args(["-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal", "--patch-module"]).arg(patch_option);
        self.verdicts(java.arg("LinkAll").arg(self.names(names)))
    }

    fn link_jar(&self, samples: &[ClassBytes], names: &[String]) -> BTreeMap<String, String> {
        let jar = self.jar(samples, "classes.jar");
        self.verdicts(self.java().arg("LinkAll").arg(self.names(names)).arg(jar))
    }

    fn java(&self) -> Command {
        let mut java = Command::new(self.home.join("bin/java"));
        java.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-cp"]).arg(&self.folder);
        // A JVM that crashes writes its report to the working directory.
        java.current_dir(&self.folder);
        java
    }

    fn names(&self, names: &[String]) -> PathBuf {
        let path = self.folder.join("names.txt");
        std::fs::write(&path, names.join("\n")).unwrap();
        path
    }

    fn jar(&self, samples: &[ClassBytes], name: &str) -> PathBuf {
        let path = self.folder.join(name);
        let mut jar = zip::ZipWriter::new(std::io::BufWriter::new(std::fs::File::create(&path).unwrap()));
        let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        for sample in samples {
            let class = ClassFile::parse(&sample.bytes).unwrap();
            jar.start_file(format!("{}.class", class.this_class()), stored).unwrap();
            jar.write_all(&sample.bytes).unwrap();
        }
        jar.finish().unwrap().flush().unwrap();
        path
    }

    fn verdicts(&self, java: &mut Command) -> BTreeMap<String, String> {
        run_command(java)
            .lines()
            .map(|line| {
                let (name, verdict) = line.split_once('\t').unwrap_or_else(|| panic!("unexpected output: {line}"));
                (name.to_owned(), verdict.to_owned())
            })
            .collect()
    }
}
