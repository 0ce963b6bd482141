//! A running JVM that compiles Java sources through `javax.tools`.
//!
//! In: sources as text. Out: class files in a folder, and diagnostics. Must not know what is
//! compiled.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::archive::{ArchiveKind, ArchiveUse, ClassArchives, UnfinishedArchive};
use super::confine::Confinement;
use super::process::{JvmProcess, Launch, NoFrame, process_folder};
use super::wire::{self, FrameKind, PayloadReader};
use super::{Jdk, JvmError, Surroundings};

const HEAP_MB: u32 = 768;
/// With less time a compilation does not begin: one that is late costs the JVM, which others wait for.
const SHORTEST: Duration = Duration::from_millis(40);

/// How severe a message of the compiler is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagnosticKind {
    /// The source does not compile.
    Error,
    /// The source compiles; javac warns.
    Warning,
    /// A remark of javac.
    Note,
}

/// One message of the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Relative path of the source as it was given; empty when the message concerns none.
    pub file: String,
    /// Line, counted from 1; 0 when unknown.
    pub line: u32,
    pub(crate) message: String,
    /// How severe it is.
    pub kind: DiagnosticKind,
}

/// A compile server. Its JVM starts at once and is restarted when it ends.
#[derive(Debug)]
pub struct Compiler {
    jdk: Jdk,
    temporary: PathBuf,
    process: Option<(JvmProcess, bool)>,
    archive: ArchiveUse,
}

impl Compiler {
    /// Starts the JVM and does not wait for it; its files go below `temporary`. It begins with the archive where there
    /// is one.
    ///
    /// # Errors
    /// The JDK has no compiler, or its JVM or the files of it cannot be made.
    pub fn start(jdk: &Jdk, temporary: &Path, archives: Option<&ClassArchives>) -> Result<Compiler, JvmError> {
        Compiler::start_with(jdk, temporary, ArchiveUse::reading(archives))
    }

    /// Starts a JVM that writes the archive when it ends ([`Compiler::leave_classes`]).
    ///
    /// # Errors
    /// As [`Compiler::start`].
    pub fn start_archiving(jdk: &Jdk, temporary: &Path, archive: UnfinishedArchive) -> Result<Compiler, JvmError> {
        Compiler::start_with(jdk, temporary, ArchiveUse::Writes(archive))
    }

    fn start_with(jdk: &Jdk, temporary: &Path, archive: ArchiveUse) -> Result<Compiler, JvmError> {
        jdk.require_compiler()?;
        let mut compiler = Compiler { jdk: jdk.clone(), temporary: temporary.to_path_buf(), process: None, archive };
        compiler.launch()?;
        Ok(compiler)
    }

    /// Ends the JVM, which writes its archive, and gives whether it did in time.
    pub fn leave_classes(self, timeout: Duration) -> bool {
        self.process.is_some_and(|(process, _)| process.end_by_itself(timeout)) && self.archive.finish()
    }

    /// Waits until the JVM has compiled its first, built-in source, or has ended.
    pub(crate) fn warm_up(&mut self, timeout: Duration) {
        if let Some((process, ready)) = &mut self.process
            && !*ready
        {
            *ready = process.receive(timeout).is_ok_and(|frame| frame.kind == FrameKind::Ready);
        }
    }

    /// Compiles the sources (relative path, text) for the release and writes the classes below
    /// `out`. The diagnostics have an error exactly when the compilation failed. `timeout` limits
    /// the whole call, the start of a JVM included.
    ///
    /// # Errors
    /// [`JvmError::Start`] when no JVM can be started, [`JvmError::Compiler`] when it fails twice
    /// or answers nothing in time.
    pub fn compile(
        &mut self,
        sources: &[(String, String)],
        classpath: &[PathBuf],
        release: u32,
        out: &Path,
        timeout: Duration,
    ) -> Result<Vec<Diagnostic>, JvmError> {
        self.compile_as(false, sources, classpath, release, out, timeout)
    }

    /// As [`Compiler::compile`], with the annotation processors of the class path. Their code runs in the JVM of the
    /// compiler. The sources that they generate are compiled as well.
    ///
    /// # Errors
    /// As [`Compiler::compile`]; also where a processor ends the JVM.
    pub fn compile_with_processors(
        &mut self,
        sources: &[(String, String)],
        classpath: &[PathBuf],
        release: u32,
        out: &Path,
        timeout: Duration,
    ) -> Result<Vec<Diagnostic>, JvmError> {
        self.compile_as(true, sources, classpath, release, out, timeout)
    }

