package org.example.shop.payment

import org.example.shop.pricing.Money

/** A request to charge a customer. */
data class PaymentRequest(val orderNumber: String, val amount: Money, val cardToken: String?, val attempt: Int = 1)

/** The answer of a payment provider. */
sealed class PaymentResult {
    data class Approved(val reference: String) : PaymentResult()

    data class Declined(val code: Int, val reason: String?) : PaymentResult() {
        val isFinal: Boolean
            get() = code != INSUFFICIENT_FUNDS && code != TRY_AGAIN
    }

    data class Unavailable(val retryAfterSeconds: Int?) : PaymentResult()

    companion object {
        const val INSUFFICIENT_FUNDS = 51
        const val TRY_AGAIN = 19
    }
}
