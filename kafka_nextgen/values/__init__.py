"""Decode a batch of values into typed columns in Arrow's layout, without an object for each record.

The entry point is ``Records.to_arrow(value=Avro(...))``; ``docs/guides/values.md`` lists the Arrow types of each
format.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_nextgen.lazy_imports import lazy_getattr
from kafka_nextgen.values.avro import Avro
from kafka_nextgen.values.formats import ValueFormat
from kafka_nextgen.values.framing import Framing
from kafka_nextgen.values.json import Json
from kafka_nextgen.values.protobuf import Protobuf
from kafka_nextgen.values.schema_source import RegisteredSchema, SchemaSource

if TYPE_CHECKING:
    from kafka_nextgen.values.registry import SchemaRegistry

__all__ = ["Avro", "Framing", "Json", "Protobuf", "RegisteredSchema", "SchemaRegistry", "SchemaSource", "ValueFormat"]

__getattr__ = lazy_getattr(__name__, {"SchemaRegistry": "kafka_nextgen.values.registry"})
