//! Random legal tests of any class. They are harder than those of a search: nulls, overloads and
//! all accessible members are equally likely. Tests are legal by erased types.

use std::collections::{BTreeMap, BTreeSet};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tracewright::conventions::{FileLayout, layout_by_text};
use tracewright::emit::{AssertionStyle, JUnit, Options, render, with_layout};
use tracewright::execution::Snapshot;
use tracewright::oracle::{Accessibility, AssertedTest, Assertion, ExpectedException, Fact, test_package};
use tracewright::program::{ClassModel, ClassName, JavaType, MethodModel, Nesting, Program};
use tracewright::testcase::{Answer, Literal, StatementKind, StubKind, TestCase, VarId};
use tracewright_classfile::PrimitiveType;

use crate::support::{Bench, Source};

pub(crate) const JDK_CLASSES: &[&str] = &[
    "java/util/ArrayList",
    "java/util/Arrays",
    "java/util/Collections",
    "java/util/EnumMap",
    "java/util/HashMap",
    "java/util/Optional",
    "java/util/PriorityQueue",
    "java/util/StringJoiner",
    "java/util/TreeMap",
    "java/util/BitSet",
    "java/util/Objects",
    "java/util/stream/Stream",
    "java/util/stream/Collectors",
    "java/util/concurrent/CompletableFuture",
    "java/util/concurrent/ConcurrentHashMap",
    "java/lang/StringBuilder",
    "java/lang/String",
    "java/lang/Integer",
    "java/lang/Math",
    "java/lang/Character",
    "java/lang/Enum",
    "java/math/BigDecimal",
    "java/time/LocalDate",
    "java/io/StringReader",
    "java/util/Map$Entry",
    "java/util/AbstractMap$SimpleEntry",
    "java/util/function/Function",
    "java/util/Comparator",
    "java/nio/ByteBuffer",
];

/// Renders `count` random tests of each class and compiles all of them at once.
pub(crate) fn check(bench: &Bench, targets: &[ClassName], count: usize, seed: u64, style: AssertionStyle) {
    let mut sources = Vec::new();
    let (mut written, mut unprintable) = (0, 0);
    for (number, target) in targets.iter().enumerate() {
        let package = test_package(&bench.program, target, false);
        let mut generator = Generator::new(&bench.program, &package, seed + number as u64);
        let Some(model) = bench.program.class(target) else { continue };
        if !generator.reach.can_name_class(target) {
            continue;
        }
        let tests: Vec<AssertedTest> = (0..count).filter_map(|_| generator.test(&model)).collect();
        let junit = if number % 2 == 0 { JUnit::Five } else { JUnit::Four };
        let release = if number % 3 == 0 { 8 } else { 17 };
        // Another layout must give the same program.
        let layout =
            if number % 4 < 2 { FileLayout::default() } else { layout_by_text("[*]\nindent_size = 2\nmax_line_length = 60\n") };
        let public = number % 5 == 0;
        let options = Options { junit, release, seed, package, number: 1, change: None, layout, public, style };
        let rendered = render(&bench.program, target, &tests, &options);
        for (index, reason) in &rendered.unprintable {
            // The generator only uses accessible names, so a rejection must have one of these
            // reasons.
            let text = reason.to_string();
            assert!(
                text.contains("cannot be named") || text.contains("cannot be used") || text.contains("no cast tells"),
                "{text}\n{}",
                tests[*index]
            );
        }
        written += rendered.tests.len();
        unprintable += rendered.unprintable.len();
        sources.push(Source::of(&rendered.class, with_layout(&rendered.source, &layout), junit));
    }
    eprintln!("{written} random tests of {} classes, {unprintable} unprintable", sources.len());
    assert!(unprintable * 10 <= written, "{unprintable} of {written} could not be printed");
    bench.compile(&sources, false);
}

struct Generator<'a> {
    program: &'a Program,
    reach: Accessibility<'a>,
    random: ChaCha8Rng,
    test: TestCase,
}

