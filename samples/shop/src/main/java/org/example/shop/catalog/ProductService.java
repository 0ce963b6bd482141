package org.example.shop.catalog;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import lombok.RequiredArgsConstructor;
import org.springframework.data.domain.Page;
import org.springframework.data.domain.PageRequest;
import org.springframework.data.domain.Sort;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
@RequiredArgsConstructor
public class ProductService {

    private static final int MAX_PAGE = 100;

    private final ProductRepository products;
    private final ProductMapper mapper;

    public ProductDto bySku(String sku) {
        return mapper.toDto(entity(sku));
    }

    public Page<ProductDto> search(String text, int page, int size) {
        if (page < 0 || size <= 0) {
            throw new IllegalArgumentException("page " + page + " of size " + size);
        }
        PageRequest request = PageRequest.of(page, Math.min(size, MAX_PAGE), Sort.by("name"));
        if (text == null || text.isBlank()) {
            return products.findAll(request).map(mapper::toDto);
        }
        return products.findByNameContainingIgnoreCase(text.trim(), request).map(mapper::toDto);
    }

    @Transactional
    public ProductDto create(ProductForm form) {
        if (products.existsBySku(form.getSku())) {
            throw new IllegalStateException("the SKU " + form.getSku() + " is taken");
        }
        Product product = mapper.toEntity(form);
        if (product.getStatus() == null) {
            product.setStatus(ProductStatus.DRAFT);
        }
        return mapper.toDto(products.save(product));
    }

    @Transactional
    public ProductDto update(String sku, ProductForm form) {
        Product product = entity(sku);
        if (product.getStatus() == ProductStatus.DISCONTINUED && form.getStatus() != ProductStatus.DISCONTINUED) {
            throw new IllegalStateException("a discontinued product stays discontinued");
        }
        mapper.update(form, product);
        return mapper.toDto(products.save(product));
    }

    @Transactional
    public boolean discontinue(String sku) {
        Optional<Product> found = products.findBySku(sku);
        if (found.isEmpty() || !found.get().discontinue()) {
            return false;
        }
        products.save(found.get());
        return true;
    }

    /** Raises the prices of a category and returns the SKUs that changed. */
    @Transactional
    public List<String> raisePrices(Category category, int percent) {
        if (percent <= 0 || percent > 50) {
            throw new IllegalArgumentException("percent must be from 1 to 50");
        }
        List<String> changed = new ArrayList<>();
        for (Product product : products.findByCategoryAndStatus(category, ProductStatus.ACTIVE)) {
            BigDecimal before = product.getPrice();
            BigDecimal after = product.unitPrice().plus(product.unitPrice().percent(percent)).getAmount();
            if (after.compareTo(before) > 0) {
                product.setPrice(after);
                products.save(product);
                changed.add(product.getSku());
            }
        }
        return changed;
    }

    private Product entity(String sku) {
        return products.findBySku(sku).orElseThrow(() -> new ProductNotFoundException(sku));
    }
}
