"""A schema registry for tests: what it has stored, its answers to each request, and the server in a thread."""

from kafka_nextgen.testing.registry.server import SchemaRegistry

__all__ = ["SchemaRegistry"]
