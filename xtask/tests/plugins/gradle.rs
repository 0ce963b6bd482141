//! `gradle generateTests` on the sample, on small projects and on wrong settings.

use crate::support::{BuildResult, Project, VERSION, jdk, lock_build, named_path, root, run};
use std::path::PathBuf;
use std::process::Command;
use tracewright_test_support::jdks_from;

/// The Gradle that `cargo xtask plugins` makes, and the repository of the plugins.
struct Gradle {
    /// Argument file for `java`.
    engine: PathBuf,
    repository: PathBuf,
}

impl Gradle {
    fn find() -> Option<Gradle> {
        Some(Gradle { engine: named_path("TRACEWRIGHT_GRADLE")?, repository: named_path("TRACEWRIGHT_REPOSITORY")? })
    }

    fn run(&self, project: &Project, arguments: &[&str]) -> BuildResult {
        let _lock = lock_build();
        let mut argument_file = std::ffi::OsString::from("@");
        argument_file.push(&self.engine);
        let mut command = Command::new(jdk().join("bin/java"));
        command.arg(argument_file).arg("-g").arg(root().join("target/gradle/user-home")).arg("-p").arg(project.path(""));
        command
            .arg(format!("-PtracewrightRepository={}", self.repository.display()))
            .args(arguments)
            .current_dir(project.path(""));
        run(&mut command)
    }
}

/// A project with the plugin, further lines of its build file, and files.
fn build(gradle: &Gradle, rest: &str, files: &[(&str, &str)]) -> Project {
    let project = Project::of(files);
    let repository = gradle.repository.display();
    project.write(
        "settings.gradle",
        &format!(
            "pluginManagement {{ repositories {{ maven {{ url = file('{repository}') }} }} }}\n\
             dependencyResolutionManagement {{ repositories {{ maven {{ url = file('{repository}') }}; mavenCentral() }} }}\n"
        ),
    );
    project.write("build.gradle", &format!("plugins {{ id 'dev.tracewright' version '{VERSION}'; {rest}"));
    project
}

/// A class with two branches: its path and text.
const CALM: (&str, &str) =
    ("src/main/java/p/Calm.java", "package p; public class Calm { public static int half(int x) { return x > 9 ? x / 2 : x; } }");

#[test]
fn the_sample_gets_tests_that_run_and_are_up_to_date_afterwards() {
    let Some(gradle) = Gradle::find() else { return };
    let project = Project::sample("gradle-app");
    // Steps instead of time, so that a slow machine writes the same tests.
    project.edit("build.gradle", "budget = '20s'", "steps = 400");
    let arguments = ["generateTests", "test", "--configuration-cache"];
    gradle.run(&project, &arguments).succeeded().prints("Configuration cache entry stored").prints("tests for 3 of 3 classes");

    // Generated and hand-written tests ran together. JaCoCo measured lines that only generated
    // tests reach.
    let results = project.files("build/test-results/test", ".xml");
    for class in ["TariffTest", "TariffTracewrightTest", "PlateTracewrightTest", "GarageTracewrightTest"] {
        assert!(results.keys().any(|file| file.ends_with(format!("TEST-garage.{class}.xml"))), "{class}: {results:?}");
    }
    let coverage = project.read("build/reports/jacoco/test/jacocoTestReport.xml");
    let plate =
        coverage.split("<class name=\"garage/Plate\"").nth(1).expect("in the report").split("</class>").next().expect("closed");
    let (_, lines) = plate.rsplit_once("type=\"LINE\" missed=\"").expect("a counter");
    assert!(!lines.split("covered=\"").nth(1).expect("a figure").starts_with("0\""), "{lines}");

    let tests = project.files("build/generated/tracewright", "TracewrightTest.java");
    assert_eq!(tests.len(), 3);
    let again = gradle.run(&project, &arguments).succeeded();
    let again =
        again.prints("Reusing configuration cache").prints("Task :generateTests UP-TO-DATE").prints("Task :test UP-TO-DATE");
    assert_eq!(project.files("build/generated/tracewright", "TracewrightTest.java"), tests, "{}", again.text);

    // The tests of a removed class would not compile, so they are removed.
    std::fs::remove_file(project.path("src/main/java/garage/Garage.java")).expect("there");
    // On a busy machine, the few seconds may give the one class that is left no test.
    gradle.run(&project, &["generateTests", "--budget", "6s", "--classes", "garage.Tariff", "compileTestJava"]).succeeded();
    let left = project.files("build/generated/tracewright", "TracewrightTest.java");
    let has = |class: &str| left.keys().any(|file| file.ends_with(format!("{class}TracewrightTest.java")));
    assert!(has("Plate") && !has("Garage"), "{:?}", left.keys());
}

