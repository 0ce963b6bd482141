package org.example.shop.catalog;

import lombok.RequiredArgsConstructor;
import org.springframework.stereotype.Component;
import org.springframework.util.StringUtils;
import org.springframework.validation.Errors;
import org.springframework.validation.ValidationUtils;
import org.springframework.validation.Validator;

@Component
@RequiredArgsConstructor
public class ProductFormValidator implements Validator {

    private static final int MAX_GRAMS = 31_500;

    private final ProductRepository products;

    @Override
    public boolean supports(Class<?> type) {
        return ProductForm.class.isAssignableFrom(type);
    }

    @Override
    public void validate(Object target, Errors errors) {
        ProductForm form = (ProductForm) target;
        ValidationUtils.rejectIfEmptyOrWhitespace(errors, "name", "name.empty", "The name is missing");
        if (form.getPrice() == null) {
            errors.rejectValue("price", "price.missing");
        } else if (form.getPrice().signum() <= 0) {
            errors.rejectValue("price", "price.positive");
        } else if (form.getPrice().scale() > 2) {
            errors.rejectValue("price", "price.decimals");
        }
        if (form.getGrams() != null && (form.getGrams() <= 0 || form.getGrams() > MAX_GRAMS)) {
            errors.rejectValue("grams", "grams.range", new Object[] {MAX_GRAMS}, "The weight is out of range");
        }
        if (form.getStatus() == ProductStatus.ACTIVE && form.getCategory() == null) {
            errors.rejectValue("category", "category.required");
        }
        if (!errors.hasFieldErrors("sku") && StringUtils.hasText(form.getSku()) && products.existsBySku(form.getSku())) {
            errors.rejectValue("sku", "sku.taken", "The SKU is taken");
        }
    }
}
