//! The Tracewright agent: a JVMTI agent that rewrites classes as they are loaded, so that they
//! record what they do. Flows in: options, class files, events of the sink; flows out: rewritten
//! class files, the trace file, the session, the status file. Must not know what distances and
//! traces are for. It never fails the program: in doubt a class stays as it was, and the reason is
//! counted.
//!
//! In reading order: [`options`], [`probes`] and [`guard`] (bytes to bytes), [`sink`] (the Java
//! side), [`clock`] (another time than the machine's), [`recorder`] (the drain thread), [`session`]
//! (files of the target JVM of `record`), [`status`], and here what ties them to the JVM.

mod clock;
pub mod guard;
mod lock;
pub mod options;
pub mod probes;
pub mod recorder;
pub mod session;
pub mod sink;
pub mod status;
mod thread_lead;

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use jni::Env;
use tracewright_jvmti::{Capabilities, ClassFileEvent, Environment, Hooks, Vm, export_agent};
use tracewright_trace::class_hash;

use options::{Mode, Options};
use probes::{Plan, Rewritten};
use recorder::Recorder;
use session::{Limits, Session};
use status::Status;

export_agent!(start, stop);

static AGENT: OnceLock<Agent> = OnceLock::new();

/// Configurations that the agent reads in one JVM, at most.
const MOST_OPTIONS: usize = 64;

struct Agent {
    /// What this JVM is measured for, one after the other: between runs, the runner may name other classes
    /// ([`retarget`]). Class loading takes no lock.
    options: [OnceLock<Options>; MOST_OPTIONS],
    /// The place of the options that count.
    current: AtomicUsize,
    recorder: Recorder,
    status: Arc<Status>,
    /// The sink is defined: rewritten classes may be linked.
    ready: AtomicBool,
    /// Nothing is to be done in this JVM.
    idle: AtomicBool,
}

