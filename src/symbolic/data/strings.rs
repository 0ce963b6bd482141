//! Contents of strings: the UTF-16 units of this run, and terms over the inputs. Flows in: units
//! and terms; flows out: immutable contents that objects share. Must not know which method made
//! them.

use std::rc::Rc;

use crate::expr::TermId;

/// Contents of a `String`.
#[derive(Clone, Debug)]
pub(crate) struct StringContents {
    /// UTF-16 units in this run; `None`: longer than recordings store, or not stored.
    pub(crate) units: Option<Rc<[u16]>>,
    /// The contents over the inputs: the length, and as many characters as have symbols.
    pub(crate) symbolic: Option<Rc<SymbolicString>>,
}

/// A string over the inputs.
#[derive(Clone, Debug)]
pub(crate) struct SymbolicString {
    pub(crate) length: TermId,
    /// Terms of the characters. Those at and behind the length are meaningless.
    pub(crate) characters: Vec<TermId>,
    /// The clause that `length` is at most the number of `characters`; `None`: it always is.
    pub(crate) within: Option<TermId>,
    /// Whether it is a literal of the test case, which the JVM interns.
    pub(crate) is_literal: bool,
}

/// The content of a string in this run, and over the inputs.
#[derive(Clone, Debug)]
pub(crate) struct KnownString {
    pub(crate) units: Rc<[u16]>,
    pub(crate) symbolic: Option<Rc<SymbolicString>>,
}

impl KnownString {
    /// A string of UTF-16 units that does not depend on inputs.
    pub(crate) fn constant(units: impl Into<Rc<[u16]>>) -> KnownString {
        KnownString { units: units.into(), symbolic: None }
    }

    /// A constant string.
    pub(crate) fn of(text: &str) -> KnownString {
        KnownString::constant(text.encode_utf16().collect::<Vec<u16>>())
    }

    /// Whether a method may return a literal for this content, which other code shares.
    pub(crate) fn may_be_literal(&self) -> bool {
        let literals = ["", "true", "false", "null"].map(KnownString::of);
        self.symbolic.as_ref().is_some_and(|symbolic| symbolic.is_literal)
            || literals.iter().any(|literal| literal.units == self.units)
    }

    /// The same content for a new string, which is no literal.
    pub(crate) fn as_result(&self) -> KnownString {
        KnownString { units: self.units.clone(), symbolic: self.symbolic.clone().map(no_literal) }
    }

    /// Whether the string does not depend on inputs.
    pub(crate) fn is_constant(&self) -> bool {
        self.symbolic.is_none()
    }
}

/// The same content with the given answer to whether the JVM interns the string (JLS §3.10.5).
pub(crate) fn with_literal(symbolic: Rc<SymbolicString>, is_literal: bool) -> Rc<SymbolicString> {
    match symbolic.is_literal == is_literal {
        true => symbolic,
        false => Rc::new(SymbolicString { is_literal, ..SymbolicString::clone(&symbolic) }),
    }
}

/// The same content for a string that the JVM does not intern.
pub(crate) fn no_literal(symbolic: Rc<SymbolicString>) -> Rc<SymbolicString> {
    with_literal(symbolic, false)
}
