//! The page of a report in a browser: it is opened from the disk, clicked on and examined.
//!
//! A copy of the page gets a script that does what a person would do and writes down what the page then shows. Chromium
//! runs it and prints the document. axe-core looks for what keeps people from using the page.

use crate::subject::{Subject, end, program};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tracewright_test_support::find_on_path;

/// Conditions, a loop and a handler, so that each kind of way is drawn, and a key that only the solver finds.
const GATE: &str = "package p;

public class Gate {
    public static int count(int from, int to) {
        int passed = 0;
        for (int at = from; at < to; at++) {
            if (at % 3 == 0) {
                passed++;
            }
        }
        return passed;
    }

    public static boolean opens(int code, int key) {
        return code * 7 - key == 86415 && key > 1000;
    }

    public static int parsed(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return text.isEmpty() ? 0 : -1;
        }
    }
}
";

/// The script calls `examine` and axe-core, and writes their findings into the document, one a line.
const EXAMINE: &str = "
addEventListener('load', async () => {
  const seen = [];
  const see = (name, value) => seen.push(name + '=' + value);
  try {
    await examine(see);
    const found = await axe.run({ resultTypes: ['violations'] });
    const serious = found.violations.filter((rule) => ['serious', 'critical'].includes(rule.impact));
    see('violations', serious.map((rule) => rule.id + ' at ' + rule.nodes[0].html).join('; '));
    see('requests', performance.getEntriesByType('resource').length);
  } catch (error) {
    see('error', error);
  }
  document.body.textContent = '[seen\\n' + seen.join('\\n') + '\\nseen]';
});
";

const OVERVIEW: &str = "
async function examine(see) {
  const headers = document.querySelectorAll('#classes thead button');
  headers[1].click();
  see('sorted', headers[1].parentElement.getAttribute('aria-sort'));
  headers[1].click();
  see('again', headers[1].parentElement.getAttribute('aria-sort'));
  see('link', document.querySelector('#classes tbody a').getAttribute('href'));
}
";

const CLASS: &str = "
async function examine(see) {
  const count = (selector) => document.querySelectorAll(selector).length;
  document.querySelectorAll('details').forEach((details) => { details.open = true; });
  const tests = Array.from(document.querySelectorAll('#tests button'));
  tests.find((button) => button.textContent.startsWith('count')).click();
  see('lines', count('#lines tr.chosen') > 0);
  see('ways', count('#flows .way.chosen') > 0);
  see('blocks', count('#flows .block.chosen') > 0);
  document.querySelector('#lines tr[data-tests] th a').click();
  see('tree', count('#flows .tree li') > 3);
  see('covering', document.getElementById('covering').textContent.startsWith('Line '));
  const flow = document.querySelector('#flows .flow');
  const way = (from, to) => flow.querySelector(`.ways button[data-from=${from}][data-to=${to}]`);
  way('B0', 'B1').click();
  flow.querySelectorAll('svg .way')[Number(way('B1', 'B2').dataset.way)].dispatchEvent(new Event('click'));
  see('path', flow.querySelector('output').textContent);
  flow.querySelector('.copy').click();
  see('line', window.getSelection().toString());
  flow.querySelector('.clear').click();
  see('cleared', flow.querySelector('output').textContent);
}
";

/// axe-core, where Chromium is installed and the set-up has fetched both.
fn axe() -> Option<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/browser/axe.min.js");
    let axe = std::fs::read_to_string(file).ok().filter(|_| find_on_path("chromium").is_some());
    if axe.is_none() {
        eprintln!("skipped: chromium or axe-core is missing; `cargo xtask setup` fetches them (Debian, as root)");
    }
    axe
}

/// What the script sees in the page, line by line.
fn seen_in(page: &Path, axe: &str, script: &str) -> Vec<String> {
    let text = std::fs::read_to_string(page).expect("a page");
    let examined = page.with_extension("examined.html");
    let scripts = format!("<script>{axe}</script><script>{script}{EXAMINE}</script></body>");
    std::fs::write(&examined, text.replace("</body>", &scripts)).expect("writable");
    let profile = tempfile::tempdir().expect("a folder");
    let mut command = Command::new("chromium");
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]);
    command.args(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);
    command.arg(format!("--user-data-dir={}", profile.path().display()));
    command.args(["--virtual-time-budget=60000", "--dump-dom"]).arg(format!("file://{}", examined.display()));
    let output = command.stdin(Stdio::null()).output().expect("chromium runs");
    let document = String::from_utf8_lossy(&output.stdout).into_owned();
    let seen = document.split_once("[seen\n").and_then(|(_, rest)| rest.split_once("\nseen]"));
    let (seen, _) = seen.unwrap_or_else(|| panic!("{document}\n{}", String::from_utf8_lossy(&output.stderr)));
    let unescaped = |line: &str| line.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    seen.lines().map(unescaped).collect()
}

#[test]
fn the_page_is_used_in_a_browser() {
    let Some(axe) = axe() else { return };
    let subject = Subject::of(&[("p/Gate.java", GATE)]);
    let ended = end(subject.generate("p.Gate").args(["--steps", "600"]));
    assert_eq!(ended.status, 0, "{}", ended.err);
    let report: PathBuf = subject.folder.path().join("report");
    let overview = seen_in(&report.join("index.html"), &axe, OVERVIEW);
    let expected = ["sorted=ascending", "again=descending", "link=classes/p.Gate.html", "violations=", "requests=0"];
    assert_eq!(overview, expected);
    let class = seen_in(&report.join("classes/p.Gate.html"), &axe, CLASS);
    let expected = [
        "lines=true",
        "ways=true",
        "blocks=true",
        "tree=true",
        "covering=true",
        "path=B0 B1 B2 where at < to",
        "line=p.Gate int count(int, int): B0 B1 B2",
        "cleared=none",
        "violations=",
        "requests=0",
    ];
    assert_eq!(class, expected);
    // What the page copies can be asked for.
    std::fs::write(subject.folder.path().join("paths.txt"), class[6].trim_start_matches("line=")).expect("writable");
    let mut command = program();
    command.current_dir(subject.folder.path()).args(["generate", "--progress", "none", "--steps", "600"]);
    command.args(["--path", "paths.txt", "--out", "tests", "--report", "paths", "--classpath"]).arg(subject.classes());
    let ended = end(&mut command);
    assert_eq!(ended.status, 0, "{}", ended.err);
    assert!(ended.out.contains("  path p.Gate int count(int, int): B0 B1 B2\n    taken by count_"), "{}", ended.out);
}
