//! Prints the Java tree of one test method. In: lines of Java; out: lines of text in which types
//! are marked names (see `names`). Pure: the same tree gives the same text, and nothing is decided
//! here but where long lines break.

use crate::conventions::FileLayout;
use crate::emit::names::{mark, mark_type, visible_width};
use crate::emit::proxies::HELPER;
use crate::program::generics::{TypeParameter, Wildcard};
use crate::program::{ClassName, GenericType};

use super::java::{Ending, Expr, Instantiated, JavaStatement, Line, Member, ProxyAnswer, Qualifier, StaticImport, Visibility};
use super::named_constants::named_constant;

/// Levels of indentation of a statement inside the method body.
const BODY_LEVELS: usize = 2;

/// Blanks of one level in a rendered file.
const LEVEL: usize = 4;

/// Columns of a request on one line.
const REQUEST_WIDTH: usize = 84;

/// A call of the helper method for stubs.
const HELPER_CALL: &str = "stub(";

/// The lines of the method body, without indentation, at most as wide as the layout wants. Empty
/// lines set apart what is given, the call under test and what is asserted, each where two lines or
/// more stand in front. `action`: position of the call under test, unless it stands inside an
/// assertion.
pub(super) fn print_lines(lines: &[Line], action: Option<usize>, layout: &FileLayout) -> Vec<String> {
    let mut printed: Vec<String> = Vec::new();
    let asserts = |position: &usize| lines[*position].is_assertion;
    let first_assertion = (action.unwrap_or(0)..lines.len()).find(asserts);
    for (position, line) in lines.iter().enumerate() {
        if position >= 2 && (Some(position) == action || Some(position) == first_assertion) {
            printed.push(String::new());
        }
        let text = expectations(&line.statement).or_else(|| wide_chain(&line.statement, layout));
        let text = text.unwrap_or_else(|| statement(&line.statement));
        printed.extend(wrap(&format!("{text};"), layout).lines().map(String::from));
    }
    printed
}

/// A request with its parameters and body, each on a line of its own where one line is too short.
fn request_chain(request: &Expr) -> String {
    let mut parts = Vec::new();
    let mut rest = request;
    while let Expr::Call { on: Qualifier::Object(on), method, args, .. } = rest {
        parts.push(format!(".{method}({})", list(args)));
        rest = on;
    }
    if !matches!(rest, Expr::Imported { method: StaticImport::Spring(_), .. }) {
        // Another `perform`.
        return expression(request);
    }
    parts.push(expression(rest));
    parts.reverse();
    let line = parts.concat();
    if visible_width(&line) <= REQUEST_WIDTH { line } else { parts.join("\n                ") }
}

/// A chain of `andExpect` calls, each on a line of its own; `None` for other statements.
fn expectations(statement: &JavaStatement) -> Option<String> {
    let JavaStatement::Expression(Expr::Call { on: Qualifier::Object(on), method, args, .. }) = statement else { return None };
    if method != "andExpect" {
        return None;
    }
    let before = JavaStatement::Expression((**on).clone());
    let before = expectations(&before).unwrap_or_else(|| expression(on));
    Some(format!("{before}\n        .andExpect({})", list(args)))
}

/// A chain of AssertJ that is too wide for one line, each of its calls on a line of its own; `None` for
/// other statements.
fn wide_chain(statement: &JavaStatement, layout: &FileLayout) -> Option<String> {
    let JavaStatement::Expression(chain) = statement else { return None };
    let mut parts = Vec::new();
    let mut rest = chain;
    while let Expr::Call { on: Qualifier::Object(on), method, args, .. } = rest {
        parts.push(format!(".{method}({})", list(args)));
        rest = on;
    }
    let Expr::Imported { method: StaticImport::AssertJ(_), .. } = rest else { return None };
    let width = layout.width().saturating_sub(BODY_LEVELS * layout.indent.columns());
    parts.push(expression(rest));
    parts.reverse();
    (visible_width(&parts.concat()) > width).then(|| parts.join("\n        "))
}

fn statement(statement: &JavaStatement) -> String {
    match statement {
        JavaStatement::Expression(value) => expression(value),
        JavaStatement::Declaration { ty, name, value } => format!("{} {name} = {}", generic(ty), expression(value)),
        JavaStatement::Assignment { place, value } => format!("{} = {}", expression(place), expression(value)),
    }
}

