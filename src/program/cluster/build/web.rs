//! Templates of requests from the annotations of a Spring MVC controller.
//!
//! In: the target. Out: [`Requests`], where the target is a controller and spring-test is on the
//! class path. Must not know how requests are sent or which values they get.

use std::collections::BTreeSet;
use std::sync::Arc;

use tracewright_classfile::{Annotation, ElementValue, PrimitiveType};

use super::Scope;
use crate::program::cluster::CodeConstants;
use crate::program::cluster::analysis::collect_constants;
use crate::program::cluster::requests::{
    JsonShape, MockMvcApi, OBJECTS, RequestField, RequestTemplate, Requests, STRINGS, TextKind,
};
use crate::program::{ClassModel, ClassName, ClassOrigin, FieldRef, GenericType, JavaType, MethodModel, MethodRef, Program};

/// Package of the annotations of Spring MVC.
const ANNOTATIONS: &str = "Lorg/springframework/web/bind/annotation/";
/// Annotations of classes whose methods answer requests.
const CONTROLLERS: [&str; 2] =
    ["Lorg/springframework/stereotype/Controller;", "Lorg/springframework/web/bind/annotation/RestController;"];
/// Annotations of handler methods, with the method of `MockMvcRequestBuilders` for each.
const MAPPINGS: [(&str, &str); 5] = [
    ("GetMapping", "get"),
    ("PostMapping", "post"),
    ("PutMapping", "put"),
    ("DeleteMapping", "delete"),
    ("PatchMapping", "patch"),
];
/// Packages whose classes Spring MVC passes to handlers by itself.
const PROVIDED: [&str; 5] = ["java/", "javax/", "jakarta/", "org/springframework/", "kotlin/"];
/// Depth to which the members of a body or form are read.
const MAX_DEPTH: u32 = 3;
/// Most names of attributes of one handler.
const MAX_ATTRIBUTES: usize = 4;
/// Most members of one object, and most parameters of a request.
const MAX_FIELDS: usize = 16;

/// The requests that a test of the target may send; `None` where it is no controller, where
/// spring-test or the servlet API is missing, or where its classes are too new for the test.
pub(super) fn requests(scope: Scope<'_>) -> Option<Requests> {
    let target = scope.program.class(scope.target)?;
    let annotations = target.file.annotations().ok()?;
    let is_controller = annotations.iter().any(|annotation| CONTROLLERS.contains(&&*annotation.descriptor));
    if !is_controller || target.is_abstract() || !scope.access.class(&target) {
        return None;
    }
    let api = Api { scope, release: target.file.major_version() };
    let found = Requests { api: api.members()?, templates: templates(api, &target, &annotations) };
    (!found.templates.is_empty()).then_some(found)
}

/// Looks for members of spring-test.
#[derive(Clone, Copy)]
struct Api<'a> {
    scope: Scope<'a>,
    /// The version of the class files that a test may use.
    release: u16,
}

