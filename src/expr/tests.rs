//! Terms: folding against evaluation, evaluation against Rust, text against itself.

use super::*;
use proptest::prelude::*;

/// Folds the text on reading: builds it with the constructors.
fn folded(text: &str) -> String {
    let mut exact = TermStore::new();
    let root = exact.parse(text).expect(text);
    let mut terms = TermStore::new();
    let copy = terms.import(&exact, root, &Model::new());
    terms.print(copy)
}

#[test]
fn folding() {
    let cases = [
        ("(bvadd 2147483647 1)", "-2147483648"),
        ("(bvadd 1 v0)", "(bvadd v0 1)"),
        ("(bvsub (bvadd v0 5) 5)", "v0"),
        ("(bvsub v0 v0)", "0"),
        ("(bvmul (bvmul v0 3) 5)", "(bvmul v0 15)"),
        ("(bvsdiv -2147483648 -1)", "-2147483648"),
        ("(bvsrem v0 1)", "0"),
        ("(not (not (bvslt v0 v1)))", "(bvslt v0 v1)"),
        ("(not (bvslt v0 v1))", "(bvsle v1 v0)"),
        ("(= (bvadd v0 1) 3)", "(= v0 2)"),
        ("(= 3 v0)", "(= v0 3)"),
        ("(= (ite (bvslt v0 v1) 1 0) 0)", "(bvsle v1 v0)"),
        ("(not (= (ite (bvslt v0 v1) 1 0) 0))", "(bvslt v0 v1)"),
        ("(= (ite (bvslt v0 v1) 5 v2) 5)", "(or (bvslt v0 v1) (= v2 5))"),
        ("(not (= v0:boolean 0))", "(= v0:boolean 1)"),
        ("(bvslt (lcmp v0:long v1:long) 0)", "(bvslt v0:long v1:long)"),
        ("(bvsle (lcmp v0:long v1:long) 0)", "(bvsle v0:long v1:long)"),
        ("(= (lcmp v0:long v1:long) 0)", "(= v0:long v1:long)"),
        ("(bvslt 0 (lcmp v0:long v1:long))", "(bvslt v1:long v0:long)"),
        ("(= (lcmp v0:long v1:long) 7)", "false"),
        ("(= (lcmp (i2l v0) 5L) 0)", "(= v0 5)"),
        ("(bvsrem (i2l v0) 1000L)", "(i2l (bvsrem v0 1000))"),
        ("(bvmul (i2l v0:short) (i2l v1:short))", "(i2l (bvmul v0:short v1:short))"),
        ("(bvmul (i2l v0) (i2l v1:short))", "(bvmul (i2l v0) (i2l v1:short))"),
        ("(bvadd (i2l v0:char) 7L)", "(i2l (bvadd v0:char 7))"),
        ("(bvsdiv (i2l v0) (i2l v1))", "(bvsdiv (i2l v0) (i2l v1))"),
        ("(bvslt (i2l v0) 5000000000L)", "true"),
        ("(= (i2l v0) 5000000000L)", "false"),
        ("(bvsle (fcmpl v0:double v1:double) 0)", "(not (fp.lt v1:double v0:double))"),
        ("(bvsle (fcmpg v0:double v1:double) 0)", "(fp.leq v0:double v1:double)"),
        ("(bvslt (fcmpg v0:double v1:double) 0)", "(fp.lt v0:double v1:double)"),
        ("(bvslt 0 (fcmpl v0:double v1:double))", "(fp.lt v1:double v0:double)"),
        ("(= (fcmpl v0:float v1:float) 0)", "(fp.eq v0:float v1:float)"),
        ("(bvsle 0 v0[1])", "true"),
        ("(bvslt v0.length 0)", "false"),
        ("(bvsle v0.length 0)", "(= v0.length 0)"),
        ("(bvand v0[1] 65535)", "v0[1]"),
        ("(i2b v0:byte)", "v0:byte"),
        ("(bvult v0[1] v1.length)", "(bvslt v0[1] v1.length)"),
        ("(bvult v0 v1.length)", "(bvult v0 v1.length)"),
        ("(bvult (bvadd v0 -1) v0)", "(not (= v0 0))"),
        ("(bvule v0:long (bvadd v0:long -1L))", "(= v0:long 0L)"),
        ("(bvult v0 (bvadd v0 -1))", "(bvult v0 (bvadd v0 -1))"),
        ("(bvult (bvadd v0 -2) v0)", "(bvult (bvadd v0 -2) v0)"),
        ("(bvsle 912 (bvor (bvand v0 1) 910))", "false"),
        ("(bvslt (bvor v0[0] 910) 910)", "false"),
        ("(and (bvslt v0 v1) (bvsle v1 v0))", "false"),
        ("(or (= v0 1) (not (= v0 1)))", "true"),
        ("(ite (= v0 1) (ite (= v0 1) 2 3) 4)", "(ite (= v0 1) 2 4)"),
        ("(ite (= v0 1) true (= v1 1))", "(or (= v0 1) (= v1 1))"),
        ("(l2i (i2l v0))", "v0"),
        ("(bvashr v0[1] 3)", "(bvlshr v0[1] 3)"),
        ("(fp.eq (fp.neg v0:double) (fp.neg v0:double))", "(fp.eq v0:double v0:double)"),
        ("(fp.eq (i2d v0) (i2d v0))", "true"),
        ("(fp.lt (i2d v0) (i2d v1))", "(bvslt v0 v1)"),
        ("(fp.eq (fp.abs (i2f v0)) f#7f800000)", "false"),
        ("(fp.eq (i2f v0) f#00000000)", "(= v0 0)"),
        ("(fp.lt (i2d v0) d#4004000000000000)", "(bvsle v0 2)"),
        ("(fp.lt (i2d v0) d#4008000000000000)", "(bvsle v0 2)"),
        ("(fp.lt d#c004000000000000 (l2d v0:long))", "(bvsle -2L v0:long)"),
        ("(fp.eq (i2d v0) d#3fe0000000000000)", "false"),
        // 2^24 is the float of two ints.
        ("(fp.eq (i2f v0) f#4b800000)", "(and (bvsle 16777216 v0) (bvsle v0 16777217))"),
        ("(fp.leq (i2f v0) f#7fc00000)", "false"),
        ("(fp.lt (fp.mul (i2d v0:byte) d#4024000000000000) d#4094000000000000)", "true"),
        ("(fp.eq (fp.add (i2d v0) d#3fe0000000000000) (fp.add (i2d v0) d#3fe0000000000000))", "true"),
        ("(fp.lt (fp.div (i2d v0) (i2d v0[1])) d#0000000000000000)", "(fp.lt (fp.div (i2d v0) (i2d v0[1])) d#0000000000000000)"),
        ("(fp.eq (fp.abs (fp.neg (i2d v0:byte))) d#4060200000000000)", "false"),
        ("(fp.lt d#4050000000000000 (fp.abs (i2d v0:byte)))", "(fp.lt d#4050000000000000 (fp.abs (i2d v0:byte)))"),
        ("(d2i (i2d v0))", "v0"),
        ("(f2i f#7fc00000)", "0"),
        ("(d2i d#7ff0000000000000)", "2147483647"),
    ];
    for (text, expected) in cases {
        assert_eq!(folded(text), expected, "{text}");
    }
}

