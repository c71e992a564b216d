"""The union of two JSON schemas: columns for the values of both.

An object has the fields of both, those of the known schema first. A field is nullable if one schema lacks it, or if it
is nullable in either. Integers and numbers become numbers, enums have the strings of both, and an enum and a string
become a string. All other types must be equal.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.errors import JsonSchemaError
from kafka_nextgen.values.json.program import Node, Op

__all__ = ["united"]

_NAMES = {Op.FLOAT: "number", Op.STRUCT: "object", Op.LIST: "array", Op.MAP: "object with arbitrary names"}


def united(known: Node, new: Node) -> Node:
    """Return the node for values of both, with the name of ``known``. Raises JsonSchemaError if there is none."""
    new = evolve(new, name=known.name)
    if known == new:
        return known
    nullable = known.nullable or new.nullable
    ops = {known.op, new.op}
    if Op.NULL in ops:
        return evolve(new if known.op == Op.NULL else known, nullable=True)
    if ops == {Op.INTEGER, Op.FLOAT}:
        return evolve(known if known.op == Op.FLOAT else new, nullable=nullable)
    if ops == {Op.ENUM, Op.STRING}:
        return evolve(known if known.op == Op.STRING else new, nullable=nullable)
    if len(ops) == 1 and known.op == Op.ENUM:
        symbols = tuple(dict.fromkeys((*(known.symbols or ()), *(new.symbols or ()))))
        return evolve(known, nullable=nullable, symbols=symbols)
    if len(ops) == 1 and known.op == Op.STRUCT:
        return evolve(known, nullable=nullable, children=_fields(known, new))
    if len(ops) == 1 and known.op in (Op.LIST, Op.MAP, Op.ENTRY):
        pairs = zip(known.children, new.children, strict=True)
        return evolve(known, nullable=nullable, children=tuple(_child(*pair) for pair in pairs))
    if evolve(known, nullable=nullable) != evolve(new, nullable=nullable):
        raise JsonSchemaError(f"{_name(new)} and {_name(known)} have no type in common")
    return evolve(known, nullable=nullable)


def _fields(known: Node, new: Node) -> tuple[Node, ...]:
    news = {child.name: child for child in new.children}
    fields = []
    for child in known.children:
        other = news.pop(child.name, None)
        fields.append(evolve(child, nullable=True) if other is None else _child(child, other))
    return (*fields, *(evolve(child, nullable=True) for child in news.values()))


def _child(known: Node, new: Node) -> Node:
    try:
        return united(known, new)
    except JsonSchemaError as error:
        raise JsonSchemaError(f"{known.name}: {error}") from None


def _name(node: Node) -> str:
    return _NAMES.get(node.op, node.op.name.lower())
