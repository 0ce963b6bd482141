// Feature: all permissions, from three roles that have none in common
package samples.guards.shapes;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

public class GrantedByParts {
    public enum Permission { READ, WRITE, SHARE, DELETE, OWN }

    public static class Role {
        private final Set<Permission> granted = EnumSet.noneOf(Permission.class);

        public void grant(Permission permission) {
            granted.add(permission);
        }

        public void revoke(Permission permission) {
            granted.remove(permission);
        }
    }

    private final List<Role> roles = new ArrayList<>();

    public void join(Role role) {
        roles.add(role);
    }

    public void leave(Role role) {
        roles.remove(role);
    }

    public boolean isExact() {
        List<Permission> all = new ArrayList<>();
        for (Role role : roles) {
            all.addAll(role.granted);
        }
        Collections.sort(all);
        if (all.equals(List.of(Permission.values())) && areThree()) {
            return true; // goal: reached
        }
        return false;
    }

    private boolean areThree() {
        return roles.size() == 3 && roles.stream().noneMatch(role -> role.granted.isEmpty())
                && roles.get(2).granted.equals(EnumSet.of(Permission.READ, Permission.OWN));
    }
}
