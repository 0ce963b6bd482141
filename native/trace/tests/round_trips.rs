//! Laws of the codec and of the text form, and robustness of the decoder against anything.

use proptest::collection::vec;
use proptest::prelude::*;
use tracewright_trace::{
    ClassId, Content, ContentData, DecodeError, Decoder, Event, Kind, Reference, Site, Verdict, decode, encode, parse, print,
};

const OPERAND: std::ops::Range<u32> = 0..1 << 31;
/// Of an argument.
const INDEX: std::ops::Range<u32> = 0..256;

fn reference() -> impl Strategy<Value = Reference> {
    prop_oneof![
        Just(Reference::NULL),
        (1..1_u32 << 31, 1..1_u32 << 31, any::<u32>()).prop_map(|(hash, class, length)| Reference {
            hash,
            class: ClassId(class),
            length
        }),
    ]
}

fn content() -> impl Strategy<Value = Content> {
    let data = prop_oneof![
        vec(any::<u16>(), 0..9).prop_map(ContentData::String),
        vec(any::<u8>(), 0..9).prop_map(ContentData::Booleans),
        vec(any::<u8>(), 0..9).prop_map(ContentData::Bytes),
        vec(any::<u16>(), 0..9).prop_map(ContentData::Chars),
        vec(any::<u16>(), 0..9).prop_map(ContentData::Shorts),
        vec(any::<u32>(), 0..9).prop_map(ContentData::Ints),
        vec(any::<u64>(), 0..9).prop_map(ContentData::Longs),
        vec(any::<u32>(), 0..9).prop_map(ContentData::Floats),
        vec(any::<u64>(), 0..9).prop_map(ContentData::Doubles),
        any::<u32>().prop_map(ContentData::Boxed32),
        any::<u64>().prop_map(ContentData::Boxed64),
    ];
    (data, 0..1000_u32).prop_map(|(data, more)| {
        let boxed = matches!(data, ContentData::Boxed32(_) | ContentData::Boxed64(_));
        Content { length: data.len() as u32 + if boxed { 0 } else { more }, data }
    })
}

fn event() -> impl Strategy<Value = Event> {
    let site = || OPERAND.prop_map(Site);
    prop_oneof![
        Just(Event::BranchNot),
        Just(Event::BranchTaken),
        any::<i32>().prop_map(|key| Event::Switch { key }),
        any::<u32>().prop_map(|value| Event::Load32 { value }),
        any::<u64>().prop_map(|value| Event::Load64 { value }),
        reference().prop_map(|value| Event::LoadRef { value }),
        site().prop_map(|site| Event::RetVoid { site }),
        (site(), any::<u32>()).prop_map(|(site, value)| Event::Ret32 { site, value }),
        (site(), any::<u64>()).prop_map(|(site, value)| Event::Ret64 { site, value }),
        (site(), reference()).prop_map(|(site, value)| Event::RetRef { site, value }),
        site().prop_map(|site| Event::Entry { site }),
        (INDEX, any::<u32>()).prop_map(|(index, value)| Event::Arg32 { index, value }),
        (INDEX, any::<u64>()).prop_map(|(index, value)| Event::Arg64 { index, value }),
        (INDEX, reference()).prop_map(|(index, value)| Event::ArgRef { index, value }),
        Just(Event::Exit),
        (site(), reference()).prop_map(|(site, value)| Event::Caught { site, value }),
        prop_oneof![
            OPERAND.prop_map(|index| Event::Statement { index }),
            (OPERAND, any::<u32>()).prop_map(|(index, value)| Event::Result32 { index, value }),
            (OPERAND, any::<u64>()).prop_map(|(index, value)| Event::Result64 { index, value }),
            (OPERAND, reference()).prop_map(|(index, value)| Event::ResultRef { index, value }),
            OPERAND.prop_map(|index| Event::ResultVoid { index }),
            (OPERAND, reference()).prop_map(|(index, value)| Event::Thrown { index, value }),
            Just(Event::RunBegin),
            OPERAND.prop_map(|word| Event::RunEnd { verdict: Verdict::from_word(word) }),
            (0..6_u32).prop_map(|word| Event::RunEnd { verdict: Verdict::from_word(word) }),
            (OPERAND, ".*").prop_map(|(id, name)| Event::Class { id: ClassId(id), name }),
            (OPERAND, any::<u32>(), any::<u32>(), any::<u64>()).prop_map(|(base, count, class, hash)| Event::ClassSites {
                base,
                count,
                class: ClassId(class),
                hash
            }),
            content().prop_map(Event::Content),
            OPERAND.prop_map(|ordinal| Event::Thread { ordinal }),
        ],
    ]
}

fn bytes(events: &[Event]) -> Vec<u8> {
    let mut bytes = Vec::new();
    events.iter().for_each(|event| encode(event, &mut bytes));
    bytes
}

