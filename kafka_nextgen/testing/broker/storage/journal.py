"""A file of lines, each a CRC-32C and a JSON value; written line by line.

An incomplete line at the end was never acknowledged and is truncated. A bad line followed by good lines means that the
file is damaged: it is refused, since the following lines may depend on the bad one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from crc32c import crc32c

from kafka_nextgen.errors import StorageError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.testing.broker.storage.files import doing, replace, write_at

__all__ = ["Journal"]

_log = logger_of(__name__)


class Journal:
    """The file at ``path``. Call ``read`` or ``rewrite`` before ``append``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._size = 0

    def read(self) -> list[object]:
        """Read all values. Raises ``StorageError`` if the file can't be read or is damaged before its end."""
        with doing("read", self.path):
            data = self.path.read_bytes()
        values: list[object] = []
        lines = data.splitlines(keepends=True)
        for number, line in enumerate(lines, start=1):
            value = _value(line)
            if value is None:
                self._check_is_torn(number, lines[number:])
                break
            values.append(value)
            self._size += len(line)
        if self._size < len(data):
            _log.warning("%s: truncating %d bytes of an incomplete line", self.path, len(data) - self._size)
            with doing("truncate", self.path):
                os.truncate(self.path, self._size)
        return values

    def append(self, value: object, *, sync: bool = True) -> None:
        """Append a value, and flush it to the disk if ``sync``."""
        line = _line(value)
        write_at(self.path, line, self._size, sync=sync)
        self._size += len(line)

    def rewrite(self, values: Iterable[object]) -> None:
        """Replace all values atomically."""
        data = b"".join(_line(value) for value in values)
        replace(self.path, data)
        self._size = len(data)

    def _check_is_torn(self, number: int, rest: Sequence[bytes]) -> None:
        if number == 1:  # the first line can't be torn: it was written atomically with the file
            raise StorageError(f"{self.path} is not a journal: its first line is invalid; give another directory")
        if any(_value(line) is not None for line in rest):
            line = f"line {number} of {number + len(rest)}"
            raise StorageError(
                f"{self.path} is damaged in {line}: restore the directory from a backup, or start with an empty one"
            )


def _line(value: object) -> bytes:
    text = json.dumps(value, separators=(",", ":"), sort_keys=True).encode()
    return b"%08x %s\n" % (crc32c(text), text)


def _value(line: bytes) -> object | None:
    checksum, _, text = line.rstrip(b"\n").partition(b" ")
    if not line.endswith(b"\n") or checksum != b"%08x" % crc32c(text):
        return None
    value: object = json.loads(text)
    return value
