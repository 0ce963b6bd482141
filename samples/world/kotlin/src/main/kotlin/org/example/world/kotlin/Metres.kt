package org.example.world.kotlin

/** A value class: its methods and those that take it have mangled names. */
@JvmInline
value class Metres(val value: Int) {

    fun isLong(): Boolean = value > 1000 // feasible: 2 of 2
}

/** Takes a value class, and has a method that Java can call. */
class Route {

    private var total = 0

    fun add(leg: Metres): Int {
        require(leg.value >= 0) { "negative" } // feasible: 4 of 4
        total += leg.value
        return total
    }

    fun addKilometres(kilometres: Int): Int {
        if (kilometres < 0) { // feasible: 2 of 2
            return -1
        }
        return add(Metres(kilometres * 1000))
    }

    fun kind(): String = if (Metres(total).isLong()) "long" else "short" // feasible: 2 of 2
}
