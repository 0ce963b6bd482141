//! Emission: asserted tests as one readable Java source file. Flows in: asserted tests and what is known of the classes they use; flows
//! out: text. Must not know where the text goes, how it is compiled or why the tests were kept.

mod body;
mod call;
mod header;
mod literal;
mod names;
mod naming;
mod written;

use std::collections::BTreeSet;

use thiserror::Error;

use crate::oracle::{Accessibility, AssertedTest};
use crate::program::{ClassName, MethodRef, Program};
use crate::testcase::StatementKind;

pub use header::{change_of, header_hash, is_untouched};
pub(crate) use written::{blank_tests, written_tests};

/// How to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub junit: JUnit,
    /// Source level of the class under test (8, 11, 17, ...): the file uses nothing newer.
    pub release: u32,
    /// The seed named in the header.
    pub seed: u64,
    /// Internal name of the test's package: see [`crate::oracle::test_package`].
    pub package: String,
    /// Of several files for one class, counted from 1.
    pub number: u32,
    /// A name for the change that the tests are about, for the header.
    pub change: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JUnit {
    Four,
    Five,
}

/// One source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// Name of the test class, internal form; its package is the folder.
    pub class: ClassName,
    /// `<Class>TracewrightTest.java`.
    pub(crate) file_name: String,
    pub source: String,
    /// In the order of the file.
    pub tests: Vec<RenderedTest>,
    /// Tests that Java source cannot express, by their index in the input.
    pub unprintable: Vec<(usize, Unprintable)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedTest {
    /// Index in the input.
    pub(crate) index: usize,
    pub method: String,
    /// First and last line of the method, its annotation included, counted from 1.
    pub lines: (u32, u32),
}

/// Why a test case cannot be written as Java source.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unprintable {
    #[error("{0} cannot be named from the test")]
    InaccessibleType(String),
    #[error("{0} cannot be used from the test")]
    InaccessibleMember(String),
    #[error("no cast tells {0} from its overloads")]
    Ambiguous(String),
    #[error("{0} is no Java identifier")]
    NotAnIdentifier(String),
    #[error("a string of {0} characters is too long for source")]
    LongString(usize),
    /// The type arguments of a receiver exclude an argument, even through a cast.
    #[error("the receiver has to be raw")]
    NeedsRawReceiver,
    /// The test case is not one that javac accepts, for this reason.
    #[error("{0}")]
    Malformed(String),
}

/// Name of a test class for a class: `Outer$Inner` gives `Outer_InnerTracewrightTest`, and as the second one `Outer_Inner_2TracewrightTest`.
pub(crate) fn test_class_name(class: &ClassName, package: &str, number: u32) -> ClassName {
    let number = if number == 1 { String::new() } else { format!("_{number}") };
    let simple = format!("{}{number}TracewrightTest", class.local_name().replace('$', "_"));
    ClassName::new(&if package.is_empty() { simple } else { format!("{package}/{simple}") })
}

