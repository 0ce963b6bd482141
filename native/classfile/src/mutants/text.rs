//! The text form of a mutant, one line.
//!
//! In: a mutant or a line. Out: the line or the mutant; `parse(print(m)) == m`. Must not know how
//! mutants are made.

use super::{Mutant, Operator};
use std::fmt;

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bcis: Vec<String> = self.bcis.iter().map(u32::to_string).collect();
        let Mutant { number, class, method, descriptor, line, operator, change, .. } = self;
        write!(f, "{class}.{method}{descriptor} @{} line {line} {operator} {change} #{number}", bcis.join(","))
    }
}

impl Mutant {
    /// Reads the text form.
    ///
    /// # Errors
    ///
    /// A message with the text and the part that is missing or malformed.
    pub fn parse(text: &str) -> Result<Mutant, String> {
        let bad = |what: &str| format!("`{text}` is not a mutant: {what}");
        // JVMS §4.2.2 forbids `(` in names, so the first one begins the descriptor.
        let (member, rest) = text.split_once(" @").ok_or_else(|| bad("no ` @bci`"))?;
        let bracket = member.find('(').ok_or_else(|| bad("no descriptor"))?;
        let (name, descriptor) = member.split_at(bracket);
        let (class, method) = name.rsplit_once('.').ok_or_else(|| bad("no `class.method`"))?;
        let (bcis, rest) = rest.split_once(" line ").ok_or_else(|| bad("no line"))?;
        let bcis: Option<Vec<u32>> = bcis.split(',').map(|bci| bci.parse().ok()).collect();
        let (line, rest) = rest.split_once(' ').ok_or_else(|| bad("no line"))?;
        let (operator, rest) = rest.split_once(' ').ok_or_else(|| bad("no operator"))?;
        let (change, number) = rest.rsplit_once(" #").ok_or_else(|| bad("no number"))?;
        Ok(Mutant {
            number: number.parse().map_err(|_| bad("the number behind `#` is malformed"))?,
            class: class.to_owned(),
            method: method.to_owned(),
            descriptor: descriptor.to_owned(),
            bcis: bcis.ok_or_else(|| bad("a bci is malformed"))?,
            line: line.parse().map_err(|_| bad("the line is malformed"))?,
            operator: *Operator::ALL.iter().find(|known| known.name() == operator).ok_or_else(|| bad("unknown operator"))?,
            change: change.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_form_round_trips() {
        for text in [
            "org/x/Foo.bar(I)I @12 line 34 MATH iadd->isub #17",
            "Foo$1.<init>(Ljava/lang/String;)V @3,70 line 0 VOID_METHOD_CALLS p/A.close(I)V->nothing #0",
            "a/B.f()V @1 line 2 INCREMENTS iinc 1->-1 #5",
        ] {
            assert_eq!(Mutant::parse(text).expect("well-formed").to_string(), text);
        }
        for text in
            ["", "a/B.f()V @x line 2 MATH iadd->isub #5", "a/B.f()V @1 line 2 SOME iadd->isub #5", "f()V @1 line 2 MATH a #5"]
        {
            assert!(Mutant::parse(text).is_err(), "{text}");
        }
    }
}
