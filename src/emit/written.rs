//! Finds the tests in a test file. In: source that [`super::render`] wrote and that may have been
//! edited; out: the lines of each test. A method that is not laid out as `render` does it counts as
//! no test.

/// A test method in a file that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenTest {
    /// Its name.
    pub(crate) method: String,
    /// First and last line, the annotation included, from 1.
    pub(crate) lines: (u32, u32),
}

/// Finds the tests, in the order of the file.
pub(crate) fn written_tests(source: &str) -> Vec<WrittenTest> {
    let mut tests = Vec::new();
    let mut first = None;
    let mut method = None;
    for (number, line) in (1..).zip(source.lines()) {
        match line {
            "    @Test" | "    @org.junit.Test" | "    @org.junit.jupiter.api.Test" => (first, method) = (Some(number), None),
            "    }" => {
                if let (Some(first), Some(method)) = (first.take(), method.take()) {
                    tests.push(WrittenTest { method, lines: (first, number) });
                }
            }
            line if first.is_some() && method.is_none() => {
                let name = line.split_once("void ").and_then(|(_, rest)| Some(rest.split_once('(')?.0.trim().to_owned()));
                method = name;
            }
            _ => {}
        }
    }
    tests
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
    fn removing_a_test_moves_no_other_line() {
        let rest = blank_tests(SOURCE, |method| method == "a");
        assert_eq!(written_tests(&rest).iter().map(|test| test.lines).collect::<Vec<_>>(), [(9, 13)]);
        assert_eq!(rest.lines().count(), SOURCE.lines().count());
        assert!(rest.contains("helper") && !rest.contains("x();"));
    }
}
