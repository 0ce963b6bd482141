//! Tests in text form become a file with tables over the small program of `emit::tests`.

use std::collections::BTreeSet;

use crate::emit::tests::{sample_options, sample_program};
use crate::emit::{JUnit, Rendered, render_tables};
use crate::oracle::AssertedTest;
use crate::program::ClassName;

fn tables_of(tests: &[String], junit: JUnit, single: &[usize]) -> Rendered {
    let tests: Vec<AssertedTest> = tests.iter().map(|test| test.parse().expect("well-formed")).collect();
    let single: BTreeSet<usize> = single.iter().copied().collect();
    render_tables(&sample_program(), &ClassName::new("p/Calls"), &tests, &sample_options(junit), &single)
}

/// The class of the file, without header and imports.
fn class_of(tests: &[String]) -> String {
    let source = tables_of(tests, JUnit::Five, &[]).source;
    let begin = source.find("class CallsTracewrightTest").expect("a class");
    source[begin..].to_owned()
}

/// A test of `p/Calls.size` that returns `expected` for `argument`.
fn size(argument: &str, expected: &str) -> String {
    format!(
        "target p/Calls.size (I)I\nv0: I = int {argument}\nv1: I = call method p/Calls.size (I)I (v0)\n\
         assert v1 equals int {expected}\n"
    )
}

/// A test of `p/Calls.take` of a string.
fn take(literal: &str) -> String {
    format!(
        "target p/Calls.take (Ljava/lang/String;)V\nv0: Ljava/lang/String; = {literal}\n\
         v1: V = call method p/Calls.take (Ljava/lang/String;)V (v0)\n"
    )
}

