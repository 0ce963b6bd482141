//! `FRECORD` of PIT 1.22.1: methods of a record that the compiler writes. All of them have the line
//! of the record header.
//!
//! Limit: a method that the user wrote on the header line is left out as well. Without line
//! numbers, no method is left out.

use crate::class::ClassFile;
use crate::code::Code;
use std::collections::BTreeSet;

/// Indices of the generated methods. `codes` is indexed by method.
pub(super) fn generated_methods(class: &ClassFile, codes: &[Option<Code>]) -> BTreeSet<usize> {
    if class.super_class() != Some("java/lang/Record") {
        return BTreeSet::new();
    }
    let lines: Vec<BTreeSet<u16>> = codes.iter().map(lines_of).collect();
    methods_on_header_line(&lines)
}

fn lines_of(code: &Option<Code>) -> BTreeSet<u16> {
    code.iter().flat_map(|code| &code.line_numbers).map(|entry| entry.line).collect()
}

/// Indices of the methods on the header line: the first line that is the only line of some method.
fn methods_on_header_line(lines: &[BTreeSet<u16>]) -> BTreeSet<usize> {
    let header = lines.iter().filter(|lines| lines.len() == 1).filter_map(|lines| lines.first()).min();
    let on_header = |(index, lines): (usize, &BTreeSet<u16>)| header.filter(|header| lines.contains(header)).map(|_| index);
    lines.iter().enumerate().filter_map(on_header).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_on_the_first_single_line_are_generated() {
        let lines = [vec![3], vec![5, 6], vec![3], vec![], vec![9]].map(BTreeSet::from_iter);
        assert_eq!(methods_on_header_line(&lines), BTreeSet::from([0, 2]));
        assert_eq!(methods_on_header_line(&[BTreeSet::from([5, 6]), BTreeSet::new()]), BTreeSet::new());
    }
}
