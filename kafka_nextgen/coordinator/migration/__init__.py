"""From one protocol to the other (KIP-848, "Compatibility, Deprecation, and Migration Plan")."""
