//! Names of local variables. In: a test with its liveness; out: a name for every variable that is
//! declared. A name says the role of the value (`result`, `other`) or its type. Must not know Java
//! text or generic types.

use std::collections::{BTreeMap, BTreeSet};
use tracewright_classfile::PrimitiveType;

use crate::emit::names::{camel, is_telling};
use crate::oracle::{is_identifier, is_reserved};
use crate::program::{ClassName, JavaType, MethodRef, Program};
use crate::testcase::{Literal, StatementKind, VarId};

use super::calls::COROUTINE_PARAMETERS;
use super::class_words::ClassWords;
use super::fixture::FixtureVariables;
use super::usage::Usage;

/// Roles by which classes of the JDK are named, whatever precedes them in the class name.
const JDK_ROLES: &[&str] =
    &["List", "Map", "Set", "Queue", "Deque", "Reader", "Writer", "InputStream", "OutputStream", "Exception"];

/// Names that no variable may have: first packages of qualified names, parameters of lambdas, the
/// value in `assertThrows`.
const RESERVED: [&str; 7] = ["java", "javax", "org", "x", "y", "z", "value"];

/// The names of one test method.
#[derive(Debug)]
pub(super) struct LocalNames {
    variables: Vec<Option<String>>,
    exception: String,
    taken: BTreeSet<String>,
}

impl LocalNames {
    /// The names for a test with this usage. Fields of the test class keep their names, and no
    /// variable hides one of `fields`.
    pub(super) fn of<'n>(
        usage: &Usage<'_>,
        fixture: Option<&FixtureVariables>,
        fields: impl Iterator<Item = &'n String>,
    ) -> LocalNames {
        let mut taken = reserved_names(usage);
        taken.extend(fixture.iter().flat_map(|fixture| fixture.taken()).cloned());
        taken.extend(fields.cloned());
        let has_value = |variable: VarId| *usage.erased(variable) != JavaType::Void;
        let is_declared = |variable: VarId| usage.is_live(variable) && !usage.is_inline(variable) && has_value(variable);
        let of_fixture = |variable: VarId| fixture.and_then(|fixture| fixture.name(variable));
        let all = (0..usage.len() as u32).map(VarId);
        let is_local = |variable: &VarId| of_fixture(*variable).is_none() && is_declared(*variable);
        let local: Vec<VarId> = all.filter(is_local).collect();
        let roles: BTreeMap<VarId, String> =
            local.iter().filter_map(|variable| Some((*variable, role(usage, *variable)?))).collect();
        let by_type = local.iter().filter(|variable| !roles.contains_key(*variable));
        let classes = by_type.filter_map(|variable| innermost_class(usage.erased(*variable)).cloned()).collect();
        let words = ClassWords::of(classes, &taken.iter().chain(roles.values()).cloned().collect());
        let mut name = |variable: VarId| {
            let base = roles.get(&variable).cloned().unwrap_or_else(|| words.role(usage.erased(variable)));
            free_name(&mut taken, &base)
        };
        let named = |variable: VarId| match of_fixture(variable) {
            Some(name) => Some(name.to_string()),
            None => is_declared(variable).then(|| name(variable)),
        };
        let variables = (0..usage.len() as u32).map(VarId).map(named).collect();
        LocalNames { variables, exception: free_name(&mut taken, "exception"), taken }
    }

    /// Names for the parameters of a lambda or method in the body: they hide no variable.
    pub(super) fn parameters(&self, wanted: impl Iterator<Item = String>) -> Vec<String> {
        let mut taken = self.taken.clone();
        let base = |name: String| if is_identifier(&name) { name } else { "argument".into() };
        wanted.map(|name| free_name(&mut taken, &base(name))).collect()
    }

    /// The name of a variable; `None` where the statement is dead, inline or without a value.
    pub(super) fn variable(&self, variable: VarId) -> Option<&str> {
        self.variables[variable.index()].as_deref()
    }

    /// The name of the variable for a caught exception.
    pub(super) fn exception(&self) -> &str {
        &self.exception
    }
}

