//! Builds call sequences at their end: appends a call and creates its arguments, recursively. Flows
//! in: callable table, literals, random source; flows out: well-typed test cases. Must not know
//! goals.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::SearchConfig;
use super::callable_table::{CallableEntryKind, CallableIx, CallableTable, ErasedId, TypeId, ValueKind};
use super::hard_values::Experience;
use super::literals::{LiteralPool, convert};
use super::mocks::mapped_answer;
use crate::program::{JavaType, MethodRef};
use crate::testcase::{Literal, Statement, StatementKind, TestCase, TypeSystem, VarId, fits};

/// Depth of values within values; below it, the cheapest callable is used.
pub(super) const DEPTH: u32 = 4;
/// The same for thorough objects: each level of objects has two, one of the call and one of its arguments.
const THOROUGH_DEPTH: u32 = 8;

/// Elements of an array at most: a block of a file.
const LONGEST_ARRAY: usize = 4096;
/// Calls on an object of the wanted type that count as one other generator.
const CHAINS: f32 = 4.0;

/// A test case under construction.
pub(crate) struct SequenceBuilder<'a> {
    pub(crate) table: &'a CallableTable,
    pub(crate) pool: &'a LiteralPool,
    pub(crate) config: &'a SearchConfig,
    pub(crate) rng: &'a mut ChaCha8Rng,
    pub(super) experience: Experience<'a>,
    test: TestCase,
    /// By variable: its erased type; `None` for void and for types outside the table.
    types: Vec<Option<ErasedId>>,
    /// The callable whose arguments are being created; its constants are preferred.
    context: Option<CallableIx>,
    /// Objects that are being completed.
    pub(super) nesting: u32,
    /// Mocks whose answers are being made.
    pub(super) answering: u32,
    /// New objects have no null in them and as much state as they can have.
    pub(super) thorough: bool,
}

