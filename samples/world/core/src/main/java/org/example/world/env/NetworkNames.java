package org.example.world.env;

import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Names of the network interfaces. */
public class NetworkNames {

    public List<String> names() throws SocketException {
        List<String> names = new ArrayList<>();
        List<NetworkInterface> networks = Collections.list(NetworkInterface.getNetworkInterfaces());
        for (NetworkInterface network : networks) { // environment: networks
            names.add(network.getName());
        }
        return names;
    }

    public int count() throws SocketException {
        return names().size();
    }

    public static String kind(String name) {
        if (name.startsWith("lo")) { // feasible: 2 of 2
            return "loopback";
        }
        return name.startsWith("e") ? "wired" : "other"; // feasible: 2 of 2
    }
}
