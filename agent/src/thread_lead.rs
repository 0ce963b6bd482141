//! New threads that run before `Thread.start` returns. Flows in: how long `Thread.start` waits; flows out: the native
//! of the JDK that starts a thread. Must not know who starts threads.
//!
//! A test may start a thread and assert what the thread has not done yet. It passes as long as threads are slow. Where
//! they have a lead, `Thread.start` returns that much later, and most threads have begun by then.

use std::ffi::c_void;
use std::sync::OnceLock;
use std::time::Duration;

use jni::objects::JClass;
use jni::sys::{JNIEnv, jboolean, jobject};
use jni::{Env, EnvUnowned, NativeMethod, jni_str};

/// The function of the JVM behind `Thread.start0`.
type StartThread = unsafe extern "system" fn(*mut JNIEnv, jobject);

/// Natives carry no user data.
static LEAD: OnceLock<Lead> = OnceLock::new();

struct Lead {
    start: StartThread,
    wait: Duration,
}

/// Lets `Thread.start` wait so long before it returns. The sink is defined.
///
/// # Errors
/// A sentence that says why threads start as usual.
pub(crate) fn give(env: &mut Env<'_>, wait: Duration) -> Result<(), String> {
    if wait.is_zero() {
        return Ok(());
    }
    // SAFETY: the name ends with a zero byte.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"JVM_StartThread".as_ptr()) };
    if found.is_null() {
        return Err("threads have no lead: the JVM does not export how it starts them".to_owned());
    }
    // SAFETY: the JVM exports the function of this shape under this name (`jvm.h` of OpenJDK).
    let start = unsafe { std::mem::transmute::<*mut c_void, StartThread>(found) };
    let _ = LEAD.set(Lead { start, wait });
    // As for the clock, a class of the boot loader asks for it.
    if crate::sink::asks(env, jni_str!("leadThreads")) {
        Ok(())
    } else {
        Err("threads have no lead: the JVM does not rebind its natives".to_owned())
    }
}

/// `private static native boolean rebindThreads()`
#[unsafe(no_mangle)]
pub(crate) extern "system" fn Java_java_lang_TracewrightSink_rebindThreads<'local>(
    mut env: EnvUnowned<'local>,
    _sink: JClass<'local>,
) -> jboolean {
    crate::sink::answer(&mut env, rebind)
}

fn rebind(env: &mut Env<'_>) -> Result<(), jni::errors::Error> {
    // SAFETY: the function has the shape of the native, which is no static one.
    let start = unsafe { NativeMethod::from_raw_parts(jni_str!("start0"), jni_str!("()V"), start_thread as *mut _) };
    // SAFETY: see above.
    unsafe { env.register_native_methods(jni_str!("java/lang/Thread"), &[start]) }
}

/// `private native void start0()`
///
/// # Safety
/// The JVM calls it for this native.
unsafe extern "system" fn start_thread(env: *mut JNIEnv, thread: jobject) {
    let Some(lead) = LEAD.get() else { return };
    // SAFETY: the arguments are those of the JVM.
    unsafe { (lead.start)(env, thread) };
    std::thread::sleep(lead.wait);
}
