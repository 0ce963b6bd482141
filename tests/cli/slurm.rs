//! The recipe of the guide on a Slurm of one node, which fails while jobs run.
//!
//! In: the recipe in `docs/guide/ci.md`, and the programs of Debian's `slurm-wlm`. Out: the tests and reports that the
//! jobs write. The daemons lie in a temporary folder, listen at 127.0.0.1 only and end with the test.

use crate::parts::{STEPS, all, files, json, report, subject};
use crate::subject::end;
use std::fs::{self, OpenOptions};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tracewright_test_support::find_on_path;

/// The longest wait for one event.
const PATIENCE: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(50);

/// Three jobs run at the same time, on any machine. A job that is requeued waits `cred_expire` seconds.
const CONFIGURATION: &str = "ClusterName=test
SlurmctldHost=localhost
SlurmctldPort=[port of the controller]
SlurmdPort=[port of the node]
SlurmUser=[user]
SlurmdUser=[user]
AuthInfo=socket=[folder]/munge.socket,cred_expire=5
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=[folder]/state
SlurmdSpoolDir=[folder]/spool
SlurmctldPidFile=[folder]/slurmctld.pid
SlurmdPidFile=[folder]/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
MessageTimeout=60
NodeName=localhost CPUs=3
PartitionName=all Nodes=localhost Default=YES
";

/// Processes of the cluster that do not belong to the node.
const CONTROLLER: [&str; 3] = ["munged", "slurmctld", "slurmscriptd"];

/// The file of a program. The `PATH` of a plain user may lack the folder of daemons.
fn file_of(program: &str) -> Option<PathBuf> {
    find_on_path(program).or_else(|| Some(Path::new("/usr/sbin").join(program)).filter(|file| file.is_file()))
}

fn is_installed() -> bool {
    let programs = ["sbatch", "slurmctld", "slurmd", "munged", "mungekey"];
    let is_there = programs.iter().all(|program| file_of(program).is_some());
    if !is_there {
        eprintln!("skipped: Slurm is missing; `cargo xtask setup` installs it (Debian, as root)");
    }
    is_there
}

/// The recipe as the guide has it, with steps.
fn recipe() -> String {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide/ci.md");
    let guide = fs::read_to_string(guide).expect("the guide");
    let (_, section) = guide.split_once("\n### Slurm\n").expect("the section on Slurm");
    let section = section.lines().take_while(|line| !line.starts_with('#'));
    let code: Vec<&str> = section.filter_map(|line| line.strip_prefix("    ")).collect();
    code.join("\n").replace("tracewright generate", &format!("tracewright generate --steps {STEPS}"))
}

/// Two free ports of this machine.
fn free_ports() -> [u16; 2] {
    let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").expect("a free port"));
    listeners.map(|listener| listener.local_addr().expect("an address").port())
}

/// A controller and one node. All their processes end when this value is dropped.
struct Cluster {
    folder: tempfile::TempDir,
    /// Where jobs run.
    work: PathBuf,
    daemons: Vec<Child>,
}

impl Cluster {
    /// Starts a cluster, and waits until its node is ready.
    fn start(work: &Path) -> Cluster {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut cluster = Cluster { folder, work: work.to_path_buf(), daemons: Vec::new() };
        cluster.write_configuration();
        let key = cluster.file("munge.key").display().to_string();
        cluster.ask("mungekey", &["--create", "--keyfile", &key]);
        let options = [("key-file", "munge.key"), ("socket", "munge.socket"), ("pid-file", "munged.pid"), ("seed-file", "seed")];
        let options = options.map(|(option, name)| format!("--{option}={}", cluster.file(name).display()));
        let mut arguments = vec!["--foreground", "--force"];
        arguments.extend(options.iter().map(String::as_str));
        cluster.start_daemon("munged", &arguments);
        cluster.wait_until("munged listens", || cluster.file("munge.socket").exists());
        cluster.start_daemon("slurmctld", &["-D"]);
        cluster.start_daemon("slurmd", &["-D"]);
        // The controller does not answer at first.
        let state = || end(cluster.command("sinfo").args(["--noheader", "--format=%T"])).out;
        cluster.wait_until("the node is ready", || state().trim() == "idle");
        cluster
    }

