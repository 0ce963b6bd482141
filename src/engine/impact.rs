//! The methods that a change reaches (`--since`, `--since-session`), or that the user names (`--method`).
//!
//! Flows in: the program, and an earlier state of its sources or of its recorded classes. Flows
//! out: the methods that tests are wanted for. Must not know goals or tests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use tracewright_classfile::ClassFile;

use super::compiler::{COMPILE_LIMIT, CompilerService};
use super::error::EngineError;
use super::observer::Observer;
use crate::changes::{self, ClassState, EarlierClasses};
use crate::config::{ClassSelection, Config, Since};
use crate::jvm::DiagnosticKind;
use crate::program::{self, ClassName, Cluster, MethodModel, MethodRef, Nesting, OLDEST_RELEASE, Program, source_level};
use crate::project::{ClassPath, Project};
use crate::recording::Session;
use crate::revision::{self, ChangedFile, Revision};

/// The folder with the compiled classes of a revision, below the temporary one.
pub(super) const OLD_CLASSES: &str = "since";

/// The methods that a change reaches.
#[derive(Clone, Debug)]
pub(crate) struct ImpactedMethods(BTreeSet<MethodRef>);

impl ImpactedMethods {
    /// Finds the changed methods and those that call them. `own` are the classes whose sources are
    /// the user's. The sources of a revision are compiled into `temporary`.
    ///
    /// [`EngineError::Use`] where the revision is unknown, [`EngineError::Input`] where the session
    /// cannot be read, [`EngineError::Fault`] where the compiler fails.
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
                let earlier = classes_of_revision(config, name, own, program, compiler, temporary, observer)?;
                Ok(ImpactedMethods(changes::affected_methods(program, own, &changes::changed_methods(&earlier, program))))
            }
            Since::ClassPath(entries) => {
                let earlier = classes_of_class_path(entries, own, program)?;
                Ok(ImpactedMethods(changes::affected_methods(program, own, &changes::changed_methods(&earlier, program))))
            }
            Since::Session(folder) => {
                let earlier = classes_of_session(folder)?;
                let mut reached = changes::affected_methods(program, own, &changes::changed_methods(&earlier, program));
                // A class that no recorded test loaded counts as new. The methods that could call
                // it do not.
                for class in own.iter().filter(|class| !earlier.classes.contains_key(*class)) {
                    let methods = program.class(class);
                    reached.extend(methods.iter().flat_map(|model| &model.methods).map(|method| method.reference.clone()));
                }
                Ok(ImpactedMethods(reached))
            }
        }
    }

    /// The methods that `--method` names, with the code of the class that no test can call apart from them and that
    /// they call: private methods, bodies of lambdas, local and anonymous classes.
    pub(super) fn named(program: &Program, cluster: &Cluster) -> ImpactedMethods {
        let mut found: BTreeSet<MethodRef> = cluster.under_test.iter().map(|id| cluster.callable(*id).method.clone()).collect();
        let mut open: Vec<MethodRef> = found.iter().cloned().collect();
        while let Some(caller) = open.pop() {
            for callee in changes::called_methods(program, &caller) {
                let Some(class) = program.class(&callee.owner).filter(|_| cluster.classes.contains(&callee.owner)) else {
                    continue;
                };
                let is_inner = matches!(class.nesting, Nesting::Local { .. } | Nesting::Anonymous { .. });
                let is_part = |method: &&MethodModel| {
                    let is_hidden = method.access.is_private() || method.access.is_synthetic();
                    is_inner || (is_hidden && method.reference == callee)
                };
                let parts: Vec<MethodRef> = class.methods.iter().filter(is_part).map(|part| part.reference.clone()).collect();
                open.extend(parts.into_iter().filter(|part| found.insert(part.clone())));
            }
        }
        ImpactedMethods(found)
    }

    /// The impacted methods of a class and of its nested classes.
    fn methods_of(&self, program: &Program, class: &ClassName) -> Vec<&MethodRef> {
        let classes = program::targets(program, class);
        self.0.iter().filter(|method| classes.contains(&method.owner)).collect()
    }

    /// Whether a method of the class or of a nested class is impacted.
    pub(crate) fn reaches(&self, program: &Program, class: &ClassName) -> bool {
        !self.methods_of(program, class).is_empty()
    }

    /// Whether the change reaches the method.
    pub(crate) fn contains(&self, method: &MethodRef) -> bool {
        self.0.contains(method)
    }

    /// A name for the change of a class: a fingerprint of what its impacted methods do now.
    pub(crate) fn change_name(&self, program: &Program, class: &ClassName) -> String {
        changes::behaviour_fingerprint(self.methods_of(program, class), program)
    }
}

