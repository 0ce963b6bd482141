//! One test as its name sees it: the call that the test is about, and what made its operands. In:
//! an asserted test; out: answers about its statements. Must not know words for conditions or
//! outcomes.

use crate::emit::names::{camel, capitalised, is_telling};
use crate::oracle::AssertedTest;
use crate::program::{ClassName, JavaType, MethodRef, Program};
use crate::testcase::{Literal, Statement, StatementKind, VarId};

use super::message_words::message_words;
use super::value_words::type_word;

/// Longest word for the method under test, and for its nested class.
const LONGEST_METHOD: usize = 40;
const LONGEST_CLASS: usize = 24;
/// Methods of a collection that leave it as it is.
const READS: [&str; 9] = ["size", "isEmpty", "get", "contains", "containsKey", "toString", "hashCode", "equals", "indexOf"];
/// Methods of a collection that add one element.
const ADDS: [&str; 7] = ["add", "addFirst", "addLast", "push", "offer", "put", "addElement"];

/// A test whose name is chosen.
#[derive(Clone, Copy)]
pub(super) struct NamedTest<'a> {
    pub(super) program: &'a Program,
    pub(super) test: &'a AssertedTest,
    /// Index of the call of the method under test that the name is about.
    pub(super) call: Option<usize>,
}

impl<'a> NamedTest<'a> {
    pub(super) fn new(program: &'a Program, test: &'a AssertedTest) -> NamedTest<'a> {
        NamedTest { program, test, call: call_under_test(test) }
    }

    pub(super) fn statement(&self, variable: VarId) -> &'a Statement {
        &self.test.test.statements[variable.index()]
    }

    pub(super) fn kind(&self, variable: VarId) -> &'a StatementKind {
        &self.statement(variable).kind
    }

    /// The statements before the call under test; without one, all own statements of the test.
    pub(super) fn before(&self) -> &'a [Statement] {
        &self.test.test.statements[..self.call.unwrap_or(self.test.acted as usize).min(self.test.test.statements.len())]
    }

    /// Whether another statement uses the value; the others of its kind are not written.
    pub(super) fn is_used(&self, variable: VarId) -> bool {
        self.test.test.users(variable).next().is_some()
    }

    /// The statement of the call under test.
    pub(super) fn called(&self) -> Option<&'a StatementKind> {
        self.call.map(|call| &self.test.test.statements[call].kind)
    }

    pub(super) fn receiver(&self) -> Option<VarId> {
        match self.called()? {
            StatementKind::Call { receiver, .. } => *receiver,
            _ => None,
        }
    }

    /// The method and the arguments of the call under test.
    pub(super) fn operands(&self) -> Option<(&'a MethodRef, &'a [VarId])> {
        self.called().and_then(operands)
    }

    pub(super) fn arguments(&self) -> &'a [VarId] {
        self.operands().map_or(&[], |(_, args)| args)
    }

    /// The words for the message of an exception.
    pub(super) fn message_words(&self, units: &[u16]) -> String {
        let texts = (0..self.test.acted).filter_map(|variable| match self.test.test.literal(VarId(variable))? {
            Literal::Str(units) => Some(String::from_utf16_lossy(units)),
            _ => None,
        });
        message_words(units, &texts.collect::<Vec<String>>())
    }

    /// The names of the parameters of a method, where they have a meaning.
    pub(super) fn parameter_names(&self, method: &MethodRef) -> Vec<Option<String>> {
        let resolved = self.program.resolve(method);
        let names: &[Option<String>] = resolved.as_ref().map_or(&[], |found| found.class.parameter_names(found.method()));
        let telling = |name: &Option<String>| name.clone().filter(|name| is_telling(name));
        names.iter().map(telling).chain(std::iter::repeat(None)).take(method.parameters().len()).collect()
    }

    /// The word for the role of an argument: its parameter, else its type. Empty for the only
    /// argument of a method whose parameter has no telling name.
    pub(super) fn role(&self, method: &MethodRef, position: usize, argument: VarId) -> String {
        let ty = &self.statement(argument).ty;
        match self.parameter_names(method).get(position).cloned().flatten() {
            Some(name) if name.len() > 1 || ty.is_primitive() => capitalised(&name),
            _ if method.parameters().len() == 1 => String::new(),
            _ => type_word(ty),
        }
    }

    /// Number of elements of an array or collection when the call under test gets it; `None` where
    /// that is not certain.
    pub(super) fn element_count(&self, variable: VarId) -> Option<usize> {
        match self.kind(variable) {
            StatementKind::Array { length, .. } => return Some(*length as usize),
            StatementKind::Construct { constructor, args } if args.is_empty() && self.makes_empty(&constructor.owner) => {}
            StatementKind::Call { method, receiver: None, args, .. } => match (&*method.name, args.as_slice()) {
                ("asList" | "of", [array]) if matches!(self.kind(*array), StatementKind::Array { .. }) => {
                    return self.element_count(*array);
                }
                ("emptyList" | "emptySet" | "emptyMap" | "of", []) if is_collection(&method.owner) => return Some(0),
                ("singletonList" | "singleton", [_]) => return Some(1),
                _ => return None,
            },
            _ => return None,
        }
        let mut added = 0;
        for statement in self.before().iter().skip(variable.index() + 1) {
            match &statement.kind {
                StatementKind::Call { method, receiver: Some(receiver), args, .. } if *receiver == variable => {
                    match &*method.name {
                        name if READS.contains(&name) => {}
                        name if ADDS.contains(&name) && args.len() == 1 + usize::from(name == "put") => added += 1,
                        _ => return None,
                    }
                }
                // Another method may change it.
                StatementKind::Call { args, .. } if args.contains(&variable) => return None,
                _ => {}
            }
        }
        // A set or map may hold fewer elements than were added.
        let is_list = type_word(&self.statement(variable).ty).contains("List");
        (added <= 1 || is_list).then_some(added)
    }

    /// Whether a constructor without arguments makes something empty: of a collection of the JDK or of the project.
    fn makes_empty(&self, class: &ClassName) -> bool {
        let is = |ancestor: &str| self.program.is_subclass(class, &ClassName::new(ancestor));
        is_collection(class) || is("java/util/Collection") || is("java/util/Map")
    }
}

