//! The mutants of a class.
//!
//! In: a class file. Out: its mutants, numbered from 0 without gaps in the order of methods, bcis
//! and operators. The agent writes a switch for each number, and the engine counts kills by it.
//! Operators and filters are the defaults of PIT 1.22.1, so that users can compare scores. Must not
//! know how a switch is written.

mod filters;
mod inlined_finally;
mod operator;
mod text;

pub use operator::{EmptyValue, Operator};

use crate::class::{ClassFile, Method};
use crate::code::Code;
use crate::descriptor::{MethodDescriptor, Type};
use crate::error::ParseError;
use crate::instruction::{Condition, Op};
use crate::kind::Kind;
use crate::primitive::PrimitiveType;
use filters::Filters;
use operator::{moved_boundary, replaced_math};
use std::collections::BTreeMap;

/// A mutant among those of several classes, which are numbered from 1 in the order of the classes
/// and of [`mutants`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MutantId(pub u32);

impl MutantId {
    /// Index into tables by mutant, whose entry 0 is the unchanged class.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One change of one method. Its text form is one line ([`Mutant::parse`] reads it):
/// `org/x/Foo.bar(I)I @12 line 34 MATH iadd->isub #17`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// Its position in the list of its class.
    pub number: u32,
    /// Internal name of the class.
    pub class: String,
    /// Name of the method.
    pub method: String,
    /// Descriptor of the method.
    pub descriptor: String,
    /// Bcis of the changed instructions: usually one, several for the copies of a `finally` block.
    pub bcis: Vec<u32>,
    /// Line of the first instruction in the source file; 0 without line numbers.
    pub line: u16,
    /// The mutation operator.
    pub operator: Operator,
    /// The change in the form `iadd->isub`.
    pub change: String,
}

impl Mutant {
    /// Its id where the first mutant of its class has the id `first`.
    pub fn id_from(&self, first: MutantId) -> MutantId {
        MutantId(first.0 + self.number)
    }
}

/// A mutant of one instruction, before the copies of `finally` blocks are joined.
struct Candidate {
    method: usize,
    bci: u32,
    line: u16,
    operator: Operator,
    change: String,
    /// Whether the instruction stands in a handler that catches everything.
    in_catch_all: bool,
}

/// All mutants of the class that the filters admit; `mutants[n].number == n`.
///
/// # Errors
///
/// The error of the first method that cannot be decoded.
pub fn mutants(class: &ClassFile) -> Result<Vec<Mutant>, ParseError> {
    let filters = Filters::new(class)?;
    let mut candidates = Vec::new();
    for method in class.methods() {
        let Some(code) = method.code()?.filter(|_| filters.admits(method.index())) else { continue };
        let exclusions = filters.exclusions(class, &code);
        let mut own = candidates_of(class, method, &code)?;
        own.retain(|candidate| exclusions.admit(candidate.bci, candidate.operator, candidate.line));
        candidates.extend(own);
    }
    Ok(joined(class, candidates))
}

