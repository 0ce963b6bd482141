//! A small safe interface to JVMTI. Flows in: the `JavaVM` pointer that the JVM passes to an agent;
//! flows out: class files as they are loaded, the start and the end of the VM, and the few calls
//! that the agent makes. Must not know what an agent does with a class file.
//!
//! Function tables come from the crate `jvmti-bindings`, JNI from the crate `jni`.
//!
//! No panic reaches the JVM: a hook that panics changes nothing.

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_uchar};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::OnceLock;

pub use jni;
use jni::objects::{JClass, JObject};
use jni::refs::IntoAuto as _;
use jni::{Env, EnvUnowned};
use jvmti_bindings::sys::{jni as raw, jvmti as sys};
use thiserror::Error;

/// The events of the JVM. Implementations are called on any thread, `class_file` also before the VM
/// is initialised.
pub trait Hooks: Sync + Send {
    /// A class is about to be defined, redefined or retransformed; `Some` replaces its bytes.
    fn class_file(&self, class: &ClassFileEvent<'_>) -> Option<Vec<u8>>;

    /// The VM runs Java code from now on.
    fn vm_init(&self, environment: &Environment, env: &mut Env<'_>);

    /// Java code can still run, for the last time.
    fn vm_death(&self, env: &mut Env<'_>);

    /// A new thread of this name is about to run its first method. Called on this thread, and only
    /// after [`Environment::report_thread_starts`].
    fn thread_start(&self, _name: &str) {}
}

/// A class file on its way into the JVM.
#[derive(Debug)]
pub struct ClassFileEvent<'a> {
    /// Internal name, where the JVM knows it already.
    pub name: Option<Cow<'a, str>>,
    /// The class file.
    pub bytes: &'a [u8],
    /// The class exists already: only method bodies may change.
    pub retransformed: bool,
    /// Defined by the boot loader.
    pub boot: bool,
    /// Identity hash of the loader; 0: the boot loader, or the JVM cannot compute it yet.
    pub loader: u32,
}

/// A JVMTI call that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("JVMTI error {code} from {function}")]
pub struct Error {
    /// The JVMTI function that failed.
    pub function: &'static str,
    /// Its `jvmtiError`; `u32::MAX` where the JVM does not have the function.
    pub code: u32,
}

/// Capabilities that an agent may ask for; a JVM may lack some.
#[derive(Clone, Copy, Debug, Default)]
pub struct Capabilities {
    /// To see the files of all classes.
    pub class_hook: bool,
    /// To rewrite classes that are loaded already.
    pub retransform: bool,
    /// To throw exceptions in other threads.
    pub signal_thread: bool,
    /// To read the CPU time of threads.
    pub cpu_time: bool,
}

/// A JVMTI environment. Valid from `Agent_OnLoad` to the end of the process, on every thread.
pub struct Environment {
    raw: *mut RawEnvironment,
}

type RawEnvironment = sys::jvmtiEnv;

// SAFETY: JVMTI environments may be used from any thread (JVMTI specification, "Environments").
unsafe impl Send for Environment {}
// SAFETY: as above; its functions synchronise themselves.
unsafe impl Sync for Environment {}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Environment")
    }
}

/// The VM that an agent's entry point gets; see [`export_agent!`].
#[derive(Clone, Copy, Debug)]
pub struct Vm {
    raw: *mut raw::JavaVM,
}

// SAFETY: the JNI lets every thread use the `JavaVM` (JNI, The Invocation API).
unsafe impl Send for Vm {}

impl Vm {
    /// The VM behind a pointer.
    ///
    /// # Safety
    /// `vm` is the `JavaVM` that the JVM passed to the agent.
    pub unsafe fn from_raw(vm: *mut std::ffi::c_void) -> Vm {
        Vm { raw: vm.cast() }
    }

