//! Methods for the tests of the filters, assembled from operations whose jump targets are positions
//! in a list.

use super::Exclusions;
use super::scan::Scan;
use crate::code::{Code, Handler};
use crate::instruction::{self, Op};
use crate::mutants::Operator;
use crate::pool::ConstantPool;
use crate::reader::Reader;
use std::collections::{BTreeMap, BTreeSet};

/// A method with its constant pool.
pub(super) struct TestMethod {
    pool: ConstantPool,
    code: Code,
}

/// An empty constant pool.
pub(super) fn pool() -> ConstantPool {
    ConstantPool::parse(&mut Reader::new(&[0, 1], "a constant pool")).expect("an empty pool")
}

/// Assembles the operations. A jump target is the position of an operation.
pub(super) fn method(operations: impl FnOnce(&mut ConstantPool) -> Vec<Op>) -> TestMethod {
    let mut pool = pool();
    let operations = operations(&mut pool);
    // A switch is as long as its padding says, which depends on its bci; jumps are 3 bytes long.
    let mut bcis = Vec::new();
    let mut at = 0;
    for operation in &operations {
        bcis.push(at);
        let mut bytes = Vec::new();
        with_targets(operation, |_| at).encode(at, &mut bytes).expect("the operation has an encoding");
        at += bytes.len() as u32;
    }
    let mut bytes = Vec::new();
    for (operation, &bci) in operations.iter().zip(&bcis) {
        with_targets(operation, |target| bcis[target as usize]).encode(bci, &mut bytes).expect("an encoding");
    }
    let instructions = instruction::decode(&bytes).expect("well-formed");
    assert_eq!(instructions.len(), operations.len());
    TestMethod { pool, code: Code::of_instructions(instructions) }
}

impl TestMethod {
    /// Adds an exception handler; the positions are those of operations.
    pub(super) fn with_handler(mut self, range: std::ops::Range<usize>, handler: usize, catch_type: Option<&str>) -> TestMethod {
        let bci = |index: usize| self.code.instructions[index].bci;
        self.code.handlers.push(Handler {
            start: bci(range.start),
            end: bci(range.end),
            handler: bci(handler),
            catch_type: catch_type.map(str::to_owned),
        });
        self
    }
}

/// The positions at which the filter leaves out the operator.
pub(super) fn excluded_at(method: &TestMethod, mark: super::MethodFilter, operator: Operator) -> Vec<usize> {
    let logging = BTreeSet::new();
    let mut exclusions = Exclusions { logging: &logging, operators: BTreeMap::new() };
    mark(&Scan::new(&method.pool, &method.code), &mut exclusions);
    let positions = method.code.instructions.iter().enumerate();
    positions.filter(|(_, instruction)| !exclusions.admit(instruction.bci, operator, 0)).map(|(index, _)| index).collect()
}

fn with_targets(operation: &Op, mut target: impl FnMut(u32) -> u32) -> Op {
    let mut operation = operation.clone();
    match &mut operation {
        Op::If(_, to) | Op::IfIcmp(_, to) | Op::IfAcmp(_, to) | Op::IfNull(_, to) | Op::Goto(to) => *to = target(*to),
        Op::LookupSwitch(switch) => {
            switch.default = target(switch.default);
            switch.pairs.iter_mut().for_each(|(_, to)| *to = target(*to));
        }
        _ => {}
    }
    operation
}