/// Writes the tests of one class as one file. Deterministic: order of the tests is that of the methods under test in the class file,
/// then by name.
pub fn render(program: &Program, class: &ClassName, tests: &[AssertedTest], options: &Options) -> Rendered {
    let access = Accessibility::new(program, &options.package);
    let test_class = test_class_name(class, &options.package, options.number);
    let mut unprintable = Vec::new();
    let mut printed = Vec::new();
    let mut order: Vec<usize> = (0..tests.len()).collect();
    order.sort_by_key(|index| (position(program, class, tests[*index].target.as_ref()), *index));
    let mut taken: BTreeSet<String> = BTreeSet::new();
    if tests.iter().any(has_mocks) {
        // A method of the test class would hide what is imported (JLS §6.4.1).
        taken.extend(names::MOCKING.map(String::from));
    }
    for index in order {
        match body::print_body(&access, &tests[index], options) {
            Ok(body) => {
                let name = naming::test_name(program, &tests[index], &mut taken);
                printed.push((position(program, class, tests[index].target.as_ref()), name, index, body));
            }
            Err(reason) => unprintable.push((index, reason)),
        }
    }
    printed.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    unprintable.sort_by_key(|(index, _)| *index);

    let visibility = if options.junit == JUnit::Four { "public " } else { "" };
    let mut text = String::new();
    if printed.iter().any(|(_, _, _, body)| body.unchecked) {
        text.push_str("@SuppressWarnings({\"unchecked\", \"rawtypes\"})\n");
    }
    text.push_str(&format!("{visibility}class {} {{\n", test_class.local_name()));
    let test_annotation = match options.junit {
        JUnit::Five => names::mark(&ClassName::new("org/junit/jupiter/api/Test")),
        JUnit::Four => names::mark(&ClassName::new("org/junit/Test")),
    };
    let mut assertions: BTreeSet<&str> = BTreeSet::new();
    let mut mocking: BTreeSet<&str> = BTreeSet::new();
    // Lines of each test within `text`.
    let mut ranges = Vec::new();
    for (_, name, index, body) in &printed {
        text.push('\n');
        let first = text.lines().count();
        if let Some(fault) = &tests[*index].fault {
            let fault: String = fault.chars().map(|c| if (' '..='~').contains(&c) && c != '\\' { c } else { '?' }).collect();
            text.push_str(&format!("    // Likely fault: {fault}\n"));
        }
        let throws = body.throws.as_ref().map_or_else(String::new, |class| format!("throws {} ", names::mark(class)));
        text.push_str(&format!("    @{test_annotation}\n    {visibility}void {name}() {throws}{{\n"));
        for line in &body.lines {
            text.push_str(if line.is_empty() { "" } else { "        " });
            text.push_str(line);
            text.push('\n');
        }
        text.push_str("    }\n");
        ranges.push((*index, name.clone(), first, text.lines().count()));
        assertions.extend(&body.assertions);
        mocking.extend(&body.mocking);
    }
    text.push_str("}\n");

    let taken: BTreeSet<String> = [test_class.local_name().to_string()].into();
    let (text, imports) = names::resolve(&text, program, &options.package, class, &taken);
    let holder = match options.junit {
        JUnit::Five => "org.junit.jupiter.api.Assertions",
        JUnit::Four => "org.junit.Assert",
    };
    let mut rest = String::new();
    if !options.package.is_empty() {
        rest.push_str(&format!("package {};\n\n", options.package.replace('/', ".")));
    }
    for assertion in &assertions {
        rest.push_str(&format!("import static {holder}.{assertion};\n"));
    }
    for method in &mocking {
        rest.push_str(&format!("import static {method};\n"));
    }
    let has_static = !assertions.is_empty() || !mocking.is_empty();
    if has_static && !imports.is_empty() {
        rest.push('\n');
    }
    for import in &imports {
        rest.push_str(&format!("import {import};\n"));
    }
    if has_static || !imports.is_empty() {
        rest.push('\n');
    }
    // The header is one line, and `text` begins after what `rest` has now.
    let offset = 1 + rest.lines().count();
    rest.push_str(&text);
    Rendered {
        file_name: format!("{}.java", test_class.local_name()),
        class: test_class,
        source: header::with_header(options.seed, options.change.as_deref(), &rest),
        tests: ranges
            .into_iter()
            .map(|(index, method, first, last)| RenderedTest {
                index,
                method,
                lines: ((offset + first + 1) as u32, (offset + last) as u32),
            })
            .collect(),
        unprintable,
    }
}

/// The file without some of its tests: only those of these places stay, word for word, so what compiled compiles. What only the others
/// imported goes.
pub fn retain_tests(rendered: &Rendered, places: &BTreeSet<usize>) -> Rendered {
    let is_out = |line: u32| {
        let test = rendered.tests.iter().position(|test| (test.lines.0..=test.lines.1).contains(&line));
        test.is_some_and(|place| !places.contains(&place))
    };
    let lines: Vec<&str> = rendered.source.lines().collect();
    // A test goes with the empty line before it.
    let goes = |number: usize| is_out(number as u32) || (lines[number - 1].is_empty() && is_out(number as u32 + 1));
    let stays = |number: usize| !goes(number);
    let named: BTreeSet<&str> = (1..=lines.len())
        .filter(|&number| stays(number) && !lines[number - 1].starts_with("import "))
        .flat_map(|number| lines[number - 1].split(|unit: char| !unit.is_alphanumeric() && unit != '_' && unit != '$'))
        .collect();
    let is_idle = |line: &str| {
        let import = line.strip_prefix("import ").and_then(|import| import.trim_end_matches(';').rsplit('.').next());
        import.is_some_and(|simple| !named.contains(simple))
    };
    let mut rest = String::new();
    let mut shift = vec![0; lines.len() + 2];
    // The header is a line of its own.
    for number in 2..=lines.len() {
        let line = lines[number - 1];
        let doubled = line.is_empty() && rest.ends_with("\n\n");
        shift[number] = shift[number - 1];
        if stays(number) && !is_idle(line) && !doubled {
            rest.push_str(line);
            rest.push('\n');
        } else {
            shift[number] += 1;
        }
    }
    let kept = rendered.tests.iter().enumerate().filter(|(place, _)| places.contains(place)).map(|(_, test)| {
        let moved = |line: u32| line - shift[line as usize];
        RenderedTest { lines: (moved(test.lines.0), moved(test.lines.1)), ..test.clone() }
    });
    Rendered { tests: kept.collect(), source: header::again(&rendered.source, &rest), ..rendered.clone() }
}

fn has_mocks(test: &AssertedTest) -> bool {
    test.test.statements.iter().any(|statement| matches!(statement.kind, StatementKind::Stub { mocked: true, .. }))
}

/// Place of the method under test: the class's own methods in class file order, then those of other classes by name.
fn position(program: &Program, class: &ClassName, target: Option<&MethodRef>) -> (usize, Option<MethodRef>) {
    let Some(target) = target else { return (usize::MAX, None) };
    let own = program.class(class).filter(|_| target.owner == *class);
    match own.as_ref().and_then(|model| model.method(&target.name, &target.descriptor)) {
        Some(method) => (method.index, None),
        None => (usize::MAX - 1, Some(target.clone())),
    }
}