/// A class of the JDK whose constructor without arguments makes something empty.
fn is_collection(class: &ClassName) -> bool {
    let name = class.local_name();
    let is_kind = ["List", "Map", "Set", "Deque", "Queue", "Vector", "Stack", "Properties", "Hashtable", "Collections"];
    class.package().starts_with("java/util") && is_kind.iter().any(|kind| name.ends_with(kind))
}

/// The method and the arguments of a call or construction.
pub(super) fn operands(kind: &StatementKind) -> Option<(&MethodRef, &[VarId])> {
    match kind {
        StatementKind::Construct { constructor, args } => Some((constructor, args)),
        StatementKind::Call { method, args, .. } => Some((method, args)),
        _ => None,
    }
}

/// Index of the last statement that calls the method under test. A call by the inspectors counts
/// only where the test itself makes no call that an assertion is about.
fn call_under_test(test: &AssertedTest) -> Option<usize> {
    let target = test.target.as_ref()?;
    let statements = &test.test.statements;
    let is_target = |statement: &Statement| match &statement.kind {
        StatementKind::Construct { constructor, .. } => constructor == target,
        StatementKind::Call { method, .. } => {
            method == target || (method.name == target.name && method.descriptor == target.descriptor)
        }
        _ => false,
    };
    let acted = (test.acted as usize).min(statements.len());
    let own = statements[..acted].iter().rposition(is_target);
    let inspecting = statements.iter().rposition(is_target).filter(|found| *found >= acted);
    let is_asserted = |call: usize| test.assertions.iter().any(|assertion| assertion.subject.index() == call);
    match (own, inspecting) {
        (Some(own), Some(later)) if is_asserted(later) && !is_asserted(own) && test.expected.is_none() => Some(later),
        (own, later) => own.or(later),
    }
}

