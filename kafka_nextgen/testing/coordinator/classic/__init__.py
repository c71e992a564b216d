"""Groups of the classic protocol, in which one member, the leader, assigns (KIP-62, KIP-345, KIP-394, KIP-814)."""