    fn write_configuration(&self) {
        for name in ["state", "spool"] {
            fs::create_dir(self.file(name)).expect("writable");
        }
        let user = end(Command::new("id").arg("-un")).out;
        let text = CONFIGURATION.replace("[folder]", &self.folder.path().display().to_string()).replace("[user]", user.trim());
        let [controller, node] = free_ports().map(|port| port.to_string());
        let text = text.replace("[port of the controller]", &controller).replace("[port of the node]", &node);
        fs::write(self.file("slurm.conf"), text).expect("writable");
        // Otherwise the daemon of the node takes the version that the machine has, and fails where a container is not
        // allowed to use it.
        fs::write(self.file("cgroup.conf"), "CgroupPlugin=cgroup/v1\n").expect("writable");
    }

    /// A file of the cluster.
    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A program that knows the cluster, and from which jobs learn where `tracewright` is.
    fn command(&self, program: &str) -> Command {
        let built = Path::new(env!("CARGO_BIN_EXE_tracewright")).parent().expect("a folder").to_path_buf();
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(built).chain(std::env::split_paths(&folders))).expect("a PATH");
        let mut command = Command::new(file_of(program).expect("an installed program"));
        command.current_dir(&self.work).env("PATH", path).env("SLURM_CONF", self.file("slurm.conf")).stdin(Stdio::null());
        command
    }

    /// What a program prints.
    fn ask(&self, program: &str, arguments: &[&str]) -> String {
        let ended = end(self.command(program).args(arguments));
        assert_eq!(ended.status, 0, "{program} {arguments:?}: {}", ended.err);
        ended.out
    }

    fn start_daemon(&mut self, daemon: &str, arguments: &[&str]) {
        let log = self.file(&format!("{daemon}.log"));
        let log = OpenOptions::new().create(true).append(true).open(log).expect("writable");
        let mut command = self.command(daemon);
        command.args(arguments).stdout(log.try_clone().expect("a second handle")).stderr(log);
        self.daemons.push(command.spawn().expect("the daemon starts"));
    }

    fn wait_until(&self, event: &str, has_happened: impl Fn() -> bool) {
        let patience = Instant::now() + PATIENCE;
        while !has_happened() {
            assert!(Instant::now() < patience, "waited in vain until {event}");
            thread::sleep(PAUSE);
        }
    }

    /// Whether a part of an array runs and has no report yet.
    fn has_part_in_work(&self) -> bool {
        let running = self.ask("squeue", &["--noheader", "--states=RUNNING", "--format=%i"]);
        let mut parts = running.lines().filter_map(|job| Some(job.trim().split_once('_')?.1));
        parts.any(|part| !self.work.join(format!("report-{part}/report.json")).exists())
    }

    /// The processes of the cluster and of its jobs: their numbers and names. The environment of each names the
    /// configuration.
    fn processes(&self) -> Vec<(String, String)> {
        let mark = format!("SLURM_CONF={}", self.file("slurm.conf").display());
        let is_marked = |process: &Path| {
            let variables = fs::read(process.join("environ")).unwrap_or_default();
            variables.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
        };
        let folders = fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path());
        let named = |process: PathBuf| {
            let name = fs::read_to_string(process.join("comm")).ok()?;
            Some((process.file_name()?.to_string_lossy().into_owned(), name.trim().to_owned()))
        };
        folders.filter(|process| is_marked(process)).filter_map(named).collect()
    }

    /// Kills the processes with chosen names, and those that they start meanwhile.
    fn kill(&self, is_chosen: impl Fn(&str) -> bool) {
        let patience = Instant::now() + PATIENCE;
        while Instant::now() < patience {
            let chosen = self.processes().into_iter().filter(|(_, name)| is_chosen(name));
            let numbers: Vec<String> = chosen.map(|(number, _)| number).collect();
            if numbers.is_empty() {
                return;
            }
            // A process that has just ended is no failure.
            let _ = Command::new("sh").args(["-c", "kill -9 \"$@\"", "sh"]).args(numbers).stderr(Stdio::null()).status();
            thread::sleep(PAUSE);
        }
    }

    /// Ends all processes of the node, as a machine does that loses power. Slurm would notice after some minutes; here
    /// the administrator says so.
    fn fail_node(&self) {
        self.kill(|name| !CONTROLLER.contains(&name));
        self.ask("scontrol", &["update", "NodeName=localhost", "State=DOWN", "Reason=power"]);
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for daemon in &mut self.daemons {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
        self.kill(|_| true);
        if !thread::panicking() {
            return;
        }
        for folder in [self.folder.path(), self.work.as_path()] {
            let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
            for log in paths.filter(|path| path.extension().is_some_and(|end| end == "log" || end == "out")) {
                eprintln!("{}:\n{}", log.display(), fs::read_to_string(&log).unwrap_or_default());
            }
        }
    }
}

