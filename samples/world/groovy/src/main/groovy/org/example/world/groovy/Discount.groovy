package org.example.world.groovy

import groovy.transform.CompileStatic

/** A class that is compiled statically, with a static rate. */
@CompileStatic
class Discount {

    private static int rate = 10

    static int getRate() {
        return rate
    }

    static void setRate(int percent) {
        if (percent < 0 || percent > 100) { // feasible: 10 of 10
            throw new IllegalArgumentException('percent: ' + percent)
        }
        rate = percent
    }

    static int reduce(int cents) {
        if (cents <= 0) { // feasible: 4 of 4
            return 0
        }
        return cents - cents.intdiv(100).intValue() * rate
    }
}
