//! Where a written test failed. In: what a run says. Out: data. Must not know the text of the test.

use crate::program::{ClassName, JavaType};
use crate::testcase::Literal;

/// An assertion that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedAssertion {
    /// Its line in the file of the test, from 1.
    pub line: u32,
    /// The row of a parameterized test, from 1; 0 for another test.
    pub row: usize,
    /// The value in the place of the expected one; `None` where the assertion does not tell it.
    pub found: Option<FoundValue>,
}

/// A value that Java source can state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundValue {
    /// A number, a text, null, a class.
    Literal(Literal),
    /// A constant of an enum.
    Constant {
        /// The enum.
        class: ClassName,
        /// Name of the constant.
        name: String,
    },
}

impl FoundValue {
    /// Reads the form in which the JVM of a test sends a value: a letter for its kind, and its text. Floating-point
    /// numbers come by their bits (IEEE 754).
    pub(crate) fn from_sent(sent: &str) -> Option<FoundValue> {
        let mut characters = sent.chars();
        let kind = characters.next()?;
        let text = characters.as_str();
        let literal = match kind {
            'N' => Literal::Null,
            'Z' => Literal::Boolean(text.parse().ok()?),
            'B' => Literal::Byte(text.parse().ok()?),
            'S' => Literal::Short(text.parse().ok()?),
            'C' => Literal::Char(text.parse().ok()?),
            'I' => Literal::Int(text.parse().ok()?),
            'J' => Literal::Long(text.parse().ok()?),
            'F' => Literal::Float(text.parse::<i32>().ok()?.cast_unsigned()),
            'D' => Literal::Double(text.parse::<i64>().ok()?.cast_unsigned()),
            's' => Literal::Str(text.encode_utf16().collect()),
            'T' => Literal::Class(JavaType::Class(ClassName::from_binary(text))),
            'E' => {
                let (class, name) = text.rsplit_once('.')?;
                return Some(FoundValue::Constant { class: ClassName::from_binary(class), name: name.to_owned() });
            }
            _ => return None,
        };
        Some(FoundValue::Literal(literal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sent_values_are_read() {
        let literal = |sent: &str| match FoundValue::from_sent(sent) {
            Some(FoundValue::Literal(literal)) => literal.to_string(),
            other => format!("{other:?}"),
        };
        assert_eq!(["N", "Ztrue", "I-3", "sa b", "J7"].map(literal), ["null", "true", "int -3", "string \"a b\"", "long 7"]);
        assert_eq!(literal("D4609434218613702656"), "double 1.5");
        let open = FoundValue::Constant { class: ClassName::new("p/Order$State"), name: "OPEN".into() };
        assert_eq!(FoundValue::from_sent("Ep.Order$State.OPEN"), Some(open));
        assert_eq!(["", "I", "Ix", "?"].map(FoundValue::from_sent), [None, None, None, None]);
    }
}
