//! The clock of a JVM in which tests must hold at another time than now. Flows in: how the clock
//! differs from the machine's; flows out: natives of the JDK that answer by this clock. Must not know
//! the callers of these natives.
//!
//! The JDK asks for the time in three natives; all its clocks and timers are above them. The JIT knows
//! two of them and reads the machine's clock itself, unless the JVM runs with
//! `-XX:DisableIntrinsic=_currentTimeMillis,_nanoTime`. Limited waits of the JVM are not changed:
//! `Object.wait(10)` takes ten milliseconds.

#![allow(non_snake_case)]

use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use jni::objects::JClass;
use jni::strings::JNIStr;
use jni::sys::{jboolean, jlong};
use jni::{Env, EnvUnowned, NativeMethod, jni_str};

const NANOS_A_MILLI: i64 = 1_000_000;
const NANOS_A_SECOND: i64 = 1_000_000_000;
const NANOS_A_DAY: i64 = 86_400 * NANOS_A_SECOND;

/// `VM.getNanoTimeAdjustment` answers -1 where the offset is further away than this many seconds.
const MOST_OFFSET: i64 = 1 << 32;

/// How a clock differs from the machine's. At its default it does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClockChange {
    /// The date is so many days later.
    pub(crate) later_days: u32,
    /// The time is a multiple of so many milliseconds. Short measurements give 0. With 0 the time is
    /// exact.
    pub(crate) step_ms: u32,
    /// Between any two questions so many milliseconds pass besides: code that measures how long
    /// something takes finds a slow machine.
    pub(crate) jump_ms: u32,
}

/// Natives carry no user data.
static CHANGE: OnceLock<ClockChange> = OnceLock::new();

/// How often the time was asked for.
static QUESTIONS: AtomicI64 = AtomicI64::new(0);

impl ClockChange {
    /// A time in nanoseconds, as this clock shows it at the question of this number.
    fn shown(self, nanos: i64, question: i64) -> i64 {
        let jumps = question.saturating_mul(i64::from(self.jump_ms) * NANOS_A_MILLI);
        let nanos = nanos.saturating_add(jumps);
        match i64::from(self.step_ms) * NANOS_A_MILLI {
            0 => nanos,
            step => nanos - nanos.rem_euclid(step),
        }
    }

    /// The date, in nanoseconds since 1970.
    fn date(self, nanos: i64, question: i64) -> i64 {
        self.shown(nanos.saturating_add(i64::from(self.later_days).saturating_mul(NANOS_A_DAY)), question)
    }
}

/// Lets the natives of the JDK answer by a clock that differs so. The sink is defined.
///
/// # Errors
/// A sentence that says why the clock is still the machine's.
pub(crate) fn change(env: &mut Env<'_>, change: ClockChange) -> Result<(), String> {
    if change == ClockChange::default() {
        return Ok(());
    }
    let _ = CHANGE.set(change);
    // The JVM warns about natives of the JDK that are bound by code outside of it. The sink is inside.
    if crate::sink::asks(env, jni_str!("changeClock")) {
        Ok(())
    } else {
        Err("the clock is the machine's: the JVM does not rebind its natives".to_owned())
    }
}

/// `private static native boolean rebindClock()`
#[unsafe(no_mangle)]
pub(crate) extern "system" fn Java_java_lang_TracewrightSink_rebindClock<'local>(
    mut env: EnvUnowned<'local>,
    _sink: JClass<'local>,
) -> jboolean {
    crate::sink::answer(&mut env, rebind)
}

fn rebind(env: &mut Env<'_>) -> Result<(), jni::errors::Error> {
    // SAFETY: the functions have the shapes of the natives, which are static.
    let native = |name: &'static JNIStr, descriptor: &'static JNIStr, function: *mut std::ffi::c_void| unsafe {
        NativeMethod::from_raw_parts(name, descriptor, function)
    };
    let system = [
        native(jni_str!("currentTimeMillis"), jni_str!("()J"), current_time_millis as *mut _),
        native(jni_str!("nanoTime"), jni_str!("()J"), nano_time as *mut _),
    ];
    let vm = [native(jni_str!("getNanoTimeAdjustment"), jni_str!("(J)J"), nano_time_adjustment as *mut _)];
    // SAFETY: see above.
    unsafe {
        env.register_native_methods(jni_str!("java/lang/System"), &system)?;
        env.register_native_methods(jni_str!("jdk/internal/misc/VM"), &vm)
    }
}

/// `public static native long nanoTime()`: the machine's, for limits that the runner sets.
#[unsafe(no_mangle)]
pub(crate) extern "system" fn Java_java_lang_TracewrightSink_nanoTime<'local>(
    _env: EnvUnowned<'local>,
    _sink: JClass<'local>,
) -> jlong {
    monotonic_nanos()
}

extern "system" fn current_time_millis<'local>(_env: EnvUnowned<'local>, _system: JClass<'local>) -> jlong {
    date_nanos().div_euclid(NANOS_A_MILLI)
}

extern "system" fn nano_time<'local>(_env: EnvUnowned<'local>, _system: JClass<'local>) -> jlong {
    current_change().shown(monotonic_nanos(), next_question())
}

extern "system" fn nano_time_adjustment<'local>(_env: EnvUnowned<'local>, _vm: JClass<'local>, offset: jlong) -> jlong {
    adjustment(date_nanos(), offset)
}

/// Nanoseconds from `offset`, in seconds since 1970, to a date; -1 where that is too far.
fn adjustment(date: i64, offset: i64) -> i64 {
    let seconds = date.div_euclid(NANOS_A_SECOND).saturating_sub(offset);
    if seconds.abs() > MOST_OFFSET {
        return -1;
    }
    seconds * NANOS_A_SECOND + date.rem_euclid(NANOS_A_SECOND)
}

fn current_change() -> ClockChange {
    CHANGE.get().copied().unwrap_or_default()
}

fn next_question() -> i64 {
    QUESTIONS.fetch_add(1, Ordering::Relaxed)
}

fn date_nanos() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    current_change().date(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX), next_question())
}

/// The clock that `System.nanoTime` reads on Linux.
fn monotonic_nanos() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time is ours to write; the clock exists on every system that the agent is built for.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec * NANOS_A_SECOND + time.tv_nsec
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = NANOS_A_SECOND;

    #[test]
    fn a_clock_is_later_stands_still_or_jumps() {
        let same = ClockChange::default();
        assert_eq!(same.date(5 * SECOND + 7, 3), 5 * SECOND + 7);
        let later = ClockChange { later_days: 2, ..same };
        assert_eq!(later.date(5, 3), 2 * NANOS_A_DAY + 5);
        assert_eq!(later.shown(5, 3), 5, "only the date is later");
        let stepping = ClockChange { step_ms: 20, ..same };
        assert_eq!([0, 19_999_999, 20_000_000, -1].map(|nanos| stepping.shown(nanos, 3)), [0, 0, 20_000_000, -20_000_000]);
        let jumping = ClockChange { jump_ms: 5, ..same };
        assert_eq!([0, 1, 2].map(|question| jumping.shown(7, question)), [7, 5_000_007, 10_000_007]);
    }

    #[test]
    fn adjustments_are_relative_to_an_offset_that_is_near() {
        assert_eq!(adjustment(1000 * SECOND + 9, 990), 10 * SECOND + 9);
        assert_eq!(adjustment(-1, 0), -1, "a nanosecond before 1970");
        assert_eq!(adjustment(0, MOST_OFFSET + 1), -1);
        assert_eq!(adjustment(0, i64::MIN), -1);
    }
}
