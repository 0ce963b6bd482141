//! All kinds of probes, in a JVM. A small Java class runs, and what the sink saw is compared with a
//! golden. All JDKs must agree.

mod common {
    pub(crate) mod golden;
    pub(crate) mod jvm;
    pub(crate) mod output;
    pub(crate) mod run;
}

use std::collections::BTreeMap;
use std::fs;

use common::golden::check_golden;
use common::jvm::{compile, jdks};
use common::output::output;
use tracewright_classfile::{ClassFile, Condition};
use tracewright_trace::{
    BranchSiteKind, BranchSlot, ClassId, Decoder, Event, Reference, SearchSites, Site, TraceSites, Verdict, class_hash, decode,
    search_sites, trace_sites,
};

fn class(bytes: &[u8]) -> ClassFile {
    ClassFile::parse(bytes).expect("a class file")
}

/// `eq#0 icmp-ne: not 0, taken 7`
fn distances_text(class: &ClassFile, sites: &SearchSites, raw: &str) -> String {
    let mut text = String::new();
    for line in raw.lines() {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let [call, branches, lines, seen] = parts[..] else { panic!("{line}") };
        let distances: BTreeMap<BranchSlot, f64> = branches
            .split_whitespace()
            .map(|pair| pair.split_once(':').expect("slot and distance"))
            .map(|(slot, distance)| (BranchSlot(slot.parse().expect("a slot")), distance.parse().expect("a distance")))
            .collect();
        text += &format!("{call}\n");
        for site in &sites.branches {
            let Some(first) = distances.get(&site.slot) else { continue };
            let condition = |kind: &str, condition: Condition| format!("{kind}-{}", format!("{condition:?}").to_lowercase());
            let (kind, outcomes) = match &site.kind {
                BranchSiteKind::If(c) => (condition("if", *c), vec!["not".to_owned(), "taken".to_owned()]),
                BranchSiteKind::IfIcmp(c) => (condition("icmp", *c), vec!["not".to_owned(), "taken".to_owned()]),
                BranchSiteKind::IfAcmp(c) => (condition("acmp", *c), vec!["not".to_owned(), "taken".to_owned()]),
                BranchSiteKind::IfNull(c) => (condition("null", *c), vec!["not".to_owned(), "taken".to_owned()]),
                BranchSiteKind::TableSwitch { low, high } => {
                    ("switch".to_owned(), (*low..=*high).map(|key| key.to_string()).chain(["default".to_owned()]).collect())
                }
                BranchSiteKind::LookupSwitch { keys } => {
                    ("switch".to_owned(), keys.iter().map(|key| key.to_string()).chain(["default".to_owned()]).collect())
                }
            };
            let method = class.method(site.method);
            let values: Vec<String> = outcomes
                .iter()
                .enumerate()
                .map(|(index, name)| {
                    format!("{name} {}", distances.get(&site.slot.of_outcome(index as u32)).copied().unwrap_or(f64::NAN))
                })
                .collect();
            assert!(!first.is_nan());
            text += &format!("    {}@{} {kind}: {}\n", method.name(), site.bci, values.join(", "));
        }
        let lines: Vec<String> =
            lines.split_whitespace().map(|slot| sites.lines[slot.parse::<usize>().expect("a slot")].line.to_string()).collect();
        text += &format!("    lines {}\n", lines.join(" "));
        if seen != "[]" {
            text += &format!("    seen {seen}\n");
        }
    }
    text
}

#[test]
fn branch_distances_and_lines() {
    let folder = compile(&["Distances", "DistancesMain"]);
    let class = class(&fs::read(folder.join("Distances.class")).expect("compiled"));
    let sites = search_sites(&class).expect("numbered");
    // Bases other than 0, and slots behind the last one, reveal a wrong base.
    let options =
        format!("mode=search,target=Distances 2 3,branch-slots={},line-slots={}", sites.branch_slots + 4, sites.line_slots + 5);
    let mut moved = sites.clone();
    moved.branches.iter_mut().for_each(|site| site.slot = site.slot.from_base(BranchSlot(2)));
    let pad = moved.lines[0];
    moved.lines.splice(0..0, [pad; 3]);
    for jdk in jdks() {
        let raw = output(&jdk, &options, &[], &folder, "DistancesMain", &[]);
        check_golden("distances.txt", &distances_text(&class, &moved, &raw));
    }
}

