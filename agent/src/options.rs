//! The options of the agent. Flows in: the option string of `-agentpath`, and the file that it may
//! name; flows out: one immutable [`Options`]. Must not know the JVM.
//!
//! All options are described in docs/formats/agent-options.md.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;
use tracewright_classfile::MutantId;
use tracewright_text::GlobSet;
use tracewright_trace::{BranchSlot, INTERFACE_VERSION, LineSlot, OTHER_BUILD};

use crate::clock::ClockChange;

/// Why an option string is rejected; one sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum OptionError {
    #[error("the agent option `{0}` is no `key=value`")]
    NoValue(String),
    #[error("the agent knows no option `{0}`")]
    UnknownKey(String),
    #[error("the agent option `{key}` cannot be `{value}`: expected {expected}")]
    BadValue { key: String, value: String, expected: &'static str },
    #[error("the agent cannot read its configuration {file}: {error}")]
    Unreadable { file: String, error: String },
    #[error("the agent option `{0}` is missing")]
    Missing(&'static str),
    #[error("{OTHER_BUILD}: interface {0} of the program, {INTERFACE_VERSION} of the agent")]
    OtherBuild(String),
}

/// Which probes the classes of this JVM get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Goal counters, branch distances, static state; guarded.
    Search,
    /// All events that replay needs; guarded.
    Trace,
    /// Switches for mutants in the targets; event budget and static state as in search; guarded.
    Mutants,
    /// No probe in any class of the program; guarded from the start of the JVM.
    Guard,
    /// The target JVM of `record`: all events that replay needs, run by run, into a session.
    /// Nothing is refused.
    Record,
}

/// What code under test may do outside the run's temporary folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Allowed {
    pub(crate) files: bool,
    pub(crate) processes: bool,
    pub(crate) sockets: bool,
}

/// A class whose goals are measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Internal name.
    pub(crate) class: String,
    pub(crate) branch_base: BranchSlot,
    pub(crate) line_base: LineSlot,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) mode: Mode,
    /// Classes that get probes: the code under test and its project.
    pub(crate) include: GlobSet,
    pub(crate) exclude: GlobSet,
    /// Mode record: `include` was given.
    pub(crate) included_by_name: bool,
    /// Mode record: test classes are recorded too, not only the code that they call.
    pub(crate) tests: bool,
    pub(crate) targets: Vec<Target>,
    /// All included classes are targets with bases 0. For tests of the rewriting, with `sink=off`.
    pub(crate) all_targets: bool,
    pub(crate) branch_slots: u32,
    pub(crate) line_slots: u32,
    /// The classes to be mutated, each with its first mutant.
    pub(crate) mutated: Vec<(String, MutantId)>,
    /// The highest number of a mutant.
    pub(crate) mutants: u32,
    /// File to which the drain thread appends the trace.
    pub(crate) trace: Option<PathBuf>,
    /// Words (of four bytes) that one run may record.
    pub(crate) event_cap: u64,
    /// All threads record from their first event on, not only the owner of a run.
    pub(crate) every_thread: bool,
    /// Mode guard: the folder in which everything is allowed. In the other modes the runner names
    /// it (`arm`).
    pub(crate) temporary: Option<PathBuf>,
    /// Mode record: the folder of the session.
    pub(crate) session: Option<PathBuf>,
    /// Bytes of a session at most.
    pub(crate) max_session: u64,
    /// Runs of one method that a session keeps at most.
    pub(crate) max_runs: u32,
    /// Per cent of the program's own CPU time that recording may take.
    pub(crate) max_overhead: Option<u32>,
    /// File of the counters.
    pub(crate) status: Option<PathBuf>,
    /// The choke points of the JDK get questions.
    pub(crate) guard: bool,
    pub(crate) allowed: Allowed,
    /// How the clock of this JVM differs from the machine's.
    pub(crate) clock: ClockChange,
    /// Each thread starts so much later.
    pub(crate) thread_delay: Duration,
    /// `Thread.start` returns so much later than it starts the thread.
    pub(crate) thread_lead: Duration,
    /// The sink stays off: there are probes, which do nothing.
    pub(crate) sink_off: bool,
    /// Classes of the boot loader may be included too. For tests of the rewriting.
    pub(crate) boot: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            mode: Mode::Guard,
            include: GlobSet::default(),
            exclude: GlobSet::default(),
            included_by_name: false,
            tests: false,
            targets: Vec::new(),
            all_targets: false,
            branch_slots: 0,
            line_slots: 0,
            mutated: Vec::new(),
            mutants: 0,
            trace: None,
            event_cap: 16 << 20,
            every_thread: false,
            temporary: None,
            session: None,
            max_session: 1 << 30,
            max_runs: 1_000,
            max_overhead: None,
            status: None,
            guard: true,
            allowed: Allowed::default(),
            clock: ClockChange::default(),
            thread_delay: Duration::ZERO,
            thread_lead: Duration::ZERO,
            sink_off: false,
            boot: false,
        }
    }
}

