//! Builds and varies test cases that send a request to a controller through MockMvc. Flows in:
//! templates of requests, plain tests of handler methods, random source; flows out: test cases with
//! one request each. Must not know goals.
//!
//! A request is made in one of three ways: from nothing; from a plain test that calls the handler,
//! whose receiver and arguments it takes; or from another request, of which one value changes.

use std::collections::BTreeMap;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use tracewright_classfile::PrimitiveType;

use super::callable_table::{TypeId, ValueKind};
use super::literals::LiteralPool;
use super::operators;
use super::sequence::SequenceBuilder;
use crate::program::cluster::{JsonShape, OBJECTS, RequestField, RequestTemplate, Requests, STRINGS, TextKind};
use crate::program::{ClassName, JavaType, MethodRef};
use crate::testcase::{Literal, Statement, StatementKind, TestCase, VarId};

/// Chance that a request has an optional parameter.
const OPTIONAL_SENT: f64 = 0.6;
/// Chance that a request lacks a required parameter.
const REQUIRED_MISSING: f64 = 0.06;
/// Chance that a request uses the value of the plain test.
const KNOWN_VALUE_KEPT: f64 = 0.9;
/// Chance that a value is malformed.
const MALFORMED: f64 = 0.05;
/// Longest text of a parameter, in characters.
const LONGEST_TEXT: usize = 24;
/// Elements of a JSON array at most.
const LONGEST_ARRAY: usize = 2;

/// The requests that the search may send.
#[derive(Clone, Debug)]
pub(crate) struct RequestTable {
    pub(super) requests: Requests,
    /// The class of the controller.
    pub(super) controller: TypeId,
}

impl RequestTable {
    /// Number of templates.
    pub(crate) fn len(&self) -> usize {
        self.requests.templates.len()
    }

    /// The handler that requests of a template reach.
    pub(crate) fn handler(&self, template: usize) -> &MethodRef {
        &self.requests.templates[template].handler
    }

    /// The template of the request that the test performs last.
    fn template_of(&self, test: &TestCase) -> Option<&RequestTemplate> {
        let request = test.performed_request()?;
        self.requests.template(&request.verb, &request.path)
    }
}

/// Values of a plain test, by the names that a request has for them.
type KnownValues = BTreeMap<String, Literal>;

/// A test with a new controller and a request to it. Empty where no controller can be made.
pub(crate) fn new_request(mut builder: SequenceBuilder<'_>, table: &RequestTable, template: usize) -> TestCase {
    match builder.make(table.controller, 1, false) {
        Some(controller) => append_request(&mut builder, table, template, controller, &KnownValues::new()),
        None => return TestCase::default(),
    }
    builder.finish()
}

/// A request in place of the last call of the handler in a plain test. `None` where the test does not
/// call it.
pub(crate) fn request_for_call(
    mut builder: SequenceBuilder<'_>,
    table: &RequestTable,
    template: usize,
    plain: &TestCase,
) -> Option<TestCase> {
    let handler = table.handler(template);
    let call = plain.statements.iter().rposition(
        |statement| matches!(&statement.kind, StatementKind::Call { method, receiver: Some(_), .. } if method == handler),
    )?;
    let StatementKind::Call { receiver: Some(controller), args, .. } = &plain.statements[call].kind else { return None };
    let known = known_values(&table.requests.templates[template], plain, args);
    for statement in &plain.statements[..call] {
        builder.push(statement.kind.clone(), statement.ty.clone());
    }
    append_request(&mut builder, table, template, *controller, &known);
    let mut test = builder.finish();
    test.remove_unused_values();
    Some(test)
}

/// A variation of a test with a request: of a literal, of the parameters, or of the objects behind
/// the controller. `None` where the variation has no whole request.
pub(crate) fn vary_request(mut builder: SequenceBuilder<'_>, table: &RequestTable, test: &TestCase) -> Option<TestCase> {
    let varied = match builder.rng.random_range(0..10) {
        0..4 => vary_literal(&mut builder, table, test)?,
        4..6 => toggle_parameter(&mut builder, table, test)?,
        _ => operators::mutate(builder, test),
    };
    let request = varied.performed_request()?;
    (request.perform.index() + 1 == varied.len()).then_some(varied)
}

