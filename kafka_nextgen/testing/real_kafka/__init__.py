"""Starts a real Kafka for tests: in a container, or from Maven Central."""
