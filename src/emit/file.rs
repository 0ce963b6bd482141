//! Puts the tests of one class together to a file. In: asserted tests; out: the source with its
//! header and imports, and the lines of each test.

use std::collections::{BTreeMap, BTreeSet};

use crate::oracle::{Accessibility, AssertedTest};
use crate::program::{ClassName, GenericType, MethodRef, Program};
use crate::testcase::{StatementKind, StubKind};

use super::body::{self, Body, BodyPlan, DEPRECATION, Fixture, SET_UP, SharedObject};
use super::proxies::{HELPER, Proxies, helper};
use super::returned_receiver::asked_of_result;
use super::shared_state::{self, SharedStateMembers};
use super::tables::{ARGUMENTS, Column, RowSource, Table, filled_at, find_tables};
use super::test_name::{self, CaseKind, TellingWays};
use super::written::row_factory;
use super::{JUnit, Options, Rendered, RenderedTest, Unprintable, header, names};

/// The method of JUnit 5 that runs statements where its condition holds.
pub(super) const RUN_IF: &str = "assumingThat";
/// The method of JUnit 4 that skips the rest of a test where its condition does not hold.
pub(super) const SKIP_UNLESS: &str = "assumeTrue";
/// The annotation of a parameterized test.
const PARAMETERIZED: &str = "org/junit/jupiter/params/ParameterizedTest";
/// The annotation of a class of JUnit 5 whose tests run beside no other test, where tests run in
/// parallel.
const ISOLATED: &str = "org/junit/jupiter/api/parallel/Isolated";
/// Columns of a line.
const WIDTH: usize = 120;
/// The method of the test class, and of Mockito, that fills the fields before each test.
const OPEN_MOCKS: &str = "openMocks";
/// The line in front of the first test of a likely fault.
pub(crate) const FAULTS: &str = "    // The tests below show likely faults: they assert what the class does today.";

/// A test method with its text.
struct PrintedTest {
    /// Indices in the input: one, or several for a table.
    rows: Vec<usize>,
    place: PlaceInFile,
    name: String,
    body: Body,
    /// The parameters and their values, of a table.
    table: Option<PrintedTable>,
}

/// What a parameterized test has beside its body.
struct PrintedTable {
    /// Types and names, with marked type names.
    parameters: Vec<String>,
    source: RowSource,
}

/// The position of a test in the file. The class's own methods come first, in class file order,
/// then those of other classes by name, then tests without a method under test.
type Position = (usize, Option<MethodRef>);

/// Where a test stands: likely faults last, then by method, then by the kind of case.
type PlaceInFile = (bool, Position, CaseKind);

/// Name of the test class for a class: `Outer$Inner` gives `Outer_InnerTracewrightTest`, and for
/// file number 2 `Outer_Inner_2TracewrightTest`. `package`: internal name.
pub(crate) fn test_class_name(class: &ClassName, package: &str, number: u32) -> ClassName {
    let number = if number == 1 { String::new() } else { format!("_{number}") };
    let simple = format!("{}{number}TracewrightTest", class.local_name().replace('$', "_"));
    ClassName::new(&if package.is_empty() { simple } else { format!("{package}/{simple}") })
}

/// Path of a test file of a class, relative to the output folder; the package is an internal name.
pub(crate) fn test_file(class: &ClassName, package: &str, number: u32) -> String {
    format!("{}.java", test_class_name(class, package, number).internal())
}

/// Writes the tests of one class as one file. Deterministic: the tests stand in the order of the
/// methods under test in the class file. Of one method, normal cases come first, then boundary
/// cases, then exceptions, each by name. Likely faults stand at the end.
pub fn render(program: &Program, class: &ClassName, tests: &[AssertedTest], options: &Options) -> Rendered {
    render_file(program, class, tests, options, None)
}

