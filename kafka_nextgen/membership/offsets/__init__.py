"""The offset machine: commits and lookups of committed offsets, alongside the member's machine of either protocol."""