#[test]
fn shifts_mask_their_count() {
    let mut terms = TermStore::new();
    let count = terms.int(33);
    let a = terms.symbol(Symbol::value(0), SymbolKind::Int);
    let shifted = terms.shl(a, count);
    assert_eq!(terms.print(shifted), "(bvshl v0 1)");
    let wide = terms.symbol(Symbol::value(1), SymbolKind::Long);
    let by = terms.symbol(Symbol::value(2), SymbolKind::Int);
    let shifted = terms.ushr(wide, by);
    assert_eq!(terms.print(shifted), "(bvlshr v1:long (i2l (bvand v2 63)))");
}

#[test]
fn malformed_text_is_refused() {
    let cases = [
        "",
        "(",
        ")",
        "(bvadd v0",
        "(bvadd v0)",
        "(bvadd v0 1L)",
        "(nothing v0)",
        "v",
        "vx",
        "v0:quark",
        "v0[",
        "v0[+1]",
        "v+1",
        "(not v0)",
        "(bvadd v0 1) v0",
        "2147483648",
        "f#zz",
        "?0",
        "(let* ((?0 v0)) )",
        "(let* ((v0 1)) v0)",
        "(let* () v0 v0)",
        "()",
        "(= v0:double v1:double)",
        "(let*",
        "(let* (",
        "(let* ((?0",
        "(ite v0 1 2)",
        "+5",
        "é",
        "v0.length:length:int",
    ];
    for text in cases {
        assert!(TermStore::new().parse(text).is_err(), "{text}");
    }
}

