package jakarta.persistence;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands in for the annotation of Jakarta. */
@Retention(RetentionPolicy.RUNTIME)
public @interface Entity {}
