//! The parts of the environment that are no crates.
//!
//! In: pip, Maven, npm and Debian's packages. Out: `target/z3` (libz3 of the `z3-solver` wheel), `target/jars` (JUnit,
//! Mockito, AssertJ, Spring and the development jars) and `target/browser` (axe-core). Nothing is fetched that is
//! already there.

use crate::run::check;
use anyhow::{Context, Result, bail};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tracewright_jdk::JdkHome;
use tracewright_test_support::find_on_path;

/// The Python package that holds libz3.
const Z3_WHEEL: &str = "z3-solver==4.15.8.0";
/// The Maven goal that fetches jars.
const DEPENDENCY_PLUGIN: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";
/// The Maven goal that writes a class path into a file.
pub(crate) const CLASS_PATH_GOAL: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:build-classpath";
/// JaCoCo: the agent that records coverage, and the program that reports it.
const JACOCO: [&str; 2] = ["org.jacoco:org.jacoco.agent:0.8.14:runtime", "org.jacoco:org.jacoco.cli:0.8.14:nodeps"];
/// PIT: its command line, and what it runs tests of JUnit 5 with.
const PIT: [&str; 2] = ["org.pitest:pitest-command-line:1.22.1", "org.pitest:pitest-junit5-plugin:1.2.3"];
/// The console launcher of JUnit 5.
const JUNIT_CONSOLE: &str = "org.junit.platform:junit-platform-console-standalone:1.13.4";
/// Mockito, for tests of mocks.
const MOCKITO: &str = "org.mockito:mockito-core:5.20.0";
/// AssertJ, for tests of its assertions.
const ASSERTJ: &str = "org.assertj:assertj-core:3.27.7";
/// Spring MVC and what its standalone MockMvc needs, for tests of controllers.
const SPRING: [&str; 5] = [
    "org.springframework:spring-test:6.1.15",
    "org.springframework:spring-webmvc:6.1.15",
    "jakarta.servlet:jakarta.servlet-api:6.0.0",
    "com.fasterxml.jackson.core:jackson-databind:2.17.3",
    "org.hamcrest:hamcrest:2.2",
];
/// The npm package of what examines pages in a browser.
const AXE: &str = "axe-core@4.10.3";
/// JUnit 4 and its dependency.
const JUNIT4: [&str; 2] = ["junit:junit:4.13.2", "org.hamcrest:hamcrest-core:1.3"];

/// The API that the Gradle plugin is compiled against. A Gradle for tests is made of it as well.
const GRADLE_API: &str = "dev.gradleplugins:gradle-api:8.11.1";
/// The API that the Maven plugin is compiled against.
const MAVEN_API: [&str; 2] = ["org.apache.maven:maven-core:3.6.3", "org.apache.maven:maven-plugin-api:3.6.3"];

/// Libraries for tests of general properties, for benchmarks and for the demonstration.
const DEVELOPMENT_JARS: [&str; 9] = [
    "org.apache.commons:commons-lang3:3.14.0",
    "commons-codec:commons-codec:1.16.0",
    "commons-cli:commons-cli:1.6.0",
    "org.apache.commons:commons-collections4:4.4",
    "org.apache.commons:commons-text:1.11.0",
    "commons-validator:commons-validator:1.8.0",
    "org.jdom:jdom2:2.0.6.1",
    "org.json:json:20240303",
    "com.google.re2j:re2j:1.7",
];

/// The published tests of a library.
pub(crate) struct Suite {
    /// The name of the library.
    pub name: &'static str,
    /// The classes to record: those of the library, without its tests.
    pub include: &'static str,
    /// JVM arguments that the library's own build uses for its tests.
    pub jvm: &'static [&'static str],
    /// A pattern of the names of test classes that do not run; empty where all of them run.
    pub without: &'static str,
    /// Maven coordinates; the first is the jar of the tests.
    coordinates: &'static [&'static str],
}

