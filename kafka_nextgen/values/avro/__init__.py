"""Avro: the format, and what decodes values of it. ``docs/use/values.md`` has the types."""

from __future__ import annotations

from kafka_nextgen.values.avro.decoder import AvroDecoder
from kafka_nextgen.values.avro.parsing import parse
from kafka_nextgen.values.avro.schemas import SchemaLookup, lookup_of
from kafka_nextgen.values.formats import ColumnDecoder, ValueFormat
from kafka_nextgen.values.framing import Framing

__all__ = ["Avro"]


class Avro(ValueFormat):
    """Values in Avro's binary encoding.

    ``schema`` is what all values were written with: JSON, or what ``json.loads`` makes of it. Without it, values begin
    with Confluent's frame (a zero byte and the id of a schema in four bytes), and ``registry`` has the schemas by id: a
    ``SchemaRegistry``, confluent-kafka's ``SchemaRegistryClient``, a mapping, or a function. It is asked once for each
    id; a ``KeyError`` or HTTP's 404 says that there is no such schema. ``framing`` says whose serializers wrote the
    values; Confluent's may have put the schema's GUID into a header.

    ``reader_schema`` is what the columns are made of: each writer's schema is resolved to it. Without it, that is
    ``schema``, or of a mapping the schema with the highest id. ``framed`` says that values have the frame although
    ``schema`` is given; the id is not used.

    Raises AvroSchemaError for schemas that are none, that can't be resolved, or that hold themselves.
    """

    def __init__(
        self,
        schema: object = None,
        *,
        reader_schema: object = None,
        registry: object = None,
        framed: bool = False,
        framing: Framing | str = Framing.CONFLUENT,
    ) -> None:
        self.framing = Framing(framing) if framed or registry is not None else None
        self._lookup: SchemaLookup = lookup_of(schema, registry)
        self._reader = self._lookup.newest() if reader_schema is None else parse(reader_schema)
        self._is_framed = framed or registry is not None
        self._decoders: dict[tuple[str, bool], AvroDecoder] = {}

    def decoder(self, name: str, flat: bool) -> ColumnDecoder:
        """What makes columns of values; the same each time it is asked for."""
        known = self._decoders.get((name, flat))
        if known is None:
            known = self._decoders[name, flat] = AvroDecoder(self._reader, self._lookup, self._is_framed, name, flat)
        return known
