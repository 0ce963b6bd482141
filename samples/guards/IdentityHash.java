// Feature: a number that the JVM draws
package samples.guards;

public class IdentityHash {
    public static boolean matches(int x) {
        if (System.identityHashCode(new Object()) == x * 2) {
            return true; // goal: by chance, the JVM draws another number in each run
        }
        return false;
    }
}
