//! `tracewright.sarif`: likely faults and surviving mutants, for code hosts (SARIF 2.1.0).
//!
//! Flows in: the report, and which source files exist. Flows out: one file with a result for each
//! finding. Must not know the engine or the contents of sources.
//!
//! Code hosts resolve a location below the root of the repository, wherever the command ran. The
//! root is therefore the nearest folder above the source file that contains `.git`. Line numbers
//! are no part of a fingerprint, because they change with every edit above them.

use super::{ClassCoverage, ClassReport, Report};
use crate::files;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Name of the file in the folder of `--report`.
const SARIF_FILE: &str = "tracewright.sarif";
const SARIF_SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The key of the hash. Another way to compute it needs another version.
const FINGERPRINT: &str = "tracewrightFinding/v1";

const LIKELY_FAULT: SarifRule = SarifRule {
    id: "likely-fault",
    short_description: SarifText { text: "A test shows a likely fault of the class." },
    full_description: SarifText {
        text: "An assert of the class failed, the class breaks the contract of equals or compareTo, or it threw an exception \
               that neither an argument nor the environment explains.",
    },
    help: SarifText {
        text: "Run the named test and look at its input. If the class is wrong, correct it and generate its tests again. If \
               the behaviour is intended, dismiss the finding.",
    },
    default_configuration: SarifConfiguration { level: "warning" },
};

const SURVIVING_MUTANT: SarifRule = SarifRule {
    id: "surviving-mutant",
    short_description: SarifText { text: "No test notices a small change of the class." },
    full_description: SarifText {
        text: "A mutant is the class with one small fault put in. No test is known to kill this mutant, so a fault like it \
               can stay unnoticed.",
    },
    help: SarifText {
        text: "Add a test whose result differs with the change, or assert more in a test that runs the line. If the change \
               makes no difference to users of the class, dismiss the finding.",
    },
    default_configuration: SarifConfiguration { level: "note" },
};

/// Writes `tracewright.sarif` into the folder, atomically.
///
/// Fails with the error of the operating system where the folder is missing or not writable.
pub(crate) fn write_sarif(report: &Report, folder: &Path) -> io::Result<()> {
    let text = serde_json::to_string_pretty(&sarif_log(report)).map_err(io::Error::other)? + "\n";
    files::write_atomically(&folder.join(SARIF_FILE), text.as_bytes())
}

/// The whole file.
#[derive(Serialize)]
struct SarifLog {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [SarifRun; 1],
}

#[derive(Serialize)]
struct SarifRun {
    tool: SarifTool,
    /// Present even where it is empty: a missing list means that the analysis failed.
    results: Vec<SarifResult>,
}

#[derive(Serialize)]
struct SarifTool {
    driver: SarifDriver,
}

#[derive(Serialize)]
struct SarifDriver {
    name: &'static str,
    version: &'static str,
    rules: [&'static SarifRule; 2],
}

/// A kind of finding.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRule {
    id: &'static str,
    short_description: SarifText<&'static str>,
    full_description: SarifText<&'static str>,
    help: SarifText<&'static str>,
    default_configuration: SarifConfiguration,
}

#[derive(Serialize)]
struct SarifText<T> {
    text: T,
}

#[derive(Serialize)]
struct SarifConfiguration {
    level: &'static str,
}

