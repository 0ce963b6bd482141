//! Rendering of tests: asserted tests in text form become Java source, which must compile.
//!
//! In: goldens and random tests. Out: source that javac accepts without warnings and that passes
//! under JUnit.

#[path = "emit/random.rs"]
mod random;
#[path = "emit/support.rs"]
mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use support::{Bench, Source};
use tracewright::conventions::{FileLayout, layout_by_text};
use tracewright::emit::{
    AssertionStyle, JUnit, Options, Rendered, is_untouched, render, render_tables, retain_tests, with_layout,
};
use tracewright::oracle::{AssertedTest, test_package};
use tracewright::program::{ClassName, Program};
use tracewright_test_support::{assertj_jars, check_golden, compare_golden, development_jars, mockito_jars};

fn goldens() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emit/goldens")
}

/// A golden: `class`, `junit`, `release`, `style`, `tables` lines, tests separated by `---`, then `===` and
/// the expected file.
struct Golden {
    path: PathBuf,
    input: String,
    class: ClassName,
    options: Options,
    /// Tests of one shape become parameterized tests.
    has_tables: bool,
    tests: Vec<AssertedTest>,
}

impl Golden {
    fn render(&self, program: &Program) -> Rendered {
        match self.has_tables {
            true => render_tables(program, &self.class, &self.tests, &self.options, &BTreeSet::new()),
            false => render(program, &self.class, &self.tests, &self.options),
        }
    }
}

fn read(path: &Path, program: &Program) -> Golden {
    let text = fs::read_to_string(path).expect("a readable golden");
    let input = text.split_once("===\n").map_or(text.as_str(), |(input, _)| input);
    let (head, body) = input.split_once("---\n").expect("a head");
    let field = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let class = ClassName::new(field("class ").expect("a class"));
    let options = Options {
        junit: if field("junit ") == Some("4") { JUnit::Four } else { JUnit::Five },
        release: field("release ").map_or(17, |release| release.parse().expect("a number")),
        seed: 7,
        package: test_package(program, &class, false),
        number: 1,
        change: None,
        layout: FileLayout::default(),
        public: false,
        style: if field("style ") == Some("assertj") { AssertionStyle::AssertJ } else { AssertionStyle::JUnit },
    };
    let tests = body
        .split("---\n")
        .map(|test| test.parse().unwrap_or_else(|error| panic!("{}: {error}\n{test}", path.display())))
        .collect();
    let has_tables = field("tables ").is_some();
    Golden { path: path.to_path_buf(), input: input.to_string(), class, options, has_tables, tests }
}

#[test]
fn goldens_render_compile_and_pass() {
    let Some(bench) = Bench::open("goldens") else { return };
    let mut paths: Vec<PathBuf> =
        fs::read_dir(goldens()).expect("goldens").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    let mut sources = Vec::new();
    let mut wrong = Vec::new();
    for path in paths {
        let golden = read(&path, &bench.program);
        for test in &golden.tests {
            assert_eq!(test.to_string().parse::<AssertedTest>().as_ref(), Ok(test), "{}", path.display());
        }
        let Rendered { source, tests, unprintable, class, .. } = golden.render(&bench.program);
        assert!(is_untouched(&source));
        let lines: Vec<&str> = source.lines().collect();
        for test in &tests {
            let (first, last) = (test.lines.0 as usize, test.lines.1 as usize);
            assert!(
                ["@Test", "@ParameterizedTest", "// Likely fault"]
                    .iter()
                    .any(|begin| lines[first - 1].trim_start().starts_with(begin)),
                "{first}: {source}"
            );
            assert_eq!(lines[last - 1], "    }", "{source}");
            assert!(lines[first - 1..last].iter().any(|line| line.contains(&format!("void {}(", test.method))));
        }
        // The first line has a hash of the others, so goldens omit it.
        let mut shown = source.split_once('\n').map_or("", |(_, rest)| rest).to_string();
        for (index, reason) in &unprintable {
            shown.push_str(&format!("// unprintable {index}: {reason}\n"));
        }
        wrong.extend(compare_golden(&golden.path, &format!("{}===\n{shown}", golden.input)).err());
        sources.push(Source::of(&class, source, golden.options.junit));
    }
    bench.compile(&sources, true);
    bench.run(&sources);
    assert!(wrong.is_empty(), "{} goldens differ\n{}", wrong.len(), wrong.join("\n"));
}

/// A file without some of its tests has the others unchanged, at the reported lines and with the
/// imports that they need.
#[test]
fn a_file_without_some_tests_compiles_and_keeps_the_others_unchanged() {
    let Some(bench) = Bench::open("cut") else { return };
    for half in 0..2 {
        let mut sources = Vec::new();
        let mut fewer_imports = 0;
        for entry in fs::read_dir(goldens()).expect("goldens") {
            let golden = read(&entry.expect("an entry").path(), &bench.program);
            let whole = golden.render(&bench.program);
            let places = (0..whole.tests.len()).filter(|place| place % 2 == half).collect();
            let part = retain_tests(&whole, &places);
            assert!(is_untouched(&part.source), "{}", part.source);
            let text = |rendered: &Rendered, lines: (u32, u32)| {
                rendered
                    .source
                    .lines()
                    .skip(lines.0 as usize - 1)
                    .take((lines.1 - lines.0 + 1) as usize)
                    .collect::<Vec<_>>()
                    .join("\n")
            };
            for (place, test) in whole.tests.iter().enumerate() {
                match part.tests.iter().find(|other| other.method == test.method) {
                    Some(kept) => assert_eq!(text(&part, kept.lines), text(&whole, test.lines)),
                    None => assert!(!places.contains(&place) && !part.source.contains(&format!("void {}(", test.method))),
                }
            }
            assert_eq!(part.tests.len(), places.len());
            assert!(!part.source.contains("\n\n\n") && !part.source.contains("{\n\n\n"), "{}", part.source);
            let imports = |source: &str| source.lines().filter(|line| line.starts_with("import ")).count();
            fewer_imports += imports(&whole.source) - imports(&part.source);
            sources.push(Source::of(&part.class, part.source, golden.options.junit));
        }
        assert!(fewer_imports > 0, "imports that only removed tests need are removed");
        bench.compile(&sources, true);
    }
}

