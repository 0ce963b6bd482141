package org.example.shop.shipping

/** What is sent: weight in grams and edges in millimetres. */
data class Parcel(val grams: Int, val length: Int, val width: Int, val height: Int) {

    /** The weight that carriers charge: real or by volume, whichever is greater. */
    val chargeableGrams: Int
        get() = maxOf(grams.toLong(), length.toLong() * width * height / 5000).coerceAtMost(Int.MAX_VALUE.toLong()).toInt()

    val isBulky: Boolean
        get() = maxOf(length, width, height) > 1200 || girth() > 3000

    private fun girth(): Int {
        val edges = listOf(length, width, height).sortedDescending()
        return edges[0] + 2 * (edges[1] + edges[2])
    }
}
