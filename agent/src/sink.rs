//! The sink inside the JVM. Flows in: its class files, compiled by `build.rs`; flows out: the
//! classes defined in `java.lang` with the null loader. Must not know how classes are rewritten.
//!
//! Its natives are bound by name. The JVM looks for the natives of boot classes in agent libraries.
//! In a library that is attached it looks only when attaching is over; until then no class is
//! rewritten. `RegisterNatives` would bind them earlier, but the JVM warns about it on standard
//! output.

#![allow(non_snake_case)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use jni::errors::{Error, ThrowRuntimeExAndDefault};
use jni::objects::{JClass, JClassLoader, JObject, JString, JValue};
use jni::strings::{JNIStr, JNIString};
use jni::sys::{jboolean, jint, jlong};
use jni::{Env, EnvUnowned, jni_sig, jni_str};
use tracewright_jvmti::Environment;

use crate::options::{Mode, Options};
use crate::recorder::Recorder;
use crate::session::{FinishedRun, Session};

include!(concat!(env!("OUT_DIR"), "/sink_classes.rs"));

/// A class of the sink that rewritten code calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SinkClass {
    /// Mode, event budget, threads.
    Sink,
    /// Branch distances and lines.
    Search,
    /// Static state.
    Statics,
    /// Trace events.
    Trace,
    /// Trace events and runs of recorded programs.
    Record,
    /// Switches for mutants.
    Mutants,
    /// Refusals.
    Guard,
}

impl SinkClass {
    /// The internal name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            SinkClass::Sink => "java/lang/TracewrightSink",
            SinkClass::Search => "java/lang/TracewrightSearch",
            SinkClass::Statics => "java/lang/TracewrightStatics",
            SinkClass::Trace => "java/lang/TracewrightTrace",
            SinkClass::Record => "java/lang/TracewrightRecord",
            SinkClass::Mutants => "java/lang/TracewrightMutants",
            SinkClass::Guard => "java/lang/TracewrightGuard",
        }
    }
}

/// The recorder that the natives use: natives carry no user data.
static RECORDER: OnceLock<&'static Recorder> = OnceLock::new();

/// Defines the sink and configures it. Afterwards rewritten classes may be linked. The error says
/// which step failed.
pub(crate) fn define(env: &mut Env<'_>, options: &Options, recorder: &'static Recorder) -> Result<(), String> {
    let _ = RECORDER.set(recorder);
    define_classes(env, options, recorder).map_err(|error| {
        let what = env.exception_occurred().map(|_| " (with an exception)").unwrap_or_default();
        env.exception_clear();
        format!("the sink cannot be defined: {error}{what}")
    })
}

fn define_classes(env: &mut Env<'_>, options: &Options, recorder: &Recorder) -> Result<(), Error> {
    let loader = JClassLoader::null();
    for (name, bytes) in CLASSES {
        env.define_class(Some(JNIString::new(*name)), &loader, bytes)?;
    }
    let sink = env.find_class(JNIString::new(SinkClass::Sink.name()))?;
    if options.mode == Mode::Record {
        // Without a session nothing is recorded: a table at 0 is never read.
        let session = recorder.session();
        let skips = session.map_or(0, |session| session.skips().address() as jlong);
        let run_bytes = session.map_or(0, |session| i64::try_from(session.run_bytes()).unwrap_or(i64::MAX));
        let run = env.find_class(jni_str!("java/lang/TracewrightRun"))?;
        let arguments = [JValue::Long(skips), JValue::Long(run_bytes)];
        env.call_static_method(&run, jni_str!("configure"), jni_sig!("(JJ)V"), &arguments)?;
    }
    let mode = match options.mode {
        _ if options.sink_off => 0,
        // For a run under a mutant, event budget and static state are those of the search.
        Mode::Search | Mode::Mutants => 1,
        Mode::Trace | Mode::Record => 2,
        Mode::Guard => 3,
    };
    let cap = i64::try_from(options.event_cap).unwrap_or(i64::MAX);
    env.call_static_method(
        &sink,
        jni_str!("configure"),
        jni_sig!("(IIIJZ)V"),
        &[
            JValue::Int(mode),
            JValue::Int(options.branch_slots as i32),
            JValue::Int(options.line_slots as i32),
            JValue::Long(cap),
            JValue::Bool(options.every_thread),
        ],
    )?;
    if options.mode == Mode::Mutants {
        let mutants = env.find_class(JNIString::new(SinkClass::Mutants.name()))?;
        let highest = [JValue::Int(options.mutants as i32)];
        env.call_static_method(&mutants, jni_str!("configure"), jni_sig!("(I)V"), &highest)?;
    }
    if let (Mode::Guard, Some(folder)) = (options.mode, &options.temporary) {
        let folder = env.new_string(folder.to_string_lossy())?;
        let guard = env.find_class(JNIString::new(SinkClass::Guard.name()))?;
        env.call_static_method(&guard, jni_str!("arm"), jni_sig!("(Ljava/lang/String;)V"), &[JValue::Object(&folder)])?;
    }
    Ok(())
}

