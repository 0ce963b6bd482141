//! The body of one test method. In: an asserted test; out: its lines, in which types are marked
//! names (see `names`), and what they require of the method and the file. The body is planned as a
//! tree first (`plan`), then printed (`print`). `crate::emit::call` knows how javac resolves a
//! call. `shape` replaces the values of a planned body, so that tests can be rows of a table.

mod assertions;
mod calls;
mod class_words;
mod expressions;
mod fixture;
mod fluent;
mod java;
mod jdk_values;
mod layout;
mod local_names;
mod mocks;
mod named_constants;
mod overrides;
mod plan;
mod print;
mod requests;
mod requirements;
mod shape;
mod shared_object;
mod stubs;
mod types;
mod usage;
mod verifications;
mod warnings;

use std::collections::BTreeSet;

use crate::conventions::FileLayout;
use crate::oracle::{Accessibility, AssertedTest};
use crate::program::{ClassName, Program};

pub(crate) use self::fixture::Fixture;
use self::java::Line;
pub(crate) use self::local_names::{free_name, type_role};
pub(crate) use self::plan::{BodyPlan, plan_body};
pub(crate) use self::print::generic;
use self::requirements::Requirements;
pub(crate) use self::shape::{Cell, CellRole, CellValue, Shape};
pub(crate) use self::shared_object::{SET_UP, SharedObject};
pub(crate) use self::warnings::DEPRECATION;
use super::names::mark;
use super::proxies::Proxies;
use super::{Options, Unprintable};

/// A printed method body.
#[derive(Debug)]
pub(crate) struct Body {
    /// Without indentation.
    pub(crate) lines: Vec<String>,
    /// `Exception` or `Throwable`, when the method has to declare it.
    pub(crate) throws: Option<ClassName>,
    /// Names of the warnings of javac that have to be suppressed.
    pub(crate) warnings: BTreeSet<&'static str>,
    /// Simple names of the assertion methods to import.
    pub(crate) assertions: BTreeSet<&'static str>,
    /// Qualified names of the methods of Mockito, spring-test and AssertJ to import.
    pub(crate) mocking: BTreeSet<&'static str>,
    /// The helper method that its stubs need.
    pub(crate) proxies: Option<Proxies>,
    /// Simple names of classes that mean something else somewhere in the body.
    pub(crate) shadowed: BTreeSet<String>,
    /// The fields of the test class that it uses.
    pub(crate) fixture: Option<Fixture>,
}

/// Prints the body of one test.
///
/// # Errors
/// The first reason for which Java source cannot express the test.
pub(crate) fn print_body(access: &Accessibility<'_>, test: &AssertedTest, options: &Options) -> Result<Body, Unprintable> {
    Ok(plan_body(access, test, options, None)?.print(access.program(), &options.layout))
}

impl BodyPlan {
    /// Whether the test uses no other member of the test class but shared fields.
    pub(crate) fn is_self_contained(&self) -> bool {
        !matches!(self.fixture, Some(Fixture::Injected { .. })) && self.requirements.proxies.is_none()
    }

    /// The fields of the test class that the test uses.
    pub(crate) fn fixture(&self) -> Option<&Fixture> {
        self.fixture.as_ref()
    }

    /// Prints the planned body, at most as wide as the layout wants.
    pub(crate) fn print(&self, program: &Program, layout: &FileLayout) -> Body {
        let fixture = self.fixture.clone();
        Body::of(program, layout, (&self.lines, self.action), &self.warnings, fixture)
    }
}

impl Body {
    /// The line that marks the method of the test as deprecated; empty where the test uses nothing deprecated. javac
    /// gives no deprecation warning inside a deprecated method (JLS §9.6.4.6).
    pub(crate) fn deprecated_annotation(&self) -> String {
        let annotation = || format!("    @{}\n", mark(&ClassName::new("java/lang/Deprecated")));
        if self.warnings.contains(DEPRECATION) { annotation() } else { String::new() }
    }

    /// `lines`: with the position of the line that calls the method under test.
    fn of(
        program: &Program,
        layout: &FileLayout,
        (lines, action): (&[Line], Option<usize>),
        warnings: &BTreeSet<&'static str>,
        fixture: Option<Fixture>,
    ) -> Body {
        let (lines, action) = fluent::chained(lines, action);
        let requirements = Requirements::of(program, &lines);
        let mut warnings = warnings.clone();
        if requirements.unchecked {
            warnings.extend(["unchecked", "rawtypes"]);
        }
        Body {
            lines: print::print_lines(&lines, action, layout),
            throws: requirements.throws(program),
            warnings,
            assertions: requirements.assertions,
            mocking: requirements.mocking,
            proxies: requirements.proxies,
            shadowed: requirements.shadowed,
            fixture,
        }
    }
}
