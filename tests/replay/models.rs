//! Each model of the library against the real method on drawn inputs: no divergence, nothing concretised, and the clauses of one run foretell
//! every other.

use std::collections::{BTreeMap, BTreeSet};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use tracewright::expr::TermStore;
use tracewright::program::JavaType;
use tracewright::symbolic::{ReplayConfig, Replayer, seed_of};
use tracewright::testcase::{Literal, StatementKind, TestCase};

use super::{Argument, Lab, Run, call, foretell, is_whole, no_divergence};

/// For which inputs a model says everything.
#[derive(Clone, Copy, PartialEq)]
enum Exact {
    Always,
    /// Characters up to U+00FF and no U+00B5, U+00DF, U+00FF.
    Latin,
    /// For no input: what is opaque is counted.
    Never,
    /// References decide, too, and those only concretely.
    Identity,
}

const RUNS: usize = 60;

/// Short texts over few letters, so that runs meet; odd characters and long texts now and then.
fn text(rng: &mut ChaCha8Rng) -> Vec<u16> {
    let mut below = |bound: u32| (rng.next_u32() % bound) as usize;
    let whole = [
        "",
        "abc",
        "ABC",
        " abc ",
        "12",
        "-7",
        "+5",
        "-",
        "127",
        "-128",
        "128",
        "2147483647",
        "-2147483648",
        "2147483648",
        "0x1",
        "sIK",
        "\u{212a}ik",
        "si\u{212a}",
        "\u{130}",
        "\u{df}",
        "stra\u{df}e",
        "\u{b5}m",
        "\u{1f600}a",
        "\u{3000}a\u{2003}",
        "true",
        "TRUE",
        "00000012",
        "9223372036854775807",
        "a longer text of more than sixteen letters",
        "\u{e9}",
        "\u{c9}",
        "f",
        "\u{661}2",
        "\u{1c}a\u{1d}",
    ];
    match below(3) {
        0 => whole[below(whole.len() as u32)].encode_utf16().collect(),
        _ => {
            let alphabet: Vec<u16> =
                ["ab", "abcABC", " ab\t", "a\u{e9}Z \u{a0}", "01-9", "xyzab", "b", "a,b \t", "abAB9.", "a\r\n\u{85}"][below(10)]
                    .encode_utf16()
                    .collect();
            let length = below(6);
            (0..length).map(|_| alphabet[below(alphabet.len() as u32)]).collect()
        }
    }
}

fn arguments(descriptor: &str, rng: &mut ChaCha8Rng) -> Vec<Argument> {
    let (parameters, _) = JavaType::parse_method(descriptor).expect("a descriptor");
    let mut arguments = Vec::new();
    for parameter in parameters {
        let small = i64::from(rng.next_u32() % 7) - 1;
        let wide = match rng.next_u32() % 12 {
            0 => i64::from(rng.next_u32() as i32),
            1 => [i64::MIN, i64::MAX, i64::from(i32::MIN), i64::from(i32::MAX), 127, 128, -129, 77777]
                [(rng.next_u32() % 8) as usize],
            2 => i64::from(rng.next_u32() % 2000) - 1000,
            _ => small,
        };
        arguments.push(Argument::One(match parameter {
            JavaType::Boolean => Literal::Boolean(small & 1 == 1),
            JavaType::Byte => Literal::Byte(wide as i8),
            JavaType::Short => Literal::Short(wide as i16),
            JavaType::Int => Literal::Int(wide as i32),
            JavaType::Long => Literal::Long(wide),
            JavaType::Char => Literal::Char(match rng.next_u32() % 8 {
                0 => [0xd800, 0xdc00, 0x3000, 0x130, 0x2003, 0xffff][(rng.next_u32() % 6) as usize],
                1 | 2 => (rng.next_u32() % 256) as u16,
                _ => u16::from(b"abAB 9.z"[(rng.next_u32() % 8) as usize]),
            }),
            _ => Literal::Str(text(rng)),
        }));
    }
    arguments
}

/// Runs whose texts have as many variables are of one skeleton.
fn skeleton(test: &TestCase) -> String {
    let counts = test.statements.iter().map(|statement| match &statement.kind {
        StatementKind::Literal(Literal::Str(units)) => units.len().max(16),
        _ => 0,
    });
    format!("{:?}", counts.collect::<Vec<usize>>())
}

fn is_latin(test: &TestCase) -> bool {
    let plain = |unit: u16| unit < 0x100 && ![0xb5, 0xdf, 0xff].contains(&unit);
    test.statements.iter().all(|statement| match &statement.kind {
        StatementKind::Literal(Literal::Str(units)) => units.iter().all(|&unit| plain(unit)),
        StatementKind::Literal(Literal::Char(unit)) => plain(*unit),
        _ => true,
    })
}

