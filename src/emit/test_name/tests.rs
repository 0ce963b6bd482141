//! Names for the tests of one file. Tests in text form go in, and names come out.

use super::*;
use crate::emit::tests::sample_program;

/// The names of tests in text form.
fn names(tests: &[&str]) -> Vec<String> {
    let none: &[&str] = &[];
    names_with_ways(tests, &vec![none; tests.len()])
}

/// As [`names`], where these conditions of the source hold in the tests.
fn names_with_ways(tests: &[&str], ways: &[&[&str]]) -> Vec<String> {
    let parsed: Vec<AssertedTest> = tests.iter().map(|text| text.parse().expect("well-formed")).collect();
    let phrases = |words: &&[&str]| words.iter().map(|words| Phrase::new(NamePart::State, *words)).collect();
    let ways: Vec<TellingWays> =
        ways.iter().map(|words| TellingWays { phrases: phrases(words), ..TellingWays::default() }).collect();
    let parsed: Vec<&AssertedTest> = parsed.iter().collect();
    choose_names(&sample_program(), &parsed, &ways.iter().collect::<Vec<_>>(), &mut BTreeSet::new())
}

/// A test of `p/Foo.find` with this literal.
fn find(literal: &str, rest: &str) -> String {
    format!(
        "target p/Foo.find (Ljava/lang/String;)I\nv0: Ljava/lang/String; = {literal}\n\
         v1: I = call method p/Foo.find (Ljava/lang/String;)I (v0)\n{rest}"
    )
}

/// A test of `p/Foo.add` with two numbers.
fn add(left: i32, right: i32, rest: &str) -> String {
    format!(
        "target p/Foo.add (II)I\nv0: I = int {left}\nv1: I = int {right}\n\
         v2: I = call method p/Foo.add (II)I (v0, v1)\n{rest}"
    )
}

#[track_caller]
fn check(tests: &[String], expected: &[&str]) {
    assert_eq!(names(&tests.iter().map(String::as_str).collect::<Vec<_>>()), expected);
}

#[test]
fn one_test_of_an_outcome_names_boundaries_only() {
    let returns = |value: i32| format!("assert v1 equals int {value}\n");
    check(
        &[find("string \"abc\"", &returns(2)), find("string \"\"", &returns(0))],
        &["find_returns2", "find_withEmptyString_returnsZero"],
    );
}

#[test]
fn tests_of_one_outcome_name_what_differs() {
    let throws = "throws java/lang/ArithmeticException\n";
    check(
        &[find("string \"[\"", throws), find("string \"]\"", throws), find("null", throws)],
        &[
            "find_withOpenBracket_throwsArithmeticException",
            "find_withCloseBracket_throwsArithmeticException",
            "find_withNullString_throwsArithmeticException",
        ],
    );
    let zero = "assert v2 equals int 0\n";
    check(
        &[add(0, 0, zero), add(0, 7, zero), add(5, 5, zero)],
        &["add_withZeroAndZero_returnsZero", "add_withInt7_returnsZero", "add_withInt5_returnsZero"],
    );
}

#[test]
fn texts_that_differ_by_case_are_told_apart() {
    let one = "assert v1 equals int 1\n";
    check(
        &[find("string \"Y\"", one), find("string \"y\"", one)],
        &["find_withUpperCaseY_returns1", "find_withLowerCaseY_returns1"],
    );
}

#[test]
fn an_exception_that_the_code_catches_is_the_condition() {
    let name = |end: &str| {
        let text = format!(
            "target p/Foo.find (Lp/Repo;)I\nv0: Ljava/io/IOException; = new java/io/IOException.<init> ()V ()\n\
             v1: Lp/Repo; = mock p/Repo (p/Repo.load ()I throws v0)\n\
             v2: I = call method p/Foo.find (Lp/Repo;)I (v1)\n{end}"
        );
        names(&[&text]).remove(0)
    };
    assert_eq!(name("assert v2 equals int 3\n"), "find_whenLoadThrowsIOException_returns3");
    assert_eq!(name("throws p/StoreException\n"), "find_whenLoadThrowsIOException_throwsStoreException");
}

#[test]
fn that_a_query_finds_an_object_is_the_usual_case() {
    let name = |found: &str| {
        let text = format!(
            "target p/Foo.price (Lp/Repo;)I\nv0: Lp/Item; = {found}\nv1: Lp/Repo; = mock p/Repo (p/Repo.load ()Lp/Item; v0)\n\
             v2: I = call method p/Foo.price (Lp/Repo;)I (v1)\nassert v2 equals int 3\nrelevance v0 decisive\n"
        );
        names(&[&text]).remove(0)
    };
    assert_eq!(name("new p/Item.<init> ()V ()"), "price_returns3");
    assert_eq!(name("null"), "price_whenLoadReturnsNull_returns3");
}

