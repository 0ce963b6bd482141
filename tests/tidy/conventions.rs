//! Small conventions: every Rust file begins with its purpose, samples name their source, no path
//! of one machine is written down.

use crate::repository::{files, root, rust_files, texts};

#[test]
fn every_file_begins_with_its_purpose() {
    for folder in ["src", "native", "agent", "xtask", "tests", "benches"] {
        for (name, text) in rust_files(folder) {
            assert!(text.starts_with("//!"), "{name} does not begin with `//!`");
        }
    }
}

#[test]
fn samples_name_their_source_and_idea() {
    let readme = std::fs::read_to_string(root().join("samples/README.md")).expect("text");
    let samples: Vec<(String, String)> =
        texts("samples", &[".java"]).into_iter().filter(|(name, _)| name.split('/').count() == 2).collect();
    assert!(samples.len() >= 10, "{}", samples.len());
    for (name, text) in samples {
        let class = name.trim_start_matches("samples/").trim_end_matches(".java");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("// Source: "), "{name}: the first line names the source");
        assert!(lines[1].starts_with("// Idea: "), "{name}: the second line names the idea");
        assert!(lines.contains(&"package samples;"), "{name}: package samples");
        let public = format!("class {class} ");
        assert!(lines.iter().any(|line| line.starts_with("public ") && line.contains(&public)), "{name}: public class {class}");
        assert!(readme.contains(&format!("`{class}`")), "{name} is not in samples/README.md");
    }
}

/// Folders of users and machines, in two pieces each because this file is checked as well.
const MACHINE_FOLDERS: [[&str; 2]; 5] = [["/ho", "me/"], ["/ro", "ot/"], ["/Us", "ers/"], ["/wo", "rk/"], ["C:\\Us", "ers"]];

/// Whether a line holds an absolute path below a folder of one machine.
fn names_machine_folder(line: &str) -> bool {
    let is_absolute = |position: usize| !line[..position].ends_with(|c: char| c.is_alphanumeric() || "._-}/$*>)".contains(c));
    let folders = MACHINE_FOLDERS.iter().map(|pieces| pieces.concat());
    folders.into_iter().any(|folder| line.match_indices(&folder).any(|(position, _)| is_absolute(position)))
}

#[test]
fn no_file_names_a_folder_of_one_machine() {
    let mut wrong = Vec::new();
    for (name, path) in files("") {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let lines = (1..).zip(text.lines()).filter(|(_, line)| names_machine_folder(line));
        wrong.extend(lines.map(|(number, line)| format!("{name}:{number}: {line}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn machine_folders_are_recognised() {
    assert!(names_machine_folder(&format!("see {}", MACHINE_FOLDERS[0].concat())));
    assert!(!names_machine_folder(&format!("java{}", MACHINE_FOLDERS[0].concat())));
}
