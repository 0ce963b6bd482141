//! Tests that change state which other tests see: they put it back, or they are not written.

use crate::subject::{Subject, end};

const SOURCES: [(&str, &str); 14] = [
    (
        "p/Registry.java",
        "package p; public class Registry {\n\
         private static final java.util.Map<String, Integer> ALL = new java.util.HashMap<>();\n\
         public static void put(String name, int value) {\n\
         if (name.isEmpty()) { throw new IllegalArgumentException(\"no name\"); }\n\
         ALL.put(name, value); }\n\
         public static int size() { return ALL.size(); }\n\
         public static void clear() { ALL.clear(); } }",
    ),
    (
        "p/Style.java",
        "package p; public class Style {\n\
         private static Style current = new Style(1);\n\
         private final int width;\n\
         public Style(int width) { this.width = width; }\n\
         public static Style getCurrent() { return current; }\n\
         public static void setCurrent(Style style) { if (style != current) { current = style; } }\n\
         public int width() { return width; } }",
    ),
    (
        "p/Ticket.java",
        "package p; public class Ticket {\n\
         private static int open;\n\
         public Ticket(int seats) { if (seats > 3) { throw new IllegalArgumentException(\"seats\"); } open++; }\n\
         public void close() { open--; }\n\
         public static int open() { return open; } }",
    ),
    (
        "p/Numbers.java",
        "package p; public class Numbers {\n\
         private static int last;\n\
         public static int next() { return ++last; }\n\
         public static int last() { return last; }\n\
         public static int twice(int number) { return number > 9 ? 9 : 2 * number; } }",
    ),
    (
        "p/Server.java",
        "package p; public class Server {\n\
         private Thread loop;\n\
         public void start() {\n\
         if (loop != null) { throw new IllegalStateException(\"started\"); }\n\
         loop = new Thread(this::serve); loop.start(); }\n\
         private void serve() { try { Thread.sleep(1000000); } catch (InterruptedException stopped) { } }\n\
         public void stop() { if (loop != null) { loop.interrupt(); loop = null; } } }",
    ),
    (
        "p/Spool.java",
        "package p; import java.io.*; import java.nio.file.Files; public class Spool {\n\
         private final File folder;\n\
         public Spool() throws IOException { folder = Files.createTempDirectory(\"spool\").toFile(); }\n\
         public File spool(String job) throws IOException {\n\
         File file = new File(folder, \"job\"); Files.writeString(file.toPath(), job); return file; }\n\
         public static String state(int files) { return files == 0 ? \"empty\" : \"busy\"; } }",
    ),
    (
        "p/Zone.java",
        "package p; public class Zone {\n\
         public static String choose(int hours) {\n\
         java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone(hours > 2 ? \"GMT+5\" : \"GMT\"));\n\
         return java.util.TimeZone.getDefault().getID(); } }",
    ),
    (
        "p/Log.java",
        "package p; import java.util.logging.*; public class Log {\n\
         private static final Logger LOG = Logger.getLogger(\"p.log\");\n\
         public static void verbosity(int level) {\n\
         if (level < 0) { LOG.setLevel(Level.OFF); }\n\
         else if (level == 0) { LOG.setLevel(null); } else { LOG.setLevel(Level.ALL); } }\n\
         public static String level() { return String.valueOf(LOG.getLevel()); } }",
    ),
    (
        "p/Theme.java",
        "package p; public class Theme {\n\
         public static final Theme PLAIN = new Theme();\n\
         private String mark = \"-\";\n\
         private int left, right, top;\n\
         private boolean wide;\n\
         private Theme() { }\n\
         public String getMark() { return mark; }\n\
         public int getLeft() { return left; }\n\
         public int getRight() { return right; }\n\
         public int getTop() { return top; }\n\
         public boolean isWide() { return wide; }\n\
         public void setWide(boolean wide) { this.wide = wide; }\n\
         public String frame(String text) { return wide ? mark + \" \" + text : mark + text; } }",
    ),
    (
        "p/Trail.java",
        "package p; import java.util.*; class Trail {\n\
         static final Theme A = Theme.PLAIN, B = A, C = A, D = A, E = A, F = A, G = A, H = A, I = A, J = A, K = A;\n\
         private static final ThreadLocal<Map<String, String>> PLACES = ThreadLocal.withInitial(TreeMap::new);\n\
         static Map<String, String> places() { return PLACES.get(); }\n\
         static boolean enter(String place) { return PLACES.get().put(place, place) == null; } }",
    ),
    (
        "p/Walk.java",
        "package p; public class Walk {\n\
         private final boolean first;\n\
         public Walk(String place) { first = Trail.enter(String.valueOf(place)); }\n\
         public String greeting() { return first ? \"welcome\" : \"welcome back\"; } }",
    ),
    (
        "p/Marks.java",
        "package p; import java.util.*; class Marks {\n\
         private static final ThreadLocal<Map<String, String>> MARKS = new ThreadLocal<>();\n\
         static Map<String, String> marks() { return MARKS.get(); }\n\
         static boolean mark(String place) {\n\
         if (MARKS.get() == null) { MARKS.set(new HashMap<>()); }\n\
         return MARKS.get().put(place, place) == null; } }",
    ),
    (
        "p/Visit.java",
        "package p; public class Visit {\n\
         private final boolean first;\n\
         public Visit(String place) { first = Marks.mark(String.valueOf(place)); }\n\
         public String greeting() { return first ? \"welcome\" : \"welcome back\"; }\n\
         public void leave(int coins) { if (coins < 0) { throw new IllegalArgumentException(\"debt\"); } } }",
    ),
    (
        "p/Session.java",
        "package p; public class Session {\n\
         private static boolean open;\n\
         private static int user;\n\
         public static void enter(int id) {\n\
         if (open) { throw new IllegalStateException(\"entered\"); }\n\
         open = true; user = id; }\n\
         public static int user() { return user; }\n\
         public static void leave() { open = false; user = 0; } }",
    ),
];

