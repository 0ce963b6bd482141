//! The compiler service: one warm compiler JVM for all classes of a generation, started in the
//! background.
//!
//! Flows in: the JDK, a temporary folder, the class path of the tests, the sign to start. Flows out: the compiler,
//! and how long its start took. Must not know what is compiled.
//!
//! For its first test, a compiler opens all jars and reads the classes of JUnit and Mockito. The warm-up does both
//! beside the search.

use super::background::{Background, NoResult};
use crate::jvm::{ClassArchives, Compiler, Jdk, JvmError};
use crossbeam_channel::{Sender, bounded};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Time limit of one compilation. Only a compiler that hangs reaches it, also on a busy machine.
pub(super) const COMPILE_LIMIT: Duration = Duration::from_secs(180);

/// Sources that use what tests use, with a class that the class path has where it has the library.
const LIBRARIES: [(&str, &str, &str); 3] = [
    (
        "org/junit/jupiter/api/Test",
        "WarmJupiter.java",
        "import static org.junit.jupiter.api.Assertions.*; import org.junit.jupiter.api.Test;
        class WarmJupiter { @Test void add_returnsTrue() throws Exception {
            java.util.List<String> list = new java.util.ArrayList<>(); assertTrue(list.add(\"a\")); assertEquals(1, list.size());
            assertThrows(IndexOutOfBoundsException.class, () -> list.get(1)); } }",
    ),
    (
        "org/mockito/Mockito",
        "WarmMockito.java",
        "import static org.mockito.ArgumentMatchers.any; import static org.mockito.Mockito.*; import java.util.function.Function;
        class WarmMockito { void get() { Function<Object, Object> map = mock(Function.class);
            when(map.apply(any())).thenReturn(\"a\"); map.apply(\"b\"); verify(map, never()).apply(\"c\"); } }",
    ),
    (
        "org/springframework/test/web/servlet/MockMvc",
        "WarmRequests.java",
        "import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
        import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.*;
        import org.springframework.test.web.servlet.setup.MockMvcBuilders;
        class WarmRequests { void get_isOk() throws Exception {
            MockMvcBuilders.standaloneSetup(this).build().perform(get(\"/a\")).andExpect(status().isOk()); } }",
    ),
];

/// What a compiler is warmed up with.
#[derive(Clone, Debug, Default)]
pub(super) struct WarmUp {
    sources: Vec<(String, String)>,
    class_path: Vec<PathBuf>,
    release: u32,
}

impl WarmUp {
    /// Tests that are compiled with this class path for this Java release. `has`: whether the class path has the
    /// class with this internal name.
    pub(super) fn of_tests(class_path: Vec<PathBuf>, release: u32, has: impl Fn(&str) -> bool) -> WarmUp {
        let known = LIBRARIES.into_iter().filter(|(class, ..)| has(class));
        WarmUp { sources: known.map(|(_, path, source)| (path.to_owned(), source.to_owned())).collect(), class_path, release }
    }

    /// Compiles the sources and writes the classes below `out`.
    pub(super) fn apply(&self, compiler: &mut Compiler, out: &Path) {
        if self.sources.is_empty() {
            return;
        }
        let begin = Instant::now();
        // A compiler that cannot do this says so again with the first test.
        let done = compiler.compile(&self.sources, &self.class_path, self.release, out, COMPILE_LIMIT);
        tracing::debug!(took = ?begin.elapsed(), messages = done.map(|found| found.len()).ok(), "the compiler knows the libraries");
    }
}

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
    pub(super) fn start(jdk: &Jdk, temporary: &Path, archives: Option<&ClassArchives>, warm_up: WarmUp) -> CompilerService {
        let service = CompilerService::deferred(jdk, temporary, archives, warm_up);
        service.request_start();
        service
    }

    /// A compiler that starts at a sign from [`CompilerService::start_signal`], or when it is
    /// needed.
    pub(super) fn deferred(jdk: &Jdk, temporary: &Path, archives: Option<&ClassArchives>, warm_up: WarmUp) -> CompilerService {
        let (start_signal, start_requests) = bounded::<()>(1);
        let (jdk, temporary, archives) = (jdk.clone(), temporary.to_path_buf(), archives.cloned());
        let warm_up_time = Arc::new(OnceLock::new());
        let measured = Arc::clone(&warm_up_time);
        let starting = Background::start("the start of the compiler", move || {
            start_requests.recv().ok()?;
            let begin = Instant::now();
            let started = Compiler::start(&jdk, &temporary, archives.as_ref()).map(|mut compiler| {
                compiler.warm_up(COMPILE_LIMIT);
                let _ = measured.set(begin.elapsed());
                warm_up.apply(&mut compiler, &temporary.join("warm"));
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
