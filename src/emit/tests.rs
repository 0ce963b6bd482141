//! Planning and printing of bodies over a small program in memory. The program is made of class
//! files without code: `p/Box<T>` with `set(T)` and `get()`, `p/Calls` with overloaded static
//! methods, and the generic interface `p/Store<T, K>` with two subinterfaces.

use std::collections::BTreeMap;

use crate::conventions::FileLayout;
use crate::oracle::{Accessibility, AssertedTest};
use crate::program::{ClassName, ClassOrigin, ClassSource, Program};

use super::body::print_body;
use super::{AssertionStyle, JUnit, Options, Unprintable};

const PUBLIC: u16 = 0x0001;
const STATIC: u16 = 0x0008;
const VARARGS: u16 = 0x0080;
const NATIVE: u16 = 0x0100;
const ABSTRACT: u16 = 0x0400;

/// In place of a signature: the member is deprecated.
const DEPRECATED: &str = "@Deprecated";

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

    /// A table of attributes with at most a `Signature` (JVMS §4.7.9), or with `Deprecated` (§4.7.15).
    fn signature(&mut self, signature: &str) -> Vec<u8> {
        if signature == DEPRECATED {
            let name = self.utf8("Deprecated");
            return [&[0, 1], &name[..], &[0, 0, 0, 0]].concat();
        }
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
    type_file(0x21, name, (superclass, &[]), signature, methods)
}

