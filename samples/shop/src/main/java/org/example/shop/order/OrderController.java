package org.example.shop.order;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.validation.Valid;
import java.util.Locale;
import java.util.Map;
import lombok.RequiredArgsConstructor;
import org.example.shop.security.CurrentUser;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/orders")
@RequiredArgsConstructor
public class OrderController {

    private final OrderService service;
    private final CheckoutService checkout;
    private final OrderMapper mapper;

    @PostMapping
    public ResponseEntity<OrderDto> place(@Valid @RequestBody OrderRequest request) throws OrderException {
        Order order = service.place(request);
        return ResponseEntity.status(HttpStatus.CREATED).body(mapper.toDto(order));
    }

    @GetMapping("/{number}")
    public ResponseEntity<OrderDto> get(
            @PathVariable("number") String number,
            @RequestHeader(name = "If-None-Match", required = false) String tag) throws OrderException {
        if (!OrderNumbers.isValid(number)) {
            return ResponseEntity.badRequest().build();
        }
        Order order = service.byNumber(number);
        String current = "\"" + order.getStatus() + "\"";
        if (current.equals(tag)) {
            return ResponseEntity.status(HttpStatus.NOT_MODIFIED).eTag(current).build();
        }
        return ResponseEntity.ok().eTag(current).body(mapper.toDto(order));
    }

    @PostMapping("/{number}/payment")
    public OrderDto pay(@PathVariable("number") String number, @RequestBody Map<String, String> body)
            throws OrderException {
        String token = body.get("token");
        if (token == null || token.length() < 8) {
            throw new IllegalArgumentException("a card token is needed");
        }
        return mapper.toDto(checkout.pay(number, token));
    }

    @PostMapping("/{number}/status")
    public ResponseEntity<OrderDto> move(
            @PathVariable("number") String number,
            @RequestParam("to") String to,
            HttpServletRequest request) throws OrderException {
        OrderStatus next;
        try {
            next = OrderStatus.valueOf(to.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            return ResponseEntity.badRequest().build();
        }
        boolean isCustomer = CurrentUser.get().map(user -> !user.isStaff()).orElse(true);
        if (isCustomer && next != OrderStatus.CANCELLED && next != OrderStatus.RETURNED) {
            return ResponseEntity.status(HttpStatus.FORBIDDEN).header("X-Path", request.getRequestURI()).build();
        }
        return ResponseEntity.ok(mapper.toDto(service.move(number, next)));
    }
}
