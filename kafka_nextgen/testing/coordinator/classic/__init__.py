"""Groups of the classic protocol, in which the leader computes the assignment (KIP-62, KIP-345, KIP-394, KIP-814)."""
