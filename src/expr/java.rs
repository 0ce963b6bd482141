//! Terms as Java expressions, for people. In: a term, and names for its inputs. Out: an expression
//! such as `width * 2 < limit`. It does not know where names come from, and nothing reads it back: the text
//! form of terms is `text`.
//!
//! What Java cannot say in one operator becomes a call with a name that tells the same to a reader.

use tracewright_text::character_or_number;

use super::{BinaryOp, Input, Symbol, SymbolKind, Term, TermId, TermStore, UnaryOp, Value};

/// Nodes of the largest term that is printed.
const MOST_NODES: u64 = 120;

/// Precedence strength of Java's operators, weakest first (JLS §15).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    Conditional,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relation,
    Shift,
    Sum,
    Product,
    Prefix,
    Primary,
}

impl TermStore {
    /// The term as a Java expression. `name` gives the name of an input.
    pub(crate) fn java(&self, term: TermId, name: &dyn Fn(Symbol) -> String) -> String {
        if self.tree_size(term) > MOST_NODES {
            return "a long condition".into();
        }
        JavaPrinter { terms: self, name }.print(term).0
    }
}

struct JavaPrinter<'a> {
    terms: &'a TermStore,
    name: &'a dyn Fn(Symbol) -> String,
}

type Printed = (String, Precedence);