/// Reads patterns over whole internal names, separated by commas; dots stand for slashes.
fn parse_globs(text: &str) -> GlobSet {
    GlobSet::parse(&text.replace('.', "/"))
}

/// Test frameworks, build tools and their dependencies: no part of the program, unless `include`
/// names them.
const TOOLS: [&str; 36] = [
    "org/junit/",
    "junit/",
    "org/testng/",
    "org/hamcrest/",
    "org/opentest4j/",
    "org/apiguardian/",
    "org/assertj/",
    "com/google/common/truth/",
    "org/mockito/",
    "org/easymock/",
    "org/powermock/",
    "net/bytebuddy/",
    "org/objenesis/",
    "org/jacoco/",
    "org/pitest/",
    "org/apache/maven/",
    "org/codehaus/plexus/",
    "org/codehaus/classworlds/",
    "org/eclipse/aether/",
    "org/eclipse/sisu/",
    "com/google/inject/",
    "org/gradle/",
    "worker/org/gradle/",
    "org/apache/tools/ant/",
    "sbt/",
    "xsbt/",
    "com/intellij/",
    "org/jetbrains/",
    "org/eclipse/jdt/",
    "kotlin/",
    "scala/",
    "groovy/",
    "org/codehaus/groovy/",
    "org/apache/groovy/",
    "com/jprofiler/",
    "net/jqwik/",
];

/// Main classes of JVMs in which a build tool itself runs. Tests run in JVMs that it starts.
const BUILD_TOOLS: &[&str] = &[
    "org.codehaus.plexus.classworlds.launcher.Launcher",
    "org.apache.maven.wrapper.MavenWrapperMain",
    "org.gradle.launcher.GradleMain",
    "org.gradle.launcher.daemon.bootstrap.GradleDaemon",
    "org.gradle.wrapper.GradleWrapperMain",
    "org.jetbrains.kotlin.daemon.KotlinCompileDaemon",
];

/// Whether a JVM with this command line (`sun.java.command`) is a build tool's own.
pub(crate) fn is_build_tool(command: &str) -> bool {
    command.split_whitespace().next().is_some_and(|main| BUILD_TOOLS.contains(&main))
}

/// Words of events of one recorded run at most. A longer run adds little to its
/// beginning.
const RUN_CAP: u64 = 1 << 18;

/// Constants that mark a test class.
const TESTS: &[&[u8]] = &[
    b"Lorg/junit/Test;",
    b"Lorg/junit/jupiter/api/Test;",
    b"Lorg/junit/jupiter/api/RepeatedTest;",
    b"Lorg/junit/jupiter/api/TestFactory;",
    b"Lorg/junit/jupiter/api/TestTemplate;",
    b"Lorg/junit/jupiter/params/ParameterizedTest;",
    b"Lorg/testng/annotations/Test;",
    b"Lnet/jqwik/api/Property;",
    b"junit/framework/TestCase",
];

/// Whether a class is a test class. It has a mark, or the name of its outermost class is that of a
/// test (`FooTest`, `FooTests`, `TestFoo`, `FooIT`, `FooTestCase`). Tests that inherit all of
/// their methods are recognised by name only.
pub(crate) fn is_test(class: &str, bytes: &[u8]) -> bool {
    let outer = outer_name(class);
    let begins = outer.strip_prefix("Test").is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()));
    let ends = ["Test", "Tests", "TestCase"].iter().any(|suffix| outer.len() > suffix.len() && outer.ends_with(suffix))
        || outer.strip_suffix("IT").is_some_and(|rest| rest.ends_with(|last: char| last.is_ascii_lowercase()));
    begins || ends || has_test_mark(bytes)
}

/// Whether a class file contains one of [`TESTS`]. Reads the bytes once.
fn has_test_mark(bytes: &[u8]) -> bool {
    let may_begin = |byte: u8| matches!(byte, b'L' | b'j');
    bytes.iter().enumerate().any(|(at, byte)| may_begin(*byte) && TESTS.iter().any(|mark| bytes[at..].starts_with(mark)))
}

/// The simple name of the outermost class.
fn outer_name(class: &str) -> &str {
    let simple = class.rsplit('/').next().unwrap_or(class);
    simple.split('$').next().filter(|outer| !outer.is_empty()).unwrap_or(simple)
}

