"""Reading logs from files: plain or gzip, one file, several, or directories of them.

What is no event is counted and the first of its kind is kept; reading goes on behind it.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedIOBase, BufferedReader
from pathlib import Path

from attrs import Factory, define

from kafka_nextgen.history.events import VERSION, Event
from kafka_nextgen.history.finding import FILE_GONE, Found, Identity, found_in, identity_of, note_failure
from kafka_nextgen.history.lines import NotAnEvent, Refusal, decode_event

__all__ = [
    "GZIP",
    "LATER_VERSION",
    "LONGEST_LINE",
    "TOO_LONG",
    "TORN_GZIP",
    "Problems",
    "bounded_lines",
    "is_too_long",
    "read_log",
]

#: The problem of an event that a later release wrote; it is kept.
LATER_VERSION = "later version"
#: The problem of a file whose compression ends in the middle, or is broken.
TORN_GZIP = "torn gzip"
#: With this compressed files begin.
GZIP = b"\x1f\x8b"
#: So often directories are looked through again for files that were rotated meanwhile.
_MORE_LOOKS = 3
#: Longer lines (bytes) are no events: a member with 100,000 partitions has one of 600 KB.
LONGEST_LINE = 16 << 20
#: What is said of them.
TOO_LONG = "longer than 16 MiB"


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


def read_log(paths: Iterable[Path], problems: Problems) -> Iterator[Event]:
    """The events of all these logs, file by file.

    What can't be read in a directory is a problem, and the rest is read. Writers may rotate their files meanwhile: if a
    file is not where it was found, directories are looked through again for where it is now.

    Raises OSError for a path that is missing or can't be opened, and for a device.
    """
    asked = list(paths)
    reading = _Reading(problems)
    yield from reading.events(list(found_in(asked, problems.note)))
    for _ in range(_MORE_LOOKS):
        if reading.missed:
            yield from reading.events(list(found_in([path for path in asked if path.is_dir()], _untold)))
    for found in reading.missed:
        problems.note(FILE_GONE, found.path.name)


def _untold(problem: str, where: str) -> None:
    """It was told at the first look."""


@define
class _Reading:
    """Files that were read, by what they are, and those that were not where they had been found."""

    problems: Problems
    done: set[Identity] = Factory(set)
    missed: list[Found] = Factory(list)

    def events(self, files: Iterable[Found]) -> Iterator[Event]:
        """The events of those that were not read before."""
        for found in files:
            if found.identity not in self.done:
                yield from self._events(found)
        self.missed = [found for found in self.missed if found.identity not in self.done]

    def _events(self, found: Found) -> Iterator[Event]:
        try:
            with _opened(found.path) as (lines, identity):
                if identity is not None:
                    self.done.add(identity)
                if not found.is_asked and found.identity != identity:
                    self.missed.append(found)
                yield from _events(found.path, lines, self.problems)
        except OSError as error:
            if found.is_asked:
                raise
            if isinstance(error, FileNotFoundError):
                self.missed.append(found)
            else:
                note_failure(found.path, error, self.problems.note)
                self.done.update(filter(None, [found.identity]))


@contextmanager
def _opened(file: Path) -> Iterator[tuple[gzip.GzipFile | BufferedReader, Identity | None]]:
    """A pipe can't be opened twice, so its first bytes are looked at and not taken."""
    if file.is_char_device() and not file.samefile(os.devnull):
        raise OSError(f"{file} is a device, which may never end; a log is a file, a pipe or a directory")
    with file.open("rb") as opened:
        identity = identity_of(os.fstat(opened.fileno()))
        if opened.peek(len(GZIP))[: len(GZIP)] == GZIP:
            with gzip.GzipFile(fileobj=opened) as unpacked:
                yield unpacked, identity
        else:
            yield opened, identity


def _events(file: Path, lines: gzip.GzipFile | BufferedReader, problems: Problems) -> Iterator[Event]:
    for number, line in enumerate(_lines(file, lines, problems), 1):
        where = f"{file.name}:{number}"
        if not line.strip():
            continue
        found = NotAnEvent(Refusal.FOREIGN, TOO_LONG) if is_too_long(line) else decode_event(line)
        if isinstance(found, NotAnEvent):
            problems.note(found.refusal.value, f"{where}: {found.text}")
            continue
        if found.v > VERSION:
            problems.note(LATER_VERSION, f"{where}: version {found.v}")
        yield found


def _lines(file: Path, lines: gzip.GzipFile | BufferedReader, problems: Problems) -> Iterator[bytes]:
    """Lines, up to where the file ends or its compression is broken."""
    try:
        yield from bounded_lines(lines)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        problems.note(TORN_GZIP, f"{file.name}: {error}")


def bounded_lines(lines: gzip.GzipFile | BufferedIOBase) -> Iterator[bytes]:
    """Lines with their ends; of one that is longer than ``LONGEST_LINE`` a bit more than that, and none of the rest."""
    while line := lines.readline(LONGEST_LINE + 1):
        yield line
        is_cut = is_too_long(line)
        while is_cut and line and not line.endswith(b"\n"):
            line = lines.readline(LONGEST_LINE)


def is_too_long(line: bytes) -> bool:
    """Whether it can be no event."""
    return len(line) - line.endswith(b"\n") > LONGEST_LINE