/// Gives the sink other slots and mutants, between runs.
pub(crate) fn reconfigure(env: &mut Env<'_>, options: &Options) -> Result<(), Error> {
    let sink = env.find_class(JNIString::new(SinkClass::Sink.name()))?;
    let slots = [options.branch_slots, options.line_slots, options.mutants].map(|count| JValue::Int(count as i32));
    env.call_static_method(&sink, jni_str!("reconfigure"), jni_sig!("(III)V"), &slots)?;
    Ok(())
}

/// `public static native boolean retarget(String file)`
#[unsafe(no_mangle)]
pub(crate) extern "system" fn Java_java_lang_TracewrightSink_retarget<'local>(
    mut env: EnvUnowned<'local>,
    _sink: JClass<'local>,
    file: JString<'local>,
) -> jboolean {
    env.with_env(|env| {
        let file = file.try_to_string(env)?;
        let done = crate::retarget(env, &file);
        env.exception_clear();
        Ok::<jboolean, Error>(done)
    })
    .resolve::<ThrowRuntimeExAndDefault>()
}

/// Whether the natives of the sink can be called already.
pub(crate) fn is_bound(env: &mut Env<'_>) -> bool {
    let frames = |env: &mut Env<'_>| -> Result<jint, Error> {
        let run = env.find_class(jni_str!("java/lang/TracewrightRun"))?;
        env.call_static_method(&run, jni_str!("frames"), jni_sig!("()I"), &[])?.i()
    };
    let bound = frames(env).is_ok();
    env.exception_clear();
    bound
}

/// A system property of the JVM; `None` where it is not set.
pub(crate) fn property(env: &mut Env<'_>, name: &str) -> Option<String> {
    let read = |env: &mut Env<'_>| -> Result<Option<String>, Error> {
        let system = env.find_class(jni_str!("java/lang/System"))?;
        let key = env.new_string(name)?;
        let signature = jni_sig!("(Ljava/lang/String;)Ljava/lang/String;");
        let value = env.call_static_method(&system, jni_str!("getProperty"), signature, &[JValue::Object(&key)])?.l()?;
        if value.is_null() {
            return Ok(None);
        }
        let value = env.cast_local::<JString<'_>>(value)?;
        value.try_to_string(env).map(Some)
    };
    let value = read(env).ok().flatten();
    env.exception_clear();
    value
}

/// What a static method of the sink answers that takes nothing. False also where it throws.
pub(crate) fn asks(env: &mut Env<'_>, method: &JNIStr) -> bool {
    let sink = jni_str!("java/lang/TracewrightSink");
    let answer = env.call_static_method(sink, method, jni_sig!("()Z"), &[]).and_then(|value| value.z());
    env.exception_clear();
    matches!(answer, Ok(true))
}

