//! The compiler service: one warm compiler JVM for all classes of a generation, started in the
//! background.
//!
//! Flows in: the JDK, a temporary folder, the sign to start. Flows out: the compiler, and how long
//! its start took. Must not know what is compiled.

use super::background::{Background, NoResult};
use crate::jvm::{Compiler, Jdk, JvmError};
use crossbeam_channel::{Sender, bounded};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Time limit of one compilation. Only a compiler that hangs reaches it, also on a busy machine.
pub(super) const COMPILE_LIMIT: Duration = Duration::from_secs(180);

/// A compiler that starts in a thread of its own.
#[derive(Debug)]
pub(super) struct CompilerService {
    /// Gives `None` where the service was dropped before the sign to start. `None` once the
    /// compiler has been taken over.
    starting: Option<Background<Option<Result<Compiler, JvmError>>>>,
    start_signal: Sender<()>,
    compiler: Option<Compiler>,
    warm_up_time: Arc<OnceLock<Duration>>,
}

impl CompilerService {
    /// A compiler that starts at once.
    pub(super) fn start(jdk: &Jdk, temporary: &Path) -> CompilerService {
        let service = CompilerService::deferred(jdk, temporary);
        service.request_start();
        service
    }

    /// A compiler that starts at a sign from [`CompilerService::start_signal`], or when it is
    /// needed.
    pub(super) fn deferred(jdk: &Jdk, temporary: &Path) -> CompilerService {
        let (start_signal, start_requests) = bounded::<()>(1);
        let (jdk, temporary) = (jdk.clone(), temporary.to_path_buf());
        let warm_up_time = Arc::new(OnceLock::new());
        let measured = Arc::clone(&warm_up_time);
        let starting = Background::start("the start of the compiler", move || {
            start_requests.recv().ok()?;
            let begin = Instant::now();
            let started = Compiler::start(&jdk, &temporary).map(|mut compiler| {
                compiler.warm_up(COMPILE_LIMIT);
                let _ = measured.set(begin.elapsed());
                compiler
            });
            Some(started)
        });
        CompilerService { starting: Some(starting), start_signal, compiler: None, warm_up_time }
    }

    /// Starts the compiler where it has not started yet.
    fn request_start(&self) {
        let _ = self.start_signal.try_send(());
    }

    /// A sender whose first message starts the compiler.
    pub(super) fn start_signal(&self) -> Sender<()> {
        self.start_signal.clone()
    }

    /// A cell that holds the time from start to warm compiler once that is known; `None` where the
    /// compiler is in use.
    pub(super) fn warm_up_time(&self) -> Option<Arc<OnceLock<Duration>>> {
        self.starting.is_some().then(|| Arc::clone(&self.warm_up_time))
    }

    /// The compiler; waits until it is warm or the deadline comes.
    ///
    /// [`JvmError::Late`] where the deadline comes first; the compiler can be asked for again.
    pub(super) fn get(&mut self, deadline: Option<Instant>) -> Result<&mut Compiler, JvmError> {
        self.request_start();
        if let Some(starting) = &self.starting {
            let started = match starting.wait(deadline) {
                Ok((started, _)) => started.transpose(),
                Err(NoResult::Late) => return Err(JvmError::Late),
                Err(missing) => Err(starting.error(missing)),
            };
            self.starting = None;
            self.compiler = started?;
        }
        self.compiler.as_mut().ok_or_else(|| JvmError::Start("the compiler could not be started".into()))
    }
}
