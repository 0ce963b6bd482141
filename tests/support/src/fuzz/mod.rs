//! Fuzzing of readers: mutated and random bytes, and what a reader must do with them.
//!
//! In: [`Subject`]s, each a reader with well-formed examples. Out: a verdict for each input. An
//! input is a function of the seed, the name of the subject, its number and the examples, so one
//! command repeats it. Must not know the formats.
//!
//! A reader must not panic, must end, and must need little memory. What it prints, it must read
//! again and print without change. [`check`] runs in the process of the caller; [`campaign`] runs
//! child processes, which find endless loops, stack overflows and aborts as well.

pub mod campaign;
mod mutation;

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub use mutation::input;

/// A reader: `Err` with the reason of a rejection, or the value as the format prints it, if it does.
pub type Read = fn(&[u8]) -> Result<Option<Vec<u8>>, String>;

/// A reader with its material.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Name of the format.
    pub name: &'static str,
    /// The reader.
    pub read: Read,
    /// Well-formed examples, at least one.
    pub examples: Vec<Vec<u8>>,
    /// Words of the format, for insertion.
    pub words: Vec<Vec<u8>>,
    /// The format is text with lines.
    pub is_text: bool,
    /// Makes most inputs pass checks that no mutation survives, such as checksums.
    pub repair: Option<fn(&mut [u8])>,
    /// Share of the inputs, relative to the other subjects.
    pub weight: u64,
}

/// What a reader did with an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Accepted, and printed and read again if the format is printed.
    Accepted,
    /// Rejected with a reason.
    Rejected,
    /// A defect of the reader: one sentence.
    Failed(String),
}

thread_local! {
    static PANIC_PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Replaces the output of panics by a note for [`check`]. Holds for the whole process.
pub fn silence_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        PANIC_PLACE.with(|found| *found.borrow_mut() = place);
    }));
}

/// Runs the reader on the input, and on what it prints.
pub fn check(read: Read, input: &[u8]) -> Verdict {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let printed = match read(input) {
            Err(_) => return Verdict::Rejected,
            Ok(None) => return Verdict::Accepted,
            Ok(Some(printed)) => printed,
        };
        let show = |bytes: &[u8], from: usize| shortened(&bytes[from..].escape_ascii().to_string(), 300);
        match read(&printed) {
            Ok(Some(again)) if again == printed => Verdict::Accepted,
            Ok(Some(again)) => {
                let same = printed.iter().zip(&again).take_while(|(one, other)| one == other).count();
                let from = same.saturating_sub(30);
                Verdict::Failed(format!("from byte {from} it prints {} and then {}", show(&printed, from), show(&again, from)))
            }
            Ok(None) => Verdict::Failed(format!("it prints {} and then nothing", show(&printed, 0))),
            Err(reason) => Verdict::Failed(format!("it prints {} and rejects that: {reason}", show(&printed, 0))),
        }
    }));
    outcome.unwrap_or_else(|panic| {
        let place = PANIC_PLACE.with(|place| place.borrow_mut().take()).unwrap_or_default();
        Verdict::Failed(format!("it panics at {place}: {}", message_of(&*panic)))
    })
}

/// The shortest input that this greedy search finds for which the reader fails in the same way:
/// removes ranges, from halves down to single bytes.
pub fn minimised(read: Read, input: &[u8]) -> Vec<u8> {
    // The place of a panic is part of its kind; printed values are not.
    let kind = |verdict: &Verdict| match verdict {
        Verdict::Failed(sentence) if sentence.starts_with("it panics") => {
            sentence.split(' ').take(4).collect::<Vec<_>>().join(" ")
        }
        Verdict::Failed(sentence) if sentence.contains("and rejects that") => "it rejects".into(),
        Verdict::Failed(_) => "it prints".into(),
        _ => String::new(),
    };
    let wanted = kind(&check(read, input));
    let (mut least, mut tries) = (input.to_vec(), 3_000);
    let mut length = least.len() / 2;
    while length > 0 && tries > 0 && !wanted.is_empty() {
        let (mut at, mut is_shorter) = (0, false);
        while at < least.len() && tries > 0 {
            tries -= 1;
            let mut candidate = least.clone();
            candidate.drain(at..(at + length).min(least.len()));
            if kind(&check(read, &candidate)) == wanted {
                (least, is_shorter) = (candidate, true);
            } else {
                at += length;
            }
        }
        if !is_shorter || length > least.len() {
            length = (length / 2).min(least.len());
        }
    }
    least
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most { text.to_owned() } else { format!("{}... ({} bytes)", &text[..most], text.len()) }
}

#[cfg(test)]
mod tests;