/// The bytes of a public interface.
fn interface_file(name: &str, interfaces: &[&str], signature: &str, methods: &[SampleMethod<'_>]) -> Vec<u8> {
    type_file(0x601, name, ("java/lang/Object", interfaces), signature, methods)
}

/// The bytes of a class or interface with these flags. `supertypes`: the superclass (empty: none)
/// and the interfaces.
fn type_file(
    flags: u16,
    name: &str,
    (superclass, interfaces): (&str, &[&str]),
    signature: &str,
    methods: &[SampleMethod<'_>],
) -> Vec<u8> {
    let mut pool = Pool::default();
    let mut body = flags.to_be_bytes().to_vec();
    body.extend(pool.class(name));
    body.extend(if superclass.is_empty() { [0, 0] } else { pool.class(superclass) });
    body.extend((interfaces.len() as u16).to_be_bytes());
    for interface in interfaces {
        body.extend(pool.class(interface));
    }
    body.extend([0, 0]);
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
    let (object, comparable) = ("java/lang/Object", "java/lang/Comparable");
    let create: SampleMethod<'_> = (NATIVE, "<init>", "()V", "");
    let function = |name: &'static str, descriptor: &'static str| (NATIVE | STATIC, name, descriptor, "");
    let classes = [
        (object, class_file(object, "", "", &[create])),
        (comparable, interface_file(comparable, &[], "<T:Ljava/lang/Object;>Ljava/lang/Object;", &[])),
        (
            "java/lang/String",
            type_file(
                0x21,
                "java/lang/String",
                (object, &[comparable]),
                "Ljava/lang/Object;Ljava/lang/Comparable<Ljava/lang/String;>;",
                &[],
            ),
        ),
        (
            "p/Ranking",
            class_file(
                "p/Ranking",
                object,
                "<K::Ljava/lang/Comparable<TK;>;>Ljava/lang/Object;",
                &[create, (NATIVE, "put", "(Ljava/lang/Comparable;)V", "(TK;)V"), (NATIVE, "clear", "()V", "")],
            ),
        ),
        (
            "p/Box",
            class_file(
                "p/Box",
                object,
                "<T:Ljava/lang/Object;>Ljava/lang/Object;",
                &[create, (NATIVE, "set", "(Ljava/lang/Object;)V", "(TT;)V"), (NATIVE, "get", "()Ljava/lang/Object;", "()TT;")],
            ),
        ),
        ("p/Pair", class_file("p/Pair", object, "<K:Ljava/lang/Object;V:Ljava/lang/Object;>Ljava/lang/Object;", &[create])),
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
                    (
                        NATIVE | STATIC | VARARGS,
                        "boxed",
                        "([Ljava/lang/Object;)Lp/Box;",
                        "<T:Ljava/lang/Object;>([TT;)Lp/Box<TT;>;",
                    ),
                    (NATIVE | STATIC, "fill", "(Lp/Box;)V", "(Lp/Box<Ljava/lang/String;>;)V"),
                    (NATIVE | STATIC, "index", "(Lp/Pair;)V", "<V:Ljava/lang/Object;>(Lp/Pair<Ljava/lang/String;TV;>;)V"),
                    function("put", "(Ljava/lang/Object;)V"),
                    function("put", "(Ljava/util/ArrayList;)V"),
                    function("size", "(I)I"),
                    function("sort", "([I)I"),
                    function("flag", "(I)Z"),
                    (NATIVE | STATIC, "old", "()V", DEPRECATED),
                    (
                        NATIVE | STATIC,
                        "keep",
                        "(Ljava/lang/Object;Lp/Box;)V",
                        // As `keep(T, Box<T>)` declares it.
                        "<T:Ljava/lang/Object;>(TT;Lp/Box<TT;>;)V",
                    ),
                ],
            ),
        ),
        (
            "p/ItemBuilder",
            class_file(
                "p/ItemBuilder",
                object,
                "",
                &[create, (NATIVE, "name", "(Ljava/lang/String;)Lp/ItemBuilder;", ""), (NATIVE, "build", "()Lp/Calls;", "")],
            ),
        ),
        (
            "p/Form",
            class_file(
                "p/Form",
                object,
                "",
                &[
                    create,
                    (NATIVE, "count", "()I", ""),
                    (NATIVE, "setCount", "(I)V", ""),
                    (NATIVE, "setName", "(Ljava/lang/String;)V", ""),
                ],
            ),
        ),
        ("java/lang/Long", class_file("java/lang/Long", object, "", &[function("valueOf", "(J)Ljava/lang/Long;")])),
        (
            "p/Numbers",
            class_file(
                "p/Numbers",
                object,
                "",
                &[
                    function("alone", "(Ljava/lang/Long;I)V"),
                    function("text", "(Ljava/lang/Long;)V"),
                    function("text", "(Ljava/lang/String;)V"),
                    function("wide", "(Ljava/lang/Long;)V"),
                    function("wide", "(Ljava/lang/Object;)V"),
                    function("primitive", "(Ljava/lang/Long;)V"),
                    function("primitive", "(D)V"),
                ],
            ),
        ),
        (
            "p/Store",
            interface_file(
                "p/Store",
                &[],
                "<T:Ljava/lang/Object;K:Ljava/lang/Object;>Ljava/lang/Object;",
                &[
                    (ABSTRACT, "find", "(Ljava/lang/Object;)Ljava/lang/Object;", "(TK;)TT;"),
                    (ABSTRACT, "save", "(Ljava/lang/Object;)Ljava/lang/Object;", "<S:TT;>(TS;)TS;"),
                    (ABSTRACT, "all", "(Lp/Box;)Lp/Box;", "(Lp/Box<+TT;>;)Lp/Box<TT;>;"),
                ],
            ),
        ),
        ("p/Words", interface_file("p/Words", &["p/Store"], "Ljava/lang/Object;Lp/Store<Ljava/lang/String;Lp/Calls;>;", &[])),
        ("p/Narrow", interface_file("p/Narrow", &["p/Words"], "", &[(ABSTRACT, "find", "(Lp/Calls;)Ljava/lang/String;", "")])),
        (
            "p/Wide",
            interface_file(
                "p/Wide",
                &["p/Words"],
                "",
                &[
                    (ABSTRACT, "size", "()J", ""),
                    (ABSTRACT, "size", "(I)J", ""),
                    (ABSTRACT, "close", "()V", ""),
                    (ABSTRACT, "put", "(Ljava/lang/Object;)V", ""),
                    (ABSTRACT, "put", "(Ljava/lang/String;)V", ""),
                    (ABSTRACT | VARARGS, "log", "(Ljava/lang/Object;[Ljava/lang/Object;)V", ""),
                ],
            ),
        ),
    ];
    let classes = classes.into_iter().map(|(name, bytes)| (ClassName::new(name), bytes)).collect();
    Program::new(SampleClasses(classes))
}

