//! `tracewright explain`: the constraint trees of a class in words. Flows in: the class, and either a session that keeps trees of it or what to explore it with;
//! flows out: a report. Must not know how the report is shown.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tracewright_classfile::Code;

use super::class::{self, Target};
use super::{Context, EngineError, Installation, Interrupt, Observer, input, stored_trees, training_store};
use crate::config::Config;
use crate::expr::TermStore;
use crate::jvm::Jdk;
use crate::path::ClauseKind;
use crate::program::{self, ClassName, GenericType, JavaType, MethodRef, Program};
use crate::project::Project;
use crate::recording::classes_with_trees;
use crate::report::{DecisionReport, DecisionState, ExplainReport, ExplainedTree};
use crate::tree::{ConstraintTree, Dropped, Node, NodeId, RunId};

/// The trees of a class that a session keeps. SourceLines of the source are known where the class path is.
pub fn explain_session(
    session: &Path,
    class: &str,
    method: Option<&str>,
    classpath: Option<&[PathBuf]>,
    jdk: Option<&Path>,
) -> Result<ExplainReport, EngineError> {
    let program = match classpath {
        Some(classpath) => {
            let jdk = Jdk::find(jdk).map_err(input)?;
            Some(Program::new(Project::open(classpath, &jdk.home).map_err(input)?))
        }
        None => None,
    };
    let known = classes_with_trees(session);
    let name = match &program {
        Some(program) => program::find_target(program, class).map_err(input)?.name.clone(),
        None => ClassName::new(&class.trim().replace('.', "/")),
    };
    if !known.contains(&name) {
        let near = program::nearest_names(class, known.iter().map(ClassName::binary));
        return Err(EngineError::Input(format!("{} keeps no trees of {class}{}", session.display(), suggestion(&near))));
    }
    let mut terms = TermStore::new();
    let (stored, unreadable) = stored_trees::stored(session, &name, &mut terms).map_err(EngineError::Input)?;
    let why = |tree: &ConstraintTree, _: NodeId, run: Option<RunId>| {
        let run = run.and_then(|run| tree.run(run)).map(|test| values(&test.to_string()));
        Some(run.map_or_else(|| "nobody has run this yet".into(), |run| format!("not drawn yet; it leaves the run with {run}")))
    };
    let all = stored.iter().map(|tree| explained(tree, &terms, program.as_ref(), &name, &why)).collect();
    let mut report = ExplainReport { class: name.binary(), trees: all, remarks: Vec::new() };
    if unreadable > 0 {
        report.remarks.push(format!("{unreadable} trees cannot be read"));
    }
    only(&mut report, method)?;
    Ok(report)
}

/// Explores a class with symbolic execution and tells of its trees.
pub fn explain(
    config: &Config,
    installation: &Installation,
    temporary: &Path,
    class: &str,
    observer: &dyn Observer,
    interrupt: &Interrupt,
) -> Result<ExplainReport, EngineError> {
    let jdk = Jdk::find(config.jdk.as_deref()).map_err(input)?;
    let program = Arc::new(Program::new(Project::open(&config.classpath, &jdk.home).map_err(input)?));
    if let (Ok(model), Some(method)) = (program::find_target(&program, class), &config.method) {
        let names = model.methods.iter().map(|method| &method.reference);
        if !names.clone().any(|known| is_meant(known, method)) {
            return Err(unknown_method(class, method, names.map(|method| method.name.to_string()).collect()));
        }
    }
    let target = Target::new(&program, class, config).map_err(input)?;
    let context = Context {
        config,
        installation,
        temporary,
        jdk,
        program,
        mocking_agent: None,
        existing: None,
        reached: None,
        lessons: training_store::TrainingStore::default(),
        start: None,
        explains: true,
        observer,
        interrupt,
    };
    let mut report =
        ExplainReport { class: target.name().binary(), trees: class::explore(&context, &target)?.trees, remarks: Vec::new() };
    only(&mut report, config.method.as_deref())?;
    Ok(report)
}