/// How the names of generated tests end.
const GENERATED: &str = "TracewrightTest";

/// The runner in workers: it calls recorded code and is no part of it.
const OWN: &str = "dev/tracewright/runner/";

/// Whether the text is well-formed, as the agent reads it.
///
/// # Errors
/// One sentence about the first wrong option.
pub fn check(text: &str) -> Result<(), String> {
    Options::parse(text).map(drop).map_err(|error| error.to_string())
}

impl Options {
    /// Reads `key=value` pairs separated by commas, or `config=FILE` with one pair a line (`#`
    /// starts a comment line). A part without `=` continues the value before it, so that patterns
    /// with commas can stand inline. The error names the first wrong option.
    pub(crate) fn parse(text: &str) -> Result<Options, OptionError> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            match (part.split_once('='), pairs.last_mut()) {
                (Some((key, value)), _) => pairs.push((key.trim().to_owned(), value.to_owned())),
                (None, Some((_, value))) => {
                    value.push(',');
                    value.push_str(part);
                }
                (None, None) => return Err(OptionError::NoValue(part.to_owned())),
            }
        }
        let mut options = Options::default();
        let mut mode = false;
        let mut pairs_have_cap = false;
        for (key, value) in pairs {
            if key == "config" {
                let unreadable =
                    |error: std::io::Error| OptionError::Unreadable { file: value.clone(), error: error.to_string() };
                for line in fs::read_to_string(&value).map_err(unreadable)?.lines() {
                    let line = line.trim();
                    if line.is_empty() || line.starts_with('#') {
                        continue;
                    }
                    let (key, value) = line.split_once('=').ok_or_else(|| OptionError::NoValue(line.to_owned()))?;
                    options.set(key.trim(), value.trim())?;
                    mode |= key.trim() == "mode";
                    pairs_have_cap |= key.trim() == "event-cap";
                }
            } else {
                options.set(&key, &value)?;
                mode |= key == "mode";
                pairs_have_cap |= key == "event-cap";
            }
        }
        if !mode {
            return Err(OptionError::Missing("mode"));
        }
        if options.mode == Mode::Trace && options.trace.is_none() && !options.sink_off {
            return Err(OptionError::Missing("trace"));
        }
        if options.mode == Mode::Record {
            if options.session.is_none() && !options.sink_off {
                return Err(OptionError::Missing("session"));
            }
            options.guard = false;
            if !pairs_have_cap {
                options.event_cap = RUN_CAP;
            }
            options.included_by_name = options.include != GlobSet::default();
            if !options.included_by_name {
                options.include = parse_globs("*");
                options.exclude.extend(parse_globs(&TOOLS.map(|tool| format!("{tool}*")).join(",")));
            }
        }
        if options.mode == Mode::Guard && options.temporary.is_none() {
            return Err(OptionError::Missing("temporary"));
        }
        Ok(options)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), OptionError> {
        let bad = |expected| OptionError::BadValue { key: key.to_owned(), value: value.to_owned(), expected };
        let number = || value.parse::<u32>().map_err(|_| bad("a number"));
        match key {
            "mode" => {
                self.mode = match value {
                    "search" => Mode::Search,
                    "trace" => Mode::Trace,
                    "guard" => Mode::Guard,
                    "mutants" => Mode::Mutants,
                    "record" => Mode::Record,
                    _ => return Err(bad("record, search, trace, mutants or guard")),
                }
            }
            "interface" if value == INTERFACE_VERSION.to_string() => {}
            "interface" => return Err(OptionError::OtherBuild(value.to_owned())),
            "include" => self.include.extend(parse_globs(value)),
            "exclude" => self.exclude.extend(parse_globs(value)),
            "target" if value == "*" => self.all_targets = true,
            "target" => {
                let mut parts = value.rsplitn(3, ' ');
                let mut next = || parts.next().ok_or_else(|| bad("`<internal name> <branch base> <line base>`"));
                let line_base = next()?.parse().map(LineSlot).map_err(|_| bad("a number as line base"))?;
                let branch_base = next()?.parse().map(BranchSlot).map_err(|_| bad("a number as branch base"))?;
                let class = next()?.to_owned();
                self.targets.push(Target { class, branch_base, line_base });
            }
            "branch-slots" => self.branch_slots = number()?,
            "line-slots" => self.line_slots = number()?,
            "mutate" => {
                let expected = "`<internal name> <number of the first mutant>`";
                let (class, first) = value.rsplit_once(' ').ok_or_else(|| bad(expected))?;
                let first = first.parse().map(MutantId).map_err(|_| bad(expected))?;
                self.mutated.push((class.to_owned(), first));
            }
            "mutants" => self.mutants = number()?,
            "trace" => self.trace = Some(value.into()),
            "event-cap" => self.event_cap = value.parse().map_err(|_| bad("a number of words"))?,
            "threads" => {
                self.every_thread = match value {
                    "all" => true,
                    "owner" => false,
                    _ => return Err(bad("`all` or `owner`")),
                }
            }
            "session" => self.session = Some(value.into()),
            "max-session" => self.max_session = value.parse().map_err(|_| bad("a number of bytes"))?,
            "max-runs" => self.max_runs = number()?,
            "max-overhead" => self.max_overhead = Some(number()?).filter(|percent| *percent > 0),
            "tests" => self.tests = on_or_off(value).ok_or_else(|| bad("on or off"))?,
            "temporary" => self.temporary = Some(value.into()),
            "status" => self.status = Some(value.into()),
            "allow" => {
                for word in value.split(',').map(str::trim).filter(|word| !word.is_empty()) {
                    match word {
                        "files" => self.allowed.files = true,
                        "processes" => self.allowed.processes = true,
                        "sockets" => self.allowed.sockets = true,
                        _ => return Err(bad("files, processes, sockets")),
                    }
                }
            }
            "clock-later" => self.clock.later_days = number()?,
            "clock-step" => self.clock.step_ms = number()?,
            "clock-jump" => self.clock.jump_ms = number()?,
            "thread-delay" => self.thread_delay = Duration::from_millis(number()?.into()),
            "thread-lead" => self.thread_lead = Duration::from_millis(number()?.into()),
            "guard" => self.guard = on_or_off(value).ok_or_else(|| bad("on or off"))?,
            "sink" => self.sink_off = !on_or_off(value).ok_or_else(|| bad("on or off"))?,
            "boot" => self.boot = on_or_off(value).ok_or_else(|| bad("on or off"))?,
            _ => return Err(OptionError::UnknownKey(key.to_owned())),
        }
        Ok(())
    }

    pub(crate) fn target(&self, class: &str) -> Option<Target> {
        if self.all_targets {
            return Some(Target { class: class.to_owned(), branch_base: BranchSlot(0), line_base: LineSlot(0) });
        }
        self.targets.iter().find(|target| target.class == class).cloned()
    }

    /// The first mutant of a class; `None` where the class is not mutated.
    pub(crate) fn first_mutant(&self, class: &str) -> Option<MutantId> {
        if self.all_targets {
            return Some(MutantId(1));
        }
        self.mutated.iter().find(|(mutated, _)| mutated == class).map(|(_, first)| *first)
    }

    /// Whether this class is a generated test, or nested in one: its calls are no runs.
    pub(crate) fn is_suppressed(&self, class: &str, boot: bool) -> bool {
        self.mode == Mode::Record && !self.tests && !boot && outer_name(class).ends_with(GENERATED)
    }

    /// Whether this class gets probes. Classes of the boot loader get none, except with `boot=on`.
    pub(crate) fn includes(&self, class: &str, boot: bool) -> bool {
        self.mode != Mode::Guard
            && (self.boot || !(boot || is_jdk(class)))
            && !class.starts_with("java/lang/Tracewright")
            && !class.starts_with(OWN)
            && !self.exclude.matches(class)
            && (self.include.matches(class)
                || self.targets.iter().any(|target| target.class == class)
                || self.mutated.iter().any(|(mutated, _)| mutated == class))
    }
}