/// The options of a file in the package of the program.
pub(super) fn sample_options(junit: JUnit) -> Options {
    Options {
        junit,
        release: 17,
        seed: 7,
        package: "p".into(),
        number: 1,
        change: None,
        layout: FileLayout::default(),
        public: false,
        style: AssertionStyle::JUnit,
    }
}

/// The printed lines of a test, with types by internal name.
fn body_of(text: &str) -> Result<Vec<String>, Unprintable> {
    let program = sample_program();
    let access = Accessibility::new(&program, "p");
    let test: AssertedTest = text.parse().expect("well-formed");
    let body = print_body(&access, &test, &sample_options(JUnit::Five))?;
    Ok(body.lines.iter().map(|line| line.replace(['\u{1}', '\u{2}'], "")).collect())
}

#[test]
fn what_a_call_inside_an_assertion_changes_is_asserted_behind_it() {
    let lines = body_of(
        "acted 2\nv0: [I = array I 1 ()\nv1: I = call method p/Calls.sort ([I)I (v0)\n\
         assert v0 equals array I 1 [int 2]\nassert v1 equals int 33\n",
    );
    let lines = lines.expect("printable");
    let [.., call, given] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(call.starts_with("assertEquals(33, ") && given.starts_with("assertArrayEquals("), "{lines:?}");
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
fn boxes_are_written_as_literals_where_javac_boxes_them() {
    let call = |method: &str| {
        let lines = body_of(&format!(
            "v0: J = long 2\nv1: Ljava/lang/Long; = call method java/lang/Long.valueOf (J)Ljava/lang/Long; (v0)\n\
             v2: V = call method p/Numbers.{method} (Ljava/lang/Long;)V (v1)\n"
        ));
        lines.expect("printable").join("\n")
    };
    assert_eq!(call("text"), "p/Numbers.text(2L);");
    assert_eq!(call("wide"), "p/Numbers.wide(java/lang/Long.valueOf(2L));");
    let kept = body_of(
        "v0: Lp/Box; = new p/Box.<init> ()V ()\n\
         v1: J = long 2\nv2: Ljava/lang/Long; = call method java/lang/Long.valueOf (J)Ljava/lang/Long; (v1)\n\
         v3: V = call method p/Box.set (Ljava/lang/Object;)V on v0 (v2)\n",
    );
    assert_eq!(kept.expect("printable").last().map(String::as_str), Some("box.set(2L);"), "any object is taken");
    let twice = |number: &str| {
        let lines = body_of(&format!(
            "v0: J = long {number}\n\
             v1: Ljava/lang/Long; = call method java/lang/Long.valueOf (J)Ljava/lang/Long; (v0)\n\
             v2: V = call method p/Numbers.text (Ljava/lang/Long;)V (v1)\n\
             v3: V = call method p/Numbers.text (Ljava/lang/Long;)V (v1)\n"
        ));
        lines.expect("printable")
    };
    assert_eq!(twice("2"), ["p/Numbers.text(2L);", "p/Numbers.text(2L);"], "the JVM has one such object");
    let lines = twice("300");
    assert!(lines[0].starts_with("java/lang/Long ") && lines[0].ends_with(" = 300L;"), "{lines:?}");
    assert!(lines[1] == lines[2] && !lines[1].contains("300L"), "{lines:?}");
}

#[test]
fn calls_on_a_builder_are_one_chain_while_it_fits_into_a_line() {
    let lines = |name: &str, between: &str| {
        let lines = body_of(&format!(
            "v0: Lp/ItemBuilder; = new p/ItemBuilder.<init> ()V ()\nv1: Ljava/lang/String; = string \"{name}\"\n\
             v2: Lp/ItemBuilder; = call method p/ItemBuilder.name (Ljava/lang/String;)Lp/ItemBuilder; on v0 (v1)\n\
             v3: V = {between}\n\
             v4: Lp/Calls; = call method p/ItemBuilder.build ()Lp/Calls; on v2 ()\n\
             v5: V = call method p/Calls.take (Ljava/lang/Object;)V (v4)\n"
        ));
        lines.expect("printable")
    };
    let apart = lines("lamp", "call method p/Calls.old ()V ()");
    assert_eq!(apart[0], "p/ItemBuilder itemBuilder = new p/ItemBuilder().name(\"lamp\");");
    let text = |name: &str| {
        let lines = body_of(&format!(
            "v0: Lp/ItemBuilder; = new p/ItemBuilder.<init> ()V ()\nv1: Ljava/lang/String; = string \"{name}\"\n\
             v2: Lp/ItemBuilder; = call method p/ItemBuilder.name (Ljava/lang/String;)Lp/ItemBuilder; on v0 (v1)\n\
             v3: Lp/Calls; = call method p/ItemBuilder.build ()Lp/Calls; on v2 ()\n\
             assert v3 not-null\n"
        ));
        lines.expect("printable").join("\n")
    };
    assert_eq!(text("lamp"), "assertNotNull(new p/ItemBuilder().name(\"lamp\").build());");
    let long = text(&"lamp".repeat(20));
    assert!(long.starts_with("p/ItemBuilder itemBuilder = new p/ItemBuilder();\n"), "{long}");
}

#[test]
fn a_method_that_another_one_overrides_is_no_overload() {
    // `Narrow.find(Calls)` overrides `Store.find(K)`, which would take any object.
    let lines = body_of(
        "v0: Ljava/lang/String; = string \"a\"\n\
         v1: Lp/Calls; = null\n\
         v2: Lp/Narrow; = mock p/Narrow (p/Store.find (Ljava/lang/Object;)Ljava/lang/Object; v0)\n\
         v3: Ljava/lang/Object; = call interface-method p/Store.find (Ljava/lang/Object;)Ljava/lang/Object; on v2 (v1)\n\
         v4: V = call method p/Calls.take (Ljava/lang/Object;)V (v3)\n",
    );
    let text = lines.expect("printable").join("\n");
    assert!(text.contains("when(narrow.find(any())).thenReturn(\"a\");"), "{text}");
    assert!(text.contains("= narrow.find(null);"), "{text}");
}

/// The declaration of a new object of the class, which two calls of the method take.
fn declared_for(class: &str, method: &str) -> String {
    let call = format!("V = call method p/Calls.{method} (L{class};)V (v0)");
    let lines = body_of(&format!("v0: L{class}; = new {class}.<init> ()V ()\nv1: {call}\nv2: {call}\n"));
    lines.expect("printable").swap_remove(0)
}

#[test]
fn type_arguments_come_from_the_uses_of_a_variable() {
    assert_eq!(declared_for("p/Box", "fill"), "p/Box<java/lang/String> box = new p/Box<>();");
}

#[test]
fn type_arguments_come_from_the_other_arguments_of_a_generic_method() {
    let call = "V = call method p/Calls.keep (Ljava/lang/Object;Lp/Box;)V (v1, v0)";
    let lines = |text: &str| {
        let made = "v0: Lp/Box; = new p/Box.<init> ()V ()";
        body_of(&format!("{made}\nv1: {text}\nv2: {call}\nv3: {call}\n")).expect("printable")
    };
    let of_text = lines("Ljava/lang/String; = string \"a\"");
    assert_eq!(of_text[0], "p/Box<java/lang/String> box = new p/Box<>();");
    assert_eq!(of_text[2], "p/Calls.keep(\"a\", box);");
}

#[test]
fn type_variables_of_a_method_leave_the_other_arguments_known() {
    let expected = "p/Pair<java/lang/String, java/lang/Object> pair = new p/Pair<>();";
    assert_eq!(declared_for("p/Pair", "index"), expected);
}

#[test]
fn a_type_argument_is_within_its_bound() {
    let declared = |statements: &str| {
        let lines = body_of(&format!("v0: Lp/Ranking; = new p/Ranking.<init> ()V ()\n{statements}"));
        lines.expect("printable").swap_remove(0)
    };
    let call = "V = call method p/Ranking.put (Ljava/lang/Comparable;)V on v0 (v1)";
    let put = |value: &str| format!("v1: {value}\nv2: {call}\n");
    let clear = "v1: V = call method p/Ranking.clear ()V on v0 ()\nv2: V = call method p/Ranking.clear ()V on v0 ()\n";
    let of_strings = "p/Ranking<java/lang/String> ranking = new p/Ranking<>();";
    assert_eq!([declared(&put("Ljava/lang/String; = string \"a\"")), declared(clear)], [of_strings; 2]);
    let raw = declared(&put("Ljava/lang/Comparable; = stub java/lang/Comparable ()"));
    assert!(raw.starts_with("p/Ranking ranking"), "{raw}");
}

#[test]
fn the_cells_of_an_array_stand_as_arguments_where_javac_infers_the_same_type() {
    let lines = |element: &str| {
        body_of(&format!(
            "v0: Lp/Calls; = new p/Calls.<init> ()V ()\n\
             v1: [L{element}; = array L{element}; 2 (v0, v0)\n\
             v2: Lp/Box; = call method p/Calls.boxed ([Ljava/lang/Object;)Lp/Box; (v1)\n\
             v3: V = call method p/Calls.take (Ljava/lang/Object;)V (v2)\n"
        ))
        .expect("printable")
    };
    assert_eq!(lines("p/Calls")[1], "p/Box<p/Calls> box = p/Calls.boxed(calls, calls);");
    let whole = &lines("java/lang/Object")[1];
    assert!(whole.ends_with("= p/Calls.boxed(new java/lang/Object[] {calls, calls});"), "{whole}");
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
fn a_stub_overrides_with_the_type_arguments_of_its_supertypes() {
    let lines = body_of(
        "v0: Ljava/lang/String; = string \"a\"\n\
         v1: Lp/Words; = stub p/Words (p/Store.find (Ljava/lang/Object;)Ljava/lang/Object; v0, \
         p/Store.save (Ljava/lang/Object;)Ljava/lang/Object; v0)\n\
         v2: V = call method p/Calls.take (Ljava/lang/Object;)V (v1)\n",
    );
    let text = lines.expect("printable").join("\n");
    for expected in [
        "p/Words words = new p/Words() {\n",
        "    public java/lang/String find(p/Calls calls) {\n        return \"a\";\n",
        "    public <S extends java/lang/String> S save(S text) {\n        return (S) \"a\";\n",
        "    public p/Box<java/lang/String> all(p/Box<? extends java/lang/String> box) {\n        return null;\n",
    ] {
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_stub_with_many_methods_is_a_proxy() {
    let lines = body_of(
        "v0: J = long 5\n\
         v1: Lp/Wide; = stub p/Wide (p/Wide.size ()J v0)\n\
         v2: V = call method p/Calls.take (Ljava/lang/Object;)V (v1)\n",
    );
    let expected = "p/Wide wide = stub(p/Wide.class, (proxy, method, args) -> \
                    method.getName().equals(\"size\") && method.getParameterCount() == 0 ? 5L : null);";
    let text = lines.expect("printable").join(" ");
    assert_eq!(text.split_whitespace().collect::<Vec<_>>().join(" "), format!("{expected} p/Calls.take(wide);"));
}

#[test]
fn mocks_answer_by_argument_in_sequence_and_with_exceptions() {
    let lines = body_of(
        "v0: J = long 5\n\
         v1: J = long 6\n\
         v2: I = int 1\n\
         v3: Lp/Calls; = null\n\
         v4: Lp/Wide; = mock p/Wide (p/Wide.size ()J v0 then v1 then throws v3, p/Wide.size (I)J throws v3, \
         p/Wide.size (I)J for v2 v0, p/Wide.close ()V throws v3)\n\
         v5: V = call method p/Calls.take (Ljava/lang/Object;)V (v4)\n\
         assert v4 called 2 p/Wide.size (I)J (any)\n\
         assert v4 called 1 p/Wide.close ()V ()\n",
    );
    let expected = [
        "p/Wide wide = mock(p/Wide.class);",
        "when(wide.size()).thenReturn(5L, 6L).thenThrow(null);",
        "when(wide.size(anyInt())).thenThrow(null);",
        "doReturn(5L).when(wide).size(1);",
        "doThrow(null).when(wide).close();",
        "p/Calls.take(wide);",
        "",
        "verify(wide, times(2)).size(anyInt());",
        "verify(wide).close();",
    ];
    assert_eq!(lines.as_deref(), Ok(&expected.map(String::from)[..]));
}

#[test]
fn matchers_choose_among_overloads_without_a_redundant_cast() {
    let put = |ty: &str, argument: &str| format!("assert v0 called 1 p/Wide.put (Ljava/lang/{ty};)V ({argument})\n");
    let mock = "v0: Lp/Wide; = mock p/Wide ()\nv1: V = call method p/Calls.take (Ljava/lang/Object;)V (v0)\n";
    let lines = body_of(&format!("{mock}{}{}", put("Object", "any"), put("String", "any"))).expect("printable");
    let expected = ["verify(wide).put(nullable(java/lang/Object.class));", "verify(wide).put((java/lang/String) any());"];
    assert_eq!(lines[lines.len() - 2..], expected);
}

#[test]
fn variable_arguments_of_a_verified_call_stand_one_by_one() {
    let lines = body_of(
        "v0: Lp/Wide; = mock p/Wide ()\n\
         v1: V = call method p/Calls.take (Ljava/lang/Object;)V (v0)\n\
         assert v0 called 1 p/Wide.log (Ljava/lang/Object;[Ljava/lang/Object;)V (equals string \"a\", equals array Ljava/lang/Object; 2 [boxed int 1, null])\n\
         assert v0 called 1 p/Wide.log (Ljava/lang/Object;[Ljava/lang/Object;)V (any, equals array Ljava/lang/Object; 2 [boxed int 1, null])\n\
         assert v0 called 1 p/Wide.log (Ljava/lang/Object;[Ljava/lang/Object;)V (equals string \"a\", equals array Ljava/lang/Object; 0 [])\n",
    );
    let lines = lines.expect("printable");
    let expected = ["verify(wide).log(\"a\", 1, null);", "verify(wide).log(any(), eq(1), isNull());", "verify(wide).log(\"a\");"];
    assert_eq!(lines[lines.len() - 3..], expected);
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
fn statements_that_undo_stand_behind_assertions_and_exceptions() {
    let calls =
        "undoing 1\nv0: I = int 1\nv1: I = call method p/Calls.size (I)I (v0)\nv2: I = call method p/Calls.size (I)I (v0)\n";
    let thrown = body_of(&format!("{calls}throws java/lang/Object\n"));
    let expected = ["assertThrows(java/lang/Object.class, () -> p/Calls.size(1));", "p/Calls.size(1);"];
    assert_eq!(thrown.as_deref(), Ok(&expected.map(String::from)[..]));
    let asserted = body_of(&format!("acted 2\n{calls}assert v1 equals int 3\n"));
    let expected = ["assertEquals(3, p/Calls.size(1));", "p/Calls.size(1);"];
    assert_eq!(asserted.as_deref(), Ok(&expected.map(String::from)[..]));
}

#[test]
fn a_test_without_assertion_says_that_nothing_is_thrown() {
    let lines = body_of("target p/Calls.size (I)I\nv0: I = int 2\nv1: I = call method p/Calls.size (I)I (v0)\n");
    assert_eq!(lines.as_deref(), Ok(&["assertDoesNotThrow(() -> p/Calls.size(2));".to_string()][..]));
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

#[test]
fn a_test_of_deprecated_code_is_deprecated_and_its_class_suppresses_nothing() {
    let program = sample_program();
    let current = "v0: I = int 1\nv1: I = call method p/Calls.size (I)I (v0)\n";
    let tests = ["v0: V = call method p/Calls.old ()V ()\n", current];
    let tests = tests.map(|text| text.parse().expect("well-formed"));
    let source = super::render(&program, &ClassName::new("p/Calls"), &tests, &sample_options(JUnit::Five)).source;
    assert_eq!(source.matches("    @Test\n    @Deprecated\n    void ").count(), 1, "{source}");
    assert_eq!(source.matches("@Deprecated").count(), 1, "{source}");
    assert!(!source.contains("@SuppressWarnings"), "{source}");
}
