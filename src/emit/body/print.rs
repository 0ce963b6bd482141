//! Prints the Java tree of one test method. In: lines of Java; out: lines of text in which types
//! are marked names (see `names`). Pure: the same tree gives the same text, and nothing is decided
//! here but where long lines break.

use crate::emit::names::{mark, mark_type};
use crate::program::generics::Wildcard;
use crate::program::{ClassName, GenericType};

use super::java::{Expr, Instantiated, JavaStatement, Line, Member, Qualifier, Visibility};

/// Columns of a statement inside the method body. The file indents it by eight more.
const WIDTH: usize = 112;

/// The lines of the method body, without indentation. An empty line stands between the arrangement
/// (two lines at least) and the first assertion.
pub(super) fn print_lines(lines: &[Line]) -> Vec<String> {
    let mut printed: Vec<String> = Vec::new();
    let arranged = lines.iter().take_while(|line| !line.is_assertion).count();
    for (position, line) in lines.iter().enumerate() {
        if position == arranged && arranged >= 2 {
            printed.push(String::new());
        }
        printed.extend(wrap(&format!("{};", statement(&line.statement))).lines().map(String::from));
    }
    printed
}

fn statement(statement: &JavaStatement) -> String {
    match statement {
        JavaStatement::Expression(value) => expression(value),
        JavaStatement::Declaration { ty, name, value } => format!("{} {name} = {}", generic(ty), expression(value)),
        JavaStatement::Assignment { place, value } => format!("{} = {}", expression(place), expression(value)),
    }
}

fn expression(expr: &Expr) -> String {
    match expr {
        Expr::Name(text) | Expr::Literal(text) => text.clone(),
        Expr::ClassLiteral(ty) => format!("{}.class", mark_type(ty)),
        Expr::Parenthesised(inner) => format!("({})", expression(inner)),
        Expr::Cast { to, value } => format!("({}) {}", mark_type(to), expression(value)),
        Expr::New { class, diamond, args, .. } => {
            let diamond = if *diamond { "<>" } else { "" };
            match class {
                Instantiated::Class(class) => format!("new {}{diamond}({})", mark(class), list(args)),
                Instantiated::Inner { outer, simple_name } => {
                    format!("{}.new {simple_name}{diamond}({})", expression(outer), list(args))
                }
            }
        }
        Expr::Call { on, method, args, .. } => format!("{}.{method}({})", qualifier(on), list(args)),
        Expr::Imported { method, args } => format!("{}({})", method.simple_name(), list(args)),
        Expr::Field { on, name } => format!("{}.{name}", qualifier(on)),
        Expr::Element { array, index } => format!("{}[{index}]", expression(array)),
        Expr::ArrayOf { element, cells } => format!("new {}[] {{{}}}", mark_type(element), list(cells)),
        Expr::NewArray { element, length } => {
            // `int[][]` of length 3 is written `new int[3][]`.
            let name = mark_type(element);
            let (base, dimensions) = name.find('[').map_or((&*name, ""), |at| name.split_at(at));
            format!("new {base}[{length}]{dimensions}")
        }
        Expr::Lambda { parameters, body } => {
            let body = body.as_ref().map_or_else(|| "{ }".to_string(), |body| expression(body));
            format!("{} -> {body}", lambda_parameters(*parameters))
        }
        Expr::Anonymous { class, members } => anonymous(class, members),
        Expr::Action(action) => match &**action {
            declaration @ JavaStatement::Declaration { .. } => format!("() -> {{ {}; }}", statement(declaration)),
            other => format!("() -> {}", statement(other)),
        },
        Expr::Marked { value, .. } => expression(value),
    }
}

fn list(expressions: &[Expr]) -> String {
    expressions.iter().map(expression).collect::<Vec<_>>().join(", ")
}

fn qualifier(on: &Qualifier) -> String {
    match on {
        Qualifier::Class(class) => mark(class),
        Qualifier::Object(object) => expression(object),
    }
}

fn lambda_parameters(count: usize) -> String {
    if count == 1 {
        return "x".into();
    }
    let names: Vec<String> =
        (0..count).map(|index| ["x", "y", "z"].get(index).map_or(format!("x{index}"), |name| name.to_string())).collect();
    format!("({})", names.join(", "))
}

/// One member after the other, an empty line between them, indented by four columns.
fn anonymous(class: &ClassName, members: &[Member]) -> String {
    if members.is_empty() {
        return format!("new {}() {{ }}", mark(class));
    }
    let indented = |member: &Member| member_text(member).lines().map(|line| format!("\n    {line}")).collect::<String>();
    let members: Vec<String> = members.iter().map(indented).collect();
    format!("new {}() {{{}\n}}", mark(class), members.join("\n"))
}

fn member_text(member: &Member) -> String {
    let visibility = match member.visibility {
        Visibility::Public => "public ",
        Visibility::Protected => "protected ",
        Visibility::Package => "",
    };
    let parameters: Vec<String> =
        member.parameters.iter().enumerate().map(|(index, ty)| format!("{} x{index}", mark_type(ty))).collect();
    let body =
        member.answer.as_ref().map_or_else(|| "\n".to_string(), |answer| format!("\n    return {};\n", expression(answer)));
    format!(
        "@{}\n{visibility}{} {}({}) {{{body}}}",
        mark(&ClassName::new("java/lang/Override")),
        mark_type(&member.returns),
        member.name,
        parameters.join(", ")
    )
}

