//! The agent besides recording: event budgets, static state, foreign threads, the guard, attaching,
//! wrong options.

mod common {
    pub(crate) mod golden;
    pub(crate) mod jvm;
    pub(crate) mod output;
    pub(crate) mod run;
}

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use common::golden::check_golden;
use common::jvm::{agent, compile, jdks};
use common::output::output;
use common::run::java;

#[test]
fn static_state_budgets_and_threads() {
    let folder = compile(&["Stateful", "StatefulMain"]);
    for jdk in jdks() {
        let text = output(&jdk, "mode=search,include=Stateful*,exclude=StatefulMain*", &[], &folder, "StatefulMain", &[]);
        check_golden("stateful.txt", &text);
    }
}

#[test]
fn the_guard_refuses_outside_its_folder() {
    let folder = compile(&["GuardMain"]);
    for jdk in jdks() {
        for armed_by_agent in [false, true] {
            let files = tempfile::tempdir().expect("temporary folder");
            let (inside, outside) = (files.path().join("inside"), files.path().join("outside"));
            fs::create_dir(&inside).expect("made");
            fs::create_dir(&outside).expect("made");
            for folder in [&inside, &outside] {
                fs::write(folder.join("before"), "x").expect("written");
            }
            let options = if armed_by_agent {
                format!("mode=guard,temporary={}", inside.display())
            } else {
                "mode=search,include=none".to_owned()
            };
            let arguments = [inside.to_str().expect("printable"), outside.to_str().expect("printable")];
            let verify = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal"];
            let output = java(&jdk, &options, &verify, &folder, "GuardMain", &arguments);
            let text = String::from_utf8_lossy(&output.stdout);
            assert_eq!(output.status.code(), Some(7), "{jdk:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
            check_golden("guard.txt", &text);
            let left: Vec<_> =
                fs::read_dir(&outside).expect("listed").map(|entry| entry.expect("an entry").file_name()).collect();
            assert_eq!(left, ["before"], "{jdk:?}");
        }
    }
}

#[test]
fn a_clock_is_later_stands_still_or_jumps() {
    let folder = compile(&["ClockMain"]);
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs().to_string();
    let not_compiled = ["-XX:+UnlockDiagnosticVMOptions", "-XX:DisableIntrinsic=_currentTimeMillis,_nanoTime"];
    for jdk in jdks() {
        let shows = |options: &str, arguments: &[&str]| {
            output(&jdk, &format!("mode=search,include=none,{options}"), &not_compiled, &folder, "ClockMain", arguments)
        };
        let text = shows("clock-later=400,clock-step=20", &[&seconds]);
        assert_eq!(text, "days later: 400 and 400\nshortest: 0\nwhole steps: true\nran: true\n", "{jdk:?}");
        let text = shows("clock-jump=5,thread-delay=6000", &[&seconds, "late"]);
        assert_eq!(text, "days later: 0 and 0\nshortest: 5 ms or more\nwhole steps: false\nran: false\n", "{jdk:?}");
        let text = shows("thread-lead=3000", &[&seconds, "at once"]);
        assert!(text.ends_with("\nran: true\n"), "{jdk:?}: {text}");
    }
}

#[test]
fn attaching_rewrites_loaded_classes() {
    let folder = compile(&["Attached"]);
    for jdk in jdks() {
        let mut child = Command::new(jdk.home.join("bin/java"))
            .args(["-XX:+EnableDynamicAgentLoading", "-cp"])
            .arg(&folder)
            .arg("Attached")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("java runs");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let mut line = || lines.next().expect("a line").expect("text");
        assert_eq!(line(), "ready");
        let attached = Command::new(jdk.home.join("bin/jcmd"))
            .args([&child.id().to_string(), "JVMTI.agent_load"])
            .arg(agent())
            .arg("\"mode=search,target=Attached 0 0,branch-slots=2,line-slots=50\"")
            .output()
            .expect("jcmd runs");
        let said = String::from_utf8_lossy(&attached.stdout);
        assert!(said.contains("return code: 0"), "{said}{}", String::from_utf8_lossy(&attached.stderr));
        writeln!(child.stdin.take().expect("piped"), "go").expect("written");
        assert_eq!(line(), "not 3.0 taken 0.0", "{jdk:?}");
        assert!(child.wait().expect("ended").success());
    }
}

#[test]
fn bad_options_are_one_sentence() {
    let folder = compile(&["Attached"]);
    let output = java(&jdks()[0], "mode=search,colour=red", &[], &folder, "Attached", &[]);
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("tracewright: the agent knows no option `colour`\n"), "{said}");
}

#[test]
fn counters_say_what_was_done() {
    let folder = compile(&["Stateful", "StatefulMain"]);
    let status = tempfile::NamedTempFile::new().expect("temporary file");
    let options = format!("mode=search,include=Stateful*,exclude=StatefulMain*,status={}", status.path().display());
    output(&jdks()[0], &options, &[], &folder, "StatefulMain", &[]);
    let text = fs::read_to_string(status.path()).expect("written");
    assert!(text.contains("rewritten=8\n") && text.contains("guarded="), "{text}");
}