/// The suites of the benchmark `record`.
pub(crate) const SUITES: [Suite; 5] = [
    Suite {
        name: "commons-codec",
        include: "org.apache.commons.codec.*",
        jvm: &[],
        without: "",
        coordinates: &[
            "commons-codec:commons-codec:1.16.0:tests",
            "commons-codec:commons-codec:1.16.0",
            "org.apache.commons:commons-lang3:3.13.0",
            "commons-io:commons-io:2.13.0",
        ],
    },
    Suite {
        name: "commons-lang3",
        include: "org.apache.commons.lang3.*",
        // Without these, tests leave entries in a weak map. The outcome of later tests then depends
        // on the garbage collector.
        jvm: &[
            "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED",
        ],
        without: "",
        coordinates: &[
            "org.apache.commons:commons-lang3:3.14.0:tests",
            "org.apache.commons:commons-lang3:3.14.0",
            "org.apache.commons:commons-text:1.11.0",
            "org.easymock:easymock:5.2.0",
            "org.objenesis:objenesis:3.3",
            "org.hamcrest:hamcrest:2.2",
            "org.junit-pioneer:junit-pioneer:1.9.1",
            "org.openjdk.jmh:jmh-core:1.37",
        ],
    },
    Suite {
        name: "commons-collections4",
        include: "org.apache.commons.collections4.*",
        jvm: &[],
        without: "",
        coordinates: &[
            "org.apache.commons:commons-collections4:4.4:tests",
            "org.apache.commons:commons-collections4:4.4",
            "org.apache.commons:commons-lang3:3.14.0",
            "org.easymock:easymock:5.2.0",
            "org.objenesis:objenesis:3.3",
            "junit:junit:4.13.2",
            "org.hamcrest:hamcrest-core:1.3",
        ],
    },
    Suite {
        name: "commons-csv",
        include: "org.apache.commons.csv.*",
        jvm: &[],
        // It measures time and needs files that are not in the jar of the tests.
        without: ".*PerformanceTest",
        coordinates: &[
            "org.apache.commons:commons-csv:1.10.0:tests",
            "org.apache.commons:commons-csv:1.10.0",
            "org.apache.commons:commons-lang3:3.12.0",
            "commons-io:commons-io:2.11.0",
            "com.h2database:h2:2.1.214",
            "org.hamcrest:hamcrest:2.2",
            "org.mockito:mockito-core:4.11.0",
        ],
    },
    Suite {
        name: "commons-validator",
        include: "org.apache.commons.validator.*",
        jvm: &[],
        without: "",
        coordinates: &[
            "commons-validator:commons-validator:1.7:tests",
            "commons-validator:commons-validator:1.7",
            "commons-beanutils:commons-beanutils:1.9.4",
            "commons-digester:commons-digester:2.1",
            "commons-logging:commons-logging:1.2",
            "commons-collections:commons-collections:3.2.2",
            "org.apache.commons:commons-csv:1.6",
            "junit:junit:4.13.2",
            "org.hamcrest:hamcrest-core:1.3",
        ],
    },
];

/// Fetches a suite. Returns its class path; the jar of the tests is the first.
///
/// # Errors
/// Maven fails or does not provide a jar.
pub(crate) fn suite(root: &Path, suite: &Suite) -> Result<Vec<PathBuf>> {
    jars(root, suite.name, suite.coordinates)
}

/// Files of the set-up.
pub(crate) struct Ready {
    /// libz3.
    pub z3_library: PathBuf,
    /// The console launcher of JUnit 5.
    pub junit_console: PathBuf,
    /// JUnit 4 and Hamcrest as one class path.
    pub junit4: String,
    /// The jars of the development libraries, in the order of `DEVELOPMENT_JARS`.
    pub development_jars: Vec<PathBuf>,
}

/// Class paths to compile the build plugins against.
pub(crate) struct BuildTools {
    /// For the Gradle plugin.
    pub gradle: Vec<PathBuf>,
    /// For the Maven plugin.
    pub maven: Vec<PathBuf>,
}

/// The jars that measure coverage and mutation.
pub(crate) struct CoverageTools {
    /// JaCoCo's agent.
    pub agent: PathBuf,
    /// JaCoCo's command line.
    pub cli: PathBuf,
    /// PIT with all that it needs but JUnit.
    pub pit: Vec<PathBuf>,
}

/// Fetches JaCoCo and PIT.
///
/// # Errors
/// Maven fails or does not provide a jar.
pub(crate) fn coverage_tools(root: &Path) -> Result<CoverageTools> {
    let [agent, cli] = &jars(root, "jacoco", &JACOCO)?[..] else { bail!("Maven fetched no JaCoCo") };
    // The plugin of PIT depends on a launcher of JUnit; that of the console launcher is used.
    let is_junit = |jar: &PathBuf| {
        let name = jar.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("junit-") || name.starts_with("opentest4j") || name.starts_with("apiguardian")
    };
    let pit = with_dependencies(root, "pit", &PIT)?.into_iter().filter(|jar| !is_junit(jar)).collect();
    Ok(CoverageTools { agent: agent.clone(), cli: cli.clone(), pit })
}

/// Fetches the jars to compile the build plugins against.
///
/// # Errors
/// Maven fails or does not provide a jar.
pub(crate) fn build_tools(root: &Path) -> Result<BuildTools> {
    Ok(BuildTools {
        gradle: with_dependencies(root, "gradle", &[GRADLE_API])?,
        maven: with_dependencies(root, "maven", &MAVEN_API)?,
    })
}

