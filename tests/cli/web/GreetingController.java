package web;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Writes its responses itself. */
@RestController
@RequestMapping("/greetings")
public class GreetingController {
    private final Greetings greetings;

    public GreetingController(Greetings greetings) {
        this.greetings = greetings;
    }

    @GetMapping("/{id}")
    public ResponseEntity<String> show(
            @PathVariable("id") int id, @RequestParam(name = "loud", defaultValue = "false") boolean loud) {
        String text = greetings.find(id).orElse(null);
        if (text == null) {
            return ResponseEntity.notFound().build();
        }
        return ResponseEntity.ok(loud ? text + "!" : text);
    }

    @PostMapping
    public ResponseEntity<Void> add(@RequestBody GreetingForm form) {
        if (form.getText() == null || form.getText().isEmpty()) {
            return ResponseEntity.badRequest().build();
        }
        greetings.save(form.getText());
        return ResponseEntity.status(HttpStatus.CREATED).build();
    }
}
