package garage;

/** What parking costs, in cents: by the started hour, free at first, at most so much a day. */
public final class Tariff {
    private static final int MINUTES_A_DAY = 24 * 60;

    private final int freeMinutes;
    private final int centsAnHour;
    private final int mostCentsADay;

    public Tariff(int freeMinutes, int centsAnHour, int mostCentsADay) {
        if (freeMinutes < 0 || centsAnHour <= 0 || mostCentsADay < centsAnHour) {
            throw new IllegalArgumentException("a day costs at least an hour, and an hour costs something");
        }
        this.freeMinutes = freeMinutes;
        this.centsAnHour = centsAnHour;
        this.mostCentsADay = mostCentsADay;
    }

    public int price(int minutes) {
        if (minutes < 0) {
            throw new IllegalArgumentException("left before it came");
        }
        if (minutes <= freeMinutes) {
            return 0;
        }
        int days = minutes / MINUTES_A_DAY;
        int hours = (minutes % MINUTES_A_DAY + 59) / 60;
        return days * mostCentsADay + Math.min(hours * centsAnHour, mostCentsADay);
    }

    /** Price with a discount for residents, and none on a full garage. */
    public int price(int minutes, boolean resident, int freePlaces) {
        int price = price(minutes);
        if (resident && freePlaces > 10) {
            return price - price / 4;
        }
        return price;
    }
}