    /// A new environment.
    ///
    /// # Errors
    /// The JVM offers no JVMTI 11.
    pub fn environment(self) -> Result<Environment, Error> {
        let mut env: *mut std::ffi::c_void = ptr::null_mut();
        // SAFETY: `raw` is a live VM (`from_raw`), and `env` is written before it is read.
        let code = unsafe { ((**self.raw).GetEnv)(self.raw, &mut env, sys::JVMTI_VERSION_11) };
        if code == 0 && !env.is_null() {
            Ok(Environment { raw: env.cast() })
        } else {
            Err(Error { function: "GetEnv", code: code as u32 })
        }
    }

    /// Runs `action` with the JNI environment of this thread, and attaches the thread if necessary.
    /// `None`: it cannot be attached.
    pub fn with_jni<T>(self, action: impl FnOnce(&mut Env<'_>) -> T) -> Option<T> {
        // SAFETY: `raw` is a live VM (`from_raw`).
        let vm = unsafe { jni::JavaVM::from_raw(self.raw.cast()) };
        vm.attach_current_thread(|env| Ok::<T, jni::errors::Error>(action(env))).ok()
    }
}

/// Calls a function of the environment's table and turns its code into a `Result`.
macro_rules! call {
    ($environment:expr, $function:ident $(, $argument:expr)*) => {{
        let raw = $environment.raw;
        // SAFETY: `raw` points to a live environment (`Vm::environment`), whose table holds the
        // functions of JVMTI 11; the arguments are the caller's.
        let function = unsafe { (*(*raw).functions).$function };
        match function {
            // SAFETY: see above.
            Some(function) => match unsafe { function(raw $(, $argument)*) }.raw() as u32 {
                0 => Ok(()),
                code => Err(Error { function: stringify!($function), code }),
            },
            None => Err(Error { function: stringify!($function), code: u32::MAX }),
        }
    }};
}

struct Installed {
    environment: Environment,
    hooks: Box<dyn Hooks>,
}

/// One agent a process: callbacks carry no user data.
static INSTALLED: OnceLock<Installed> = OnceLock::new();

impl Environment {
    /// Adds those capabilities that this JVM can have now, and returns them.
    ///
    /// # Errors
    /// The JVM refuses them.
    pub fn add_capabilities(&self, wanted: Capabilities) -> Result<Capabilities, Error> {
        let mut potential = sys::jvmtiCapabilities::default();
        call!(self, GetPotentialCapabilities, &mut potential)?;
        let granted = Capabilities {
            class_hook: wanted.class_hook && potential.can_generate_all_class_hook_events(),
            retransform: wanted.retransform && potential.can_retransform_classes(),
            signal_thread: wanted.signal_thread && potential.can_signal_thread(),
            cpu_time: wanted.cpu_time && potential.can_get_thread_cpu_time(),
        };
        let mut capabilities = sys::jvmtiCapabilities::default();
        capabilities.set_can_generate_all_class_hook_events(granted.class_hook);
        capabilities.set_can_retransform_classes(granted.retransform);
        capabilities.set_can_retransform_any_class(granted.retransform && potential.can_retransform_any_class());
        capabilities.set_can_signal_thread(granted.signal_thread);
        capabilities.set_can_get_thread_cpu_time(granted.cpu_time);
        call!(self, AddCapabilities, &capabilities)?;
        Ok(granted)
    }

    /// Makes the JVM call the hooks, from now on. Only once in a process.
    ///
    /// # Errors
    /// Hooks are installed already, or the JVM refuses the events.
    pub fn install(self, hooks: Box<dyn Hooks>) -> Result<&'static Environment, Error> {
        if INSTALLED.set(Installed { environment: self, hooks }).is_err() {
            return Err(Error { function: "install", code: u32::MAX });
        }
        let environment = &INSTALLED.get().expect("set right above").environment;
        let mut callbacks = sys::jvmtiEventCallbacks::default();
        callbacks.VMInit = Some(on_vm_init);
        callbacks.VMDeath = Some(on_vm_death);
        callbacks.ThreadStart = Some(on_thread_start);
        callbacks.ClassFileLoadHook = Some(on_class_file);
        call!(environment, SetEventCallbacks, &callbacks, size_of::<sys::jvmtiEventCallbacks>() as i32)?;
        for event in [sys::JVMTI_EVENT_VM_INIT, sys::JVMTI_EVENT_VM_DEATH, sys::JVMTI_EVENT_CLASS_FILE_LOAD_HOOK] {
            call!(environment, SetEventNotificationMode, sys::JVMTI_ENABLE, event, ptr::null_mut())?;
        }
        Ok(environment)
    }

