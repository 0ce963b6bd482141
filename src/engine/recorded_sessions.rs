//! Sessions of recorded tests, as the generation of new tests uses them.
//!
//! Flows in: the folders of sessions. Flows out: the facts carved from them for one class after the
//! other. Must not know what the search does with the facts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, bounded};

use super::error::EngineError;
use crate::carving::{CallIndex, CarvedFacts};
use crate::program::{ClassName, Program};
use crate::project::JdkImage;
use crate::recording::{RecordedProcess, Session, SessionClasses};

type ReadResult = Result<Vec<CallIndex>, EngineError>;

/// The recorded processes of all sessions. They are read once for all classes, in a thread of its
/// own: a large session takes seconds, and the search of the first class need not wait.
#[derive(Debug)]
pub(super) struct RecordedSessions {
    reading: Mutex<Option<JoinHandle<ReadResult>>>,
    processes: OnceLock<ReadResult>,
}

/// The classes of a recorded process. `images` holds the JDKs that are open already, by home
/// folder.
///
/// [`EngineError::Input`] where the JDK of the process cannot be opened.
pub(super) fn classes_of(
    recorded: &RecordedProcess,
    images: &mut BTreeMap<String, Arc<JdkImage>>,
) -> Result<SessionClasses, EngineError> {
    let home = &recorded.process.jdk_home;
    let image = match images.get(home) {
        Some(image) => image.clone(),
        None => {
            let image = JdkImage::open(Path::new(home)).map_err(EngineError::input)?;
            images.entry(home.clone()).or_insert(Arc::new(image)).clone()
        }
    };
    Ok(SessionClasses::new(recorded, image))
}

impl RecordedSessions {
    /// Starts to read. [`EngineError::Input`] at once where a folder is no session.
    pub(super) fn open(folders: Vec<PathBuf>) -> Result<RecordedSessions, EngineError> {
        for folder in &folders {
            Session::check(folder).map_err(EngineError::input)?;
        }
        let reading = std::thread::Builder::new().name("session".into()).spawn(move || read(&folders));
        let reading = reading.map_err(|error| EngineError::Fault(format!("no thread to read the session: {error}")))?;
        Ok(RecordedSessions { reading: Mutex::new(Some(reading)), processes: OnceLock::new() })
    }

    /// Waits until the sessions are read.
    fn processes(&self) -> Result<&[CallIndex], EngineError> {
        let read = self.processes.get_or_init(|| {
            let reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner).take();
            let read = reading.and_then(|reading| reading.join().ok());
            read.unwrap_or_else(|| Err(EngineError::fault("reading the session panicked")))
        });
        read.as_deref().map_err(Clone::clone)
    }

    /// Why the sessions cannot be read; `None` while that is not known.
    pub(super) fn read_error(&self) -> Option<&EngineError> {
        self.processes.get()?.as_ref().err()
    }

    /// Carves the facts about `classes` from all processes in a thread of its own. The receiver
    /// gets one answer.
    pub(super) fn request_facts(
        self: &Arc<Self>,
        classes: BTreeSet<ClassName>,
        program: &Arc<Program>,
    ) -> Receiver<Result<CarvedFacts, EngineError>> {
        let (sessions, program) = (Arc::clone(self), Arc::clone(program));
        let (sender, receiver) = bounded(1);
        std::thread::spawn(move || {
            let facts = sessions.processes().map(|processes| {
                let mut all = CarvedFacts::default();
                for process in processes {
                    all.add(process.carve(&classes, &program));
                }
                all
            });
            tracing::debug!("facts about the class have been carved from the session");
            // The receiver is gone where the class was finished before.
            let _ = sender.send(facts);
        });
        receiver
    }
}

fn read(folders: &[PathBuf]) -> ReadResult {
    let mut recorded = Vec::new();
    for folder in folders {
        recorded.extend(Session::open(folder).map_err(EngineError::input)?.processes);
    }
    tracing::debug!(runs = recorded.iter().map(|process| process.runs.len()).sum::<usize>(), "the session is opened");
    let mut images = BTreeMap::new();
    let mut processes = Vec::new();
    for recorded in recorded.into_iter().filter(|recorded| !recorded.runs.is_empty()) {
        let program = Program::new(classes_of(&recorded, &mut images)?);
        processes.push(CallIndex::new(Arc::new(recorded), Arc::new(program)));
    }
    tracing::debug!("the session is indexed");
    Ok(processes)
}
