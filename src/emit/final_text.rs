//! The text of a file as the project wants it. In: a rendered file, which has four blanks a level
//! and `\n` at the end of each line, and a layout. Out: the text to write, with a header that fits.
//!
//! Everything before this step works on rendered files, whatever the layout. Lines change here
//! only in white space between tokens, and long strings are divided, so that the text needs no
//! second compilation.

use crate::conventions::{FileLayout, LineEnd};

use super::header;
use super::line_break::{Margins, break_line};

/// Blanks of one level of indentation in a rendered file.
const RENDERED_LEVEL: usize = 4;
/// Levels by which the further lines of a statement are indented.
const FURTHER_LEVELS: usize = 2;

/// Lays out a rendered file.
pub fn with_layout(source: &str, layout: &FileLayout) -> String {
    if *layout == FileLayout::default() {
        return source.to_owned();
    }
    let (header, rest) = source.split_once('\n').unwrap_or((source, ""));
    let mut text = format!("{header}\n");
    for line in rest.lines() {
        for line in lines_for(line, layout) {
            text.push_str(&line);
            text.push('\n');
        }
    }
    let mut text = header::with_new_hash(&text).unwrap_or(text);
    if !layout.final_newline {
        text.pop();
    }
    match layout.line_end {
        LineEnd::Lf => text,
        LineEnd::CrLf => text.replace('\n', "\r\n"),
    }
}

/// One rendered line with the indentation of the project, in several lines where it is too wide.
fn lines_for(line: &str, layout: &FileLayout) -> Vec<String> {
    let text = line.trim_start_matches(' ');
    if text.is_empty() {
        return vec![String::new()];
    }
    let blanks = line.len() - text.len();
    let (levels, rest) = (blanks / RENDERED_LEVEL, blanks % RENDERED_LEVEL);
    let indent = format!("{}{}", layout.indent.text(levels), " ".repeat(rest));
    let Some(limit) = layout.limit else { return vec![format!("{indent}{text}")] };
    let width = |levels: usize| usize::from(limit).saturating_sub(levels * layout.indent.columns() + rest);
    let further = layout.indent.text(levels + FURTHER_LEVELS);
    let margins =
        Margins { indent: &indent, further: &further, first_width: width(levels), further_width: width(levels + FURTHER_LEVELS) };
    break_line(text, &margins)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::Indent;
    use crate::emit::{is_untouched, written_tests};

    const REST: &str = "package p;\n\nclass T {\n\n    @Test\n    void a() throws Exception {\n        \
        assertEquals(\"a  b\", first.second(third, fourth, fifth, sixth));\n    }\n}\n";

    fn laid_out(layout: FileLayout) -> String {
        let source = header::with_header(7, None, REST);
        let text = with_layout(&source, &layout);
        assert!(is_untouched(&text), "{text}");
        assert!(is_untouched(&text.replace("\r\n", "\n")) && is_untouched(&text.replace("\r\n", "\n").replace('\n', "\r\n")));
        assert!(!is_untouched(&text.replace("first", "fist")));
        assert_eq!(written_tests(&text).len(), 1, "{text}");
        text
    }

    #[test]
    fn a_project_without_conventions_gets_the_rendered_text() {
        assert_eq!(laid_out(FileLayout::default()), header::with_header(7, None, REST));
    }

    #[test]
    fn levels_of_indentation_and_widths_are_those_of_the_project() {
        let two = FileLayout { indent: Indent::Blanks(2), limit: Some(50), ..FileLayout::default() };
        let text = laid_out(two);
        assert!(
            text.contains("\n  @Test\n  void a() throws Exception {\n    assertEquals(\"a  b\",\n        first.second("),
            "{text}"
        );
        assert!(text.lines().skip(1).all(|line| line.len() <= 50), "{text}");
        let tabs = FileLayout { indent: Indent::Tab(8), limit: Some(60), ..FileLayout::default() };
        let text = laid_out(tabs);
        assert!(text.contains("\n\t@Test\n\tvoid a() throws Exception {\n\t\tassertEquals(\"a  b\",\n\t\t\t\tfirst."), "{text}");
    }

    #[test]
    fn line_ends_and_the_final_newline_do_not_count_as_edits() {
        let text = laid_out(FileLayout { line_end: LineEnd::CrLf, ..FileLayout::default() });
        assert!(text.ends_with("}\r\n") && text.matches('\n').count() == text.matches("\r\n").count());
        let text = laid_out(FileLayout { line_end: LineEnd::CrLf, final_newline: false, ..FileLayout::default() });
        assert!(text.ends_with("    }\r\n}"), "{text}");
    }
}
