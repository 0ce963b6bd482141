//! The body of one test method. In: an asserted test; out: its lines, in which types are marked
//! names (see `names`), and what they require of the method and the file. The body is planned as a
//! tree first (`plan`), then printed (`print`). `crate::emit::call` knows how javac resolves a
//! call.

mod assertions;
mod calls;
mod expressions;
mod fixture;
mod java;
mod layout;
mod local_names;
mod mocks;
mod overrides;
mod plan;
mod print;
mod requests;
mod requirements;
mod stubs;
mod types;
mod usage;
mod verifications;
mod warnings;

use std::collections::BTreeSet;

use crate::oracle::{Accessibility, AssertedTest};
use crate::program::ClassName;

pub(crate) use self::fixture::Fixture;
pub(crate) use self::print::generic;
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
    /// Qualified names of the methods of Mockito and spring-test to import.
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
    let plan = plan::plan_body(access, test, options)?;
    let requirements = plan.requirements;
    let mut warnings = plan.warnings;
    if requirements.unchecked {
        warnings.extend(["unchecked", "rawtypes"]);
    }
    Ok(Body {
        lines: print::print_lines(&plan.lines),
        throws: requirements.throws(access.program()),
        warnings,
        assertions: requirements.assertions,
        mocking: requirements.mocking,
        proxies: requirements.proxies,
        shadowed: requirements.shadowed,
        fixture: plan.fixture,
    })
}
