//! Laws of the rewriting. Every class of java.base of each JDK links under full verification with
//! each kind of probe; so do the classes of libraries. `TRACEWRIGHT_LAW_JARS` names their jars as a
//! class path; without it, they are the commons jars of the local Maven repository.
//!
//! The sink is defined and off. HotSpot verifies a class when it is linked, and its log says which
//! classes it verified.

mod common {
    pub(crate) mod jvm;
    pub(crate) mod run;
}

use std::collections::BTreeSet;
use std::fs;

use common::jvm::{compile, jdks};
use common::run::java;
use tracewright_agent::probes::{Plan, rewrite};
use tracewright_classfile::{ClassFile, MutantId};
use tracewright_test_support::Jdk;
use tracewright_trace::{BranchSlot, LineSlot};

const VERIFY: [&str; 2] = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal"];

/// Links classes with probes. Gives the classes that were linked, those that were verified, and the
/// status file.
fn link_all(jdk: &Jdk, mode: &str, boot: bool, arguments: &[&str]) -> (BTreeSet<String>, BTreeSet<String>, String) {
    let folder = tempfile::tempdir().expect("temporary folder");
    let (log, status) = (folder.path().join("log"), folder.path().join("status"));
    let boot = if boot { "on" } else { "off" };
    let options =
        format!("mode={mode},include=*,exclude=LinkAll,target=*,sink=off,guard=off,boot={boot},status={}", status.display());
    let log_option = format!("-Xlog:class+init=info:file={}:none:filesize=0", log.display());
    let flags = [VERIFY[0], VERIFY[1], &log_option];
    let output = java(jdk, &options, &flags, &compile(&["LinkAll"]), "LinkAll", arguments);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let failures: Vec<&str> = text.lines().filter(|line| line.starts_with("FAIL")).take(20).collect();
    assert!(
        output.status.success() && failures.is_empty(),
        "{jdk:?} {mode}: {}\n{}\n{}",
        output.status,
        failures.join("\n"),
        String::from_utf8_lossy(&output.stderr)
    );
    let linked = text.lines().filter_map(|line| line.strip_prefix("LINKED ")).map(str::to_owned).collect();
    let log = fs::read_to_string(log).expect("the JVM wrote its log");
    let verified = log.lines().filter_map(|line| line.strip_prefix("End class verification for: ")).map(str::to_owned).collect();
    (linked, verified, fs::read_to_string(status).expect("the agent wrote its status"))
}

fn counter(status: &str, reason: &str) -> usize {
    let line = status.lines().find_map(|line| line.strip_prefix(reason)?.strip_prefix('='));
    line.map_or(0, |count| count.parse().expect("a number"))
}

/// Classes that HotSpot does not verify, whatever the flags
/// (`Verifier::is_eligible_for_verification`).
fn exempt(class: &str) -> bool {
    ["java.lang.Object", "java.lang.Class", "java.lang.String", "java.lang.Throwable"].contains(&class)
        // Subclasses of MagicAccessorImpl (17 only).
        || class.starts_with("jdk.internal.reflect.")
}

fn java_base(mode: &str) {
    for jdk in jdks() {
        let (linked, verified, status) = link_all(&jdk, mode, true, &[]);
        assert!(linked.len() > 6000, "{jdk:?}: only {} classes of java.base", linked.len());
        assert!(counter(&status, "rewritten") + 5 >= linked.len(), "{jdk:?} {mode}: {status}");
        let known = [
            "rewritten=",
            "method left alone: an empty `finalize` tells the JVM",
            // Constructors that no handler can cover.
            "method left alone: bci #: a constructor that initializes `this` in several places",
            "method left alone: bci #: a constructor that jumps to where `this` is initialized",
        ];
        assert!(status.lines().all(|line| known.iter().any(|start| line.starts_with(start))), "{jdk:?} {mode}: {status}");
        let unverified: Vec<&String> = linked.iter().filter(|class| !verified.contains(*class) && !exempt(class)).collect();
        assert!(unverified.is_empty(), "{jdk:?} {mode}: not verified: {unverified:?}");
    }
}

