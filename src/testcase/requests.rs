//! Requests to a controller through Spring's standalone MockMvc, as they stand in test cases. In: a
//! test case; out: the request that it performs, and the literals that belong to the form of it.
//! Must not know controllers or what a request is good for.

use super::{Literal, StatementKind, TestCase, VarId};
use crate::program::JavaType;

/// The class whose `perform` sends a request.
pub(crate) const MOCK_MVC: &str = "org/springframework/test/web/servlet/MockMvc";
/// The class that makes a [`MOCK_MVC`].
pub(crate) const MOCK_MVC_BUILDERS: &str = "org/springframework/test/web/servlet/setup/MockMvcBuilders";
/// The class with a method for each verb of HTTP.
pub(crate) const REQUEST_BUILDERS: &str = "org/springframework/test/web/servlet/request/MockMvcRequestBuilders";
/// The class that describes a request.
pub(crate) const REQUEST_BUILDER: &str = "org/springframework/test/web/servlet/request/MockHttpServletRequestBuilder";

/// The statements by which a test case sends a request to a controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PerformedRequest {
    /// The controller.
    pub(crate) controller: VarId,
    /// The array with the controller, the builder of the `MockMvc`, and the `MockMvc`.
    pub(crate) setup: [VarId; 3],
    /// The request.
    pub(crate) request: VarId,
    /// The values of the variables in the path, an array.
    pub(crate) variables: VarId,
    /// The method of [`REQUEST_BUILDERS`], such as `get`.
    pub(crate) verb: String,
    /// The path, with its variables in braces.
    pub(crate) path: String,
    /// The call that sends the request.
    pub(crate) perform: VarId,
}

impl TestCase {
    /// The request that the test case sends last; `None` where it sends none, or where a part of
    /// the request is missing or has another use.
    pub(crate) fn performed_request(&self) -> Option<PerformedRequest> {
        let perform = (0..self.len() as u32)
            .rev()
            .map(VarId)
            .find(|variable| self.called(*variable).is_some_and(|(owner, name)| owner == MOCK_MVC && name == "perform"))?;
        let StatementKind::Call { receiver: Some(mock_mvc), args, .. } = &self.statement(perform).kind else { return None };
        let request = *args.first()?;
        let StatementKind::Call { method, args, receiver: None, .. } = &self.statement(request).kind else { return None };
        let &[path, variables] = &args[..] else { return None };
        if method.owner.internal() != REQUEST_BUILDERS {
            return None;
        }
        let Literal::Str(units) = self.literal(path)? else { return None };
        let path = String::from_utf16(units).ok()?;
        let StatementKind::Array { elements: values, .. } = &self.statement(variables).kind else { return None };
        let StatementKind::Call { receiver: Some(builder), .. } = &self.statement(*mock_mvc).kind else { return None };
        let StatementKind::Call { args, receiver: None, .. } = &self.statement(*builder).kind else { return None };
        let controllers = *args.first()?;
        let StatementKind::Array { elements, .. } = &self.statement(controllers).kind else { return None };
        let &[controller] = &elements[..] else { return None };
        // Mutation may put other objects into the array.
        let is_text = |value: &VarId| match self.type_of(*value) {
            JavaType::Class(class) => class.internal() == "java/lang/String" || JavaType::unboxed(class).is_some(),
            _ => false,
        };
        let has_values = values.len() == path.matches('{').count() && values.iter().all(is_text);
        has_values.then(|| PerformedRequest {
            controller,
            setup: [controllers, *builder, *mock_mvc],
            request,
            variables,
            verb: method.name.to_string(),
            path,
            perform,
        })
    }

    /// Whether the test case calls a method of MockMvc.
    pub(crate) fn has_request(&self) -> bool {
        (0..self.len() as u32).any(|index| {
            let owner = self.called(VarId(index)).map(|(owner, _)| owner);
            matches!(owner, Some(MOCK_MVC | MOCK_MVC_BUILDERS | REQUEST_BUILDERS | REQUEST_BUILDER))
        })
    }

