//! Lookups of members by reflection. In: a callable of `Class`, the members that there are, random source. Out: a
//! call that finds one of them. Must not know goals.

use rand::RngExt;

use super::callable_table::{CallableEntryKind, CallableIx};
use super::sequence::SequenceBuilder;
use crate::program::JavaType;
use crate::program::cluster::{KnownMember, MemberKind};
use crate::testcase::{Literal, StatementKind, VarId};

impl SequenceBuilder<'_> {
    /// Appends a lookup of a member that there is. `None` where the callable is no lookup, or no member is known.
    pub(super) fn member_lookup(&mut self, callable: CallableIx) -> Option<VarId> {
        let CallableEntryKind::Call { method, .. } = &self.table.callable(callable).kind else { return None };
        let kind = MemberKind::of_lookup(method)?;
        let known: Vec<&KnownMember> = self.table.members().iter().filter(|member| member.kind == kind).collect();
        if known.is_empty() {
            return None;
        }
        let member = known[self.rng.random_range(0..known.len())];
        let class = self.push_class(JavaType::Class(member.class.clone()));
        let mut args = Vec::new();
        if kind != MemberKind::Constructor {
            let name = Literal::Str(member.name.encode_utf16().collect());
            args.push(self.push(StatementKind::Literal(name), JavaType::class("java/lang/String")));
        }
        if kind != MemberKind::Field {
            let elements: Vec<VarId> = member.parameters.iter().map(|ty| self.push_class(ty.clone())).collect();
            let element = JavaType::class("java/lang/Class");
            let array = JavaType::Array(Box::new(element.clone()));
            args.push(self.push(StatementKind::Array { element, length: elements.len() as u32, elements }, array));
        }
        Some(self.append_call(callable, Some(class), args))
    }

    fn push_class(&mut self, class: JavaType) -> VarId {
        self.push(StatementKind::Literal(Literal::Class(class)), JavaType::class("java/lang/Class"))
    }
}
