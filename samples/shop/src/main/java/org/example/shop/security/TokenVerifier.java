package org.example.shop.security;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** Tokens of the form {@code name:roles:expiry:signature}; roles are separated by commas. */
@Component
public class TokenVerifier {

    private final byte[] secret;
    private final Clock clock;

    public TokenVerifier(@Value("${shop.security.secret}") String secret, Clock clock) {
        if (secret.length() < 8) {
            throw new IllegalArgumentException("the secret is too short");
        }
        this.secret = secret.getBytes(StandardCharsets.UTF_8);
        this.clock = clock;
    }

    public String issue(String name, String roles, long expiry) {
        String content = name + ":" + roles + ":" + expiry;
        return content + ":" + sign(content);
    }

    public Optional<User> verify(String token) {
        int end = token.lastIndexOf(':');
        if (end < 0) {
            return Optional.empty();
        }
        String content = token.substring(0, end);
        byte[] given = token.substring(end + 1).getBytes(StandardCharsets.UTF_8);
        if (!MessageDigest.isEqual(sign(content).getBytes(StandardCharsets.UTF_8), given)) {
            return Optional.empty();
        }
        String[] parts = content.split(":", -1);
        if (parts.length != 3) {
            return Optional.empty();
        }
        try {
            if (Long.parseLong(parts[2]) < clock.instant().getEpochSecond()) {
                return Optional.empty();
            }
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
        User.UserBuilder user = User.builder().name(parts[0]);
        for (String role : parts[1].split(",")) {
            if (!role.isBlank()) {
                user.role(role.strip());
            }
        }
        return Optional.of(user.build());
    }

    private String sign(String content) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            byte[] digest = mac.doFinal(content.getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
