//! Cells for arrays that hold nothing.
//!
//! In: a test. Out: the test with values in the empty arrays that it gives to calls. Must not know whether it then
//! shows the same.
//!
//! A search encodes `new byte[0]`, since nothing is simpler. What comes out is empty too, whatever is done with each
//! cell. A person gives cells that differ, unless the test is about the empty array.

use tracewright_classfile::PrimitiveType;

use crate::oracle::{AssertedTest, Assertion, Fact};
use crate::program::JavaType;
use crate::testcase::{Literal, Statement, StatementKind, VarId};

/// Cells of an array without any, and most cells of one that is filled.
const CELLS: u32 = 2;

/// The test with cells in all arrays without values, then in one of them each; the last is to be tried first.
pub(super) fn with_filled_arrays(test: &AssertedTest) -> Vec<AssertedTest> {
    let empty: Vec<VarId> = (0..test.acted).map(VarId).filter(|array| is_empty_argument(test, *array)).collect();
    let mut found: Vec<AssertedTest> = empty.iter().filter_map(|array| filled(test, *array)).collect();
    if empty.len() > 1 {
        // From the last one on: what is put in front of an array leaves the numbers before it.
        let all = empty.iter().rev().try_fold(test.clone(), |changed, array| filled(&changed, *array));
        found.splice(..0, all);
    }
    found
}

/// Whether the variable is an array without values that a call gets and that no call writes, as far as the test says.
fn is_empty_argument(test: &AssertedTest, array: VarId) -> bool {
    let StatementKind::Array { length, elements, .. } = &test.test.statement(array).kind else { return false };
    let mut users = test.test.users(array);
    let is_about = |assertion: &Assertion| assertion.subject == array || assertion.fact == Fact::SameAs(array);
    let is_written = test.assertions.iter().any(is_about);
    elements.is_empty()
        && *length <= CELLS
        && !is_written
        && users.all(|user| matches!(user, StatementKind::Call { .. } | StatementKind::Construct { .. }))
}

/// The test with cells in the array; `None` where its elements are no numbers, characters or texts.
fn filled(test: &AssertedTest, array: VarId) -> Option<AssertedTest> {
    let StatementKind::Array { element, length, .. } = &test.test.statement(array).kind else { return None };
    let count = if *length == 0 { CELLS } else { *length };
    let cells: Option<Vec<Statement>> = (0..count as u8).map(|place| cell(element, place)).collect();
    let (element, cells) = (element.clone(), cells?);
    let mut changed = test.with_statements(array.0, cells);
    changed.test.statements[(array.0 + count) as usize].kind =
        StatementKind::Array { element, length: count, elements: (array.0..array.0 + count).map(VarId).collect() };
    Some(changed)
}

/// 1, 2 and so on, or `a`, `b` and so on.
pub(super) fn cell(element: &JavaType, place: u8) -> Option<Statement> {
    let (number, letter) = (place + 1, b'a' + place);
    let literal = match element {
        JavaType::Class(class) if class.internal() == "java/lang/String" => Literal::Str(vec![u16::from(letter)]),
        other => match other.primitive()? {
            PrimitiveType::Byte => Literal::Byte(number as i8),
            PrimitiveType::Short => Literal::Short(i16::from(number)),
            PrimitiveType::Int => Literal::Int(i32::from(number)),
            PrimitiveType::Long => Literal::Long(i64::from(number)),
            PrimitiveType::Char => Literal::Char(u16::from(letter)),
            PrimitiveType::Float => Literal::Float(f32::from(number).to_bits()),
            PrimitiveType::Double => Literal::Double(f64::from(number).to_bits()),
            PrimitiveType::Boolean => return None,
        },
    };
    Some(Statement { kind: StatementKind::Literal(literal), ty: element.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_arguments_get_cells_that_differ() {
        let test = |arrays: &str, end: &str| -> AssertedTest {
            let text = format!(
                "target p/Hex.of ([B[C)V\nacted 3\n{arrays}v2: V = call method p/Hex.of ([B[C)V (v0, v1)\n\
                 assert {end}\n"
            );
            text.parse().expect("well-formed")
        };
        let arrays = "v0: [B = array B 0 ()\nv1: [C = array C 1 ()\n";
        let found = with_filled_arrays(&test(arrays, "v2 not-null"));
        let both = "v0: B = byte 1\nv1: B = byte 2\nv2: [B = array B 2 (v0, v1)\nv3: C = char 97\n\
                    v4: [C = array C 1 (v3)\n\
                    v5: V = call method p/Hex.of ([B[C)V (v2, v4)\n";
        assert_eq!(found.len(), 3);
        assert_eq!((found[0].test.to_string().as_str(), found[0].acted), (both, 6));
        assert_eq!(found[1].assertions[0].subject, VarId(4));
        assert_eq!(with_filled_arrays(&test(arrays, "v1 not-null")).len(), 1, "the call may write to the other one");
        let other = "v0: [B = array B 30 ()\nv1: [C = array Ljava/lang/Object; 0 ()\n";
        assert!(with_filled_arrays(&test(other, "v2 not-null")).is_empty());
    }
}
