"""A small producer for the command ``produce``, the demonstration and the topic sink."""