fn check(lab: &mut Lab, class: &str, name: &str, descriptor: &str, exact: Exact) {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut terms = TermStore::new();
    let mut recordings = Vec::new();
    let mut drawn = BTreeSet::new();
    for _ in 0..RUNS {
        let test = call(class, name, descriptor, &arguments(descriptor, &mut rng));
        if drawn.insert(test.to_string()) {
            let recording = lab.record(&test);
            recordings.push((test, recording));
        }
    }
    let mut replayer = Replayer::new(&lab.program);
    let mut runs: BTreeMap<String, Vec<Run>> = BTreeMap::new();
    let mut paths = BTreeSet::new();
    for (test, recording) in &recordings {
        let replay = replayer.replay(test, recording, &mut terms, &ReplayConfig::default());
        no_divergence(&replay, &replay.path, &terms, test, recording);
        paths.insert(replay.path.signature);
        let is_exact = replay.path.inexact_from.is_none() && replay.stats.concretised.is_empty();
        if exact == Exact::Always || (exact == Exact::Latin && is_latin(test)) {
            assert!(is_exact, "{test}{:#?}", replay.stats);
        }
        if is_whole(&replay) && is_exact && exact != Exact::Identity {
            let skeleton = skeleton(test);
            let bases = recording.announced.tables().map(|table| (table.class.clone(), table.base)).collect();
            runs.entry(skeleton.clone()).or_default().push(Run { seed: seed_of(test), skeleton, replay, bases });
        }
    }
    assert!(paths.len() > 1, "{class}.{name}: every run took one path");
    let mut foretold = 0;
    for runs in runs.values() {
        for from in runs {
            for other in runs {
                foretold += 1;
                if let Err(problem) = foretell(&terms, from, other) {
                    panic!(
                        "{class}.{name}: {problem}\nfrom {}\n{}other {}\n{}",
                        from.seed,
                        from.replay.path.print(&terms),
                        other.seed,
                        other.replay.path.print(&terms)
                    );
                }
            }
        }
    }
    println!("{class}.{name}: {} runs, {} paths, {foretold} foretold, {} terms", recordings.len(), paths.len(), terms.len());
    assert!(foretold > RUNS || matches!(exact, Exact::Never | Exact::Identity), "{class}.{name}");
}

fn family(class: &str, methods: &[(&str, &str, Exact)]) {
    for jdk in super::jdks() {
        let mut lab = Lab::new(jdk);
        for &(name, descriptor, exact) in methods {
            let descriptor = descriptor.replace('S', "Ljava/lang/String;").replace('s', "S");
            check(&mut lab, class, name, &format!("({descriptor})I"), exact);
        }
    }
}

#[test]
fn models_that_make_texts() {
    use Exact::*;
    family(
        "replay/Texts",
        &[
            ("substring", "SII", Always),
            ("substringFrom", "SI", Always),
            ("constantSubstring", "S", Always),
            ("concat", "SS", Always),
            ("trim", "S", Always),
            ("strip", "S", Always),
            ("lower", "S", Latin),
            ("upper", "S", Latin),
            ("replaceChar", "SC", Always),
            ("replaceText", "S", Always),
            ("replaceGiven", "SS", Always),
            ("repeat", "SI", Always),
            ("valueOf", "CIZ", Always),
            ("decimal", "J", Always),
            ("small", "Bs", Always),
            ("hexadecimal", "IJ", Always),
            ("chars", "SII", Always),
            ("join", "SS", Always),
            ("formatted", "IJC", Always),
            ("formattedTexts", "SZI", Always),
            ("formattedBits", "IJ", Always),
            ("formattedOtherwise", "I", Never),
            ("decided", "S", Always),
            ("intern", "S", Identity),
            ("identity", "S", Identity),
        ],
    );
}

#[test]
fn models_that_ask_texts() {
    use Exact::*;
    family(
        "replay/Texts",
        &[
            ("isBlank", "S", Always),
            ("compareTo", "SS", Always),
            ("compareIgnoringCase", "SS", Latin),
            ("equalsIgnoringCase", "SS", Latin),
            ("contentEquals", "SS", Always),
            ("startsWith", "SSI", Always),
            ("endsWith", "SS", Always),
            ("contains", "SS", Always),
            ("indexOf", "SCI", Always),
            ("indexOfText", "SSI", Always),
            ("lastIndexOf", "SCI", Always),
            ("lastIndexOfText", "SSI", Always),
            ("hash", "S", Always),
            ("codePoints", "SI", Latin),
            ("regions", "SS", Latin),
            ("switching", "S", Latin),
        ],
    );
}

#[test]
fn models_of_numbers_and_characters() {
    use Exact::*;
    family(
        "replay/Texts",
        &[
            ("parseInt", "S", Latin),
            ("parseOthers", "S", Latin),
            ("character", "C", Always),
            ("latinCharacter", "C", Latin),
            ("digits", "I", Always),
            ("boxes", "IIJ", Always),
        ],
    );
}

#[test]
fn models_of_builders() {
    use Exact::*;
    family(
        "replay/Texts",
        &[
            ("built", "SCI", Always),
            ("edited", "SIC", Latin),
            ("buffer", "SI", Always),
            ("padded", "S", Always),
            ("looped", "S", Latin),
            ("handedOver", "S", Never),
        ],
    );
}

#[test]
fn models_of_patterns() {
    use Exact::*;
    family(
        "replay/Library",
        &[
            ("matches", "S", Never),
            ("matchesExactly", "S", Latin),
            ("found", "S", Latin),
            ("groups", "S", Never),
            ("split", "S", Latin),
            ("splitOtherwise", "S", Latin),
            ("replaced", "S", Latin),
        ],
    );
}

#[test]
fn models_of_arrays_and_arithmetic() {
    use Exact::*;
    family(
        "replay/Library",
        &[("copied", "III", Always), ("references", "SI", Always), ("exact", "IJI", Always), ("floors", "IJI", Always)],
    );
}
