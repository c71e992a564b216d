"""Protobuf: the format, and what decodes values of it. ``docs/use/values.md`` has the types."""

from __future__ import annotations

from typing import Literal

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.values.formats import ColumnDecoder, ValueFormat
from kafka_nextgen.values.framing import Framing
from kafka_nextgen.values.protobuf.decoder import ProtobufDecoder
from kafka_nextgen.values.protobuf.descriptors import descriptor_of, path_of
from kafka_nextgen.values.protobuf.registered import READING, message_in, path_in
from kafka_nextgen.values.protobuf.shapes import shape_of
from kafka_nextgen.values.protobuf.writers import Writers
from kafka_nextgen.values.schemas import schemas_of

__all__ = ["Protobuf"]


class Protobuf(ValueFormat):
    """Values in Protobuf's wire format, all of one message type.

    ``message`` is a class that protoc generated, the descriptor of one, or a ``FileDescriptorSet`` as
    ``protoc --include_imports --descriptor_set_out`` writes it (its bytes); of the last, ``name`` is the full name of
    the message. ``framed`` says that values begin with Confluent's frame: a zero byte, the id of a schema in four
    bytes, and the indexes of the message in its file. The id is not used; values with other indexes are bad.

    ``registry`` has the schemas of framed values by id: a ``SchemaRegistry``, confluent-kafka's
    ``SchemaRegistryClient``, or a mapping or function that has FileDescriptorProtos, in bytes or in base64. The columns
    are those of ``message``, or else of the message ``name``, by default the first, in the mapping's schema with the
    highest id or in the latest version of ``subject``, at the time the format is created. Values of other messages are
    bad.

    ``enums="name"`` makes dictionaries of names, and values with a number without a name bad, unless the enum is closed
    (then protobuf takes the number for an unknown field); ``enums="number"`` makes ``int32``. ``unit`` is that of
    timestamps and durations, ``"ns"`` or ``"us"``; digits below it are cut off.

    It needs the package ``protobuf`` (``kafka-nextgen[protobuf]``), which every generated class needs too.

    Raises ProtobufSchemaError for a message that can't be columns, such as one that holds itself, TypeError for a
    message that is none of these, and ConfigError for other options.
    """

    def __init__(
        self,
        message: object = None,
        name: str | None = None,
        *,
        registry: object = None,
        subject: str | None = None,
        columns: Literal["newest"] | None = None,
        framed: bool = False,
        framing: Framing | str = Framing.CONFLUENT,
        enums: Literal["name", "number"] = "name",
        unit: Literal["ns", "us"] = "ns",
    ) -> None:
        if enums not in ("name", "number"):
            raise ConfigError(f"enums is 'name' or 'number', not {enums!r}")
        if unit not in ("ns", "us"):
            raise ConfigError(f"unit is 'ns' or 'us', not {unit!r}")
        self._check(message, registry, subject, columns)
        is_framed = framed or registry is not None
        self.framing = Framing.of(framing) if is_framed else None
        if self.framing is Framing.APICURIO:
            raise ConfigError(
                "Apicurio's serializers put the name of the message in front of Protobuf values, which is not read: "
                "let them write Confluent's indexes and ids, for framing='confluent'"
            )
        schemas = None if registry is None else schemas_of(registry, subject, READING)
        if schemas is not None and message is None:
            self._descriptor = message_in(schemas.newest(), name)
        else:
            self._descriptor = descriptor_of(message, name)
        self._writers: Writers | None = None
        if schemas is not None:
            found, full_name = schemas, self._descriptor.full_name
            self._writers = Writers(lambda schema_id: path_in(found(schema_id), full_name))
        self._shape = shape_of(self._descriptor, enums == "name", unit)
        self._path = path_of(self._descriptor) if is_framed else ()
        self._decoders: dict[tuple[str, bool], ProtobufDecoder] = {}

    @staticmethod
    def _check(message: object, registry: object, subject: str | None, columns: str | None) -> None:
        if message is None and registry is None:
            raise ConfigError("Protobuf needs a message, or a registry")
        if (message is not None or registry is None) and (subject is not None or columns is not None):
            raise ConfigError("subject and columns need a registry, and no message, which defines the columns itself")
        if columns == "union":
            raise ConfigError(
                "there is no union of Protobuf schemas: a message keeps the fields of its older versions, so the "
                "newest has all; or give the message whose fields are the columns"
            )
        if columns not in (None, "newest"):
            raise ConfigError(f"columns is 'newest', not {columns!r}")

    def decoder(self, name: str, flat: bool) -> ColumnDecoder:
        """What makes columns of values; the same each time it is asked for."""
        known = self._decoders.get((name, flat))
        if known is None:
            known = ProtobufDecoder(self._descriptor, self._shape, self._path, name, flat, self._writers)
            self._decoders[name, flat] = known
        return known
