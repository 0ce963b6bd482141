//! Suspend functions of Kotlin: tests call them in a coroutine and wait for it.
//!
//! The sources stand for what the Kotlin compiler makes, and for the parts of its libraries that
//! matter.

use crate::subject::{Subject, end};

const KOTLIN: [(&str, &str); 4] = [
    ("kotlin/coroutines/CoroutineContext.java", "package kotlin.coroutines; public interface CoroutineContext { }"),
    (
        "kotlin/coroutines/EmptyCoroutineContext.java",
        "package kotlin.coroutines; public final class EmptyCoroutineContext implements CoroutineContext {\n\
         public static final EmptyCoroutineContext INSTANCE = new EmptyCoroutineContext();\n\
         private EmptyCoroutineContext() { } }",
    ),
    (
        "kotlin/coroutines/Continuation.java",
        "package kotlin.coroutines; public interface Continuation<T> { void resumeWith(Object result); }",
    ),
    (
        "kotlin/jvm/functions/Function2.java",
        "package kotlin.jvm.functions; public interface Function2<A, B, R> { R invoke(A a, B b); }",
    ),
];
const LIBRARY: (&str, &str) = (
    "kotlinx/coroutines/BuildersKt.java",
    "package kotlinx.coroutines; import kotlin.coroutines.*; import kotlin.jvm.functions.Function2; public final class BuildersKt {\n\
     @SuppressWarnings(\"unchecked\") public static <T> T runBlocking(CoroutineContext context,\n\
     Function2<? super Object, ? super Continuation<? super T>, ? extends Object> block) throws InterruptedException {\n\
     Thread.sleep(0); return (T) block.invoke(null, (Continuation<T>) result -> { }); } }",
);
const LOADER: (&str, &str) = (
    "p/Loader.java",
    "package p; import kotlin.coroutines.Continuation; public class Loader {\n\
     private int loads;\n\
     public Object load(int id, Continuation<? super String> continuation) {\n\
     if (continuation == null) { throw new NullPointerException(\"continuation\"); }\n\
     if (id < 0) { throw new IllegalArgumentException(\"id\"); }\n\
     loads++; return id % 2 == 0 ? \"even\" : \"odd\"; }\n\
     public int getLoads() { return loads; } }",
);

#[test]
fn suspend_functions_are_called_in_a_coroutine() {
    let subject = Subject::of(&[&KOTLIN[..], &[LIBRARY, LOADER]].concat());
    let ended = end(subject.generate("p.Loader").args(["--steps", "2000"]));
    assert_eq!(ended.status, 0, "{}", ended.err);
    let report = subject.report();
    let class = &report.classes[0];
    // Nothing gives a test the continuation null.
    assert_eq!((class.goals.branch.covered, class.goals.branch.total), (5, 6), "{:?}", class.goals);
    assert_eq!(class.discarded.uncompilable, 0, "{:?}", class.discarded);
    let source = subject.source("p.Loader");
    let call = "BuildersKt.runBlocking(EmptyCoroutineContext.INSTANCE, (scope, continuation) -> loader.load(";
    assert!(source.contains(call), "{source}");
    assert!(source.contains("assertEquals(\"even\", ") && source.contains("throws Exception"), "{source}");
    assert!(!source.contains("Continuation "), "{source}");
}

#[test]
fn without_the_library_a_suspend_function_has_a_reason() {
    let subject = Subject::of(&[&KOTLIN[..], &[LOADER]].concat());
    let ended = end(subject.generate("p.Loader").args(["--steps", "300"]));
    assert_eq!(ended.status, 0, "{}", ended.err);
    let reason = "p.Loader.load is a suspend function: a test can call it with kotlinx-coroutines on its class path";
    assert!(
        subject.report().classes[0].remarks.iter().any(|remark| remark == reason),
        "{:?}",
        subject.report().classes[0].remarks
    );
    assert!(!subject.source("p.Loader").contains("load("), "{}", subject.source("p.Loader"));
}
