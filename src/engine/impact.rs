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
use crate::jvm::{Compiler, Diagnostic, DiagnosticKind, JvmError};
use crate::program::{self, ClassName, Cluster, MethodModel, MethodRef, Nesting, OLDEST_RELEASE, Program, source_level};
use crate::project::{ClassPath, Project};
use crate::recording::Session;
use crate::revision::{self, ChangedFile, Revision};

/// The folder with the compiled classes of a revision, below the temporary one.
pub(super) const OLD_CLASSES: &str = "since";

/// What a user can do where the earlier classes cannot be compiled.
const OTHER_OLD: &str = "--old also takes folders and jars of earlier classes";

/// Why a class is not compared that did not exist.
const NEW_CLASS: &str = "there is no earlier version of it";

/// The methods that a change reaches.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImpactedMethods {
    methods: BTreeSet<MethodRef>,
    /// Those that depend on a class whose earlier state is unknown, by the reason.
    unknown: BTreeMap<String, BTreeSet<MethodRef>>,
    /// Classes that did not exist.
    new: BTreeSet<ClassName>,
}

/// An earlier state of the code. A class without a state is new, unless a reason in `unknown` names it.
#[derive(Default)]
struct EarlierState {
    classes: EarlierClasses,
    unknown: BTreeMap<String, BTreeSet<ClassName>>,
}

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
        let known = |classes| EarlierState { classes, ..EarlierState::default() };
        let earlier = match since {
            Since::Revision(name) => state_of_revision(config, name, own, program, compiler, temporary, observer)?,
            Since::ClassPath(entries) => known(classes_of_class_path(entries, own, program)?),
            Since::Session(folder) => known(classes_of_session(folder)?),
        };
        let reached =
            |classes: &EarlierClasses| changes::affected_methods(program, own, &changes::changed_methods(classes, program));
        let mut methods = reached(&earlier.classes);
        if let Since::Session(_) = since {
            // A class that no recorded test loaded counts as new. The methods that could call
            // it do not.
            for class in own.iter().filter(|class| !earlier.classes.classes.contains_key(*class)) {
                let declared = program.class(class);
                methods.extend(declared.iter().flat_map(|model| &model.methods).map(|method| method.reference.clone()));
            }
        }
        let unknown = earlier.unknown.iter().map(|(reason, classes)| {
            let classes = classes.iter().map(|class| (class.clone(), None)).collect();
            (reason.clone(), reached(&EarlierClasses { classes }))
        });
        let is_unknown = |class: &ClassName| earlier.unknown.values().any(|classes| classes.contains(class));
        let without_state = earlier.classes.classes.iter().filter(|(_, state)| state.is_none()).map(|(class, _)| class);
        let new = without_state.filter(|class| !is_unknown(class)).cloned().collect();
        Ok(ImpactedMethods { methods, unknown: unknown.collect(), new })
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
        ImpactedMethods { methods: found, ..ImpactedMethods::default() }
    }

    /// The impacted methods of a class and of its nested classes.
    fn methods_of(&self, program: &Program, class: &ClassName) -> Vec<&MethodRef> {
        let classes = program::targets(program, class);
        self.methods.iter().filter(|method| classes.contains(&method.owner)).collect()
    }

    /// Whether a method of the class or of a nested class is impacted.
    pub(crate) fn reaches(&self, program: &Program, class: &ClassName) -> bool {
        !self.methods_of(program, class).is_empty()
    }

    /// Whether the change reaches the method.
    pub(crate) fn contains(&self, method: &MethodRef) -> bool {
        self.methods.contains(method)
    }

    /// Why the class cannot be compared with its earlier version; `None` where it can be.
    pub(super) fn why_not_compared(&self, program: &Program, class: &ClassName) -> Option<String> {
        let classes = program::targets(program, class);
        let is_reached = |methods: &BTreeSet<MethodRef>| methods.iter().any(|method| classes.contains(&method.owner));
        let unknown = self.unknown.iter().find(|(_, methods)| is_reached(methods)).map(|(reason, _)| reason.clone());
        unknown.or_else(|| self.new.contains(class).then(|| NEW_CLASS.to_owned()))
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

/// The classes of changed source files as they were in a revision. All of a class without a state counts as changed.
fn state_of_revision(
    config: &Config,
    name: &str,
    own: &[ClassName],
    program: &Program,
    compiler: &mut CompilerService,
    temporary: &Path,
    observer: &dyn Observer,
) -> Result<EarlierState, EngineError> {
    let wrong = |error: revision::RevisionError| EngineError::Use(error.to_string());
    let revision = Revision::open(Path::new("."), name).map_err(wrong)?;
    let files = revision.changed_files().map_err(wrong)?;
    let mut sources: BTreeSet<&ChangedFile> = BTreeSet::new();
    let mut earlier = EarlierState::default();
    let mut roots: BTreeSet<&str> = BTreeSet::new();
    let mut release = OLDEST_RELEASE;
    let mut declared: BTreeMap<&str, Option<String>> = BTreeMap::new();
    // Classes of sources that existed, in Java.
    let mut compilable: BTreeSet<ClassName> = BTreeSet::new();
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
        earlier.classes.classes.insert(class.clone(), None);
        for file in from {
            if file.path.ends_with(".java") {
                release = release.max(source_level(model.file.major_version()));
                roots.insert(revision::source_root(&file.path, class.package()));
                sources.insert(file);
                compilable.extend(file.existed.then(|| class.clone()));
            } else if file.existed {
                let reason = format!("{} is not Java, and only Java sources of {name} are compiled; {OTHER_OLD}", file.path);
                earlier.unknown.entry(reason).or_default().insert(class.clone());
            }
        }
    }
    // Sources that no longer exist may be needed to compile the others.
    let gone = files.iter().filter(|file| !file.exists && file.path.ends_with(".java"));
    sources.extend(gone.filter(|file| roots.iter().any(|root| file.path.starts_with(root))));
    let mut texts = Vec::new();
    for file in sources.into_iter().filter(|file| file.existed) {
        texts.push((file.path.clone(), revision.text(&file.path).map_err(wrong)?));
    }
    if texts.is_empty() {
        return Ok(earlier);
    }
    let out = temporary.join(OLD_CLASSES);
    let fault = |error: &dyn std::fmt::Display| EngineError::Fault(error.to_string());
    let compiler = compiler.get(None).map_err(|error| fault(&error))?;
    if let Some(error) = compile_earlier(compiler, &texts, config, release, &out).map_err(|error| fault(&error))? {
        let message = error.message.lines().next().unwrap_or_default();
        let problem =
            format!("the sources of {name} do not compile by themselves ({}, line {}: {message})", error.file, error.line);
        if !config.compares {
            observer.message(&format!("{problem}: all of each changed file counts as changed"));
        }
        earlier.unknown.entry(format!("{problem}; {OTHER_OLD}")).or_default().extend(compilable);
        return Ok(earlier);
    }
    let compiled = ClassPath::open(std::slice::from_ref(&out), program.release()).map_err(|error| fault(&error))?;
    for class in compiled.classes() {
        // Annotation processors make classes that have no source of their own.
        if earlier.classes.classes.contains_key(&class) || own.contains(&class) {
            let state = compiled.bytes(&class).and_then(|bytes| Some(ClassState::of(&ClassFile::parse(&bytes).ok()?)));
            earlier.classes.classes.insert(class, state);
        }
    }
    Ok(earlier)
}

/// Compiles earlier sources as their build does: with the annotation processors of the class path, such as that of
/// Lombok. Where these fail, without them. Gives an error of the sources that is left.
fn compile_earlier(
    compiler: &mut Compiler,
    texts: &[(String, String)],
    config: &Config,
    release: u32,
    out: &Path,
) -> Result<Option<Diagnostic>, JvmError> {
    let first_error = |diagnostics: Vec<Diagnostic>| diagnostics.into_iter().find(|one| one.kind == DiagnosticKind::Error);
    let processed = compiler.compile_with_processors(texts, &config.classpath, release, out, COMPILE_LIMIT);
    match processed.map(first_error) {
        Ok(None) => Ok(None),
        Ok(error @ Some(_)) => {
            let plain = compiler.compile(texts, &config.classpath, release, out, COMPILE_LIMIT)?;
            Ok(first_error(plain).and(error))
        }
        Err(_) => compiler.compile(texts, &config.classpath, release, out, COMPILE_LIMIT).map(first_error),
    }
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
