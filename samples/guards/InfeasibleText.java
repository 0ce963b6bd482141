// Feature: conditions on a string that exclude each other
package samples.guards;

public class InfeasibleText {
    public static boolean never(String text) {
        if (text.length() == 3 && text.startsWith("ab") && text.endsWith("cd")) {
            return true; // goal: infeasible, the two texts do not overlap
        }
        return false;
    }
}
