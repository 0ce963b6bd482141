//! `mvn tracewright:generate` on the sample with several modules, on a minimal POM and with wrong
//! settings.

use crate::support::{BuildResult, Project, VERSION, jdk, lock_build, named_path, root, run};
use std::path::PathBuf;
use std::process::Command;
use tracewright_test_support::require;

/// Maven with the repository of the plugins.
struct Maven {
    repository: PathBuf,
}

impl Maven {
    /// Maven with a local repository for tests. The plugin of an earlier test run is removed,
    /// because it has the same version.
    fn find() -> Option<Maven> {
        let repository = named_path("TRACEWRIGHT_REPOSITORY")?;
        require("Maven (`mvn`) on the PATH", Command::new("mvn").arg("-v").output().ok())?;
        static REMOVE_OLD_PLUGIN: std::sync::Once = std::sync::Once::new();
        REMOVE_OLD_PLUGIN.call_once(|| {
            let _ = std::fs::remove_dir_all(local_repository().join("dev/tracewright"));
        });
        Some(Maven { repository })
    }

    fn run(&self, project: &Project, arguments: &[&str]) -> BuildResult {
        let _lock = lock_build();
        let mut command = Command::new("mvn");
        command.arg("-B").arg(format!("-Dmaven.repo.local={}", local_repository().display()));
        command.arg(format!("-Dtracewright.repository={}", self.repository.display()));
        command.args(arguments).current_dir(project.path("")).env("JAVA_HOME", jdk());
        // A build of a test ends before code by the second compiler pays.
        command.env("MAVEN_OPTS", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1");
        run(&mut command)
    }
}

/// The local repository of Maven for these tests.
fn local_repository() -> PathBuf {
    root().join("target/plugins/local-repository")
}

#[test]
fn the_sample_with_several_modules_gets_tests_from_recorded_tests() {
    let Some(maven) = Maven::find() else { return };
    let project = Project::sample("maven-app");
    // Steps instead of time, so that a slow machine writes the same tests.
    project.edit("pom.xml", "<tracewright.budget>20s</tracewright.budget>", "<tracewright.steps>400</tracewright.steps>");
    // The hand-written tests are recorded beside JaCoCo and other arguments, and generation uses
    // the session.
    maven.run(&project, &["-Precord", "test"]).succeeded();
    maven.run(&project, &["-Precord", "tracewright:generate"]).succeeded();
    let report = project.read("orders/target/tracewright-report/report.json");
    assert!(report.contains("\"recorded_tests\"") && !report.contains("\"goals_left_out\": 0"), "{report}");
    for file in
        ["stock/src/test/java/shop/stock/ShelfTracewrightTest.java", "orders/src/test/java/shop/orders/OrderTracewrightTest.java"]
    {
        assert!(project.read(file).contains("@Test"), "{file}");
    }
    maven.run(&project, &["test", "jacoco:report"]).succeeded();
    for (module, class, hand) in [
        ("stock", "shop.stock.ShelfTracewrightTest", "shop.stock.ShelfTest"),
        ("orders", "shop.orders.OrderTracewrightTest", "shop.orders.OrderTest"),
    ] {
        for test in [class, hand] {
            assert!(project.path(&format!("{module}/target/surefire-reports/TEST-{test}.xml")).is_file(), "{test}");
        }
    }
    let coverage = project.read("orders/target/site/jacoco/jacoco.csv");
    let order = coverage.lines().find(|line| line.contains(",Order,")).expect("in the report");
    let figures: Vec<u32> = order.split(',').skip(3).filter_map(|figure| figure.parse().ok()).collect();
    // Branches missed and covered; the hand-written test covers four.
    assert!(figures[3] > 6, "{order}");
    maven.run(&project, &["tracewright:report"]).succeeded().prints("shop.orders.Order: ");
}

#[test]
fn a_pom_without_settings_is_enough() {
    let Some(maven) = Maven::find() else { return };
    let project = Project::of(&[
        (
            "pom.xml",
            "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>a</artifactId><version>1</version>\
             <properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>\
             <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>\
             <pluginRepositories><pluginRepository><id>t</id><url>file://${tracewright.repository}</url></pluginRepository></pluginRepositories></project>",
        ),
        (
            "src/main/java/p/Calm.java",
            "package p; public class Calm { public static int half(int x) { return x > 9 ? x / 2 : x; } }",
        ),
        (".editorconfig", "root = true\n[*.java]\nindent_size = 2\n"),
        ("format.sh", "sed -i 's/^  @Test/\\t@Test/' \"$@\"\n"),
    ]);
    let goal = |name: &str| format!("dev.tracewright:tracewright-maven-plugin:{VERSION}:{name}");
    let generate = goal("generate");
    maven
        .run(&project, &["-Dtracewright.steps=300", "-Dtracewright.format=sh format.sh", &generate])
        .succeeded()
        .prints("there is no JUnit on the test class path: tests are written for JUnit 5");
    let written = project.read("src/test/java/p/CalmTracewrightTest.java");
    assert!(written.contains("class CalmTracewrightTest") && written.contains("\n\t@Test\n  void "), "{written}");

    project.commit();
    project.edit("src/main/java/p/Calm.java", "x / 2", "x / 3");
    let since = ["-Dtracewright.since=HEAD", "-Dtracewright.budget=8s", "-Dtracewright.failOnChange=true"];
    let diff = goal("diff");
    let ended = maven.run(&project, &[&since[..], &[&diff]].concat()).failed().prints("p.Calm: 1 test differs");
    ended.prints("the behaviour differs from the earlier version");
    assert!(project.read("target/tracewright-diff/differences.md").contains("The behaviour of 1 class differs."));

    maven.run(&project, &["-Dtracewright.skip=true", &generate]).succeeded().prints("tracewright.skip is set");
    maven.run(&project, &["-Dtracewright.budget=soon", &generate]).failed().prints("`soon` is no length of time");
    maven
        .run(&project, &["-Dtracewright.steps=9", "-Dtracewright.cache=/proc/tracewright", &generate])
        .failed()
        .prints("Tracewright cannot be unpacked into /proc/tracewright (");
    let missing = ["-o", "-Dtracewright.toolVersion=0.0.0", "-Dtracewright.steps=9", generate.as_str()];
    maven.run(&project, &missing).failed().prints("dev.tracewright:tracewright-natives:jar:").prints("offline");
}

#[test]
fn the_agent_is_put_before_existing_arguments() {
    let Some(maven) = Maven::find() else { return };
    let project = Project::of(&[(
        "pom.xml",
        "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>a</artifactId><version>1</version>\
         <properties><argLine>-Dhand=written</argLine></properties>\
         <pluginRepositories><pluginRepository><id>t</id><url>file://${tracewright.repository}</url></pluginRepository></pluginRepositories></project>",
    )]);
    let goal = format!("dev.tracewright:tracewright-maven-plugin:{VERSION}:prepare-agent");
    let ended = maven.run(&project, &["-Dtracewright.classes=p.*,q.*", &goal]).succeeded();
    let line = ended.text.lines().find(|line| line.contains("argLine set to ")).expect("said").to_owned();
    assert!(line.contains("argLine set to -agentpath:") && line.ends_with(",include=p.*,include=q.* -Dhand=written"), "{line}");
    maven.run(&project, &["-Dtracewright.skip=true", &goal]).succeeded().prints("nothing is recorded: tracewright.skip is set");
}
