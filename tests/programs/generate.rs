//! Random programs. In: a random number generator. Out: trees of statements, their assembler text,
//! and smaller variants.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use std::fmt::Write;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ty {
    Int,
    Long,
    Float,
    Double,
    Text,
    Ints,
}

use Ty::{Double, Float, Int, Ints, Long, Text};

/// The parameters of every program, which are also its variables, with their slots.
pub(crate) const DESCRIPTOR: &str = "(IIJJFFDDLjava/lang/String;[I)";
const VARIABLES: [(Ty, u16); 10] =
    [(Int, 0), (Int, 1), (Long, 2), (Long, 4), (Float, 6), (Float, 7), (Double, 8), (Double, 10), (Text, 12), (Ints, 13)];
/// Loop counters use the slots above the variables.
const FIRST_COUNTER: u16 = 20;
const DEEPEST: u32 = 4;

/// Instructions that follow their operands; `line` is a line of assembler text.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    ty: Ty,
    operands: Vec<Expression>,
    line: String,
}

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Assign(u16, Expression),
    Store(Expression, Expression, Expression),
    /// A condition: operands and the jump that is taken if it holds.
    If(Vec<Expression>, &'static str, Vec<Statement>, Vec<Statement>),
    /// Number of iterations.
    Loop(u8, Vec<Statement>),
    /// Keys with their bodies, and whether the switch is a `tableswitch`.
    Switch(Expression, bool, Vec<(i32, Vec<Statement>)>, Vec<Statement>),
    Try(Vec<Statement>, &'static str, Vec<Statement>),
    Return(Expression),
}

#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub statements: Vec<Statement>,
    result: Expression,
}

pub(crate) struct Generator<'r> {
    pub rng: &'r mut ChaCha8Rng,
    result: Ty,
}

const INT_OPS: [&str; 11] = ["iadd", "isub", "imul", "idiv", "irem", "iand", "ior", "ixor", "ishl", "ishr", "iushr"];
const INT_JUMPS: [&str; 6] = ["if_icmpeq", "if_icmpne", "if_icmplt", "if_icmpge", "if_icmpgt", "if_icmple"];
const ZERO_JUMPS: [&str; 6] = ["ifeq", "ifne", "iflt", "ifge", "ifgt", "ifle"];
const CAUGHT: [&str; 4] =
    ["java/lang/RuntimeException", "java/lang/ArithmeticException", "java/lang/IndexOutOfBoundsException", "any"];

