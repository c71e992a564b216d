"""Byte strings in Arrow's layout: all their bytes in one buffer, and where each begins.

Entry i lies in ``data`` from ``bounds[i]`` to ``bounds[i + 1]``. Null entries have no bytes and a 0 in ``validity``, a
bitmap whose lowest bit comes first; without nulls there is none. (Arrow, "Variable-size Binary Layout")
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from attrs import define

from kafka_nextgen.compiled import ACCELERATED, accelerator

__all__ = ["BinaryColumn"]


@define(eq=False)
class BinaryColumn:
    """A column of byte strings, some of which may be null. ``bounds`` are int32, one more than there are entries."""

    data: bytes | memoryview
    bounds: memoryview[int]
    validity: bytes | memoryview | None = None

    @classmethod
    def of(cls, entries: Sequence[bytes | None]) -> BinaryColumn:
        """The column of these entries, which are less than 2 GiB together."""
        present = [entry or b"" for entry in entries]
        bounds = array("i", accumulate(map(len, present), initial=0))
        validity = _bitmap(entry is not None for entry in entries) if None in entries else None
        return cls(b"".join(present), memoryview(bounds), validity)

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def __getitem__(self, index: int) -> bytes | None:
        if self.validity is not None and not self.validity[index >> 3] >> (index & 7) & 1:
            return None
        return bytes(self.data[self.bounds[index] : self.bounds[index + 1]])

    def __iter__(self) -> Iterator[bytes | None]:
        return iter(self.to_list(0, len(self)))

    def to_list(self, start: int, stop: int) -> list[bytes | None]:
        """The entries from ``start`` up to before ``stop`` as objects."""
        if ACCELERATED:
            return accelerator.to_list(self.data, self.bounds, self.validity, start, stop)
        return self._to_list(start, stop)

    def _to_list(self, start: int, stop: int) -> list[bytes | None]:
        if self.validity is not None:
            if not any(self.validity[start >> 3 : (stop + 7) >> 3]):
                return [None] * (stop - start)
            return [self[index] for index in range(start, stop)]
        data = bytes(self.data)  # the same object, if it is bytes already
        return [data[begin:end] for begin, end in pairwise(self.bounds[start : stop + 1].tolist())]

    def first(self, count: int) -> BinaryColumn:
        """The first ``count`` entries; nothing is copied."""
        return BinaryColumn(self.data, self.bounds[: count + 1], self.validity)

    @property
    def buffers(self) -> tuple[bytes | memoryview, memoryview[int], bytes | memoryview | None]:
        """Its bytes, bounds and validity."""
        return self.data, self.bounds, self.validity

    @property
    def nbytes(self) -> int:
        """What the column takes, in bytes."""
        return len(self.data) + self.bounds.nbytes + len(self.validity or b"")


def _bitmap(bits: Iterable[bool]) -> bytes:
    text = "".join("1" if bit else "0" for bit in bits)
    return int(text[::-1], 2).to_bytes((len(text) + 7) // 8, "little")
