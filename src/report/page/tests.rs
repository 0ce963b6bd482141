//! Pages of a small report, as texts. The tests look for pieces of HTML, so that the layout of the
//! templates can change.

use super::*;
use crate::report::{
    BranchCoverage, ClassCoverage, CoverageCount, DecisionReport, DecisionState, ExplainedTree, FlowWay, Goals, LikelyFault,
    MethodCoverage, MethodFlow, MethodOutcome, MethodReport, NumberSet, SurvivingMutant, TestCoverage,
};

fn numbers(text: &str) -> NumberSet {
    text.parse().expect("ranges")
}

fn order_coverage() -> ClassCoverage {
    let test = |name: &str, lines: &str| TestCoverage {
        name: name.into(),
        lines: numbers(lines),
        // Both take the first outcome.
        branches: numbers("0"),
    };
    let branch = |condition: &str, open: Option<&str>| BranchCoverage {
        method: 0,
        line: 3,
        condition: condition.into(),
        open: open.map(str::to_owned),
    };
    let way = |to, condition: &str, branch| FlowWay {
        to,
        condition: condition.into(),
        branch: Some(branch),
        is_of_condition: true,
        ..FlowWay::default()
    };
    let flow = MethodFlow {
        blocks: ["3", "4", ""].map(numbers).into(),
        edges: vec![way(1, "a > b", 0), way(2, "a <= b", 1), FlowWay { from: 1, to: 2, ..FlowWay::default() }],
    };
    ClassCoverage {
        source: Some("shop/order/Order.java".into()),
        methods: vec![
            MethodCoverage { method: "int f(int)".into(), lines: numbers("3-4"), flow: Some(flow) },
            MethodCoverage { method: "void g()".into(), lines: numbers("6"), flow: None },
        ],
        branches: vec![branch("a > b", None), branch("a <= b", Some("none of 7 runs took it"))],
        tests: vec![test("f_returnsOne", "3-4"), test("f_<special>", "3")],
        mutants: vec![SurvivingMutant { line: 4, change: "+ becomes -".into() }],
    }
}

/// One decision that a run took, and the other way, which contradicts itself.
fn order_tree() -> ExplainedTree {
    let decision = |outcome, condition: &str, state, why: Option<&str>| DecisionReport {
        depth: 0,
        method: None,
        line: Some(3),
        bci: 4,
        kind: "if".into(),
        outcome,
        condition: condition.into(),
        state,
        why: why.map(str::to_owned),
    };
    ExplainedTree {
        method: "int f(int)".into(),
        test: vec!["line.f(a)".into()],
        paths: 1,
        infeasible: 1,
        decisions: vec![
            decision(1, "a < b", DecisionState::Infeasible, Some("never together: b < a, a < b")),
            decision(0, "a >= b", DecisionState::Ended, None),
        ],
        ..ExplainedTree::default()
    }
}

fn order() -> ClassReport {
    let count = |covered, total| CoverageCount { covered, total };
    ClassReport {
        name: "shop.order.Order$Line".into(),
        seconds: 1.5,
        tests: 2,
        file: Some("shop/order/OrderLineTest.java".into()),
        remarks: vec!["Mockito is missing".into()],
        goals: Goals { line: count(2, 3), branch: count(1, 2), mutant: count(0, 0) },
        methods: vec![
            MethodReport {
                name: "f".into(),
                descriptor: "(I)I".into(),
                outcome: MethodOutcome::Tested,
                cause: None,
                reason: None,
                remedy: None,
                exhausted: None,
            },
            MethodReport {
                name: "h".into(),
                descriptor: "()V".into(),
                outcome: MethodOutcome::Untested,
                cause: Some("unverified".into()),
                reason: Some("time was up".into()),
                remedy: Some("raise --budget".into()),
                exhausted: None,
            },
        ],
        faults: vec![LikelyFault {
            test: "f_throws".into(),
            description: "throws NullPointerException".into(),
            input: "f(0)".into(),
            line: Some(3),
        }],
        coverage: Some(order_coverage()),
        trees: vec![order_tree()],
        ..ClassReport::default()
    }
}

fn report() -> Report {
    let ping = ClassReport { name: "Ping".into(), reason: Some("no sequence reached <it>".into()), ..ClassReport::default() };
    Report { seed: 7, strategy: "hybrid".into(), jdk: "21.0.4".into(), classes: vec![order(), ping], ..Report::default() }
}

const SOURCE: &str = "class Order {\n  // <b>&\"\n  int f() {\n    +\n  }\n  void g() {}\n}\n";

/// Writes the pages and returns the overview and the page of the class with coverage.
fn written(report: &mut Report, source: Option<&str>) -> (String, String) {
    let folder = tempfile::tempdir().expect("temporary folder");
    if let Some(source) = source {
        let sources = folder.path().join("sources");
        std::fs::create_dir_all(sources.join("shop/order")).expect("writable");
        std::fs::write(sources.join("shop/order/Order.java"), source).expect("writable");
        report.sources = vec![sources];
    }
    let pages = folder.path().join("new/pages");
    write_page(report, &pages).expect("written");
    let read = |path: &Path| std::fs::read_to_string(path).expect("a page");
    let classes = std::fs::read_dir(pages.join("classes")).expect("a folder").count();
    assert_eq!(classes, 1, "a class whose row says all has no page");
    (read(&pages.join("index.html")), read(&pages.join("classes/shop.order.Order$Line.html")))
}

fn assert_has(page: &str, pieces: &[&str]) {
    for piece in pieces {
        assert!(page.contains(piece), "{piece} is missing in:\n{page}");
    }
}

