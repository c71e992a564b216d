"""Consumer group values that only extensions use."""
