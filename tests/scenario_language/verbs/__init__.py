"""The verbs, a small group in each file: what a command does to its world, and what of it is told."""
