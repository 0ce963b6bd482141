//! How busy the machine is. In: the load that the kernel reports. Out: a number. Must not know how the
//! engine uses that number.

use std::fs;

/// Threads that want to run now, those of this process and of JVMs included, for each core; `None`
/// where the kernel does not tell.
pub(crate) fn threads_per_core() -> Option<f64> {
    let cores = std::thread::available_parallelism().ok()?.get();
    Some(running_threads(&fs::read_to_string("/proc/loadavg").ok()?)? / cores as f64)
}

/// The number before the slash in the fourth field of `/proc/loadavg` (proc_loadavg(5)).
fn running_threads(text: &str) -> Option<f64> {
    text.split(' ').nth(3)?.split_once('/')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::running_threads;

    #[test]
    fn running_threads_are_the_first_part_of_the_fourth_field() {
        assert_eq!(running_threads("12.10 9.44 4.84 13/412 29123\n"), Some(13.0));
        assert_eq!(running_threads("12.10 9.44"), None);
        assert_eq!(running_threads(""), None);
    }
}