/// The answer of a native that binds other natives: whether `bind` did.
pub(crate) fn answer(env: &mut EnvUnowned<'_>, bind: fn(&mut Env<'_>) -> Result<(), Error>) -> jboolean {
    env.with_env(|env| Ok::<jboolean, Error>(bind(env).is_ok())).resolve::<ThrowRuntimeExAndDefault>()
}

/// Hands the events of all threads over, at the end of the JVM.
pub(crate) fn finish(env: &mut Env<'_>) {
    if let Ok(sink) = env.find_class(JNIString::new(SinkClass::Sink.name())) {
        let _ = env.call_static_method(&sink, jni_str!("finish"), jni_sig!("()V"), &[]);
    }
    env.exception_clear();
}

/// `static native void drain(long address, long length, int thread)`
#[unsafe(no_mangle)]
pub(crate) extern "system" fn Java_java_lang_TracewrightTrace_drain<'local>(
    _env: EnvUnowned<'local>,
    _sink: JClass<'local>,
    address: jlong,
    length: jlong,
    thread: jint,
) {
    // SAFETY: see `recorded`.
    let bytes = unsafe { recorded(address, length) };
    if let (Some(recorder), false) = (RECORDER.get(), bytes.is_empty()) {
        recorder.buffer(bytes, thread as u32);
    }
}

/// `private static native void addPart(long address, long length, int thread)`
#[unsafe(no_mangle)]
pub(crate) extern "system" fn Java_java_lang_TracewrightRun_addPart<'local>(
    _env: EnvUnowned<'local>,
    _run: JClass<'local>,
    address: jlong,
    length: jlong,
    thread: jint,
) {
    // SAFETY: see `recorded`.
    let bytes = unsafe { recorded(address, length) };
    in_session(|session| session.add_part(thread as u32, bytes));
}

/// `private static native boolean addRun(long address, long length, int thread, int receiver,
/// boolean accompanied, boolean cut, int armed, boolean afterSkips)`
#[unsafe(no_mangle)]
pub(crate) extern "system" fn Java_java_lang_TracewrightRun_addRun<'local>(
    _env: EnvUnowned<'local>,
    _run: JClass<'local>,
    address: jlong,
    length: jlong,
    thread: jint,
    receiver: jint,
    accompanied: jboolean,
    cut: jboolean,
    armed: jint,
    after_skips: jboolean,
) -> jboolean {
    // SAFETY: see `recorded`.
    let bytes = unsafe { recorded(address, length) };
    let (thread, receiver) = (thread as u32, receiver as u32);
    let run = FinishedRun { thread, receiver, accompanied, cut, armed, after_skips, bytes: Vec::new() };
    in_session(|session| session.add_run(run, bytes)).unwrap_or(false)
}

/// `None` where no session is written, and after a panic, which must not leave a native.
fn in_session<T>(work: impl FnOnce(&Session) -> T) -> Option<T> {
    let session = RECORDER.get()?.session()?;
    catch_unwind(AssertUnwindSafe(|| work(session))).ok()
}

/// `private static native int frames()`
#[unsafe(no_mangle)]
pub(crate) extern "system" fn Java_java_lang_TracewrightRun_frames<'local>(
    _env: EnvUnowned<'local>,
    _run: JClass<'local>,
) -> jint {
    Environment::installed().map_or(0, |environment| environment.frame_count() as jint)
}

/// # Safety
/// The sink allocated the memory, wrote this many bytes of it, and its owner waits in this call.
unsafe fn recorded<'a>(address: jlong, length: jlong) -> &'a [u8] {
    if address == 0 || length <= 0 {
        return &[];
    }
    // SAFETY: the caller's.
    unsafe { std::slice::from_raw_parts(address as *const u8, length as usize) }
}

