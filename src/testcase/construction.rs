//! How a test makes an object from mocks and from values that depend on nothing else. In: a test case;
//! out: the construction, which is equal for tests that make their object in the same way. Must not
//! know what the object is for.

use super::{Literal, StatementKind, StubKind, TestCase, VarId};
use crate::program::{ClassName, JavaType, MethodRef};

/// Most statements that make one value.
const LONGEST_VALUE: usize = 6;

/// A constructor with what a test gives to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Construction {
    pub(crate) constructor: MethodRef,
    /// One for each parameter.
    pub(crate) parts: Vec<Ingredient>,
}

/// An argument of a construction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ingredient {
    /// A mock, which answers what each test tells it.
    Mock(ClassName),
    /// The value of the last statement.
    Value(TestCase),
}

impl Ingredient {
    /// Whether it is null.
    pub(crate) fn is_null(&self) -> bool {
        match self {
            Ingredient::Mock(_) => false,
            Ingredient::Value(value) => {
                matches!(value.statements.last(), Some(last) if last.kind == StatementKind::Literal(Literal::Null))
            }
        }
    }
}

/// A construction in a test.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) object: VarId,
    pub(crate) construction: Construction,
    /// The variables of the arguments.
    pub(crate) args: Vec<VarId>,
    /// The statements that make the values. Some may have other uses, too.
    pub(crate) making: Vec<VarId>,
}

impl Construction {
    /// Whether an argument is a mock.
    pub(crate) fn has_mocks(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Ingredient::Mock(_)))
    }

    /// The statements that make the object. The last one is its construction. The mocks have no answers.
    pub(crate) fn statements(&self) -> TestCase {
        let mut test = TestCase::default();
        let mut args = Vec::new();
        for part in &self.parts {
            args.push(test.push_ingredient(part));
        }
        let kind = StatementKind::Construct { constructor: self.constructor.clone(), args };
        test.push(kind, JavaType::Class(self.constructor.owner.clone()));
        test
    }
}

impl TestCase {
    /// Appends what makes an argument.
    pub(crate) fn push_ingredient(&mut self, part: &Ingredient) -> VarId {
        match part {
            Ingredient::Mock(class) => {
                let kind = StatementKind::Stub { class: class.clone(), kind: StubKind::Mock, answers: Vec::new() };
                self.push(kind, JavaType::Class(class.clone()))
            }
            Ingredient::Value(value) => {
                self.append(value);
                VarId(self.len() as u32 - 1)
            }
        }
    }

    /// The only construction of an object of the class, where its arguments are mocks and closed values:
    /// those that the test makes by literals, constants, and calls that nothing else in it can see.
    pub(crate) fn construction_of(&self, class: &ClassName) -> Option<Made> {
        let mut found: Option<(VarId, &MethodRef, &[VarId])> = None;
        for (index, statement) in self.statements.iter().enumerate() {
            if let StatementKind::Construct { constructor, args } = &statement.kind
                && constructor.owner == *class
                && found.replace((VarId(index as u32), constructor, args.as_slice())).is_some()
            {
                return None;
            }
        }
        let (object, constructor, args) = found?;
        let (mut parts, mut making) = (Vec::new(), Vec::new());
        for (position, argument) in args.iter().enumerate() {
            let is_repeated = args[..position].contains(argument);
            match &self.statement(*argument).kind {
                StatementKind::Stub { class, kind: StubKind::Mock, .. } if !is_repeated => {
                    parts.push(Ingredient::Mock(class.clone()))
                }
                StatementKind::Stub { .. } => return None,
                _ => {
                    let (value, statements) = self.closed_value(*argument)?;
                    parts.push(Ingredient::Value(value));
                    making.extend(statements);
                }
            }
        }
        let is_private = |variable: &VarId| {
            let is_constant = matches!(
                self.statement(*variable).kind,
                StatementKind::Literal(_) | StatementKind::GetField { receiver: None, .. }
            );
            let is_seen = |user: usize| {
                let user_id = VarId(user as u32);
                user_id != object && !making.contains(&user_id) && self.statements[user].kind.uses().contains(variable)
            };
            is_constant || is_immutable(self.type_of(*variable)) || !(0..self.len()).any(is_seen)
        };
        let is_closed = making.iter().all(is_private);
        let construction = Construction { constructor: constructor.clone(), parts };
        is_closed.then(|| Made { object, construction, args: args.to_vec(), making })
    }