pub(super) fn expression(expr: &Expr) -> String {
    if let Some((class, name)) = named_constant(expr) {
        return format!("{}.{name}", mark(class));
    }
    match expr {
        Expr::Name(text) => text.clone(),
        Expr::Literal(literal) => literal.text.clone(),
        Expr::ClassLiteral(ty) => format!("{}.class", mark_type(ty)),
        Expr::Parenthesised(inner) => format!("({})", expression(inner)),
        Expr::Cast { to, value } => format!("({}) {}", generic(to), expression(value)),
        Expr::New { class, diamond, args, .. } => {
            let diamond = if *diamond { "<>" } else { "" };
            match class {
                Instantiated::Class(class) => format!("new {}{diamond}({})", mark(class), list(args)),
                Instantiated::Inner { outer, simple_name } => {
                    format!("{}.new {simple_name}{diamond}({})", expression(outer), list(args))
                }
            }
        }
        Expr::Call { on, method, args, .. } => match &args[..] {
            [request] if method == "perform" => format!("{}.perform({})", qualifier(on), request_chain(request)),
            _ => format!("{}.{method}({})", qualifier(on), list(args)),
        },
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
        Expr::Lambda { parameters, ending } => {
            let body = match &**ending {
                Ending::Nothing => "{ }".to_string(),
                Ending::Returns(value) => expression(value),
                throws @ Ending::Throws(_) => format!("{{ {} }}", ending_text(throws)),
            };
            format!("{} -> {body}", lambda_parameters(parameters))
        }
        Expr::Anonymous { ty, members, .. } => anonymous(ty, members),
        Expr::Proxy { class, parameters, answers, .. } => {
            format!("{HELPER}({}.class, {})", mark(class), handler(parameters, answers))
        }
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

fn lambda_parameters(names: &[String]) -> String {
    match names {
        [name] => name.clone(),
        names => format!("({})", names.join(", ")),
    }
}

/// One member after the other, an empty line between them, indented by four columns.
fn anonymous(ty: &GenericType, members: &[Member]) -> String {
    if members.is_empty() {
        return format!("new {}() {{ }}", generic(ty));
    }
    let indented = |member: &Member| member_text(member).lines().map(|line| format!("\n    {line}")).collect::<String>();
    let members: Vec<String> = members.iter().map(indented).collect();
    format!("new {}() {{{}\n}}", generic(ty), members.join("\n"))
}

fn member_text(member: &Member) -> String {
    let visibility = match member.visibility {
        Visibility::Public => "public ",
        Visibility::Protected => "protected ",
        Visibility::Package => "",
    };
    let last = member.parameters.len().saturating_sub(1);
    let parameter = |(index, (ty, name)): (usize, &(GenericType, String))| match ty {
        GenericType::Array(element) if member.is_varargs && index == last => format!("{}... {name}", generic(element)),
        ty => format!("{} {name}", generic(ty)),
    };
    let parameters: Vec<String> = member.parameters.iter().enumerate().map(parameter).collect();
    let throws = match &member.throws[..] {
        [] => String::new(),
        thrown => format!(" throws {}", thrown.iter().map(mark).collect::<Vec<_>>().join(", ")),
    };
    let body = match &member.ending {
        Ending::Nothing => "\n".to_string(),
        ending => format!("\n    {}\n", ending_text(ending)),
    };
    format!(
        "@{}\n{visibility}{}{} {}({}){throws} {{{body}}}",
        mark(&ClassName::new("java/lang/Override")),
        type_parameters(&member.type_parameters),
        generic(&member.returns),
        member.name,
        parameters.join(", ")
    )
}

/// `<S extends A & B> ` with a space behind it, or nothing.
fn type_parameters(parameters: &[TypeParameter]) -> String {
    let written = |parameter: &TypeParameter| {
        let bounds: Vec<String> = parameter.bounds.iter().filter(|bound| **bound != GenericType::object()).map(generic).collect();
        let extends = if bounds.is_empty() { "" } else { " extends " };
        format!("{}{extends}{}", parameter.name, bounds.join(" & "))
    };
    let written: Vec<String> = parameters.iter().map(written).collect();
    if written.is_empty() { String::new() } else { format!("<{}> ", written.join(", ")) }
}

/// The statement that ends a method.
fn ending_text(ending: &Ending) -> String {
    match ending {
        Ending::Nothing => "return null;".into(),
        Ending::Returns(value) => format!("return {};", expression(value)),
        Ending::Throws(exception) => format!("throw {};", expression(exception)),
    }
}

/// The lambda that answers the calls of a proxy by the names of their methods.
fn handler(parameters: &[String; 3], answers: &[ProxyAnswer]) -> String {
    let (lambda, method) = (format!("({}) ->", parameters.join(", ")), &parameters[1]);
    let has_overloads = answers.iter().any(|answer| answer.count.is_some() || answer.parameter.is_some());
    match answers {
        [] => format!("{lambda} null"),
        [ProxyAnswer { ending: Ending::Returns(value), .. }] => {
            format!("{lambda} {} ? {} : null", condition(method, &answers[0]), expression(value))
        }
        _ if has_overloads => {
            let answered = |answer: &ProxyAnswer| {
                format!("    if ({}) {{\n        {}\n    }}\n", condition(method, answer), ending_text(&answer.ending))
            };
            let answered: String = answers.iter().map(answered).collect();
            format!("{lambda} {{\n{answered}    return null;\n}}")
        }
        _ => {
            let case = |answer: &ProxyAnswer| format!("        case \"{}\": {}\n", answer.method, ending_text(&answer.ending));
            let cases: String = answers.iter().map(case).collect();
            format!("{lambda} {{\n    switch ({method}.getName()) {{\n{cases}        default: return null;\n    }}\n}}")
        }
    }
}

/// Whether the called method is the answered one.
fn condition(method: &str, answer: &ProxyAnswer) -> String {
    let mut condition = format!("{method}.getName().equals(\"{}\")", answer.method);
    if let Some(count) = answer.count {
        condition.push_str(&format!(" && {method}.getParameterCount() == {count}"));
    }
    if let Some((position, ty)) = &answer.parameter {
        condition.push_str(&format!(" && {method}.getParameterTypes()[{position}] == {}.class", mark_type(ty)));
    }
    condition
}

/// A type with its type arguments, in marked names.
pub(crate) fn generic(ty: &GenericType) -> String {
    match ty {
        GenericType::Class { name, arguments, outer } => {
            let name = match outer {
                // An inner class of a parameterised class (JLS §4.5).
                Some(outer) => format!("{}.{}", generic(outer), inner_name(name, outer)),
                None => mark(name),
            };
            let arguments: Vec<String> = arguments.iter().map(generic).collect();
            if arguments.is_empty() { name } else { format!("{name}<{}>", arguments.join(", ")) }
        }
        GenericType::Array(element) => format!("{}[]", generic(element)),
        GenericType::Variable(name) => name.to_string(),
        GenericType::Wildcard(Wildcard::Any) => "?".into(),
        GenericType::Wildcard(Wildcard::Extends(bound)) => format!("? extends {}", generic(bound)),
        GenericType::Wildcard(Wildcard::Super(bound)) => format!("? super {}", generic(bound)),
        other => mark_type(&other.erase(&[])),
    }
}

/// The simple name of a member class of the type.
fn inner_name<'b>(name: &'b ClassName, outer: &GenericType) -> &'b str {
    let outer = outer.class_name().map_or("", ClassName::internal);
    name.internal().strip_prefix(outer).map_or_else(|| name.local_name(), |inner| inner.trim_start_matches('$'))
}

