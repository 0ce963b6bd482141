package org.example.world.kotlin

/** A class with a companion that counts. */
class Invoice private constructor(val number: Int, val customer: String) {

    fun label(): String {
        val shown = if (customer.length > 10) customer.take(10) else customer // feasible: 2 of 2
        return "$number $shown"
    }

    companion object {
        private var last = 0

        fun create(customer: String): Invoice {
            require(customer.isNotBlank()) { "no customer" } // feasible: 4 of 4
            last++
            return Invoice(last, customer)
        }

        fun issued(): Int = last

        fun reset() {
            last = 0
        }
    }
}