/// Numbers that differ between JVMs become numbers in order of appearance; sites become positions.
fn trace_text(events: &[Event], classes: &BTreeMap<String, (ClassFile, TraceSites, u64)>) -> String {
    let mut names: BTreeMap<ClassId, String> = BTreeMap::new();
    let mut bases: BTreeMap<u32, &str> = BTreeMap::new();
    let mut objects: BTreeMap<(u32, ClassId), usize> = BTreeMap::new();
    let mut text = String::new();
    for event in events {
        let mut reference = |value: &Reference| {
            if value.is_null() {
                return "null".to_owned();
            }
            let next = objects.len();
            let number = *objects.entry((value.hash, value.class)).or_insert(next);
            let name = names.get(&value.class).expect("announced before its first use");
            let length = if name.starts_with('[') { format!(" length {}", value.length) } else { String::new() };
            // The rest of the name of a lambda's class differs between runs.
            let name = name.split_inclusive("$$Lambda").next().unwrap_or(name);
            format!("object {number} of {name}{length}")
        };
        let place = |site: Site| {
            let (base, name) = bases.range(..=site.0).next_back().expect("announced before its first event");
            let (class, sites, _) = &classes[*name];
            let at = sites.sites[(site.0 - base) as usize];
            (format!("{name}.{}@{}", class.method(at.method).name(), at.bci), at.kind)
        };
        let site = |site: Site| place(site).0;
        let line = match event {
            Event::Class { id, name } => {
                assert!(names.insert(*id, name.clone()).is_none(), "{name} is announced twice");
                continue;
            }
            Event::ClassSites { base, count, class, hash } => {
                let name = &names[class];
                let (key, (_, sites, expected)) = classes.get_key_value(name).expect("one of the sample's");
                assert_eq!((*count as usize, *hash), (sites.sites.len(), *expected), "{name}");
                bases.insert(*base, key);
                continue;
            }
            Event::BranchNot => "  not taken".to_owned(),
            Event::BranchTaken => "  taken".to_owned(),
            Event::Switch { key } => format!("  switch {key}"),
            Event::Load32 { value } => format!("  load32 {}", *value as i32),
            Event::Load64 { value } => format!("  load64 {}", *value as i64),
            Event::LoadRef { value } => format!("  load {}", reference(value)),
            Event::RetVoid { site: at } => format!("{} ret", site(*at)),
            Event::Ret32 { site: at, value } => format!("{} ret32 {}", site(*at), *value as i32),
            Event::Ret64 { site: at, value } => format!("{} ret64 {}", site(*at), *value as i64),
            Event::RetRef { site: at, value } => format!("{} ret {}", site(*at), reference(value)),
            Event::Entry { site: at } => format!("{} entry", site(*at)),
            Event::Exit => "  exit".to_owned(),
            Event::Caught { site: at, value } => format!("{} caught {}", site(*at), reference(value)),
            Event::ArgRef { index, value } => format!("  arg {index} {}", reference(value)),
            Event::ResultRef { index, value } => format!("result {index} {}", reference(value)),
            Event::Thrown { index, value } => format!("thrown {index} {}", reference(value)),
            Event::Content(_) => format!("  {event}"),
            Event::Arg32 { .. } | Event::Arg64 { .. } => format!("  {event}"),
            other => other.to_string(),
        };
        text += &format!("{line}\n");
    }
    text
}

/// Identity hashes count up. Random ones may share a slot of the objects that a run has described;
/// then both objects are described again, and the trace differs from run to run.
const SEQUENTIAL_HASHES: [&str; 2] = ["-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=3"];

