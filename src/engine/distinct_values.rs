//! Numbers that differ where a search found equal ones, and letters in place of others.
//!
//! In: a test. Out: for the numbers that one object or call gets, others to try in their place. Must not
//! know whether the test shows the same with them.
//!
//! A search gives a parcel of length 2 the width 2 as well. A test of it passes where length and width
//! are mixed up. A person writes different numbers. No person writes a negative number to make a sum zero.
//! Many numbers are easiest to tell apart where they count up: `format(1, 2, 3, 4, 5)`.

use std::collections::{BTreeMap, BTreeSet};

use crate::program::{ClassName, MethodRef};
use crate::testcase::{Literal, StatementKind, TestCase, VarId};

/// Numbers up to this one are plain; a search that needs another one has a reason.
const LARGEST: f64 = 100.0;
/// The first of the numbers in place of equal ones.
const FIRST_WHOLE: f64 = 2.0;
const FIRST_DECIMAL: f64 = 1.5;
/// So many numbers count up.
const MANY: usize = 4;

/// Literals, and what to try in their place.
pub(super) type Exchange = Vec<(VarId, Literal)>;

/// The exchanges to try among the first `acted` statements, the best last: for each object or call, all
/// equal numbers at once, and one after the other. `is_own`: whether a class belongs to the project.
pub(super) fn distinct_numbers(is_own: &dyn Fn(&ClassName) -> bool, test: &TestCase, acted: u32) -> Vec<Exchange> {
    let mut found = Vec::new();
    for numbers in groups(is_own, test, acted).values() {
        let exchange = all_different(test, numbers);
        if exchange.len() > 1 {
            found.extend(exchange.iter().rev().map(|one| vec![one.clone()]));
        }
        found.extend([exchange, counting_up(test, numbers)].into_iter().filter(|exchange| !exchange.is_empty()));
    }
    found
}

/// Each plain number by its place, where there are many: 1, 2, 3, 4.
fn counting_up(test: &TestCase, group: &[VarId]) -> Exchange {
    let by_place = |(place, variable): (usize, &VarId)| {
        let literal = test.literal(*variable)?;
        let is_plain = number_of(literal).is_some_and(|value| value > 0.0 && value <= LARGEST);
        let value = if is_decimal(literal) { place as f64 + FIRST_DECIMAL } else { place as f64 + 1.0 };
        let other = with_value(literal, value).filter(|other| is_plain && other != literal)?;
        Some((*variable, other))
    };
    let single = group.iter().collect::<BTreeSet<_>>().len() == group.len();
    if single && group.len() >= MANY { group.iter().enumerate().filter_map(by_place).collect() } else { Vec::new() }
}

/// Zero in place of all numbers of an object or call whose sum is zero.
pub(super) fn zeros(is_own: &dyn Fn(&ClassName) -> bool, test: &TestCase, acted: u32) -> Vec<Exchange> {
    let groups = groups(is_own, test, acted);
    let of_group = |numbers: &Vec<VarId>| -> Option<Exchange> {
        let values: Vec<f64> = numbers.iter().filter_map(|number| number_of(test.literal(*number)?)).collect();
        let is_wanted = values.iter().sum::<f64>() == 0.0 && values.iter().any(|value| *value < 0.0);
        let zero = |number: &VarId| Some((*number, with_value(test.literal(*number)?, 0.0)?));
        is_wanted.then(|| numbers.iter().filter_map(zero).collect())
    };
    groups.values().filter_map(of_group).collect()
}

/// The character in place of another one, also in the texts of the test.
pub(super) fn exchanged_letters(test: &TestCase, acted: u32, from: u16, to: u16) -> Exchange {
    let exchanged = |variable: VarId| match test.literal(variable)? {
        Literal::Char(unit) if *unit == from => Some((variable, Literal::Char(to))),
        Literal::Str(units) if units.contains(&from) && !test.is_fixed_in_request(variable) => {
            let units = units.iter().map(|unit| if *unit == from { to } else { *unit }).collect();
            Some((variable, Literal::Str(units)))
        }
        _ => None,
    };
    (0..acted).map(VarId).filter_map(exchanged).collect()
}

/// The numbers that are given to one object of the project, by constructor and setters, or to one call.
fn groups(is_own: &dyn Fn(&ClassName) -> bool, test: &TestCase, acted: u32) -> BTreeMap<VarId, Vec<VarId>> {
    let mut found: BTreeMap<VarId, Vec<VarId>> = BTreeMap::new();
    let is_own = |method: &MethodRef| is_own(&method.owner);
    let statements = test.statements.iter().take(acted as usize);
    for (statement, index) in statements.zip(0..) {
        let (object, args) = match &statement.kind {
            StatementKind::Construct { constructor, args } if is_own(constructor) => (VarId(index), args),
            StatementKind::Call { method, receiver, args, .. } if is_own(method) => match receiver {
                Some(receiver) if args.len() == 1 => (test.begin_of_chain(*receiver), args),
                _ => (VarId(index), args),
            },
            _ => continue,
        };
        let numbers = args.iter().map(|arg| test.literal_of_cached_box(*arg).unwrap_or(*arg));
        let numbers = numbers.filter(|number| test.literal(*number).and_then(number_of).is_some());
        found.entry(object).or_default().extend(numbers.filter(|number| !test.is_fixed_in_request(*number)));
    }
    found
}