/// Fetches everything that builds and tests need.
///
/// # Errors
/// A tool is missing (the error names what to install), or pip or Maven fails.
pub(crate) fn everything(root: &Path) -> Result<Ready> {
    check_tools()?;
    let z3_library = libz3(root)?;
    let junit = jars(root, "junit", &[&[JUNIT_CONSOLE][..], &JUNIT4].concat())?;
    let development_jars = jars(root, "development", &DEVELOPMENT_JARS)?;
    jars(root, "mocking", &[MOCKITO])?;
    jars(root, "assertj", &[ASSERTJ])?;
    jars(root, "spring", &SPRING)?;
    package("chromium", "chromium", "the page");
    axe(root);
    package("slurm-wlm", "slurmctld", "Slurm");
    let [console, four @ ..] = &junit[..] else { bail!("Maven fetched no JUnit") };
    let junit4 = four.iter().map(|jar| jar.to_string_lossy().into_owned()).collect::<Vec<_>>().join(":");
    Ok(Ready { z3_library, junit_console: console.clone(), junit4, development_jars })
}

/// Installs a Debian package that one test needs, unless its program is there, and where this user may install
/// packages. Without it that test is skipped, so nothing here is an error.
fn package(name: &str, program: &str, test: &str) {
    if find_on_path(program).is_some() || find_on_path("apt-get").is_none() || !is_root() {
        return;
    }
    println!("installing {name} through apt-get");
    let install = || output(Command::new("apt-get").args(["install", "-y", "--no-install-recommends", name]));
    let update = || output(Command::new("apt-get").arg("update"));
    // The lists of packages may be missing or old.
    if let Err(error) = install().or_else(|_| update().and_then(|_| install())) {
        println!("the test of {test} will be skipped: {name} cannot be installed ({error:#})");
    }
}

/// Fetches axe-core. Without it the test of the page is skipped, so nothing here is an error.
fn axe(root: &Path) {
    let folder = root.join("target/browser");
    if !folder.join("axe.min.js").exists() {
        println!("fetching {AXE} through npm");
        if let Err(error) = fetch_axe(&folder) {
            println!("the test of the page will be skipped: {AXE} cannot be fetched ({error:#})");
        }
    }
}

fn is_root() -> bool {
    output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

/// Unpacks `axe.min.js` into the folder.
fn fetch_axe(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let packed = output(Command::new("npm").args(["pack", "--silent", AXE]).current_dir(folder))?;
    let archive = packed.lines().next().context("npm names no archive")?.trim().to_owned();
    let unpack = ["-xzf", &archive, "--strip-components=1", "package/axe.min.js"];
    output(Command::new("tar").args(unpack).current_dir(folder))?;
    fs::remove_file(folder.join(archive))?;
    Ok(())
}

/// Copies the JUnit jars under the names that the program expects. `folder` is `lib` beside the
/// folder of the executable, or that folder itself.
///
/// # Errors
/// A file cannot be copied.
pub(crate) fn place_junit(folder: &Path, ready: &Ready) -> Result<()> {
    fs::create_dir_all(folder)?;
    copy_if_changed(&ready.junit_console, &folder.join("junit-platform-console-standalone.jar"))?;
    for (jar, name) in ready.junit4.split(':').zip(["junit4.jar", "hamcrest.jar"]) {
        copy_if_changed(Path::new(jar), &folder.join(name))?;
    }
    Ok(())
}

/// Copies a file unless the target has the same length already.
fn copy_if_changed(from: &Path, to: &Path) -> Result<()> {
    let is_same = fs::metadata(to).is_ok_and(|target| fs::metadata(from).is_ok_and(|source| source.len() == target.len()));
    if !is_same {
        fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    }
    Ok(())
}

/// A tool of the JDK to build with. Without a JDK it is the bare name, so that the error names the
/// tool.
pub(crate) fn java_tool(name: &str) -> PathBuf {
    JdkHome::find_with_compiler().map_or_else(|_| name.into(), |jdk| jdk.tool(name))
}

/// Checks that a JDK, Maven and pip are installed; the error names what to install.
fn check_tools() -> Result<()> {
    let javac = java_tool("javac");
    let version = output(Command::new(&javac).arg("-version"))
        .context("javac is missing: install a JDK, 17 or newer (Debian: apt-get install openjdk-17-jdk), or set JAVA_HOME")?;
    let major: u32 =
        version.trim().trim_start_matches("javac ").split(['.', '-']).next().and_then(|n| n.parse().ok()).unwrap_or(0);
    if major < 17 {
        bail!("{} is {}: install a JDK, 17 or newer, or set JAVA_HOME to one", javac.display(), version.trim());
    }
    output(Command::new("mvn").arg("-v")).context("mvn is missing: install Maven (Debian: apt-get install maven)")?;
    output(Command::new("python3").args(["-m", "pip", "--version"]))
        .context("python3 with pip is missing: install them (Debian: apt-get install python3-pip)")?;
    Ok(())
}

/// The output of a command on both streams.
fn output(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::piped()).output()?;
    if !output.status.success() {
        bail!("it ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    // Old versions of javac print their version on standard error.
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    Ok(text)
}

/// Fetches libz3 into `target/z3/lib` and returns its path. The SONAME is a file beside it.
fn libz3(root: &Path) -> Result<PathBuf> {
    let folder = root.join("target/z3");
    let library = folder.join("lib").join(format!("{}z3{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX));
    let mark = folder.join("wheel.txt");
    if library.exists() && fs::read_to_string(&mark).is_ok_and(|wheel| wheel == Z3_WHEEL) {
        return Ok(library);
    }
    println!("fetching libz3 ({Z3_WHEEL})");
    let download = folder.join("download");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&download)?;
    check(
        Command::new("python3")
            .args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "-d"])
            .arg(&download)
            .arg(Z3_WHEEL),
    )
    .context("pip could not fetch the z3-solver wheel")?;
    let wheel = fs::read_dir(&download)?.next().context("pip fetched no file")??.path();
    let mut archive = zip::ZipArchive::new(fs::File::open(&wheel)?)?;
    fs::create_dir_all(folder.join("lib"))?;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index)?;
        let Some(name) = entry.name()?.strip_prefix("z3/lib/").map(str::to_owned) else { continue };
        if name.is_empty() || name.contains('/') {
            continue;
        }
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        fs::write(folder.join("lib").join(name), bytes)?;
    }
    fs::remove_dir_all(&download)?;
    if !library.exists() {
        bail!("the wheel {} holds no {}", wheel.display(), library.display());
    }
    fs::write(mark, Z3_WHEEL)?;
    Ok(library)
}

