//! The text form of a cluster, for debugging and for golden tests. It is not read back.

use std::fmt;

use super::{Callable, CallableKind, Choice, Cluster, CodeConstants, Generator, Injection, StubKind};
use crate::program::{ClassName, GenericType, JavaType};

impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "cluster {} in package {}", self.target.binary(), self.test_package.replace('/', "."))?;
        for class in &self.classes {
            writeln!(f, "class {}", class.binary())?;
        }
        for (position, id) in self.under_test.iter().enumerate() {
            if position == self.own {
                writeln!(f, "inherited")?;
            }
            let callable = self.callable(*id);
            write!(f, "test {callable}")?;
            for (what, fields) in [("reads", &callable.hints.reads), ("writes", &callable.hints.writes)] {
                if !fields.is_empty() {
                    let names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
                    write!(f, " {what} {}", names.join(","))?;
                }
            }
            if callable.hints.observer {
                f.write_str(" observer")?;
            }
            if callable.constants != CodeConstants::default() {
                write!(f, " constants {}", callable.constants)?;
            }
            writeln!(f)?;
        }
        for field in &self.fields {
            let kind = if field.is_static { "static " } else { "" };
            let writable = if field.writable { "" } else { " read-only" };
            writeln!(f, "field {kind}{} {}.{}{writable}", field.generic, field.field.owner.binary(), field.field.name)?;
        }
        for template in self.requests.iter().flat_map(|requests| &requests.templates) {
            writeln!(f, "request {template}")?;
        }
        for (constructor, injections) in &self.injections {
            write!(f, "inject {}:", self.callable(*constructor))?;
            for injection in injections {
                match injection {
                    Injection::Call(setter) => write!(f, " {}", short(self.callable(*setter)))?,
                    Injection::Field { field, generic } => write!(f, " {}.{} {generic}", field.owner.binary(), field.name)?,
                    Injection::Mock { field, generic, .. } => {
                        write!(f, " {}.{} mock {generic}", field.owner.binary(), field.name)?
                    }
                }
            }
            writeln!(f)?;
        }
        for (ty, choices) in &self.choices {
            if !ty.is_reference() {
                continue;
            }
            write!(f, "type {}:", GenericType::of(ty))?;
            match self.unbuildable.get(ty) {
                Some(reason) if choices.is_empty() => write!(f, " none, {reason}")?,
                _ => {
                    for choice in choices {
                        write!(f, " {}", ChoiceText(self, choice))?;
                    }
                }
            }
            writeln!(f)?;
            for (what, members) in [("modifiers", &self.modifiers), ("inspectors", &self.inspectors)] {
                if let Some(ids) = members.get(ty) {
                    let names: Vec<String> = ids.iter().map(|id| short(self.callable(*id))).collect();
                    writeln!(f, "  {what} {}", names.join(" "))?;
                }
            }
        }
        for (ty, reason) in self.unbuildable.iter().filter(|(ty, _)| !self.choices.contains_key(*ty)) {
            writeln!(f, "type {}: none, {reason}", GenericType::of(ty))?;
        }
        for remark in &self.remarks {
            writeln!(f, "remark {remark}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Callable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let owner = self.method.owner.binary();
        match self.kind {
            CallableKind::Constructor => write!(f, "new {owner}")?,
            CallableKind::Static => write!(f, "static {} {owner}.{}", self.generic_returns, self.method.name)?,
            CallableKind::Instance => write!(f, "{} {owner}.{}", self.generic_returns, self.method.name)?,
        }
        f.write_str("(")?;
        for (position, parameter) in self.parameters.iter().enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            match &parameter.name {
                Some(name) => write!(f, "{comma}{} {name}", parameter.generic)?,
                None => write!(f, "{comma}{}", parameter.generic)?,
            }
        }
        f.write_str(if self.varargs { "...)" } else { ")" })?;
        if !self.exceptions.is_empty() {
            let names: Vec<String> = self.exceptions.iter().map(ClassName::binary).collect();
            write!(f, " throws {}", names.join(", "))?;
        }
        Ok(())
    }
}

impl fmt::Display for CodeConstants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all: Vec<String> = self.ints.iter().map(i32::to_string).collect();
        all.extend(self.longs.iter().map(|value| format!("{value}L")));
        all.extend(self.floats.iter().map(|bits| format!("{:?}f", f32::from_bits(*bits))));
        all.extend(self.doubles.iter().map(|bits| format!("{:?}", f64::from_bits(*bits))));
        all.extend(self.strings.iter().map(|text| format!("{:?}", String::from_utf16_lossy(text))));
        all.extend(self.classes.iter().map(|ty| format!("{}.class", GenericType::of(ty))));
        f.write_str(&all.join(","))
    }
}

/// A choice as `<generator>:<cost>`.
struct ChoiceText<'a>(&'a Cluster, &'a Choice);

impl fmt::Display for ChoiceText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChoiceText(cluster, choice) = self;
        match &choice.generator {
            Generator::Literal => write!(f, "literal")?,
            Generator::Call(id) => f.write_str(&short(cluster.callable(*id)))?,
            Generator::Field(field) => write!(f, "{}.{}", field.owner.binary(), field.name)?,
            Generator::Array { element } => write!(f, "{}[]", GenericType::of(element))?,
            Generator::Stub { class, kind, methods, .. } => {
                let kind = if *kind == StubKind::Mock { "mock" } else { "stub" };
                write!(f, "{kind}({},{})", class.binary(), methods.len())?
            }
        }
        write!(f, ":{}", choice.cost)
    }
}

fn short(callable: &Callable) -> String {
    let parameters: Vec<String> = callable.parameters.iter().map(|parameter| simple(&parameter.ty)).collect();
    let parameters = parameters.join(",");
    let owner = callable.method.owner.binary();
    match callable.kind {
        CallableKind::Constructor => format!("new {owner}({parameters})"),
        CallableKind::Static | CallableKind::Instance => format!("{owner}.{}({parameters})", callable.method.name),
    }
}

fn simple(ty: &JavaType) -> String {
    match ty {
        JavaType::Class(name) => name.local_name().to_string(),
        JavaType::Array(element) => format!("{}[]", simple(element)),
        other => GenericType::of(other).to_string(),
    }
}