proptest! {
    #[test]
    fn decode_undoes_encode(events in vec(event(), 0..20)) {
        let (decoded, end) = decode(&bytes(&events));
        prop_assert_eq!(end, Ok(()));
        prop_assert_eq!(decoded, events);
    }

    #[test]
    fn parse_undoes_print(events in vec(event(), 0..20)) {
        prop_assert_eq!(parse(&print(&events)).expect("what was printed parses"), events);
    }

    /// However the stream is cut into pieces, the events are the same.
    #[test]
    fn pieces_do_not_matter(events in vec(event(), 0..10), sizes in vec(1..13_usize, 1..40)) {
        let bytes = bytes(&events);
        let mut decoder = Decoder::new();
        let mut decoded = Vec::new();
        let mut rest = bytes.as_slice();
        let mut sizes = sizes.into_iter().cycle();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.len().min(sizes.next().expect("endless")));
            decoder.push(piece);
            rest = after;
            while let Some(event) = decoder.next_event().expect("a valid stream") {
                decoded.push(event);
            }
        }
        prop_assert_eq!(decoder.finish(), Ok(()));
        prop_assert_eq!(decoded, events);
    }

    /// A cut stream gives the events before the cut and says that it is cut.
    #[test]
    fn truncation_is_noticed(events in vec(event(), 1..6), cut in any::<prop::sample::Index>()) {
        let bytes = bytes(&events);
        let cut = cut.index(bytes.len());
        let (decoded, end) = decode(&bytes[..cut]);
        prop_assert!(events.starts_with(&decoded));
        let whole = decoded.iter().map(|event| self::bytes(std::slice::from_ref(event)).len()).sum::<usize>();
        prop_assert_eq!(end.is_ok(), whole == cut);
    }

    #[test]
    fn garbage_never_panics(garbage in vec(any::<u8>(), 0..400)) {
        let (events, _) = decode(&garbage);
        prop_assert!(events.len() <= garbage.len());
    }

    #[test]
    fn text_garbage_never_panics(garbage in ".{0,80}", name in prop::sample::select(Kind::ALL.to_vec())) {
        let _ = parse(&garbage);
        let _ = parse(&format!("{} {garbage}", name.name()));
        let _ = parse(&format!("content string 7 \"{garbage}"));
    }
}

#[test]
fn the_first_error_stays() {
    let mut decoder = Decoder::new();
    decoder.push(&[31]);
    let error = DecodeError::UnknownKind { byte: 0, number: 31 };
    assert_eq!(decoder.next_event(), Err(error.clone()));
    decoder.push(&bytes(&[Event::RunBegin]));
    assert_eq!(decoder.next_event(), Err(error));
}

#[test]
fn a_huge_length_is_an_error_not_an_allocation() {
    let bytes = [&[27, 0][..], &[0xff; 8]].concat();
    assert_eq!(decode(&bytes).1, Err(DecodeError::OutOfBounds { byte: 0, what: "length of contents" }));
}

/// What a thread described, it need not describe again; other threads must.
#[test]
fn references_are_described_once_a_thread() {
    let reference = |hash: u32, class: u32| Reference { hash, class: ClassId(class), length: 3 };
    let described = |hash, class| bytes(&[Event::LoadRef { value: reference(hash, class) }]);
    let again = |hash: u32| [&[Kind::LoadRef as u8][..], &(hash | 1 << 31).to_le_bytes()].concat();
    let thread = |ordinal| bytes(&[Event::Thread { ordinal }]);
    let loaded = |hash, class| Event::LoadRef { value: reference(hash, class) };

    let (events, end) = decode(&[described(5, 1), again(5), described(5, 2), again(5)].concat());
    assert_eq!((events, end), (vec![loaded(5, 1), loaded(5, 1), loaded(5, 2), loaded(5, 2)], Ok(())));
    let (events, end) = decode(&[described(5, 1), thread(1), described(5, 2), thread(0), again(5)].concat());
    assert_eq!((events.last(), end), (Some(&loaded(5, 1)), Ok(())));
    let (_, end) = decode(&[described(5, 1), thread(1), again(5)].concat());
    assert_eq!(end, Err(DecodeError::UnknownReference { byte: 18 }));
}

#[test]
fn text_form_as_documented() {
    let text = "\
class-sites 0 12 1 0123456789abcdef
class 1 \"demo/Stack\"
run-begin
entry 0
argref 0 @1f:1
arg32 1 -5
branch-taken
loadref @2a:7[10]
retref 4 @2b:2
content string 3 \"a\\\"b\"
exit
run-end completed
";
    assert_eq!(print(&parse(text).expect("valid")), text);
}

#[test]
fn faults_in_text_name_their_line() {
    let error = parse("run-begin\nswitch x\n").expect_err("x is no key");
    assert_eq!(error.to_string(), "line 2: `x`: invalid digit found in string");
}
