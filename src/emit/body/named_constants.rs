//! Constants of the JDK by their names. In: an expression; out: the field that holds its value. Must not
//! know why an expression was chosen.
//!
//! Plans, and the shapes of tables, have the call with its literal, so that tests that differ in the
//! literal alone are rows of one table.

use crate::program::ClassName;
use crate::testcase::Literal;

use super::java::{Expr, Instantiated, JavaLiteral, Qualifier};

/// The class and the name of the field; `None` for a value without one. The field of a number has the
/// same scale.
pub(super) fn named_constant(expr: &Expr) -> Option<(&ClassName, &'static str)> {
    let (class, method, args) = match expr {
        Expr::New { class: Instantiated::Class(class), args, .. } => (class, "<init>", args),
        Expr::Call { on: Qualifier::Class(class), method, args, .. } => (class, method.as_str(), args),
        _ => return None,
    };
    let [value] = &args[..] else { return None };
    let Expr::Literal(JavaLiteral { value, .. }) = value.unmarked() else { return None };
    let number = match (class.internal(), method, value) {
        ("java/time/Instant", "ofEpochMilli" | "ofEpochSecond", Literal::Long(0)) => return Some((class, "EPOCH")),
        ("java/math/BigDecimal" | "java/math/BigInteger", "valueOf", Literal::Long(number)) => number.to_string(),
        ("java/math/BigDecimal" | "java/math/BigInteger", "<init>", Literal::Str(units)) => String::from_utf16_lossy(units),
        _ => return None,
    };
    let name = match number.as_str() {
        "0" => "ZERO",
        "1" => "ONE",
        "10" => "TEN",
        _ => return None,
    };
    Some((class, name))
}

#[cfg(test)]
mod tests {
    use super::super::print::expression;
    use super::*;

    fn written(class: &str, method: &str, value: Literal, text: &str) -> String {
        let (class, args) = (ClassName::new(class), vec![Expr::literal(text, value)]);
        let call = match method {
            "<init>" => Expr::New { class: Instantiated::Class(class), diamond: false, args, exceptions: Vec::new() },
            _ => Expr::Call { on: Qualifier::Class(class), method: method.into(), args, exceptions: Vec::new() },
        };
        expression(&call).replace(['\u{1}', '\u{2}'], "")
    }

    #[test]
    fn well_known_numbers_and_the_epoch_have_names() {
        let decimal = |number: i64| written("java/math/BigDecimal", "valueOf", Literal::Long(number), &format!("{number}L"));
        let names = ["ZERO", "ONE", "TEN"].map(|name| format!("java/math/BigDecimal.{name}"));
        assert_eq!([0, 1, 10].map(decimal), names);
        assert_eq!(decimal(2), "java/math/BigDecimal.valueOf(2L)");
        let text = |text: &str| {
            let value = Literal::Str(text.encode_utf16().collect());
            written("java/math/BigInteger", "<init>", value, &format!("\"{text}\""))
        };
        assert_eq!(text("10"), "java/math/BigInteger.TEN");
        assert_eq!(text("0.0"), "new java/math/BigInteger(\"0.0\")");
        assert_eq!(written("java/time/Instant", "ofEpochMilli", Literal::Long(0), "0L"), "java/time/Instant.EPOCH");
        assert_eq!(written("java/math/BigDecimal", "valueOf", Literal::Double(0), "0.0"), "java/math/BigDecimal.valueOf(0.0)");
    }
}
