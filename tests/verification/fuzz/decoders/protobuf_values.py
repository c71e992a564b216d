"""Protobuf values to columns, in C and by protobuf's classes: the same columns, and the same values refused.

The input ends at a guarded page. It is one value of a message with most of what there is, in Confluent's frame. A good
value beside it must stay as it is.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cache
from typing import Any

import pyarrow as pa

from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.values import Protobuf
from kafka_nextgen.values.formats import ColumnDecoder
from tests.values.decoding import framed
from tests.values.protobuf_messages import alike, rows_of
from tests.values.protobuf_samples import GOOD, WIDE
from tests.verification.fuzz.decoders.decoder import Decoder, refusals
from tests.verification.fuzz.guarded import Guarded

_MOST_BYTES = 8 * 1024


@cache
def _decoder() -> ColumnDecoder:
    return Protobuf(WIDE, framed=True).decoder("value", True)


@cache
def _room() -> Guarded:
    return Guarded(2 * _MOST_BYTES)


def _framed(value: dict[str, Any]) -> bytes:
    return framed(1, b"\0" + WIDE(**value).SerializeToString())


def _decode(data: bytes) -> None:
    with refusals():
        if not ACCELERATED:
            raise DecodeError("the extension was not compiled")
        good, alone = _good()
        bounds = memoryview(array("i", (0, len(good), len(good) + len(data))))
        (batch, bad), (judged, refused) = (_columns(bounds, _room().put(good + data), in_c) for in_c in (True, False))
        assert [each.row for each in bad] == [each.row for each in refused], (bad, refused)
        assert batch.equals(judged) or alike(rows_of(batch), rows_of(judged)), (rows_of(batch), rows_of(judged))
        assert batch.slice(0, 1).equals(alone)
        if bad:
            raise DecodeError(bad[0].reason.partition(" (")[0].partition(":")[0])


@cache
def _good() -> tuple[bytes, pa.RecordBatch]:
    """A value without maps, of which protobuf does not keep the order, and its columns."""
    good = _framed(GOOD[2])
    return good, _columns(memoryview(array("i", (0, len(good)))), memoryview(good), True)[0]


def _columns(bounds: memoryview[int], data: memoryview, in_c: bool) -> tuple[pa.RecordBatch, Any]:
    decoder: Any = _decoder()
    columns, bad = decoder.decode((data, bounds, None), 0, len(bounds) - 1, in_c=in_c)
    batch = pa.record_batch(columns)
    batch.validate(full=True)
    return batch, bad


def _seeds() -> Sequence[bytes]:
    odd = WIDE(**GOOD[1]).SerializeToString() + WIDE(**GOOD[2]).SerializeToString()
    return [*map(_framed, GOOD), framed(1, b"\0" + odd), framed(1, b"\x02\x02"), framed(1, b"\0\xfb\x0f\xfc\x0f")]


PROTOBUF_VALUES = Decoder(
    "protobuf-values",
    "Protobuf values to columns, in C and by protobuf's classes",
    _decode,
    _seeds,
    _MOST_BYTES,
    turns_per_byte=200.0,
)