/// The plain numbers that are equal to an earlier one of the group, with numbers that none of it has.
fn all_different(test: &TestCase, group: &[VarId]) -> Exchange {
    let value_of = |variable: VarId| number_of(test.literal(variable)?);
    let mut taken: Vec<f64> = group.iter().filter_map(|variable| value_of(*variable)).collect();
    let mut seen: BTreeSet<u64> = BTreeSet::new();
    let mut variables: BTreeSet<VarId> = BTreeSet::new();
    let mut exchange = Vec::new();
    for &variable in group.iter().filter(|variable| variables.insert(**variable)) {
        let Some(value) = value_of(variable).filter(|value| *value > 0.0 && *value <= LARGEST) else { continue };
        let Some(literal) = test.literal(variable).filter(|_| !seen.insert(value.to_bits())) else { continue };
        let first = if is_decimal(literal) { FIRST_DECIMAL } else { FIRST_WHOLE };
        let mut other = first;
        while taken.contains(&other) {
            other += 1.0;
        }
        if let Some(literal) = with_value(literal, other) {
            taken.push(other);
            exchange.push((variable, literal));
        }
    }
    exchange
}

fn is_decimal(literal: &Literal) -> bool {
    matches!(literal, Literal::Float(_) | Literal::Double(_))
}

/// The value of a number; `None` for other literals.
fn number_of(literal: &Literal) -> Option<f64> {
    Some(match literal {
        Literal::Byte(value) => f64::from(*value),
        Literal::Short(value) => f64::from(*value),
        Literal::Int(value) => f64::from(*value),
        Literal::Long(value) => *value as f64,
        Literal::Float(bits) => f64::from(f32::from_bits(*bits)),
        Literal::Double(bits) => f64::from_bits(*bits),
        _ => return None,
    })
}

/// A literal of the same type with another value, which is small.
pub(super) fn with_value(literal: &Literal, value: f64) -> Option<Literal> {
    Some(match literal {
        Literal::Byte(_) => Literal::Byte(value as i8),
        Literal::Short(_) => Literal::Short(value as i16),
        Literal::Int(_) => Literal::Int(value as i32),
        Literal::Long(_) => Literal::Long(value as i64),
        Literal::Float(_) => Literal::Float((value as f32).to_bits()),
        Literal::Double(_) => Literal::Double(value.to_bits()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(exchanges: &[Exchange]) -> Vec<Vec<String>> {
        let text = |(variable, literal): &(VarId, Literal)| format!("v{} {literal:?}", variable.0);
        exchanges.iter().map(|exchange| exchange.iter().map(text).collect()).collect()
    }

    fn test(values: [i32; 3], owner: &str) -> TestCase {
        let [a, b, c] = values;
        let text = format!(
            "v0: I = int {a}\nv1: I = int {b}\nv2: I = int {c}\nv3: L{owner}; = new {owner}.<init> (II)V (v0, v1)\n\
             v4: V = call method {owner}.setHeight (I)V on v3 (v2)\nv5: I = call method {owner}.girth ()I on v3 ()\n"
        );
        text.parse().expect("well-formed")
    }

    fn is_own(class: &ClassName) -> bool {
        class.internal().starts_with("p/")
    }

    #[test]
    fn equal_numbers_of_one_object_become_different() {
        let found = |values, owner| shown(&distinct_numbers(&is_own, &test(values, owner), 6));
        let both = ["v1 Int(3)", "v2 Int(4)"];
        assert_eq!(found([2, 2, 2], "p/Parcel"), [vec![both[1]], vec![both[0]], both.to_vec()]);
        assert_eq!(found([1, 2, 1], "p/Parcel"), [["v2 Int(3)"]]);
        for values in [[0, 0, 0], [1000, 1000, 1000], [3, 4, 5]] {
            assert_eq!(found(values, "p/Parcel"), [[""; 0]; 0], "{values:?}");
        }
        assert_eq!(found([2, 2, 2], "java/time/Parcel"), [[""; 0]; 0]);
    }

    #[test]
    fn many_numbers_count_up() {
        let found = |values: [&str; 4]| {
            let literals = (0..4).zip(values).map(|(place, value)| format!("v{place}: I = {value}\n"));
            let literals: String = literals.collect();
            let call = "v4: I = call method p/Date.of (IIII)I (v0, v1, v2, v3)\n";
            shown(&distinct_numbers(&is_own, &format!("{literals}{call}").parse().expect("well-formed"), 5))
        };
        assert_eq!(found(["int 2", "int 3", "int 0", "int 1"]), [["v0 Int(1)", "v1 Int(2)", "v3 Int(4)"]]);
        assert_eq!(found(["int 1", "int 2", "int 1000", "int 4"]), [[""; 0]; 0]);
    }

    #[test]
    fn numbers_that_cancel_out_become_zero() {
        let found = |values| shown(&zeros(&is_own, &test(values, "p/Parcel"), 6));
        assert_eq!(found([1, -1, 0]), [["v0 Int(0)", "v1 Int(0)", "v2 Int(0)"]]);
        assert_eq!([[0, 0, 0], [2, -1, 0]].map(found), [const { Vec::<Vec<String>>::new() }; 2]);
    }
}
