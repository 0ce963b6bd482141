//! Classes for an older Java release: their tests use the API of that release.

use crate::subject::{Subject, end};

const SOURCES: [(&str, &str); 2] = [
    (
        "p/Opener.java",
        "package p; public class Opener {\n\
         public static int open(String text) {\n\
         if (text.length() < 3) { return 0; }\n\
         for (java.lang.reflect.Field field : text.getClass().getDeclaredFields()) { field.setAccessible(true); }\n\
         return 1; } }",
    ),
    (
        "p/Letters.java",
        "package p; public class Letters extends java.io.StringReader {\n\
         public Letters(String text) { super(text); }\n\
         public boolean atEnd() throws java.io.IOException { return read() < 0; } }",
    ),
];

/// Java 8 has no `InaccessibleObjectException` and no `Reader.transferTo`.
#[test]
fn tests_use_the_api_of_the_release_only() {
    let subject = Subject::for_release("8", &SOURCES);
    let ended = end(subject.generate("p.Opener").args(["--class", "p.Letters", "--steps", "400", "--seed", "1"]));
    assert_eq!(ended.status, 0, "{}", ended.err);
    for class in subject.report().classes {
        assert_eq!(class.discarded.uncompilable, 0, "{}: {:?}", class.name, class.discarded);
    }
    let opener = subject.source("p.Opener");
    assert!(opener.contains("assertThrows(RuntimeException.class, () -> Opener.open("), "{opener}");
    let letters = subject.source("p.Letters");
    assert!(letters.contains(".atEnd()") && !letters.contains("transferTo"), "{letters}");
}
