//! Outcomes of branches, and what the source says there. In: a decoded body and the place of a
//! conditional jump. Out: the condition that holds on one of its ways, with the names of the source. Must
//! not know why a way was taken, nor words for it.
//!
//! The instructions in front of the jump are executed on names instead of values, from the last place
//! at which other code comes in. What was on the stack before is unknown. Compilers leave nothing there
//! between two statements, so that this is rare.

use std::collections::BTreeMap;
use std::fmt;

use tracewright_classfile::{ClassFile, Code, Condition, Constant, Instruction, LocalVariable, Op, StackOp};
use tracewright_text::{Quoted, character_or_number};

use super::hidden_names::HiddenNames;
use super::model::{ClassModel, MethodModel};
use super::names::{ClassName, MethodRef};

/// A value of more parts is not said.
const MOST_PARTS: usize = 12;

/// One outcome of a branching instruction.
///
/// Numbers of outcomes are those of the search slots. A jump has 0 (not taken) and 1 (taken). A
/// switch has its distinct keys in class-file order, then the default. An implicit check has 0
/// (passed) and 1 (threw).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BranchOutcome {
    /// The method that contains the instruction.
    pub method: MethodRef,
    /// Bytecode index of the instruction.
    pub bci: u32,
    /// Number of the outcome.
    pub outcome: u32,
}

impl BranchOutcome {
    /// The same instruction with another outcome.
    pub fn with_outcome(&self, outcome: u32) -> BranchOutcome {
        BranchOutcome { method: self.method.clone(), bci: self.bci, outcome }
    }

    /// Whether both are outcomes of one instruction.
    pub(crate) fn same_instruction(&self, other: &BranchOutcome) -> bool {
        self.bci == other.bci && self.method == other.method
    }
}

impl fmt::Display for BranchOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} @{} ={}", self.method, self.bci, self.outcome)
    }
}

/// A value as the source writes it.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceValue {
    /// The object itself.
    This,
    /// A variable or a field by its name, with the first character of its descriptor.
    Named(String, char),
    /// What callers do not know, by its name, with the first character of its descriptor: a number or a flag that the
    /// method computes, a field that nothing public names, an object of a hidden class.
    Inner(String, char),
    /// A whole number, also one that stands for a character or a truth value.
    Number(i64),
    /// A text.
    Text(Vec<u16>),
    /// `null`.
    Null,
    /// What a call returns.
    Call(Box<SourceCall>),
    /// The length of an array.
    Length(Box<SourceValue>),
    /// Whether a value is an instance of a class.
    IsInstance(Box<SourceValue>, ClassName),
    /// Negative, 0 or positive, as the first value is less, equal or greater.
    Compared(Box<(SourceValue, SourceValue)>),
    /// A value that an operator computes of two others; with the operator's sign.
    Computed(Box<(SourceValue, SourceValue)>, &'static str),
    /// The element of an array at an index.
    Element(Box<(SourceValue, SourceValue)>),
    /// Anything else.
    Unknown,
}

/// A call in the source.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceCall {
    /// The method.
    pub method: MethodRef,
    /// `None` for static methods.
    pub receiver: Option<SourceValue>,
    /// One for each parameter.
    pub args: Vec<SourceValue>,
}

/// A condition in the source that holds.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceCondition {
    /// Two values compare so.
    Compares(SourceValue, Condition, SourceValue),
    /// A value is true, or false.
    IsTrue(SourceValue, bool),
}

impl SourceValue {
    /// How many values and operators it consists of.
    fn parts(&self) -> usize {
        match self {
            SourceValue::Length(value) | SourceValue::IsInstance(value, _) => 1 + value.parts(),
            SourceValue::Compared(values) | SourceValue::Element(values) | SourceValue::Computed(values, _) => {
                1 + values.0.parts() + values.1.parts()
            }
            SourceValue::Call(call) => 1 + call.receiver.iter().chain(&call.args).map(SourceValue::parts).sum::<usize>(),
            _ => 1,
        }
    }

    /// Whether the source does not name some part of it.
    fn has_unknown(&self) -> bool {
        match self {
            SourceValue::Unknown => true,
            SourceValue::Length(value) | SourceValue::IsInstance(value, _) => value.has_unknown(),
            SourceValue::Compared(values) | SourceValue::Element(values) | SourceValue::Computed(values, _) => {
                values.0.has_unknown() || values.1.has_unknown()
            }
            SourceValue::Call(call) => call.receiver.iter().chain(&call.args).any(SourceValue::has_unknown),
            _ => false,
        }
    }

