//! Puts the tests of one class together to a file. In: asserted tests; out: the source with its
//! header and imports, and the lines of each test.

use std::collections::{BTreeMap, BTreeSet};

use crate::oracle::{Accessibility, AssertedTest};
use crate::program::{ClassName, GenericType, MethodRef, Program};
use crate::testcase::{StatementKind, StubKind};

use super::body::{self, Body, Fixture};
use super::proxies::{HELPER, Proxies, helper};
use super::shared_state::{self, SharedStateMembers};
use super::{JUnit, Options, Rendered, RenderedTest, Unprintable, header, names, test_name};

/// The method that skips a test, in JUnit 4 and 5 alike.
const ASSUMPTION: &str = "assumeTrue";
/// The method of the test class, and of Mockito, that fills the fields before each test.
const OPEN_MOCKS: &str = "openMocks";

/// A test with its text.
struct PrintedTest {
    /// Index in the input.
    index: usize,
    position: Position,
    name: String,
    body: Body,
}

/// The position of a test in the file. The class's own methods come first, in class file order,
/// then those of other classes by name, then tests without a method under test.
type Position = (usize, Option<MethodRef>);

/// Name of the test class for a class: `Outer$Inner` gives `Outer_InnerTracewrightTest`, and for
/// file number 2 `Outer_Inner_2TracewrightTest`. `package`: internal name.
pub(crate) fn test_class_name(class: &ClassName, package: &str, number: u32) -> ClassName {
    let number = if number == 1 { String::new() } else { format!("_{number}") };
    let simple = format!("{}{number}TracewrightTest", class.local_name().replace('$', "_"));
    ClassName::new(&if package.is_empty() { simple } else { format!("{package}/{simple}") })
}

/// Writes the tests of one class as one file. Deterministic: the tests stand in the order of the
/// methods under test in the class file, then by name.
pub fn render(program: &Program, class: &ClassName, tests: &[AssertedTest], options: &Options) -> Rendered {
    let test_class = test_class_name(class, &options.package, options.number);
    let (printed, unprintable) = print_tests(program, class, tests, options);
    let access = Accessibility::new(program, &options.package).for_release(options.release);
    let (text, ranges) = class_text(&test_class, tests, &printed, &access, options);
    let mut taken: BTreeSet<String> = [test_class.local_name().to_string()].into();
    taken.extend(printed.iter().flat_map(|test| test.body.shadowed.iter().cloned()));
    let (text, imports) = names::resolve(&text, program, &options.package, class, &taken);
    let assumes = printed.iter().any(|test| tests[test.index].assumes.is_some());
    let mut rest = preamble(&printed, assumes, &imports, options);
    // The header is one line, and `text` begins after the preamble.
    let offset = 1 + rest.lines().count();
    rest.push_str(&text);
    let tests = printed.iter().zip(ranges).map(|(test, (first, last))| RenderedTest {
        index: test.index,
        method: test.name.clone(),
        lines: ((offset + first + 1) as u32, (offset + last) as u32),
    });
    Rendered {
        file_name: format!("{}.java", test_class.local_name()),
        class: test_class,
        source: header::with_header(options.seed, options.change.as_deref(), &rest),
        tests: tests.collect(),
        unprintable,
    }
}

/// Prints and names the tests, in the order of the file. With the tests that cannot be printed, by
/// index.
fn print_tests(
    program: &Program,
    class: &ClassName,
    tests: &[AssertedTest],
    options: &Options,
) -> (Vec<PrintedTest>, Vec<(usize, Unprintable)>) {
    let access = Accessibility::new(program, &options.package).for_release(options.release);
    let mut order: Vec<(Position, usize)> =
        tests.iter().enumerate().map(|(index, test)| (position(program, class, test.target.as_ref()), index)).collect();
    order.sort();
    let mut taken: BTreeSet<String> = [HELPER.to_string()].into();
    if tests.iter().any(|test| test.assumes.is_some()) {
        taken.insert(ASSUMPTION.into());
    }
    taken.insert(OPEN_MOCKS.to_string());
    taken.extend(shared_state::METHODS.map(String::from));
    if tests.iter().any(has_mocks) {
        // A method of the test class would hide an imported one (JLS §6.4.1).
        taken.extend(names::MOCKING.map(String::from));
    }
    if tests.iter().any(|test| test.test.has_request()) {
        taken.extend(names::REQUESTS.map(String::from));
    }
    let (mut printed, mut unprintable) = (Vec::new(), Vec::new());
    let mut fixture = ClassFixture::default();
    for (position, index) in order {
        let resets = SharedStateMembers::default().add(&tests[index].resets, &access, options);
        let body = resets.and_then(|()| body::print_body(&access, &tests[index], options));
        match body.and_then(|body| fixture.add(body.fixture.as_ref()).map(|()| body)) {
            Ok(body) => {
                let name = test_name::choose_name(program, &tests[index], &mut taken);
                printed.push(PrintedTest { index, position, name, body });
            }
            Err(reason) => unprintable.push((index, reason)),
        }
    }
    printed.sort_by(|a, b| (&a.position, &a.name).cmp(&(&b.position, &b.name)));
    unprintable.sort_by_key(|(index, _)| *index);
    (printed, unprintable)
}

