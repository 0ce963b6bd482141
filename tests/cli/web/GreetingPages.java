package web;

import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Chooses views. */
@Controller
public class GreetingPages {
    private final Greetings greetings;

    public GreetingPages(Greetings greetings) {
        this.greetings = greetings;
    }

    @GetMapping("/pages")
    public String list(@RequestParam(defaultValue = "1") int page, Model model) {
        if (page < 1) {
            throw new IllegalArgumentException("no page " + page);
        }
        model.addAttribute("page", page);
        model.addAttribute("texts", greetings.all());
        return "greetings/list";
    }

    @PostMapping("/pages")
    public String add(@ModelAttribute("form") GreetingForm form) {
        if (form.getCopies() > 9) {
            return "greetings/tooMany";
        }
        greetings.save(form.getText());
        return "redirect:/pages";
    }
}
