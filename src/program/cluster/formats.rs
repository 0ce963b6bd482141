//! Texts of the formats that the code under test reads: a date where it parses dates, an address
//! where it makes a URI.
//!
//! Flows in: calls of the code. Flows out: example texts, as constants of the code. Must not know how
//! they are used. No distance leads from a random text to a date: the parsers belong to the JDK or to
//! a library, where no branch is a goal.

use super::CodeConstants;
use crate::program::{ClassModel, ClassName, Program};
use tracewright_classfile::Op;

use super::analysis::add;

/// Class, names of its methods (`<init>`: constructors), and texts that they accept.
type Format = (&'static str, &'static [&'static str], &'static [&'static str]);

const PARSE: &[&str] = &["parse"];
const NEW: &[&str] = &["<init>"];
const DATE: &str = "2020-02-29";
const ADDRESS: &str = "http://example.org/a?b=c";

const FORMATS: &[Format] = &[
    ("java/net/URI", &["create", "<init>", "resolve"], &[ADDRESS]),
    ("java/net/URL", NEW, &[ADDRESS]),
    ("java/time/LocalDate", PARSE, &[DATE]),
    ("java/time/LocalTime", PARSE, &["12:30:00"]),
    ("java/time/LocalDateTime", PARSE, &["2020-02-29T12:30:00"]),
    ("java/time/OffsetDateTime", PARSE, &["2020-02-29T12:30:00+01:00"]),
    ("java/time/ZonedDateTime", PARSE, &["2020-02-29T12:30:00+01:00[Europe/Paris]"]),
    ("java/time/Instant", PARSE, &["2020-02-29T12:30:00Z"]),
    ("java/time/YearMonth", PARSE, &["2020-02"]),
    ("java/time/Duration", PARSE, &["PT1H30M"]),
    ("java/time/Period", PARSE, &["P1Y2M3D"]),
    ("java/time/ZoneId", &["of"], &["Europe/Paris", "UTC"]),
    ("java/time/ZoneOffset", &["of"], &["+01:00"]),
    ("java/util/TimeZone", &["getTimeZone"], &["Europe/Paris"]),
    ("java/time/format/DateTimeFormatter", &["ofPattern"], &["yyyy-MM-dd"]),
    ("java/time/format/DateTimeFormatter", PARSE, &[DATE]),
    ("java/text/SimpleDateFormat", NEW, &["yyyy-MM-dd"]),
    ("java/text/SimpleDateFormat", PARSE, &[DATE]),
    ("java/text/DateFormat", PARSE, &[DATE]),
    ("java/text/DecimalFormat", NEW, &["#,##0.00"]),
    ("java/sql/Date", &["valueOf"], &[DATE]),
    ("java/sql/Timestamp", &["valueOf"], &["2020-02-29 12:30:00"]),
    ("java/util/UUID", &["fromString"], &["123e4567-e89b-42d3-a456-426614174000"]),
    ("java/util/Currency", &["getInstance"], &["EUR"]),
    ("java/util/Locale", &["forLanguageTag"], &["de-DE"]),
    ("java/nio/charset/Charset", &["forName", "isSupported"], &["UTF-8"]),
    ("java/lang/Class", &["forName"], &["java.lang.String"]),
    ("java/util/regex/Pattern", &["compile", "matches"], &["[a-z]+"]),
    ("java/util/Base64$Decoder", &["decode"], &["YWJj"]),
    ("java/util/HexFormat", &["parseHex"], &["0a1b"]),
    ("java/math/BigDecimal", NEW, &["12.50"]),
    ("java/math/BigInteger", NEW, &["12345678901234567890"]),
    ("com/fasterxml/jackson/databind/ObjectMapper", &["readTree", "readValue"], JSON),
    ("com/google/gson/Gson", &["fromJson"], JSON),
    ("com/google/gson/JsonParser", &["parseString", "parse"], JSON),
    ("org/json/JSONObject", NEW, JSON),
    ("org/json/JSONArray", NEW, &["[1,\"a\"]"]),
    ("org/json/JSONTokener", NEW, JSON),
];

/// In place of an example: an object whose names are the names in the code.
const JSON: &[&str] = &["{}"];
/// Names of an example object or of an enum, at most.
const MOST_NAMES: usize = 12;

/// Adds the texts that a called method accepts. `descriptor` is that of the method: only methods
/// that take a text count.
pub(super) fn add_examples(owner: &str, name: &str, descriptor: &str, into: &mut CodeConstants) {
    if !descriptor.contains("Ljava/lang/String;") && !descriptor.contains("Ljava/lang/CharSequence;") {
        return;
    }
    let accepts = |format: &&Format| format.0 == owner && format.1.contains(&name);
    for (_, _, examples) in FORMATS.iter().filter(accepts) {
        examples.iter().for_each(|example| add(&mut into.strings, example.encode_utf16().collect()));
    }
}

/// Adds the names of the constants of each enum whose constants the code looks up by name.
pub(super) fn add_enum_names(program: &Program, class: &ClassModel, into: &mut CodeConstants) {
    for code in class.methods.iter().filter_map(|method| class.code(method)) {
        for instruction in &code.instructions {
            let Op::InvokeStatic(index) = instruction.op else { continue };
            let Ok(called) = class.file.constant_pool().member(index) else { continue };
            let is_lookup = called.name == "valueOf" && called.descriptor == format!("(Ljava/lang/String;)L{};", called.owner);
            let Some(found) = program.class(&ClassName::new(called.owner)).filter(|_| is_lookup) else { continue };
            let names = found.enum_constants().map(|constant| constant.reference.name.encode_utf16().collect());
            names.take(MOST_NAMES).for_each(|name| add(&mut into.strings, name));
        }
    }
}

/// Where the code reads JSON, adds an object with the names that occur in the code.
pub(super) fn add_object_of_names(constants: &mut CodeConstants) {
    let reads_json = constants.strings.iter().any(|text| JSON.contains(&&*String::from_utf16_lossy(text)));
    if !reads_json {
        return;
    }
    let is_name = |text: &String| {
        text.len() <= 40
            && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
    };
    let texts = constants.strings.iter().map(|text| String::from_utf16_lossy(text));
    let names: Vec<String> = texts.filter(is_name).take(MOST_NAMES).collect();
    if names.is_empty() {
        return;
    }
    for value in ["\"a\"", "1"] {
        let members: Vec<String> = names.iter().map(|name| format!("\"{name}\":{value}")).collect();
        add(&mut constants.strings, format!("{{{}}}", members.join(",")).encode_utf16().collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(constants: &CodeConstants) -> Vec<String> {
        constants.strings.iter().map(|text| String::from_utf16_lossy(text)).collect()
    }

    #[test]
    fn methods_that_take_a_text_have_examples() {
        let mut constants = CodeConstants::default();
        add_examples("java/time/LocalDate", "parse", "(Ljava/lang/CharSequence;)Ljava/time/LocalDate;", &mut constants);
        add_examples("java/math/BigDecimal", "<init>", "(D)V", &mut constants);
        add_examples("java/time/LocalDate", "of", "(III)Ljava/time/LocalDate;", &mut constants);
        assert_eq!(texts(&constants), [DATE]);
    }

    #[test]
    fn an_example_of_json_has_the_names_of_the_code() {
        let mut constants = CodeConstants::default();
        for text in ["reference", "two words"] {
            constants.strings.push(text.encode_utf16().collect());
        }
        add_object_of_names(&mut constants);
        assert_eq!(constants.strings.len(), 2, "the code reads no JSON");
        let mapper = "com/fasterxml/jackson/databind/ObjectMapper";
        add_examples(mapper, "readTree", "(Ljava/lang/String;)Lcom/fasterxml/jackson/databind/JsonNode;", &mut constants);
        add_object_of_names(&mut constants);
        assert_eq!(texts(&constants)[2..], ["{}", "{\"reference\":\"a\"}", "{\"reference\":1}"]);
    }
}
