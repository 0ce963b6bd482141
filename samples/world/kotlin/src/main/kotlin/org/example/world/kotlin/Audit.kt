package org.example.world.kotlin

/** A class with internal members, whose names are mangled. */
class Audit {

    private val entries = ArrayList<String>()

    internal fun note(entry: String) {
        if (entries.size < 3) { // feasible: 2 of 2
            entries.add(entry)
        }
    }

    internal val count: Int
        get() = entries.size

    fun record(user: String, amount: Int): String {
        val entry = if (amount > 1000) "$user!" else user // feasible: 2 of 2
        note(entry)
        return entry
    }

    fun last(): String? = entries.lastOrNull()
}