impl Api<'_> {
    fn members(self) -> Option<MockMvcApi> {
        // MockMvc needs the servlet API, which is no part of spring-test.
        ["jakarta/servlet/http/HttpServletRequest", "javax/servlet/http/HttpServletRequest"]
            .iter()
            .find_map(|name| self.scope.program.class(&ClassName::new(name)))?;
        let setup = "org/springframework/test/web/servlet/setup/";
        let builder = "org/springframework/test/web/servlet/request/MockHttpServletRequestBuilder";
        let mock_mvc = "org/springframework/test/web/servlet/MockMvc";
        let result = "org/springframework/test/web/servlet/MvcResult";
        let response = "org/springframework/mock/web/MockHttpServletResponse";
        let model_and_view = "org/springframework/web/servlet/ModelAndView";
        let media_type = "org/springframework/http/MediaType";
        self.class(media_type)?;
        Some(MockMvcApi {
            standalone_setup: self.method(&format!("{setup}MockMvcBuilders"), "standaloneSetup", &format!("({OBJECTS})"))?,
            build: self.method(&format!("{setup}StandaloneMockMvcBuilder"), "build", "()")?,
            param: self.method(builder, "param", &format!("(Ljava/lang/String;{STRINGS})"))?,
            header: self.method(builder, "header", &format!("(Ljava/lang/String;{OBJECTS})"))?,
            content_type: self.method(builder, "contentType", &format!("(L{media_type};)"))?,
            content: self.method(builder, "content", "(Ljava/lang/String;)")?,
            json: FieldRef::new(ClassName::new(media_type), "APPLICATION_JSON", &format!("L{media_type};")),
            perform: self.method(mock_mvc, "perform", "(Lorg/springframework/test/web/servlet/RequestBuilder;)")?,
            and_return: self.method("org/springframework/test/web/servlet/ResultActions", "andReturn", "()")?,
            get_response: self.method(result, "getResponse", "()")?,
            get_status: self.method(response, "getStatus", "()")?,
            get_redirected_url: self.method(response, "getRedirectedUrl", "()")?,
            get_content: self.method(response, "getContentAsString", "()")?,
            get_model_and_view: self.method(result, "getModelAndView", "()")?,
            get_view_name: self.method(model_and_view, "getViewName", "()")?,
            get_model: self.method(model_and_view, "getModel", "()")?,
        })
    }

    /// The method of `MockMvcRequestBuilders` with this name.
    fn verb(self, name: &str) -> Option<MethodRef> {
        let builders = "org/springframework/test/web/servlet/request/MockMvcRequestBuilders";
        self.method(builders, name, &format!("(Ljava/lang/String;{OBJECTS})"))
    }

    fn class(self, name: &str) -> Option<Arc<ClassModel>> {
        let class = self.scope.program.class(&ClassName::new(name))?;
        (self.scope.access.class(&class) && class.file.major_version() <= self.release).then_some(class)
    }

    /// The method with these parameters, called on the class. A superclass may declare it, and a
    /// bridge may stand in front of it.
    fn method(self, owner: &str, name: &str, parameters: &str) -> Option<MethodRef> {
        let class = self.class(owner)?;
        let program = self.scope.program;
        let mut family = program.superclass_chain(&class.name);
        family.extend(program.all_interfaces(&class.name).iter().filter_map(|interface| program.class(interface)));
        let found = family.iter().flat_map(|class| &class.methods).find(|method| {
            method.name() == name && method.reference.descriptor.starts_with(parameters) && !method.access.is_synthetic()
        })?;
        Some(MethodRef { owner: class.name.clone(), ..found.reference.clone() })
    }
}

/// The templates of all handler methods.
fn templates(api: Api<'_>, target: &ClassModel, annotations: &[Annotation]) -> Vec<RequestTemplate> {
    let Scope { program, access, .. } = api.scope;
    let outer = annotations.iter().find(|annotation| mapping_name(annotation) == Some("RequestMapping"));
    let prefixes = outer.map(paths).unwrap_or_else(|| vec![String::new()]);
    let writes_response = ["RestController", "ResponseBody"].iter().any(|simple| is_marked(annotations, simple));
    let shared = shared_values(program, target);
    let mut found: Vec<RequestTemplate> = Vec::new();
    let handlers = target.methods.iter().filter(|method| access.member(method.access, &target.name) && !method.is_static());
    for method in handlers.filter(|method| !method.is_constructor() && !method.access.is_synthetic()) {
        let annotations = target.file.method(method.index).annotations().unwrap_or_default();
        let Some((mapping, name)) = annotations.iter().find_map(|found| Some((found, mapping_name(found)?))) else { continue };
        let Some(verb) = verb_of(mapping, name).and_then(|verb| api.verb(&verb)) else { continue };
        let own = values_of_parameters(program, target, method);
        let has_view = !writes_response && !is_marked(&annotations, "ResponseBody") && !is_entity(&method.returns);
        for path in prefixes.iter().flat_map(|prefix| paths(mapping).into_iter().map(move |path| joined(prefix, &path))) {
            let Some(path) = plain_path(&path) else { continue };
            if found.iter().any(|known| known.path == path && known.verb == verb) {
                continue;
            }
            let variables = variable_names(&path).map(|name| {
                let known = own.iter().chain(&shared).find(|value| value.place == Place::Path && value.field.name == name);
                known.map_or_else(|| demanded_field(name, TextKind::Text), |value| value.field.clone())
            });
            let fields = |place: Place| {
                let mut fields: Vec<RequestField> = Vec::new();
                for value in own.iter().chain(&shared).filter(|value| value.place == place) {
                    if fields.iter().all(|known| known.name != value.field.name) {
                        fields.push(value.field.clone());
                    }
                }
                fields.truncate(MAX_FIELDS);
                fields
            };
            let mut parameters = fields(Place::Parameter);
            require(&mut parameters, mapping, outer, "params");
            let mut headers = fields(Place::Header);
            require(&mut headers, mapping, outer, "headers");
            let (body, body_argument) = body_of(program, target, method).unzip();
            found.push(RequestTemplate {
                handler: method.reference.clone(),
                verb: verb.clone(),
                variables: variables.collect(),
                path,
                parameters,
                headers,
                body,
                body_argument,
                validates: validates(target, method),
                has_view,
                attributes: if has_view { attributes(target, method) } else { Vec::new() },
            });
        }
    }
    found
}

