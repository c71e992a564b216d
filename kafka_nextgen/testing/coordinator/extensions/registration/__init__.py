"""Pre-registration: slots that a group keeps for expected instances (KIP-345, "Future Works")."""