/// The text of the class with marked type names, and for each test the number of lines before and
/// up to its end.
fn class_text(
    test_class: &ClassName,
    tests: &[AssertedTest],
    printed: &[PrintedTest],
    access: &Accessibility<'_>,
    options: &Options,
) -> (String, Vec<(usize, usize)>) {
    let (visibility, annotation) = match options.junit {
        JUnit::Four => ("public ", "org/junit/Test"),
        JUnit::Five => ("", "org/junit/jupiter/api/Test"),
    };
    let annotation = names::mark(&ClassName::new(annotation));
    let mut text = String::new();
    let mut fixture = ClassFixture::default();
    printed.iter().for_each(|test| drop(fixture.add(test.body.fixture.as_ref())));
    let mut shared_state = SharedStateMembers::default();
    for test in printed {
        // What cannot be printed was found before the test was printed.
        drop(shared_state.add(&tests[test.index].resets, access, options));
    }
    text.push_str(&suppressed_warnings(printed, &shared_state));
    text.push_str(&format!("{visibility}class {} {{\n", test_class.local_name()));
    let members = [fixture.text(options.junit), shared_state.text(options.junit)];
    let members: Vec<&str> = members.iter().map(String::as_str).filter(|members| !members.is_empty()).collect();
    text.push_str(&members.join("\n"));
    let mut ranges = Vec::new();
    for PrintedTest { index, name, body, .. } in printed {
        text.push('\n');
        let first = text.lines().count();
        if let Some(fault) = &tests[*index].fault {
            text.push_str(&format!("    // Likely fault: {}\n", printable(fault)));
        }
        let throws = body.throws.as_ref().map_or_else(String::new, |class| format!("throws {} ", names::mark(class)));
        text.push_str(&format!("    @{annotation}\n    {visibility}void {name}() {throws}{{\n"));
        if let Some(class) = &tests[*index].assumes {
            text.push_str(&format!("        {ASSUMPTION}({}.class.desiredAssertionStatus());\n", names::mark(class)));
        }
        for line in &body.lines {
            text.push_str(if line.is_empty() { "" } else { "        " });
            text.push_str(line);
            text.push('\n');
        }
        text.push_str("    }\n");
        ranges.push((first, text.lines().count()));
    }
    let proxies = printed.iter().map(|test| test.body.proxies).fold(None, Proxies::merge);
    if let Some(proxies) = proxies {
        text.push_str(&format!("\n{}", helper(proxies)));
    }
    text.push_str("}\n");
    (text, ranges)
}

/// The fields of the test class that Mockito fills.
#[derive(Debug, Default)]
struct ClassFixture {
    objects: BTreeMap<String, ClassName>,
    mocks: BTreeMap<String, GenericType>,
}

impl ClassFixture {
    /// Adds the fields of one test.
    ///
    /// # Errors
    /// `Unprintable::InaccessibleMember` where the test needs another field of the same name.
    fn add(&mut self, fixture: Option<&Fixture>) -> Result<(), Unprintable> {
        let Some(Fixture { object: (class, name), mocks }) = fixture else { return Ok(()) };
        let has_other = |name: &String, ty: &GenericType| self.mocks.get(name).is_some_and(|known| known != ty);
        let clash = mocks.iter().find(|(name, ty)| has_other(name, ty) || self.objects.contains_key(*name)).map(|(name, _)| name);
        let is_alone = self.objects.is_empty() || self.objects.get(name) == Some(class);
        if let Some(name) = clash.or((!is_alone || self.mocks.contains_key(name)).then_some(name)) {
            return Err(Unprintable::InaccessibleMember(name.clone()));
        }
        self.objects.insert(name.clone(), class.clone());
        self.mocks.extend(mocks.iter().map(|(name, ty)| (name.clone(), ty.clone())));
        Ok(())
    }

