"""Reading a topic from its beginning to its end, by several clients."""