#[test]
fn tests_beside_hand_written_ones_are_up_to_date_until_they_are_removed() {
    let Some(gradle) = Gradle::find() else { return };
    let rest = "id 'java' }\ndependencies { testImplementation 'junit:junit:4.13.2' }\ntracewright { besideTests = true; steps = 500; format = 'sh format.sh' }";
    let files = [
        CALM,
        ("src/test/java/p/Hand.java", "package p; class Hand { }"),
        ("format.sh", "sed -i 's/^  @Test/\\t@Test/' \"$@\"\n"),
    ];
    let project = build(&gradle, rest, &files);
    project.write(".editorconfig", "root = true\n[*.java]\nindent_size = 2\n");
    gradle.run(&project, &["generateTests", "test"]).succeeded();
    let file = "src/test/java/p/CalmTracewrightTest.java";
    assert!(project.read(file).contains("import org.junit.Test;"), "the class path has JUnit 4");
    assert!(project.read(file).contains("\n\t@Test\n  public void "), "layout and formatter are those of the project");
    assert!(!project.files("build/test-results/test", "CalmTracewrightTest.xml").is_empty());
    // A changed test of the user is no reason to generate again.
    project.write("src/test/java/p/Hand.java", "package p; class Hand { int more; }");
    gradle.run(&project, &["generateTests"]).succeeded().prints("Task :generateTests UP-TO-DATE");
    project.write(".editorconfig", "root = true\n[*.java]\nindent_size = 3\n");
    gradle.run(&project, &["generateTests"]).succeeded();
    assert!(project.read(file).contains("\n   @Test\n   public void "), "the layout is an input");
    std::fs::remove_file(project.path(file)).expect("there");
    gradle.run(&project, &["generateTests"]).succeeded();
    assert!(project.path(file).is_file());
}

#[test]
fn the_toolchain_runs_the_classes_under_test() {
    let Some(gradle) = Gradle::find() else { return };
    // Gradle itself runs on JDK 17 to 23. Only a newer JDK in the report shows that the toolchain
    // is used.
    let Some(newest) = jdks_from(24).and_then(|jdks| Some(jdks.last()?.version)) else { return };
    let rest = format!(
        "id 'java' }}\njava {{ toolchain {{ languageVersion = JavaLanguageVersion.of({newest}) }} }}\n\
         dependencies {{ testImplementation 'org.junit.jupiter:junit-jupiter:5.11.4'; testRuntimeOnly 'org.junit.platform:junit-platform-launcher:1.11.4' }}\n\
         test {{ useJUnitPlatform() }}\ntracewright {{ steps = 300 }}"
    );
    let text = "package p; public record Point(int x, int y) { public String where() { return x > y ? \"below\" : \"above\"; } }";
    let project = build(&gradle, &rest, &[("src/main/java/p/Point.java", text)]);
    gradle.run(&project, &["generateTests", "test"]).succeeded();
    assert!(project.read("build/reports/tracewright/report.json").contains(&format!("\"jdk\": \"{newest}")));
    assert!(!project.files("build/test-results/test", "PointTracewrightTest.xml").is_empty());
}

#[test]
fn recorded_tests_are_used_and_other_jvm_arguments_stay() {
    let Some(gradle) = Gradle::find() else { return };
    let rest = "id 'java'; id 'jacoco' }\ntracewright { recordTests = true; classes = ['p.*']; steps = 300 }\n\
                dependencies { testImplementation 'junit:junit:4.13.2' }\ntest { jvmArgs '-Dhand=written' }";
    let hand = "package p; public class CalmTest { @org.junit.Test public void small() { org.junit.Assert.assertEquals(\"written\", \
                System.getProperty(\"hand\")); org.junit.Assert.assertEquals(7, Calm.half(7)); } }";
    let project = build(&gradle, rest, &[CALM, ("src/test/java/p/CalmTest.java", hand)]);
    let arguments = ["generateTests", "test", "--configuration-cache"];
    gradle.run(&project, &arguments).succeeded().prints("what recorded tests cover (1 branch, ");
    assert!(!project.files("build/jacoco", "test.exec").is_empty());
    assert_eq!(project.files("build/tracewright/sessions/test", ".session").len(), 1);
    let report = project.read("build/reports/tracewright/report.json");
    assert!(report.contains("\"recorded_tests\"") && !report.contains("\"goals_left_out\": 0"), "{report}");
    // Only code that the recorded test does not reach has tests.
    let written = project.read("build/generated/tracewright/java/p/CalmTracewrightTest.java");
    assert!(written.contains("Calm.half(") && !written.contains("Calm.half(7)"), "{written}");
    // Now the generated tests run as well. They do not count as recorded tests, so nothing changes.
    let before = project.files("build/generated/tracewright", "TracewrightTest.java");
    gradle.run(&project, &arguments).succeeded();
    assert!(!project.files("build/test-results/test", "CalmTracewrightTest.xml").is_empty());
    assert_eq!(project.files("build/generated/tracewright", "TracewrightTest.java"), before);
    // The program wrote files beside the session. They do not make the task out of date.
    assert!(!project.files("build/tracewright/sessions/test", ".outline").is_empty());
    gradle.run(&project, &["generateTests", "--configuration-cache"]).succeeded().prints("Task :generateTests UP-TO-DATE");
}