/// One finding.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: &'static str,
    level: &'static str,
    message: SarifText<String>,
    locations: [SarifLocation; 1],
    partial_fingerprints: BTreeMap<&'static str, String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifLocation {
    physical_location: SarifPhysicalLocation,
    logical_locations: [SarifLogicalLocation; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifPhysicalLocation {
    artifact_location: SarifArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<SarifRegion>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifArtifactLocation {
    uri: String,
    /// `%SRCROOT%`: code hosts know the root of the repository by this name.
    uri_base_id: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRegion {
    start_line: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifLogicalLocation {
    fully_qualified_name: String,
    kind: &'static str,
}

fn sarif_log(report: &Report) -> SarifLog {
    let rules = [&LIKELY_FAULT, &SURVIVING_MUTANT];
    let driver = SarifDriver { name: "Tracewright", version: env!("CARGO_PKG_VERSION"), rules };
    let results = report.classes.iter().flat_map(|class| results_of(class, &report.sources)).collect();
    SarifLog { schema: SARIF_SCHEMA, version: "2.1.0", runs: [SarifRun { tool: SarifTool { driver }, results }] }
}

/// The findings of a class: first its likely faults, then its surviving mutants.
fn results_of(class: &ClassReport, sources: &[PathBuf]) -> Vec<SarifResult> {
    let coverage = class.coverage.as_ref();
    let source = coverage.and_then(|coverage| coverage.source.clone()).unwrap_or_else(|| usual_source(&class.name));
    let source = source_uri(sources, &source);
    let mut findings = Findings { class, source, counts: BTreeMap::new() };
    let mut results = Vec::new();
    for fault in &class.faults {
        let input = if fault.input.is_empty() { ".".to_owned() } else { format!(" with this input: {}", fault.input) };
        let message = format!("Likely fault of {}: {}. The test {} shows it{input}", class.name, fault.description, fault.test);
        results.push(findings.result(&LIKELY_FAULT, fault.line, [&fault.test, &fault.description], &message));
    }
    for mutant in coverage.into_iter().flat_map(|coverage| &coverage.mutants) {
        let method = coverage.and_then(|coverage| method_at(coverage, mutant.line)).unwrap_or_default();
        let place = if method.is_empty() { String::new() } else { format!(" in {method}") };
        let message = format!("No test of {} is known to notice this change{place}: {}.", class.name, mutant.change);
        results.push(findings.result(&SURVIVING_MUTANT, Some(mutant.line), [method, &mutant.change], &message));
    }
    results
}

/// The method with code in the line, as Java declares it.
fn method_at(coverage: &ClassCoverage, line: u32) -> Option<&str> {
    coverage.methods.iter().find(|method| method.lines.contains(line)).map(|method| method.method.as_str())
}

/// What the results of a class share.
struct Findings<'a> {
    class: &'a ClassReport,
    /// The URI of the source file.
    source: String,
    /// How often each identity occurred.
    counts: BTreeMap<String, u32>,
}

impl Findings<'_> {
    /// `identity`: what tells the finding from others of the same rule and class.
    fn result(&mut self, rule: &SarifRule, line: Option<u32>, identity: [&str; 2], message: &str) -> SarifResult {
        let [member, what] = identity;
        let identity = [rule.id, self.class.name.as_str(), member, what].join("\n");
        // Findings with equal identity differ in their order, else code hosts would show one of them.
        let earlier = self.counts.entry(identity.clone()).or_default();
        let fingerprint = blake3::hash(format!("{identity}\n{earlier}").as_bytes()).to_hex()[..32].to_string();
        *earlier += 1;
        let region = line.filter(|line| *line > 0).map(|start_line| SarifRegion { start_line });
        let artifact_location = SarifArtifactLocation { uri: self.source.clone(), uri_base_id: "%SRCROOT%" };
        let physical_location = SarifPhysicalLocation { artifact_location, region };
        let logical_location = SarifLogicalLocation { fully_qualified_name: self.class.name.clone(), kind: "type" };
        SarifResult {
            rule_id: rule.id,
            level: rule.default_configuration.level,
            // Single braces would enclose placeholders (SARIF 2.1.0, section 3.11.5).
            message: SarifText { text: message.replace('{', "{{").replace('}', "}}") },
            locations: [SarifLocation { physical_location, logical_locations: [logical_location] }],
            partial_fingerprints: BTreeMap::from([(FINGERPRINT, fingerprint)]),
        }
    }
}

/// The URI of a source file below the root of its repository. Outside of a repository, the URI starts at the
/// current folder. Where no folder contains the file, it starts at the folder of sources: GitHub rejects a
/// file with a result that has no URI at all.
fn source_uri(folders: &[PathBuf], source: &str) -> String {
    let found = folders.iter().find_map(|folder| {
        let path = folder.join(source);
        let file = path.canonicalize().ok().filter(|file| file.is_file())?;
        let root = file.ancestors().skip(1).find(|folder| folder.join(".git").exists());
        let below_root = root.and_then(|root| file.strip_prefix(root).ok());
        below_root.and_then(relative_uri).or_else(|| relative_uri(&path))
    });
    found.or_else(|| relative_uri(Path::new(source))).unwrap_or_default()
}

/// Where the source of a class usually lies below its folder, where the class file does not say it.
fn usual_source(class: &str) -> String {
    format!("{}.java", class.split('$').next().unwrap_or(class).replace('.', "/"))
}

/// The path as a relative URI; `None` where it is absolute or contains `..`.
fn relative_uri(path: &Path) -> Option<String> {
    let names = path.components().filter(|component| *component != Component::CurDir).map(|component| match component {
        Component::Normal(name) => Some(percent_encoded(name)),
        _ => None,
    });
    Some(names.collect::<Option<Vec<String>>>()?.join("/"))
}

/// Encodes all but the unreserved characters of RFC 3986.
fn percent_encoded(name: &OsStr) -> String {
    let is_unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let encoded = |&byte: &u8| if is_unreserved(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    name.as_encoded_bytes().iter().map(encoded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn class(name: &str, faults: Value, coverage: Value) -> ClassReport {
        let faults = serde_json::from_value(faults).expect("faults");
        let coverage = serde_json::from_value(coverage).expect("coverage");
        ClassReport { name: name.into(), faults, coverage, ..ClassReport::default() }
    }

    /// Two classes: one with a source file, one with a fault and nothing else.
    fn report(sources: Vec<PathBuf>) -> Report {
        let fault = json!({"test": "f", "description": "undeclared E", "input": "f(new int[] {1});", "line": 3});
        let mutant = |line: u32, change: &str| json!({"line": line, "change": change});
        let mutants = [mutant(8, "+ becomes -"), mutant(9, "+ becomes -"), mutant(0, "the result is always 0")];
        let methods = json!([{"method": "int total(int)", "lines": "7-9"}]);
        let order = json!({"source": "shop/Order.java", "methods": methods, "mutants": mutants});
        let other = json!([{"test": "g", "description": "equals is not symmetric"}]);
        let classes = vec![class("shop.Order", json!([fault]), order), class("shop.Cart", other, Value::Null)];
        Report { sources, classes, ..Report::default() }
    }

    fn sarif(report: &Report) -> Value {
        serde_json::to_value(sarif_log(report)).expect("serialises")
    }

    /// The text at the pointer in each result; empty where it is missing.
    fn texts(log: &Value, pointer: &str) -> Vec<String> {
        let results = log["runs"][0]["results"].as_array().expect("results");
        results.iter().map(|result| result.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()).collect()
    }

    #[test]
    fn an_empty_report_has_rules_and_an_empty_list_of_results() {
        let folder = tempfile::tempdir().expect("temporary folder");
        write_sarif(&Report::default(), folder.path()).expect("writable");
        let text = std::fs::read_to_string(folder.path().join("tracewright.sarif")).expect("the file exists");
        let log: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!((&log["version"], &log["$schema"]), (&json!("2.1.0"), &json!(SARIF_SCHEMA)));
        assert_eq!(log["runs"][0]["results"], json!([]));
        let driver = &log["runs"][0]["tool"]["driver"];
        assert_eq!((&driver["name"], &driver["version"]), (&json!("Tracewright"), &json!(env!("CARGO_PKG_VERSION"))));
        for (rule, id, level) in [(0, "likely-fault", "warning"), (1, "surviving-mutant", "note")] {
            let rule = &driver["rules"][rule];
            assert_eq!((&rule["id"], &rule["defaultConfiguration"]["level"]), (&json!(id), &json!(level)));
            for text in ["shortDescription", "fullDescription", "help"] {
                assert!(rule[text]["text"].as_str().is_some_and(|text| text.ends_with('.')), "{id} {text}");
            }
        }
    }

    #[test]
    fn each_finding_is_a_result_in_the_order_of_the_classes() {
        let log = sarif(&report(Vec::new()));
        let rules = ["likely-fault", "surviving-mutant", "surviving-mutant", "surviving-mutant", "likely-fault"];
        assert_eq!(texts(&log, "/ruleId"), rules);
        assert_eq!(texts(&log, "/level"), ["warning", "note", "note", "note", "warning"]);
        let messages = [
            "Likely fault of shop.Order: undeclared E. The test f shows it with this input: f(new int[] {{1}});",
            "No test of shop.Order is known to notice this change in int total(int): + becomes -.",
            "No test of shop.Order is known to notice this change in int total(int): + becomes -.",
            "No test of shop.Order is known to notice this change: the result is always 0.",
            "Likely fault of shop.Cart: equals is not symmetric. The test g shows it.",
        ];
        assert_eq!(texts(&log, "/message/text"), messages);
    }

    #[test]
    fn fingerprints_differ_between_findings_and_do_not_depend_on_lines() {
        let fingerprints = |report: &Report| texts(&sarif(report), "/partialFingerprints/tracewrightFinding~1v1");
        let mut report = report(Vec::new());
        let before = fingerprints(&report);
        let distinct: std::collections::BTreeSet<&String> = before.iter().filter(|text| text.len() == 32).collect();
        assert_eq!(distinct.len(), 5, "{before:?}");
        report.classes[0].coverage.as_mut().expect("coverage").mutants[0].line = 7;
        report.classes[0].faults[0].line = None;
        assert_eq!(fingerprints(&report), before);
    }

    #[test]
    fn a_source_file_is_named_below_the_root_of_its_repository() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let sources = folder.path().join("a module/src");
        std::fs::create_dir_all(sources.join("shop")).expect("writable");
        std::fs::create_dir(folder.path().join(".git")).expect("writable");
        std::fs::write(sources.join("shop/Order.java"), "").expect("writable");
        let log = sarif(&report(vec![folder.path().join("missing"), sources]));
        let physical = |place: usize| &log["runs"][0]["results"][place]["locations"][0]["physicalLocation"];
        let artifact = json!({"uri": "a%20module/src/shop/Order.java", "uriBaseId": "%SRCROOT%"});
        assert_eq!(physical(0), &json!({"artifactLocation": artifact, "region": {"startLine": 3}}));
        assert_eq!(physical(3), &json!({"artifactLocation": artifact}));
        let unknown = json!({"uri": "shop/Cart.java", "uriBaseId": "%SRCROOT%"});
        assert_eq!(physical(4), &json!({"artifactLocation": unknown}));
        let uri = |path: &str| relative_uri(Path::new(path));
        assert_eq!(uri("./src/Größe+1.java").as_deref(), Some("src/Gr%C3%B6%C3%9Fe%2B1.java"));
        assert_eq!((uri("../src/A.java"), uri("/src/A.java")), (None, None));
    }
}
