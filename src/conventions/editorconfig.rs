//! `.editorconfig` files (EditorConfig, version 0.17). In: their texts. Out: the layout of a file.
//!
//! Only what the printer of tests can follow is read: indentation, width, line ends, final newline.
//! A line or value that cannot be understood is ignored, as editors do.

use std::collections::BTreeMap;

use super::glob::PathGlob;
use super::layout::{FileLayout, Indent, LineEnd};

/// Longer names of sections are ignored, as the specification permits.
const LONGEST_PATTERN: usize = 1024;
/// Columns of a level of indentation that a project may want.
const LEVEL: std::ops::RangeInclusive<u8> = 1..=16;
/// Narrower limits cannot be kept by Java.
const LEAST_LIMIT: u16 = 40;
/// The properties that are read.
const PROPERTIES: [&str; 6] =
    ["indent_style", "indent_size", "tab_width", "max_line_length", "end_of_line", "insert_final_newline"];

/// The parsed text of one file.
#[derive(Debug, Default)]
pub(super) struct EditorConfig {
    /// Files of outer folders do not count.
    pub(super) is_root: bool,
    sections: Vec<(PathGlob, Properties)>,
}

/// Properties by name, in lower case.
pub(super) type Properties = BTreeMap<&'static str, String>;

impl EditorConfig {
    /// Parses the text of a file; every text is one.
    pub(super) fn parse(text: &str) -> EditorConfig {
        let mut config = EditorConfig::default();
        let mut is_in_section = false;
        for line in text.trim_start_matches('\u{feff}').lines().map(str::trim) {
            if line.is_empty() || line.starts_with(['#', ';']) {
                continue;
            }
            if let Some(rest) = line.strip_prefix('[') {
                is_in_section = true;
                let pattern = rest.rfind(']').map_or("", |end| &rest[..end]);
                // A section without a usable name applies to no file.
                let pattern = if pattern.len() > LONGEST_PATTERN { "" } else { pattern };
                config.sections.push((PathGlob::parse(pattern), Properties::new()));
                continue;
            }
            let Some((name, value)) = line.split_once('=') else { continue };
            let (name, value) = (name.trim().to_lowercase(), value_of(value));
            if !is_in_section {
                config.is_root |= name == "root" && value == "true";
            } else if let Some(known) = PROPERTIES.iter().find(|known| **known == name)
                && let Some((_, properties)) = config.sections.last_mut()
                && !value.is_empty()
            {
                properties.insert(known, value);
            }
        }
        config
    }

    /// Adds the properties of the sections that match, later ones over earlier ones. The path is
    /// relative to the folder of the file.
    pub(super) fn apply(&self, path: &str, properties: &mut Properties) {
        let matching = self.sections.iter().filter(|(glob, _)| glob.matches(path));
        matching.for_each(|(_, own)| properties.extend(own.iter().map(|(name, value)| (*name, value.clone()))));
    }
}

/// A value without a comment behind it.
fn value_of(text: &str) -> String {
    let end = [" #", " ;", "\t#", "\t;"].iter().filter_map(|mark| text.find(mark)).min();
    text[..end.unwrap_or(text.len())].trim().to_lowercase()
}

/// The layout that the properties ask for. Where one is missing or unusable, the default holds.
pub(super) fn layout_of(properties: &Properties) -> FileLayout {
    let usual = FileLayout::default();
    let value = |name: &str| properties.get(name).map(String::as_str).filter(|value| *value != "unset");
    let columns = |name: &str| value(name).and_then(|value| value.parse().ok()).filter(|columns| LEVEL.contains(columns));
    let (size, tab) = (columns("indent_size"), columns("tab_width"));
    let size = if value("indent_size") == Some("tab") { tab } else { size };
    let indent = match value("indent_style") {
        Some("tab") => Indent::Tab(tab.or(size).unwrap_or(4)),
        _ => size.map_or(usual.indent, Indent::Blanks),
    };
    FileLayout {
        indent,
        limit: value("max_line_length").and_then(|value| value.parse().ok()).filter(|limit| *limit >= LEAST_LIMIT),
        line_end: if value("end_of_line") == Some("crlf") { LineEnd::CrLf } else { usual.line_end },
        final_newline: value("insert_final_newline") != Some("false"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(texts: &[&str], path: &str) -> FileLayout {
        let mut properties = Properties::new();
        texts.iter().for_each(|text| EditorConfig::parse(text).apply(path, &mut properties));
        layout_of(&properties)
    }

    #[test]
    fn later_sections_and_nearer_files_win() {
        let outer = "root = true\n[*]\nindent_size = 8\nmax_line_length = 80\n[*.{java,kt}]\nindent_size = 2 # blanks\n";
        assert!(EditorConfig::parse(outer).is_root);
        let found = layout(&[outer], "p/A.java");
        assert_eq!((found.indent, found.limit), (Indent::Blanks(2), Some(80)));
        assert_eq!(layout(&[outer], "p/A.py").indent, Indent::Blanks(8));
        let found = layout(&[outer, "[*.java]\nindent_size = 3\nMax_Line_Length = OFF\n"], "p/A.java");
        assert_eq!((found.indent, found.limit), (Indent::Blanks(3), None));
        let found = layout(&[outer, "[*.java]\nindent_size = unset\n"], "p/A.java");
        assert_eq!((found.indent, found.limit), (Indent::Blanks(4), Some(80)));
    }

    #[test]
    fn every_property_has_its_forms() {
        let of = |text: &str| layout(&[&format!("[*]\n{text}\n")], "A.java");
        for (text, indent) in [
            ("indent_style = tab", Indent::Tab(4)),
            ("indent_style = tab\ntab_width = 8", Indent::Tab(8)),
            ("indent_style = tab\nindent_size = 3", Indent::Tab(3)),
            ("indent_style = space\nindent_size = tab\ntab_width = 3", Indent::Blanks(3)),
            ("indent_style = space\nindent_size = 99", Indent::Blanks(4)),
            ("indent_size = two", Indent::Blanks(4)),
        ] {
            assert_eq!(of(text).indent, indent, "{text}");
        }
        assert_eq!(of("max_line_length = 10").limit, None);
        assert_eq!(of("end_of_line = CRLF").line_end, LineEnd::CrLf);
        assert_eq!(of("end_of_line = lf\ninsert_final_newline = true"), FileLayout::default());
        assert!(!of("insert_final_newline = false").final_newline);
    }

    #[test]
    fn lines_that_are_not_understood_are_ignored() {
        let text = "\u{feff}; comment\nroot\nindent_size = 3\n[*.java\nindent_size = 7\n[*]\nij_java_x =\n= 2\nindent_size=2\n";
        let config = EditorConfig::parse(text);
        assert!(!config.is_root);
        assert_eq!(layout(&[text], "A.java").indent, Indent::Blanks(2));
        assert_eq!(layout(&[""], "A.java"), FileLayout::default());
    }
}
