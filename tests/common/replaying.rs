//! Replays checked against their recordings, and random calls to record.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use tracewright::expr::TermStore;
use tracewright::program::{ClassName, JavaType, MethodRef};
use tracewright::recording::Recording;
use tracewright::symbolic::{PathEnd, Replay, ReplayConfig, Replayer, seed_of};
use tracewright::testcase::{Literal, StatementKind, TestCase, VarId};
use tracewright_classfile::PrimitiveType;

/// Replays a recording and checks the path condition against its own run.
///
/// # Errors
/// A message that says which event differs from the recording, or which clause does not hold of the inputs of the run.
pub(crate) fn replay(
    replayer: &mut Replayer<'_>,
    test: &TestCase,
    recording: &Recording,
    terms: &mut TermStore,
) -> Result<Replay, String> {
    let replay = replayer.replay(test, recording, terms, &ReplayConfig::default());
    let explain =
        |problem: String| format!("{problem}\n{test}{:?}\n{:#?}\n{}", replay.end, replay.stats, replay.path.print(terms));
    if !replay.stats.divergences.is_empty() {
        return Err(explain(format!("diverged:\n{}", recording.print())));
    }
    let seed = seed_of(test);
    for clause in &replay.path.clauses {
        if !terms.holds(clause.term, &seed) {
            return Err(explain(format!("{} does not hold", terms.print(clause.term))));
        }
        if let Some((outcome, other)) = clause.others.iter().find(|(_, other)| terms.holds(*other, &seed)) {
            return Err(explain(format!("={outcome} {} holds as well", terms.print(*other))));
        }
    }
    Ok(replay)
}

/// Whether the replay reached the end of the run and computed every instruction itself.
pub(crate) fn is_whole(replay: &Replay) -> bool {
    let stats = &replay.stats;
    matches!(replay.end, PathEnd::Returned | PathEnd::Threw { .. })
        && stats.executed == stats.replayed
        && stats.unsupported.is_empty()
        && stats.resyncs == 0
}

/// A test case that calls a static method. An array parameter gets an array of the argument's
/// literals; any other parameter gets the first literal.
pub(crate) fn call(class: &str, name: &str, descriptor: &str, arguments: &[Vec<Literal>]) -> TestCase {
    let method = MethodRef::new(ClassName::new(class), name, descriptor);
    let mut test = TestCase::default();
    let mut variables = Vec::new();
    for (argument, ty) in arguments.iter().zip(method.parameters()) {
        variables.push(match ty {
            JavaType::Array(element) => {
                let elements: Vec<VarId> = argument.iter().map(|literal| push(&mut test, literal, &element)).collect();
                let kind = StatementKind::Array { element: (*element).clone(), length: elements.len() as u32, elements };
                test.push(kind, JavaType::Array(element))
            }
            ty => push(&mut test, &argument[0], &ty),
        });
    }
    let returned = method.return_type();
    test.push(StatementKind::Call { method, interface: false, receiver: None, args: variables }, returned);
    test
}

fn push(test: &mut TestCase, literal: &Literal, ty: &JavaType) -> VarId {
    test.push(StatementKind::Literal(literal.clone()), ty.clone())
}

/// Random arguments for a method descriptor, as [`call`] takes them: mostly small numbers and limits of the types.
pub(crate) fn arguments(descriptor: &str, rng: &mut ChaCha8Rng) -> Vec<Vec<Literal>> {
    let (parameters, _) = JavaType::parse_method(descriptor).expect("a descriptor");
    parameters
        .iter()
        .map(|ty| match ty {
            JavaType::Array(element) => (0..rng.next_u32() % 4).map(|_| literal(element, rng)).collect(),
            ty => vec![literal(ty, rng)],
        })
        .collect()
}

const LIMITS: [i64; 12] = [0, -1, 1, i32::MAX as i64, i32::MIN as i64, i64::MAX, i64::MIN, 0xFFFF, -0x8000, 31, 33, 1 << 40];
const REALS: [f64; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    1e-310,
    1e300,
    2147483648.0,
    -9.3e18,
    0.1,
    16777217.0,
    1e-46,
];
const STRINGS: [&str; 10] = ["", "a", "ab", "abc", "hello", "zz top", "-12", "7", "ÄÖü", "a,b,,c"];

fn literal(ty: &JavaType, rng: &mut ChaCha8Rng) -> Literal {
    let mut below = |bound: u32| rng.next_u32() % bound;
    let number = match below(4) {
        0 => LIMITS[below(LIMITS.len() as u32) as usize],
        1 => i64::from(below(u32::MAX)) << below(32) >> below(20),
        _ => i64::from(below(13)) - 4,
    };
    let real = if below(2) == 0 { REALS[below(REALS.len() as u32) as usize] } else { number as f64 / 4.0 };
    match ty {
        JavaType::Primitive(PrimitiveType::Boolean) => Literal::Boolean(number & 1 == 1),
        JavaType::Primitive(PrimitiveType::Byte) => Literal::Byte(number as i8),
        JavaType::Primitive(PrimitiveType::Char) => Literal::Char(number as u16),
        JavaType::Primitive(PrimitiveType::Short) => Literal::Short(number as i16),
        JavaType::Primitive(PrimitiveType::Int) => Literal::Int(number as i32),
        JavaType::Primitive(PrimitiveType::Long) => Literal::Long(number),
        JavaType::Primitive(PrimitiveType::Float) => Literal::Float((real as f32).to_bits()),
        JavaType::Primitive(PrimitiveType::Double) => Literal::Double(real.to_bits()),
        _ => Literal::Str(STRINGS[below(STRINGS.len() as u32) as usize].encode_utf16().collect()),
    }
}
