//! Confinement of a worker process by the kernel: Landlock, resource limits, a session of its own,
//! the parent-death signal.
//!
//! In: folders and limits. Out: a value that is applied between fork and exec. Must not know what
//! the process runs.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The permissions of one process.
#[derive(Clone, Debug)]
pub(crate) struct Confinement {
    /// The only folders that the process may write to; `None`: the file system is not confined.
    pub(crate) write: Option<Vec<PathBuf>>,
    /// TCP connections are permitted.
    pub(crate) network: bool,
    /// The only folder whose programs the process may run; `None`: any.
    pub(crate) programs: Option<PathBuf>,
    /// Limit of the size of one file, in bytes.
    pub(crate) file_size: u64,
}

/// The mechanisms that confine workers on this machine, in words; for `doctor`.
pub fn confinement() -> String {
    let strictest = Confinement { write: Some(Vec::new()), network: false, programs: None, file_size: 0 };
    match strictest.ruleset() {
        Ok(Some(_)) => "refusals in the JVM, Landlock below".into(),
        _ => "refusals in the JVM alone: this kernel offers no Landlock".into(),
    }
}

impl Confinement {
    /// Prepares everything that allocates, and registers the rest to run in the child before
    /// `exec`.
    ///
    /// # Errors
    /// A folder of the confinement cannot be opened.
    pub(crate) fn apply(&self, command: &mut Command) -> io::Result<()> {
        let ruleset = self.ruleset()?;
        let file_size = self.file_size;
        let parent = std::process::id();
        let applied = move || bind(parent, file_size, ruleset.as_ref());
        // SAFETY: `bind` makes system calls only; it neither allocates nor takes locks, so it may
        // run between fork and exec of a process with several threads.
        unsafe { std::os::unix::process::CommandExt::pre_exec(command, applied) };
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    fn ruleset(&self) -> io::Result<Option<OwnedFd>> {
        Ok(None)
    }

    /// The Landlock rules, best effort: `None` where the kernel has no Landlock, fewer rights with
    /// an older version of it.
    #[cfg(target_os = "linux")]
    fn ruleset(&self) -> io::Result<Option<OwnedFd>> {
        use landlock::{
            ABI, Access, AccessFs, AccessNet, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, Scope,
        };
        let Some(write) = &self.write else { return Ok(None) };
        let build = || -> Result<Option<OwnedFd>, RulesetError> {
            let every = AccessFs::from_all(ABI::V5);
            let read = AccessFs::ReadFile | AccessFs::ReadDir;
            let mut ruleset = Ruleset::default().handle_access(every)?;
            if !self.network {
                ruleset = ruleset.handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp)?;
            }
            let mut ruleset = ruleset.scope(Scope::AbstractUnixSocket | Scope::Signal)?.create()?;
            let mut rule = |path: &Path, access| -> Result<(), RulesetError> {
                // A path that does not exist needs no rule.
                if let Ok(descriptor) = PathFd::new(path) {
                    (&mut ruleset).add_rule(PathBeneath::new(descriptor, access))?;
                }
                Ok(())
            };
            rule(Path::new("/"), read)?;
            match &self.programs {
                None => rule(Path::new("/"), AccessFs::Execute.into())?,
                Some(home) => {
                    rule(home, AccessFs::Execute.into())?;
                    match interpreter(&home.join("bin/java")) {
                        Some(interpreter) => rule(&interpreter, AccessFs::Execute.into())?,
                        None => rule(Path::new("/"), AccessFs::Execute.into())?,
                    }
                }
            }
            rule(Path::new("/dev/null"), AccessFs::WriteFile | AccessFs::ReadFile)?;
            for folder in write {
                rule(folder, every & !AccessFs::Execute & !AccessFs::MakeChar & !AccessFs::MakeBlock & !AccessFs::IoctlDev)?;
            }
            Ok(ruleset.into())
        };
        build().map_err(io::Error::other)
    }
}

/// The dynamic loader that a program names (ELF64, `PT_INTERP`), which runs with the program and so
/// needs permission.
#[cfg(target_os = "linux")]
fn interpreter(program: &Path) -> Option<PathBuf> {
    let bytes = std::fs::read(program).ok()?;
    if bytes.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    let number = |at: usize, size: usize| -> Option<usize> {
        let bytes = bytes.get(at..at.checked_add(size)?)?;
        Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte)))
    };
    let (table, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    for header in (0..count).map(|index| table + index * size) {
        if number(header, 4)? == 3 {
            let (offset, length) = (number(header + 8, 8)?, number(header + 32, 8)?);
            let name = bytes.get(offset..offset.checked_add(length)?)?;
            return Some(PathBuf::from(std::str::from_utf8(name).ok()?.trim_end_matches('\0')));
        }
    }
    None
}

/// Runs in the child: system calls only.
fn bind(parent: u32, file_size: u64, ruleset: Option<&OwnedFd>) -> io::Result<()> {
    // SAFETY: plain system calls with arguments by value or pointers to live locals.
    unsafe {
        if libc::setsid() < 0 {
            return Err(io::Error::last_os_error());
        }
        limit(libc::RLIMIT_CORE, 0)?;
        limit(libc::RLIMIT_FSIZE, file_size)?;
        #[cfg(target_os = "linux")]
        {
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
                return Err(io::Error::last_os_error());
            }
            // The parent may have died before the request was made.
            if libc::getppid() as u32 != parent {
                return Err(io::Error::from_raw_os_error(libc::ESRCH));
            }
            // When memory runs out, the kernel should kill the worker first. Where the file is not
            // writable, that is no error.
            let score = libc::open(c"/proc/self/oom_score_adj".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
            if score >= 0 {
                libc::write(score, b"1000".as_ptr().cast(), 4);
                libc::close(score);
            }
            if let Some(ruleset) = ruleset {
                if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 {
                    return Err(io::Error::last_os_error());
                }
                if libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) != 0 {
                    return Err(io::Error::last_os_error());
                }
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (parent, ruleset);
    }
    Ok(())
}

/// Sets a limit, but never above that of the parent.
fn limit(resource: libc::__rlimit_resource_t, value: u64) -> io::Result<()> {
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `now` is a live local of the right type.
    if unsafe { libc::getrlimit(resource, &mut now) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let value = value.min(now.rlim_max);
    let new = libc::rlimit { rlim_cur: value, rlim_max: value };
    // SAFETY: `new` is a live local of the right type.
    if unsafe { libc::setrlimit(resource, &new) } != 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
