//! A test case in the words of its source, for `explain`. Flows in: a test case, and the program where it is
//! known. Flows out: a name for each input of its conditions, and its statements as Java. Must not know
//! conditions or trees.
//!
//! A value has the name of the parameter or field that it is given to, where the class file has it. A
//! written test has other names: those are chosen for its assertions too, which no path has.

use crate::expr::{Symbol, SymbolPart};
use crate::program::{ClassName, GenericType, JavaType, MethodRef, Program};
use crate::report::cut;
use crate::testcase::{Literal, Statement, StatementKind, TestCase, VarId};

/// Longest example, in characters.
const LONGEST_EXAMPLE: usize = 240;

/// The test case in one line, with each value where it is used: `new Box(2).fits("a")`. What is used more than once
/// has a name.
pub(super) fn example(test: &TestCase, program: Option<&Program>) -> String {
    let named = ExplainedTest::new(test, program);
    let is_inline = |place: usize| {
        let kind = &test.statements[place].kind;
        is_constant(kind) || matches!(kind, StatementKind::Literal(_)) || test.users(VarId(place as u32)).count() == 1
    };
    let mut inline: Vec<String> = Vec::new();
    let mut parts: Vec<String> = Vec::new();
    for (place, statement) in test.statements.iter().enumerate() {
        let explained = ExplainedTest { test, names: inline.clone() };
        let value = match &statement.kind {
            StatementKind::Literal(literal) if !is_constant(&statement.kind) => literal_text(literal),
            _ => explained.line(place, statement, true).unwrap_or_else(|| named.names[place].clone()),
        };
        let is_value = statement.ty != JavaType::Void && place + 1 < test.statements.len();
        if is_value && is_inline(place) {
            inline.push(value);
            continue;
        }
        let is_used = is_value && test.users(VarId(place as u32)).next().is_some();
        parts.push(if is_used { format!("{} = {value}", named.names[place]) } else { value });
        inline.push(named.names[place].clone());
    }
    cut(&parts.join("; "), LONGEST_EXAMPLE)
}

/// A literal without the word for its type, with which its text form begins.
pub(super) fn literal_text(literal: &Literal) -> String {
    let text = literal.to_string();
    let typed = text.split_once(' ').filter(|(ty, _)| ty.chars().all(|c| c.is_ascii_lowercase()));
    typed.map_or(text.clone(), |(_, value)| value.to_owned())
}

/// A test case with names for its variables.
pub(super) struct ExplainedTest<'a> {
    test: &'a TestCase,
    names: Vec<String>,
}

impl ExplainedTest<'_> {
    /// Chooses the names.
    pub(super) fn new<'a>(test: &'a TestCase, program: Option<&Program>) -> ExplainedTest<'a> {
        let mut names: Vec<String> = Vec::new();
        for (place, statement) in test.statements.iter().enumerate() {
            let name = name_of(test, place, statement, program);
            let is_taken = |name: &str| names.iter().any(|known| known == name) && !is_constant(&statement.kind);
            let with_number = (2_u32..).map(|number| format!("{name}{number}")).find(|other| !is_taken(other));
            names.push(if is_taken(&name) { with_number.unwrap_or(name) } else { name });
        }
        ExplainedTest { test, names }
    }

    /// An input of a condition in Java.
    pub(super) fn input(&self, symbol: Symbol) -> String {
        let statement = symbol.statement as usize;
        let name = self.names.get(statement).cloned().unwrap_or_else(|| symbol.to_string());
        let is_array = self.test.statements.get(statement).is_some_and(|made| matches!(made.ty, JavaType::Array(_)));
        match symbol.part {
            SymbolPart::Value => name,
            SymbolPart::Length if is_array => format!("{name}.length"),
            SymbolPart::Length => format!("{name}.length()"),
            SymbolPart::Char(index) if is_array => format!("{name}[{index}]"),
            SymbolPart::Char(index) => format!("{name}.charAt({index})"),
        }
    }

    /// The statements that make objects and call methods, one line each.
    pub(super) fn lines(&self) -> Vec<String> {
        let last = self.test.statements.len().saturating_sub(1);
        self.test
            .statements
            .iter()
            .enumerate()
            .filter_map(|(place, statement)| self.line(place, statement, place == last))
            .collect()
    }

    fn line(&self, place: usize, statement: &Statement, is_last: bool) -> Option<String> {
        let value = match &statement.kind {
            kind if is_constant(kind) => return None,
            StatementKind::Literal(_) => return None,
            StatementKind::Construct { constructor, args } => {
                format!("new {}({})", simple_name(&constructor.owner), self.arguments(args))
            }
            StatementKind::Call { method, receiver, args, .. } => {
                format!("{}.{}({})", self.owner(*receiver, &method.owner), method.name, self.arguments(args))
            }
            StatementKind::GetField { field, receiver } => {
                format!("{}.{}", self.owner(*receiver, &field.owner), field.name)
            }
            StatementKind::PutField { field, receiver, value } => {
                return Some(format!("{}.{} = {}", self.owner(*receiver, &field.owner), field.name, self.name(*value)));
            }
            StatementKind::PutElement { array, index, value } => {
                return Some(format!("{}[{index}] = {}", self.name(*array), self.name(*value)));
            }
            StatementKind::Array { element, length, elements } => match elements.is_empty() {
                true => format!("new {}[{length}]", simple_type(element)),
                false => format!("new {}[] {{{}}}", simple_type(element), self.arguments(elements)),
            },
            StatementKind::Stub { class, .. } => format!("a stub of {}", simple_name(class)),
        };
        let is_named = !is_last && statement.ty != JavaType::Void;
        Some(if is_named { format!("{} = {value}", self.names[place]) } else { value })
    }

    /// The object, or the class of a static member.
    fn owner(&self, receiver: Option<VarId>, class: &ClassName) -> String {
        receiver.map_or_else(|| simple_name(class), |receiver| self.name(receiver))
    }

    fn arguments(&self, variables: &[VarId]) -> String {
        variables.iter().map(|variable| self.name(*variable)).collect::<Vec<String>>().join(", ")
    }

    fn name(&self, variable: VarId) -> String {
        self.names.get(variable.index()).cloned().unwrap_or_else(|| variable.to_string())
    }
}

