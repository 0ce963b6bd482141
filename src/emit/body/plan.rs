//! Plans the body of one test method. In: an asserted test; out: a [`BodyPlan`], the Java tree of
//! the body and what it requires of its surroundings. Must not know text or names of imports.
//!
//! A plan is made of four immutable parts, each computed from those before it: usage, names, types,
//! lines. Only the lines tell which variables have to be declared raw. They then get new types and
//! lines, until a plan requires no raw variable beyond those that it has. The set of raw variables
//! grows with each plan, so that this ends.

use std::collections::BTreeSet;

use crate::emit::{Options, Unprintable};
use crate::oracle::{Accessibility, AssertedTest};
use crate::program::{ClassName, JavaType, Program};
use crate::testcase::VarId;

use super::fixture::{Fixture, FixtureVariables};
use super::java::{Expr, Line};
use super::local_names::LocalNames;
use super::requests::ChainedRequest;
use super::requirements::Requirements;
use super::shared_object::SharedObject;
use super::types::VariableTypes;
use super::usage::Usage;
use super::warnings::caused_warnings;

/// The planned body of one test method.
#[derive(Debug)]
pub(crate) struct BodyPlan {
    pub(super) lines: Vec<Line>,
    /// Position of the line that calls the method under test, unless an assertion holds the call.
    pub(super) action: Option<usize>,
    pub(super) requirements: Requirements,
    /// Names of warnings of javac that the test causes by what it uses.
    pub(super) warnings: BTreeSet<&'static str>,
    /// The fields of the test class that it uses.
    pub(super) fixture: Option<Fixture>,
}

/// Plans the body of the test. `shared`: the object under test of the test class, for tests that make
/// theirs in the same way.
///
/// # Errors
/// The first reason for which Java source cannot express the test.
pub(crate) fn plan_body(
    access: &Accessibility<'_>,
    test: &AssertedTest,
    options: &Options,
    shared: Option<&SharedObject>,
) -> Result<BodyPlan, Unprintable> {
    let injected = FixtureVariables::of(access, test)?;
    let fixture = injected.or_else(|| shared?.variables_of(access, test));
    let usage = Usage::of(access.program(), test, fixture.as_ref());
    let fields = shared.into_iter().flat_map(SharedObject::names);
    let names = LocalNames::of(&usage, fixture.as_ref(), fields);
    let request = ChainedRequest::of(access.program(), &usage);
    let mut raw = BTreeSet::new();
    loop {
        let types = VariableTypes::of(access, &usage, fixture.as_ref(), &raw)?;
        let (request, fixture) = (request.as_ref(), fixture.as_ref());
        let planner = Planner { access, options, usage: &usage, names: &names, types: &types, request, fixture };
        let (lines, action) = planner.plan_lines()?;
        let requirements = Requirements::of(access.program(), &lines);
        if requirements.raw.is_subset(&raw) {
            let warnings = caused_warnings(access.program(), &usage, options.release);
            let fixture = fixture.map(|variables| variables.fixture.clone());
            return Ok(BodyPlan { lines, action, requirements, warnings, fixture });
        }
        // A field keeps its type.
        let shared = fixture.filter(|fixture| !fixture.is_injected());
        if shared.is_some_and(|shared| requirements.raw.iter().any(|variable| shared.name(*variable).is_some())) {
            return plan_body(access, test, options, None);
        }
        raw.extend(&requirements.raw);
    }
}

/// The facts that planning the lines reads. Its methods stand with the kind of code that they plan:
/// `layout`, `expressions`, `calls`, `stubs`, `mocks`, `assertions`, `requests`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planner<'a> {
    pub(super) access: &'a Accessibility<'a>,
    pub(super) options: &'a Options,
    pub(super) usage: &'a Usage<'a>,
    pub(super) names: &'a LocalNames,
    pub(super) types: &'a VariableTypes,
    /// The request that the test sends, if one chain expresses it.
    pub(super) request: Option<&'a ChainedRequest>,
    /// The variables that are fields of the test class.
    pub(super) fixture: Option<&'a FixtureVariables>,
}

impl<'a> Planner<'a> {
    /// The program that the test uses.
    pub(super) fn program(&self) -> &'a Program {
        self.access.program()
    }

    /// The test that is planned.
    pub(super) fn test(&self) -> &'a AssertedTest {
        self.usage.test()
    }

    /// The erased declared type of a variable.
    pub(super) fn declared_erasure(&self, variable: VarId) -> JavaType {
        self.types.declared(variable).erase(&[])
    }

    /// The type, if the test can name it.
    ///
    /// # Errors
    /// `Unprintable::InaccessibleType` otherwise.
    pub(super) fn named(&self, ty: &JavaType) -> Result<JavaType, Unprintable> {
        if self.access.can_name(ty) { Ok(ty.clone()) } else { Err(Unprintable::InaccessibleType(ty.to_string())) }
    }

    /// The class, if the test can name it.
    ///
    /// # Errors
    /// `Unprintable::InaccessibleType` otherwise.
    pub(super) fn named_class(&self, class: &ClassName) -> Result<ClassName, Unprintable> {
        self.named(&JavaType::Class(class.clone())).map(|_| class.clone())
    }

    /// `((T) value)` for a type that the test can name.
    pub(super) fn cast_primary(&self, value: Expr, to: &JavaType) -> Result<Expr, Unprintable> {
        Ok(value.cast_primary(self.named(to)?))
    }
}
