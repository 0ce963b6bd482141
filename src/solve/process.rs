//! A solver in a child process. In: queries; out: outcomes, `Unknown` whenever the process did not
//! answer properly. It speaks the text form of [`super::wire`] and does not know Z3's types.
//!
//! Z3 may ignore its limits, grow or crash. So a watchdog limits wall time, the process has an
//! address space limit, and a process that died, hung or answered malformed lines is replaced.

use super::z3::Z3Solver;
use super::{Outcome, Query, Reason, Solver, Statistics, completed, wire, wire::Isolation};
use crate::expr::TermStore;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Limits of a solver process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessLimits {
    /// Limit of the watchdog for a query without a wall time. It is generous, since a kill is not
    /// reproducible.
    pub wall: Duration,
    /// Time that the watchdog adds to the wall time of a query.
    pub grace: Duration,
    /// Address space of the process, in bytes.
    pub memory: u64,
    /// A process is replaced after this many queries.
    pub queries: u32,
}

impl Default for ProcessLimits {
    fn default() -> ProcessLimits {
        ProcessLimits { wall: Duration::from_secs(30), grace: Duration::from_millis(500), memory: 2 << 30, queries: 2_000 }
    }
}

/// The base of a solver stack: a child process that is started with the first query and replaced
/// when needed.
#[derive(Debug)]
pub struct ProcessSolver {
    program: PathBuf,
    arguments: Vec<OsString>,
    limits: ProcessLimits,
    process: Option<SolverProcess>,
    counted: Statistics,
}

impl ProcessSolver {
    /// `program` is `tracewright` itself. The process starts with the first query.
    pub fn new(program: impl Into<PathBuf>, limits: ProcessLimits) -> ProcessSolver {
        ProcessSolver::with_command(program, ["solver"], limits)
    }

    /// A solver over any program that speaks the protocol.
    pub fn with_command<A: Into<OsString>>(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = A>,
        limits: ProcessLimits,
    ) -> ProcessSolver {
        ProcessSolver {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            limits,
            process: None,
            counted: Statistics::default(),
        }
    }

    /// Starts a solver process, asks a test query, and returns the version of the solver.
    ///
    /// # Errors
    /// The reason why there was no answer.
    pub fn probe(program: &Path) -> Result<String, Reason> {
        let mut solver = ProcessSolver::new(program, ProcessLimits::default());
        let mut terms = TermStore::new();
        let clause = terms.parse("(= (bvmul v0 7) 35)").expect("well-formed");
        let query = Query { clauses: vec![clause], seed: Default::default(), limits: Default::default() };
        match solver.check(&terms, &query) {
            Outcome::Sat(_) => {
                let version = solver.process.as_ref().map(|process| process.version.clone()).unwrap_or_default();
                Ok(version)
            }
            Outcome::Unknown(reason) => Err(reason),
            Outcome::Unsat { .. } => Err(Reason::WrongModel),
        }
    }

    fn exchange(&mut self, terms: &TermStore, query: &Query, isolation: Isolation) -> Result<Outcome, Reason> {
        if self.process.as_ref().is_some_and(|process| process.queries >= self.limits.queries) {
            self.process = None;
        }
        let deadline = Instant::now() + query.limits.wall.map_or(self.limits.wall, |wall| wall + self.limits.grace);
        let process = match &mut self.process {
            Some(process) => process,
            vacant => {
                let process = SolverProcess::start(&self.program, &self.arguments, self.limits.memory)?;
                self.counted.started += 1;
                vacant.insert(process)
            }
        };
        process.queries += 1;
        process.send(wire::write_query(terms, query, isolation))?;
        let outcome = process.line(deadline)?;
        let used = process.line(deadline)?;
        let outcome = wire::read_outcome(&outcome, query.clauses.len()).ok_or_else(|| Reason::Garbage(shortened(&outcome)))?;
        let used: u64 =
            used.strip_prefix("used ").and_then(|used| used.parse().ok()).ok_or_else(|| Reason::Garbage(shortened(&used)))?;
        self.counted.resources += used;
        Ok(outcome)
    }

    fn ask(&mut self, terms: &TermStore, query: &Query, isolation: Isolation) -> Outcome {
        let begin = Instant::now();
        // Earlier queries may have filled the process: a new one is asked once more.
        let is_used = self.process.as_ref().is_some_and(|process| process.queries > 0);
        let mut outcome = self.outcome(terms, query, isolation);
        if is_used && matches!(outcome, Outcome::Unknown(Reason::Died(_) | Reason::GaveUp(_))) && self.process.is_none() {
            outcome = self.outcome(terms, query, isolation);
        }
        self.counted.solved += 1;
        self.counted.wrong_models += u64::from(outcome == Outcome::Unknown(Reason::WrongModel));
        self.counted.seconds += begin.elapsed().as_secs_f64();
        outcome
    }

    /// The outcome of one exchange. A process that died, hangs, talks nonsense or has no memory
    /// left is dropped.
    fn outcome(&mut self, terms: &TermStore, query: &Query, isolation: Isolation) -> Outcome {
        match self.exchange(terms, query, isolation) {
            // A model of another process is checked before it is believed.
            Ok(Outcome::Sat(model)) => match completed(terms, query, &model) {
                Some(model) => Outcome::Sat(model),
                None => Outcome::Unknown(Reason::WrongModel),
            },
            Ok(outcome) => {
                // Z3 does not return memory.
                if matches!(&outcome, Outcome::Unknown(Reason::GaveUp(words)) if words.contains("memory")) {
                    self.process = None;
                }
                outcome
            }
            Err(reason) => {
                match reason {
                    Reason::Time => self.counted.killed += 1,
                    _ => self.counted.died += 1,
                }
                // Dropping the process kills it. The next query gets a new one.
                self.process = None;
                Outcome::Unknown(reason)
            }
        }
    }
}

