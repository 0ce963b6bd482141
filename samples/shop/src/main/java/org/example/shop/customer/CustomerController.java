package org.example.shop.customer;

import jakarta.validation.Valid;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.validation.BindingResult;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.servlet.ModelAndView;

@Controller
public class CustomerController {

    @Autowired
    private CustomerRepository customers;

    @Autowired
    private CustomerService service;

    @Autowired
    private CustomerMapper mapper;

    @InitBinder
    void protectId(WebDataBinder binder) {
        binder.setDisallowedFields("id");
    }

    @GetMapping("/customers/{id}")
    public ModelAndView show(@PathVariable("id") long id) {
        Customer customer = customers.findById(id).orElse(null);
        if (customer == null) {
            ModelAndView missing = new ModelAndView("customers/missing");
            missing.addObject("id", id);
            return missing;
        }
        ModelAndView view = new ModelAndView(customer.isBlocked() ? "customers/blocked" : "customers/show");
        view.addObject("customer", customer);
        view.addObject("name", customer.displayName());
        return view;
    }

    @GetMapping("/customers/{id}/edit")
    public String edit(@PathVariable("id") long id, Model model) {
        Customer customer = customers.findById(id)
                .orElseThrow(() -> new IllegalArgumentException("no customer " + id));
        model.addAttribute("customerForm", mapper.toForm(customer));
        return "customers/form";
    }

    @PostMapping("/customers/new")
    public String register(@Valid @ModelAttribute("customerForm") CustomerForm form, BindingResult result) {
        if (form.getPostcode() != null && "DE".equals(form.getCountry()) && !form.getPostcode().matches("\\d{5}")) {
            result.rejectValue("postcode", "postcode.invalid", "five digits are needed");
        }
        if (result.hasErrors()) {
            return "customers/form";
        }
        try {
            return "redirect:/customers/" + service.register(form).getId();
        } catch (IllegalStateException e) {
            result.rejectValue("email", "email.taken", e.getMessage());
            return "customers/form";
        }
    }
}
