//! The shape of a test: its planned body with a hole in place of each value.
//!
//! Flows in: a planned body. Flows out: the text of the shape, by which tests are compared; the
//! values with their roles; bodies with parameters in place of some values. Must not know which
//! tests are compared, nor how rows of values are written.
//!
//! A value is a literal, a constant of the JDK in place of a literal, or a constant of an enum. The
//! hole has the static type of the value, so that javac resolves calls with a parameter as it does
//! with the value. A literal that relies on being a constant (JLS §5.2), such as a cell of a
//! `byte[]`, has the narrow type. Values inside stubs and lambdas with parameters are parts of the
//! shape, because names there could hide a parameter.
//!
//! `assertTrue(e)` and `assertFalse(e)` have one shape, and so have `assertNull(e)` and
//! `assertEquals("x", e)`. With a parameter they become `assertEquals(expected, e)`.

use std::collections::BTreeSet;

use tracewright_classfile::PrimitiveType;

use crate::conventions::FileLayout;
use crate::emit::names::camel;
use crate::oracle::{is_identifier, is_reserved};
use crate::program::{ClassName, JavaType, Program};
use crate::testcase::Literal;

use super::java::{Expr, Instantiated, JavaLiteral, JavaStatement, Line, Mark, Qualifier, StaticImport};
use super::plan::BodyPlan;
use super::{Body, print};

/// First packages of qualified names.
const PACKAGES: [&str; 3] = ["java", "javax", "org"];

/// The shape of one test with its values.
#[derive(Debug)]
pub(crate) struct Shape {
    lines: Vec<Line>,
    /// Position of the line that calls the method under test.
    action: Option<usize>,
    warnings: BTreeSet<&'static str>,
    /// The printed body with holes. Tests with the same text differ in their values alone.
    text: String,
    /// The values in the order of the holes.
    cells: Vec<Cell>,
}

/// One value of a test.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) value: CellValue,
    /// The type of a parameter in its place.
    pub(crate) ty: JavaType,
    pub(crate) role: CellRole,
    /// The variable that the value is assigned to where it is declared.
    pub(crate) variable: Option<String>,
    /// The value as an expression, with marked type names.
    pub(crate) java: String,
}

/// What is compared between tests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CellValue {
    Literal(Literal),
    /// The constant of this name of the enum that is the type of the cell.
    EnumConstant(String),
}

/// What a value stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CellRole {
    /// It is given to a call, as the parameter of this name if that is known.
    Input(Option<String>),
    /// It is compared with the result of the method of this name.
    Expected(Option<String>),
    /// The permitted difference of two numbers.
    Delta,
    /// The message of an exception.
    Message,
}

/// What takes the place of a value.
enum Replacement {
    /// The value itself.
    Value,
    /// The parameter of this name.
    Parameter(String),
    /// A mark that no Java text has.
    Hole,
}

impl Shape {
    /// The shape of a planned body.
    pub(crate) fn of(program: &Program, plan: &BodyPlan) -> Shape {
        let mut cells = Vec::new();
        let mut take = |cell: Cell| {
            cells.push(cell);
            Replacement::Hole
        };
        let (holes, action) = Walk { program, replace: &mut take, exception: None }.lines(&plan.lines, plan.action);
        let text = print::print_lines(&holes, action, &FileLayout::default()).join("\n");
        Shape { lines: plan.lines.clone(), action: plan.action, warnings: plan.warnings.clone(), text, cells }
    }

    /// The text that tests of one shape share.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The values in the order of the holes.
    pub(crate) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The body with parameters in place of values. `parameters`: the name for each hole, or `None`
    /// where the value stays.
    pub(crate) fn body(&self, program: &Program, layout: &FileLayout, parameters: &[Option<String>]) -> Body {
        let mut names = parameters.iter();
        let mut replace = |_: Cell| match names.next() {
            Some(Some(name)) => Replacement::Parameter(name.clone()),
            _ => Replacement::Value,
        };
        let (lines, action) = Walk { program, replace: &mut replace, exception: None }.lines(&self.lines, self.action);
        Body::of(program, layout, (&lines, action), &self.warnings, None)
    }

