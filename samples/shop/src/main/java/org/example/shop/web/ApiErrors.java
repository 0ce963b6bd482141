package org.example.shop.web;

import java.util.List;
import java.util.stream.Collectors;
import org.example.shop.catalog.ProductNotFoundException;
import org.example.shop.order.OrderException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

@RestControllerAdvice
public class ApiErrors {

    @ExceptionHandler
    public ResponseEntity<ApiError> order(OrderException e) {
        HttpStatus status = switch (e.getReason()) {
            case UNKNOWN_ORDER -> HttpStatus.NOT_FOUND;
            case UNKNOWN_CUSTOMER, UNKNOWN_PRODUCT -> HttpStatus.UNPROCESSABLE_ENTITY;
            case PAYMENT -> HttpStatus.PAYMENT_REQUIRED;
            case NOT_SOLD, OUT_OF_STOCK, STATE -> HttpStatus.CONFLICT;
        };
        return ResponseEntity.status(status).body(new ApiError(e.getReason().name(), List.of(e.getMessage())));
    }

    @ExceptionHandler
    public ResponseEntity<ApiError> notFound(ProductNotFoundException e) {
        return ResponseEntity.status(HttpStatus.NOT_FOUND).body(new ApiError("NOT_FOUND", List.of(e.getMessage())));
    }

    @ExceptionHandler({IllegalArgumentException.class, IllegalStateException.class})
    public ResponseEntity<ApiError> refused(RuntimeException e) {
        HttpStatus status = e instanceof IllegalStateException ? HttpStatus.CONFLICT : HttpStatus.BAD_REQUEST;
        String message = e.getMessage() == null ? status.getReasonPhrase() : e.getMessage();
        return ResponseEntity.status(status).body(new ApiError("REFUSED", List.of(message)));
    }

    @ExceptionHandler
    public ResponseEntity<ApiError> invalid(MethodArgumentNotValidException e) {
        List<String> messages = e.getBindingResult().getFieldErrors().stream()
                .map(error -> error.getField() + " " + error.getDefaultMessage())
                .sorted()
                .collect(Collectors.toList());
        return ResponseEntity.badRequest().body(new ApiError("INVALID", messages));
    }

    /** The body of an answer that reports an error. */
    public record ApiError(String code, List<String> messages) {
    }
}