impl<'a> Generator<'a> {
    fn new(program: &'a Program, package: &str, seed: u64) -> Generator<'a> {
        Generator {
            program,
            reach: Accessibility::new(program, package),
            random: ChaCha8Rng::seed_from_u64(seed),
            test: TestCase::default(),
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.random.random_range(0..bound.max(1))
    }

    fn one_in(&mut self, chance: usize) -> bool {
        self.below(chance) == 0
    }

    fn usable(&self, class: &ClassModel, method: &MethodModel) -> bool {
        self.reach.can_use_method(method)
            && !method.access.is_synthetic()
            && method.name() != "<clinit>"
            && method.parameters.iter().all(|parameter| self.reach.can_name(parameter))
            && (method.returns == JavaType::Void || self.reach.can_name(&method.returns))
            && !(method.is_constructor() && (class.is_abstract() || class.is_enum() || class.is_interface()))
    }

    /// A test of a few calls of the class, with random facts about their results.
    fn test(&mut self, class: &ClassModel) -> Option<AssertedTest> {
        self.test = TestCase::default();
        let methods: Vec<&MethodModel> = class.methods.iter().filter(|method| self.usable(class, method)).collect();
        if methods.is_empty() {
            return None;
        }
        let mut target = None;
        for _ in 0..=self.below(3) {
            let method = methods[self.below(methods.len())];
            if self.call(class, method, 2).is_some() {
                target = Some(method.reference.clone());
            }
            if self.one_in(4) {
                self.touch_field(class);
            }
        }
        let target = target?;
        let last = self.test.statements.len() - 1;
        let throws = self.one_in(4) && self.test.statements[last].kind.has_effect();
        let mut assertions = Vec::new();
        if !throws {
            for index in 0..self.test.statements.len() {
                let statement = &self.test.statements[index];
                let literal = matches!(statement.kind, StatementKind::Literal(_) | StatementKind::Stub { .. });
                let ty = statement.ty.clone();
                if ty != JavaType::Void && !literal && self.below(3) > 0 {
                    let fact = self.fact(&ty, VarId(index as u32));
                    assertions.push(Assertion { subject: VarId(index as u32), fact });
                }
            }
        }
        let expected = throws.then(|| ExpectedException {
            class: ClassName::new("java/lang/IllegalStateException"),
            message: self.one_in(2).then(|| "a \"message\"".encode_utf16().collect()),
        });
        let acted = self.test.statements.len() as u32;
        Some(AssertedTest {
            test: self.test.clone(),
            acted,
            assertions,
            expected,
            target: Some(target),
            fault: None,
            assumes: None,
            undoing: 0,
            resets: Vec::new(),
            relevance: BTreeMap::new(),
            ways: BTreeSet::new(),
        })
    }

    fn fact(&mut self, ty: &JavaType, subject: VarId) -> Fact {
        let earlier: Vec<VarId> = (0..subject.0)
            .map(VarId)
            .filter(|other| {
                let statement = self.test.statement(*other);
                statement.ty.is_reference() && statement.kind.has_effect()
            })
            .collect();
        match ty {
            primitive if primitive.is_primitive() => Fact::Equals(self.value(primitive)),
            _ if self.one_in(6) => Fact::Null,
            _ if self.one_in(6) => Fact::NotNull,
            _ if self.one_in(6) && !earlier.is_empty() => Fact::SameAs(earlier[self.below(earlier.len())]),
            JavaType::Array(element) => {
                let length = self.below(4) as u32;
                let cell = if element.is_primitive() { (**element).clone() } else { JavaType::INT };
                let cells: Vec<Snapshot> = (0..length).map(|_| self.value(&cell)).collect();
                let cells =
                    cells.into_iter().map(|cell| if element.is_primitive() { cell } else { Snapshot::Boxed(Box::new(cell)) });
                let object = **element == JavaType::class("java/lang/Object");
                let elements = (element.is_primitive() || object).then(|| cells.collect());
                Fact::Equals(Snapshot::Array { element: (**element).clone(), length, elements })
            }
            JavaType::Class(class) => match class.internal() {
                "java/lang/String" | "java/lang/CharSequence" => {
                    Fact::Equals(Snapshot::Str(Some("text".encode_utf16().collect())))
                }
                "java/lang/Object" | "java/lang/Comparable" => {
                    let primitive = self.primitive();
                    Fact::Equals(Snapshot::Boxed(Box::new(self.value(&primitive))))
                }
                "java/lang/Class" => Fact::Equals(Snapshot::ClassLiteral(JavaType::class("java/lang/String"))),
                name => match JavaType::unboxed(&ClassName::new(name)) {
                    Some(primitive) => Fact::Equals(Snapshot::Boxed(Box::new(self.value(&primitive)))),
                    None => Fact::NotNull,
                },
            },
            _ => Fact::NotNull,
        }
    }

    fn primitive(&mut self) -> JavaType {
        let all = [
            JavaType::BOOLEAN,
            JavaType::BYTE,
            JavaType::CHAR,
            JavaType::SHORT,
            JavaType::INT,
            JavaType::LONG,
            JavaType::FLOAT,
            JavaType::DOUBLE,
        ];
        all[self.below(all.len())].clone()
    }

    fn value(&mut self, primitive: &JavaType) -> Snapshot {
        match self.literal(primitive) {
            Literal::Boolean(value) => Snapshot::Boolean(value),
            Literal::Byte(value) => Snapshot::Byte(value),
            Literal::Char(value) => Snapshot::Char(value),
            Literal::Short(value) => Snapshot::Short(value),
            Literal::Long(value) => Snapshot::Long(value),
            Literal::Float(value) => Snapshot::Float(value),
            Literal::Double(value) => Snapshot::Double(value),
            Literal::Int(value) => Snapshot::Int(value),
            other => panic!("{other} is no primitive"),
        }
    }

    fn literal(&mut self, primitive: &JavaType) -> Literal {
        let number = [0, 1, -1, 7, 100, i64::MAX, i64::MIN, 0xFFFF][self.below(8)];
        let real =
            [0.0, -0.0, 1.5, -2.25, f64::NAN, f64::INFINITY, 1e300, 3.0, f64::MIN_POSITIVE, 0.1234567890123][self.below(10)];
        match primitive {
            JavaType::Primitive(PrimitiveType::Boolean) => Literal::Boolean(self.one_in(2)),
            JavaType::Primitive(PrimitiveType::Byte) => Literal::Byte(number as i8),
            JavaType::Primitive(PrimitiveType::Char) => Literal::Char([0x61, 0x27, 0x5c, 0x0a, 0xd800, 0, 0x22][self.below(7)]),
            JavaType::Primitive(PrimitiveType::Short) => Literal::Short(number as i16),
            JavaType::Primitive(PrimitiveType::Long) => Literal::Long(number),
            JavaType::Primitive(PrimitiveType::Float) => Literal::Float((real as f32).to_bits()),
            JavaType::Primitive(PrimitiveType::Double) => Literal::Double(real.to_bits()),
            _ => Literal::Int(number as i32),
        }
    }

    fn call(&mut self, class: &ClassModel, method: &MethodModel, depth: usize) -> Option<VarId> {
        let mut args = Vec::new();
        let reference = method.reference.clone();
        if method.is_constructor() {
            for (index, parameter) in method.parameters.iter().enumerate() {
                // The enclosing instance must not be null.
                let outer = index == 0 && class.is_inner();
                args.push(self.argument(parameter, depth, outer)?);
            }
            return Some(self.test.push(StatementKind::Construct { constructor: reference, args }, class.ty()));
        }
        let receiver = if method.is_static() { None } else { Some(self.argument(&class.ty(), depth, true)?) };
        for parameter in &method.parameters {
            args.push(self.argument(parameter, depth, false)?);
        }
        let ty = method.returns.clone();
        Some(self.test.push(StatementKind::Call { method: reference, interface: class.is_interface(), receiver, args }, ty))
    }

    fn touch_field(&mut self, class: &ClassModel) {
        let fields: Vec<_> = class
            .fields
            .iter()
            .filter(|field| {
                !field.access.is_synthetic()
                    && self.reach.can_use_member(field.access, &class.name)
                    && self.reach.can_name(&field.ty)
            })
            .collect();
        if fields.is_empty() {
            return;
        }
        let field = fields[self.below(fields.len())];
        let receiver = if field.access.is_static() {
            None
        } else {
            let Some(receiver) = self.argument(&class.ty(), 1, true) else { return };
            Some(receiver)
        };
        let reference = field.reference.clone();
        if field.access.is_final() || self.one_in(2) {
            self.test.push(StatementKind::GetField { field: reference, receiver }, field.ty.clone());
        } else if let Some(value) = self.argument(&field.ty, 1, false) {
            self.test.push(StatementKind::PutField { field: reference, receiver, value }, JavaType::Void);
        }
    }

    /// An existing or new variable of a type.
    fn argument(&mut self, ty: &JavaType, depth: usize, not_null: bool) -> Option<VarId> {
        let known: Vec<VarId> = (0..self.test.statements.len() as u32)
            .map(VarId)
            .filter(|variable| {
                let statement = self.test.statement(*variable);
                let null = matches!(statement.kind, StatementKind::Literal(Literal::Null));
                let found = &statement.ty;
                let fits = found == ty || (found.is_reference() && ty.is_reference() && self.program.is_subtype(found, ty));
                fits && !null
            })
            .collect();
        if !known.is_empty() && self.one_in(2) {
            return Some(known[self.below(known.len())]);
        }
        if ty.is_primitive() {
            let literal = self.literal(ty);
            return Some(self.test.push(StatementKind::Literal(literal), ty.clone()));
        }
        if !not_null && self.one_in(6) {
            return Some(self.test.push(StatementKind::Literal(Literal::Null), ty.clone()));
        }
        if let Some(found) = self.fresh(ty, depth) {
            return Some(found);
        }
        if not_null {
            return None;
        }
        Some(self.test.push(StatementKind::Literal(Literal::Null), ty.clone()))
    }

    fn fresh(&mut self, ty: &JavaType, depth: usize) -> Option<VarId> {
        let class = match ty {
            JavaType::Array(element) => {
                let count = self.below(3);
                let mut elements = Vec::new();
                for _ in 0..count {
                    elements.push(self.argument(element, depth.saturating_sub(1), false)?);
                }
                let length = elements.len() as u32 + self.below(3) as u32;
                let kind = StatementKind::Array { element: (**element).clone(), length, elements };
                return Some(self.test.push(kind, ty.clone()));
            }
            JavaType::Class(class) => class.clone(),
            _ => return None,
        };
        let string = |text: &str| StatementKind::Literal(Literal::Str(text.encode_utf16().collect()));
        match class.internal() {
            "java/lang/String" => {
                let text = ["", "a", "hello", "a \"quoted\" \\u0041 text of some length", "é\u{1}2"][self.below(5)];
                return Some(self.test.push(string(text), ty.clone()));
            }
            "java/lang/CharSequence" => return Some(self.test.push(string("sequence"), JavaType::class("java/lang/String"))),
            "java/lang/Class" => {
                let named = [JavaType::class("java/lang/String"), JavaType::INT, JavaType::Array(Box::new(JavaType::INT))]
                    [self.below(3)]
                .clone();
                return Some(self.test.push(StatementKind::Literal(Literal::Class(named)), ty.clone()));
            }
            "java/lang/Object" | "java/lang/Comparable" | "java/lang/Number" => {
                let name = ["java/lang/Integer", "java/lang/Long", "java/lang/Double"][self.below(3)];
                return self.fresh(&JavaType::class(name), depth);
            }
            name => {
                if let Some(primitive) = JavaType::unboxed(&ClassName::new(name)) {
                    let literal = self.literal(&primitive);
                    let value = self.test.push(StatementKind::Literal(literal), primitive.clone());
                    let descriptor = format!("({})L{name};", primitive.descriptor());
                    let method = tracewright::program::MethodRef::new(class.clone(), "valueOf", &descriptor);
                    let kind = StatementKind::Call { method, interface: false, receiver: None, args: vec![value] };
                    return Some(self.test.push(kind, ty.clone()));
                }
            }
        }
        if depth == 0 || !self.reach.can_name_class(&class) {
            return None;
        }
        let model = self.program.class(&class)?;
        let constants: Vec<_> = model.enum_constants().map(|field| field.reference.clone()).collect();
        if !constants.is_empty() {
            let field = constants[self.below(constants.len())].clone();
            return Some(self.test.push(StatementKind::GetField { field, receiver: None }, ty.clone()));
        }
        let implementation = match class.internal() {
            "java/util/List" | "java/util/Collection" | "java/lang/Iterable" => Some("java/util/ArrayList"),
            "java/util/Map" => Some("java/util/HashMap"),
            "java/util/Set" => Some("java/util/HashSet"),
            "java/io/Reader" => Some("java/io/StringReader"),
            _ => None,
        };
        if let Some(implementation) = implementation {
            return self.fresh(&JavaType::class(implementation), depth);
        }
        let stubbed = model.is_interface()
            && matches!(model.nesting, Nesting::TopLevel | Nesting::Member { .. })
            && self.program.abstract_methods(&class).iter().all(|found| {
                self.usable(&found.class, found.method())
                    || found.method().signature.parameters.is_empty() && self.reach.can_use_method(found.method())
            });
        if stubbed && !class.internal().starts_with("java/util/stream") && !is_sealed(&model) {
            let mut answers = Vec::new();
            for method in self.program.abstract_methods(&class) {
                let method = method.method();
                if method.returns != JavaType::Void
                    && self.one_in(2)
                    && let Some(answer) = self.argument(&method.returns, 0, false)
                {
                    answers.push(Answer::returning(method.reference.clone(), answer));
                }
            }
            return Some(self.test.push(StatementKind::Stub { class, kind: StubKind::Implementation, answers }, ty.clone()));
        }
        let makers: Vec<&MethodModel> = model
            .methods
            .iter()
            .filter(|method| {
                self.usable(&model, method) && (method.is_constructor() || (method.is_static() && method.returns == *ty))
            })
            .collect();
        if makers.is_empty() {
            return None;
        }
        let maker = makers[self.below(makers.len())];
        self.call(&model, maker, depth - 1)
    }
}

fn is_sealed(model: &ClassModel) -> bool {
    model.file.attribute("PermittedSubclasses").is_some()
}