/// Appends the statements that send a request to the controller.
fn append_request(
    builder: &mut SequenceBuilder<'_>,
    table: &RequestTable,
    template: usize,
    controller: VarId,
    known: &KnownValues,
) {
    let api = &table.requests.api;
    let template = &table.requests.templates[template];
    let controllers = push_array(builder, OBJECTS, vec![controller]);
    let setup = push_call(builder, &api.standalone_setup, None, vec![controllers]);
    let mock_mvc = push_call(builder, &api.build, Some(setup), Vec::new());
    let path = push_text(builder, &template.path);
    let values = template.variables.iter().map(|variable| push_variable(builder, variable, known)).collect();
    let values = push_array(builder, OBJECTS, values);
    let request = push_call(builder, &template.verb, None, vec![path, values]);
    for (fields, method, element) in [(&template.parameters, &api.param, STRINGS), (&template.headers, &api.header, OBJECTS)] {
        for field in fields {
            let is_sent = known.contains_key(&field.name) && builder.rng.random_bool(KNOWN_VALUE_KEPT)
                || builder.rng.random_bool(if field.is_required { 1.0 - REQUIRED_MISSING } else { OPTIONAL_SENT });
            // Null in the plain test means that the request lacks the parameter.
            let is_null = known.get(&field.name) == Some(&Literal::Null);
            if is_sent && !is_null {
                let text = field_text(builder, field, known);
                let name = push_text(builder, &field.name);
                let text = push_text(builder, &text);
                let values = push_array(builder, element, vec![text]);
                push_call(builder, method, Some(request), vec![name, values]);
            }
        }
    }
    if let Some(shape) = &template.body {
        let ty = api.json.field_type();
        let json = builder.push(StatementKind::GetField { field: api.json.clone(), receiver: None }, ty);
        push_call(builder, &api.content_type, Some(request), vec![json]);
        let mut text = json_text(builder, shape, known);
        if builder.rng.random_bool(MALFORMED) {
            text.pop();
        }
        let text = push_text(builder, &text);
        push_call(builder, &api.content, Some(request), vec![text]);
    }
    push_call(builder, &api.perform, Some(mock_mvc), vec![request]);
}

/// A call on a receiver whose static type is a class: no method of an interface is called here.
fn call_statement(method: &MethodRef, receiver: Option<VarId>, args: Vec<VarId>) -> Statement {
    let kind = StatementKind::Call { method: method.clone(), interface: false, receiver, args };
    Statement { kind, ty: method.return_type() }
}

fn array_statement(descriptor: &str, elements: Vec<VarId>) -> Statement {
    let ty = JavaType::parse(descriptor).expect("a descriptor of an array");
    let JavaType::Array(element) = &ty else { unreachable!("a descriptor of an array") };
    let kind = StatementKind::Array { element: (**element).clone(), length: elements.len() as u32, elements };
    Statement { kind, ty }
}

fn text_statement(text: &str) -> Statement {
    let literal = Literal::Str(text.encode_utf16().collect());
    Statement { kind: StatementKind::Literal(literal), ty: JavaType::class("java/lang/String") }
}

fn push_statement(builder: &mut SequenceBuilder<'_>, statement: Statement) -> VarId {
    builder.push(statement.kind, statement.ty)
}

/// Appends a call on a receiver whose static type is a class, or of a static method.
pub(super) fn push_call(
    builder: &mut SequenceBuilder<'_>,
    method: &MethodRef,
    receiver: Option<VarId>,
    args: Vec<VarId>,
) -> VarId {
    push_statement(builder, call_statement(method, receiver, args))
}

fn push_array(builder: &mut SequenceBuilder<'_>, descriptor: &str, elements: Vec<VarId>) -> VarId {
    push_statement(builder, array_statement(descriptor, elements))
}

fn push_text(builder: &mut SequenceBuilder<'_>, text: &str) -> VarId {
    push_statement(builder, text_statement(text))
}

/// A value of a variable in the path: an `Integer` for an integer, else a string.
fn push_variable(builder: &mut SequenceBuilder<'_>, variable: &RequestField, known: &KnownValues) -> VarId {
    let integer = match known.get(&variable.name) {
        Some(Literal::Int(value)) => Some(*value),
        Some(Literal::Long(value)) => i32::try_from(*value).ok(),
        _ => None,
    };
    if variable.kind == TextKind::Integer && !builder.rng.random_bool(MALFORMED) {
        let value = integer.unwrap_or_else(|| builder.rng.random_range(0..12));
        let literal = builder.push(StatementKind::Literal(Literal::Int(value)), JavaType::INT);
        let class = ClassName::new("java/lang/Integer");
        return push_call(builder, &MethodRef::new(class, "valueOf", "(I)Ljava/lang/Integer;"), None, vec![literal]);
    }
    let text = field_text(builder, variable, known);
    push_text(builder, &path_segment(&text))
}

