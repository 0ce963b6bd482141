//! The mutants of a class, by number. In: a class file; out: where it can be changed and how, numbered from 0 without gaps in the order of
//! methods, bcis and operators. The agent writes switches by these numbers and the engine counts kills by them. Operators and what is left
//! out are those of PIT's defaults, since its score is what users compare with. Does not know how a switch is written.

mod filter;
mod text;

use crate::class::{ClassFile, Method};
use crate::code::Code;
use crate::descriptor::{MethodDescriptor, Type};
use crate::error::ParseError;
use crate::instruction::{BinaryOp, Condition, Instruction, Kind, Op};
use filter::Filters;
use std::collections::BTreeMap;
use std::fmt;

/// A way to change code, by the name that PIT gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    ConditionalsBoundary,
    NegateConditionals,
    Increments,
    InvertNegs,
    Math,
    VoidMethodCalls,
    FalseReturns,
    TrueReturns,
    PrimitiveReturns,
    EmptyReturns,
    NullReturns,
}

impl Operator {
    pub const ALL: [Operator; 11] = [
        Operator::ConditionalsBoundary,
        Operator::NegateConditionals,
        Operator::Increments,
        Operator::InvertNegs,
        Operator::Math,
        Operator::VoidMethodCalls,
        Operator::FalseReturns,
        Operator::TrueReturns,
        Operator::PrimitiveReturns,
        Operator::EmptyReturns,
        Operator::NullReturns,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Operator::ConditionalsBoundary => "CONDITIONALS_BOUNDARY",
            Operator::NegateConditionals => "NEGATE_CONDITIONALS",
            Operator::Increments => "INCREMENTS",
            Operator::InvertNegs => "INVERT_NEGS",
            Operator::Math => "MATH",
            Operator::VoidMethodCalls => "VOID_METHOD_CALLS",
            Operator::FalseReturns => "FALSE_RETURNS",
            Operator::TrueReturns => "TRUE_RETURNS",
            Operator::PrimitiveReturns => "PRIMITIVE_RETURNS",
            Operator::EmptyReturns => "EMPTY_RETURNS",
            Operator::NullReturns => "NULL_RETURNS",
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One change of one method. Its text form is one line ([`Mutant::parse`] reads it):
/// `org/x/Foo.bar(I)I @12 line 34 MATH iadd->isub #17`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// Its place in the list of its class.
    pub number: u32,
    /// Internal name.
    pub class: String,
    pub method: String,
    pub descriptor: String,
    /// Usually one; several where the compiler wrote one `finally` block several times.
    pub bcis: Vec<u32>,
    /// 0 where the class does not say.
    pub(crate) line: u16,
    pub operator: Operator,
    /// `<what is there>-><what would be>`.
    pub change: String,
}

/// The return types for which something empty is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Empty {
    Integer,
    Short,
    Character,
    Long,
    Float,
    Double,
    String,
    Optional,
    Stream,
    List,
    Map,
    Set,
}

impl Empty {
    /// Of the type that a method declares.
    pub fn of(returned: &Type) -> Option<Empty> {
        let Type::Object(name) = returned else { return None };
        Some(match &**name {
            "java/lang/Integer" => Empty::Integer,
            "java/lang/Short" => Empty::Short,
            "java/lang/Character" => Empty::Character,
            "java/lang/Long" => Empty::Long,
            "java/lang/Float" => Empty::Float,
            "java/lang/Double" => Empty::Double,
            "java/lang/String" => Empty::String,
            "java/util/Optional" => Empty::Optional,
            "java/util/stream/Stream" => Empty::Stream,
            "java/util/List" | "java/util/Collection" | "java/lang/Iterable" => Empty::List,
            "java/util/Map" => Empty::Map,
            "java/util/Set" => Empty::Set,
            _ => return None,
        })
    }

    fn text(self) -> &'static str {
        match self {
            Empty::Integer | Empty::Short | Empty::Character | Empty::Long | Empty::Float | Empty::Double => "0",
            Empty::String => "\"\"",
            _ => "empty",
        }
    }
}

/// What arithmetic becomes (PIT's MATH).
pub fn replaced_math(op: BinaryOp, kind: Kind) -> BinaryOp {
    match op {
        BinaryOp::Add => BinaryOp::Sub,
        BinaryOp::Sub => BinaryOp::Add,
        BinaryOp::Mul => BinaryOp::Div,
        BinaryOp::Div | BinaryOp::Rem => BinaryOp::Mul,
        BinaryOp::Or | BinaryOp::Xor => BinaryOp::And,
        BinaryOp::And => BinaryOp::Or,
        BinaryOp::Shl => BinaryOp::Shr,
        BinaryOp::Shr | BinaryOp::Ushr => {
            debug_assert!(matches!(kind, Kind::Int | Kind::Long));
            BinaryOp::Shl
        }
    }
}

/// The relation with its boundary moved; `None` for equality, which has none.
pub fn moved_boundary(condition: Condition) -> Option<Condition> {
    match condition {
        Condition::Lt => Some(Condition::Le),
        Condition::Le => Some(Condition::Lt),
        Condition::Gt => Some(Condition::Ge),
        Condition::Ge => Some(Condition::Gt),
        Condition::Eq | Condition::Ne => None,
    }
}

/// A mutant before what the compiler wrote several times is joined.
struct Candidate {
    method: usize,
    bci: u32,
    line: u16,
    operator: Operator,
    change: String,
    /// In a handler that catches everything.
    in_handler: bool,
}

