package org.springframework.beans.factory.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands in for the annotation of Spring. */
@Retention(RetentionPolicy.RUNTIME)
public @interface Value {
    String value();
}
