"""The JSON format, and the decoder for its values. ``docs/guides/values.md`` lists the types and the rules.

In short: values are strict JSON, in UTF-8. If a field does not have the type in the schema, the value is bad; only
doubles are rounded. A missing or null field is null if the schema allows it. Fields that are not in the schema are only
checked for valid JSON. If a field occurs twice, the last one counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

from kafka_nextgen.errors import ConfigError, JsonSchemaError
from kafka_nextgen.values.formats import ColumnDecoder, ValueFormat
from kafka_nextgen.values.framing import Framing
from kafka_nextgen.values.ids import FRAME_BYTES
from kafka_nextgen.values.json.decoder import JsonDecoder
from kafka_nextgen.values.json.json_schema import node_of
from kafka_nextgen.values.json.leaves import Leaves
from kafka_nextgen.values.json.program import Node
from kafka_nextgen.values.json.unions import UnionDecoder, UnionNode
from kafka_nextgen.values.schema_source import RegisteredSchema
from kafka_nextgen.values.schemas import Reading, schemas_of

__all__ = ["Json"]


class Json(ValueFormat):
    """Values in JSON.

    ``schema`` defines the columns: a ``pyarrow.Schema`` (or an object that exports one, such as ``polars.Schema``), a
    ``pyarrow.DataType`` if values are not objects, or a JSON Schema as text, as the result of ``json.loads``, or as a
    ``RegisteredSchema`` such as ``registry.schema_of(subject)``.

    Without it, ``registry`` maps ids to JSON Schemas: a ``SchemaRegistry``, confluent-kafka's
    ``SchemaRegistryClient``, a mapping, or a function. Values are then framed, and one of these defines the columns:

    * ``columns="newest"``, the default: the mapping's schema with the highest id, or the latest version of ``subject``,
      at the time the format is created. The ids of values are not looked up.
    * ``columns="union"``: the fields of all schemas in the mapping, or of all versions of ``subject``, and of each new
      schema that occurs in a value. Later tables keep these columns.

    ``binary`` is the encoding of bytes in strings, unless a JSON Schema's ``contentEncoding`` specifies it.
    ``integer_times`` means that dates, times, timestamps and durations can also be integers, in their column's unit.
    ``framed`` means that values have the frame even though ``schema`` is given; the id is ignored. ``framing`` names
    the serializers that wrote the values; Confluent's may have put the schema's GUID into a header.

    Raises JsonSchemaError for schemas that are invalid or have types that JSON can't have, ConfigError for arguments
    that can't be combined, and, with ``subject``, the errors of the registry.
    """

    def __init__(
        self,
        schema: object = None,
        *,
        registry: object = None,
        subject: str | None = None,
        columns: Literal["newest", "union"] | None = None,
        binary: Literal["base64", "hex"] = "base64",
        integer_times: bool = False,
        framed: bool = False,
        framing: Framing | str = Framing.CONFLUENT,
    ) -> None:
        if binary not in ("base64", "hex"):
            raise ConfigError(f"binary must be 'base64' or 'hex', not {binary!r}")
        if schema is None and registry is None:
            raise ConfigError("Json needs the schema of the columns, or a registry")
        if (schema is not None or registry is None) and (subject is not None or columns is not None):
            raise ConfigError("subject and columns need a registry, and can't be combined with schema")
        if columns not in (None, "newest", "union"):
            raise ConfigError(f"columns must be 'newest' or 'union', not {columns!r}")
        is_framed = framed or registry is not None
        self.framing = Framing.of(framing) if is_framed else None
        self._frame = FRAME_BYTES if is_framed else 0
        self._leaves = Leaves(binary == "hex", integer_times)
        self._arrow: Any = None
        self._union: UnionNode | None = None
        self._node = self._node_of(schema, registry, subject, columns)
        self._decoders: dict[tuple[str, bool], ColumnDecoder] = {}

    def _node_of(self, schema: object, registry: object, subject: str | None, columns: str | None) -> Node:
        if hasattr(schema, "__arrow_c_schema__"):
            from kafka_nextgen.values.json.arrow_schema import Arrow

            self._arrow = Arrow(schema, self._leaves)
            node: Node = self._arrow.node
            return node
        reading = _reading_by(self._leaves)
        if isinstance(schema, RegisteredSchema):
            return reading.of(schema)
        if schema is not None:
            _refuse_types(schema)
            return node_of(schema, self._leaves)
        schemas = schemas_of(registry, subject, reading)
        if columns != "union":
            return schemas.newest()
        self._union = UnionNode(schemas)
        return self._union.node

    def decoder(self, name: str, flat: bool) -> ColumnDecoder:
        """Return the decoder for these arguments; repeated calls return the same one."""
        known = self._decoders.get((name, flat))
        if known is None:
            target = None if self._arrow is None else self._arrow.target(name, flat)
            make = partial(JsonDecoder, name=name, flat=flat, target=target, frame=self._frame)
            known = make(self._node) if self._union is None else UnionDecoder(self._union, make)
            self._decoders[name, flat] = known
        return known


def _reading_by(leaves: Leaves) -> Reading[Node]:
    return Reading("JSON", partial(_read, leaves), JsonSchemaError, "a schema, columns='union'")


def _read(leaves: Leaves, schema: RegisteredSchema) -> Node:
    return node_of(schema.text, leaves, schema.references)


def _refuse_types(schema: object) -> None:
    """Refuse a mapping or list of Arrow types, which ``pyarrow.schema`` accepts, but which is not a JSON Schema."""
    within = schema.values() if isinstance(schema, Mapping) else schema if isinstance(schema, list | tuple) else ()
    items = (item for each in within for item in (each if isinstance(each, list | tuple) else (each,)))
    if any(hasattr(item, "__arrow_c_schema__") for item in items):
        given = type(schema).__name__
        raise JsonSchemaError(
            f"a {given} of Arrow types is not a schema: pass it to pyarrow.schema(...) first, or give a JSON Schema"
        )
