//! Generated tests in a VM that is not ours: what they call is recorded as nobody's run. Would it be, the next generation took what they cover
//! for covered by hand, and left it out. Flows in: a class; flows out: its methods with a word at their entry and wherever they are left.

use tracewright_classfile::{ClassFile, CodeEditor};

use super::{ProbeError, SinkMethods, before_returns, call, each_method};

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
    editor.insert_at_entry(call(entered))?;
    before_returns(editor, left)?;
    editor.catch_all(0, call(left))?;
    Ok(())
}