    /// Names that a parameter must not have: those of variables, of packages and of classes. The
    /// variables whose declarations are replaced are not among them.
    pub(crate) fn taken_names(&self, replaced: &BTreeSet<&str>) -> BTreeSet<String> {
        let is_part_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let mut taken: BTreeSet<String> = PACKAGES.map(String::from).into();
        let mut rest = self.text.as_str();
        while let Some(start) = rest.find(is_part_of_name) {
            let word = &rest[start..];
            let end = word.find(|c| !is_part_of_name(c)).unwrap_or(word.len());
            let (word, after) = word.split_at(end);
            // Methods and members have names of their own.
            if !rest[..start].ends_with('.') && !after.starts_with('(') && !replaced.contains(word) {
                taken.extend(word.split('$').map(String::from));
            }
            rest = after;
        }
        taken
    }
}

/// Copies a tree and replaces its values, always in the same order.
struct Walk<'w> {
    program: &'w Program,
    replace: &'w mut dyn FnMut(Cell) -> Replacement,
    /// The variable of the expected exception.
    exception: Option<String>,
}

impl Walk<'_> {
    /// The lines, without declarations of parameters. `action`: position of one line, which is
    /// given back as it is then.
    fn lines(&mut self, lines: &[Line], action: Option<usize>) -> (Vec<Line>, Option<usize>) {
        let (mut copied, mut moved) = (Vec::new(), None);
        for (position, line) in lines.iter().enumerate() {
            if Some(position) == action {
                moved = Some(copied.len());
            }
            let statement = self.statement(&line.statement);
            copied.extend(statement.map(|statement| Line { statement, is_assertion: line.is_assertion }));
        }
        (copied, moved)
    }

    /// The statement; `None` for a declaration whose variable is a parameter now.
    fn statement(&mut self, statement: &JavaStatement) -> Option<JavaStatement> {
        Some(match statement {
            JavaStatement::Expression(value) => JavaStatement::Expression(self.expression(value, input())),
            JavaStatement::Declaration { ty, name, value } => {
                if matches!(value.unmarked(), Expr::Imported { method: StaticImport::Assertion("assertThrows"), .. }) {
                    self.exception = Some(name.clone());
                }
                let value = match self.constant(value.unmarked()) {
                    Some((constant, of_value)) => {
                        let variable = Some(name).filter(|_| ty.erase(&[]) == of_value);
                        let replaced = self.replaced(constant, of_value, input(), variable, value);
                        if matches!(&replaced, Expr::Name(parameter) if parameter == name) {
                            return None;
                        }
                        replaced
                    }
                    None => self.expression(&with_telling_argument(value, name), input()),
                };
                JavaStatement::Declaration { ty: ty.clone(), name: name.clone(), value }
            }
            JavaStatement::Assignment { place, value } => {
                JavaStatement::Assignment { place: self.expression(place, input()), value: self.expression(value, input()) }
            }
        })
    }

    fn expression(&mut self, expr: &Expr, role: CellRole) -> Expr {
        if let Some((value, ty)) = self.constant(expr) {
            return self.replaced(value, ty, role, None, expr);
        }
        match expr {
            Expr::Parenthesised(value) => Expr::Parenthesised(Box::new(self.expression(value, role))),
            Expr::Cast { to, value } => Expr::Cast { to: to.clone(), value: Box::new(self.expression(value, role)) },
            Expr::Marked { mark: Mark::Argument(name), value } => self.expression(value, CellRole::Input(Some(name.clone()))),
            Expr::Marked { mark, value } => Expr::Marked { mark: mark.clone(), value: Box::new(self.expression(value, role)) },
            Expr::New { class, diamond, args, exceptions } => Expr::New {
                class: match class {
                    Instantiated::Inner { outer, simple_name } => {
                        let outer = Box::new(self.expression(outer, input()));
                        Instantiated::Inner { outer, simple_name: simple_name.clone() }
                    }
                    class => class.clone(),
                },
                diamond: *diamond,
                // The parts of an expected object are expected too.
                args: args.iter().map(|arg| self.expression(arg, part_of(&role))).collect(),
                exceptions: exceptions.clone(),
            },
            Expr::Call { on: on @ Qualifier::Class(_), method, args, exceptions } if expr.is_plain_value() => Expr::Call {
                on: on.clone(),
                method: method.clone(),
                // A boxed value stands for what the box stands for.
                args: args.iter().map(|arg| self.expression(arg, role.clone())).collect(),
                exceptions: exceptions.clone(),
            },
            Expr::Call { on, method, args, exceptions } => {
                let role = answered_property(on, method).map_or_else(|| part_of(&role), |name| CellRole::Input(Some(name)));
                let on = self.qualifier(on);
                let args = args.iter().map(|arg| self.expression(arg, role.clone())).collect();
                Expr::Call { on, method: method.clone(), args, exceptions: exceptions.clone() }
            }
            Expr::Imported { method: StaticImport::Assertion(method), args } => self.assertion(method, args),
            Expr::Imported { method, args } => Expr::Imported { method: *method, args: self.expressions(args) },
            Expr::Field { on, name } => Expr::Field { on: self.qualifier(on), name: name.clone() },
            Expr::Element { array, index } => Expr::Element { array: Box::new(self.expression(array, input())), index: *index },
            Expr::ArrayOf { element, cells } => {
                let cells = cells.iter().map(|cell| self.expression(cell, part_of(&role))).collect();
                Expr::ArrayOf { element: element.clone(), cells }
            }
            Expr::Action(action) => Expr::Action(Box::new(self.statement(action).unwrap_or_else(|| (**action).clone()))),
            other => other.clone(),
        }
    }

    fn expressions(&mut self, expressions: &[Expr]) -> Vec<Expr> {
        expressions.iter().map(|expr| self.expression(expr, input())).collect()
    }

    fn qualifier(&mut self, on: &Qualifier) -> Qualifier {
        match on {
            Qualifier::Class(_) => on.clone(),
            Qualifier::Object(object) => Qualifier::Object(Box::new(self.expression(object, input()))),
        }
    }

    /// An assertion. Those that have the expected value in their name get an argument for it.
    fn assertion(&mut self, method: &'static str, args: &[Expr]) -> Expr {
        let imported = |method, args| Expr::Imported { method: StaticImport::Assertion(method), args };
        match (method, args) {
            ("assertTrue" | "assertFalse", [actual]) => {
                let value = method == "assertTrue";
                let written = Expr::literal(value.to_string(), Literal::Boolean(value));
                let role = CellRole::Expected(property(actual));
                let constant = CellValue::Literal(Literal::Boolean(value));
                let expected = self.replaced(constant, JavaType::BOOLEAN, role, None, &written);
                let actual = self.expression(actual, input());
                match expected == written {
                    true => imported(method, vec![actual]),
                    false => imported("assertEquals", vec![expected, actual]),
                }
            }
            ("assertNull", [actual]) => {
                let written = Expr::null(Some(&string()));
                let role = CellRole::Expected(property(actual));
                let expected = self.replaced(CellValue::Literal(Literal::Null), string(), role, None, &written);
                let actual = self.expression(actual, input());
                match expected == written {
                    true => imported(method, vec![actual]),
                    false => imported("assertEquals", vec![expected, actual]),
                }
            }
            ("assertEquals" | "assertArrayEquals", [expected, actual, rest @ ..]) => {
                let role = if self.is_message(actual) { CellRole::Message } else { CellRole::Expected(property(actual)) };
                let mut written = vec![self.expression(expected, role), self.expression(actual, input())];
                written.extend(rest.iter().map(|delta| self.expression(delta, CellRole::Delta)));
                imported(method, written)
            }
            _ => imported(method, self.expressions(args)),
        }
    }

    /// Whether it is the message of the expected exception.
    fn is_message(&self, actual: &Expr) -> bool {
        match actual {
            Expr::Call { on: Qualifier::Object(on), method, .. } => {
                method == "getMessage" && matches!(&**on, Expr::Name(name) if Some(name) == self.exception.as_ref())
            }
            _ => false,
        }
    }

    fn replaced(&mut self, value: CellValue, ty: JavaType, role: CellRole, variable: Option<&String>, written: &Expr) -> Expr {
        let java = argument_text(written, &ty);
        match (self.replace)(Cell { value, ty: ty.clone(), role, variable: variable.cloned(), java }) {
            Replacement::Value => written.clone(),
            Replacement::Parameter(name) => Expr::Name(name),
            Replacement::Hole => Expr::Name(format!("#{ty}")),
        }
    }

    /// The value of an expression that is one, with its static type.
    fn constant(&self, expr: &Expr) -> Option<(CellValue, JavaType)> {
        let literal = |value: &Literal, ty: JavaType| Some((CellValue::Literal(value.clone()), ty));
        match expr {
            Expr::Literal(JavaLiteral { value, type_of_null, .. }) => match value {
                Literal::Class(_) => None,
                Literal::Null => literal(value, string()).filter(|_| *type_of_null == Some(string())),
                Literal::Str(_) => literal(value, string()),
                number => literal(value, JavaType::Primitive(number.primitive()?)),
            },
            Expr::Parenthesised(value) => self.constant(value),
            Expr::Cast { to, value } => match value.unmarked() {
                Expr::Literal(JavaLiteral { value, .. }) => match (value, to.erase(&[])) {
                    (Literal::Byte(_), JavaType::Primitive(PrimitiveType::Byte)) => literal(value, JavaType::BYTE),
                    (Literal::Short(_), JavaType::Primitive(PrimitiveType::Short)) => literal(value, JavaType::SHORT),
                    (Literal::Null, ty) if ty == string() => literal(value, ty),
                    _ => None,
                },
                _ => None,
            },
            Expr::Field { on: Qualifier::Class(class), name } if self.is_enum_constant(class, name) => {
                Some((CellValue::EnumConstant(name.clone()), JavaType::Class(class.clone())))
            }
            _ => None,
        }
    }

    fn is_enum_constant(&self, class: &ClassName, name: &str) -> bool {
        let Some(model) = self.program.class(class).filter(|model| model.is_enum()) else { return false };
        model.fields.iter().any(|field| *field.reference.name == *name && field.ty == JavaType::Class(class.clone()))
    }
}