#[test]
fn trace_events() {
    let folder = compile(&["Traced", "TracedMain"]);
    let classes: BTreeMap<String, (ClassFile, TraceSites, u64)> = ["Traced", "Traced$1"]
        .into_iter()
        .map(|name| {
            let bytes = fs::read(folder.join(format!("{name}.class"))).expect("compiled");
            let class = class(&bytes);
            let sites = trace_sites(&class).expect("numbered");
            (name.to_owned(), (class, sites, class_hash(&bytes)))
        })
        .collect();
    for jdk in jdks() {
        let trace = tempfile::NamedTempFile::new().expect("temporary file");
        let options = format!("mode=trace,include=Traced,Traced$*,trace={},event-cap=1000000", trace.path().display());
        assert_eq!(output(&jdk, &options, &SEQUENTIAL_HASHES, &folder, "TracedMain", &[]), "2\n");
        let (events, end) = decode(&fs::read(trace.path()).expect("the agent wrote a trace"));
        assert_eq!(end, Ok(()), "{jdk:?}");
        let runs: Vec<usize> = (0..events.len()).filter(|&index| events[index] == Event::RunBegin).collect();
        assert_eq!(runs.len(), 3);
        check_golden("trace.txt", &trace_text(&events[..runs[1]], &classes));
        // Several buffers make one complete stream.
        let second = &events[runs[1]..runs[2]];
        assert_eq!(second.last(), Some(&Event::RunEnd { verdict: Verdict::Completed }));
        let entries = second.iter().filter(|event| matches!(event, Event::Entry { .. })).count();
        assert_eq!(entries, 30_000);
        assert_eq!(second.len(), 4 + 30_000 * 6, "{jdk:?}");
        // A run over its cap ends with that verdict, after the events up to there.
        let third = &events[runs[2]..];
        assert_eq!(third.last(), Some(&Event::RunEnd { verdict: Verdict::Budget }));
        assert!(third.len() > 400_000 && third.len() < 2_000_000, "{}", third.len());
    }
}

/// Which loads have events: the number at the end of each method's name counts them.
#[test]
fn repeated_loads_have_no_events() {
    let folder = compile(&["Repeated"]);
    let class = class(&fs::read(folder.join("Repeated.class")).expect("compiled"));
    let sites = trace_sites(&class).expect("numbered");
    let mut found = BTreeMap::new();
    for method in class.methods().filter(|method| method.name() != "<init>") {
        let loads = sites.sites.iter().filter(|site| site.method == method.index());
        let loads = loads.filter(|site| matches!(site.kind, tracewright_trace::TraceSiteKind::Load(_))).count();
        found.insert(method.name().to_owned(), loads);
    }
    assert!(found.len() > 10);
    for (name, loads) in found {
        assert!(name.ends_with(&format!("{loads}")), "{name}: {loads}");
    }
}

/// Where all threads record, the events of each thread are complete and in order.
#[test]
fn events_of_threads_do_not_interleave() {
    let folder = compile(&["Kernel", "ThreadsMain"]);
    for jdk in jdks() {
        let trace = tempfile::NamedTempFile::new().expect("temporary file");
        let options = format!("mode=trace,include=Kernel,threads=all,trace={}", trace.path().display());
        output(&jdk, &options, &[], &folder, "ThreadsMain", &[]);
        let mut threads: BTreeMap<u32, (u64, u64, i64)> = BTreeMap::new();
        let mut current = 0;
        let mut decoder = Decoder::new();
        for piece in fs::read(trace.path()).expect("the agent wrote a trace").chunks(1 << 16) {
            decoder.push(piece);
            while let Some(event) = decoder.next_event().expect("a valid stream") {
                let (entries, outermost, depth) = threads.entry(current).or_default();
                match event {
                    Event::Thread { ordinal } => current = ordinal,
                    Event::Entry { .. } => {
                        *entries += 1;
                        *outermost += u64::from(*depth == 0);
                        *depth += 1;
                    }
                    Event::Exit => {
                        *depth -= 1;
                        assert!(*depth >= 0, "{jdk:?}");
                    }
                    _ => {}
                }
            }
        }
        assert_eq!(decoder.finish(), Ok(()), "{jdk:?}");
        let mut found: Vec<_> = threads.into_values().filter(|&(entries, ..)| entries > 0).collect();
        found.sort_unstable();
        // fibonacci(n) makes 2 f(n + 1) - 1 calls of itself, the first one included.
        assert_eq!(found, [(287, 1, 0), (67 * 2000, 2000, 0), (109 * 2000, 2000, 0), (177 * 2000, 2000, 0)], "{jdk:?}");
    }
}