impl JavaPrinter<'_> {
    fn print(&self, id: TermId) -> Printed {
        match self.terms.get(id) {
            Term::Constant(value) => constant(value),
            Term::Input(Input { symbol, .. }) => ((self.name)(symbol), Precedence::Primary),
            Term::Unary(op, operand) => self.unary(op, operand),
            Term::Binary(op, left, right) => self.binary(op, left, right),
            Term::Ite(condition, then, otherwise) => {
                let [condition, then, otherwise] =
                    [(condition, Precedence::Or), (then, Precedence::Or), (otherwise, Precedence::Conditional)]
                        .map(|(operand, least)| self.at_least(operand, least));
                (format!("{condition} ? {then} : {otherwise}"), Precedence::Conditional)
            }
        }
    }

    /// The operand, in parentheses where its precedence is lower.
    fn at_least(&self, id: TermId, least: Precedence) -> String {
        let (text, precedence) = self.print(id);
        if precedence < least { format!("({text})") } else { text }
    }

    fn call(&self, name: &str, operands: &[TermId]) -> Printed {
        let operands: Vec<String> = operands.iter().map(|operand| self.print(*operand).0).collect();
        (format!("{name}({})", operands.join(", ")), Precedence::Primary)
    }

    fn infix(&self, left: TermId, sign: &str, right: TermId, precedence: Precedence) -> Printed {
        // The operators are grouped from the left.
        let right_least = match precedence {
            Precedence::Sum | Precedence::Product | Precedence::Shift => next(precedence),
            _ => precedence,
        };
        (format!("{} {sign} {}", self.at_least(left, precedence), self.at_least(right, right_least)), precedence)
    }

    fn unary(&self, op: UnaryOp, operand: TermId) -> Printed {
        use UnaryOp::*;
        match op {
            Not => self.negation(operand),
            BvNeg | FpNeg => (format!("-{}", self.at_least(operand, Precedence::Primary)), Precedence::Prefix),
            // Java widens by itself.
            I2L | I2F | I2D | L2F | L2D | F2D => self.print(operand),
            L2I | F2I | D2I => self.cast("int", operand),
            F2L | D2L => self.cast("long", operand),
            I2B => self.cast("byte", operand),
            I2S => self.cast("short", operand),
            D2F => self.cast("float", operand),
            ZeroExtend => self.call("Integer.toUnsignedLong", &[operand]),
            FpFloor => self.call("Math.floor", &[operand]),
            FpCeil => self.call("Math.ceil", &[operand]),
            FpRint => self.call("Math.rint", &[operand]),
            FpAbs => self.call("Math.abs", &[operand]),
            FpSqrt => self.call("Math.sqrt", &[operand]),
            FpIsNegative => self.call("isNegative", &[operand]),
            FpToBits => self.call("bits", &[operand]),
            FpFromBits => self.call("fromBits", &[operand]),
            Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Exp | Expm1 | Log | Log10 | Log1p | Cbrt => {
                self.call(&format!("Math.{}", op.name()), &[operand])
            }
        }
    }

    fn cast(&self, to: &str, operand: TermId) -> Printed {
        (format!("({to}) {}", self.at_least(operand, Precedence::Prefix)), Precedence::Prefix)
    }

    /// The opposite of a clause. Comparisons of floats have no opposite, because of NaN.
    fn negation(&self, clause: TermId) -> Printed {
        match self.terms.get(clause) {
            Term::Binary(BinaryOp::Eq, left, right) => self.equality(left, right, false),
            Term::Binary(BinaryOp::FpEq, left, right) => self.infix(left, "!=", right, Precedence::Equality),
            Term::Binary(BinaryOp::BvSlt, left, right) => self.comparison(left, ">=", right),
            Term::Binary(BinaryOp::BvSle, left, right) => self.comparison(left, ">", right),
            _ => (format!("!{}", self.at_least(clause, Precedence::Primary)), Precedence::Prefix),
        }
    }

    /// Truth values and characters are numbers in terms.
    fn equality(&self, left: TermId, right: TermId, is_equal: bool) -> Printed {
        for (value, constant) in [(left, right), (right, left)] {
            if let (Some(SymbolKind::Boolean), Some(Value::Int(number @ 0..=1))) =
                (self.kind(value), self.terms.constant_of(constant))
            {
                let (text, precedence) = self.print(value);
                return if (number == 1) == is_equal { (text, precedence) } else { (format!("!{text}"), Precedence::Prefix) };
            }
        }
        let (left, right) = self.operands(left, right, Precedence::Relation);
        (format!("{left} {} {right}", if is_equal { "==" } else { "!=" }), Precedence::Equality)
    }

    fn comparison(&self, left: TermId, sign: &str, right: TermId) -> Printed {
        let (left, right) = self.operands(left, right, Precedence::Shift);
        (format!("{left} {sign} {right}"), Precedence::Relation)
    }

    /// Both operands; a number that is compared with a character is one.
    fn operands(&self, left: TermId, right: TermId, least: Precedence) -> (String, String) {
        let shown = |operand: TermId, other: TermId| match (self.kind(other), self.terms.constant_of(operand)) {
            (Some(SymbolKind::Char), Some(Value::Int(unit))) => character_or_number(unit.into()),
            _ => self.at_least(operand, least),
        };
        (shown(left, right), shown(right, left))
    }

    fn kind(&self, id: TermId) -> Option<SymbolKind> {
        if let Term::Input(input) = self.terms.get(id) { Some(input.kind) } else { None }
    }

    fn binary(&self, op: BinaryOp, left: TermId, right: TermId) -> Printed {
        use BinaryOp::*;
        match op {
            And => self.infix(left, "&&", right, Precedence::And),
            Or => self.infix(left, "||", right, Precedence::Or),
            Eq => self.equality(left, right, true),
            FpEq => self.infix(left, "==", right, Precedence::Equality),
            BvSlt => self.comparison(left, "<", right),
            BvSle => self.comparison(left, "<=", right),
            FpLt => self.infix(left, "<", right, Precedence::Relation),
            FpLeq => self.infix(left, "<=", right, Precedence::Relation),
            BvUlt | BvUle => {
                let (compared, _) = self.call("Integer.compareUnsigned", &[left, right]);
                (format!("{compared} {} 0", if op == BvUlt { "<" } else { "<=" }), Precedence::Relation)
            }
            BvAdd => match self.terms.constant_of(right) {
                Some(value) if value.integral().is_some_and(|number| number < 0 && number > i64::from(i32::MIN)) => {
                    let (number, _) = constant(value);
                    (format!("{} - {}", self.at_least(left, Precedence::Sum), &number[1..]), Precedence::Sum)
                }
                _ => self.infix(left, "+", right, Precedence::Sum),
            },
            FpAdd => self.infix(left, "+", right, Precedence::Sum),
            BvSub | FpSub => self.infix(left, "-", right, Precedence::Sum),
            BvMul | FpMul => self.infix(left, "*", right, Precedence::Product),
            BvSdiv | FpDiv => self.infix(left, "/", right, Precedence::Product),
            BvSrem | Frem => self.infix(left, "%", right, Precedence::Product),
            BvAnd => self.infix(left, "&", right, Precedence::BitAnd),
            BvOr => self.infix(left, "|", right, Precedence::BitOr),
            BvXor => self.infix(left, "^", right, Precedence::BitXor),
            BvShl => self.infix(left, "<<", right, Precedence::Shift),
            BvAshr => self.infix(left, ">>", right, Precedence::Shift),
            BvLshr => self.infix(left, ">>>", right, Precedence::Shift),
            Lcmp => self.call("Long.compare", &[left, right]),
            FpCmpL | FpCmpG => self.call("Double.compare", &[left, right]),
            Pow => self.call("Math.pow", &[left, right]),
            Atan2 => self.call("Math.atan2", &[left, right]),
            Hypot => self.call("Math.hypot", &[left, right]),
            IeeeRemainder => self.call("Math.IEEEremainder", &[left, right]),
        }
    }
}

