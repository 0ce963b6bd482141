//! Sources and variations of literals: constants of the code, strings compared in runs, values from
//! the solver, boundary values, random values. Flows in: seeds; flows out: literals. Must not know
//! statements.

use std::collections::{HashSet, VecDeque};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use tracewright_classfile::PrimitiveType;

use super::callable_table::ValueKind;
use crate::testcase::Literal;

/// UTF-16 units of a seed at most: longer strings make tests unreadable and distances flat.
const LONGEST_SEED: usize = 64;
/// Seeds of one kind that are remembered; the oldest are dropped.
const SEEDS: usize = 256;
/// UTF-16 units of a string made by mutation at most.
const LONGEST: usize = 100;

/// Literals to draw from.
#[derive(Debug, Default)]
pub(crate) struct LiteralPool {
    /// Constants of the code; never dropped.
    integers: Vec<i64>,
    /// Raw bits of doubles.
    reals: Vec<u64>,
    strings: Vec<Vec<u16>>,
    chars: Vec<u16>,
    /// Seeds from runs and the solver, newest last.
    new_integers: VecDeque<i64>,
    new_reals: VecDeque<u64>,
    new_strings: VecDeque<Vec<u16>>,
    known: HashSet<Literal>,
}

impl LiteralPool {
    /// A pool of the constants of the code, without duplicates.
    pub(crate) fn new(constants: &[Literal]) -> LiteralPool {
        let mut pool = LiteralPool::default();
        for constant in constants {
            if pool.known.insert(constant.clone()) {
                pool.add_constant(constant);
            }
        }
        pool
    }

    fn add_constant(&mut self, constant: &Literal) {
        match constant {
            Literal::Char(value) => {
                push_new(&mut self.chars, *value);
                push_new(&mut self.integers, i64::from(*value));
            }
            Literal::Str(units) => {
                for &unit in units.iter().take(LONGEST_SEED) {
                    push_new(&mut self.chars, unit);
                }
                self.strings.push(units.clone());
            }
            Literal::Float(bits) => push_new(&mut self.reals, f64::from(f32::from_bits(*bits)).to_bits()),
            Literal::Double(bits) => push_new(&mut self.reals, *bits),
            other => {
                if let Some(value) = as_integer(other) {
                    push_new(&mut self.integers, value);
                    // In bytecode, characters in comparisons are integers.
                    if (0x20..0x7f).contains(&value) {
                        push_new(&mut self.chars, value as u16);
                    }
                }
            }
        }
    }

    /// Adds a value from a run or the solver; false when it is known or too long.
    pub(crate) fn seed(&mut self, literal: Literal) -> bool {
        let too_long = matches!(&literal, Literal::Str(units) if units.len() > LONGEST_SEED);
        if too_long || self.known.contains(&literal) {
            return false;
        }
        match &literal {
            Literal::Str(units) => push_bounded(&mut self.new_strings, units.clone()),
            Literal::Float(bits) => push_bounded(&mut self.new_reals, f64::from(f32::from_bits(*bits)).to_bits()),
            Literal::Double(bits) => push_bounded(&mut self.new_reals, *bits),
            Literal::Null | Literal::Boolean(_) | Literal::Class(_) => return false,
            other => {
                if let Some(value) = as_integer(other) {
                    push_bounded(&mut self.new_integers, value);
                }
            }
        }
        if self.known.len() > 16 * SEEDS {
            self.known.clear();
        }
        self.known.insert(literal)
    }

    /// Strings for comparisons, newest first.
    pub(crate) fn recent_strings(&self) -> impl Iterator<Item = &Vec<u16>> {
        self.new_strings.iter().rev().chain(&self.strings)
    }

    /// Integers for comparisons, newest first.
    pub(crate) fn recent_integers(&self) -> impl Iterator<Item = i64> {
        self.new_integers.iter().rev().chain(&self.integers).copied()
    }

    /// A random literal of the kind; `None` for kinds without literals.
    pub(crate) fn draw(&self, kind: ValueKind, rng: &mut ChaCha8Rng) -> Option<Literal> {
        match kind {
            ValueKind::Primitive(primitive) => self.draw_primitive(primitive, rng),
            ValueKind::Str => Some(Literal::Str(self.string(rng))),
            ValueKind::Class | ValueKind::Array | ValueKind::Object => None,
        }
    }

