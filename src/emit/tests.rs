//! Planning and printing of bodies over a small program in memory. The program is made of class
//! files without code: `p/Box<T>` with `set(T)` and `get()`, and `p/Calls` with overloaded static
//! methods.

use std::collections::BTreeMap;

use crate::oracle::{Accessibility, AssertedTest};
use crate::program::{ClassName, ClassOrigin, ClassSource, Program};

use super::body::print_body;
use super::{JUnit, Options, Unprintable};

const PUBLIC: u16 = 0x0001;
const STATIC: u16 = 0x0008;
const VARARGS: u16 = 0x0080;
const NATIVE: u16 = 0x0100;

struct SampleClasses(BTreeMap<ClassName, Vec<u8>>);

impl ClassSource for SampleClasses {
    fn bytes(&self, class: &ClassName) -> Option<(Vec<u8>, ClassOrigin)> {
        let origin = if class.internal().starts_with("java/") { ClassOrigin::Jdk } else { ClassOrigin::Project };
        Some((self.0.get(class)?.clone(), origin))
    }

    fn exports(&self, _: &str) -> bool {
        true
    }

    fn release(&self) -> u16 {
        17
    }

    fn project_classes(&self) -> Vec<ClassName> {
        self.0.keys().filter(|class| class.internal().starts_with("p/")).cloned().collect()
    }

    fn neighbours(&self, _: &ClassName) -> Vec<ClassName> {
        self.project_classes()
    }
}

/// The constant pool of a class file (JVMS §4.4) while it is written.
#[derive(Default)]
struct Pool(Vec<Vec<u8>>);

impl Pool {
    fn add(&mut self, entry: Vec<u8>) -> [u8; 2] {
        self.0.push(entry);
        (self.0.len() as u16).to_be_bytes()
    }

    fn utf8(&mut self, text: &str) -> [u8; 2] {
        let mut entry = vec![1];
        entry.extend((text.len() as u16).to_be_bytes());
        entry.extend(text.bytes());
        self.add(entry)
    }

    fn class(&mut self, name: &str) -> [u8; 2] {
        let name = self.utf8(name);
        self.add([&[7], &name[..]].concat())
    }

    /// A table of attributes with at most a `Signature` (JVMS §4.7.9).
    fn signature(&mut self, signature: &str) -> Vec<u8> {
        if signature.is_empty() {
            return vec![0, 0];
        }
        let (name, value) = (self.utf8("Signature"), self.utf8(signature));
        [&[0, 1], &name[..], &[0, 0, 0, 2], &value[..]].concat()
    }
}

/// A method: flags, name, descriptor, signature (empty: none).
type SampleMethod<'a> = (u16, &'a str, &'a str, &'a str);

/// The bytes of a class file (JVMS §4.1) of version 52.
fn class_file(name: &str, superclass: &str, signature: &str, methods: &[SampleMethod<'_>]) -> Vec<u8> {
    let mut pool = Pool::default();
    let mut body = vec![0, 0x21];
    body.extend(pool.class(name));
    body.extend(if superclass.is_empty() { [0, 0] } else { pool.class(superclass) });
    body.extend([0, 0, 0, 0]);
    body.extend((methods.len() as u16).to_be_bytes());
    for (flags, name, descriptor, signature) in methods {
        body.extend((flags | PUBLIC).to_be_bytes());
        body.extend(pool.utf8(name));
        body.extend(pool.utf8(descriptor));
        body.extend(pool.signature(signature));
    }
    body.extend(pool.signature(signature));
    let mut file = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52];
    file.extend((pool.0.len() as u16 + 1).to_be_bytes());
    file.extend(pool.0.concat());
    file.extend(body);
    file
}

/// The program of the unit tests of emission.
pub(super) fn sample_program() -> Program {
    let object = "java/lang/Object";
    let create: SampleMethod<'_> = (NATIVE, "<init>", "()V", "");
    let function = |name: &'static str, descriptor: &'static str| (NATIVE | STATIC, name, descriptor, "");
    let classes = [
        (object, class_file(object, "", "", &[create])),
        ("java/lang/String", class_file("java/lang/String", object, "", &[])),
        (
            "p/Box",
            class_file(
                "p/Box",
                object,
                "<T:Ljava/lang/Object;>Ljava/lang/Object;",
                &[create, (NATIVE, "set", "(Ljava/lang/Object;)V", "(TT;)V"), (NATIVE, "get", "()Ljava/lang/Object;", "()TT;")],
            ),
        ),
        (
            "p/Calls",
            class_file(
                "p/Calls",
                object,
                "",
                &[
                    create,
                    function("take", "(Ljava/lang/Object;)V"),
                    function("take", "(Ljava/lang/String;)V"),
                    (NATIVE | STATIC | VARARGS, "all", "([Ljava/lang/Object;)V", ""),
                    (NATIVE | STATIC, "fill", "(Lp/Box;)V", "(Lp/Box<Ljava/lang/String;>;)V"),
                    function("size", "(I)I"),
                ],
            ),
        ),
    ];
    let classes = classes.into_iter().map(|(name, bytes)| (ClassName::new(name), bytes)).collect();
    Program::new(SampleClasses(classes))
}

