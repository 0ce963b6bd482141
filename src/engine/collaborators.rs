//! The same collaborators for all tests of a class.
//!
//! In: the chosen tests. Out: for each test that makes its object under test in another way than most
//! do, the test with the arguments of those, and with the fields that those write. Must not know whether
//! it then still shows the same.
//!
//! A search leaves null where a test needs no collaborator, and takes any clock, any mock, or an object
//! of a class that happens to be there. Where all tests make the object under test in one way, it and
//! its mocks become fields of the test class.

use crate::oracle::AssertedTest;
use crate::program::ClassName;
use crate::testcase::{Construction, Ingredient, Injected, Made, StatementKind, StubKind, common_injections, most_common};

/// A mock whose methods return something goes before objects of a class where at least one test needs
/// the mock for so many that have such an object.
const OBJECTS_FOR_A_MOCK: usize = 4;

/// Constructions that are tried in place of the common one.
const MOST_OTHERS: usize = 3;

/// The constructions to try in all tests, the best first: the common one, and those with one argument as
/// fewer tests have it. A text that one test does not read may be an address that others need.
pub(super) fn common_constructions(
    tests: &[&AssertedTest],
    class: &ClassName,
    is_silent: &dyn Fn(&ClassName) -> bool,
) -> Vec<Construction> {
    let Some(common) = common_construction(tests, class, is_silent) else { return Vec::new() };
    let mut found = vec![common.clone()];
    for made in tests.iter().filter_map(|test| test.test.construction_of(class)) {
        if made.construction.constructor != common.constructor {
            continue;
        }
        for (position, part) in made.construction.parts.iter().enumerate() {
            let is_value = matches!((part, &common.parts[position]), (Ingredient::Value(_), Ingredient::Value(_)));
            let mut other = common.clone();
            other.parts[position] = part.clone();
            if is_value && !part.is_null() && !found.contains(&other) {
                found.push(other);
            }
        }
    }
    found.truncate(1 + MOST_OTHERS);
    found
}

/// How many of the tests make their object so.
pub(super) fn count_made_by(tests: &[&AssertedTest], class: &ClassName, construction: &Construction) -> usize {
    tests.iter().filter(|test| test.test.construction_of(class).is_some_and(|made| made.construction == *construction)).count()
}

/// The construction to use in all tests: the constructor that most tests call, each argument as most of
/// them have it that give something, and every field that any of them writes. `None` without mocks.
///
/// `is_silent`: whether no method of the class returns anything, so that a mock does as well as an object.
pub(super) fn common_construction(
    tests: &[&AssertedTest],
    class: &ClassName,
    is_silent: &dyn Fn(&ClassName) -> bool,
) -> Option<Construction> {
    let made: Vec<(&AssertedTest, Made)> =
        tests.iter().filter_map(|test| Some((*test, test.test.construction_of(class)?))).collect();
    let constructor = most_common(made.iter().map(|(_, made)| &made.construction.constructor))?.clone();
    let alike: Vec<(&AssertedTest, &Made)> =
        made.iter().filter(|(_, made)| made.construction.constructor == constructor).map(|(test, made)| (*test, made)).collect();
    let parts = (0..constructor.parameters().len()).map(|position| common_part(&alike, position, is_silent).cloned());
    let parts = parts.collect::<Option<_>>()?;
    let alike: Vec<&Made> = alike.iter().map(|(_, made)| *made).collect();
    let common = Construction { parts, constructor, injected: common_injections(&alike) };
    common.has_mocks().then_some(common)
}

