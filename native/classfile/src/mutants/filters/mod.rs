//! Filters of mutants: changes of compiler-generated code, equivalent changes, and changes that
//! would make a loop endless.
//!
//! In: a class. Out: whether a method is mutated, and whether an operator is applied at a bci. Must
//! not know how a mutant is numbered or switched on.
//!
//! Each filter has a file and the feature name of PIT 1.22.1, where it is on by default. Where a
//! filter differs from PIT, its file says so. `FFBLOCK` is in [`super::inlined_finally`]. Members
//! that [`is_generated`] knows are left out, too.

mod annotations;
mod assertions;
mod counted_loops;
mod division_by_minus_one;
mod enums;
mod equivalent_returns;
mod for_each;
mod logging;
mod records;
mod resources;
mod scan;
mod static_initializers;
mod string_switches;
#[cfg(test)]
mod testing;

use super::Operator;
use crate::accessor::is_plain_accessor;
use crate::class::ClassFile;
use crate::code::Code;
use crate::error::ParseError;
use crate::generated::{is_generated, is_kotlin};
use crate::instruction::Instruction;
use scan::Scan;
use std::collections::{BTreeMap, BTreeSet};

/// A filter that looks at one method and marks the mutants that it leaves out.
type MethodFilter = fn(&Scan<'_>, &mut Exclusions<'_>);

/// The filters of single instructions, by the feature names of PIT.
const METHOD_FILTERS: [(&str, MethodFilter); 7] = [
    ("FRETEQUIV", equivalent_returns::mark),
    ("FFEACH", for_each::mark),
    ("FFLOOP", counted_loops::mark),
    ("FASSERT", assertions::mark),
    ("FSTRSWITCH", string_switches::mark),
    ("FTRYWR", resources::mark),
    ("FSEQUIVDIV", division_by_minus_one::mark),
];

/// The filters of one class.
pub(super) struct Filters {
    /// By method index: whether the method is mutated.
    methods: Vec<bool>,
    /// Source lines that call a logging framework.
    logging: BTreeSet<u16>,
}

impl Filters {
    /// Reads every method of the class. Fails with the error of the first method that cannot be
    /// decoded.
    pub(super) fn new(class: &ClassFile) -> Result<Filters, ParseError> {
        let count = class.methods().len();
        if class.access().is_synthetic() || class.access().is_module() || annotations::excludes_class(class) {
            return Ok(Filters { methods: vec![false; count], logging: BTreeSet::new() });
        }
        let mut codes = Vec::with_capacity(count);
        for method in class.methods() {
            codes.push(method.code()?);
        }
        let mut methods = vec![true; count];
        let generated_by_record = records::generated_methods(class, &codes);
        for method in class.methods() {
            let access = method.access();
            // The user wrote the body of a lambda, although its method is synthetic.
            let synthetic = access.is_synthetic() && !method.name().starts_with("lambda$");
            let generated = synthetic
                || access.is_bridge()
                || is_generated(class, method, codes[method.index()].as_ref())
                || enums::is_generated(class, method)
                || is_kotlin(class) && codes[method.index()].as_ref().is_some_and(is_plain_accessor)
                || generated_by_record.contains(&method.index());
            methods[method.index()] = !generated && !annotations::excludes_method(method);
        }
        for index in static_initializers::methods(class, &codes) {
            methods[index] = false;
        }
        Ok(Filters { methods, logging: logging::lines(class, &codes) })
    }

    /// Whether the method with this index is mutated at all.
    pub(super) fn admits(&self, method: usize) -> bool {
        self.methods[method]
    }

    /// The mutants of one method of the class that the filters leave out.
    pub(super) fn exclusions(&self, class: &ClassFile, code: &Code) -> Exclusions<'_> {
        let mut exclusions = Exclusions { logging: &self.logging, operators: BTreeMap::new() };
        let scan = Scan::new(class.constant_pool(), code);
        for (_, mark) in METHOD_FILTERS {
            mark(&scan, &mut exclusions);
        }
        exclusions
    }
}

/// The mutants of one method that the filters leave out.
pub(super) struct Exclusions<'a> {
    logging: &'a BTreeSet<u16>,
    /// By bci; an empty list stands for every operator.
    operators: BTreeMap<u32, Vec<Operator>>,
}

impl Exclusions<'_> {
    /// Whether the operator is applied at the bci, which belongs to the source line (0: unknown).
    pub(super) fn admit(&self, bci: u32, operator: Operator, line: u16) -> bool {
        let excluded = self.operators.get(&bci).is_some_and(|operators| operators.is_empty() || operators.contains(&operator));
        !excluded && !self.logging.contains(&line)
    }

    /// Leaves out these operators at the instruction; an empty list stands for every operator.
    fn exclude(&mut self, instruction: &Instruction, operators: &[Operator]) {
        match self.operators.get_mut(&instruction.bci) {
            Some(known) if known.is_empty() || operators.is_empty() => known.clear(),
            Some(known) => known.extend(operators),
            None => {
                self.operators.insert(instruction.bci, operators.to_vec());
            }
        }
    }

    /// Leaves out every operator at each of the instructions.
    fn exclude_all(&mut self, instructions: &[Instruction]) {
        instructions.iter().for_each(|instruction| self.exclude(instruction, &[]));
    }
}
