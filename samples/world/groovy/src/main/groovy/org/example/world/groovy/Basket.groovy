package org.example.world.groovy

/** A class of Groovy with dynamic calls. */
class Basket {

    List<String> items = []

    int add(String item) {
        if (!item) { // feasible: 2 of 2
            throw new IllegalArgumentException('no item')
        }
        items << item
        items.size()
    }

    String describe() {
        if (items.isEmpty()) { // feasible: 2 of 2
            return 'empty'
        }
        items.size() == 1 ? "one ${items[0]}" : "${items.size()} items" // feasible: 2 of 2
    }
}
