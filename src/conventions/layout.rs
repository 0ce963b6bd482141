//! The layout of source files as a plain value, with the defaults of a project that sets nothing.

/// How the lines of a written file are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileLayout {
    /// One level of indentation.
    pub(crate) indent: Indent,
    /// Columns of the widest line, where the project sets a limit.
    pub(crate) limit: Option<u16>,
    /// What ends a line.
    pub(crate) line_end: LineEnd,
    /// The last line ends like the others.
    pub(crate) final_newline: bool,
}

/// One level of indentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Indent {
    /// This number of blanks.
    Blanks(u8),
    /// One tab, which is this number of columns wide.
    Tab(u8),
}

/// What ends a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnd {
    /// `\n`.
    Lf,
    /// `\r\n`.
    CrLf,
}

impl Default for FileLayout {
    fn default() -> FileLayout {
        FileLayout { indent: Indent::Blanks(4), limit: None, line_end: LineEnd::Lf, final_newline: true }
    }
}

impl FileLayout {
    /// Columns of a line where the project sets no limit.
    const USUAL_WIDTH: u16 = 120;

    /// Columns up to which statements stay on one line.
    pub(crate) fn width(&self) -> usize {
        usize::from(self.limit.unwrap_or(FileLayout::USUAL_WIDTH))
    }
}

impl Indent {
    /// Columns of one level.
    pub(crate) fn columns(self) -> usize {
        match self {
            Indent::Blanks(columns) | Indent::Tab(columns) => usize::from(columns),
        }
    }

    /// The text of so many levels.
    pub(crate) fn text(self, levels: usize) -> String {
        match self {
            Indent::Blanks(columns) => " ".repeat(levels * usize::from(columns)),
            Indent::Tab(_) => "\t".repeat(levels),
        }
    }
}