/// A type with its type arguments.
fn generic(ty: &GenericType) -> String {
    match ty {
        GenericType::Class { name, arguments, .. } if !arguments.is_empty() => {
            let arguments: Vec<String> = arguments.iter().map(generic).collect();
            format!("{}<{}>", mark(name), arguments.join(", "))
        }
        GenericType::Array(element) => format!("{}[]", generic(element)),
        GenericType::Wildcard(Wildcard::Any) => "?".into(),
        GenericType::Wildcard(Wildcard::Extends(bound)) => format!("? extends {}", generic(bound)),
        GenericType::Wildcard(Wildcard::Super(bound)) => format!("? super {}", generic(bound)),
        other => mark_type(&other.erase(&[])),
    }
}

/// Breaks a line that would be too wide behind `=`, and before the lambda of `assertThrows`.
fn wrap(line: &str) -> String {
    if line.contains('\n') || visible_width(line) <= WIDTH {
        return line.to_string();
    }
    let Some(throws) = line.find("assertThrows(") else { return line.to_string() };
    let broken = match line[..throws].strip_suffix(" = ") {
        Some(declared) => format!("{declared} =\n        {}", &line[throws..]),
        None => line.to_string(),
    };
    let widest = broken.lines().map(visible_width).max().unwrap_or_default();
    if widest <= WIDTH { broken } else { broken.replacen(", () -> ", ",\n                () -> ", 1) }
}

/// Columns of the text once its marked names are simple ones: a marked `java/util/List` takes four.
fn visible_width(text: &str) -> usize {
    text.split('\u{1}')
        .enumerate()
        .map(|(index, part)| match part.split_once('\u{2}') {
            Some((name, rest)) if index > 0 => name.rsplit('/').next().unwrap_or_default().len() + rest.len(),
            _ => part.len(),
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::body::java::{Mark, StaticImport};
    use crate::program::JavaType;

    fn name(text: &str) -> Expr {
        Expr::Name(text.into())
    }

    /// The text with each marked name as it stands in the tree.
    fn plain(expr: &Expr) -> String {
        expression(expr).replace(['\u{1}', '\u{2}'], "")
    }

    #[test]
    fn expressions_print_as_java() {
        let object = || JavaType::class("java/lang/Object");
        let inner = Instantiated::Inner { outer: Box::new(name("list")), simple_name: "Node".into() };
        for (expr, expected) in [
            (name("x").cast(object()), "(java/lang/Object) x"),
            (name("x").marked(Mark::Unchecked), "x"),
            (
                Expr::New { class: inner, diamond: true, args: vec![name("a"), name("b")], exceptions: vec![] },
                "list.new Node<>(a, b)",
            ),
            (Expr::NewArray { element: JavaType::Array(Box::new(JavaType::Int)), length: 3 }, "new int[3][]"),
            (Expr::ArrayOf { element: JavaType::Int, cells: vec![name("a")] }, "new int[] {a}"),
            (Expr::Lambda { parameters: 0, body: None }, "() -> { }"),
            (Expr::Lambda { parameters: 1, body: Some(Box::new(name("x"))) }, "x -> x"),
            (Expr::Lambda { parameters: 4, body: Some(Box::new(name("y"))) }, "(x, y, z, x3) -> y"),
            (
                Expr::Imported {
                    method: StaticImport::Mockito("org.mockito.Mockito.mock"),
                    args: vec![Expr::ClassLiteral(object())],
                },
                "mock(java/lang/Object.class)",
            ),
            (Expr::Element { array: Box::new(name("cells")), index: 2 }, "cells[2]"),
        ] {
            assert_eq!(plain(&expr), expected);
        }
    }

    #[test]
    fn an_anonymous_class_has_one_empty_line_between_its_members() {
        let member = |name: &str, answer| Member {
            visibility: Visibility::Public,
            returns: if Option::is_some(&answer) { JavaType::Int } else { JavaType::Void },
            name: name.into(),
            parameters: vec![JavaType::Long],
            answer,
        };
        let members = vec![member("size", Some(Expr::Literal("0".into()))), member("clear", None)];
        let expected = "new p/C() {\n    @java/lang/Override\n    public int size(long x0) {\n        return 0;\n    }\n\
                        \n    @java/lang/Override\n    public void clear(long x0) {\n    }\n}";
        assert_eq!(plain(&Expr::Anonymous { class: ClassName::new("p/C"), members }), expected);
        assert_eq!(plain(&Expr::Anonymous { class: ClassName::new("p/C"), members: Vec::new() }), "new p/C() { }");
    }

    #[test]
    fn assertions_are_set_apart_from_two_lines_of_arrangement() {
        let line = |text: &str, is_assertion| Line { statement: JavaStatement::Expression(name(text)), is_assertion };
        let lines = [line("a", false), line("b", false), line("c", true), line("d", true)];
        assert_eq!(print_lines(&lines), ["a;", "b;", "", "c;", "d;"]);
        assert_eq!(print_lines(&lines[1..]), ["b;", "c;", "d;"]);
    }

    #[test]
    fn long_lines_break_at_the_declaration_and_at_the_lambda() {
        let class = mark(&ClassName::new("java/util/List"));
        assert_eq!(visible_width(&format!("{class} x")), 6);
        let call = format!("x.{}()", "f".repeat(60));
        let declared = wrap(&format!("{class} exception = assertThrows({class}.class, () -> {call});"));
        assert_eq!(declared.lines().count(), 2, "{declared}");
        let both = wrap(&format!("{class} exception = assertThrows({class}.class, () -> {}{call});", "g.".repeat(10)));
        assert_eq!(both.lines().count(), 3, "{both}");
        let other = "y".repeat(200);
        assert_eq!(wrap(&other), other);
    }
}