#[test]
fn each_wrong_setting_has_its_message() {
    let Some(gradle) = Gradle::find() else { return };
    let project = build(&gradle, "id 'base' }", &[]);
    let part = |name: &str, rest: &str| {
        let plugins = if name == "bare" { "" } else { "apply plugin: 'java'\n" };
        project.write(&format!("{name}/build.gradle"), &format!("{plugins}apply plugin: 'dev.tracewright'\n{rest}"));
        if name != "empty" {
            project.write(&format!("{name}/{}", CALM.0), CALM.1);
        }
    };
    part("bare", "");
    part("empty", "");
    part("budget", "tracewright { budget = 'soon' }");
    part("both", "tracewright { budget = '3s'; steps = 100 }");
    part("pattern", "tracewright { classes = ['q.*'] }");
    part(
        "two",
        "tracewright { steps = 300 }\ndependencies { testImplementation 'junit:junit:4.13.2', 'org.junit.jupiter:junit-jupiter-api:5.11.4' }",
    );
    part("version", "tracewright { toolVersion = '0.0.0' }");
    let settings = project.read("settings.gradle");
    project
        .write("settings.gradle", &format!("{settings}include 'bare', 'empty', 'budget', 'both', 'pattern', 'two', 'version'\n"));
    gradle
        .run(&project, &["generateTests", "--continue"])
        .failed()
        .prints("there is nothing to write tests for in project ':bare': the plugin dev.tracewright needs the plugin 'java' beside it")
        .prints(":empty:generateTests: no tests, for the main source set has no classes")
        .prints("`soon` is no length of time: write 500ms, 30s, 20m or 2h")
        .prints("tracewright { budget } and tracewright { steps } exclude each other: set one of them")
        .prints("no class that --classes and --exclude let through in ")
        .prints("the test class path holds JUnit 4 and JUnit 5: tests are written for JUnit 4, unless tracewright { junit } says otherwise")
        .prints("Could not find dev.tracewright:tracewright-natives:0.0.0");
    gradle
        .run(&project, &[":two:generateTests", "-Ptracewright.cache=/proc/tracewright", "--rerun-tasks"])
        .failed()
        .prints("Tracewright cannot be unpacked into /proc/tracewright (")
        .prints("name a folder that can be written to with tracewright.cache or TRACEWRIGHT_CACHE");
    gradle
        .run(&project, &[":two:generateTests", "-Ptracewright.home=nowhere", "--rerun-tasks"])
        .failed()
        .prints("/nowhere, which tracewright.home or TRACEWRIGHT_HOME names");
}

#[test]
fn a_change_is_told_by_its_differences() {
    let Some(gradle) = Gradle::find() else { return };
    let rest = "id 'java' }\ndependencies { testImplementation 'junit:junit:4.13.2' }\ntracewright { budget = '8s' }";
    let project = build(&gradle, rest, &[CALM, (".gitignore", "build\n.gradle\n")]);
    project.commit();
    project.write(CALM.0, &CALM.1.replace("x / 2", "x / 3"));
    gradle.run(&project, &["diffTests", "--since", "HEAD"]).succeeded().prints("p.Calm: 1 test differs");
    assert!(project.read("build/reports/tracewright-diff/differences.md").contains("The behaviour of 1 class differs."));
    assert_eq!(project.files("build/generated/tracewright-diff/java", "CalmTracewrightTest.java").len(), 1);
    let strict = ["diffTests", "--since", "HEAD", "--fail-on-change"];
    gradle.run(&project, &strict).failed().prints("the behaviour differs from the earlier version");
    let alone = ["diffTests"];
    gradle.run(&project, &alone).failed().prints("nothing to compare with: give --old a git revision");
}
