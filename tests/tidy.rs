//! What may know what. The table is the architecture (`docs/architecture.md`): a change of it is a decision, not a repair of this test.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The modules of the root package in reading order, each with the modules it may use and whether it may do I/O (files, processes, sockets,
/// environment) and look at the clock.
const MODULES: &[(&str, &[&str], Access)] = &[
    ("files", &[], Access::Io),
    ("config", &[], Access::Pure),
    ("project", &["program", "config"], Access::Io),
    ("program", &[], Access::Pure),
    ("jvm", &["execution", "program", "testcase"], Access::Io),
    ("recording", &["files", "program", "project"], Access::Io),
    ("expr", &[], Access::Pure),
    ("path", &["expr", "program"], Access::Pure),
    ("structure", &["expr", "path", "program"], Access::Pure),
    ("symbolic", &["expr", "path", "program", "recording", "structure", "testcase"], Access::Pure),
    ("carving", &["path", "program", "recording", "symbolic", "testcase"], Access::Pure),
    ("changes", &["program"], Access::Pure),
    ("revision", &[], Access::Io),
    ("tree", &["expr", "path", "program", "testcase"], Access::Pure),
    ("slice", &["expr", "path"], Access::Pure),
    ("select", &["expr", "path", "slice", "tree"], Access::Pure),
    // The process is I/O; `ONLY_IN` says that nothing else in `solve` is.
    ("solve", &["expr", "slice"], Access::Io),
    ("testcase", &["program"], Access::Pure),
    ("execution", &["program", "testcase"], Access::Pure),
    ("search", &["execution", "program", "testcase"], Access::Pure),
    ("oracle", &["execution", "program", "testcase"], Access::Pure),
    ("emit", &["execution", "oracle", "program", "testcase"], Access::Pure),
    (
        "engine",
        &[
            "files",
            "config",
            "project",
            "program",
            "jvm",
            "execution",
            "recording",
            "expr",
            "carving",
            "changes",
            "revision",
            "path",
            "symbolic",
            "tree",
            "slice",
            "select",
            "solve",
            "testcase",
            "search",
            "oracle",
            "emit",
            "report",
        ],
        Access::Clock,
    ),
    ("report", &["files"], Access::Io),
    ("cli", &["files", "config", "engine", "jvm", "recording", "report", "solve"], Access::Io),
];

#[derive(Clone, Copy, PartialEq, Debug)]
enum Access {
    /// Neither I/O nor a clock.
    Pure,
    /// `Instant::now`, but no I/O.
    Clock,
    Io,
}

/// Files of modules with I/O that may do it; where a module is not mentioned, all of its files may.
const ONLY_IN: &[(&str, &[&str])] = &[("solve", &["src/solve/process.rs"])];

/// Packages of ours, with those of ours that they may use.
const PACKAGES: &[(&str, &[&str])] = &[
    (".", &["tracewright-classfile", "tracewright-trace"]),
    ("native/classfile", &[]),
    ("native/trace", &["tracewright-classfile"]),
    ("native/jvmti", &[]),
    ("agent", &["tracewright-classfile", "tracewright-trace", "tracewright-jvmti"]),
    ("xtask", &["tracewright-test-support"]),
    ("tests/support", &[]),
];

