package org.example.shop.catalog;

import java.util.List;
import java.util.Optional;
import org.springframework.data.domain.Page;
import org.springframework.data.domain.Pageable;
import org.springframework.data.jpa.repository.JpaRepository;

public interface ProductRepository extends JpaRepository<Product, Long> {

    Optional<Product> findBySku(String sku);

    List<Product> findByCategoryAndStatus(Category category, ProductStatus status);

    Page<Product> findByNameContainingIgnoreCase(String part, Pageable page);

    boolean existsBySku(String sku);
}
