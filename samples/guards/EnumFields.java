// Feature: fields and methods of enum constants, chosen by index
package samples.guards;

public class EnumFields {
    enum Coin {
        CENT(1), NICKEL(5), DIME(10), QUARTER(25);

        private final int value;

        Coin(int value) {
            this.value = value;
        }

        int times(int count) {
            return value * count;
        }
    }

    public static boolean pays(int coin, int count) {
        if (coin >= 0 && coin < 4 && Coin.values()[coin].times(count) == 1_975 && count < 100) {
            return true; // goal: reached
        }
        return false;
    }
}