#[test]
fn large_terms_share() {
    let mut terms = TermStore::new();
    let mut term = terms.symbol(Symbol::value(0), SymbolKind::Int);
    for _ in 0..100 {
        term = terms.mul(term, term);
    }
    let text = terms.print(term);
    assert!(text.len() < 4_000, "{} bytes", text.len());
    assert_eq!(terms.parse(&text), Ok(term));
    assert_eq!(terms.tree_size(term), u64::MAX);
    assert_eq!(terms.reachable(&[term]).len(), 101);
}

#[test]
fn deep_terms_do_not_overflow_the_stack() {
    let mut terms = TermStore::new();
    let mut term = terms.symbol(Symbol::value(0), SymbolKind::Int);
    for number in 0..200_000 {
        let other = terms.symbol(Symbol::value(number % 7), SymbolKind::Int);
        let mixed = terms.bitxor(term, other);
        term = terms.add(mixed, other);
    }
    let text = terms.print(term);
    assert_eq!(terms.parse(&text), Ok(term));
    assert_eq!(terms.symbols_of(term).len(), 7);
    terms.evaluate(term, &Model::new());
}

#[test]
fn a_long_chain_of_choices_is_compared_as_it_is() {
    let mut terms = TermStore::new();
    let index = terms.symbol(Symbol::value(0), SymbolKind::Int);
    let mut choice = terms.int(0);
    for number in 1..100_000 {
        let (key, value) = (terms.int(number), terms.int(number % 9));
        let here = terms.eq(index, key);
        choice = terms.ite(here, value, choice);
    }
    let (before, five) = (terms.len(), terms.int(5));
    terms.lt(choice, five);
    assert!(terms.len() < before + 10);
}

#[test]
fn the_inputs_of_a_wide_term_are_found_without_being_kept() {
    let mut terms = TermStore::new();
    let mut sum = terms.symbol(Symbol::value(0), SymbolKind::Int);
    let mut narrow = sum;
    for number in 1..20_000 {
        if number == MOST_INPUTS as u32 {
            narrow = sum;
        }
        let next = terms.symbol(Symbol::value(number), SymbolKind::Int);
        sum = terms.add(sum, next);
    }
    assert!(terms.is_wide(sum) && !terms.is_wide(narrow));
    assert_eq!((terms.symbols_of(sum).len(), terms.symbols_of(narrow).len()), (20_000, MOST_INPUTS));
    assert!(terms.symbols_of(sum).is_sorted());
    let doubled = terms.add(sum, narrow);
    assert_eq!(terms.symbols_of(doubled).len(), 20_000);
}

#[test]
fn models_have_a_text_form() {
    let model: Model = "v3=-1 v4=7L v5.length=2 v5[0]=97 v6=d#3ff0000000000000 v7=true".parse().expect("well-formed");
    assert_eq!(model.to_string().parse(), Ok(model.clone()));
    assert_eq!(model.get(Symbol::char(5, 0)), Some(Value::Int(97)));
    assert_eq!("v3".parse::<Model>(), Err(()));
}