/// The text without characters that have a meaning in a path; never empty.
fn path_segment(text: &str) -> String {
    let plain: String = text.chars().filter(|c| c.is_ascii_graphic() && !matches!(c, '/' | '\\' | ';' | '%' | '.')).collect();
    if plain.is_empty() { "a".to_string() } else { plain }
}

/// The text of a value: that of the plain test, or else a new one.
fn field_text(builder: &mut SequenceBuilder<'_>, field: &RequestField, known: &KnownValues) -> String {
    if let Some(text) = known.get(&field.name).and_then(literal_text)
        && builder.rng.random_bool(KNOWN_VALUE_KEPT)
    {
        return text;
    }
    if builder.rng.random_bool(MALFORMED) {
        return new_text(builder.pool, builder.rng, &TextKind::Text);
    }
    new_text(builder.pool, builder.rng, &field.kind)
}

/// The text of a literal in a request; `None` for a literal that no request can hold.
fn literal_text(literal: &Literal) -> Option<String> {
    match literal {
        Literal::Boolean(value) => Some(value.to_string()),
        Literal::Byte(value) => Some(value.to_string()),
        Literal::Short(value) => Some(value.to_string()),
        Literal::Int(value) => Some(value.to_string()),
        Literal::Long(value) => Some(value.to_string()),
        Literal::Float(bits) => Some(f32::from_bits(*bits).to_string()),
        Literal::Double(bits) => Some(f64::from_bits(*bits).to_string()),
        Literal::Str(units) => String::from_utf16(units).ok().filter(|text| !text.chars().any(char::is_control)),
        Literal::Null | Literal::Char(_) | Literal::Class(_) => None,
    }
}

/// Random text of the kind, from the literals of the class where it has some.
fn new_text(pool: &LiteralPool, rng: &mut ChaCha8Rng, kind: &TextKind) -> String {
    let from_pool = |rng: &mut ChaCha8Rng, kind: ValueKind| pool.draw(kind, rng).and_then(|literal| literal_text(&literal));
    match kind {
        TextKind::Text => {
            let text = from_pool(rng, ValueKind::Str).unwrap_or_default();
            text.chars().filter(|c| !c.is_control()).take(LONGEST_TEXT).collect()
        }
        TextKind::Integer => from_pool(rng, ValueKind::Primitive(PrimitiveType::Int)).unwrap_or_else(|| "1".into()),
        TextKind::Decimal => format!("{}.{:02}", rng.random_range(0..200), rng.random_range(0..100)),
        TextKind::Boolean => rng.random_bool(0.5).to_string(),
        TextKind::Date => random_date(rng),
        TextKind::DateTime => format!("{}T{}", random_date(rng), random_time(rng)),
        TextKind::Time => random_time(rng),
        TextKind::Uuid => format!("00000000-0000-0000-0000-{:012}", rng.random_range(0..100)),
        TextKind::Word(words) => match words.len() {
            0 => String::new(),
            count => words[rng.random_range(0..count)].clone(),
        },
    }
}

fn random_date(rng: &mut ChaCha8Rng) -> String {
    format!("{}-{:02}-{:02}", rng.random_range(1990..2100), rng.random_range(1..=12), rng.random_range(1..=28))
}

fn random_time(rng: &mut ChaCha8Rng) -> String {
    format!("{:02}:{:02}:00", rng.random_range(0..24), rng.random_range(0..60))
}

/// Random JSON of the shape. Members that the plain test sets keep their values; others may be
/// missing.
fn json_text(builder: &mut SequenceBuilder<'_>, shape: &JsonShape, known: &KnownValues) -> String {
    match shape {
        JsonShape::Value(kind) => json_value(kind, &new_text(builder.pool, builder.rng, kind)),
        JsonShape::Array(element) => {
            let count = builder.rng.random_range(0..=LONGEST_ARRAY);
            let elements: Vec<String> = (0..count).map(|_| json_text(builder, element, &KnownValues::new())).collect();
            format!("[{}]", elements.join(","))
        }
        JsonShape::Object(members) => {
            let mut written = Vec::new();
            for (name, shape) in members {
                let value = match (known.get(name), shape) {
                    (Some(Literal::Null), _) => continue,
                    (Some(literal), JsonShape::Value(kind)) => literal_text(literal).map(|text| json_value(kind, &text)),
                    _ => None,
                };
                if value.is_none() && !builder.rng.random_bool(OPTIONAL_SENT) {
                    continue;
                }
                let value = value.unwrap_or_else(|| json_text(builder, shape, &KnownValues::new()));
                written.push(format!("\"{name}\":{value}"));
            }
            format!("{{{}}}", written.join(","))
        }
    }
}

