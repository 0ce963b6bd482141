package org.example.world.kotlin

/** Functions with default arguments. */
class Discounts @JvmOverloads constructor(private val limit: Int = 50) {

    fun reduce(cents: Int, percent: Int = 10, rounded: Boolean = true): Int {
        require(percent in 0..limit) { "percent: $percent" } // feasible: 6 of 6
        val reduced = cents - cents * percent / 100
        return if (rounded) reduced / 5 * 5 else reduced // feasible: 2 of 2
    }

    @JvmOverloads
    fun name(percent: Int, prefix: String = "minus"): String =
        if (percent == 0) "full price" else "$prefix $percent %" // feasible: 2 of 2
}
