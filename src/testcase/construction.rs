//! How a test makes an object from mocks and from values that depend on nothing else, which its
//! constructor gets or its fields. In: a test case; out: the construction, which is equal for tests that
//! make their object in the same way. Must not know what the object is for.

use super::{Literal, StatementKind, StubKind, TestCase, VarId};
use crate::program::{ClassName, FieldRef, JavaType, MethodRef};

/// Most statements that make one value.
const LONGEST_VALUE: usize = 6;

/// A constructor with what a test gives to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Construction {
    pub(crate) constructor: MethodRef,
    /// One for each parameter.
    pub(crate) parts: Vec<Ingredient>,
    /// What its fields get before anything else uses it.
    pub(crate) injected: Vec<Injected>,
}

/// A field of a new object, and the value that the test writes to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Injected {
    pub(crate) field: FieldRef,
    pub(crate) part: Ingredient,
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
    pub(crate) fn is_mock(&self) -> bool {
        matches!(self, Ingredient::Mock(_))
    }

    /// The value of a field of the type that nothing was assigned to.
    pub(crate) fn zero_of(ty: &JavaType) -> Option<Ingredient> {
        let mut value = TestCase::default();
        value.push(StatementKind::Literal(Literal::zero_of(ty)?), ty.clone());
        Some(Ingredient::Value(value))
    }

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
    /// The first write of each of its fields before anything else uses it.
    pub(crate) writes: Vec<FieldWrite>,
}

/// A write of a field of a new object.
#[derive(Clone, Debug)]
pub(crate) struct FieldWrite {
    pub(crate) field: FieldRef,
    /// The statement that writes, and the value.
    pub(crate) statement: VarId,
    pub(crate) value: VarId,
    /// What the field gets; `None` for what depends on other things.
    pub(crate) part: Option<Ingredient>,
    /// The statements that make the value.
    pub(crate) making: Vec<VarId>,
}

impl Construction {
    /// Whether an argument or what a field gets is a mock.
    pub(crate) fn has_mocks(&self) -> bool {
        self.parts.iter().chain(self.injected.iter().map(|injected| &injected.part)).any(Ingredient::is_mock)
    }

    /// The classes that its arguments are mocks of.
    pub(crate) fn mocked_classes(&self) -> Vec<ClassName> {
        let class = |part: &Ingredient| if let Ingredient::Mock(class) = part { Some(class.clone()) } else { None };
        self.parts.iter().filter_map(class).collect()
    }

    /// The statements that make the object, and the object. The mocks have no answers.
    pub(crate) fn statements(&self) -> (TestCase, VarId) {
        let mut test = TestCase::default();
        let args = self.parts.iter().map(|part| test.push_ingredient(part)).collect();
        let values: Vec<VarId> = self.injected.iter().map(|injected| test.push_ingredient(&injected.part)).collect();
        let kind = StatementKind::Construct { constructor: self.constructor.clone(), args };
        let object = test.push(kind, JavaType::Class(self.constructor.owner.clone()));
        for (injected, value) in self.injected.iter().zip(values) {
            test.push_write(object, &injected.field, value);
        }
        (test, object)
    }
}

impl Made {
    /// Whether the test makes the object as the construction does, but for fields that it gives something
    /// else. It writes each field of the construction.
    pub(crate) fn fits(&self, construction: &Construction) -> bool {
        self.construction.constructor == construction.constructor
            && self.construction.parts == construction.parts
            && construction.injected.iter().all(|injected| self.writes.iter().any(|write| write.field == injected.field))
    }
}

/// What the fields of the objects get in most tests, the fields that most tests write first. A mock
/// stands for every other object.
pub(crate) fn common_injections(made: &[&Made]) -> Vec<Injected> {
    let mut fields: Vec<(&FieldRef, usize)> = Vec::new();
    for write in made.iter().flat_map(|made| &made.writes) {
        match fields.iter_mut().find(|(known, _)| *known == &write.field) {
            Some((_, count)) => *count += 1,
            None => fields.push((&write.field, 1)),
        }
    }
    fields.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let common = |field: &FieldRef| {
        let parts = || {
            let writes = made.iter().flat_map(|made| &made.writes).filter(|write| write.field == *field);
            writes.filter_map(|write| write.part.as_ref()).filter(|part| !part.is_null())
        };
        let part = most_common(parts().filter(|part| part.is_mock())).or_else(|| most_common(parts()))?;
        Some(Injected { field: field.clone(), part: part.clone() })
    };
    fields.into_iter().filter_map(|(field, _)| common(field)).collect()
}