/// The simple name of an annotation that maps requests.
fn mapping_name(annotation: &Annotation) -> Option<&str> {
    let name = annotation.descriptor.strip_prefix(ANNOTATIONS)?.strip_suffix(';')?;
    (name == "RequestMapping" || MAPPINGS.iter().any(|(known, _)| *known == name)).then_some(name)
}

/// The method of `MockMvcRequestBuilders` for requests to the mapping.
fn verb_of(mapping: &Annotation, name: &str) -> Option<String> {
    if let Some((_, verb)) = MAPPINGS.iter().find(|(known, _)| *known == name) {
        return Some(verb.to_string());
    }
    // A mapping without a verb answers each of them.
    let Some(ElementValue::Array(verbs)) = mapping.element("method") else { return Some("get".into()) };
    match verbs.first() {
        Some(ElementValue::Enum(_, verb)) => Some(verb.to_ascii_lowercase()),
        _ => Some("get".into()),
    }
}

/// The texts of an element with one or several strings.
fn texts(annotation: &Annotation, element: &str) -> Vec<String> {
    match annotation.element(element) {
        Some(ElementValue::Text(text)) => vec![text.clone()],
        Some(ElementValue::Array(values)) => values
            .iter()
            .filter_map(|value| if let ElementValue::Text(text) = value { Some(text.clone()) } else { None })
            .collect(),
        _ => Vec::new(),
    }
}

/// The paths of a mapping; one empty path where it has none.
fn paths(mapping: &Annotation) -> Vec<String> {
    let found: Vec<String> = ["value", "path"].into_iter().flat_map(|element| texts(mapping, element)).collect();
    if found.is_empty() { vec![String::new()] } else { found }
}

/// The path of a method behind that of its class.
fn joined(prefix: &str, path: &str) -> String {
    let (prefix, path) = (prefix.trim_end_matches('/'), path.trim_start_matches('/'));
    let separator = if path.is_empty() && !prefix.is_empty() { "" } else { "/" };
    let joined = format!("{prefix}{separator}{path}");
    if joined.starts_with('/') { joined } else { format!("/{joined}") }
}

/// The path with plain variables; `None` where it has wildcards or placeholders of properties.
fn plain_path(path: &str) -> Option<String> {
    let mut plain = String::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('{') {
        if before.ends_with('$') {
            return None;
        }
        // A regular expression may hold braces of its own.
        let mut depth = 1;
        let end = after.char_indices().find_map(|(at, c)| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            (depth == 0).then_some(at)
        })?;
        let name = after[..end].split(':').next().unwrap_or_default();
        if name.starts_with('*') {
            return None;
        }
        plain.push_str(&format!("{before}{{{name}}}"));
        rest = &after[end + 1..];
    }
    plain.push_str(rest);
    (!plain.contains('*') && !plain.contains('?')).then_some(plain)
}

fn variable_names(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|part| part.split('}').next())
}

/// Adds what the mapping demands of parameters or headers: `name` or `name=value`.
fn require(fields: &mut Vec<RequestField>, mapping: &Annotation, outer: Option<&Annotation>, element: &str) {
    let demanded = outer.into_iter().chain([mapping]).flat_map(|annotation| texts(annotation, element));
    for demand in demanded.filter(|demand| !demand.starts_with('!') && !demand.contains("!=")) {
        let (name, value) = demand.split_once('=').unwrap_or((&demand, ""));
        let kind = if value.is_empty() { TextKind::Text } else { TextKind::Word(vec![value.to_string()]) };
        match fields.iter_mut().find(|field| field.name == name) {
            Some(field) => field.is_required = true,
            None => fields.push(demanded_field(name, kind)),
        }
    }
}

/// A value that no parameter of the handler gets.
fn demanded_field(name: &str, kind: TextKind) -> RequestField {
    RequestField { name: name.to_string(), kind, is_required: true, argument: None }
}

