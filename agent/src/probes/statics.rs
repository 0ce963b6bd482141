//! Static state. What a run may change is captured at `putstatic` and at `getstatic` of references, and put back between runs; where that cannot
//! be, initialisers run again, so static fields lose `final` (the JIT compiles the value of a final one into code).

use tracewright_classfile::{AccessFlags, ClassFile, CodeEditor, Instruction, Op, Snippet};

use super::{ProbeError, SinkMethods, before_returns};

/// `ldc` of a class needs this class file version (JVMS §4.9.1).
const CLASS_CONSTANTS: u16 = 49;

/// Static fields lose `final`: not in interfaces (JVMS §4.5 demands it there), and not those with a `ConstantValue`, which no initialiser
/// sets.
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

/// First thing in a class initialiser: `-> ` / `ldc this; invokestatic initialised(Class)`; last thing: `invokestatic ready()`.
pub(super) fn initialised(
    class: &mut ClassFile,
    sink: &mut SinkMethods,
    method: usize,
    editor: &mut CodeEditor,
) -> Result<(), ProbeError> {
    if class.method(method).name() == "<clinit>" && class.major_version() >= CLASS_CONSTANTS {
        let initialised = sink.get(class, "initialised", "(Ljava/lang/Class;)V")?;
        let mut snippet = Snippet::new();
        snippet.push_class(class.this_class()).invoke_static(initialised);
        editor.insert_at_entry(snippet)?;
        let ready = sink.get(class, "ready", "()V")?;
        before_returns(editor, ready)?;
    }
    Ok(())
}

/// Probe at a static field access, if it needs one.
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
    // An initialiser's own fields are fresh after it ran.
    let own = class.method(method).name() == "<clinit>" && member.owner == class.this_class();
    if own || is_jdk(member.owner) || (!write && is_immutable(member.descriptor)) {
        return Ok(());
    }
    let owner = member.owner.to_owned();
    let mut snippet = Snippet::new();
    if write {
        // ..., value -> ..., value
        snippet.push_class(&owner).invoke_static(sink.get(class, "staticWrite", "(Ljava/lang/Class;)V")?);
        editor.insert_before(instruction.bci, snippet)?;
    } else {
        // ..., value -> ..., value, value, class -> ..., value
        let read = sink.get(class, "staticRead", "(Ljava/lang/Object;Ljava/lang/Class;)V")?;
        snippet.dup().push_class(&owner).invoke_static(read);
        editor.insert_after(instruction.bci, snippet)?;
    }
    Ok(())
}

fn is_jdk(owner: &str) -> bool {
    ["java/", "javax/", "jdk/", "sun/"].iter().any(|prefix| owner.starts_with(prefix))
}

/// Values of this declared type cannot change, whatever their class.
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
