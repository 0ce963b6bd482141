//! Likely faults: exceptions for which the class under test alone is to blame. Flows in: a test and
//! the exception that ended it; flows out: a phrase for the user. Must not know how the test ran.
//!
//! A failing `assert` is a fault whatever the test passed. Every other exception is one only if
//! nothing else can be its cause: no null, no stub, no heap pollution (JLS §4.12.2), no size that
//! the test chose, no value of the environment.

use tracewright_classfile::{Code, Condition, Op};

use crate::execution::Thrown;
use crate::program::{ClassModel, ClassName, GenericType, JavaType, MethodModel, Program};
use crate::testcase::{Literal, StatementKind, TestCase};

/// Name of the static field with which javac guards the `assert` statements of a class.
const ASSERTIONS_DISABLED: &str = "$assertionsDisabled";

/// The class whose `assert` statement threw the error; `None` for every other exception.
pub(super) fn failed_assert<'t>(program: &Program, thrown: &'t Thrown) -> Option<&'t ClassName> {
    let (class, method, line) = thrown.frames.first()?;
    if thrown.class.internal() != "java/lang/AssertionError" || !program.is_project(class) {
        return None;
    }
    let model = program.class(class)?;
    let methods = model.methods.iter().filter(|candidate| candidate.name() == method);
    let bodies = methods.filter_map(|method| model.code(method));
    let sites: Vec<bool> = bodies.flat_map(|code| error_sites(&model, &code, *line)).collect();
    (!sites.is_empty() && sites.iter().all(|in_assert| *in_assert)).then_some(class)
}

/// For each `AssertionError` that the code makes in a line, whether an `assert` makes it. Without
/// line numbers, every place counts.
fn error_sites(class: &ClassModel, code: &Code, line: i32) -> Vec<bool> {
    let pool = class.file.constant_pool();
    let is_flag = |index: u16| pool.member(index).is_ok_and(|member| member.name == ASSERTIONS_DISABLED);
    let guard = |pair: &[tracewright_classfile::Instruction]| match (&pair[0].op, &pair[1].op) {
        (Op::GetStatic(index), Op::If(Condition::Ne, end)) if is_flag(*index) => Some(pair[0].bci..*end),
        _ => None,
    };
    let guarded: Vec<std::ops::Range<u32>> = code.instructions.windows(2).filter_map(guard).collect();
    let is_made = |op: &Op| {
        let Op::InvokeSpecial(index) = op else { return false };
        pool.member(*index).is_ok_and(|member| member.owner == "java/lang/AssertionError" && member.name == "<init>")
    };
    let made = code.instructions.iter().filter(|instruction| is_made(&instruction.op)).map(|instruction| instruction.bci);
    let in_line = made.filter(|bci| line_of(code, *bci).is_none_or(|found| line <= 0 || i32::from(found) == line));
    in_line.map(|bci| guarded.iter().any(|range| range.contains(&bci))).collect()
}

fn line_of(code: &Code, bci: u32) -> Option<u16> {
    let before = code.line_numbers.iter().filter(|entry| entry.bci <= bci);
    before.max_by_key(|entry| entry.bci).map(|entry| entry.line)
}

/// The top-level class around a class.
pub(super) fn top_level(program: &Program, class: &ClassName) -> ClassName {
    let mut name = class.clone();
    // The bound ends a cycle of malformed class files.
    for _ in 0..64 {
        match program.class(&name).and_then(|model| model.enclosing().cloned()) {
            Some(enclosing) => name = enclosing,
            None => break,
        }
    }
    name
}

