//! One JVM process: pipes for frames, a bounded copy of its output, and a certain end.
//!
//! In: a command line and frames. Out: frames, or the fact that none came. Must not know what
//! frames mean.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use super::Surroundings;
use super::confine::Confinement;
use super::wire::FrameKind;

/// The runner's classes (root `build.rs`).
pub(super) const RUNNER_JAR: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tracewright-runner.jar"));
/// Bytes of output that are kept, from the beginning: they explain why a JVM does not start.
const MAX_KEPT_OUTPUT: usize = 8 * 1024;
/// Bytes of one frame; a longer one ends the connection.
const MAX_FRAME_BYTES: usize = 256 << 20;

/// Name of the runner's jar.
pub(super) const RUNNER_JAR_NAME: &str = "tracewright-runner.jar";
/// When the runner's jar was last modified, as it says of itself. A JVM that begins with an archive compares that time.
const RUNNER_JAR_TIME: Duration = Duration::from_secs(315_532_802);
/// The pause between two looks at a process that is to end by itself.
const END_PAUSE: Duration = Duration::from_millis(20);

/// A frame that was received.
#[derive(Debug)]
pub(crate) struct WireFrame {
    pub(crate) kind: FrameKind,
    pub(crate) payload: Vec<u8>,
}

/// Why no frame came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoFrame {
    /// No frame came in the given time.
    Timeout,
    /// The process has closed its pipe.
    Ended,
}

/// A running JVM. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct JvmProcess {
    child: Child,
    to: Option<File>,
    frames: Receiver<WireFrame>,
    output: Arc<Mutex<Vec<u8>>>,
    folder: PathBuf,
}

/// A command line and its surroundings.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    pub(crate) java: PathBuf,
    /// Between `java` and the runner's class path.
    pub(crate) jvm_options: Vec<String>,
    /// The jar with the runner's classes where it is not that of the run.
    pub(crate) runner_jar: Option<PathBuf>,
    /// The runner's jar is run as `-jar` when `main` is `None`, else put on the class path with these.
    pub(crate) classpath: Vec<PathBuf>,
    pub(crate) main: Option<&'a str>,
    /// `{in}` and `{out}` stand for the pipes.
    pub(crate) arguments: Vec<String>,
    /// Environment variables besides `LC_ALL`. They may replace the usual `PATH`.
    pub(crate) variables: BTreeMap<String, String>,
    pub(crate) confinement: Confinement,
    /// The folder of this process alone; removed with it.
    pub(crate) folder: PathBuf,
}

/// The runner's jar inside the folder, written when it is first needed.
pub(super) fn write_runner_jar(folder: &Path) -> io::Result<PathBuf> {
    let jar = folder.join(RUNNER_JAR_NAME);
    if fs::metadata(&jar).is_ok_and(|metadata| metadata.len() == RUNNER_JAR.len() as u64) {
        return Ok(jar);
    }
    // Several workers may write at once: the file appears whole.
    let unfinished = folder.join(format!("{RUNNER_JAR_NAME}.{}-{}.part", std::process::id(), unique()));
    let mut file = File::create(&unfinished)?;
    file.write_all(RUNNER_JAR)?;
    file.set_modified(SystemTime::UNIX_EPOCH + RUNNER_JAR_TIME)?;
    fs::rename(&unfinished, &jar)?;
    Ok(jar)
}

/// The working folder of a process, in its own folder. Code under test may list the folder around it.
const WORKING_FOLDER: [&str; 2] = ["home", "cwd"];

/// A new folder inside the run's temporary folder, with `tmp` (writable for code under test)
/// and a working folder (not to be written). It and the folder around it have the files of the
/// surroundings.
pub(crate) fn process_folder(temporary: &Path, what: &str, surroundings: &Surroundings) -> io::Result<PathBuf> {
    fs::create_dir_all(temporary)?;
    let folder = fs::canonicalize(temporary)?.join(format!("{what}-{}-{}", std::process::id(), unique()));
    fs::create_dir_all(folder.join("tmp"))?;
    let mut inner = folder.clone();
    for name in WORKING_FOLDER {
        inner.push(name);
        fs::create_dir_all(&inner)?;
        surroundings.fill(&inner)?;
    }
    Ok(folder)
}

