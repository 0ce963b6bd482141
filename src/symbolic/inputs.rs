//! Conversion between test cases and models: the values of literals as a model, and a model's
//! values as literals.

use crate::expr::{Model, Symbol, SymbolPart, Value};
use crate::testcase::{Literal, StatementKind, TestCase, VarId};

/// Characters of a string in a model, at most; longer strings are cut.
const LONGEST: i32 = 1 << 16;
/// Character at positions for which a model has no value.
const FILLER: u16 = b'a' as u16;
/// Characters for which the seed of a query has values, at least.
const SPARE: u32 = 16;

/// The values of a test case's inputs: the seed of a query.
pub fn seed_of(test: &TestCase) -> Model {
    seed_with(test, SPARE)
}

/// The same with values for at least `characters` characters of each string.
pub fn seed_with(test: &TestCase, characters: u32) -> Model {
    let mut model = Model::new();
    for (index, statement) in test.statements.iter().enumerate() {
        let StatementKind::Literal(literal) = &statement.kind else { continue };
        let index = index as u32;
        let value = match literal {
            Literal::Boolean(value) => Value::Int(i32::from(*value)),
            Literal::Byte(value) => Value::Int(i32::from(*value)),
            Literal::Char(value) => Value::Int(i32::from(*value)),
            Literal::Short(value) => Value::Int(i32::from(*value)),
            Literal::Int(value) => Value::Int(*value),
            Literal::Long(value) => Value::Long(*value),
            Literal::Float(bits) => Value::Float(*bits),
            Literal::Double(bits) => Value::Double(*bits),
            Literal::Str(units) => {
                model.set(Symbol::length(index), Value::Int(units.len() as i32));
                let spare = (units.len() as u32..characters).map(|_| FILLER);
                for (position, unit) in units.iter().copied().chain(spare).enumerate() {
                    model.set(Symbol::char(index, position as u32), Value::Int(i32::from(unit)));
                }
                continue;
            }
            Literal::Null | Literal::Class(_) => continue,
        };
        model.set(Symbol::value(index), value);
    }
    model
}

/// The test case with the model's values as literals. Inputs without a value stay.
pub fn apply_model(test: &TestCase, model: &Model) -> TestCase {
    let mut changed = TestCase { statements: test.statements.clone() };
    for (symbol, value) in model.iter() {
        let Some(statement) = test.statements.get(symbol.statement as usize) else { continue };
        let StatementKind::Literal(literal) = &statement.kind else { continue };
        if symbol.part != SymbolPart::Value {
            continue;
        }
        let literal = match (literal, value) {
            (Literal::Boolean(_), Value::Int(value)) => Literal::Boolean(value & 1 != 0),
            (Literal::Byte(_), Value::Int(value)) => Literal::Byte(value as i8),
            (Literal::Char(_), Value::Int(value)) => Literal::Char(value as u16),
            (Literal::Short(_), Value::Int(value)) => Literal::Short(value as i16),
            (Literal::Int(_), Value::Int(value)) => Literal::Int(value),
            (Literal::Long(_), Value::Long(value)) => Literal::Long(value),
            (Literal::Float(_), Value::Float(bits)) => Literal::Float(bits),
            (Literal::Double(_), Value::Double(bits)) => Literal::Double(bits),
            _ => continue,
        };
        changed.replace_literal(VarId(symbol.statement), literal);
    }
    for (index, statement) in test.statements.iter().enumerate() {
        if let StatementKind::Literal(Literal::Str(units)) = &statement.kind {
            changed.replace_literal(VarId(index as u32), Literal::Str(text(index as u32, units, model)));
        }
    }
    changed
}

fn text(statement: u32, units: &[u16], model: &Model) -> Vec<u16> {
    let length = match model.get(Symbol::length(statement)) {
        Some(Value::Int(length)) => length.clamp(0, LONGEST) as u32,
        _ => units.len() as u32,
    };
    let unit = |position: u32| match model.get(Symbol::char(statement, position)) {
        Some(Value::Int(unit)) => unit as u16,
        _ => units.get(position as usize).copied().unwrap_or(FILLER),
    };
    (0..length).map(unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::JavaType;

    fn sample() -> TestCase {
        let mut test = TestCase::default();
        test.push(StatementKind::Literal(Literal::Int(1)), JavaType::INT);
        test.push(StatementKind::Literal(Literal::Str("ab".encode_utf16().collect())), JavaType::class("java/lang/String"));
        test.push(StatementKind::Literal(Literal::Boolean(false)), JavaType::BOOLEAN);
        test.push(StatementKind::Literal(Literal::Double(0)), JavaType::DOUBLE);
        test
    }

    #[test]
    fn the_seed_put_back_changes_nothing() {
        let test = sample();
        assert_eq!(apply_model(&test, &seed_of(&test)), test);
    }

    #[test]
    fn a_model_replaces_literals() {
        let model: Model = "v0=-7 v1.length=3 v1[1]=120 v2=1 v9=4".parse().expect("well-formed");
        let changed = apply_model(&sample(), &model);
        let expected =
            [Literal::Int(-7), Literal::Str("axa".encode_utf16().collect()), Literal::Boolean(true), Literal::Double(0)];
        for (statement, expected) in changed.statements.iter().zip(expected) {
            assert_eq!(statement.kind, StatementKind::Literal(expected));
        }
        // Values of other sorts are ignored, and lengths are limited.
        let model: Model = "v0=7L v1.length=2147483647".parse().expect("well-formed");
        let changed = apply_model(&sample(), &model);
        assert_eq!(changed.statements[0].kind, StatementKind::Literal(Literal::Int(1)));
        let StatementKind::Literal(Literal::Str(units)) = &changed.statements[1].kind else { panic!("a string") };
        assert_eq!(units.len(), LONGEST as usize);
    }
}
