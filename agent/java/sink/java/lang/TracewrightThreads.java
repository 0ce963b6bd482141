package java.lang;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import jdk.internal.misc.Unsafe;

/**
 * What the JDK knows of threads and their pools. Flows in: threads that a run has started; flows
 * out: their pools, made to end their workers. Must not run code under test: it leaves pools alone
 * that are of classes of the project.
 */
public final class TracewrightThreads {
    private static final Unsafe UNSAFE = Unsafe.getUnsafe();

    private TracewrightThreads() {}

    /** Pools whose workers end at once, since {@link #endWorkers} was called. */
    private static final ArrayList<Hurried> HURRIED = new ArrayList<>();

    /** A pool, and how long its workers waited for a task before. */
    private static final class Hurried {
        final ThreadPoolExecutor pool;
        final long keepAliveNanos;
        final boolean coreMayEnd;

        Hurried(ThreadPoolExecutor pool) {
            this.pool = pool;
            keepAliveNanos = pool.getKeepAliveTime(TimeUnit.NANOSECONDS);
            coreMayEnd = pool.allowsCoreThreadTimeOut();
        }
    }

    /**
     * Makes the pool of this worker forget its tasks and end its workers, which must be
     * interrupted. Other pools than those for recursive tasks can be used again after {@link
     * #release}. False: the thread is no worker, or its pool keeps its workers.
     */
    public static synchronized boolean endWorkers(Thread thread) {
        ExecutorService pool = poolOf(thread);
        if (pool instanceof ThreadPoolExecutor) {
            ThreadPoolExecutor executor = (ThreadPoolExecutor) pool;
            for (Hurried one : HURRIED) {
                if (one.pool == pool) {
                    return true;
                }
            }
            if (executor.getQueue().getClass().getClassLoader() != null) {
                return false;
            }
            HURRIED.add(new Hurried(executor));
            executor.getQueue().clear();
            executor.setKeepAliveTime(1, TimeUnit.NANOSECONDS);
            executor.allowCoreThreadTimeOut(true);
            return true;
        }
        if (pool == null || pool == ForkJoinPool.commonPool() || TracewrightState.isKept(pool)) {
            return false;
        }
        pool.shutdownNow();
        return true;
    }

    /** After {@link #endWorkers}: new workers wait as long as before. */
    public static synchronized void release() {
        for (Hurried one : HURRIED) {
            one.pool.allowCoreThreadTimeOut(false);
            one.pool.setKeepAliveTime(one.keepAliveNanos, TimeUnit.NANOSECONDS);
            one.pool.allowCoreThreadTimeOut(one.coreMayEnd);
        }
        HURRIED.clear();
    }

    /** The pool of the JDK whose worker this thread is, or null. */
    private static ExecutorService poolOf(Thread thread) {
        ExecutorService pool = null;
        if (thread instanceof ForkJoinWorkerThread) {
            pool = ((ForkJoinWorkerThread) thread).getPool();
        } else {
            try {
                Object task = taskOf(thread);
                if (task != null && task.getClass().getName().equals("java.util.concurrent.ThreadPoolExecutor$Worker")) {
                    pool = (ExecutorService) reference(task, task.getClass(), "this$0");
                }
            } catch (RuntimeException | InternalError otherJdk) {
                return null;
            }
        }
        return pool != null && pool.getClass().getClassLoader() == null ? pool : null;
    }

    /** Whether no virtual thread runs; true also where this JDK has none. */
    public static boolean virtualThreadsRest() {
        ForkJoinPool scheduler = Scheduler.POOL;
        return scheduler == null || scheduler.isQuiescent();
    }

    /** The pool whose workers run virtual threads. */
    private static final class Scheduler {
        static final ForkJoinPool POOL = pool();

        private static ForkJoinPool pool() {
            try {
                Class<?> type = Class.forName("java.lang.VirtualThread");
                Field field = type.getDeclaredField("DEFAULT_SCHEDULER");
                UNSAFE.ensureClassInitialized(type);
                Object pool = UNSAFE.getReference(UNSAFE.staticFieldBase(field), UNSAFE.staticFieldOffset(field));
                return pool instanceof ForkJoinPool ? (ForkJoinPool) pool : null;
            } catch (ReflectiveOperationException | RuntimeException | Error otherJdk) {
                return null;
            }
        }
    }

    private static Object taskOf(Thread thread) {
        try {
            return reference(thread, Thread.class, "target");
        } catch (InternalError newerJdk) {
            Object holder = reference(thread, Thread.class, "holder");
            return holder == null ? null : reference(holder, holder.getClass(), "task");
        }
    }

    private static Object reference(Object object, Class<?> type, String field) {
        return UNSAFE.getReference(object, UNSAFE.objectFieldOffset(type, field));
    }
}
