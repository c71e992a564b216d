"""The transaction coordinator (KIP-98): a state machine without I/O, and its driver."""