fn on_or_off(value: &str) -> Option<bool> {
    match value {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

/// Whether a class belongs to the JDK, though another loader than the boot loader defines it.
fn is_jdk(class: &str) -> bool {
    ["java/", "javax/", "jdk/", "sun/", "com/sun/"].iter().any(|prefix| class.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn inline_options_may_contain_globs_with_commas() {
        let options = Options::parse("mode=search,include=a.*,b/C$*,status=/s,target=a/B 3 4").expect("valid");
        assert_eq!(options.mode, Mode::Search);
        assert!(options.includes("a/b/C", false) && options.includes("b/C$D", false) && !options.includes("b/D", false));
        assert!(!options.includes("a/b/C", true) && !options.includes("java/util/List", false));
        assert_eq!(
            options.target("a/B"),
            Some(Target { class: "a/B".into(), branch_base: BranchSlot(3), line_base: LineSlot(4) })
        );
        assert_eq!(options.target("a/C"), None);
    }

    #[test]
    fn a_program_with_another_interface_is_refused() {
        let parse = |interface: u32| Options::parse(&format!("interface={interface},mode=search"));
        assert!(parse(INTERFACE_VERSION).is_ok());
        let error = parse(INTERFACE_VERSION + 1).expect_err("another build").to_string();
        assert!(error.starts_with(OTHER_BUILD), "{error}");
    }

    #[test]
    fn test_classes_are_recognised_by_marks_and_names() {
        for name in ["p/FooTest", "p/FooTests", "FooIT", "p/TestFoo", "p/FooTest$Inner", "p/FooTestCase", "p/AbstractFooTest"] {
            assert!(is_test(name, b""), "{name}");
        }
        for name in ["p/Foo", "p/Test", "p/Testimony", "p/Contest", "p/FooTester", "p/Latest", "p/UNIT", "p/$Gen"] {
            assert!(!is_test(name, b""), "{name}");
        }
        assert!(is_test("p/Foo", b"....Lorg/junit/jupiter/api/Test;..") && !is_test("p/Foo", b"Lorg/junit/Tess;"));
        for mark in TESTS {
            assert!(is_test("p/Foo", &[b"Lj", *mark].concat()), "{}", String::from_utf8_lossy(mark));
        }
        let options = Options::parse("mode=record,session=s").expect("valid");
        assert_eq!(options.event_cap, RUN_CAP);
        assert_eq!(Options::parse("mode=record,session=s,event-cap=7").expect("valid").event_cap, 7);
    }

    #[test]
    fn options_are_read_from_a_file() {
        let mut file = tempfile::NamedTempFile::new().expect("temporary file");
        write!(file, "# worker\nmode=search\ninclude=demo/*\n\ntarget=demo/A B 0 0\nbranch-slots=12\nline-slots=5\n")
            .expect("written");
        let options = Options::parse(&format!("config={}", file.path().display())).expect("valid");
        assert_eq!((options.branch_slots, options.line_slots), (12, 5));
        assert_eq!(options.targets[0].class, "demo/A B");
        assert!(options.guard);
    }

    #[test]
    fn errors_are_one_sentence() {
        let sentence = |text| Options::parse(text).expect_err("wrong").to_string();
        assert_eq!(
            sentence("mode=search,allow=files,wings"),
            "the agent option `allow` cannot be `files,wings`: expected files, processes, sockets"
        );
        assert_eq!(
            sentence("mode=fast"),
            "the agent option `mode` cannot be `fast`: expected record, search, trace, mutants or guard"
        );
        assert_eq!(sentence("mode=search,colour=red"), "the agent knows no option `colour`");
        assert_eq!(sentence("hello"), "the agent option `hello` is no `key=value`");
        assert_eq!(sentence(""), "the agent option `mode` is missing");
        assert_eq!(sentence("mode=trace"), "the agent option `trace` is missing");
        assert_eq!(
            sentence("mode=search,target=A x 1"),
            "the agent option `target` cannot be `A x 1`: expected a number as branch base"
        );
        assert!(sentence("config=/no/such/file").starts_with("the agent cannot read its configuration /no/such/file: "));
    }

    #[test]
    fn record_mode_excludes_tools_and_the_jdk_by_default() {
        let options = Options::parse("mode=record,session=/s").expect("valid");
        assert!(options.includes("a/b/C", false) && !options.guard);
        assert!(!options.includes("java/util/List", false) && !options.includes("a/b/C", true));
        for tool in ["org/junit/jupiter/api/Test", "org/mockito/Mockito", "org/gradle/api/Task", "org/apache/maven/Maven"] {
            assert!(!options.includes(tool, false), "{tool}");
        }
        let named = Options::parse("mode=record,session=/s,include=org.junit.*,b.*").expect("valid");
        assert!(named.includes("org/junit/jupiter/api/Test", false) && !named.includes("a/b/C", false));
        assert!(is_build_tool("org.gradle.launcher.daemon.bootstrap.GradleDaemon 8.5"));
        assert!(!is_build_tool("worker.org.gradle.process.internal.worker.GradleWorkerMain 'Gradle Test Executor 1'"));
        assert_eq!(Options::parse("mode=record"), Err(OptionError::Missing("session")));
    }

    #[test]
    fn globs_match_whole_names() {
        let matches = |glob: &str, name: &str| parse_globs(glob).matches(name);
        assert!(matches("*", "a/b") && matches("a*b*c", "a1b2b3c") && matches("a/*", "a/") && matches("a", "a"));
        assert!(!matches("a", "ab") && !matches("a*b", "abc") && !matches("", "a") && !matches("*x", "a"));
    }
}
