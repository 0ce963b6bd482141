package org.example.shop.catalog;

import java.text.ParseException;
import java.util.Locale;
import lombok.RequiredArgsConstructor;
import org.springframework.format.Formatter;
import org.springframework.stereotype.Component;

/** Categories in forms: the path of a category, or its last name if it is the only one. */
@Component
@RequiredArgsConstructor
public class CategoryFormatter implements Formatter<Category> {

    private final CategoryRepository categories;

    @Override
    public String print(Category category, Locale locale) {
        return category.getName() == null ? "<unnamed>" : category.path();
    }

    @Override
    public Category parse(String text, Locale locale) throws ParseException {
        String wanted = text.trim();
        for (Category category : categories.findAllByOrderByName()) {
            if (wanted.equals(category.path())) {
                return category;
            }
        }
        return categories.findByName(wanted)
                .orElseThrow(() -> new ParseException("no such category: " + wanted, 0));
    }
}
