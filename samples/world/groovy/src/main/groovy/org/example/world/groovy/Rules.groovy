package org.example.world.groovy

/** Closures in a static map. */
class Rules {

    private static final Map<String, Closure<Boolean>> RULES = [
        short: { String text -> text.length() < 5 },
        upper: { String text -> text == text.toUpperCase(Locale.ROOT) }
    ]

    static boolean check(String rule, String text) {
        Closure<Boolean> closure = RULES[rule]
        if (closure == null) { // feasible: 2 of 2
            throw new IllegalArgumentException("no such rule: $rule")
        }
        closure.call(text)
    }

    static int count() {
        RULES.size()
    }
}
