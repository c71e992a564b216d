"""The offset machine: commits and lookups of committed offsets, used with the member's machine of either protocol."""
