"""From nothing to the first record."""
