"""What drives the machine of commits and committed offsets."""