#[test]
fn methods_of_nested_classes_are_named_with_these() {
    let next = |class: &str| {
        format!(
            "target {class}.next ()I\nv0: L{class}; = new {class}.<init> ()V ()\n\
             v1: I = call method {class}.next ()I on v0 ()\nassert v1 equals int 3\n"
        )
    };
    check(&[next("p/Foo"), next("p/Foo$Token")], &["next_byDefault_returns3", "tokenNext_byDefault_returns3"]);
}

#[test]
fn values_that_could_be_any_other_name_no_test() {
    let returns = |value: i32| format!("assert v2 equals int {value}\nrelevance v1 incidental\n");
    let tests = [add(5, 7, &returns(5)), add(6, 8, &returns(5))];
    check(&tests, &["add_withInt5_returns5", "add_withInt6_returns5"]);
}

#[test]
fn a_test_that_finds_nothing_says_what_it_gives() {
    check(&[find("string \"abc\"", "assert v1 equals int 0\n")], &["find_withAbc_returnsZero"]);
    check(&[find("string \"abc\"", "assert v1 equals int 2\n")], &["find_returns2"]);
}

#[test]
fn names_do_not_depend_on_the_order_of_the_tests() {
    let zero = "assert v2 equals int 0\n";
    let tests = [add(0, 0, zero), add(0, 7, zero), add(5, 5, zero), add(1, 2, zero)];
    let forward = names(&tests.iter().map(String::as_str).collect::<Vec<_>>());
    let mut backward = names(&tests.iter().rev().map(String::as_str).collect::<Vec<_>>());
    backward.reverse();
    assert_eq!(forward, backward);
}

#[test]
fn equal_tests_get_different_names() {
    let one = "assert v1 equals int 1\n";
    let found = names(&[find("string \"a\"", one).as_str(), find("string \"a\"", one).as_str()]);
    assert_eq!(found, ["find_returns1", "find_withA_returns1"]);
}

#[test]
fn names_say_what_decides_and_not_what_could_be_any_value() {
    let throws = "throws java/lang/ArithmeticException\n";
    let nine = "assert v2 equals int 9\n";
    check(
        &[
            add(0, 7, &format!("{throws}relevance v0 incidental\nrelevance v1 decisive\n")),
            add(0, 9, &format!("{nine}relevance v0 incidental\nrelevance v1 incidental\n")),
            add(0, 3, "assert v2 equals int 3\nrelevance v1 incidental\n"),
        ],
        &["add_withInt7_throwsArithmeticException", "add_returns9", "add_withZeroInt_returns3"],
    );
}

#[test]
fn an_exception_without_a_condition_has_its_message() {
    let throws = "throws java/lang/ArithmeticException \"There is no sum of the two numbers\"\n";
    check(
        &[add(5, 7, &format!("{throws}relevance v0 incidental\nrelevance v1 incidental\n"))],
        &["add_throwsArithmeticException_thereIsNoSum"],
    );
}

/// A test of a shop whose mock of items gives an item with this status.
fn sell(status: &str, rest: &str) -> String {
    format!(
        "target p/Shop.sell ()Z\nv0: Lp/Item; = new p/Item.<init> ()V ()\n\
         v1: Lp/Status; = get p/Status.{status} Lp/Status;\n\
         v2: V = call method p/Item.setStatus (Lp/Status;)V on v0 (v1)\n\
         v3: Lp/Items; = mock p/Items (p/Items.find ()Lp/Item; v0)\n\
         v4: Lp/Shop; = new p/Shop.<init> (Lp/Items;)V (v3)\n\
         v5: Z = call method p/Shop.sell ()Z on v4 ()\nrelevance v0 decisive\n{rest}"
    )
}

#[test]
fn equal_conditions_with_different_outcomes_name_what_is_given_differently() {
    check(
        &[sell("ACTIVE", "assert v5 equals true\n"), sell("DRAFT", "assert v5 equals false\n")],
        &["sell_whenStatusIsActive_returnsTrue", "sell_whenStatusIsDraft_returnsFalse"],
    );
    let decisive = |status: &str, truth: &str| sell(status, &format!("relevance v1 decisive\nassert v5 equals {truth}\n"));
    check(&[decisive("ACTIVE", "true")], &["sell_whenStatusIsActive_returnsTrue"]);
    let throws = "throws java/lang/ArithmeticException\n";
    check(&[add(1, 2, "assert v2 equals int 3\n"), add(1, 4, throws)], &["add_returns3", "add_throwsArithmeticException"]);
    let of = |literal: i32, truth: &str| find(&format!("int {literal}"), truth).replace("Ljava/lang/String;", "I");
    check(
        &[of(3, "assert v1 equals true\n"), of(4, "assert v1 equals false\n")],
        &["find_with3_returnsTrue", "find_with4_returnsFalse"],
    );
}

