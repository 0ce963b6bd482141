//! No circle of uses between the files of `engine`, nor between those of `symbolic`.
//!
//! An edge leads from a file to the file that defines a name it uses. A re-export in a `mod.rs` is
//! followed to the file that it names and is no edge of its own, so that a folder can offer its
//! parts under short names.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

use crate::ratchet::Violations;
use crate::repository::{is_test_file, product_code, rust_files};

/// The path of a module below the crate: `["engine", "class"]`.
type ModulePath = Vec<String>;

/// One file: the paths that it uses, and those that it re-exports by their last name.
#[derive(Debug, Default)]
struct Module {
    file: String,
    uses: BTreeSet<ModulePath>,
    exports: BTreeMap<String, ModulePath>,
}

fn module_path(file: &str) -> ModulePath {
    let path = file.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').map(str::to_owned).collect()
}

/// The identifiers and punctuation of a piece of code.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    tokens
}

/// The paths of a use tree that begins at a token, below a prefix; returns the position behind it.
fn use_tree(tokens: &[&str], mut at: usize, prefix: &[&str], paths: &mut Vec<Vec<String>>) -> usize {
    let mut path = prefix.to_vec();
    while let Some(&token) = tokens.get(at) {
        match token {
            "{" => {
                at += 1;
                while tokens.get(at).is_some_and(|token| *token != "}") {
                    at = use_tree(tokens, at, &path, paths).max(at + 1);
                    if tokens.get(at) == Some(&",") {
                        at += 1;
                    }
                }
                return at + 1;
            }
            word => path.push(word),
        }
        at += 1;
        if tokens.get(at) != Some(&"::") {
            break;
        }
        at += 1;
    }
    paths.push(path.iter().map(|part| part.to_string()).collect());
    at
}

/// The absolute form of a path that begins with `crate`, `self`, `super` or the name of a child
/// module.
fn absolute(path: &[String], module: &ModulePath, modules: &BTreeSet<ModulePath>) -> Option<ModulePath> {
    let (mut base, mut rest) = match path.first()?.as_str() {
        "crate" => (Vec::new(), &path[1..]),
        "self" | "super" => (module.clone(), path),
        child => {
            let is_child = modules.contains(&[module.as_slice(), &[child.to_owned()]].concat());
            (is_child.then(|| module.clone())?, path)
        }
    };
    while let Some(first) = rest.first().filter(|first| *first == "super" || *first == "self") {
        if first == "super" {
            base.pop();
        }
        rest = &rest[1..];
    }
    Some([base.as_slice(), rest].concat())
}

/// What a file uses and re-exports.
fn read_module(file: &str, code: &str, modules: &BTreeSet<ModulePath>) -> Module {
    let path = module_path(file);
    let tokens = tokens(code);
    let mut module = Module { file: file.to_owned(), ..Module::default() };
    let mut at = 0;
    while at < tokens.len() {
        let starts_path = at == 0 || !matches!(tokens[at - 1], "::" | ".");
        if !starts_path || tokens.get(at + 1) != Some(&"::") {
            at += 1;
            continue;
        }
        // `pub use`, `pub(crate) use`
        let before = tokens[..at].iter().rev().take(5).copied().collect::<Vec<_>>();
        let is_export = before.first() == Some(&"use") && matches!(before.get(1), Some(&("pub" | ")")));
        let mut paths = Vec::new();
        at = use_tree(&tokens, at, &[], &mut paths).max(at + 1);
        for used in paths.iter().filter_map(|used| absolute(used, &path, modules)) {
            match used.last() {
                Some(name) if is_export => drop(module.exports.insert(name.clone(), used)),
                _ => drop(module.uses.insert(used)),
            }
        }
    }
    module
}

/// The module that defines what a path names: re-exports are followed.
fn defining_module(path: &ModulePath, modules: &BTreeMap<ModulePath, Module>) -> Option<ModulePath> {
    let mut path = path.clone();
    for _ in 0..8 {
        let length = (1..=path.len()).rev().find(|length| modules.contains_key(&path[..*length]))?;
        let (module, rest) = path.split_at(length);
        match rest.first().and_then(|name| modules[module].exports.get(name)) {
            Some(target) => path = [target.as_slice(), &rest[1..]].concat(),
            None => return Some(module.to_vec()),
        }
    }
    None
}

/// The circles between files, each as a sorted list of the files in it.
fn circles(files: &[(String, String)]) -> Vec<Vec<String>> {
    let paths: BTreeSet<ModulePath> = files.iter().map(|(file, _)| module_path(file)).collect();
    let modules: BTreeMap<ModulePath, Module> =
        files.iter().map(|(file, code)| (module_path(file), read_module(file, code, &paths))).collect();
    let mut graph = DiGraph::new();
    let nodes: BTreeMap<&ModulePath, _> =
        modules.iter().map(|(path, module)| (path, graph.add_node(module.file.clone()))).collect();
    for (path, module) in &modules {
        for target in module.uses.iter().filter_map(|used| defining_module(used, &modules)) {
            if target != *path {
                graph.update_edge(nodes[path], nodes[&target], ());
            }
        }
    }
    let mut circles: Vec<Vec<String>> = tarjan_scc(&graph)
        .into_iter()
        .filter(|component| component.len() > 1)
        .map(|component| component.into_iter().map(|node| graph[node].clone()).collect())
        .collect();
    circles.iter_mut().for_each(|circle| circle.sort());
    circles.sort();
    circles
}

#[test]
fn files_of_a_folder_form_no_circle() {
    let mut violations = Violations::default();
    for folder in ["src/engine", "src/symbolic"] {
        let files: Vec<(String, String)> = rust_files(folder)
            .into_iter()
            .filter(|(name, _)| !is_test_file(name))
            .map(|(name, text)| (name.clone(), product_code(&name, &text)))
            .collect();
        let circles = circles(&files);
        if !circles.is_empty() {
            let shown: Vec<String> = circles.iter().map(|circle| circle.join(" ")).collect();
            violations.add(folder, shown.join("\n  "));
        }
    }
    violations.check("cycles");
}

#[test]
fn circles_are_found_through_re_exports() {
    let file = |name: &str, code: &str| (format!("src/e/{name}.rs"), code.to_owned());
    let root = file("mod", "mod a; mod b; mod c; pub(crate) use b::Thing; fn f() { a::run(); }");
    let open = [root.clone(), file("a", "use super::Thing; use super::c::{x, y};"), file("b", "use super::c::x;"), file("c", "")];
    assert_eq!(circles(&open), Vec::<Vec<String>>::new());
    let closed =
        [root, file("a", "use super::Thing;"), file("b", "use crate::e::{c::x, c::y};"), file("c", "fn x() { super::a::run() }")];
    assert_eq!(circles(&closed), [["src/e/a.rs", "src/e/b.rs", "src/e/c.rs"]]);
}
