//! The members of a test class that put shared state back around each test. In: resets; out: their
//! text with marked type names. Must not know which test needs which reset.

use super::body::{self, Body, generic};
use super::names::mark;
use super::{JUnit, Options, Unprintable};
use crate::execution::WorldPart;
use crate::oracle::leftovers::{WorldState, WorldValue, world_state};
use crate::oracle::{Accessibility, AssertedTest, Reset};
use crate::program::{ClassName, MethodRef};
use crate::testcase::TestCase;

/// The method that gives shared state its first value, and the one that writes saved values.
pub(super) const METHODS: [&str; 2] = ["resetSharedState", "restoreSharedState"];

/// The members for the resets of all tests of a class; each reset counts once.
#[derive(Debug, Default)]
pub(super) struct SharedStateMembers {
    resets: Vec<Reset>,
    /// Gives state its first value.
    first_values: TestCase,
    /// The text of `first_values`.
    body: Option<Body>,
    /// Fields, each with the statement that writes its value back.
    saved: Vec<(String, String)>,
}

impl SharedStateMembers {
    /// Adds the resets of one test.
    ///
    /// # Errors
    /// The first reason for which Java source cannot express a reset.
    pub(super) fn add(&mut self, resets: &[Reset], access: &Accessibility<'_>, options: &Options) -> Result<(), Unprintable> {
        for reset in resets {
            if self.resets.contains(reset) {
                continue;
            }
            match reset {
                Reset::Statements(statements) => {
                    self.first_values.append(statements);
                    let test = AssertedTest::without_assertions(self.first_values.clone());
                    self.body = Some(body::print_body(access, &test, options)?);
                }
                Reset::Saved { read, write } => self.saved.push(saved_by_methods(read, write, self.saved.len(), access)?),
                Reset::World(part) => self.saved.extend(saved_part(*part)),
            }
            self.resets.push(reset.clone());
        }
        Ok(())
    }

    /// Names of warnings of javac that the statements need to have suppressed.
    pub(super) fn warnings(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.body.iter().flat_map(|body| body.warnings.iter().copied())
    }

    /// The fields and methods; nothing where there are no resets.
    pub(super) fn text(&self, options: &Options) -> String {
        let visibility = options.visibility();
        let (before, after) = match options.junit {
            JUnit::Four => ("org/junit/Before", "org/junit/After"),
            JUnit::Five => ("org/junit/jupiter/api/BeforeEach", "org/junit/jupiter/api/AfterEach"),
        };
        let annotation = |class: &str| format!("    @{}\n", mark(&ClassName::new(class)));
        let mut text: String = self.saved.iter().map(|(field, _)| format!("    {field}\n")).collect();
        let indented = |line: &String| format!("        {line}\n");
        if let Some(body) = &self.body {
            let throws = body.throws.as_ref().map_or_else(String::new, |class| format!("throws {} ", mark(class)));
            let lines: String = body.lines.iter().map(indented).collect();
            let separator = if text.is_empty() { "" } else { "\n" };
            text.push_str(&format!(
                "{separator}{}{}{}    {visibility}void {}() {throws}{{\n{lines}    }}\n",
                annotation(before),
                annotation(after),
                body.deprecated_annotation(),
                METHODS[0]
            ));
        }
        if !self.saved.is_empty() {
            let lines: String = self.saved.iter().map(|(_, statement)| indented(statement)).collect();
            text.push_str(&format!("\n{}    {visibility}void {}() {{\n{lines}    }}\n", annotation(after), METHODS[1]));
        }
        text
    }
}

/// The field for a value that a static method reads, and the call that writes it.
fn saved_by_methods(
    read: &MethodRef,
    write: &MethodRef,
    number: usize,
    access: &Accessibility<'_>,
) -> Result<(String, String), Unprintable> {
    let declared = access.program().resolve(read).map(|found| found.method().signature.returns.clone());
    let declared = declared.filter(|ty| ty.variables().is_empty() && access.can_name(&read.return_type()));
    let Some(declared) = declared else { return Err(Unprintable::InaccessibleMember(read.name.to_string())) };
    let name = if number == 0 { "saved".to_owned() } else { format!("saved{}", number + 1) };
    let field = format!("private final {} {name} = {}.{}();", generic(&declared), mark(&read.owner), read.name);
    Ok((field, format!("{}.{}({name});", mark(&write.owner), write.name)))
}

/// The field for a part of the JVM's state, and the statement that puts it back; `None` where no
/// statement does.
fn saved_part(part: WorldPart) -> Option<(String, String)> {
    let WorldState { class, name, read, write } = world_state(part)?;
    let class = mark(&class);
    let value = match read {
        WorldValue::Method(method) => format!("{}.{}()", mark(&method.owner), method.name),
        WorldValue::Cloned(method) => format!("({class}) {}.{}().clone()", mark(&method.owner), method.name),
        WorldValue::Field(field) => format!("{}.{}", mark(&field.owner), field.name),
    };
    Some((format!("private final {class} {name} = {value};"), format!("{}.{}({name});", mark(&write.owner), write.name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::tests::{sample_options, sample_program};

    fn members(resets: &str, junit: JUnit) -> String {
        let program = sample_program();
        let access = Accessibility::new(&program, "p");
        let options = sample_options(junit);
        let test: AssertedTest = resets.parse().expect("well-formed");
        let mut members = SharedStateMembers::default();
        for _ in 0..2 {
            members.add(&test.resets, &access, &options).expect("printable");
        }
        members.text(&options).replace(['\u{1}', '\u{2}'], "")
    }

    const CLEARED: &str = "reset statement 0 v0: I = int 1\nreset statement 0 v1: I = call method p/Calls.size (I)I (v0)\n";

    #[test]
    fn first_values_are_given_before_and_after_each_test() {
        let expected = "    @org/junit/jupiter/api/BeforeEach\n    @org/junit/jupiter/api/AfterEach\n    \
                        void resetSharedState() {\n        p/Calls.size(1);\n    }\n";
        assert_eq!(members(CLEARED, JUnit::Five), expected);
        let four = members(CLEARED, JUnit::Four);
        assert!(four.starts_with("    @org/junit/Before\n    @org/junit/After\n    public void resetSharedState() {"), "{four}");
    }

    #[test]
    fn saved_values_are_fields_that_are_written_back() {
        let text = members(&format!("{CLEARED}reset world properties\nreset world out\n"), JUnit::Five);
        let (properties, system) = ("java/util/Properties", "java/lang/System");
        for expected in [
            format!("    private final {properties} properties = ({properties}) {system}.getProperties().clone();\n"),
            format!("    private final java/io/PrintStream out = {system}.out;\n\n    @"),
            format!("    void restoreSharedState() {{\n        {system}.setProperties(properties);\n"),
            format!("        {system}.setOut(out);\n    }}\n"),
        ] {
            assert!(text.contains(&expected), "{text}");
        }
        assert_eq!(members("reset world files\n", JUnit::Five), "");
    }
}
