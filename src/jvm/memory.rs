//! How much memory a run may take, and how much it takes.
//!
//! In: what the kernel reports of the machine, of the container and of processes. Out: kilobytes. Must not know how
//! the engine uses them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the hierarchy of control groups is mounted (cgroups(7)).
const GROUPS: &str = "/sys/fs/cgroup";

/// The memory that a run may take where the user does not say: half of what is free, in the container where there is
/// one. `None` where the kernel does not tell.
pub(crate) fn usual_memory_limit() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| available_kilobytes(&text));
    let group = fs::read_to_string("/proc/self/cgroup").ok();
    let container = group_folders(&group.unwrap_or_default()).iter().filter_map(|folder| free_in_group(folder)).min();
    machine.into_iter().chain(container).min().map(|free| free / 2)
}

/// `MemAvailable` of `/proc/meminfo` (proc_meminfo(5)).
fn available_kilobytes(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// The folders of the control groups that this process is in. In a container, the mounted hierarchy begins with its
/// own group.
fn group_folders(text: &str) -> Vec<PathBuf> {
    let unified = text.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default();
    let mut folders = vec![PathBuf::from(GROUPS), Path::new(GROUPS).join("memory")];
    let mut folder = Path::new(GROUPS).join(unified);
    while folder.as_path() != Path::new(GROUPS) && folder.starts_with(GROUPS) {
        folders.push(folder.clone());
        folder.pop();
    }
    folders
}

/// What a control group may still take. Files are those of version 2 or 1; a group without a limit has none.
fn free_in_group(folder: &Path) -> Option<u64> {
    let bytes =
        |names: [&str; 2]| names.iter().find_map(|name| fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok());
    let limit = bytes(["memory.max", "memory.limit_in_bytes"])?;
    let used = bytes(["memory.current", "memory.usage_in_bytes"]).unwrap_or(0);
    Some(limit.saturating_sub(used) / 1024)
}

/// The resident memory of this process and of all processes that it has started, in kilobytes. Pages that several of
/// them share count for each.
pub(crate) fn used_kilobytes() -> u64 {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(process) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        if let Some(parent) = parent_of(&stat) {
            children.entry(parent).or_default().push(process);
        }
    }
    let mut pending = vec![std::process::id()];
    let mut used = 0;
    while let Some(process) = pending.pop() {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        used += resident_kilobytes(&status).unwrap_or(0);
        pending.extend(children.remove(&process).unwrap_or_default());
    }
    used
}

/// The parent in `/proc/<pid>/stat` (proc_pid_stat(5)). The name before it may have blanks and brackets.
fn parent_of(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// `VmRSS` of `/proc/<pid>/status` (proc_pid_status(5)).
fn resident_kilobytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_memory_is_what_programs_can_get() {
        assert_eq!(available_kilobytes("MemTotal:  100 kB\nMemFree: 2 kB\nMemAvailable:   4711 kB\n"), Some(4711));
        assert_eq!(available_kilobytes("MemTotal:  100 kB\n"), None);
    }

    #[test]
    fn the_limit_of_a_group_is_that_of_any_group_around_it() {
        let folders = group_folders("12:memory:/a\n0::/user.slice/build.scope\n");
        let expected = ["", "memory", "user.slice/build.scope", "user.slice"].map(|name| Path::new(GROUPS).join(name));
        assert_eq!(folders.iter().map(|folder| folder.join("")).collect::<Vec<_>>(), expected.map(|folder| folder.join("")));
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("writable");
        write("memory.current", "1048576\n");
        assert_eq!(free_in_group(folder.path()), None);
        write("memory.max", "max\n");
        assert_eq!(free_in_group(folder.path()), None);
        write("memory.max", "4194304\n");
        assert_eq!(free_in_group(folder.path()), Some(3072));
    }

    #[test]
    fn processes_are_known_by_their_parents() {
        assert_eq!(parent_of("17 (a) b (c) S 4 17 17 0 -1"), Some(4));
        assert_eq!(parent_of(""), None);
        assert_eq!(resident_kilobytes("Name:\tx\nVmRSS:\t    1234 kB\n"), Some(1234));
        assert!(used_kilobytes() > 1000, "this test takes some");
    }
}