struct AgentHooks(&'static Agent);

fn start(vm: Vm, text: &str, attached: bool) -> Result<(), String> {
    let options = Options::parse(text).map_err(|error| error.to_string())?;
    let status = Arc::new(Status::default());
    let recorder = Recorder::start(options.trace.as_deref(), options.status.clone(), Arc::clone(&status))?;
    let recorder = match &options.session {
        Some(folder) if options.mode == Mode::Record => {
            let limits = Limits {
                bytes: options.max_session,
                run_bytes: options.event_cap.saturating_mul(4),
                runs: options.max_runs,
                overhead: options.max_overhead,
            };
            recorder.with_session(Session::start(folder, limits, Arc::clone(&status))?)
        }
        _ => recorder,
    };
    let mut all = [const { OnceLock::new() }; MOST_OPTIONS];
    all[0] = OnceLock::from(options);
    let current = AtomicUsize::new(0);
    let agent = Agent { options: all, current, recorder, status, ready: AtomicBool::new(false), idle: AtomicBool::new(false) };
    if AGENT.set(agent).is_err() {
        return Err("the agent runs in this VM already".to_owned());
    }
    let agent = AGENT.get().expect("set right above");
    let environment = vm.environment().map_err(|error| format!("this VM offers no JVMTI 11: {error}"))?;
    let wanted = Capabilities { class_hook: true, retransform: true, signal_thread: true, cpu_time: true };
    let granted = environment.add_capabilities(wanted).map_err(|error| format!("capabilities are refused: {error}"))?;
    let options = agent.options();
    if !granted.retransform && (options.guard || attached) {
        agent.status.count("capability missing: retransformation, so classes loaded before are left alone");
    }
    let environment = environment.install(Box::new(AgentHooks(agent))).map_err(|error| format!("no events: {error}"))?;
    if attached && options.mode != Mode::Record {
        vm.with_jni(|env| agent.vm_started(environment, env)).ok_or("the attaching thread has no JNI environment")??;
    } else if attached {
        vm.with_jni(|env| agent.define(env)).ok_or("the attaching thread has no JNI environment")??;
        let waiting = move || {
            let rewritten = vm.with_jni(|env| {
                let bound = (0..BINDING_TRIES).any(|_| {
                    std::thread::sleep(BINDING_PAUSE);
                    sink::is_bound(env)
                });
                if bound {
                    agent.rewrite_loaded(environment, env)
                } else {
                    Err("the JVM does not bind the agent's natives".to_owned())
                }
            });
            if let Some(Err(message)) = rewritten {
                agent.status.count(message);
            }
        };
        let started = std::thread::Builder::new().name("tracewright-attach".to_owned()).spawn(waiting);
        started.map_err(|error| format!("cannot start the attaching thread: {error}"))?;
    }
    Ok(())
}

/// The thread that ends a JVM whose program returned from `main`. The JVM also waits for threads that
/// are late at its end.
const ENDING_THREAD: &str = "DestroyJavaVM";

/// How often an attached agent asks whether its natives can be called, and the pause between.
const BINDING_TRIES: u32 = 2000;
const BINDING_PAUSE: std::time::Duration = std::time::Duration::from_millis(5);

/// Number of class files that the JVM has handed to the agent to look at.
static CLASSES_LOADED: AtomicU64 = AtomicU64::new(0);

/// Number of class files that the JVM has loaded since the agent looks at them.
pub(crate) fn classes_loaded() -> u64 {
    CLASSES_LOADED.load(Ordering::Relaxed)
}

fn stop() {
    if let Some(agent) = AGENT.get() {
        agent.recorder.stop();
    }
}

impl Hooks for AgentHooks {
    fn class_file(&self, class: &ClassFileEvent<'_>) -> Option<Vec<u8>> {
        self.0.class_file(class)
    }

    fn vm_init(&self, environment: &Environment, env: &mut Env<'_>) {
        if let Err(message) = self.0.vm_started(environment, env) {
            eprintln!("tracewright: {message}");
            self.0.status.count(message);
        }
    }

    fn thread_start(&self, name: &str) {
        if name != ENDING_THREAD {
            std::thread::sleep(self.0.options().thread_delay);
        }
    }

    fn vm_death(&self, env: &mut Env<'_>) {
        if self.0.ready.load(Ordering::SeqCst) {
            sink::finish(env);
        }
        self.0.recorder.stop();
    }
}

/// Reads the configuration again. Only classes, slots and mutants may differ. False: it cannot be used, and all stays
/// as it is.
pub(crate) fn retarget(env: &mut Env<'_>, file: &str) -> bool {
    let Some(agent) = AGENT.get() else { return false };
    let mode = agent.options().mode;
    let Ok(options) = Options::parse(&format!("config={file}")) else { return false };
    if options.mode != mode || !matches!(mode, Mode::Search | Mode::Mutants) || sink::reconfigure(env, &options).is_err() {
        return false;
    }
    let next = agent.current.load(Ordering::SeqCst) + 1;
    let is_set = agent.options.get(next).is_some_and(|place| place.set(options).is_ok());
    if is_set {
        agent.current.store(next, Ordering::SeqCst);
    }
    is_set
}

impl Agent {
    fn options(&self) -> &Options {
        self.options[self.current.load(Ordering::SeqCst)].get().expect("set before its place is current")
    }

    /// Java code can run: defines the sink, then retransforms the classes that were loaded before
    /// it.
    fn vm_started(&'static self, environment: &Environment, env: &mut Env<'_>) -> Result<(), String> {
        self.define(env)?;
        let options = self.options();
        if let Err(reason) = clock::change(env, options.clock) {
            self.status.count(reason);
        }
        if let Err(reason) = thread_lead::give(env, options.thread_lead) {
            self.status.count(reason);
        }
        if !options.thread_delay.is_zero() && environment.report_thread_starts().is_err() {
            self.status.count("threads start without a delay: the JVM does not report them");
        }
        self.rewrite_loaded(environment, env)
    }

    fn define(&'static self, env: &mut Env<'_>) -> Result<(), String> {
        if let Some(session) = self.recorder.session() {
            let property = |env: &mut Env<'_>, name: &str| sink::property(env, name).unwrap_or_default();
            let (home, version) = (property(env, "java.home"), property(env, "java.version"));
            let class_path = property(env, "java.class.path");
            if !self.options().included_by_name && options::is_build_tool(&property(env, "sun.java.command")) {
                self.status.count("a build tool's own VM: nothing is recorded without include");
                self.idle.store(true, Ordering::SeqCst);
                return Ok(());
            }
            session.describe_process(&home, &version, &class_path);
        }
        sink::define(env, self.options(), &self.recorder)
    }

    fn rewrite_loaded(&'static self, environment: &Environment, env: &mut Env<'_>) -> Result<(), String> {
        if self.idle.load(Ordering::SeqCst) {
            return Ok(());
        }
        self.ready.store(true, Ordering::SeqCst);
        // The loader is unknown here; `includes` rejects classes of the JDK by name.
        let options = self.options();
        let wanted = |name: &str| {
            (options.guard && guard::guards(name, options.allowed))
                || options.includes(name, false)
                || options.is_suppressed(name, false)
        };
        let (_, failed) =
            environment.retransform_loaded(env, wanted).map_err(|error| format!("loaded classes cannot be listed: {error}"))?;
        for (_, error) in failed {
            self.status.count(format!("loaded class left alone: {error}"));
        }
        Ok(())
    }

    fn class_file(&self, class: &ClassFileEvent<'_>) -> Option<Vec<u8>> {
        if !self.ready.load(Ordering::SeqCst) {
            // No class may call the sink before it is defined. Loaded classes are retransformed
            // afterwards.
            return None;
        }
        CLASSES_LOADED.fetch_add(1, Ordering::Relaxed);
        let name = class.name.as_deref()?;
        let options = self.options();
        let result = if options.guard && class.boot && guard::guards(name, options.allowed) && !options.boot {
            guard::rewrite(class.bytes, options.allowed).map(|bytes| (bytes, "guarded"))
        } else if options.is_suppressed(name, class.boot) {
            let rewritten = probes::rewrite(class.bytes, &Plan::Suppressed, class.retransformed);
            self.finish(rewritten).map(|bytes| (bytes, "left alone: generated tests, with what they call"))
        } else if options.includes(name, class.boot) {
            if leaves_alone(options, name, class.bytes) {
                self.status.count("left alone: tests");
                return None;
            }
            self.finish(self.add_probes(options, name, class)).map(|bytes| (bytes, "rewritten"))
        } else {
            return None;
        };
        match result {
            Ok((bytes, what)) => {
                self.status.count(what);
                Some(bytes)
            }
            Err(reason) => {
                self.status.count(format!("left alone: {reason}"));
                None
            }
        }
    }

    /// The class with the probes of this mode. Its trace sites are announced before it can run.
    fn add_probes(&self, options: &Options, name: &str, event: &ClassFileEvent<'_>) -> Result<Rewritten, String> {
        let plan = match options.mode {
            Mode::Trace | Mode::Record => {
                let (class, sites) = probes::read_with_sites(event.bytes)?;
                let base = self.announce_sites(options, name, event, sites.sites.len() as u32)?;
                let record = options.mode == Mode::Record;
                let plan = if record { Plan::Record { base } } else { Plan::Trace { base } };
                return probes::rewrite_class(class, &sites, &plan, event.retransformed);
            }
            Mode::Mutants => match options.first_mutant(name) {
                Some(first) => Plan::Mutants { first },
                None => Plan::SearchOther,
            },
            _ => match options.target(name) {
                Some(target) => Plan::SearchTarget { branch_base: target.branch_base, line_base: target.line_base },
                None => Plan::SearchOther,
            },
        };
        probes::rewrite(event.bytes, &plan, event.retransformed)
    }

    /// Counts the notes of a rewritten class.
    fn finish(&self, rewritten: Result<Rewritten, String>) -> Result<Vec<u8>, String> {
        let rewritten = rewritten?;
        for note in rewritten.notes {
            self.status.count(note);
        }
        Ok(rewritten.bytes)
    }

    /// Announces the `count` sites of a class. Gives the number of the first one; the error says
    /// that no numbers are left.
    fn announce_sites(&self, options: &Options, name: &str, event: &ClassFileEvent<'_>, count: u32) -> Result<u32, String> {
        if options.sink_off {
            return Ok(0);
        }
        let hash = class_hash(event.bytes);
        let base = match self.recorder.session() {
            Some(session) => {
                session.add_class_file(event.loader, name, hash, event.bytes);
                self.recorder.known_sites(name, count, hash)
            }
            None => self.recorder.class_sites(name, count, hash),
        };
        base.ok_or_else(|| "no site numbers are left".to_owned())
    }
}

/// Whether this is a test class, which is not recorded: tests call the recorded code.
fn leaves_alone(options: &Options, name: &str, bytes: &[u8]) -> bool {
    options.mode == Mode::Record && !options.tests && options::is_test(name, bytes)
}
