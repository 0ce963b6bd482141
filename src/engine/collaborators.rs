//! The same collaborators for all tests of a class.
//!
//! In: the chosen tests. Out: for each test that makes its object under test in another way than most
//! do, the test with the arguments of those, and with the fields that those write. Must not know whether
//! it then still shows the same.
//!
//! A search leaves null where a test needs no collaborator, and takes any clock. Where all tests
//! make the object under test in one way, it and its mocks become fields of the test class.

use crate::oracle::AssertedTest;
use crate::program::ClassName;
use crate::testcase::{Construction, Ingredient, Injected, Made, VarId, common_injections, most_common};

/// The construction to use in all tests: the constructor that most tests call, each argument as most of
/// them have it that give something, and every field that any of them writes. `None` without mocks.
pub(super) fn common_construction(tests: &[&AssertedTest], class: &ClassName) -> Option<Construction> {
    let made: Vec<Made> = tests.iter().filter_map(|test| test.test.construction_of(class)).collect();
    let constructor = most_common(made.iter().map(|made| &made.construction.constructor))?.clone();
    let alike: Vec<&Made> = made.iter().filter(|made| made.construction.constructor == constructor).collect();
    let parts = (0..constructor.parameters().len()).map(|position| {
        let given = alike.iter().map(|made| &made.construction.parts[position]);
        most_common(given.clone().filter(|part| !part.is_null())).or_else(|| given.clone().next()).cloned()
    });
    let parts = parts.collect::<Option<_>>()?;
    let common = Construction { parts, constructor, injected: common_injections(&alike) };
    common.has_mocks().then_some(common)
}

/// The test with the arguments and the fields of the common construction; `None` where it has them, where
/// it makes its object otherwise, and where it is about an argument: a mock or an object in place of a
/// mock. A field that it writes itself stays as it is.
pub(super) fn with_common_arguments(test: &AssertedTest, class: &ClassName, common: &Construction) -> Option<AssertedTest> {
    let made = test.test.construction_of(class).filter(|made| made.construction.constructor == common.constructor)?;
    let is_about_construction = made.object.0 + 1 >= test.acted || test.target.as_ref() == Some(&common.constructor);
    if is_about_construction || test.undoing > 0 || !test.resets.is_empty() {
        return None;
    }
    let mut exchanged: Vec<(usize, &Ingredient)> = Vec::new();
    for (position, (own, wanted)) in made.construction.parts.iter().zip(&common.parts).enumerate() {
        match (own, wanted) {
            (own, wanted) if own == wanted => {}
            (own, _) if own.is_null() => exchanged.push((position, wanted)),
            (Ingredient::Value(_), Ingredient::Value(_)) => exchanged.push((position, wanted)),
            _ => return None,
        }
    }
    let is_written = |injected: &&Injected| made.writes.iter().any(|write| write.field == injected.field);
    let missing: Vec<&Injected> = common.injected.iter().filter(|injected| !is_written(injected)).collect();
    let values: Vec<VarId> = made.making;
    let filled = if missing.is_empty() { test.clone() } else { test.with_fields(made.object, &missing) };
    match exchanged.is_empty() {
        false => Some(filled.with_arguments(made.object, &exchanged, &values)),
        true => (!missing.is_empty()).then_some(filled),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test of a shop that is made of these items and this clock.
    fn shop(items: &str, clock: &str) -> AssertedTest {
        let text = format!(
            "target p/Shop.open ()I\nv0: Lp/Items; = {items}\nv1: Ljava/time/Clock; = {clock}\n\
             v2: Lp/Shop; = new p/Shop.<init> (Lp/Items;Ljava/time/Clock;)V (v0, v1)\n\
             v3: I = call method p/Shop.open ()I on v2 ()\nassert v3 equals int 4\n"
        );
        text.parse().expect("well-formed")
    }

    const UTC: &str = "call method java/time/Clock.systemUTC ()Ljava/time/Clock; ()";

    #[test]
    fn null_gives_way_to_what_most_tests_give() {
        let tests = [shop("mock p/Items ()", "null"), shop("null", UTC), shop("mock p/Items ()", UTC)];
        let class = ClassName::new("p/Shop");
        let common = common_construction(&tests.iter().collect::<Vec<_>>(), &class).expect("a construction");
        let changed = [0, 1, 2].map(|place| with_common_arguments(&tests[place], &class, &common));
        let expected = "\
target p/Shop.open ()I
v0: Lp/Items; = mock p/Items ()
v1: Ljava/time/Clock; = call method java/time/Clock.systemUTC ()Ljava/time/Clock; ()
v2: Lp/Shop; = new p/Shop.<init> (Lp/Items;Ljava/time/Clock;)V (v0, v1)
v3: I = call method p/Shop.open ()I on v2 ()
assert v3 equals int 4
";
        assert_eq!(changed[0].as_ref().map(ToString::to_string).as_deref(), Some(expected));
        // The mock stands behind what the test already had.
        let behind = changed[1].as_ref().map(ToString::to_string).unwrap_or_default();
        assert!(behind.contains("v1: Lp/Items; = mock p/Items ()") && behind.contains("(v1, v0)"), "{behind}");
        assert_eq!(changed[2], None);
    }

    #[test]
    fn fields_that_only_some_tests_write_are_written_in_all() {
        let test = |writes: &str, call: u32| -> AssertedTest {
            let text = format!(
                "target p/Shop.open ()I\nv0: Lp/Items; = mock p/Items ()\nv1: I = int 3\n\
                 v2: Lp/Shop; = new p/Shop.<init> ()V ()\n{writes}\
                 v{call}: I = call method p/Shop.open ()I on v2 ()\nassert v{call} equals int 4\n"
            );
            text.parse().expect("well-formed")
        };
        let items = "v3: V = put p/Shop.items Lp/Items; on v2 value v0\n";
        let tests = [test(items, 4), test("", 3), test("v3: V = put p/Shop.limit I on v2 value v1\n", 4)];
        let class = ClassName::new("p/Shop");
        let common = common_construction(&tests.iter().collect::<Vec<_>>(), &class).expect("a construction");
        let changed = with_common_arguments(&tests[1], &class, &common).expect("another test");
        let expected = "\
target p/Shop.open ()I
v0: Lp/Items; = mock p/Items ()
v1: I = int 3
v2: Lp/Shop; = new p/Shop.<init> ()V ()
v3: Lp/Items; = mock p/Items ()
v4: I = int 3
v5: V = put p/Shop.items Lp/Items; on v2 value v3
v6: V = put p/Shop.limit I on v2 value v4
v7: I = call method p/Shop.open ()I on v2 ()
assert v7 equals int 4
";
        assert_eq!(changed.to_string(), expected);
        assert_eq!(with_common_arguments(&changed, &class, &common), None);
    }

    #[test]
    fn a_test_with_an_object_in_place_of_a_mock_stays() {
        let tests = [shop("mock p/Items ()", UTC), shop("mock p/Items ()", UTC), shop("new p/Items.<init> ()V ()", UTC)];
        let class = ClassName::new("p/Shop");
        let common = common_construction(&tests.iter().collect::<Vec<_>>(), &class).expect("a construction");
        assert_eq!(with_common_arguments(&tests[2], &class, &common), None);
    }
}
