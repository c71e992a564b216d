"""Protobuf: the format, and what decodes values of it. ``docs/use/values.md`` has the types."""

from __future__ import annotations

from typing import Literal

from kafka_nextgen.values.formats import ColumnDecoder, ValueFormat
from kafka_nextgen.values.protobuf.decoder import ProtobufDecoder
from kafka_nextgen.values.protobuf.descriptors import descriptor_of, path_of
from kafka_nextgen.values.protobuf.shapes import shape_of

__all__ = ["Protobuf"]


class Protobuf(ValueFormat):
    """Values in Protobuf's wire format, all of one message type.

    ``message`` is a class that protoc generated, the descriptor of one, or a ``FileDescriptorSet`` as
    ``protoc --include_imports --descriptor_set_out`` writes it (its bytes); of the last, ``name`` is the full name of
    the message. ``framed`` says that values begin with Confluent's frame: a zero byte, the id of a schema in four
    bytes, and the indexes of the message in its file. The id is not used; values with other indexes are bad.

    ``enums="name"`` makes dictionaries of names, and values with a number without a name bad, unless the enum is closed
    (then protobuf takes the number for an unknown field); ``enums="number"`` makes ``int32``. ``unit`` is that of
    timestamps and durations, ``"ns"`` or ``"us"``; digits below it are cut off.

    It needs the package ``protobuf`` (``kafka-nextgen[protobuf]``), which every generated class needs too.

    Raises ProtobufSchemaError for a message that can't be columns, such as one that holds itself, TypeError for a
    message that is none of these, and ValueError for other options.
    """

    def __init__(
        self,
        message: object,
        name: str | None = None,
        *,
        framed: bool = False,
        enums: Literal["name", "number"] = "name",
        unit: Literal["ns", "us"] = "ns",
    ) -> None:
        if enums not in ("name", "number"):
            raise ValueError(f"enums is 'name' or 'number', not {enums!r}")
        if unit not in ("ns", "us"):
            raise ValueError(f"unit is 'ns' or 'us', not {unit!r}")
        self._descriptor = descriptor_of(message, name)
        self._shape = shape_of(self._descriptor, enums == "name", unit)
        self._path = path_of(self._descriptor) if framed else ()
        self._decoders: dict[tuple[str, bool], ProtobufDecoder] = {}

    def decoder(self, name: str, flat: bool) -> ColumnDecoder:
        """What makes columns of values; the same each time it is asked for."""
        known = self._decoders.get((name, flat))
        if known is None:
            known = ProtobufDecoder(self._descriptor, self._shape, self._path, name, flat)
            self._decoders[name, flat] = known
        return known
