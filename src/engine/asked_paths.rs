//! The paths that somebody asks for (`--path`): the file that names them.
//!
//! Flows in: the text of the file, and the targets. Flows out: paths over the graphs of their methods. Must not know
//! how a path is followed.
//!
//! A line of the file is `CLASS METHOD: STEPS`, as the page of the report copies it:
//!
//! ```text
//! # Blocks of the control flow graph, one directly behind the other.
//! example.Triangle int classify(int, int, int): B0 B2 B5
//! # Or lines of the source, in this order.
//! example.Triangle classify: 12 14 17
//! ```

use std::path::Path;

use super::error::EngineError;
use super::place_coverage::shown_name;
use super::target::Target;
use crate::files;
use crate::path::{PathGuide, WantedPath};
use crate::program::{self, FlowGraph, MethodModel, MethodRef, Program};

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PathLine {
    /// Place in the file, from 1.
    number: usize,
    text: String,
    /// As the user wrote it.
    pub(super) class: String,
    method: String,
    wanted: WantedPath,
}

/// A path through a method of a target.
#[derive(Debug)]
pub(super) struct AskedPath {
    /// The line of the file.
    pub(super) text: String,
    pub(super) method: MethodRef,
    pub(super) guide: PathGuide,
}

impl AskedPath {
    /// The lines of these paths.
    pub(super) fn texts(paths: &[AskedPath]) -> String {
        paths.iter().map(|path| &*path.text).collect::<Vec<&str>>().join("\n")
    }
}

/// Reads the file.
///
/// [`EngineError::Use`] where it cannot be read, where a line is no path, and where there is none.
pub(super) fn read_paths(file: &Path) -> Result<Vec<PathLine>, EngineError> {
    let wrong = |sentence: String| EngineError::Use(format!("{}: {sentence}", file.display()));
    let text = files::read_text_if_exists(file).map_err(|error| wrong(error.to_string()))?;
    let text = text.ok_or_else(|| wrong("there is no such file".into()))?;
    let lines = parse_paths(&text).map_err(|(number, why)| wrong(format!("line {number}: {why}")))?;
    match lines.is_empty() {
        true => Err(wrong("no path in it: write lines such as `example.Triangle classify: B0 B2`".into())),
        false => Ok(lines),
    }
}

/// The lines that are neither empty nor comments. The error has the number of a wrong line.
fn parse_paths(text: &str) -> Result<Vec<PathLine>, (usize, String)> {
    let numbered = text.lines().enumerate().map(|(place, line)| (place + 1, line.trim()));
    let lines = numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let path = |(number, line): (usize, &str)| {
        let form = || (number, "write `CLASS METHOD: STEPS`, such as `example.Triangle classify: B0 B2`".to_owned());
        let (class, rest) = line.split_once(char::is_whitespace).ok_or_else(form)?;
        let (method, steps) = rest.rsplit_once(':').ok_or_else(form)?;
        let wanted = steps.parse().map_err(|why| (number, why))?;
        let (class, method) = (class.to_owned(), method.trim().to_owned());
        Ok(PathLine { number, text: line.to_owned(), class, method, wanted })
    };
    lines.map(path).collect()
}

/// Finds the methods of the paths in the target.
///
/// [`EngineError::Use`] where there is no such method, block or line.
pub(super) fn find_paths(
    lines: &[PathLine],
    file: &Path,
    program: &Program,
    target: &Target,
) -> Result<Vec<AskedPath>, EngineError> {
    let own =
        lines.iter().filter(|line| program::find_target(program, &line.class).is_ok_and(|model| model.name == *target.name()));
    let found = own.map(|line| {
        let wrong = |why: String| EngineError::Use(format!("{}: line {}: {why}", file.display(), line.number));
        let (method, guide) = find_path(line, program, target).map_err(wrong)?;
        Ok(AskedPath { text: line.text.clone(), method, guide })
    });
    found.collect()
}

fn find_path(line: &PathLine, program: &Program, target: &Target) -> Result<(MethodRef, PathGuide), String> {
    let classes: Vec<_> = target.classes().iter().filter_map(|class| program.class(&class.name)).collect();
    let methods = || classes.iter().flat_map(|class| class.methods.iter().map(move |method| (class, method)));
    let plain = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let typed = plain(&line.method);
    let is_shown = |method: &MethodModel| {
        let name = &method.reference.name;
        let with_descriptor = format!("{name}{}", method.reference.descriptor);
        plain(&shown_name(&method.reference, target)) == typed || with_descriptor == typed
    };
    let mut found: Vec<_> = methods().filter(|(_, method)| is_shown(method)).collect();
    if found.is_empty() {
        found = methods().filter(|(_, method)| *method.reference.name == *typed).collect();
    }
    let (class, method) = match found.as_slice() {
        [only] => *only,
        [] => {
            let names = methods().map(|(_, method)| shown_name(&method.reference, target)).take(5).collect::<Vec<String>>();
            return Err(format!("{} has no method {}; it has {}", line.class, line.method, names.join(", ")));
        }
        [(_, first), ..] => {
            let example = shown_name(&first.reference, target);
            return Err(format!("several methods of {} have the name {}: write it as `{example}`", line.class, line.method));
        }
    };
    let code = class.code(method).ok_or_else(|| format!("{} has no code", line.method))?;
    let line_of = |bci: u32| code.line_of(bci).map_or(0, u32::from);
    let guide = PathGuide::new(FlowGraph::of(&code), line.wanted.clone(), &line_of)?;
    Ok((method.reference.clone(), guide))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_name_a_class_a_method_and_steps() {
        let text = "# comment\n\nexample.Triangle int classify(int, int, int): B0 B2\n  p.A f: 12, 14\n";
        let lines = parse_paths(text).expect("well-formed");
        let parts: Vec<(usize, &str, &str, String)> =
            lines.iter().map(|line| (line.number, &*line.class, &*line.method, line.wanted.to_string())).collect();
        let first = (3, "example.Triangle", "int classify(int, int, int)", "B0 B2".to_owned());
        assert_eq!(parts, [first, (4, "p.A", "f", "12 14".to_owned())]);
    }

    #[test]
    fn a_wrong_line_is_named() {
        for (text, number, why) in [
            ("p.A f B0", 1, "write `CLASS METHOD: STEPS`"),
            ("p.A f: B0\np.A f:", 2, "no block and no line is named"),
            ("p.A f: B0 7", 1, "`7` is no block"),
            ("p.A f: x", 1, "`x` is no block such as B2, and no number of a line"),
        ] {
            let (line, reason) = parse_paths(text).expect_err(text);
            assert!(line == number && reason.starts_with(why), "{line}: {reason}");
        }
    }
}