/// The text as a JSON number or boolean where the kind is one and the text allows it, else as a JSON
/// string.
fn json_value(kind: &TextKind, text: &str) -> String {
    let is_bare = match kind {
        TextKind::Integer => text.parse::<i64>().is_ok(),
        TextKind::Decimal => text.parse::<f64>().is_ok_and(f64::is_finite),
        TextKind::Boolean => matches!(text, "true" | "false"),
        _ => false,
    };
    if is_bare { text.to_string() } else { format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")) }
}

/// The literals that the arguments of a call hold, by the names that the template gives to them.
fn known_values(template: &RequestTemplate, plain: &TestCase, args: &[VarId]) -> KnownValues {
    let mut known = KnownValues::new();
    let fields = template.variables.iter().chain(&template.parameters).chain(&template.headers);
    for field in fields {
        let Some(argument) = field.argument.and_then(|position| args.get(position)) else { continue };
        if let Some(literal) = literal_behind(plain, *argument).or_else(|| setter_value(plain, *argument, &field.name)) {
            known.insert(field.name.clone(), literal);
        }
    }
    let body = template.body_argument.and_then(|position| args.get(position));
    if let (Some(JsonShape::Object(members)), Some(body)) = (&template.body, body) {
        for (name, _) in members {
            known.extend(setter_value(plain, *body, name).map(|literal| (name.clone(), literal)));
        }
    }
    known
}

/// The literal that the variable holds, possibly boxed, or the name of an enum constant.
fn literal_behind(test: &TestCase, variable: VarId) -> Option<Literal> {
    match &test.statement(variable).kind {
        StatementKind::Literal(literal) => Some(literal.clone()),
        StatementKind::Call { method, receiver: None, args, .. } if &*method.name == "valueOf" => {
            args.first().and_then(|argument| test.literal(*argument)).cloned()
        }
        StatementKind::GetField { field, receiver: None } => Some(Literal::Str(field.name.encode_utf16().collect())),
        _ => None,
    }
}

/// The literal that the last call of a property's setter passes to the object.
fn setter_value(test: &TestCase, object: VarId, name: &str) -> Option<Literal> {
    let setter = format!("set{}{}", name.get(..1)?.to_ascii_uppercase(), name.get(1..)?);
    test.statements.iter().rev().find_map(|statement| match &statement.kind {
        StatementKind::Call { method, receiver, args, .. } if *receiver == Some(object) && *method.name == *setter => {
            args.first().and_then(|argument| literal_behind(test, *argument))
        }
        _ => None,
    })
}

/// The test with one literal changed. A text that the request sends stays of its kind; other literals
/// change as in plain tests.
fn vary_literal(builder: &mut SequenceBuilder<'_>, table: &RequestTable, test: &TestCase) -> Option<TestCase> {
    let literals: Vec<VarId> = (0..test.len() as u32)
        .map(VarId)
        .filter(|variable| match test.literal(*variable) {
            None | Some(Literal::Null | Literal::Class(_)) => false,
            Some(_) => !test.is_fixed_in_request(*variable),
        })
        .collect();
    if literals.is_empty() {
        return None;
    }
    let chosen = literals[builder.rng.random_range(0..literals.len())];
    let current = test.literal(chosen)?;
    let template = table.template_of(test)?;
    let varied = match (current, test.is_sent_by_request(chosen)) {
        (Literal::Str(units), true) => {
            let text = vary_sent_text(builder, template, test, chosen, &String::from_utf16_lossy(units));
            Literal::Str(text.encode_utf16().collect())
        }
        _ => builder.pool.vary(current, builder.rng),
    };
    let mut changed = test.clone();
    changed.replace_literal(chosen, varied).then_some(changed)
}

/// The part of a request that sends a text. The kind is `None` where the template does not know the
/// part.
enum RequestPart<'a> {
    Body,
    PathVariable(Option<&'a TextKind>),
    /// A parameter or a header.
    Field(Option<&'a TextKind>),
}

/// The part of the request that sends the literal. Body and path come first: a literal may also be an
/// element of other arrays.
fn part_sending<'a>(template: &'a RequestTemplate, test: &TestCase, literal: VarId) -> RequestPart<'a> {
    let mut field = None;
    for statement in &test.statements {
        let StatementKind::Call { method, args, .. } = &statement.kind else { continue };
        if args.first() == Some(&literal) && &*method.name == "content" {
            return RequestPart::Body;
        }
        let Some(StatementKind::Array { elements, .. }) = args.get(1).map(|values| &test.statement(*values).kind) else {
            continue;
        };
        let Some(position) = elements.iter().position(|element| *element == literal) else { continue };
        if method.name == template.verb.name {
            return RequestPart::PathVariable(template.variables.get(position).map(|variable| &variable.kind));
        }
        let name = args.first().and_then(|name| test.literal(*name)).and_then(literal_text);
        let mut fields = template.parameters.iter().chain(&template.headers);
        field = fields.find(|field| name.as_deref() == Some(&*field.name)).map(|field| &field.kind);
    }
    RequestPart::Field(field)
}

