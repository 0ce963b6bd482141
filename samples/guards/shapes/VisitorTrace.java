// Feature: a visitor that meets the nodes of an expression in a certain order
package samples.guards.shapes;

import java.util.ArrayList;
import java.util.List;

public class VisitorTrace {
    private enum Met { SUM, PRODUCT, MINUS, NUMBER }

    public interface Expression {
        void accept(VisitorTrace visitor);
    }

    public record Sum(Expression left, Expression right) implements Expression {
        @Override
        public void accept(VisitorTrace visitor) {
            visitor.met.add(Met.SUM);
            left.accept(visitor);
            right.accept(visitor);
        }
    }

    public record Product(Expression left, Expression right) implements Expression {
        @Override
        public void accept(VisitorTrace visitor) {
            visitor.met.add(Met.PRODUCT);
            left.accept(visitor);
            right.accept(visitor);
        }
    }

    public record Minus(Expression inner) implements Expression {
        @Override
        public void accept(VisitorTrace visitor) {
            visitor.met.add(Met.MINUS);
            inner.accept(visitor);
        }
    }

    public record Number() implements Expression {
        @Override
        public void accept(VisitorTrace visitor) {
            visitor.met.add(Met.NUMBER);
        }
    }

    private final List<Met> met = new ArrayList<>();

    public boolean isDone() {
        if (met.equals(List.of(Met.PRODUCT, Met.SUM, Met.NUMBER, Met.MINUS, Met.NUMBER,
                Met.MINUS, Met.PRODUCT, Met.NUMBER, Met.NUMBER))) {
            return true; // goal: reached
        }
        return false;
    }
}
