//! `gradle generateTests` on the sample and on what users get wrong.

use crate::support::{Ended, Project, VERSION, end, jdk, named_path, one_build, root};
use std::path::PathBuf;
use std::process::Command;
use tracewright_test_support::jdks_from;

struct Gradle {
    engine: PathBuf,
    repository: PathBuf,
}

impl Gradle {
    fn there() -> Option<Gradle> {
        Some(Gradle { engine: named_path("TRACEWRIGHT_GRADLE")?, repository: named_path("TRACEWRIGHT_REPOSITORY")? })
    }

    fn run(&self, project: &Project, arguments: &[&str]) -> Ended {
        let _one = one_build();
        let mut argument_file = std::ffi::OsString::from("@");
        argument_file.push(&self.engine);
        let mut command = Command::new(jdk().join("bin/java"));
        command.arg(argument_file).arg("-g").arg(root().join("target/gradle/user-home")).arg("-p").arg(project.path(""));
        command
            .arg(format!("-PtracewrightRepository={}", self.repository.display()))
            .args(arguments)
            .current_dir(project.path(""));
        end(&mut command)
    }
}

/// A build with nothing but the plugin and what is given.
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

const CALM: (&str, &str) =
    ("src/main/java/p/Calm.java", "package p; public class Calm { public static int half(int x) { return x > 9 ? x / 2 : x; } }");

#[test]
fn the_sample_from_nothing_to_coverage() {
    let Some(gradle) = Gradle::there() else { return };
    let project = Project::sample("gradle-app");
    // Steps and no time: a slow machine gets the same tests.
    project.edit("build.gradle", "budget = '20s'", "steps = 400");
    let arguments = ["generateTests", "test", "--configuration-cache"];
    gradle.run(&project, &arguments).well().says("Configuration cache entry stored").says("tests for 3 of 3 classes");

    // Generated and hand-written tests ran together, and JaCoCo saw what only the generated ones reach.
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
    let again = gradle.run(&project, &arguments).well();
    let again = again.says("Reusing configuration cache").says("Task :generateTests UP-TO-DATE").says("Task :test UP-TO-DATE");
    assert_eq!(project.files("build/generated/tracewright", "TracewrightTest.java"), tests, "{}", again.text);

    // Tests of a class that is gone would not compile.
    std::fs::remove_file(project.path("src/main/java/garage/Garage.java")).expect("there");
    gradle.run(&project, &["generateTests", "--budget", "6s", "--classes", "garage.Tariff", "compileTestJava"]).well();
    assert_eq!(project.files("build/generated/tracewright", "TracewrightTest.java").len(), 2);
}

#[test]
fn tests_beside_hand_written_ones_are_up_to_date_until_they_are_gone() {
    let Some(gradle) = Gradle::there() else { return };
    let rest =
        "id 'java' }\ndependencies { testImplementation 'junit:junit:4.13.2' }\ntracewright { besideTests = true; steps = 500 }";
    let project = build(&gradle, rest, &[CALM, ("src/test/java/p/Hand.java", "package p; class Hand { }")]);
    gradle.run(&project, &["generateTests", "test"]).well();
    let file = "src/test/java/p/CalmTracewrightTest.java";
    assert!(project.read(file).contains("import org.junit.Test;"), "JUnit 4 is what the class path holds");
    assert!(!project.files("build/test-results/test", "CalmTracewrightTest.xml").is_empty());
    // What others do in that folder is no reason to generate again.
    project.write("src/test/java/p/Hand.java", "package p; class Hand { int more; }");
    gradle.run(&project, &["generateTests"]).well().says("Task :generateTests UP-TO-DATE");
    std::fs::remove_file(project.path(file)).expect("there");
    gradle.run(&project, &["generateTests"]).well();
    assert!(project.path(file).is_file());
}