    fn draw_primitive(&self, primitive: PrimitiveType, rng: &mut ChaCha8Rng) -> Option<Literal> {
        Some(match primitive {
            PrimitiveType::Boolean => Literal::Boolean(rng.random()),
            PrimitiveType::Byte | PrimitiveType::Short | PrimitiveType::Int | PrimitiveType::Long => {
                return integer_literal(primitive, self.integer(bits_of(primitive), rng));
            }
            PrimitiveType::Char => Literal::Char(self.char(rng)),
            PrimitiveType::Float => Literal::Float((f64::from_bits(self.real(rng)) as f32).to_bits()),
            PrimitiveType::Double => Literal::Double(self.real(rng)),
        })
    }

    /// A variation of the literal, sometimes a new random one. Null and class literals stay.
    pub(crate) fn vary(&self, literal: &Literal, rng: &mut ChaCha8Rng) -> Literal {
        match literal {
            Literal::Null | Literal::Class(_) => literal.clone(),
            Literal::Boolean(value) => Literal::Boolean(!value),
            Literal::Str(units) => Literal::Str(self.vary_string(units, rng)),
            Literal::Float(bits) => {
                let value = self.vary_real(f64::from(f32::from_bits(*bits)).to_bits(), rng);
                Literal::Float(match value {
                    Varied::Value(value) => (value as f32).to_bits(),
                    Varied::Ulps(steps) => step_f32(*bits, steps),
                })
            }
            Literal::Double(bits) => Literal::Double(match self.vary_real(*bits, rng) {
                Varied::Value(value) => value.to_bits(),
                Varied::Ulps(steps) => step_f64(*bits, steps),
            }),
            Literal::Char(value) => Literal::Char(match rng.random_range(0..4) {
                0 => value.wrapping_add_signed(rng.random_range(-2..=2)),
                1 => value ^ (1 << rng.random_range(0..7)),
                _ => self.char(rng),
            }),
            integer => {
                let kind = integer.primitive().expect("every other literal is primitive");
                let value = as_integer(integer).expect("what is left is an integer");
                let varied = match rng.random_range(0..8) {
                    0..3 => value.wrapping_add(small_step(rng)),
                    3 => value.wrapping_add(rng.random_range(-100..=100)),
                    4 => value ^ (1i64 << rng.random_range(0..bits_of(kind))),
                    5 => value.wrapping_neg(),
                    _ => self.integer(bits_of(kind), rng),
                };
                integer_literal(kind, varied).expect("an integer kind")
            }
        }
    }

    fn integer(&self, bits: u32, rng: &mut ChaCha8Rng) -> i64 {
        match rng.random_range(0..100) {
            0..30 if !self.integers.is_empty() => {
                let value = self.integers[rng.random_range(0..self.integers.len())];
                match rng.random_range(0..8) {
                    0 => value.wrapping_add(1),
                    1 => value.wrapping_sub(1),
                    2 => value.wrapping_neg(),
                    _ => value,
                }
            }
            30..40 if !self.new_integers.is_empty() => self.new_integers[rng.random_range(0..self.new_integers.len())],
            40..55 => boundary(bits, rng),
            55..70 => {
                let magnitude = rng.random_range(1..=bits);
                rng.random::<i64>() >> (64 - magnitude)
            }
            _ => rng.random_range(-3..=12),
        }
    }

    fn char(&self, rng: &mut ChaCha8Rng) -> u16 {
        match rng.random_range(0..100) {
            0..45 if !self.chars.is_empty() => self.chars[rng.random_range(0..self.chars.len())],
            45..65 => u16::from(rng.random_range(b'a'..=b'z')),
            65..75 => u16::from(rng.random_range(b'0'..=b'9')),
            75..83 => u16::from(rng.random_range(b'A'..=b'Z')),
            83..92 => u16::from(b" \t\n.,;:-+_/\\'\"()[]{}<>=&%$#@!?*|^~"[rng.random_range(0..34)]),
            92..96 => [0, 0x7f, 0x80, 0xe4, 0xdf, 0x130, 0x3b1, 0x4e2d, 0xd83d, 0xdc00, 0xfeff, 0xffff][rng.random_range(0..12)],
            _ => u16::from(rng.random_range(0x20..0x7fu8)),
        }
    }