impl<'a> SequenceBuilder<'a> {
    /// A builder of an empty test case. The experience holds one weight a callable.
    pub(crate) fn new(
        table: &'a CallableTable,
        pool: &'a LiteralPool,
        config: &'a SearchConfig,
        experience: Experience<'a>,
        rng: &'a mut ChaCha8Rng,
    ) -> SequenceBuilder<'a> {
        SequenceBuilder {
            table,
            pool,
            config,
            rng,
            experience,
            test: TestCase::default(),
            types: Vec::new(),
            context: None,
            nesting: 0,
            answering: 0,
            thorough: false,
        }
    }

    /// The test case built so far.
    pub(crate) fn finish(self) -> TestCase {
        self.test
    }

    /// The test case built so far.
    pub(crate) fn test(&self) -> &TestCase {
        &self.test
    }

    /// Number of statements so far.
    pub(crate) fn len(&self) -> usize {
        self.test.len()
    }

    /// Appends a statement that uses variables of this test case.
    pub(crate) fn push(&mut self, kind: StatementKind, ty: JavaType) -> VarId {
        let known = if ty == JavaType::Void { None } else { self.table.find_erased(&ty) };
        self.types.push(known);
        self.test.push(kind, ty)
    }

    fn push_statement(&mut self, kind: StatementKind, erased: ErasedId) -> VarId {
        self.types.push(Some(erased));
        self.test.push(kind, self.table.erased_type(erased).clone())
    }

    pub(super) fn roll_back(&mut self, length: usize) {
        self.test.truncate(length);
        self.types.truncate(length);
    }

    /// The erased type of a variable; `None` for a statement without a value.
    pub(crate) fn type_of(&self, variable: VarId) -> Option<ErasedId> {
        self.types[variable.index()]
    }

    /// A test case for a callable under test: a receiver in some state, the call, possibly more
    /// calls.
    pub(crate) fn random(mut self, callable: CallableIx) -> TestCase {
        self.call_with_history(callable, 0);
        let more = match self.rng.random_range(0..10) {
            0..5 => 0,
            5..8 => 1,
            _ => self.rng.random_range(1..=4),
        };
        for _ in 0..more {
            self.random_call();
        }
        self.finish()
    }

    /// Appends one more call, on an existing object or of any callable under test.
    pub(crate) fn random_call(&mut self) -> Option<VarId> {
        if self.len() >= self.config.max_statements {
            return None;
        }
        if self.rng.random_bool(0.6)
            && let Some(receiver) = self.any_object()
            && self.modify(receiver, 1)
        {
            return Some(VarId(self.len() as u32 - 1));
        }
        let callable = self.pick(self.table.under_test())?;
        self.call(callable, 1, None)
    }

    /// Draws a callable by weight; `None` when there is none.
    pub(crate) fn pick(&mut self, callables: &[CallableIx]) -> Option<CallableIx> {
        let total: f32 = callables.iter().map(|callable| self.experience.weights[callable.index()]).sum();
        if total <= 0.0 {
            return None;
        }
        let mut left = self.rng.random::<f32>() * total;
        for &callable in callables {
            left -= self.experience.weights[callable.index()];
            if left < 0.0 {
                return Some(callable);
            }
        }
        callables.last().copied()
    }

    /// Appends the call after some modifying calls on its receiver.
    pub(crate) fn call_with_history(&mut self, callable: CallableIx, depth: u32) -> Option<VarId> {
        let Some(wanted) = self.table.callable(callable).receiver else {
            return self.call(callable, depth, None);
        };
        let before = self.len();
        let receiver = self.make(wanted, depth + 1, false)?;
        let changes = match self.rng.random_range(0..10) {
            0..4 => 0,
            4..7 => 1,
            7..9 => self.rng.random_range(1..=3),
            _ => self.rng.random_range(2..=6),
        };
        for _ in 0..changes {
            if self.len() < self.config.max_statements {
                self.modify(receiver, depth + 1);
            }
        }
        let result = self.call(callable, depth, Some(receiver));
        if result.is_none() {
            self.roll_back(before);
        }
        result
    }

    /// Appends one modifying call on the variable; false when its type has no modifier.
    fn modify(&mut self, receiver: VarId, depth: u32) -> bool {
        let Some(erased) = self.type_of(receiver) else { return false };
        let Some(wanted) = self.table.wanted_of(erased) else { return false };
        let model = self.table;
        let Some(callable) = self.pick(model.modifiers(wanted)) else { return false };
        self.call(callable, depth, Some(receiver)).is_some()
    }

    /// A variable that holds an object with modifiers.
    fn any_object(&mut self) -> Option<VarId> {
        let objects: Vec<VarId> = (0..self.len() as u32)
            .map(VarId)
            .filter(|variable| {
                let wanted = self.types[variable.index()].and_then(|erased| self.table.wanted_of(erased));
                wanted.is_some_and(|wanted| !self.table.modifiers(wanted).is_empty()) && !self.is_null(*variable)
            })
            .collect();
        if objects.is_empty() { None } else { Some(objects[self.rng.random_range(0..objects.len())]) }
    }

    /// Appends the call, on the given receiver or a new one. `None` without any change when that is
    /// impossible.
    pub(crate) fn call(&mut self, mut callable: CallableIx, depth: u32, receiver: Option<VarId>) -> Option<VarId> {
        let before = self.len();
        let model = self.table;
        let variants = model.variants(callable);
        if !variants.is_empty() {
            callable = *variants.get(self.rng.random_range(0..=variants.len())).unwrap_or(&callable);
        }
        let description = model.callable(callable);
        if let CallableEntryKind::Value = description.kind {
            return self.make(*description.params.first()?, depth + 1, false);
        }
        if description.is_mock() {
            return Some(self.mock(callable, depth));
        }
        if let Some(member) = self.member_lookup(callable) {
            return Some(member);
        }
        if !model.callable_constants(callable).is_empty() {
            self.context = Some(callable);
        }
        let receiver = match (receiver, description.receiver) {
            (_, None) => None,
            (Some(receiver), Some(_)) => Some(receiver),
            (None, Some(wanted)) => Some(self.value_of_type(wanted, depth + 1, false)?),
        };
        let mut args = Vec::with_capacity(description.params.len());
        for &param in &description.params {
            match self.value_of_type(param, depth + 1, true) {
                Some(arg) => args.push(arg),
                None => {
                    self.roll_back(before);
                    return None;
                }
            }
        }
        Some(self.append_new(callable, receiver, args, depth))
    }

    /// Appends the statement of the callable, and completes the object that it constructs.
    pub(super) fn append_new(&mut self, callable: CallableIx, receiver: Option<VarId>, args: Vec<VarId>, depth: u32) -> VarId {
        let entry = self.table.callable(callable);
        if let Some(object) = entry.statement(receiver, args.clone()).and_then(|kind| self.object_of_mocks(&kind)) {
            return object;
        }
        let value = self.append_call(callable, receiver, args);
        if let CallableEntryKind::Construct(constructor) = &entry.kind {
            self.complete(value, constructor, depth);
        }
        value
    }

    /// Appends the statement of the callable with these variables.
    pub(crate) fn append_call(&mut self, callable: CallableIx, receiver: Option<VarId>, args: Vec<VarId>) -> VarId {
        let description = self.table.callable(callable);
        let kind = description.statement(receiver, args).expect("only statements are performed");
        match description.result {
            Some(result) => self.push_statement(kind, self.table.erasure(result)),
            None => self.push(kind, JavaType::Void),
        }
    }

    /// A variable of the wanted type, an existing or a new one; null only where allowed.
    pub(crate) fn value_of_type(&mut self, wanted: TypeId, depth: u32, nullable: bool) -> Option<VarId> {
        let nullable = nullable && !self.thorough;
        let reference = matches!(self.kind(wanted), ValueKind::Object | ValueKind::Array);
        let reuse = match reference {
            true => 0.5 + 0.1 * f64::from(depth.min(4)),
            false => 0.12,
        };
        if self.rng.random_bool(reuse)
            && let Some(variable) = self.existing(wanted, nullable)
        {
            return Some(variable);
        }
        self.make(wanted, depth, nullable)
    }

    /// A random existing variable that fits the wanted type; null only where allowed.
    pub(crate) fn existing(&mut self, wanted: TypeId, nullable: bool) -> Option<VarId> {
        let to = self.table.erasure(wanted);
        let mut found = 0u32;
        let mut chosen = None;
        for index in 0..self.types.len() {
            let fits = self.types[index].is_some_and(|from| self.table.is_assignable(from, to));
            if fits && (nullable || !self.is_null(VarId(index as u32))) {
                found += 1;
                // Reservoir sampling gives each fitting variable the same chance.
                if self.rng.random_range(0..found) == 0 {
                    chosen = Some(VarId(index as u32));
                }
            }
        }
        let chosen = chosen?;
        // Literals are copied, so that the two uses can change separately.
        if let StatementKind::Literal(literal) = &self.test.statements[chosen.index()].kind
            && !matches!(literal, Literal::Null | Literal::Class(_))
        {
            let copy = self.test.statements[chosen.index()].clone();
            return Some(self.push(copy.kind, copy.ty));
        }
        Some(chosen)
    }

    fn kind(&self, wanted: TypeId) -> ValueKind {
        self.table.kind(self.table.erasure(wanted))
    }

    fn is_null(&self, variable: VarId) -> bool {
        matches!(self.test.statements[variable.index()].kind, StatementKind::Literal(Literal::Null))
    }

    /// A new value of the wanted type; `None` when none can be created.
    pub(crate) fn make(&mut self, wanted: TypeId, depth: u32, nullable: bool) -> Option<VarId> {
        let nullable = nullable && !self.thorough;
        let kind = self.kind(wanted);
        let reference = matches!(kind, ValueKind::Object | ValueKind::Array | ValueKind::Str | ValueKind::Class);
        if reference && nullable && self.rng.random_bool(self.config.null_probability) {
            return Some(self.null(wanted));
        }
        match kind {
            ValueKind::Object => self.make_object(wanted, depth, nullable),
            ValueKind::Array => self.make_array(wanted, depth),
            ValueKind::Class => self.make_class(wanted, depth, nullable),
            literal => {
                // Sometimes the result of a call instead of a literal.
                let generators = self.table.generators(wanted);
                if depth < DEPTH
                    && !generators.is_empty()
                    && self.rng.random_bool(0.04)
                    && let Some(callable) = self.pick(self.table.generators(wanted))
                    && let Some(variable) = self.call(callable, depth + 1, None)
                {
                    return Some(variable);
                }
                let drawn = self.draw(literal)?;
                Some(self.push_statement(StatementKind::Literal(drawn), self.table.erasure(wanted)))
            }
        }
    }

    fn draw(&mut self, kind: ValueKind) -> Option<Literal> {
        if let Some(context) = self.context
            && self.rng.random_bool(0.3)
        {
            let constants = self.table.callable_constants(context);
            let start = self.rng.random_range(0..constants.len());
            let fitting = constants[start..].iter().chain(&constants[..start]).find_map(|literal| convert(literal, kind));
            if let Some(literal) = fitting {
                return Some(if self.rng.random_bool(0.2) { self.pool.vary(&literal, self.rng) } else { literal });
            }
        }
        self.pool.draw(kind, self.rng)
    }

    fn null(&mut self, wanted: TypeId) -> VarId {
        self.push_statement(StatementKind::Literal(Literal::Null), self.table.erasure(wanted))
    }

    fn make_class(&mut self, wanted: TypeId, depth: u32, nullable: bool) -> Option<VarId> {
        let classes = self.table.class_literals(wanted);
        if classes.is_empty() {
            return self.make_object(wanted, depth, nullable);
        }
        let class = classes[self.rng.random_range(0..classes.len())].clone();
        Some(self.push_statement(StatementKind::Literal(Literal::Class(class)), self.table.erasure(wanted)))
    }

    fn make_array(&mut self, wanted: TypeId, depth: u32) -> Option<VarId> {
        let element = self.table.element(wanted)?;
        let length = match self.rng.random_range(0..10) {
            0 => 0,
            1..4 => 1,
            4..7 => 2,
            7..9 => 3,
            _ if self.rng.random_bool(0.3) => self.long_array(),
            _ => self.rng.random_range(3..=self.config.max_array_length.max(3)),
        };
        // An array of elements that can only be null is rarely useful.
        let length = if self.table.cost(element).is_none() && self.rng.random_bool(0.8) { 0 } else { length };
        // At great depth or length, elements keep their default value.
        let full = depth > DEPTH || self.len() >= self.config.max_statements;
        let filled = if full { 0 } else { length.min(self.config.max_array_length) };
        let mut elements = Vec::with_capacity(filled);
        for _ in 0..filled {
            match self.value_of_type(element, depth + 1, true) {
                Some(value) => elements.push(value),
                None => break,
            }
        }
        let kind = StatementKind::Array { element: self.table.java_type(element).clone(), length: length as u32, elements };
        Some(self.push_statement(kind, self.table.erasure(wanted)))
    }

    /// A length for code that expects a block or a buffer: a constant of the code, else a power of
    /// two.
    fn long_array(&mut self) -> usize {
        let shortest = self.config.max_array_length;
        let lengths: Vec<usize> = self
            .table
            .constants()
            .iter()
            .filter_map(|literal| match literal {
                Literal::Int(value) => usize::try_from(*value).ok().filter(|length| (shortest..=LONGEST_ARRAY).contains(length)),
                _ => None,
            })
            .collect();
        if lengths.is_empty() || self.rng.random_bool(0.5) {
            return 16 << self.rng.random_range(0..=6);
        }
        lengths[self.rng.random_range(0..lengths.len())]
    }

    fn make_object(&mut self, wanted: TypeId, depth: u32, nullable: bool) -> Option<VarId> {
        let model = self.table;
        let generators = model.generators(wanted);
        let deepest = if self.thorough { THOROUGH_DEPTH } else { DEPTH };
        let hurried = depth >= deepest || self.len() >= self.config.max_statements;
        if !hurried && !generators.is_empty() {
            for _ in 0..3 {
                if let Some(callable) = self.pick_generator(generators, wanted)
                    && let Some(variable) = self.make_as_before(callable).or_else(|| self.call(callable, depth + 1, None))
                {
                    self.fill(variable, wanted, depth);
                    return Some(variable);
                }
            }
        }
        if let Some(variable) = self.existing(wanted, nullable) {
            return Some(variable);
        }
        // The cheapest callable costs strictly less at each level, so the recursion ends.
        if let Some(&cheapest) = generators.first()
            && let Some(variable) = self.cheapest_call(cheapest)
        {
            return Some(variable);
        }
        nullable.then(|| self.null(wanted))
    }

    /// Draws a generator by weight, cheap ones more often. Calls on an object of the same type
    /// (`splitter.trimResults()`) are drawn less often: there are many, and each needs another
    /// object.
    fn pick_generator(&mut self, generators: &[CallableIx], wanted: TypeId) -> Option<CallableIx> {
        let erased = self.table.erasure(wanted);
        let weight = |builder: &Self, callable: CallableIx| {
            let cost = builder.table.callable_cost(callable).unwrap_or(64) as f32;
            let receiver = builder.table.callable(callable).receiver;
            let chain = receiver.is_some_and(|receiver| builder.table.erasure(receiver) == erased);
            let preference = if builder.thorough { builder.thorough_weight(callable) } else { 1.0 / (1.0 + cost) };
            builder.experience.weights[callable.index()] * preference / if chain { CHAINS } else { 1.0 }
        };
        let total: f32 = generators.iter().map(|&callable| weight(self, callable)).sum();
        let mut left = self.rng.random::<f32>() * total;
        for &callable in generators {
            left -= weight(self, callable);
            if left < 0.0 {
                return Some(callable);
            }
        }
        generators.last().copied()
    }

    fn cheapest_call(&mut self, callable: CallableIx) -> Option<VarId> {
        let before = self.len();
        let model = self.table;
        let description = model.callable(callable);
        if let CallableEntryKind::Value = description.kind {
            return self.cheap(*description.params.first()?, false);
        }
        if description.is_mock() {
            return Some(self.push_mock(callable, Vec::new()));
        }
        if let Some(member) = self.member_lookup(callable) {
            return Some(member);
        }
        let receiver = match description.receiver {
            Some(wanted) => match self.cheap(wanted, false) {
                Some(receiver) => Some(receiver),
                None => {
                    self.roll_back(before);
                    return None;
                }
            },
            None => None,
        };
        let mut args = Vec::with_capacity(description.params.len());
        for &param in &description.params {
            let Some(arg) = self.cheap(param, true) else {
                self.roll_back(before);
                return None;
            };
            args.push(arg);
        }
        Some(self.append_new(callable, receiver, args, DEPTH))
    }

    fn cheap(&mut self, wanted: TypeId, nullable: bool) -> Option<VarId> {
        match self.kind(wanted) {
            ValueKind::Object if nullable && self.table.needs_null(wanted) => Some(self.null(wanted)),
            ValueKind::Object => match self.table.generators(wanted).first() {
                Some(&cheapest) => self.cheapest_call(cheapest),
                None => nullable.then(|| self.null(wanted)),
            },
            ValueKind::Array => {
                let element = self.table.element(wanted)?;
                let kind =
                    StatementKind::Array { element: self.table.java_type(element).clone(), length: 0, elements: Vec::new() };
                Some(self.push_statement(kind, self.table.erasure(wanted)))
            }
            ValueKind::Class => match self.table.class_literals(wanted).first() {
                Some(class) => {
                    let kind = StatementKind::Literal(Literal::Class(class.clone()));
                    Some(self.push_statement(kind, self.table.erasure(wanted)))
                }
                None => nullable.then(|| self.null(wanted)),
            },
            literal => {
                let drawn = self.draw(literal)?;
                Some(self.push_statement(StatementKind::Literal(drawn), self.table.erasure(wanted)))
            }
        }
    }

    /// Appends a statement of another test case with its uses mapped by `map`. A use without a
    /// counterpart gets a value of its type; `None` without any change when that fails.
    pub(crate) fn adopt(&mut self, statement: &Statement, map: &[Option<VarId>]) -> Option<VarId> {
        let mut complete = true;
        statement.kind.for_each_use(|used| complete &= map[used.index()].is_some());
        if complete {
            let mut kind = statement.kind.clone();
            kind.for_each_use_mut(|used| {
                *used = map[used.index()].expect("complete");
            });
            if let StatementKind::PutElement { array, value, .. } = &kind
                && !self.element_fits(*array, *value)
            {
                return None;
            }
            return self.push_as_mockito_would(kind, &statement.ty);
        }
        self.adopt_repaired(statement, map)
    }

    /// As [`SequenceBuilder::adopt`], for a statement of the carved test case `from`. Callables
    /// outside the table are left out, and uses that do not fit get new values.
    pub(crate) fn adopt_carved(
        &mut self,
        statement: &Statement,
        from: &TestCase,
        map: &[Option<VarId>],
        types: &dyn TypeSystem,
    ) -> Option<VarId> {
        let (kind, expected) = match &statement.kind {
            kind @ StatementKind::Construct { constructor, .. } => (kind.clone(), constructor.parameters()),
            StatementKind::Call { method, interface, receiver, args } => {
                let on = receiver.map(|receiver| match map[receiver.index()] {
                    Some(on) if !self.is_null(on) => self.test.type_of(on),
                    _ => from.type_of(receiver),
                });
                let method = if receiver.is_some() { self.callable_method(method, on, types)? } else { method.clone() };
                let mut expected = method.parameters();
                if receiver.is_some() {
                    expected.insert(0, JavaType::Class(method.owner.clone()));
                }
                (StatementKind::Call { method, interface: *interface, receiver: *receiver, args: args.clone() }, expected)
            }
            _ => return self.adopt(statement, map),
        };
        let callable = self.table.callable_of(&kind)?;
        let kind = match (kind, &self.table.callable(callable).kind) {
            (StatementKind::Call { method, receiver, args, .. }, CallableEntryKind::Call { interface, .. }) => {
                StatementKind::Call { method, interface: *interface, receiver, args }
            }
            (kind, _) => kind,
        };
        let mut fitting = map.to_vec();
        let uses = kind.uses();
        let is_call_on = uses.len() == expected.len() && matches!(kind, StatementKind::Call { receiver: Some(_), .. });
        for (position, (used, expected)) in uses.iter().zip(&expected).enumerate() {
            let Some(variable) = map[used.index()] else { continue };
            let null_receiver = position == 0 && is_call_on && self.is_null(variable);
            if null_receiver || !fits(self.test.type_of(variable), expected, types) {
                fitting[used.index()] = None;
            }
        }
        // A bridge method may return a supertype of what the bridged method returns.
        let ty = self.table.callable(callable).result.map_or(JavaType::Void, |result| self.table.java_type(result).clone());
        self.adopt(&Statement { kind, ty }, &fitting)
    }

    /// The method that a test calls in place of a method that ran: the same one, the one behind a
    /// bridge, or one of an interface of the receiver. `on`: the type of the receiver in the test.
    fn callable_method(&self, ran: &MethodRef, on: Option<&JavaType>, types: &dyn TypeSystem) -> Option<MethodRef> {
        let parameters = ran.parameters();
        let alike = |one: &JavaType, other: &JavaType| {
            one == other || (one.is_reference() && other.is_reference() && (fits(one, other, types) || fits(other, one, types)))
        };
        let mut best: Option<(u32, &MethodRef)> = None;
        for method in self.table.methods_called(&ran.name) {
            let theirs = method.parameters();
            let owner = JavaType::Class(method.owner.clone());
            let receiver_fits = on.is_some_and(|on| fits(on, &owner, types));
            if !receiver_fits
                || theirs.len() != parameters.len()
                || !theirs.iter().zip(&parameters).all(|(theirs, ran)| alike(theirs, ran))
            {
                continue;
            }
            // Smaller is nearer.
            let distance = 2 * u32::from(theirs != parameters) + u32::from(method.owner != ran.owner && Some(&owner) != on);
            if best.is_none_or(|(least, _)| distance < least) {
                best = Some((distance, method));
            }
        }
        best.map(|(_, method)| method.clone())
    }

    fn element_fits(&self, array: VarId, value: VarId) -> bool {
        let JavaType::Array(element) = self.test.type_of(array) else { return false };
        let Some(to) = self.table.find_erased(element) else { return false };
        self.type_of(value).is_some_and(|from| self.table.is_assignable(from, to))
    }

    fn adopt_repaired(&mut self, statement: &Statement, map: &[Option<VarId>]) -> Option<VarId> {
        let model = self.table;
        let before = self.len();
        let repaired = match &statement.kind {
            StatementKind::Array { element, length, elements } => {
                let elements: Vec<VarId> = elements.iter().filter_map(|element| map[element.index()]).collect();
                let kind = StatementKind::Array { element: element.clone(), length: *length, elements };
                return Some(self.push(kind, statement.ty.clone()));
            }
            StatementKind::Stub { class, kind, answers } => {
                let answers = answers.iter().filter_map(|answer| mapped_answer(answer, map)).collect();
                let kind = StatementKind::Stub { class: class.clone(), kind: *kind, answers };
                return Some(self.push(kind, statement.ty.clone()));
            }
            StatementKind::PutElement { .. } | StatementKind::Literal(_) => return None,
            kind => {
                let callable = model.callable_of(kind)?;
                let description = model.callable(callable);
                let uses = kind.uses();
                if let Some(mock) = model.injected_mock(callable) {
                    return self.fill_with_mock(callable, mock, map[uses.first()?.index()]?);
                }
                let (receiver, args) = match description.receiver {
                    Some(wanted) => (Some((wanted, *uses.first()?)), &uses[1..]),
                    None => (None, &uses[..]),
                };
                self.repair(receiver, args, &description.params, map).map(|(receiver, args)| (callable, receiver, args))
            }
        };
        match repaired {
            Some((callable, receiver, args)) if self.same_result(callable, &statement.ty) => {
                Some(self.append_call(callable, receiver, args))
            }
            _ => {
                self.roll_back(before);
                None
            }
        }
    }

    fn same_result(&self, callable: CallableIx, ty: &JavaType) -> bool {
        match self.table.callable(callable).result {
            Some(result) => self.table.java_type(result) == ty,
            None => *ty == JavaType::Void,
        }
    }

    fn repair(
        &mut self,
        receiver: Option<(TypeId, VarId)>,
        args: &[VarId],
        params: &[TypeId],
        map: &[Option<VarId>],
    ) -> Option<(Option<VarId>, Vec<VarId>)> {
        if args.len() != params.len() {
            return None;
        }
        let receiver = match receiver {
            Some((wanted, used)) => Some(match map[used.index()] {
                Some(variable) => variable,
                None => match self.existing(wanted, false) {
                    Some(variable) => variable,
                    None => self.make(wanted, 2, false)?,
                },
            }),
            None => None,
        };
        let mut repaired = Vec::with_capacity(args.len());
        for (arg, &wanted) in args.iter().zip(params) {
            repaired.push(match map[arg.index()] {
                Some(variable) => variable,
                None => self.value_of_type(wanted, 2, true)?,
            });
        }
        Some((receiver, repaired))
    }
}
