package org.springframework.test.util;

import java.lang.reflect.Field;

/** Stands in for the class of spring-test. */
public abstract class ReflectionTestUtils {
    public static void setField(Object target, String name, Object value) {
        for (Class<?> type = target.getClass(); type != null; type = type.getSuperclass()) {
            try {
                Field field = type.getDeclaredField(name);
                field.setAccessible(true);
                field.set(target, value);
                return;
            } catch (NoSuchFieldException next) {
                continue;
            } catch (IllegalAccessException wrong) {
                throw new IllegalStateException(wrong);
            }
        }
        throw new IllegalArgumentException("no field " + name);
    }

    public static void setField(Class<?> target, String name, Object value) {
        throw new IllegalArgumentException("no static fields");
    }
}