    /// Whether it is a `char`.
    pub(crate) fn is_character(&self) -> bool {
        match self {
            SourceValue::Named(_, kind) | SourceValue::Inner(_, kind) => *kind == 'C',
            SourceValue::Call(call) => call.method.descriptor.ends_with(")C"),
            _ => false,
        }
    }
}

impl fmt::Display for SourceValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceValue::This => f.write_str("this"),
            SourceValue::Named(name, _) | SourceValue::Inner(name, _) => f.write_str(name),
            SourceValue::Number(number) => write!(f, "{number}"),
            SourceValue::Text(units) => write!(f, "{}", Quoted(units)),
            SourceValue::Null => f.write_str("null"),
            SourceValue::Call(call) => write!(f, "{call}"),
            SourceValue::Length(array) => write!(f, "{array}.length"),
            SourceValue::IsInstance(value, class) => write!(f, "{value} instanceof {}", class.binary()),
            SourceValue::Compared(values) => write!(f, "{} <=> {}", values.0, values.1),
            SourceValue::Computed(values, sign) => {
                for (position, value) in [&values.0, &values.1].into_iter().enumerate() {
                    let before = if position == 0 { String::new() } else { format!(" {sign} ") };
                    match value {
                        SourceValue::Computed(..) => write!(f, "{before}({value})")?,
                        _ => write!(f, "{before}{value}")?,
                    }
                }
                Ok(())
            }
            SourceValue::Element(values) => write!(f, "{}[{}]", values.0, values.1),
            SourceValue::Unknown => f.write_str("?"),
        }
    }
}

impl fmt::Display for SourceCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.receiver {
            Some(receiver) => write!(f, "{receiver}")?,
            None => f.write_str(self.method.owner.local_name())?,
        }
        write!(f, ".{}(", self.method.name)?;
        for (position, argument) in self.args.iter().enumerate() {
            write!(f, "{}{argument}", if position == 0 { "" } else { ", " })?;
        }
        f.write_str(")")
    }
}

impl fmt::Display for SourceCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceCondition::IsTrue(value, true) => write!(f, "{value}"),
            SourceCondition::IsTrue(value @ (SourceValue::IsInstance(..) | SourceValue::Computed(..)), false) => {
                write!(f, "!({value})")
            }
            SourceCondition::IsTrue(value, false) => write!(f, "!{value}"),
            SourceCondition::Compares(left, relation, right) => {
                let sign = match relation {
                    Condition::Eq => "==",
                    Condition::Ne => "!=",
                    Condition::Lt => "<",
                    Condition::Ge => ">=",
                    Condition::Gt => ">",
                    Condition::Le => "<=",
                };
                let shown = |value: &SourceValue, other: &SourceValue| match value {
                    SourceValue::Number(unit) if other.is_character() => character_or_number(*unit),
                    // These bind less than a comparison (JLS §15.22).
                    SourceValue::Computed(_, "&" | "|" | "^") => format!("({value})"),
                    _ => value.to_string(),
                };
                write!(f, "{} {sign} {}", shown(left, right), shown(right, left))
            }
        }
    }
}

impl SourceCondition {
    /// Whether it says that a value is null, or that it is not.
    pub(crate) fn is_null_check(&self, is_null: bool) -> bool {
        let wanted = if is_null { Condition::Eq } else { Condition::Ne };
        matches!(self, SourceCondition::Compares(_, relation, SourceValue::Null) if *relation == wanted)
    }

    /// Whether the source does not name some part of it.
    pub(crate) fn has_unknown(&self) -> bool {
        match self {
            SourceCondition::Compares(left, _, right) => left.has_unknown() || right.has_unknown(),
            SourceCondition::IsTrue(value, _) => value.has_unknown(),
        }
    }
}

/// The condition that holds where the jump at a bci is taken, or is not taken. `None` where there is no
/// conditional jump.
pub(super) fn source_condition(class: &ClassModel, method: &MethodModel, bci: u32, is_taken: bool) -> Option<SourceCondition> {
    let code = class.code(method)?;
    let jump = code.instructions.iter().position(|instruction| instruction.bci == bci)?;
    let hidden = HiddenNames::of(class);
    let mut operands = Operands::new(class, method, &code, &hidden);
    for place in statement_start(&code, jump)..jump {
        operands.execute(place);
    }
    let way = |condition: &Condition| if is_taken { *condition } else { condition.negate() };
    Some(match &code.instructions[jump].op {
        Op::If(condition, _) => compared_with_zero(operands.pop(), way(condition)),
        Op::IfIcmp(condition, _) | Op::IfAcmp(condition, _) => {
            let right = operands.pop();
            SourceCondition::Compares(operands.pop(), way(condition), right)
        }
        Op::IfNull(condition, _) => SourceCondition::Compares(operands.pop(), way(condition), SourceValue::Null),
        _ => return None,
    })
}

