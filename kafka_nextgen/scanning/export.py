"""Writes a scan to files, so that an interrupted export can be continued, and each record is in exactly one file.

- The ranges are fixed when the export begins. They are stored in ``_export.json`` in its folder, with the options that
  determine the contents of the files, and the offsets exported so far. A later call with the same options continues
  from there, and does not read partitions that were added since.
- A file is complete or absent: it is written under a name that begins with a dot, and renamed once it is on disk. After
  that, the offsets are stored, also by renaming. If the process ends between the two steps, the next call writes a file
  of the same name from the same offsets again.
- An export whose remaining records were deleted, or whose topic was deleted and created again, does not continue.
- A folder with other Parquet files is refused, and so is one that lacks a file of its export. If the system and the
  file system support ``flock``, a second process is refused, too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from attrs import evolve

from kafka_nextgen.errors import MisuseError
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.logs import logger_of
from kafka_nextgen.scanning.arrow_stream import BATCH_ROWS, Scan
from kafka_nextgen.scanning.export_state import ExportState
from kafka_nextgen.scanning.parquet_file import ParquetFile, check_writable
from kafka_nextgen.scanning.ranges import LostRecordsError, Offsets
from kafka_nextgen.types import TopicPartition

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["Export"]

logger = logger_of(__name__)


@define
class Export:
    """An export to Parquet files in ``folder``, new or started earlier.

    ``options`` are those that determine the contents of the files, with the names that the caller uses. A file is
    complete when it has at least ``file_rows`` rows.
    """

    folder: Path
    options: Mapping[str, str | None]
    file_rows: int = 1_000_000
    _state: ExportState | None = None

    def __attrs_post_init__(self) -> None:
        """Read the state of an earlier call. Raises MisuseError for a folder of another export."""
        self._state = ExportState.in_folder(self.folder)
        if self._state is not None:
            self._check_options(self._state.options)
        self._check_files()

    @staticmethod
    def options_in(folder: Path) -> Mapping[str, str | None]:
        """Return the options of the export in this folder; empty if there is none."""
        state = ExportState.in_folder(folder)
        return {} if state is None else state.options

    def _check_options(self, before: Mapping[str, str | None]) -> None:
        for name in {**before, **self.options}:
            earlier, now = (options.get(name) or "nothing" for options in (before, self.options))
            if earlier != now:
                message = f"{self.folder} has an export with {name} = {earlier}, and this one has {now}"
                raise MisuseError(f"{message}: export to another folder, or give the same options as before")

    def _check_files(self) -> None:
        """Refuse a folder that lacks files of the export, or has others, which readers would mistake for files of it.

        There may be one more file than the state counts, if the process ended before storing the state.
        """
        own = [] if self._state is None else [self._path(number) for number in range(self._state.files + 1)]
        for missing in (path for path in own[:-1] if not path.exists()):
            raise MisuseError(f"{missing} is missing: put it back, or export to another folder")
        for other in sorted({*self.folder.glob("*.parquet")} - {*own}):
            raise MisuseError(f"{other} does not belong to the export: export to an empty folder")

    @property
    def edges(self) -> tuple[Offsets, Offsets] | None:
        """The offsets at which to continue and to end; None for a new export."""
        return None if self._state is None else (self._state.positions, self._state.ends)

    @property
    def partitions(self) -> tuple[TopicPartition, ...]:
        """The partitions to continue with; empty for a new export."""
        return () if self._state is None else tuple(self._state.ends)

    @contextmanager
    def continuing(self) -> Iterator[None]:
        """Return a context manager for the start of the scan that continues the export.

        If remaining records are not in the log, raises OffsetOutOfRangeError or UnknownTopicError as ``run`` does.
        """
        try:
            yield
        except LostRecordsError as error:
            if self._state is not None:
                self._state.check_continued(error.left)
            raise

    def run(self, scan: Scan, note_rows: Callable[[int], None] = lambda rows: None) -> int:
        """Write the records of ``scan``; returns the number of files of the whole export.

        ``note_rows`` is called with the number of rows after each batch that was written.

        Raises ArrowSchemaError, before anything is written, for a column for which Parquet has no type, MisuseError if
        another process is exporting to the folder, or has done so since the state was read, OffsetOutOfRangeError if
        records were deleted before they were exported, and UnknownTopicError if the topic was deleted and created again
        since the export began.
        """
        check_writable(scan.schema)
        self.folder.mkdir(parents=True, exist_ok=True)
        with _locked(self.folder):
            self._begin(scan)
            return self._run(scan, note_rows)

    def _begin(self, scan: Scan) -> None:
        """Now that no other process can write, check that the state has not changed since it was read."""
        if ExportState.in_folder(self.folder) != self._state:
            raise MisuseError(f"another process has exported to {self.folder} in the meantime: run the export again")
        self._check_files()
        if self._state is None:
            self._note(ExportState.begun(self.options, scan.ranges, scan.positions))
        self._known.check_continued(scan.ranges)

    def _run(self, scan: Scan, note_rows: Callable[[int], None]) -> int:
        file = ParquetFile(self._next_path())
        try:
            for table in scan.tables(min(BATCH_ROWS, self.file_rows)):
                file.write(table)
                note_rows(table.num_rows)
                if file.rows >= self.file_rows:
                    self._finish(file, scan)
                    file = ParquetFile(self._next_path())
            self._finish(file, scan)
        except BaseException:
            file.discard()
            raise
        return self._known.files

    @property
    def _known(self) -> ExportState:
        assert self._state is not None
        return self._state

    def _next_path(self) -> Path:
        return self._path(self._known.files)

    def _path(self, number: int) -> Path:
        return self.folder / f"part-{number:06}.parquet"

    def _finish(self, file: ParquetFile, scan: Scan) -> None:
        files = self._known.files + file.finish()
        self._note(evolve(self._known, positions=dict(scan.positions), files=files))

    def _note(self, state: ExportState) -> None:
        state.write(self.folder)
        self._state = state


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
    except OSError as error:  # such as NFS, which locks only files that are open for writing
        logger.debug("%s can't be locked: %s", folder, error)