/// As [`render`], with parameterized tests of JUnit 5 in place of tests of one shape. `single`: the
/// tests that keep methods of their own.
pub fn render_tables(
    program: &Program,
    class: &ClassName,
    tests: &[AssertedTest],
    options: &Options,
    single: &BTreeSet<usize>,
) -> Rendered {
    render_file(program, class, tests, options, Some(single).filter(|_| options.junit == JUnit::Five))
}

/// `single`: the tests that are no rows of tables; `None` where there are no tables.
fn render_file(
    program: &Program,
    class: &ClassName,
    tests: &[AssertedTest],
    options: &Options,
    single: Option<&BTreeSet<usize>>,
) -> Rendered {
    let test_class = test_class_name(class, &options.package, options.number);
    let PrintedTests { printed, unprintable, shared } = print_tests(program, class, tests, options, single);
    let access = Accessibility::new(program, &options.package).for_release(options.release);
    let (text, ranges) = class_text(&test_class, tests, &printed, shared.as_ref(), &access, options);
    let mut taken: BTreeSet<String> = [test_class.local_name().to_string()].into();
    taken.extend(printed.iter().flat_map(|test| test.body.shadowed.iter().cloned()));
    taken.extend(shared.iter().flat_map(|shared| shared.shadowed.iter().cloned()));
    let (text, imports) = names::resolve(&text, program, &options.package, class, &taken);
    let assumes = printed.iter().any(|test| tests[test.rows[0]].assumes.is_some());
    let mut rest = preamble(&printed, shared.as_ref(), assumes, &imports, options);
    // The header is one line, and `text` begins after the preamble.
    let offset = 1 + rest.lines().count();
    rest.push_str(&text);
    let tests = printed.iter().zip(ranges).map(|(test, (first, last))| RenderedTest {
        rows: test.rows.clone(),
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

/// The tests of a file.
struct PrintedTests {
    /// In the order of the file.
    printed: Vec<PrintedTest>,
    /// The tests that cannot be printed, by index.
    unprintable: Vec<(usize, Unprintable)>,
    /// The fields that some of them use.
    shared: Option<SharedObject>,
}

/// Prints and names the tests.
fn print_tests(
    program: &Program,
    class: &ClassName,
    tests: &[AssertedTest],
    options: &Options,
    single: Option<&BTreeSet<usize>>,
) -> PrintedTests {
    let access = Accessibility::new(program, &options.package).for_release(options.release);
    let written: Vec<AssertedTest> = tests.iter().map(|test| asked_of_result(program, test)).collect();
    let tests = written.as_slice();
    let mut order: Vec<(Position, usize)> =
        tests.iter().enumerate().map(|(index, test)| (position(program, class, test.target.as_ref()), index)).collect();
    order.sort();
    let mut taken: BTreeSet<String> = [HELPER.to_string()].into();
    if tests.iter().any(|test| test.assumes.is_some()) {
        taken.extend([RUN_IF, SKIP_UNLESS].map(String::from));
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
    let (mut planned, mut unprintable) = (Vec::new(), Vec::new());
    let mut places = BTreeMap::new();
    let mut fixture = ClassFixture::default();
    let mut shared = SharedObject::of_most(&access, class, tests, options);
    taken.extend(shared.iter().filter(|shared| shared.has_set_up()).map(|_| SET_UP.to_string()));
    for (position, index) in order {
        let resets = SharedStateMembers::default().add(&tests[index].resets, &access, options);
        let plan = resets.and_then(|()| body::plan_body(&access, &tests[index], options, shared.as_ref()));
        match plan.and_then(|plan| fixture.add(plan.fixture()).map(|()| plan)) {
            Ok(plan) => {
                planned.push((index, plan));
                places.insert(index, (tests[index].fault.is_some(), position, CaseKind::of(program, &tests[index])));
            }
            Err(reason) => unprintable.push((index, reason)),
        }
    }
    let ways = TellingWays::of_tests(program, tests);
    let mut printed = Vec::new();
    let mut in_tables = BTreeSet::new();
    if let Some(single) = single {
        taken.extend(ARGUMENTS.rsplit('.').next().map(String::from));
        for table in find_tables(program, (tests, &ways), &planned, &options.layout, single) {
            in_tables.extend(table.rows.iter().copied());
            // A table with a normal case stands among the normal cases.
            let place = table.rows.iter().map(|row| &places[row]).min().unwrap_or(&places[&table.rows[0]]).clone();
            printed.push(print_table(program, options.layout.width(), (tests, &ways), table, place, &mut taken));
        }
    }
    let alone: Vec<&(usize, BodyPlan)> = planned.iter().filter(|(index, _)| !in_tables.contains(index)).collect();
    let named: Vec<&AssertedTest> = alone.iter().map(|(index, _)| &tests[*index]).collect();
    let ways_of_named: Vec<&TellingWays> = alone.iter().map(|(index, _)| &ways[*index]).collect();
    let names = test_name::choose_names(program, &named, &ways_of_named, &mut taken);
    for ((index, plan), name) in alone.iter().zip(names) {
        let place = places[index].clone();
        printed.push(PrintedTest { rows: vec![*index], place, name, body: plan.print(program, &options.layout), table: None });
    }
    printed.sort_by(|a, b| (&a.place, &a.name).cmp(&(&b.place, &b.name)));
    unprintable.sort_by_key(|(index, _)| *index);
    shared = shared.filter(|_| planned.iter().any(|(_, plan)| plan.fixture() == Some(&Fixture::Shared)));
    PrintedTests { printed, unprintable, shared }
}

/// Names a table and writes its rows.
fn print_table(
    program: &Program,
    width: usize,
    (tests, ways): (&[AssertedTest], &[TellingWays]),
    table: Table,
    place: PlaceInFile,
    taken: &mut BTreeSet<String>,
) -> PrintedTest {
    let Table { rows, columns, body } = table;
    let of_rows: Vec<(&AssertedTest, &TellingWays)> = rows.iter().map(|row| (&tests[*row], &ways[*row])).collect();
    let inputs: Vec<&str> = columns.iter().filter(|column| column.is_input()).map(|column| column.name.as_str()).collect();
    // Results that are given values are named by these.
    let given = |column: &Column| if column.is_input() { column.name.clone() } else { "expected".into() };
    let results = columns.iter().filter(|column| column.is_expected());
    let results = results.max_by_key(|column| !column.is_input()).map(given);
    let name = test_name::choose_table_name(program, &of_rows, &inputs, results.as_deref(), taken);
    let factory = row_factory(&name);
    let source = RowSource::of(&columns, &factory, width);
    if !source.factory.is_empty() {
        taken.insert(factory);
    }
    let parameters = columns.iter().map(|column| format!("{} {}", names::mark_type(&column.ty), column.name)).collect();
    PrintedTest { rows, place, name, body, table: Some(PrintedTable { parameters, source }) }
}

/// The text of the class with marked type names, and for each test the number of lines before and
/// up to its end.
fn class_text(
    test_class: &ClassName,
    tests: &[AssertedTest],
    printed: &[PrintedTest],
    shared: Option<&SharedObject>,
    access: &Accessibility<'_>,
    options: &Options,
) -> (String, Vec<(usize, usize)>) {
    let visibility = options.visibility();
    let annotation = match options.junit {
        JUnit::Four => "org/junit/Test",
        JUnit::Five => "org/junit/jupiter/api/Test",
    };
    let annotation = names::mark(&ClassName::new(annotation));
    let mut text = String::new();
    let mut fixture = ClassFixture::default();
    printed.iter().for_each(|test| drop(fixture.add(test.body.fixture.as_ref())));
    let mut shared_state = SharedStateMembers::default();
    for test in printed {
        // What cannot be printed was found before the test was printed.
        drop(shared_state.add(&tests[test.rows[0]].resets, access, options));
    }
    text.push_str(&suppressed_warnings(printed, shared, &shared_state));
    let isolated = ClassName::new(ISOLATED);
    let changes_state = |test: &AssertedTest| test.undoing > 0 || !test.resets.is_empty();
    if printed.iter().flat_map(|test| &test.rows).any(|row| changes_state(&tests[*row]))
        && options.junit == JUnit::Five
        && access.can_name_class(&isolated)
    {
        text.push_str(&format!("@{}\n", names::mark(&isolated)));
    }
    text.push_str(&format!("{visibility}class {} {{\n", test_class.local_name()));
    let fields = shared.map(|shared| shared.text(options)).unwrap_or_default();
    let members = [fields, fixture.text(options), shared_state.text(options)];
    let members: Vec<&str> = members.iter().map(String::as_str).filter(|members| !members.is_empty()).collect();
    text.push_str(&members.join("\n"));
    let mut ranges = Vec::new();
    let first_fault = printed.iter().position(|test| test.place.0);
    for (position, PrintedTest { rows, name, body, table, .. }) in printed.iter().enumerate() {
        text.push('\n');
        if first_fault == Some(position) {
            text.push_str(&format!("{FAULTS}\n\n"));
        }
        let first = text.lines().count();
        let test = &tests[rows[0]];
        if let Some(fault) = &test.fault {
            text.push_str(&format!("    // Likely fault: {}\n", printable(fault)));
        }
        let throws = body.throws.as_ref().map_or_else(String::new, |class| format!("throws {} ", names::mark(class)));
        let deprecated = body.deprecated_annotation();
        match table {
            None => {
                let header = format!("    {visibility}void {name}() {throws}{{\n");
                text.push_str(&format!("    @{annotation}\n{deprecated}{header}"));
            }
            Some(table) => text.push_str(&table_header(table, &deprecated, visibility, name, &throws)),
        }
        for line in &statements(test, &body.lines, options.junit) {
            text.push_str(if line.is_empty() { "" } else { "        " });
            text.push_str(line);
            text.push('\n');
        }
        text.push_str("    }\n");
        if let Some(table) = table.as_ref().filter(|table| !table.source.factory.is_empty()) {
            text.push_str(&format!("\n{deprecated}{}\n", table.source.factory.join("\n")));
        }
        ranges.push((first, text.lines().count()));
    }
    let proxies = printed.iter().map(|test| test.body.proxies).fold(None, Proxies::merge);
    if let Some(proxies) = proxies {
        text.push_str(&format!("\n{}", helper(proxies)));
    }
    text.push_str("}\n");
    (text, ranges)
}

/// The annotations and the first lines of a parameterized test.
fn table_header(table: &PrintedTable, deprecated: &str, visibility: &str, name: &str, throws: &str) -> String {
    let annotation = names::mark(&ClassName::new(PARAMETERIZED));
    let with = |begin: &str, between: &str| {
        let parameters = table.parameters.join(between);
        format!("    {visibility}void {name}({begin}{parameters}) {throws}{{")
    };
    // On one line, else on the next line, else on several lines.
    let further = "\n            ";
    let fits = |header: &String| header.lines().all(|line| names::visible_width(line) <= WIDTH);
    let short = [with("", ", "), with(further, ", ")].into_iter().find(fits);
    let filled = || {
        let (begin, end) = (format!("    {visibility}void {name}("), format!(") {throws}{{"));
        let lines = filled_at(&further[1..], begin, &table.parameters, WIDTH - end.len());
        format!("{}{end}", lines.join("\n"))
    };
    let header = short.unwrap_or_else(filled);
    format!("    @{annotation}\n{}\n{deprecated}{header}\n", table.source.annotation.join("\n"))
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
        let Some(Fixture::Injected { object: (class, name), mocks }) = fixture else { return Ok(()) };
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
    fn text(&self, options: &Options) -> String {
        let marked = |class: &str| names::mark(&ClassName::new(class));
        let field = |annotation: &str, name: &str, ty: &str| format!("    @{}\n    private {ty} {name};\n", marked(annotation));
        if self.objects.is_empty() {
            return String::new();
        }
        let mocks = self.mocks.iter().map(|(name, ty)| field("org/mockito/Mock", name, &body::generic(ty)));
        let objects = self.objects.iter().map(|(name, class)| field("org/mockito/InjectMocks", name, &names::mark(class)));
        let fields: String = mocks.chain(objects).collect();
        let visibility = options.visibility();
        let annotation = match options.junit {
            JUnit::Four => "org/junit/Before",
            JUnit::Five => "org/junit/jupiter/api/BeforeEach",
        };
        format!(
            "{fields}\n    @{}\n    {visibility}void {OPEN_MOCKS}() {{\n        {}.{OPEN_MOCKS}(this);\n    }}\n",
            marked(annotation),
            marked("org/mockito/MockitoAnnotations")
        )
    }
}

/// The annotation that suppresses the warnings of all tests and members, or nothing. Methods that
/// use deprecated code are marked one by one.
fn suppressed_warnings(printed: &[PrintedTest], shared: Option<&SharedObject>, shared_state: &SharedStateMembers) -> String {
    let of_tests = printed.iter().flat_map(|test| test.body.warnings.iter().copied());
    let of_methods = of_tests.chain(shared_state.warnings()).filter(|name| *name != DEPRECATION);
    let of_fields = shared.iter().flat_map(|shared| shared.warnings.iter().copied());
    let names: BTreeSet<&str> = of_methods.chain(of_fields).collect();
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

/// The lines of a test's method. What expects a failing `assert` runs only where assertions are on. A
/// test of JUnit 5 passes elsewhere; JUnit 4 can only skip it.
fn statements(test: &AssertedTest, body: &[String], junit: JUnit) -> Vec<String> {
    let Some(class) = &test.assumes else { return body.to_vec() };
    let condition = format!("{}.class.desiredAssertionStatus()", names::mark(class));
    if junit == JUnit::Four {
        let assumption = format!("{SKIP_UNLESS}({condition});");
        return [vec![assumption], body.to_vec()].concat();
    }
    let indented = body.iter().map(|line| if line.is_empty() { String::new() } else { format!("    {line}") });
    let mut lines = vec![format!("{RUN_IF}({condition}, () -> {{")];
    lines.extend(indented);
    lines.push("});".to_owned());
    lines
}

/// The package declaration and the imports, each group followed by an empty line.
/// `assumes`: a test asks whether assertions are on.
fn preamble(
    printed: &[PrintedTest],
    shared: Option<&SharedObject>,
    assumes: bool,
    imports: &[String],
    options: &Options,
) -> String {
    let (holder, assumption) = match options.junit {
        JUnit::Five => ("org.junit.jupiter.api.Assertions", format!("org.junit.jupiter.api.Assumptions.{RUN_IF}")),
        JUnit::Four => ("org.junit.Assert", format!("org.junit.Assume.{SKIP_UNLESS}")),
    };
    let has_factory = |test: &PrintedTest| test.table.as_ref().is_some_and(|table| !table.source.factory.is_empty());
    let bodies = || printed.iter().map(|test| &test.body);
    let mut methods: BTreeSet<String> =
        bodies().flat_map(|body| &body.assertions).map(|name| format!("{holder}.{name}")).collect();
    let of_fields = shared.iter().flat_map(|shared| &shared.mocking);
    methods.extend(bodies().flat_map(|body| &body.mocking).chain(of_fields).map(|name| (*name).to_owned()));
    methods.extend(assumes.then_some(assumption));
    methods.extend(printed.iter().any(has_factory).then(|| ARGUMENTS.to_owned()));
    let mut text = String::new();
    if !options.package.is_empty() {
        text.push_str(&format!("package {};\n\n", options.package.replace('/', ".")));
    }
    for method in &methods {
        text.push_str(&format!("import static {method};\n"));
    }
    let has_static = !methods.is_empty();
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
