package org.example.shop.security;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import lombok.RequiredArgsConstructor;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/** Lets only requests with a valid token reach what changes data. */
@Component
@RequiredArgsConstructor
public class ApiTokenFilter extends OncePerRequestFilter {

    private static final String SCHEME = "Bearer ";

    private final TokenVerifier tokens;

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String header = request.getHeader("Authorization");
        if (header == null) {
            if (isPublic(request)) {
                chain.doFilter(request, response);
            } else {
                response.setHeader("WWW-Authenticate", "Bearer");
                response.sendError(HttpServletResponse.SC_UNAUTHORIZED);
            }
            return;
        }
        if (!header.startsWith(SCHEME)) {
            response.sendError(HttpServletResponse.SC_BAD_REQUEST, "unknown scheme");
            return;
        }
        Optional<User> user = tokens.verify(header.substring(SCHEME.length()).trim());
        if (user.isEmpty()) {
            response.sendError(HttpServletResponse.SC_UNAUTHORIZED, "invalid token");
            return;
        }
        if (request.getRequestURI().startsWith("/api/import") && !user.get().isStaff()) {
            response.sendError(HttpServletResponse.SC_FORBIDDEN);
            return;
        }
        CurrentUser.set(user.get());
        try {
            chain.doFilter(request, response);
        } finally {
            CurrentUser.set(null);
        }
    }

    private static boolean isPublic(HttpServletRequest request) {
        String path = request.getRequestURI();
        if (path == null || !path.startsWith("/api/")) {
            return true;
        }
        return "GET".equals(request.getMethod()) && path.startsWith("/api/products");
    }
}
