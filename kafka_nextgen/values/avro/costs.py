"""The cost of an instruction: roughly how many more bytes it adds to columns than it reads from the value.

Nulls, structs and defaults have a cost. It is counted only in the items of arrays and maps, which can repeat it.
Everything else runs once for each value, so the schemas limit it. Within a default, nothing is counted, because the
default is counted as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kafka_nextgen.values.columns import Column, null_bytes

__all__ = ["Costs"]


class Costs:
    """The cost of instructions at the compiler's current position."""

    def __init__(self) -> None:
        self._is_counting = self._is_default = False
        self._null_bytes: dict[int, int] = {}  # by the id of a column

    @property
    def is_counting(self) -> bool:
        """Whether the instructions compiled now have a cost: they are inside items."""
        return self._is_counting

    @contextmanager
    def items(self) -> Iterator[None]:
        """Compile the items of an array or map."""
        before, self._is_counting = self._is_counting, not self._is_default
        try:
            yield
        finally:
            self._is_counting = before

    @contextmanager
    def default(self) -> Iterator[None]:
        """Compile a default. Defaults are not nested."""
        before, self._is_counting, self._is_default = self._is_counting, False, True
        try:
            yield
        finally:
            self._is_counting, self._is_default = before, False

    def of(self, count: int) -> int:
        """The cost of this many bytes."""
        return count if self._is_counting else 0

    def of_null(self, tree: Column) -> int:
        """The cost of a null in this column and all columns below it."""
        if not self._is_counting:
            return 0
        if id(tree) not in self._null_bytes:
            self._null_bytes[id(tree)] = null_bytes(tree)
        return self._null_bytes[id(tree)]
