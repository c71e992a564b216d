"""From a producer to a handler at a steady rate."""