/// The inputs that random terms are made of.
fn inputs() -> Vec<Input> {
    let mut inputs: Vec<Input> = SymbolKind::ALL
        .into_iter()
        .filter(|kind| *kind != SymbolKind::Length)
        .enumerate()
        .map(|(number, kind)| Input { symbol: Symbol::value(number as u32), kind })
        .collect();
    inputs.push(Input { symbol: Symbol::value(8), kind: SymbolKind::Int });
    inputs.push(Input { symbol: Symbol::value(9), kind: SymbolKind::Long });
    inputs.push(Input { symbol: Symbol::length(10), kind: SymbolKind::Length });
    inputs.push(Input { symbol: Symbol::char(10, 0), kind: SymbolKind::Char });
    inputs
}

/// Grows one term per gene from those before it. Two stores given the same genes grow terms that
/// must mean the same.
pub(crate) fn grow(terms: &mut TermStore, genes: &[(u16, u16, u16, u16)]) -> Vec<TermId> {
    let mut pool: Vec<TermId> = Vec::new();
    for input in inputs() {
        pool.push(terms.symbol(input.symbol, input.kind));
    }
    for value in [0, 1, -1, 2, 31, 255, 65535, i32::MIN, i32::MAX] {
        pool.push(terms.int(value));
        pool.push(terms.long(value.into()));
    }
    pool.push(terms.long(i64::MIN));
    pool.push(terms.float(1.5));
    pool.push(terms.double(f64::NAN));
    pool.push(terms.bool(true));
    for &(what, a, b, c) in genes {
        let pick = |terms: &TermStore, seed: u16, sort: Option<Sort>| {
            let fitting: Vec<TermId> =
                pool.iter().copied().filter(|id| sort.is_none_or(|sort| terms.sort(*id) == sort)).collect();
            fitting[seed as usize % fitting.len()]
        };
        let operators = UnaryOp::ALL.len() + BinaryOp::ALL.len();
        let choice = what as usize % (operators + 9);
        let a = pick(terms, a, None);
        let b = pick(terms, b, Some(terms.sort(a)));
        let int = pick(terms, c, Some(Sort::Bv32));
        let term = if choice < UnaryOp::ALL.len() {
            let op = UnaryOp::ALL[choice];
            if op.result(terms.sort(a)).is_none() {
                continue;
            }
            terms.unary(op, a)
        } else if choice < operators {
            let op = BinaryOp::ALL[choice - UnaryOp::ALL.len()];
            if op.result(terms.sort(a)).is_none() {
                continue;
            }
            terms.binary(op, a, b)
        } else if choice < operators + 3 {
            let condition = pick(terms, c, Some(Sort::Bool));
            terms.ite(condition, a, b)
        } else if terms.sort(a).is_bv() {
            match choice - operators - 3 {
                0 => terms.shl(a, int),
                1 => terms.shr(a, int),
                2 => terms.ushr(a, int),
                3 => terms.i2c(int),
                4 => terms.gt(a, b),
                _ => terms.ne(a, b),
            }
        } else {
            continue;
        };
        pool.push(term);
    }
    pool
}

pub(crate) fn model() -> impl Strategy<Value = Model> {
    let edge = prop_oneof![
        Just(0i64),
        Just(1),
        Just(-1),
        Just(i64::from(i32::MIN)),
        Just(i64::from(i32::MAX)),
        Just(i64::MIN),
        Just(i64::MAX),
        -70i64..70,
        any::<i64>(),
    ];
    proptest::collection::vec(edge, inputs().len()).prop_map(|values| {
        inputs()
            .into_iter()
            .zip(values)
            .map(|(input, value)| {
                let value = match (input.kind, input.kind.range()) {
                    (SymbolKind::Long, _) => Value::Long(value),
                    (SymbolKind::Float, _) => Value::float(value as f32 / 2.0),
                    (SymbolKind::Double, _) => Value::Double(value as u64),
                    (_, Some((low, high))) if (low..=high).contains(&value) => Value::Int(value as i32),
                    (_, Some((low, high))) => Value::Int((low + value.rem_euclid(high - low + 1)) as i32),
                    (_, None) => unreachable!("the rest is integral"),
                };
                assert!(input.kind.contains(value));
                (input.symbol, value)
            })
            .collect()
    })
}

