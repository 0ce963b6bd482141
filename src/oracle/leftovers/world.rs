//! The parts of the JVM's state that a test can save and write back, with the members that do so.

use crate::execution::WorldPart;
use crate::program::{ClassName, FieldRef, JavaType, MethodRef};
use crate::testcase::{StatementKind, TestCase, VarId};

/// How a part of the JVM's state is read and written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WorldState {
    /// Its type.
    pub(crate) class: ClassName,
    /// A name for its value.
    pub(crate) name: &'static str,
    pub(crate) read: WorldValue,
    /// A static method that takes the value.
    pub(crate) write: MethodRef,
}

/// What reads a part of the JVM's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WorldValue {
    /// A static method without parameters.
    Method(MethodRef),
    /// A static method without parameters, whose result has to be cloned.
    Cloned(MethodRef),
    /// A static field.
    Field(FieldRef),
}

impl WorldState {
    /// Appends the statements that read the value.
    pub(crate) fn append_read(&self, test: &mut TestCase) -> VarId {
        match &self.read {
            WorldValue::Method(method) => test.push_static_call(method, Vec::new()),
            WorldValue::Cloned(method) => {
                let value = test.push_static_call(method, Vec::new());
                let clone = MethodRef::new(self.class.clone(), "clone", "()Ljava/lang/Object;");
                let kind = StatementKind::Call { method: clone, interface: false, receiver: Some(value), args: Vec::new() };
                test.push(kind, JavaType::class("java/lang/Object"))
            }
            WorldValue::Field(field) => {
                test.push(StatementKind::GetField { field: field.clone(), receiver: None }, field.field_type())
            }
        }
    }
}

/// How the part is saved; `None` where nothing writes it back.
pub(crate) fn world_state(part: WorldPart) -> Option<WorldState> {
    let method = |owner: &str, name: &str, descriptor: &str| MethodRef::new(ClassName::new(owner), name, descriptor);
    let state = |class: &str, name, read, owner: &str, setter: &str| {
        let write = method(owner, setter, &format!("(L{class};)V"));
        Some(WorldState { class: ClassName::new(class), name, read, write })
    };
    let (system, thread) = ("java/lang/System", "java/lang/Thread");
    let default = |class: &str| WorldValue::Method(method(class, "getDefault", &format!("()L{class};")));
    let stream = |name: &str, class: &str| WorldValue::Field(FieldRef::new(ClassName::new(system), name, &format!("L{class};")));
    let handler = "java/lang/Thread$UncaughtExceptionHandler";
    match part {
        WorldPart::Properties => {
            let read = WorldValue::Cloned(method(system, "getProperties", "()Ljava/util/Properties;"));
            state("java/util/Properties", "properties", read, system, "setProperties")
        }
        WorldPart::Locale => state("java/util/Locale", "locale", default("java/util/Locale"), "java/util/Locale", "setDefault"),
        WorldPart::TimeZone => {
            state("java/util/TimeZone", "timeZone", default("java/util/TimeZone"), "java/util/TimeZone", "setDefault")
        }
        WorldPart::Out => state("java/io/PrintStream", "out", stream("out", "java/io/PrintStream"), system, "setOut"),
        WorldPart::Err => state("java/io/PrintStream", "err", stream("err", "java/io/PrintStream"), system, "setErr"),
        WorldPart::In => state("java/io/InputStream", "in", stream("in", "java/io/InputStream"), system, "setIn"),
        WorldPart::ExceptionHandler => {
            let read = method(thread, "getDefaultUncaughtExceptionHandler", &format!("()L{handler};"));
            state(handler, "handler", WorldValue::Method(read), thread, "setDefaultUncaughtExceptionHandler")
        }
        WorldPart::Files | WorldPart::ThreadLocals | WorldPart::Providers => None,
    }
}
