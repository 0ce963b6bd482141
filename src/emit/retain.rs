//! Removes tests from a rendered file. In: the file and the tests to keep; out: the smaller file.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::proxies::{HELPER, declares_helper};
use super::{Rendered, RenderedTest, file, header};

/// Removes tests from a file. Those with these positions in `rendered.tests` stay word for word, so
/// that a file that compiled still compiles. Imports that only the others needed go.
pub fn retain_tests(rendered: &Rendered, positions: &BTreeSet<usize>) -> Rendered {
    let is_removed = |line: u32| {
        let test = rendered.tests.iter().position(|test| (test.lines.0..=test.lines.1).contains(&line));
        test.is_some_and(|position| !positions.contains(&position))
    };
    let lines: Vec<&str> = rendered.source.lines().collect();
    let helper = unused_helper(&lines, |number| is_removed(number as u32));
    // The line in front of likely faults goes with the last of them.
    let heading = lines.iter().position(|line| *line == file::FAULTS).map(|at| at as u32 + 1);
    let heads = |line: u32| positions.iter().any(|position| rendered.tests[*position].lines.0 > line);
    let is_removed = |line: u32| is_removed(line) || helper.contains(&line) || (heading == Some(line) && !heads(line));
    // A test goes with the empty line before it.
    let goes = |number: usize| is_removed(number as u32) || (lines[number - 1].is_empty() && is_removed(number as u32 + 1));
    let stays = |number: usize| !goes(number);
    let named: BTreeSet<&str> = (1..=lines.len())
        .filter(|&number| stays(number) && !lines[number - 1].starts_with("import "))
        .flat_map(|number| lines[number - 1].split(|unit: char| !unit.is_alphanumeric() && unit != '_' && unit != '$'))
        .collect();
    let is_unused_import = |line: &str| {
        let import = line.strip_prefix("import ").and_then(|import| import.trim_end_matches(';').rsplit('.').next());
        import.is_some_and(|simple| !named.contains(simple))
    };
    let mut rest = String::new();
    let mut shift = vec![0; lines.len() + 2];
    // The header is a line of its own.
    for number in 2..=lines.len() {
        let line = lines[number - 1];
        let doubled = line.is_empty() && rest.ends_with("\n\n");
        shift[number] = shift[number - 1];
        if stays(number) && !is_unused_import(line) && !doubled {
            rest.push_str(line);
            rest.push('\n');
        } else {
            shift[number] += 1;
        }
    }
    let kept = rendered.tests.iter().enumerate().filter(|(position, _)| positions.contains(position)).map(|(_, test)| {
        let moved = |line: u32| line - shift[line as usize];
        RenderedTest { lines: (moved(test.lines.0), moved(test.lines.1)), ..test.clone() }
    });
    Rendered { tests: kept.collect(), source: header::with_same_header(&rendered.source, &rest), ..rendered.clone() }
}

/// The lines of the helper method for stubs, from 1, if no line calls it that stays. Empty where it
/// is needed, or where the file has none.
fn unused_helper(lines: &[&str], is_removed: impl Fn(usize) -> bool) -> RangeInclusive<u32> {
    let none = RangeInclusive::new(1, 0);
    let call = format!("{HELPER}(");
    let Some(at) = lines.iter().position(|line| declares_helper(line)) else { return none };
    let is_called = (1..=lines.len()).any(|number| number != at + 1 && !is_removed(number) && lines[number - 1].contains(&call));
    let Some(length) = lines[at..].iter().position(|line| *line == "    }") else { return none };
    // Its comment is one line.
    if is_called { none } else { at as u32..=(at + length + 1) as u32 }
}
