// Feature: casts along a chain that leads back to its start
package samples.guards.shapes;

public class AdapterCasts {
    public static class Adapter {
        private final Object inner;

        public Adapter(Object inner) {
            this.inner = inner;
        }
    }

    public static class Lamp {
        private Object home;

        public void install(Object place) {
            home = place;
        }
    }

    private Object plugged;

    public void plug(Object device) {
        plugged = device;
    }

    public boolean isLit() {
        AdapterCasts middle;
        Adapter adapter;
        Lamp lamp;
        try {
            middle = (AdapterCasts) ((Adapter) plugged).inner;
            adapter = (Adapter) ((Adapter) middle.plugged).inner;
            lamp = (Lamp) ((Adapter) adapter.inner).inner;
        } catch (ClassCastException wrong) {
            return false;
        }
        if (lamp.home == this && middle != this && adapter != plugged) {
            return true; // goal: reached
        }
        return false;
    }
}