    /// Whether the test case gives a request parameters, or a body that can be read: a text with its type.
    pub(crate) fn sends_values(&self) -> bool {
        let calls =
            |name| (0..self.len() as u32).map(VarId).filter(move |call| self.called(*call) == Some((REQUEST_BUILDER, name)));
        let has_text = |content: VarId| match &self.statement(content).kind {
            StatementKind::Call { args, .. } => {
                args.first().is_some_and(|text| !matches!(self.literal(*text), Some(Literal::Str(units)) if units.is_empty()))
            }
            _ => false,
        };
        calls("param").next().is_some() || calls("contentType").next().is_some() && calls("content").any(has_text)
    }

    /// Whether the literal is the path of a request, or the name of a parameter or header.
    pub(crate) fn is_fixed_in_request(&self, literal: VarId) -> bool {
        (0..self.len() as u32).map(VarId).any(|user| {
            let is_request = self.called(user).is_some_and(|(owner, _)| matches!(owner, REQUEST_BUILDERS | REQUEST_BUILDER));
            let StatementKind::Call { method, args, .. } = &self.statement(user).kind else { return false };
            is_request && &*method.name != "content" && args.first() == Some(&literal)
        })
    }

    /// Whether the literal is text that a request sends.
    pub(crate) fn is_sent_by_request(&self, literal: VarId) -> bool {
        let arrays = (0..self.len() as u32).map(VarId).filter(|array| match &self.statement(*array).kind {
            StatementKind::Array { elements, .. } => elements.contains(&literal),
            _ => false,
        });
        let holders: Vec<VarId> = arrays.chain([literal]).collect();
        (0..self.len() as u32).map(VarId).any(|user| {
            let is_request = self.called(user).is_some_and(|(owner, _)| matches!(owner, REQUEST_BUILDERS | REQUEST_BUILDER));
            let StatementKind::Call { method, args, .. } = &self.statement(user).kind else { return false };
            let sent = if &*method.name == "content" { args.first() } else { args.get(1) };
            is_request && sent.is_some_and(|sent| holders.contains(sent))
        })
    }

    /// The texts that the request of the test case sends in its path and as parameters, with their names.
    pub(crate) fn named_texts_of_request(&self) -> Vec<(VarId, String)> {
        let Some(request) = self.performed_request() else { return Vec::new() };
        let elements = |array: VarId| match &self.statement(array).kind {
            StatementKind::Array { elements, .. } => elements.clone(),
            _ => Vec::new(),
        };
        let names = request.path.split('{').skip(1).filter_map(|rest| rest.split(['}', ':']).next()).map(str::to_owned);
        let mut found: Vec<(VarId, String)> = elements(request.variables).into_iter().zip(names).collect();
        for statement in &self.statements {
            if let StatementKind::Call { method, receiver: Some(receiver), args, .. } = &statement.kind
                && *receiver == request.request
                && &*method.name == "param"
                && let &[name, values] = &args[..]
                && let Some(Literal::Str(units)) = self.literal(name)
            {
                let name = String::from_utf16_lossy(units);
                found.extend(elements(values).into_iter().map(|value| (value, name.clone())));
            }
        }
        found.retain(|(value, _)| self.literal(*value).is_some());
        found
    }

