//! Plans requests to a controller as people write them: one chain that sends the request and states
//! what is expected of the response. In: a test that sends a request by plain calls; out: the chain.
//! A test whose request has another use keeps its plain calls.

use std::collections::BTreeSet;

use crate::emit::Unprintable;
use crate::execution::Snapshot;
use crate::oracle::{AssertedTest, Fact};
use crate::program::{ClassName, Program};
use crate::testcase::requests::{MOCK_MVC_BUILDERS, PerformedRequest};
use crate::testcase::{StatementKind, VarId};

use super::expressions::Typed;
use super::java::{Expr, JavaStatement, Line, Qualifier, StaticImport};
use super::plan::Planner;
use super::usage::Usage;

/// What the matchers of responses and the matchers of Hamcrest need.
const NEEDED: [&str; 2] = ["org/hamcrest/Matcher", "org/springframework/test/web/servlet/result/MockMvcResultMatchers"];
/// Methods for a status, by its number. Others are deprecated in some version, or rare.
const STATUSES: [(i32, &str); 12] = [
    (200, "isOk"),
    (201, "isCreated"),
    (202, "isAccepted"),
    (204, "isNoContent"),
    (302, "isFound"),
    (400, "isBadRequest"),
    (401, "isUnauthorized"),
    (403, "isForbidden"),
    (404, "isNotFound"),
    (405, "isMethodNotAllowed"),
    (409, "isConflict"),
    (415, "isUnsupportedMediaType"),
];

/// A request that becomes a chain.
#[derive(Debug)]
pub(super) struct ChainedRequest {
    request: PerformedRequest,
    /// The calls that describe the request, in their order.
    calls: Vec<VarId>,
    /// Statements that stand in the chain or are not written.
    folded: BTreeSet<VarId>,
    /// Position of each assertion in the chain.
    expectations: Vec<usize>,
}

impl ChainedRequest {
    /// The request of the test; `None` where plain calls have to express it.
    pub(super) fn of(program: &Program, usage: &Usage<'_>) -> Option<ChainedRequest> {
        let test = usage.test();
        let request = test.test.performed_request()?;
        if NEEDED.iter().any(|needed| program.class(&ClassName::new(needed)).is_none()) {
            return None;
        }
        let [controllers, builder, mock_mvc] = request.setup;
        let mut folded: BTreeSet<VarId> = [controllers, builder, request.variables, request.request, request.perform].into();
        let mut calls = Vec::new();
        for user in usage.live() {
            match usage.kind(user) {
                StatementKind::Call { receiver: Some(on), args, .. } if *on == request.request => {
                    calls.push(user);
                    folded.insert(user);
                    folded.extend(args.iter().filter(|arg| matches!(usage.kind(**arg), StatementKind::Array { .. })));
                }
                StatementKind::Call { .. } if user.0 >= test.acted && user > request.perform => {
                    folded.insert(user);
                }
                _ => {}
            }
        }
        let is_free = usage.live().filter(|user| !folded.contains(user) && *user != mock_mvc).all(|user| {
            usage.kind(user).uses().iter().all(|used| !folded.contains(used)) && !usage.kind(user).uses().contains(&mock_mvc)
        });
        let describes = calls.iter().all(|call| usage.uses(*call) == 0);
        let expectations: Vec<usize> =
            (0..test.assertions.len()).filter(|at| folded.contains(&test.assertions[*at].subject)).collect();
        let is_expressible = expectations.iter().all(|at| is_expressible(test, *at));
        (is_free && describes && is_expressible && usage.uses(request.request) == calls.len() + 1).then_some(ChainedRequest {
            request,
            calls,
            folded,
            expectations,
        })
    }

    /// The call that sends the request.
    pub(super) fn perform(&self) -> VarId {
        self.request.perform
    }

    /// The `MockMvc`.
    pub(super) fn mock_mvc(&self) -> VarId {
        self.request.setup[2]
    }