/// The argument at this position to use in all tests.
fn common_part<'m>(
    made: &[(&AssertedTest, &'m Made)],
    position: usize,
    is_silent: &dyn Fn(&ClassName) -> bool,
) -> Option<&'m Ingredient> {
    let given = made.iter().map(|(_, made)| &made.construction.parts[position]);
    let is_object = |part: &&Ingredient| matches!(part, Ingredient::Value(_)) && !part.is_null();
    let needed = || made.iter().filter(|(test, made)| needs_mock(test, made, position));
    let most_needed = most_common(needed().map(|(_, made)| &made.construction.parts[position])).filter(|mock| {
        let is_usual = || needed().count() * OBJECTS_FOR_A_MOCK >= given.clone().filter(is_object).count();
        matches!(mock, Ingredient::Mock(class) if is_silent(class)) || is_usual()
    });
    most_needed.or_else(|| most_common(given.clone().filter(|part| !part.is_null()))).or_else(|| given.clone().next())
}

/// Whether the argument is a mock that the test tells an answer, or that an assertion is about.
fn needs_mock(test: &AssertedTest, made: &Made, position: usize) -> bool {
    let variable = made.args[position];
    match &test.test.statement(variable).kind {
        StatementKind::Stub { kind: StubKind::Mock, answers, .. } => !answers.is_empty() || test.is_mentioned(variable),
        _ => false,
    }
}

/// The test with the arguments and the fields of the common construction; `None` where it has them, where
/// it makes its object otherwise, and where it needs a mock of its own. A field that it writes itself
/// stays as it is.
pub(super) fn with_common_arguments(test: &AssertedTest, class: &ClassName, common: &Construction) -> Option<AssertedTest> {
    let made = test.test.construction_of(class).filter(|made| made.construction.constructor == common.constructor)?;
    let is_about_construction = made.object.0 + 1 >= test.acted || test.target.as_ref() == Some(&common.constructor);
    if is_about_construction || test.undoing > 0 {
        return None;
    }
    let mut exchanged: Vec<(usize, &Ingredient)> = Vec::new();
    let mut values = made.making.clone();
    for (position, (own, wanted)) in made.construction.parts.iter().zip(&common.parts).enumerate() {
        if own == wanted {
            continue;
        }
        if needs_mock(test, &made, position) {
            return None;
        }
        exchanged.push((position, wanted));
        if matches!(own, Ingredient::Mock(_)) {
            values.push(made.args[position]);
        }
    }
    let is_written = |injected: &&Injected| made.writes.iter().any(|write| write.field == injected.field);
    let missing: Vec<&Injected> = common.injected.iter().filter(|injected| !is_written(injected)).collect();
    let filled = if missing.is_empty() { test.clone() } else { test.with_fields(made.object, &missing) };
    match exchanged.is_empty() {
        false => Some(filled.with_arguments(made.object, &exchanged, &values)),
        true => (!missing.is_empty()).then_some(filled),
    }
}