/// The first of the most frequent items.
pub(crate) fn most_common<'i, T: PartialEq>(items: impl Iterator<Item = &'i T>) -> Option<&'i T> {
    let mut counts: Vec<(&T, usize)> = Vec::new();
    for item in items {
        match counts.iter_mut().find(|(known, _)| *known == item) {
            Some((_, count)) => *count += 1,
            None => counts.push((item, 1)),
        }
    }
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(item, _)| item)
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

    /// Appends a write of a field of the object.
    pub(crate) fn push_write(&mut self, object: VarId, field: &FieldRef, value: VarId) {
        let kind = StatementKind::PutField { field: field.clone(), receiver: Some(object), value };
        self.push(kind, JavaType::Void);
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
        if !self.is_private(&making, object) {
            return None;
        }
        let writes = self.field_writes(object, args);
        let injected = writes.iter().filter_map(|write| Some(Injected { field: write.field.clone(), part: write.part.clone()? }));
        let injected = injected.filter(|injected| !injected.part.is_null()).collect();
        let construction = Construction { constructor: constructor.clone(), parts, injected };
        Some(Made { object, construction, args: args.to_vec(), making, writes })
    }

    /// Whether nothing but the statement `user` can see the values that are made, or nothing can change
    /// them.
    fn is_private(&self, making: &[VarId], user: VarId) -> bool {
        making.iter().all(|variable| {
            let is_constant = matches!(
                self.statement(*variable).kind,
                StatementKind::Literal(_) | StatementKind::GetField { receiver: None, .. }
            );
            let is_seen = |other: usize| {
                let other_id = VarId(other as u32);
                other_id != user && !making.contains(&other_id) && self.statements[other].kind.uses().contains(variable)
            };
            is_constant || self.type_of(*variable).is_immutable() || !(0..self.len()).any(is_seen)
        })
    }

    /// The writes of fields of a new object before anything else uses it. `args`: the arguments of its
    /// constructor.
    fn field_writes(&self, object: VarId, args: &[VarId]) -> Vec<FieldWrite> {
        let mut found: Vec<FieldWrite> = Vec::new();
        for (index, statement) in self.statements.iter().enumerate().skip(object.index() + 1) {
            match &statement.kind {
                StatementKind::PutField { field, receiver: Some(on), value } if *on == object && *value != object => {
                    if found.iter().any(|write| write.field == *field) {
                        break;
                    }
                    let statement = VarId(index as u32);
                    let is_repeated = args.contains(value) || found.iter().any(|write| write.value == *value);
                    let (part, making) = match &self.statement(*value).kind {
                        StatementKind::Stub { class, kind: StubKind::Mock, .. } if !is_repeated => {
                            (Some(Ingredient::Mock(class.clone())), Vec::new())
                        }
                        StatementKind::Stub { .. } => (None, Vec::new()),
                        _ => match self.closed_value(*value).filter(|(_, making)| self.is_private(making, statement)) {
                            Some((part, making)) => (Some(Ingredient::Value(part)), making),
                            None => (None, Vec::new()),
                        },
                    };
                    found.push(FieldWrite { field: field.clone(), statement, value: *value, part, making });
                }
                kind if kind.uses().contains(&object) => break,
                _ => {}
            }
        }
        found
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
        let (statements, object) = first.construction.statements();
        assert_eq!((statements.to_string(), object), (shop("2", ""), VarId(4)));
    }

    /// A test that makes a shop and then writes fields of it.
    fn filled(values: &str, writes: &str) -> Made {
        let text = format!("v0: Lp/Shop; = new p/Shop.<init> ()V ()\nv1: Lp/Items; = mock p/Items ()\n{values}{writes}");
        made(&text).expect("a construction")
    }

    #[test]
    fn fields_are_part_of_the_construction_up_to_the_first_use() {
        let items = "v3: V = put p/Shop.items Lp/Items; on v0 value v1\n";
        let limit = "v4: V = put p/Shop.limit I on v0 value v2\n";
        let first = filled("v2: I = int 3\n", &format!("{items}{limit}"));
        assert_eq!(first.construction.injected.len(), 2);
        let expected = "v0: Lp/Items; = mock p/Items ()\nv1: I = int 3\nv2: Lp/Shop; = new p/Shop.<init> ()V ()\n\
                        v3: V = put p/Shop.items Lp/Items; on v2 value v0\nv4: V = put p/Shop.limit I on v2 value v1\n";
        assert_eq!(first.construction.statements().0.to_string(), expected);
        let used = "v4: V = call method p/Shop.open ()V on v0 ()\nv5: V = put p/Shop.limit I on v0 value v2\n";
        let second = filled("v2: I = int 3\n", &format!("{items}{used}"));
        assert_eq!(second.construction.injected.len(), 1);
        assert!(first.fits(&second.construction) && !second.fits(&first.construction));
        let other = filled("v2: I = int 5\n", &format!("{items}{limit}"));
        assert!(other.fits(&first.construction), "a test may write another value");
        let common = common_injections(&[&second, &first, &first, &other]);
        let names: Vec<&str> = common.iter().map(|injected| &*injected.field.name).collect();
        assert_eq!((names, &common[1].part), (vec!["items", "limit"], &first.construction.injected[1].part));
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