/// Whether the statement is a constant, which has no name of its own: `null`, a class, an enum constant.
fn is_constant(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Literal(Literal::Null | Literal::Class(_)) => true,
        StatementKind::GetField { receiver, .. } => receiver.is_none(),
        _ => false,
    }
}

fn name_of(test: &TestCase, place: usize, statement: &Statement, program: Option<&Program>) -> String {
    match &statement.kind {
        StatementKind::Literal(Literal::Null) => return "null".into(),
        StatementKind::Literal(Literal::Class(class)) => return format!("{}.class", simple_type(class)),
        StatementKind::GetField { field, receiver: None } => return format!("{}.{}", simple_name(&field.owner), field.name),
        _ => {}
    }
    let variable = VarId(place as u32);
    let given = test.statements.iter().find_map(|user| match &user.kind {
        StatementKind::Construct { constructor: method, args } | StatementKind::Call { method, args, .. } => {
            let position = args.iter().position(|argument| *argument == variable)?;
            parameter_name(program?, method, position)
        }
        StatementKind::PutField { field, value, .. } => (*value == variable).then(|| field.name.to_string()),
        _ => None,
    });
    let of_type = || match &statement.ty {
        JavaType::Class(class) if !matches!(statement.kind, StatementKind::Literal(_)) => {
            let name = simple_name(class);
            let name = name.rsplit('.').next().unwrap_or(&name);
            let mut characters = name.chars();
            characters.next().map(|first| first.to_lowercase().chain(characters).collect())
        }
        _ => None,
    };
    given.or_else(of_type).unwrap_or_else(|| variable.to_string())
}

fn parameter_name(program: &Program, method: &MethodRef, position: usize) -> Option<String> {
    let found = program.resolve(method)?;
    found.class.parameter_names(found.method()).get(position)?.clone()
}

/// The simple name of a type, with nested classes as in Java source.
pub(super) fn simple_type(ty: &JavaType) -> String {
    let text = GenericType::of(ty).to_string();
    text.rsplit('.').next().unwrap_or(&text).replace('$', ".")
}

/// The simple name of a class, with those around it.
pub(super) fn simple_name(class: &ClassName) -> String {
    simple_type(&JavaType::Class(class.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_case_is_told_in_java() {
        let test = "v0: I = int 0\nv1: D = double 0.0\nv2: Lp/Shape$Box; = new p/Shape$Box.<init> (I)V (v0)\n\
                    v3: Lp/Shape$Box; = null\nv4: Z = call method p/Shape$Box.fits (Lp/Shape$Box;D)Z on v2 (v3, v1)\n";
        let test: TestCase = test.parse().unwrap_or_else(|error| panic!("{error:?}"));
        let explained = ExplainedTest::new(&test, None);
        assert_eq!(explained.lines(), ["box = new Shape.Box(v0)", "box.fits(null, v1)"]);
        assert_eq!(explained.input(Symbol::value(1)), "v1");
        assert_eq!(explained.input(Symbol::length(2)), "box.length()");
    }

    #[test]
    fn an_example_has_its_values_where_they_are_used() {
        let example = |text: &str| example(&text.parse().expect("well-formed"), None);
        let call = "v0: I = int 2\nv1: Lp/Box; = new p/Box.<init> (I)V (v0)\nv2: Ljava/lang/String; = string \"a\"\n\
                    v3: Z = call method p/Box.fits (Ljava/lang/String;)Z on v1 (v2)\n";
        assert_eq!(example(call), "new Box(2).fits(\"a\")");
        let twice = call.replace("v3: Z", "v3: V = call method p/Box.open ()V on v1 ()\nv4: Z");
        assert_eq!(example(&twice), "box = new Box(2); box.open(); box.fits(\"a\")");
    }
}
