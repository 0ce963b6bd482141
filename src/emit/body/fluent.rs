//! Assertions of AssertJ in place of those of JUnit. In: planned lines, with marks where the plan allows
//! it; out: the same lines with chains (`assertThat(actual).isEqualTo(expected)`). Must not know types:
//! the plan has checked them.
//!
//! Plans, and the shapes of tables, are made of JUnit's assertions in every style, so that tests are
//! compared in one way.

use super::java::{Expr, JavaStatement, Line, Mark, Qualifier, StaticImport};

const ASSERT_THAT: StaticImport = StaticImport::AssertJ("org.assertj.core.api.Assertions.assertThat");
const ASSERT_THAT_THROWN_BY: StaticImport = StaticImport::AssertJ("org.assertj.core.api.Assertions.assertThatThrownBy");
const ASSERT_THAT_CODE: StaticImport = StaticImport::AssertJ("org.assertj.core.api.Assertions.assertThatCode");
const WITHIN: StaticImport = StaticImport::AssertJ("org.assertj.core.api.Assertions.within");

/// The lines with chains in place of marked assertions. `action`: position of one line, which is given
/// back as it is then.
pub(super) fn chained(lines: &[Line], action: Option<usize>) -> (Vec<Line>, Option<usize>) {
    let (mut written, mut moved) = (Vec::new(), None);
    let mut rest = lines.iter().enumerate();
    while let Some((position, line)) = rest.next() {
        if action == Some(position) {
            moved = Some(written.len());
        }
        let message = lines.get(position + 1).and_then(|next| message_of(&line.statement, &next.statement));
        let chain = match (&line.statement, message) {
            (JavaStatement::Declaration { value, .. }, Some(message)) => {
                let thrown = fluent(value).and_then(|(_, args)| thrown_by(args));
                let chain = thrown.map(|thrown| call(thrown, "hasMessage", vec![message.clone()]));
                if chain.is_some() {
                    rest.next();
                }
                chain
            }
            (JavaStatement::Expression(value), _) => fluent(value).and_then(|(method, args)| chain(method, args)),
            _ => None,
        };
        written.push(match chain {
            Some(chain) => Line { statement: JavaStatement::Expression(chain), is_assertion: true },
            None => line.clone(),
        });
    }
    (written, moved)
}

/// The assertion of JUnit inside the mark.
fn fluent(value: &Expr) -> Option<(&'static str, &[Expr])> {
    let Expr::Marked { mark: Mark::Fluent, value } = value else { return None };
    match value.unmarked() {
        Expr::Imported { method: StaticImport::Assertion(method), args } => Some((method, args)),
        _ => None,
    }
}

/// The message that `next` expects of the exception which `declaration` declares.
fn message_of<'s>(declaration: &JavaStatement, next: &'s JavaStatement) -> Option<&'s Expr> {
    let (JavaStatement::Declaration { name, .. }, JavaStatement::Expression(next)) = (declaration, next) else { return None };
    let Expr::Imported { method: StaticImport::Assertion("assertEquals"), args } = next.unmarked() else { return None };
    match &args[..] {
        [message, Expr::Call { on: Qualifier::Object(on), method, .. }] if method == "getMessage" => {
            matches!(&**on, Expr::Name(used) if used == name).then_some(message)
        }
        _ => None,
    }
}

