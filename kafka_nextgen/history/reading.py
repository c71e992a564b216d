"""Reading logs from files: plain or gzip, one file, several, or directories of them.

What is no event is counted and the first of its kind is kept; reading goes on behind it.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from attrs import Factory, define

from kafka_nextgen.history.events import VERSION, Event
from kafka_nextgen.history.lines import NotAnEvent, decode_event

__all__ = ["GZIP", "LATER_VERSION", "LONGEST_LINE", "TORN_GZIP", "Problems", "log_files", "read_log"]

#: The problem of an event that a later release wrote; it is kept.
LATER_VERSION = "later version"
#: The problem of a file whose compression ends in the middle, or is broken.
TORN_GZIP = "torn gzip"
#: With this compressed files begin.
GZIP = b"\x1f\x8b"
_NAMES = (".jsonl", ".json", ".log", ".ndjson")
#: Longer lines (bytes) are no events: a member with 100,000 partitions has one of 600 KB.
LONGEST_LINE = 16 << 20


@define
class Problems:
    """What was wrong with logs: how often, and where it was first seen."""

    counts: dict[str, int] = Factory(dict)
    first: dict[str, str] = Factory(dict)

    def note(self, problem: str, where: str) -> None:
        """Count one."""
        self.counts[problem] = self.counts.get(problem, 0) + 1
        self.first.setdefault(problem, where)

    def __bool__(self) -> bool:
        return bool(self.counts)

    def __str__(self) -> str:
        return "; ".join(f"{count} x {what}, first {self.first[what]}" for what, count in sorted(self.counts.items()))


def log_files(paths: Iterable[Path]) -> list[Path]:
    """The files in these files and directories, each once; of a directory those whose names look like logs."""
    found: dict[Path, Path] = {}  # by where it really is
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file == path or (file.is_file() and _looks_like_log(file)):
                found.setdefault(file.resolve(), file)
    return list(found.values())


def _looks_like_log(file: Path) -> bool:
    return not file.name.startswith((".", "_")) and any(suffix in _NAMES for suffix in file.suffixes)


def read_log(paths: Iterable[Path], problems: Problems) -> Iterator[Event]:
    """The events of all these logs, file by file.

    A file of a directory may be rotated away before its turn comes; that is a problem, too. Raises OSError for a path
    that is missing or can't be opened, and for a device.
    """
    asked = list(paths)
    for file in log_files(asked):
        try:
            with _opened(file) as lines:
                yield from _events(file, lines, problems)
        except FileNotFoundError as error:
            if file in asked:
                raise
            problems.note("file gone", f"{file.name}: {error.strerror}")


@contextmanager
def _opened(file: Path) -> Iterator[gzip.GzipFile | BufferedReader]:
    """A pipe can't be opened twice, so its first bytes are looked at and not taken."""
    if file.is_char_device() and not file.samefile(os.devnull):
        raise OSError(f"{file} is a device, which may never end; a log is a file, a pipe or a directory")
    with file.open("rb") as opened:
        if opened.peek(len(GZIP))[: len(GZIP)] == GZIP:
            with gzip.GzipFile(fileobj=opened) as unpacked:
                yield unpacked
        else:
            yield opened


def _events(file: Path, lines: gzip.GzipFile | BufferedReader, problems: Problems) -> Iterator[Event]:
    for number, line in enumerate(_lines(file, lines, problems), 1):
        if not line.strip():
            continue
        found = decode_event(line)
        where = f"{file.name}:{number}"
        if isinstance(found, NotAnEvent):
            problems.note(found.refusal.value, f"{where}: {found.text}")
            continue
        if found.v > VERSION:
            problems.note(LATER_VERSION, f"{where}: version {found.v}")
        yield found


def _lines(file: Path, lines: gzip.GzipFile | BufferedReader, problems: Problems) -> Iterator[bytes]:
    """Lines, up to where the file ends or its compression is broken."""
    try:
        while line := lines.readline(LONGEST_LINE):
            yield line
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        problems.note(TORN_GZIP, f"{file.name}: {error}")