#[test]
fn tests_that_differ_in_values_are_rows_from_simple_to_complex() {
    let class = class_of(&[size("300", "3"), size("-7", "1"), size("2147483647", "9"), size("400", "4")]);
    let expected = "class CallsTracewrightTest {

    @ParameterizedTest
    @CsvSource({\"-7, 1\", \"300, 3\", \"400, 4\", \"2147483647, 9\"})
    void size_returnsExpected(int number, int expected) {
        assertEquals(expected, Calls.size(number));
    }
}
";
    assert_eq!(class, expected);
}

#[test]
fn two_tests_are_rows_where_they_need_no_method_and_equal_tests_stay_single() {
    let class = class_of(&[size("1", "2"), size("2", "3")]);
    assert!(class.contains("    @CsvSource({\"1, 2\", \"2, 3\"})\n    void"), "{class}");
    for tests in [vec![two("a\\u000db", "1"), two("c", "2")], vec![size("2", "3"), size("2", "3")]] {
        let rendered = tables_of(&tests, JUnit::Five, &[]);
        assert_eq!(rendered.tests.len(), tests.len(), "{}", rendered.source);
        assert!(!rendered.source.contains("Parameterized"), "{}", rendered.source);
    }
}

#[test]
fn a_value_that_all_tests_share_stays_in_the_body() {
    let class = class_of(&[size("1", "4"), size("2", "4"), size("3", "4")]);
    assert!(class.contains("    @ValueSource(ints = {1, 2, 3})\n    void size_returns4(int number) {\n"), "{class}");
    assert!(class.contains("assertEquals(4, Calls.size(number));"), "{class}");
}

#[test]
fn values_that_are_equal_in_every_test_share_a_column() {
    let class = class_of(&[size("1", "1"), size("2", "2"), size("3", "3")]);
    assert!(class.contains("@ValueSource(ints = {1, 2, 3})"), "{class}");
    assert!(class.contains("void size_returnsNumber(int number) {"), "{class}");
    assert!(class.contains("assertEquals(number, Calls.size(number));"), "{class}");
}

/// A test of `p/Calls.size` that throws for `argument`.
fn thrown(argument: &str, message: &str) -> String {
    format!(
        "target p/Calls.size (I)I\nv0: I = int {argument}\nv1: I = call method p/Calls.size (I)I (v0)\n\
         throws java/lang/Object \"{message}\"\n"
    )
}

#[test]
fn exceptions_have_a_table_with_their_messages() {
    let class = class_of(&[thrown("1", "no 1"), thrown("2", "no, never"), thrown("3", ""), size("4", "4")]);
    for part in [
        "    @CsvSource({\"1, 'no 1'\", \"2, 'no, never'\", \"3, ''\"})\n",
        "void size_throwsObject(int number, String message) {\n",
        "assertEquals(message, exception.getMessage());",
        "    @Test\n    void size_returns4() {\n",
    ] {
        assert!(class.contains(part), "{part}\n{class}");
    }
}

#[test]
fn two_messages_are_rows() {
    let class = class_of(&[thrown("1", "no 1"), thrown("2", "no 2")]);
    assert!(class.contains("    @CsvSource({\"1, 'no 1'\", \"2, 'no 2'\"})\n"), "{class}");
}

#[test]
fn one_column_of_strings_is_listed_beside_null() {
    let class = class_of(&[take("string \"b\""), take("string \"a\\\"c\""), take("string \"\"")]);
    assert!(
        class.contains("@ValueSource(strings = {\"\", \"b\", \"a\\\"c\"})\n    void take_doesNotThrow(String text)"),
        "{class}"
    );
    let class = class_of(&[take("string \"b\""), take("null"), take("string \"\"")]);
    let rows = "    @NullSource\n    @ValueSource(strings = {\"\", \"b\"})\n    void take_doesNotThrow(String text)";
    assert!(class.contains(rows), "{class}");
    assert!(class.contains("        assertDoesNotThrow(() -> Calls.take(text));\n"), "{class}");
}

/// A test that takes a text, after a call with a number.
fn two(first: &str, second: &str) -> String {
    format!(
        "target p/Calls.take (Ljava/lang/String;)V\nv0: Ljava/lang/String; = string \"{first}\"\nv1: I = int {second}\n\
         v2: I = call method p/Calls.size (I)I (v1)\nv3: V = call method p/Calls.take (Ljava/lang/String;)V (v0)\n"
    )
}

#[test]
fn text_that_is_hard_to_read_in_a_cell_makes_arguments() {
    let rendered = tables_of(&[two("a\\u000db", "1"), two("c", "2"), two("d", "3")], JUnit::Five, &[]);
    let source = rendered.source;
    for part in [
        "import static org.junit.jupiter.params.provider.Arguments.arguments;\n",
        "import java.util.stream.Stream;\n",
        "import org.junit.jupiter.params.provider.MethodSource;\n",
        "    static Stream<Arguments> take_doesNotThrow_rows() {\n",
        "                arguments(1, \"a\\rb\"), arguments(2, \"c\"), arguments(3, \"d\"));\n    }\n",
    ] {
        assert!(source.contains(part), "{part}\n{source}");
    }
    let lines: Vec<&str> = source.lines().collect();
    let (first, last) = rendered.tests[0].lines;
    assert_eq!((lines[first as usize - 1], lines[last as usize - 1]), ("    @ParameterizedTest", "    }"));
    assert_eq!(last as usize, lines.len() - 1, "the rows belong to the test");
    let class = class_of(&[two("a\\u000ab", "1"), two("\u{e9}", "2"), two("\\\\", "3")]);
    let rows = "    @CsvSource({\"1, 'a\\nb'\", \"2, '\\u00e9'\", \"3, '\\\\'\"})\n";
    assert!(class.contains(rows), "a line feed and a backslash are read in a cell too: {class}");
}

#[test]
fn tests_that_call_other_members_have_no_common_table() {
    let object = |literal: &str| {
        format!(
            "target p/Calls.take (Ljava/lang/String;)V\nv0: Ljava/lang/String; = {literal}\n\
             v1: V = call method p/Calls.take (Ljava/lang/Object;)V (v0)\n"
        )
    };
    let rendered = tables_of(&[take("string \"a\""), object("string \"c\"")], JUnit::Five, &[]);
    assert!(rendered.tests.iter().all(|test| !test.is_table()), "{}", rendered.source);
}

#[test]
fn truth_and_falsehood_are_expected_values_where_both_occur() {
    let flag = |argument: &str, expected: bool| {
        format!(
            "target p/Calls.flag (I)Z\nv0: I = int {argument}\nv1: Z = call method p/Calls.flag (I)Z (v0)\n\
             assert v1 equals {expected}\n"
        )
    };
    let class = class_of(&[flag("1", true), flag("2", false), flag("3", true)]);
    assert!(class.contains("\"2, false\"") && class.contains("assertEquals(expected, Calls.flag(number));"), "{class}");
    let class = class_of(&[flag("1", true), flag("2", true), flag("3", true)]);
    assert!(class.contains("void flag_returnsTrue(int number)") && class.contains("assertTrue(Calls.flag(number));"), "{class}");
}

#[test]
fn tables_are_for_junit_5_and_for_tests_that_may_be_rows() {
    let tests = [size("1", "2"), size("2", "3"), size("3", "4"), size("4", "5")];
    let five = tables_of(&tests, JUnit::Five, &[]);
    assert_eq!(five.tests.iter().map(|test| test.rows.clone()).collect::<Vec<_>>(), [vec![0, 1, 2, 3]]);
    assert_eq!(five.test_cases(), 4);
    let fewer = tables_of(&tests, JUnit::Five, &[1]);
    assert_eq!(fewer.tests.iter().map(|test| test.rows.len()).collect::<Vec<_>>(), [1, 3]);
    assert!(tables_of(&tests, JUnit::Five, &[1, 2, 3]).tests.iter().all(|test| !test.is_table()));
    assert!(tables_of(&tests, JUnit::Four, &[]).tests.iter().all(|test| !test.is_table()));
    let fault = |test: &String| test.replacen("v0", "fault \"broken\"\nv0", 1);
    let faulty: Vec<String> = tests.iter().map(fault).collect();
    assert!(tables_of(&faulty, JUnit::Five, &[]).tests.iter().all(|test| !test.is_table()));
}
