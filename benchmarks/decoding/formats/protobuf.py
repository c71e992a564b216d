"""Protobuf as Confluent's serializers frame it: a zero byte, a schema's id, the message's index, and the value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random

import pyarrow as pa

from benchmarks.decoding.formats import ToTable
from benchmarks.protobuf_values import SHAPES, classes, reader
from kafka_nextgen.values import Protobuf, ValueFormat

__all__ = ["USUAL", "ours", "values"]

#: The length of the indexes of the message in its file, and that index, as zigzag varints; 0 alone is the first one.
_INDEXES = {"Plain": b"\x00", "Wide": b"\x02\x02", "Nested": b"\x02\x06"}


def _frame(shape: str) -> bytes:
    return b"\0\0\0\0\1" + _INDEXES[SHAPES[shape][0]]


def values(shape: str) -> Iterator[bytes]:
    name, fill, _ = SHAPES[shape]
    kind, random = classes()[name], Random(1)
    while True:
        message = kind()
        fill(message, random)
        yield _frame(shape) + message.SerializeToString()


def ours(shape: str) -> ValueFormat:
    return Protobuf(classes()[SHAPES[shape][0]], framed=True, unit="us")


def _own_classes(shape: str) -> ToTable:
    name = SHAPES[shape][0]
    parse, read, skipped = classes()[name].FromString, reader(name), len(_frame(shape))
    return lambda values: pa.Table.from_pylist([read(parse(value[skipped:])) for value in values])


def _confluent(shape: str) -> ToTable:
    from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer
    from confluent_kafka.serialization import MessageField, SerializationContext

    name = SHAPES[shape][0]
    read, context = reader(name), SerializationContext("values", MessageField.VALUE)
    decode = ProtobufDeserializer(classes()[name], {"use.deprecated.format": False})
    return lambda values: pa.Table.from_pylist([read(decode(value, context)) for value in values])


USUAL: Mapping[str, Callable[[str], ToTable]] = {"ProtobufDeserializer": _confluent, "FromString": _own_classes}
