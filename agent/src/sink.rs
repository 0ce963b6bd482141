//! The sink inside the JVM. Flows in: its class files, compiled by `build.rs`; flows out: the classes defined in `java.lang` with the
//! null loader. Must not know how classes are rewritten.
//!
//! Its natives are bound by name: the JVM looks into agent libraries for the natives of the boot loader's classes, but into one that is attached
//! only when attaching is over (and it warns on standard output of those that are registered): until then no class is rewritten.

#![allow(non_snake_case)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use jni::errors::{Error, ThrowRuntimeExAndDefault};
use jni::objects::{JClass, JClassLoader, JObject, JString, JValue};
use jni::strings::JNIString;
use jni::sys::{jboolean, jint, jlong};
use jni::{Env, EnvUnowned, jni_sig, jni_str};
use tracewright_jvmti::Environment;

use crate::options::{Mode, Options};
use crate::recorder::Recorder;
use crate::session::Session;

include!(concat!(env!("OUT_DIR"), "/sink_classes.rs"));

/// Internal name of the class that probes call.
pub(crate) const SINK: &str = "java/lang/TracewrightSink";
/// Internal name of the class that mutated code calls.
pub(crate) const MUTANTS: &str = "java/lang/TracewrightMutants";

/// What the natives write to; natives carry no user data.
static RECORDER: OnceLock<&'static Recorder> = OnceLock::new();

/// Defines the sink and hands it its configuration. From now on rewritten classes may be linked.
pub(crate) fn define(env: &mut Env<'_>, options: &Options, recorder: &'static Recorder) -> Result<(), String> {
    let _ = RECORDER.set(recorder);
    define_classes(env, options).map_err(|error| {
        let what = env.exception_occurred().map(|_| " (with an exception)").unwrap_or_default();
        env.exception_clear();
        format!("the sink cannot be defined: {error}{what}")
    })
}

fn define_classes(env: &mut Env<'_>, options: &Options) -> Result<(), Error> {
    let loader = JClassLoader::null();
    for (name, bytes) in CLASSES {
        env.define_class(Some(JNIString::new(*name)), &loader, bytes)?;
    }
    let sink = env.find_class(JNIString::new(SINK))?;
    if options.mode == Mode::Record {
        env.call_static_method(&sink, jni_str!("recordRuns"), jni_sig!("()V"), &[])?;
    }
    let mode = match options.mode {
        _ if options.sink_off => 0,
        // A run under a mutant is a run of the search as far as its budget and static state go.
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
        let mutants = env.find_class(JNIString::new(MUTANTS))?;
        let highest = [JValue::Int(options.mutants as i32)];
        env.call_static_method(&mutants, jni_str!("configure"), jni_sig!("(I)V"), &highest)?;
    }
    if let (Mode::Guard, Some(folder)) = (options.mode, &options.temporary) {
        let folder = env.new_string(folder.to_string_lossy())?;
        env.call_static_method(&sink, jni_str!("arm"), jni_sig!("(Ljava/lang/String;)V"), &[JValue::Object(&folder)])?;
    }
    Ok(())
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

/// A system property of the VM.
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

/// Has the threads' buffers written at the end of the VM.
pub(crate) fn finish(env: &mut Env<'_>) {
    if let Ok(sink) = env.find_class(JNIString::new(SINK)) {
        let _ = env.call_static_method(&sink, jni_str!("finish"), jni_sig!("()V"), &[]);
    }
    env.exception_clear();
}

/// `static native void drain(long address, long length, int thread)`
#[unsafe(no_mangle)]
pub(crate) extern "system" fn Java_java_lang_TracewrightSink_drain<'local>(
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

/// `private static native boolean part(long address, long length, int thread)`
#[unsafe(no_mangle)]
pub(crate) extern "system" fn Java_java_lang_TracewrightRun_part<'local>(
    _env: EnvUnowned<'local>,
    _run: JClass<'local>,
    address: jlong,
    length: jlong,
    thread: jint,
) -> jboolean {
    // SAFETY: see `recorded`.
    let bytes = unsafe { recorded(address, length) };
    in_session(|session| session.part(thread as u32, bytes)).unwrap_or(false)
}

/// `private static native int whole(long address, long length, int thread, boolean accompanied, int receiver)`
#[unsafe(no_mangle)]
pub(crate) extern "system" fn Java_java_lang_TracewrightRun_whole<'local>(
    _env: EnvUnowned<'local>,
    _run: JClass<'local>,
    address: jlong,
    length: jlong,
    thread: jint,
    accompanied: jboolean,
    receiver: jint,
) -> jint {
    // SAFETY: see `recorded`.
    let bytes = unsafe { recorded(address, length) };
    let next = in_session(|session| session.run(thread as u32, bytes, accompanied, receiver as u32)).flatten();
    next.map_or(-1, |pass| pass as jint)
}

/// Nothing where no session is written, or after a panic, which must not leave a native.
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
pub(crate) extern "system" fn Java_java_lang_TracewrightSink_awaitDrain<'local>(
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
pub(crate) extern "system" fn Java_java_lang_TracewrightSink_announce<'local>(
    mut env: EnvUnowned<'local>,
    _sink: JClass<'local>,
    class: JClass<'local>,
) -> jint {
    env.with_env(|_| {
        let name = Environment::installed().and_then(|environment| environment.class_name(&class).ok());
        Ok::<jint, Error>(match (RECORDER.get(), name) {
            (Some(recorder), Some(name)) => recorder.class(&name).0 as jint,
            // The number of no class: an object of an unknown one.
            _ => 0,
        })
    })
    .resolve::<ThrowRuntimeExAndDefault>()
}

/// `private static native boolean runInitialiser(Class<?> type)`
#[unsafe(no_mangle)]
pub(crate) extern "system" fn Java_java_lang_TracewrightSink_runInitialiser<'local>(
    mut env: EnvUnowned<'local>,
    _sink: JClass<'local>,
    class: JClass<'local>,
) -> jboolean {
    env.with_env(|env| {
        // Java code cannot name the initialiser; JNI can.
        let initialiser = match env.get_static_method_id(&class, jni_str!("<clinit>"), jni_sig!("()V")) {
            Ok(initialiser) => initialiser,
            // The static fields of a class without an initialiser are as fresh as they can be.
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
            // A thread that has ended needs no stopping.
            let _ = environment.stop_thread(&thread, &budget);
        }
        Ok::<(), Error>(())
    })
    .resolve::<ThrowRuntimeExAndDefault>()
}
