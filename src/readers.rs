//! Every function that turns bytes from outside into values: one row of [`READERS`] for each.
//!
//! In: bytes. Out: the value, printed again, or the reason why the bytes are rejected. The fuzzer
//! (`cargo xtask bench fuzz`) and `tests/readers.rs` read this table, so a new format needs a row
//! here. Must not know files, nor what the values are used for.

use std::fmt::Display;
use std::str::FromStr;

use tracewright_classfile::{ClassFile, Mutant, check_types, mutants};
use tracewright_text::GlobSet;
use tracewright_trace::session::{self, Record, Records};
use tracewright_trace::{search_sites, trace_sites};

use crate::changes::ClassState;
use crate::config::{Config, Settings};
use crate::expr::{Model, TermStore};
use crate::oracle::AssertedTest;
use crate::path::PathCondition;
use crate::program::generics::{ClassSignature, MethodSignature};
use crate::program::{ClassModel, ClassOrigin, GenericType, JavaType};
use crate::recording::{RecordedProcess, Recording, SessionIndex};
use crate::report::Report;
use crate::select::Training;
use crate::structure::StructuralCondition;
use crate::testcase::{CarvedSequence, TestCase};
use crate::tree::{ConstraintTree, TreeLimits};
use crate::{cli, conventions, emit, engine, jvm, project, revision, solve};

/// The result of a reader. `Err`: the bytes are rejected, with the reason. `Ok(Some(..))`: the
/// value as its format prints it; the reader accepts these bytes and prints them without change.
/// `Ok(None)`: the bytes are accepted, and the format is never printed.
pub type ReaderResult = Result<Option<Vec<u8>>, String>;

/// One format that Tracewright reads.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// Name of the format, in lower case with hyphens.
    pub name: &'static str,
    /// Where the format is described: a file of the repository, or a specification.
    pub format: &'static str,
    /// Reads bytes and prints the value. Text that is not UTF-8 is read with replacement
    /// characters.
    pub read: fn(&[u8]) -> ReaderResult,
}

/// All readers, in the order of the modules that they belong to.
pub const READERS: &[Reader] = &[
    Reader { name: "settings", format: "docs/guide/generate.md", read: settings },
    Reader { name: "globs", format: "docs/guide/generate.md", read: globs },
    Reader { name: "editorconfig", format: "EditorConfig 0.17", read: editorconfig },
    Reader { name: "class-file", format: "JVMS §4", read: class_file },
    Reader { name: "descriptor", format: "JVMS §4.3", read: descriptor },
    Reader { name: "signature", format: "JVMS §4.7.9.1", read: signature },
    Reader { name: "mutant", format: "docs/formats/trace.md", read: mutant },
    Reader { name: "manifest", format: "META-INF/MANIFEST.MF of jars", read: manifest },
    Reader { name: "announced-classes", format: "src/jvm/wire.rs", read: announced_classes },
    Reader { name: "worker-result", format: "src/jvm/wire.rs", read: worker_result },
    Reader { name: "diagnostics", format: "src/jvm/wire.rs", read: diagnostics },
    Reader { name: "trace", format: "docs/formats/trace.md", read: trace },
    Reader { name: "trace-text", format: "docs/formats/trace.md", read: trace_text },
    Reader { name: "session", format: "docs/formats/session.md", read: session },
    Reader { name: "session-text", format: "docs/formats/session.md", read: session_text },
    Reader { name: "index", format: "docs/formats/session.md", read: index },
    Reader { name: "term", format: "docs/formats/queries.md", read: term },
    Reader { name: "model", format: "docs/formats/queries.md", read: model },
    Reader { name: "path", format: "docs/formats/queries.md", read: path },
    Reader { name: "structure", format: "docs/formats/queries.md", read: structure },
    Reader { name: "git-diff", format: "git diff --name-status -z", read: git_diff },
    Reader { name: "tree", format: "docs/formats/trees.md", read: tree },
    Reader { name: "stored-trees", format: "docs/formats/trees.md", read: stored_trees },
    Reader { name: "training", format: "docs/formats/trees.md", read: training },
    Reader { name: "query", format: "docs/formats/queries.md", read: query },
    Reader { name: "query-log", format: "docs/formats/queries.md", read: query_log },
    Reader { name: "outcome", format: "docs/formats/queries.md", read: outcome },
    Reader { name: "test-case", format: "docs/formats/test-case.md", read: printed::<TestCase> },
    Reader { name: "carved-sequence", format: "docs/formats/test-case.md", read: printed::<CarvedSequence> },
    Reader { name: "asserted-test", format: "docs/formats/test-case.md", read: printed::<AssertedTest> },
    Reader { name: "test-file", format: "docs/guide/generate.md", read: test_file },
    Reader { name: "report", format: "docs/formats/report.md", read: report },
    Reader { name: "arguments", format: "docs/guide/generate.md", read: arguments },
];

