//! The guard: choke points of the JDK ask the sink before they reach outside the run. Flows in: the
//! bytes of a JDK class; flows out: new bytes. Must not know the JVM. The sink decides what is
//! allowed.
//!
//! The choke points are the deepest Java methods: below them are natives. `System.load` is none:
//! native code must be confined by the operating system.

use tracewright_classfile::{AccessFlags, ClassFile, CodeEditor, Kind, Op, Snippet};

use crate::options::Allowed;
use crate::sink::SinkClass;

/// A method that asks the sink first.
struct ChokePoint {
    class: &'static str,
    /// All overloads with code.
    method: &'static str,
    /// A part of the descriptor, where only some overloads are choke points.
    only: &'static str,
    asks: Ask,
}

/// The question. Locals include `this`.
enum Ask {
    /// Never allowed.
    Refuse,
    /// Writes the file in this local.
    Write(u16),
    /// Writes both files.
    WriteBoth(u16, u16),
    /// `open(2)` of the file in the first local with the flags in the second.
    Open(u16, u16),
    /// `RandomAccessFile.open(name, mode)`.
    RandomAccess(u16, u16),
    /// Writes the file in the field `file` of `this`.
    WriteOwn,
    /// Starts a thread: allowed, and counted.
    StartThread,
}

impl ChokePoint {
    /// Whether the user's permissions remove the question. No permission allows code to end the
    /// JVM: that would end the run.
    fn is_open(&self, allowed: Allowed) -> bool {
        match (self.class, &self.asks) {
            (RUNTIME, _) | ("jdk/internal/misc/Signal", _) | (_, Ask::StartThread) => false,
            ("java/lang/ProcessImpl" | "java/lang/ProcessHandleImpl", _) => allowed.processes,
            ("sun/nio/ch/Net" | "sun/nio/ch/UnixDomainSockets", _) => allowed.sockets,
            // All others concern files.
            _ => allowed.files,
        }
    }
}

const fn point(class: &'static str, method: &'static str, asks: Ask) -> ChokePoint {
    ChokePoint { class, method, only: "", asks }
}

const RUNTIME: &str = "java/lang/Runtime";
const FILE: &str = "java/io/File";
const DISPATCHER: &str = "sun/nio/fs/UnixNativeDispatcher";
const BASIC_VIEW: &str = "sun/nio/fs/UnixFileAttributeViews$Basic";
const FILE_SYSTEM: &str = "java/io/UnixFileSystem";

// Shutdown hooks are no choke point: workers end by `halt`, which runs no hook, and the logging of
// the JDK registers one.
static CHOKE_POINTS: &[ChokePoint] = &[
    point("java/lang/Thread", "start", Ask::StartThread),
    point("java/lang/VirtualThread", "start", Ask::StartThread),
    point(RUNTIME, "exit", Ask::Refuse),
    point(RUNTIME, "halt", Ask::Refuse),
    point("java/lang/ProcessImpl", "start", Ask::Refuse),
    point("java/lang/ProcessHandleImpl", "destroyProcess", Ask::Refuse),
    point("jdk/internal/misc/Signal", "raise", Ask::Refuse),
    point("java/io/FileOutputStream", "open", Ask::Write(1)),
    point("java/io/RandomAccessFile", "open", Ask::RandomAccess(1, 2)),
    point(FILE, "createNewFile", Ask::Write(0)),
    ChokePoint { class: FILE, method: "createTempFile", only: "Ljava/lang/String;Ljava/io/File;", asks: Ask::Write(2) },
    point(FILE, "delete", Ask::Write(0)),
    point(FILE, "deleteOnExit", Ask::Write(0)),
    point(FILE, "mkdir", Ask::Write(0)),
    point(FILE, "mkdirs", Ask::Write(0)),
    point(FILE, "renameTo", Ask::WriteBoth(0, 1)),
    point(FILE, "setLastModified", Ask::Write(0)),
    point(FILE, "setReadOnly", Ask::Write(0)),
    point(FILE, "setWritable", Ask::Write(0)),
    point(FILE, "setReadable", Ask::Write(0)),
    point(FILE, "setExecutable", Ask::Write(0)),
    point(FILE_SYSTEM, "createFileExclusively", Ask::Write(1)),
    point(FILE_SYSTEM, "delete", Ask::Write(1)),
    point(FILE_SYSTEM, "createDirectory", Ask::Write(1)),
    point(FILE_SYSTEM, "rename", Ask::WriteBoth(1, 2)),
    point(DISPATCHER, "open", Ask::Open(0, 1)),
    point(DISPATCHER, "openat", Ask::Refuse),
    point(DISPATCHER, "link", Ask::WriteBoth(0, 1)),
    point(DISPATCHER, "symlink", Ask::Write(1)),
    point(DISPATCHER, "unlink", Ask::Write(0)),
    point(DISPATCHER, "unlinkat", Ask::Refuse),
    point(DISPATCHER, "mknod", Ask::Write(0)),
    point(DISPATCHER, "rename", Ask::WriteBoth(0, 1)),
    point(DISPATCHER, "renameat", Ask::Refuse),
    point(DISPATCHER, "mkdir", Ask::Write(0)),
    point(DISPATCHER, "rmdir", Ask::Write(0)),
    point(DISPATCHER, "chown", Ask::Write(0)),
    point(DISPATCHER, "lchown", Ask::Write(0)),
    point(DISPATCHER, "chmod", Ask::Write(0)),
    point(DISPATCHER, "utimes", Ask::Write(0)),
    point(DISPATCHER, "lutimes", Ask::Write(0)),
    // JDK 25: (descriptor, path, ...).
    ChokePoint { class: DISPATCHER, method: "utimensat", only: "(ILsun/nio/fs/UnixPath;", asks: Ask::Write(1) },
    // These methods open the file for reading and change it by its descriptor.
    point(BASIC_VIEW, "setTimes", Ask::WriteOwn),
    point("sun/nio/fs/UnixFileAttributeViews$Posix", "setMode", Ask::WriteOwn),
    point("sun/nio/fs/UnixFileAttributeViews$Posix", "setOwners", Ask::WriteOwn),
    point("sun/nio/fs/UnixUserDefinedFileAttributeView", "write", Ask::Refuse),
    point("sun/nio/fs/UnixUserDefinedFileAttributeView", "delete", Ask::Refuse),
    point("sun/nio/ch/Net", "socket", Ask::Refuse),
    point("sun/nio/ch/Net", "serverSocket", Ask::Refuse),
    point("sun/nio/ch/UnixDomainSockets", "socket", Ask::Refuse),
];

