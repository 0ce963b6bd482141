package org.example.shop.payment;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** The payment provider, spoken to by the HTTP client of the JDK. */
@Component
public class HttpPaymentGateway implements PaymentGateway {

    private final HttpClient client;
    private final ObjectMapper json;
    private final URI address;

    public HttpPaymentGateway(HttpClient client, ObjectMapper json, @Value("${shop.payment.address}") String address) {
        this.client = client;
        this.json = json;
        this.address = URI.create(address);
    }

    @Override
    public PaymentResult charge(PaymentRequest request) {
        if (request.getCardToken() == null || request.getAmount().isNegative()) {
            return new PaymentResult.Declined(12, "invalid request");
        }
        HttpRequest message = HttpRequest.newBuilder(address)
                .timeout(Duration.ofSeconds(10))
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", request.getOrderNumber() + "-" + request.getAttempt())
                .POST(HttpRequest.BodyPublishers.ofString(body(request)))
                .build();
        try {
            HttpResponse<String> response = client.send(message, HttpResponse.BodyHandlers.ofString());
            return result(response.statusCode(), response.body());
        } catch (IOException e) {
            return new PaymentResult.Unavailable(null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new PaymentResult.Unavailable(null);
        }
    }

    PaymentResult result(int status, String body) {
        if (status == 429 || status >= 500) {
            return new PaymentResult.Unavailable(status == 429 ? 120 : 5);
        }
        JsonNode answer;
        try {
            answer = json.readTree(body);
        } catch (JsonProcessingException e) {
            return new PaymentResult.Unavailable(null);
        }
        if (status == 200 && answer.hasNonNull("reference")) {
            return new PaymentResult.Approved(answer.get("reference").asText());
        }
        return new PaymentResult.Declined(answer.path("code").asInt(5), answer.path("reason").asText(null));
    }

    private String body(PaymentRequest request) {
        ObjectNode node = json.createObjectNode();
        node.put("order", request.getOrderNumber());
        node.put("amount", request.getAmount().getAmount());
        node.put("currency", request.getAmount().getCurrency());
        node.put("card", request.getCardToken());
        return node.toString();
    }
}
