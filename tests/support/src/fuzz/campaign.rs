//! Many inputs for many readers, in child processes that a parent watches.
//!
//! In: subjects, a seed and a number of inputs. Out: a table, and the failures with the commands
//! that repeat them. A child writes the number of its input into a file before it reads the input.
//! So the parent knows which input ended the child, or keeps it busy.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::{Subject, Verdict, check, input, minimised, shortened, silence_panics};

/// CPU time that one input may take.
const LONGEST: Duration = Duration::from_secs(5);
/// Address space of a child, in bytes: readers need far less.
const MEMORY: u64 = 1 << 30;
/// Stack of the thread that reads, in bytes: that of a thread which Rust starts.
const STACK: usize = 2 << 20;
/// Failures of one reader after which its other inputs are left out.
const MOST_FAILURES: usize = 20;
/// Failures of one reader that are shown.
const MOST_SHOWN: usize = 5;
/// Time between two looks at the children.
const TICK: Duration = Duration::from_millis(50);

/// What is run.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// Seed of all inputs.
    pub seed: u64,
    /// Number of inputs of all subjects together.
    pub inputs: u64,
    /// Child processes at a time.
    pub jobs: usize,
    /// How a failure is repeated: the command without the options `--reader`, `--seed` and `--input`.
    pub command: String,
}

/// The inputs of one child.
#[derive(Clone, Debug)]
pub struct Stretch {
    /// Name of the subject.
    pub reader: String,
    /// Seed of all inputs.
    pub seed: u64,
    /// Number of the first input.
    pub from: u64,
    /// Number behind the last input.
    pub to: u64,
}

/// The figures of one subject.
#[derive(Clone, Debug, Default)]
struct Figures {
    accepted: u64,
    rejected: u64,
    cpu: Duration,
    worst: Duration,
    worst_input: u64,
    failures: Vec<(u64, String)>,
}

/// What a child tells its parent, as numbers in a file: the input that it reads, and the figures of
/// those before.
#[derive(Clone, Copy, Debug, Default)]
struct Progress([u64; 6]);

impl Progress {
    fn write(&self, file: &File) -> io::Result<()> {
        let mut bytes = [0; 48];
        for (number, bytes) in self.0.iter().zip(bytes.chunks_mut(8)) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        file.write_all_at(&bytes, 0)
    }

    fn read(file: &File) -> Progress {
        let mut bytes = [0; 48];
        // An empty file: the child has not begun.
        let _ = file.read_exact_at(&mut bytes, 0);
        let (numbers, _) = bytes.as_chunks::<8>();
        Progress(std::array::from_fn(|index| u64::from_le_bytes(numbers[index])))
    }
}

/// Reads a stretch of inputs in this process, which must be a child of [`run`]. Failures go to a
/// file beside the progress, one a line.
///
/// # Errors
/// The limit of memory or the progress cannot be set.
pub fn run_child(subjects: &[Subject], stretch: &Stretch, progress: &Path) -> io::Result<()> {
    let subject = subjects.iter().find(|subject| subject.name == stretch.reader);
    let subject = subject.ok_or_else(|| io::Error::other(format!("no reader {}", stretch.reader)))?.clone();
    let file = File::options().write(true).create(true).truncate(false).open(progress)?;
    let mut failures = File::create(failures_beside(progress))?;
    limit_memory()?;
    silence_panics();
    let stretch = stretch.clone();
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || -> io::Result<()> {
        let mut figures = Progress::default();
        let mut failed = 0;
        for number in stretch.from..stretch.to {
            let bytes = input(&subject, stretch.seed, number);
            figures.0[0] = number;
            figures.write(&file)?;
            let begin = cpu_of_thread();
            let verdict = check(subject.read, &bytes);
            let nanos = cpu_of_thread().saturating_sub(begin).as_nanos() as u64;
            figures.0[3] += nanos;
            if nanos > figures.0[4] {
                (figures.0[4], figures.0[5]) = (nanos, number);
            }
            match verdict {
                Verdict::Accepted => figures.0[1] += 1,
                Verdict::Rejected => figures.0[2] += 1,
                Verdict::Failed(sentence) => {
                    let least = minimised(subject.read, &bytes);
                    let shown = shortened(&least.escape_ascii().to_string(), 1_500);
                    writeln!(failures, "{number} {} -- minimised input: {shown}", sentence.replace('\n', " "))?;
                    failed += 1;
                }
            }
            if failed == MOST_FAILURES {
                return Ok(());
            }
        }
        figures.0[0] = stretch.to;
        figures.write(&file)
    })?;
    thread.join().map_err(|_| io::Error::other("the reading thread panicked"))?
}

