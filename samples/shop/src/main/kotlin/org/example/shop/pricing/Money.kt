package org.example.shop.pricing

import java.math.BigDecimal
import java.math.RoundingMode

/** An amount in a currency, always with two decimals. */
data class Money(val amount: BigDecimal, val currency: String) : Comparable<Money> {

    init {
        require(currency.length == 3 && currency.all { it in 'A'..'Z' }) { "not a currency: $currency" }
        require(amount.scale() <= 2) { "more than two decimals: $amount" }
    }

    val isNegative: Boolean
        get() = amount.signum() < 0

    operator fun plus(other: Money): Money = Money(amount.add(same(other).amount), currency)

    operator fun minus(other: Money): Money = Money(amount.subtract(same(other).amount), currency)

    operator fun times(count: Int): Money = Money(amount.multiply(BigDecimal(count)), currency)

    /** The given share of this amount, rounded half up. */
    fun percent(percent: Int): Money =
        Money(amount.multiply(BigDecimal(percent)).divide(BigDecimal(100), 2, RoundingMode.HALF_UP), currency)

    override fun compareTo(other: Money): Int = amount.compareTo(same(other).amount)

    override fun toString(): String = "${amount.setScale(2, RoundingMode.HALF_UP)} $currency"

    private fun same(other: Money): Money {
        require(currency == other.currency) { "cannot mix $currency and ${other.currency}" }
        return other
    }

    companion object {
        @JvmStatic
        fun of(amount: String, currency: String): Money = Money(BigDecimal(amount), currency)

        @JvmStatic
        fun zero(currency: String): Money = Money(BigDecimal("0.00"), currency)
    }
}
