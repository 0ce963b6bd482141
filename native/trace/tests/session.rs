//! Laws of session files: what was written is read again, what ends anywhere gives what is whole,
//! and nothing panics.

use proptest::collection::vec;
use proptest::prelude::*;
use tracewright_trace::session::{
    Call, ClassBytes, MAGIC, OutlineOf, Outlined, Place, Process, Record, Records, Run, SessionError, decode_record,
    encode_record, outline, parse_records, print_records,
};
use tracewright_trace::{ClassId, Content, ContentData, Event, Reference, Site, Verdict, class_hash, encode};

fn text() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9/._äß -]{1,12}"
}

fn run_events() -> impl Strategy<Value = Vec<Event>> {
    let reference = (1..1_u32 << 31, 1..100_u32).prop_map(|(hash, class)| Reference { hash, class: ClassId(class), length: 0 });
    vec(
        prop_oneof![
            Just(Event::BranchNot),
            Just(Event::BranchTaken),
            Just(Event::Exit),
            (0..100_u32).prop_map(|site| Event::Entry { site: Site(site) }),
            any::<u32>().prop_map(|value| Event::Load32 { value }),
            any::<u64>().prop_map(|value| Event::Ret64 { site: Site(3), value }),
            reference.prop_map(|value| Event::LoadRef { value }),
            Just(Event::ArgRef { index: 1, value: Reference::NULL }),
            vec(any::<u16>(), 0..5)
                .prop_map(|units| { Event::Content(Content { length: units.len() as u32, data: ContentData::String(units) }) }),
            Just(Event::RunEnd { verdict: Verdict::Threw }),
        ],
        0..12,
    )
}

fn bytes_of(events: &[Event]) -> Vec<u8> {
    let mut bytes = Vec::new();
    events.iter().for_each(|event| encode(event, &mut bytes));
    bytes
}

fn record() -> impl Strategy<Value = Record> {
    prop_oneof![
        (any::<u32>(), text(), text(), vec((text(), any::<u64>()), 0..3)).prop_map(
            |(number, jdk_home, jdk_version, class_path)| Record::Process(Process { number, jdk_home, jdk_version, class_path })
        ),
        vec((1..50_u32, "[a-z/$]{1,9}").prop_map(|(id, name)| Event::Class { id: ClassId(id), name }), 0..4)
            .prop_map(Record::Announcement),
        (any::<u32>(), "[a-zA-Z/$]{1,9}", vec(any::<u8>(), 0..20)).prop_map(|(loader, name, bytes)| {
            Record::ClassFile(ClassBytes { loader, name, hash: class_hash(&bytes), bytes })
        }),
        (any::<u32>(), any::<bool>(), any::<u64>(), run_events()).prop_map(|(thread, accompanied, signature, events)| {
            Record::Run(Run { thread, accompanied, signature, events: bytes_of(&events) })
        }),
        vec((text().prop_map(|text| text.trim().to_owned()), any::<u64>()), 0..4).prop_map(Record::Counts),
        (any::<u32>(), run_events()).prop_map(|(thread, events)| Record::Call(Call { thread, events: bytes_of(&events) })),
        (any::<u64>(), any::<u64>()).prop_map(|(length, whole)| Record::OutlineOf(OutlineOf { length, whole })),
        (any::<(u32, bool, u64)>(), any::<(u64, u64)>(), vec(any::<u32>(), 0..4), run_events()).prop_map(
            |((thread, accompanied, signature), (offset, length), entered, events)| {
                let place = Place { offset, length };
                Record::Outlined(Outlined { thread, accompanied, signature, place, entered, call: bytes_of(&events) })
            }
        ),
    ]
}

fn file(records: &[Record]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    records.iter().for_each(|record| encode_record(record, &mut bytes));
    bytes
}