    /// Makes the JVM call [`Hooks::thread_start`], from now on.
    ///
    /// # Errors
    /// The JVM refuses the event.
    pub fn report_thread_starts(&self) -> Result<(), Error> {
        call!(self, SetEventNotificationMode, sys::JVMTI_ENABLE, sys::JVMTI_EVENT_THREAD_START, ptr::null_mut())
    }

    /// The environment that was installed, if any.
    pub fn installed() -> Option<&'static Environment> {
        INSTALLED.get().map(|installed| &installed.environment)
    }

    /// Calls `visit` with the internal name of each loaded class, and retransforms those for which
    /// it returns true. Returns their number, and name and error of each class that failed.
    ///
    /// # Errors
    /// The JVM does not list its classes.
    pub fn retransform_loaded(
        &self,
        env: &mut Env<'_>,
        mut visit: impl FnMut(&str) -> bool,
    ) -> Result<(usize, Vec<(String, Error)>), Error> {
        let mut count = 0;
        let mut classes: *mut raw::jclass = ptr::null_mut();
        call!(self, GetLoadedClasses, &mut count, &mut classes)?;
        let mut done = 0;
        let mut failed = Vec::new();
        for index in 0..count as usize {
            // SAFETY: the JVM filled `count` local references in, which this thread owns.
            let class = unsafe { *classes.add(index) };
            if let Ok(name) = self.raw_class_name(class)
                && visit(&name)
            {
                let mut modifiable = 0;
                match call!(self, IsModifiableClass, class, &mut modifiable).and_then(|()| {
                    if modifiable == 0 { Ok(false) } else { call!(self, RetransformClasses, 1, &class).map(|()| true) }
                }) {
                    Ok(true) => done += 1,
                    Ok(false) => {}
                    Err(error) => failed.push((name, error)),
                }
            }
            // SAFETY: a local reference of this thread, used no more.
            drop(unsafe { JObject::from_raw(env, class.cast()) }.auto());
        }
        call!(self, Deallocate, classes.cast())?;
        Ok((done, failed))
    }

    /// The internal name of a class (`java/lang/String`, `[I`).
    ///
    /// # Errors
    /// The JVM does not give the signature of the class.
    pub fn class_name(&self, class: &JClass<'_>) -> Result<String, Error> {
        self.raw_class_name(class.as_raw().cast())
    }

    fn raw_class_name(&self, class: raw::jclass) -> Result<String, Error> {
        let mut signature: *mut c_char = ptr::null_mut();
        call!(self, GetClassSignature, class, &mut signature, ptr::null_mut())?;
        // SAFETY: the JVM wrote a string that ends in NUL and is ours to deallocate.
        let text = decode(unsafe { CStr::from_ptr(signature) }).into_owned();
        call!(self, Deallocate, signature.cast())?;
        Ok(match text.strip_prefix('L').and_then(|text| text.strip_suffix(';')) {
            Some(name) => name.to_owned(),
            None => text,
        })
    }

    /// Number of frames of the current thread; 0 where the JVM does not say. Takes time in
    /// proportion to it.
    pub fn frame_count(&self) -> u32 {
        let mut count = 0;
        match call!(self, GetFrameCount, ptr::null_mut(), &mut count) {
            Ok(()) => count as u32,
            Err(_) => 0,
        }
    }

    /// The name of a thread. The references in its information end with the event that asks.
    fn thread_name(&self, thread: raw::jthread) -> Result<String, Error> {
        let mut info = sys::jvmtiThreadInfo {
            name: ptr::null_mut(),
            priority: 0,
            is_daemon: 0,
            thread_group: ptr::null_mut(),
            context_class_loader: ptr::null_mut(),
        };
        call!(self, GetThreadInfo, thread, &mut info)?;
        if info.name.is_null() {
            return Ok(String::new());
        }
        // SAFETY: the JVM wrote a string that ends in NUL and is ours to deallocate.
        let name = decode(unsafe { CStr::from_ptr(info.name) }).into_owned();
        call!(self, Deallocate, info.name.cast())?;
        Ok(name)
    }

    fn hash_of(&self, object: raw::jobject) -> u32 {
        if object.is_null() {
            return 0;
        }
        let mut hash = 0;
        match call!(self, GetObjectHashCode, object, &mut hash) {
            Ok(()) => hash as u32,
            Err(_) => 0,
        }
    }

    /// CPU time of a thread in nanoseconds; `None` where it has ended or the JVM cannot tell.
    pub fn thread_cpu_nanos(&self, thread: &JObject<'_>) -> Option<i64> {
        let mut nanos = 0;
        call!(self, GetThreadCpuTime, thread.as_raw().cast(), &mut nanos).ok().map(|()| nanos)
    }

    /// Throws an exception in another thread.
    ///
    /// # Errors
    /// The thread has ended, or the JVM cannot do it.
    pub fn stop_thread(&self, thread: &JObject<'_>, exception: &JObject<'_>) -> Result<(), Error> {
        call!(self, StopThread, thread.as_raw().cast(), exception.as_raw().cast())
    }
}

