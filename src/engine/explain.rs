//! `tracewright explain`: the constraint trees of a class in words.
//!
//! Flows in: the class, and either a session that stores its trees or the configuration to explore
//! it with. Flows out: a report. Must not know how the report is shown.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::class_generation::{ClassExploration, explore_class};
use super::class_path::OpenedClassPath;
use super::context::Context;
use super::error::EngineError;
use super::installation::Installation;
use super::observer::{Interrupt, Observer};
use super::stored_trees::parse_stored_trees;
use super::target::Target;
use super::tree_text::describe_tree;
use crate::config::Config;
use crate::expr::TermStore;
use crate::jvm::Jdk;
use crate::program::{self, ClassName, Program};
use crate::project::Project;
use crate::recording::classes_with_trees;
use crate::report::ExplainReport;
use crate::testcase::{Literal, StatementKind, TestCase};
use crate::tree::{ConstraintTree, NodeId, RunId};

/// Method names that an error message lists where no name is similar.
const MOST_NAMES: usize = 5;

/// Describes the trees that a session stores for a class. Lines of the source are known where a
/// class path is given.
///
/// # Errors
/// [`EngineError::Input`] where the session has no trees of the class, or no such method; then
/// similar names are suggested.
pub fn explain_session(
    session: &Path,
    class: &str,
    method: Option<&str>,
    classpath: Option<&[PathBuf]>,
    jdk: Option<&Path>,
) -> Result<ExplainReport, EngineError> {
    let program = match classpath {
        Some(classpath) => {
            let jdk = Jdk::find(jdk).map_err(EngineError::input)?;
            Some(Program::new(Project::open(classpath, &jdk.home).map_err(EngineError::input)?))
        }
        None => None,
    };
    let known = classes_with_trees(session);
    let name = match &program {
        Some(program) => program::find_target(program, class).map_err(EngineError::input)?.name.clone(),
        None => ClassName::new(&class.trim().replace('.', "/")),
    };
    if !known.contains(&name) {
        let near = program::nearest_names(class, known.iter().map(ClassName::binary));
        return Err(EngineError::Input(format!("{} keeps no trees of {class}{}", session.display(), suggestion(&near))));
    }
    let mut terms = TermStore::new();
    let (stored, unreadable) = parse_stored_trees(session, &name, &mut terms).map_err(EngineError::Input)?;
    let pending_reason = |tree: &ConstraintTree, _: NodeId, run: Option<RunId>| {
        let values = run.and_then(|run| tree.origin_of_run(run)).map(|test| literal_values(test));
        Some(
            values
                .map_or_else(|| "no run took it yet".into(), |values| format!("not drawn yet; it leaves the run with {values}")),
        )
    };
    let trees =
        stored.iter().map(|tree| describe_tree(tree, &terms, program.as_ref(), &name, &pending_reason, usize::MAX)).collect();
    let mut report = ExplainReport { class: name.binary(), coverage: None, trees, remarks: Vec::new() };
    if unreadable > 0 {
        report.remarks.push(format!("{unreadable} trees cannot be read"));
    }
    retain_method(&mut report, method)?;
    Ok(report)
}

/// Explores a class by symbolic execution and describes its trees.
///
/// # Errors
/// [`EngineError::Input`] where the class path, the class, the method or the JDK cannot be used;
/// [`EngineError::Fault`] where a JVM cannot be started.
pub fn explain(
    config: &Config,
    installation: &Installation,
    temporary: &Path,
    class: &str,
    observer: &dyn Observer,
    interrupt: &Interrupt,
) -> Result<ExplainReport, EngineError> {
    let jdk = Jdk::find(config.jdk.as_deref()).map_err(EngineError::input)?;
    let OpenedClassPath { config, project, .. } = OpenedClassPath::new(config, &jdk, observer)?;
    let (config, program) = (&config, Arc::new(Program::new(project)));
    if let (Ok(model), Some(method)) = (program::find_target(&program, class), &config.method) {
        let names = model.methods.iter().map(|method| &method.reference);
        if !names.clone().any(|known| matches_typed(&known.name, &known.descriptor, &known.owner.binary(), method)) {
            return Err(unknown_method(class, method, names.map(|method| method.name.to_string()).collect()));
        }
    }
    let target = Target::new(&program, class, config).map_err(EngineError::input)?;
    let mut context = Context::new(config, installation, temporary, (jdk, program), observer, interrupt);
    context.describes_trees = true;
    let ClassExploration { trees, coverage, .. } = explore_class(&context, &target)?;
    let mut report = ExplainReport { class: target.name().binary(), coverage: Some(coverage), trees, remarks: Vec::new() };
    retain_method(&mut report, config.method.as_deref())?;
    Ok(report)
}