/// Whether the compiler added the null check, in front of the `close` of a `try` with resources (JLS §14.20.3). The
/// source has no such condition. A method with this code also calls `addSuppressed`, which tells it from a check
/// that a person wrote.
pub(super) fn guards_close(class: &ClassModel, method: &MethodModel, bci: u32) -> bool {
    let Some(code) = class.code(method) else { return false };
    let Some(jump) = code.instructions.iter().position(|instruction| instruction.bci == bci) else { return false };
    let checked = jump.checked_sub(1).map(|before| &code.instructions[before].op);
    let closed = code.instructions.get(jump + 1).map(|next| &next.op);
    let is_resource = matches!((checked, closed), (Some(Op::Load(_, checked)), Some(Op::Load(_, closed))) if checked == closed);
    let call = code.instructions.get(jump + 2).and_then(|call| class.called_by(&call.op));
    let suppresses =
        |place: usize| class.called_by(&code.instructions[place].op).is_some_and(|called| called.name == "addSuppressed");
    matches!(code.instructions[jump].op, Op::IfNull(..))
        && is_resource
        && call.is_some_and(|called| (called.name, called.descriptor) == ("close", "()V"))
        && (0..code.instructions.len()).any(suppresses)
}

/// The queries for whose result a method asks by `orElseThrow`, in the order of the code, with those of methods
/// of its class that it calls.
pub(super) fn demanded_queries(class: &ClassModel, method: &MethodModel) -> Vec<MethodRef> {
    let mut found = Vec::new();
    collect_demanded(class, method, true, &mut found);
    found
}

/// The call on a collaborator that gave the value, also where its result was mapped. What a filter leaves is
/// not what the query found.
fn query_behind(value: SourceValue) -> Option<MethodRef> {
    let SourceValue::Call(call) = value else { return None };
    match (call.method.owner.internal(), &*call.method.name) {
        ("java/util/Optional", "map") => query_behind(call.receiver?),
        ("java/util/Optional", _) => None,
        _ => call.receiver.is_some().then_some(call.method),
    }
}

fn collect_demanded(class: &ClassModel, method: &MethodModel, follows_calls: bool, found: &mut Vec<MethodRef>) {
    let Some(code) = class.code(method) else { return };
    let hidden = HiddenNames::of(class);
    for (place, instruction) in code.instructions.iter().enumerate() {
        let Some(member) = class.called_by(&instruction.op) else { continue };
        if (member.owner, member.name) == ("java/util/Optional", "orElseThrow") {
            let mut operands = Operands::new(class, method, &code, &hidden);
            for before in statement_start(&code, place)..place {
                operands.execute(before);
            }
            operands.pop_many(usize::from(!member.descriptor.starts_with("()")));
            found.extend(query_behind(operands.pop()));
        } else if follows_calls && member.owner == class.name.internal() {
            let called = class.method(member.name, member.descriptor);
            called.into_iter().for_each(|called| collect_demanded(class, called, false, found));
        }
    }
}

fn compared_with_zero(value: SourceValue, condition: Condition) -> SourceCondition {
    let is_truth = match &value {
        SourceValue::Named(_, kind) | SourceValue::Inner(_, kind) => *kind == 'Z',
        SourceValue::Call(call) => call.method.descriptor.ends_with(")Z"),
        SourceValue::IsInstance(..) => true,
        _ => false,
    };
    match (value, condition) {
        (SourceValue::Compared(values), _) => SourceCondition::Compares(values.0, condition, values.1),
        (value, Condition::Eq | Condition::Ne) if is_truth => SourceCondition::IsTrue(value, condition == Condition::Ne),
        (value, _) => SourceCondition::Compares(value, condition, SourceValue::Number(0)),
    }
}

/// The first instruction after which nothing but the code in front of it leads to the jump.
fn statement_start(code: &Code, jump: usize) -> usize {
    let instructions = &code.instructions;
    let is_entered = |place: usize| {
        let bci = instructions[place].bci;
        code.handlers.iter().any(|handler| handler.handler == bci)
            || instructions.iter().any(|instruction| instruction.targets().contains(&bci))
    };
    let follows = |place: usize| {
        let before = &instructions[place - 1].op;
        before.falls_through() && !before.is_conditional_jump() && !is_entered(place)
    };
    let mut start = jump;
    while start > 0 && follows(start) {
        start -= 1;
    }
    start
}

