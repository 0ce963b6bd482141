//! Tests that write an object to a stream of bytes and read it again. In: a test case; out: the object that it
//! writes and the one that it reads. Must not know which classes have code for that.

use super::{StatementKind, TestCase, VarId};

/// The class that reads objects.
pub(crate) const OBJECT_INPUT: &str = "java/io/ObjectInputStream";
/// The class that writes objects.
pub(crate) const OBJECT_OUTPUT: &str = "java/io/ObjectOutputStream";

/// What a test case writes and reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RoundTrip {
    /// The object that is written.
    pub(crate) written: VarId,
    /// The call that reads it.
    pub(crate) read: VarId,
}

impl TestCase {
    /// The object that the test case writes and reads last; `None` where it does not do both.
    pub(crate) fn round_trip(&self) -> Option<RoundTrip> {
        let calls = |name: &'static str, owner: &'static str| {
            (0..self.len() as u32).rev().map(VarId).find(move |call| self.called(*call) == Some((owner, name)))
        };
        let read = calls("readObject", OBJECT_INPUT)?;
        let StatementKind::Call { args, .. } = &self.statement(calls("writeObject", OBJECT_OUTPUT)?).kind else { return None };
        Some(RoundTrip { written: *args.first()?, read })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_written_and_read() {
        let text = "\
v0: LT; = new T.<init> ()V ()
v1: Ljava/io/ByteArrayOutputStream; = new java/io/ByteArrayOutputStream.<init> ()V ()
v2: Ljava/io/ObjectOutputStream; = new java/io/ObjectOutputStream.<init> (Ljava/io/OutputStream;)V (v1)
v3: V = call method java/io/ObjectOutputStream.writeObject (Ljava/lang/Object;)V on v2 (v0)
v4: [B = call method java/io/ByteArrayOutputStream.toByteArray ()[B on v1 ()
v5: Ljava/io/ByteArrayInputStream; = new java/io/ByteArrayInputStream.<init> ([B)V (v4)
v6: Ljava/io/ObjectInputStream; = new java/io/ObjectInputStream.<init> (Ljava/io/InputStream;)V (v5)
v7: Ljava/lang/Object; = call method java/io/ObjectInputStream.readObject ()Ljava/lang/Object; on v6 ()
";
        let mut test: TestCase = text.parse().expect("well-formed");
        assert_eq!(test.round_trip(), Some(RoundTrip { written: VarId(0), read: VarId(7) }));
        test.truncate(7);
        assert_eq!(test.round_trip(), None);
    }
}
