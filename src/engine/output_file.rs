//! The test file of a class. Flows in: the target, and the change that tests are limited to. Flows
//! out: the number of the file, and the outdated tests of the files that exist, which get other expectations if the
//! user asks for that.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::asked_paths::AskedPath;
use super::compiler::CompilerService;
use super::context::Context;
use super::error::EngineError;
use super::outdated::find_outdated_tests;
use super::target::Target;
use super::workshop::Workshop;
use crate::conventions::FileLayout;
use crate::emit::{self, Rendered};
use crate::files::{self, WriteOutcome};

/// Which of the files of a class is written.
#[derive(Debug, Default)]
pub(super) struct OutputFile {
    /// Number among the files of the class, from 1.
    pub(super) number: u32,
    /// Name of the change that the tests are limited to (`--since`).
    pub(super) change: Option<String>,
    /// The file exists and was edited by hand, so that nothing can be written.
    pub(super) edited: Option<PathBuf>,
    /// Tests in other files of the class that no longer compile or pass, with the reason.
    pub(super) outdated: BTreeMap<String, String>,
    /// Those of `outdated` that `--accept` would change.
    pub(super) acceptable: BTreeSet<String>,
    /// Tests in these files that got other expectations (`--accept`), each with those before and after.
    pub(super) accepted: BTreeMap<String, String>,
}

/// Result of [`write_tests`]; paths are as they are shown to the user.
pub(super) enum WrittenFile {
    /// The file was written; the path is relative to the output folder.
    Written(PathBuf),
    /// An existing file was edited by hand and stays as it is.
    EditedByHand(PathBuf),
}

impl OutputFile {
    /// Tests for paths go into the file of the same paths, else into a new file. Others stay as they are.
    fn for_paths(context: &Context<'_>, target: &Target, paths: &str) -> OutputFile {
        let change = format!("paths-{}", &blake3::hash(paths.as_bytes()).to_hex()[..8]);
        let is_free = |number: &u32| {
            let existing = files::read_text_if_exists(&context.config.out.join(file_of(target, *number))).ok().flatten();
            existing.is_none_or(|source| emit::is_untouched(&source) && emit::change_of(&source) == Some(change.as_str()))
        };
        let number = (1..).find(is_free).unwrap_or(1);
        OutputFile { number, change: Some(change), ..OutputFile::default() }
    }

    /// Without a change, tests go into the first file of the class. Tests for a change go into the
    /// file of the same change, else into a new file. Other files stay, and their tests are run.
    ///
    /// Fails where an existing file cannot be compiled or run at all.
    pub(super) fn choose(
        context: &Context<'_>,
        target: &Target,
        compiler: &Arc<Mutex<CompilerService>>,
    ) -> Result<OutputFile, EngineError> {
        if let Some(paths) = context.paths.get(target.name()) {
            return Ok(OutputFile::for_paths(context, target, &AskedPath::texts(paths)));
        }
        let mut output = OutputFile { number: 1, ..OutputFile::default() };
        let Some(impacted) = &context.impacted else {
            let path = context.config.out.join(file_of(target, output.number));
            let existing = files::read_text_if_exists(&path).ok().flatten();
            output.edited = existing.filter(|source| !emit::is_untouched(source)).map(|_| path);
            return Ok(output);
        };
        let workshop = Workshop::new(context, target, compiler, output.number, None);
        let change = impacted.change_name(&context.program, target.name());
        for number in 1.. {
            let file = file_of(target, number);
            let existing = files::read_text_if_exists(&context.config.out.join(&file)).ok().flatten();
            let Some(source) = existing else {
                output.number = number;
                break;
            };
            if emit::is_untouched(&source) && emit::change_of(&source) == Some(change.as_str()) {
                output.number = number;
                break;
            }
            // A file that was edited by hand stays as it is.
            let is_untouched = emit::is_untouched(&source);
            let accepts = context.config.accept && is_untouched;
            let found = find_outdated_tests(&workshop, &file, &source, number, accepts)?;
            if let Some(text) = &found.source {
                let path = context.config.out.join(&file);
                let written = files::write_unless_edited(&path, text, emit::is_untouched);
                written.map_err(|error| EngineError::Use(format!("cannot write {}: {error}", path.display())))?;
            }
            let class = file.trim_end_matches(".java").replace('/', ".");
            let named = |tests: BTreeMap<String, String>| tests.into_iter().map(|(test, text)| (format!("{class}.{test}"), text));
            if is_untouched && !context.config.accept {
                output.acceptable.extend(found.acceptable.iter().map(|test| format!("{class}.{test}")));
            }
            output.outdated.extend(named(found.failing));
            output.accepted.extend(named(found.accepted));
        }
        output.change = Some(change);
        Ok(output)
    }
}

fn file_of(target: &Target, number: u32) -> String {
    emit::test_file(target.name(), target.test_package(), number)
}

/// Writes the rendered tests below the output folder, laid out as the project wants it.
/// [`EngineError::Use`] where the file cannot be written.
pub(super) fn write_tests(folder: &Path, rendered: &Rendered, layout: &FileLayout) -> Result<WrittenFile, EngineError> {
    let package = rendered.class.package();
    let relative =
        if package.is_empty() { PathBuf::from(&rendered.file_name) } else { PathBuf::from(package).join(&rendered.file_name) };
    let path = folder.join(&relative);
    match files::write_unless_edited(&path, &emit::with_layout(&rendered.source, layout), emit::is_untouched) {
        Ok(WriteOutcome::Written) => Ok(WrittenFile::Written(relative)),
        Ok(WriteOutcome::EditedByHand) => Ok(WrittenFile::EditedByHand(path)),
        Err(error) => Err(EngineError::Use(format!("cannot write {}: {error}", path.display()))),
    }
}
