import java.lang.reflect.Field;
import java.lang.reflect.Method;

/**
 * Waits for the agent to be attached. It is loaded before the sink exists, so it uses the sink by
 * reflection.
 */
public class Attached {
    static boolean small(int n) {
        return n < 8;
    }

    public static void main(String[] arguments) throws Exception {
        small(1);
        System.out.println("ready");
        System.in.read();
        Class<?> sink = Class.forName("java.lang.TracewrightSearch");
        Method begin = sink.getMethod("begin", long.class);
        begin.invoke(null, 1000L);
        small(10);
        sink.getMethod("end").invoke(null);
        Field branches = sink.getField("branches");
        double[] distances = (double[]) branches.get(null);
        System.out.println("not " + distances[0] + " taken " + distances[1]);
    }
}
