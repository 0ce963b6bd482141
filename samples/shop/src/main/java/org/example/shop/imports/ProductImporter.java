package org.example.shop.imports;

import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.example.shop.catalog.CategoryRepository;
import org.example.shop.catalog.Product;
import org.example.shop.catalog.ProductRepository;
import org.example.shop.catalog.ProductStatus;
import org.example.shop.pricing.Money;
import org.example.shop.pricing.PriceFormatException;
import org.example.shop.pricing.PriceParser;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Imports products from rows of SKU, name, price, weight and category. */
@Service
public class ProductImporter {

    private static final int COLUMNS = 5;

    private final ProductRepository products;
    private final CategoryRepository categories;
    private final CsvParser csv = new CsvParser(';');
    private final PriceParser prices = new PriceParser("EUR");

    public ProductImporter(ProductRepository products, CategoryRepository categories) {
        this.products = products;
        this.categories = categories;
    }

    @Transactional
    public ImportResult run(Reader input) throws IOException {
        int created = 0;
        int updated = 0;
        int line = 0;
        List<RowError> errors = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (List<String> row : csv.parse(input)) {
            line++;
            if (line == 1 && row.get(0).equalsIgnoreCase("sku")) {
                continue;
            }
            if (row.size() < COLUMNS) {
                errors.add(new RowError(line, row.size() + " columns"));
                continue;
            }
            if (!seen.add(row.get(0))) {
                errors.add(new RowError(line, "twice: " + row.get(0)));
                continue;
            }
            Optional<Product> known = products.findBySku(row.get(0));
            Product product = known.orElseGet(Product::new);
            try {
                fill(product, row);
            } catch (PriceFormatException | IllegalArgumentException e) {
                errors.add(new RowError(line, e.getMessage()));
                continue;
            }
            products.save(product);
            if (known.isPresent()) {
                updated++;
            } else {
                created++;
            }
        }
        return new ImportResult(created, updated, errors);
    }

    private void fill(Product product, List<String> row) throws PriceFormatException {
        Money price = prices.parse(row.get(2));
        if (price.isNegative()) {
            throw new IllegalArgumentException("negative: " + price);
        }
        int grams = row.get(3).isBlank() ? 0 : Integer.parseInt(row.get(3).strip());
        product.setSku(row.get(0));
        product.setName(row.get(1).strip());
        product.setPrice(price.getAmount());
        product.setCurrency(price.getCurrency());
        product.setGrams(grams);
        if (product.getStatus() == null) {
            product.setStatus(ProductStatus.DRAFT);
        }
        if (!row.get(4).isBlank()) {
            product.setCategory(categories.findByName(row.get(4).strip()).orElse(product.getCategory()));
        }
    }
}
