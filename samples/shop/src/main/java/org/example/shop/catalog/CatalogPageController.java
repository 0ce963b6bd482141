package org.example.shop.catalog;

import lombok.RequiredArgsConstructor;
import org.springframework.data.domain.Page;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.validation.BindingResult;
import org.springframework.validation.annotation.Validated;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

@Controller
@RequestMapping("/catalog")
@RequiredArgsConstructor
public class CatalogPageController {

    private static final int PAGE_SIZE = 12;

    private final ProductService service;
    private final CategoryRepository categories;

    @GetMapping
    public String list(
            @RequestParam(name = "q", required = false) String text,
            @RequestParam(name = "page", defaultValue = "1") int page,
            Model model) {
        Page<ProductDto> found = service.search(text, Math.max(page, 1) - 1, PAGE_SIZE);
        if (found.getTotalElements() == 1 && text != null) {
            return "redirect:/catalog/" + found.getContent().get(0).getSku();
        }
        model.addAttribute("products", found.getContent());
        model.addAttribute("page", page);
        model.addAttribute("pages", found.getTotalPages());
        if (found.isEmpty()) {
            model.addAttribute("message", text == null ? "The catalogue is empty" : "Nothing found for " + text);
        }
        return "catalog/list";
    }

    @GetMapping("/{sku}")
    public String show(@PathVariable("sku") String sku, Model model) {
        ProductDto product = service.bySku(sku);
        model.addAttribute("product", product);
        return product.isAvailable() ? "catalog/product" : "catalog/unavailable";
    }

    @GetMapping("/new")
    public String form(Model model) {
        model.addAttribute("productForm", new ProductForm());
        model.addAttribute("categories", categories.findAllByOrderByName());
        return "catalog/form";
    }

    @PostMapping("/new")
    public String create(
            @Validated @ModelAttribute("productForm") ProductForm form,
            BindingResult result,
            Model model,
            RedirectAttributes flash) {
        if (result.hasErrors()) {
            model.addAttribute("categories", categories.findAllByOrderByName());
            return "catalog/form";
        }
        try {
            ProductDto created = service.create(form);
            flash.addFlashAttribute("message", created.getName() + " was created");
            return "redirect:/catalog/" + created.getSku();
        } catch (IllegalStateException e) {
            result.rejectValue("sku", "sku.taken", e.getMessage());
            return "catalog/form";
        }
    }
}