/// The operand stack, in names of the source.
struct Operands<'c> {
    class: &'c ClassFile,
    code: &'c Code,
    is_static: bool,
    hidden: &'c HiddenNames,
    stack: Vec<SourceValue>,
    /// What was stored in variables without a name, by slot.
    temporaries: BTreeMap<u16, SourceValue>,
    /// The parameters, by slot, whose names the class file has.
    parameters: BTreeMap<u16, SourceValue>,
    /// Whether a variable that only has the value of a getter is named as the property.
    reads_initial_values: bool,
}

impl<'c> Operands<'c> {
    /// Nothing is known of what was on the stack before.
    fn new(class: &'c ClassModel, method: &MethodModel, code: &'c Code, hidden: &'c HiddenNames) -> Operands<'c> {
        let mut parameters = BTreeMap::new();
        let mut slot = u16::from(!method.is_static());
        for (ty, name) in method.parameters.iter().zip(class.parameter_names(method)) {
            if let Some(value) = name.as_ref().and_then(|name| named(name, &ty.descriptor())) {
                parameters.insert(slot, value);
            }
            slot += ty.slots();
        }
        Operands {
            class: &class.file,
            code,
            is_static: method.is_static(),
            hidden,
            stack: Vec::new(),
            temporaries: BTreeMap::new(),
            parameters,
            reads_initial_values: true,
        }
    }

    fn pop(&mut self) -> SourceValue {
        self.stack.pop().unwrap_or(SourceValue::Unknown)
    }

    fn pop_many(&mut self, count: usize) -> Vec<SourceValue> {
        let mut values: Vec<SourceValue> = (0..count).map(|_| self.pop()).collect();
        values.reverse();
        values
    }

    /// Pushes a value that is made of the two on the stack. A long value becomes unknown, since a variable without a
    /// name would double it at each use.
    fn combine(&mut self, made: impl FnOnce(SourceValue, SourceValue) -> SourceValue) {
        let second = self.pop();
        let first = self.pop();
        let is_short = first.parts() + second.parts() < MOST_PARTS;
        self.stack.push(if is_short { made(first, second) } else { SourceValue::Unknown });
    }

    fn execute(&mut self, place: usize) {
        let instruction = &self.code.instructions[place];
        let pool = self.class.constant_pool();
        match &instruction.op {
            Op::Nop | Op::CheckCast(_) | Op::Iinc { .. } | Op::Goto(_) => {}
            Op::NullConst => self.stack.push(SourceValue::Null),
            Op::IntConst(value) => self.stack.push(SourceValue::Number(i64::from(*value))),
            Op::LongConst(value) => self.stack.push(SourceValue::Number(*value)),
            Op::FloatConst(value) => self.stack.push(whole_number(f64::from(*value))),
            Op::DoubleConst(value) => self.stack.push(whole_number(*value)),
            Op::Ldc(index) => {
                let value = match pool.get(*index) {
                    Ok(Constant::Integer(value)) => SourceValue::Number(i64::from(value)),
                    Ok(Constant::Long(value)) => SourceValue::Number(value),
                    Ok(Constant::Float(value)) => whole_number(f64::from(value)),
                    Ok(Constant::Double(value)) => whole_number(value),
                    Ok(Constant::String(units)) => SourceValue::Text(units),
                    _ => SourceValue::Unknown,
                };
                self.stack.push(value);
            }
            Op::Load(_, slot) => {
                let value = self.variable(*slot, instruction.bci);
                self.stack.push(value);
            }
            Op::Store(_, slot) => {
                let value = self.pop();
                self.temporaries.insert(*slot, value);
            }
            Op::ArrayLoad(_) => self.combine(|array, index| SourceValue::Element(Box::new((array, index)))),
            Op::Binary(op, _) => self.combine(|left, right| SourceValue::Computed(Box::new((left, right)), op.sign())),
            Op::ArrayStore(_) => drop(self.pop_many(3)),
            Op::Neg(_) => {
                self.pop();
                self.stack.push(SourceValue::Unknown);
            }
            // Values of every width that the source writes have a name.
            Op::Convert(_) => {}
            Op::Stack(StackOp::Pop) => drop(self.pop()),
            Op::Stack(StackOp::Dup) => {
                let value = self.pop();
                self.stack.extend([value.clone(), value]);
            }
            Op::Stack(_) => self.stack.clear(),
            Op::Compare(_) => {
                let right = self.pop();
                let left = self.pop();
                self.stack.push(SourceValue::Compared(Box::new((left, right))));
            }
            Op::GetStatic(index) | Op::GetField(index) => {
                let is_of_object = matches!(instruction.op, Op::GetField(_));
                let object = if is_of_object { Some(self.pop()) } else { None };
                let named = pool.member(*index).ok().and_then(|field| {
                    let is_hidden = is_of_object && self.hidden.has_field(field.owner, field.name);
                    match object {
                        // The end of another range is not that of this one.
                        Some(SourceValue::Named(object, _)) if !is_hidden && !object.contains('.') => {
                            variable_named(&format!("{object}.{}", field.name), field.descriptor, false)
                        }
                        _ => variable_named(field.name, field.descriptor, is_hidden),
                    }
                });
                self.stack.push(named.unwrap_or(SourceValue::Unknown));
            }
            Op::PutStatic(_) => drop(self.pop()),
            Op::PutField(_) => drop(self.pop_many(2)),
            Op::InvokeStatic(index) => self.call(*index, false),
            Op::InvokeVirtual(index) | Op::InvokeSpecial(index) | Op::InvokeInterface { method: index, .. } => {
                self.call(*index, true)
            }
            Op::InvokeDynamic(index) => {
                let descriptor = pool.dynamic(*index).map(|call| call.descriptor.to_owned()).unwrap_or_default();
                let method = MethodRef::new(ClassName::new(""), "", &descriptor);
                self.pop_many(method.parameters().len());
                self.stack.push(SourceValue::Unknown);
            }
            Op::New(_) => self.stack.push(SourceValue::Unknown),
            Op::NewArray(_) | Op::ANewArray(_) => {
                self.pop();
                self.stack.push(SourceValue::Unknown);
            }
            Op::MultiANewArray { dimensions, .. } => {
                self.pop_many(usize::from(*dimensions));
                self.stack.push(SourceValue::Unknown);
            }
            Op::ArrayLength => {
                let array = self.pop();
                self.stack.push(SourceValue::Length(Box::new(array)));
            }
            Op::InstanceOf(index) => {
                let value = self.pop();
                let class = pool.class_name(*index).map(ClassName::new);
                self.stack.push(class.map_or(SourceValue::Unknown, |class| SourceValue::IsInstance(Box::new(value), class)));
            }
            Op::MonitorEnter | Op::MonitorExit => drop(self.pop()),
            // Control does not come from here.
            Op::If(..) | Op::IfIcmp(..) | Op::IfAcmp(..) | Op::IfNull(..) | Op::Jsr(_) | Op::Ret(_) => self.stack.clear(),
            Op::TableSwitch(_) | Op::LookupSwitch(_) | Op::Return(_) | Op::Athrow => self.stack.clear(),
        }
    }

    fn variable(&self, slot: u16, bci: u32) -> SourceValue {
        if slot == 0 && !self.is_static {
            return SourceValue::This;
        }
        let is_meant = |start: u32, end: u32| (start..end).contains(&bci);
        let known = self.code.local_variables.iter().find(|known| known.slot == slot && is_meant(known.start, known.end));
        let only = known.filter(|_| self.reads_initial_values).and_then(|known| self.only_value(known));
        let is_inner = known.is_some_and(|known| self.reads_initial_values && self.is_inner(known, only.as_ref()));
        only.filter(is_property)
            .or_else(|| known.and_then(|known| variable_named(&known.name, &known.descriptor, is_inner)))
            .or_else(|| self.temporaries.get(&slot).cloned())
            .or_else(|| self.parameters.get(&slot).cloned())
            .unwrap_or(SourceValue::Unknown)
    }

    /// Whether callers do not know what the variable holds: it is neither given nor what an object that is given
    /// returns, or the class is hidden.
    fn is_inner(&self, variable: &LocalVariable, only_value: Option<&SourceValue>) -> bool {
        let is_number = variable.descriptor.len() == 1 && variable.descriptor != "Z";
        let is_answer = match only_value {
            Some(SourceValue::Call(call)) if is_number => call.receiver.as_ref().is_some_and(|on| self.is_given(on, 0)),
            Some(value) => !is_number && self.is_given(value, MOST_PARTS),
            None => false,
        };
        variable.start > 0 && (!is_answer || self.hidden.has_type(&variable.descriptor))
    }

    /// Whether the value is a field or parameter with an object, or what at most so many calls one after the other give
    /// of one.
    fn is_given(&self, value: &SourceValue, most_calls: usize) -> bool {
        let mut locals = self.code.local_variables.iter().filter(|known| known.start > 0);
        match value {
            SourceValue::Named(name, kind) => matches!(kind, 'L' | '[') && !locals.any(|known| known.name == *name),
            SourceValue::Call(call) if most_calls > 0 => {
                call.receiver.as_ref().is_some_and(|receiver| self.is_given(receiver, most_calls - 1))
            }
            SourceValue::Element(values) if most_calls > 0 => self.is_given(&values.0, most_calls - 1),
            _ => false,
        }
    }

    /// The only value that the variable ever has.
    fn only_value(&self, variable: &LocalVariable) -> Option<SourceValue> {
        let instructions = &self.code.instructions;
        let store = instructions.iter().position(|instruction| instruction.bci == variable.start)?.checked_sub(1)?;
        let is_written = |op: &Op| matches!(op, Op::Store(_, slot) | Op::Iinc { local: slot, .. } if *slot == variable.slot);
        let changes =
            |instruction: &&Instruction| (variable.start..variable.end).contains(&instruction.bci) && is_written(&instruction.op);
        if !is_written(&instructions[store].op) || instructions.iter().any(|instruction| changes(&instruction)) {
            return None;
        }
        let parameters = self.parameters.clone();
        let mut operands =
            Operands { stack: Vec::new(), temporaries: BTreeMap::new(), parameters, reads_initial_values: false, ..*self };
        for place in statement_start(self.code, store)..store {
            operands.execute(place);
        }
        Some(operands.pop())
    }

    fn call(&mut self, index: u16, has_receiver: bool) {
        let Ok(member) = self.class.constant_pool().member(index) else { return self.stack.clear() };
        let method = MethodRef::new(ClassName::new(member.owner), member.name, member.descriptor);
        let args = self.pop_many(method.parameters().len());
        let receiver = has_receiver.then(|| self.pop());
        if method.descriptor.ends_with(")V") {
            return;
        }
        let is_of_box = method.owner.internal().starts_with("java/lang/");
        let unboxes = is_of_box && receiver.is_some() && args.is_empty() && method.name.ends_with("Value");
        let boxes = is_of_box && receiver.is_none() && args.len() == 1 && &*method.name == "valueOf";
        let value = match (receiver, args) {
            (Some(SourceValue::Named(name, _)), _) if unboxes => {
                SourceValue::Named(name, method.descriptor.chars().last().unwrap_or('I'))
            }
            (Some(value), _) if unboxes => value,
            (None, mut args) if boxes => args.pop().unwrap_or(SourceValue::Unknown),
            (receiver, args) => SourceValue::Call(Box::new(SourceCall { method, receiver, args })),
        };
        self.stack.push(value);
    }
}

fn named(name: &str, descriptor: &str) -> Option<SourceValue> {
    variable_named(name, descriptor, false)
}

fn variable_named(name: &str, descriptor: &str, is_inner: bool) -> Option<SourceValue> {
    let kind = descriptor.chars().next()?;
    Some(if is_inner { SourceValue::Inner(name.to_owned(), kind) } else { SourceValue::Named(name.to_owned(), kind) })
}

/// Whether the value is what a getter returns, a size, or where a text has something. A reader of a test knows the
/// property or the text, and not the local variable that holds the value.
fn is_property(value: &SourceValue) -> bool {
    let SourceValue::Call(call) = value else { return false };
    let is_of_variable = matches!(call.receiver, Some(SourceValue::Named(..)));
    let is_plain = |value| matches!(value, &(SourceValue::Named(..) | SourceValue::Number(_) | SourceValue::Text(_)));
    match (&*call.method.name, call.args.as_slice()) {
        // `end < 0` says that a text lacks a character.
        ("indexOf" | "lastIndexOf", [part]) => is_of_variable && is_plain(part),
        ("size" | "length", []) => is_of_variable,
        (name, []) => {
            let property = name.strip_prefix("get");
            property.is_some_and(|property| property.starts_with(|first: char| first.is_ascii_uppercase()))
                && (is_of_variable || call.receiver == Some(SourceValue::This))
        }
        _ => false,
    }
}

/// The number, where it is whole and not large.
fn whole_number(value: f64) -> SourceValue {
    if value.fract() == 0.0 && value.abs() < 1e9 { SourceValue::Number(value as i64) } else { SourceValue::Unknown }
}
