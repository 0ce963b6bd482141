//! The Tracewright agent: a JVMTI agent that rewrites classes as they are loaded so that they record what they do. Flows in: options, class
//! files, events of the sink; flows out: rewritten class files, the trace file, the status file. Must not know what distances and traces
//! are for. It never fails the program: on any doubt a class stays as it was and is counted by reason.
//!
//! In reading order: [`options`], [`probes`] and [`guard`] (bytes to bytes), [`sink`] (the Java side), [`recorder`] (the drain thread),
//! [`status`], and here what ties them to the VM.

pub mod guard;
pub mod options;
pub mod probes;
pub mod recorder;
pub mod sink;
pub mod status;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use jni::Env;
use tracewright_jvmti::{Capabilities, ClassFileEvent, Environment, Hooks, Vm, export_agent};
use tracewright_trace::{class_hash, trace_sites};

use options::{Mode, Options};
use probes::Plan;
use recorder::Recorder;
use status::Status;

export_agent!(start, stop);

static AGENT: OnceLock<Agent> = OnceLock::new();

struct Agent {
    options: Options,
    recorder: Recorder,
    status: Arc<Status>,
    /// The sink is defined: rewritten classes may be linked.
    ready: AtomicBool,
}

struct AgentHooks(&'static Agent);

fn start(vm: Vm, text: &str, attached: bool) -> Result<(), String> {
    let options = Options::parse(text).map_err(|error| error.to_string())?;
    let status = Arc::new(Status::default());
    let recorder = Recorder::start(options.trace.as_deref(), options.status.clone(), Arc::clone(&status))?;
    let agent = Agent { options, recorder, status, ready: AtomicBool::new(false) };
    if AGENT.set(agent).is_err() {
        return Err("the agent runs in this VM already".to_owned());
    }
    let agent = AGENT.get().expect("set right above");
    let environment = vm.environment().map_err(|error| format!("this VM offers no JVMTI 11: {error}"))?;
    let wanted = Capabilities { class_hook: true, retransform: true, signal_thread: true };
    let granted = environment.add_capabilities(wanted).map_err(|error| format!("capabilities are refused: {error}"))?;
    if !granted.retransform && agent.options.guard {
        agent.status.count("capability missing: retransformation, so JDK classes loaded early are not guarded");
    }
    let environment = environment.install(Box::new(AgentHooks(agent))).map_err(|error| format!("no events: {error}"))?;
    if attached {
        vm.with_jni(|env| agent.vm_started(environment, env)).ok_or("the attaching thread has no JNI environment")??;
    }
    Ok(())
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

    fn vm_death(&self, env: &mut Env<'_>) {
        if self.0.ready.load(Ordering::SeqCst) {
            sink::finish(env);
        }
        self.0.recorder.stop();
    }
}

impl Agent {
    /// Java code can run: defines the sink, then retransforms what was loaded before it.
    fn vm_started(&'static self, environment: &Environment, env: &mut Env<'_>) -> Result<(), String> {
        sink::define(env, &self.options, &self.recorder)?;
        self.ready.store(true, Ordering::SeqCst);
        // Whether the boot loader's: a class of the JDK by its name is never included.
        let wanted =
            |name: &str| (self.options.guard && guard::guards(name, self.options.allowed)) || self.options.includes(name, false);
        let (_, failed) =
            environment.retransform_loaded(env, wanted).map_err(|error| format!("loaded classes cannot be listed: {error}"))?;
        for (_, error) in failed {
            self.status.count(format!("loaded class left alone: {error}"));
        }
        Ok(())
    }

    fn class_file(&self, class: &ClassFileEvent<'_>) -> Option<Vec<u8>> {
        if !self.ready.load(Ordering::SeqCst) {
            // Nothing may call the sink before it is there. What matters is retransformed once it is.
            return None;
        }
        let name = class.name.as_deref()?;
        let result = if self.options.guard && class.boot && guard::guards(name, self.options.allowed) && !self.options.boot {
            guard::rewrite(class.bytes, self.options.allowed).map(|bytes| (bytes, "guarded"))
        } else if self.options.includes(name, class.boot) {
            self.rewrite(name, class).map(|bytes| (bytes, "rewritten"))
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

    fn rewrite(&self, name: &str, class: &ClassFileEvent<'_>) -> Result<Vec<u8>, String> {
        let plan = match self.options.mode {
            Mode::Trace => Plan::Trace { base: self.trace_base(name, class.bytes)? },
            Mode::Mutants => match self.options.first_mutant(name) {
                Some(base) => Plan::Mutants { base },
                None => Plan::SearchOther,
            },
            _ => match self.options.target(name) {
                Some(target) => Plan::SearchTarget { branch_base: target.branch_base, line_base: target.line_base },
                None => Plan::SearchOther,
            },
        };
        let rewritten = probes::rewrite(class.bytes, &plan, class.retransformed)?;
        for note in rewritten.notes {
            self.status.count(note);
        }
        Ok(rewritten.bytes)
    }

    /// The first site of a class. Announced before the class can run.
    fn trace_base(&self, name: &str, bytes: &[u8]) -> Result<u32, String> {
        if self.options.sink_off {
            return Ok(0);
        }
        let class = tracewright_classfile::ClassFile::parse(bytes).map_err(|error| format!("unreadable class: {error}"))?;
        let sites = trace_sites(&class).map_err(|error| format!("unreadable class: {error}"))?;
        self.recorder
            .class_sites(name, sites.sites.len() as u32, class_hash(bytes))
            .ok_or_else(|| "no site numbers are left".to_owned())
    }
}
