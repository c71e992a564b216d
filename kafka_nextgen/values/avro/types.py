"""Avro's types, as ``parsing`` makes them of a schema. Names are full names; a schema without recursion is a tree."""

from __future__ import annotations

from attrs import field, frozen

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
    "is_long",
]

#: Of a column of fixed, in which each null takes as much as a value.
_MOST_WIDTH = 256
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
    #: The branches without null.
    others: tuple[Type, ...] = field(init=False, eq=False, repr=False)

    @others.default
    def _others(self) -> tuple[Type, ...]:
        return tuple(branch for branch in self.branches if branch.kind != "null")

    @property
    def has_null(self) -> bool:
        """Whether null is one of them."""
        return len(self.others) < len(self.branches)


def is_long(kind: Fixed) -> bool:
    """Whether its bytes are a column of byte strings, in which a null takes none."""
    return kind.logical is None and kind.size > _MOST_WIDTH


Named = Fixed | Enum | Record
Type = Primitive | Fixed | Enum | Record | Array | Map | Union
