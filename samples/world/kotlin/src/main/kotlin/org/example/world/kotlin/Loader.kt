package org.example.world.kotlin

import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.yield

/** Functions that suspend. */
class Loader {

    private val loaded = LinkedHashMap<Int, String>()

    suspend fun load(id: Int): String {
        require(id >= 0) { "id: $id" } // feasible: 4 of 4
        loaded[id]?.let { return it } // feasible: 2 of 2
        yield()
        val text = if (id % 2 == 0) "even $id" else "odd $id" // feasible: 2 of 2
        loaded[id] = text
        return text
    }

    suspend fun both(first: Int, second: Int): String = coroutineScope {
        val one = async { load(first) }
        val two = async { load(second) }
        one.await() + ", " + two.await()
    }

    fun isLoaded(id: Int): Boolean = loaded.containsKey(id)
}
