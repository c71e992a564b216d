"""Values decoded in C and by the twin in Python, which have to agree, and encoded by fastavro, which is the judge."""

from __future__ import annotations

import io
import struct
from array import array
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import fastavro
import pyarrow as pa

from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.values import Avro
from kafka_nextgen.values.formats import BadValue, Buffers, ValueFormat


def buffers_of(values: Sequence[bytes | None]) -> Buffers:
    """The values as records have them, in columns."""
    bounds = memoryview(array("i", (0, *accumulate(len(value or b"") for value in values))))
    validity = bytearray((len(values) + 7) // 8)
    for row, value in enumerate(values):
        validity[row >> 3] |= (value is not None) << (row & 7)
    return b"".join(value or b"" for value in values), bounds, bytes(validity) if None in values else None


def encoded(schema: Any, value: Any) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), value)
    return out.getvalue()


def framed(schema_id: int, value: bytes) -> bytes:
    return struct.pack(">bI", 0, schema_id) + value


def decoded(
    form: ValueFormat, values: Sequence[bytes | None], flat: bool = True, start: int = 0
) -> tuple[pa.RecordBatch, list[BadValue]]:
    """The columns of these values, and the bad rows: the same in C as in Python."""
    decoder: Any = form.decoder("value", flat)
    results = []
    for in_c in (False, True)[: 1 + ACCELERATED]:
        columns, bad = decoder.decode(buffers_of(values), start, len(values), in_c=in_c)
        batch = pa.record_batch(columns)
        batch.validate(full=True)
        assert batch.num_rows == len(values) - start
        results.append((batch, bad))
    first, last = results[0], results[-1]
    assert first[1] == last[1]
    assert first[0].schema.equals(last[0].schema, check_metadata=True)
    assert same(first[0], last[0]), (first[0].columns, last[0].columns)
    return last


def same(one: pa.RecordBatch, other: pa.RecordBatch) -> bool:
    """Whether they are the same; a NaN is as good as any other. Arrow has times that Python has no object for."""
    texts = ([column.to_string(window=1000, container_window=1000) for column in each.columns] for each in (one, other))
    return one.equals(other) or next(texts) == next(texts)


def column_of(schema: Any, values: Sequence[Any], reader_schema: Any = None) -> pa.Array:
    """The column that good values of a schema become."""
    batch, bad = decoded(Avro(schema, reader_schema=reader_schema), [encoded(schema, value) for value in values], False)
    assert bad == []
    return batch.column(0)
