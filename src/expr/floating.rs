//! Intervals of floats, forwards and backwards. In: bounds of operands or of a result; out: bounds
//! of the other. It does not know what the bounds are for.
//!
//! A float is represented by its ULP ordinal: its position in the total order of IEEE 754 §5.10
//! (NaNs with the sign bit, -∞, …, -0, 0, …, ∞, other NaNs). Each ordinal is one value and each
//! value one ordinal.
//!
//! Operations round to nearest and keep the order of numbers, so the ends of a result are results
//! of ends. Backwards, an exact value lay between the neighbours of its rounded result, so each
//! step widens the bounds by one ordinal. The two zeros are two ordinals and one number:
//! comparisons treat them as equal, computed zeros have a sign.

use super::evaluate::{apply_binary, apply_unary};
use super::{BinaryOp, Interval, Sort, UnaryOp, Value};

/// The ordinal of a double in the total order. The ordinal of a float is computed from its bits,
/// extended.
pub(super) fn place_of_double(bits: u64) -> i64 {
    turned(bits as i64, 63)
}

/// The ordinal of a float, given by its raw bits.
pub(super) fn place_of_float(bits: u32) -> i64 {
    turned(i64::from(bits as i32), 31)
}

/// The double with an ordinal.
pub(super) fn double_at(place: i64) -> u64 {
    turned(place, 63) as u64
}

/// The raw bits of the float with this ordinal.
pub(super) fn float_at(place: i64) -> u32 {
    turned(place, 31) as u32
}

/// Reverses the order of negative bit patterns, and back. `sign` is the sign bit.
fn turned(bits: i64, sign: u32) -> i64 {
    if bits < 0 { bits ^ ((1_u64 << sign) - 1) as i64 } else { bits }
}

fn positive(sort: Sort, float: f32, double: f64) -> i64 {
    if sort == Sort::Float { place_of_float(float.to_bits()) } else { place_of_double(double.to_bits()) }
}

/// The ordinals of all values but NaN.
pub(crate) fn numbers(sort: Sort) -> Interval {
    let most = positive(sort, f32::INFINITY, f64::INFINITY);
    Interval { low: !most, high: most }
}

/// The ordinal of the NaN that operations give.
fn nan(sort: Sort) -> Interval {
    Interval::point(positive(sort, f32::NAN, f64::NAN))
}

fn value(sort: Sort, place: i64) -> Value {
    Interval::point(place).value(sort).expect("a point")
}

/// The part of an interval without NaN, and whether it contains NaN.
fn parts(sort: Sort, a: Interval) -> (Option<Interval>, bool) {
    let numbers = numbers(sort);
    (a.intersection(numbers), a.low < numbers.low || a.high > numbers.high)
}

fn is_number(sort: Sort, a: Interval) -> bool {
    !parts(sort, a).1
}

fn is_finite(sort: Sort, a: Interval) -> bool {
    let numbers = numbers(sort);
    numbers.low < a.low && a.high < numbers.high
}

fn has_infinity(sort: Sort, a: Interval) -> bool {
    let numbers = numbers(sort);
    a.contains(numbers.low) || a.contains(numbers.high)
}

fn has_zero(a: Interval) -> bool {
    a.contains(-1) || a.contains(0)
}

/// The ordinals of the next smaller and the next larger number.
fn below(place: i64) -> i64 {
    if place == 0 { -2 } else { place - 1 }
}

fn above(place: i64) -> i64 {
    if place == -1 { 1 } else { place + 1 }
}

/// Extends an interval by the other zero if one of its ends is zero.
fn with_zeros(a: Interval) -> Interval {
    Interval { low: if a.low == 0 { -1 } else { a.low }, high: if a.high == -1 { 0 } else { a.high } }
}

/// Bounds of a comparison: whether one number is less, or not more, than another.
fn is_less(a: i64, b: i64, strict: bool) -> bool {
    if strict { a < b && (a, b) != (-1, 0) } else { a <= b || (a, b) == (0, -1) }
}

