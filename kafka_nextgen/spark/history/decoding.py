"""Decode lines of logs as events, batch by batch. Lines that are not events become rows with a reason."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from gzip import BadGzipFile, GzipFile
from io import BytesIO
from itertools import count
from operator import attrgetter
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa
from attrs import astuple

from kafka_nextgen.history.events import VERSION, Event
from kafka_nextgen.history.json_lines import InvalidLine, LineProblem, decode_event
from kafka_nextgen.history.log_reader import GZIP_MAGIC, LATER_VERSION, TOO_LONG, TORN_GZIP, bounded_lines, is_too_long
from kafka_nextgen.spark.history.columns_of_lines import columns_of_lines
from kafka_nextgen.spark.history.schemas import DECODED, EVENT_NAMES, EVENTS, LINES, ROWS, arrow_schema
from kafka_nextgen.text import can_be_sent

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["DecodedRow", "decoded", "decoded_batch", "decoded_batches", "event_columns", "unzipped", "unzipped_batches"]

#: An event, or a problem with its text, and the file or partition of its origin.
DecodedRow: TypeAlias = tuple[Event | None, str | None, str | None, str]

_BATCH_BYTES = 4 << 20
_FEW = 100
_TEXT = 500
_EVENT_TYPES = [field.type for field in arrow_schema(EVENTS)]
_EVENT_VALUES = [attrgetter("kind.value" if name == "kind" else name) for name in EVENT_NAMES]
_DECODED = arrow_schema(DECODED)
_LINES = arrow_schema(LINES)


def decoded(lines: DataFrame) -> DataFrame:
    """Convert ``LINES`` to ``DECODED``, a row for each event and for each other line; they may be a stream."""
    return lines.select(*LINES.names).mapInArrow(decoded_batches, DECODED)


def unzipped(files: DataFrame) -> DataFrame:
    """Convert rows of ``origin`` and ``content``, one gzip file each, to ``LINES``."""
    return files.select("origin", "content").mapInArrow(unzipped_batches, LINES)


def decoded_batch(rows: Sequence[DecodedRow]) -> pa.RecordBatch:
    """Return rows as a batch of ``DECODED``. An event with text that UTF-8 can't encode becomes a problem."""
    try:
        return _decoded_batch(rows)
    except UnicodeEncodeError:
        return _decoded_batch([_checked(*row) for row in rows])


def _decoded_batch(rows: Sequence[DecodedRow]) -> pa.RecordBatch:
    events, *others = zip(*rows, strict=True)
    columns = [pa.array(values, pa.string()) for values in others]
    return pa.RecordBatch.from_arrays([*event_columns(events), *columns], schema=_DECODED)


def _checked(event: Event | None, problem: str | None, text: str | None, origin: str) -> DecodedRow:
    if event is None or _is_unicode(event):
        return event, problem, text, origin
    return None, LineProblem.BAD_FIELD.value, "a string is not valid Unicode", origin


def event_columns(events: Sequence[Event | None]) -> list[pa.Array]:
    """Return the columns of events, with a row of nulls for None."""
    there = [event for event in events if event is not None]
    columns = [pa.array(list(map(value, there)), of) for value, of in zip(_EVENT_VALUES, _EVENT_TYPES, strict=True)]
    if len(there) == len(events):
        return columns
    places = count()
    taken = pa.array([None if event is None else next(places) for event in events], pa.int64())
    return [column.take(taken) for column in columns]


def _is_unicode(event: Event) -> bool:
    return all(can_be_sent(value) for value in astuple(event) if isinstance(value, str))


def decoded_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Convert batches of ``LINES`` to batches of ``DECODED``."""
    for batch in batches:
        yield from _decoded(batch)


def _decoded(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Decode by columns if all lines are plain events; otherwise decode each half, and small batches line by line."""
    columns = None if batch.column("problem").null_count < batch.num_rows else columns_of_lines(batch.column("line"))
    if columns is not None:
        nothing = pa.nulls(batch.num_rows, pa.string())
        yield pa.RecordBatch.from_arrays([*columns, nothing, nothing, batch.column("origin")], schema=_DECODED)
    elif batch.num_rows > _FEW:
        half = batch.num_rows // 2
        yield from _decoded(batch.slice(0, half))
        yield from _decoded(batch.slice(half))
    else:
        yield from _line_by_line(batch)


def _line_by_line(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    rows: list[DecodedRow] = []
    columns = (batch.column(name).to_pylist() for name in LINES.names)
    for origin, line, problem in zip(*columns, strict=True):
        if problem is not None:
            rows.append((None, problem, "", origin))
        elif line is not None and line.strip():
            rows.append((*_decode(line), origin))
    if rows:
        yield decoded_batch(rows)


def _decode(line: bytes) -> tuple[Event | None, str | None, str | None]:
    if is_too_long(line):
        return None, LineProblem.FOREIGN.value, TOO_LONG
    found = decode_event(line)
    if isinstance(found, InvalidLine):
        shown = line[:_TEXT].decode("utf-8", "replace")
        return None, found.problem.value, f"{found.text}: {shown}"
    if found.v > VERSION:
        return found, LATER_VERSION, f"version {found.v}"
    return found, None, None


def unzipped_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Convert batches of ``origin`` and ``content`` to batches of ``LINES``."""
    for batch in batches:
        for number in range(batch.num_rows):
            origin, content = batch.column("origin")[number].as_py(), batch.column("content")[number].as_py()
            yield from _lines_of_file(origin, content)


def _lines_of_file(origin: str, content: bytes) -> Iterator[pa.RecordBatch]:
    waiting: list[bytes] = []
    size = 0
    try:
        with GzipFile(fileobj=BytesIO(content)) if content.startswith(GZIP_MAGIC) else BytesIO(content) as lines:
            for line in bounded_lines(lines):
                waiting.append(line)
                size += len(line)
                if size >= _BATCH_BYTES or len(waiting) >= ROWS:
                    yield _line_batch(origin, waiting)
                    waiting, size = [], 0
    except (EOFError, BadGzipFile, zlib.error):
        yield _line_batch(origin, waiting, TORN_GZIP)
    else:
        if waiting:
            yield _line_batch(origin, waiting)


def _line_batch(origin: str, lines: Sequence[bytes], problem: str | None = None) -> pa.RecordBatch:
    more: list[str] = [] if problem is None else [problem]
    columns = {
        "origin": [origin] * (len(lines) + len(more)),
        "line": [*lines, *[None] * len(more)],
        "problem": [*[None] * len(lines), *more],
    }
    return pa.RecordBatch.from_pydict(columns, schema=_LINES)
