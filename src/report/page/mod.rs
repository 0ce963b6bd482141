//! The report as HTML pages: an overview, and a page for each class with its source.
//!
//! Flows in: a report, and the sources that it names. Flows out: files that a browser shows from a
//! disk, without a server and without a request to elsewhere. Must not know the engine, nor how the
//! report was made: a merged report gives pages as well. A page has its style and its script in
//! itself, so that one file can be sent to others.
//!
//! The views (`overview`, `class_page`, `source`) hold every decision and every sentence; the
//! templates only say where they stand. The engine of the templates escapes all texts.

mod class_page;
mod figures;
mod flow;
mod overview;
mod source;
mod tree;

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value, context};
use serde::Serialize;

use super::{ClassReport, Report};
use crate::files;

/// The overview in the folder of the report; also the name of its template.
const OVERVIEW: &str = "index.html";
/// The template of the page of a class.
const CLASS: &str = "class.html";
/// The folder of the pages of classes, next to the overview.
const CLASSES: &str = "classes";
/// The style of all pages, which each page holds.
const STYLE: &str = include_str!("style.css");
/// The script of all pages, which each page holds.
const SCRIPT: &str = include_str!("page.js");

/// Writes `index.html` and a page for each class into the folder; creates the folder where it is
/// missing. The overview comes last, so that its links lead to pages that exist.
pub(crate) fn write_page(report: &Report, folder: &Path) -> io::Result<()> {
    let templates = templates().map_err(io::Error::other)?;
    let classes = folder.join(CLASSES);
    std::fs::create_dir_all(&classes)?;
    let write = |class: &&ClassReport| {
        let file = class.coverage.as_ref().and_then(|coverage| coverage.source.as_deref());
        let text = file.and_then(|file| source::read_source(&report.sources, file));
        let page = render(&templates, CLASS, &class_page::class_page(class, text.as_deref())).map_err(io::Error::other)?;
        files::write_atomically(&classes.join(page_file(&class.name)), page.as_bytes())
    };
    let shown: Vec<&ClassReport> = report.classes.iter().filter(|class| has_page(class)).collect();
    on_all_cores(&shown, write)?;
    let page = render(&templates, OVERVIEW, &overview::overview_page(report)).map_err(io::Error::other)?;
    files::write_atomically(&folder.join(OVERVIEW), page.as_bytes())
}

/// Does `job` with each item, on as many threads as there are cores. Gives the first error.
fn on_all_cores<T: Sync>(items: &[T], job: impl Fn(&T) -> io::Result<()> + Sync) -> io::Result<()> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let work = || std::iter::from_fn(|| items.get(next.fetch_add(1, Ordering::Relaxed))).try_for_each(&job);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.min(items.len())).map(|_| scope.spawn(work)).collect();
        // All threads are waited for before the first error is given.
        let ended: Vec<thread::Result<io::Result<()>>> = workers.into_iter().map(|worker| worker.join()).collect();
        ended.into_iter().try_for_each(|ended| ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// The templates. A name that a view does not have is an error, not an empty text.
fn templates() -> Result<Environment<'static>, minijinja::Error> {
    let mut templates = Environment::new();
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    templates.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    // The ending of a name makes the engine escape what is put into the template.
    templates.add_template("figures.html", include_str!("figures.html"))?;
    templates.add_template(OVERVIEW, include_str!("index.html"))?;
    templates.add_template(CLASS, include_str!("class.html"))?;
    Ok(templates)
}

/// The text of a page.
fn render(templates: &Environment<'_>, template: &str, page: &impl Serialize) -> Result<String, minijinja::Error> {
    let values = context! {
        page => Serde(page),
        style => Value::from_safe_string(STYLE.to_owned()),
        script => Value::from_safe_string(SCRIPT.to_owned()),
    };
    templates.get_template(template)?.render(values)
}

/// Whether there is more to show of a class than its row of the overview.
fn has_page(class: &ClassReport) -> bool {
    let has_code = class.coverage.as_ref().is_some_and(|coverage| !coverage.methods.is_empty());
    let has_earlier_tests = !(class.outdated_tests.is_empty() && class.accepted_tests.is_empty());
    has_code
        || has_earlier_tests
        || class.differences.is_some()
        || !class.methods.is_empty()
        || !class.remarks.is_empty()
        || !class.faults.is_empty()
}

/// The file of the page of a class. A name from a foreign report never leaves the folder.
fn page_file(class: &str) -> String {
    let name: String = class.chars().map(|c| if matches!(c, '/' | '\\') || c.is_control() { '_' } else { c }).collect();
    format!("{name}.html")
}

/// The file of the page of a class as a part of a URL. All characters with a meaning in a URL are
/// encoded (RFC 3986), with `#`, `%` and `?` among them; `$` of nested classes has none in a path.
fn page_link(class: &str) -> String {
    let mut link = String::new();
    for byte in page_file(class).bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'$' => link.push(char::from(byte)),
            _ => link.push_str(&format!("%{byte:02X}")),
        }
    }
    link
}

#[cfg(test)]
mod tests;
