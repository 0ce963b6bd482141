//! What a reader pays for a test. In: an asserted test; out: a cost in statements. Must not know what
//! the test shows.

use super::AssertedTest;
use crate::program::{ClassName, JavaType};
use crate::testcase::{StatementKind, VarId};

/// What a reader pays for any test, and for one that ends with an exception, in statements.
const COST_OF_TEST: u32 = 4;
const COST_OF_EXCEPTION: u32 = 2;
/// What a reader pays for a call of a method under test whose result the test ignores: it looks like
/// another test.
const COST_OF_IGNORED: u32 = 8;
/// What a reader pays for a part that has no object in common with the others: more than for a test of its own.
const COST_OF_PART: u32 = COST_OF_TEST + 2;

/// What a reader pays for a call that gives an object to itself, or one object twice: such values look like a mistake.
const COST_OF_ITSELF: u32 = 3;

impl AssertedTest {
    /// How much a reader of the test has to take in, in statements.
    pub(crate) fn reading_cost(&self) -> u32 {
        let ignored = self.ignored_calls().count() as u32;
        let of_end = if self.expected.is_some() { COST_OF_EXCEPTION } else { 0 };
        let of_itself = if self.gives_twice() { COST_OF_ITSELF } else { 0 };
        COST_OF_TEST + self.acted + COST_OF_IGNORED * ignored + COST_OF_PART * self.further_parts() + of_end + of_itself
    }

    /// Whether a reader takes the test for several.
    pub(crate) fn is_several(&self) -> bool {
        self.further_parts() > 0 || self.ignored_calls().next().is_some()
    }

    /// The calls before the last one whose results the test ignores.
    pub(crate) fn ignored_calls(&self) -> impl Iterator<Item = VarId> + '_ {
        (0..self.acted.saturating_sub(1)).map(VarId).filter(|call| self.ignores_result(*call))
    }

    /// The number of parts that have no object in common with the last one.
    fn further_parts(&self) -> u32 {
        let mut own = self.test.clone();
        own.truncate(self.acted as usize);
        own.parts().len().saturating_sub(1) as u32
    }

    /// Whether the last call gets one object twice.
    fn gives_twice(&self) -> bool {
        let Some(call) = self.acted.checked_sub(1).map(VarId) else { return false };
        let given = self.test.statement(call).kind.uses();
        let is_object = |value: &&VarId| self.test.type_of(**value).is_reference() && self.test.literal(**value).is_none();
        let objects: Vec<&VarId> = given.iter().filter(is_object).collect();
        objects.iter().enumerate().any(|(place, object)| objects[..place].contains(object))
    }

    /// Whether the statement calls a method of the class under test, or of a class nested in it, for a result that the
    /// test ignores.
    fn ignores_result(&self, call: VarId) -> bool {
        let StatementKind::Call { method, .. } = &self.test.statement(call).kind else { return false };
        let is_own = self.target.as_ref().is_some_and(|target| file_of(&target.owner) == file_of(&method.owner));
        let returns = method.return_type();
        // A method that returns an object of its class is often called to change one: `append`.
        let is_query = returns != JavaType::Void && returns != JavaType::Class(method.owner.clone());
        let is_used = || self.test.users(call).next().is_some();
        is_own && is_query && !is_used() && !self.assertions.iter().any(|assertion| assertion.subject == call)
    }
}

/// The name of the class that the file of a class is named after: `p/Map` of `p/Map$Node`.
fn file_of(class: &ClassName) -> &str {
    class.internal().split('$').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_whose_result_is_ignored_costs_more() {
        let cost = |first: &str| {
            let text = format!(
                "target p/Shop.close ()I\nv0: Lp/Shop; = new p/Shop.<init> ()V ()\nv1: {first} on v0 ()\n\
                 v2: I = call method p/Shop.close ()I on v0 ()\nassert v2 equals int 4\n"
            );
            text.parse::<AssertedTest>().expect("well-formed").reading_cost()
        };
        assert_eq!(cost("V = call method p/Shop.open ()V"), 7);
        assert_eq!(cost("Lp/Shop; = call method p/Shop.open ()Lp/Shop;"), 7);
        assert_eq!(cost("I = call method p/Shop.open ()I"), 15);
        assert_eq!(cost("I = call method p/Shop$Till.open ()I"), 15);
        assert_eq!(cost("I = call method p/Other.open ()I"), 7);
    }

    #[test]
    fn an_object_that_is_given_to_itself_costs_more() {
        let cost = |given: &str| {
            let text = format!(
                "target p/Shop.equals (Ljava/lang/Object;)Z\nv0: Lp/Shop; = new p/Shop.<init> ()V ()\n\
                 v1: Lp/Shop; = call method p/Shop.copy ()Lp/Shop; on v0 ()\n\
                 v2: Z = call method p/Shop.equals (Ljava/lang/Object;)Z on v0 ({given})\nassert v2 equals true\n"
            );
            text.parse::<AssertedTest>().expect("well-formed").reading_cost()
        };
        assert_eq!(cost("v0"), cost("v1") + COST_OF_ITSELF);
    }

    #[test]
    fn a_part_of_its_own_costs_more_than_a_test_of_its_own() {
        let cost = |text: &str| text.parse::<AssertedTest>().expect("well-formed").reading_cost();
        let [open, close] = ["open", "close"].map(|name| format!("call method p/Shop.{name} ()Lp/Shop; ()\n"));
        let apart = cost(&format!("target p/Shop.open ()Lp/Shop;\nv0: Lp/Shop; = {open}"))
            + cost(&format!("target p/Shop.close ()Lp/Shop;\nv0: Lp/Shop; = {close}"));
        assert!(cost(&format!("target p/Shop.close ()Lp/Shop;\nv0: Lp/Shop; = {open}v1: Lp/Shop; = {close}")) > apart);
    }
}
