// Feature: a builder that builds twice, the second time from the first product
package samples.guards.shapes;

public class BuiltTwice {
    public enum Colour { RED, GREEN, BLUE, WHITE, BLACK }

    public enum Size { SMALL, MIDDLE, LARGE }

    public enum Finish { MATT, GLOSS }

    public static class Product {
        private final Colour colour;
        private final Size size;
        private final Finish finish;
        private final Product base;
        private final BuiltTwice maker;

        private Product(BuiltTwice maker) {
            this.maker = maker;
            colour = maker.colour;
            size = maker.size;
            finish = maker.finish;
            base = maker.base;
        }
    }

    private Colour colour;
    private Size size;
    private Finish finish;
    private Product base;

    public BuiltTwice colour(Colour value) {
        colour = value;
        return this;
    }

    public BuiltTwice size(Size value) {
        size = value;
        return this;
    }

    public BuiltTwice finish(Finish value) {
        finish = value;
        return this;
    }

    public BuiltTwice base(Product value) {
        base = value;
        return this;
    }

    public Product build() {
        return new Product(this);
    }

    public boolean isRevision(Product product) {
        if (product != null && product.base != null && product.base.base == null
                && is(product, Colour.GREEN, Size.LARGE, Finish.MATT)
                && is(product.base, Colour.BLUE, Size.SMALL, Finish.GLOSS)) {
            return true; // goal: reached
        }
        return false;
    }

    private boolean is(Product product, Colour colour, Size size, Finish finish) {
        return product.maker == this && product.colour == colour && product.size == size
                && product.finish == finish;
    }
}
