//! Rules of the source tree. This file: which module, package and crate may use which;
//! `tests/tidy/` has the other rules.
//!
//! The tables are the architecture (`docs/architecture.md`) and are exact: an unused permission
//! fails as an unlisted use does. Rules that the tree does not satisfy yet have a ratchet:
//! `tests/tidy/*.txt` lists today's violations, which must not grow. `UPDATE_EXPECT=1` writes the
//! lists anew; with `TRACEWRIGHT_STRICT_TIDY=1` an entry that is no longer needed fails.

#[path = "tidy/conventions.rs"]
mod conventions;
#[path = "tidy/cycles.rs"]
mod cycles;
#[path = "tidy/documents.rs"]
mod documents;
#[path = "tidy/ratchet.rs"]
mod ratchet;
#[path = "tidy/reasons.rs"]
mod reasons;
#[path = "tidy/repository.rs"]
mod repository;
#[path = "tidy/sizes.rs"]
mod sizes;
#[path = "tidy/type_names.rs"]
mod type_names;

use std::collections::{BTreeMap, BTreeSet};

use repository::{names_after, names_crate, product_code, root, rust_files};

/// The modules of the root package in reading order. Each has the modules that it may use, and
/// whether it may do I/O (files, processes, sockets, environment) or read the clock.
const MODULES: &[(&str, &[&str], Access)] = &[
    ("files", &[], Access::Io),
    ("config", &[], Access::Pure),
    ("conventions", &[], Access::Io),
    ("program", &[], Access::Pure),
    ("project", &["program"], Access::Io),
    ("testcase", &["program"], Access::Pure),
    ("execution", &["program", "testcase"], Access::Pure),
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
    ("slice", &["expr"], Access::Pure),
    ("select", &["expr", "path", "slice", "testcase", "tree"], Access::Pure),
    // The process is I/O; `ONLY_IN` says that nothing else in `solve` is.
    ("solve", &["expr", "slice"], Access::Io),
    ("search", &["execution", "program", "testcase"], Access::Pure),
    ("oracle", &["execution", "program", "testcase"], Access::Pure),
    ("emit", &["conventions", "execution", "oracle", "program", "testcase"], Access::Pure),
    ("report", &["files"], Access::Io),
    (
        "engine",
        &[
            "files",
            "config",
            "conventions",
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
    ("cli", &["files", "config", "engine", "jvm", "recording", "report", "solve"], Access::Io),
    (
        "readers",
        &[
            "config",
            "conventions",
            "project",
            "program",
            "jvm",
            "recording",
            "expr",
            "path",
            "structure",
            "changes",
            "revision",
            "tree",
            "select",
            "solve",
            "testcase",
            "oracle",
            "emit",
            "engine",
            "report",
            "cli",
        ],
        Access::Pure,
    ),
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
const ONLY_IN: &[(&str, &[&str])] = &[
    (
        "conventions",
        &[
            "src/conventions/mod.rs",
            "src/conventions/formatter.rs",
            "src/conventions/source_folders.rs",
            "src/conventions/test_sources.rs",
        ],
    ),
    ("solve", &["src/solve/process.rs"]),
];

/// The packages of this project, each with those of this project that it may use.
const PACKAGES: &[(&str, &[&str])] = &[
    (".", &["tracewright-text", "tracewright-jdk", "tracewright-classfile", "tracewright-trace"]),
    ("native/classfile", &[]),
    ("native/text", &[]),
    ("native/jdk", &[]),
    ("native/trace", &["tracewright-text", "tracewright-classfile"]),
    ("native/jvmti", &[]),
    ("agent", &["tracewright-text", "tracewright-classfile", "tracewright-trace", "tracewright-jvmti"]),
    ("xtask", &["tracewright-jdk", "tracewright-text", "tracewright-test-support"]),
    ("tests/support", &["tracewright-jdk"]),
];

/// Crates that only these files or folders may name.
const CRATES: &[(&str, &[&str])] = &[
    ("z3", &["src/solve/z3.rs"]),
    ("z3_sys", &["src/solve/z3.rs"]),
    ("tracewright_jvmti", &["agent/"]),
    ("jvmti_bindings", &["native/jvmti/"]),
    ("jni", &["agent/", "native/jvmti/"]),
    ("clap", &["src/cli/", "src/config/settings.rs", "xtask/"]),
    ("indicatif", &["src/cli/"]),
    ("anyhow", &["xtask/"]),
    ("ristretto_jimage", &["src/project/"]),
];

/// The module of the root package that a file below `src` belongs to; `None` for the roots of the
/// library and the program.
fn module_of(name: &str) -> Option<&str> {
    let module = name.strip_prefix("src/")?.split('/').next()?.trim_end_matches(".rs");
    (module != "lib" && module != "main").then_some(module)
}

/// The uses of modules by modules, each with a file as evidence.
fn module_uses() -> BTreeMap<(String, String), String> {
    let modules: BTreeSet<&str> = MODULES.iter().map(|(module, ..)| *module).collect();
    let mut uses = BTreeMap::new();
    for (name, text) in rust_files("src") {
        let Some(module) = module_of(&name) else { continue };
        for used in names_after(&product_code(&name, &text), "crate::") {
            if used != module && modules.contains(used.as_str()) {
                uses.entry((module.to_owned(), used)).or_insert(name.clone());
            }
        }
    }
    uses
}

#[test]
fn modules_use_exactly_what_the_table_allows() {
    let allowed: BTreeSet<(String, String)> =
        MODULES.iter().flat_map(|(module, uses, _)| uses.iter().map(|used| (module.to_string(), used.to_string()))).collect();
    let uses = module_uses();
    let forbidden = uses.iter().filter(|(pair, _)| !allowed.contains(*pair));
    let mut wrong: Vec<String> =
        forbidden.map(|((module, used), file)| format!("{file}: `{module}` must not use `{used}`")).collect();
    let unused = allowed.iter().filter(|pair| !uses.contains_key(*pair));
    wrong.extend(unused.map(|(module, used)| format!("`{module}` does not use `{used}`: remove it from the table")));
    let listed: BTreeSet<&str> = MODULES.iter().map(|(module, ..)| *module).collect();
    let files: BTreeSet<String> =
        rust_files("src").into_iter().filter_map(|(name, _)| module_of(&name).map(str::to_owned)).collect();
    wrong.extend(
        files.iter().filter(|module| !listed.contains(module.as_str())).map(|module| format!("`{module}` is not in the table")),
    );
    wrong.extend(listed.iter().filter(|module| !files.contains(**module)).map(|module| format!("there is no module `{module}`")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_listed_modules_do_io_or_read_a_clock() {
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
            let used = names_after(&code, "std::");
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
        for random in ["thread_rng", "rand::rng()", "rand::random", "from_os_rng", "from_entropy"] {
            if code.contains(random) {
                wrong.push(format!("{name}: {random}: randomness is an argument"));
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
    let in_order: Vec<&str> = MODULES.iter().map(|(module, ..)| *module).collect();
    assert_eq!(listed, in_order);
}

#[test]
fn modules_use_only_modules_above_them() {
    let mut above = BTreeSet::new();
    for (module, used, _) in MODULES {
        let below: Vec<&&str> = used.iter().filter(|used| !above.contains(**used)).collect();
        assert!(below.is_empty(), "`{module}` uses {below:?}, which are not listed above it");
        above.insert(*module);
    }
}

#[test]
fn crates_are_named_exactly_where_the_table_says() {
    let mut wrong = Vec::new();
    let mut unused: BTreeSet<(&str, &str)> =
        CRATES.iter().flat_map(|(krate, places)| places.iter().map(|place| (*krate, *place))).collect();
    for folder in ["src", "native", "agent", "xtask"] {
        for (name, text) in rust_files(folder) {
            let code = product_code(&name, &text);
            for (krate, places) in CRATES.iter().filter(|(krate, _)| names_crate(&code, krate)) {
                match places.iter().find(|place| name.starts_with(**place)) {
                    Some(place) => drop(unused.remove(&(*krate, *place))),
                    None => wrong.push(format!("{name} must not use the crate {krate}")),
                }
            }
        }
    }
    wrong.extend(unused.iter().map(|(krate, place)| format!("{place} does not use the crate {krate}: remove it from the table")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn packages_depend_on_exactly_what_the_table_says() {
    let workspace: toml::Table = std::fs::read_to_string(root().join("Cargo.toml")).expect("a manifest").parse().expect("TOML");
    let members: BTreeSet<&str> =
        workspace["workspace"]["members"].as_array().expect("a list").iter().filter_map(toml::Value::as_str).collect();
    assert_eq!(members, PACKAGES.iter().map(|(folder, _)| *folder).collect());
    for (folder, allowed) in PACKAGES {
        let path = root().join(folder).join("Cargo.toml");
        let manifest: toml::Table = std::fs::read_to_string(&path).expect("a manifest").parse().expect("TOML");
        let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
        let ours: BTreeSet<&str> = dependencies
            .into_iter()
            .flat_map(|table| table.keys().map(String::as_str))
            .filter(|name| name.starts_with("tracewright"))
            .collect();
        assert_eq!(ours, allowed.iter().copied().collect(), "dependencies of {folder}");
        let lints = manifest.get("lints").and_then(|lints| lints.get("workspace")).and_then(toml::Value::as_bool);
        assert_eq!(lints, Some(true), "{folder} takes the lints of the workspace");
    }
}
