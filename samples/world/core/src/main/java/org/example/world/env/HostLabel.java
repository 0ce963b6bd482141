package org.example.world.env;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Labels with the name of the host. */
public class HostLabel {

    public String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException unknown) {
            return "localhost";
        }
    }

    public String label(String service) {
        if (service.isEmpty()) { // feasible: 2 of 2
            return host();
        }
        return service + "@" + host();
    }

    public static String domain(String name) {
        int dot = name.indexOf('.');
        if (dot < 0) { // feasible: 2 of 2
            return "";
        }
        return dot == name.length() - 1 ? "." : name.substring(dot + 1); // feasible: 2 of 2
    }
}
