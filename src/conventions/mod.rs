//! The conventions of the user's project that written tests follow: the layout that `.editorconfig`
//! asks for, how the project's test classes are written, and the project's formatter.
//!
//! Flows in: the path of a test file, the folder of the tests, a command. Flows out: plain values,
//! and files that the command has changed. Must not know what a test file holds, nor how it is
//! printed. Nothing here fails a generation: what cannot be read counts as absent.
//!
//! `glob` and `editorconfig` are pure. They are our own, because a pattern or a line of a user's
//! file must not stop the rest of the file from being read, nor need time or memory without bound.

mod editorconfig;
mod formatter;
mod glob;
mod layout;
mod source_folders;
mod test_sources;

use std::path::{Path, PathBuf};

pub(crate) use formatter::{FormatterError, run_formatter};
pub use layout::FileLayout;
#[cfg(test)]
pub(crate) use layout::Indent;
pub(crate) use layout::LineEnd;
pub(crate) use source_folders::find_source_folder;
pub(crate) use test_sources::TestManners;

use editorconfig::{EditorConfig, Properties};

/// Bytes of an `.editorconfig` that are read.
const MOST_BYTES: u64 = 1 << 20;

/// The layout of a file with this path, which need not exist yet. `.editorconfig` files are looked
/// for in its folder and in those around it, up to one that says `root = true`.
pub(crate) fn layout_for(file: &Path) -> FileLayout {
    let file = absolute(file);
    let mut found = Vec::new();
    for folder in file.ancestors().skip(1) {
        let Some(text) = read_config(&folder.join(".editorconfig")) else { continue };
        let config = EditorConfig::parse(&text);
        let is_root = config.is_root;
        found.push((folder, config));
        if is_root {
            break;
        }
    }
    let mut properties = Properties::new();
    for (folder, config) in found.iter().rev() {
        let below = file.strip_prefix(folder).unwrap_or(&file);
        let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
        config.apply(&parts.join("/"), &mut properties);
    }
    editorconfig::layout_of(&properties)
}

/// The layout for a usual test file below a folder whose `.editorconfig` has this text.
pub fn layout_by_text(text: &str) -> FileLayout {
    let mut properties = Properties::new();
    EditorConfig::parse(text).apply("src/test/java/p/ATracewrightTest.java", &mut properties);
    editorconfig::layout_of(&properties)
}

/// The absolute path, with links resolved in the part that exists.
fn absolute(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    for existing in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (existing.canonicalize(), path.strip_prefix(existing)) {
            return real.join(rest);
        }
    }
    path
}

fn read_config(file: &Path) -> Option<String> {
    use std::io::Read;
    let mut bytes = Vec::new();
    std::fs::File::open(file).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_looked_for_up_to_the_root() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("writable");
            std::fs::write(path, text).expect("writable");
        };
        write(".editorconfig", "root = true\n[*]\nindent_size = 8\nmax_line_length = 100\n");
        write("a/.editorconfig", "[src/**.java]\nindent_size = 2\n");
        write("b/.editorconfig", "root = true\n[*.java]\nend_of_line = crlf\n");
        let of = |path: &str| layout_for(&folder.path().join(path));
        let found = of("a/src/test/java/p/ATest.java");
        assert_eq!((found.indent, found.limit), (Indent::Blanks(2), Some(100)));
        let found = of("a/out/ATest.java");
        assert_eq!((found.indent, found.limit), (Indent::Blanks(8), Some(100)));
        let found = of("b/x/ATest.java");
        assert_eq!((found.indent, found.limit, found.line_end), (Indent::Blanks(4), None, LineEnd::CrLf));
        let found = of("b/../a/src/ATest.java");
        assert_eq!(found.indent, Indent::Blanks(2));
    }
}
