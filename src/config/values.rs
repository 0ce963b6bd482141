//! Values of settings with their text forms, which flags and `tracewright.toml` share.

use serde::Deserialize;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A length of time as users write it: `500ms`, `30s`, `20m`, `2h`; a bare number counts seconds.
/// Never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSpan(pub Duration);

impl FromStr for TimeSpan {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeSpan, String> {
        let wrong = || format!("`{text}` is no length of time: write 500ms, 30s, 20m or 2h");
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let factor = match &text[digits..] {
            "ms" => 0.001,
            "" | "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            _ => return Err(wrong()),
        };
        match text[..digits].parse::<f64>() {
            Ok(number) if number > 0.0 && number * factor < 1e9 => Ok(TimeSpan(Duration::from_secs_f64(number * factor))),
            _ => Err(wrong()),
        }
    }
}

impl<'de> Deserialize<'de> for TimeSpan {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<TimeSpan, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum TextOrSeconds {
            Text(String),
            Seconds(u64),
        }
        let text = match TextOrSeconds::deserialize(deserializer)? {
            TextOrSeconds::Text(text) => text,
            TextOrSeconds::Seconds(seconds) => seconds.to_string(),
        };
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// A size of memory as users write it: `800m`, `4g`, `2.5g`; in kilobytes. Never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemorySize(pub u64);

impl FromStr for MemorySize {
    type Err = String;

    fn from_str(text: &str) -> Result<MemorySize, String> {
        let wrong = || format!("`{text}` is no size of memory: write 800m or 4g");
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let factor = match text[digits..].to_ascii_lowercase().trim_end_matches('b') {
            "m" => 1024.0,
            "g" => 1024.0 * 1024.0,
            _ => return Err(wrong()),
        };
        match text[..digits].parse::<f64>() {
            Ok(number) if number > 0.0 && number * factor < 1e15 => Ok(MemorySize((number * factor) as u64)),
            _ => Err(wrong()),
        }
    }
}

impl<'de> Deserialize<'de> for MemorySize {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<MemorySize, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A command in words, as a shell would take it apart: words have blanks between them, and quotes
/// hold a word together. Nothing else has a meaning. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine(Vec<String>);

impl CommandLine {
    /// The program and its arguments.
    pub(crate) fn words(&self) -> &[String] {
        &self.0
    }
}

impl FromStr for CommandLine {
    type Err = String;

    fn from_str(text: &str) -> Result<CommandLine, String> {
        let mut words = Vec::new();
        let mut word: Option<String> = None;
        let mut quote = None;
        for unit in text.chars() {
            match unit {
                _ if quote == Some(unit) => quote = None,
                '"' | '\'' if quote.is_none() => {
                    quote = Some(unit);
                    word.get_or_insert_default();
                }
                _ if unit.is_whitespace() && quote.is_none() => words.extend(word.take()),
                _ => word.get_or_insert_default().push(unit),
            }
        }
        if let Some(quote) = quote {
            return Err(format!("`{text}` is no command: a quotation mark {quote} is missing"));
        }
        words.extend(word);
        match words.first() {
            Some(program) if !program.is_empty() => Ok(CommandLine(words)),
            _ => Err(format!("`{text}` is no command: name a program")),
        }
    }
}

impl<'de> Deserialize<'de> for CommandLine {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<CommandLine, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Declares an enum whose variants are written as words. The last literal names the enum in error
/// messages.
macro_rules! words {
    (
        $(#[$meta:meta])*
        $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $word:literal),+ $(,)? } $what:literal
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_meta])* $variant),+ }

        impl FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<$name, String> {
                match text {
                    $($word => Ok($name::$variant),)+
                    _ => Err(format!("`{text}` is no {}: give one of {}", $what, [$($word),+].join(", "))),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $($name::$variant => $word),+ })
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

words! {
    /// How candidates are found.
    Strategy {
        /// The search, with symbolic execution beside it.
        Hybrid = "hybrid",
        /// The search alone.
        Search = "search",
        /// Symbolic execution from random seeds, without a search.
        Dse = "dse",
        /// Random call sequences alone.
        Random = "random",
    } "strategy"
}

words! {
    /// The order in which symbolic execution attempts alternatives.
    Order {
        /// Oldest first.
        Fifo = "fifo",
        /// Deepest first.
        DepthFirst = "depth-first",
        /// Alternatives at open branch outcomes first.
        CoverageFirst = "coverage-first",
        /// By the labels of similar alternatives (`tardis §4`).
        Knn = "knn",
        /// The same, with an index structure.
        KnnIndices = "knn-indices",
        /// By expected gain and cost; the default.
        Guided = "guided",
    } "order"
}

words! {
    /// Whether tests of one shape become one parameterized test.
    Parameterized {
        /// They do where the tests are for JUnit 5.
        On = "on",
        /// Every test is a method.
        Off = "off",
    } "choice about parameterized tests"
}

words! {
    /// How progress is shown on standard error.
    ProgressStyle {
        /// A bar on a terminal, else plain lines.
        Auto = "auto",
        /// A line at each change of phase.
        Plain = "plain",
        /// One JSON object a line.
        Json = "json",
        /// Nothing.
        None = "none",
    } "way to show progress"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_spans_have_units() {
        for (text, millis) in [("500ms", 500), ("30s", 30_000), ("1.5m", 90_000), ("2h", 7_200_000), ("7", 7_000)] {
            assert_eq!(text.parse::<TimeSpan>().expect(text).0, Duration::from_millis(millis));
        }
        for text in ["", "s", "0s", "-1s", "1d", "1e400s"] {
            assert!(text.parse::<TimeSpan>().is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_of_memory_have_units() {
        for (text, kilobytes) in [("800m", 819_200), ("4g", 4_194_304), ("1.5GB", 1_572_864)] {
            assert_eq!(text.parse::<MemorySize>().expect(text).0, kilobytes);
        }
        for text in ["", "g", "0g", "-1g", "1", "1k", "1e9g"] {
            assert!(text.parse::<MemorySize>().is_err(), "{text}");
        }
    }

    #[test]
    fn commands_are_taken_apart_at_blanks_outside_of_quotes() {
        let words = |text: &str| text.parse::<CommandLine>().expect(text).words().join("|");
        assert_eq!(words(" fmt  -i\t{files}"), "fmt|-i|{files}");
        assert_eq!(words(r#"sh -c 'a "b" \c' "it's" x''y"#), r#"sh|-c|a "b" \c|it's|xy"#);
        assert_eq!(words("fmt ''"), "fmt|");
        for (text, part) in
            [("", "name a program"), (" ", "name a program"), ("'' a", "name a program"), ("a 'b", "mark ' is missing")]
        {
            let error = text.parse::<CommandLine>().expect_err(text);
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn words_are_read_as_they_are_written() {
        for order in [Order::Fifo, Order::DepthFirst, Order::CoverageFirst, Order::Knn, Order::KnnIndices, Order::Guided] {
            assert_eq!(order.to_string().parse(), Ok(order));
        }
        let error = "magic".parse::<Strategy>().expect_err("no strategy");
        assert_eq!(error, "`magic` is no strategy: give one of hybrid, search, dse, random");
    }
}