/// The fault that the exception shows, in one phrase. `tested`: a class under test.
pub(super) fn exception_fault(program: &Program, test: &TestCase, thrown: &Thrown, tested: &ClassName) -> Option<String> {
    if let Some(class) = failed_assert(program, thrown) {
        return assert_fault(program, class, tested);
    }
    let suspicion = Suspicion { program, test, thrown, family: top_level(program, tested) };
    let (class, _, _) = thrown.frames.first()?;
    if !suspicion.is_own(class) || test.statements.iter().any(|statement| matches!(statement.kind, StatementKind::Stub { .. })) {
        return None;
    }
    let message = thrown.message.as_ref().map(|units| String::from_utf16_lossy(units)).unwrap_or_default();
    let is_blamed = match thrown.class.internal() {
        // Code that throws such an exception itself writes another message than the JVM.
        "java/lang/ClassCastException" => {
            message.contains("cannot be cast to") && !message.contains("java.lang.Comparable") && !suspicion.may_pollute_heap()
        }
        "java/lang/NegativeArraySizeException" => !suspicion.gives_negative_number(),
        "java/lang/ArrayStoreException" => !suspicion.gives_array_of_objects(),
        "java/lang/NullPointerException" => return suspicion.null_fault(&message),
        _ => false,
    };
    is_blamed.then(|| format!("undeclared {}", thrown.class.local_name()))
}

/// A failed `assert` of a library is no fault of the class under test.
fn assert_fault(program: &Program, class: &ClassName, tested: &ClassName) -> Option<String> {
    if top_level(program, class) == top_level(program, tested) {
        return Some("an assert of the class failed".to_string());
    }
    let neighbours = program.source().neighbours(tested);
    neighbours.contains(class).then(|| format!("an assert of {} failed", class.binary()))
}

/// An exception, and everything that may have caused it.
struct Suspicion<'a> {
    program: &'a Program,
    test: &'a TestCase,
    thrown: &'a Thrown,
    /// Top-level class of the class under test.
    family: ClassName,
}

impl Suspicion<'_> {
    /// Whether the class is the class under test or nested with it.
    fn is_own(&self, class: &ClassName) -> bool {
        top_level(self.program, class) == self.family
    }

    /// Whether a call of the test takes a value whose type arguments the compiler erases.
    fn may_pollute_heap(&self) -> bool {
        let called = self.test.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::Construct { constructor: method, .. } | StatementKind::Call { method, .. } => Some(method),
            _ => None,
        });
        let mut called = called.filter(|method| !method.parameters().is_empty());
        called.any(|method| match self.program.resolve(method) {
            Some(resolved) => resolved.method().signature.arguments.iter().any(is_erased),
            None => true,
        })
    }

    fn gives_negative_number(&self) -> bool {
        self.literals().any(|literal| match literal {
            Literal::Byte(value) => *value < 0,
            Literal::Short(value) => *value < 0,
            Literal::Int(value) => *value < 0,
            Literal::Long(value) => *value < 0,
            Literal::Float(bits) => f32::from_bits(*bits) < 0.0,
            Literal::Double(bits) => f64::from_bits(*bits) < 0.0,
            _ => false,
        })
    }

    fn gives_array_of_objects(&self) -> bool {
        self.test
            .statements
            .iter()
            .any(|statement| matches!(&statement.kind, StatementKind::Array { element, .. } if element.is_reference()))
    }

    fn gives_null(&self) -> bool {
        let is_null = |kind: &StatementKind| match kind {
            StatementKind::Literal(literal) => *literal == Literal::Null,
            StatementKind::Array { element, length, elements } => element.is_reference() && elements.len() < *length as usize,
            _ => false,
        };
        self.test.statements.iter().any(|statement| is_null(&statement.kind))
    }

    /// Whether the test has an object of another project class. Its unset fields may be null.
    fn gives_foreign_object(&self) -> bool {
        self.test.statements.iter().any(|statement| match &statement.ty {
            JavaType::Class(class) => self.program.is_project(class) && !self.is_own(class),
            _ => false,
        })
    }

    fn literals(&self) -> impl Iterator<Item = &Literal> {
        self.test.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::Literal(literal) => Some(literal),
            _ => None,
        })
    }

    /// The fault of a NullPointerException. `message` is that of the JVM, which names the null.
    fn null_fault(&self, message: &str) -> Option<String> {
        let is_of_jvm = message.starts_with("Cannot ");
        if !is_of_jvm || self.gives_null() || self.gives_foreign_object() || self.may_ask_others() || !self.is_own_null(message) {
            return None;
        }
        Some("NullPointerException though nothing given is null".to_string())
    }

    /// Whether the null that the message names belongs to the class under test. A field with an
    /// annotation may be set by injection.
    fn is_own_null(&self, message: &str) -> bool {
        let Some((_, cause)) = message.split_once(" because ") else { return true };
        if cause.starts_with("the return value of") {
            // `may_ask_others` has looked at the calls.
            return true;
        }
        let path = cause.split('"').nth(1).unwrap_or_default();
        if let Some(field) = path.strip_prefix("this.") {
            return !self.is_injected(field.split(['.', '[']).next().unwrap_or(field));
        }
        // A static field has its class before it; a local variable has none.
        let class = path.rsplit_once('.').map(|(class, _)| ClassName::from_binary(class));
        class.is_none_or(|class| self.program.class(&class).is_none() || self.is_own(&class))
    }

    fn is_injected(&self, field: &str) -> bool {
        let Some((class, _, _)) = self.thrown.frames.first() else { return false };
        let chain = self.program.superclass_chain(class);
        let mut fields = chain.iter().flat_map(|model| model.file.fields()).filter(|found| found.name() == field);
        fields.any(|field| field.attribute("RuntimeVisibleAnnotations").is_some())
    }

    /// Whether the method that threw gets an object from the environment, or from another class of
    /// the class path. Both may answer null.
    fn may_ask_others(&self) -> bool {
        let Some((class, name, _)) = self.thrown.frames.first() else { return true };
        let Some(model) = self.program.class(class) else { return true };
        let mut methods = model.methods.iter().filter(|method| method.name() == name);
        methods.any(|method| self.asks_others(&model, method))
    }

    fn asks_others(&self, class: &ClassModel, method: &MethodModel) -> bool {
        let Some(code) = class.code(method) else { return false };
        let pool = class.file.constant_pool();
        let invoked = code.instructions.iter().filter(|instruction| instruction.op.is_invoke());
        let mut members = invoked.filter_map(|instruction| pool.member(instruction.op.member_index()?).ok());
        members.any(|member| {
            let gives_object = JavaType::parse_method(member.descriptor).is_some_and(|(_, returned)| returned.is_reference());
            let owner = ClassName::new(member.owner);
            gives_object
                && (is_environment(member.owner, member.name) || (self.program.is_project(&owner) && !self.is_own(&owner)))
        })
    }
}

