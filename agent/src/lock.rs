//! The mutex of the agent. Flows in: a value; flows out: exclusive access to it. Must not know what
//! it guards.
//!
//! All mutexes of the agent are of this type, so that a test can assert that the threads of a
//! recorded program take none while they record.

use std::sync::{Mutex, MutexGuard};

#[cfg(test)]
thread_local! {
    /// Acquisitions by this thread.
    static ACQUIRED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// A mutex that ignores poisoning: its values are plain tables, whole after each statement.
#[derive(Debug, Default)]
pub(crate) struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    /// Waits until no other thread holds the value.
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        #[cfg(test)]
        ACQUIRED.with(|acquired| acquired.set(acquired.get() + 1));
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// How many locks this thread has acquired since it started.
#[cfg(test)]
pub(crate) fn acquired_by_this_thread() -> u64 {
    ACQUIRED.with(std::cell::Cell::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acquisitions_are_counted_by_thread() {
        let lock = Lock::<u32>::default();
        let before = acquired_by_this_thread();
        *lock.lock() += 1;
        assert_eq!(acquired_by_this_thread(), before + 1);
        let of_another = std::thread::spawn(acquired_by_this_thread).join().expect("no panic");
        assert_eq!(of_another, 0);
    }
}
