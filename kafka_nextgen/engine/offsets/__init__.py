"""The driver of the offset machine: commits and lookups of committed offsets."""
