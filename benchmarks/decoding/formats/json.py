"""JSON objects, without a frame."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping
from random import Random

import orjson
import pyarrow as pa
import pyarrow.json

from benchmarks.decoding.formats import ToTable
from benchmarks.json_values import SHAPES
from kafka_nextgen.values import Json, ValueFormat

__all__ = ["USUAL", "ours", "values"]


def values(shape: str) -> Iterator[bytes]:
    make, random = SHAPES[shape][1], Random(1)
    while True:
        yield json.dumps(make(random), separators=(",", ":")).encode()


def ours(shape: str) -> ValueFormat:
    return Json(SHAPES[shape][0])


def _orjson(shape: str) -> ToTable:
    schema, loads = SHAPES[shape][0], orjson.loads
    return lambda values: pa.Table.from_pylist([loads(value) for value in values], schema)


def _pyarrow(shape: str) -> ToTable:
    parsing = pyarrow.json.ParseOptions(explicit_schema=SHAPES[shape][0])
    reading = pyarrow.json.ReadOptions(block_size=1 << 26)
    return lambda values: pyarrow.json.read_json(io.BytesIO(b"\n".join(values)), reading, parsing)


USUAL: Mapping[str, Callable[[str], ToTable]] = {"orjson.loads": _orjson, "pyarrow.json of joined lines": _pyarrow}
