//! Texts in the formats of dates that the code defines itself: `29/02/2020` where a class has the pattern
//! `dd/MM/yyyy`.
//!
//! Flows in: classes. Flows out: example texts, as constants of the code. Must not know how they are used. A class
//! often keeps its formatters in static fields: their patterns stand in other methods than those that parse.

use tracewright_classfile::{Constant, Op};

use super::CodeConstants;
use super::analysis::add;
use crate::program::{ClassModel, MethodModel};

/// Constructors and factories that take a pattern of a date first.
const TAKE_PATTERN: [(&str, &str); 2] =
    [("java/time/format/DateTimeFormatter", "ofPattern"), ("java/text/SimpleDateFormat", "<init>")];
/// Instructions between the pattern and the call that takes it, at most: the other arguments of the call.
const MOST_BETWEEN: usize = 3;

/// Whether the method parses dates or makes something that does.
pub(super) fn reads_dates(class: &ClassModel, method: &MethodModel) -> bool {
    let Some(code) = class.code(method) else { return false };
    code.instructions.iter().filter_map(|instruction| class.called_by(&instruction.op)).any(|called| {
        let is_of_dates = called.owner.starts_with("java/time/") || called.owner.starts_with("java/text/");
        is_of_dates && called.name.starts_with("parse")
    })
}

/// Adds a text for each pattern that the class gives to a formatter.
pub(super) fn add_dates(class: &ClassModel, into: &mut CodeConstants) {
    let pool = class.file.constant_pool();
    for code in class.methods.iter().filter_map(|method| class.code(method)) {
        for (position, instruction) in code.instructions.iter().enumerate() {
            let Some(called) = class.called_by(&instruction.op) else { continue };
            if !TAKE_PATTERN.contains(&(called.owner, called.name)) {
                continue;
            }
            let before = code.instructions[position.saturating_sub(MOST_BETWEEN)..position].iter().rev();
            let pattern = before.into_iter().find_map(|instruction| match instruction.op {
                Op::Ldc(index) => match pool.get(index) {
                    Ok(Constant::String(text)) => Some(String::from_utf16_lossy(&text)),
                    _ => None,
                },
                _ => None,
            });
            if let Some(example) = pattern.as_deref().and_then(example_of) {
                add(&mut into.strings, example.encode_utf16().collect());
            }
        }
    }
}

/// The 29th of February 2020 at half past twelve, in this format; `None` for a pattern with other letters.
fn example_of(pattern: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = pattern.chars().peekable();
    while let Some(letter) = rest.next() {
        if letter == '\'' {
            let begin = text.len();
            loop {
                text.extend(std::iter::from_fn(|| rest.next_if(|c| *c != '\'')));
                rest.next()?;
                // Two quotes stand for one, inside of a quoted part and outside.
                let is_empty = text.len() == begin;
                if rest.next_if_eq(&'\'').is_none() {
                    text.extend(is_empty.then_some('\''));
                    break;
                }
                text.push('\'');
            }
            continue;
        }
        if !letter.is_ascii_alphabetic() {
            // Optional parts are left as they are: a text may have them.
            text.extend((!matches!(letter, '[' | ']')).then_some(letter));
            continue;
        }
        let mut count = 1;
        while rest.next_if_eq(&letter).is_some() {
            count += 1;
        }
        text += &field(letter, count)?;
    }
    Some(text)
}

/// One field of a pattern with so many letters.
fn field(letter: char, count: usize) -> Option<String> {
    let number = |value: u32| Some(format!("{value:0count$}"));
    match letter {
        'y' | 'u' if count == 2 => Some("20".into()),
        'y' | 'u' => Some("2020".into()),
        'M' | 'L' => match count {
            1 | 2 => number(2),
            3 => Some("Feb".into()),
            _ => Some("February".into()),
        },
        'd' => number(29),
        'H' | 'h' | 'k' => number(12),
        'm' => number(30),
        's' => number(0),
        'S' | 'n' => Some("0".repeat(count)),
        'a' => Some("PM".into()),
        'E' => Some(if count < 4 { "Sat" } else { "Saturday" }.into()),
        'X' | 'x' => match count {
            1 => Some("+01".into()),
            2 => Some("+0100".into()),
            _ => Some("+01:00".into()),
        },
        'Z' => Some("+0100".into()),
        'z' | 'V' => Some("UTC".into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_have_the_form_of_their_patterns() {
        let examples = [
            ("M/d/yyyy h:m a", "2/29/2020 12:30 PM"),
            ("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "2020-02-29T12:30:00.000+01:00"),
            ("EEE, d MMM yy", "Sat, 29 Feb 20"),
            ("h 'o''clock'", "12 o'clock"),
            ("yyyyMMdd[HHmm]", "202002291230"),
        ];
        for (pattern, expected) in examples {
            assert_eq!(example_of(pattern).as_deref(), Some(expected), "{pattern}");
        }
        assert_eq!(example_of("'open"), None);
        assert_eq!(example_of("QQQ"), None, "a letter without an example");
    }
}
