"""Read event logs from files: plain or gzip, one file, several, or directories of them.

Lines that are not events are counted, and the first of each kind is kept; reading continues after them.
"""

from __future__ import annotations

import gzip
import os
import stat
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedIOBase, BufferedReader
from pathlib import Path
from typing import TypeAlias

from attrs import Factory

from kafka_nextgen.history.events import VERSION, Event
from kafka_nextgen.history.json_lines import InvalidLine, LineProblem, decode_event
from kafka_nextgen.lazy_attrs import define, frozen

__all__ = [
    "FILE_GONE",
    "GZIP_MAGIC",
    "LATER_VERSION",
    "MAX_LINE_BYTES",
    "NOT_READ",
    "TOO_LONG",
    "TORN_GZIP",
    "Problems",
    "bounded_lines",
    "is_too_long",
    "read_log",
]

#: A later release wrote the event; it is kept.
LATER_VERSION = "later version"
#: The compressed data is truncated or corrupt.
TORN_GZIP = "torn gzip"
GZIP_MAGIC = b"\x1f\x8b"
#: How often directories are scanned again for files that were rotated in the meantime.
_MAX_RESCANS = 3
#: Longer lines can't be events: an event with 100,000 partitions has 600 KB.
MAX_LINE_BYTES = 16 << 20
TOO_LONG = "longer than 16 MiB"

#: A file vanished after its directory was listed.
FILE_GONE = "file gone"
#: A file or directory can't be read, or something named like a log is not a regular file.
NOT_READ = "file not read"
_NAMES = (".jsonl", ".json", ".log", ".ndjson")


@define
class Problems:
    """Counts the problems of logs, and keeps where each was first seen."""

    counts: dict[str, int] = Factory(dict)
    first: dict[str, str] = Factory(dict)

    def note(self, problem: str, where: str) -> None:
        """Count one occurrence."""
        self.counts[problem] = self.counts.get(problem, 0) + 1
        self.first.setdefault(problem, where)

    def __bool__(self) -> bool:
        return bool(self.counts)

    def __str__(self) -> str:
        return "; ".join(f"{count} x {what}, first {self.first[what]}" for what, count in sorted(self.counts.items()))


def read_log(paths: Iterable[Path], problems: Problems) -> Iterator[Event]:
    """Yield the events of all these logs, file by file.

    A file in a directory that can't be read is a problem; the rest is read. Writers may rotate their files at the same
    time: if a file is gone, directories are scanned again for its new name.

    Raises OSError for a path that is missing or can't be opened, and for a device.
    """
    roots = list(paths)
    reading = _Reading(problems)
    yield from reading.events(list(_find_logs(roots, problems)))
    for _ in range(_MAX_RESCANS):
        if reading.missed:  # the first scan reported the problems of directories
            yield from reading.events(list(_find_logs([path for path in roots if path.is_dir()], Problems())))
    for found in reading.missed:
        problems.note(FILE_GONE, found.path.name)


@define
class _Reading:
    """Tracks files that were read, by id, and files that were moved before they could be read."""

    problems: Problems
    done: set[_FileId] = Factory(set)
    missed: list[_FoundFile] = Factory(list)

    def events(self, files: Iterable[_FoundFile]) -> Iterator[Event]:
        """Yield the events of the files that were not read before."""
        for found in files:
            if found.identity not in self.done:
                yield from self._events(found)
        self.missed = [found for found in self.missed if found.identity not in self.done]

    def _events(self, found: _FoundFile) -> Iterator[Event]:
        try:
            with _opened(found.path) as (lines, identity):
                if identity is not None:
                    self.done.add(identity)
                if not found.is_explicit and found.identity != identity:
                    self.missed.append(found)
                yield from _events(found.path, lines, self.problems)
        except OSError as error:
            if found.is_explicit:
                raise
            if isinstance(error, FileNotFoundError):
                self.missed.append(found)
            else:
                _note_unreadable(found.path, error, self.problems)
                self.done.update(filter(None, [found.identity]))