    /// Raw bits of a double.
    fn real(&self, rng: &mut ChaCha8Rng) -> u64 {
        const SPECIAL: [f64; 14] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::MAX,
            f64::MIN,
            5e-324,
            f64::EPSILON,
            i32::MAX as f64,
            i64::MAX as f64,
        ];
        let value = match rng.random_range(0..100) {
            0..25 if !self.reals.is_empty() => return self.reals[rng.random_range(0..self.reals.len())],
            25..32 if !self.new_reals.is_empty() => return self.new_reals[rng.random_range(0..self.new_reals.len())],
            32..50 => SPECIAL[rng.random_range(0..SPECIAL.len())],
            50..60 => self.integer(32, rng) as f64,
            60..75 => rng.random_range(-1000..=1000) as f64 / 10.0,
            75..80 => (rng.random::<f64>() - 0.5) * 10f64.powi(rng.random_range(-5..=20)),
            _ => rng.random_range(-3..=10) as f64,
        };
        value.to_bits()
    }

    fn string(&self, rng: &mut ChaCha8Rng) -> Vec<u16> {
        match rng.random_range(0..100) {
            0..25 if !self.strings.is_empty() => self.strings[rng.random_range(0..self.strings.len())].clone(),
            25..40 if !self.new_strings.is_empty() => self.new_strings[rng.random_range(0..self.new_strings.len())].clone(),
            40..50 if !self.strings.is_empty() => {
                let base = self.strings[rng.random_range(0..self.strings.len())].clone();
                self.vary_string(&base, rng)
            }
            50..58 => Vec::new(),
            58..70 => self.numeric_string(rng),
            70..76 if self.strings.len() + self.new_strings.len() > 1 => {
                let mut joined = self.string(rng);
                joined.extend(self.string(rng));
                joined.truncate(LONGEST);
                joined
            }
            76..80 => {
                let unit = self.char(rng);
                vec![unit; rng.random_range(1..=4)]
            }
            _ => (0..rng.random_range(1..=6)).map(|_| self.char(rng)).collect(),
        }
    }

    fn numeric_string(&self, rng: &mut ChaCha8Rng) -> Vec<u16> {
        let integer = self.integer(if rng.random_bool(0.8) { 32 } else { 64 }, rng);
        let text = match rng.random_range(0..12) {
            0 => format!("{}", f64::from_bits(self.real(rng))),
            1 => format!("{}.{}", integer, rng.random_range(0..1000)),
            2 => format!("{integer}e{}", rng.random_range(-5..=40)),
            3 => format!("0x{:x}", integer.unsigned_abs()),
            4 => format!("{integer}{}", ["L", "l", "f", "F", "d", "D", "%", " "][rng.random_range(0..8)]),
            5 => format!("{:03}", integer),
            6 => format!("+{}", integer.unsigned_abs()),
            7 => ["true", "false", "null", "yes", "no", "on", "off", "NaN"][rng.random_range(0..8)].to_string(),
            _ => integer.to_string(),
        };
        text.encode_utf16().collect()
    }

    fn vary_string(&self, units: &[u16], rng: &mut ChaCha8Rng) -> Vec<u16> {
        let mut varied = units.to_vec();
        if varied.is_empty() {
            return match rng.random_range(0..3) {
                0 => vec![self.char(rng)],
                _ => self.string(rng),
            };
        }
        let at = rng.random_range(0..varied.len());
        match rng.random_range(0..16) {
            0..3 => varied[at] = self.char(rng),
            3..5 => varied.insert(rng.random_range(0..=varied.len()), self.char(rng)),
            5..7 => {
                varied.remove(at);
            }
            7 => varied.truncate(at),
            8 => {
                varied.drain(..at);
            }
            9 => varied[at] = varied[at].wrapping_add_signed(rng.random_range(-2..=2)),
            10 => {
                let other = rng.random_range(0..varied.len());
                varied.swap(at, other);
            }
            11 => {
                // Upper and lower case of ASCII letters differ in one bit.
                if char::from_u32(u32::from(varied[at])).is_some_and(|unit| unit.is_ascii_alphabetic()) {
                    varied[at] ^= 0x20;
                }
            }
            12 => varied.extend_from_within(..at.min(8)),
            13 => {
                let part = self.string(rng);
                varied.splice(at..at, part);
            }
            _ => varied = self.string(rng),
        }
        varied.truncate(LONGEST);
        varied
    }

    fn vary_real(&self, bits: u64, rng: &mut ChaCha8Rng) -> Varied {
        let value = f64::from_bits(bits);
        if !value.is_finite() {
            return Varied::Value(f64::from_bits(self.real(rng)));
        }
        match rng.random_range(0..10) {
            0 => Varied::Value(value + small_step(rng) as f64),
            1 => Varied::Value(value + (rng.random::<f64>() - 0.5)),
            2 => Varied::Value(value * (1.0 + (rng.random::<f64>() - 0.5) / 4.0)),
            3 => Varied::Value(-value),
            4 => Varied::Value(value.round()),
            5 => Varied::Ulps(if rng.random() { 1 } else { -1 }),
            6 => Varied::Ulps(small_step(rng)),
            7 => Varied::Value((value * 10.0).round() / 10.0),
            _ => Varied::Value(f64::from_bits(self.real(rng))),
        }
    }
}

