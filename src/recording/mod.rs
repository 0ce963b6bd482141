//! Decoded recordings: of one test case, or of the runs of a user's test suite ([`Session`]).
//!
//! In: the trace of a worker, the folder of a session, or the text form of events. Out: class
//! table, site table and events by thread, which the replay reads. Must not know bytecode.

mod index;
mod session;
mod trees;

pub(crate) use index::SessionIndex;
pub use session::{
    RecordedProcess, RecordedRun, Session, SessionClasses, SessionError, SessionRecord, counts_since, session_files,
};
pub(crate) use trees::{
    MAX_BYTES as MAX_TREE_FILE_BYTES, TRAINING_FOLDER, can_start_session, classes_with_trees, read_trees, write_trees,
};

use std::collections::BTreeMap;
use std::sync::Arc;

use tracewright_trace::{ClassId, DecodeError, Event, ParseError, Reference};

use crate::program::ClassName;

/// The trace sites `base..base + count`, which belong to one run-time class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteTable {
    /// The first site.
    pub base: u32,
    pub(crate) count: u32,
    /// The class.
    pub class: ClassName,
    /// `class_hash` of the original bytes.
    pub(crate) hash: u64,
}

/// The classes and sites that a process has announced. Later streams of the process do not repeat
/// them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Announced {
    classes: BTreeMap<ClassId, ClassName>,
    /// By base.
    sites: BTreeMap<u32, SiteTable>,
}

impl Announced {
    /// The class with this id in the process.
    pub(crate) fn class(&self, id: ClassId) -> Option<&ClassName> {
        self.classes.get(&id)
    }

    /// The table that has the site.
    pub(crate) fn table_of(&self, site: u32) -> Option<&SiteTable> {
        let (_, table) = self.sites.range(..=site).next_back()?;
        (site - table.base < table.count).then_some(table)
    }

    /// The site tables, ascending by base.
    pub fn tables(&self) -> impl Iterator<Item = &SiteTable> {
        self.sites.values()
    }

    /// Adds an announcement; false for any other event.
    fn add(&mut self, event: &Event) -> bool {
        match event {
            Event::Class { id, name } => {
                self.classes.insert(*id, ClassName::new(name));
                true
            }
            Event::ClassSites { base, count, class, hash } => {
                if let Some(class) = self.classes.get(class).cloned() {
                    self.sites.insert(*base, SiteTable { base: *base, count: *count, class, hash: *hash });
                }
                true
            }
            _ => false,
        }
    }
}

/// The events of one thread, in order; announcements are taken out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ThreadEvents {
    pub(crate) ordinal: u32,
    pub(crate) events: Vec<Event>,
}

/// One recorded run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// The announced classes and sites.
    pub announced: Arc<Announced>,
    /// In order of their first event.
    pub(crate) threads: Vec<ThreadEvents>,
    /// Where and why the stream could not be decoded further; the events before are kept.
    pub(crate) fault: Option<DecodeError>,
}

impl Recording {
    /// Decodes a stream that announces everything it uses.
    pub fn from_bytes(bytes: &[u8]) -> Recording {
        Recording::from_bytes_after(bytes, &mut Announced::default())
    }

    /// Decodes the stream of a worker that may have announced classes in earlier streams; what this
    /// one announces is added.
    pub fn from_bytes_after(bytes: &[u8], announced: &mut Announced) -> Recording {
        let (events, end) = tracewright_trace::decode(bytes);
        Recording { fault: end.err(), ..Recording::from_events_after(events, announced) }
    }

    /// A recording of events that announce everything they use.
    pub(crate) fn from_events(events: Vec<Event>) -> Recording {
        Recording::from_events_after(events, &mut Announced::default())
    }

    /// A recording of events; announcements among them are added to `announced`.
    pub(crate) fn from_events_after(events: Vec<Event>, announced: &mut Announced) -> Recording {
        let mut threads: Vec<ThreadEvents> = Vec::new();
        let mut indices = BTreeMap::new();
        let mut current = None;
        for event in events {
            if announced.add(&event) {
                continue;
            }
            if let Event::Thread { ordinal } = event {
                current = Some(index_of_thread(&mut threads, &mut indices, ordinal));
                continue;
            }
            let place = *current.get_or_insert_with(|| index_of_thread(&mut threads, &mut indices, 0));
            threads[place].events.push(event);
        }
        Recording { announced: Arc::new(announced.clone()), threads, fault: None }
    }