/// Decodes the modified UTF-8 of the JVM.
fn decode(text: &CStr) -> Cow<'_, str> {
    match text.to_str() {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(jvmti_bindings::mutf8::decode_cstr_lossy(text)),
    }
}

unsafe extern "system" fn on_vm_init(_env: *mut RawEnvironment, jni: *mut raw::JNIEnv, _thread: raw::jthread) {
    let Some(installed) = INSTALLED.get() else { return };
    // SAFETY: the JVM hands over the environment of this thread, valid for this call.
    let mut unowned = unsafe { EnvUnowned::from_raw(jni.cast()) };
    // `with_env` contains panics.
    let _ = unowned
        .with_env(|env| {
            installed.hooks.vm_init(&installed.environment, env);
            Ok::<(), jni::errors::Error>(())
        })
        .into_outcome();
}

unsafe extern "system" fn on_vm_death(_env: *mut RawEnvironment, jni: *mut raw::JNIEnv) {
    let Some(installed) = INSTALLED.get() else { return };
    // SAFETY: the JVM hands over the environment of this thread, valid for this call.
    let mut unowned = unsafe { EnvUnowned::from_raw(jni.cast()) };
    // `with_env` contains panics.
    let _ = unowned
        .with_env(|env| {
            installed.hooks.vm_death(env);
            Ok::<(), jni::errors::Error>(())
        })
        .into_outcome();
}

unsafe extern "system" fn on_thread_start(_env: *mut RawEnvironment, _jni: *mut raw::JNIEnv, thread: raw::jthread) {
    let Some(installed) = INSTALLED.get() else { return };
    let name = installed.environment.thread_name(thread).unwrap_or_default();
    let _ = catch_unwind(AssertUnwindSafe(|| installed.hooks.thread_start(&name)));
}

