package injection;

import jakarta.persistence.Entity;

/** An entity whose constructor without parameters is for the persistence provider alone. */
@Entity
public class Parcel {
    private String item;

    public Parcel() {}

    public Parcel(String item) {
        this.item = item;
    }

    /** What is in it. */
    public String item() {
        return item;
    }
}