fn hull(places: impl IntoIterator<Item = i64>) -> Option<Interval> {
    places.into_iter().map(Interval::point).reduce(Interval::hull)
}

fn joined(a: Option<Interval>, b: Option<Interval>) -> Option<Interval> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.hull(b)),
        (one, other) => one.or(other),
    }
}

/// The negated interval.
fn negated(a: Interval) -> Interval {
    Interval { low: !a.high, high: !a.low }
}

fn truth(always: bool, never: bool) -> Interval {
    if always || never { Interval::point(always.into()) } else { Interval::all(Sort::Bool) }
}

/// Whether an operator of one operand keeps the order of numbers.
fn is_monotone(op: UnaryOp) -> bool {
    use UnaryOp::*;
    matches!(op, I2F | I2D | L2F | L2D | F2I | F2L | D2I | D2L | F2D | D2F | FpFloor | FpCeil | FpRint | FpSqrt)
}

/// The part of the operand's interval where the operator is monotone, and whether that is not all
/// of it.
fn domain(op: UnaryOp, operand: Sort, a: Interval) -> (Option<Interval>, bool) {
    if !operand.is_fp() {
        return (Some(a), false);
    }
    let (numbers, has_nan) = parts(operand, a);
    if op != UnaryOp::FpSqrt {
        return (numbers, has_nan);
    }
    let roots = numbers.and_then(|numbers| numbers.intersection(Interval { low: -1, high: i64::MAX }));
    (roots, has_nan || roots != numbers)
}

/// The ordinal of a result.
fn result_at(op: UnaryOp, operand: Sort, place: i64) -> i64 {
    Interval::of_value(apply_unary(op, value(operand, place))).low
}

/// The bounds of a result; `None` for an operator without floats or without a rule.
pub(super) fn unary(op: UnaryOp, operand: Sort, a: Interval) -> Option<Interval> {
    use UnaryOp::*;
    match op {
        FpNeg => Some(negated(a)),
        FpAbs if a.low >= 0 => Some(a),
        FpAbs if a.high < 0 => Some(negated(a)),
        FpAbs => Some(Interval { low: 0, high: a.high.max(!a.low) }),
        FpIsNegative => {
            let negative = Interval { low: numbers(operand).low, high: -1 };
            Some(truth(a.intersection(negative) == Some(a), a.is_disjoint(negative)))
        }
        FpToBits | FpFromBits => bits(operand, a),
        op if is_monotone(op) => {
            let (ordered, others) = domain(op, operand, a);
            let ends = ordered.and_then(|ends| hull([ends.low, ends.high].map(|end| result_at(op, operand, end))));
            joined(ends, others.then(|| Interval::point(result_at(op, operand, nan(operand).low))))
        }
        _ => None,
    }
}

/// Converts between ordinals and bit patterns of floats with one sign.
fn bits(sort: Sort, a: Interval) -> Option<Interval> {
    let sign = if matches!(sort, Sort::Bv32 | Sort::Float) { 31 } else { 63 };
    (a.low >= 0 || a.high < 0).then(|| hull([turned(a.low, sign), turned(a.high, sign)])).flatten()
}

/// The bounds of the operand from those of the result; `None` if no value is left.
pub(crate) fn operand(op: UnaryOp, sort: Sort, a: Interval, result: Interval) -> Option<Interval> {
    use UnaryOp::*;
    match op {
        FpNeg => Some(negated(result)),
        FpAbs => {
            let magnitudes = result.intersection(Interval { low: 0, high: i64::MAX })?;
            joined(magnitudes.intersection(a), negated(magnitudes).intersection(a))
        }
        FpIsNegative if result.low == 1 => Some(Interval { low: numbers(sort).low, high: -1 }),
        FpIsNegative if result.high == 0 && a.low >= numbers(sort).low => Some(Interval { low: 0, high: i64::MAX }),
        FpToBits | FpFromBits => bits(sort, result).or(Some(a)),
        op if is_monotone(op) => {
            let (ordered, others) = domain(op, sort, a);
            if others && result.contains(result_at(op, sort, nan(sort).low)) {
                return Some(a);
            }
            let ordered = ordered?;
            let at = |place| result_at(op, sort, place);
            let low = first(ordered, |place| at(place) >= result.low)?;
            let end = first(ordered, |place| at(place) > result.high);
            let high = end.map_or(ordered.high, |end| end.saturating_sub(1));
            (low <= high && end != Some(ordered.low)).then_some(Interval { low, high })
        }
        _ => Some(a),
    }
}

