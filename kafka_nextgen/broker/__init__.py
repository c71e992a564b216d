"""A TCP broker over the coordinator, for development and tests."""
