// Feature: tokens moved until each of four persons holds that of the next one
package samples.guards.shapes;

import java.util.ArrayList;
import java.util.List;

public class GiftCircle {
    private static class Gift {
    }

    private final Gift own = new Gift();
    private final List<Gift> held = new ArrayList<>();
    private GiftCircle next;

    public GiftCircle() {
        held.add(own);
    }

    public void sitBeside(GiftCircle person) {
        next = person;
    }

    public void handTo(GiftCircle person) {
        if (!held.isEmpty()) {
            person.held.add(held.remove(held.size() - 1));
        }
    }

    public boolean isCircle() {
        if (isSeated() && hasGift() && next.hasGift() && next.next.hasGift() && next.next.next.hasGift()) {
            return true; // goal: reached
        }
        return false;
    }

    private boolean isSeated() {
        return next != null && next != this && next.next != null && next.next != this
                && next.next.next != null && next.next.next != this && next.next.next.next == this;
    }

    private boolean hasGift() {
        return held.equals(List.of(next.own));
    }
}
