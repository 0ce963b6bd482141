//! What attempts of symbolic execution teach, from class to class and from run to run. Flows in: the text that an earlier run left in the folder of a
//! session, and what each class taught; flows out: the same for the next class, and for the next run. Must not know what an attempt is.

use super::observer::Observer;
use crate::config::Config;
use crate::files;
use crate::recording::TRAINING_FOLDER;
use crate::select::{Training, Unread};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Classes are tested one after the other, so that what each finds here depends on nobody's speed.
#[derive(Debug, Default)]
pub(crate) struct TrainingStore {
    is_on: bool,
    /// `None` as well where it could not be written.
    file: Mutex<Option<PathBuf>>,
    training: Mutex<Training>,
}

impl TrainingStore {
    /// What cannot be read is said once and left aside.
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
                    if let Some(sentence) = complaint(unread) {
                        observer.message(&format!("{}: {sentence}", file.display()));
                    }
                }
                Err(error) => observer.message(&format!("{}: what earlier runs taught is left aside: {error}", file.display())),
            }
        }
        TrainingStore { is_on: true, file: Mutex::new(file), training: Mutex::new(training) }
    }

    /// For a class that begins.
    pub(crate) fn training(&self) -> Training {
        self.training.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// From a class that has ended; what it had been given is in it.
    pub(crate) fn replace(&self, training: Training) {
        if self.is_on && !training.is_empty() {
            *self.training.lock().unwrap_or_else(PoisonError::into_inner) = training;
        }
    }

    /// For the next run, where there is a session.
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

fn complaint(unread: Unread) -> Option<String> {
    match unread {
        Unread { is_unknown: true, .. } => Some("is of another version, and left aside".into()),
        Unread { lines: 0, .. } => None,
        Unread { lines, .. } => Some(format!("{lines} lines that say nothing")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{PathList, Settings};
    use crate::engine::observer::ClassProgress;

    #[derive(Default)]
    struct Said(Mutex<Vec<String>>);

    impl Observer for Said {
        fn progress(&self, _progress: &ClassProgress) {}
        fn message(&self, text: &str) {
            self.0.lock().expect("one thread").push(text.into());
        }
    }

    const ONE: &str = "tracewright training 1\nfeasible 1...............\n";

    #[test]
    fn what_one_run_taught_is_there_for_the_next() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = |untrained| {
            let session = Some(PathList(vec![folder.path().to_path_buf()]));
            let (class, classpath) = (Some(vec!["A".into()]), Some("a".into()));
            let settings = Settings { session, class, classpath, untrained: Some(untrained), ..Settings::default() };
            Config::new(settings).expect("complete")
        };
        let said = Said::default();
        let store = TrainingStore::open(&config(false), &said);
        store.write(&said);
        assert!(!folder.path().join(TRAINING_FOLDER).exists(), "nothing was learned");
        store.replace(Training::parse(ONE).0);
        store.replace(Training::default());
        store.write(&said);
        assert_eq!(std::fs::read_to_string(folder.path().join(TRAINING_FOLDER)).expect("it is there"), ONE);
        assert_eq!(TrainingStore::open(&config(false), &said).training(), Training::parse(ONE).0);
        assert!(said.0.lock().expect("one thread").is_empty());
        // Left off, it neither gives nor takes.
        let off = TrainingStore::open(&config(true), &said);
        off.replace(Training::parse(ONE).0);
        assert!(off.training().is_empty());
        // Where it cannot be written: said once.
        let gone = TrainingStore {
            file: Mutex::new(Some(folder.path().join("none").join(TRAINING_FOLDER))),
            ..TrainingStore::open(&config(false), &said)
        };
        (0..2).for_each(|_| gone.write(&said));
        assert_eq!(std::mem::take(&mut *said.0.lock().expect("one thread")).len(), 1);
        // Of another version: said, and no more.
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
