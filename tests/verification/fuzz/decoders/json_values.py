"""JSON values to columns, in C and by the twin in Python: the same columns, and the same values refused.

The input ends at a guarded page. It is one value of a schema with most of what there is. A good value beside it must
stay as it is, and what a judge takes for JSON must not be refused as none.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from functools import cache
from typing import Any

import pyarrow as pa

from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.values import Json
from kafka_nextgen.values.formats import ColumnDecoder
from tests.values.json_samples import GOOD, WIDE
from tests.verification.fuzz.decoders.decoder import Decoder, refusals
from tests.verification.fuzz.guarded import Guarded

_MOST_BYTES = 8 * 1024
_MORE = [
    pa.field("u", pa.uint64()),
    pa.field("g", pa.float32()),
    pa.field("day", pa.date32()),
    pa.field("time", pa.time32("ms")),
    pa.field("local", pa.timestamp("ns")),
    pa.field("span", pa.duration("ms")),
    pa.field("fix", pa.binary(2)),
    pa.field("big", pa.decimal256(60, 20)),
]
_MOST = b"""{"u": 18446744073709551615, "g": -1.25e-3, "day": "2026-11-29", "time": "12:30:15.5", "s": "\\u00e9\\n",
 "local": "2026-11-29T12:30:15.123456789", "span": "-P1DT2H3M4.5S", "fix": "AAA=", "big": "123456789.5e-9", "end": null,
 "unknown": [{"a": [true, false, null, -0.5e+10, "\\ud83d\\ude00"]}, {}],
 "t": "2026-11-29t12:30:15.123456+01:30", "s": "last"}"""


@cache
def _decoder() -> ColumnDecoder:
    return Json(pa.schema([*WIDE, *_MORE]), integer_times=True).decoder("value", True)


@cache
def _room() -> Guarded:
    return Guarded(2 * _MOST_BYTES)


def _decode(data: bytes) -> None:
    good = GOOD[1]
    with refusals():
        if not ACCELERATED:
            raise DecodeError("the extension was not compiled")
        bounds = memoryview(array("i", (0, len(good), len(good) + len(data))))
        results = [_columns(memoryview(bounds), _room().put(good + data), in_c) for in_c in (True, False)]
        assert results[0] == results[1], results
        assert results[0][0] == _alone()
        if results[0][2]:
            reason = results[0][2][0].reason
            assert reason.startswith("not JSON") or _is_json(data), reason
            raise DecodeError(reason.partition(" (")[0])
        assert _is_json(data)


@cache
def _alone() -> str:
    return _columns(memoryview(array("i", (0, len(GOOD[1])))), memoryview(GOOD[1]), True)[0]


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data.decode(), parse_int=str)  # an int of Python has a limit of digits
    except RecursionError:
        return True
    except ValueError:
        return False
    return True


def _columns(bounds: memoryview[int], data: memoryview, in_c: bool) -> tuple[str, str, Any]:
    """The first row, the last one and the bad."""
    decoder: Any = _decoder()
    columns, bad = decoder.decode((data, bounds, None), 0, len(bounds) - 1, in_c=in_c)
    batch = pa.record_batch(columns)
    batch.validate(full=True)
    return _text(batch.slice(0, 1)), _text(batch.slice(batch.num_rows - 1)), bad


def _text(batch: pa.RecordBatch) -> str:
    """Arrow has times that Python has no object for."""
    return "\n".join(column.to_string(window=1000, container_window=1000) for column in batch.columns)


def _seeds() -> Sequence[bytes]:
    return [*GOOD, _MOST]


JSON_VALUES = Decoder(
    "json-values", "JSON values to columns, in C and in Python", _decode, _seeds, _MOST_BYTES, turns_per_byte=200.0
)