fn unique() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl JvmProcess {
    /// Starts the process.
    ///
    /// # Errors
    /// Those of starting a process and of opening pipes.
    pub(crate) fn start(launch: Launch<'_>) -> io::Result<JvmProcess> {
        let jar = match launch.runner_jar {
            Some(jar) => jar,
            None => write_runner_jar(launch.folder.parent().unwrap_or(&launch.folder))?,
        };
        let (from_engine, to_runner) = pipe()?;
        set_nonblocking(&to_runner)?;
        let (from_runner, to_engine) = pipe()?;
        let (output_end, output) = pipe()?;
        let mut command = Command::new(&launch.java);
        command.args(&launch.jvm_options);
        match launch.main {
            None => {
                command.arg("-jar").arg(&jar);
            }
            Some(main) => {
                let entries = std::iter::once(jar.as_path()).chain(launch.classpath.iter().map(PathBuf::as_path));
                command.arg("-cp").arg(std::env::join_paths(entries).map_err(io::Error::other)?).arg(main);
            }
        }
        for argument in &launch.arguments {
            command.arg(match argument.as_str() {
                "{in}" => format!("/dev/fd/{}", from_engine.as_raw_fd()),
                "{out}" => format!("/dev/fd/{}", to_engine.as_raw_fd()),
                other => other.to_string(),
            });
        }
        // The user's environment must not change what a test does (`JAVA_TOOL_OPTIONS` for
        // example).
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("LC_ALL", "C.UTF-8")
            .envs(&launch.variables)
            .current_dir(launch.folder.join(WORKING_FOLDER.join("/")))
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output);
        let inherited = [from_engine.as_raw_fd(), to_engine.as_raw_fd()];
        let keep = move || {
            for descriptor in inherited {
                // SAFETY: a plain system call on a descriptor that the child has inherited by fork.
                if unsafe { libc::fcntl(descriptor, libc::F_SETFD, 0) } < 0 {
                    return Err(io::Error::last_os_error());
                }
            }
            Ok(())
        };
        // SAFETY: system calls only, no allocation, no locks.
        unsafe { std::os::unix::process::CommandExt::pre_exec(&mut command, keep) };
        launch.confinement.apply(&mut command)?;
        // The command owns copies of the child's ends of the output pipe. The spawner drops it, so
        // that the pipe ends with the child.
        let child = spawn(command)?;
        drop((from_engine, to_engine));
        let (sender, frames) = unbounded();
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (reader, ear) = (File::from(from_runner), Arc::clone(&kept));
        thread::Builder::new().name("frames".into()).spawn(move || read_frames(reader, &sender))?;
        thread::Builder::new().name("output".into()).spawn(move || keep_beginning(File::from(output_end), &ear))?;
        Ok(JvmProcess { child, to: Some(File::from(to_runner)), frames, output: kept, folder: launch.folder })
    }

    /// The folder of the process.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Sends one frame.
    ///
    /// # Errors
    /// The process has ended, or does not read within the timeout.
    pub(crate) fn send(&mut self, frame: &[u8], timeout: Duration) -> io::Result<()> {
        let until = Instant::now() + timeout;
        let to = self.to.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        let mut rest = frame;
        while !rest.is_empty() {
            match to.write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Err(io::ErrorKind::TimedOut.into());
                    }
                    wait_writable(to, left);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits for the next frame.
    ///
    /// # Errors
    /// [`NoFrame`] when the process ends or the time is over.
    pub(crate) fn receive(&self, timeout: Duration) -> Result<WireFrame, NoFrame> {
        self.frames.recv_timeout(timeout).map_err(|error| match error {
            RecvTimeoutError::Timeout => NoFrame::Timeout,
            RecvTimeoutError::Disconnected => NoFrame::Ended,
        })
    }

    /// The beginning of the process's output on both standard streams.
    pub(crate) fn output(&self) -> String {
        // The reading thread is at most one system call behind when the process has just ended.
        thread::sleep(Duration::from_millis(20));
        self.output.lock().map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output).trim().to_string())
    }

    /// Tells the process that nothing more comes, and waits until it has ended. Gives whether it did so in time and
    /// without an error.
    pub(crate) fn end_by_itself(mut self, timeout: Duration) -> bool {
        self.to = None;
        let until = Instant::now() + timeout;
        loop {
            if let Some(is_good) = self.end() {
                return is_good;
            }
            if Instant::now() >= until {
                return false;
            }
            thread::sleep(END_PAUSE);
        }
    }

    /// Whether the child ended without an error; `None` where it is still running. Its number stays taken, so that
    /// dropping this kills no other group.
    fn end(&self) -> Option<bool> {
        // SAFETY: zeros are a valid `siginfo_t`, a plain structure of C.
        let mut status: libc::siginfo_t = unsafe { std::mem::zeroed() };
        let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        // SAFETY: a plain system call with one live `siginfo_t`; it leaves the child to be waited for.
        let is_known = unsafe { libc::waitid(libc::P_PID, self.child.id(), &mut status, options) } == 0;
        // SAFETY: `waitid` fills these fields, or leaves the zeros where the child is still running.
        let (process, code) = unsafe { (status.si_pid(), status.si_status()) };
        match (is_known, process) {
            (true, 0) => None,
            (true, _) => Some(status.si_code == libc::CLD_EXITED && code == 0),
            (false, _) => Some(false),
        }
    }

    /// Kills the whole process group and waits for the child.
    pub(crate) fn kill(&mut self) {
        self.send_kill();
        let _ = self.child.wait();
    }

    /// Kills the whole process group without waiting for the child.
    fn send_kill(&mut self) {
        if let Ok(group) = libc::pid_t::try_from(self.child.id()) {
            // SAFETY: a plain system call. The child leads its own session and has not been waited
            // for, so its number names no other group.
            unsafe { libc::kill(-group, libc::SIGKILL) };
        }
        // The group may not exist yet when the child is just being started.
        let _ = self.child.kill();
    }
}