#[test]
fn classes_are_run_by_the_toolchain() {
    let Some(gradle) = Gradle::there() else { return };
    // Gradle itself runs on JDK 17 to 23: only a newer one shows that the toolchain is used.
    let Some(newest) = jdks_from(24).and_then(|jdks| Some(jdks.last()?.version)) else { return };
    let rest = format!(
        "id 'java' }}\njava {{ toolchain {{ languageVersion = JavaLanguageVersion.of({newest}) }} }}\n\
         dependencies {{ testImplementation 'org.junit.jupiter:junit-jupiter:5.11.4'; testRuntimeOnly 'org.junit.platform:junit-platform-launcher:1.11.4' }}\n\
         test {{ useJUnitPlatform() }}\ntracewright {{ steps = 300 }}"
    );
    let text = "package p; public record Point(int x, int y) { public String where() { return x > y ? \"below\" : \"above\"; } }";
    let project = build(&gradle, &rest, &[("src/main/java/p/Point.java", text)]);
    gradle.run(&project, &["generateTests", "test"]).well();
    assert!(project.read("build/reports/tracewright/report.json").contains(&format!("\"jdk\": \"{newest}")));
    assert!(!project.files("build/test-results/test", "PointTracewrightTest.xml").is_empty());
}

#[test]
fn generation_goes_on_from_recorded_tests_beside_other_arguments() {
    let Some(gradle) = Gradle::there() else { return };
    let rest = "id 'java'; id 'jacoco' }\ntracewright { recordTests = true; classes = ['p.*']; steps = 300 }\n\
                dependencies { testImplementation 'junit:junit:4.13.2' }\ntest { jvmArgs '-Dhand=written' }";
    let hand = "package p; public class CalmTest { @org.junit.Test public void small() { org.junit.Assert.assertEquals(\"written\", \
                System.getProperty(\"hand\")); org.junit.Assert.assertEquals(7, Calm.half(7)); } }";
    let project = build(&gradle, rest, &[CALM, ("src/test/java/p/CalmTest.java", hand)]);
    let arguments = ["generateTests", "test", "--configuration-cache"];
    gradle.run(&project, &arguments).well().says("what recorded tests cover (1 branch, ");
    assert!(!project.files("build/jacoco", "test.exec").is_empty());
    assert_eq!(project.files("build/tracewright/sessions/test", ".session").len(), 1);
    let report = project.read("build/reports/tracewright/report.json");
    assert!(report.contains("\"recorded_tests\"") && !report.contains("\"goals_left_out\": 0"), "{report}");
    // What the recorded test does not reach has tests now, and only that.
    let written = project.read("build/generated/tracewright/java/p/CalmTracewrightTest.java");
    assert!(written.contains("Calm.half(") && !written.contains("Calm.half(7)"), "{written}");
    // The generated tests run now as well, and are not taken for such that were written by hand: nothing changes.
    let before = project.files("build/generated/tracewright", "TracewrightTest.java");
    gradle.run(&project, &arguments).well();
    assert!(!project.files("build/test-results/test", "CalmTracewrightTest.xml").is_empty());
    assert_eq!(project.files("build/generated/tracewright", "TracewrightTest.java"), before);
    // What was learned lies beside the session, and is no news.
    assert!(!project.files("build/tracewright/sessions/test", ".outline").is_empty());
    gradle.run(&project, &["generateTests", "--configuration-cache"]).well().says("Task :generateTests UP-TO-DATE");
}

#[test]
fn mistakes_get_a_sentence_each() {
    let Some(gradle) = Gradle::there() else { return };
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
        .badly()
        .says("there is nothing to write tests for in project ':bare': the plugin dev.tracewright needs the plugin 'java' beside it")
        .says(":empty:generateTests: no tests, for the main source set has no classes")
        .says("`soon` is no length of time: write 500ms, 30s, 20m or 2h")
        .says("tracewright { budget } and tracewright { steps } exclude each other: set one of them")
        .says("no class that --classes and --exclude let through in ")
        .says("the test class path holds JUnit 4 and JUnit 5: tests are written for JUnit 4, unless tracewright { junit } says otherwise")
        .says("Could not find dev.tracewright:tracewright-natives:0.0.0");
    gradle
        .run(&project, &[":two:generateTests", "-Ptracewright.cache=/proc/tracewright", "--rerun-tasks"])
        .badly()
        .says("Tracewright cannot be unpacked into /proc/tracewright (")
        .says("name a folder that can be written to with tracewright.cache or TRACEWRIGHT_CACHE");
    gradle
        .run(&project, &[":two:generateTests", "-Ptracewright.home=nowhere", "--rerun-tasks"])
        .badly()
        .says("/nowhere, which tracewright.home or TRACEWRIGHT_HOME names");
}
