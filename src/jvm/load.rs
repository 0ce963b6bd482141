//! How busy the machine is, and how much it can take. In: what the kernel reports. Out: numbers. Must not know how the
//! engine uses them.

use std::fs;

/// Threads that want to run now, those of this process and of JVMs included, for each core; `None`
/// where the kernel does not tell.
pub(crate) fn threads_per_core() -> Option<f64> {
    let cores = std::thread::available_parallelism().ok()?.get();
    Some(running_threads(&fs::read_to_string("/proc/loadavg").ok()?)? / cores as f64)
}

/// Cores for one class in work: its search and symbolic execution run at the same time.
const CORES_BY_CLASS: usize = 2;
/// Memory in kilobytes for the JVMs of one class in work.
const KILOBYTES_BY_CLASS: u64 = 1_500_000;

/// How many classes the machine can have in work at the same time with so many kilobytes of memory; `None`: the kernel
/// does not tell how much there is.
pub(crate) fn classes_at_once(memory: Option<u64>) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (cores / CORES_BY_CLASS).min(classes_in(memory)).max(1)
}

/// How many classes fit into so many kilobytes of memory.
pub(crate) fn classes_in(memory: Option<u64>) -> usize {
    memory.map_or(usize::MAX, |limit| usize::try_from(limit / KILOBYTES_BY_CLASS).unwrap_or(usize::MAX)).max(1)
}

/// The number before the slash in the fourth field of `/proc/loadavg` (proc_loadavg(5)).
fn running_threads(text: &str) -> Option<f64> {
    text.split(' ').nth(3)?.split_once('/')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{classes_at_once, classes_in, running_threads};

    #[test]
    fn running_threads_are_the_first_part_of_the_fourth_field() {
        assert_eq!(running_threads("12.10 9.44 4.84 13/412 29123\n"), Some(13.0));
        assert_eq!(running_threads("12.10 9.44"), None);
        assert_eq!(running_threads(""), None);
    }

    #[test]
    fn memory_limits_the_classes_in_work() {
        assert_eq!(classes_in(Some(3 * super::KILOBYTES_BY_CLASS)), 3);
        assert_eq!((classes_in(Some(0)), classes_at_once(Some(0))), (1, 1), "one class is in work in any case");
        assert!(classes_at_once(None) <= classes_in(None));
    }
}
