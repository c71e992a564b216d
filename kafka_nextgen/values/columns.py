"""Typed columns in Arrow's layout, which decoders fill value by value: the layout, and a builder in Python.

A layout is a tree of ``Column``s; its root is a struct with an entry for each row. Decoders see the tree flattened,
parents first: ``flattened`` returns the tuples that a ``ColumnBuilder`` takes, either the C extension's
(``accelerator/column_builder.h``) or the equivalent one here. Both export their columns through ``__arrow_c_array__``,
and ``cut_rows`` removes what a bad row has already added.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from enum import IntEnum

from attrs import field

from kafka_nextgen.lazy_attrs import frozen

__all__ = [
    "MOST_COLUMNS",
    "MOST_DEPTH",
    "Column",
    "Flat",
    "Kind",
    "PythonColumnBuilder",
    "children_of",
    "flattened",
    "null_bytes",
]

#: The same numbers as in the C extension.
MOST_COLUMNS = 16_384
MOST_DEPTH = 64
MOST_ENTRIES = 2**31 - 1 - 64


class Kind(IntEnum):
    """The memory layout of a column."""

    NULLS = 0
    BITS = 1
    NUMBERS = 2
    STRINGS = 3
    LISTS = 4
    STRUCTS = 5


@frozen
class Column:
    """A column and its children. ``format`` is Arrow's format string, ``width`` the size of a number in bytes."""

    name: str
    kind: Kind
    format: str
    width: int = 0
    nullable: bool = False
    children: tuple[Column, ...] = ()
    symbols: tuple[str, ...] | None = None
    metadata: bytes | None = None
    #: The number of columns: this one and all its descendants.
    size: int = field(init=False, eq=False, repr=False)

    @size.default
    def _size(self) -> int:
        return 1 + sum(child.size for child in self.children)

    def __iter__(self) -> Iterator[Column]:
        """Yield this column and all its descendants, parents first."""
        yield self
        for child in self.children:
            yield from child


def null_bytes(column: Column) -> int:
    """The approximate size of a null in a column and all columns below it, in bytes."""
    own = {Kind.NUMBERS: column.width, Kind.STRINGS: 4, Kind.LISTS: 4}.get(column.kind, 0) + 1
    return own + (sum(map(null_bytes, column.children)) if column.kind == Kind.STRUCTS else 0)


#: kind, width, format, name, nullable, index after the last descendant, symbols, metadata
Flat = tuple[int, int, str, str, bool, int, "tuple[str, ...] | None", "bytes | None"]


def flattened(root: Column) -> tuple[Flat, ...]:
    """The columns of a layout in the form that a builder takes."""
    flat: list[Flat] = []
    _flatten(root, flat)
    return tuple(flat)


def _flatten(column: Column, flat: list[Flat]) -> None:
    index = len(flat)
    flat.append(_flat(column, 0))
    for child in column.children:
        _flatten(child, flat)
    flat[index] = _flat(column, len(flat))


def _flat(column: Column, end: int) -> Flat:
    name = column.name
    return (column.kind, column.width, column.format, name, column.nullable, end, column.symbols, column.metadata)


def children_of(layout: Sequence[Flat], index: int) -> Iterator[int]:
    """The indexes of a column's children."""
    child = index + 1
    while child < layout[index][5]:
        yield child
        child = layout[child][5]


class _Filled:
    """One column of a builder; ``data`` holds one byte per bit until the column is exported."""

    def __init__(self, flat: Flat) -> None:
        self.kind, self.width, _, _, self.nullable, self.end, _, _ = flat
        self.length = 0
        self.nulls: set[int] = set()
        self.data = bytearray()
        self.bounds = array("i", (0,))

    def cut(self, length: int) -> None:
        """Keep only the first ``length`` entries."""
        self.nulls = {index for index in self.nulls if index < length}
        self.length = length
        if self.kind in (Kind.STRINGS, Kind.LISTS):
            del self.bounds[length + 1 :]
        if self.kind == Kind.STRINGS:
            del self.data[self.bounds[length] :]
        elif self.kind in (Kind.BITS, Kind.NUMBERS):
            del self.data[length * max(self.width, 1) :]


class PythonColumnBuilder:
    """The Python version of the builder in ``accelerator/column_builder.h``."""

    def __init__(self, layout: tuple[Flat, ...]) -> None:
        self.layout = layout
        self.columns = [_Filled(flat) for flat in layout]

    def __len__(self) -> int:
        return self.columns[0].length

    @property
    def nbytes(self) -> int:
        """The approximate size of all columns, in bytes."""
        return sum(len(column.data) + len(column.bounds) * column.bounds.itemsize for column in self.columns)

    def append_number(self, index: int, number: bytes) -> None:
        """Append a number as its bytes, or a bit as one byte."""
        column = self.columns[index]
        column.data += number
        column.length += 1

    def append_string(self, index: int, data: bytes) -> None:
        """Append a string."""
        column = self.columns[index]
        column.data += data
        if len(column.data) > MOST_ENTRIES:
            raise OverflowError("a column exceeds 2**31 entries or bytes")
        column.bounds.append(len(column.data))
        column.length += 1

    def append_struct(self, index: int) -> None:
        """Append a struct; its children are appended separately."""
        self.columns[index].length += 1

    def append_list(self, index: int) -> None:
        """Append a list that ends at the current end of its child."""
        column = self.columns[index]
        column.bounds.append(self.columns[index + 1].length)
        column.length += 1

    def append_null(self, index: int) -> None:
        """Append a null, or the empty value in a column without nulls."""
        column = self.columns[index]
        if column.nullable:
            column.nulls.add(column.length)
        if column.kind in (Kind.STRINGS, Kind.LISTS):
            column.bounds.append(column.bounds[-1])
        elif column.kind in (Kind.BITS, Kind.NUMBERS):
            column.data += bytes(max(column.width, 1))
        column.length += 1
        if column.kind == Kind.STRUCTS:
            for child in self.children(index):
                self.append_null(child)

    def children(self, index: int) -> Iterator[int]:
        """The indexes of a column's children."""
        return children_of(self.layout, index)

    def cut_rows(self, rows: int) -> None:
        """Remove everything that was appended after the first ``rows`` rows."""
        targets = {0: rows}
        for index, column in enumerate(self.columns):
            length = targets[index]
            below = column.bounds[length] if column.kind == Kind.LISTS else length
            targets.update(dict.fromkeys(self.children(index), below))
            column.cut(length)

    def __arrow_c_schema__(self) -> object:
        from kafka_nextgen.values.python_export import type_of

        return type_of(self.layout, 0).__arrow_c_schema__()

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        from kafka_nextgen.values.python_export import array_of

        filled, self.columns = self.columns, [_Filled(flat) for flat in self.layout]
        both: tuple[object, object] = array_of(self.layout, filled, 0).__arrow_c_array__()
        return both
