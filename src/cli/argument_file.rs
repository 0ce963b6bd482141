//! Argument files: `@FILE` on the command line stands for the arguments in a file, one a line.
//!
//! Flows in: arguments. Flows out: arguments without `@FILE`. Must not know the meaning
//! of an argument. Build tools need this, because their class paths are longer than some systems
//! allow a command line to be.

use std::ffi::OsString;

/// Replaces each `@FILE` by the lines of the file. Within a file, `@` has no meaning; the name of
/// the program stays as it is. The error is one sentence about a file that cannot be read.
pub(crate) fn expand(arguments: impl IntoIterator<Item = OsString>) -> Result<Vec<OsString>, String> {
    let mut expanded = Vec::new();
    for (position, argument) in arguments.into_iter().enumerate() {
        let file = argument.to_str().and_then(|text| text.strip_prefix('@')).filter(|_| position > 0).map(str::to_owned);
        match file {
            None => expanded.push(argument),
            Some(file) => {
                let text =
                    std::fs::read_to_string(&file).map_err(|error| format!("cannot read the arguments in {file}: {error}"))?;
                expanded.extend(arguments_of(&text));
            }
        }
    }
    Ok(expanded)
}

/// The arguments in the text of a file.
pub(crate) fn arguments_of(text: &str) -> impl Iterator<Item = OsString> {
    text.lines().filter(|line| !line.is_empty()).map(OsString::from)
}

#[cfg(test)]
mod tests {
    use super::expand;

    #[test]
    fn a_file_stands_for_its_lines() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), "--classpath\na b.jar:@c\n\n--steps\r\n7\n").expect("writable");
        let at = format!("@{}", file.path().display());
        let given = ["@first", "generate", &at, "--seed=1"].map(Into::into);
        let expected = ["@first", "generate", "--classpath", "a b.jar:@c", "--steps", "7", "--seed=1"];
        assert_eq!(expand(given).expect("readable"), expected);
        let error = expand(["tracewright", "@/no/such/file"].map(Into::into)).expect_err("missing");
        assert!(error.starts_with("cannot read the arguments in /no/such/file: "), "{error}");
    }
}