enum Varied {
    Value(f64),
    Ulps(i64),
}

/// The value `steps` representable values above (ULP steps); stops at the infinities, NaN stays.
pub(crate) fn step_f64(bits: u64, steps: i64) -> u64 {
    if f64::from_bits(bits).is_nan() {
        return bits;
    }
    let ordered = if bits >> 63 == 1 { -((bits & !(1 << 63)) as i64) } else { bits as i64 };
    let infinity = f64::INFINITY.to_bits() as i64;
    let moved = ordered.saturating_add(steps).clamp(-infinity, infinity);
    if moved < 0 { (-moved) as u64 | 1 << 63 } else { moved as u64 }
}

/// See [`step_f64`].
pub(crate) fn step_f32(bits: u32, steps: i64) -> u32 {
    if f32::from_bits(bits).is_nan() {
        return bits;
    }
    let ordered = if bits >> 31 == 1 { -i64::from(bits & !(1 << 31)) } else { i64::from(bits) };
    let infinity = i64::from(f32::INFINITY.to_bits());
    let moved = ordered.saturating_add(steps).clamp(-infinity, infinity);
    if moved < 0 { (-moved) as u32 | 1 << 31 } else { moved as u32 }
}

/// The value of an integer literal; `None` for characters and other kinds.
pub(crate) fn as_integer(literal: &Literal) -> Option<i64> {
    match *literal {
        Literal::Byte(value) => Some(value.into()),
        Literal::Short(value) => Some(value.into()),
        Literal::Int(value) => Some(value.into()),
        Literal::Long(value) => Some(value),
        _ => None,
    }
}

/// The literal of an integral type, truncated as by a Java cast; `None` for the other types.
pub(crate) fn integer_literal(ty: PrimitiveType, value: i64) -> Option<Literal> {
    Some(match ty {
        PrimitiveType::Byte => Literal::Byte(value as i8),
        PrimitiveType::Char => Literal::Char(value as u16),
        PrimitiveType::Short => Literal::Short(value as i16),
        PrimitiveType::Int => Literal::Int(value as i32),
        PrimitiveType::Long => Literal::Long(value),
        PrimitiveType::Boolean | PrimitiveType::Float | PrimitiveType::Double => return None,
    })
}

/// The same value as a literal of the kind; `None` where that is not exact.
pub(crate) fn convert(literal: &Literal, kind: ValueKind) -> Option<Literal> {
    if kind_of(literal) == kind {
        return Some(literal.clone());
    }
    match (literal, kind) {
        (Literal::Float(bits), ValueKind::Primitive(PrimitiveType::Double)) => {
            Some(Literal::Double(f64::from(f32::from_bits(*bits)).to_bits()))
        }
        (Literal::Double(bits), ValueKind::Primitive(PrimitiveType::Float)) => {
            Some(Literal::Float((f64::from_bits(*bits) as f32).to_bits()))
        }
        (Literal::Char(unit), ValueKind::Str) => Some(Literal::Str(vec![*unit])),
        (Literal::Str(units), ValueKind::Primitive(PrimitiveType::Char)) => units.first().map(|unit| Literal::Char(*unit)),
        _ => {
            let value = as_integer(literal)?;
            match kind {
                ValueKind::Primitive(PrimitiveType::Double) => Some(Literal::Double((value as f64).to_bits())),
                ValueKind::Primitive(PrimitiveType::Float) => Some(Literal::Float((value as f32).to_bits())),
                ValueKind::Primitive(PrimitiveType::Char) if (0..=0xffff).contains(&value) => Some(Literal::Char(value as u16)),
                ValueKind::Primitive(ty) => integer_literal(ty, value).filter(|literal| as_integer(literal) == Some(value)),
                ValueKind::Str if (0x20..0x7f).contains(&value) => Some(Literal::Str(vec![value as u16])),
                _ => None,
            }
        }
    }
}

