//! Observation of responses: what a test of a controller asserts after it sent a request. Flows in:
//! a test that ends with a request, and the templates of the cluster; flows out: the longer test
//! case, and which facts about it are worth an assertion. Must not know how a test is written.
//!
//! Status, view, redirection, objects for the view and the content that the controller writes are
//! asserted. Headers vary, and no view is rendered.

use super::{AssertedTest, Fact, ObservedTest};
use crate::execution::Snapshot;
use crate::program::{ClassName, Cluster, JavaType, MethodRef};
use crate::testcase::{Literal, StatementKind, TestCase, VarId};

/// Longest content that each test asserts, in UTF-16 units.
const SHORT: usize = 100;
/// Package of the classes that send requests and hold responses.
const SPRING: &str = "org/springframework/";

/// The method of the controller that answers the request of the test.
pub(super) fn handler(test: &TestCase, cluster: &Cluster) -> Option<MethodRef> {
    let request = test.performed_request()?;
    cluster.requests.as_ref()?.template(&request.verb, &request.path).map(|template| template.handler.clone())
}

/// Appends the calls that read the response, if the test ends with a request; else returns false.
pub(super) fn append_response_inspectors(observed: &mut ObservedTest, cluster: &Cluster) -> bool {
    let Some(requests) = &cluster.requests else { return false };
    let Some(request) = observed.test.performed_request() else { return false };
    let Some(template) = requests.template(&request.verb, &request.path) else { return false };
    if request.perform.0 + 1 != observed.acted {
        return false;
    }
    let test = &mut observed.test;
    let mut call = |method: &MethodRef, interface: bool, receiver: VarId, args: Vec<VarId>| {
        let kind = StatementKind::Call { method: method.clone(), interface, receiver: Some(receiver), args };
        test.push(kind, method.return_type())
    };
    let api = &requests.api;
    let result = call(&api.and_return, true, request.perform, Vec::new());
    let response = call(&api.get_response, true, result, Vec::new());
    call(&api.get_status, false, response, Vec::new());
    call(&api.get_redirected_url, false, response, Vec::new());
    if !template.has_view {
        call(&api.get_content, false, response, Vec::new());
        return true;
    }
    let view = call(&api.get_model_and_view, true, result, Vec::new());
    call(&api.get_view_name, false, view, Vec::new());
    let model = call(&api.get_model, false, view, Vec::new());
    let get = MethodRef::new(ClassName::new("java/util/Map"), "get", "(Ljava/lang/Object;)Ljava/lang/Object;");
    for attribute in &template.attributes {
        let name = Literal::Str(attribute.encode_utf16().collect());
        let name = observed.test.push(StatementKind::Literal(name), JavaType::class("java/lang/String"));
        let kind = StatementKind::Call { method: get.clone(), interface: true, receiver: Some(model), args: vec![name] };
        observed.test.push(kind, get.return_type());
    }
    true
}

/// Whether the fact says something about the response. True for tests without a request.
pub(super) fn is_telling(observed: &ObservedTest, subject: VarId, fact: &Fact) -> bool {
    let Some(request) = observed.test.performed_request() else { return true };
    let is_text = matches!(fact, Fact::Equals(Snapshot::Str(Some(_))));
    match observed.test.called(subject) {
        Some((_, "get")) if subject > request.perform => *fact != Fact::Null,
        Some((owner, "getStatus" | "getContentAsString" | "getRedirectedUrl")) if owner.starts_with(SPRING) => {
            is_text || matches!(fact, Fact::Equals(Snapshot::Int(_)))
        }
        // The redirection says the same.
        Some((owner, "getViewName")) if owner.starts_with(SPRING) => {
            let redirects = |units: &[u16]| String::from_utf16_lossy(units).starts_with("redirect:");
            matches!(fact, Fact::Equals(Snapshot::Str(Some(units))) if !redirects(units))
        }
        Some((owner, _)) => !owner.starts_with("org/springframework/test/") && !owner.starts_with(SPRING),
        None => true,
    }
}

/// Whether a test of a controller asserts it in any case: the status, where the response leads, and short content
/// or values for the view. Of a plain call, the values that it puts into the model and where its response leads.
pub(super) fn is_essential(test: &AssertedTest, assertion: usize) -> bool {
    let asserted = &test.assertions[assertion];
    let Some(request) = test.test.performed_request() else {
        return match test.test.called(asserted.subject) {
            Some((owner, "getAttribute" | "getLocation")) => {
                owner.starts_with(SPRING) && asserted.subject.0 >= test.acted && asserted.fact != Fact::Null
            }
            _ => false,
        };
    };
    match (test.test.called(asserted.subject), &asserted.fact) {
        (Some((owner, "getStatus" | "getViewName" | "getRedirectedUrl")), _) => owner.starts_with(SPRING),
        (Some((_, "getContentAsString")), Fact::Equals(Snapshot::Str(Some(units)))) => (1..=SHORT).contains(&units.len()),
        (Some((_, "get")), Fact::Equals(_) | Fact::SameAs(_)) => asserted.subject > request.perform,
        _ => false,
    }
}