/// The next higher precedence of those whose operators are grouped from the left.
fn next(precedence: Precedence) -> Precedence {
    match precedence {
        Precedence::Shift => Precedence::Sum,
        Precedence::Sum => Precedence::Product,
        _ => Precedence::Prefix,
    }
}

fn constant(value: Value) -> Printed {
    let text = match value {
        Value::Bool(_) | Value::Int(_) | Value::Long(_) => value.to_string(),
        Value::Float(bits) => format!("{:?}F", f32::from_bits(bits)),
        Value::Double(bits) => format!("{:?}", f64::from_bits(bits)),
    };
    let precedence = if text.starts_with('-') { Precedence::Prefix } else { Precedence::Primary };
    (text, precedence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::SymbolPart;

    fn java(text: &str) -> String {
        let mut terms = TermStore::without_folding();
        let term = terms.parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let name = |symbol: Symbol| {
            let name = ["width", "height", "text"][symbol.statement as usize];
            match symbol.part {
                SymbolPart::Value => name.to_owned(),
                SymbolPart::Length => format!("{name}.length()"),
                SymbolPart::Char(index) => format!("{name}.charAt({index})"),
            }
        };
        terms.java(term, &name)
    }

    #[test]
    fn conditions_are_written_as_in_java() {
        for (text, expected) in [
            ("(bvslt v0 (bvadd v1 -5))", "width < height - 5"),
            ("(not (bvslt v0 v1))", "width >= height"),
            ("(not (= (bvmul v0 3) (bvadd v1 5)))", "width * 3 != height + 5"),
            ("(bvmul (bvadd v0 1) (bvsub v1 (bvsub v0 1)))", "(width + 1) * (height - (width - 1))"),
            ("(= v2[0] 45)", "text.charAt(0) == '-'"),
            ("(bvsle 1 v2.length)", "1 <= text.length()"),
            ("(= v0:boolean 0)", "!width"),
            ("(not (= v0:boolean 0))", "width"),
            ("(not (fp.lt v0:double v1:double))", "!(width < height)"),
            ("(and (or (bvslt v0 1) (bvslt v1 1)) (= v0 v1))", "(width < 1 || height < 1) && width == height"),
            ("(fp.leq v0:double d#3ff8000000000000)", "width <= 1.5"),
        ] {
            assert_eq!(java(text), expected, "{text}");
        }
    }
}
