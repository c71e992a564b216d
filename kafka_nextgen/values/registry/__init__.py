"""A client of schema registries: requests over HTTP, and a cache of schemas."""

from kafka_nextgen.values.registry.client import SchemaRegistry

__all__ = ["SchemaRegistry"]