/// Crates that only these files or folders may name.
const CRATES: &[(&str, &[&str])] = &[
    ("z3", &["src/solve/z3.rs"]),
    ("z3_sys", &["src/solve/z3.rs"]),
    ("tracewright_jvmti", &["agent/", "native/jvmti/"]),
    ("jvmti_bindings", &["agent/", "native/jvmti/"]),
    ("jni", &["agent/", "native/jvmti/"]),
    ("clap", &["src/cli/", "xtask/"]),
    ("indicatif", &["src/cli/"]),
    ("anyhow", &["src/cli/", "src/main.rs", "xtask/"]),
    ("ristretto_jimage", &["src/project/"]),
    ("minijinja", &["src/emit/", "src/report/"]),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Files of the repository, by path relative to its root, in order.
fn files(folder: &str) -> Vec<(String, PathBuf)> {
    let mut files: Vec<(String, PathBuf)> = walkdir::WalkDir::new(root().join(folder))
        .into_iter()
        .filter_entry(|entry| {
            !matches!(entry.file_name().to_str(), Some("target" | ".git" | "build" | "node_modules" | ".gradle"))
        })
        .map(|entry| entry.expect("an entry").into_path())
        .filter(|path| path.is_file())
        .map(|path| (path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned(), path))
        .collect();
    files.sort();
    files
}

fn rust_files(folder: &str) -> Vec<(String, String)> {
    files(folder)
        .into_iter()
        .filter(|(name, _)| name.ends_with(".rs"))
        .map(|(name, path)| (name, std::fs::read_to_string(path).expect("text")))
        .collect()
}

/// The code of a file without comments and without its unit tests.
fn product_code(name: &str, text: &str) -> String {
    if name.ends_with("/tests.rs") || name.contains("/tests/") || name.starts_with("benches/") {
        return String::new();
    }
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines = text.lines().map(|line| {
        let code = line.trim_start();
        if code.starts_with("//") { "" } else { line.split(" // ").next().unwrap_or_default() }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What follows every `prefix` at the beginning of a path: `crate::a`, `crate::{a::x, b}`.
fn following(code: &str, prefix: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (position, _) in code.match_indices(prefix) {
        let inside_a_word = code[..position].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
        if inside_a_word {
            continue;
        }
        let rest = &code[position + prefix.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            names.insert(word(rest));
            continue;
        };
        let mut depth = 0;
        let mut at_start = true;
        for (offset, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => at_start = true,
                c if at_start && c.is_alphabetic() => {
                    names.insert(word(&group[offset..]));
                    at_start = false;
                }
                _ => {}
            }
        }
    }
    names
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// Whether the code names a crate at the beginning of a path. `self::z3::` and `super::z3::` are something else.
fn names_crate(code: &str, name: &str) -> bool {
    let path = format!("{name}::");
    let in_paths = code.match_indices(&path).any(|(position, _)| {
        let before = &code[..position];
        let rooted = before.ends_with("::") && !before.ends_with(|c: char| c.is_alphanumeric());
        let global = rooted && before[..before.len() - 2].ends_with(|c: char| !c.is_alphanumeric() && c != '_');
        global || !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
    });
    in_paths || code.contains(&format!("use {name};")) || code.contains(&format!("use {name} as "))
}

#[test]
fn modules_use_only_what_the_table_allows() {
    let allowed: BTreeMap<&str, &[&str]> = MODULES.iter().map(|(module, uses, _)| (*module, *uses)).collect();
    let known = |name: &String| allowed.contains_key(name.as_str());
    let mut wrong = Vec::new();
    for (name, text) in rust_files("src") {
        let Some(module) = name.split('/').nth(1).map(|part| part.trim_end_matches(".rs")) else { continue };
        if module == "lib" || module == "main" {
            continue;
        }
        let Some(allowed) = allowed.get(module) else {
            wrong.push(format!("{name}: module `{module}` is not in the table"));
            continue;
        };
        for used in following(&product_code(&name, &text), "crate::").into_iter().filter(known) {
            if used != module && !allowed.contains(&used.as_str()) {
                wrong.push(format!("{name}: `{module}` must not know `{used}`"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_some_modules_do_input_and_output_or_know_a_clock() {
    let mut wrong = Vec::new();
    for (name, text) in rust_files("src") {
        let module = name.split('/').nth(1).unwrap_or_default();
        let mut access = MODULES.iter().find(|(candidate, ..)| *candidate == module).map_or(Access::Io, |(.., access)| *access);
        if let Some((_, files)) = ONLY_IN.iter().find(|(candidate, _)| *candidate == module)
            && !files.contains(&name.as_str())
        {
            access = Access::Pure;
        }
        let code = product_code(&name, &text);
        // Pure functions of `std::env`.
        let code = code.replace("std::env::split_paths", "").replace("std::env::join_paths", "").replace("std::env::consts", "");
        if access != Access::Io {
            let used = following(&code, "std::");
            for io in ["fs", "process", "net", "env"].into_iter().filter(|io| used.contains(*io)) {
                wrong.push(format!("{name}: std::{io}"));
            }
            for io in ["io::stdin(", "io::stdout(", "io::stderr(", "println!(", "eprintln!("] {
                if code.contains(io) {
                    wrong.push(format!("{name}: {io}"));
                }
            }
        }
        if access == Access::Pure && (code.contains("Instant::now") || code.contains("SystemTime::now")) {
            wrong.push(format!("{name}: a clock"));
        }
        for chance in ["thread_rng", "rand::rng()", "rand::random", "from_os_rng", "from_entropy"] {
            if code.contains(chance) {
                wrong.push(format!("{name}: {chance}: chance is an argument"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn modules_are_listed_in_reading_order() {
    let text = std::fs::read_to_string(root().join("src/lib.rs")).expect("text");
    let listed: Vec<&str> = text
        .lines()
        .filter_map(|line| {
            line.strip_prefix("pub mod ").or_else(|| line.strip_prefix("pub(crate) mod ")).map(|rest| rest.trim_end_matches(';'))
        })
        .collect();
    let in_order: Vec<&str> = MODULES.iter().map(|(module, ..)| *module).filter(|module| listed.contains(module)).collect();
    assert_eq!(listed, in_order);
}

#[test]
fn crates_are_named_only_where_they_belong() {
    let mut wrong = Vec::new();
    for folder in ["src", "native", "agent", "xtask"] {
        for (name, text) in rust_files(folder) {
            let code = product_code(&name, &text);
            for (krate, places) in CRATES {
                if names_crate(&code, krate) && !places.iter().any(|place| name.starts_with(place)) {
                    wrong.push(format!("{name}: {krate}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn packages_depend_only_on_what_the_table_allows() {
    for (folder, allowed) in PACKAGES {
        let path = root().join(folder).join("Cargo.toml");
        let manifest: toml::Table = std::fs::read_to_string(&path).expect("a manifest").parse().expect("well-formed");
        let ours = manifest
            .get("dependencies")
            .and_then(toml::Value::as_table)
            .into_iter()
            .flat_map(|table| table.keys())
            .filter(|name| name.starts_with("tracewright"));
        for dependency in ours {
            assert!(allowed.contains(&dependency.as_str()), "{folder} must not depend on {dependency}");
        }
        let lints = manifest.get("lints").and_then(|lints| lints.get("workspace")).and_then(toml::Value::as_bool);
        assert_eq!(lints, Some(true), "{folder} takes the lints of the workspace");
    }
}

#[test]
fn every_module_says_what_it_is() {
    for folder in ["src", "native", "agent", "xtask", "tests", "benches"] {
        if !root().join(folder).exists() {
            continue;
        }
        for (name, text) in rust_files(folder) {
            assert!(text.starts_with("//!"), "{name} does not begin with `//!`");
        }
    }
}

#[test]
fn samples_follow_their_rule() {
    for (name, path) in files("samples") {
        if !name.ends_with(".java") || name.split('/').count() != 2 {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("text");
        let class = name.trim_start_matches("samples/").trim_end_matches(".java");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("// Source: "), "{name}: the first line names the source");
        assert!(lines[1].starts_with("// Idea: "), "{name}: the second line names the idea");
        assert!(lines.contains(&"package samples;"), "{name}: package samples");
        let public = format!("class {class} ");
        assert!(lines.iter().any(|line| line.starts_with("public ") && line.contains(&public)), "{name}: public class {class}");
        let readme = std::fs::read_to_string(root().join("samples/README.md")).expect("text");
        assert!(readme.contains(&format!("`{class}`")), "{name} is not in samples/README.md");
    }
}

#[test]
fn nothing_names_a_folder_of_one_machine() {
    // In two pieces, for this file is looked at, too.
    let homes =
        [["/ho", "me/"], ["/ro", "ot/"], ["/Us", "ers/"], ["/wo", "rk/"], ["C:\\Us", "ers"]].map(|pieces| pieces.concat());
    let mut wrong = Vec::new();
    for (name, path) in files("") {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        for (number, line) in (1..).zip(text.lines()) {
            let absolute = |home: &String| {
                line.match_indices(home.as_str())
                    .any(|(position, _)| !line[..position].ends_with(|c: char| c.is_alphanumeric() || "._-}/$*>)".contains(c)))
            };
            if homes.iter().any(absolute) {
                wrong.push(format!("{name}:{number}: {line}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_tests_of_this_file_can_fail() {
    let code = "use crate::{expr::{A, B}, solve};\nlet x = crate::tree::y(); not_crate::path::z(); use super::z3::Q; z3_sys::f(); ::z3::g();";
    assert_eq!(following(code, "crate::"), ["expr", "solve", "tree"].map(String::from).into());
    assert!(names_crate(code, "z3_sys") && names_crate(code, "z3"));
    assert!(!names_crate("use super::z3::Z3Solver; my_z3::x", "z3"));
    assert_eq!(following("use std::{fs, io::Read};", "std::"), ["fs", "io"].map(String::from).into());
    assert_eq!(
        product_code("src/a.rs", "// std::fs\nlet a = 1; // std::fs\n#[cfg(test)]\nmod tests { std::fs }"),
        "\nlet a = 1;"
    );
}
