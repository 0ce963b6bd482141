package hostile;

import java.lang.reflect.Field;
import sun.misc.Unsafe;

/** Writes where no memory is. */
public class CrashesJvm {
    public int poke(long address) throws ReflectiveOperationException {
        Field field = Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        ((Unsafe) field.get(null)).putLong(address & 0xff8, 1);
        return 1;
    }

    public boolean isAligned(long address) {
        return (address & 7) == 0;
    }
}
