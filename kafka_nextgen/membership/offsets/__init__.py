"""What a member does about offsets, commits and lookups, as a machine of its own beside that of either protocol."""
