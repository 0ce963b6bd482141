package org.example.shop.pricing

/** A reduction of a price. */
sealed class Discount {

    /** What remains of the price of [count] pieces. */
    abstract fun applyTo(unitPrice: Money, count: Int): Money

    object None : Discount() {
        override fun applyTo(unitPrice: Money, count: Int): Money = unitPrice * count
    }

    data class Percentage(val percent: Int) : Discount() {
        init {
            require(percent in 0..100) { "percent must be from 0 to 100" }
        }

        override fun applyTo(unitPrice: Money, count: Int): Money {
            val full = unitPrice * count
            return full - full.percent(percent)
        }
    }

    data class Fixed(val reduction: Money) : Discount() {
        override fun applyTo(unitPrice: Money, count: Int): Money {
            val rest = unitPrice * count - reduction
            return if (rest.isNegative) Money.zero(unitPrice.currency) else rest
        }
    }

    data class BuyGet(val buy: Int, val free: Int) : Discount() {
        override fun applyTo(unitPrice: Money, count: Int): Money {
            if (buy <= 0 || free <= 0) return unitPrice * count
            val group = buy + free
            val rest = count % group
            val paid = count / group * buy + if (rest > buy) buy else rest
            return unitPrice * paid
        }
    }
}

/** A text about a discount for customers. */
fun describe(discount: Discount): String = when (discount) {
    is Discount.None -> "no discount"
    is Discount.Percentage -> if (discount.percent == 100) "free" else "${discount.percent} % off"
    is Discount.Fixed -> "${discount.reduction} off"
    is Discount.BuyGet -> "buy ${discount.buy}, get ${discount.free} free"
}