/// Whether an annotation of Spring MVC with this simple name is among them.
fn is_marked(annotations: &[Annotation], simple: &str) -> bool {
    let descriptor = format!("{ANNOTATIONS}{simple};");
    annotations.iter().any(|annotation| annotation.descriptor == descriptor)
}

/// Whether a handler that returns the type writes the response itself.
fn is_entity(ty: &JavaType) -> bool {
    let JavaType::Class(name) = ty else { return false };
    matches!(name.internal(), "org/springframework/http/ResponseEntity" | "org/springframework/http/HttpEntity")
}

/// Strings in the code of the handler that can be names of attributes.
fn attributes(target: &ClassModel, method: &MethodModel) -> Vec<String> {
    let mut constants = CodeConstants::default();
    collect_constants(target, method, &mut constants);
    let texts = constants.strings.iter().filter_map(|units| String::from_utf16(units).ok());
    let is_name = |text: &String| {
        text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(|c| c.is_ascii_alphanumeric()) && text.len() <= 24
    };
    texts.filter(is_name).take(MAX_ATTRIBUTES).collect()
}

/// Where a value of a request stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Path,
    Parameter,
    Header,
}

/// A value that a method gets from the request.
struct RequestValue {
    place: Place,
    field: RequestField,
}

/// What the methods get that Spring MVC calls before each handler.
fn shared_values(program: &Program, target: &ClassModel) -> Vec<RequestValue> {
    let prepares = |method: &&MethodModel| {
        let annotations = target.file.method(method.index).annotations().unwrap_or_default();
        is_marked(&annotations, "ModelAttribute")
    };
    let mut values: Vec<RequestValue> =
        target.methods.iter().filter(prepares).flat_map(|method| values_of_parameters(program, target, method)).collect();
    // Another method than the handler gets them.
    values.iter_mut().for_each(|value| value.field.argument = None);
    values
}

/// Whether Spring MVC validates an argument of the handler: by the simple name of an annotation, as
/// its `@Validated`, those of Jakarta and older ones do.
fn validates(target: &ClassModel, method: &MethodModel) -> bool {
    let is_valid = |annotation: &Annotation| {
        annotation.descriptor.rsplit(['/', '$']).next().is_some_and(|simple| simple.starts_with("Valid"))
    };
    parameters(target, method).iter().any(|(annotations, ..)| annotations.iter().any(is_valid))
}

/// The parameters of a method with their annotations and names.
fn parameters<'a>(target: &'a ClassModel, method: &'a MethodModel) -> Vec<(Vec<Annotation>, &'a GenericType, Option<&'a str>)> {
    let mut annotated = target.file.method(method.index).parameter_annotations().unwrap_or_default();
    annotated.resize(method.parameters.len(), Vec::new());
    let names = target.parameter_names(method);
    let names = names.iter().map(Option::as_deref).chain(std::iter::repeat(None));
    annotated.into_iter().zip(&method.signature.arguments).zip(names).map(|((found, ty), name)| (found, ty, name)).collect()
}

fn values_of_parameters(program: &Program, target: &ClassModel, method: &MethodModel) -> Vec<RequestValue> {
    let mut values = Vec::new();
    for (position, (annotations, ty, name)) in parameters(target, method).into_iter().enumerate() {
        let mut add = |place: Place, name: String, kind: TextKind, is_required: bool| {
            values.push(RequestValue { place, field: RequestField { name, kind, is_required, argument: Some(position) } });
        };
        let annotation = |simple: &str| {
            let descriptor = format!("{ANNOTATIONS}{simple};");
            annotations.iter().find(|annotation| annotation.descriptor == descriptor)
        };
        let named = |annotation: &Annotation| {
            let written =
                ["name", "value"].into_iter().flat_map(|element| texts(annotation, element)).find(|name| !name.is_empty());
            written.or_else(|| name.map(str::to_string))
        };
        let places = [("PathVariable", Place::Path), ("RequestParam", Place::Parameter), ("RequestHeader", Place::Header)];
        if let Some((found, place)) = places.iter().find_map(|(simple, place)| Some((annotation(simple)?, *place))) {
            let Some((kind, is_optional)) = text_kind(program, ty) else { continue };
            let has_default = found.element("defaultValue").is_some();
            let is_required = !is_optional && !has_default && found.element("required") != Some(&ElementValue::Int(0));
            if let Some(name) = named(found) {
                add(place, name, kind, is_required);
            }
            continue;
        }
        if annotation("RequestBody").is_some() {
            continue;
        }
        let is_pageable = ty.class_name().is_some_and(|class| class.internal() == "org/springframework/data/domain/Pageable");
        if is_pageable {
            for name in ["page", "size"] {
                add(Place::Parameter, name.into(), TextKind::Integer, false);
            }
        } else if let Some(form) = form_class(program, ty) {
            for (name, kind) in form_fields(program, &form) {
                add(Place::Parameter, name, kind, false);
            }
        } else if let (Some((kind, _)), Some(name), true) = (text_kind(program, ty), name, annotations.is_empty()) {
            add(Place::Parameter, name.to_string(), kind, false);
        }
    }
    values
}

