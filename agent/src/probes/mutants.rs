//! Switches for mutants. Flows in: a class; flows out: the class with calls of `TracewrightMutants`
//! in place of all instructions that can be mutated. Must not know which mutant is active.
//!
//! A switch takes the operands of the instruction and the number of the mutant. The class also gets
//! the event budget, since a mutated loop may never end, and static state.

use std::collections::BTreeMap;

use tracewright_classfile::{
    BinaryOp, ClassFile, CodeEditor, Condition, EmptyValue, Instruction, Kind, MethodDescriptor, MutantId, Op, Operator, Snippet,
    Type, mutants,
};

use super::{ProbeError, SinkMethods, by_condition, call, each_method, statics};
use crate::sink::SinkClass;

/// The number of a mutant that does not exist.
const NONE: i32 = -1;

/// Numbers of the mutants of one instruction, by operator.
type Here = BTreeMap<Operator, i32>;

/// Adds a switch to each instruction that has mutants. The mutants of the class are numbered from
/// `first` on. The error is the reason why the class stays as it was.
pub(super) fn target(
    class: &mut ClassFile,
    sink: &mut SinkMethods,
    first: MutantId,
    notes: &mut Vec<String>,
) -> Result<(), String> {
    let all = mutants(class).map_err(|error| format!("unreadable class: {error}"))?;
    let mut by_method: BTreeMap<(String, String), BTreeMap<u32, Here>> = BTreeMap::new();
    for mutant in all {
        let id = mutant.id_from(first).0 as i32;
        let method = by_method.entry((mutant.method, mutant.descriptor)).or_default();
        for bci in mutant.bcis {
            method.entry(bci).or_default().insert(mutant.operator, id);
        }
    }
    // The lightest probes come last: those without mutants.
    each_method(class, 2, notes, |class, method, editor, weight| {
        let key = (class.method(method).name().to_owned(), class.method(method).descriptor().to_owned());
        let none = BTreeMap::new();
        let mutants = by_method.get(&key).filter(|_| weight == 0).unwrap_or(&none);
        let tick = sink.get(class, SinkClass::Sink, "tick", "()V")?;
        editor.insert_at_entry(call(tick))?;
        statics::initialised(class, sink, method, editor)?;
        for instruction in editor.instructions().to_vec() {
            let bci = instruction.bci;
            let mut backwards = false;
            instruction.op.for_each_target(|target| backwards |= target <= bci);
            if backwards {
                editor.insert_before(bci, call(tick))?;
            }
            statics::access(class, sink, method, editor, &instruction)?;
            if let Some(here) = mutants.get(&bci) {
                write(class, sink, method, editor, &instruction, here)?;
            }
        }
        Ok(())
    })
}

fn write(
    class: &mut ClassFile,
    sink: &mut SinkMethods,
    method: usize,
    editor: &mut CodeEditor,
    instruction: &Instruction,
    here: &Here,
) -> Result<(), ProbeError> {
    let bci = instruction.bci;
    let number = |operator: Operator| here.get(&operator).copied().unwrap_or(NONE);
    let mut snippet = Snippet::new();
    match instruction.op {
        // ..., a, b -> ..., a, b, number -> ..., result
        Op::Binary(op, kind) => {
            let (name, descriptor) = arithmetic(op, kind);
            snippet.push_int(number(Operator::Math)).invoke_static(sink.get(class, SinkClass::Mutants, name, descriptor)?);
            editor.replace(bci, snippet)?;
        }
        Op::Neg(kind) => {
            let (name, descriptor) = match kind {
                Kind::Long => ("lneg", "(JI)J"),
                Kind::Float => ("fneg", "(FI)F"),
                Kind::Double => ("dneg", "(DI)D"),
                _ => ("ineg", "(II)I"),
            };
            snippet.push_int(number(Operator::InvertNegs)).invoke_static(sink.get(
                class,
                SinkClass::Mutants,
                name,
                descriptor,
            )?);
            editor.replace(bci, snippet)?;
        }
        Op::Iinc { local, delta } => {
            snippet.load(Kind::Int, local).push_int(delta.into()).push_int(number(Operator::Increments));
            snippet.invoke_static(sink.get(class, SinkClass::Mutants, "iinc", "(III)I")?).store_int(local);
            editor.replace(bci, snippet)?;
        }
        Op::If(condition, _) | Op::IfIcmp(condition, _) => {
            let zero = matches!(instruction.op, Op::If(..));
            let names = if zero {
                ["ifeq", "ifne", "iflt", "ifge", "ifgt", "ifle"]
            } else {
                ["icmpeq", "icmpne", "icmplt", "icmpge", "icmpgt", "icmple"]
            };
            let equality = matches!(condition, Condition::Eq | Condition::Ne);
            let descriptor = match (zero, equality) {
                (true, true) => "(II)Z",
                (true, false) | (false, true) => "(III)Z",
                (false, false) => "(IIII)Z",
            };
            if !equality {
                snippet.push_int(number(Operator::ConditionalsBoundary));
            }
            snippet.push_int(number(Operator::NegateConditionals));
            snippet.invoke_static(sink.get(class, SinkClass::Mutants, by_condition(condition, names), descriptor)?);
            editor.decide(bci, snippet)?;
        }
        Op::IfAcmp(condition, _) => {
            let name = if condition == Condition::Eq { "acmpeq" } else { "acmpne" };
            let called = sink.get(class, SinkClass::Mutants, name, "(Ljava/lang/Object;Ljava/lang/Object;I)Z")?;
            snippet.push_int(number(Operator::NegateConditionals)).invoke_static(called);
            editor.decide(bci, snippet)?;
        }
        Op::IfNull(condition, _) => {
            let name = if condition == Condition::Eq { "nulleq" } else { "nullne" };
            let called = sink.get(class, SinkClass::Mutants, name, "(Ljava/lang/Object;I)Z")?;
            snippet.push_int(number(Operator::NegateConditionals)).invoke_static(called);
            editor.decide(bci, snippet)?;
        }
        Op::Return(Some(kind)) => {
            let returned = MethodDescriptor::parse(class.method(method).descriptor())?.result;
            returns(class, sink, kind, returned.as_ref(), here, &mut snippet)?;
            editor.insert_before(bci, snippet)?;
        }
        _ => {
            let Some(index) = instruction.op.member_index() else { return Ok(()) };
            let called = MethodDescriptor::parse(class.constant_pool().member(index)?.descriptor)?;
            snippet.push_int(number(Operator::VoidMethodCalls)).invoke_static(sink.get(
                class,
                SinkClass::Mutants,
                "removed",
                "(I)Z",
            )?);
            let mut discard = Snippet::new();
            for parameter in called.parameters.iter().rev() {
                if parameter.slots() == 2 {
                    discard.pop2();
                } else {
                    discard.pop();
                }
            }
            if !matches!(instruction.op, Op::InvokeStatic(_)) {
                discard.pop();
            }
            editor.make_optional(bci, snippet, discard)?;
        }
    }
    Ok(())
}

