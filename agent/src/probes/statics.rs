//! Static state. Flows in: accesses to static fields; flows out: probes that capture what a run may
//! change. Must not know how state is put back.
//!
//! State is captured at `putstatic`, and at `getstatic` of references, and put back between runs.
//! Where that is impossible, initialisers run again. So static fields lose `final`: the JIT
//! compiles the values of final fields into code.

use tracewright_classfile::{AccessFlags, ClassFile, CodeEditor, EditError, Instruction, Op, Snippet};

use super::{ProbeError, SinkMethods, before_returns};
use crate::sink::SinkClass;

/// `ldc` of a class needs this class file version (JVMS §4.9.1).
const CLASS_CONSTANTS: u16 = 49;

/// Removes `final` from static fields. Not in interfaces, where JVMS §4.5 demands it, and not where
/// `ConstantValue` sets the field.
pub(super) fn drop_final(class: &mut ClassFile) {
    if class.access().is_interface() {
        return;
    }
    let fields: Vec<(usize, AccessFlags)> = class
        .fields()
        .enumerate()
        .filter(|(_, field)| {
            let access = field.access();
            access.is_static() && access.is_final() && field.attribute("ConstantValue").is_none()
        })
        .map(|(index, field)| (index, field.access()))
        .collect();
    for (index, access) in fields {
        class.set_field_access(index, access.without(AccessFlags::FINAL));
    }
}

/// Adds the probes of a class initialiser. At its entry: `-> ` / `ldc this; invokestatic
/// initialised(Class)`; before its returns: `invokestatic ready()`; where an exception leaves it:
/// `thrown -> thrown, thrown, this -> thrown` by `invokestatic failed(Throwable, Class)`.
pub(super) fn initialised(
    class: &mut ClassFile,
    sink: &mut SinkMethods,
    method: usize,
    editor: &mut CodeEditor,
) -> Result<(), ProbeError> {
    if class.method(method).name() == "<clinit>" && class.major_version() >= CLASS_CONSTANTS {
        let initialised = sink.get(class, SinkClass::Statics, "initialised", "(Ljava/lang/Class;)V")?;
        let mut snippet = Snippet::new();
        snippet.push_class(class.this_class()).invoke_static(initialised);
        editor.insert_at_entry(snippet)?;
        let ready = sink.get(class, SinkClass::Statics, "ready", "()V")?;
        before_returns(editor, ready)?;
        let failed = sink.get(class, SinkClass::Statics, "failed", "(Ljava/lang/Throwable;Ljava/lang/Class;)V")?;
        let mut snippet = Snippet::new();
        snippet.dup().push_class(class.this_class()).invoke_static(failed);
        let first = editor.instructions().first().map(|instruction| instruction.bci);
        match first.map_or(Ok(()), |first| editor.catch_all(first, snippet)) {
            // Code of old compilers, in which no handler can be added.
            Ok(()) | Err(EditError::Subroutine { .. } | EditError::RunsOffEnd) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Adds a probe to an access of a static field, if it needs one.
pub(super) fn access(
    class: &mut ClassFile,
    sink: &mut SinkMethods,
    method: usize,
    editor: &mut CodeEditor,
    instruction: &Instruction,
) -> Result<(), ProbeError> {
    let (index, write) = match instruction.op {
        Op::PutStatic(index) => (index, true),
        Op::GetStatic(index) => (index, false),
        _ => return Ok(()),
    };
    if class.major_version() < CLASS_CONSTANTS {
        return Ok(());
    }
    let member = class.constant_pool().member(index)?;
    // An initialiser that runs again sets the fields of its own class.
    let own = class.method(method).name() == "<clinit>" && member.owner == class.this_class();
    if own || is_jdk(member.owner) || (!write && is_immutable(member.descriptor)) {
        return Ok(());
    }
    let owner = member.owner.to_owned();
    let mut snippet = Snippet::new();
    if write {
        // ..., value -> ..., value
        snippet.push_class(&owner).invoke_static(sink.get(class, SinkClass::Statics, "staticWrite", "(Ljava/lang/Class;)V")?);
        editor.insert_before(instruction.bci, snippet)?;
    } else {
        // ..., value -> ..., value, value, class -> ..., value
        let read = sink.get(class, SinkClass::Statics, "staticRead", "(Ljava/lang/Object;Ljava/lang/Class;)V")?;
        snippet.dup().push_class(&owner).invoke_static(read);
        editor.insert_after(instruction.bci, snippet)?;
    }
    Ok(())
}

fn is_jdk(owner: &str) -> bool {
    ["java/", "javax/", "jdk/", "sun/"].iter().any(|prefix| owner.starts_with(prefix))
}

/// Whether no value of this declared type can change, whatever its class.
fn is_immutable(descriptor: &str) -> bool {
    descriptor.len() == 1
        || matches!(
            descriptor,
            "Ljava/lang/String;"
                | "Ljava/lang/Class;"
                | "Ljava/lang/Integer;"
                | "Ljava/lang/Long;"
                | "Ljava/lang/Boolean;"
                | "Ljava/lang/Character;"
                | "Ljava/lang/Byte;"
                | "Ljava/lang/Short;"
                | "Ljava/lang/Float;"
                | "Ljava/lang/Double;"
        )
}
