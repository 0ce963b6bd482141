//! Equality and identity of string objects. Flows in: objects; flows out: the answer of this run
//! and the clause that decides it. Must not know which instruction or method compares.

use crate::expr::TermId;
use crate::symbolic::completion::InterpResult;
use crate::symbolic::context::ModelContext;
use crate::symbolic::data::objects::{ObjectBody, ObjectId, Slot, StringContents};

impl ModelContext<'_, '_> {
    /// Whether two string objects have equal content, with the clause that says so where inputs
    /// decide it; `None` where one content is unknown or too long.
    pub(crate) fn strings_equal(&mut self, a: ObjectId, b: ObjectId) -> InterpResult<Option<(bool, Option<TermId>)>> {
        let (Some(a), Some(b)) = (self.known_string(a), self.known_string(b)) else { return Ok(None) };
        self.known_strings_equal(&a, &b)
    }

    /// Reference equality of objects that the JVM shares: string literals (JLS §3.10.5) are
    /// identical where their contents are equal, cached boxes where their values are. `None` where
    /// the contents do not decide.
    pub(crate) fn shared_equal(&mut self, a: Slot, b: Slot) -> InterpResult<Option<(bool, Option<TermId>)>> {
        let (x, y) = (a.object(), b.object());
        if x == y {
            return Ok(None);
        }
        if !self.is_literal(x) || !self.is_literal(y) {
            return Ok(self.boxes_are_identical(a, b));
        }
        let (Some(x), Some(y)) = (self.known_string(x), self.known_string(y)) else { return Ok(None) };
        self.known_strings_equal(&x, &y)
    }

    /// Whether a method computed the string from inputs.
    pub(crate) fn is_computed_string(&self, object: ObjectId) -> bool {
        matches!(&self.object(object).body, ObjectBody::Str(StringContents { symbolic: Some(symbolic), .. }) if !symbolic.is_literal)
    }

    fn is_literal(&self, object: ObjectId) -> bool {
        match &self.object(object).body {
            ObjectBody::Str(StringContents { symbolic: Some(symbolic), .. }) => symbolic.is_literal,
            ObjectBody::Str(StringContents { units: Some(units), .. }) => self.heap.interned(units) == Some(object),
            _ => false,
        }
    }
}
