//! Inputs of a test case, their values, and models, each with a text form. It does not know terms.

use super::Sort;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// A value that the code of the test writes and that a solver may choose: the primitive of a
/// literal statement, or the length or one UTF-16 unit of a string literal. Printed as `v3`,
/// `v3.length`, `v3[2]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol {
    /// Number of the statement that defines the variable.
    pub(crate) statement: u32,
    pub(crate) part: SymbolPart,
}

/// The part of a variable that an input stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolPart {
    /// The primitive itself.
    Value,
    /// Length of a string in UTF-16 units.
    Length,
    /// A UTF-16 unit of a string.
    Char(u32),
}

impl Symbol {
    /// The value of a variable of a primitive type.
    pub fn value(statement: u32) -> Symbol {
        Symbol { statement, part: SymbolPart::Value }
    }

    /// The length of a string variable, in UTF-16 units.
    pub(crate) fn length(statement: u32) -> Symbol {
        Symbol { statement, part: SymbolPart::Length }
    }

    /// The character of a string variable at an index.
    pub(crate) fn char(statement: u32, index: u32) -> Symbol {
        Symbol { statement, part: SymbolPart::Char(index) }
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.part {
            SymbolPart::Value => write!(f, "v{}", self.statement),
            SymbolPart::Length => write!(f, "v{}.length", self.statement),
            SymbolPart::Char(index) => write!(f, "v{}[{index}]", self.statement),
        }
    }
}

impl FromStr for Symbol {
    type Err = ();

    fn from_str(text: &str) -> Result<Symbol, ()> {
        let text = text.strip_prefix('v').ok_or(())?;
        if let Some(statement) = text.strip_suffix(".length") {
            return Ok(Symbol::length(decimal(statement)?));
        }
        match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
            Some((statement, index)) => Ok(Symbol::char(decimal(statement)?, decimal(index)?)),
            None => Ok(Symbol::value(decimal(text)?)),
        }
    }
}

/// Parses digits only; `u32::from_str` would accept a sign.
fn decimal(text: &str) -> Result<u32, ()> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(());
    }
    text.parse().map_err(|_| ())
}

/// The Java type of an input: it fixes sort and range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolKind {
    /// `boolean`: 0 or 1 in an int.
    Boolean,
    /// `byte`, in an int.
    Byte,
    /// `char`, in an int.
    Char,
    /// `short`, in an int.
    Short,
    /// `int`.
    Int,
    /// Length of a string or an array: an `int` that is not negative.
    Length,
    /// `long`.
    Long,
    /// `float`.
    Float,
    /// `double`.
    Double,
}

impl SymbolKind {
    /// All kinds.
    pub(crate) const ALL: [SymbolKind; 9] = [
        SymbolKind::Boolean,
        SymbolKind::Byte,
        SymbolKind::Char,
        SymbolKind::Short,
        SymbolKind::Int,
        SymbolKind::Length,
        SymbolKind::Long,
        SymbolKind::Float,
        SymbolKind::Double,
    ];

    /// The sort of inputs of this kind.
    pub(crate) fn sort(self) -> Sort {
        match self {
            SymbolKind::Long => Sort::Bv64,
            SymbolKind::Float => Sort::Float,
            SymbolKind::Double => Sort::Double,
            _ => Sort::Bv32,
        }
    }

    /// Smallest and largest value of an integral kind; `None` for floats and doubles.
    pub(crate) fn range(self) -> Option<(i64, i64)> {
        Some(match self {
            SymbolKind::Boolean => (0, 1),
            SymbolKind::Byte => (i8::MIN.into(), i8::MAX.into()),
            SymbolKind::Char => (0, u16::MAX.into()),
            SymbolKind::Short => (i16::MIN.into(), i16::MAX.into()),
            SymbolKind::Int => (i32::MIN.into(), i32::MAX.into()),
            SymbolKind::Length => (0, i32::MAX.into()),
            SymbolKind::Long => (i64::MIN, i64::MAX),
            SymbolKind::Float | SymbolKind::Double => return None,
        })
    }

    /// Whether the value has the sort of the kind and lies in its range.
    pub(crate) fn contains(self, value: Value) -> bool {
        value.sort() == self.sort()
            && self.range().is_none_or(|(low, high)| value.integral().is_some_and(|value| (low..=high).contains(&value)))
    }

    /// The name in the text form; Java's name if there is one.
    pub(crate) fn name(self) -> &'static str {
        match self {
            SymbolKind::Boolean => "boolean",
            SymbolKind::Byte => "byte",
            SymbolKind::Char => "char",
            SymbolKind::Short => "short",
            SymbolKind::Int => "int",
            SymbolKind::Length => "length",
            SymbolKind::Long => "long",
            SymbolKind::Float => "float",
            SymbolKind::Double => "double",
        }
    }
}

/// A symbol with its kind: the leaves of terms. Prints `v3:long`; the kind is left out where the
/// part alone tells it (`v3` is an `int`, `v3.length` a length, `v3[2]` a `char`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Input {
    pub(crate) symbol: Symbol,
    pub(crate) kind: SymbolKind,
}

