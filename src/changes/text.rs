//! The text form of a method for comparison: one line for each instruction, without pool indices
//! and offsets.
//!
//! In: a class file. Out: lines. The text is hashed and never read back.

use std::fmt::Write;

use tracewright_classfile::{ClassFile, Constant, ConstantPool, Instruction, Method, Op};

/// Depth of lambdas within lambdas; deeper ones count by their names.
const DEEPEST: usize = 8;
/// Bytes of a text from which on lambdas and arguments of bootstrap methods count by their names:
/// constants that refer to each other could otherwise multiply without end.
const MOST_TEXT: usize = 16 << 20;

/// Whether the compiler made the method for a lambda. Its text is part of the text of the method
/// with the lambda.
pub(crate) fn is_part_of_another(method: &Method<'_>) -> bool {
    method.access().is_synthetic() && method.name().starts_with("lambda$")
}

/// Access flags, superclass and interfaces of a class, in one line.
pub(crate) fn shape(file: &ClassFile) -> String {
    let interfaces: Vec<&str> = file.interfaces().collect();
    format!("{:x} {} {}", file.access().0, file.super_class().unwrap_or("-"), interfaces.join(" "))
}

/// Access flags, instructions and handlers of a method, with those of its lambdas.
pub(crate) fn of_method(file: &ClassFile, method: &Method<'_>) -> String {
    let mut text = format!("{:x}\n", method.access().0);
    body(&mut text, file, method, 0);
    text
}

fn body(text: &mut String, file: &ClassFile, method: &Method<'_>, depth: usize) {
    let code = match method.code() {
        Ok(Some(code)) => code,
        Ok(None) => return,
        // Malformed code is compared by its bytes.
        Err(_) => {
            let _ = writeln!(text, "{:?}", method.attribute("Code"));
            return;
        }
    };
    // Targets are indices of instructions, since an instruction gets longer when its constant moves
    // in the pool.
    let place = |bci: u32| code.index_of(bci).map_or_else(|| "end".to_owned(), |index| index.to_string());
    for instruction in &code.instructions {
        self::instruction(text, file, instruction, &place, depth);
    }
    for handler in &code.handlers {
        let (start, end, to) = (place(handler.start), place(handler.end), place(handler.handler));
        let _ = writeln!(text, "handler {start} {end} {to} {:?}", handler.catch_type);
    }
}

fn instruction(text: &mut String, file: &ClassFile, instruction: &Instruction, place: &dyn Fn(u32) -> String, depth: usize) {
    let pool = file.constant_pool();
    // The operation without pool indices and targets, which are written by their meaning below.
    let kind = match &instruction.op {
        Op::If(condition, _) => format!("If {condition:?}"),
        Op::IfIcmp(condition, _) => format!("IfIcmp {condition:?}"),
        Op::IfAcmp(condition, _) => format!("IfAcmp {condition:?}"),
        Op::IfNull(condition, _) => format!("IfNull {condition:?}"),
        Op::Goto(_) => "Goto".to_owned(),
        Op::Jsr(_) => "Jsr".to_owned(),
        Op::TableSwitch(switch) => format!("Switch {}", switch.low),
        Op::LookupSwitch(switch) => format!("Switch {:?}", switch.pairs.iter().map(|(key, _)| key).collect::<Vec<_>>()),
        Op::Ldc(_) => "Ldc".to_owned(),
        Op::GetStatic(_) => "GetStatic".to_owned(),
        Op::PutStatic(_) => "PutStatic".to_owned(),
        Op::GetField(_) => "GetField".to_owned(),
        Op::PutField(_) => "PutField".to_owned(),
        Op::InvokeVirtual(_) => "InvokeVirtual".to_owned(),
        Op::InvokeSpecial(_) => "InvokeSpecial".to_owned(),
        Op::InvokeStatic(_) => "InvokeStatic".to_owned(),
        Op::InvokeInterface { .. } => "InvokeInterface".to_owned(),
        Op::InvokeDynamic(_) => "InvokeDynamic".to_owned(),
        Op::New(_) => "New".to_owned(),
        Op::ANewArray(_) => "ANewArray".to_owned(),
        Op::CheckCast(_) => "CheckCast".to_owned(),
        Op::InstanceOf(_) => "InstanceOf".to_owned(),
        Op::MultiANewArray { dimensions, .. } => format!("MultiANewArray {dimensions}"),
        other => format!("{other:?}"),
    };
    text.push_str(&kind);
    instruction.op.for_each_target(|target| {
        let _ = write!(text, " {}", place(target));
    });
    let index = match instruction.op {
        Op::Ldc(index)
        | Op::InvokeDynamic(index)
        | Op::New(index)
        | Op::ANewArray(index)
        | Op::CheckCast(index)
        | Op::InstanceOf(index)
        | Op::MultiANewArray { class: index, .. } => Some(index),
        ref op => op.member_index(),
    };
    if let Some(index) = index {
        text.push(' ');
        constant(text, file, pool, index, depth);
    }
    text.push('\n');
}

fn constant(text: &mut String, file: &ClassFile, pool: &ConstantPool, index: u16, depth: usize) {
    let Ok(constant) = pool.get(index) else {
        text.push_str("??");
        return;
    };
    match &constant {
        Constant::Float(value) => {
            let _ = write!(text, "float {:x}", value.to_bits());
        }
        Constant::Double(value) => {
            let _ = write!(text, "double {:x}", value.to_bits());
        }
        Constant::MethodHandle(handle) => {
            let member = handle.member;
            let own = (member.owner == file.this_class()).then(|| file.find_method(member.name, member.descriptor)).flatten();
            match own.filter(|method| is_part_of_another(method) && depth < DEEPEST && text.len() < MOST_TEXT) {
                Some(lambda) => {
                    let _ = writeln!(text, "{} {} {{", handle.kind, member.descriptor);
                    body(text, file, &lambda, depth + 1);
                    text.push('}');
                }
                None => {
                    let _ = write!(text, "{} {} {} {}", handle.kind, member.owner, member.name, member.descriptor);
                }
            }
        }
        Constant::Dynamic(site) | Constant::InvokeDynamic(site) => {
            let _ = write!(text, "{} {}", site.name, site.descriptor);
            let methods = file.bootstrap_methods().unwrap_or_default();
            let Some(bootstrap) = methods.get(usize::from(site.bootstrap)) else { return };
            let member = bootstrap.handle.member;
            let _ = write!(text, " by {} {} {}", member.owner, member.name, member.descriptor);
            for &argument in &bootstrap.arguments {
                text.push_str(" [");
                if depth < DEEPEST && text.len() < MOST_TEXT {
                    self::constant(text, file, pool, argument, depth + 1);
                }
                text.push(']');
            }
        }
        // All other constants print as their value.
        other => {
            let _ = write!(text, "{other:?}");
        }
    }
}
