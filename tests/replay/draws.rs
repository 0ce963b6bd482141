//! Random arguments of the methods under replay. Each generator covers what its suite is about; the
//! same seed gives the same calls.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use tracewright::program::JavaType;
use tracewright::testcase::Literal;

/// Small numbers mostly, and the limits of the types.
pub(crate) fn numbers(descriptor: &str, rng: &mut ChaCha8Rng) -> Vec<Vec<Literal>> {
    let (parameters, _) = JavaType::parse_method(descriptor).expect("a descriptor");
    let draws = std::cell::RefCell::new(rng);
    let below = |bound: u32| draws.borrow_mut().next_u32() % bound;
    let number = || match below(8) {
        0 | 2 => {
            [0, -1000, -1, i64::from(i32::MAX), i64::from(i32::MIN), i64::MAX, i64::MIN, 77777, 2, 65535][below(10) as usize]
        }
        1 => i64::from(below(u32::MAX)) << below(32),
        _ => i64::from(below(11)) - 3,
    };
    let mut arguments = Vec::new();
    for parameter in parameters {
        let value = number();
        arguments.push(match parameter {
            JavaType::BOOLEAN => vec![Literal::Boolean(value & 1 == 1)],
            JavaType::BYTE => vec![Literal::Byte(value as i8)],
            JavaType::CHAR => {
                let character = b"x0q Z\xe9-"[value.rem_euclid(7) as usize];
                vec![Literal::Char(u16::from(character))]
            }
            JavaType::SHORT => vec![Literal::Short(value as i16)],
            JavaType::INT => vec![Literal::Int(value as i32)],
            JavaType::LONG => vec![Literal::Long(value)],
            JavaType::FLOAT => {
                // NaN of several kinds, zeros, infinities, subnormal numbers, edges of the
                // integers, halves.
                const SPECIAL: [u32; 14] = [
                    0x7fc0_0000,
                    0xffc0_1234,
                    0x7f80_0001,
                    0x8000_0000,
                    0,
                    0x7f80_0000,
                    0xff80_0000,
                    1,
                    0x8000_0003,
                    0x7f7f_ffff,
                    0x4f00_0000,
                    0xdf00_0000,
                    0x3eff_ffff,
                    0x0080_0000,
                ];
                let drawn = below(u32::MAX);
                let bits = match below(8) {
                    0..3 => SPECIAL[(drawn % 14) as usize],
                    3 => drawn,
                    _ => (value as f32 / 4.0).to_bits(),
                };
                vec![Literal::Float(bits)]
            }
            JavaType::DOUBLE => {
                const SPECIAL: [u64; 14] = [
                    0x7ff8_0000_0000_0000,
                    0xfff8_0000_0000_1234,
                    0x7ff0_0000_0000_0001,
                    1 << 63,
                    0,
                    0x7ff0_0000_0000_0000,
                    0xfff0_0000_0000_0000,
                    1,
                    (1 << 63) + 3,
                    0x7fef_ffff_ffff_ffff,
                    0x41e0_0000_0000_0000,
                    0xc3e0_0000_0000_0000,
                    0x3fdf_ffff_ffff_ffff,
                    0x0010_0000_0000_0000,
                ];
                let drawn = u64::from(below(u32::MAX)) << 32 | u64::from(below(u32::MAX));
                let bits = match below(8) {
                    0..3 => SPECIAL[(drawn % 14) as usize],
                    3 => drawn,
                    _ => (value as f64 / 4.0).to_bits(),
                };
                vec![Literal::Double(bits)]
            }
            JavaType::Array(_) => (0..3).map(|_| Literal::Int(number() as i32)).collect(),
            JavaType::Class(_) => {
                let texts = ["", "yes", "abc", "a", "one", "two", "12", "-3x", "x", "ax1", "\u{e9}bc", "bb"];
                let text = texts[value.rem_euclid(texts.len() as i64) as usize];
                vec![Literal::Str(text.encode_utf16().collect())]
            }
            JavaType::Void => unreachable!("no parameter is void"),
        });
    }
    arguments
}

/// A short string over few letters, so that runs take the same paths; sometimes one with unusual
/// characters or a long one.
fn string(rng: &mut ChaCha8Rng) -> Vec<u16> {
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

/// Short strings over few letters, and small numbers.
pub(crate) fn strings(descriptor: &str, rng: &mut ChaCha8Rng) -> Vec<Vec<Literal>> {
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
        arguments.push(vec![match parameter {
            JavaType::BOOLEAN => Literal::Boolean(small & 1 == 1),
            JavaType::BYTE => Literal::Byte(wide as i8),
            JavaType::SHORT => Literal::Short(wide as i16),
            JavaType::INT => Literal::Int(wide as i32),
            JavaType::LONG => Literal::Long(wide),
            JavaType::CHAR => Literal::Char(match rng.next_u32() % 8 {
                0 => [0xd800, 0xdc00, 0x3000, 0x130, 0x2003, 0xffff][(rng.next_u32() % 6) as usize],
                1 | 2 => (rng.next_u32() % 256) as u16,
                _ => u16::from(b"abAB 9.z"[(rng.next_u32() % 8) as usize]),
            }),
            _ => Literal::Str(string(rng)),
        }]);
    }
    arguments
}