/// The class whose setters get the parameters of a form.
fn form_class(program: &Program, ty: &GenericType) -> Option<Arc<ClassModel>> {
    let name = ty.class_name()?;
    if PROVIDED.iter().any(|package| name.internal().starts_with(package)) && !is_sample(name) {
        return None;
    }
    let class = program.class(name)?;
    (class.origin == ClassOrigin::Project && !class.is_interface() && !class.is_enum()).then_some(class)
}

/// Applications of the Spring project itself lie in its package.
fn is_sample(name: &ClassName) -> bool {
    name.internal().starts_with("org/springframework/samples/")
}

/// The parameters that a form of the class may have: one for each property that text can set.
fn form_fields(program: &Program, class: &Arc<ClassModel>) -> Vec<(String, TextKind)> {
    let mut fields: Vec<(String, TextKind)> = Vec::new();
    for (name, ty) in properties(program, class) {
        if let Some((kind, _)) = text_kind(program, &ty)
            && fields.iter().all(|(known, _)| *known != name)
        {
            fields.push((name, kind));
        }
    }
    fields.truncate(MAX_FIELDS);
    fields
}

/// Properties that a request can set, by their setters, else by the components or the longest
/// constructor of the class.
fn properties(program: &Program, class: &Arc<ClassModel>) -> Vec<(String, GenericType)> {
    let mut found: Vec<(String, GenericType)> = Vec::new();
    let mut known = BTreeSet::new();
    for ancestor in program.superclass_chain(&class.name) {
        if ancestor.origin != ClassOrigin::Project {
            break;
        }
        for method in &ancestor.methods {
            let is_plain = method.access.is_public() && !method.is_static() && !method.access.is_synthetic();
            if is_plain
                && let Some(name) = method.name().strip_prefix("set")
                && let ([ty], true) = (&method.signature.arguments[..], name.starts_with(|c: char| c.is_ascii_uppercase()))
                && known.insert(name.to_string())
            {
                found.push((property_name(name), ty.clone()));
            }
        }
    }
    if found.is_empty() {
        let constructors = class.methods.iter().filter(|method| method.is_constructor() && !method.access.is_private());
        if let Some(longest) = constructors.max_by_key(|method| method.parameters.len()) {
            let names = class.parameter_names(longest).iter().cloned();
            found.extend(names.zip(&longest.signature.arguments).filter_map(|(name, ty)| Some((name?, ty.clone()))));
        }
    }
    found
}

/// The name of a property from the name of its setter: `URL` stays as it is.
fn property_name(capitalised: &str) -> String {
    let mut characters = capitalised.chars();
    let Some(first) = characters.next() else { return String::new() };
    match characters.clone().next() {
        Some(second) if second.is_ascii_uppercase() => capitalised.to_string(),
        _ => first.to_ascii_lowercase().to_string() + characters.as_str(),
    }
}

