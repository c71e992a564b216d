"""The columns for values of a message (``docs/guides/values.md`` has the table)."""

from __future__ import annotations

from kafka_nextgen.errors import ProtobufSchemaError
from kafka_nextgen.values.columns import MOST_COLUMNS, MOST_DEPTH, Column, Kind
from kafka_nextgen.values.protobuf.shapes import Arity, Closing, Field, Scalar, Shape

__all__ = ["is_flat", "layout_of"]


def is_flat(shape: Shape, flat: bool) -> bool:
    """Whether each field of a value is a column, rather than the whole value being one column."""
    return flat and not isinstance(shape, Scalar) and shape.closing is Closing.STRUCT


def layout_of(shape: Shape, name: str, flat: bool) -> Column:
    """Return a struct of the columns: the fields of a message if ``flat``, otherwise one column of this name.

    All of them are nullable, since a value can be null or bad.
    """
    if is_flat(shape, flat):
        assert not isinstance(shape, Scalar)
        columns = tuple(_field(field, True) for field in shape.fields)
    else:
        columns = (_column(shape, name, True),)
    root = Column("", Kind.STRUCTS, "+s", children=columns)
    if _depth(root) > MOST_DEPTH or sum(1 for _ in root) > MOST_COLUMNS:
        raise ProtobufSchemaError(
            f"the message has more than {MOST_COLUMNS} columns, or columns nested deeper than {MOST_DEPTH}"
        )
    return root


def _depth(column: Column) -> int:
    return 1 + max(map(_depth, column.children), default=0)


def _column(shape: Shape, name: str, nullable: bool) -> Column:
    if isinstance(shape, Scalar):
        return Column(name, shape.kind, shape.format, shape.width, nullable, symbols=shape.symbols)
    if shape.closing is Closing.NOTHING:
        return _column(shape.fields[0].type, name, nullable)
    if shape.closing is Closing.BIT:
        return Column(name, Kind.BITS, "b", 0, nullable)
    return Column(name, Kind.STRUCTS, "+s", 0, nullable, tuple(_field(field) for field in shape.fields))


def _field(field: Field, nullable: bool = False) -> Column:
    if field.arity is Arity.SINGULAR:
        return _column(field.type, field.name, nullable or field.has_presence)
    form, item = ("+l", "item") if field.arity is Arity.REPEATED else ("+m", "entries")
    return Column(field.name, Kind.LISTS, form, 0, nullable, (_column(field.type, item, False),))