/// Breaks a line that would be too wide behind `=`, else before the lambda of `assertThrows` or of a
/// stub, at both only where one break is not enough.
fn wrap(line: &str, layout: &FileLayout) -> String {
    let level = layout.indent.columns();
    let width = layout.width().saturating_sub(BODY_LEVELS * level);
    let width_of = |line: &str| {
        let text = line.trim_start_matches(' ');
        (line.len() - text.len()) / LEVEL * level + visible_width(text)
    };
    if line.contains('\n') || width_of(line) <= width {
        return line.to_string();
    }
    let found = [("assertThrows(", ", () -> "), (HELPER_CALL, ".class, (")]
        .into_iter()
        .find_map(|(call, lambda)| line.find(call).map(|at| (at, lambda)));
    let Some((call, lambda)) = found else { return line.to_string() };
    let widest = |text: &str| text.lines().map(width_of).max().unwrap_or_default();
    // Each break goes two levels deeper than the line before it.
    let at_lambda = |text: &str, depth: usize| {
        let (before, after) = lambda.split_once(' ').unwrap_or((lambda, ""));
        text.replacen(lambda, &format!("{before}\n{}{after}", " ".repeat(depth)), 1)
    };
    let once = at_lambda(line, 8);
    let Some(declared) = line[..call].strip_suffix(" = ") else { return once };
    let broken = format!("{declared} =\n        {}", &line[call..]);
    match once.lines().next() {
        _ if widest(&broken) <= width => broken,
        Some(first) if width_of(first) <= width => once,
        _ => at_lambda(&broken, 16),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::emit::body::java::{Mark, lambda_names};
    use crate::program::JavaType;
    use crate::testcase::Literal;

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
        let lambda = |count, ending| Expr::Lambda { parameters: lambda_names(count), ending: Box::new(ending) };
        let inner = Instantiated::Inner { outer: Box::new(name("list")), simple_name: "Node".into() };
        for (expr, expected) in [
            (name("x").cast(object()), "(java/lang/Object) x"),
            (name("x").marked(Mark::Unchecked), "x"),
            (
                Expr::New { class: inner, diamond: true, args: vec![name("a"), name("b")], exceptions: vec![] },
                "list.new Node<>(a, b)",
            ),
            (Expr::NewArray { element: JavaType::Array(Box::new(JavaType::INT)), length: 3 }, "new int[3][]"),
            (Expr::ArrayOf { element: JavaType::INT, cells: vec![name("a")] }, "new int[] {a}"),
            (lambda(0, Ending::Nothing), "() -> { }"),
            (lambda(1, Ending::Returns(name("x"))), "x -> x"),
            (lambda(4, Ending::Throws(name("y"))), "(x, y, z, x3) -> { throw y; }"),
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

    fn member(name: &str, ending: Ending) -> Member {
        let returns = if ending == Ending::Nothing { JavaType::Void } else { JavaType::INT };
        Member {
            visibility: Visibility::Public,
            type_parameters: Vec::new(),
            returns: GenericType::of(&returns),
            name: name.into(),
            parameters: vec![(GenericType::Primitive(JavaType::LONG), "number".into())],
            is_varargs: false,
            throws: Vec::new(),
            ending,
        }
    }

    fn implementation(members: Vec<Member>) -> Expr {
        Expr::Anonymous { ty: GenericType::class(ClassName::new("p/C")), members, shadowed: BTreeSet::new() }
    }

    fn zero() -> Ending {
        Ending::Returns(Expr::int(0))
    }

    #[test]
    fn an_anonymous_class_has_one_empty_line_between_its_members() {
        let members = vec![member("size", zero()), member("clear", Ending::Nothing)];
        let expected = "new p/C() {\n    @java/lang/Override\n    public int size(long number) {\n        return 0;\n    }\n\
                        \n    @java/lang/Override\n    public void clear(long number) {\n    }\n}";
        assert_eq!(plain(&implementation(members)), expected);
        assert_eq!(plain(&implementation(Vec::new())), "new p/C() { }");
    }

    #[test]
    fn members_have_type_parameters_and_exceptions() {
        let inner = GenericType::parse("Lp/Box<TS;>.Lid;").expect("a signature");
        assert_eq!(generic(&inner).replace(['\u{1}', '\u{2}'], ""), "p/Box<S>.Lid");
        let numbers = GenericType::parse("[Lp/Box<+TS;>;").expect("a signature");
        let bound = GenericType::class(ClassName::new("p/C"));
        let generic_member = Member {
            type_parameters: vec![TypeParameter { name: "S".into(), bounds: vec![GenericType::object(), bound] }],
            returns: GenericType::Variable("S".into()),
            parameters: vec![(numbers, "boxes".into())],
            is_varargs: true,
            throws: vec![ClassName::new("p/Thrown")],
            ..member("all", Ending::Throws(name("thrown")))
        };
        let text = plain(&implementation(vec![generic_member]));
        assert!(text.contains("public <S extends p/C> S all(p/Box<? extends S>... boxes) throws p/Thrown {"), "{text}");
        assert!(text.contains("        throw thrown;\n"), "{text}");
    }

    #[test]
    fn a_proxy_answers_by_name_and_tells_overloads_apart() {
        let answer = |method: &str, count| ProxyAnswer { method: method.into(), count, parameter: None, ending: zero() };
        let proxy = |answers| {
            let parameters = ["proxy", "method", "args"].map(String::from);
            plain(&Expr::Proxy { class: ClassName::new("p/C"), parameters, answers, has_defaults: false })
        };
        assert_eq!(proxy(Vec::new()), "stub(p/C.class, (proxy, method, args) -> null)");
        let one = proxy(vec![answer("size", Some(1))]);
        assert!(one.ends_with("-> method.getName().equals(\"size\") && method.getParameterCount() == 1 ? 0 : null)"), "{one}");
        let two = proxy(vec![answer("size", None), answer("count", None)]);
        assert!(two.contains("        case \"count\": return 0;\n        default: return null;\n"), "{two}");
        let overloaded = proxy(vec![answer("size", None), answer("size", Some(2))]);
        assert!(overloaded.contains("getParameterCount() == 2) {\n        return 0;\n    }\n    return null;"), "{overloaded}");
    }

    #[test]
    fn assertions_are_set_apart_from_two_lines_of_arrangement() {
        let line = |text: &str, is_assertion| Line { statement: JavaStatement::Expression(name(text)), is_assertion };
        let lines = [line("a", false), line("b", false), line("c", true), line("d", true)];
        assert_eq!(print_lines(&lines, None, &FileLayout::default()), ["a;", "b;", "", "c;", "d;"]);
        assert_eq!(print_lines(&lines[1..], None, &FileLayout::default()), ["b;", "c;", "d;"]);
    }

    #[test]
    fn the_call_under_test_is_set_apart_from_two_lines_before_it() {
        let line = |text: &str, is_assertion| Line { statement: JavaStatement::Expression(name(text)), is_assertion };
        let lines = [line("a", false), line("b", true), line("c", false), line("d", true)];
        assert_eq!(print_lines(&lines, Some(2), &FileLayout::default()), ["a;", "b;", "", "c;", "", "d;"]);
        assert_eq!(print_lines(&lines[1..], Some(1), &FileLayout::default()), ["b;", "c;", "", "d;"]);
    }

    #[test]
    fn wide_requests_and_expectations_take_several_lines() {
        let call = |on: Expr, method: &str, args: Vec<Expr>| Expr::Call {
            on: on.into_qualifier(),
            method: method.into(),
            args,
            exceptions: Vec::new(),
        };
        let literal = |text: String| Expr::literal(format!("\"{text}\""), Literal::Str(Vec::new()));
        let get = || Expr::Imported { method: StaticImport::Spring("m.get"), args: vec![literal("/a".into())] };
        let sent = |values: usize| {
            let request =
                (0..values).fold(get(), |on, _| call(on, "param", vec![literal("b".repeat(20)), literal("c".repeat(20))]));
            let performed = call(name("mockMvc"), "perform", vec![request]);
            JavaStatement::Expression(call(performed, "andExpect", vec![name("x")]))
        };
        let short = format!("mockMvc.perform(get(\"/a\").param(\"{}\", \"{}\"))", "b".repeat(20), "c".repeat(20));
        assert_eq!(expectations(&sent(1)), Some(format!("{short}\n        .andExpect(x)")));
        let lines = expectations(&sent(2)).expect("a chain");
        let starts: Vec<&str> = lines.lines().map(|line| line.split('(').next().unwrap_or_default()).collect();
        let param = "                .param";
        assert_eq!(starts, ["mockMvc.perform", param, param, "        .andExpect"]);
    }

    #[test]
    fn long_lines_break_at_the_declaration_and_at_the_lambda() {
        let class = mark(&ClassName::new("java/util/List"));
        let wrap = |line: &str| wrap(line, &FileLayout::default());
        assert_eq!(visible_width(&format!("{class} x")), 6);
        let call = format!("x.{}()", "f".repeat(60));
        let declared = wrap(&format!("{class} exception = assertThrows({class}.class, () -> {call});"));
        assert_eq!(declared.lines().count(), 2, "{declared}");
        let wider = wrap(&format!("{class} exception = assertThrows({class}.class, () -> {}{call});", "g.".repeat(10)));
        assert!(wider.lines().count() == 2 && wider.contains("assertThrows("), "{wider}");
        let both = wrap(&format!("{class} {} = assertThrows({class}.class, () -> {}{call});", "e".repeat(90), "g.".repeat(10)));
        assert_eq!(both.lines().count(), 3, "{both}");
        let stub = wrap(&format!("{class} x = stub({class}.class, (proxy, method, args) -> {});", "f".repeat(90)));
        assert!(stub.contains(" = stub(") && stub.contains(".class,\n        (proxy, "), "{stub}");
        let alone = wrap(&format!("assertThrows({class}.class, () -> x.{}());", "f".repeat(90)));
        assert!(alone.contains(".class,\n        () -> x."), "{alone}");
        let other = "y".repeat(200);
        assert_eq!(wrap(&other), other);
    }
}