#[test]
fn what_a_mock_throws_is_an_answer_and_no_receiver() {
    let test = |exception: &str| {
        format!(
            "target p/Shop.countOfItems ()I\nv0: Lp/{exception}; = new p/{exception}.<init> ()V ()\n\
             v1: Lp/Items; = mock p/Items (p/Items.findByNumberOrName ()I throws v0)\n\
             v2: Lp/Shop; = new p/Shop.<init> (Lp/Items;)V (v1)\n\
             v3: I = call method p/Shop.countOfItems ()I on v2 ()\nrelevance v0 decisive\nthrows p/Closed\n"
        )
    };
    check(
        &[test("ClosedException"), test("BrokenException")],
        &[
            "countOfItems_whenFindByNumberOrNameThrowsClosedException_throwsClosed",
            "countOfItems_whenFindByNumberOrNameThrowsBrokenException_throwsClosed",
        ],
    );
}

#[test]
fn parts_of_a_date_are_no_values_of_it() {
    let test = |year: i32| {
        format!(
            "target p/Shop.open (Ljava/time/LocalDate;)I\nv0: I = int {year}\nv1: I = int 1\n\
             v2: Ljava/time/LocalDate; = call method java/time/LocalDate.of (III)Ljava/time/LocalDate; (v0, v1, v1)\n\
             v3: I = call method p/Shop.open (Ljava/time/LocalDate;)I (v2)\nassert v3 equals int 1\n"
        )
    };
    check(&[test(0), test(2024)], &["open_withDate00000101_returns1", "open_withDate20240101_returns1"]);
}

#[test]
fn what_the_source_asks_is_said_before_values() {
    let zero = "assert v2 equals int 0\n";
    let (first, second) = (add(3, 4, zero), add(5, 6, zero));
    let other = add(7, 8, "throws java/lang/ArithmeticException\n");
    let found =
        names_with_ways(&[&first, &second, &other], &[&["LeftIsEven", "RightIsEven"], &["RightIsEven"], &["SumOverflows"]]);
    assert_eq!(
        found,
        ["add_whenLeftIsEven_returnsZero", "add_withInt5_returnsZero", "add_whenSumOverflows_throwsArithmeticException"]
    );
    // A literal that a reader notices, and that decides, says it as well.
    let decisive = |test: String| format!("{test}relevance v0 decisive\n");
    let (zero_left, both) = (decisive(add(0, 6, zero)), add(5, 6, zero));
    let found = names_with_ways(&[&zero_left, &both], &[&["LeftIsZero"], &["LeftIsNotZero"]]);
    assert_eq!(found, ["add_withZeroInt_returnsZero", "add_whenLeftIsNotZero_returnsZero"]);
}

#[test]
fn what_decided_is_said_before_a_literal_that_may_have() {
    let test: AssertedTest =
        format!("{}relevance v0 decisive\n", add(0, 6, "assert v2 equals int 0\n")).parse().expect("well-formed");
    let name = |decide: bool| {
        let ways =
            TellingWays { phrases: vec![Phrase::new(NamePart::State, "LeftIsNotPositive")], decide, ..TellingWays::default() };
        choose_names(&sample_program(), &[&test], &[&ways], &mut BTreeSet::new()).remove(0)
    };
    assert_eq!(name(true), "add_whenLeftIsNotPositive_returnsZero");
    assert_eq!(name(false), "add_withZeroInt_returnsZero");
}

#[test]
fn a_condition_too_long_for_the_name_gives_way_to_another() {
    let test: AssertedTest = add(4, 6, "assert v2 equals int 10\n").parse().expect("well-formed");
    let long = "LeftIsAtMostTheLargestNumberThatAnyoneHasEverSeenAndRightIsLargerThanThat";
    let phrases = [long, "LeftIsEven"].map(|words| Phrase::new(NamePart::State, words)).to_vec();
    let ways = TellingWays { phrases, decide: true, ..TellingWays::default() };
    let names = choose_names(&sample_program(), &[&test], &[&ways], &mut BTreeSet::new());
    assert_eq!(names, ["add_whenLeftIsEven_returns10"]);
}

