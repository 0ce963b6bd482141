package org.example.world.kotlin

/** An object with a rate that can be changed. */
object Tax {

    const val INITIAL_RATE = 19

    var rate: Int = INITIAL_RATE
        set(value) {
            require(value <= 100) { "rate: $value" } // feasible: 4 of 4
            field = value
        }

    fun of(cents: Int): Int {
        if (cents <= 0) { // feasible: 2 of 2
            return 0
        }
        return cents * rate / 100
    }
}
