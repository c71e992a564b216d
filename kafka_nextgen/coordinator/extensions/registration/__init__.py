"""Pre-registration: places that a group keeps for instances that are to come (KIP-345, "Future Works")."""
