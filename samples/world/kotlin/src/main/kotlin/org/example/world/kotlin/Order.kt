package org.example.world.kotlin

/** States of an order. */
sealed class OrderState {
    object Open : OrderState()

    data class Paid(val cents: Int) : OrderState()

    data class Sent(val parcel: String?) : OrderState()
}

/** An order with sealed states, lazy values and null checks. */
class Order(private val items: List<Int>) {

    var state: OrderState = OrderState.Open
        private set

    val sum: Int by lazy { items.sum() }

    fun pay(cents: Int): Boolean {
        if (state != OrderState.Open || cents < sum) { // feasible: 4 of 4
            return false
        }
        state = OrderState.Paid(cents)
        return true
    }

    fun send(parcel: String?) {
        check(state is OrderState.Paid) { "not paid" } // feasible: 2 of 2
        state = OrderState.Sent(parcel)
    }

    fun describe(): String = when (val now = state) {
        is OrderState.Open -> "open" // feasible: 2 of 2
        is OrderState.Paid -> "paid ${now.cents}" // feasible: 2 of 2
        is OrderState.Sent -> "sent ${now.parcel ?: "by hand"}" // feasible: 2 of 2
    }
}
