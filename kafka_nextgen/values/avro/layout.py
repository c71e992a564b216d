"""The columns for values of a type (``docs/guides/values.md`` has the table)."""

from __future__ import annotations

import struct
from collections import Counter

from kafka_nextgen.errors import AvroSchemaError
from kafka_nextgen.values.avro.types import Array, Enum, Fixed, Map, Primitive, Record, Type, Union, is_long
from kafka_nextgen.values.columns import MOST_COLUMNS, MOST_DEPTH, Column, Kind

__all__ = ["branch_names", "check_extent", "layout_of", "record_of"]

_PRIMITIVES = {
    "null": (Kind.NULLS, "n", 0),
    "boolean": (Kind.BITS, "b", 0),
    "int": (Kind.NUMBERS, "i", 4),
    "long": (Kind.NUMBERS, "l", 8),
    "float": (Kind.NUMBERS, "f", 4),
    "double": (Kind.NUMBERS, "g", 8),
    "bytes": (Kind.STRINGS, "z", 0),
    "string": (Kind.STRINGS, "u", 0),
}
_LOGICAL = {
    "date": ("tdD", 4),
    "time-millis": ("ttm", 4),
    "time-micros": ("ttu", 8),
    "timestamp-millis": ("tsm:UTC", 8),
    "timestamp-micros": ("tsu:UTC", 8),
    "timestamp-nanos": ("tsn:UTC", 8),
    "local-timestamp-millis": ("tsm:", 8),
    "local-timestamp-micros": ("tsu:", 8),
    "local-timestamp-nanos": ("tsn:", 8),
    "uuid": ("w:16", 16),
    "duration": ("tin", 16),
}
#: The maximum number of characters in the symbols of all columns; each column has its own copy.
_MOST_SYMBOLS = 1 << 24


def _metadata(pairs: dict[str, str]) -> bytes:
    """Encode the metadata of a schema for Arrow's C data interface."""
    texts = [text.encode() for pair in pairs.items() for text in pair]
    return struct.pack("=i", len(pairs)) + b"".join(struct.pack("=i", len(text)) + text for text in texts)


_UUID = _metadata({"ARROW:extension:name": "arrow.uuid", "ARROW:extension:metadata": ""})


def record_of(kind: Type) -> Record | None:
    """Return the record whose fields are the columns for this type; None if a value is a single column."""
    if isinstance(kind, Union) and len(kind.others) == 1:
        return record_of(kind.others[0])
    return kind if isinstance(kind, Record) else None


def layout_of(kind: Type, name: str, flat: bool) -> Column:
    """Return a struct of the columns: the fields of a record if ``flat``, otherwise one column of this name.

    All of them are nullable, since a value can be null or bad.
    """
    record = record_of(kind) if flat else None
    check_extent(kind, flat)
    if record is None:
        columns: tuple[Column, ...] = (_column(kind, name, True),)
    else:
        columns = tuple(_column(field.type, field.name, True) for field in record.fields)
    return Column("", Kind.STRUCTS, "+s", children=columns)


def check_extent(kind: Type, flat: bool) -> None:
    """Raise AvroSchemaError if there are too many columns or symbols, or if columns are nested too deeply."""
    extent = kind.extent
    # 1 for the struct of all columns, unless the record is that struct
    root = 0 if flat and record_of(kind) is not None else 1
    if extent.levels >= MOST_DEPTH or extent.columns + root >= MOST_COLUMNS:
        raise AvroSchemaError(
            f"the schema has {MOST_COLUMNS} columns or more, or columns nested deeper than {MOST_DEPTH}"
        )
    if extent.characters > _MOST_SYMBOLS:
        raise AvroSchemaError(f"the symbols of all enums have more than {_MOST_SYMBOLS} characters in total")


def _column(kind: Type, name: str, nullable: bool = False) -> Column:
    if isinstance(kind, Union):
        return _union(kind, name, nullable)
    if isinstance(kind, Record):
        fields = tuple(_column(field.type, field.name) for field in kind.fields)
        return Column(name, Kind.STRUCTS, "+s", 0, nullable, fields)
    if isinstance(kind, Array):
        return Column(name, Kind.LISTS, "+l", 0, nullable, (_column(kind.items, "item"),))
    if isinstance(kind, Map):
        pair = (Column("key", Kind.STRINGS, "u"), _column(kind.values, "value"))
        return Column(name, Kind.LISTS, "+m", 0, nullable, (Column("entries", Kind.STRUCTS, "+s", 0, False, pair),))
    if isinstance(kind, Enum):
        return Column(name, Kind.NUMBERS, "i", 4, nullable, symbols=kind.symbols)
    return _leaf(kind, name, nullable)


def _leaf(kind: Primitive | Fixed, name: str, nullable: bool) -> Column:
    logical = kind.logical
    if isinstance(kind, Fixed) and is_long(kind):
        return Column(name, Kind.STRINGS, "z", 0, nullable)
    if logical is None and isinstance(kind, Fixed):
        return Column(name, Kind.NUMBERS, f"w:{kind.size}", kind.size, nullable)
    if logical is None:
        memory, form, width = _PRIMITIVES[kind.kind]
        return Column(name, memory, form, width, nullable or kind.kind == "null")
    if logical.name == "decimal":
        width = 16 if logical.precision <= 38 else 32
        form = f"d:{logical.precision},{logical.scale}" + ("" if width == 16 else ",256")
        return Column(name, Kind.NUMBERS, form, width, nullable)
    form, width = _LOGICAL[logical.name]
    return Column(name, Kind.NUMBERS, form, width, nullable, metadata=_UUID if logical.name == "uuid" else None)


def _union(kind: Union, name: str, nullable: bool) -> Column:
    """Return a nullable column for the only branch other than null, or a struct with a column for each of them."""
    nullable = nullable or kind.has_null
    if not kind.others:
        return _column(kind.branches[0], name, nullable)
    if len(kind.others) == 1:
        return _column(kind.others[0], name, nullable)
    fields = zip(kind.others, branch_names(kind), strict=True)
    return Column(
        name, Kind.STRUCTS, "+s", 0, nullable, tuple(_column(branch, field, True) for branch, field in fields)
    )


def branch_names(kind: Union) -> tuple[str, ...]:
    """Return the names of the branches other than null, without namespaces unless that would be ambiguous."""
    full = [getattr(branch, "name", branch.kind) for branch in kind.others]
    counts = Counter(name.rpartition(".")[2] for name in full)
    return tuple(name if counts[name.rpartition(".")[2]] > 1 else name.rpartition(".")[2] for name in full)