/// Every change of a method that an operator makes.
fn candidates_of(class: &ClassFile, method: Method<'_>, code: &Code) -> Result<Vec<Candidate>, ParseError> {
    let mut out = Vec::new();
    let pool = class.constant_pool();
    let returned = MethodDescriptor::parse(method.descriptor())?.result;
    let not_null = method.annotation_types().iter().any(|name| name.ends_with("NotNull;"));
    let bcis_in_catch_all = inlined_finally::bcis_in_catch_all(code);
    for instruction in &code.instructions {
        let mnemonic = instruction.mnemonic();
        let mut add = |operator: Operator, change: String| {
            let line = code.line_of(instruction.bci).unwrap_or(0);
            let in_catch_all = bcis_in_catch_all.contains(&instruction.bci);
            out.push(Candidate { method: method.index(), bci: instruction.bci, line, operator, change, in_catch_all });
        };
        match &instruction.op {
            Op::If(condition, _) | Op::IfIcmp(condition, _) => {
                if let Some(moved) = moved_boundary(*condition) {
                    add(Operator::ConditionalsBoundary, format!("{mnemonic}->{}", with_condition(mnemonic, moved)));
                }
                add(Operator::NegateConditionals, format!("{mnemonic}->{}", with_condition(mnemonic, condition.negate())));
            }
            Op::IfAcmp(condition, _) => {
                add(Operator::NegateConditionals, format!("{mnemonic}->{}", with_condition(mnemonic, condition.negate())));
            }
            Op::IfNull(condition, _) => {
                let other = if *condition == Condition::Eq { "ifnonnull" } else { "ifnull" };
                add(Operator::NegateConditionals, format!("{mnemonic}->{other}"));
            }
            Op::Iinc { delta, .. } => add(Operator::Increments, format!("iinc {delta}->{}", -i32::from(*delta))),
            Op::Neg(_) => add(Operator::InvertNegs, format!("{mnemonic}->nop")),
            Op::Binary(op, kind) => {
                let new = replaced_math(*op, *kind);
                add(Operator::Math, format!("{mnemonic}->{}{}", &mnemonic[..1], new.name()));
            }
            Op::Return(Some(kind)) => add_returns(*kind, returned.as_ref(), not_null, mnemonic, add),
            op => {
                let called = match op.member_index() {
                    Some(index) if op.is_method_call() => pool.member(index)?,
                    _ => continue,
                };
                if called.descriptor.ends_with(")V") && called.name != "<init>" {
                    let name = format!("{}.{}{}", called.owner, called.name, called.descriptor);
                    add(Operator::VoidMethodCalls, format!("{name}->nothing"));
                }
            }
        }
    }
    Ok(out)
}

/// The changes of a return of the type `returned`.
fn add_returns(kind: Kind, returned: Option<&Type>, not_null: bool, mnemonic: &str, mut add: impl FnMut(Operator, String)) {
    let Some(returned) = returned else { return };
    let boxed = matches!(returned, Type::Object(name) if &**name == PrimitiveType::Boolean.box_class());
    if *returned == Type::Primitive(PrimitiveType::Boolean) || boxed {
        add(Operator::FalseReturns, format!("{mnemonic}->false"));
        add(Operator::TrueReturns, format!("{mnemonic}->true"));
    } else if kind != Kind::Reference {
        add(Operator::PrimitiveReturns, format!("{mnemonic}->0"));
    } else if let Some(empty) = EmptyValue::of(returned) {
        add(Operator::EmptyReturns, format!("{mnemonic}->{}", empty.text()));
    } else if !not_null {
        add(Operator::NullReturns, format!("{mnemonic}->null"));
    }
}

/// The mnemonic with another relation: `if_icmplt` becomes `if_icmpge`.
fn with_condition(mnemonic: &str, condition: Condition) -> String {
    let name = match condition {
        Condition::Eq => "eq",
        Condition::Ne => "ne",
        Condition::Lt => "lt",
        Condition::Ge => "ge",
        Condition::Gt => "gt",
        Condition::Le => "le",
    };
    format!("{}{name}", &mnemonic[..mnemonic.len() - 2])
}

/// Numbers the candidates and joins those of one group into one mutant with several bcis.
fn joined(class: &ClassFile, candidates: Vec<Candidate>) -> Vec<Mutant> {
    let representatives = inlined_finally::representatives(class, &candidates);
    let mut mutants: Vec<Mutant> = Vec::new();
    let mut number_of: BTreeMap<usize, usize> = BTreeMap::new();
    for (position, candidate) in candidates.into_iter().enumerate() {
        if let Some(&number) = number_of.get(&representatives[position]) {
            mutants[number].bcis.push(candidate.bci);
            continue;
        }
        number_of.insert(position, mutants.len());
        let method = class.method(candidate.method);
        mutants.push(Mutant {
            number: mutants.len() as u32,
            class: class.this_class().to_owned(),
            method: method.name().to_owned(),
            descriptor: method.descriptor().to_owned(),
            bcis: vec![candidate.bci],
            line: candidate.line,
            operator: candidate.operator,
            change: candidate.change,
        });
    }
    mutants
}
