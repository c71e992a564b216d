"""JSON: the format, and what decodes values of it. ``docs/use/values.md`` has the types and the rules.

In short: values are strict JSON, in UTF-8; a field has the type that the schema says or the value is bad, and nothing
is rounded to fit, but for doubles; a field that is missing or null is null where it may be; fields that the schema has
not are only checked to be JSON; of a field that is there twice, the last one counts.
"""

from __future__ import annotations

from typing import Any, Literal

from kafka_nextgen.values.formats import ColumnDecoder, ValueFormat
from kafka_nextgen.values.json.decoder import JsonDecoder
from kafka_nextgen.values.json.json_schema import node_of
from kafka_nextgen.values.json.leaves import Leaves

__all__ = ["Json"]

_FRAME_BYTES = 5


class Json(ValueFormat):
    """Values in JSON.

    ``schema`` says what the columns are: a ``pyarrow.Schema`` (or what offers one, such as ``polars.Schema``), a
    ``pyarrow.DataType`` if values are no objects, or a JSON Schema as text or as what ``json.loads`` makes of it.

    ``binary`` is how bytes are written in strings, where a JSON Schema's ``contentEncoding`` does not say it.
    ``integer_times`` says that dates, times, timestamps and durations may also be integers, in their column's unit.
    ``framed`` says that a zero byte and the id of a schema in four bytes are in front of each value, as Confluent's
    serializers write them; the id is not looked at.

    Raises JsonSchemaError for schemas that are none, or that have what can't be made of JSON.
    """

    def __init__(
        self,
        schema: object,
        *,
        binary: Literal["base64", "hex"] = "base64",
        integer_times: bool = False,
        framed: bool = False,
    ) -> None:
        if binary not in ("base64", "hex"):
            raise ValueError(f"binary is 'base64' or 'hex', not {binary!r}")
        leaves = Leaves(binary == "hex", integer_times)
        self._frame = _FRAME_BYTES if framed else 0
        self._arrow: Any = None
        if hasattr(schema, "__arrow_c_schema__"):
            from kafka_nextgen.values.json.arrow_schema import Arrow

            self._arrow = Arrow(schema, leaves)
        self._node = node_of(schema, leaves) if self._arrow is None else self._arrow.node
        self._decoders: dict[tuple[str, bool], JsonDecoder] = {}

    def decoder(self, name: str, flat: bool) -> ColumnDecoder:
        """What makes columns of values; the same each time it is asked for."""
        known = self._decoders.get((name, flat))
        if known is None:
            target = None if self._arrow is None else self._arrow.target(name, flat)
            known = self._decoders[name, flat] = JsonDecoder(self._node, name, flat, target, self._frame)
        return known
