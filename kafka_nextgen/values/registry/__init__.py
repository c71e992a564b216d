"""A client of schema registries: requests over HTTP, and schemas that are kept by id."""

from kafka_nextgen.values.registry.client import SchemaRegistry

__all__ = ["SchemaRegistry"]
