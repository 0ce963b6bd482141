//! Tests that write an object to a stream and read it again: the only way to the code of its serialized form.
//!
//! In: the types with such code, a test with objects or none, random source. Out: a test case. Must not know goals.

use rand::RngExt;

use super::requests::push_call;
use super::sequence::SequenceBuilder;
use crate::program::{ClassName, JavaType, MethodRef};
use crate::testcase::{OBJECT_INPUT, OBJECT_OUTPUT, StatementKind, TestCase, VarId};

const BYTES_INPUT: &str = "java/io/ByteArrayInputStream";
const BYTES_OUTPUT: &str = "java/io/ByteArrayOutputStream";

/// A test that writes an object of the parent, or a new one, and reads it. `None` where there is no object to write.
pub(super) fn write_and_read(mut builder: SequenceBuilder<'_>, parent: Option<&TestCase>) -> Option<TestCase> {
    for statement in parent.iter().flat_map(|parent| &parent.statements) {
        builder.push(statement.kind.clone(), statement.ty.clone());
    }
    let object = match last_serialized(&builder) {
        Some(object) => object,
        None => {
            let types = builder.table.serialized();
            let wanted = types[builder.rng.random_range(0..types.len())];
            builder.make(wanted, 1, false)?
        }
    };
    let bytes = construct(&mut builder, BYTES_OUTPUT, "()V", Vec::new());
    let output = construct(&mut builder, OBJECT_OUTPUT, "(Ljava/io/OutputStream;)V", vec![bytes]);
    call(&mut builder, (OBJECT_OUTPUT, "writeObject", "(Ljava/lang/Object;)V"), output, vec![object]);
    let written = call(&mut builder, (BYTES_OUTPUT, "toByteArray", "()[B"), bytes, Vec::new());
    let source = construct(&mut builder, BYTES_INPUT, "([B)V", vec![written]);
    let input = construct(&mut builder, OBJECT_INPUT, "(Ljava/io/InputStream;)V", vec![source]);
    call(&mut builder, (OBJECT_INPUT, "readObject", "()Ljava/lang/Object;"), input, Vec::new());
    let mut test = builder.finish();
    test.remove_unused_values();
    Some(test)
}

/// The last object whose class has code for its serialized form.
fn last_serialized(builder: &SequenceBuilder<'_>) -> Option<VarId> {
    let table = builder.table;
    let is_serialized = |ty| table.serialized().iter().any(|class| table.is_assignable(ty, table.erasure(*class)));
    let is_made = |variable: &VarId| !matches!(builder.test().statement(*variable).kind, StatementKind::Literal(_));
    let mut made = (0..builder.len() as u32).rev().map(VarId).filter(is_made);
    made.find(|variable| builder.type_of(*variable).is_some_and(is_serialized))
}

fn construct(builder: &mut SequenceBuilder<'_>, class: &str, descriptor: &str, args: Vec<VarId>) -> VarId {
    let class = ClassName::new(class);
    let constructor = MethodRef::new(class.clone(), "<init>", descriptor);
    builder.push(StatementKind::Construct { constructor, args }, JavaType::Class(class))
}

fn call(builder: &mut SequenceBuilder<'_>, method: (&str, &str, &str), receiver: VarId, args: Vec<VarId>) -> VarId {
    let (class, name, descriptor) = method;
    push_call(builder, &MethodRef::new(ClassName::new(class), name, descriptor), Some(receiver), args)
}
