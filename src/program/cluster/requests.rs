//! Requests that Spring MVC answers by calling a method of a controller.
//!
//! In: nothing. Out: the templates of such requests, and the members of spring-test that send them.
//! Must not know where a template was read from or how its values are chosen.

use std::fmt;

use crate::program::{FieldRef, MethodRef};

/// The requests that a test of a controller may send.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Requests {
    /// The members that send a request and read its response.
    pub(crate) api: MockMvcApi,
    /// One for each mapping of a handler method, in the order of the class file.
    pub(crate) templates: Vec<RequestTemplate>,
}

/// What a request to one handler method looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestTemplate {
    /// The method of the controller that answers the request.
    pub(crate) handler: MethodRef,
    /// The method that begins the request: `MockMvcRequestBuilders.get` and the like.
    pub(crate) verb: MethodRef,
    /// The path with its variables in braces: `/owners/{ownerId}`.
    pub(crate) path: String,
    /// The variables in the path, in their order.
    pub(crate) variables: Vec<RequestField>,
    /// Parameters of the query or of a form.
    pub(crate) parameters: Vec<RequestField>,
    /// Headers of the request.
    pub(crate) headers: Vec<RequestField>,
    /// The form of the JSON body; `None` without a body.
    pub(crate) body: Option<JsonShape>,
    /// The parameter of the handler that gets the body.
    pub(crate) body_argument: Option<usize>,
    /// What the request sends is validated before the handler gets it.
    pub(crate) validates: bool,
    /// The handler chooses a view, rather than write the response itself.
    pub(crate) has_view: bool,
    /// Names that the handler may give to objects for the view.
    pub(crate) attributes: Vec<String>,
}

/// A named value of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestField {
    /// The name of the parameter or header.
    pub(crate) name: String,
    /// What its text stands for.
    pub(crate) kind: TextKind,
    /// Without it, the request does not reach the handler.
    pub(crate) is_required: bool,
    /// The parameter of the handler that gets the value, or an object with the value as a property.
    pub(crate) argument: Option<usize>,
}

/// What the text of a parameter stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    /// Any text.
    Text,
    /// An integer.
    Integer,
    /// A number with a fraction.
    Decimal,
    /// `true` or `false`.
    Boolean,
    /// A date in ISO form.
    Date,
    /// A date with a time in ISO form.
    DateTime,
    /// A time in ISO form.
    Time,
    /// A UUID.
    Uuid,
    /// One of these words: the constants of an enum, or the only text that the mapping accepts.
    Word(Vec<String>),
}

/// The form of a JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum JsonShape {
    /// A string, number or boolean.
    Value(TextKind),
    /// An object with these members.
    Object(Vec<(String, JsonShape)>),
    /// An array of such elements.
    Array(Box<JsonShape>),
}

/// Members of spring-test and spring-webmvc. Their owners and descriptors depend on the version.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MockMvcApi {
    /// `MockMvcBuilders.standaloneSetup(Object...)`.
    pub(crate) standalone_setup: MethodRef,
    /// `StandaloneMockMvcBuilder.build()`.
    pub(crate) build: MethodRef,
    /// `param(String, String...)` of a request.
    pub(crate) param: MethodRef,
    /// `header(String, Object...)` of a request.
    pub(crate) header: MethodRef,
    /// `contentType(MediaType)` of a request.
    pub(crate) content_type: MethodRef,
    /// `content(String)` of a request.
    pub(crate) content: MethodRef,
    /// `MediaType.APPLICATION_JSON`.
    pub(crate) json: FieldRef,
    /// `MockMvc.perform(RequestBuilder)`.
    pub(crate) perform: MethodRef,
    /// `ResultActions.andReturn()`.
    pub(crate) and_return: MethodRef,
    /// `MvcResult.getResponse()`.
    pub(crate) get_response: MethodRef,
    /// `MockHttpServletResponse.getStatus()`.
    pub(crate) get_status: MethodRef,
    /// `MockHttpServletResponse.getRedirectedUrl()`.
    pub(crate) get_redirected_url: MethodRef,
    /// `MockHttpServletResponse.getContentAsString()`.
    pub(crate) get_content: MethodRef,
    /// `MvcResult.getModelAndView()`.
    pub(crate) get_model_and_view: MethodRef,
    /// `ModelAndView.getViewName()`.
    pub(crate) get_view_name: MethodRef,
    /// `ModelAndView.getModel()`.
    pub(crate) get_model: MethodRef,
}

/// The descriptor of the array in `Object...`.
pub(crate) const OBJECTS: &str = "[Ljava/lang/Object;";
/// The descriptor of the array in `String...`.
pub(crate) const STRINGS: &str = "[Ljava/lang/String;";

impl Requests {
    /// The template of requests with this verb and path.
    pub(crate) fn template(&self, verb: &str, path: &str) -> Option<&RequestTemplate> {
        self.templates.iter().find(|template| &*template.verb.name == verb && template.path == path)
    }
}

impl fmt::Display for RequestTemplate {
    /// `get /owners/{integer} page=integer? -> OwnerController.list`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.verb.name)?;
        let mut kinds = self.variables.iter().map(|variable| &variable.kind);
        let mut rest = self.path.as_str();
        while let Some((before, (name, after))) =
            rest.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
        {
            write!(f, "{before}{{{name}:{}}}", kinds.next().unwrap_or(&TextKind::Text))?;
            rest = after;
        }
        f.write_str(rest)?;
        for (mark, fields) in [("", &self.parameters), ("header ", &self.headers)] {
            for RequestField { name, kind, is_required, .. } in fields {
                write!(f, " {mark}{name}={kind}{}", if *is_required { "" } else { "?" })?;
            }
        }
        if let Some(body) = &self.body {
            write!(f, " body {body}")?;
        }
        write!(f, " -> {}.{}", self.handler.owner.binary(), self.handler.name)
    }
}

impl fmt::Display for TextKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextKind::Text => f.write_str("text"),
            TextKind::Integer => f.write_str("integer"),
            TextKind::Decimal => f.write_str("decimal"),
            TextKind::Boolean => f.write_str("boolean"),
            TextKind::Date => f.write_str("date"),
            TextKind::DateTime => f.write_str("date-time"),
            TextKind::Time => f.write_str("time"),
            TextKind::Uuid => f.write_str("uuid"),
            TextKind::Word(words) => f.write_str(&words.join("|")),
        }
    }
}

impl fmt::Display for JsonShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JsonShape::Value(kind) => kind.fmt(f),
            JsonShape::Array(element) => write!(f, "[{element}]"),
            JsonShape::Object(members) => {
                f.write_str("{")?;
                for (position, (name, shape)) in members.iter().enumerate() {
                    write!(f, "{}{name}:{shape}", if position == 0 { "" } else { "," })?;
                }
                f.write_str("}")
            }
        }
    }
}