/// The first ordinal from which on a predicate holds, by bisection.
fn first(places: Interval, holds: impl Fn(i64) -> bool) -> Option<i64> {
    if holds(places.low) {
        return Some(places.low);
    }
    if !holds(places.high) {
        return None;
    }
    // Not of the first one, but of the last.
    let (mut not, mut from) = (places.low, places.high);
    while i128::from(from) - i128::from(not) > 1 {
        let middle = ((i128::from(not) + i128::from(from)) >> 1) as i64;
        if holds(middle) { from = middle } else { not = middle }
    }
    Some(from)
}

/// The bounds of a result of two operands; `None` for an operator without floats or without a rule.
pub(super) fn binary(op: BinaryOp, sort: Sort, a: Interval, b: Interval) -> Option<Interval> {
    use BinaryOp::*;
    if !sort.is_fp() {
        return None;
    }
    let ((x, of_a), (y, of_b)) = (parts(sort, a), parts(sort, b));
    let has_nan = of_a || of_b;
    let pair = x.zip(y);
    // How one number may stand to the other.
    let [less, equal, more] = pair.map_or([false; 3], |(x, y)| {
        let meet = is_less(x.low, y.high, false) && is_less(y.low, x.high, false);
        [is_less(x.low, y.high, true), meet, is_less(y.low, x.high, true)]
    });
    match op {
        FpLt => Some(truth(!has_nan && !equal && !more, !less)),
        FpLeq => Some(truth(!has_nan && !more, !less && !equal)),
        FpEq => Some(truth(!has_nan && !less && !more, !equal)),
        FpCmpL | FpCmpG => {
            let ways = [(less, -1), (equal, 0), (more, 1), (has_nan, if op == FpCmpL { -1 } else { 1 })];
            hull(ways.into_iter().filter_map(|(is_possible, way)| is_possible.then_some(way)))
        }
        FpAdd | FpSub | FpMul | FpDiv | Frem => {
            let Some((x, y)) = pair else { return Some(nan(sort)) };
            let opposite = |x: Interval, y: Interval| x.contains(numbers(sort).low) && y.contains(numbers(sort).high);
            let makes_nan = match op {
                FpAdd => opposite(x, y) || opposite(y, x),
                FpSub => opposite(x, negated(y)) || opposite(negated(y), x),
                FpMul => has_zero(x) && has_infinity(sort, y) || has_infinity(sort, x) && has_zero(y),
                FpDiv => has_zero(x) && has_zero(y) || has_infinity(sort, x) && has_infinity(sort, y),
                _ => has_infinity(sort, x) || has_zero(y),
            };
            let all = numbers(sort);
            let ends = match op {
                // The sign of the dividend, and no more than either.
                Frem => {
                    let most = y.high.max(!y.low).max(0);
                    Some(Interval { low: x.low.min(-1).max(!most), high: x.high.max(0).min(most) })
                }
                _ if makes_nan => None,
                // Divisors of both signs, as near to zero as can be.
                FpDiv if y.low < 0 && y.high >= 0 => None,
                _ => corners(op, sort, x, y),
            };
            Some(joined(Some(ends.unwrap_or(all)), (has_nan || makes_nan).then(|| nan(sort)))?)
        }
        _ => None,
    }
}

