"""Read lines as columns of events, if all of them are plain events.

This is many times faster than line by line. It accepts only the lines that writers of this version write: flat objects
that begin with their version and have only known fields and no spaces. If there is any other line, nothing is read
here, and ``decode_event`` decides, so both give the same result. Arrow's reader must not get other lines: some of them
crash the whole process (pyarrow 26). Without google-re2, which has no wheels for musl, nothing is read here.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import json

from kafka_nextgen.history.events import VERSION, EventKind, source_kind
from kafka_nextgen.spark.history.schemas import EVENTS, arrow_schema

__all__ = ["columns_of_lines"]

_SCHEMA = arrow_schema(EVENTS)
_PARSE = json.ParseOptions(explicit_schema=_SCHEMA, unexpected_field_behavior="error")
_VALUE = rb'(?:"(?:[^"\\\x00-\x1f]|\\["\\/bfnrtu])*"|-?[0-9]+|\[[0-9,]*\])'
_EVENTS = rb'(?:\{"v":%d(?:,"[a-z]+":%b)+\}\n)+' % (VERSION, _VALUE)
_KINDS = pa.array([kind.value for kind in EventKind])
_REQUIRED = ("at", "seq", "source", "cluster", "group", "kind", "v")
_NOT_NEGATIVE = ("at", "seq", "ms")
_MOST_BYTES = 256 << 20

_PLAIN: Any = None
with suppress(ImportError):
    import re2

    _PLAIN = re2.compile(_EVENTS)


def columns_of_lines(lines: pa.BinaryArray) -> list[pa.Array] | None:
    """Return the columns of ``schemas.EVENTS``, a row for each line; None if any line may not be an event."""
    count = len(lines)
    if _PLAIN is None or count == 0 or lines.null_count or lines.nbytes > _MOST_BYTES:
        return None
    text = b"".join(line if line.endswith(b"\n") else line + b"\n" for line in lines.to_pylist())
    if text.count(b"\n") != count or _PLAIN.fullmatch(text) is None:
        return None
    try:
        text.decode()
        read = json.ReadOptions(use_threads=False, block_size=len(text) + 1)
        table = json.read_json(pa.BufferReader(text), read_options=read, parse_options=_PARSE)
    except (UnicodeDecodeError, pa.ArrowException):
        return None
    if table.num_rows != count or not _are_events(table):
        return None
    return [table.column(name).combine_chunks() for name in _SCHEMA.names]


def _are_events(table: pa.Table) -> bool:
    """Return whether all values are valid, by the rules of ``decode_event``."""
    if any(table.column(name).null_count for name in _REQUIRED):
        return False
    numbers = [table.column(name) for name in _NOT_NEGATIVE]
    partitions = table.column("partitions").combine_chunks().flatten()
    lowest = [pc.min(each).as_py() for each in (*numbers, partitions)]
    return (
        all(each is None or each >= 0 for each in lowest)
        and partitions.null_count == 0
        and pc.all(pc.is_in(table.column("kind"), _KINDS)).as_py()
        and pc.min(pc.binary_length(table.column("group"))).as_py() > 0
        and all(map(_is_source, pc.unique(table.column("source")).to_pylist()))
    )


def _is_source(source: str) -> bool:
    try:
        source_kind(source)
    except ValueError:
        return False
    return True
