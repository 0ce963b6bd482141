//! Emission: asserted tests as one readable Java source file. Flows in: asserted tests and the
//! program model; flows out: text, with the place of each test in it. Must not know where the text
//! goes, how it is compiled or why the tests were kept.
//!
//! A test goes through `body`. `body` plans a tree of Java first and prints it with marked type
//! names. `tables` finds tests that can be rows of one parameterized test. `test_name` chooses the
//! names of all tests together. `call` predicts which overload javac chooses (JLS §15.12.2) and adds
//! the casts with which it chooses the recorded member. `file` puts the tests together, and `names`
//! replaces the marked names and adds the imports. `final_text` lays the file out as the project
//! does. A test that Java source cannot express is refused as [`Unprintable`], with the reason.

mod body;
mod call;
mod expectation;
mod file;
mod final_text;
mod header;
mod line_break;
mod literal;
mod names;
mod proxies;
mod retain;
mod returned_receiver;
mod shared_state;
mod tables;
mod test_name;
mod tokens;
mod written;

use thiserror::Error;

use crate::conventions::FileLayout;
use crate::program::ClassName;

pub(crate) use expectation::{NewExpectation, new_expectation, with_expectations};
pub(crate) use file::test_file;
pub use file::{render, render_tables};
pub use final_text::with_layout;
pub(crate) use header::with_new_hash;
pub use header::{change_of, header_hash, is_untouched};
pub use retain::retain_tests;
pub(crate) use written::{blank_tests, written_tests};

/// How a file is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The version of JUnit whose annotations and assertions the file uses.
    pub junit: JUnit,
    /// Source level of the class under test (8, 11, 17, ...): the file uses nothing newer.
    pub release: u32,
    /// The seed named in the header.
    pub seed: u64,
    /// Internal name of the test's package: see [`crate::oracle::test_package`].
    pub package: String,
    /// Number of this file among those for the class, from 1.
    pub number: u32,
    /// A name for the change that the tests are about, for the header.
    pub change: Option<String>,
    /// The layout of the written file. A rendered file breaks statements at its width, and has four
    /// blanks a level all the same.
    pub layout: FileLayout,
    /// JUnit 5 classes and methods are `public`, as those of JUnit 4 have to be.
    pub public: bool,
    /// How values are asserted.
    pub style: AssertionStyle,
}

impl Options {
    /// The access modifier of test classes and their methods, with a blank behind it.
    fn visibility(&self) -> &'static str {
        if self.public || self.junit == JUnit::Four { "public " } else { "" }
    }
}

/// A library of assertions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AssertionStyle {
    /// Those of JUnit.
    #[default]
    JUnit,
    /// `org.assertj.core.api.Assertions`, where it is certain that javac finds one `assertThat` for the
    /// value; else those of JUnit.
    AssertJ,
}

/// A generation of JUnit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JUnit {
    /// `org.junit.Test`.
    Four,
    /// `org.junit.jupiter.api.Test`.
    Five,
}

/// One source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// Internal name of the test class; its package is the folder.
    pub class: ClassName,
    /// `<Class>TracewrightTest.java`.
    pub(crate) file_name: String,
    /// The whole text, the header included.
    pub source: String,
    /// The written tests in the order of the file.
    pub tests: Vec<RenderedTest>,
    /// Tests that Java source cannot express, by their index in the input, with the reason.
    pub unprintable: Vec<(usize, Unprintable)>,
}

impl Rendered {
    /// Number of tests; each row of a table is one.
    pub(crate) fn test_cases(&self) -> usize {
        self.tests.iter().map(|test| test.rows.len()).sum()
    }

    /// For each test case its test; all rows of a table have the same one.
    pub(crate) fn tests_by_case(&self) -> impl Iterator<Item = &RenderedTest> {
        self.tests.iter().flat_map(|test| test.rows.iter().map(move |_| test))
    }

    /// Whether a stub of some test is a proxy: with Mockito it could be a mock.
    pub(crate) fn has_proxies(&self) -> bool {
        proxies::has_helper(&self.source)
    }

    /// The statements of a test on one line, without what asks whether assertions are on.
    pub(crate) fn body_of(&self, test: &RenderedTest) -> String {
        let lines = self.source.lines().take(test.lines.1 as usize).skip(test.lines.0 as usize - 1);
        let body = lines.skip_while(|line| !line.ends_with('{') || line.starts_with("    @")).skip(1);
        let mut statements: Vec<&str> = body.map(str::trim).filter(|line| !line.is_empty()).collect();
        // The brace that closes the method.
        statements.pop();
        let begins = |call: &str| statements.first().is_some_and(|line| line.starts_with(&format!("{call}(")));
        if begins(file::RUN_IF) {
            statements.pop();
            statements.remove(0);
        } else if begins(file::SKIP_UNLESS) {
            statements.remove(0);
        }
        statements.join(" ")
    }
}

/// One test method of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedTest {
    /// Indices in the input of the tests that the method stands for: one, or the rows of a table in
    /// their order.
    pub rows: Vec<usize>,
    /// Name of the test method.
    pub method: String,
    /// First and last line of the method, from 1; its annotations and the factory of its rows
    /// included.
    pub lines: (u32, u32),
}

impl RenderedTest {
    /// Index in the input of the test, or of the first row of a table.
    pub(crate) fn index(&self) -> usize {
        self.rows.first().copied().unwrap_or_default()
    }

    /// Whether the method is a parameterized test.
    pub(crate) fn is_table(&self) -> bool {
        self.rows.len() > 1
    }
}

/// Why a test case cannot be written as Java source.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unprintable {
    /// The class (internal name) or type (descriptor) cannot be named.
    #[error("{0} cannot be named from the test")]
    InaccessibleType(String),
    /// The method or field cannot be called, read, written or overridden.
    #[error("{0} cannot be used from the test")]
    InaccessibleMember(String),
    /// Overloads of the method take the same arguments.
    #[error("no cast tells {0} from its overloads")]
    Ambiguous(String),
    /// The name is legal in class files only.
    #[error("{0} is no Java identifier")]
    NotAnIdentifier(String),
    /// The string literal has this many UTF-16 units.
    #[error("a string of {0} characters is too long for source")]
    LongString(usize),
    /// A stub of the abstract class needs this many methods, and no proxy can extend a class.
    #[error("a stub of {0} needs {1} methods")]
    LongStub(ClassName, usize),
    /// The type arguments of a receiver exclude an argument, even through a cast.
    #[error("the receiver has to be raw")]
    NeedsRawReceiver,
    /// The test case is none that javac accepts, for this reason.
    #[error("{0}")]
    Malformed(String),
}

#[cfg(test)]
mod tests;