/// The hull of the results of ends; `None` if one of them is NaN.
fn corners(op: BinaryOp, sort: Sort, a: Interval, b: Interval) -> Option<Interval> {
    let end = |x, y| Interval::of_value(apply_binary(op, value(sort, x), value(sort, y))).low;
    let hull = hull([end(a.low, b.low), end(a.low, b.high), end(a.high, b.low), end(a.high, b.high)])?;
    is_number(sort, hull).then_some(hull)
}

/// Bounds of `a - (double) (int) a` or `a - floor(a)`, given the conversion or the rounding; `None`
/// without a rule.
pub(crate) fn remainder(to: UnaryOp, sort: Sort, a: Interval) -> Option<Interval> {
    use UnaryOp::*;
    let place = |float: f64| positive(sort, float as f32, float);
    let one = place(1.0);
    if to == FpFloor {
        return is_finite(sort, a).then_some(Interval { low: a.low.clamp(-1, 0), high: one });
    }
    let end = match to {
        F2I | D2I => 2_f64.powi(31),
        F2L | D2L => 2_f64.powi(63),
        _ => return None,
    };
    // Ordinals that do not fit are cut off. They stay on their side of zero.
    let fits = !place(end) <= a.low && a.high < place(end);
    let most = if fits { one - 1 } else { i64::MAX };
    is_number(sort, a).then(|| Interval { low: a.low.clamp(!most, 0), high: a.high.clamp(0, most) })
}

/// The bounds of two operands from those of the result; `None` if no values are left.
pub(crate) fn operands(op: BinaryOp, sort: Sort, a: Interval, b: Interval, result: Interval) -> Option<(Interval, Interval)> {
    use BinaryOp::*;
    let no_nan = is_number(sort, a) && is_number(sort, b);
    let (yes, no) = (result.low == 1, result.high == 0);
    match op {
        FpLt | FpLeq if yes => ordered(sort, a, b, op == FpLt),
        FpLt | FpLeq if no && no_nan => ordered(sort, b, a, op == FpLeq).map(|(b, a)| (a, b)),
        FpEq if yes => alike(sort, a, b),
        FpEq if no => Some((without(sort, a, b)?, without(sort, b, a)?)),
        FpCmpL | FpCmpG => {
            let excludes_nan = if op == FpCmpL { result.low > -1 } else { result.high < 1 };
            if !no_nan && !excludes_nan {
                return Some((a, b));
            }
            if (result.low, result.high) == (0, 0) {
                alike(sort, a, b)
            } else if result.high <= 0 {
                ordered(sort, a, b, result.high < 0)
            } else if result.low >= 0 {
                ordered(sort, b, a, result.low > 0).map(|(b, a)| (a, b))
            } else {
                Some((a.intersection(numbers(sort))?, b.intersection(numbers(sort))?))
            }
        }
        // NaN gives NaN.
        FpAdd | FpSub | FpMul | FpDiv | Frem if is_number(sort, result) => {
            let (x, y) = (a.intersection(numbers(sort))?, b.intersection(numbers(sort))?);
            // The exact results, before they were rounded.
            let exact = Interval { low: below(result.low), high: above(result.high) };
            let from = |op, one: Interval, other: Interval| {
                let divides = op == FpDiv && has_zero(other);
                if divides || !is_finite(sort, one) || !is_finite(sort, other) {
                    return numbers(sort);
                }
                let ends = corners(op, sort, one, other).unwrap_or(numbers(sort));
                Interval { low: below(ends.low), high: above(ends.high) }
            };
            let of_a = match op {
                FpAdd => from(FpSub, exact, y),
                FpSub => from(FpAdd, exact, y),
                FpMul => from(FpDiv, exact, y),
                FpDiv if !has_zero(y) => from(FpMul, exact, y),
                _ => numbers(sort),
            };
            let x = x.intersection(of_a)?;
            let of_b = match op {
                FpAdd => from(FpSub, exact, x),
                FpSub => from(FpSub, x, exact),
                FpMul => from(FpDiv, exact, x),
                FpDiv => from(FpDiv, x, exact),
                _ => numbers(sort),
            };
            Some((x, y.intersection(of_b)?))
        }
        _ => Some((a, b)),
    }
}