/// As [`with_common_arguments`], for a test that needs other values in its fields than most tests write:
/// with each of these values in turn as it was, then with all of them.
pub(super) fn with_own_values(test: &AssertedTest, class: &ClassName, common: &Construction) -> Vec<AssertedTest> {
    let Some(made) = test.test.construction_of(class) else { return Vec::new() };
    let is_written = |injected: &Injected| made.writes.iter().any(|write| write.field == injected.field);
    let missing: Vec<usize> = (0..common.injected.len())
        .filter(|place| !is_written(&common.injected[*place]) && !common.injected[*place].part.is_mock())
        .collect();
    let with_zeros = |places: &[usize]| {
        let mut construction = common.clone();
        for place in places {
            let injected = &mut construction.injected[*place];
            injected.part = Ingredient::zero_of(&injected.field.field_type())?;
        }
        with_common_arguments(test, class, &construction)
    };
    let one_each = missing.iter().filter_map(|place| with_zeros(&[*place]));
    let all = if missing.len() > 1 { with_zeros(&missing) } else { None };
    one_each.chain(all).collect()
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
        let common = common_construction(&tests.iter().collect::<Vec<_>>(), &class, &|_| false).expect("a construction");
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
        let common = common_construction(&tests.iter().collect::<Vec<_>>(), &class, &|_| false).expect("a construction");
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
    fn a_field_that_must_not_be_set_keeps_its_value() {
        let shop = |writes: &str, call: u32| -> AssertedTest {
            let text = format!(
                "target p/Shop.open ()V\nv0: Lp/Items; = mock p/Items ()\nv1: I = int 3\n\
                 v2: Lp/Shop; = new p/Shop.<init> ()V ()\n{writes}v{call}: V = call method p/Shop.open ()V on v2 ()\n"
            );
            text.parse().expect("well-formed")
        };
        let both = shop("v3: V = put p/Shop.items Lp/Items; on v2 value v0\nv4: V = put p/Shop.limit I on v2 value v1\n", 5);
        let (neither, class) = (shop("", 3), ClassName::new("p/Shop"));
        let common = common_construction(&[&both, &both, &neither], &class, &|_| false).expect("a construction");
        let changed = with_own_values(&neither, &class, &common);
        let expected =
            "v4: I = int 0\nv5: V = put p/Shop.items Lp/Items; on v2 value v3\nv6: V = put p/Shop.limit I on v2 value v4\n";
        assert!(matches!(&changed[..], [only] if only.to_string().contains(expected)), "{changed:?}");
        assert_eq!(with_common_arguments(&changed[0], &class, &common), None);
    }

    #[test]
    fn objects_and_idle_mocks_give_way_to_a_mock_that_a_test_needs() {
        let [real, other] = ["new p/Items.<init> ()V ()", "mock p/Others ()"].map(|items| shop(items, UTC));
        let needing = format!("{}assert v0 called 1 p/Items.count ()I ()\n", shop("mock p/Items ()", UTC));
        let needing: AssertedTest = needing.parse().expect("well-formed");
        let class = ClassName::new("p/Shop");
        let common = common_construction(&[&real, &real, &real, &needing, &other], &class, &|_| false).expect("a construction");
        let expected = "\
target p/Shop.open ()I
v0: Ljava/time/Clock; = call method java/time/Clock.systemUTC ()Ljava/time/Clock; ()
v1: Lp/Items; = mock p/Items ()
v2: Lp/Shop; = new p/Shop.<init> (Lp/Items;Ljava/time/Clock;)V (v1, v0)
v3: I = call method p/Shop.open ()I on v2 ()
assert v3 equals int 4
";
        for changing in [&real, &other] {
            let changed = with_common_arguments(changing, &class, &common).expect("another test");
            assert_eq!(changed.to_string(), expected);
        }
        let of_others = common_construction(&[&other, &other], &class, &|_| false).expect("a construction");
        assert_eq!(with_common_arguments(&needing, &class, &of_others), None, "it needs its mock");
        // One mock does not change so many objects, unless they return nothing.
        let most = [&real, &real, &real, &real, &real, &needing];
        assert_eq!(common_construction(&most, &class, &|_| false), None);
        assert_eq!(common_construction(&most, &class, &|_| true).as_ref(), Some(&common));
    }

    #[test]
    fn other_values_of_an_argument_are_tried_behind_the_common_one() {
        let shop = |address: &str| -> AssertedTest {
            let text = format!(
                "target p/Shop.open ()I\nv0: Lp/Items; = mock p/Items ()\nv1: Ljava/lang/String; = {address}\n\
                 v2: Lp/Shop; = new p/Shop.<init> (Lp/Items;Ljava/lang/String;)V (v0, v1)\n\
                 v3: I = call method p/Shop.open ()I on v2 ()\nassert v3 equals int 4\n"
            );
            text.parse().expect("well-formed")
        };
        let [word, address, nothing] = ["string \"address\"", "string \"https://example.org/\"", "null"].map(shop);
        let class = ClassName::new("p/Shop");
        let tests = [&word, &address, &nothing, &word];
        let found = common_constructions(&tests, &class, &|_| false);
        let made: Vec<usize> = found.iter().map(|construction| count_made_by(&tests, &class, construction)).collect();
        assert_eq!(made, [2, 1]);
        let changed = with_common_arguments(&word, &class, &found[1]).expect("another address").to_string();
        assert!(changed.contains("https://example.org/"), "{changed}");
    }
}