#[test]
fn a_jdk_home_with_quotes_is_printed_and_parsed() {
    let jdk_home = "C:\\jdk \"17\"".to_owned();
    let process = Process { number: 1, jdk_home, jdk_version: "17".into(), class_path: vec![("a b".into(), 7)] };
    let records = vec![Record::Process(process)];
    let text = print_records(&records);
    assert_eq!(text, "process 1 \"C:\\\\jdk \\\"17\\\"\" \"17\"\n  0000000000000007 a b\n");
    assert_eq!(parse_records(&text), Ok(records));
}

#[test]
fn errors_of_records_name_the_line_and_the_word() {
    for (text, error) in [
        ("\nrun thread x alone 0", "line 2: `x`: invalid digit found in string"),
        ("run thread 1 together 0", "line 1: `together` where `alone` is expected"),
        ("call thread 1\n  exit\n  exeunt\n", "line 3: no event is called `exeunt`"),
        ("counts\n  1 a reason\n  many reasons\n", "line 3: `many`: invalid digit found in string"),
        ("class-file 1 0 T\n  0x\n", "line 2: a class file is written in hexadecimal digits"),
        ("outline of 7 bytes", "line 1: `bytes` where `bytes,` is expected"),
        ("walk", "line 1: no record is called `walk`"),
    ] {
        assert_eq!(parse_records(text).expect_err(text).to_string(), error);
    }
}

/// The hash 0 means null, and the top bit of a hash is a mark of the byte form.
#[test]
fn references_that_cannot_be_encoded_are_refused() {
    for line in ["loadref @0:1", "loadref @80000000:1", "loadref @ffffffff:1[2]"] {
        assert!(tracewright_trace::parse_event(line).is_err(), "{line}");
    }
    assert!(tracewright_trace::parse_event("loadref @7fffffff:1[2]").is_ok());
}

proptest! {
    #[test]
    fn reading_undoes_writing(records in vec(record(), 0..6)) {
        let bytes = file(&records);
        let read: Result<Vec<_>, _> = Records::new(&bytes).expect("a session").collect();
        let read = read.expect("whole");
        let places: Vec<Record> = read
            .iter()
            .map(|(place, _)| decode_record(&bytes[place.offset as usize..(place.offset + place.length) as usize]).expect("whole"))
            .collect();
        prop_assert_eq!(&places, &records);
        prop_assert_eq!(read.into_iter().map(|(_, record)| record).collect::<Vec<_>>(), records);
    }

    #[test]
    fn parsing_undoes_printing(records in vec(record(), 0..6)) {
        let text = print_records(&records);
        prop_assert_eq!(parse_records(&text).expect("what was printed parses"), records, "{}", text);
    }

    /// Wherever the process ended, the records before are there.
    #[test]
    fn a_cut_file_gives_what_is_whole(records in vec(record(), 1..6), cut in any::<prop::sample::Index>()) {
        let bytes = file(&records);
        let bytes = &bytes[..cut.index(bytes.len() + 1)];
        let found: Vec<_> = Records::new(bytes).expect("the beginning of a session").collect();
        let whole = found.iter().filter_map(|found| found.as_ref().ok()).map(|(_, record)| record.clone()).collect::<Vec<_>>();
        prop_assert!(records.starts_with(&whole));
        let expected = file(&records[..whole.len()]).len();
        let more = records.get(whole.len()).map_or(0, |next| file(std::slice::from_ref(next)).len() - MAGIC.len());
        prop_assert!(bytes.len() < MAGIC.len() || bytes.len() < expected + more.max(1));
        let ends_between = bytes.len() == expected || bytes.len() < MAGIC.len();
        prop_assert_eq!(found.iter().any(Result::is_err), !ends_between);
    }

    /// A changed byte is noticed where it is.
    #[test]
    fn damage_is_noticed(records in vec(record(), 1..4), at in any::<prop::sample::Index>(), change in 1..=255_u8) {
        let whole = file(&records);
        let mut bytes = whole.clone();
        let at = MAGIC.len() + at.index(bytes.len() - MAGIC.len());
        bytes[at] ^= change;
        let found: Vec<_> = Records::new(&bytes).expect("a session").collect();
        prop_assert!(found.last().is_some_and(|last| last.is_err()));
    }

    #[test]
    fn garbage_never_panics(garbage in vec(any::<u8>(), 0..300)) {
        let _ = decode_record(&garbage);
        let _ = outline(&garbage);
        if let Ok(records) = Records::new(&garbage) {
            records.for_each(drop);
        }
        let behind = [&MAGIC[..], &garbage].concat();
        Records::new(&behind).expect("a session").for_each(drop);
    }

    #[test]
    fn text_garbage_never_panics(garbage in "(.|\n){0,80}", name in prop::sample::select(vec!["process", "class-file", "run", "counts", "call", "outline", "outlined"])) {
        let _ = parse_records(&garbage);
        let _ = parse_records(&format!("{name} {garbage}"));
    }

    /// A signature is of exactly one whole stream of events.
    #[test]
    fn signatures_are_of_whole_events(events in run_events()) {
        let bytes = bytes_of(&events);
        prop_assert!(outline(&bytes).is_some());
        if let Some(last) = events.last() {
            let shorter = bytes.len() - 1;
            let is_one_byte = bytes_of(std::slice::from_ref(last)).len() == 1;
            prop_assert_eq!(outline(&bytes[..shorter]).is_some(), is_one_byte);
        }
    }
}