/// The text, as every text format is read.
fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// A value that is read by `FromStr` and printed by `Display`.
fn printed<T: FromStr<Err: Display> + Display>(bytes: &[u8]) -> ReaderResult {
    text(bytes).parse::<T>().map(|value| Some(value.to_string().into())).map_err(|error| error.to_string())
}

/// An error as the reason of a rejection.
fn reason(error: impl Display) -> String {
    error.to_string()
}

/// The result of a format that is never printed.
fn accepted(is_accepted: bool, reason: &str) -> ReaderResult {
    if is_accepted { Ok(None) } else { Err(reason.into()) }
}

/// `tracewright.toml`, up to the configuration.
fn settings(bytes: &[u8]) -> ReaderResult {
    let settings = Settings::from_toml(&text(bytes), "tracewright.toml".into()).map_err(reason)?;
    Config::new(settings).map(|_| None).map_err(reason)
}

/// Patterns in the first line; the further lines are matched against them.
fn globs(bytes: &[u8]) -> ReaderResult {
    let text = text(bytes);
    let mut lines = text.lines();
    let globs = GlobSet::parse(lines.next().unwrap_or_default());
    let matched = lines.filter(|line| globs.matches(line)).count();
    accepted(matched > 0, "no line matches")
}

/// An `.editorconfig` file, which gives the layout of a test file.
fn editorconfig(bytes: &[u8]) -> ReaderResult {
    let layout = conventions::layout_by_text(&text(bytes));
    accepted(layout != conventions::FileLayout::default(), "it says nothing about Java")
}

/// A class file with everything that is read from one: model, instructions, types, probe sites,
/// mutants, and the text that changes are found by.
fn class_file(bytes: &[u8]) -> ReaderResult {
    let class = ClassFile::parse(bytes).map_err(reason)?;
    let pool = class.constant_pool();
    for method in class.methods() {
        if let Ok(Some(code)) = method.code() {
            // Wrong types are a result, not a rejection.
            let _ = check_types(&code, pool, |_, _| {});
        }
    }
    class.dump();
    let _ = (search_sites(&class), trace_sites(&class), ClassState::of(&class), class.module_packages());
    let _ = (class.inner_classes(), class.record_components(), class.permitted_subclasses(), class.nest_members());
    for found in mutants(&class).unwrap_or_default() {
        let line = found.to_string();
        // Names that JVMS §4.2.2 forbids may move the borders of the parts.
        if let Ok(again) = Mutant::parse(&line) {
            assert_eq!(again.to_string(), line);
        }
    }
    if let Ok(model) = ClassModel::parse(bytes, ClassOrigin::Project) {
        for method in &model.methods {
            model.control_dependence(method);
            model.parameter_names(method);
        }
    }
    Ok(Some(class.to_bytes()))
}

fn descriptor(bytes: &[u8]) -> ReaderResult {
    let text = text(bytes);
    if let Some(ty) = JavaType::parse(&text) {
        return Ok(Some(ty.descriptor().into()));
    }
    let (parameters, returned) = JavaType::parse_method(&text).ok_or("no descriptor")?;
    let parameters: String = parameters.iter().map(JavaType::descriptor).collect();
    Ok(Some(format!("({parameters}){}", returned.descriptor()).into()))
}

fn signature(bytes: &[u8]) -> ReaderResult {
    let text = text(bytes);
    let class = ClassSignature::parse(&text).is_some();
    let method = MethodSignature::parse(&text).is_some();
    let field = GenericType::parse(&text).inspect(|ty| drop(ty.to_string())).is_some();
    accepted(class || method || field, "no signature")
}

fn mutant(bytes: &[u8]) -> ReaderResult {
    Ok(Some(Mutant::parse(&text(bytes))?.to_string().into()))
}

fn manifest(bytes: &[u8]) -> ReaderResult {
    let attributes = project::main_attributes(&text(bytes));
    accepted(!attributes.is_empty(), "no attributes")
}

fn announced_classes(bytes: &[u8]) -> ReaderResult {
    accepted(jvm::are_announced_classes(bytes), "no announcement of classes")
}

fn worker_result(bytes: &[u8]) -> ReaderResult {
    accepted(jvm::is_result(bytes), "no result")
}

fn diagnostics(bytes: &[u8]) -> ReaderResult {
    accepted(jvm::are_diagnostics(bytes), "no diagnostics")
}

/// The bytes of events; a stream that ends within an event is rejected, after its beginning was
/// read.
fn trace(bytes: &[u8]) -> ReaderResult {
    let recording = Recording::from_bytes(bytes);
    recording.print();
    let (events, end) = tracewright_trace::decode(bytes);
    end.map_err(reason)?;
    let mut printed = Vec::new();
    events.iter().for_each(|event| tracewright_trace::encode(event, &mut printed));
    Ok(Some(printed))
}

fn trace_text(bytes: &[u8]) -> ReaderResult {
    Recording::parse(&text(bytes)).map(|recording| Some(recording.print().into())).map_err(reason)
}

