//! What a reader sees of written tests, counted without compiling them.
//!
//! In: a folder of Java sources, and the classes that have collaborators. Out: a [`Form`].

use super::collaborators::Collaborators;
use anyhow::Result;
use serde::Serialize;
use std::fs;
use std::path::Path;
use walkdir::WalkDir;

/// A stub with more methods is long.
const LONG_STUB: usize = 3;
/// Calls that give a mock an answer or ask it for its calls.
const MOCK_CALLS: [&str; 9] =
    ["when(", "given(", "verify(", "doReturn(", "doThrow(", "doAnswer(", "doNothing(", "thenReturn(", "thenThrow("];

/// Figures of the sources of tests.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Form {
    /// Files with tests.
    pub files: u64,
    /// Test methods.
    pub tests: u64,
    /// Lines of code, without imports, comments and blank lines.
    pub lines: u64,
    /// Methods of the longest anonymous class.
    pub longest_stub: usize,
    /// Files with an anonymous class of more than three methods.
    pub files_with_long_stubs: u64,
    /// Test methods of classes with collaborators.
    pub collaborator_tests: u64,
    /// Of these, the tests that use a mock's answer or verify a call.
    pub mock_tests: u64,
    /// Tests that expect a `NullPointerException`.
    pub null_pointer_tests: u64,
}

impl Form {
    /// Lines of code by test methods.
    pub(super) fn lines_a_test(&self) -> f64 {
        self.lines as f64 / self.tests.max(1) as f64
    }

    /// Counts one file. `collaborators` says whether the tested class has collaborators.
    fn add(&mut self, text: &str, collaborators: bool) {
        let code = blanked(text);
        let tests = test_bodies(&code);
        if tests.is_empty() {
            return;
        }
        self.files += 1;
        self.lines += code_lines(text);
        let longest = anonymous_classes(&code).into_iter().max().unwrap_or(0);
        self.longest_stub = self.longest_stub.max(longest);
        self.files_with_long_stubs += u64::from(longest > LONG_STUB);
        for body in tests {
            self.tests += 1;
            self.null_pointer_tests += u64::from(body.contains("NullPointerException.class"));
            if collaborators {
                self.collaborator_tests += 1;
                self.mock_tests += u64::from(MOCK_CALLS.iter().any(|call| calls(body, call)));
            }
        }
    }
}

/// Counts all test files below a folder. `with_collaborators` are binary names of classes.
///
/// # Errors
/// A file cannot be read.
pub(super) fn measure(folder: &Path, with_collaborators: &Collaborators) -> Result<Form> {
    let mut form = Form::default();
    for entry in WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(Result::ok) {
        let relative = entry.path().strip_prefix(folder)?.to_string_lossy().into_owned();
        if let Some(name) = relative.strip_suffix("Test.java") {
            let class = name.trim_end_matches("Tracewright").replace('/', ".");
            form.add(&fs::read_to_string(entry.path())?, with_collaborators.contains_key(&class));
        }
    }
    Ok(form)
}

/// The number of lines that are neither blank nor imports nor comments.
fn code_lines(text: &str) -> u64 {
    let other = ["//", "*", "/*", "import ", "package "];
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !other.iter().any(|start| line.starts_with(start))).count()
        as u64
}

/// The text with the contents of literals and comments replaced, so that braces are those of code.
fn blanked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        out.push(c);
        match c {
            '"' | '\'' => {
                while let Some(inner) = rest.next() {
                    if inner == c || inner == '\n' {
                        out.push(inner);
                        break;
                    }
                    if inner == '\\' {
                        rest.next();
                    }
                    out.push('_');
                }
            }
            '/' if rest.peek() == Some(&'/') => {
                while rest.peek().is_some_and(|next| *next != '\n') {
                    rest.next();
                }
            }
            '/' if rest.peek() == Some(&'*') => {
                let mut before = ' ';
                for inner in rest.by_ref() {
                    if before == '*' && inner == '/' {
                        break;
                    }
                    before = inner;
                }
            }
            _ => {}
        }
    }
    out
}

/// The end of the block that begins at the byte after its opening brace.
fn block_end(code: &str, start: usize) -> usize {
    let mut depth = 1;
    for (index, byte) in code.bytes().enumerate().skip(start) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return index;
        }
    }
    code.len()
}

/// The bodies of the methods that are annotated as tests.
fn test_bodies(code: &str) -> Vec<&str> {
    let mut bodies = Vec::new();
    for (at, _) in code.match_indices('@') {
        let name: &str = code[at + 1..].split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        if !["Test", "ParameterizedTest", "RepeatedTest"].contains(&name) {
            continue;
        }
        // The method's body begins at the first brace after its parameters: annotations between may
        // have braces as well.
        let Some(head) = code[at..].find(" void ") else { continue };
        let Some(open) = code[at + head..].find('{') else { continue };
        let start = at + head + open + 1;
        bodies.push(&code[start..block_end(code, start)]);
    }
    bodies
}

/// The number of overriding methods of each anonymous class.
fn anonymous_classes(code: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("new ") {
        let rest = &code[at..];
        let Some(brace) = rest.find('{') else { continue };
        let head = rest[..brace].trim_end();
        if !head.ends_with(')') || head.contains([';', '}']) || head.contains("->") {
            continue;
        }
        let start = at + brace + 1;
        found.push(code[start..block_end(code, start)].matches("@Override").count());
    }
    found
}

/// Whether a method of this name, with an opening parenthesis, is called.
fn calls(code: &str, call: &str) -> bool {
    code.match_indices(call).any(|(at, _)| !code[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"package p;
import x.Y;
class ATest {
    // a comment { of no weight
    @Test
    public void a() {
        Y y = mock(Y.class);
        when(y.f("{")).thenReturn('}');
        assertThrows(NullPointerException.class, () -> { y.g(); });
    }
    @ParameterizedTest
    @CsvSource({"1", "2"})
    void b(int x) {
        Y y = new Y(1) {
            @Override public int f() { return 1; }
            @Override public int g() { return 1; }
            @Override public int h() { return 1; }
            @Override public int i() { return 1; }
        };
        run(new Y(), () -> { y.f(); });
    }
}
"#;

    #[test]
    fn tests_stubs_and_mocks_are_counted() {
        let mut form = Form::default();
        form.add(TEXT, true);
        let expected = Form {
            files: 1,
            tests: 2,
            lines: 19,
            longest_stub: 4,
            files_with_long_stubs: 1,
            collaborator_tests: 2,
            mock_tests: 1,
            null_pointer_tests: 1,
        };
        assert_eq!(form, expected);
        form.add("class BTest { void no() {} }", true);
        assert_eq!(form, expected);
        form.add("class CTest { @Test void whenever() { whenever(1); } }", false);
        assert_eq!((form.tests, form.collaborator_tests, form.mock_tests), (3, 2, 1));
    }

    #[test]
    fn literals_have_no_braces() {
        assert_eq!(blanked(r#"a("{\"}", '{') /* { */ + "x" // {"#), r#"a("___", '_') / + "_" /"#);
    }
}
