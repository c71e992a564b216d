"""Migration between the two protocols (KIP-848, "Compatibility, Deprecation, and Migration Plan")."""
