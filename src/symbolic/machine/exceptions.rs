//! Exceptions (JVMS §2.10): the search for a handler, frame by frame, compared with the recorded
//! events. In: an exception; out: the handler's position, or the completion of the frames.

use tracewright_trace::Event;

use super::Machine;
use crate::path::StepKind;
use crate::symbolic::completion::Completion;
use crate::symbolic::completion::InterpResult;
use crate::symbolic::data::objects::{ObjectId, Slot};

impl Machine<'_, '_> {
    /// Searches a handler for the exception from the current instruction outwards, down to the
    /// frame above `floor` callers. `None`: a handler was found and runs next.
    pub(crate) fn throw(&mut self, exception: ObjectId, floor: usize) -> InterpResult<Option<Completion>> {
        // A throw has no event, but it belongs to the path.
        if self.frames.is_recorded() {
            self.path.record_outcome(self.frames.top().base.wrapping_add(self.bci()), u32::MAX);
        }
        while self.frames.depth() > floor {
            self.watch_step(|bci| StepKind::Threw { bci });
            if let Some(index) = self.handler(exception) {
                let handler = &self.frames.code().handlers[index];
                let (target, site) = (handler.handler, self.frames.top().base.wrapping_add(handler.site));
                match self.cursor.peek() {
                    _ if !self.frames.is_recorded() => {}
                    Some(Event::Caught { site: found, value }) if found.0 == site => {
                        // The handler may catch another exception that the JVM threw earlier.
                        if self.cursor.announced().class(value.class).map(|name| name.internal())
                            != Some(&*self.type_name(exception))
                        {
                            self.machine_error(*value)?;
                        }
                        self.cursor.advance();
                        let contents = self.cursor.contents();
                        self.check_reference(exception, *value, contents, "exception")?;
                    }
                    found => return self.mismatch(&format!("{} caught at site {site}", self.type_name(exception)), found),
                }
                self.frames.clear_operands();
                self.push(Slot::reference(exception));
                self.frames.jump_to(target);
                self.watch_step(|bci| StepKind::Caught { bci });
                return Ok(None);
            }
            self.consume_method_exit(exception, floor)?;
            self.frames.leave();
        }
        Ok(Some(Completion::Threw(exception)))
    }

    /// Consumes the event of an exception that leaves a method. Recordings of target JVMs have one
    /// for each method except the outermost one, and except constructors without an initialised
    /// object.
    fn consume_method_exit(&mut self, exception: ObjectId, floor: usize) -> InterpResult<()> {
        let is_outermost = self.frames.nesting() == 1 && self.frames.depth() == floor + 1;
        if !self.cursor.has_method_exits() || !self.frames.is_recorded() || is_outermost {
            return Ok(());
        }
        let Some(&Event::Thrown { index, value }) = self.cursor.peek() else { return Ok(()) };
        if self.entry_method(index) != Some((self.frames.top().method, self.frames.top().base)) {
            return Ok(());
        }
        if self.cursor.announced().class(value.class).map(|name| name.internal()) != Some(&*self.type_name(exception)) {
            self.machine_error(value)?;
        }
        self.cursor.advance();
        let contents = self.cursor.contents();
        self.check_reference(exception, value, contents, "exception")
    }

    fn handler(&mut self, exception: ObjectId) -> Option<usize> {
        let code = self.frames.code().clone();
        let ty = self.object(exception).ty;
        code.handlers.iter().position(|handler| {
            (handler.start..handler.end).contains(&self.frames.pc())
                && match (handler.catches, ty) {
                    (None, _) => true,
                    (Some(catches), Some(ty)) => self.linked.is_subtype(ty, catches),
                    (Some(_), None) => false,
                }
        })
    }
}
