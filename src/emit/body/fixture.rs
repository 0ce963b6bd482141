//! Objects that Mockito fills: fields of the test class with `@Mock` and `@InjectMocks`. In: a
//! test; out: the variables that stand for fields of the test class, and the fields. It applies
//! where a test writes private fields and spring-test is missing.

use std::collections::{BTreeMap, BTreeSet};

use crate::emit::Unprintable;
use crate::oracle::{Accessibility, AssertedTest, is_identifier};
use crate::program::cluster::REFLECTION_TEST_UTILS;
use crate::program::{ClassName, FieldRef, GenericType, Program};
use crate::testcase::{StatementKind, StubKind, VarId};

use super::local_names::type_role;
use super::types::can_write;

/// The annotation of an object that gets the mocks of the test class.
const INJECT_MOCKS: &str = "org/mockito/InjectMocks";

/// The fields of the test class that a test needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fixture {
    /// The class of the object that gets the mocks, and its field.
    pub(crate) object: (ClassName, String),
    /// The type of each mock, by its field, which is named as the one that it is injected into.
    pub(crate) mocks: BTreeMap<String, GenericType>,
}

/// The variables of a test that are fields of the test class.
#[derive(Debug)]
pub(super) struct FixtureVariables {
    object: VarId,
    /// Names of the fields, by mock.
    mocks: BTreeMap<VarId, String>,
    pub(super) fixture: Fixture,
}

impl FixtureVariables {
    /// The variables; `None` where the test writes no field that only Mockito can write.
    ///
    /// # Errors
    /// `Unprintable::InaccessibleMember` for a field that Mockito cannot fill in this test either.
    pub(super) fn of(access: &Accessibility<'_>, test: &AssertedTest) -> Result<Option<FixtureVariables>, Unprintable> {
        let can_name = |class: &str| access.can_name_class(&ClassName::new(class));
        let mut found: Option<FixtureVariables> = None;
        let mut filled = BTreeSet::new();
        if can_name(REFLECTION_TEST_UTILS) || !can_name(INJECT_MOCKS) {
            return Ok(None);
        }
        for statement in &test.test.statements {
            let StatementKind::PutField { field, receiver: Some(object), value } = &statement.kind else { continue };
            if !is_hidden(access, field) {
                continue;
            }
            let refused = || Unprintable::InaccessibleMember(field.to_string());
            let StatementKind::Construct { constructor, .. } = &test.test.statement(*object).kind else { return Err(refused()) };
            let StatementKind::Stub { class: mocked, kind: StubKind::Mock, .. } = &test.test.statement(*value).kind else {
                return Err(refused());
            };
            let name = type_role(test.test.type_of(*object));
            let variables = found.get_or_insert_with(|| FixtureVariables {
                object: *object,
                mocks: BTreeMap::new(),
                fixture: Fixture { object: (constructor.owner.clone(), name.clone()), mocks: BTreeMap::new() },
            });
            let field_name = field.name.to_string();
            let ty = mock_type(access, field, mocked).ok_or_else(refused)?;
            let is_clear = variables.object == *object
                && is_filled_by_mockito(access.program(), &constructor.owner)
                && is_identifier(&field_name)
                && field_name != name
                && filled.insert(field_name.clone())
                && variables.mocks.insert(*value, field_name.clone()).is_none();
            if !is_clear {
                return Err(refused());
            }
            variables.fixture.mocks.insert(field_name, ty);
        }
        Ok(found)
    }

    /// The field of the test class that the variable stands for.
    pub(super) fn name(&self, variable: VarId) -> Option<&str> {
        if variable == self.object {
            return Some(&self.fixture.object.1);
        }
        self.mocks.get(&variable).map(String::as_str)
    }

    /// The type of the field of the test class that the mock stands for.
    pub(super) fn type_of(&self, variable: VarId) -> Option<&GenericType> {
        self.fixture.mocks.get(self.mocks.get(&variable)?)
    }

    /// Names that no local variable may have.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.fixture.object.1).chain(self.fixture.mocks.keys())
    }
}

/// Whether a test cannot name the field, an instance field that is not final.
pub(super) fn is_hidden(access: &Accessibility<'_>, field: &FieldRef) -> bool {
    access.program().resolve_field_ref(field).is_some_and(|found| {
        let flags = found.field().access;
        !access.can_use_field(&found) && !flags.is_static() && !flags.is_final() && !flags.is_synthetic()
    })
}

/// The type that a mock for the field is declared with; `None` where not every version of Mockito
/// matches it with the field.
fn mock_type(access: &Accessibility<'_>, field: &FieldRef, mocked: &ClassName) -> Option<GenericType> {
    let program = access.program();
    let parameters = program.class(mocked)?.signature.parameters.len();
    let declared = program.resolve_field_ref(field)?.field().generic.clone();
    if parameters == 0 {
        return Some(GenericType::class(mocked.clone()));
    }
    let is_same = declared.class_name() == Some(mocked) && declared.arguments().len() == parameters;
    let is_class = |ty: &GenericType| matches!(ty, GenericType::Class { .. }) && can_write(access, ty);
    (is_same && is_class(&declared) && declared.arguments().iter().all(is_class)).then_some(declared)
}

/// Whether Mockito calls the constructor without parameters and then fills fields. With parameters,
/// it fills nothing else.
fn is_filled_by_mockito(program: &Program, class: &ClassName) -> bool {
    let Some(class) = program.class(class) else { return false };
    let mut constructors = class.methods.iter().filter(|method| method.is_constructor());
    !class.is_inner() && constructors.all(|constructor| constructor.parameters.is_empty())
}
