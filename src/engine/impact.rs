//! What a generation is limited to (`--since`, `--since-session`). Flows in: the program, an earlier state of the sources or of recorded classes; flows out: the
//! methods that tests are wanted for, and a search that knows no other goals. Must not know how goals are found.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tracewright_classfile::ClassFile;

use super::compiler::{COMPILE_LIMIT, CompilerService};
use super::error::EngineError;
use super::observer::Observer;
use crate::changes::{self, ClassState, EarlierClasses};
use crate::config::{ClassSelection, Config, Since};
use crate::jvm::DiagnosticKind;
use crate::program::{self, ClassName, MethodRef, Program};
use crate::project::{ClassPath, Project};
use crate::recording::Session;
use crate::revision::{self, ChangedFile, Revision};

/// The methods that a change reaches.
#[derive(Debug)]
pub(crate) struct ImpactedMethods(BTreeSet<MethodRef>);

impl ImpactedMethods {
    /// `own`: classes whose sources are the user's.
    pub(crate) fn find(
        config: &Config,
        since: &Since,
        own: &[ClassName],
        program: &Program,
        compiler: &mut CompilerService,
        temporary: &Path,
        observer: &dyn Observer,
    ) -> Result<ImpactedMethods, EngineError> {
        match since {
            Since::Revision(name) => {
                let earlier = of_revision(config, name, own, program, compiler, temporary, observer)?;
                Ok(ImpactedMethods(changes::affected_methods(program, own, &changes::changed_methods(&earlier, program))))
            }
            Since::Session(folder) => {
                let earlier = of_session(folder)?;
                let mut reached = changes::affected_methods(program, own, &changes::changed_methods(&earlier, program));
                // What the recorded tests never loaded is new to them; that does not make those new that could call it.
                for class in own.iter().filter(|class| !earlier.classes.contains_key(*class)) {
                    let methods = program.class(class);
                    reached.extend(methods.iter().flat_map(|model| &model.methods).map(|method| method.reference.clone()));
                }
                Ok(ImpactedMethods(reached))
            }
        }
    }

    /// Those of a class and of the classes nested in it.
    fn of(&self, program: &Program, class: &ClassName) -> Vec<&MethodRef> {
        let classes = program::targets(program, class);
        self.0.iter().filter(|method| classes.contains(&method.owner)).collect()
    }

    pub(crate) fn reaches(&self, program: &Program, class: &ClassName) -> bool {
        !self.of(program, class).is_empty()
    }

    pub(crate) fn contains(&self, method: &MethodRef) -> bool {
        self.0.contains(method)
    }

    /// A name for what the reached methods of a class do now.
    pub(crate) fn change_name(&self, program: &Program, class: &ClassName) -> String {
        changes::behaviour_fingerprint(self.of(program, class), program)
    }
}

/// Classes of folders, and of what the user names as the place of the classes: jars are mostly of others.
pub(crate) fn own_classes(config: &Config, project: &Project) -> Result<Vec<ClassName>, EngineError> {
    let input = |error: crate::project::ProjectError| EngineError::Input(error.to_string());
    let named: &[PathBuf] = match &config.selection {
        ClassSelection::From { entries, .. } => entries,
        ClassSelection::Named(_) => &[],
    };
    let mut classes = BTreeSet::new();
    for entry in project.class_path().folders().chain(named.iter().map(PathBuf::as_path)) {
        classes.extend(project.class_path().classes_of(entry).map_err(input)?);
    }
    Ok(classes.into_iter().collect())
}

fn of_revision(
    config: &Config,
    name: &str,
    own: &[ClassName],
    program: &Program,
    compiler: &mut CompilerService,
    temporary: &Path,
    observer: &dyn Observer,
) -> Result<EarlierClasses, EngineError> {
    let wrong = |error: revision::RevisionError| EngineError::Use(error.to_string());
    let revision = Revision::open(Path::new("."), name).map_err(wrong)?;
    let files = revision.changed_files().map_err(wrong)?;
    let mut sources: BTreeSet<&ChangedFile> = BTreeSet::new();
    let mut affected: Vec<ClassName> = Vec::new();
    let mut roots: BTreeSet<&str> = BTreeSet::new();
    let mut release = 8;
    for class in own {
        let Some(model) = program.class(class) else { continue };
        let Ok(Some(source_file)) = model.file.source_file() else { continue };
        let from: Vec<&ChangedFile> = files
            .iter()
            .filter(|file| file.exists && revision::may_be_source_of(&file.path, class.package(), source_file))
            .collect();
        if from.is_empty() {
            continue;
        }
        affected.push(class.clone());
        for file in from.into_iter().filter(|file| file.path.ends_with(".java")) {
            release = release.max(u32::from(model.file.major_version().saturating_sub(44)));
            roots.insert(revision::source_root(&file.path, class.package()));
            sources.insert(file);
        }
    }
    // What others used then and is gone now.
    let gone = files.iter().filter(|file| !file.exists && file.path.ends_with(".java"));
    sources.extend(gone.filter(|file| roots.iter().any(|root| file.path.starts_with(root))));
    let mut texts = Vec::new();
    for file in sources.into_iter().filter(|file| file.existed) {
        texts.push((file.path.clone(), revision.text(&file.path).map_err(wrong)?));
    }
    let mut earlier = EarlierClasses { classes: affected.into_iter().map(|class| (class, None)).collect() };
    if texts.is_empty() {
        return Ok(earlier);
    }
    let out = temporary.join("since");
    let fault = |error: &dyn std::fmt::Display| EngineError::Fault(error.to_string());
    let diagnostics =
        compiler.get()?.compile(&texts, &config.classpath, release, &out, COMPILE_LIMIT).map_err(|error| fault(&error))?;
    if let Some(error) = diagnostics.iter().find(|diagnostic| diagnostic.kind == DiagnosticKind::Error) {
        observer.message(&format!(
            "the sources of {name} do not compile by themselves ({}, line {}: {}): all of each changed file counts as changed",
            error.file,
            error.line,
            error.message.lines().next().unwrap_or_default()
        ));
        return Ok(earlier);
    }
    let compiled = ClassPath::open(std::slice::from_ref(&out), program.release()).map_err(|error| fault(&error))?;
    for class in compiled.classes() {
        let state = compiled.bytes(&class).and_then(|bytes| Some(ClassState::of(&ClassFile::parse(&bytes).ok()?)));
        if let Some(known) = earlier.classes.get_mut(&class) {
            *known = state;
        }
    }
    Ok(earlier)
}

fn of_session(folder: &Path) -> Result<EarlierClasses, EngineError> {
    let session = Session::open(folder).map_err(|error| EngineError::Input(error.to_string()))?;
    let mut earlier = EarlierClasses::default();
    for class in session.processes.iter().flat_map(|process| &process.classes).filter(|class| !class.bytes.is_empty()) {
        let state = ClassFile::parse(&class.bytes).ok().map(|file| ClassState::of(&file));
        earlier.classes.insert(ClassName::new(&class.name), state);
    }
    Ok(earlier)
}
