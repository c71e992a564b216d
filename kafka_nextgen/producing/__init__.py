"""A small producer for ``produce``, the demonstration and a sink of events."""
