// Idea: the total of a large order does not fit into an int
// Verdict: wrong, 50, 50000000
package samples.asserts;

public class OrderDesk {

    static class Prices {
        int total(int quantity, int price) {
            return quantity * price;
        }
    }

    static class Desk {
        private final Prices prices = new Prices();

        void order(int quantity, int price) {
            if (quantity < 1 || quantity > 50 || price < 1 || price > 50000000) {
                return;
            }
            check(prices.total(quantity, price), price);
        }

        private void check(int total, int price) {
            assert total >= price : "the total is below the price of one piece";
        }
    }

    public static void main(String[] args) {
        new Desk().order(Inputs.nextInt(), Inputs.nextInt());
    }
}
