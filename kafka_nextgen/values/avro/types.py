"""Avro's types, as ``parsing`` makes them of a schema. Names are full names; a schema without recursion is a tree."""

from __future__ import annotations

from attrs import frozen

__all__ = [
    "NO_DEFAULT",
    "Array",
    "Enum",
    "Field",
    "Fixed",
    "Logical",
    "Map",
    "Named",
    "Primitive",
    "Record",
    "Type",
    "Union",
]

#: Of a field without a default; None is the default null.
NO_DEFAULT = object()


@frozen
class Logical:
    """What a type stands for; ``precision`` and ``scale`` are of decimals."""

    name: str
    precision: int = 0
    scale: int = 0


@frozen
class Primitive:
    """null, boolean, int, long, float, double, bytes or string."""

    kind: str
    logical: Logical | None = None


@frozen
class Fixed:
    """So many bytes."""

    name: str
    aliases: frozenset[str]
    size: int
    logical: Logical | None = None
    kind: str = "fixed"


@frozen
class Enum:
    """One of some symbols; ``default`` is what a reader takes those for that it does not know."""

    name: str
    aliases: frozenset[str]
    symbols: tuple[str, ...]
    default: str | None = None
    kind: str = "enum"


@frozen
class Field:
    """A field of a record."""

    name: str
    type: Type
    aliases: frozenset[str] = frozenset()
    default: object = NO_DEFAULT


@frozen
class Record:
    """Fields in their order."""

    name: str
    aliases: frozenset[str]
    fields: tuple[Field, ...]
    kind: str = "record"


@frozen
class Array:
    """Any number of items."""

    items: Type
    kind: str = "array"


@frozen
class Map:
    """Any number of values, by strings."""

    values: Type
    kind: str = "map"


@frozen
class Union:
    """One of some branches."""

    branches: tuple[Type, ...]
    kind: str = "union"

    @property
    def others(self) -> tuple[Type, ...]:
        """The branches without null."""
        return tuple(branch for branch in self.branches if branch.kind != "null")

    @property
    def has_null(self) -> bool:
        """Whether null is one of them."""
        return len(self.others) < len(self.branches)


Named = Fixed | Enum | Record
Type = Primitive | Fixed | Enum | Record | Array | Map | Union