    fn compile_as(
        &mut self,
        processors: bool,
        sources: &[(String, String)],
        classpath: &[PathBuf],
        release: u32,
        out: &Path,
        timeout: Duration,
    ) -> Result<Vec<Diagnostic>, JvmError> {
        let io = |source| JvmError::Io { what: format!("{} cannot be written", out.display()), source };
        fs::create_dir_all(out).map_err(io)?;
        let absolute =
            |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()).to_string_lossy().into_owned();
        let classpath: Vec<String> = classpath.iter().map(|entry| absolute(entry)).collect();
        let frame = wire::compile_frame(sources, &classpath, release, &absolute(out), processors);
        if timeout < SHORTEST {
            return Err(JvmError::Late);
        }
        let mut last = None;
        // A request that ended its JVM is repeated once in a new one.
        let until = Instant::now() + timeout;
        for _ in 0..2 {
            match self.request(&frame, until)? {
                Ok(diagnostics) => return Ok(diagnostics),
                Err(why) => last = Some(why),
            }
            self.process = None;
            if Instant::now() >= until {
                break;
            }
        }
        Err(JvmError::Compiler(last.unwrap_or_default()))
    }

    fn request(&mut self, frame: &[u8], until: Instant) -> Result<Result<Vec<Diagnostic>, String>, JvmError> {
        let (process, ready) = self.launch()?;
        let left = || until.saturating_duration_since(Instant::now());
        let mut sent = false;
        loop {
            if *ready && !std::mem::replace(&mut sent, *ready) && process.send(frame, left()).is_err() {
                return Ok(Err("it does not listen".into()));
            }
            let frame = match process.receive(left()) {
                Ok(frame) => frame,
                Err(NoFrame::Timeout) => return Ok(Err("it does not answer".into())),
                Err(NoFrame::Ended) => return Ok(Err(format!("it ended; it said: {}", process.output()))),
            };
            match frame.kind {
                FrameKind::Ready => *ready = true,
                FrameKind::Compiled => {
                    let diagnostics = diagnostics(&frame.payload);
                    return Ok(Ok(diagnostics.ok_or_else(|| JvmError::Protocol("diagnostics that cannot be read".into()))?));
                }
                FrameKind::Fatal => return Ok(Err(PayloadReader::new(&frame.payload).string().unwrap_or_default())),
                other => return Err(JvmError::Protocol(format!("a frame of kind {other:?}"))),
            }
        }
    }

    fn launch(&mut self) -> Result<&mut (JvmProcess, bool), JvmError> {
        if self.process.is_none() {
            self.process = Some((launch(&self.jdk, &self.temporary, &self.archive)?, false));
        }
        self.process.as_mut().ok_or_else(|| JvmError::Start("the compile server is missing".into()))
    }
}

fn launch(jdk: &Jdk, temporary: &Path, archive: &ArchiveUse) -> Result<JvmProcess, JvmError> {
    let start = |error: std::io::Error| JvmError::Start(error.to_string());
    let folder = process_folder(temporary, "compile", &Surroundings::default()).map_err(start)?;
    let mut jvm_options = super::common_options(&folder, HEAP_MB, &Surroundings::default());
    jvm_options.push("-XX:TieredStopAtLevel=1".into());
    jvm_options.extend(archive.options(ArchiveKind::Compiler));
    let launch = Launch {
        java: jdk.java(),
        jvm_options,
        runner_jar: archive.runner_jar(),
        classpath: Vec::new(),
        main: None,
        arguments: ["compile", "{in}", "{out}"].map(String::from).to_vec(),
        variables: BTreeMap::new(),
        // This JVM runs only code of the JDK and writes only to folders that it is given.
        confinement: Confinement { write: None, network: false, programs: None, file_size: 1 << 30 },
        folder,
    };
    JvmProcess::start(launch).map_err(start)
}

/// Whether the bytes are the payload of a `Compiled` frame.
pub(crate) fn are_diagnostics(payload: &[u8]) -> bool {
    diagnostics(payload).is_some()
}

fn diagnostics(payload: &[u8]) -> Option<Vec<Diagnostic>> {
    let mut reader = PayloadReader::new(payload);
    let done = reader.u8()? != 0;
    let mut diagnostics = Vec::new();
    for _ in 0..reader.u32()? {
        diagnostics.push(Diagnostic {
            file: reader.string()?,
            line: reader.u32()?,
            message: reader.string()?,
            kind: match reader.u8()? {
                0 => DiagnosticKind::Error,
                1 => DiagnosticKind::Warning,
                _ => DiagnosticKind::Note,
            },
        });
    }
    let failed = diagnostics.iter().any(|diagnostic| diagnostic.kind == DiagnosticKind::Error);
    if !done && !failed {
        diagnostics.push(Diagnostic {
            file: String::new(),
            line: 0,
            message: "the compiler failed without a word".into(),
            kind: DiagnosticKind::Error,
        });
    }
    Some(diagnostics)
}