/// Keeps the trees of the method that is meant.
fn only(report: &mut ExplainReport, method: Option<&str>) -> Result<(), EngineError> {
    let Some(method) = method else { return Ok(()) };
    let names: Vec<String> = report.trees.iter().map(|tree| tree.name.clone()).collect();
    let is_there = !names.is_empty();
    let class = report.class.clone();
    report.trees.retain(|tree| is_meant_by(&tree.name, &tree.descriptor, &class, method));
    if is_there && report.trees.is_empty() {
        return Err(unknown_method(&class, method, names));
    }
    Ok(())
}

fn is_meant(known: &MethodRef, typed: &str) -> bool {
    is_meant_by(&known.name, &known.descriptor, &known.owner.binary(), typed)
}

/// `typed`: a name, with or without descriptor; a constructor goes by the name of its class as well.
fn is_meant_by(name: &str, descriptor: &str, class: &str, typed: &str) -> bool {
    let (typed, parameters) = typed.find('(').map_or((typed, None), |at| (&typed[..at], Some(&typed[at..])));
    let simple = class.rsplit(['.', '$']).next().unwrap_or(class);
    (name == typed || (name == "<init>" && typed == simple)) && parameters.is_none_or(|parameters| parameters == descriptor)
}

fn unknown_method(class: &str, method: &str, mut names: Vec<String>) -> EngineError {
    names.sort();
    names.dedup();
    let near = program::nearest_names(method.split('(').next().unwrap_or(method), names.iter().cloned());
    let near = if near.is_empty() { names.into_iter().take(5).collect() } else { near };
    EngineError::Input(format!("nothing is known of a method {method} of {class}{}", suggestion(&near)))
}

fn suggestion(near: &[String]) -> String {
    match near {
        [] => String::new(),
        near => format!("; did you mean {}?", near.join(" or ")),
    }
}

/// The literals of a test case: `v0 = 4, v1 = "a"`.
fn values(test: &str) -> String {
    let literals = test.lines().filter_map(|line| {
        let (variable, rest) = line.split_once(": ")?;
        let (kind, value) = rest.split_once(" = ")?.1.split_once(' ')?;
        let is_literal = matches!(kind, "boolean" | "byte" | "char" | "short" | "int" | "long" | "float" | "double" | "string");
        is_literal.then(|| format!("{variable} = {value}"))
    });
    let literals: Vec<String> = literals.collect();
    if literals.is_empty() { "no values".into() } else { literals.join(", ") }
}

type Why<'a> = &'a dyn Fn(&ConstraintTree, NodeId, Option<RunId>) -> Option<String>;

