//! Target classes of search workers.

use tracewright::execution::TargetClass;
use tracewright::jvm::WorkerConfig;
use tracewright::program::ClassName;
use tracewright_classfile::ClassFile;
use tracewright_trace::{BranchSlot, LineSlot, search_sites};

/// Makes the classes the targets of a worker; their branch and line slots follow each other in this
/// order.
pub(crate) fn add_targets(config: &mut WorkerConfig, names: &[&str]) {
    for name in names {
        let bytes = std::fs::read(config.classpath[0].join(format!("{name}.class"))).expect("a class file");
        let sites = search_sites(&ClassFile::parse(&bytes).expect("well-formed")).expect("well-formed");
        config.targets.push(TargetClass {
            name: ClassName::new(name),
            branch_base: BranchSlot(config.branch_slots),
            line_base: LineSlot(config.line_slots),
        });
        config.branch_slots += sites.branches.iter().map(|site| site.slots()).sum::<u32>();
        config.line_slots += sites.lines.len() as u32;
    }
}
