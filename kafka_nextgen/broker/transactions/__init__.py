"""The transaction coordinator: each transactional id (KIP-98), as a machine without I/O, and its driver."""
