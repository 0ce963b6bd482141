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

/// How many classes the machine can have in work at the same time.
pub(crate) fn classes_at_once() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let by_memory = fs::read_to_string("/proc/meminfo").ok().and_then(|text| available_kilobytes(&text));
    let by_memory = by_memory.map_or(usize::MAX, |free| usize::try_from(free / KILOBYTES_BY_CLASS).unwrap_or(usize::MAX));
    (cores / CORES_BY_CLASS).min(by_memory).max(1)
}

/// `MemAvailable` of `/proc/meminfo` (proc_meminfo(5)).
fn available_kilobytes(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// The number before the slash in the fourth field of `/proc/loadavg` (proc_loadavg(5)).
fn running_threads(text: &str) -> Option<f64> {
    text.split(' ').nth(3)?.split_once('/')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{available_kilobytes, running_threads};

    #[test]
    fn running_threads_are_the_first_part_of_the_fourth_field() {
        assert_eq!(running_threads("12.10 9.44 4.84 13/412 29123\n"), Some(13.0));
        assert_eq!(running_threads("12.10 9.44"), None);
        assert_eq!(running_threads(""), None);
    }

    #[test]
    fn free_memory_is_what_programs_can_get() {
        assert_eq!(available_kilobytes("MemTotal:  100 kB\nMemFree: 2 kB\nMemAvailable:   4711 kB\n"), Some(4711));
        assert_eq!(available_kilobytes("MemTotal:  100 kB\n"), None);
    }
}
