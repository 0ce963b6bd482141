//! Values of variables: the bits of this run and the term over the inputs.

use crate::expr::TermId;

/// A local variable, operand or field: its bits in this run, and its term over the inputs. Ints are
/// zero-extended to 64 bits; floats are raw bits; references are object numbers. A long or double
/// is followed by a filler on the stack and in local variables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) bits: u64,
    pub(crate) term: Option<TermId>,
}

impl Slot {
    pub(crate) const ZERO: Slot = Slot { bits: 0, term: None };

    /// An int constant.
    pub(crate) fn int(value: i32) -> Slot {
        Slot { bits: u64::from(value as u32), term: None }
    }

    /// A constant by its bits.
    pub(crate) fn raw(bits: u64) -> Slot {
        Slot { bits, term: None }
    }

    /// A reference to an object.
    pub(crate) fn reference(object: ObjectId) -> Slot {
        Slot { bits: u64::from(object.0), term: None }
    }

    /// The bits as an int.
    #[inline]
    pub(crate) fn as_int(self) -> i32 {
        self.bits as u32 as i32
    }

    /// The bits as a long.
    pub(crate) fn as_long(self) -> i64 {
        self.bits as i64
    }

    /// The bits as an object number.
    pub(crate) fn object(self) -> ObjectId {
        ObjectId(self.bits as u32)
    }
}

/// The number of an object; 0 is null. The top bit marks objects of the shared heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ObjectId(pub(crate) u32);

/// Bit of shared objects' numbers.
const SHARED: u32 = 1 << 31;

impl ObjectId {
    pub(crate) const NULL: ObjectId = ObjectId(0);

    /// The number of the shared object at a position.
    pub(crate) fn shared(index: usize) -> ObjectId {
        ObjectId(SHARED | index as u32)
    }

    /// Position in the shared heap; `None`: the object belongs to one run.
    #[inline]
    pub(crate) fn shared_index(self) -> Option<usize> {
        (self.0 & SHARED != 0).then_some((self.0 & !SHARED) as usize)
    }

    /// Whether the reference is null.
    pub(crate) fn is_null(self) -> bool {
        self.0 == 0
    }
}