/// Another text in place of one that the request sends.
fn vary_sent_text(
    builder: &mut SequenceBuilder<'_>,
    template: &RequestTemplate,
    test: &TestCase,
    literal: VarId,
    current: &str,
) -> String {
    let kind = match part_sending(template, test, literal) {
        RequestPart::Body => {
            let shape = template.body.as_ref();
            return shape.map_or_else(|| current.to_string(), |shape| json_text(builder, shape, &KnownValues::new()));
        }
        RequestPart::PathVariable(kind) => {
            return path_segment(&new_text(builder.pool, builder.rng, kind.unwrap_or(&TextKind::Text)));
        }
        RequestPart::Field(kind) => kind.unwrap_or(&TextKind::Text),
    };
    match (kind, current.parse::<i32>()) {
        (TextKind::Integer, Ok(number)) if builder.rng.random_bool(0.5) => {
            literal_text(&builder.pool.vary(&Literal::Int(number), builder.rng)).unwrap_or_default()
        }
        (TextKind::Text, _) if builder.rng.random_bool(0.5) => {
            let units = current.encode_utf16().collect();
            literal_text(&builder.pool.vary(&Literal::Str(units), builder.rng)).unwrap_or_default()
        }
        _ => new_text(builder.pool, builder.rng, kind),
    }
}

/// The test with one parameter of the template removed from the request, or added to it.
fn toggle_parameter(builder: &mut SequenceBuilder<'_>, table: &RequestTable, test: &TestCase) -> Option<TestCase> {
    let request = test.performed_request()?;
    let template = table.template_of(test)?;
    if template.parameters.is_empty() {
        return None;
    }
    let field = &template.parameters[builder.rng.random_range(0..template.parameters.len())];
    let present = test.statements.iter().position(|statement| match &statement.kind {
        StatementKind::Call { method, receiver, args, .. } => {
            let name = args.first().and_then(|name| test.literal(*name)).and_then(literal_text);
            *receiver == Some(request.request) && &*method.name == "param" && name.as_deref() == Some(&*field.name)
        }
        _ => false,
    });
    let mut varied = test.clone();
    if let Some(present) = present {
        varied.remove_with_dependants(present);
        varied.remove_unused_values();
        return Some(varied);
    }
    let text = new_text(builder.pool, builder.rng, &field.kind);
    let at = request.perform;
    let [name, value, values] = [0, 1, 2].map(|offset| VarId(at.0 + offset));
    varied.insert(
        at.index(),
        vec![
            text_statement(&field.name),
            text_statement(&text),
            array_statement(STRINGS, vec![value]),
            call_statement(&table.requests.api.param, Some(request.request), vec![name, values]),
        ],
    );
    Some(varied)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_quotes_what_is_no_number() {
        for (kind, text, expected) in [
            (TextKind::Integer, "7", "7"),
            (TextKind::Integer, "x", "\"x\""),
            (TextKind::Text, "a\"b\\", "\"a\\\"b\\\\\""),
            (TextKind::Boolean, "true", "true"),
        ] {
            assert_eq!(json_value(&kind, text), expected, "{text}");
        }
    }

    #[test]
    fn values_of_a_plain_test_are_found_by_name() {
        let test: TestCase = "\
v0: Lp/F; = new p/F.<init> ()V ()
v1: Ljava/lang/String; = string \"Ann\"
v2: V = call method p/F.setName (Ljava/lang/String;)V on v0 (v1)
v3: I = int 4
v4: Ljava/lang/Integer; = call method java/lang/Integer.valueOf (I)Ljava/lang/Integer; (v3)
"
        .parse()
        .expect("well-formed");
        assert_eq!(setter_value(&test, VarId(0), "name"), Some(Literal::Str("Ann".encode_utf16().collect())));
        assert_eq!(setter_value(&test, VarId(0), "age"), None);
        assert_eq!(literal_behind(&test, VarId(4)), Some(Literal::Int(4)));
    }

    #[test]
    fn segments_of_a_path_are_never_empty() {
        assert_eq!((path_segment("/"), path_segment("A/b c")), ("a".to_string(), "Abc".to_string()));
    }
}
