//! Call sites of `invokedynamic` and direct method handles, resolved from class files (JVMS
//! §5.4.3.5, §5.4.3.6).

use std::rc::Rc;
use std::sync::Arc;

use super::ids::{FieldIx, InvokeIx, TypeIx};
use super::values::ObjectId;

/// The call site of an `invokedynamic`.
#[derive(Debug)]
pub(crate) enum CallSite {
    /// `LambdaMetafactory`.
    Lambda(Rc<LambdaSite>),
    /// `StringConcatFactory`: constants and operands in order.
    Concat(Vec<Part>),
    /// `ObjectMethods`.
    Record(RecordSite),
    /// `SwitchBootstraps`.
    Switch(Vec<CaseLabel>),
    /// An unknown bootstrap method.
    Other,
}

/// A part of a concatenation recipe.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Text(Rc<[u16]>),
    /// The next argument, of this type.
    Argument(TypeIx),
}

/// A method of a record that `ObjectMethods` generates.
#[derive(Debug)]
pub(crate) struct RecordSite {
    pub(crate) record: TypeIx,
    pub(crate) method: RecordMethod,
    /// Simple name of the record.
    pub(crate) name: Rc<[u16]>,
    pub(crate) components: Vec<Component>,
}

/// The generated method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordMethod {
    Equals,
    HashCode,
    ToString,
}

/// A component of a record.
#[derive(Debug)]
pub(crate) struct Component {
    pub(crate) name: Rc<[u16]>,
    pub(crate) field: FieldIx,
    pub(crate) ty: TypeIx,
}

/// A case label of a pattern switch.
#[derive(Debug)]
pub(crate) enum CaseLabel {
    Class(TypeIx),
    String(Rc<[u16]>),
    Number(i32),
    /// A constant of an enum.
    Constant {
        class: TypeIx,
        field: FieldIx,
    },
    /// A label of an unknown form.
    Unknown,
}

/// A direct method handle (JVMS §5.4.3.5).
#[derive(Debug)]
pub(crate) struct Handle {
    pub(crate) target: HandleTarget,
    /// Parameter types, the receiver's first.
    pub(crate) parameters: Vec<TypeIx>,
    /// Result type; `None`: void.
    pub(crate) returns: Option<TypeIx>,
}

/// The operation of a method handle.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HandleTarget {
    Call(InvokeIx),
    /// Allocates an object of the class and runs the constructor.
    New(InvokeIx, TypeIx),
    Get(FieldIx),
}

/// The call site of a lambda expression or method reference (`LambdaMetafactory`).
#[derive(Debug)]
pub(crate) struct LambdaSite {
    /// The functional interface first, then marker interfaces.
    pub(crate) interfaces: Vec<TypeIx>,
    /// Name of the functional method.
    pub(crate) name: Arc<str>,
    /// Erased descriptors of the functional method and its bridges.
    pub(crate) descriptors: Vec<Arc<str>>,
    /// Instantiated parameter types of the functional method.
    pub(crate) instantiated: Vec<TypeIx>,
    /// Types of the captured values.
    pub(crate) captured: Vec<TypeIx>,
    pub(crate) implementation: Handle,
}

/// A conversion of an implementation's result for the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultConversion {
    /// Replaces the result by the object that the constructor initialised.
    Object(ObjectId),
    /// Boxes, unboxes, widens or casts.
    Converted { from: TypeIx, to: TypeIx },
}