#[test]
fn another_file_is_no_session() {
    assert_eq!(Records::new(b"PK\x03\x04abcdefgh").err(), Some(SessionError::NoSession));
    assert_eq!(Records::new(b"TWRIGHT\x02abcdefgh").err(), Some(SessionError::NoSession));
    assert_eq!(Records::new(b"").map(Iterator::count), Ok(0));
}

/// The way counts, values do not.
#[test]
fn signatures_tell_ways_apart() {
    let run = |value: u32, branch: Event, site: u32| {
        let bytes = bytes_of(&[
            Event::RunBegin,
            Event::Entry { site: Site(site) },
            Event::Arg32 { index: 0, value },
            Event::Load32 { value },
            branch,
            Event::Ret32 { site: Site(9), value },
            Event::Exit,
        ]);
        outline(&bytes).map(|outline| outline.signature)
    };
    let usual = run(1, Event::BranchTaken, 5);
    assert!(usual.is_some());
    assert_eq!(run(2, Event::BranchTaken, 5), usual);
    assert_ne!(run(1, Event::BranchNot, 5), usual);
    assert_ne!(run(1, Event::BranchTaken, 6), usual);
}

/// The outermost call of a run: arguments and result.
#[test]
fn a_call_is_the_beginning_and_the_end_of_a_run() {
    let object = Reference { hash: 7, class: ClassId(2), length: 0 };
    let text = Event::Content(Content { length: 2, data: ContentData::String(vec![65, 66]) });
    let call = |result: Option<Event>| {
        let begin = [
            Event::Entry { site: Site(3) },
            Event::ArgRef { index: 0, value: object },
            text.clone(),
            Event::Arg32 { index: 1, value: 9 },
        ];
        let between = [
            Event::Load32 { value: 4 },
            Event::Entry { site: Site(5) },
            Event::Arg32 { index: 0, value: 1 },
            Event::Exit,
            Event::ResultRef { index: 0, value: object },
            Event::Exit,
        ];
        let end = || result.iter().cloned().chain([Event::RunEnd { verdict: Verdict::Completed }]);
        let run: Vec<Event> = [Event::RunBegin].into_iter().chain(begin.clone()).chain(between).chain(end()).collect();
        let bytes = bytes_of(&run);
        let outline = outline(&bytes).expect("whole events");
        assert_eq!(outline.call(&bytes), bytes_of(&begin.into_iter().chain(end()).collect::<Vec<_>>()));
    };
    call(None);
    call(Some(Event::ResultRef { index: 0, value: object }));
    call(Some(Event::Thrown { index: 0, value: object }));
    let none = bytes_of(&[Event::RunBegin, Event::Exit]);
    assert!(outline(&none).expect("whole events").call(&none).is_empty());
}
