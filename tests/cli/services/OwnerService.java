package services;

import java.util.Optional;

/** A collaborator whose methods have the type arguments of a supertype. */
public class OwnerService {
    private final OwnerRepository owners;

    public OwnerService(OwnerRepository owners) { this.owners = owners; }

    public String nameOf(int id) {
        Optional<Owner> owner = owners.findById(id);
        if (owner.isPresent()) {
            return owner.get().getName();
        }
        return "nobody";
    }

    public boolean remove(Owner owner, int id) {
        if (owners.existsById(id)) {
            owners.delete(owner);
            return true;
        }
        return false;
    }
}
