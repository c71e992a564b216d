"""What a process that fuzzes shares with the one that watches it: the count of inputs and the last one, in memory.

It is written before each input is tried, so that it tells which one it was even if the process dies of it.
"""

from __future__ import annotations

import mmap
from pathlib import Path
from struct import Struct

_HEAD = Struct(">QI")  # inputs begun, bytes of the last one
_MOST_BYTES = 1 << 20


class Slate:
    """The file, opened from either side."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            path.write_bytes(bytes(_HEAD.size + _MOST_BYTES))
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), 0)
        self._count = 0

    def begin(self, data: bytes) -> None:
        """Write down the input that is tried now."""
        self._count += 1
        _HEAD.pack_into(self._memory, 0, self._count, len(data))
        self._memory[_HEAD.size : _HEAD.size + len(data)] = data

    @property
    def count(self) -> int:
        """How many inputs were begun."""
        return int(_HEAD.unpack_from(self._memory)[0])

    @property
    def last(self) -> bytes:
        """The input that was begun last."""
        size = int(_HEAD.unpack_from(self._memory)[1])
        return bytes(self._memory[_HEAD.size : _HEAD.size + size])

    def close(self) -> None:
        self._memory.close()
