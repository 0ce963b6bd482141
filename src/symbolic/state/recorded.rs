//! The position in the recording of one replay, and what the recording says of classes. In: a
//! recording; out: its next event. Must not know what events mean for objects.

use std::collections::{HashMap, HashSet};

use tracewright_trace::{Content, Event, Reference};

use super::super::data::ids::TypeIx;
use crate::recording::{Announced, EventCursor, Recording};

/// The next event of the recording, with tables of its classes.
#[derive(Debug)]
pub(crate) struct RecordedCursor<'a> {
    recording: &'a Recording,
    cursor: EventCursor<'a>,
    /// Types by the class numbers of the recording.
    class_types: HashMap<u32, TypeIx>,
    /// Classes that have probes in this recording.
    recorded_types: HashSet<TypeIx>,
    /// Recorded classes whose initialisers ran in this recording.
    initialised: HashSet<TypeIx>,
    /// Whether the recording has an event for each exception that leaves a method, as those of a
    /// target JVM have.
    has_method_exits: bool,
    marks: Vec<EventCursor<'a>>,
}

impl<'a> RecordedCursor<'a> {
    /// A cursor at the first event. `recorded_types`: the classes that have probes.
    pub(crate) fn new(recording: &'a Recording, recorded_types: HashSet<TypeIx>) -> RecordedCursor<'a> {
        RecordedCursor {
            recording,
            cursor: EventCursor::new(recording),
            class_types: HashMap::new(),
            recorded_types,
            initialised: HashSet::new(),
            has_method_exits: false,
            marks: Vec::new(),
        }
    }

    /// The recording that is replayed.
    pub(crate) fn recording(&self) -> &'a Recording {
        self.recording
    }

    /// The class names and site tables that the recording announced.
    pub(crate) fn announced(&self) -> &'a Announced {
        &self.recording.announced
    }

    /// The next event; `None` at the end of the recording.
    #[inline]
    pub(crate) fn peek(&self) -> Option<&'a Event> {
        self.cursor.peek()
    }

    /// Skips the next event.
    #[inline]
    pub(crate) fn advance(&mut self) {
        self.cursor.advance();
    }

    /// The contents that follow a reference, which are skipped; `None` where the recording has
    /// none.
    pub(crate) fn contents(&mut self) -> Option<&'a Content> {
        self.cursor.contents()
    }

    /// The contents behind the next event, without skipping anything.
    pub(crate) fn contents_after_next(&self) -> Option<&'a Content> {
        let mut ahead = self.cursor.clone();
        ahead.advance();
        ahead.contents()
    }

    /// The object that the constructor made which is all of this run.
    pub(crate) fn made(&self) -> Option<Reference> {
        self.cursor.made()
    }

    /// The events from the next one on.
    pub(crate) fn remaining(&self) -> &'a [Event] {
        self.cursor.remaining()
    }

    /// Whether several threads ran recorded code.
    #[inline]
    pub(crate) fn has_other_threads(&self) -> bool {
        self.recording.threads.len() > 1
    }

    /// The type of a class number, if it was asked for before.
    pub(crate) fn known_type(&self, class: u32) -> Option<TypeIx> {
        self.class_types.get(&class).copied()
    }

    /// Sets the type of a class number.
    pub(crate) fn set_type(&mut self, class: u32, ty: TypeIx) {
        self.class_types.insert(class, ty);
    }

    /// Whether the class has probes in this recording.
    pub(crate) fn is_recorded_type(&self, ty: TypeIx) -> bool {
        self.recorded_types.contains(&ty)
    }

    /// Records that the initialiser of a recorded class began.
    pub(crate) fn record_initialised(&mut self, ty: TypeIx) {
        self.initialised.insert(ty);
    }

    /// Whether the initialiser of a recorded class ran in this recording.
    pub(crate) fn is_initialised(&self, ty: TypeIx) -> bool {
        self.initialised.contains(&ty)
    }

    /// Expects an event for each exception that leaves a method.
    pub(crate) fn expect_method_exits(&mut self) {
        self.has_method_exits = true;
    }

    /// Whether the recording has an event for each exception that leaves a method.
    pub(crate) fn has_method_exits(&self) -> bool {
        self.has_method_exits
    }

    // Checkpoints.

    /// Begins a checkpoint.
    pub(crate) fn begin(&mut self) {
        self.marks.push(self.cursor.clone());
    }

    /// Ends the innermost checkpoint and stays at the current event.
    pub(crate) fn commit(&mut self) {
        self.marks.pop();
    }

    /// Ends the innermost checkpoint and goes back to its first event.
    pub(crate) fn roll_back(&mut self) {
        if let Some(cursor) = self.marks.pop() {
            self.cursor = cursor;
        }
    }
}