/// `..., value -> ..., value, number -> ..., value`
fn returns(
    class: &mut ClassFile,
    sink: &mut SinkMethods,
    kind: Kind,
    returned: Option<&Type>,
    here: &Here,
    snippet: &mut Snippet,
) -> Result<(), ProbeError> {
    let number = |operator: Operator| here.get(&operator).copied().unwrap_or(NONE);
    if here.contains_key(&Operator::FalseReturns) || here.contains_key(&Operator::TrueReturns) {
        let descriptor = if kind == Kind::Int { "(III)I" } else { "(Ljava/lang/Boolean;II)Ljava/lang/Boolean;" };
        snippet.push_int(number(Operator::FalseReturns)).push_int(number(Operator::TrueReturns));
        snippet.invoke_static(sink.get(class, SinkClass::Mutants, "booleanReturn", descriptor)?);
        return Ok(());
    }
    if here.contains_key(&Operator::NullReturns) {
        snippet.push_int(number(Operator::NullReturns));
        snippet.invoke_static(sink.get(class, SinkClass::Mutants, "nullReturn", "(Ljava/lang/Object;I)Ljava/lang/Object;")?);
        if let Some(name) = returned.and_then(Type::class_name).filter(|name| name != "java/lang/Object") {
            snippet.check_cast(&name);
        }
        return Ok(());
    }
    if let Some(empty) = returned.and_then(EmptyValue::of).filter(|_| here.contains_key(&Operator::EmptyReturns)) {
        let same_class = |class: &str| format!("(L{class};I)L{class};");
        let (name, descriptor) = match empty {
            EmptyValue::Zero(primitive) => ("emptyReturn", same_class(primitive.box_class())),
            EmptyValue::String => ("emptyReturn", same_class("java/lang/String")),
            EmptyValue::Optional => ("emptyReturn", same_class("java/util/Optional")),
            // To the verifier, an interface is any reference (JVMS §4.10.1.2).
            EmptyValue::Stream => ("emptyStream", same_class("java/lang/Object")),
            EmptyValue::List => ("emptyList", same_class("java/lang/Object")),
            EmptyValue::Map => ("emptyMap", same_class("java/lang/Object")),
            EmptyValue::Set => ("emptySet", same_class("java/lang/Object")),
        };
        snippet.push_int(number(Operator::EmptyReturns)).invoke_static(sink.get(class, SinkClass::Mutants, name, &descriptor)?);
        return Ok(());
    }
    let (name, descriptor) = match kind {
        Kind::Int => ("ireturn", "(II)I"),
        Kind::Long => ("lreturn", "(JI)J"),
        Kind::Float => ("freturn", "(FI)F"),
        Kind::Double => ("dreturn", "(DI)D"),
        Kind::Reference => return Ok(()),
    };
    snippet.push_int(number(Operator::PrimitiveReturns)).invoke_static(sink.get(class, SinkClass::Mutants, name, descriptor)?);
    Ok(())
}

fn arithmetic(op: BinaryOp, kind: Kind) -> (&'static str, &'static str) {
    let position = match op {
        BinaryOp::Add => 0,
        BinaryOp::Sub => 1,
        BinaryOp::Mul => 2,
        BinaryOp::Div => 3,
        BinaryOp::Rem => 4,
        BinaryOp::And => 5,
        BinaryOp::Or => 6,
        BinaryOp::Xor => 7,
        BinaryOp::Shl => 8,
        BinaryOp::Shr => 9,
        BinaryOp::Ushr => 10,
    };
    const INT: [&str; 11] = ["iadd", "isub", "imul", "idiv", "irem", "iand", "ior", "ixor", "ishl", "ishr", "iushr"];
    const LONG: [&str; 11] = ["ladd", "lsub", "lmul", "ldiv", "lrem", "land", "lor", "lxor", "lshl", "lshr", "lushr"];
    // Floating-point types have no other operators.
    const FLOAT: [&str; 5] = ["fadd", "fsub", "fmul", "fdiv", "frem"];
    const DOUBLE: [&str; 5] = ["dadd", "dsub", "dmul", "ddiv", "drem"];
    match kind {
        Kind::Long if position >= 8 => (LONG[position], "(JII)J"),
        Kind::Long => (LONG[position], "(JJI)J"),
        Kind::Float => (FLOAT[position], "(FFI)F"),
        Kind::Double => (DOUBLE[position], "(DDI)D"),
        Kind::Int | Kind::Reference => (INT[position], "(III)I"),
    }
}
