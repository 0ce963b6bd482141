//! `mvn tracewright:generate` on the sample of several modules, on a POM that says nothing, and on what users get wrong.

use crate::support::{Ended, Project, VERSION, end, jdk, named_path, one_build, root};
use std::path::PathBuf;
use std::process::Command;
use tracewright_test_support::require;

struct Maven {
    repository: PathBuf,
}

impl Maven {
    /// With a local repository of its own, from which the plugin of an earlier test run is removed: it has the same version.
    fn there() -> Option<Maven> {
        let repository = named_path("TRACEWRIGHT_REPOSITORY")?;
        require("Maven (`mvn`) on the PATH", Command::new("mvn").arg("-v").output().ok())?;
        static ANEW: std::sync::Once = std::sync::Once::new();
        ANEW.call_once(|| {
            let _ = std::fs::remove_dir_all(local().join("dev/tracewright"));
        });
        Some(Maven { repository })
    }

    fn run(&self, project: &Project, arguments: &[&str]) -> Ended {
        let _one = one_build();
        let mut command = Command::new("mvn");
        command.arg("-B").arg(format!("-Dmaven.repo.local={}", local().display()));
        command.arg(format!("-Dtracewright.repository={}", self.repository.display()));
        command.args(arguments).current_dir(project.path("")).env("JAVA_HOME", jdk());
        end(&mut command)
    }
}

fn local() -> PathBuf {
    root().join("target/plugins/local-repository")
}

#[test]
fn the_sample_of_several_modules() {
    let Some(maven) = Maven::there() else { return };
    let project = Project::sample("maven-app");
    // Steps and no time: a slow machine gets the same tests.
    project.edit("pom.xml", "<tracewright.budget>20s</tracewright.budget>", "<tracewright.steps>400</tracewright.steps>");
    // The hand-written tests are recorded, beside JaCoCo and other arguments, and generation goes on from there.
    maven.run(&project, &["-Precord", "test"]).well();
    maven.run(&project, &["-Precord", "tracewright:generate"]).well();
    let report = project.read("orders/target/tracewright-report/report.json");
    assert!(report.contains("\"recorded_tests\"") && !report.contains("\"goals_left_out\": 0"), "{report}");
    for file in
        ["stock/src/test/java/shop/stock/ShelfTracewrightTest.java", "orders/src/test/java/shop/orders/OrderTracewrightTest.java"]
    {
        assert!(project.read(file).contains("@Test"), "{file}");
    }
    maven.run(&project, &["test", "jacoco:report"]).well();
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
    maven.run(&project, &["tracewright:report"]).well().says("shop.orders.Order: ");
}

#[test]
fn a_pom_that_names_nothing_but_the_repository() {
    let Some(maven) = Maven::there() else { return };
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
    ]);
    let goal = |name: &str| format!("dev.tracewright:tracewright-maven-plugin:{VERSION}:{name}");
    let generate = goal("generate");
    maven
        .run(&project, &["-Dtracewright.steps=300", &generate])
        .well()
        .says("there is no JUnit on the test class path: tests are written for JUnit 5");
    assert!(project.read("src/test/java/p/CalmTracewrightTest.java").contains("class CalmTracewrightTest"));

    maven.run(&project, &["-Dtracewright.skip=true", &generate]).well().says("tracewright.skip is set");
    maven.run(&project, &["-Dtracewright.budget=soon", &generate]).badly().says("`soon` is no length of time");
    maven
        .run(&project, &["-Dtracewright.steps=9", "-Dtracewright.cache=/proc/tracewright", &generate])
        .badly()
        .says("Tracewright cannot be unpacked into /proc/tracewright (");
    let missing = ["-o", "-Dtracewright.toolVersion=0.0.0", "-Dtracewright.steps=9", generate.as_str()];
    maven.run(&project, &missing).badly().says("dev.tracewright:tracewright-natives:jar:").says("offline");
}

#[test]
fn the_agent_comes_before_what_arguments_there_are() {
    let Some(maven) = Maven::there() else { return };
    let project = Project::of(&[(
        "pom.xml",
        "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>a</artifactId><version>1</version>\
         <properties><argLine>-Dhand=written</argLine></properties>\
         <pluginRepositories><pluginRepository><id>t</id><url>file://${tracewright.repository}</url></pluginRepository></pluginRepositories></project>",
    )]);
    let goal = format!("dev.tracewright:tracewright-maven-plugin:{VERSION}:prepare-agent");
    let ended = maven.run(&project, &["-Dtracewright.classes=p.*,q.*", &goal]).well();
    let line = ended.text.lines().find(|line| line.contains("argLine set to ")).expect("said").to_owned();
    assert!(line.contains("argLine set to -agentpath:") && line.ends_with(",include=p.*,include=q.* -Dhand=written"), "{line}");
    maven.run(&project, &["-Dtracewright.skip=true", &goal]).well().says("nothing is recorded: tracewright.skip is set");
}
