//! Objects whose fields a container fills: `tests/cli/injection`.

use std::path::{Path, PathBuf};

use crate::subject::{Ended, Subject, end, program};
use tracewright::report::ClassReport;
use tracewright_test_support::{junit_console_jar, mockito_jars};

/// The class of spring-test that writes private fields.
const SPRING_TEST: &str = "ReflectionTestUtils.java";

/// The compiled sources of `tests/cli/injection`, without one of them.
fn subject(without: &[&str]) -> Subject {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/injection");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("sources").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let name = |path: &PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
    let sources: Vec<(String, String)> = files
        .iter()
        .map(|path| (name(path), std::fs::read_to_string(path).expect("readable")))
        .filter(|(name, _)| !without.contains(&name.as_str()))
        .collect();
    let sources: Vec<(&str, &str)> = sources.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    Subject::of(&sources)
}

fn generate(subject: &Subject, classes: &[&str], jars: &[PathBuf]) -> Ended {
    generate_in(1200, subject, classes, jars)
}

fn generate_in(steps: u32, subject: &Subject, classes: &[&str], jars: &[PathBuf]) -> Ended {
    let class_path = std::env::join_paths([&[subject.classes()], jars].concat()).expect("a class path");
    let mut command = program();
    command.current_dir(subject.folder.path()).args(["generate", "--progress", "none", "--seed", "1"]);
    command.args(["--steps", &steps.to_string()]);
    for class in classes {
        command.args(["--class", &format!("injection.{class}")]);
    }
    command.arg("--classpath").arg(class_path).arg("--out").arg(subject.out());
    end(command.args(["--junit", "5"]).arg("--report").arg(subject.folder.path().join("report")))
}

/// Every branch is in a written test, which javac accepted at once and which ran in JUnit as in the
/// worker.
fn covers_everything(subject: &Subject, class: &ClassReport) {
    let (branches, discarded) = (&class.goals.branch, &class.discarded);
    let context = || format!("{}: {branches:?} {discarded:?}\n{}", class.name, subject.source(&class.name));
    assert!(branches.total > 0 && branches.covered == branches.total, "{}", context());
    assert_eq!((discarded.uncompilable, discarded.failing), (0, 0), "{}", context());
    assert_eq!(class.replay.divergences, 0, "{}: {:?}", class.name, class.replay.divergence_examples);
}

#[test]
fn spring_test_writes_private_fields() {
    let Some(jars) = mockito_jars() else { return };
    let subject = subject(&[]);
    let classes = ["OrderDesk", "NearDesk", "SetterDesk", "FinishedDesk", "SaleDesk"];
    let ended = generate(&subject, &classes, &jars);
    assert_eq!(ended.status, 0, "{}", ended.err);
    let report = subject.report();
    assert_eq!(report.classes.len(), classes.len());
    report.classes.iter().for_each(|class| covers_everything(&subject, class));
    let [order, near, setter, finished, sale] = classes.map(|class| subject.source(&format!("injection.{class}")));
    for expected in [
        "ReflectionTestUtils.setField(orderDesk, \"stocks\", stocks);",
        "ReflectionTestUtils.setField(orderDesk, \"currency\", \"EUR\");",
        "ReflectionTestUtils.setField(orderDesk, \"strict\", true);",
        "ReflectionTestUtils.setField(orderDesk, \"journal\", ",
        "import org.springframework.test.util.ReflectionTestUtils;",
    ] {
        assert!(order.contains(expected), "no {expected}: {order}");
    }
    assert!(near.contains("nearDesk.stocks = stocks;") && !near.contains("ReflectionTestUtils"), "{near}");
    assert!(setter.contains(".useStocks(stocks);") && setter.contains(".setPrices(prices);"), "{setter}");
    assert!(!setter.contains("ReflectionTestUtils") && !finished.contains("ReflectionTestUtils"), "{setter}\n{finished}");
    // A service is mocked although it could be built; the branch needs what no real one gives.
    assert!(sale.contains("mock(Discounts.class)") && !sale.contains("new Discounts()"), "{sale}");
    // No test only shows that a field was forgotten. A constructor may get a null.
    for source in [&order, &near, &setter, &sale] {
        let forgets = |test: &&str| test.contains("NullPointerException") && !test.contains("stocks") && !test.contains("prices");
        assert_eq!(source.split("@Test").skip(1).find(forgets), None, "{source}");
    }
    let Some(junit) = junit_console_jar() else { return };
    subject.compile_written_tests("injection", &classes, &[&[junit], &jars[..]].concat());
}