impl Solver for ProcessSolver {
    fn check(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        self.ask(terms, query, Isolation::Shared)
    }

    fn check_isolated(&mut self, terms: &TermStore, query: &Query) -> Outcome {
        self.ask(terms, query, Isolation::Isolated)
    }

    fn statistics(&self) -> Statistics {
        self.counted.clone()
    }
}

fn shortened(line: &str) -> String {
    line.chars().take(80).collect()
}

#[derive(Debug)]
struct SolverProcess {
    child: Child,
    /// To the writing thread: a process that does not read must not block the caller.
    input: SyncSender<String>,
    output: Receiver<String>,
    version: String,
    queries: u32,
}

impl SolverProcess {
    /// Time for the greeting of a new process.
    const START: Duration = Duration::from_secs(10);
    /// Longest line that is read.
    const LONGEST_LINE: u64 = 16 << 20;

    fn start(program: &Path, arguments: &[OsString], memory: u64) -> Result<SolverProcess, Reason> {
        let died = |error: std::io::Error| Reason::Died(error.to_string());
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        confine(&mut command, memory);
        let mut child = command.spawn().map_err(died)?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both were asked for");
        };
        let (input, queries) = sync_channel::<String>(1);
        let (answers, output) = sync_channel(4);
        // Both threads end when the process does or when it is dropped.
        std::thread::spawn(move || feed(stdin, &queries));
        std::thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            let mut line = Vec::new();
            while let Ok(1..) = reader.by_ref().take(Self::LONGEST_LINE).read_until(b'\n', &mut line) {
                let text = String::from_utf8_lossy(&line).trim_end().to_string();
                line.clear();
                if answers.send(text).is_err() {
                    break;
                }
            }
        });
        let mut process = SolverProcess { child, input, output, version: String::new(), queries: 0 };
        let greeting = process.line(Instant::now() + Self::START)?;
        process.version = match greeting.strip_prefix("solver ") {
            Some(version) => version.to_string(),
            None => return Err(Reason::Garbage(shortened(&greeting))),
        };
        Ok(process)
    }

    fn send(&mut self, text: String) -> Result<(), Reason> {
        self.input.send(text).map_err(|_| self.death())
    }

    fn line(&mut self, deadline: Instant) -> Result<String, Reason> {
        match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => Err(Reason::Time),
            Err(RecvTimeoutError::Disconnected) => Err(self.death()),
        }
    }

    /// Kills the process, whose output is closed, and returns how it ended.
    fn death(&mut self) -> Reason {
        let _ = self.child.kill();
        Reason::Died(match self.child.wait() {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        })
    }
}

fn feed(mut stdin: ChildStdin, queries: &Receiver<String>) {
    while let Ok(query) = queries.recv() {
        if stdin.write_all(query.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            break;
        }
    }
}

impl Drop for SolverProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Gives the process a group of its own, so that Ctrl-C at the terminal reaches the engine alone.
/// Bounds its memory, and ends it with the engine.
fn confine(command: &mut Command, memory: u64) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
    // SAFETY: between fork and exec only the async-signal-safe calls `setrlimit` and `prctl` are
    // made, with valid arguments.
    unsafe {
        command.pre_exec(move || {
            let limit = libc::rlimit { rlim_cur: memory, rlim_max: memory };
            if libc::setrlimit(libc::RLIMIT_AS, &limit) != 0 {
                return Err(std::io::Error::last_os_error());
            }
            #[cfg(target_os = "linux")]
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
                return Err(std::io::Error::last_os_error());
            }
            Ok(())
        });
    }
}

/// The hidden subcommand `solver`.
pub(crate) fn solver_main() -> ExitCode {
    match serve(std::io::stdin().lock(), std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        // The engine has ended or the protocol is broken, so there is no reader for a message.
        Err(_) => ExitCode::FAILURE,
    }
}

/// Answers queries until the input ends.
pub(crate) fn serve(input: impl BufRead, mut output: impl Write) -> std::io::Result<()> {
    let mut solver = Z3Solver::new();
    writeln!(output, "solver {}", Z3Solver::version())?;
    output.flush()?;
    let mut lines: Vec<String> = Vec::new();
    for line in input.lines() {
        lines.push(line?);
        if lines.last().is_none_or(|line| line != "end") {
            continue;
        }
        let mut terms = TermStore::new();
        let before = solver.statistics().resources;
        let outcome = match wire::read_query(&mut terms, lines.iter().map(String::as_str)) {
            Ok((query, Isolation::Shared)) => solver.check(&terms, &query),
            Ok((query, Isolation::Isolated)) => solver.check_isolated(&terms, &query),
            Err(error) => Outcome::Unknown(Reason::Garbage(error)),
        };
        lines.clear();
        writeln!(output, "{}\nused {}", wire::write_outcome(&outcome), solver.statistics().resources - before)?;
        output.flush()?;
    }
    Ok(())
}