/// Classes whose sources are the user's: those of folders of the class path, and of
/// `--classes-from`. Other jars are libraries.
///
/// [`EngineError::Input`] where an entry of the class path cannot be read.
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

/// The classes of changed source files as they were in a revision. A class is `None` where its
/// earlier state is unknown: then all of it counts as changed.
fn classes_of_revision(
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
    let mut release = OLDEST_RELEASE;
    let mut declared: BTreeMap<&str, Option<String>> = BTreeMap::new();
    for class in own {
        let Some(model) = program.class(class) else { continue };
        let Ok(Some(source_file)) = model.file.source_file() else { continue };
        let mut from: Vec<&ChangedFile> = Vec::new();
        for file in files.iter().filter(|file| file.exists) {
            let is_named_so = || Path::new(&file.path).file_name().is_some_and(|name| name == source_file);
            // The compiler takes a source from any folder.
            let mut lies_elsewhere = || {
                let package = declared.entry(&file.path).or_insert_with(|| revision.declared_package(&file.path));
                package.as_deref() == Some(class.package())
            };
            let is_where_expected = revision::may_be_source_of(&file.path, class.package(), source_file);
            if is_where_expected || is_named_so() && lies_elsewhere() {
                from.push(file);
            }
        }
        if from.is_empty() {
            continue;
        }
        affected.push(class.clone());
        for file in from.into_iter().filter(|file| file.path.ends_with(".java")) {
            release = release.max(source_level(model.file.major_version()));
            roots.insert(revision::source_root(&file.path, class.package()));
            sources.insert(file);
        }
    }
    // Sources that no longer exist may be needed to compile the others.
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
    let out = temporary.join(OLD_CLASSES);
    let fault = |error: &dyn std::fmt::Display| EngineError::Fault(error.to_string());
    let compiled =
        compiler.get(None).and_then(|compiler| compiler.compile(&texts, &config.classpath, release, &out, COMPILE_LIMIT));
    let diagnostics = compiled.map_err(|error| fault(&error))?;
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

/// The classes as they are on another class path.
///
/// [`EngineError::Input`] where an entry cannot be read.
fn classes_of_class_path(entries: &[PathBuf], own: &[ClassName], program: &Program) -> Result<EarlierClasses, EngineError> {
    if let Some(missing) = entries.iter().find(|entry| !entry.exists()) {
        return Err(EngineError::Input(format!("{} of --old does not exist", missing.display())));
    }
    let opened = ClassPath::open(entries, program.release()).map_err(|error| EngineError::Input(error.to_string()))?;
    let state = |class: &ClassName| Some(ClassState::of(&ClassFile::parse(&opened.bytes(class)?).ok()?));
    Ok(EarlierClasses { classes: own.iter().map(|class| (class.clone(), state(class))).collect() })
}

/// The classes that a session recorded.
fn classes_of_session(folder: &Path) -> Result<EarlierClasses, EngineError> {
    let session = Session::open(folder).map_err(|error| EngineError::Input(error.to_string()))?;
    let mut earlier = EarlierClasses::default();
    for class in session.processes.iter().flat_map(|process| &process.classes).filter(|class| !class.bytes.is_empty()) {
        let state = ClassFile::parse(&class.bytes).ok().map(|file| ClassState::of(&file));
        earlier.classes.insert(ClassName::new(&class.name), state);
    }
    Ok(earlier)
}