#[test]
fn mockito_alone_writes_mocks_into_private_fields() {
    let Some(jars) = mockito_jars() else { return };
    let subject = subject(&[SPRING_TEST]);
    let classes = ["SaleDesk", "OrderDesk", "ShipDesk"];
    let ended = generate(&subject, &classes, &jars);
    assert_eq!(ended.status, 0, "{}", ended.err);
    let report = subject.report();
    covers_everything(&subject, &report.classes[0]);
    covers_everything(&subject, &report.classes[2]);
    let [sale, order, ship] = classes.map(|class| subject.source(&format!("injection.{class}")));
    for expected in [
        "    @Mock\n    private Discounts discounts;\n",
        "    @InjectMocks\n    private SaleDesk saleDesk;\n",
        "    @BeforeEach\n    void openMocks() {\n        MockitoAnnotations.openMocks(this);\n    }\n",
        "when(discounts.percent(\"",
        "\")).thenReturn(55);",
    ] {
        assert!(sale.contains(expected), "no {expected}: {sale}");
    }
    assert!(order.contains("    private Stocks stocks;\n") && !order.contains(" journal"), "{order}");
    let discarded = &report.classes[1].discarded;
    assert_eq!((discarded.uncompilable, discarded.failing), (0, 0), "{discarded:?}\n{order}");
    // Settings are no mocks, and mocks of a type that depends on a subclass are not matched by every
    // Mockito.
    let remarks = report.classes[1].remarks.join("\n");
    assert!(remarks.contains("a container injects currency, limit, strict of injection.OrderDesk"), "{remarks}");
    assert!(remarks.contains("a container injects journal of injection.Audited"), "{remarks}");
    for expected in [
        "    @Mock\n    private Stocks abroad;\n",
        "    @Mock\n    private Stocks home;\n",
        "    @Mock\n    private Logger logger;\n",
        "    @Mock\n    private Audited.Journal<String> sent;\n",
        "        shipDesk.open();\n",
    ] {
        assert!(ship.contains(expected), "no {expected}: {ship}");
    }
    assert!(report.classes[2].remarks.is_empty(), "{:?}", report.classes[2].remarks);
    assert!(ship.contains("new Parcel(\"") && !ship.contains("new Parcel()"), "{ship}");
    let Some(junit) = junit_console_jar() else { return };
    subject.compile_written_tests("injection", &classes, &[&[junit], &jars[..]].concat());
}

#[test]
fn without_a_way_to_write_it_a_private_field_has_a_reason() {
    let subject = subject(&[SPRING_TEST]);
    let ended = generate(&subject, &["OrderDesk", "NearDesk"], &[]);
    assert_eq!(ended.status, 0, "{}", ended.err);
    let report = subject.report();
    let remarks = report.classes[0].remarks.join("\n");
    assert!(remarks.contains("a container injects currency, limit, stocks, strict of injection.OrderDesk"), "{remarks}");
    assert!(remarks.contains("a container injects journal of injection.Audited"), "{remarks}");
    assert!(report.classes[1].remarks.is_empty(), "{:?}", report.classes[1].remarks);
    covers_everything(&subject, &report.classes[1]);
}

/// One matcher for each variable argument: what a matcher for all of them means depends on the version of Mockito.
#[test]
fn a_mock_answers_a_call_with_variable_arguments() {
    let Some(jars) = mockito_jars() else { return };
    let subject = subject(&[SPRING_TEST]);
    let ended = generate_in(6000, &subject, &["RateDesk"], &jars);
    assert_eq!(ended.status, 0, "{}", ended.err);
    subject.report().classes.iter().for_each(|class| covers_everything(&subject, class));
    let source = subject.source("injection.RateDesk");
    let answered = "uri(eq(\"rates/{from}/{to}\"), nullable(Object.class), nullable(Object.class)))";
    assert!(source.contains(answered), "{source}");
}
