//! Each model of the library against the real method on random inputs: no divergence, nothing
//! concretised, and the clauses of one run predict every other.

use std::collections::BTreeSet;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use tracewright::expr::TermStore;
use tracewright::symbolic::Replayer;
use tracewright::testcase::{Literal, StatementKind, TestCase};

use crate::draws;
use crate::lab::{Lab, Run, is_completed, predict_each_other, replay_checked};
use crate::replaying::call;

/// The inputs for which a model decides everything.
#[derive(Clone, Copy, PartialEq)]
enum Exact {
    Always,
    /// Characters up to U+00FF and no U+00B5, U+00DF, U+00FF.
    Latin,
    /// No input: opaque results are counted.
    Never,
    /// Reference comparisons decide as well, and only concretely.
    Identity,
}

/// Random calls of each method.
const RUNS: usize = 60;

fn is_latin(test: &TestCase) -> bool {
    let is_plain = |unit: u16| unit < 0x100 && ![0xb5, 0xdf, 0xff].contains(&unit);
    test.statements.iter().all(|statement| match &statement.kind {
        StatementKind::Literal(Literal::Str(units)) => units.iter().all(|&unit| is_plain(unit)),
        StatementKind::Literal(Literal::Char(unit)) => is_plain(*unit),
        _ => true,
    })
}

/// Records random calls of a method, replays them, and checks how exact the model is.
fn check(lab: &mut Lab, class: &str, name: &str, descriptor: &str, exact: Exact) {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut terms = TermStore::new();
    let mut recordings = Vec::new();
    let mut drawn = BTreeSet::new();
    for _ in 0..RUNS {
        let test = call(class, name, descriptor, &draws::strings(descriptor, &mut rng));
        if drawn.insert(test.to_string()) {
            let recording = lab.record(&test);
            recordings.push((test, recording));
        }
    }
    let mut replayer = Replayer::new(&lab.program);
    let mut runs = Vec::new();
    let mut paths = BTreeSet::new();
    for (test, recording) in &recordings {
        let replay = replay_checked(&mut replayer, test, recording, &mut terms);
        paths.insert(replay.path.signature);
        let is_exact = replay.path.inexact_from.is_none() && replay.stats.concretised.is_empty();
        if exact == Exact::Always || (exact == Exact::Latin && is_latin(test)) {
            assert!(is_exact, "{test}{:#?}", replay.stats);
        }
        if is_completed(&replay) && is_exact && exact != Exact::Identity {
            runs.push(Run::new(test, recording, replay));
        }
    }
    assert!(paths.len() > 1, "{class}.{name}: every run took one path");
    let predictions = predict_each_other(&format!("{class}.{name}"), &terms, &runs);
    println!("{class}.{name}: {} runs, {} paths, {predictions} predictions", recordings.len(), paths.len());
    assert!(predictions > RUNS || matches!(exact, Exact::Never | Exact::Identity), "{class}.{name}");
}

fn family(class: &str, methods: &[(&str, &str, Exact)]) {
    for jdk in crate::jdks::jdks() {
        let mut lab = Lab::new(jdk);
        for &(name, descriptor, exact) in methods {
            let descriptor = descriptor.replace('S', "Ljava/lang/String;").replace('s', "S");
            check(&mut lab, class, name, &format!("({descriptor})I"), exact);
        }
    }
}

#[test]
fn models_that_compute_strings() {
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
fn models_of_string_queries() {
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
