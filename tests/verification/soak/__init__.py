"""A soak: everything happens to groups at once, and every record is accounted for (docs/proof/soak.md)."""
