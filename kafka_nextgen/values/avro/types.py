"""Avro's types, which ``parsing`` creates from a schema. Names are full names; a schema without recursion is a tree."""

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

#: The maximum size of a fixed type in a column of numbers, where a null takes as much memory as a value.
_MOST_WIDTH = 256
#: The default of a field that has none; None is the default null.
NO_DEFAULT = object()


@frozen
class Logical:
    """The logical type; ``precision`` and ``scale`` are those of decimals."""

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
    """A fixed number of bytes."""

    name: str
    aliases: frozenset[str]
    size: int
    logical: Logical | None = None
    kind: str = "fixed"


@frozen
class Enum:
    """One of several symbols; a reader replaces unknown ones by ``default``."""

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
    """A record, with its fields in order."""

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
    """Any number of values, with strings as keys."""

    values: Type
    kind: str = "map"


@frozen
class Union:
    """One of several branches."""

    branches: tuple[Type, ...]
    kind: str = "union"
    #: The branches other than null.
    others: tuple[Type, ...] = field(init=False, eq=False, repr=False)

    @others.default
    def _others(self) -> tuple[Type, ...]:
        return tuple(branch for branch in self.branches if branch.kind != "null")

    @property
    def has_null(self) -> bool:
        """Whether null is one of the branches."""
        return len(self.others) < len(self.branches)


def is_long(kind: Fixed) -> bool:
    """Whether values are stored in a column of byte strings, where a null takes no bytes."""
    return kind.logical is None and kind.size > _MOST_WIDTH


Named = Fixed | Enum | Record
Type = Primitive | Fixed | Enum | Record | Array | Map | Union
