"""What is measured of each format: ours, the usual ways, and ours on bytes in memory, which is the limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from benchmarks.decoding.clients import IN_MEMORY, OURS

__all__ = ["LIMIT_TARGET", "TARGETS", "WAYS", "Way", "usual_records"]

#: How many times as fast ours is to be as the fastest of the usual ways.
TARGETS: Mapping[str, float] = {"avro": 10, "json": 5, "protobuf": 8}

#: How many times as fast the decoder alone may be as ours.
LIMIT_TARGET = 1.3

#: The usual ways are many times slower: they read a topic of their own with this part of the records, at most so many.
_USUAL_PART, _USUAL_MOST = 4, 250_000


def usual_records(records: int) -> int:
    """How many of so many records the usual ways read."""
    return max(1, min(records // _USUAL_PART, _USUAL_MOST))


@frozen
class Way:
    """A client with a decoder. The targets are about those that are ``usual``: a Python object for each value."""

    client: str
    decoder: str
    is_usual: bool = True

    @property
    def name(self) -> str:
        return f"{self.client}, {self.decoder}"

    def records_of(self, records: int) -> int:
        """How many of so many records it reads."""
        return usual_records(records) if self.is_usual else records


_OURS = Way(OURS, "to_arrow(value=...)", is_usual=False)
_IN_MEMORY = Way(IN_MEMORY, "to_arrow(value=...) of records in memory", is_usual=False)

WAYS: Mapping[str, Sequence[Way]] = {
    "avro": (
        _OURS,
        Way("confluent-kafka", "AvroDeserializer"),
        Way("confluent-kafka", "fastavro.schemaless_reader"),
        _IN_MEMORY,
    ),
    "json": (
        _OURS,
        Way("confluent-kafka", "orjson.loads"),
        Way("aiokafka", "orjson.loads"),
        Way("confluent-kafka", "pyarrow.json of joined lines", is_usual=False),
        _IN_MEMORY,
    ),
    "protobuf": (
        _OURS,
        Way("confluent-kafka", "ProtobufDeserializer"),
        Way("confluent-kafka", "FromString"),
        _IN_MEMORY,
    ),
}