    /// Owner and name of the method that the statement calls.
    pub(crate) fn called(&self, variable: VarId) -> Option<(&str, &str)> {
        match &self.statement(variable).kind {
            StatementKind::Call { method, .. } => Some((method.owner.internal(), &method.name)),
            _ => None,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A request for `/owners/{id}` with a parameter.
    pub(crate) fn request() -> String {
        let servlet = "org/springframework/test/web/servlet";
        format!(
            "v0: Lp/C; = new p/C.<init> ()V ()\n\
             v1: [Ljava/lang/Object; = array Ljava/lang/Object; 1 (v0)\n\
             v2: L{servlet}/S; = call method {MOCK_MVC_BUILDERS}.standaloneSetup ([Ljava/lang/Object;)L{servlet}/S; (v1)\n\
             v3: L{MOCK_MVC}; = call method {servlet}/S.build ()L{MOCK_MVC}; on v2 ()\n\
             v4: Ljava/lang/String; = string \"/owners/{{id}}\"\n\
             v5: Ljava/lang/String; = string \"7\"\n\
             v6: [Ljava/lang/Object; = array Ljava/lang/Object; 1 (v5)\n\
             v7: L{REQUEST_BUILDER}; = call method {REQUEST_BUILDERS}.get (Ljava/lang/String;[Ljava/lang/Object;)L{REQUEST_BUILDER}; (v4, v6)\n\
             v8: Ljava/lang/String; = string \"page\"\n\
             v9: Ljava/lang/String; = string \"2\"\n\
             v10: [Ljava/lang/String; = array Ljava/lang/String; 1 (v9)\n\
             v11: L{REQUEST_BUILDER}; = call method {REQUEST_BUILDER}.param (Ljava/lang/String;[Ljava/lang/String;)L{REQUEST_BUILDER}; on v7 (v8, v10)\n\
             v12: L{servlet}/ResultActions; = call method {MOCK_MVC}.perform (Ljava/lang/Object;)L{servlet}/ResultActions; on v3 (v7)\n"
        )
    }

    #[test]
    fn the_parts_of_a_request_are_found() {
        let test: TestCase = request().parse().expect("well-formed");
        let found = test.performed_request().expect("a request");
        assert_eq!((found.verb.as_str(), found.path.as_str()), ("get", "/owners/{id}"));
        assert_eq!((found.controller, found.request, found.perform), (VarId(0), VarId(7), VarId(12)));
        let fixed: Vec<u32> = (0..13).filter(|index| test.is_fixed_in_request(VarId(*index))).collect();
        let sent: Vec<u32> = (0..13).filter(|index| test.is_sent_by_request(VarId(*index))).collect();
        assert_eq!((fixed, sent), (vec![4, 8], vec![5, 6, 9, 10]));
        assert_eq!(test.named_texts_of_request(), [(VarId(5), "id".to_string()), (VarId(9), "page".to_string())]);
    }

    #[test]
    fn a_body_is_sent_where_it_has_a_type_and_a_text() {
        let sends = |calls: &str| {
            let parameter = request().lines().find(|line| line.contains(".param ")).expect("a parameter").to_owned();
            let test: TestCase = request().replace(&parameter, calls).parse().expect("well-formed");
            test.sends_values()
        };
        let content = format!(
            "v11: L{REQUEST_BUILDER}; = call method {REQUEST_BUILDER}.content (Ljava/lang/String;)L{REQUEST_BUILDER}; on v7 (v9)"
        );
        let typed = |text: &str| {
            let ty = format!(
                "v12: L{REQUEST_BUILDER}; = call method {REQUEST_BUILDER}.contentType (Ljava/lang/String;)L{REQUEST_BUILDER}; on v7 (v8)"
            );
            let all = request().replace("string \"2\"", &format!("string \"{text}\""));
            let parameter = all.lines().find(|line| line.contains(".param ")).expect("a parameter").to_owned();
            let all = all.replace("v12: ", "v13: ").replace(&parameter, &format!("{content}\n{ty}"));
            all.parse::<TestCase>().expect("well-formed").sends_values()
        };
        let parameter = request().lines().find(|line| line.contains(".param ")).expect("a parameter").to_owned();
        assert!(sends(&parameter) && !sends(&content));
        assert!(typed("{}") && !typed(""));
    }

    #[test]
    fn a_request_without_a_value_for_its_path_is_none() {
        for values in ["0 ()", "1 (v0)", "2 (v5, v5)"] {
            let text = request().replace("Object; 1 (v5)", &format!("Object; {values}"));
            let test: TestCase = text.parse().expect("well-formed");
            assert!(test.has_request());
            assert_eq!(test.performed_request(), None, "{values}");
        }
    }
}