fn input() -> CellRole {
    CellRole::Input(None)
}

/// The property that the answers of a mock are values of: `header` for `when(request.getHeader(..)).thenReturn`.
fn answered_property(on: &Qualifier, method: &str) -> Option<String> {
    let Qualifier::Object(stubbing) = on else { return None };
    let Expr::Imported { method: StaticImport::Mockito(_), args } = stubbing.unmarked() else { return None };
    let stubbed = args.first().filter(|_| method == "thenReturn").and_then(property)?;
    let rest = ["get", "is", "find"].iter().find_map(|prefix| stubbed.strip_prefix(prefix)).unwrap_or(&stubbed);
    let name = camel(rest.split("By").next().unwrap_or(rest));
    (is_identifier(&name) && !is_reserved(&name)).then_some(name)
}

/// The role of a value inside an expression of this role.
fn part_of(role: &CellRole) -> CellRole {
    if let CellRole::Expected(_) = role { role.clone() } else { input() }
}

/// The value of a variable, where the name of its only argument is a letter: the text of a reader `input` is
/// `inputText`, not `s`.
fn with_telling_argument(value: &Expr, variable: &str) -> Expr {
    let mut named = value.clone();
    if let Expr::New { args, .. } = &mut named
        && let [Expr::Marked { mark: Mark::Argument(argument), value }] = args.as_mut_slice()
        && argument.len() == 1
        && matches!(value.unmarked(), Expr::Literal(JavaLiteral { value: Literal::Str(_), .. }))
    {
        *argument = format!("{variable}Text");
    }
    named
}

fn string() -> JavaType {
    JavaType::class("java/lang/String")
}

/// The value as an argument for a parameter of the type.
fn argument_text(written: &Expr, ty: &JavaType) -> String {
    match written {
        Expr::Parenthesised(value) => argument_text(value, ty),
        Expr::Cast { value, .. } if value.is_null() => "null".into(),
        Expr::Literal(literal) if matches!(ty, JavaType::Primitive(PrimitiveType::Byte | PrimitiveType::Short)) => {
            print::expression(&Expr::Literal(literal.clone()).cast(ty.clone()))
        }
        other => print::expression(other),
    }
}

/// The method whose result is compared.
fn property(actual: &Expr) -> Option<String> {
    match actual.unmarked() {
        Expr::Parenthesised(value) | Expr::Cast { value, .. } => property(value),
        Expr::Call { method, .. } => Some(method.clone()),
        _ => None,
    }
}