/// The word for the method under test, that of a nested class with its name: `tokenEquals`.
pub(super) fn method_word(test: &AssertedTest) -> String {
    let Some(target) = &test.target else { return "test".into() };
    let method = plain_method_word(target);
    let is_word = |name: &&str| name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.len() <= LONGEST_CLASS;
    let outer = |class: &ClassName| class.internal().split('$').next().map(str::to_owned);
    // A nested class can inherit the method from another one.
    let receiver = call_under_test(test).and_then(|call| match &test.test.statements[call].kind {
        StatementKind::Call { receiver: Some(receiver), .. } => Some(&test.test.statements[receiver.index()].ty),
        _ => None,
    });
    let owner = match receiver {
        Some(JavaType::Class(class)) if class.internal().contains('$') && outer(class) == outer(&target.owner) => class,
        _ => &target.owner,
    };
    let is_nested = target.owner.internal().contains('$');
    match owner.internal().rsplit_once('$').map(|(_, name)| name).filter(is_word).filter(|_| is_nested) {
        Some(nested) => format!("{}{}", camel(nested), capitalised(&method)),
        None => method,
    }
}

fn plain_method_word(target: &MethodRef) -> String {
    match &*target.name {
        "<init>" => "constructor".into(),
        name => {
            let clean: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            let lowered = camel(&clean);
            if lowered.starts_with(|first: char| first.is_ascii_alphabetic()) {
                lowered.chars().take(LONGEST_METHOD).collect()
            } else {
                format!("test{clean}")
            }
        }
    }
}

/// The literal behind a variable, also behind a box or a number of `java.math` that is made of it.
pub(super) fn literal_behind<'a>(named: &NamedTest<'a>, variable: VarId) -> Option<&'a Literal> {
    literal_variable(named, variable).and_then(|literal| named.test.test.literal(literal))
}

/// The variable of that literal.
pub(super) fn literal_variable(named: &NamedTest<'_>, variable: VarId) -> Option<VarId> {
    match named.kind(variable) {
        StatementKind::Literal(_) => Some(variable),
        StatementKind::Call { method, receiver: None, args, .. }
            if &*method.name == "valueOf" && args.len() == 1 && matches!(method.owner.package(), "java/lang" | "java/math") =>
        {
            literal_variable(named, args[0])
        }
        StatementKind::Construct { constructor, args } if constructor.owner.package() == "java/math" && args.len() == 1 => {
            literal_variable(named, args[0])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::tests::sample_program;

    #[test]
    fn elements_are_counted_up_to_the_call() {
        let count = |adds: &str| {
            let text = format!(
                "target p/Calls.take (Ljava/util/List;)V\nv0: Ljava/util/ArrayList; = new java/util/ArrayList.<init> ()V ()\n\
                 v1: Ljava/lang/String; = string \"a\"\n{adds}"
            );
            let test: AssertedTest = text.parse().expect("well-formed");
            NamedTest::new(&sample_program(), &test).element_count(VarId(0))
        };
        let call = "V = call method p/Calls.take (Ljava/util/List;)V (v0)\n";
        let add = "Z = call interface-method java/util/List.add (Ljava/lang/Object;)Z on v0 (v1)\n";
        assert_eq!(count(&format!("v2: {call}")), Some(0));
        assert_eq!(count(&format!("v2: {add}v3: {call}")), Some(1));
        assert_eq!(count(&format!("v2: {add}v3: {add}v4: {call}")), Some(2));
        assert_eq!(count(&format!("v2: {call}v3: {call}")), None, "the first call may change it");
    }
}