impl Drop for JvmProcess {
    fn drop(&mut self) {
        self.send_kill();
        // On a busy machine, the memory of a JVM takes a long time to be freed. Only the number of the
        // process has to be kept until then.
        if !matches!(self.child.try_wait(), Ok(Some(_)))
            && let Ok(process) = libc::pid_t::try_from(self.child.id())
        {
            let wait = move || {
                // SAFETY: a plain system call without a place for the status. Nothing else waits for
                // this child, whose handle is dropped.
                unsafe { libc::waitpid(process, std::ptr::null_mut(), 0) };
            };
            let _ = thread::Builder::new().name("wait for a JVM".into()).spawn(wait);
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Forks on a thread that lives as long as this process. The kernel sends the parent-death signal
/// (`PR_SET_PDEATHSIG`) when the *thread* that forked ends.
fn spawn(command: Command) -> io::Result<Child> {
    type Request = (Command, Sender<io::Result<Child>>);
    static SPAWNER: OnceLock<Sender<Request>> = OnceLock::new();
    let spawner = SPAWNER.get_or_init(|| {
        let (sender, requests) = unbounded::<Request>();
        thread::spawn(move || {
            for (mut command, answer) in requests {
                let _ = answer.send(command.spawn());
            }
        });
        sender
    });
    let (sender, answer) = bounded(1);
    let gone = || io::Error::other("the thread that starts processes has ended");
    spawner.send((command, sender)).map_err(|_| gone())?;
    answer.recv().map_err(|_| gone())?
}

/// Reading and writing end; both close on exec.
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = io::pipe()?;
    Ok((reader.into(), writer.into()))
}

/// Writing to a JVM that does not read must not block.
fn set_nonblocking(writer: &OwnedFd) -> io::Result<()> {
    // SAFETY: plain system calls on a descriptor that is open.
    let done = unsafe {
        let flags = libc::fcntl(writer.as_raw_fd(), libc::F_GETFL);
        flags >= 0 && libc::fcntl(writer.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK) >= 0
    };
    if done { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn wait_writable(file: &File, timeout: Duration) {
    let mut poll = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLOUT, revents: 0 };
    let millis = i32::try_from(timeout.as_millis()).unwrap_or(i32::MAX).max(1);
    // SAFETY: one live `pollfd`.
    unsafe { libc::poll(&mut poll, 1, millis) };
}

/// Reads frames until the pipe ends or its bytes are no frame.
fn read_frames(mut reader: File, frames: &Sender<WireFrame>) {
    let mut head = [0; 5];
    let mut reader = io::BufReader::with_capacity(64 * 1024, &mut reader);
    while reader.read_exact(&mut head).is_ok() {
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let Some(kind) = FrameKind::from_number(head[4]) else { return };
        if length == 0 || length > MAX_FRAME_BYTES {
            return;
        }
        let mut payload = vec![0; length - 1];
        if reader.read_exact(&mut payload).is_err() || frames.send(WireFrame { kind, payload }).is_err() {
            return;
        }
    }
}

/// Reads all output and keeps the beginning.
fn keep_beginning(mut output: File, kept: &Mutex<Vec<u8>>) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match output.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => {
                if let Ok(mut kept) = kept.lock() {
                    let room = MAX_KEPT_OUTPUT - kept.len().min(MAX_KEPT_OUTPUT);
                    kept.extend_from_slice(&buffer[..count.min(room)]);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