#[test]
fn the_overview_has_packages_classes_and_sums() {
    let (overview, _) = written(&mut report(), None);
    assert_has(
        &overview,
        &[
            "<dd>2 classes, 1 of them without tests</dd>",
            "<dt>Seed</dt><dd>7</dd>",
            "<dt>JDK</dt><dd>21.0.4</dd>",
            "66% (2 of 3)",
            "<dt>Mutants killed</dt><dd>nothing there</dd>",
            "<th scope=\"row\">shop.order</th>",
            "<th scope=\"row\">unnamed package</th>",
            "<a href=\"classes/shop.order.Order$Line.html\"><span class=\"of\">shop.order.</span>Order$Line</a>",
            "data-sort=\"5000\"",
            "<th scope=\"row\">Ping</th>",
            "<td>1 likely fault</td>",
            "<td>no sequence reached &lt;it&gt;</td>",
        ],
    );
    assert!(!overview.contains("Shard"));
    let mut part = report();
    part.shard = Some("2/3".into());
    part.classes[0].goals.mutant.total = 8;
    part.classes[0].mutants.not_run = 8;
    let not_run = ["<dt>Mutants killed</dt><dd>8 not run for lack of time</dd>", "data-sort=\"\">not run</td>"];
    assert_has(&written(&mut part, None).0, &["<dt>Shard</dt><dd>2&#x2f;3</dd>", not_run[0], not_run[1]]);
}

#[test]
fn the_page_of_a_class_has_its_source_with_tests_and_notes() {
    let (_, page) = written(&mut report(), Some(SOURCE));
    assert_has(
        &page,
        &[
            "<a href=\"../index.html\">Tracewright report</a>",
            "<h1>shop.order.Order$Line</h1>",
            "<li>Mockito is missing</li>",
            "<th scope=\"row\">throws NullPointerException</th>",
            "<td><code>f(0)</code></td>",
            "<th scope=\"row\"><code>int f(int)</code></th>\n<td>tested</td>",
            "<span class=\"count\">2/2</span>",
            "<th scope=\"row\"><code>void h()</code></th>\n<td>untested</td>\n<td class=\"number\">unknown</td>",
            "<td>time was up</td>\n<td>raise --budget</td>",
            "<li><a href=\"#L3\">line 3</a> in <code>int f(int)</code>: <code>a &lt;= b</code>: none of 7 runs took it</li>",
            "<li><a href=\"#L4\">line 4</a>: + becomes -</li>",
            "<button type=\"button\" aria-pressed=\"false\" data-test=\"0\">f_returnsOne</button>",
            "<span class=\"count\">1 path, 0 pending, 1 infeasible, 0 unresolved</span>",
            "style=\"--indent: 0\">line 3, if a &lt; b <span class=\"count\">infeasible: never together: b &lt; a, a &lt; b",
            "style=\"--indent: 0\">line 3, if a &gt;= b <span class=\"count\">end of a path</span></li>",
            "<span class=\"count\">lines 3-4</span>",
            "<tr class=\"none\" id=\"L1\"><th scope=\"row\"><a href=\"#L1\">1</a></th>",
            "<tr class=\"partly\" id=\"L3\" data-tests=\"0 1\">",
            "<li>open: a &lt;= b: none of 7 runs took it</li>",
            "<tr class=\"covered\" id=\"L4\" data-tests=\"0\">",
            "<li>surviving mutant: + becomes -</li>",
            "<tr class=\"open\" id=\"L6\" data-tests=\"\">",
            "<span class=\"hidden\">not covered</span>",
        ],
    );
}

#[test]
fn without_a_source_the_page_lists_lines_by_method() {
    let (_, page) = written(&mut report(), None);
    assert_has(
        &page,
        &[
            "Order.java was not found in a folder of sources",
            "<th scope=\"rowgroup\" colspan=\"3\"><code>int f(int)</code></th>",
            "<tr class=\"partly\" id=\"L3\" data-tests=\"0 1\">",
            "<li>open: a &lt;= b: none of 7 runs took it</li>",
            "<th scope=\"rowgroup\" colspan=\"3\"><code>void g()</code></th>",
        ],
    );
    assert!(!page.contains("id=\"L1\""));
}

#[test]
fn texts_are_escaped() {
    let (_, page) = written(&mut report(), Some(SOURCE));
    assert_has(&page, &["&lt;b&gt;&amp;&quot;", "data-test=\"1\">f_&lt;special&gt;</button>"]);
    assert!(!page.contains("<b>") && !page.contains("<special>"), "{page}");
}

/// The values of an attribute, wherever it stands.
fn values_of<'t>(page: &'t str, attribute: &str) -> Vec<&'t str> {
    page.split(&format!("{attribute}=\"")).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn a_page_asks_for_nothing_from_elsewhere_and_its_anchors_exist() {
    let (overview, page) = written(&mut report(), Some(SOURCE));
    for text in [&overview, &page] {
        assert!(!text.contains("http") && !text.contains("url(") && !text.contains("@import"));
        assert_eq!(values_of(text, " src"), Vec::<&str>::new());
        assert!(!text.contains("<link"));
    }
    assert_eq!(values_of(&overview, " href"), ["classes/shop.order.Order$Line.html"]);
    let ids = values_of(&page, " id");
    for link in values_of(&page, " href") {
        let anchor = link.strip_prefix('#');
        assert!(link == "../index.html" || anchor.is_some_and(|anchor| ids.contains(&anchor)), "{link}");
    }
    let distinct: std::collections::BTreeSet<&&str> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len(), "{ids:?}");
}

#[test]
fn names_with_characters_of_urls_are_encoded() {
    assert_eq!(page_link("p.A$B"), "p.A$B.html");
    assert_eq!(page_link("p.A#b%c?d é"), "p.A%23b%25c%3Fd%20%C3%A9.html");
    assert_eq!(page_link("../../x\\y\n"), ".._.._x_y_.html");
}
