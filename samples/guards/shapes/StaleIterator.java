// Feature: an iterator that has seen what the list no longer has
package samples.guards.shapes;

import java.util.ArrayList;
import java.util.List;

public class StaleIterator {
    public static class Book {
    }

    public static class Walk {
        private final StaleIterator shelf;
        private final Object stamp;
        private final List<Book> seen = new ArrayList<>();

        private Walk(StaleIterator shelf) {
            this.shelf = shelf;
            stamp = shelf.stamp;
        }

        public Book next() {
            if (stamp != shelf.stamp) {
                throw new IllegalStateException("the shelf has changed");
            }
            Book book = shelf.books.get(seen.size());
            seen.add(book);
            return book;
        }

        private boolean hasSeen(Book one, Book other) {
            return one != other && seen.equals(List.of(one, other, one));
        }
    }

    private final List<Book> books = new ArrayList<>();
    private Object stamp = new Object();

    public void add(Book book) {
        books.add(book);
        stamp = new Object();
    }

    public void remove(Book book) {
        books.remove(book);
        stamp = new Object();
    }

    public Walk walk() {
        return new Walk(this);
    }

    public boolean isGone(Walk walk, Book one, Book other) {
        if (walk.shelf == this && walk.hasSeen(one, other) && !books.isEmpty() && !books.contains(one)
                && !books.contains(other)) {
            return true; // goal: reached
        }
        return false;
    }
}