unsafe extern "system" fn on_class_file(
    _env: *mut RawEnvironment,
    _jni: *mut raw::JNIEnv,
    redefined: raw::jclass,
    loader: raw::jobject,
    name: *const c_char,
    _domain: raw::jobject,
    length: raw::jint,
    bytes: *const c_uchar,
    new_length: *mut raw::jint,
    new_bytes: *mut *mut c_uchar,
) {
    let Some(installed) = INSTALLED.get() else { return };
    if bytes.is_null() || length <= 0 {
        return;
    }
    let event = ClassFileEvent {
        // SAFETY: when not null, a string that ends in NUL and lives as long as this call.
        name: (!name.is_null()).then(|| decode(unsafe { CStr::from_ptr(name) })),
        // SAFETY: the JVM says that `length` bytes are there, and leaves them alone during this
        // call.
        bytes: unsafe { std::slice::from_raw_parts(bytes, length as usize) },
        retransformed: !redefined.is_null(),
        boot: loader.is_null(),
        loader: installed.environment.hash_of(loader),
    };
    let Ok(Some(new)) = catch_unwind(AssertUnwindSafe(|| installed.hooks.class_file(&event))) else { return };
    let Ok(size) = i32::try_from(new.len()) else { return };
    let mut memory: *mut c_uchar = ptr::null_mut();
    if call!(installed.environment, Allocate, i64::from(size), &mut memory).is_ok() && !memory.is_null() {
        // SAFETY: `memory` has room for `size` bytes and is fresh; the out-pointers are the JVM's.
        unsafe {
            ptr::copy_nonoverlapping(new.as_ptr(), memory, new.len());
            *new_length = size;
            *new_bytes = memory;
        }
    }
}

/// The option string of an agent's entry point.
///
/// # Safety
/// `options` is null or a string that ends in NUL, as the JVM hands it over.
pub unsafe fn options(options: *const c_char) -> String {
    if options.is_null() {
        return String::new();
    }
    // SAFETY: the caller's.
    unsafe { CStr::from_ptr(options) }.to_string_lossy().into_owned()
}

/// Defines `Agent_OnLoad`, `Agent_OnAttach` and `Agent_OnUnload`.
///
/// `$start` is a `fn(Vm, &str, bool) -> Result<(), String>`. It gets the options and whether the VM
/// runs already. Its error is printed, and the agent fails to start; a program to which it is
/// attached continues. `$stop` is a `fn()`.
#[macro_export]
macro_rules! export_agent {
    ($start:path, $stop:path) => {
        /// Called by the JVM at its start.
        ///
        /// # Safety
        /// Only the JVM calls it.
        #[unsafe(no_mangle)]
        pub unsafe extern "system" fn Agent_OnLoad(
            vm: *mut ::std::ffi::c_void,
            options: *const ::std::ffi::c_char,
            _reserved: *mut ::std::ffi::c_void,
        ) -> i32 {
            // SAFETY: the JVM calls this function, with its own pointers.
            unsafe { $crate::start_agent(vm, options, false, $start) }
        }

        /// Called by the JVM when the agent is attached to it.
        ///
        /// # Safety
        /// Only the JVM calls it.
        #[unsafe(no_mangle)]
        pub unsafe extern "system" fn Agent_OnAttach(
            vm: *mut ::std::ffi::c_void,
            options: *const ::std::ffi::c_char,
            _reserved: *mut ::std::ffi::c_void,
        ) -> i32 {
            // SAFETY: the JVM calls this function, with its own pointers.
            unsafe { $crate::start_agent(vm, options, true, $start) }
        }

        /// Called by the JVM at its end.
        #[unsafe(no_mangle)]
        pub extern "system" fn Agent_OnUnload(_vm: *mut ::std::ffi::c_void) {
            let _ = ::std::panic::catch_unwind($stop);
        }
    };
}

/// The body of the exported functions of [`export_agent!`].
///
/// # Safety
/// The pointers are those that the JVM hands to an agent's entry point.
#[doc(hidden)]
pub unsafe fn start_agent(
    vm: *mut std::ffi::c_void,
    agent_options: *const c_char,
    attached: bool,
    start: fn(Vm, &str, bool) -> Result<(), String>,
) -> i32 {
    let started = catch_unwind(|| {
        // SAFETY: the caller's.
        let (vm, text) = unsafe { (Vm::from_raw(vm), options(agent_options)) };
        start(vm, &text, attached)
    });
    match started {
        Ok(Ok(())) => 0,
        Ok(Err(message)) => {
            eprintln!("tracewright: {message}");
            -1
        }
        Err(_) => {
            eprintln!("tracewright: the agent failed to start, which is a fault of its own");
            -1
        }
    }
}