    /// Parses the text form of `native/trace`, one event a line.
    ///
    /// # Errors
    /// The first line that is no event.
    pub fn parse(text: &str) -> Result<Recording, ParseError> {
        Ok(Recording::from_events(tracewright_trace::parse(text)?))
    }

    /// The text form: announcements first, then the events of one thread after the other.
    pub fn print(&self) -> String {
        let mut classes: BTreeMap<ClassId, &ClassName> = self.announced.classes.iter().map(|(id, name)| (*id, name)).collect();
        let mut ids: BTreeMap<&ClassName, ClassId> = BTreeMap::new();
        for (id, name) in &classes {
            ids.entry(*name).or_insert(*id);
        }
        // A class whose id was announced again, for another class, gets an id that is free.
        let mut free = (0..).map(ClassId).filter(|id| !self.announced.classes.contains_key(id));
        for SiteTable { class, .. } in self.announced.sites.values() {
            ids.entry(class).or_insert_with(|| {
                let id = free.next().unwrap_or(ClassId(0));
                classes.insert(id, class);
                id
            });
        }
        let named = |(id, name): (&ClassId, &&ClassName)| Event::Class { id: *id, name: name.internal().into() };
        let mut events: Vec<Event> = classes.iter().map(named).collect();
        for SiteTable { base, count, class, hash } in self.announced.sites.values() {
            events.push(Event::ClassSites { base: *base, count: *count, class: ids[class], hash: *hash });
        }
        for thread in &self.threads {
            if self.threads.len() > 1 || thread.ordinal != 0 {
                events.push(Event::Thread { ordinal: thread.ordinal });
            }
            events.extend(thread.events.iter().cloned());
        }
        tracewright_trace::print(&events)
    }

    /// The thread that ran the test case: the one with `RUN_BEGIN`, else the first.
    pub(crate) fn main_thread(&self) -> Option<&ThreadEvents> {
        self.threads.iter().find(|thread| thread.events.contains(&Event::RunBegin)).or(self.threads.first())
    }

    /// The verdict that the runner wrote at the end; `None` when the JVM died before.
    #[cfg(test)]
    fn verdict(&self) -> Option<tracewright_trace::Verdict> {
        self.main_thread()?.events.iter().rev().find_map(|event| match event {
            Event::RunEnd { verdict } => Some(*verdict),
            _ => None,
        })
    }
}

/// The index of a thread, which is added if it is missing. `indices`: by ordinal.
fn index_of_thread(threads: &mut Vec<ThreadEvents>, indices: &mut BTreeMap<u32, usize>, ordinal: u32) -> usize {
    *indices.entry(ordinal).or_insert_with(|| {
        threads.push(ThreadEvents { ordinal, events: Vec::new() });
        threads.len() - 1
    })
}

/// A position in the events of one thread.
#[derive(Clone, Debug)]
pub(crate) struct EventCursor<'a> {
    events: &'a [Event],
    at: usize,
}

impl<'a> EventCursor<'a> {
    /// A cursor behind `RUN_BEGIN` on the main thread; at the first event where there is none.
    pub(crate) fn new(recording: &'a Recording) -> EventCursor<'a> {
        let events = recording.main_thread().map_or(&[][..], |thread| &thread.events);
        let at = events.iter().position(|event| *event == Event::RunBegin).map_or(0, |begin| begin + 1);
        EventCursor { events, at }
    }

    /// The object that the outermost call of a session's run returned or constructed.
    pub(crate) fn made(&self) -> Option<Reference> {
        let mut last = self.events.iter().rev().filter(|event| !matches!(event, Event::Content { .. }));
        match (last.next(), last.next()) {
            (Some(Event::RunEnd { .. }), Some(Event::ResultRef { value, .. })) => Some(*value),
            _ => None,
        }
    }

    /// The next event.
    #[inline]
    pub(crate) fn peek(&self) -> Option<&'a Event> {
        self.events.get(self.at)
    }

