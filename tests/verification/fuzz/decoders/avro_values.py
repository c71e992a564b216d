"""Avro values to columns, in C and by the twin in Python: the same columns, and the same values refused.

The input ends at a guarded page. It is one value of a schema with most of what there is, in Confluent's frame: by its
id it is of the schema itself, of one that is resolved to it, or of none. A good value beside it must stay as it is.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence
from functools import cache
from typing import Any

import pyarrow as pa

from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.values import Avro
from kafka_nextgen.values.formats import ColumnDecoder
from tests.values.decoding import encoded, framed
from tests.values.samples import GOOD, WIDE
from tests.verification.fuzz.decoders.decoder import Decoder, refusals
from tests.verification.fuzz.guarded import Guarded

_MOST_BYTES = 8 * 1024
_OLD = {
    "type": "record",
    "name": "W",
    "fields": [
        {"name": "gone", "type": {"type": "map", "values": ["null", {"type": "array", "items": "double"}]}},
        {"name": "text", "type": "bytes"},
        {"name": "i", "type": "int"},
        {"name": "e", "type": {"type": "enum", "name": "E", "symbols": ["B", "C", "A"]}},
        {"name": "x", "type": {"type": "array", "items": {"type": "record", "name": "X", "fields": []}}},
    ],
}
#: Read from an item that takes no bytes.
_X = {"type": "record", "name": "X", "fields": [{"name": "text", "type": "string", "default": "x" * 100}]}
_NEW = {
    **WIDE,
    "fields": [
        {**field, **{"s": {"aliases": ["text"]}, "l": {"default": []}}.get(field["name"], {"default": default})}
        for field, default in zip(WIDE["fields"], [None, "", None, [], None, "A", "end"], strict=True)
    ]
    + [{"name": "x", "type": {"type": "array", "items": ["null", _X]}, "default": []}],
}


@cache
def _decoder() -> ColumnDecoder:
    return Avro(registry={1: WIDE, 2: _OLD}, reader_schema=_NEW).decoder("value", True)


@cache
def _room() -> Guarded:
    return Guarded(2 * _MOST_BYTES)


def _decode(data: bytes) -> None:
    good = framed(1, encoded(WIDE, GOOD[1]))
    with refusals():
        if not ACCELERATED:
            raise DecodeError("the extension was not compiled")
        bounds = memoryview(array("i", (0, len(good), len(good) + len(data))))
        results = [_columns(memoryview(bounds), _room().put(good + data), in_c) for in_c in (True, False)]
        assert results[0] == results[1], results
        assert results[0][0][0] == _columns(bounds[:2], memoryview(good), True)[0][0]
        if results[0][1]:
            raise DecodeError(results[0][1][0].reason.partition(" (")[0])


def _columns(bounds: memoryview[int], data: memoryview, in_c: bool) -> tuple[list[str], Any]:
    decoder: Any = _decoder()
    columns, bad = decoder.decode((data, bounds, None), 0, len(bounds) - 1, in_c=in_c)
    batch = pa.record_batch(columns)
    batch.validate(full=True)
    return [repr(row) for row in batch.to_pylist()], bad


def _seeds() -> Sequence[bytes]:
    old = [{"gone": {"k": [1.5], "l": None}, "text": b"x", "i": 5, "e": symbol, "x": [{}]} for symbol in "AB"]
    return [
        *(framed(1, encoded(WIDE, value)) for value in GOOD),
        *(framed(2, encoded(_OLD, value)) for value in old),
        struct.pack(">bI", 0, 3),
    ]


AVRO_VALUES = Decoder(
    "avro-values", "Avro values to columns, in C and in Python", _decode, _seeds, _MOST_BYTES, turns_per_byte=200.0
)
