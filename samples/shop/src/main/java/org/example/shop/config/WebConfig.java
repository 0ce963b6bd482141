package org.example.shop.config;

import lombok.RequiredArgsConstructor;
import org.example.shop.catalog.CategoryFormatter;
import org.example.shop.web.MoneyFormatter;
import org.springframework.context.annotation.Configuration;
import org.springframework.format.FormatterRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

@Configuration
@RequiredArgsConstructor
public class WebConfig implements WebMvcConfigurer {

    private final CategoryFormatter categories;

    @Override
    public void addFormatters(FormatterRegistry registry) {
        registry.addFormatter(categories);
        registry.addFormatter(new MoneyFormatter());
    }
}