    /// Whether the statement is no statement of its own in Java.
    pub(super) fn is_folded(&self, variable: VarId) -> bool {
        self.folded.contains(&variable)
    }

    /// Positions of the assertions that stand in the chain.
    pub(super) fn expectations(&self) -> &[usize] {
        &self.expectations
    }
}

/// Whether a matcher states the fact.
fn is_expressible(test: &AssertedTest, position: usize) -> bool {
    let assertion = &test.assertions[position];
    matches!(
        (test.test.called(assertion.subject).map(|(_, name)| name), &assertion.fact),
        (Some("getStatus"), Fact::Equals(Snapshot::Int(_)))
            | (Some("getViewName" | "getRedirectedUrl" | "getContentAsString"), Fact::Equals(Snapshot::Str(Some(_))))
            | (Some("get"), Fact::Equals(_) | Fact::NotNull | Fact::SameAs(_))
    )
}

impl Planner<'_> {
    /// `MockMvc mockMvc = MockMvcBuilders.standaloneSetup(controller).build()`.
    ///
    /// # Errors
    /// As for the controller.
    pub(super) fn standalone_setup(&self, chained: &ChainedRequest) -> Result<JavaStatement, Unprintable> {
        let builders = self.named_class(&ClassName::new(MOCK_MVC_BUILDERS))?;
        let setup = Expr::Call {
            on: Qualifier::Class(builders),
            method: "standaloneSetup".into(),
            args: vec![self.operand(chained.request.controller)?.expr],
            exceptions: Vec::new(),
        };
        let name = self.names.variable(chained.mock_mvc()).unwrap_or("mockMvc");
        self.declaration(chained.mock_mvc(), name, chain(setup, "build", Vec::new(), &[]))
    }

    /// `mockMvc.perform(get("/owners/{id}", 7).param("name", "x"))`.
    ///
    /// # Errors
    /// As for the values that the request sends.
    pub(super) fn performed(&self, chained: &ChainedRequest) -> Result<Typed, Unprintable> {
        let StatementKind::Call { method, args, .. } = self.usage.kind(chained.request.request) else {
            return Err(Unprintable::Malformed("no request".into()));
        };
        let verb = VERBS.iter().find(|verb| verb.rsplit('.').next() == Some(&*method.name));
        let verb = verb.ok_or_else(|| Unprintable::Malformed(format!("no request by {}", method.name)))?;
        let mut request = Expr::Imported { method: StaticImport::Spring(verb), args: self.spread(args)? };
        for call in &chained.calls {
            let StatementKind::Call { method, args, .. } = self.usage.kind(*call) else { continue };
            request = chain(request, &method.name, self.spread(args)?, &[]);
        }
        let mock_mvc = self.operand(chained.mock_mvc())?.expr;
        let ty = self.types.declared(chained.perform()).clone();
        Ok(Typed::new(chain(mock_mvc, "perform", vec![request], &["java/lang/Exception"]), ty))
    }

    /// The chain of the request and its expectations, as one line.
    ///
    /// # Errors
    /// As [`Planner::performed`], and for expected values.
    pub(super) fn expected_response(&self, chained: &ChainedRequest) -> Result<Line, Unprintable> {
        let mut expr = self.performed(chained)?.expr;
        for position in &chained.expectations {
            expr = chain(expr, "andExpect", vec![self.matcher(*position)?], &["java/lang/Exception"]);
        }
        Ok(Line { statement: JavaStatement::Expression(expr), is_assertion: !chained.expectations.is_empty() })
    }

    /// The matcher for an assertion about the response.
    fn matcher(&self, position: usize) -> Result<Expr, Unprintable> {
        let assertion = &self.test().assertions[position];
        let none = Vec::new;
        let text = |fact: &Fact| match fact {
            Fact::Equals(value) => self.value(value),
            _ => Err(Unprintable::Malformed("no text of a response".into())),
        };
        let called = self.test().test.called(assertion.subject).map(|(_, name)| name);
        Ok(match (called, &assertion.fact) {
            (Some("getStatus"), Fact::Equals(Snapshot::Int(status))) => {
                let on = Expr::Imported { method: StaticImport::Spring(STATUS), args: none() };
                match STATUSES.iter().find(|(known, _)| known == status) {
                    Some((_, method)) => chain(on, method, none(), &[]),
                    None => chain(on, "is", vec![Expr::int(*status)], &[]),
                }
            }
            (Some("getViewName"), fact) => {
                chain(Expr::Imported { method: StaticImport::Spring(VIEW), args: none() }, "name", vec![text(fact)?], &[])
            }
            (Some("getRedirectedUrl"), fact) => {
                Expr::Imported { method: StaticImport::Spring(REDIRECTED_URL), args: vec![text(fact)?] }
            }
            (Some("getContentAsString"), fact) => {
                chain(Expr::Imported { method: StaticImport::Spring(CONTENT), args: none() }, "string", vec![text(fact)?], &[])
            }
            (Some("get"), fact) => {
                let StatementKind::Call { args, .. } = self.usage.kind(assertion.subject) else {
                    return Err(Unprintable::Malformed("no attribute".into()));
                };
                let name = self.operand(args[0])?.expr;
                let on = Expr::Imported { method: StaticImport::Spring(MODEL), args: none() };
                let value = match fact {
                    Fact::Equals(Snapshot::Array { .. }) => None,
                    Fact::Equals(value) => Some(self.value(value)?),
                    Fact::SameAs(other) => Some(self.operand(*other)?.expr),
                    _ => None,
                };
                match value {
                    Some(value) => chain(on, "attribute", vec![name, value], &[]),
                    None => chain(on, "attributeExists", vec![name], &[]),
                }
            }
            _ => return Err(Unprintable::Malformed("no matcher for the response".into())),
        })
    }

    /// The arguments, with the cells of arrays as arguments of their own.
    fn spread(&self, args: &[VarId]) -> Result<Vec<Expr>, Unprintable> {
        let mut spread = Vec::new();
        for arg in args {
            match self.usage.kind(*arg) {
                StatementKind::Array { element, elements, .. } => {
                    for cell in elements {
                        spread.push(self.cell(element, *cell)?);
                    }
                }
                _ => spread.push(self.operand(*arg)?.expr),
            }
        }
        Ok(spread)
    }
}

