//! Generated tests in a VM that is not ours: what they call is recorded as nobody's run. Would it be, the next generation took what they cover
//! for covered by hand, and left it out. Flows in: a class; flows out: its methods with a word at their entry and wherever they are left.

use tracewright_classfile::{ClassFile, CodeEditor, Op, Snippet};

use super::{ProbeError, SinkMethods, each_method};

pub(super) fn all(class: &mut ClassFile, sink: &mut SinkMethods, notes: &mut Vec<String>) -> Result<(), String> {
    each_method(class, 1, notes, |class, method, editor, _| write(class, sink, method, editor))
}

fn write(class: &mut ClassFile, sink: &mut SinkMethods, method: usize, editor: &mut CodeEditor) -> Result<(), ProbeError> {
    // Generated tests have nothing in their constructors, in which no handler could stand around everything.
    if class.method(method).name().starts_with('<') {
        return Ok(());
    }
    let entered = sink.get(class, "rAside", "()V")?;
    let left = sink.get(class, "rAsideEnd", "()V")?;
    let call = |method| {
        let mut snippet = Snippet::new();
        snippet.invoke_static(method);
        snippet
    };
    editor.insert_at_entry(call(entered))?;
    let returns: Vec<u32> = editor
        .instructions()
        .iter()
        .filter(|instruction| matches!(instruction.op, Op::Return(_)))
        .map(|instruction| instruction.bci)
        .collect();
    for bci in returns {
        editor.insert_before(bci, call(left))?;
    }
    editor.catch_all(0, call(left))?;
    Ok(())
}
