//! Inputs: random bytes, and mutations of examples.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Subject;

/// Longest part of an example that is mutated, in bytes: short inputs are read fast.
const LONGEST_EXAMPLE: usize = 4 << 10;
/// Longest input, in bytes.
const LONGEST: usize = 8 << 10;
/// One input of so many repeats a range until it is as long as this.
const LONG_INPUTS: u64 = 400;
const LONG: usize = 96 << 10;

/// Values at the edges of the types that formats use.
const EDGES: &[u64] = &[
    0,
    1,
    2,
    7,
    8,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x00ff_ffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_ffff_ffff,
];

/// Words for every text format: punctuation, edges of numbers, escapes.
const WORDS: &[&str] = &[
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t",
    "\0",
    "\u{feff}",
    "\u{2028}",
    "ü",
    "\u{10ffff}",
    "\"",
    "\\",
    "\\u",
    "\\ud800",
    "\\u{41}",
    "\\{20}",
    "%",
    "%20;",
    "%7c;",
    "#",
    "=",
    ":",
    ".",
    ",",
    ";",
    "|",
    "@",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "-",
    "+",
    "->",
    "-0",
    "+1",
    "-1",
    "0",
    "00",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "99999999999999999999999",
    "1e999",
    "NaN",
    "inf",
    "-inf",
    "0x",
    "ffffffff",
    "ffffffffffffffff",
];

/// The input with this number. The same arguments give the same bytes.
pub fn input(subject: &Subject, seed: u64, number: u64) -> Vec<u8> {
    let mut rng = generator(seed, subject.name, number);
    let mut bytes = if rng.random_range(0..50) == 0 { random_bytes(&mut rng, subject) } else { example(&mut rng, subject) };
    let mutations = 1 + (rng.next_u32() | 1 << 7).trailing_zeros();
    for _ in 0..mutations {
        mutate(&mut rng, subject, &mut bytes);
        bytes.truncate(LONGEST);
    }
    if number % LONG_INPUTS == LONG_INPUTS - 1 {
        repeat_range(&mut rng, &mut bytes, LONG);
    }
    if let Some(repair) = subject.repair
        && rng.random_range(0..8) > 0
    {
        repair(&mut bytes);
    }
    bytes
}

/// A generator of its own for every input.
fn generator(seed: u64, name: &str, number: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&number.to_le_bytes());
    for (index, byte) in name.bytes().enumerate() {
        key[16 + index % 16] ^= byte.rotate_left(index as u32 / 16);
    }
    ChaCha8Rng::from_seed(key)
}

fn random_bytes(rng: &mut ChaCha8Rng, subject: &Subject) -> Vec<u8> {
    let length = rng.random_range(0..300);
    let is_printable = subject.is_text && rng.random_range(0..4) > 0;
    (0..length).map(|_| if is_printable { rng.random_range(b' '..=b'~') } else { rng.random() }).collect()
}

/// A whole example, or a part of a long one.
fn example(rng: &mut ChaCha8Rng, subject: &Subject) -> Vec<u8> {
    let example = pick(rng, &subject.examples);
    if example.len() <= LONGEST_EXAMPLE {
        return example.clone();
    }
    let start = if rng.random() { 0 } else { rng.random_range(0..example.len() - LONGEST_EXAMPLE) };
    example[start..start + LONGEST_EXAMPLE].to_vec()
}

fn pick<'a, T>(rng: &mut ChaCha8Rng, from: &'a [T]) -> &'a T {
    &from[rng.random_range(0..from.len())]
}

/// A place from 0 to the length, both included.
fn place(rng: &mut ChaCha8Rng, length: usize) -> usize {
    rng.random_range(0..=length)
}

/// A range that is mostly short.
fn range(rng: &mut ChaCha8Rng, length: usize) -> std::ops::Range<usize> {
    let start = place(rng, length);
    let longest = if rng.random_range(0..4) == 0 { length } else { 16 };
    let end = (start + rng.random_range(0..=longest)).min(length);
    start..end
}

/// The line that a random place lies in, with its end.
fn line(rng: &mut ChaCha8Rng, bytes: &[u8]) -> std::ops::Range<usize> {
    let at = place(rng, bytes.len());
    let start = bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let end = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| at + end + 1);
    start..end
}

