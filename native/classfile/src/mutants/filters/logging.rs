//! `FLOGCALL` of PIT 1.22.1: source lines with a call of a logging framework. Every mutant of such
//! a line is left out, also in other expressions, as in PIT.

use super::scan::called;
use crate::class::ClassFile;
use crate::code::Code;
use std::collections::BTreeSet;

/// Prefixes of the internal names of logging classes.
const FRAMEWORKS: [&str; 5] =
    ["java/util/logging", "org/apache/log4j", "org/apache/logging/log4j", "org/slf4j", "org/apache/commons/logging"];

/// The source lines of all methods that call a logging framework. `codes` is indexed by method;
/// code without line numbers has no such line.
pub(super) fn lines(class: &ClassFile, codes: &[Option<Code>]) -> BTreeSet<u16> {
    let mut lines = BTreeSet::new();
    for code in codes.iter().flatten() {
        for instruction in &code.instructions {
            if called(class.constant_pool(), instruction).is_some_and(|member| is_logging(member.owner)) {
                lines.extend(code.line_of(instruction.bci));
            }
        }
    }
    lines
}

fn is_logging(owner: &str) -> bool {
    FRAMEWORKS.iter().any(|prefix| owner.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_decides() {
        assert!(is_logging("org/slf4j/Logger"));
        assert!(is_logging("java/util/logging/Level"));
        assert!(!is_logging("org/example/slf4j/Logger"));
        assert!(!is_logging("java/util/Locale"));
    }
}
