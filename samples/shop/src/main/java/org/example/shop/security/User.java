package org.example.shop.security;

import java.util.Set;
import lombok.Builder;
import lombok.Singular;
import lombok.Value;

@Value
@Builder
public class User {
    String name;
    @Singular
    Set<String> roles;

    public boolean isStaff() {
        return roles.contains("staff") || roles.contains("admin");
    }
}
