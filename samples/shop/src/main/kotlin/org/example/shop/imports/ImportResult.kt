package org.example.shop.imports

/** One row that could not be imported. */
data class RowError(val line: Int, val message: String)

/** What became of the rows of a file. */
data class ImportResult(val created: Int, val updated: Int, val errors: List<RowError>) {

    val rows: Int
        get() = created + updated + errors.size

    fun summary(): String = when {
        rows == 0 -> "nothing to import"
        errors.isEmpty() -> "$created created, $updated updated"
        errors.size == rows -> "all $rows rows failed"
        else -> "$created created, $updated updated, ${errors.size} failed, first in line ${errors.minOf { it.line }}"
    }
}