/// Whether the compiler erases a part of the type.
fn is_erased(ty: &GenericType) -> bool {
    match ty {
        GenericType::Primitive(_) => false,
        GenericType::Class { arguments, outer, .. } => !arguments.is_empty() || outer.is_some(),
        GenericType::Variable(_) | GenericType::Wildcard(_) => true,
        GenericType::Array(element) => is_erased(element),
    }
}

/// Whether a method of the JDK answers with an object that depends on files, on properties, or on
/// how the JVM was started.
fn is_environment(owner: &str, name: &str) -> bool {
    const CLASSES: [&str; 7] = [
        "java/lang/System",
        "java/lang/ClassLoader",
        "java/lang/Runtime",
        "java/lang/Thread",
        "java/lang/ProcessHandle",
        "java/lang/StackWalker",
        "java/util/ResourceBundle",
    ];
    const PACKAGES: [&str; 6] = ["java/io/", "java/net/", "java/nio/file/", "java/sql/", "java/util/prefs/", "javax/"];
    let reflective =
        owner == "java/lang/Class" && ["getResource", "getPackage", "getClassLoader"].iter().any(|p| name.starts_with(p));
    reflective || CLASSES.contains(&owner) || PACKAGES.iter().any(|package| owner.starts_with(package))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_arguments_and_variables_are_erased() {
        let erased = |text: &str| is_erased(&GenericType::parse(text).expect("a type"));
        assert!(!erased("I") && !erased("Ljava/lang/String;") && !erased("[Lp/A;"));
        assert!(erased("TT;") && erased("Ljava/util/List<Ljava/lang/String;>;") && erased("[TT;"));
    }

    #[test]
    fn properties_and_files_are_the_environment_and_collections_are_not() {
        assert!(is_environment("java/lang/System", "getProperty") && is_environment("java/io/File", "list"));
        assert!(is_environment("java/lang/Class", "getResourceAsStream") && !is_environment("java/lang/Class", "cast"));
        assert!(!is_environment("java/util/Map", "get"));
    }
}