/// Fetches jars with all dependencies into `target/jars/NAME`. Returns them sorted by file name.
fn with_dependencies(root: &Path, name: &str, coordinates: &[&str]) -> Result<Vec<PathBuf>> {
    jars(root, name, coordinates)?;
    let mut all = Vec::new();
    for entry in fs::read_dir(root.join("target/jars").join(name))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "jar") {
            all.push(path);
        }
    }
    all.sort();
    Ok(all)
}

/// Fetches jars into `target/jars/NAME`. Returns them in the order of the coordinates, which are
/// `group:artifact:version` or `group:artifact:version:classifier`.
fn jars(root: &Path, name: &str, coordinates: &[&str]) -> Result<Vec<PathBuf>> {
    let folder = root.join("target/jars").join(name);
    let wanted: Vec<PathBuf> = coordinates
        .iter()
        .map(|coordinate| {
            let parts: Vec<&str> = coordinate.split(':').collect();
            folder.join(format!("{}.jar", parts[1..].join("-")))
        })
        .collect();
    if wanted.iter().all(|jar| jar.exists()) {
        return Ok(wanted);
    }
    println!("fetching {} jars ({name}) through Maven", wanted.len());
    fs::create_dir_all(&folder)?;
    let dependencies: String = coordinates
        .iter()
        .map(|coordinate| {
            let parts: Vec<&str> = coordinate.split(':').collect();
            let classifier = parts.get(3).map(|name| format!("<classifier>{name}</classifier>")).unwrap_or_default();
            format!(
                "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>{classifier}</dependency>",
                parts[0], parts[1], parts[2]
            )
        })
        .collect();
    let pom = folder.join("pom.xml");
    fs::write(
        &pom,
        format!(
            "<project><modelVersion>4.0.0</modelVersion><groupId>dev.tracewright</groupId><artifactId>jars</artifactId>\
             <version>1</version><dependencies>{dependencies}</dependencies></project>"
        ),
    )?;
    check(
        Command::new("mvn")
            .args(["-q", "-B", "-f"])
            .arg(&pom)
            .arg(DEPENDENCY_PLUGIN)
            .arg(format!("-DoutputDirectory={}", folder.display()))
            .arg("-DincludeScope=runtime"),
    )
    .context("Maven could not fetch the jars")?;
    if let Some(missing) = wanted.iter().find(|jar| !jar.exists()) {
        bail!("Maven did not fetch {}", missing.display());
    }
    Ok(wanted)
}