/// The kind of value that a literal is.
pub(crate) fn kind_of(literal: &Literal) -> ValueKind {
    match literal {
        Literal::Null => ValueKind::Object,
        Literal::Str(_) => ValueKind::Str,
        Literal::Class(_) => ValueKind::Class,
        primitive => ValueKind::Primitive(primitive.primitive().expect("every other literal is primitive")),
    }
}

/// Bits of an integer type; 32 for the types that are none.
pub(crate) fn bits_of(ty: PrimitiveType) -> u32 {
    match ty {
        PrimitiveType::Byte => 8,
        PrimitiveType::Short | PrimitiveType::Char => 16,
        PrimitiveType::Long => 64,
        _ => 32,
    }
}

fn boundary(bits: u32, rng: &mut ChaCha8Rng) -> i64 {
    let max = i64::MAX >> (64 - bits);
    match rng.random_range(0..8) {
        0 => 0,
        1 => 1,
        2 => -1,
        3 => max,
        4 => -max - 1,
        5 => max - 1,
        6 => 1 << rng.random_range(0..bits - 1),
        _ => (1 << rng.random_range(0..bits - 1)) - 1,
    }
}

fn small_step(rng: &mut ChaCha8Rng) -> i64 {
    let size = 1i64 << rng.random_range(0..6u32);
    let step = rng.random_range(1..=size);
    if rng.random() { step } else { -step }
}

fn push_new<T: PartialEq>(values: &mut Vec<T>, value: T) {
    if !values.contains(&value) {
        values.push(value);
    }
}

fn push_bounded<T>(values: &mut VecDeque<T>, value: T) {
    if values.len() == SEEDS {
        values.pop_front();
    }
    values.push_back(value);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;

    use super::*;

    proptest! {
        #[test]
        fn steps_of_doubles_follow_their_order(bits in any::<u64>(), steps in -1000i64..1000) {
            let value = f64::from_bits(bits);
            let stepped = f64::from_bits(step_f64(bits, steps));
            if value.is_nan() {
                prop_assert!(stepped.is_nan());
            } else {
                prop_assert!(!stepped.is_nan());
                prop_assert!(if steps > 0 { stepped >= value } else { stepped <= value }, "{} {} {}", value, steps, stepped);
                if value.is_finite() && stepped.is_finite() && value != 0.0 && stepped != 0.0 {
                    prop_assert_eq!(step_f64(stepped.to_bits(), -steps), bits);
                }
            }
        }

        #[test]
        fn variation_keeps_the_kind(seed in any::<u64>()) {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let pool = LiteralPool::new(&[Literal::Int(77), Literal::Str("ab".encode_utf16().collect()), Literal::Double(2.5f64.to_bits())]);
            for kind in PrimitiveType::ALL.into_iter().map(ValueKind::Primitive).chain([ValueKind::Str]) {
                let mut literal = pool.draw(kind, &mut rng).expect("has literals");
                for _ in 0..20 {
                    prop_assert_eq!(kind_of(&literal), kind);
                    literal = pool.vary(&literal, &mut rng);
                }
            }
        }
    }

    #[test]
    fn constants_and_seeds_are_drawn() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut pool = LiteralPool::new(&[Literal::Int(31_337)]);
        assert!(pool.seed(Literal::Str("needle".encode_utf16().collect())));
        assert!(!pool.seed(Literal::Str("needle".encode_utf16().collect())));
        let ints: Vec<_> = (0..200).map(|_| pool.draw(ValueKind::Primitive(PrimitiveType::Int), &mut rng)).collect();
        assert!(ints.contains(&Some(Literal::Int(31_337))));
        let strings: Vec<_> = (0..200).map(|_| pool.draw(ValueKind::Str, &mut rng)).collect();
        assert!(strings.contains(&Some(Literal::Str("needle".encode_utf16().collect()))));
    }
}
