"""Decode lines of logs as events, batch by batch. Lines that are not events become rows with a reason."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from gzip import BadGzipFile, GzipFile
from io import BytesIO
from itertools import count
from operator import attrgetter
from typing import TYPE_CHECKING

import pyarrow as pa
from attrs import astuple, define, field

from kafka_nextgen.history.events import VERSION, Event
from kafka_nextgen.history.json_lines import InvalidLine, LineProblem, decode_event
from kafka_nextgen.history.log_reader import GZIP_MAGIC, LATER_VERSION, TOO_LONG, TORN_GZIP, bounded_lines, is_too_long
from kafka_nextgen.spark.history.columns_of_lines import columns_of_lines
from kafka_nextgen.spark.history.schemas import DECODED, EVENT_NAMES, EVENTS, LINES, ROWS, arrow_schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["DecodedRows", "decoded", "decoded_batches", "event_columns", "unzipped", "unzipped_batches"]

_BATCH_BYTES = 4 << 20
_FEW = 100
_TEXT = 500
_EVENT_TYPES = [field.type for field in arrow_schema(EVENTS)]
_EVENT_VALUES = [attrgetter("kind.value" if name == "kind" else name) for name in EVENT_NAMES]
_DECODED = arrow_schema(DECODED)
_LINES = arrow_schema(LINES)


def decoded(lines: DataFrame) -> DataFrame:
    """``LINES`` to ``DECODED``: a row for each event and for each other line. The frame may be a streaming one."""
    return lines.select(*LINES.names).mapInArrow(decoded_batches, DECODED)


def unzipped(files: DataFrame) -> DataFrame:
    """Rows of ``origin`` and ``content``, a gzip file each, to ``LINES``."""
    return files.select("origin", "content").mapInArrow(unzipped_batches, LINES)


@define
class DecodedRows:
    """Rows of ``DECODED`` for the next batch."""

    events: list[Event | None] = field(factory=list)
    problems: list[str | None] = field(factory=list)
    texts: list[str | None] = field(factory=list)
    origins: list[str | None] = field(factory=list)

    def add(self, event: Event | None, problem: str | None, text: str | None, origin: str) -> None:
        """Add an event, or a problem with its text; ``origin`` is the file or partition."""
        self.events.append(event)
        self.problems.append(problem)
        self.texts.append(text)
        self.origins.append(origin)

    def batch(self) -> pa.RecordBatch:
        """Return these rows as a batch. An event with text that UTF-8 can't encode becomes a problem."""
        try:
            return self._batch()
        except UnicodeEncodeError:
            for place, event in enumerate(self.events):
                if event is not None and not _is_unicode(event):
                    self.events[place] = None
                    self.problems[place], self.texts[place] = LineProblem.BAD_FIELD.value, "a text is not Unicode"
            return self._batch()

    def _batch(self) -> pa.RecordBatch:
        more = [pa.array(values, pa.string()) for values in (self.problems, self.texts, self.origins)]
        return pa.RecordBatch.from_arrays([*event_columns(self.events), *more], schema=_DECODED)


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
    texts = [value for value in astuple(event) if isinstance(value, str)]
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return False
    return True


def decoded_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches of ``LINES`` to batches of ``DECODED``."""
    for batch in batches:
        yield from _decoded(batch)


def _decoded(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Decode by columns if all lines are plain events; otherwise each half, and a small batch line by line."""
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
    rows = DecodedRows()
    columns = (batch.column(name).to_pylist() for name in LINES.names)
    for origin, line, problem in zip(*columns, strict=True):
        if problem is not None:
            rows.add(None, problem, "", origin)
        elif line is not None and line.strip():
            _decode(line, origin, rows)
    if rows.events:
        yield rows.batch()


def _decode(line: bytes, origin: str, rows: DecodedRows) -> None:
    if is_too_long(line):
        rows.add(None, LineProblem.FOREIGN.value, TOO_LONG, origin)
        return
    found = decode_event(line)
    if isinstance(found, InvalidLine):
        shown = line[:_TEXT].decode("utf-8", "replace")
        rows.add(None, found.problem.value, f"{found.text}: {shown}", origin)
    elif found.v > VERSION:
        rows.add(found, LATER_VERSION, f"version {found.v}", origin)
    else:
        rows.add(found, None, None, origin)


def unzipped_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches of ``origin`` and ``content`` to batches of ``LINES``."""
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
    rows: list[tuple[bytes | None, str | None]] = [(line, None) for line in lines]
    if problem is not None:
        rows.append((None, problem))
    columns = [
        pa.array([origin] * len(rows), pa.string()),
        pa.array([line for line, _ in rows], pa.binary()),
        pa.array([each for _, each in rows], pa.string()),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=_LINES)
