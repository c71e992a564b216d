"""What turns keys or values into typed columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from attrs import frozen

__all__ = ["BadValue", "Buffers", "ColumnDecoder", "ValueFormat"]

#: Byte strings as columns have them: data, bounds, and validity or None.
Buffers = tuple["bytes | memoryview", "memoryview[int]", "bytes | memoryview | None"]


@frozen
class BadValue:
    """A row whose value is none of the format, and why."""

    row: int
    reason: str


class ColumnDecoder(ABC):
    """Makes columns of values in one layout."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""

    @abstractmethod
    def decode(self, values: Buffers, start: int, stop: int) -> tuple[Any, list[BadValue]]:
        """The columns of these rows, which have ``__arrow_c_array__``, and the bad rows, in order.

        Rows that are null or bad are null in each column.
        """


class ValueFormat(ABC):
    """A format of keys or values, such as Avro."""

    @abstractmethod
    def decoder(self, name: str, flat: bool) -> ColumnDecoder:
        """What makes a column for each field of a record if ``flat``; else, or of all else, one of this name."""