#[test]
fn shared_state_is_put_back_or_the_test_is_not_written() {
    let subject = Subject::of(&SOURCES);
    let mut command = subject.generate("p.Registry");
    for class in ["Style", "Ticket", "Numbers", "Server", "Spool", "Zone", "Log", "Theme", "Walk", "Visit", "Session"] {
        command.args(["--class", &format!("p.{class}")]);
    }
    let ended = end(command.args(["--steps", "600", "--strategy", "search", "--seed", "1"]));
    assert_eq!(ended.status, 0, "{}", ended.err);
    let reset = "    @BeforeEach\n    @AfterEach\n    void resetSharedState() {\n";
    let restore = "    @AfterEach\n    void restoreSharedState() {\n";

    let registry = subject.source("p.Registry");
    assert!(registry.contains(&format!("{reset}        Registry.clear();\n    }}\n")), "{registry}");
    let style = subject.source("p.Style");
    assert!(style.contains("    private final Style saved = Style.getCurrent();\n"), "{style}");
    assert!(style.contains(&format!("{restore}        Style.setCurrent(saved);\n    }}\n")), "{style}");
    let ticket = subject.source("p.Ticket");
    assert!(ticket.contains(".close();\n    }\n") && !ticket.contains("SharedState"), "{ticket}");
    let server = subject.source("p.Server");
    let started = "assertThrows(IllegalStateException.class, () -> server.start());\n";
    let behind = server.split_once(started).map(|(_, behind)| behind).expect("a test of the second start");
    assert!(behind.split("@Test").next().is_some_and(|test| test.trim_end().ends_with("server.stop();\n    }")), "{server}");
    let spool = subject.source("p.Spool");
    assert!(spool.contains("Spool.state("), "an observer that leaves files is none: {spool}");
    let zone = subject.source("p.Zone");
    assert!(zone.contains("    private final TimeZone timeZone = TimeZone.getDefault();\n"), "{zone}");
    assert!(zone.contains(&format!("{restore}        TimeZone.setDefault(timeZone);\n    }}\n")), "{zone}");

    // What a test sets in a constant is asked, whatever else the constant has.
    let theme = subject.source("p.Theme");
    assert!(theme.contains("PLAIN.setWide(true);\n"), "{theme}");
    assert!(theme.contains(&format!("{reset}        Theme.PLAIN.setWide(false);\n    }}\n")), "{theme}");

    // What a thread has in a `ThreadLocal` of another class is state that tests share. It is asked before constants.
    let walk = subject.source("p.Walk");
    let emptied = "        Map<String, String> map = Trail.places();\n        map.clear();\n    }\n";
    assert!(walk.contains(&format!("{reset}{emptied}")), "{walk}");

    // The map is null until something is marked, so that nothing can clear it before a test.
    let visit = subject.source("p.Visit");
    let cleared = "\n        Marks.marks().clear();\n    }\n";
    assert!(visit.contains(cleared) && !visit.contains("SharedState"), "{visit}");
    let thrown = visit.split_once("assertThrows(").map(|(_, behind)| behind).expect("a test of a debt");
    assert!(thrown.split("@Test").next().is_some_and(|test| test.contains(cleared)), "{visit}");

    // No getter shows that the user 0 has entered: a second call does.
    let session = subject.source("p.Session");
    assert!(session.contains(&format!("{reset}        Session.leave();\n    }}\n")), "{session}");
    assert!(session.contains("Session.enter("), "{session}");
    assert!(session.contains(", Session.user());\n"), "a setter is told from one that does nothing: {session}");
    let log = subject.source("p.Log");
    assert!(log.contains("_levelIsOFF()") && log.contains("assertEquals(\"OFF\", Log.level());"), "{log}");

    // Nothing gives the counter its first value.
    let numbers = subject.source("p.Numbers");
    assert!(numbers.contains("Numbers.twice(") && !numbers.contains("Numbers.next("), "{numbers}");
    let report = std::fs::read_to_string(subject.folder.path().join("report/report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let lost = |class: &str| {
        let classes = report["classes"].as_array().expect("classes");
        let found = classes.iter().find(|found| found["name"] == class).expect("the class");
        found["discarded"]["shared_state"].as_u64().expect("a count")
    };
    let registry = report["classes"].as_array().and_then(|classes| classes.iter().find(|class| class["name"] == "p.Registry"));
    let methods = registry.and_then(|class| class["methods"].as_array()).expect("methods");
    let clear = methods.iter().find(|method| method["name"] == "clear").expect("the method that puts state back");
    assert_eq!(clear["outcome"], "tested", "it is called before each test: {clear}");
    assert!(!server.contains("SharedState") && lost("p.Server") == 0, "{server}");
    assert!(lost("p.Numbers") > 0 && lost("p.Registry") == 0, "{report}");
    assert_eq!(lost("p.Session"), 0, "{report}");
    let reason = "its tests change static state of p.Numbers, and no accessible method puts it back";
    assert!(ended.out.contains(reason) || report.to_string().contains(reason), "{}", ended.out);
}