#[test]
fn nothing_is_lost_where_the_node_of_the_parts_fails() {
    if !is_installed() {
        return;
    }
    let subject = subject();
    let folder = subject.folder.path();
    let mut cluster = Cluster::start(folder);
    // A job with a budget keeps what each class has. Parts that count steps begin anew.
    let timed = "tracewright generate --budget 30s --threads 1 --classpath classes --classes-from classes --out timed \
                 --resume --report timed-report";
    let timed = cluster.ask("sbatch", &["--parsable", "--requeue", "--open-mode=append", "--wrap", timed]);
    let timed = timed.trim();
    cluster.ask("sh", &["-ec", &recipe()]);

    let unfinished = folder.join("timed-report/unfinished");
    let count_kept = || {
        let entries = fs::read_dir(&unfinished).into_iter().flatten().flatten();
        entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "json")).count()
    };
    cluster.wait_until("a class is kept and a part runs", || count_kept() > 0 && cluster.has_part_in_work());
    cluster.fail_node();
    let (kept, before) = (count_kept(), files(&folder.join("timed")));
    assert!((1..3).contains(&kept) && before.len() >= kept, "{kept} {before:?}");
    // The node comes back.
    cluster.start_daemon("slurmd", &["-D"]);
    let ended = end(&mut all(&subject, "whole"));
    assert_eq!(ended.status, 0, "{}", ended.err);
    cluster.wait_until("all jobs have ended", || cluster.ask("squeue", &["--noheader"]).trim().is_empty());

    // The job with a budget, four parts and their merge.
    let jobs = cluster.ask("scontrol", &["--oneliner", "show", "job"]);
    let jobs: Vec<&str> = jobs.lines().filter(|job| !job.is_empty()).collect();
    assert!(jobs.len() == 6 && jobs.iter().all(|job| job.contains(" JobState=COMPLETED ")), "{jobs:#?}");
    let again: Vec<&&str> = jobs.iter().filter(|job| job.contains(" Restarts=1 ")).collect();
    let is_timed = |job: &str| job.starts_with(&format!("JobId={timed} "));
    assert!(again.iter().any(|job| is_timed(job)) && again.iter().any(|job| job.contains(" ArrayTaskId=")), "{jobs:#?}");

    let said = fs::read_to_string(folder.join(format!("slurm-{timed}.out"))).expect("what the job said");
    assert!(said.contains(&format!("going on with an interrupted run, which has {kept} of 3 classes")), "{said}");
    let after = files(&folder.join("timed"));
    assert!(before.iter().filter(|(name, text)| after.get(*name) == Some(*text)).count() >= kept, "{before:?} {after:?}");
    assert_eq!((after.len(), report(&subject, "timed-report").classes.len(), unfinished.exists()), (3, 3, false));

    // Parts and merge give what one run gives.
    assert_eq!(files(&folder.join("generated")), files(&folder.join("whole")));
    assert_eq!(json(&report(&subject, "report")), json(&report(&subject, "whole-report")));
}
