"""Formats, which decode keys or values into typed columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from kafka_nextgen.lazy_attrs import frozen

if TYPE_CHECKING:
    from kafka_nextgen.values.framing import Framing

__all__ = ["BadValue", "Buffers", "ColumnDecoder", "ValueFormat"]

#: Byte strings as a column stores them: data, bounds, and validity or None.
Buffers = tuple["bytes | memoryview", "memoryview[int]", "bytes | memoryview | None"]


@frozen
class BadValue:
    """A row whose value could not be decoded, and why."""

    row: int
    reason: str


class ColumnDecoder(ABC):
    """Decodes values into columns of one layout."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""

    @abstractmethod
    def decode(self, values: Buffers, start: int, stop: int) -> tuple[Any, list[BadValue]]:
        """Decode these rows; return an object with ``__arrow_c_array__``, and the bad rows in order.

        Rows that are null or bad are null in each column.
        """


class ValueFormat(ABC):
    """A format of keys or values, such as Avro."""

    #: Where values have the id of their schema; None if they have none, or if the decoder finds it itself.
    framing: Framing | None = None

    @abstractmethod
    def decoder(self, name: str, flat: bool) -> ColumnDecoder:
        """Return a decoder: with ``flat``, one column for each field of a record; otherwise, and for other types, one
        column of this name."""