impl Generator<'_> {
    pub(crate) fn new(rng: &mut ChaCha8Rng) -> Generator<'_> {
        let result = [Int, Long, Float, Double, Text][rng.next_u32() as usize % 5];
        Generator { rng, result }
    }

    pub(crate) fn program(mut self) -> Program {
        let count = 2 + self.below(6);
        let statements = self.statements(count, 3);
        let result = self.expression(self.result, DEEPEST);
        Program { statements, result }
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.rng.next_u32() % bound
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    fn statements(&mut self, count: u32, depth: u32) -> Vec<Statement> {
        (0..count).map(|_| self.statement(depth)).collect()
    }

    fn body(&mut self, depth: u32) -> Vec<Statement> {
        let count = self.below(3);
        self.statements(count, depth)
    }

    fn statement(&mut self, depth: u32) -> Statement {
        let depth = depth.saturating_sub(1);
        match if depth == 0 { self.below(5) } else { self.below(16) } {
            0 => {
                let (array, index, value) = (self.expression(Ints, 1), self.index(), self.expression(Int, 2));
                Statement::Store(array, index, value)
            }
            5..=10 => {
                let (operands, jump) = self.condition();
                Statement::If(operands, jump, self.body(depth), self.body(depth))
            }
            11 => Statement::Loop(1 + self.below(4) as u8, self.body(depth)),
            12 => {
                let table = self.below(2) == 0;
                let low = self.below(7) as i32 - 3;
                let step = if table { 1 } else { 1 + self.below(1_000_000) as i32 };
                let cases = (0..1 + self.below(4) as i32).map(|case| (low + case * step, self.body(depth))).collect();
                Statement::Switch(self.expression(Int, 2), table, cases, self.body(depth))
            }
            13 | 14 => Statement::Try(self.statements(2, depth), self.pick(&CAUGHT), self.body(depth)),
            15 => Statement::Return(self.expression(self.result, 2)),
            _ => {
                let (ty, slot) = self.pick(&VARIABLES);
                Statement::Assign(slot, self.expression(ty, DEEPEST))
            }
        }
    }

    fn condition(&mut self) -> (Vec<Expression>, &'static str) {
        match self.below(8) {
            0 => (vec![self.expression(Text, 2), self.expression(Text, 2)], self.pick(&["if_acmpeq", "if_acmpne"])),
            1 => (vec![self.expression(Ints, 1)], self.pick(&["ifnull", "ifnonnull"])),
            2..=4 => (vec![self.expression(Int, 3), self.expression(Int, 2)], self.pick(&INT_JUMPS)),
            _ => (vec![self.expression(Int, 3)], self.pick(&ZERO_JUMPS)),
        }
    }

    /// An index that is mostly within short arrays.
    fn index(&mut self) -> Expression {
        let index = self.expression(Int, 2);
        if self.below(8) == 0 {
            return index;
        }
        made(Int, vec![index, made(Int, vec![], "iconst_1".into())], "iand".into())
    }

    fn expression(&mut self, ty: Ty, depth: u32) -> Expression {
        if depth == 0 || self.below(5) == 0 {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        let (line, operands): (String, &[Ty]) = match ty {
            Int => match self.below(20) {
                0..=8 => (self.pick(&INT_OPS).into(), &[Int, Int]),
                9 => ("ineg".into(), &[Int]),
                10 => (self.pick(&["i2b", "i2c", "i2s"]).into(), &[Int]),
                11 => ("lcmp".into(), &[Long, Long]),
                12 => (self.pick(&["fcmpl", "fcmpg"]).into(), &[Float, Float]),
                13 => (self.pick(&["dcmpl", "dcmpg"]).into(), &[Double, Double]),
                14 => ("l2i".into(), &[Long]),
                15 => ("f2i".into(), &[Float]),
                16 => ("d2i".into(), &[Double]),
                17 => ("arraylength".into(), &[Ints]),
                18 => return self.text_to_int(depth),
                _ => {
                    let (array, index) = (self.expression(Ints, 1), self.index());
                    return made(Int, vec![array, index], "iaload".into());
                }
            },
            Long => match self.below(10) {
                0..=5 => match self.pick(&INT_OPS) {
                    shift if shift.ends_with("shl") || shift.ends_with("shr") => (shift.replacen('i', "l", 1), &[Long, Int]),
                    op => (op.replacen('i', "l", 1), &[Long, Long]),
                },
                6 => ("lneg".into(), &[Long]),
                7 => ("i2l".into(), &[Int]),
                8 => ("f2l".into(), &[Float]),
                _ => ("d2l".into(), &[Double]),
            },
            Float => match self.below(9) {
                0..=4 => (self.pick(&["fadd", "fsub", "fmul", "fdiv", "frem"]).into(), &[Float, Float]),
                5 => ("fneg".into(), &[Float]),
                6 => ("i2f".into(), &[Int]),
                7 => ("l2f".into(), &[Long]),
                _ => ("d2f".into(), &[Double]),
            },
            Double => match self.below(9) {
                0..=4 => (self.pick(&["dadd", "dsub", "dmul", "ddiv", "drem"]).into(), &[Double, Double]),
                5 => ("dneg".into(), &[Double]),
                6 => ("i2d".into(), &[Int]),
                7 => ("l2d".into(), &[Long]),
                _ => ("f2d".into(), &[Float]),
            },
            Text => match self.below(6) {
                0 => ("invokevirtual java/lang/String.concat (Ljava/lang/String;)Ljava/lang/String;".into(), &[Text, Text]),
                1 => ("invokestatic java/lang/String.valueOf (I)Ljava/lang/String;".into(), &[Int]),
                2 => ("invokevirtual java/lang/String.substring (I)Ljava/lang/String;".into(), &[Text, Int]),
                3 => ("invokevirtual java/lang/String.trim ()Ljava/lang/String;".into(), &[Text]),
                4 => ("invokevirtual java/lang/String.toUpperCase ()Ljava/lang/String;".into(), &[Text]),
                _ => return self.leaf(Text),
            },
            Ints => match self.below(3) {
                0 => {
                    let size = made(Int, vec![], format!("iconst_{}", self.below(5)));
                    return made(Ints, vec![size], "newarray int".into());
                }
                _ => return self.leaf(Ints),
            },
        };
        let operands = operands.iter().map(|&ty| self.expression(ty, depth)).collect();
        made(ty, operands, line)
    }

    fn text_to_int(&mut self, depth: u32) -> Expression {
        let (line, operands): (&str, &[Ty]) = self.pick(&[
            ("length ()I", &[Text]),
            ("charAt (I)C", &[Text, Int]),
            ("equals (Ljava/lang/Object;)Z", &[Text, Text]),
            ("compareTo (Ljava/lang/String;)I", &[Text, Text]),
            ("startsWith (Ljava/lang/String;)Z", &[Text, Text]),
            ("indexOf (I)I", &[Text, Int]),
            ("hashCode ()I", &[Text]),
            ("isEmpty ()Z", &[Text]),
        ]);
        let operands = operands.iter().map(|&ty| self.expression(ty, depth)).collect();
        made(Int, operands, format!("invokevirtual java/lang/String.{line}"))
    }

    fn leaf(&mut self, ty: Ty) -> Expression {
        let constant = self.below(3) == 0 && ty != Ints;
        if !constant {
            let own: Vec<u16> = VARIABLES.iter().filter(|(other, _)| *other == ty).map(|(_, slot)| *slot).collect();
            let slot = self.pick(&own);
            return made(ty, vec![], format!("{}load {slot}", prefix(ty)));
        }
        let number = match self.below(3) {
            0 => self.pick(&[i64::from(i32::MAX), i64::from(i32::MIN), 255, 65_535, -32_768, 31, 64]),
            _ => i64::from(self.below(21)) - 8,
        };
        let line = match ty {
            Int => format!("ldc_w int {number}"),
            Long => format!("ldc2_w long {}", if self.below(4) == 0 { number << 33 } else { number }),
            Float => {
                format!("ldc_w float {}", self.pick(&["0", "-0", "NaN", "inf", "1.5", "3e38", "-2147483648", "0.1", "16777216"]))
            }
            Double => format!("ldc2_w double {}", self.pick(&["0", "-0", "NaN", "-inf", "1.5", "1e308", "9.3e18", "0.1", "-7"])),
            Text => format!("ldc_w string \"{}\"", self.pick(&["", "a", "ab", "abc", "7", "hello"])),
            Ints => unreachable!("no constant"),
        };
        made(ty, vec![], line)
    }
}

fn made(ty: Ty, operands: Vec<Expression>, line: String) -> Expression {
    Expression { ty, operands, line }
}

fn prefix(ty: Ty) -> char {
    match ty {
        Int => 'i',
        Long => 'l',
        Float => 'f',
        Double => 'd',
        Text | Ints => 'a',
    }
}

/// Writes the assembler text of a program. Labels are numbers.
#[derive(Default)]
struct Writer {
    text: String,
    labels: u32,
    loops: u16,
    /// Exception handlers, which follow at the end of a method.
    catches: Vec<String>,
}

impl Program {
    pub(crate) fn descriptor(&self) -> String {
        let result = match self.result.ty {
            Int => "I",
            Long => "J",
            Float => "F",
            Double => "D",
            Text => "Ljava/lang/String;",
            Ints => "[I",
        };
        format!("{DESCRIPTOR}{result}")
    }

    /// The program as a method of this name.
    pub(crate) fn text(&self, name: &str) -> String {
        let mut writer = Writer { text: format!("method static {name} {}\n", self.descriptor()), ..Writer::default() };
        writer.statements(&self.statements);
        writer.give_back(&self.result);
        // Inner handlers come first in the table, because they were closed first.
        writer.catches.iter().fold(writer.text, |text, catch| text + catch)
    }

    /// Variants of the program without one statement, the largest statement first.
    pub(crate) fn smaller(&self) -> Vec<Program> {
        let mut smaller: Vec<Program> =
            shorter(&self.statements).into_iter().map(|statements| Program { statements, ..self.clone() }).collect();
        smaller.extend(self.result.smaller().into_iter().map(|result| Program { result, ..self.clone() }));
        smaller
    }
}

impl Writer {
    fn line(&mut self, line: &str) {
        writeln!(self.text, "  {line}").expect("text");
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    fn place(&mut self, label: &str) {
        writeln!(self.text, "{label}:").expect("text");
    }

    fn expression(&mut self, expression: &Expression) {
        expression.operands.iter().for_each(|operand| self.expression(operand));
        self.line(&expression.line);
    }

    fn give_back(&mut self, value: &Expression) {
        self.expression(value);
        self.line(&format!("{}return", prefix(value.ty)));
    }

    fn statements(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Assign(slot, value) => {
                self.expression(value);
                self.line(&format!("{}store {slot}", prefix(value.ty)));
            }
            Statement::Store(array, index, value) => {
                [array, index, value].into_iter().for_each(|operand| self.expression(operand));
                self.line("iastore");
            }
            Statement::If(operands, jump, then, other) => {
                let (holds, end) = (self.label(), self.label());
                operands.iter().for_each(|operand| self.expression(operand));
                self.line(&format!("{jump} {holds}"));
                self.statements(other);
                self.line(&format!("goto {end}"));
                self.place(&holds);
                self.statements(then);
                self.place(&end);
                self.line("nop");
            }
            Statement::Loop(rounds, body) => {
                let (counter, again, end) = (FIRST_COUNTER + self.loops, self.label(), self.label());
                self.loops += 1;
                self.line("iconst_0");
                self.line(&format!("istore {counter}"));
                self.place(&again);
                self.line(&format!("iload {counter}"));
                self.line(&format!("bipush {rounds}"));
                self.line(&format!("if_icmpge {end}"));
                self.statements(body);
                self.line(&format!("iinc {counter} 1"));
                self.line(&format!("goto {again}"));
                self.place(&end);
                self.line("nop");
            }
            Statement::Switch(key, table, cases, default) => {
                self.expression(key);
                let labels: Vec<String> = cases.iter().map(|_| self.label()).collect();
                let (other, end) = (self.label(), self.label());
                let line = if *table {
                    format!("tableswitch {} {}", cases[0].0, labels.join(" "))
                } else {
                    let pairs: Vec<String> =
                        cases.iter().zip(&labels).map(|((key, _), label)| format!("{key} {label}")).collect();
                    format!("lookupswitch {}", pairs.join(" "))
                };
                self.line(&format!("{line} default {other}"));
                for ((_, body), label) in cases.iter().zip(&labels) {
                    self.place(label);
                    self.statements(body);
                    self.line(&format!("goto {end}"));
                }
                self.place(&other);
                self.statements(default);
                self.place(&end);
                self.line("nop");
            }
            Statement::Try(body, caught, handler) => {
                let (from, to, catch, end) = (self.label(), self.label(), self.label(), self.label());
                self.place(&from);
                self.line("nop");
                self.statements(body);
                self.place(&to);
                self.line(&format!("goto {end}"));
                self.place(&catch);
                self.line("pop");
                self.statements(handler);
                self.place(&end);
                self.line("nop");
                self.catches.push(format!("  catch {caught} {from} {to} {catch}\n"));
            }
            Statement::Return(value) => {
                // For the verifier, the code behind it is reachable.
                let on = self.label();
                self.line("iload 0");
                self.line(&format!("ifge {on}"));
                self.give_back(value);
                self.place(&on);
                self.line("nop");
            }
        }
    }
}

fn shorter(statements: &[Statement]) -> Vec<Vec<Statement>> {
    let mut shorter = Vec::new();
    let replaced = |at: usize, by: Vec<Statement>| [&statements[..at], &by, &statements[at + 1..]].concat();
    for (at, statement) in statements.iter().enumerate() {
        shorter.push(replaced(at, Vec::new()));
        for body in statement.bodies() {
            shorter.push(replaced(at, body.clone()));
        }
        shorter.extend(statement.smaller().into_iter().map(|smaller| replaced(at, vec![smaller])));
    }
    shorter
}

impl Statement {
    fn bodies(&self) -> Vec<&Vec<Statement>> {
        match self {
            Statement::If(_, _, then, other) => vec![then, other],
            Statement::Loop(_, body) => vec![body],
            Statement::Switch(_, _, cases, default) => cases.iter().map(|(_, body)| body).chain([default]).collect(),
            Statement::Try(body, _, handler) => vec![body, handler],
            _ => Vec::new(),
        }
    }

    fn expressions(&mut self) -> Vec<&mut Expression> {
        match self {
            Statement::Assign(_, value) | Statement::Return(value) | Statement::Switch(value, ..) => vec![value],
            Statement::Store(array, index, value) => vec![array, index, value],
            Statement::If(operands, ..) => operands.iter_mut().collect(),
            _ => Vec::new(),
        }
    }

    fn smaller(&self) -> Vec<Statement> {
        let mut smaller = Vec::new();
        for place in 0..self.bodies().len() {
            for body in shorter(self.bodies()[place]) {
                let mut statement = self.clone();
                match &mut statement {
                    Statement::If(_, _, then, other) => *[then, other][place] = body,
                    Statement::Loop(_, own) => *own = body,
                    Statement::Switch(_, _, cases, default) => *cases.get_mut(place).map_or(default, |case| &mut case.1) = body,
                    Statement::Try(own, _, handler) => *[own, handler][place] = body,
                    _ => {}
                }
                smaller.push(statement);
            }
        }
        for place in 0..self.clone().expressions().len() {
            for expression in self.clone().expressions()[place].smaller() {
                let mut statement = self.clone();
                *statement.expressions()[place] = expression;
                smaller.push(statement);
            }
        }
        smaller
    }
}

impl Expression {
    /// Variants of an expression: its operands of the same type, then the expression with smaller
    /// operands.
    fn smaller(&self) -> Vec<Expression> {
        let mut smaller: Vec<Expression> = self.operands.iter().filter(|operand| operand.ty == self.ty).cloned().collect();
        if !self.operands.is_empty() {
            let slot = VARIABLES.iter().find(|(ty, _)| *ty == self.ty).map(|(_, slot)| *slot).expect("of every type");
            smaller.push(made(self.ty, vec![], format!("{}load {slot}", prefix(self.ty))));
        }
        for place in 0..self.operands.len() {
            for operand in self.operands[place].smaller() {
                let mut expression = self.clone();
                expression.operands[place] = operand;
                smaller.push(expression);
            }
        }
        smaller
    }
}