#[test]
fn random_tests_compile() {
    let Some(bench) = Bench::open("random") else { return };
    let mut targets: Vec<ClassName> = bench.sample_classes.clone();
    targets.extend(random::JDK_CLASSES.iter().map(|name| ClassName::new(name)));
    random::check(&bench, &targets, 60, 7, AssertionStyle::JUnit);
}

/// The same with a sample of the classes of the development jars. `TRACEWRIGHT_EMIT_EVERY=1` takes
/// all of them.
#[test]
fn random_tests_of_libraries_compile() {
    let Some(jars) = development_jars() else { return };
    let Some(bench) = Bench::with_jars("libraries", &jars) else { return };
    let every = std::env::var("TRACEWRIGHT_EMIT_EVERY").ok().and_then(|every| every.parse().ok()).unwrap_or(16);
    let targets: Vec<ClassName> = bench.library_classes().into_iter().step_by(every).collect();
    assert!(!targets.is_empty());
    random::check(&bench, &targets, 12, 11, AssertionStyle::JUnit);
}

/// The tests of each golden compile and pass in other layouts, and no line is too wide.
#[test]
fn goldens_in_other_layouts_compile_and_pass() {
    let Some(bench) = Bench::open("layouts") else { return };
    let layouts = [
        "[*]\nindent_size = 2\nmax_line_length = 100\n",
        "[*]\nindent_style = tab\ntab_width = 8\nmax_line_length = 72\nend_of_line = crlf\ninsert_final_newline = false\n",
    ];
    for (number, text) in layouts.iter().enumerate() {
        let test = ["\n  @Test\n  void ", "\r\n\t@Test\r\n\tpublic void "][number];
        let mut tests = 0;
        let mut sources = Vec::new();
        for entry in fs::read_dir(goldens()).expect("goldens") {
            let mut golden = read(&entry.expect("an entry").path(), &bench.program);
            golden.options.layout = layout_by_text(text);
            golden.options.public = number == 1;
            let rendered = render(&bench.program, &golden.class, &golden.tests, &golden.options);
            let source = with_layout(&rendered.source, &golden.options.layout);
            assert!(is_untouched(&source), "{source}");
            // A declaration cannot break in front of its name.
            let wide = source.lines().find(|line| line.len() > 100 && !line.starts_with("import ") && !line.contains("  void "));
            assert_eq!(wide, None, "{source}");
            assert_eq!(source.ends_with('\n'), number == 0);
            tests += source.matches(test).count();
            sources.push(Source::of(&rendered.class, source, golden.options.junit));
        }
        assert!(tests > 20, "{tests}");
        bench.compile(&sources, false);
        bench.run(&sources);
    }
}

#[test]
fn assertions_are_written_with_assertj() {
    let Some(jars) = assertj_jars() else { return };
    let Some(bench) = Bench::with_jars("assertj", &jars) else { return };
    check_written(&bench, "tests/emit/fluent.txt");
    // javac finds one `assertThat` for whatever the classes of a library return.
    let targets: Vec<ClassName> = bench.sample_classes.iter().chain(&bench.library_classes()).step_by(7).cloned().collect();
    random::check(&bench, &targets, 4, 23, AssertionStyle::AssertJ);
}

/// Checks the source of a golden file, compiles and runs it.
fn check_written(bench: &Bench, path: &str) -> (Golden, Rendered) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let golden = read(&path, &bench.program);
    for test in &golden.tests {
        assert_eq!(test.to_string().parse::<AssertedTest>().as_ref(), Ok(test));
    }
    let rendered = golden.render(&bench.program);
    assert!(rendered.unprintable.is_empty(), "{:?}", rendered.unprintable);
    let shown = rendered.source.split_once('\n').map_or("", |(_, rest)| rest);
    check_golden(&path, &format!("{}===\n{shown}", golden.input));
    let sources = [Source::of(&rendered.class, rendered.source.clone(), JUnit::Five)];
    bench.compile(&sources, true);
    bench.run(&sources);
    (golden, rendered)
}

#[test]
fn mocks_are_written_with_mockito() {
    let Some(jars) = mockito_jars() else { return };
    let Some(bench) = Bench::with_jars("mocks", &jars) else { return };
    check_written(&bench, "tests/emit/shared.txt");
    check_written(&bench, "tests/emit/injected.txt");
    let (golden, rendered) = check_written(&bench, "tests/emit/mocks.txt");
    let part = retain_tests(&rendered, &[0].into());
    assert!(
        !part.source.contains("doThrow") && part.source.contains("import static org.mockito.Mockito.when;"),
        "{}",
        part.source
    );
    // Not every mock maker of Mockito can mock final methods.
    let wrong = "v0: I = int 1\nv1: Ljava/util/Date; = new java/util/Date.<init> ()V ()\n\
        v2: Ljava/util/Calendar; = mock java/util/Calendar (java/util/Calendar.getTime ()Ljava/util/Date; v1)\n\
        v3: I = call method java/util/Calendar.get (I)I on v2 (v0)\n";
    let test: AssertedTest = wrong.parse().expect("well-formed");
    assert!(render(&bench.program, &golden.class, &[test], &golden.options).unprintable.len() == 1);
}
