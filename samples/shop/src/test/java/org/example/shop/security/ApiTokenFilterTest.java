package org.example.shop.security;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.time.Clock;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class ApiTokenFilterTest {

    private final TokenVerifier tokens = new TokenVerifier("a secret for tests", Clock.systemUTC());
    private final MockFilterChain chain = new MockFilterChain();
    private final MockHttpServletResponse response = new MockHttpServletResponse();

    @Test
    void everyoneReadsProducts() throws Exception {
        new ApiTokenFilter(tokens).doFilter(new MockHttpServletRequest("GET", "/api/products/1"), response, chain);
        assertNotNull(chain.getRequest());
    }

    @Test
    void onlyStaffImports() throws Exception {
        MockHttpServletRequest request = new MockHttpServletRequest("POST", "/api/import");
        request.addHeader("Authorization", "Bearer " + tokens.issue("ann", "customer", Long.MAX_VALUE));
        new ApiTokenFilter(tokens).doFilter(request, response, chain);
        assertEquals(403, response.getStatus());
        assertNull(chain.getRequest());
    }
}
