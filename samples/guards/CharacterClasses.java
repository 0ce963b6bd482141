// Feature: Character.isDigit, isLetter, isUpperCase over a string
package samples.guards;

public class CharacterClasses {
    public static boolean isStrong(String password) {
        int digits = 0;
        int upper = 0;
        int other = 0;
        for (char letter : password.toCharArray()) {
            if (Character.isDigit(letter)) {
                digits++;
            } else if (Character.isUpperCase(letter)) {
                upper++;
            } else if (!Character.isLetter(letter)) {
                other++;
            }
        }
        if (password.length() == 6 && digits == 2 && upper == 3 && other == 1 && Character.isDigit(password.charAt(5))) {
            return true; // goal: reached
        }
        return false;
    }
}