/// The chain for an assertion of JUnit; `None` for one without a chain.
fn chain(method: &str, args: &[Expr]) -> Option<Expr> {
    let that = |actual: &Expr| Expr::Imported { method: ASSERT_THAT, args: vec![actual.clone()] };
    Some(match (method, args) {
        ("assertNull", [actual]) => call(that(actual), "isNull", Vec::new()),
        ("assertNotNull", [actual]) => call(that(actual), "isNotNull", Vec::new()),
        ("assertTrue", [actual]) => call(that(actual), "isTrue", Vec::new()),
        ("assertFalse", [actual]) => call(that(actual), "isFalse", Vec::new()),
        ("assertEquals" | "assertArrayEquals", [expected, actual]) => call(that(actual), "isEqualTo", vec![expected.clone()]),
        ("assertEquals", [expected, actual, delta]) => {
            let within = Expr::Imported { method: WITHIN, args: vec![delta.clone()] };
            call(that(actual), "isCloseTo", vec![expected.clone(), within])
        }
        ("assertNotEquals", [expected, actual]) => call(that(actual), "isNotEqualTo", vec![expected.clone()]),
        ("assertSame", [expected, actual]) => call(that(actual), "isSameAs", vec![expected.clone()]),
        ("assertThrows", args) => thrown_by(args)?,
        ("assertDoesNotThrow", [action]) => {
            let code = Expr::Imported { method: ASSERT_THAT_CODE, args: vec![action.clone()] };
            call(code, "doesNotThrowAnyException", Vec::new())
        }
        _ => return None,
    })
}

/// `assertThatThrownBy(action).isInstanceOf(C.class)`.
fn thrown_by(args: &[Expr]) -> Option<Expr> {
    let [class, action] = args else { return None };
    let thrown = Expr::Imported { method: ASSERT_THAT_THROWN_BY, args: vec![action.clone()] };
    Some(call(thrown, "isInstanceOf", vec![class.clone()]))
}

fn call(on: Expr, method: &str, args: Vec<Expr>) -> Expr {
    Expr::Call { on: on.into_qualifier(), method: method.into(), args, exceptions: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::super::print::expression;
    use super::*;

    fn assertion(method: &'static str, args: &[&str]) -> Expr {
        let args = args.iter().map(|arg| Expr::Name((*arg).to_owned())).collect();
        Expr::Imported { method: StaticImport::Assertion(method), args }
    }

    fn written(lines: &[JavaStatement]) -> Vec<String> {
        let lines: Vec<Line> = lines.iter().map(|line| Line { statement: line.clone(), is_assertion: true }).collect();
        let (chained, _) = chained(&lines, None);
        let text = |line: &Line| match &line.statement {
            JavaStatement::Expression(value) => expression(value),
            other => format!("{other:?}"),
        };
        chained.iter().map(text).collect()
    }

    #[test]
    fn marked_assertions_become_chains_and_others_stay() {
        for (method, args, expected) in [
            ("assertEquals", ["1", "a"].as_slice(), "assertThat(a).isEqualTo(1)"),
            ("assertEquals", &["1.5", "a", "d"], "assertThat(a).isCloseTo(1.5, within(d))"),
            ("assertArrayEquals", &["x", "a"], "assertThat(a).isEqualTo(x)"),
            ("assertNull", &["a"], "assertThat(a).isNull()"),
            ("assertFalse", &["a"], "assertThat(a).isFalse()"),
            ("assertSame", &["x", "a"], "assertThat(a).isSameAs(x)"),
            ("assertThrows", &["C", "f"], "assertThatThrownBy(f).isInstanceOf(C)"),
            ("assertDoesNotThrow", &["f"], "assertThatCode(f).doesNotThrowAnyException()"),
        ] {
            let plain = assertion(method, args);
            let marked = JavaStatement::Expression(plain.clone().marked(Mark::Fluent));
            assert_eq!(written(&[marked]), [expected]);
            assert_eq!(written(&[JavaStatement::Expression(plain.clone())]), [expression(&plain)]);
        }
    }

    #[test]
    fn the_message_of_an_exception_ends_its_chain() {
        let ty = crate::program::GenericType::object();
        let value = assertion("assertThrows", &["C", "f"]).marked(Mark::Fluent);
        let declaration = JavaStatement::Declaration { ty, name: "exception".into(), value };
        let message = call(Expr::Name("exception".into()), "getMessage", Vec::new());
        let args = vec![Expr::Name("m".into()), message];
        let compared = Expr::Imported { method: StaticImport::Assertion("assertEquals"), args };
        let lines = [declaration, JavaStatement::Expression(compared)];
        assert_eq!(written(&lines), ["assertThatThrownBy(f).isInstanceOf(C).hasMessage(m)"]);
    }
}