/// A session file: its records, its index and the recordings of its runs.
fn session(bytes: &[u8]) -> ReaderResult {
    let index = SessionIndex::of_bytes(bytes).map_err(reason)?;
    let process = RecordedProcess::new(index).map_err(reason)?;
    let mut printed = session::MAGIC.to_vec();
    for record in Records::new(bytes).map_err(reason)? {
        let (place, record) = record.map_err(reason)?;
        if let Record::Run(run) = &record {
            let start = place.offset as usize;
            // A run that cannot be decoded is reported for that run alone.
            let _ = process.recording(&bytes[start..start + place.length as usize], run.accompanied);
        }
        session::encode_record(&record, &mut printed);
    }
    process.calls().for_each(drop);
    Ok(Some(printed))
}

fn session_text(bytes: &[u8]) -> ReaderResult {
    let records = session::parse_records(&text(bytes)).map_err(reason)?;
    Ok(Some(session::print_records(&records).into()))
}

/// The file beside a session file, with its calls.
fn index(bytes: &[u8]) -> ReaderResult {
    let index = SessionIndex::of_file(bytes.to_vec(), None).ok_or("no index")?;
    let process = RecordedProcess::new(index).map_err(reason)?;
    process.calls().for_each(drop);
    Ok(None)
}

fn term(bytes: &[u8]) -> ReaderResult {
    let mut terms = TermStore::new();
    let term = terms.parse(&text(bytes)).map_err(reason)?;
    Ok(Some(terms.print(term).into()))
}

fn model(bytes: &[u8]) -> ReaderResult {
    let model: Model = text(bytes).parse().map_err(|()| "no model")?;
    Ok(Some(model.to_string().into()))
}

fn path(bytes: &[u8]) -> ReaderResult {
    let mut terms = TermStore::new();
    let path = PathCondition::parse(&text(bytes), &mut terms).map_err(reason)?;
    Ok(Some(path.print(&terms).into()))
}

fn structure(bytes: &[u8]) -> ReaderResult {
    let mut terms = TermStore::new();
    let condition = StructuralCondition::parse(&text(bytes), &mut terms).map_err(reason)?;
    Ok(Some(condition.print(&terms).into()))
}

fn git_diff(bytes: &[u8]) -> ReaderResult {
    let files = revision::parse_changed_files(&text(bytes));
    accepted(!files.is_empty(), "no changed file")
}

fn tree(bytes: &[u8]) -> ReaderResult {
    let mut terms = TermStore::new();
    let tree = ConstraintTree::parse(&text(bytes), &mut terms, TreeLimits::default()).map_err(reason)?;
    Ok(Some(tree.print(&terms).into()))
}

/// The body of a file of trees: its test cases and trees.
fn stored_trees(bytes: &[u8]) -> ReaderResult {
    let (trees, tests) = engine::read_stored_entries(&text(bytes), &mut TermStore::new());
    accepted(trees + tests > 0, "no entry can be read")
}

fn training(bytes: &[u8]) -> ReaderResult {
    let (training, unread) = Training::parse(&text(bytes));
    if unread.is_unknown { Err("no training".into()) } else { Ok(Some(training.to_string().into())) }
}

fn query(bytes: &[u8]) -> ReaderResult {
    let mut terms = TermStore::new();
    let (query, isolation) = solve::wire::read_query(&mut terms, text(bytes).lines())?;
    Ok(Some(solve::wire::write_query(&terms, &query, isolation).into()))
}

fn query_log(bytes: &[u8]) -> ReaderResult {
    let mut terms = TermStore::new();
    let mut printed = String::new();
    for (query, outcome) in solve::read_log(&mut terms, &text(bytes))? {
        printed += &solve::wire::write_query(&terms, &query, solve::wire::Isolation::Shared);
        printed += &format!("{}\n", solve::wire::write_outcome(&outcome));
    }
    Ok(Some(printed.into()))
}

/// The answer of a solver process to a query of eight clauses.
fn outcome(bytes: &[u8]) -> ReaderResult {
    let text = text(bytes);
    let outcome = solve::wire::read_outcome(text.lines().next().unwrap_or_default(), 8).ok_or("no outcome")?;
    Ok(Some(solve::wire::write_outcome(&outcome).into()))
}

/// An existing test file, whose header and tests are looked for.
fn test_file(bytes: &[u8]) -> ReaderResult {
    let source = text(bytes);
    let tests = emit::written_tests(&source);
    emit::blank_tests(&source, |name| name.len().is_multiple_of(2));
    let (change, hash) = (emit::change_of(&source), emit::header_hash(&source));
    let known = emit::is_untouched(&source) || change.is_some() || hash.is_some() || !tests.is_empty();
    accepted(known, "no test file")
}

fn report(bytes: &[u8]) -> ReaderResult {
    let report = Report::parse(bytes)?;
    serde_json::to_string_pretty(&report).map(|text| Some(text.into())).map_err(reason)
}

/// An argument file behind `generate`, up to the configuration.
fn arguments(bytes: &[u8]) -> ReaderResult {
    cli::check_arguments(&text(bytes)).map(|()| None)
}