/// Whether this class has choke points that are closed with these permissions.
pub(crate) fn guards(class: &str, allowed: Allowed) -> bool {
    CHOKE_POINTS.iter().any(|point| point.class == class && !point.is_open(allowed))
}

/// Adds the questions. The error is the reason why the class stays as it was.
pub(crate) fn rewrite(bytes: &[u8], allowed: Allowed) -> Result<Vec<u8>, String> {
    let mut class = ClassFile::parse(bytes).map_err(|error| format!("unreadable class: {error}"))?;
    let name = class.this_class().to_owned();
    for point in CHOKE_POINTS.iter().filter(|point| point.class == name && !point.is_open(allowed)) {
        let methods = class.methods().len();
        for index in 0..methods {
            let method = class.method(index);
            if method.name() == point.method && method.has_code() && method.descriptor().contains(point.only) {
                let what = format!("{}.{}", name.replace('/', "."), point.method);
                ask(&mut class, index, &point.asks, &what).map_err(|error| format!("{what}: {error}"))?;
            }
        }
    }
    Ok(class.to_bytes())
}

/// At the entry of the method: `-> ` / locals, description, a call of the sink.
fn ask(class: &mut ClassFile, index: usize, ask: &Ask, what: &str) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    debug_assert!(!class.method(index).access().contains(AccessFlags::NATIVE));
    let mut editor = CodeEditor::new(class.method(index)).map_err(|error| text(&error))?;
    let pool = class.constant_pool_mut();
    let mut method = |name, descriptor| {
        let owner = if name == "threadStarts" { SinkClass::Sink } else { SinkClass::Guard };
        pool.add_static_method(owner.name(), name, descriptor).map_err(|error| text(&error))
    };
    let write = "(Ljava/lang/Object;Ljava/lang/String;)V";
    let flags = "(Ljava/lang/Object;ILjava/lang/String;)V";
    let mut snippet = Snippet::new();
    match *ask {
        Ask::StartThread => snippet.invoke_static(method("threadStarts", "()V")?),
        Ask::Refuse => snippet.push_string(what).invoke_static(method("refuse", "(Ljava/lang/String;)V")?),
        Ask::Write(path) => snippet.load(Kind::Reference, path).push_string(what).invoke_static(method("refuseWrite", write)?),
        Ask::WriteOwn => {
            let refuse = method("refuseWrite", write)?;
            let file = pool.add_field(BASIC_VIEW, "file", "Lsun/nio/fs/UnixPath;").map_err(|error| text(&error))?;
            snippet.load(Kind::Reference, 0).op(Op::GetField(file), 1, 1).push_string(what).invoke_static(refuse)
        }
        Ask::WriteBoth(from, to) => {
            let refuse = method("refuseWrite", write)?;
            snippet.load(Kind::Reference, from).push_string(what).invoke_static(refuse);
            snippet.load(Kind::Reference, to).push_string(what).invoke_static(refuse)
        }
        Ask::Open(path, mode) => {
            let refuse = method("refuseOpen", flags)?;
            snippet.load(Kind::Reference, path).load(Kind::Int, mode).push_string(what).invoke_static(refuse)
        }
        Ask::RandomAccess(path, mode) => {
            let refuse = method("refuseRandomAccess", flags)?;
            snippet.load(Kind::Reference, path).load(Kind::Int, mode).push_string(what).invoke_static(refuse)
        }
    };
    editor.insert_at_entry(snippet).map_err(|error| text(&error))?;
    editor.apply(class).map_err(|error| text(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_remove_questions_but_never_that_of_exit() {
        let nothing = Allowed::default();
        let all = Allowed { files: true, processes: true, sockets: true };
        for class in [RUNTIME, FILE, DISPATCHER, "java/lang/ProcessImpl", "sun/nio/ch/Net"] {
            assert!(guards(class, nothing), "{class}");
        }
        assert!(guards(RUNTIME, all) && guards("jdk/internal/misc/Signal", all));
        assert!(
            !guards(FILE, Allowed { files: true, ..nothing }) && guards("sun/nio/ch/Net", Allowed { files: true, ..nothing })
        );
        assert!(!guards("java/lang/ProcessImpl", Allowed { processes: true, ..nothing }));
        assert!(
            !guards("sun/nio/ch/Net", Allowed { sockets: true, ..nothing }) && guards(FILE, Allowed { sockets: true, ..nothing })
        );
    }
}
