"""A schema registry for tests: its stored schemas, its answers to requests, and the server in a thread."""

from kafka_nextgen.testing.registry.server import SchemaRegistry

__all__ = ["SchemaRegistry"]