/// Runs the campaign; prints a table and all failures. False where a reader has a defect.
///
/// # Errors
/// Children cannot be started or watched.
pub fn run(subjects: &[Subject], campaign: &Campaign, child: &dyn Fn(&Stretch, &Path) -> Command) -> io::Result<bool> {
    let folder = std::env::temp_dir().join(format!("fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let weights: u64 = subjects.iter().map(|subject| subject.weight).sum();
    let mut waiting: Vec<(usize, Stretch)> = Vec::new();
    for (index, subject) in subjects.iter().enumerate() {
        let inputs = (campaign.inputs * subject.weight).div_ceil(weights.max(1));
        let reader = subject.name.to_owned();
        waiting.push((index, Stretch { reader, seed: campaign.seed, from: 0, to: inputs }));
    }
    waiting.reverse();
    let mut figures = vec![Figures::default(); subjects.len()];
    let mut running: Vec<Running> = Vec::new();
    println!(
        "{:<18} {:>10} {:>10} {:>10} {:>9} {:>10}  failures",
        "reader", "inputs", "accepted", "rejected", "seconds", "worst"
    );
    while !waiting.is_empty() || !running.is_empty() {
        while running.len() < campaign.jobs.max(1)
            && let Some((index, stretch)) = waiting.pop()
        {
            running.push(Running::start(index, stretch, &folder, child)?);
        }
        std::thread::sleep(TICK);
        let mut still = Vec::new();
        for mut one in running {
            let Some(end) = one.end()? else {
                still.push(one);
                continue;
            };
            let of = &mut figures[one.index];
            let (reached, told) = one.add_to(of);
            of.failures.extend(told);
            let next = reached + 1;
            if let Some(sentence) = end {
                of.failures.push((reached, sentence));
                if next < one.stretch.to && of.failures.len() < MOST_FAILURES {
                    waiting.push((one.index, Stretch { from: next, ..one.stretch }));
                    continue;
                }
            }
            print_row(&one.stretch.reader, of);
        }
        running = still;
    }
    let _ = std::fs::remove_dir_all(&folder);
    let total = figures
        .iter()
        .fold((0, Duration::ZERO), |sum, one| (sum.0 + one.accepted + one.rejected + one.failures.len() as u64, sum.1 + one.cpu));
    println!("{} inputs, {:.0} s of CPU time in readers, seed {}", total.0, total.1.as_secs_f64(), campaign.seed);
    for (subject, figures) in subjects.iter().zip(&figures) {
        for (number, sentence) in figures.failures.iter().take(MOST_SHOWN) {
            println!("\n{} {number}: {sentence}", subject.name);
            println!("  {} --reader {} --seed {} --input {number}", campaign.command, subject.name, campaign.seed);
        }
    }
    Ok(figures.iter().all(|figures| figures.failures.is_empty()))
}

fn print_row(reader: &str, figures: &Figures) {
    println!(
        "{reader:<18} {:>10} {:>10} {:>10} {:>9.1} {:>7.1} ms  {} (worst: {})",
        figures.accepted + figures.rejected + figures.failures.len() as u64,
        figures.accepted,
        figures.rejected,
        figures.cpu.as_secs_f64(),
        figures.worst.as_secs_f64() * 1e3,
        figures.failures.len(),
        figures.worst_input,
    );
}

/// A child with its stretch.
struct Running {
    index: usize,
    stretch: Stretch,
    child: Child,
    progress: File,
    /// The file with failures.
    failures: PathBuf,
    /// The input that the child read at the last look, and the CPU time of the child when it began.
    since: (u64, Duration),
    begin: Instant,
}

impl Running {
    fn start(index: usize, stretch: Stretch, folder: &Path, child: &dyn Fn(&Stretch, &Path) -> Command) -> io::Result<Running> {
        let path = folder.join(format!("{}-{}", stretch.reader, stretch.from));
        let start = Progress([stretch.from, 0, 0, 0, 0, 0]);
        start.write(&File::create(&path)?)?;
        let progress = File::open(&path)?;
        let child = child(&stretch, &path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        Ok(Running {
            failures: failures_beside(&path),
            index,
            since: (stretch.from, Duration::ZERO),
            stretch,
            child,
            progress,
            begin: Instant::now(),
        })
    }

    /// `None` while the child runs; then why it ended, where that is a defect.
    fn end(&mut self) -> io::Result<Option<Option<String>>> {
        if let Some(status) = self.child.try_wait()? {
            return Ok(Some(self.reason(status)));
        }
        let number = Progress::read(&self.progress).0[0];
        let cpu = cpu_of_process(self.child.id()).unwrap_or_default();
        if number != self.since.0 {
            self.since = (number, cpu);
        } else if cpu.saturating_sub(self.since.1) > LONGEST && self.begin.elapsed() > LONGEST {
            self.child.kill()?;
            self.child.wait()?;
            return Ok(Some(Some(format!("it takes more than {} s", LONGEST.as_secs()))));
        }
        Ok(None)
    }

    fn reason(&mut self, status: ExitStatus) -> Option<String> {
        if status.success() {
            return None;
        }
        let mut said = String::new();
        if let Some(error) = &mut self.child.stderr {
            let _ = error.read_to_string(&mut said);
        }
        let how = status.signal().map_or_else(|| status.to_string(), |signal| format!("signal {signal}"));
        Some(format!("the process ends with {how}: {}", shortened(said.trim(), 300)))
    }

    /// Adds what the child told; returns the last input that it began, and the failures.
    fn add_to(&self, figures: &mut Figures) -> (u64, Vec<(u64, String)>) {
        let Progress([number, accepted, rejected, nanos, worst, worst_input]) = Progress::read(&self.progress);
        figures.accepted += accepted;
        figures.rejected += rejected;
        figures.cpu += Duration::from_nanos(nanos);
        if Duration::from_nanos(worst) > figures.worst {
            (figures.worst, figures.worst_input) = (Duration::from_nanos(worst), worst_input);
        }
        let mut failures = Vec::new();
        for line in std::fs::read_to_string(&self.failures).unwrap_or_default().lines() {
            if let Some((number, sentence)) = line.split_once(' ')
                && let Ok(number) = number.parse()
            {
                failures.push((number, sentence.to_owned()));
            }
        }
        (number, failures)
    }
}

fn failures_beside(progress: &Path) -> PathBuf {
    progress.with_extension("failures")
}

fn limit_memory() -> io::Result<()> {
    let limit = libc::rlimit { rlim_cur: MEMORY, rlim_max: MEMORY };
    // SAFETY: a plain system call with one live argument.
    if unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// CPU time of the calling thread.
fn cpu_of_thread() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a plain system call that writes to one live argument.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// CPU time of another process: the fields `utime` and `stime` of `/proc/<pid>/stat`, in hundredths
/// of a second.
fn cpu_of_process(process: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}