@contextmanager
def _opened(file: Path) -> Iterator[tuple[gzip.GzipFile | BufferedReader, _FileId | None]]:
    """Open a plain or compressed file. A pipe can't be opened twice, so this peeks at its first bytes."""
    if file.is_char_device() and not file.samefile(os.devnull):
        raise OSError(f"{file} is a device, which may never end; a log is a file, a pipe or a directory")
    with file.open("rb") as opened:
        identity = _file_id_of(os.fstat(opened.fileno()))
        if opened.peek(len(GZIP_MAGIC))[: len(GZIP_MAGIC)] == GZIP_MAGIC:
            with gzip.GzipFile(fileobj=opened) as unpacked:
                yield unpacked, identity
        else:
            yield opened, identity


def _events(file: Path, lines: gzip.GzipFile | BufferedReader, problems: Problems) -> Iterator[Event]:
    for number, line in enumerate(_lines(file, lines, problems), 1):
        where = f"{file.name}:{number}"
        if not line.strip():
            continue
        found = InvalidLine(LineProblem.FOREIGN, TOO_LONG) if is_too_long(line) else decode_event(line)
        if isinstance(found, InvalidLine):
            problems.note(found.problem.value, f"{where}: {found.text}")
            continue
        if found.v > VERSION:
            problems.note(LATER_VERSION, f"{where}: version {found.v}")
        yield found


def _lines(file: Path, lines: gzip.GzipFile | BufferedReader, problems: Problems) -> Iterator[bytes]:
    """Yield lines up to the end of the file, or to where its compression is corrupt."""
    try:
        yield from bounded_lines(lines)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        problems.note(TORN_GZIP, f"{file.name}: {error}")


def bounded_lines(lines: gzip.GzipFile | BufferedIOBase) -> Iterator[bytes]:
    """Yield lines with their newlines. A line longer than ``MAX_LINE_BYTES`` is cut right after that many bytes."""
    while line := lines.readline(MAX_LINE_BYTES + 1):
        yield line
        is_cut = is_too_long(line)
        while is_cut and line and not line.endswith(b"\n"):
            line = lines.readline(MAX_LINE_BYTES)


def is_too_long(line: bytes) -> bool:
    """Return whether the line exceeds ``MAX_LINE_BYTES``."""
    return len(line) - line.endswith(b"\n") > MAX_LINE_BYTES


#: Device and inode: identifies a file under any name.
_FileId: TypeAlias = tuple[int, int]


@frozen
class _FoundFile:
    """A file that the caller named (``is_explicit``), or that was found in a directory with this ``identity``."""

    path: Path
    identity: _FileId | None = None
    is_explicit: bool = False


def _find_logs(paths: Iterable[Path], problems: Problems) -> Iterator[_FoundFile]:
    """Yield these files and the logs in these directories, each once. Links to directories are not followed."""
    seen: set[Path | _FileId] = set()
    for path in paths:
        for found in _in_directory(path, problems) if path.is_dir() else [_FoundFile(path, is_explicit=True)]:
            of = (found.identity, found.path.resolve())
            if seen.isdisjoint(of):
                yield found
            seen.update(each for each in of if each is not None)


def _in_directory(directory: Path, problems: Problems) -> Iterator[_FoundFile]:
    def not_listed(error: OSError) -> None:
        problems.note(NOT_READ, f"{error.filename}: {error.strerror}")

    files = [
        Path(folder, name)
        for folder, _, names in os.walk(directory, onerror=not_listed)
        for name in names
        if _looks_like_log(Path(name))
    ]
    for file in sorted(files):
        try:
            status = file.stat()
        except OSError as error:
            _note_unreadable(file, error, problems)
            continue
        if stat.S_ISREG(status.st_mode):
            yield _FoundFile(file, _file_id_of(status))
        else:
            problems.note(NOT_READ, f"{file.name}: not a file")


def _file_id_of(status: os.stat_result) -> _FileId | None:
    """Return a file's id; None on a file system without inodes."""
    return (status.st_dev, status.st_ino) if status.st_ino else None


def _note_unreadable(file: Path, error: OSError, problems: Problems) -> None:
    """Report that a file in a directory can't be read."""
    problem = FILE_GONE if isinstance(error, FileNotFoundError) else NOT_READ
    problems.note(problem, f"{file.name}: {error.strerror or error}")


def _looks_like_log(file: Path) -> bool:
    return not file.name.startswith((".", "_")) and any(suffix in _NAMES for suffix in file.suffixes)
