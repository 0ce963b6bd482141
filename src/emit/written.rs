//! Finds the tests in a test file. In: source that [`super::render`] wrote and that may have been
//! edited; out: the lines of each test. A method whose annotation or last brace has no line of its
//! own counts as no test.

/// A test method in a file that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenTest {
    /// Its name.
    pub(crate) method: String,
    /// First and last line, the annotation included, from 1.
    pub(crate) lines: (u32, u32),
}

/// Finds the tests, in the order of the file. The factory of the rows of a parameterized test
/// belongs to the test before it.
pub(crate) fn written_tests(source: &str) -> Vec<WrittenTest> {
    let mut tests: Vec<WrittenTest> = Vec::new();
    let mut first = None;
    let mut method = None;
    // The indentation of members. The layout of the project or its formatter decides about it.
    let mut level = None;
    let mut is_factory = false;
    for (number, line) in (1..).zip(source.lines()) {
        let text = line.trim();
        let indent = &line[..line.len() - line.trim_start().len()];
        // Rows of a test stand further right.
        let is_member = level == Some(indent) && !text.starts_with(['@', '}']);
        match text {
            "@Test"
            | "@org.junit.Test"
            | "@org.junit.jupiter.api.Test"
            | "@ParameterizedTest"
            | "@org.junit.jupiter.params.ParameterizedTest" => {
                (first, method, level) = (Some((number, indent)), None, Some(indent));
            }
            "}" if is_factory && level == Some(indent) => {
                is_factory = false;
                if let Some(test) = tests.last_mut() {
                    test.lines.1 = number;
                }
            }
            "}" if first.is_some_and(|(_, of_test)| of_test == indent) => {
                if let (Some((first, _)), Some(method)) = (first.take(), method.take()) {
                    tests.push(WrittenTest { method, lines: (first, number) });
                }
            }
            _ if first.is_some() && method.is_none() && is_member => {
                let name = text.split_once("void ").and_then(|(_, rest)| Some(rest.split_once('(')?.0.trim().to_owned()));
                method = name;
            }
            _ if first.is_none() && is_member && text.ends_with('{') => {
                let factory = tests.last().map(|test| format!(" {}(", row_factory(&test.method)));
                is_factory = factory.is_some_and(|factory| text.contains(&factory));
            }
            _ => {}
        }
    }
    tests
}

/// Name of the method that makes the rows of a parameterized test.
pub(super) fn row_factory(test: &str) -> String {
    format!("{test}_rows")
}

/// Empties the lines of the tests whose names `is_removed` accepts. Every other line keeps its
/// number, so that the messages of javac still fit.
pub(crate) fn blank_tests(source: &str, is_removed: impl Fn(&str) -> bool) -> String {
    let tests = written_tests(source);
    let goes = |number: u32| tests.iter().any(|test| (test.lines.0..=test.lines.1).contains(&number) && is_removed(&test.method));
    let lines = (1..).zip(source.lines()).map(|(number, line)| if goes(number) { "" } else { line });
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "class T {\n\n    @Test\n    void a() throws Exception {\n        x();\n    }\n\n    \
        // Likely fault: b\n    @Test\n    public void b() {\n        if (c) {\n        }\n    }\n\n    \
        void helper() {\n    }\n}\n";

    #[test]
    fn tests_are_found_by_their_lines() {
        let found: Vec<String> = written_tests(SOURCE).iter().map(|test| format!("{} {:?}", test.method, test.lines)).collect();
        assert_eq!(found, ["a (3, 6)", "b (9, 13)"]);
    }

    #[test]
    fn a_parameterized_test_has_its_rows_and_their_factory() {
        let source = "class T {\n\n    @ParameterizedTest\n    @CsvSource({\n        \"'void x(', 1\",\n        \"b, 2\"\n    })\n    \
            void a(String text, int expected) {\n        x();\n    }\n\n    @ParameterizedTest\n    \
            @MethodSource(\"b_rows\")\n    void b(String text) {\n        x();\n    }\n\n    \
            static Stream<Arguments> b_rows() {\n        return Stream.of(\n                arguments(\"a\"));\n    }\n\n    \
            @Test\n    void c() {\n    }\n}\n";
        let found: Vec<String> = written_tests(source).iter().map(|test| format!("{} {:?}", test.method, test.lines)).collect();
        assert_eq!(found, ["a (3, 10)", "b (12, 21)", "c (23, 25)"]);
        let rest = blank_tests(source, |method| method == "b");
        assert!(!rest.contains("arguments(") && rest.contains("void x("), "{rest}");
    }

    #[test]
    fn the_width_of_a_level_does_not_matter() {
        for level in ["", " ", "  ", "\t"] {
            let found = written_tests(&SOURCE.replace("    ", level));
            assert_eq!(found.iter().map(|test| test.lines).collect::<Vec<_>>()[0], (3, 6), "{level:?}");
        }
    }

    #[test]
    fn removing_a_test_moves_no_other_line() {
        let rest = blank_tests(SOURCE, |method| method == "a");
        assert_eq!(written_tests(&rest).iter().map(|test| test.lines).collect::<Vec<_>>(), [(9, 13)]);
        assert_eq!(rest.lines().count(), SOURCE.lines().count());
        assert!(rest.contains("helper") && !rest.contains("x();"));
    }
}