    /// What makes the value, and the statements of this test for it; `None` where it is long or depends
    /// on stubs or fields of objects.
    fn closed_value(&self, variable: VarId) -> Option<(TestCase, Vec<VarId>)> {
        let cone = self.definition_cone(variable);
        let is_plain = |kind: &StatementKind| {
            matches!(
                kind,
                StatementKind::Literal(_)
                    | StatementKind::Construct { .. }
                    | StatementKind::Call { .. }
                    | StatementKind::GetField { receiver: None, .. }
            )
        };
        let statements: Vec<VarId> = (0..self.len()).filter(|index| cone[*index]).map(|index| VarId(index as u32)).collect();
        if statements.len() > LONGEST_VALUE || !statements.iter().all(|statement| is_plain(&self.statement(*statement).kind)) {
            return None;
        }
        let mut value = self.clone();
        value.retain(&cone);
        Some((value, statements))
    }
}

/// Whether no call can change an object of this type of the JDK.
fn is_immutable(ty: &JavaType) -> bool {
    let JavaType::Class(class) = ty else { return ty.is_primitive() };
    matches!(class.package(), "java/time" | "java/math")
        || matches!(class.internal(), "java/lang/String" | "java/util/UUID" | "java/util/Locale")
        || JavaType::unboxed(class).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> Option<Made> {
        text.parse::<TestCase>().expect("well-formed").construction_of(&ClassName::new("p/Shop"))
    }

    const TEST: &str = "\
v0: Lp/Items; = mock p/Items (p/Items.count ()I v1)
v1: I = int 3
";

    /// A test that makes a shop of a mock and a fixed clock.
    fn shop(instant: &str, rest: &str) -> String {
        format!(
            "v0: Lp/Items; = mock p/Items ()\nv1: J = long {instant}\n\
             v2: Ljava/time/Instant; = call method java/time/Instant.ofEpochMilli (J)Ljava/time/Instant; (v1)\n\
             v3: Lp/Clock; = new p/Clock.<init> (Ljava/time/Instant;)V (v2)\n\
             v4: Lp/Shop; = new p/Shop.<init> (Lp/Items;Lp/Clock;)V (v0, v3)\n{rest}"
        )
    }

    #[test]
    fn constructions_of_equal_parts_are_equal() {
        let first = made(&shop("2", "")).expect("a construction");
        let second = made(&shop("2", "v5: V = call method p/Shop.open ()V on v4 ()\n")).expect("a construction");
        assert_eq!(first.construction, second.construction);
        assert_eq!(
            (first.object, first.args, first.making),
            (VarId(4), vec![VarId(0), VarId(3)], vec![VarId(1), VarId(2), VarId(3)])
        );
        assert!(first.construction != made(&shop("3", "")).expect("a construction").construction);
        assert!(first.construction.has_mocks());
        let statements = first.construction.statements().to_string();
        assert_eq!(statements, shop("2", ""));
    }

    #[test]
    fn a_value_that_the_test_uses_elsewhere_belongs_to_it() {
        let winds = "v5: V = call method p/Clock.wind ()V on v3 ()\n";
        assert!(made(&shop("2", winds)).is_none());
        let reads = "v5: I = call method java/time/Instant.getNano ()I on v2 ()\n";
        assert!(made(&shop("2", reads)).is_some());
        assert!(made(TEST).is_none(), "no object is made");
    }
}