    /// The fields, and the method that fills them before each test; nothing where there are none.
    fn text(&self, junit: JUnit) -> String {
        let marked = |class: &str| names::mark(&ClassName::new(class));
        let field = |annotation: &str, name: &str, ty: &str| format!("    @{}\n    private {ty} {name};\n", marked(annotation));
        if self.objects.is_empty() {
            return String::new();
        }
        let mocks = self.mocks.iter().map(|(name, ty)| field("org/mockito/Mock", name, &body::generic(ty)));
        let objects = self.objects.iter().map(|(name, class)| field("org/mockito/InjectMocks", name, &names::mark(class)));
        let fields: String = mocks.chain(objects).collect();
        let (annotation, visibility) = match junit {
            JUnit::Four => ("org/junit/Before", "public "),
            JUnit::Five => ("org/junit/jupiter/api/BeforeEach", ""),
        };
        format!(
            "{fields}\n    @{}\n    {visibility}void {OPEN_MOCKS}() {{\n        {}.{OPEN_MOCKS}(this);\n    }}\n",
            marked(annotation),
            marked("org/mockito/MockitoAnnotations")
        )
    }
}

/// The annotation that suppresses the warnings of all tests and members, or nothing.
fn suppressed_warnings(printed: &[PrintedTest], shared_state: &SharedStateMembers) -> String {
    let of_tests = printed.iter().flat_map(|test| test.body.warnings.iter().copied());
    let names: BTreeSet<&str> = of_tests.chain(shared_state.warnings()).collect();
    let names: Vec<String> = names.iter().rev().map(|name| format!("\"{name}\"")).collect();
    match &names[..] {
        [] => String::new(),
        [name] => format!("@SuppressWarnings({name})\n"),
        names => format!("@SuppressWarnings({{{}}})\n", names.join(", ")),
    }
}

/// The text with `?` for what would end a comment line or depend on the encoding of the source.
fn printable(text: &str) -> String {
    text.chars().map(|c| if (' '..='~').contains(&c) && c != '\\' { c } else { '?' }).collect()
}

/// The package declaration and the imports, each group followed by an empty line.
/// `assumes`: a test is skipped without assertions.
fn preamble(printed: &[PrintedTest], assumes: bool, imports: &[String], options: &Options) -> String {
    let (holder, assumptions) = match options.junit {
        JUnit::Five => ("org.junit.jupiter.api.Assertions", "org.junit.jupiter.api.Assumptions"),
        JUnit::Four => ("org.junit.Assert", "org.junit.Assume"),
    };
    let assertions: BTreeSet<&str> = printed.iter().flat_map(|test| test.body.assertions.iter().copied()).collect();
    let mocking: BTreeSet<&str> = printed.iter().flat_map(|test| test.body.mocking.iter().copied()).collect();
    let mut text = String::new();
    if !options.package.is_empty() {
        text.push_str(&format!("package {};\n\n", options.package.replace('/', ".")));
    }
    for assertion in &assertions {
        text.push_str(&format!("import static {holder}.{assertion};\n"));
    }
    if assumes {
        text.push_str(&format!("import static {assumptions}.{ASSUMPTION};\n"));
    }
    for method in &mocking {
        text.push_str(&format!("import static {method};\n"));
    }
    let has_static = !assertions.is_empty() || !mocking.is_empty() || assumes;
    if has_static && !imports.is_empty() {
        text.push('\n');
    }
    for import in imports {
        text.push_str(&format!("import {import};\n"));
    }
    if has_static || !imports.is_empty() {
        text.push('\n');
    }
    text
}

fn has_mocks(test: &AssertedTest) -> bool {
    test.test.statements.iter().any(|statement| matches!(statement.kind, StatementKind::Stub { kind: StubKind::Mock, .. }))
}

fn position(program: &Program, class: &ClassName, target: Option<&MethodRef>) -> Position {
    let Some(target) = target else { return (usize::MAX, None) };
    let own = program.class(class).filter(|_| target.owner == *class);
    match own.as_ref().and_then(|model| model.method(&target.name, &target.descriptor)) {
        Some(method) => (method.index, None),
        None => (usize::MAX - 1, Some(target.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_classes_are_named_after_the_class_and_the_number_of_the_file() {
        let name = |class: &str, package: &str, number| test_class_name(&ClassName::new(class), package, number).to_string();
        assert_eq!(name("p/Outer$Inner", "p", 1), "p/Outer_InnerTracewrightTest");
        assert_eq!(name("p/Outer$Inner", "p", 2), "p/Outer_Inner_2TracewrightTest");
        assert_eq!(name("Plain", "", 1), "PlainTracewrightTest");
    }

    #[test]
    fn comments_hold_printable_ascii_only() {
        assert_eq!(printable("a\nb \\u000a é"), "a?b ?u000a ?");
    }
}
