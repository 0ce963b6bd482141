//! The values that all classes of a generation share. Flows in: the configuration and the opened
//! inputs. Must not know a class under test.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::asked_paths::AskedPath;
use super::impact::ImpactedMethods;
use super::installation::Installation;
use super::observer::{Interrupt, Observer};
use super::recorded_sessions::RecordedSessions;
use super::training_store::TrainingStore;
use crate::config::{Config, JunitVersion};
use crate::conventions::TestManners;
use crate::emit::AssertionStyle;
use crate::jvm::{Allow, ClassArchives, IdleJvms, Jdk, JunitPool, usual_memory_limit};
use crate::oracle::StateOptions;
use crate::program::{ClassName, Program};
use crate::testcase::TestCase;

/// Everything that a class is generated or explored with.
pub(super) struct Context<'a> {
    pub(super) config: &'a Config,
    pub(super) installation: &'a Installation,
    /// Folder of this process; worker JVMs may write there.
    pub(super) temporary: &'a Path,
    pub(super) jdk: Jdk,
    pub(super) program: Arc<Program>,
    /// Classes that the JVMs of the compiler and of JUnit begin with.
    pub(super) archives: Option<ClassArchives>,
    /// Jar that lets Mockito rewrite classes in a JVM that takes no agents after its start.
    pub(super) mocking_agent: Option<PathBuf>,
    /// Class path entries with code of the user.
    pub(super) own_entries: Vec<PathBuf>,
    /// JVMs of workers of classes that have ended.
    pub(super) idle_jvms: Arc<IdleJvms>,
    /// JVMs that have run tests.
    pub(super) verifying_jvms: Arc<JunitPool>,
    /// The memory that this program and its JVMs may take, in kilobytes; `None`: nothing is known about it.
    pub(super) memory: Option<u64>,
    /// Sessions of recorded tests (`--session`).
    pub(super) recorded: Option<Arc<RecordedSessions>>,
    /// Labelled attempts of earlier classes and runs.
    pub(super) training: TrainingStore,
    /// The only test case that symbolic execution starts from (`--start`).
    pub(super) start: Option<TestCase>,
    /// Constraint trees are described when a class has been explored (`explain`).
    pub(super) describes_trees: bool,
    /// Methods that tests are wanted for (`--since`); `None`: all.
    pub(super) impacted: Option<ImpactedMethods>,
    /// The earlier version that tests are compared with (`diff`).
    pub(super) earlier: Option<EarlierVersion>,
    /// The paths that the user asks for, by class (`--path`).
    pub(super) paths: BTreeMap<ClassName, Arc<Vec<AskedPath>>>,
    /// How the test classes of the project are written.
    pub(super) manners: TestManners,
    pub(super) observer: &'a dyn Observer,
    pub(super) interrupt: &'a Interrupt,
}

/// The code that tests are compared with.
pub(super) struct EarlierVersion {
    pub(super) class_path: Vec<PathBuf>,
    pub(super) program: Arc<Program>,
}

impl<'a> Context<'a> {
    /// A context without mocks, sessions, training and a change; callers set those that they have.
    pub(super) fn new(
        config: &'a Config,
        installation: &'a Installation,
        temporary: &'a Path,
        (jdk, program): (Jdk, Arc<Program>),
        observer: &'a dyn Observer,
        interrupt: &'a Interrupt,
    ) -> Context<'a> {
        Context {
            config,
            installation,
            temporary,
            jdk,
            program,
            archives: None,
            mocking_agent: None,
            own_entries: Vec::new(),
            idle_jvms: Arc::default(),
            verifying_jvms: Arc::default(),
            memory: config.memory.or_else(usual_memory_limit),
            recorded: None,
            training: TrainingStore::default(),
            start: None,
            describes_trees: false,
            impacted: None,
            earlier: None,
            paths: BTreeMap::new(),
            manners: TestManners::default(),
            observer,
            interrupt,
        }
    }

    /// What the guard of worker JVMs lets the code under test do.
    pub(super) fn allowed(&self) -> Allow {
        let crate::config::Allowed { files, processes, sockets } = self.config.allow;
        Allow { files, sockets, processes }
    }

    /// Text that no assertion may contain, because it differs between generations.
    pub(super) fn state_options(&self) -> StateOptions {
        StateOptions { volatile: vec![self.temporary.display().to_string()], ..StateOptions::default() }
    }

    /// The assertions of the project's own tests, where the class path has them.
    pub(super) fn assertion_style(&self) -> AssertionStyle {
        // The last one that is used came with AssertJ 3.7.
        let has_assertj = || {
            let class = self.program.class(&ClassName::new("org/assertj/core/api/Assertions"));
            class.is_some_and(|class| class.methods.iter().any(|method| &*method.reference.name == "assertThatCode"))
        };
        if self.manners.uses_assertj && has_assertj() { AssertionStyle::AssertJ } else { AssertionStyle::JUnit }
    }

    /// The class path of the code under test and of JUnit, for the compiler.
    pub(super) fn test_class_path(&self) -> Vec<PathBuf> {
        let mut path = self.config.classpath.clone();
        path.extend(self.junit_path());
        path
    }

    /// Class path entries of JUnit, for the compiler and for verifying JVMs.
    pub(super) fn junit_path(&self) -> Vec<PathBuf> {
        let mut path = vec![self.installation.junit_console.clone()];
        if self.config.junit == JunitVersion::Four {
            path.extend(self.installation.junit4.iter().cloned());
        }
        path
    }
}
