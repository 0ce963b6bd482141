// Feature: try with resources, and what is suppressed
package samples.guards;

public class CloseResources {
    record Handle(int id) implements AutoCloseable {
        @Override
        public void close() {
            if (id % 97 == 13) {
                throw new IllegalStateException("cannot close");
            }
        }
    }

    public static int use(int first, int second) {
        try (Handle a = new Handle(first); Handle b = new Handle(second)) {
            if (a.id() + b.id() == 5_000) {
                throw new UnsupportedOperationException();
            }
            return 1;
        } catch (UnsupportedOperationException refused) {
            if (refused.getSuppressed().length == 1 && first > second) {
                return 2; // goal: reached
            }
            return 3;
        } catch (IllegalStateException closed) {
            return 4;
        }
    }
}
