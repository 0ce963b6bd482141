//! Amounts in place of those that a factory makes of zero.
//!
//! In: a test. Out: the test with ten in place of each zero amount that it makes. Must not know
//! whether it then shows the same.
//!
//! A search makes the total of an order with `Money.zero("EUR")`, since this takes the fewest
//! arguments. Such a test passes as well where the total is multiplied, or lost. A person writes
//! another amount, as long as it does not matter that there is none.

use crate::oracle::{Accessibility, AssertedTest};
use crate::program::{ClassName, FieldRef, JavaType, MethodRef};
use crate::testcase::{Literal, Statement, StatementKind, VarId};

/// The name of factory methods of zero amounts.
const ZERO: &str = "zero";
/// Names of factory methods that a person uses first.
const USUAL: [&str; 2] = ["of", "valueOf"];

/// A method that makes an amount of a number, which it takes before or behind what the factory of
/// the zero amount takes.
#[derive(Debug)]
struct AmountFactory {
    method: MethodRef,
    /// Ten, in the type of the parameter.
    number: Statement,
    is_number_first: bool,
}

/// The test with ten in place of all its zero amounts; `None` where it has none.
pub(super) fn with_telling_amounts(access: &Accessibility<'_>, test: &AssertedTest) -> Option<AssertedTest> {
    with_amounts(test, |class| {
        let Some(class) = access.program().class(class) else { return Vec::new() };
        let methods = class.methods.iter().filter(|method| {
            let may_make = if method.is_constructor() { !class.access.is_abstract() } else { method.is_static() };
            may_make && !method.access.is_synthetic() && access.can_use_method(method)
        });
        methods.map(|method| method.reference.clone()).collect()
    })
}

/// As [`with_telling_amounts`]. `makers_of`: the constructors and static methods of a class that the
/// test can use.
fn with_amounts(test: &AssertedTest, makers_of: impl Fn(&ClassName) -> Vec<MethodRef>) -> Option<AssertedTest> {
    let mut changed = test.clone();
    // What is put in front of a call leaves the numbers of the calls before it.
    for place in (0..test.acted.saturating_sub(1)).rev() {
        let kind = &test.test.statement(VarId(place)).kind;
        let StatementKind::Call { method: zero, interface, receiver: None, args } = kind else { continue };
        if &*zero.name != ZERO || test.target.as_ref() == Some(zero) {
            continue;
        }
        let Some(factory) = amount_factory(zero, makers_of(&zero.owner)) else { continue };
        let mut args = args.clone();
        args.insert(if factory.is_number_first { 0 } else { args.len() }, VarId(place));
        changed = changed.with_statements(place, vec![factory.number]);
        changed.test.statements[place as usize + 1].kind = if &*factory.method.name == "<init>" {
            StatementKind::Construct { constructor: factory.method, args }
        } else {
            StatementKind::Call { method: factory.method, interface: *interface, receiver: None, args }
        };
    }
    (changed != *test).then_some(changed)
}

/// The usual way to make an amount of the class of this factory.
fn amount_factory(zero: &MethodRef, makers: Vec<MethodRef>) -> Option<AmountFactory> {
    let amount = JavaType::Class(zero.owner.clone());
    if zero.return_type() != amount {
        return None;
    }
    let (given, numbers) = (zero.parameters(), numbers());
    let ranked = makers.into_iter().filter_map(|method| {
        let constructs = &*method.name == "<init>";
        let parameters = method.parameters();
        let (first, behind) = parameters.split_first()?;
        let (last, before) = parameters.split_last()?;
        let is_number_first = *behind == given[..];
        let taken = if is_number_first { first } else { last };
        let (rank, number) = numbers.iter().enumerate().find(|(_, number)| number.ty == *taken)?;
        let makes_it = constructs || method.return_type() == amount;
        let order = (constructs, !USUAL.contains(&&*method.name), rank);
        let factory = AmountFactory { number: number.clone(), is_number_first, method: method.clone() };
        (makes_it && (is_number_first || *before == given[..])).then_some((order, factory))
    });
    ranked.min_by_key(|(order, _)| *order).map(|(_, factory)| factory)
}

