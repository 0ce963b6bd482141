package org.example.shop.catalog;

import jakarta.validation.Valid;
import java.net.URI;
import java.util.List;
import lombok.RequiredArgsConstructor;
import org.springframework.data.domain.Page;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/products")
@RequiredArgsConstructor
public class ProductController {

    private final ProductService service;
    private final ProductFormValidator validator;

    @InitBinder("productForm")
    void addValidator(WebDataBinder binder) {
        binder.addValidators(validator);
    }

    @GetMapping
    public List<ProductDto> search(
            @RequestParam(name = "q", required = false) String text,
            @RequestParam(name = "page", defaultValue = "0") int page,
            @RequestParam(name = "size", defaultValue = "20") int size) {
        Page<ProductDto> found = service.search(text, page, size);
        return found.getContent();
    }

    @GetMapping("/{sku}")
    public ProductDto get(@PathVariable("sku") String sku) {
        return service.bySku(sku);
    }

    @PostMapping
    public ResponseEntity<ProductDto> create(@Valid @RequestBody ProductForm form) {
        ProductDto created = service.create(form);
        return ResponseEntity.created(URI.create("/api/products/" + created.getSku())).body(created);
    }

    @PutMapping("/{sku}")
    public ResponseEntity<ProductDto> update(@PathVariable("sku") String sku, @RequestBody ProductForm form) {
        if (form.getSku() != null && !form.getSku().equals(sku)) {
            return ResponseEntity.badRequest().build();
        }
        return ResponseEntity.ok(service.update(sku, form));
    }

    @DeleteMapping("/{sku}")
    public ResponseEntity<Void> discontinue(@PathVariable("sku") String sku) {
        return service.discontinue(sku) ? ResponseEntity.noContent().build() : ResponseEntity.notFound().build();
    }
}