/// What text for a value of the type stands for, and whether the type makes the value optional.
/// `None` for a type that no text gives.
fn text_kind(program: &Program, ty: &GenericType) -> Option<(TextKind, bool)> {
    let name = match ty {
        GenericType::Primitive(primitive) => {
            let kind = match primitive.primitive()? {
                PrimitiveType::Boolean => TextKind::Boolean,
                PrimitiveType::Float | PrimitiveType::Double => TextKind::Decimal,
                PrimitiveType::Char => TextKind::Text,
                PrimitiveType::Byte | PrimitiveType::Short | PrimitiveType::Int | PrimitiveType::Long => TextKind::Integer,
            };
            return Some((kind, false));
        }
        GenericType::Array(element) => return text_kind(program, element),
        GenericType::Class { name, .. } => name,
        _ => return None,
    };
    let of_argument = || ty.arguments().first().map(bound_of).and_then(|argument| text_kind(program, &argument));
    Some(match name.internal() {
        "java/lang/String" | "java/lang/CharSequence" | "java/lang/Character" => (TextKind::Text, false),
        "java/lang/Boolean" => (TextKind::Boolean, false),
        "java/lang/Float" | "java/lang/Double" | "java/math/BigDecimal" | "java/lang/Number" => (TextKind::Decimal, false),
        "java/lang/Byte" | "java/lang/Short" | "java/lang/Integer" | "java/lang/Long" | "java/math/BigInteger" => {
            (TextKind::Integer, false)
        }
        "java/time/LocalDate" => (TextKind::Date, false),
        "java/time/LocalDateTime" => (TextKind::DateTime, false),
        "java/time/LocalTime" => (TextKind::Time, false),
        "java/util/UUID" => (TextKind::Uuid, false),
        "java/util/Locale" | "java/util/Currency" | "java/time/ZoneId" => (TextKind::Text, false),
        "java/util/Optional" => (of_argument()?.0, true),
        "java/util/OptionalInt" | "java/util/OptionalLong" => (TextKind::Integer, true),
        "java/util/List" | "java/util/Set" | "java/util/Collection" => of_argument()?,
        _ => {
            let class = program.class(name).filter(|class| class.is_enum())?;
            (TextKind::Word(class.enum_constants().map(|constant| constant.reference.name.to_string()).collect()), false)
        }
    })
}

/// The form of the body that the method reads, and the position of its parameter.
fn body_of(program: &Program, target: &ClassModel, method: &MethodModel) -> Option<(JsonShape, usize)> {
    let found = parameters(target, method);
    let position = found.iter().position(|(annotations, ..)| is_marked(annotations, "RequestBody"))?;
    Some((json_shape(program, found[position].1, 0).unwrap_or(JsonShape::Object(Vec::new())), position))
}

fn json_shape(program: &Program, ty: &GenericType, depth: u32) -> Option<JsonShape> {
    if let Some(element) = element_type(ty) {
        return json_shape(program, &element, depth + 1).map(|element| JsonShape::Array(Box::new(element)));
    }
    if let Some((kind, _)) = text_kind(program, ty) {
        return Some(JsonShape::Value(kind));
    }
    let class = form_class(program, ty).filter(|_| depth < MAX_DEPTH)?;
    let members = properties(program, &class).into_iter().take(MAX_FIELDS);
    Some(JsonShape::Object(members.filter_map(|(name, ty)| Some((name, json_shape(program, &ty, depth + 1)?))).collect()))
}

/// The type of the elements of an array or a collection.
fn element_type(ty: &GenericType) -> Option<GenericType> {
    match ty {
        GenericType::Array(element) => Some((**element).clone()),
        GenericType::Class { name, arguments, .. } => {
            let is_collection = matches!(name.internal(), "java/util/List" | "java/util/Set" | "java/util/Collection");
            arguments.first().filter(|_| is_collection).map(bound_of)
        }
        _ => None,
    }
}

/// The type argument; the bound of a wildcard.
fn bound_of(argument: &GenericType) -> GenericType {
    match argument {
        GenericType::Wildcard(wildcard) => wildcard.upper(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_class_and_method_are_joined() {
        for (prefix, path, expected) in [
            ("", "", "/"),
            ("", "/owners", "/owners"),
            ("", "owners", "/owners"),
            ("/owners", "", "/owners"),
            ("/owners/", "/{id}", "/owners/{id}"),
            ("api", "x", "/api/x"),
        ] {
            assert_eq!(joined(prefix, path), expected, "{prefix} {path}");
        }
    }

    #[test]
    fn patterns_of_variables_are_dropped_and_wildcards_refused() {
        assert_eq!(plain_path("/a/{id:\\d{2}}/b").as_deref(), Some("/a/{id}/b"));
        for path in ["/a/*", "/a/**", "/a/{*rest}", "${base}/a", "/a/{id"] {
            assert_eq!(plain_path(path), None, "{path}");
        }
    }

    #[test]
    fn setters_give_names_of_properties() {
        let names = ["LastName", "URL", "X", "ID"].map(property_name);
        assert_eq!(names, ["lastName", "URL", "x", "ID"]);
    }
}