/// Removes the trees of other methods than the one that the user typed.
fn retain_method(report: &mut ExplainReport, method: Option<&str>) -> Result<(), EngineError> {
    let Some(method) = method else { return Ok(()) };
    let names: Vec<String> = report.trees.iter().map(|tree| tree.name.clone()).collect();
    let had_trees = !names.is_empty();
    let class = report.class.clone();
    report.trees.retain(|tree| matches_typed(&tree.name, &tree.descriptor, &class, method));
    if let Some(coverage) = &mut report.coverage {
        coverage.retain_method(|name| matches_typed(name, "", &class, method.split('(').next().unwrap_or(method)));
    }
    if had_trees && report.trees.is_empty() {
        return Err(unknown_method(&class, method, names));
    }
    Ok(())
}

/// Whether the user means this method. `typed` is a name with or without descriptor; the simple
/// name of the class means its constructors.
fn matches_typed(name: &str, descriptor: &str, class: &str, typed: &str) -> bool {
    let (typed, parameters) = typed.find('(').map_or((typed, None), |at| (&typed[..at], Some(&typed[at..])));
    let simple = class.rsplit(['.', '$']).next().unwrap_or(class);
    (name == typed || (name == "<init>" && typed == simple)) && parameters.is_none_or(|parameters| parameters == descriptor)
}

fn unknown_method(class: &str, method: &str, mut names: Vec<String>) -> EngineError {
    names.sort();
    names.dedup();
    let near = program::nearest_names(method.split('(').next().unwrap_or(method), names.iter().cloned());
    let near = if near.is_empty() { names.into_iter().take(MOST_NAMES).collect() } else { near };
    EngineError::Input(format!("nothing is known of a method {method} of {class}{}", suggestion(&near)))
}

fn suggestion(near: &[String]) -> String {
    match near {
        [] => String::new(),
        near => format!("; did you mean {}?", near.join(" or ")),
    }
}

/// The values of a test case with their variables: `v0 = 4, v1 = "a"`. Constants without a value,
/// such as null and class literals, are left out.
fn literal_values(test: &TestCase) -> String {
    let values = test.statements.iter().enumerate().filter_map(|(variable, statement)| match &statement.kind {
        StatementKind::Literal(Literal::Null | Literal::Class(_)) => None,
        StatementKind::Literal(literal) => {
            let text = literal.to_string();
            // The text form is `int 4`, but `true` alone.
            let value = text.split_once(' ').map_or(&*text, |(_, value)| value);
            Some(format!("v{variable} = {value}"))
        }
        _ => None,
    });
    let values: Vec<String> = values.collect();
    if values.is_empty() { "no values".into() } else { values.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_test_case_are_listed_with_their_variables() {
        let test = "v0: I = int -4\nv1: Z = true\nv2: Ljava/lang/String; = string \"a b\"\nv3: Ljava/lang/Object; = null\n";
        let test: TestCase = test.parse().expect("a test case");
        assert_eq!(literal_values(&test), "v0 = -4, v1 = true, v2 = \"a b\"");
        assert_eq!(literal_values(&TestCase::default()), "no values");
    }

    #[test]
    fn a_method_is_typed_with_or_without_its_descriptor() {
        let matches = |name, typed| matches_typed(name, "(I)V", "p.Outer$Inner", typed);
        assert!(matches("f", "f") && matches("f", "f(I)V") && !matches("f", "f(J)V") && !matches("f", "g"));
        assert!(matches("<init>", "Inner") && matches("<init>", "<init>") && !matches("f", "Inner"));
    }
}