#[test]
fn java_base_links_with_search_probes() {
    java_base("search");
}

#[test]
fn java_base_links_with_mutants() {
    java_base("mutants");
}

#[test]
fn java_base_links_with_trace_probes() {
    java_base("trace");
}

/// The same with handlers around all methods.
#[test]
fn java_base_links_with_record_probes() {
    java_base("record");
}

#[test]
fn libraries_link_with_probes() {
    let Some(jars) = tracewright_test_support::development_jars() else { return };
    let arguments: Vec<&str> = jars.iter().map(|jar| jar.to_str().expect("a printable path")).collect();
    for jdk in jdks() {
        for mode in ["search", "trace", "record", "mutants"] {
            let (linked, verified, status) = link_all(&jdk, mode, false, &arguments);
            assert!(counter(&status, "rewritten") >= linked.len(), "{jdk:?} {mode}: {status}");
            let unverified: Vec<&String> = linked.iter().filter(|class| !verified.contains(*class)).collect();
            assert!(unverified.is_empty(), "{jdk:?} {mode}: not verified: {unverified:?}");
        }
    }
}

/// The law above can fail: a class of java.base with one wrong frame does not link.
#[test]
fn a_broken_frame_is_caught() {
    let jdk = &jdks()[0];
    let bytes = fs::read(compile(&["Broken"]).join("law/Broken.class")).expect("compiled");
    for plan in [
        Plan::SearchTarget { branch_base: BranchSlot(0), line_base: LineSlot(0) },
        Plan::Trace { base: 0 },
        Plan::Record { base: 0 },
        Plan::Mutants { first: MutantId(1) },
    ] {
        let rewritten = rewrite(&bytes, &plan, false).expect("rewritten").bytes;
        for (bytes, breaks) in [(rewritten.clone(), false), (break_a_frame(&rewritten), true)] {
            let folder = tempfile::tempdir().expect("temporary folder");
            fs::create_dir(folder.path().join("law")).expect("made");
            fs::write(folder.path().join("law/Broken.class"), bytes).expect("written");
            let patch = format!("--patch-module=java.base={}", folder.path().display());
            let flags = [VERIFY[0], VERIFY[1], &patch, "-Xshare:off"];
            let options = "mode=search,sink=off,guard=off";
            let output = java(jdk, options, &flags, &compile(&["LinkAll"]), "LinkAll", &["class:law.Broken"]);
            let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert_eq!(text.contains("FAIL law.Broken: java.lang.VerifyError"), breaks, "{plan:?}: {text}");
            assert_eq!(text.contains("LINKED law.Broken"), !breaks, "{plan:?}: {text}");
        }
    }
}

/// Moves the first frame of the first `StackMapTable` by one byte.
fn break_a_frame(bytes: &[u8]) -> Vec<u8> {
    let class = ClassFile::parse(bytes).expect("a class file");
    let pool = class.constant_pool();
    let name = pool.indices().find(|&index| pool.utf8(index) == Ok("StackMapTable")).expect("there are frames");
    let start = class
        .methods()
        .filter_map(|method| method.attribute("Code"))
        .find_map(|code| {
            let table = code.windows(4).position(|window| window[..2] == name.to_be_bytes() && window[2..] == [0, 0])?;
            let at = bytes.windows(code.len()).position(|window| window == code)?;
            Some(at + table)
        })
        .expect("a method with frames");
    let mut broken = bytes.to_vec();
    // Name (2), length (4), count (2), then the first frame: its type, which holds the offset for
    // the short kinds.
    let frame = start + 8;
    match broken[frame] {
        0..=62 | 64..=126 => broken[frame] += 1,
        247.. => broken[frame + 2] ^= 1,
        other => panic!("a frame of kind {other}"),
    }
    broken
}