/// One tree in words; `why` says why an unexplored node was not taken.
pub(crate) fn explained(
    tree: &ConstraintTree,
    terms: &TermStore,
    program: Option<&Program>,
    class: &ClassName,
    why: Why<'_>,
) -> ExplainedTree {
    let (key, stats) = (tree.key(), tree.stats());
    let Dropped { often, full, cut } = stats.dropped;
    let dropped = [
        ("one run left the instruction that way too often", often),
        ("the tree was full", full),
        ("the rest of a path, since the tree was full", cut),
    ];
    let mut explained = ExplainedTree {
        method: java(&key.method, class),
        name: key.method.name.to_string(),
        descriptor: key.method.descriptor.to_string(),
        test: key.skeleton().lines().map(str::to_owned).collect(),
        paths: stats.paths,
        repeated: stats.repeated,
        contradicted: stats.contradicted,
        waiting: stats.frontier,
        infeasible: stats.infeasible,
        timed_out: stats.timed_out,
        dropped: dropped.iter().filter(|(_, count)| *count > 0).map(|(limit, count)| ((*limit).to_owned(), *count)).collect(),
        decisions: Vec::new(),
    };
    let mut lines = SourceLines { program, known: BTreeMap::new() };
    // An explicit stack: a path may be deeper than the thread's.
    let mut pending: Vec<(NodeId, usize, u32)> = vec![(NodeId(0), 0, 0)];
    while let Some((id, position, depth)) = pending.pop() {
        let Node::Computation(edges) = tree.node(id) else { continue };
        let is_taken = |child: NodeId| matches!(tree.node(child), Node::Computation(_) | Node::Terminal);
        // What was not taken first, so that a path stays together.
        let mut order: Vec<usize> = (0..edges.len()).collect();
        order.sort_by_key(|&place| is_taken(edges[place].child));
        let Some(edge) = order.get(position).map(|&place| &edges[place]) else { continue };
        pending.push((id, position + 1, depth));
        let forks = edges.iter().filter(|edge| is_taken(edge.child)).count() > 1;
        let (state, reason) = match tree.node(edge.child) {
            Node::Computation(_) => (DecisionState::Taken, None),
            Node::Terminal => (DecisionState::Ended, None),
            Node::Unexplored(run) => (DecisionState::Waiting, why(tree, edge.child, *run)),
            Node::Infeasible { core } => (DecisionState::Infeasible, contradiction(core, terms)),
            Node::TimedOut { reason } => (DecisionState::TimedOut, Some(reason.to_string())),
        };
        let is_own = edge.site.method == key.method;
        explained.decisions.push(DecisionReport {
            depth: depth + u32::from(!is_taken(edge.child)),
            method: (!is_own).then(|| java(&edge.site.method, class)),
            line: lines.of(&edge.site.method, edge.site.bci),
            bci: edge.site.bci,
            kind: name(edge.kind).into(),
            outcome: edge.site.outcome,
            condition: terms.print(edge.term),
            state,
            why: reason,
        });
        pending.push((edge.child, 0, depth + u32::from(forks)));
    }
    explained
}

fn contradiction(core: &[crate::expr::TermId], terms: &TermStore) -> Option<String> {
    let core: Vec<String> = core.iter().map(|term| terms.print(*term)).collect();
    (!core.is_empty()).then(|| format!("never together: {}", core.join(", ")))
}

/// What asks there, in the words of the Java language.
fn name(kind: ClauseKind) -> &'static str {
    match kind {
        ClauseKind::Jump => "if",
        ClauseKind::Switch => "switch",
        ClauseKind::Null => "null check",
        ClauseKind::Bounds => "array index",
        ClauseKind::DivZero => "division by zero",
        ClauseKind::Cast => "cast",
        ClauseKind::NegSize => "array size",
        ClauseKind::Store => "array store",
        ClauseKind::Model => "inside of the library",
    }
}

/// `int Other.f(int, String[])`; without the class where it is `class`.
fn java(method: &MethodRef, class: &ClassName) -> String {
    let parameters: Vec<String> = method.parameters().iter().map(simple).collect();
    let parameters = parameters.join(", ");
    let owner = simple_class(&method.owner);
    match &*method.name {
        "<init>" => format!("new {owner}({parameters})"),
        "<clinit>" => format!("static initializer of {owner}"),
        name if method.owner == *class => format!("{} {name}({parameters})", simple(&method.return_type())),
        name => format!("{} {owner}.{name}({parameters})", simple(&method.return_type())),
    }
}

fn simple(ty: &JavaType) -> String {
    let text = GenericType::of(ty).to_string();
    text.rsplit('.').next().unwrap_or(&text).replace('$', ".")
}

fn simple_class(class: &ClassName) -> String {
    simple(&JavaType::Class(class.clone()))
}

/// SourceLines of the source by method and bci.
struct SourceLines<'a> {
    program: Option<&'a Program>,
    known: BTreeMap<MethodRef, Option<Arc<Code>>>,
}

impl SourceLines<'_> {
    fn of(&mut self, method: &MethodRef, bci: u32) -> Option<u16> {
        let program = self.program?;
        let code = self.known.entry(method.clone()).or_insert_with(|| {
            let class = program.class(&method.owner)?;
            class.code(class.methods.iter().find(|known| known.reference == *method)?)
        });
        code.as_ref()?.line_of(bci)
    }
}