/// Names that a variable must not have: simple names of the types in the test and the first parts of
/// their qualified names, which it would hide (JLS §6.4.2), and fields of stubbed types, which would
/// hide it in the body of the stub (JLS §6.4.1).
fn reserved_names(usage: &Usage<'_>) -> BTreeSet<String> {
    let mut reserved: BTreeSet<String> = RESERVED.map(String::from).into();
    let mut reserve = |class: &ClassName| {
        reserved.extend(class.internal().split('/').next().map(String::from));
        reserved.extend(class.local_name().split('$').map(String::from));
    };
    let mut fields = BTreeSet::new();
    for statement in &usage.test().test.statements {
        if matches!(statement.kind, StatementKind::Stub { .. }) {
            fields.extend(usage.inherited_fields(&statement.ty));
        }
        innermost_class(&statement.ty).into_iter().for_each(&mut reserve);
        match &statement.kind {
            StatementKind::Construct { constructor: method, .. } => reserve(&method.owner),
            StatementKind::Call { method, args, .. } => {
                reserve(&method.owner);
                if method.suspends_with(args.len()) {
                    fields.extend(COROUTINE_PARAMETERS.map(String::from));
                }
            }
            StatementKind::GetField { field, .. } | StatementKind::PutField { field, .. } => reserve(&field.owner),
            StatementKind::Literal(Literal::Class(ty)) => innermost_class(ty).into_iter().for_each(&mut reserve),
            _ => {}
        }
    }
    reserved.extend(fields);
    reserved
}

/// A name that is not among `taken`, and adds it there: the base, or with a number behind it.
pub(crate) fn free_name(taken: &mut BTreeSet<String>, base: &str) -> String {
    let numbered = (1..).map(|number: u32| if number == 1 { base.to_string() } else { format!("{base}{number}") });
    let mut free = numbered.filter(|name| !is_reserved(name) && !taken.contains(name));
    let name = free.next().unwrap_or_default();
    taken.insert(name.clone());
    name
}

/// The name is `result` for the value that the method under test returned, `other` for a value that
/// is compared with an earlier one. An argument of the method under test is named after the
/// parameter, what is injected into a field after the field, and a value of the JDK after the parameter
/// of another method or constructor of the project: its type says little. `None`: the type says the role.
fn role(usage: &Usage<'_>, variable: VarId) -> Option<String> {
    let test = usage.test();
    let is_used_by_own_statement =
        usage.live().take_while(|user| user.0 < test.acted).any(|user| usage.kind(user).uses().contains(&variable));
    if let StatementKind::Call { method, .. } = usage.kind(variable)
        && !is_used_by_own_statement
        && (usage.uses(variable) > 0 || usage.is_asserted(variable))
        && (test.is_about(method) || test.target.is_none())
    {
        return Some("result".into());
    }
    let is_compared = usage.live().any(|user| match usage.kind(user) {
        StatementKind::Call { method, receiver: Some(receiver), args, .. } => {
            matches!(&*method.name, "equals" | "compareTo")
                && args.first() == Some(&variable)
                && *receiver != variable
                && receiver.index() < variable.index()
                && usage.erased(*receiver) == usage.erased(variable)
        }
        _ => false,
    });
    if is_compared {
        return Some("other".into());
    }
    parameter_role(usage, variable).or_else(|| field_role(usage, variable)).or_else(|| given_role(usage, variable))
}

/// The name of the field that the test injects a mock or a new object into. `None` where the name says
/// nothing.
fn field_role(usage: &Usage<'_>, variable: VarId) -> Option<String> {
    if !matches!(usage.kind(variable), StatementKind::Stub { .. } | StatementKind::Construct { .. }) {
        return None;
    }
    usage.live().find_map(|user| match usage.kind(user) {
        StatementKind::PutField { field, receiver: Some(_), value } if *value == variable => {
            Some(field.name.to_string()).filter(|name| is_role(name))
        }
        _ => None,
    })
}

/// Names of two letters that are words.
const SHORT_WORDS: [&str; 6] = ["at", "by", "id", "ip", "on", "to"];

/// Whether the name of a parameter or field can be that of a variable and has a meaning.
fn is_role(name: &str) -> bool {
    let is_long = name.len() > 2 || SHORT_WORDS.contains(&name);
    is_long && is_telling(name) && can_name_variable(name)
}

/// Whether a variable can have the name, and no other value has it by its role.
pub(super) fn can_name_variable(name: &str) -> bool {
    is_identifier(name) && !is_reserved(name) && !RESERVED.contains(&name) && name != "result"
}