/// `private static native void awaitDrain()`
#[unsafe(no_mangle)]
pub(crate) extern "system" fn Java_java_lang_TracewrightTrace_awaitDrain<'local>(
    mut env: EnvUnowned<'local>,
    _sink: JClass<'local>,
) {
    env.with_env(|_| {
        if let Some(recorder) = RECORDER.get() {
            recorder.barrier();
        }
        Ok::<(), Error>(())
    })
    .resolve::<ThrowRuntimeExAndDefault>()
}

/// `private static native int announce(Class<?> type)`
#[unsafe(no_mangle)]
pub(crate) extern "system" fn Java_java_lang_TracewrightEvents_announce<'local>(
    mut env: EnvUnowned<'local>,
    _sink: JClass<'local>,
    class: JClass<'local>,
) -> jint {
    env.with_env(|_| {
        let name = Environment::installed().and_then(|environment| environment.class_name(&class).ok());
        Ok::<jint, Error>(match (RECORDER.get(), name) {
            (Some(recorder), Some(name)) => recorder.class(&name).0 as jint,
            // 0 stands for an object of an unknown class.
            _ => 0,
        })
    })
    .resolve::<ThrowRuntimeExAndDefault>()
}

/// `private static native boolean runInitialiser(Class<?> type)`
#[unsafe(no_mangle)]
pub(crate) extern "system" fn Java_java_lang_TracewrightStatics_runInitialiser<'local>(
    mut env: EnvUnowned<'local>,
    _sink: JClass<'local>,
    class: JClass<'local>,
) -> jboolean {
    env.with_env(|env| {
        // Java code cannot name the initialiser, but JNI can.
        let initialiser = match env.get_static_method_id(&class, jni_str!("<clinit>"), jni_sig!("()V")) {
            Ok(initialiser) => initialiser,
            // A class without an initialiser has no static state to set.
            Err(Error::MethodNotFound { .. }) => return Ok::<jboolean, Error>(true),
            Err(_) => {
                env.exception_clear();
                return Ok(false);
            }
        };
        // SAFETY: the method belongs to this class, takes nothing and returns nothing.
        let called = unsafe {
            env.call_static_method_unchecked(
                &class,
                initialiser,
                jni::signature::ReturnType::Primitive(jni::signature::Primitive::Void),
                &[],
            )
        };
        let done = called.is_ok() && !env.exception_check();
        env.exception_clear();
        Ok(done)
    })
    .resolve::<ThrowRuntimeExAndDefault>()
}

/// `public static native void stop(Thread thread)`
#[unsafe(no_mangle)]
pub(crate) extern "system" fn Java_java_lang_TracewrightSink_stop<'local>(
    mut env: EnvUnowned<'local>,
    _sink: JClass<'local>,
    thread: JObject<'local>,
) {
    env.with_env(|env| {
        let budget = env.new_object(jni_str!("java/lang/TracewrightBudget"), jni_sig!("()V"), &[])?;
        if let Some(environment) = Environment::installed() {
            // A thread that has ended needs not be stopped.
            let _ = environment.stop_thread(&thread, &budget);
        }
        Ok::<(), Error>(())
    })
    .resolve::<ThrowRuntimeExAndDefault>()
}

/// `public static native long classesLoaded()`
#[unsafe(no_mangle)]
pub(crate) extern "system" fn Java_java_lang_TracewrightSink_classesLoaded<'local>(
    _env: EnvUnowned<'local>,
    _sink: JClass<'local>,
) -> jlong {
    crate::classes_loaded() as jlong
}

/// `public static native long cpuNanos(Thread thread)`
#[unsafe(no_mangle)]
pub(crate) extern "system" fn Java_java_lang_TracewrightSink_cpuNanos<'local>(
    _env: EnvUnowned<'local>,
    _sink: JClass<'local>,
    thread: JObject<'local>,
) -> jlong {
    Environment::installed().and_then(|environment| environment.thread_cpu_nanos(&thread)).unwrap_or(-1)
}