pub(crate) fn genes(count: usize) -> impl Strategy<Value = Vec<(u16, u16, u16, u16)>> {
    proptest::collection::vec(any::<(u16, u16, u16, u16)>(), 1..count)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn folding_keeps_the_value(genes in genes(60), model in model()) {
        let (mut folding, mut plain) = (TermStore::new(), TermStore::without_folding());
        let (folded, exact) = (grow(&mut folding, &genes), grow(&mut plain, &genes));
        prop_assert_eq!(folded.len(), exact.len());
        for (a, b) in folded.into_iter().zip(exact) {
            let value = plain.evaluate(b, &model);
            prop_assert_eq!(folding.evaluate(a, &model), value, "{} is not {}", folding.print(a), plain.print(b));
            if value.sort() != Sort::Bool {
                let number = Interval::of_value(value).low;
                prop_assert!(plain.interval(b).contains(number), "{:?} of {}", plain.interval(b), plain.print(b));
                prop_assert!(folding.interval(a).contains(number), "{:?} of {}", folding.interval(a), folding.print(a));
            }
        }
    }

    #[test]
    fn dense_values_are_those_of_evaluation(genes in genes(40), models in proptest::collection::vec(model(), 2..5)) {
        let mut terms = TermStore::new();
        let grown = grow(&mut terms, &genes);
        let mut evaluator = IncrementalEvaluator::new(&terms, &grown, &models[0], usize::MAX).expect("no limit");
        let mut now = evaluator.model();
        for model in &models[1..] {
            for number in 0..evaluator.inputs().len() {
                let input = evaluator.inputs()[number];
                let Some(value) = model.get(input.symbol).filter(|value| value.sort() == input.kind.sort()) else { continue };
                evaluator.set(number, value);
                if number % 3 == 0 {
                    evaluator.undo();
                } else {
                    now.set(input.symbol, value);
                }
                prop_assert_eq!(&evaluator.model(), &now);
                for (term, place) in grown.iter().zip(evaluator.roots()) {
                    prop_assert_eq!(evaluator.value(*place), terms.evaluate(*term, &now), "{}", terms.print(*term));
                }
            }
        }
    }

    #[test]
    fn text_round_trips(genes in genes(40)) {
        for mut terms in [TermStore::new(), TermStore::without_folding()] {
            for term in grow(&mut terms, &genes) {
                let text = terms.print(term);
                prop_assert_eq!(terms.parse(&text), Ok(term), "{}", text);
                let mut other = TermStore::new();
                let copy = other.parse(&text).expect("read in another store");
                prop_assert_eq!(other.print(copy), text);
            }
        }
    }

    #[test]
    fn fixed_inputs_are_their_values(genes in genes(40), model in model()) {
        let mut plain = TermStore::without_folding();
        for term in grow(&mut plain, &genes) {
            let mut folding = TermStore::new();
            let copy = folding.import(&plain, term, &model);
            prop_assert_eq!(folding.constant_of(copy), Some(plain.evaluate(term, &model)), "{}", plain.print(term));
        }
    }

    #[test]
    fn fingerprints_are_identity(genes in genes(40)) {
        let (mut one, mut other) = (TermStore::without_folding(), TermStore::without_folding());
        other.parse("(bvadd v77 (bvmul v0 v8))").expect("shifts the ids");
        let (these, those) = (grow(&mut one, &genes), grow(&mut other, &genes));
        let (first, second) = (one.fingerprints(&these), other.fingerprints(&those));
        for (a, b) in these.iter().zip(&those) {
            prop_assert_eq!(first[a], second[b]);
        }
        let distinct: std::collections::HashSet<_> = first.values().collect();
        prop_assert_eq!(distinct.len(), first.len());
    }

    #[test]
    fn symbols_are_those_in_the_text(genes in genes(30)) {
        let mut terms = TermStore::new();
        for term in grow(&mut terms, &genes) {
            let leaves: std::collections::BTreeSet<Input> = terms
                .reachable(&[term])
                .into_iter()
                .filter_map(|id| if let Term::Input(input) = terms.get(id) { Some(input) } else { None })
                .collect();
            prop_assert_eq!(terms.symbols_of(term).to_vec(), leaves.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn ints_are_rusts(a in any::<i32>(), b in any::<i32>(), count in any::<i32>()) {
        let model: Model = [(Symbol::value(0), Value::Int(a)), (Symbol::value(1), Value::Int(b)), (Symbol::value(2), Value::Int(count))]
            .into_iter().collect();
        for mut terms in [TermStore::new(), TermStore::without_folding()] {
            let [x, y, z] = [0, 1, 2].map(|number| terms.symbol(Symbol::value(number), SymbolKind::Int));
            let results = [
                (terms.add(x, y), a.wrapping_add(b)), (terms.sub(x, y), a.wrapping_sub(b)), (terms.mul(x, y), a.wrapping_mul(b)),
                (terms.neg(x), a.wrapping_neg()), (terms.bitand(x, y), a & b), (terms.bitor(x, y), a | b), (terms.bitxor(x, y), a ^ b),
                (terms.shl(x, z), a.wrapping_shl(count as u32)), (terms.shr(x, z), a.wrapping_shr(count as u32)),
                (terms.ushr(x, z), (a as u32).wrapping_shr(count as u32) as i32),
                (terms.i2b(x), (a as i8).into()), (terms.i2c(x), (a as u16).into()), (terms.i2s(x), (a as i16).into()),
            ];
            for (term, expected) in results {
                prop_assert_eq!(terms.evaluate(term, &model), Value::Int(expected), "{}", terms.print(term));
            }
            if b != 0 {
                let (quotient, remainder) = (terms.div(x, y), terms.rem(x, y));
                prop_assert_eq!(terms.evaluate(quotient, &model), Value::Int(a.wrapping_div(b)));
                prop_assert_eq!(terms.evaluate(remainder, &model), Value::Int(a.wrapping_rem(b)));
            }
            let clauses = [
                (terms.eq(x, y), a == b), (terms.ne(x, y), a != b), (terms.lt(x, y), a < b), (terms.le(x, y), a <= b),
                (terms.gt(x, y), a > b), (terms.ge(x, y), a >= b), (terms.ult(x, y), (a as u32) < b as u32),
            ];
            for (clause, expected) in clauses {
                prop_assert_eq!(terms.holds(clause, &model), expected, "{}", terms.print(clause));
            }
        }
    }

    #[test]
    fn longs_are_rusts(a in any::<i64>(), b in any::<i64>(), count in any::<i32>()) {
        let model: Model = [(Symbol::value(0), Value::Long(a)), (Symbol::value(1), Value::Long(b)), (Symbol::value(2), Value::Int(count))]
            .into_iter().collect();
        let mut terms = TermStore::new();
        let [x, y] = [0, 1].map(|number| terms.symbol(Symbol::value(number), SymbolKind::Long));
        let z = terms.symbol(Symbol::value(2), SymbolKind::Int);
        let results = [
            (terms.add(x, y), a.wrapping_add(b)), (terms.sub(x, y), a.wrapping_sub(b)), (terms.mul(x, y), a.wrapping_mul(b)),
            (terms.shl(x, z), a.wrapping_shl(count as u32)), (terms.shr(x, z), a.wrapping_shr(count as u32)),
            (terms.ushr(x, z), (a as u64).wrapping_shr(count as u32) as i64),
        ];
        for (term, expected) in results {
            prop_assert_eq!(terms.evaluate(term, &model), Value::Long(expected), "{}", terms.print(term));
        }
        let (narrow, order) = (terms.l2i(x), terms.lcmp(x, y));
        prop_assert_eq!(terms.evaluate(narrow, &model), Value::Int(a as i32));
        prop_assert_eq!(terms.evaluate(order, &model), Value::Int(a.cmp(&b) as i32));
    }

    #[test]
    fn arbitrary_text_is_no_crash(text in "[()a-z0-9v?:#. \\[\\]*=-]{0,60}") {
        if let Ok(term) = TermStore::new().parse(&text) {
            let _ = term;
        }
    }
}