    /// Moves behind the next event.
    #[inline]
    pub(crate) fn advance(&mut self) {
        self.at += 1;
    }

    /// The contents that follow a reference, if any; moves behind them.
    #[inline]
    pub(crate) fn contents(&mut self) -> Option<&'a tracewright_trace::Content> {
        match self.events.get(self.at) {
            Some(Event::Content(content)) => {
                self.at += 1;
                Some(content)
            }
            _ => None,
        }
    }

    /// The number of events before the cursor.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// The events from the cursor on.
    pub(crate) fn remaining(&self) -> &'a [Event] {
        self.events.get(self.at..).unwrap_or_default()
    }
}

/// `null`, or class, hash and length, for messages.
pub(crate) fn describe_reference(reference: Reference, announced: &Announced) -> String {
    if reference.is_null() {
        return "null".into();
    }
    let class = announced.class(reference.class).map_or("?", |name| name.internal());
    if class.starts_with('[') {
        format!("{class}#{:x}[{}]", reference.hash, reference.length)
    } else {
        format!("{class}#{:x}", reference.hash)
    }
}

#[cfg(test)]
mod tests {
    use tracewright_trace::{Verdict, encode};

    use super::*;

    const TEXT: &str = r#"class 1 "demo/T"
class-sites 10 5 1 00000000000000ff
run-begin
statement 0
result32 0 7
run-end completed
"#;

    #[test]
    fn bytes_and_text_give_the_same_recording() {
        let events = tracewright_trace::parse(TEXT).unwrap_or_else(|error| panic!("{error}"));
        let mut bytes = Vec::new();
        events.iter().for_each(|event| encode(event, &mut bytes));
        let recording = Recording::from_bytes(&bytes);
        assert_eq!(recording.print(), TEXT);
        assert_eq!(recording, Recording::from_events(events));
        assert_eq!(recording.verdict(), Some(Verdict::Completed));
        assert_eq!(recording.announced.table_of(14).map(|table| table.class.internal()), Some("demo/T"));
        assert_eq!(recording.announced.table_of(15), None);
        assert_eq!(recording.announced.table_of(9), None);
    }

    #[test]
    fn a_class_id_that_is_announced_again_keeps_its_earlier_sites() {
        let text = "class 1 \"demo/T\"\nclass-sites 7 7 1 00000000000000ff\nclass 1 \"demo/U\"\nrun-begin\n";
        let recording = Recording::parse(text).unwrap_or_else(|error| panic!("{error}"));
        let printed = recording.print();
        assert_eq!(printed, "class 0 \"demo/T\"\nclass 1 \"demo/U\"\nclass-sites 7 7 0 00000000000000ff\nrun-begin\n");
        let again = Recording::parse(&printed).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again.announced.tables().collect::<Vec<_>>(), recording.announced.tables().collect::<Vec<_>>());
    }

    #[test]
    fn later_streams_use_earlier_announcements() {
        let mut announced = Announced::default();
        let events = tracewright_trace::parse(TEXT).unwrap_or_else(|error| panic!("{error}"));
        Recording::from_events_after(events, &mut announced);
        let second = Recording::from_events_after(vec![Event::RunBegin], &mut announced);
        assert!(second.announced.class(ClassId(1)).is_some());
        assert_eq!(second.verdict(), None);
    }

    #[test]
    fn events_are_separated_by_thread() {
        let text = "thread 0\nrun-begin\nstatement 0\nthread 1\nexit\nthread 0\nresult-void 0\n";
        let recording = Recording::parse(text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(recording.threads.len(), 2);
        assert_eq!(recording.main_thread().map(|thread| thread.events.len()), Some(3));
    }

    #[test]
    fn a_truncated_stream_keeps_its_whole_events() {
        let mut bytes = Vec::new();
        encode(&Event::RunBegin, &mut bytes);
        encode(&Event::Result64 { index: 1, value: 5 }, &mut bytes);
        bytes.pop();
        let recording = Recording::from_bytes(&bytes);
        assert!(recording.fault.is_some());
        assert_eq!(recording.threads[0].events, [Event::RunBegin]);
    }
}