/// Bounds of two numbers of which one is less, or not more, than the other.
fn ordered(sort: Sort, less: Interval, more: Interval, strict: bool) -> Option<(Interval, Interval)> {
    let (less, more) = (less.intersection(numbers(sort))?, more.intersection(numbers(sort))?);
    if !is_less(less.low, more.high, strict) {
        return None;
    }
    let ends = with_zeros(Interval { low: less.low, high: more.high });
    let (low, high) = if strict { (above(ends.low), below(ends.high)) } else { (ends.low, ends.high) };
    Some((Interval { high: less.high.min(high), ..less }, Interval { low: more.low.max(low), ..more }))
}

/// Bounds of two equal numbers.
fn alike(sort: Sort, a: Interval, b: Interval) -> Option<(Interval, Interval)> {
    let (a, b) = (a.intersection(numbers(sort))?, b.intersection(numbers(sort))?);
    Some((a.intersection(with_zeros(b))?, b.intersection(with_zeros(a))?))
}

/// Removes from an interval the only number of the other interval, if it is an end.
fn without(sort: Sort, a: Interval, other: Interval) -> Option<Interval> {
    let zeros = Interval { low: -1, high: 0 };
    let number = if zeros.intersection(other) == Some(other) { zeros } else { other };
    // NaN is not equal to itself.
    if number != zeros && number.low != number.high || !is_number(sort, number) {
        return Some(a);
    }
    let low = if number.contains(a.low) { number.high + 1 } else { a.low };
    let high = if number.contains(a.high) { number.low - 1 } else { a.high };
    (low <= high).then_some(Interval { low, high })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const UNARY: [UnaryOp; 21] = {
        use UnaryOp::*;
        [
            FpNeg,
            FpAbs,
            FpIsNegative,
            FpToBits,
            FpFromBits,
            I2F,
            I2D,
            L2F,
            L2D,
            F2I,
            F2L,
            D2I,
            D2L,
            F2D,
            D2F,
            FpFloor,
            FpCeil,
            FpRint,
            FpSqrt,
            Sin,
            Exp,
        ]
    };
    const BINARY: [BinaryOp; 10] = {
        use BinaryOp::*;
        [FpLt, FpLeq, FpEq, FpCmpL, FpCmpG, FpAdd, FpSub, FpMul, FpDiv, Frem]
    };
    const SORTS: [Sort; 4] = [Sort::Bv32, Sort::Bv64, Sort::Float, Sort::Double];

    /// An ordinal of a sort, often near a value where rules change.
    fn place(sort: Sort, near: u16, step: i8, any: i64) -> i64 {
        let floats =
            [0.0, 1.0, 2.0, 0.5, 3.5, 2_f64.powi(31), 2_f64.powi(63), f64::MAX, f64::MIN_POSITIVE, f64::INFINITY, f64::NAN];
        let float = floats[usize::from(near) % floats.len()];
        let place = match sort {
            Sort::Float | Sort::Double => positive(sort, float as f32, float),
            _ => [0, 1, 7, i64::from(i32::MAX), i64::MAX][usize::from(near) % 5],
        };
        let place = if near & 0x8000 == 0 { place } else { !place };
        let place = if near & 0x4000 == 0 { place.saturating_add(step.into()) } else { any };
        let Interval { low, high } = Interval::full(sort);
        if place < low || place > high { i64::from(place as i32) } else { place }
    }

    #[test]
    fn places_are_in_order() {
        let doubles = [-f64::INFINITY, -1.5, -f64::MIN_POSITIVE, -0.0, 0.0, f64::MIN_POSITIVE, 1.5, f64::INFINITY, f64::NAN];
        let places = doubles.map(|double| place_of_double(double.to_bits()));
        assert!(places.is_sorted() && places[3] + 1 == places[4]);
        assert!(places.iter().zip(doubles).all(|(place, double)| double_at(*place) == double.to_bits()));
        let floats = doubles.map(|double| place_of_float((double as f32).to_bits()));
        assert!(
            floats.is_sorted() && floats.iter().zip(doubles).all(|(place, double)| float_at(*place) == (double as f32).to_bits())
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]

        /// Forwards, a result lies inside its bounds. Backwards, the operands stay inside theirs.
        #[test]
        fn what_is_computed_is_inside(
            which: prop::sample::Index, sort in 0..4_usize,
            places in prop::array::uniform8((any::<u16>(), -3..4_i8, any::<i64>())),
        ) {
            let of = |sort: Sort, number: usize| place(sort, places[number].0, places[number].1, places[number].2);
            let around = |sort: Sort, number: usize| {
                let (a, b, c) = (of(sort, number), of(sort, number + 1), of(sort, number + 2));
                (a, Interval { low: a.min(b).min(c), high: a.max(b).max(c) })
            };
            let unary_op = *which.get(&UNARY);
            let sort = SORTS[sort];
            if let Some(result) = unary_op.result(sort) {
                let (a, bounds) = around(sort, 0);
                let computed = result_at(unary_op, sort, a);
                let whole = Interval::unary(unary_op, sort, bounds);
                prop_assert!(whole.contains(computed), "{unary_op:?} of {a} in {bounds:?}: {computed} in {whole:?}");
                let other = of(if result == Sort::Bool { Sort::Bv32 } else { result }, 3);
                let left = whole.intersection(Interval { low: computed.min(other), high: computed.max(other) }).expect("the result");
                let kept = operand(unary_op, sort, bounds, left);
                prop_assert!(kept.is_some_and(|kept| kept.contains(a)), "{unary_op:?} of {a} in {bounds:?} is {computed} in {left:?}: {kept:?}");
            }
            let op = *which.get(&BINARY);
            if op.result(sort).is_some() {
                let ((a, x), (b, y)) = (around(sort, 0), around(sort, 3));
                let computed = Interval::of_value(apply_binary(op, value(sort, a), value(sort, b))).low;
                let whole = Interval::binary(op, sort, x, y);
                prop_assert!(whole.contains(computed), "{op:?} of {a} in {x:?} and {b} in {y:?}: {computed} in {whole:?}");
                let other = of(sort, 6);
                let left = whole.intersection(Interval { low: computed.min(other), high: computed.max(other) }).expect("the result");
                let kept = operands(op, sort, x, y, left);
                prop_assert!(
                    kept.is_some_and(|(x, y)| x.contains(a) && y.contains(b)),
                    "{op:?} of {a} in {x:?} and {b} in {y:?} is {computed} in {left:?}: {kept:?}"
                );
                let to = match sort { Sort::Float => [UnaryOp::F2I, UnaryOp::F2L], _ => [UnaryOp::D2I, UnaryOp::D2L] };
                for to in to.into_iter().chain([UnaryOp::FpFloor]) {
                    let back = match (to, sort) {
                        (UnaryOp::FpFloor, _) => result_at(to, sort, a),
                        (UnaryOp::F2I, _) => result_at(UnaryOp::I2F, Sort::Bv32, result_at(to, sort, a)),
                        (UnaryOp::F2L, _) => result_at(UnaryOp::L2F, Sort::Bv64, result_at(to, sort, a)),
                        (UnaryOp::D2I, _) => result_at(UnaryOp::I2D, Sort::Bv32, result_at(to, sort, a)),
                        _ => result_at(UnaryOp::L2D, Sort::Bv64, result_at(to, sort, a)),
                    };
                    let rest = Interval::of_value(apply_binary(BinaryOp::FpSub, value(sort, a), value(sort, back))).low;
                    let bounds = remainder(to, sort, x);
                    prop_assert!(bounds.is_none_or(|bounds| bounds.contains(rest)), "{to:?} of {a} in {x:?}: {rest} in {bounds:?}");
                }
            }
        }
    }
}
