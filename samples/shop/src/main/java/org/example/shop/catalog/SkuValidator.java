package org.example.shop.catalog;

import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;

public class SkuValidator implements ConstraintValidator<Sku, String> {

    private boolean optional;

    @Override
    public void initialize(Sku annotation) {
        optional = annotation.optional();
    }

    @Override
    public boolean isValid(String value, ConstraintValidatorContext context) {
        if (value == null || value.isEmpty()) {
            return optional;
        }
        int dash = value.indexOf('-');
        if (dash < 2 || dash > 4 || value.length() < dash + 5) {
            return false;
        }
        for (int i = 0; i < dash; i++) {
            if (value.charAt(i) < 'A' || value.charAt(i) > 'Z') {
                return false;
            }
        }
        int sum = 0;
        for (int i = dash + 1; i < value.length() - 1; i++) {
            char digit = value.charAt(i);
            if (digit < '0' || digit > '9') {
                return false;
            }
            sum += (i - dash) % 2 == 0 ? digit - '0' : 3 * (digit - '0');
        }
        int expected = (10 - sum % 10) % 10;
        if (value.charAt(value.length() - 1) - '0' != expected) {
            context.disableDefaultConstraintViolation();
            context.buildConstraintViolationWithTemplate("the check digit should be " + expected)
                    .addConstraintViolation();
            return false;
        }
        return true;
    }
}