/// The name of the parameter of the method under test that gets the variable. `None` for the receiver
/// and where the name says nothing.
fn parameter_role(usage: &Usage<'_>, variable: VarId) -> Option<String> {
    let (test, target) = (usage.test(), usage.test().target.as_ref()?);
    let is_receiver = |receiver: &Option<VarId>| *receiver == Some(variable);
    let position = usage.live().find_map(|user| match usage.kind(user) {
        StatementKind::Call { method, receiver, args, .. } if test.is_about(method) && !is_receiver(receiver) => {
            args.iter().position(|argument| *argument == variable)
        }
        StatementKind::Construct { constructor, args } if constructor == target => {
            args.iter().position(|argument| *argument == variable)
        }
        _ => None,
    })?;
    parameter_name(usage.program(), target, position)
}

/// The name of the parameter of the only call that takes a value of the JDK, which is one to the project.
fn given_role(usage: &Usage<'_>, variable: VarId) -> Option<String> {
    let program = usage.program();
    if !matches!(usage.erased(variable), JavaType::Class(class) if class.internal().starts_with("java/")) {
        return None;
    }
    let mut users = usage.live().map(|user| usage.kind(user)).filter(|kind| kind.uses().contains(&variable));
    let (Some(user), None) = (users.next(), users.next()) else { return None };
    let (method, args) = match user {
        StatementKind::Construct { constructor, args } => (constructor, args),
        StatementKind::Call { method, args, .. } => (method, args),
        _ => return None,
    };
    let position = args.iter().position(|argument| *argument == variable)?;
    parameter_name(program, method, position).filter(|_| program.is_project(&method.owner))
}

/// The name of the parameter at this position, where it says something.
fn parameter_name(program: &Program, method: &MethodRef, position: usize) -> Option<String> {
    let found = program.resolve(method)?;
    let name = found.class.parameter_names(found.method()).get(position)?.clone()?;
    is_role(&name).then_some(name)
}

/// The class of a class type or of the innermost cells of an array type.
fn innermost_class(ty: &JavaType) -> Option<&ClassName> {
    match ty {
        JavaType::Class(name) => Some(name),
        JavaType::Array(element) => innermost_class(element),
        _ => None,
    }
}

/// A name for a variable of the type.
pub(crate) fn type_role(ty: &JavaType) -> String {
    match ty {
        JavaType::Array(element) => {
            let element = type_role(element);
            if element.ends_with('s') { format!("{element}Array") } else { format!("{element}s") }
        }
        JavaType::Class(name) => {
            let simple = name.local_name().rsplit('$').next().unwrap_or_default();
            let lowered = match simple {
                "String" => "text".into(),
                "Class" => "type".into(),
                "Object" => "object".into(),
                "StringBuilder" | "StringBuffer" => "builder".into(),
                "ObjectInputStream" => "input".into(),
                "ObjectOutputStream" => "output".into(),
                other => match JDK_ROLES.iter().find(|role| name.internal().starts_with("java/") && other.ends_with(*role)) {
                    Some(role) => camel(role),
                    None => camel(other),
                },
            };
            match lowered.as_str() {
                "" => "object".into(),
                word if is_reserved(word) => format!("{word}Value"),
                word if word.starts_with(|first: char| first.is_ascii_digit()) => "object".into(),
                _ => lowered,
            }
        }
        JavaType::Primitive(PrimitiveType::Boolean) => "flag".into(),
        JavaType::Primitive(PrimitiveType::Byte) => "number".into(),
        JavaType::Primitive(PrimitiveType::Char) => "character".into(),
        JavaType::Void => "nothing".into(),
        _ => "number".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_give_names() {
        for (descriptor, expected) in [
            ("Ljava/lang/String;", "text"),
            ("[Ljava/lang/String;", "texts"),
            ("[[I", "numbersArray"),
            ("Ljava/util/ArrayList;", "list"),
            ("Lp/ArrayList;", "arrayList"),
            ("Lp/Outer$Inner;", "inner"),
            ("Lp/Default;", "defaultValue"),
            ("Lp/Outer$1;", "object"),
            ("Z", "flag"),
            ("C", "character"),
        ] {
            assert_eq!(type_role(&JavaType::parse(descriptor).expect("a descriptor")), expected, "{descriptor}");
        }
    }

    #[test]
    fn a_short_name_is_a_role_where_it_is_a_word() {
        assert!(is_role("to") && is_role("from") && is_role("id"));
        assert!(!is_role("s") && !is_role("cs") && !is_role("result"));
    }

    #[test]
    fn equal_names_are_numbered_and_keywords_are_passed_over() {
        let mut taken = BTreeSet::from(["x".to_string()]);
        let names = ["list", "list", "list", "x", "new"].map(|base| free_name(&mut taken, base));
        assert_eq!(names, ["list", "list2", "list3", "x2", "new2"]);
    }
}
