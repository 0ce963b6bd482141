//! Labelled attempts of symbolic execution, from class to class and from run to run.
//!
//! Flows in: the text that an earlier run left in the folder of a session, and the training of each
//! class. Flows out: the training for the next class, and the text for the next run. Must not know
//! what an attempt is.

use super::observer::Observer;
use crate::config::Config;
use crate::files;
use crate::recording::TRAINING_FOLDER;
use crate::select::{Training, UnreadTraining};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The training of a generation.
#[derive(Debug, Default)]
pub(crate) struct TrainingStore {
    is_enabled: bool,
    /// `None` without a session, or where the file could not be written.
    file: Mutex<Option<PathBuf>>,
    training: Mutex<Training>,
}

impl TrainingStore {
    /// Reads the training that an earlier run left. A malformed line is ignored, and a message says
    /// so.
    pub(crate) fn open(config: &Config, observer: &dyn Observer) -> TrainingStore {
        if !config.training {
            return TrainingStore::default();
        }
        let file = config.session.first().map(|folder| folder.join(TRAINING_FOLDER));
        let mut training = Training::default();
        if let Some(file) = &file {
            match files::read_text_if_exists(file) {
                Ok(None) => {}
                Ok(Some(text)) => {
                    let (read, unread) = Training::parse(&text);
                    training = read;
                    if let Some(sentence) = unread_message(unread) {
                        observer.message(&format!("{}: {sentence}", file.display()));
                    }
                }
                Err(error) => observer.message(&format!("{}: what earlier runs taught is left aside: {error}", file.display())),
            }
        }
        TrainingStore { is_enabled: true, file: Mutex::new(file), training: Mutex::new(training) }
    }

    /// A copy of the training for a class that begins.
    pub(crate) fn training(&self) -> Training {
        self.training.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds the training of a class that has ended, which includes what the class began with.
    pub(crate) fn add(&self, training: &Training) {
        if self.is_enabled {
            self.training.lock().unwrap_or_else(PoisonError::into_inner).absorb(training);
        }
    }

    /// Writes the training for the next run, where there is a session. The first failure is a
    /// message; after it, nothing is written.
    pub(crate) fn write(&self, observer: &dyn Observer) {
        let training = self.training();
        let mut place = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = place.as_ref().filter(|_| !training.is_empty()) else { return };
        if let Err(error) = files::write_atomically(file, training.to_string().as_bytes()) {
            observer.message(&format!("{}: what this run taught is not kept: {error}", file.display()));
            *place = None;
        }
    }
}

/// One sentence about lines that could not be read; `None` where all could.
fn unread_message(unread: UnreadTraining) -> Option<String> {
    match unread {
        UnreadTraining { is_unknown: true, .. } => Some("is of another version, and left aside".into()),
        UnreadTraining { lines: 0, .. } => None,
        UnreadTraining { lines, .. } => Some(format!("{lines} lines that say nothing")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Settings;
    use crate::engine::observer::ClassProgress;

    #[derive(Default)]
    struct Messages(Mutex<Vec<String>>);

    impl Observer for Messages {
        fn progress(&self, _progress: &ClassProgress) {}
        fn message(&self, text: &str) {
            self.0.lock().expect("one thread").push(text.into());
        }
    }

    const ONE: &str = "tracewright training 1\nfeasible 1...............\n";

    #[test]
    fn training_is_kept_for_the_next_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = |untrained| {
            let session = Some(vec![folder.path().to_path_buf()]);
            let (class, classpath) = (Some(vec!["A".into()]), Some("a".into()));
            let settings = Settings { session, class, classpath, untrained, ..Settings::default() };
            Config::new(settings).expect("complete")
        };
        let said = Messages::default();
        let store = TrainingStore::open(&config(false), &said);
        store.write(&said);
        assert!(!folder.path().join(TRAINING_FOLDER).exists(), "nothing was learned");
        store.add(&Training::parse(ONE).0);
        store.add(&Training::default());
        store.write(&said);
        assert_eq!(std::fs::read_to_string(folder.path().join(TRAINING_FOLDER)).expect("it is there"), ONE);
        assert_eq!(TrainingStore::open(&config(false), &said).training(), Training::parse(ONE).0);
        assert!(said.0.lock().expect("one thread").is_empty());
        // With `--untrained`, nothing is read or kept.
        let off = TrainingStore::open(&config(true), &said);
        off.add(&Training::parse(ONE).0);
        assert!(off.training().is_empty());
        // A file that cannot be written is reported once.
        let gone = TrainingStore {
            file: Mutex::new(Some(folder.path().join("none").join(TRAINING_FOLDER))),
            ..TrainingStore::open(&config(false), &said)
        };
        (0..2).for_each(|_| gone.write(&said));
        assert_eq!(std::mem::take(&mut *said.0.lock().expect("one thread")).len(), 1);
        // A file of another version is reported and ignored.
        std::fs::write(folder.path().join(TRAINING_FOLDER), "tracewright training 0\n").expect("it can be written");
        assert!(TrainingStore::open(&config(false), &said).training().is_empty());
        std::fs::write(folder.path().join(TRAINING_FOLDER), format!("{ONE}feasible\n")).expect("it can be written");
        assert_eq!(TrainingStore::open(&config(false), &said).training().labels().len(), 1);
        let said = said.0.into_inner().expect("one thread");
        assert!(
            said.len() == 2
                && said[0].ends_with("is of another version, and left aside")
                && said[1].ends_with("1 lines that say nothing")
        );
    }
}