fn mutate(rng: &mut ChaCha8Rng, subject: &Subject, bytes: &mut Vec<u8>) {
    let kinds = if subject.is_text { 16 } else { 10 };
    match rng.random_range(0..kinds) {
        0 => change_byte(rng, bytes, |rng, byte| byte ^ 1 << rng.random_range(0..8)),
        1 => change_byte(rng, bytes, |rng, _| rng.random()),
        2 | 3 if !subject.is_text => write_edge(rng, bytes),
        2 => write_number(rng, bytes),
        3 => {
            let cut = place(rng, bytes.len());
            bytes.truncate(cut);
        }
        4 => {
            let range = range(rng, bytes.len());
            bytes.drain(range);
        }
        5 => {
            let most = rng.random_range(2..200);
            let most = bytes.len() + most;
            repeat_range(rng, bytes, most);
        }
        6 => {
            let other = pick(rng, &subject.examples);
            let (cut, from) = (place(rng, bytes.len()), place(rng, other.len()));
            bytes.truncate(cut);
            bytes.extend_from_slice(&other[from..]);
        }
        7 => {
            let other = pick(rng, &subject.examples);
            let part = range(rng, other.len());
            insert(rng, bytes, &other[part]);
        }
        8 => {
            let (from, to) = (range(rng, bytes.len()), place(rng, bytes.len()));
            let part = bytes[from].to_vec();
            bytes.splice(to..to, part);
        }
        9 if !subject.is_text => {
            let cut = place(rng, bytes.len());
            bytes.truncate(cut);
        }
        9 | 10 => {
            let word = pick(rng, WORDS).as_bytes();
            insert(rng, bytes, word);
        }
        11 if !subject.words.is_empty() => {
            let word = pick(rng, &subject.words);
            insert(rng, bytes, word);
        }
        11 | 12 => replace_word(rng, subject, bytes),
        13 => {
            let line = line(rng, bytes);
            bytes.drain(line);
        }
        14 => {
            let (from, to) = (line(rng, bytes), line(rng, bytes).start);
            let part = bytes[from].to_vec();
            bytes.splice(to..to, part);
        }
        _ => {
            let other = pick(rng, &subject.examples);
            let (part, to) = (line(rng, other), line(rng, bytes).start);
            bytes.splice(to..to, other[part].iter().copied());
        }
    }
}

fn change_byte(rng: &mut ChaCha8Rng, bytes: &mut [u8], change: impl FnOnce(&mut ChaCha8Rng, u8) -> u8) {
    if !bytes.is_empty() {
        let at = rng.random_range(0..bytes.len());
        bytes[at] = change(rng, bytes[at]);
    }
}

fn insert(rng: &mut ChaCha8Rng, bytes: &mut Vec<u8>, part: &[u8]) {
    let at = place(rng, bytes.len());
    bytes.splice(at..at, part.iter().copied());
}

/// Writes an edge over 1, 2, 4 or 8 bytes, in either byte order.
fn write_edge(rng: &mut ChaCha8Rng, bytes: &mut [u8]) {
    let width = 1 << rng.random_range(0..4);
    if bytes.len() >= width {
        let at = rng.random_range(0..=bytes.len() - width);
        let (edge, is_big_endian) = (*pick(rng, EDGES), rng.random());
        let edge = edge.wrapping_add(rng.random_range(0..3));
        if is_big_endian {
            bytes[at..at + width].copy_from_slice(&edge.to_be_bytes()[8 - width..]);
        } else {
            bytes[at..at + width].copy_from_slice(&edge.to_le_bytes()[..width]);
        }
    }
}

/// Replaces a decimal number of the text by an edge.
fn write_number(rng: &mut ChaCha8Rng, bytes: &mut Vec<u8>) {
    let at = place(rng, bytes.len());
    let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|start| at + start) else { return };
    let end = bytes[start..].iter().position(|byte| !byte.is_ascii_digit()).map_or(bytes.len(), |end| start + end);
    let edge = pick(rng, EDGES).wrapping_add(rng.random_range(0..3));
    let text = if rng.random_range(0..4) == 0 { (edge as i64).to_string() } else { edge.to_string() };
    bytes.splice(start..end, text.into_bytes());
}

/// Replaces a run of letters by a word of the format.
fn replace_word(rng: &mut ChaCha8Rng, subject: &Subject, bytes: &mut Vec<u8>) {
    let at = place(rng, bytes.len());
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric();
    let Some(start) = bytes[at..].iter().position(is_word).map(|start| at + start) else { return };
    let end = bytes[start..].iter().position(|byte| !is_word(byte)).map_or(bytes.len(), |end| start + end);
    let word = if subject.words.is_empty() { pick(rng, WORDS).as_bytes() } else { pick(rng, &subject.words) };
    bytes.splice(start..end, word.iter().copied());
}

/// Repeats a short range behind itself until the input has `most` bytes: deep nesting, long lists.
fn repeat_range(rng: &mut ChaCha8Rng, bytes: &mut Vec<u8>, most: usize) {
    let range = range(rng, bytes.len());
    if !range.is_empty() {
        let part = bytes[range.clone()].to_vec();
        let times = most.saturating_sub(bytes.len()).div_ceil(part.len());
        bytes.splice(range.end..range.end, part.repeat(times));
    }
}
