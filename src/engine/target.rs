//! The class under test with everything that is known before it runs.
//!
//! Flows in: the program and the name that the user typed. Flows out: the test cluster and the
//! slots of branch outcomes and lines. Must not know how the class is run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::config::Config;
use crate::execution::TargetClass;
use crate::jvm::Surroundings;
use crate::path::BranchOutcome;
use crate::program::{self, ClassName, Cluster, ClusterConfig, MethodRef, Program, TargetError};
use tracewright_trace::{BranchSlot, LineSlot, search_sites};

/// A class under test and the classes nested in it.
#[derive(Debug)]
pub(super) struct Target {
    name: ClassName,
    cluster: Arc<Cluster>,
    classes: Vec<TargetClass>,
    branch_slots: u32,
    line_slots: u32,
    slots: BTreeMap<BranchOutcome, BranchSlot>,
    /// By method, the classes that it names and the class path lacks.
    missing: BTreeMap<MethodRef, BTreeSet<ClassName>>,
    surroundings: [Surroundings; 3],
    draws_random: bool,
}

impl Target {
    /// Finds the class, builds its test cluster and numbers the slots. `typed` is the name as the
    /// user wrote it.
    ///
    /// Fails where there is no such class or method, or where nothing of it can be called from a
    /// test.
    pub(super) fn new(program: &Arc<Program>, typed: &str, config: &Config) -> Result<Target, TargetError> {
        let model = program::find_target(program, typed)?;
        let method = config.method.as_deref().map(|typed| program::find_method(&model, typed)).transpose()?;
        let cluster_config = ClusterConfig { methods: method.into_iter().collect(), ..ClusterConfig::default() };
        let cluster = Cluster::build(program, &model.name, &cluster_config)?;
        let names = program::targets(program, &model.name);
        let mut classes = Vec::new();
        let mut slots = BTreeMap::new();
        let (mut branch_slots, mut line_slots) = (0, 0);
        for name in &names {
            let (branch_base, line_base) = (BranchSlot(branch_slots), LineSlot(line_slots));
            let Some(class) = program.class(name) else { continue };
            // The agent writes no probes either where the code cannot be read.
            let Ok(sites) = search_sites(&class.file) else { continue };
            for site in &sites.branches {
                let Some(method) = class.methods.iter().find(|method| method.index == site.method) else { continue };
                for outcome in 0..site.slots() {
                    let branch = BranchOutcome { method: method.reference.clone(), bci: site.bci, outcome };
                    slots.insert(branch, site.slot.of_outcome(outcome).from_base(branch_base));
                }
            }
            classes.push(TargetClass { name: name.clone(), branch_base, line_base });
            branch_slots += sites.branch_slots;
            line_slots += sites.line_slots;
        }
        let settings = program::setting_names(program, &names);
        Ok(Target {
            surroundings: Surroundings::variants(&settings),
            draws_random: settings.draws_random,
            missing: program::missing_classes(program, &names),
            cluster: Arc::new(cluster),
            name: model.name.clone(),
            classes,
            branch_slots,
            line_slots,
            slots,
        })
    }

    /// The class under test.
    pub(super) fn name(&self) -> &ClassName {
        &self.name
    }

    /// The class and those nested in it, each with its first branch slot and its first line slot.
    pub(super) fn classes(&self) -> &[TargetClass] {
        &self.classes
    }

    /// Surroundings in which its tests must hold. The first are those of a worker JVM.
    pub(super) fn surroundings(&self) -> &[Surroundings; 3] {
        &self.surroundings
    }

    /// Whether the class, or a project class that it names, draws random numbers without a seed.
    pub(super) fn draws_random(&self) -> bool {
        self.draws_random
    }

    /// The test cluster of the class.
    pub(super) fn cluster(&self) -> &Arc<Cluster> {
        &self.cluster
    }

    /// The classes that the class path lacks although a method of the target names them, by method.
    pub(super) fn missing_classes(&self) -> &BTreeMap<MethodRef, BTreeSet<ClassName>> {
        &self.missing
    }

    /// One sentence about the classes that the class path lacks; `None` where it lacks none.
    pub(super) fn missing_classes_sentence(&self) -> Option<String> {
        let classes: BTreeSet<&ClassName> = self.missing.values().flatten().collect();
        let classes: Vec<String> = classes.into_iter().map(ClassName::binary).collect();
        let methods: BTreeSet<&str> = self.missing.keys().map(|method| name_in_source(&method.name)).collect();
        let methods: Vec<&str> = methods.into_iter().collect();
        (!classes.is_empty()).then(|| {
            let (classes, methods) = (first_names(&classes), first_names(&methods));
            format!("the class path lacks {classes}, which {} needs in {methods}", self.name.binary())
        })
    }

    /// Internal name of the package of the tests.
    pub(super) fn test_package(&self) -> &str {
        &self.cluster.test_package
    }

    /// Slot of a branch outcome; `None` where the outcome is not in a class of the target.
    pub(super) fn slot_of(&self, branch: &BranchOutcome) -> Option<BranchSlot> {
        self.slots.get(branch).copied()
    }

    /// Every branch outcome with its slot.
    pub(super) fn branch_slots(&self) -> impl Iterator<Item = (&BranchOutcome, BranchSlot)> {
        self.slots.iter().map(|(site, slot)| (site, *slot))
    }

    /// Source level of the tests.
    pub(super) fn release(&self) -> u32 {
        self.cluster.release
    }

    /// Numbers of branch slots and of line slots.
    pub(super) fn slot_counts(&self) -> (u32, u32) {
        (self.branch_slots, self.line_slots)
    }
}

/// What the user calls a method: the body of a lambda belongs to the method around it.
pub(super) fn name_in_source(name: &str) -> &str {
    match name {
        "<init>" => "a constructor",
        "<clinit>" => "its initialiser",
        _ => name.strip_prefix("lambda$").and_then(|rest| rest.split('$').next()).unwrap_or(name),
    }
}

/// The first names, and how many there are besides.
fn first_names(names: &[impl AsRef<str>]) -> String {
    const MOST: usize = 5;
    let mut text = names.iter().take(MOST).map(AsRef::as_ref).collect::<Vec<&str>>().join(", ");
    if names.len() > MOST {
        text.push_str(&format!(" and {} more", names.len() - MOST));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{first_names, name_in_source};

    #[test]
    fn names_are_those_of_the_source_and_not_too_many() {
        assert_eq!(["<init>", "lambda$load$0", "load"].map(name_in_source), ["a constructor", "load", "load"]);
        assert_eq!(first_names(&["a", "b", "c", "d", "e", "f", "g"]), "a, b, c, d, e and 2 more");
        assert_eq!(first_names(&["a", "b"]), "a, b");
    }
}
