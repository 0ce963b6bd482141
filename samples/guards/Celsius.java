// Feature: a chain of operations on a double
package samples.guards;

public class Celsius {
    public static String tell(double celsius) {
        double fahrenheit = celsius * 9 / 5 + 32;
        if (fahrenheit == 99.5) {
            return "fever"; // goal: reached
        }
        return fahrenheit > 99.5 ? "high" : "low";
    }
}
