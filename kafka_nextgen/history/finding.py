"""The files of logs: in directories those whose names look like it, each once."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

from attrs import frozen

__all__ = ["FILE_GONE", "NOT_READ", "Found", "Identity", "Note", "found_in", "identity_of", "note_failure"]

#: The problem of a file that was there when its directory was listed.
FILE_GONE = "file gone"
#: The problem of a file or directory that can't be read, and of what is named like a log and is no file.
NOT_READ = "file not read"
_NAMES = (".jsonl", ".json", ".log", ".ndjson")

#: Takes a problem, and where it was.
Note: TypeAlias = Callable[[str, str], None]
#: What a file is, whatever it is called: its device and number.
Identity: TypeAlias = tuple[int, int]


@frozen
class Found:
    """A file, and what it was when it was found in a directory, unless it was asked for by its name."""

    path: Path
    identity: Identity | None = None
    is_asked: bool = False


def found_in(paths: Iterable[Path], note: Note) -> Iterator[Found]:
    """The files in these files and directories, each once. Links to directories are not followed."""
    seen: set[Path | Identity] = set()
    for path in paths:
        for found in _in_directory(path, note) if path.is_dir() else [Found(path, is_asked=True)]:
            of = (found.identity, found.path.resolve())
            if seen.isdisjoint(of):
                yield found
            seen.update(each for each in of if each is not None)


def _in_directory(directory: Path, note: Note) -> Iterator[Found]:
    def not_listed(error: OSError) -> None:
        note(NOT_READ, f"{error.filename}: {error.strerror}")

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
            note_failure(file, error, note)
            continue
        if stat.S_ISREG(status.st_mode):
            yield Found(file, identity_of(status))
        else:
            note(NOT_READ, f"{file.name}: it is no file")


def identity_of(status: os.stat_result) -> Identity | None:
    """What a file is; None on a file system that does not number its files."""
    return (status.st_dev, status.st_ino) if status.st_ino else None


def note_failure(file: Path, error: OSError, note: Note) -> None:
    """Tell that a file of a directory can't be read."""
    note(FILE_GONE if isinstance(error, FileNotFoundError) else NOT_READ, f"{file.name}: {error.strerror or error}")


def _looks_like_log(file: Path) -> bool:
    return not file.name.startswith((".", "_")) and any(suffix in _NAMES for suffix in file.suffixes)
