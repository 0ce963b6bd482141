//! The text that a call prints becomes the assertion of its test.
//!
//! In: tests whose assertions say nothing of their call, or that have none. Out: those whose call prints to a standard
//! stream, with the text as the only assertion. Must not know how tests were found.
//!
//! The test gives the JVM a stream of its own and reads it after the call. The class's tests put the first stream back.

use super::super::observation::Observation;
use super::Shortening;
use crate::execution::{Snapshot, WorldPart};
use crate::jvm::JvmError;
use crate::oracle::leftovers::world_state;
use crate::oracle::{AssertedTest, Assertion, Fact, ObservedTest, Reset};
use crate::program::{ClassName, JavaType, MethodRef};
use crate::testcase::{Statement, StatementKind, TestCase, VarId};

/// The longest text that a test asserts, in UTF-16 units, and the most lines of it.
const LONGEST_TEXT: usize = 240;
const MOST_LINES: usize = 10;
/// A line of a stack trace: it changes with each change of the code.
const STACK_LINE: &str = "\tat ";
const BYTES: &str = "java/io/ByteArrayOutputStream";
const STREAM: &str = "java/io/PrintStream";
/// The statements in front of the call.
const ADDED: u32 = 3;

impl Shortening<'_, '_> {
    /// The tests with assertions about what their last calls print; `None` for those that print nothing.
    ///
    /// Fails where a worker cannot be kept running.
    pub(super) fn printing(&mut self, tests: &[AssertedTest]) -> Result<Vec<Option<AssertedTest>>, JvmError> {
        let mut printing: Vec<Option<AssertedTest>> = vec![None; tests.len()];
        for part in [WorldPart::Out, WorldPart::Err] {
            let open: Vec<usize> = (0..tests.len()).filter(|place| printing[*place].is_none()).collect();
            let kept = open.iter().filter_map(|place| Some((*place, with_kept_text(&tests[*place], part)?)));
            let (places, observed): (Vec<usize>, Vec<ObservedTest>) = kept.unzip();
            if observed.is_empty() {
                continue;
            }
            let mut observation = Observation::of_observed(observed.clone(), self.worker)?;
            observation.repeat_once(self.worker)?;
            for (number, (place, observed)) in places.into_iter().zip(observed).enumerate() {
                let text = observation.last_text(number).filter(|text| is_readable(text));
                printing[place] = text.map(|text| asserting(&tests[place], observed, text, part));
            }
        }
        Ok(printing)
    }
}

/// The test with a stream that keeps what the last call prints, and the inspector that reads it.
fn with_kept_text(test: &AssertedTest, part: WorldPart) -> Option<ObservedTest> {
    let stream = world_state(part)?;
    let call = test.acted.checked_sub(1)?;
    let mut case = test.test.clone();
    case.truncate(test.acted as usize);
    case.insert(call as usize, keeping_statements(call, &stream.write));
    let read = MethodRef::new(ClassName::new(BYTES), "toString", "()Ljava/lang/String;");
    let kind = StatementKind::Call { method: read, interface: false, receiver: Some(VarId(call)), args: Vec::new() };
    case.push(kind, JavaType::class("java/lang/String"));
    Some(ObservedTest { test: case, acted: test.acted + ADDED, target: test.target.clone() })
}

/// A new stream over bytes as the JVM's stream; `at`: the place of the first statement.
fn keeping_statements(at: u32, write: &MethodRef) -> Vec<Statement> {
    let construct = |class: &str, descriptor: &str, args: Vec<VarId>| {
        let constructor = MethodRef::new(ClassName::new(class), "<init>", descriptor);
        (StatementKind::Construct { constructor, args }, JavaType::class(class))
    };
    let mut statements = TestCase::default();
    let bytes = construct(BYTES, "()V", Vec::new());
    let stream = construct(STREAM, "(Ljava/io/OutputStream;)V", vec![VarId(at)]);
    for (kind, ty) in [bytes, stream] {
        statements.push(kind, ty);
    }
    statements.push_static_call(write, vec![VarId(at + 1)]);
    statements.statements
}

/// The test with the assertion that its call prints this text.
fn asserting(test: &AssertedTest, observed: ObservedTest, text: &[u16], part: WorldPart) -> AssertedTest {
    let fact = Fact::Equals(Snapshot::Str(Some(text.to_vec())));
    let mut resets = test.resets.clone();
    resets.push(Reset::World(part));
    AssertedTest {
        assertions: vec![Assertion { subject: VarId(observed.acted), fact }],
        test: observed.test,
        acted: observed.acted,
        resets,
        ..test.clone()
    }
}

/// Whether a reader can check the text, and other code prints the same.
fn is_readable(units: &[u16]) -> bool {
    let text = String::from_utf16_lossy(units);
    let is_short = units.len() <= LONGEST_TEXT && text.lines().count() <= MOST_LINES;
    !text.trim().is_empty() && is_short && !text.contains(STACK_LINE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTING: &str = "target p/Greeter.greet (I)V\nacted 3\nv0: Lp/Greeter; = new p/Greeter.<init> ()V ()\n\
                            v1: I = int 4\nv2: V = call method p/Greeter.greet (I)V on v0 (v1)\n";

    #[test]
    fn the_call_prints_to_a_stream_of_the_test() {
        let test: AssertedTest = PRINTING.parse().expect("well-formed");
        let kept = with_kept_text(&test, WorldPart::Err).expect("a stream");
        assert_eq!((kept.acted, &kept.target), (6, &test.target));
        let expected = "v0: Lp/Greeter; = new p/Greeter.<init> ()V ()\nv1: I = int 4\n\
                        v2: Ljava/io/ByteArrayOutputStream; = new java/io/ByteArrayOutputStream.<init> ()V ()\n\
                        v3: Ljava/io/PrintStream; = new java/io/PrintStream.<init> (Ljava/io/OutputStream;)V (v2)\n\
                        v4: V = call method java/lang/System.setErr (Ljava/io/PrintStream;)V (v3)\n\
                        v5: V = call method p/Greeter.greet (I)V on v0 (v1)\n\
                        v6: Ljava/lang/String; = call method java/io/ByteArrayOutputStream.toString ()Ljava/lang/String; on v2 ()\n";
        assert_eq!(kept.test.to_string(), expected);
        assert!(with_kept_text(&test, WorldPart::Files).is_none());
    }

    #[test]
    fn only_a_short_text_is_asserted() {
        let is_readable = |text: &str| is_readable(&text.encode_utf16().collect::<Vec<u16>>());
        assert!(is_readable("Hello\nAda\n"));
        assert!(!is_readable("") && !is_readable("\n"));
        assert!(!is_readable(&"x".repeat(LONGEST_TEXT + 1)) && !is_readable(&"x\n".repeat(MOST_LINES + 1)));
        assert!(!is_readable("p.Failure\n\tat p.Greeter.greet"));
    }

    #[test]
    fn the_first_stream_is_put_back() {
        let test: AssertedTest = PRINTING.parse().expect("well-formed");
        let kept = with_kept_text(&test, WorldPart::Out).expect("a stream");
        let asserting = asserting(&test, kept, &[72, 105], WorldPart::Out).to_string();
        let states = |line: &str| asserting.lines().any(|own| own == line);
        assert!(states("assert v6 equals string \"Hi\"") && states("reset world out"), "{asserting}");
    }
}