/// Ten in all types that amounts are made of, the most readable first.
fn numbers() -> [Statement; 5] {
    let decimal = JavaType::class("java/math/BigDecimal");
    let ten = FieldRef::new(ClassName::new("java/math/BigDecimal"), "TEN", "Ljava/math/BigDecimal;");
    [
        (StatementKind::Literal(Literal::Str("10".encode_utf16().collect())), JavaType::class("java/lang/String")),
        (StatementKind::GetField { field: ten, receiver: None }, decimal),
        (StatementKind::Literal(Literal::Int(10)), JavaType::INT),
        (StatementKind::Literal(Literal::Long(10)), JavaType::LONG),
        (StatementKind::Literal(Literal::Double(10.0_f64.to_bits())), JavaType::DOUBLE),
    ]
    .map(|(kind, ty)| Statement { kind, ty })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = "\
target p/Shop.pay (Lp/Money;)Lp/Money;
acted 4
v0: Lp/Shop; = new p/Shop.<init> ()V ()
v1: Ljava/lang/String; = string \"EUR\"
v2: Lp/Money; = call method p/Money.zero (Ljava/lang/String;)Lp/Money; (v1)
v3: Lp/Money; = call method p/Shop.pay (Lp/Money;)Lp/Money; on v0 (v2)
assert v3 same v2
";

    /// The test with makers of these names and descriptors.
    fn changed(test: &str, makers: &[(&str, &str)]) -> Option<String> {
        let makers_of =
            |class: &ClassName| makers.iter().map(|(name, descriptor)| MethodRef::new(class.clone(), name, descriptor)).collect();
        let test: AssertedTest = test.parse().expect("well-formed");
        with_amounts(&test, makers_of).map(|changed| changed.to_string())
    }

    #[test]
    fn ten_takes_the_place_of_zero() {
        let constructor = ("<init>", "(Ljava/math/BigDecimal;Ljava/lang/String;)V");
        let zero = ("zero", "(Ljava/lang/String;)Lp/Money;");
        let of = ("of", "(Ljava/lang/String;Ljava/lang/String;)Lp/Money;");
        let by_name = changed(TEST, &[zero, constructor, of]).expect("a factory");
        let made = "v2: Ljava/lang/String; = string \"10\"\n\
                    v3: Lp/Money; = call method p/Money.of (Ljava/lang/String;Ljava/lang/String;)Lp/Money; (v2, v1)\n";
        assert!(by_name.contains(made) && by_name.ends_with("assert v4 same v3\n"), "{by_name}");
        let constructed = changed(TEST, &[zero, constructor]).expect("a constructor");
        assert!(constructed.contains("new p/Money.<init> (Ljava/math/BigDecimal;Ljava/lang/String;)V (v2, v1)"), "{constructed}");
        let behind = changed(TEST, &[("in", "(Ljava/lang/String;I)Lp/Money;")]).expect("the number may be the last one");
        assert!(behind.contains("v2: I = int 10\n") && behind.contains("Lp/Money; (v1, v2)\n"), "{behind}");
    }

    #[test]
    fn other_methods_make_no_amount() {
        let others = [
            ("zero", "(Ljava/lang/String;)Lp/Money;"),
            ("parse", "(Ljava/lang/String;I)I"),
            ("of", "(I)Lp/Money;"),
            ("none", "()Lp/Money;"),
        ];
        assert_eq!(changed(TEST, &others), None);
        let of = ("of", "(Ljava/lang/String;Ljava/lang/String;)Lp/Money;");
        let tested = TEST.replace("target p/Shop.pay (Lp/Money;)", "target p/Money.zero (Ljava/lang/String;)");
        assert_eq!(changed(&tested, &[of]), None, "zero is what is tested");
        assert_eq!(changed(&TEST.replace("Money.zero", "Money.one"), &[of]), None);
        let counted = TEST.replace(
            "v2: Lp/Money; = call method p/Money.zero (Ljava/lang/String;)Lp/Money;",
            "v2: I = call method p/Money.zero (Ljava/lang/String;)I",
        );
        assert_eq!(changed(&counted, &[of]), None, "zero is a number");
    }
}
