import java.io.File;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;

/** Classes with one name in several loaders, which may be unloaded; and mocks of a class that is recorded. */
class RecordedLoaders {
    public static void main(String[] arguments) throws Exception {
        URL[] path = {new File(arguments[0]).toURI().toURL()};
        WeakReference<?>[] loaders = new WeakReference<?>[3];
        for (int i = 0; i < loaders.length; i++) {
            loaders[i] = call(path, i);
        }
        for (WeakReference<?> loader : loaders) {
            for (int i = 0; i < 50 && loader.get() != null; i++) {
                System.gc();
                Thread.sleep(20);
            }
            System.out.println(loader.get() == null ? "unloaded" : "kept");
        }
        if (arguments.length > 1) {
            mocked();
        }
    }

    private static WeakReference<?> call(URL[] path, int n) throws Exception {
        URLClassLoader loader = new URLClassLoader(path, null);
        Class<?> type = loader.loadClass("Recorded");
        java.lang.reflect.Method count = type.getDeclaredMethod("count", int.class);
        count.setAccessible(true);
        int[] sum = new int[1];
        Thread thread = new Thread(() -> {
            try {
                for (int i = 0; i < 10; i++) {
                    sum[0] += (Integer) count.invoke(null, i + n);
                }
            } catch (ReflectiveOperationException thrown) {
                throw new AssertionError(thrown);
            }
        });
        thread.start();
        thread.join();
        System.out.println(sum[0] + " " + (type.getClassLoader() == loader) + " " + (type != Recorded.class));
        return new WeakReference<>(loader);
    }

    /** By reflection, since Mockito is on the class path of one run only. */
    private static void mocked() throws Exception {
        Class<?> mockito = Class.forName("org.mockito.Mockito");
        Recorded mock = (Recorded) mockito.getMethod("mock", Class.class).invoke(null, Recorded.class);
        Object stubbing = mockito.getMethod("when", Object.class).invoke(null, mock.guarded(4));
        Class.forName("org.mockito.stubbing.OngoingStubbing").getMethod("thenReturn", Object.class).invoke(stubbing, 40);
        System.out.println(mock.guarded(4) + " " + mock.guarded(5) + " " + new Recorded(1).guarded(5) + " " + Recorded.count(4));
    }
}
