//! The variables of a test that are fields of the test class. In: a test; out: these variables and
//! the fields.
//!
//! Where a test writes private fields and spring-test is missing, Mockito fills them: the fields have
//! `@Mock` and `@InjectMocks`. Tests that make the object under test in the same way share its fields
//! (`shared_object`).

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
pub(crate) enum Fixture {
    /// Mockito fills them before each test.
    Injected {
        /// The class of the object that gets the mocks, and its field.
        object: (ClassName, String),
        /// The type of each mock, by its field, which is named as the one that it is injected into.
        mocks: BTreeMap<String, GenericType>,
    },
    /// The object under test and its mocks.
    Shared,
}

/// The variables of a test that are fields of the test class.
#[derive(Debug)]
pub(super) struct FixtureVariables {
    /// Names of the fields.
    names: BTreeMap<VarId, String>,
    types: BTreeMap<VarId, GenericType>,
    /// Statements that make what the fields hold.
    hidden: BTreeSet<VarId>,
    /// Names of the fields that Mockito fills.
    taken: BTreeSet<String>,
    pub(super) fixture: Fixture,
}

impl FixtureVariables {
    /// The variables; `None` where the test writes no field that only Mockito can write.
    ///
    /// # Errors
    /// `Unprintable::InaccessibleMember` for a field that Mockito cannot fill in this test either.
    pub(super) fn of(access: &Accessibility<'_>, test: &AssertedTest) -> Result<Option<FixtureVariables>, Unprintable> {
        let can_name = |class: &str| access.can_name_class(&ClassName::new(class));
        if can_name(REFLECTION_TEST_UTILS) || !can_name(INJECT_MOCKS) {
            return Ok(None);
        }
        let mut filled: Option<(VarId, FixtureVariables)> = None;
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
            let (known, variables) =
                filled.get_or_insert_with(|| (*object, FixtureVariables::injected(*object, &constructor.owner, &name)));
            let field_name = field.name.to_string();
            let ty = mock_type(access, field, mocked).ok_or_else(refused)?;
            let is_clear = *known == *object
                && is_filled_by_mockito(access.program(), &constructor.owner)
                && is_identifier(&field_name)
                && !variables.taken.contains(&field_name)
                && !variables.names.contains_key(value);
            if !is_clear {
                return Err(refused());
            }
            if let Fixture::Injected { mocks, .. } = &mut variables.fixture {
                mocks.insert(field_name.clone(), ty.clone());
            }
            variables.taken.insert(field_name.clone());
            variables.add(*value, field_name, ty);
        }
        Ok(filled.map(|(_, variables)| variables))
    }

    fn injected(object: VarId, class: &ClassName, name: &str) -> FixtureVariables {
        FixtureVariables {
            names: BTreeMap::from([(object, name.to_string())]),
            types: BTreeMap::new(),
            hidden: BTreeSet::new(),
            taken: BTreeSet::from([name.to_string()]),
            fixture: Fixture::Injected { object: (class.clone(), name.to_string()), mocks: BTreeMap::new() },
        }
    }

    /// No variables yet. No local variable hides a shared field, whether a test uses it or not.
    pub(super) fn of_shared_object() -> FixtureVariables {
        FixtureVariables {
            names: BTreeMap::new(),
            types: BTreeMap::new(),
            hidden: BTreeSet::new(),
            taken: BTreeSet::new(),
            fixture: Fixture::Shared,
        }
    }

    /// The variable stands for the field.
    pub(super) fn add(&mut self, variable: VarId, name: String, ty: GenericType) {
        self.names.insert(variable, name);
        self.types.insert(variable, ty);
    }

    /// The statements make what the fields hold, and are not written where nothing else uses them.
    pub(super) fn hide(&mut self, statements: impl IntoIterator<Item = VarId>) {
        self.hidden.extend(statements);
    }

    /// Whether the statement makes what a field holds.
    pub(super) fn hides(&self, variable: VarId) -> bool {
        self.hidden.contains(&variable)
    }

    /// Whether Mockito fills the fields.
    pub(super) fn is_injected(&self) -> bool {
        matches!(self.fixture, Fixture::Injected { .. })
    }

    /// The name of the field of the test class that the variable stands for.
    pub(super) fn name(&self, variable: VarId) -> Option<&str> {
        self.names.get(&variable).map(String::as_str)
    }

    /// The type of that field, where it does not follow from the test.
    pub(super) fn type_of(&self, variable: VarId) -> Option<&GenericType> {
        self.types.get(&variable)
    }

    /// Names that no local variable may have.
    pub(super) fn taken(&self) -> impl Iterator<Item = &String> {
        self.taken.iter()
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
