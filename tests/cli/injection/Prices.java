package injection;

/** A collaborator. */
public interface Prices {
    int of(String item);
}
