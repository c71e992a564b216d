"""Avro's types, which ``parsing`` creates from a schema. Names are full names; a schema without recursion is a tree."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import field

from kafka_nextgen.lazy_attrs import frozen

__all__ = [
    "NO_DEFAULT",
    "Array",
    "Enum",
    "Extent",
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


class _NoDefault:
    """The default of a field that has none; None means the default null."""

    def __reduce__(self) -> str:
        return "NO_DEFAULT"  # by name, so that it is the same object in the process that unpickles it


NO_DEFAULT = _NoDefault()


@frozen
class Logical:
    """A logical type; only decimals have ``precision`` and ``scale``."""

    name: str
    precision: int = 0
    scale: int = 0


@frozen
class Extent:
    """The size of a type's columns: their number, their levels, and the characters of all symbols of enums."""

    columns: int = 1
    levels: int = 1
    characters: int = 0

    @classmethod
    def around(cls, types: Iterable[Type], levels: int = 1, others: int = 0) -> Extent:
        """Return the extent of columns of these types inside ``levels`` columns, with ``others`` more columns."""
        inside = [kind.extent for kind in types]
        deepest = max((each.levels for each in inside), default=0)
        characters = sum(each.characters for each in inside)
        return cls(levels + others + sum(each.columns for each in inside), levels + deepest, characters)


_LEAF = Extent()


@frozen
class Primitive:
    """null, boolean, int, long, float, double, bytes or string."""

    kind: str
    logical: Logical | None = None

    @property
    def extent(self) -> Extent:
        """One column."""
        return _LEAF


@frozen
class Fixed:
    """A fixed number of bytes."""

    name: str
    aliases: frozenset[str]
    size: int
    logical: Logical | None = None
    kind: str = "fixed"

    @property
    def extent(self) -> Extent:
        """One column."""
        return _LEAF


@frozen
class Enum:
    """One of several symbols; a reader replaces unknown symbols with ``default``."""

    name: str
    aliases: frozenset[str]
    symbols: tuple[str, ...]
    default: str | None = None
    kind: str = "enum"
    extent: Extent = field(init=False, eq=False, repr=False)

    @extent.default
    def _extent(self) -> Extent:
        return Extent(characters=sum(map(len, self.symbols)))


@frozen
class Field:
    """A field of a record."""

    name: str
    type: Type
    aliases: frozenset[str] = frozenset()
    default: object = NO_DEFAULT
    #: Whether the default is a value of the type. None until ``uniting`` needs it, because checking it is slow.
    has_default: bool | None = field(default=None, init=False, eq=False, repr=False)


@frozen
class Record:
    """A record, with its fields in order."""

    name: str
    aliases: frozenset[str]
    fields: tuple[Field, ...]
    kind: str = "record"
    extent: Extent = field(init=False, eq=False, repr=False)
    #: The numbers of the fields by name.
    numbers: dict[str, int] = field(init=False, eq=False, repr=False)
    #: The names of the fields by alias.
    names: dict[str, str] = field(init=False, eq=False, repr=False)

    @extent.default
    def _extent(self) -> Extent:
        return Extent.around(field.type for field in self.fields)

    @numbers.default
    def _numbers(self) -> dict[str, int]:
        return {field.name: number for number, field in enumerate(self.fields)}

    @names.default
    def _names(self) -> dict[str, str]:
        return {alias: field.name for field in self.fields for alias in field.aliases}


@frozen
class Array:
    """Any number of items."""

    items: Type
    kind: str = "array"
    extent: Extent = field(init=False, eq=False, repr=False)

    @extent.default
    def _extent(self) -> Extent:
        return Extent.around([self.items])


@frozen
class Map:
    """Any number of values, with strings as keys."""

    values: Type
    kind: str = "map"
    extent: Extent = field(init=False, eq=False, repr=False)

    @extent.default
    def _extent(self) -> Extent:
        """A list of structs of a key and a value."""
        return Extent.around([self.values], levels=2, others=1)


@frozen
class Union:
    """One of several branches."""

    branches: tuple[Type, ...]
    kind: str = "union"
    #: The branches other than null.
    others: tuple[Type, ...] = field(init=False, eq=False, repr=False)
    extent: Extent = field(init=False, eq=False, repr=False)

    @others.default
    def _others(self) -> tuple[Type, ...]:
        return tuple(branch for branch in self.branches if branch.kind != "null")

    @extent.default
    def _extent(self) -> Extent:
        """The only branch that is not null, or a struct of such branches."""
        if len(self.others) <= 1:
            return (*self.others, *self.branches)[0].extent
        return Extent.around(self.others)

    @property
    def has_null(self) -> bool:
        """Whether null is one of the branches."""
        return len(self.others) < len(self.branches)


def is_long(kind: Fixed) -> bool:
    """Whether values are stored in a column of byte strings, where a null takes no bytes."""
    return kind.logical is None and kind.size > _MOST_WIDTH


Named = Fixed | Enum | Record
Type = Primitive | Fixed | Enum | Record | Array | Map | Union
