import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

class TypeUses {
    @Target(ElementType.TYPE_USE)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Mark {
        String value() default "";
        int[] numbers() default {};
    }

    @Target(ElementType.TYPE_USE)
    @interface Hidden {}

    static <T> T same(T value) {
        return value;
    }

    static Object uses(Object given) {
        @Mark("local") String text = (@Mark("cast") String) given;
        List<@Mark(numbers = {1, 2}) String> made = new @Mark("new") ArrayList<@Hidden String>();
        if (given instanceof @Mark("instanceof") Integer) {
            made.add(TypeUses.<@Mark("argument") String>same(text));
        }
        Supplier<Object> supplier = @Mark("reference") Object::new;
        try {
            return supplier.get();
        } catch (@Mark("catch") IllegalStateException e) {
            @Hidden Object last = e;
            return last;
        }
    }
}
