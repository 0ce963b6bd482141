//! What a generation knows of all its classes while some of them are in work.
//!
//! Flows in: the ends of classes, in any order. Flows out: what a class takes from those that have
//! ended, and the report, in the order of the classes. Must not know how a class is generated, nor
//! when it begins.
//!
//! Where steps are counted, nothing depends on which class is faster: a class takes from those that
//! it needs, and what symbolic execution learned is put together at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::context::Context;
use super::error::EngineError;
use super::shared_state::SharedState;
use crate::conventions::find_source_folder;
use crate::report::{self, ClassCoverage, ClassReport, JvmReport, Report};
use crate::search::ProvenValues;
use crate::select::Training;

/// The report is written again after this many times the time that writing it took.
const REPORT_PAUSE: u32 = 20;

/// The state of a run.
#[derive(Debug)]
pub(super) struct RunProgress(Mutex<RunState>);

#[derive(Debug)]
struct RunState {
    /// The report without its classes.
    head: Report,
    classes: BTreeMap<usize, EndedClass>,
    /// What the classes in work began with or have changed since.
    shared: SharedState,
    error: Option<EngineError>,
    /// When the report was written, and how long it took.
    written: Option<(Instant, Duration)>,
}

#[derive(Debug)]
struct EndedClass {
    report: ClassReport,
    source_folder: Option<PathBuf>,
    /// Where steps are counted, hard values of the class and of those that it needed.
    proven_values: ProvenValues,
    training: Option<Training>,
}

impl RunProgress {
    /// No class has begun. `shared` is what the first one begins with.
    pub(super) fn new(context: &Context<'_>, shared: SharedState) -> RunProgress {
        let config = context.config;
        let head = Report {
            version: report::VERSION,
            seed: config.seed,
            strategy: config.strategy.to_string(),
            jdk: context.jdk.full_version.clone(),
            shard: config.shard.map(|shard| shard.to_string()),
            compares: config.compares,
            ..Report::default()
        };
        RunProgress(Mutex::new(RunState { head, classes: BTreeMap::new(), shared, error: None, written: None }))
    }

    /// What a class begins with that needs these others.
    pub(super) fn begin(&self, context: &Context<'_>, needs: &BTreeSet<usize>) -> SharedState {
        let state = self.lock();
        let mut shared = SharedState { jvm: JvmReport::default(), training: None, ..state.shared.clone() };
        if context.config.budget.counts_steps() {
            shared.proven_values = ProvenValues::default();
            for needed in needs.iter().filter_map(|needed| state.classes.get(needed)) {
                shared.proven_values.update(needed.proven_values.clone());
            }
        }
        shared
    }

    /// A class has ended. Writes the report unless that was just done.
    ///
    /// Fails where the report cannot be written.
    pub(super) fn end(
        &self,
        context: &Context<'_>,
        place: usize,
        class_report: ClassReport,
        shared: SharedState,
    ) -> Result<(), EngineError> {
        let source_folder = source_folder_of(context, &class_report);
        let counts_steps = context.config.budget.counts_steps();
        let mut state = self.lock();
        if !counts_steps && let Some(training) = &shared.training {
            context.training.add(training);
        }
        let SharedState { speed, proven_values, jvm, training, .. } = shared;
        state.shared.speed = speed.or(state.shared.speed);
        state.shared.proven_values.update(proven_values.clone());
        state.head.jvm.add(&jvm);
        let proven_values = if counts_steps { proven_values } else { ProvenValues::default() };
        state.classes.insert(place, EndedClass { report: class_report, source_folder, proven_values, training });
        if state.written.is_none_or(|(at, took)| at.elapsed() >= took * REPORT_PAUSE) {
            state.write(context)?;
        }
        Ok(())
    }

    /// Enters a class that an earlier part of the run has.
    pub(super) fn enter(&self, context: &Context<'_>, place: usize, class_report: ClassReport) {
        let source_folder = source_folder_of(context, &class_report);
        let ended = EndedClass { report: class_report, source_folder, proven_values: ProvenValues::default(), training: None };
        self.lock().classes.insert(place, ended);
    }

    /// Keeps the first error.
    pub(super) fn fail(&self, error: EngineError) {
        self.lock().error.get_or_insert(error);
    }

    /// Writes the report of all classes and returns it.
    ///
    /// Fails as a class did, or where the report cannot be written.
    pub(super) fn finish(self, context: &Context<'_>) -> Result<Report, EngineError> {
        let mut state = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = state.error.take() {
            if !state.classes.is_empty() {
                state.write(context)?;
            }
            return Err(error);
        }
        if context.config.budget.counts_steps() {
            state
                .classes
                .values()
                .filter_map(|class| class.training.as_ref())
                .for_each(|training| context.training.add(training));
        }
        state.write(context)?;
        Ok(state.report())
    }

    fn lock(&self) -> MutexGuard<'_, RunState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The folder with the source of the class, where it is found.
fn source_folder_of(context: &Context<'_>, class_report: &ClassReport) -> Option<PathBuf> {
    let source = class_report.coverage.as_ref().and_then(ClassCoverage::source)?;
    find_source_folder(context.config.classpath.iter().map(PathBuf::as_path), source)
}

impl RunState {
    fn report(&self) -> Report {
        let mut report = self.head.clone();
        for class in self.classes.values() {
            if let Some(folder) = class.source_folder.as_ref().filter(|folder| !report.sources.contains(folder)) {
                report.sources.push(folder.clone());
            }
            report.classes.push(class.report.clone());
        }
        report
    }

    fn write(&mut self, context: &Context<'_>) -> Result<(), EngineError> {
        let begin = Instant::now();
        context.training.write(context.observer);
        let folder = &context.config.report;
        let unwritable = |error| EngineError::Use(format!("cannot write {}: {error}", folder.join("report.json").display()));
        self.report().write(folder).map_err(unwritable)?;
        self.written = Some((begin, begin.elapsed()));
        Ok(())
    }
}