impl Input {
    fn default_kind(part: SymbolPart) -> SymbolKind {
        match part {
            SymbolPart::Value => SymbolKind::Int,
            SymbolPart::Length => SymbolKind::Length,
            SymbolPart::Char(_) => SymbolKind::Char,
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.symbol.fmt(f)?;
        if self.kind != Input::default_kind(self.symbol.part) {
            write!(f, ":{}", self.kind.name())?;
        }
        Ok(())
    }
}

impl FromStr for Input {
    type Err = ();

    fn from_str(text: &str) -> Result<Input, ()> {
        let Some((symbol, kind)) = text.split_once(':') else {
            let symbol: Symbol = text.parse()?;
            return Ok(Input { symbol, kind: Input::default_kind(symbol.part) });
        };
        let kind = SymbolKind::ALL.into_iter().find(|candidate| candidate.name() == kind).ok_or(())?;
        Ok(Input { symbol: symbol.parse()?, kind })
    }
}

/// A value of a term. Floats compare by their raw bits. Prints `true`, `-7`, `-7L`, `f#3fc00000`,
/// `d#3ff8000000000000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// The truth of a clause.
    Bool(bool),
    /// A value of 32 bits.
    Int(i32),
    /// A value of 64 bits.
    Long(i64),
    /// Raw IEEE 754 bits.
    Float(u32),
    /// Raw IEEE 754 bits.
    Double(u64),
}

impl Value {
    /// The sort of the value.
    pub(crate) fn sort(self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::Int(_) => Sort::Bv32,
            Value::Long(_) => Sort::Bv64,
            Value::Float(_) => Sort::Float,
            Value::Double(_) => Sort::Double,
        }
    }

    /// `false`, 0 or +0.0.
    pub(crate) fn zero(sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::Bv32 => Value::Int(0),
            Sort::Bv64 => Value::Long(0),
            Sort::Float => Value::Float(0),
            Sort::Double => Value::Double(0),
        }
    }

    /// The number; `None` for clauses and floats.
    pub(crate) fn integral(self) -> Option<i64> {
        match self {
            Value::Int(value) => Some(value.into()),
            Value::Long(value) => Some(value),
            _ => None,
        }
    }

    /// The truth of a clause; `None` for other sorts.
    pub(crate) fn truth(self) -> Option<bool> {
        if let Value::Bool(value) = self { Some(value) } else { None }
    }

    /// A float by its value.
    pub(crate) fn float(value: f32) -> Value {
        Value::Float(value.to_bits())
    }

    /// A double by its value.
    pub(crate) fn double(value: f64) -> Value {
        Value::Double(value.to_bits())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Long(value) => write!(f, "{value}L"),
            Value::Float(bits) => write!(f, "f#{bits:08x}"),
            Value::Double(bits) => write!(f, "d#{bits:016x}"),
        }
    }
}

impl FromStr for Value {
    type Err = ();

    fn from_str(text: &str) -> Result<Value, ()> {
        let hexadecimal = |digits: &str, length: usize| {
            let well_formed = digits.len() == length && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            if well_formed { u64::from_str_radix(digits, 16).map_err(|_| ()) } else { Err(()) }
        };
        match text {
            "true" => return Ok(Value::Bool(true)),
            "false" => return Ok(Value::Bool(false)),
            _ => {}
        }
        if let Some(digits) = text.strip_prefix("f#") {
            return Ok(Value::Float(hexadecimal(digits, 8)? as u32));
        }
        if let Some(digits) = text.strip_prefix("d#") {
            return Ok(Value::Double(hexadecimal(digits, 16)?));
        }
        if text.starts_with('+') {
            return Err(());
        }
        match text.strip_suffix('L') {
            Some(digits) => digits.parse().map(Value::Long).map_err(|_| ()),
            None => text.parse().map(Value::Int).map_err(|_| ()),
        }
    }
}

/// Values of inputs. A symbol that a model does not mention is zero. Prints `v0=1 v3.length=2`, in
/// symbol order.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Model(pub BTreeMap<Symbol, Value>);

impl Model {
    /// A model without any value.
    pub(crate) fn new() -> Model {
        Model::default()
    }

    /// The value of an input, if the model has one.
    pub(crate) fn get(&self, symbol: Symbol) -> Option<Value> {
        self.0.get(&symbol).copied()
    }

    /// Sets or replaces the value of an input.
    pub(crate) fn set(&mut self, symbol: Symbol, value: Value) {
        self.0.insert(symbol, value);
    }

    /// All values, in the order of their symbols.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Symbol, Value)> + '_ {
        self.0.iter().map(|(symbol, value)| (*symbol, *value))
    }
}

impl FromIterator<(Symbol, Value)> for Model {
    fn from_iter<I: IntoIterator<Item = (Symbol, Value)>>(values: I) -> Model {
        Model(values.into_iter().collect())
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, (symbol, value)) in self.iter().enumerate() {
            write!(f, "{}{symbol}={value}", if position == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl FromStr for Model {
    type Err = ();

    fn from_str(text: &str) -> Result<Model, ()> {
        text.split_ascii_whitespace()
            .map(|entry| {
                let (symbol, value) = entry.split_once('=').ok_or(())?;
                Ok((symbol.parse()?, value.parse()?))
            })
            .collect()
    }
}