const STATUS: &str = "org.springframework.test.web.servlet.result.MockMvcResultMatchers.status";
const VIEW: &str = "org.springframework.test.web.servlet.result.MockMvcResultMatchers.view";
const MODEL: &str = "org.springframework.test.web.servlet.result.MockMvcResultMatchers.model";
const CONTENT: &str = "org.springframework.test.web.servlet.result.MockMvcResultMatchers.content";
const REDIRECTED_URL: &str = "org.springframework.test.web.servlet.result.MockMvcResultMatchers.redirectedUrl";
const VERBS: [&str; 7] = [
    "org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get",
    "org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post",
    "org.springframework.test.web.servlet.request.MockMvcRequestBuilders.put",
    "org.springframework.test.web.servlet.request.MockMvcRequestBuilders.delete",
    "org.springframework.test.web.servlet.request.MockMvcRequestBuilders.patch",
    "org.springframework.test.web.servlet.request.MockMvcRequestBuilders.head",
    "org.springframework.test.web.servlet.request.MockMvcRequestBuilders.options",
];

/// `on.method(args)`.
fn chain(on: Expr, method: &str, args: Vec<Expr>, exceptions: &[&str]) -> Expr {
    Expr::Call {
        on: on.into_qualifier(),
        method: method.into(),
        args,
        exceptions: exceptions.iter().map(|name| ClassName::new(name)).collect(),
    }
}
