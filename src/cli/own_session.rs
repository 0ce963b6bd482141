//! A session of its own for a generation.
//!
//! In: the work of a command. Out: its exit status. Must not know what the work is.
//!
//! Linux gives each session the same share of the cores where autogroups are on (sched(7)). Each JVM of
//! a generation has its own session (`jvm::confine`). Without one, the engine would share that of the
//! shell with all programs that run there: beside eight busy ones, each message to a JVM waited thirty
//! times as long as it took to handle. So the engine runs in a child process that leads a new session.
//!
//! The first process stays where a shell, a build tool or a CI job looks for it. It passes signals on,
//! and ends as its child does. When it is killed, the kernel kills the child.

use std::process::ExitCode;

/// Does the work in a process that leads a session of its own, where that changes its share of the
/// cores, and here elsewhere. Called before the process has a second thread.
pub(super) fn run_in_own_session(work: impl FnOnce() -> ExitCode) -> ExitCode {
    #[cfg(target_os = "linux")]
    if let Some(child) = linux::start_child() {
        return linux::wait_for(child);
    }
    work()
}

#[cfg(target_os = "linux")]
mod linux {
    use std::process::ExitCode;

    use crate::cli::status;

    /// Whether sessions have shares of the cores.
    const AUTOGROUPS: &str = "/proc/sys/kernel/sched_autogroup_enabled";
    /// Signals that are passed on.
    const PASSED_ON: [libc::c_int; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];
    /// What shells add to the number of a signal that ended a process.
    const ENDED_BY_SIGNAL: i32 = 128;

    /// A running child process.
    pub(super) struct SessionLeader {
        process: libc::pid_t,
        /// The signals that the first process waits for. They are blocked.
        awaited: libc::sigset_t,
    }

    /// Starts the child. `None` in the child, and where there is none: without autogroups, in the
    /// leader of a session, and where the kernel gives no process.
    pub(super) fn start_child() -> Option<SessionLeader> {
        let is_on = std::fs::read_to_string(AUTOGROUPS).is_ok_and(|text| text.trim() == "1");
        // SAFETY: these calls take and return numbers.
        let (parent, is_leader) = unsafe { (libc::getpid(), libc::getsid(0) == libc::getpid()) };
        if !is_on || is_leader {
            return None;
        }
        let awaited = awaited_signals();
        let mut before = awaited;
        // SAFETY: both sets are live locals. This process has one thread, so that the child may do all
        // that this one may.
        let process = unsafe {
            // Where a parent ignores this signal, the kernel forgets how children have ended.
            libc::signal(libc::SIGCHLD, libc::SIG_DFL);
            libc::sigprocmask(libc::SIG_BLOCK, &awaited, &mut before);
            libc::fork()
        };
        if process > 0 {
            return Some(SessionLeader { process, awaited });
        }
        // SAFETY: the set is a live local; the other calls take numbers.
        unsafe {
            if process == 0 {
                libc::setsid();
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                // The first process may have been killed before the request was made.
                if libc::getppid() != parent {
                    libc::_exit(i32::from(status::INTERRUPTED));
                }
            }
            libc::sigprocmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
        }
        None
    }

    /// The signals that are passed on, and those of stopped and ended processes.
    fn awaited_signals() -> libc::sigset_t {
        // SAFETY: all bytes zero are a valid set, which `sigemptyset` initialises.
        unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&mut set);
            for signal in PASSED_ON.into_iter().chain([libc::SIGTSTP, libc::SIGCHLD]) {
                libc::sigaddset(&mut set, signal);
            }
            set
        }
    }

    /// Passes signals on until the child has ended; gives its exit status.
    pub(super) fn wait_for(SessionLeader { process, awaited }: SessionLeader) -> ExitCode {
        loop {
            // SAFETY: the set is a live local, and nothing is wanted about the signal but its number.
            match unsafe { libc::sigwaitinfo(&awaited, std::ptr::null_mut()) } {
                libc::SIGCHLD => {
                    if let Some(status) = exit_status(process) {
                        return ExitCode::from(status);
                    }
                }
                // SAFETY: `kill` has no memory effects. The child has not been waited for, so that its
                // number is its own.
                libc::SIGTSTP => unsafe {
                    libc::kill(process, libc::SIGSTOP);
                    // Returns when the shell continues the job.
                    libc::raise(libc::SIGSTOP);
                    libc::kill(process, libc::SIGCONT);
                },
                // SAFETY: as above.
                signal if PASSED_ON.contains(&signal) => unsafe {
                    libc::kill(process, signal);
                },
                _ => {}
            }
        }
    }

    /// The exit status of the child as shells give it; `None` while it runs.
    fn exit_status(process: libc::pid_t) -> Option<u8> {
        let mut end = 0;
        // SAFETY: `end` is a live local; the process is our own child.
        let found = unsafe { libc::waitpid(process, &mut end, libc::WNOHANG) };
        let code = match found {
            0 => return None,
            _ if found != process => i32::from(status::FAULT),
            _ if libc::WIFSIGNALED(end) => ENDED_BY_SIGNAL + libc::WTERMSIG(end),
            _ => libc::WEXITSTATUS(end),
        };
        Some(u8::try_from(code).unwrap_or(status::FAULT))
    }
}