/// The printed lines of a test, with types by internal name.
fn body_of(text: &str) -> Result<Vec<String>, Unprintable> {
    let program = sample_program();
    let access = Accessibility::new(&program, "p");
    let test: AssertedTest = text.parse().expect("well-formed");
    let options = Options { junit: JUnit::Five, release: 17, seed: 7, package: "p".into(), number: 1, change: None };
    let body = print_body(&access, &test, &options)?;
    Ok(body.lines.iter().map(|line| line.replace(['\u{1}', '\u{2}'], "")).collect())
}

#[test]
fn overloads_are_told_apart_by_casts() {
    let lines = body_of(
        "v0: Ljava/lang/Object; = null\n\
         v1: V = call method p/Calls.take (Ljava/lang/Object;)V (v0)\n\
         v2: V = call method p/Calls.take (Ljava/lang/String;)V (v0)\n",
    );
    assert_eq!(lines.as_deref(), Ok(&["p/Calls.take((java/lang/Object) null);", "p/Calls.take(null);"].map(String::from)[..]));
}

#[test]
fn type_arguments_come_from_the_uses_of_a_variable() {
    let lines = body_of(
        "v0: Lp/Box; = new p/Box.<init> ()V ()\n\
         v1: V = call method p/Calls.fill (Lp/Box;)V (v0)\n\
         v2: V = call method p/Calls.fill (Lp/Box;)V (v0)\n",
    );
    let first = lines.expect("printable").swap_remove(0);
    assert_eq!(first, "p/Box<java/lang/String> box = new p/Box<>();");
}

#[test]
fn a_variable_whose_uses_exclude_each_other_is_raw() {
    let lines = body_of(
        "v0: Lp/Box; = new p/Box.<init> ()V ()\n\
         v1: Ljava/lang/Object; = new java/lang/Object.<init> ()V ()\n\
         v2: V = call method p/Box.set (Ljava/lang/Object;)V on v0 (v1)\n\
         v3: V = call method p/Calls.fill (Lp/Box;)V (v0)\n",
    )
    .expect("printable");
    assert_eq!(lines[0], "p/Box box = new p/Box();");
    assert_eq!(lines[1], "box.set(new java/lang/Object());");
}

#[test]
fn the_result_of_the_method_under_test_stands_in_its_assertion() {
    let lines = body_of(
        "target p/Calls.size (I)I\n\
         v0: I = int -5\n\
         v1: I = call method p/Calls.size (I)I (v0)\n\
         assert v1 equals int 3\n",
    );
    assert_eq!(lines.as_deref(), Ok(&["assertEquals(3, p/Calls.size(-5));".to_string()][..]));
}

#[test]
fn the_message_of_an_expected_exception_is_asserted() {
    let lines = body_of(
        "v0: I = int 1\n\
         v1: I = call method p/Calls.size (I)I (v0)\n\
         throws java/lang/Object \"full\"\n",
    );
    let expected = [
        "java/lang/Object exception = assertThrows(java/lang/Object.class, () -> p/Calls.size(1));",
        "assertEquals(\"full\", exception.getMessage());",
    ];
    assert_eq!(lines.as_deref(), Ok(&expected.map(String::from)[..]));
}

#[test]
fn unused_values_are_not_written() {
    let lines = body_of(
        "v0: I = int 1\n\
         v1: Lp/Box; = new p/Box.<init> ()V ()\n\
         v2: I = int 2\n\
         v3: I = call method p/Calls.size (I)I (v2)\n",
    );
    assert_eq!(lines.as_deref(), Ok(&["new p/Box<>();", "p/Calls.size(2);"].map(String::from)[..]));
}

#[test]
fn members_that_cannot_be_called_are_not_printed() {
    let missing = body_of("v0: V = call method p/Calls.missing ()V ()\n");
    assert!(matches!(missing, Err(Unprintable::Malformed(_))), "{missing:?}");
    let unnamed = body_of("v0: V = call method p/Calls.a-b ()V ()\n");
    assert_eq!(unnamed, Err(Unprintable::NotAnIdentifier("a-b".into())));
}
