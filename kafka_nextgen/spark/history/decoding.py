"""Lines of any logs to events, each task in a streaming way; what is no event is told with its reason."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from gzip import BadGzipFile, GzipFile
from io import BytesIO
from typing import TYPE_CHECKING

import pyarrow as pa
from attrs import astuple, define, field

from kafka_nextgen.history.events import VERSION, Event
from kafka_nextgen.history.json_lines import InvalidLine, LineProblem, decode_event
from kafka_nextgen.history.log_reader import GZIP_MAGIC, LATER_VERSION, TOO_LONG, TORN_GZIP, bounded_lines, is_too_long
from kafka_nextgen.spark.history.batches import ROWS, event_columns
from kafka_nextgen.spark.history.columns_of_lines import columns_of_lines
from kafka_nextgen.spark.history.schemas import DECODED, LINES, arrow_schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Rows", "decoded", "decoded_batches", "unzipped", "unzipped_batches"]

_BATCH_BYTES = 4 << 20
_FEW = 100
_TEXT = 500
_DECODED = arrow_schema(DECODED)
_LINES = arrow_schema(LINES)


def decoded(lines: DataFrame) -> DataFrame:
    """``LINES`` to ``DECODED``: a row for each event and for each line that is none. Also of a streaming query."""
    return lines.select(*LINES.names).mapInArrow(decoded_batches, DECODED)


def unzipped(files: DataFrame) -> DataFrame:
    """Rows of ``origin`` and ``content``, a gzip file each, to ``LINES``."""
    return files.select("origin", "content").mapInArrow(unzipped_batches, LINES)


@define
class Rows:
    """Rows of ``DECODED`` that wait to be a batch."""

    events: list[Event | None] = field(factory=list)
    problems: list[str | None] = field(factory=list)
    texts: list[str | None] = field(factory=list)
    origins: list[str | None] = field(factory=list)

    def add(self, event: Event | None, problem: str | None, text: str | None, origin: str) -> None:
        """Add an event, or a problem with its text, from this file or partition."""
        self.events.append(event)
        self.problems.append(problem)
        self.texts.append(text)
        self.origins.append(origin)

    def batch(self) -> pa.RecordBatch:
        """These rows as a batch. A text that has no UTF-8, of half a surrogate pair, makes its event a bad one."""
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
    """By columns, if all lines are plain events; else the halves of it, and a small one line by line."""
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
    rows = Rows()
    columns = (batch.column(name).to_pylist() for name in LINES.names)
    for origin, line, problem in zip(*columns, strict=True):
        if problem is not None:
            rows.add(None, problem, "", origin)
        elif line is not None and line.strip():
            _decode(line, origin, rows)
    if rows.events:
        yield rows.batch()


def _decode(line: bytes, origin: str, rows: Rows) -> None:
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
