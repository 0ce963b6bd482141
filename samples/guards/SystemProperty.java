// Feature: what the environment says
package samples.guards;

public class SystemProperty {
    public static boolean isStage(int x) {
        if (x == 55_555 && "staging".equals(System.getenv("DEPLOYMENT"))) {
            return true; // goal: cannot, the environment is no input
        }
        return false;
    }
}
