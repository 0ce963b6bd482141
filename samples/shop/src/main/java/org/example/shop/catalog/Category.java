package org.example.shop.catalog;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import lombok.Getter;
import lombok.NoArgsConstructor;
import lombok.Setter;

@Entity
@Getter
@Setter
@NoArgsConstructor
public class Category {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private Long id;

    private String name;

    @ManyToOne
    private Category parent;

    public Category(String name, Category parent) {
        this.name = name;
        this.parent = parent;
    }

    /** The names from the root to this category. */
    public String path() {
        if (parent == null || parent == this) {
            return name;
        }
        return parent.path() + " / " + name;
    }

    public boolean isWithin(Category other) {
        for (Category category = this; category != null; category = category.parent) {
            if (category == other || category.id != null && category.id.equals(other.id)) {
                return true;
            }
            if (category.parent == category) {
                return false;
            }
        }
        return false;
    }
}
