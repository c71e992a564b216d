"""Writes a scan to files, so that an interrupted export can be continued, and each record is in exactly one file.

- The ranges are fixed when the export begins, and kept in ``_export.json`` in its folder, with the options that decide
  what is in the files, and the offsets that are done. A later call with the same options continues from these, and
  does not read partitions that were added since.
- A file is complete or absent: it is written under a name that begins with a dot, and renamed once it is on disk. After
  that the offsets are stored, also by renaming. If the process ends between the two, the next call writes a file of the
  same name from the same offsets again.
- An export whose remaining records were deleted, or whose topic was deleted and created again, does not continue.
- A folder with other Parquet files is refused, and so is one that lost a file of its export. Where the system and
  the file system have ``flock``, a second process is refused, too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import define, evolve, field, frozen

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import ArrowSchemaError, MisuseError, OffsetOutOfRangeError, UnknownTopicError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.scanning.arrow_stream import BATCH_ROWS, Scan
from kafka_nextgen.scanning.ranges import Offsets
from kafka_nextgen.types import OffsetRange, TopicPartition

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.parquet

__all__ = ["Export"]

logger = logger_of(__name__)

STATE = "_export.json"
VERSION = 1


@frozen
class _State:
    """The contents of ``_export.json``: the options of the first call, the ends, the next offsets, the number of files,
    and the ids of the topics, as text."""

    options: Mapping[str, str | None]
    ends: Mapping[TopicPartition, int]
    positions: Mapping[TopicPartition, int]
    files: int = 0
    topic_ids: Mapping[str, str | None] = field(factory=dict)

    def to_json(self) -> str:
        rows = [
            {"topic": tp.topic, "partition": tp.partition, "next": self.positions[tp], "end": end}
            for tp, end in sorted(self.ends.items())
        ]
        document = {"version": VERSION, "options": self.options, "files": self.files, "partitions": rows}
        document["topic_ids"] = self.topic_ids
        return json.dumps(document, indent=1)

    @classmethod
    def in_folder(cls, folder: Path) -> _State | None:
        path = folder / STATE
        if not path.exists():
            return None
        try:
            return cls.from_json(path.read_text())
        except (ValueError, KeyError, TypeError) as error:
            raise MisuseError(f"{path} can't be read ({error}): export to another folder") from error

    @classmethod
    def from_json(cls, text: str) -> _State:
        found = json.loads(text)
        if found["version"] != VERSION:
            raise ValueError(f"version {found['version']}")
        rows = [(TopicPartition(row["topic"], row["partition"]), row) for row in found["partitions"]]
        ends, positions = ({tp: int(row[name]) for tp, row in rows} for name in ("end", "next"))
        return cls(dict(found["options"]), ends, positions, int(found["files"]), dict(found["topic_ids"]))

    def check_continued(self, ranges: Mapping[TopicPartition, OffsetRange]) -> None:
        """Refuse ranges that are not the rest of these."""
        for tp in sorted(self.ends):
            begin, end, now = self.positions[tp], self.ends[tp], ranges[tp]
            if begin >= end:
                continue  # nothing of it is left to read
            if _id_text(now) != self.topic_ids[tp.topic]:
                message = f"topic {tp.topic!r} was deleted and created again since the export began: export to another"
                raise UnknownTopicError(f"{message} folder", code=ErrorCode.UNKNOWN_TOPIC_ID, partition=tp)
            if (now.start, now.end) != (begin, end):
                message = f"{tp}: offsets {begin} to {end} are left to export, but the log only has {now.start} to "
                raise OffsetOutOfRangeError(
                    f"{message}{now.end}: export to another folder", code=ErrorCode.OFFSET_OUT_OF_RANGE, partition=tp
                )


def _id_text(wanted: OffsetRange) -> str | None:
    return None if wanted.topic_id is None else str(wanted.topic_id)


@define
class Export:
    """An export to Parquet files in ``folder``, new or started earlier.

    ``options`` are those that decide what is in the files, by the names that the caller knows. A file is complete when
    it has at least ``file_rows`` rows.
    """

    folder: Path
    options: Mapping[str, str | None]
    file_rows: int = 1_000_000
    _state: _State | None = None

    def __attrs_post_init__(self) -> None:
        """Read the state that an earlier call left. Raises MisuseError for a folder of another export."""
        self._state = _State.in_folder(self.folder)
        if self._state is None:
            self._check_files(None)
            return
        for name in {**self._state.options, **self.options}:
            earlier, now = (options.get(name) or "nothing" for options in (self._state.options, self.options))
            if earlier != now:
                message = f"{self.folder} has an export with {name} = {earlier}, and this one has {now}"
                raise MisuseError(f"{message}: export to another folder, or give the same options as before")
        self._check_files(self._state.files)

    @staticmethod
    def options_in(folder: Path) -> Mapping[str, str | None]:
        """Return the options of an export that was begun in the folder; none if there is none."""
        state = _State.in_folder(folder)
        return {} if state is None else state.options

    def _check_files(self, files: int | None) -> None:
        """Refuse a folder that lacks files of the export, or has others: readers would take them for those of it.

        ``files`` is their number, and there may be one more, which was not noted any more; None before the export.
        """
        own = [] if files is None else [self._path(number) for number in range(files + 1)]
        for missing in (path for path in own[:-1] if not path.exists()):
            raise MisuseError(f"{missing} is missing: put it back, or export to another folder")
        for other in sorted({*self.folder.glob("*.parquet")} - {*own}):
            raise MisuseError(f"{other} is not of an export: export to an empty folder")

    @property
    def edges(self) -> tuple[Offsets, Offsets] | None:
        """The offsets to continue from and to end at; None for a new export."""
        return None if self._state is None else (self._state.positions, self._state.ends)

    @property
    def partitions(self) -> tuple[TopicPartition, ...]:
        """The partitions to continue with; none for a new export."""
        return () if self._state is None else tuple(self._state.ends)

    def run(self, scan: Scan, note_rows: Callable[[int], None] = lambda rows: None) -> int:
        """Write what ``scan`` reads; returns the number of files of the whole export. ``note_rows`` gets progress.

        Raises ArrowSchemaError, before anything is written, for a column that Parquet has no type for, MisuseError if
        another process is exporting to the folder, or has since this export was read, OffsetOutOfRangeError if records
        were deleted before they were exported, and UnknownTopicError if the topic was deleted and created again since
        the export began.
        """
        _check_writable(scan.schema)
        self.folder.mkdir(parents=True, exist_ok=True)
        with _locked(self.folder):
            self._begin(scan)
            return self._run(scan, note_rows)

    def _begin(self, scan: Scan) -> None:
        """Check, now that no other process can write, that the scan is still what is to be written."""
        if _State.in_folder(self.folder) != self._state:
            raise MisuseError(f"another process has exported to {self.folder} meanwhile: run the export again")
        self._check_files(None if self._state is None else self._state.files)
        if self._state is None:
            ends = {tp: each.end for tp, each in scan.ranges.items()}
            topic_ids = {tp.topic: _id_text(each) for tp, each in scan.ranges.items()}
            self._note(_State(self.options, ends, dict(scan.positions), topic_ids=topic_ids))
        self._known.check_continued(scan.ranges)

    def _run(self, scan: Scan, note_rows: Callable[[int], None]) -> int:
        file = _ParquetFile(self._next_path())
        try:
            for table in scan.tables(min(BATCH_ROWS, self.file_rows)):
                file.write(table)
                note_rows(table.num_rows)
                if file.rows >= self.file_rows:
                    self._finish(file, scan)
                    file = _ParquetFile(self._next_path())
            self._finish(file, scan)
        except BaseException:
            file.discard()
            raise
        return self._known.files

    @property
    def _known(self) -> _State:
        assert self._state is not None
        return self._state

    def _next_path(self) -> Path:
        return self._path(self._known.files)

    def _path(self, number: int) -> Path:
        return self.folder / f"part-{number:06}.parquet"

    def _finish(self, file: _ParquetFile, scan: Scan) -> None:
        files = self._known.files + file.finish()
        self._note(evolve(self._known, positions=dict(scan.positions), files=files))

    def _note(self, state: _State) -> None:
        partial = _partial(self.folder / STATE)
        partial.write_text(state.to_json())
        _put(partial, self.folder / STATE)
        self._state = state


@define
class _ParquetFile:
    """A file that appears only once it is complete, and never without rows."""

    path: Path
    rows: int = 0
    _writer: pyarrow.parquet.ParquetWriter | None = None

    def write(self, table: pyarrow.Table) -> None:
        """Append rows."""
        import pyarrow.parquet

        if self._writer is None:
            # An exception that is still referenced may keep the writer of an interrupted run open. When that writer is
            # collected, it writes to its file, which therefore must not be this one.
            _partial(self.path).unlink(missing_ok=True)
            self._writer = pyarrow.parquet.ParquetWriter(_partial(self.path), table.schema, compression="zstd")
        self._writer.write_table(table)
        self.rows += table.num_rows

    def finish(self) -> bool:
        """Move the file to its place; return whether there is one."""
        if self._writer is None:
            return False
        self._writer.close()
        _put(_partial(self.path), self.path)
        return True

    def discard(self) -> None:
        """Remove what was written of an incomplete file, which may be what filled the disk."""
        with suppress(OSError):
            if self._writer is not None:
                self._writer.close()
        with suppress(OSError):
            _partial(self.path).unlink(missing_ok=True)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other processes from exporting to the folder."""
    if fcntl is None:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        _lock(descriptor, folder)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, folder: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise MisuseError(f"another process is exporting to {folder}") from None
    except OSError as error:  # such as NFS, which locks only what is open for writing
        logger.debug("%s can't be locked: %s", folder, error)


def _check_writable(schema: pyarrow.Schema) -> None:
    import pyarrow.parquet

    for column in schema:
        try:
            pyarrow.parquet.ParquetWriter(pyarrow.BufferOutputStream(), pyarrow.schema([column])).close()
        except pyarrow.ArrowNotImplementedError as error:
            raise ArrowSchemaError(
                f"column {column.name!r} is {column.type}, which Parquet has no type for: leave the field out of the "
                "schema of the values, or write the table with kafka_nextgen.scan"
            ) from error


def _partial(path: Path) -> Path:
    return path.with_name(f".{path.name}.part")


def _put(partial: Path, path: Path) -> None:
    """Sync the file to disk, then rename it."""
    with partial.open("rb+") as file:
        os.fsync(file.fileno())
    partial.replace(path)
