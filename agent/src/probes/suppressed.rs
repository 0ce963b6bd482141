//! Generated tests in the target JVM of `record`. Flows in: a class of tests; flows out: its
//! methods with calls of the sink at entries, returns and a handler. Must not know what runs
//! record.
//!
//! The calls of generated tests are not recorded. Otherwise the next `generate` would count
//! coverage by generated tests as hand-written coverage.

use tracewright_classfile::{ClassFile, CodeEditor};

use super::{ProbeError, SinkMethods, before_returns, call, each_method};
use crate::sink::SinkClass;

pub(super) fn all(class: &mut ClassFile, sink: &mut SinkMethods, notes: &mut Vec<String>) -> Result<(), String> {
    each_method(class, 1, notes, |class, method, editor, _| write(class, sink, method, editor))
}

fn write(class: &mut ClassFile, sink: &mut SinkMethods, method: usize, editor: &mut CodeEditor) -> Result<(), ProbeError> {
    // Generated tests have no code in constructors, where no handler can cover the whole code.
    if class.method(method).name().starts_with('<') {
        return Ok(());
    }
    let entered = sink.get(class, SinkClass::Record, "rSuppress", "()V")?;
    let left = sink.get(class, SinkClass::Record, "rSuppressEnd", "()V")?;
    editor.insert_at_entry(call(entered))?;
    before_returns(editor, left)?;
    editor.catch_all(0, call(left))?;
    Ok(())
}