#[test]
fn a_condition_is_about_a_property() {
    let topics = ["GramsIsNegative", "ExistsBySkuReturnsTrue", "Blocked"].map(topic_of);
    assert_eq!(topics, ["Grams", "Sku", "Blocked"]);
}

#[test]
fn a_table_says_the_reason_that_its_rows_share() {
    let rows: Vec<AssertedTest> =
        [(3, 4), (5, 6)].map(|(left, right)| add(left, right, "assert v2 equals int 0\n").parse().expect("well-formed")).to_vec();
    let name = |first: &[&str], second: &[&str]| {
        let ways = [first, second].map(|words| TellingWays {
            phrases: words.iter().map(|words| Phrase::new(NamePart::State, *words)).collect(),
            ..TellingWays::default()
        });
        let rows: Vec<(&AssertedTest, &TellingWays)> = rows.iter().zip(&ways).collect();
        choose_table_name(&sample_program(), &rows, &["left"], None, &mut BTreeSet::new())
    };
    assert_eq!(name(&["LeftIsOdd"], &["LeftIsOdd", "RightIsEven"]), "add_whenLeftIsOdd_returnsZero");
    assert_eq!(name(&["LeftIsOdd"], &["RightIsEven", "LeftIsOdd"]), "add_returnsZero");
}

#[test]
fn what_decides_is_said_where_other_tests_have_it_too() {
    let texts = [add(2, 3, "assert v2 equals int 0\n"), add(2, 7, "assert v2 equals int 0\n")];
    let tests: Vec<AssertedTest> = texts.iter().map(|text| text.parse().expect("well-formed")).collect();
    let names = |decide: bool| {
        let way = || vec![Phrase::new(NamePart::State, "LeftIsEven")];
        let ways: Vec<TellingWays> =
            tests.iter().map(|_| TellingWays { phrases: way(), decide, ..TellingWays::default() }).collect();
        let ways: Vec<&TellingWays> = ways.iter().collect();
        choose_names(&sample_program(), &tests.iter().collect::<Vec<_>>(), &ways, &mut BTreeSet::new())
    };
    assert_eq!(names(true), ["add_whenLeftIsEven_withInt3_returnsZero", "add_whenLeftIsEven_withInt7_returnsZero"]);
    assert_eq!(names(false), ["add_withInt3_returnsZero", "add_withInt7_returnsZero"]);
}

#[test]
fn null_says_why_before_other_boundaries() {
    let join = "target p/Foo.join (Ljava/lang/String;Ljava/lang/String;)I\nv0: Ljava/lang/String; = string \"\"\n\
                v1: Ljava/lang/String; = null\n\
                v2: I = call method p/Foo.join (Ljava/lang/String;Ljava/lang/String;)I (v0, v1)\n";
    check(&[format!("{join}throws java/lang/IllegalStateException\n")], &["join_withNullString_throwsIllegalStateException"]);
}

#[test]
fn a_message_says_more_than_that_an_object_gets_itself() {
    let plus = |message: &str| {
        format!(
            "target p/Foo.plus (Lp/Foo;)I\nv0: Lp/Foo; = new p/Foo.<init> ()V ()\n\
             v1: I = call method p/Foo.plus (Lp/Foo;)I on v0 (v0)\nthrows java/lang/ArithmeticException {message}\n"
        )
    };
    check(&[plus("\"the sum overflows\"")], &["plus_throwsArithmeticException_sumOverflows"]);
    check(&[plus("")], &["plus_withItself_throwsArithmeticException"]);
}

#[test]
fn an_equal_argument_is_named_so() {
    let equals = |end: &str| {
        format!(
            "target p/Foo.equals (Ljava/lang/Object;)Z\nv0: Lp/Foo; = new p/Foo.<init> ()V ()\n\
             v1: Lp/Foo; = new p/Foo.<init> ()V ()\n\
             v2: Z = call method p/Foo.equals (Ljava/lang/Object;)Z on v0 (v1)\nassert v2 equals {end}\n"
        )
    };
    check(&[equals("true"), equals("false")], &["equals_withEqualFoo_returnsTrue", "equals_onNewFoo_returnsFalse"]);
}

#[test]
fn the_message_says_why_where_other_tests_have_it_too() {
    let throws = "throws java/lang/ArithmeticException \"too large\"\n";
    check(
        &[find("string \"[\"", throws), find("string \"]\"", throws)],
        &["find_withOpenBracket_throwsArithmeticException_tooLarge", "find_withCloseBracket_throwsArithmeticException_tooLarge"],
    );
}