/// All mutants of the class; `mutants[n].number == n`.
pub fn mutants(class: &ClassFile) -> Result<Vec<Mutant>, ParseError> {
    let filters = Filters::new(class)?;
    let mut candidates = Vec::new();
    for method in class.methods() {
        let Some(code) = method.code()?.filter(|_| filters.admits(method.index())) else { continue };
        let keep = filters.of_method(class, &code);
        let mut own = of_method(class, method, &code)?;
        own.retain(|candidate| keep.admits(candidate.bci, candidate.operator, candidate.line));
        candidates.extend(own);
    }
    Ok(joined(class, candidates))
}

fn of_method(class: &ClassFile, method: Method<'_>, code: &Code) -> Result<Vec<Candidate>, ParseError> {
    let mut out = Vec::new();
    let pool = class.constant_pool();
    let returned = MethodDescriptor::parse(method.descriptor())?.result;
    let not_null = filter::annotations(class, |name| method.attribute(name)).iter().any(|name| name.ends_with("NotNull;"));
    let in_catch_all = filter::in_catch_all(code);
    for instruction in &code.instructions {
        let mnemonic = instruction.mnemonic();
        let mut add = |operator: Operator, change: String| {
            let line = code.line_of(instruction.bci).unwrap_or(0);
            let in_handler = in_catch_all.contains(&instruction.bci);
            out.push(Candidate { method: method.index(), bci: instruction.bci, line, operator, change, in_handler });
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
                add(Operator::Math, format!("{mnemonic}->{}{}", &mnemonic[..1], binary_name(new)));
            }
            Op::Return(Some(kind)) => returns(*kind, returned.as_ref(), not_null, mnemonic, add),
            op => {
                let called = match op.member_index() {
                    Some(index) if is_call(op) => pool.member(index)?,
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

fn returns(kind: Kind, returned: Option<&Type>, not_null: bool, mnemonic: &str, mut add: impl FnMut(Operator, String)) {
    let Some(returned) = returned else { return };
    let boxed = matches!(returned, Type::Object(name) if &**name == "java/lang/Boolean");
    if *returned == Type::Boolean || boxed {
        add(Operator::FalseReturns, format!("{mnemonic}->false"));
        add(Operator::TrueReturns, format!("{mnemonic}->true"));
    } else if kind != Kind::Reference {
        add(Operator::PrimitiveReturns, format!("{mnemonic}->0"));
    } else if let Some(empty) = Empty::of(returned) {
        add(Operator::EmptyReturns, format!("{mnemonic}->{}", empty.text()));
    } else if !not_null {
        add(Operator::NullReturns, format!("{mnemonic}->null"));
    }
}

fn is_call(op: &Op) -> bool {
    matches!(op, Op::InvokeVirtual(_) | Op::InvokeSpecial(_) | Op::InvokeStatic(_) | Op::InvokeInterface { .. })
}

/// `if_icmplt` with another relation.
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

fn binary_name(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "add",
        BinaryOp::Sub => "sub",
        BinaryOp::Mul => "mul",
        BinaryOp::Div => "div",
        BinaryOp::Rem => "rem",
        BinaryOp::Shl => "shl",
        BinaryOp::Shr => "shr",
        BinaryOp::Ushr => "ushr",
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
        BinaryOp::Xor => "xor",
    }
}

/// A `finally` block is written once for every way out of its `try`: the same change of the same line, of which one stands in the handler
/// that catches everything, is one mutant.
fn joined(class: &ClassFile, candidates: Vec<Candidate>) -> Vec<Mutant> {
    let mut groups: BTreeMap<(u16, Operator, String), Vec<usize>> = BTreeMap::new();
    for (place, candidate) in candidates.iter().enumerate() {
        groups.entry(key(class, candidate)).or_default().push(place);
    }
    let mut first_of: Vec<usize> = (0..candidates.len()).collect();
    for group in groups.values() {
        if group.len() > 1 && group.iter().filter(|&&place| candidates[place].in_handler).count() == 1 {
            group.iter().for_each(|&place| first_of[place] = group[0]);
        }
    }
    let mut mutants: Vec<Mutant> = Vec::new();
    let mut number_of: BTreeMap<usize, usize> = BTreeMap::new();
    for (place, candidate) in candidates.into_iter().enumerate() {
        if let Some(&number) = number_of.get(&first_of[place]) {
            mutants[number].bcis.push(candidate.bci);
            continue;
        }
        number_of.insert(place, mutants.len());
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

/// PIT's: line and description. Those of returns name their method, those of conditions say no more than the operator, and a line belongs
/// to one method but for lambdas: the method is part of the key, which a mutant of several methods could not be switched by.
fn key(class: &ClassFile, candidate: &Candidate) -> (u16, Operator, String) {
    let method = class.method(candidate.method);
    let change = match candidate.operator {
        Operator::ConditionalsBoundary | Operator::NegateConditionals | Operator::InvertNegs => "",
        _ => &candidate.change,
    };
    (candidate.line, candidate.operator, format!("{}{} {change}", method.name(), method.descriptor()))
}

/// Whether the instruction can be mutated at all; a quick look for those who rewrite.
pub fn is_mutable(instruction: &Instruction) -> bool {
    let op = &instruction.op;
    matches!(op, Op::Iinc { .. } | Op::Neg(_) | Op::Binary(..) | Op::Return(Some(_))) || op.is_conditional_jump() || is_call(op)
}
