//! Suspend functions of Kotlin, and what a test needs to call one: Kotlin compiles
//! `suspend fun load(): T` to `Object load(Continuation)`, and a test calls it in a coroutine.
//!
//! In: references to methods. Out: whether a call leaves out the continuation, and the names of what
//! starts a coroutine. Must not know how calls are rendered or run.

use super::{ClassName, MethodModel, MethodRef, Program};

/// What a coroutine does after a suspend function: the type of its last parameter.
pub(crate) const CONTINUATION: &str = "kotlin/coroutines/Continuation";
/// The class of kotlinx-coroutines that starts coroutines.
pub(crate) const BUILDERS: &str = "kotlinx/coroutines/BuildersKt";
/// The function of [`BUILDERS`] that starts a coroutine and waits for its end.
pub(crate) const RUN_BLOCKING: &str = "runBlocking";
/// The class whose `INSTANCE` is a context without elements, the first argument of
/// [`RUN_BLOCKING`].
pub(crate) const EMPTY_CONTEXT: &str = "kotlin/coroutines/EmptyCoroutineContext";
/// Package of the library. Its static state only numbers coroutines, for the names of threads.
pub(crate) const LIBRARY: &str = "kotlinx/coroutines/";
const RUN_BLOCKING_DESCRIPTOR: &str = "(Lkotlin/coroutines/CoroutineContext;Lkotlin/jvm/functions/Function2;)Ljava/lang/Object;";

impl MethodRef {
    /// Whether it has the parameters and the result of a suspend function: its continuation comes
    /// last.
    pub(crate) fn takes_continuation(&self) -> bool {
        let ending = self.descriptor.strip_suffix(";)Ljava/lang/Object;");
        ending.and_then(|ending| ending.strip_suffix(CONTINUATION)).is_some_and(|before| before.ends_with('L'))
    }

    /// Whether a call with this many arguments leaves out the continuation. Such a call runs in a
    /// coroutine, and the test waits for it.
    pub(crate) fn suspends_with(&self, arguments: usize) -> bool {
        self.takes_continuation() && self.parameters().len() == arguments + 1
    }
}

/// Whether it is a suspend function that a test can call in a coroutine. The lambda of a coroutine
/// throws no checked exceptions.
pub(crate) fn can_suspend(program: &Program, method: &MethodModel) -> bool {
    let run_blocking = || MethodRef::new(ClassName::new(BUILDERS), RUN_BLOCKING, RUN_BLOCKING_DESCRIPTOR);
    method.reference.takes_continuation() && method.exceptions.is_empty() && program.resolve(&run_blocking()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_continuation_comes_last() {
        let method = |descriptor| MethodRef::new(ClassName::new("p/Loader"), "load", descriptor);
        let suspends = method("(ILkotlin/coroutines/Continuation;)Ljava/lang/Object;");
        assert!(suspends.takes_continuation() && suspends.suspends_with(1) && !suspends.suspends_with(2));
        assert!(!method("(Lkotlin/coroutines/Continuation;I)Ljava/lang/Object;").takes_continuation());
        assert!(!method("(Lkotlin/coroutines/Continuation;)V").takes_continuation());
        assert!(!method("([Lkotlin/coroutines/Continuation;)V").takes_continuation());
    }
}
