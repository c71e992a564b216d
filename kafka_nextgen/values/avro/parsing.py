"""Parses a schema, given as JSON or as the result of ``json.loads``, to types.

Recursive schemas are refused, because no Arrow type can contain itself. So are schemas with too many columns, which
repeated nesting of the same types can cause. A logical type that does not fit its type is ignored (Avro 1.12, "Logical
Types"), like an unknown one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from kafka_nextgen.errors import AvroSchemaError
from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.values.avro.faults import shown
from kafka_nextgen.values.avro.types import (
    NO_DEFAULT,
    Array,
    Enum,
    Field,
    Fixed,
    Logical,
    Map,
    Primitive,
    Record,
    Type,
    Union,
)
from kafka_nextgen.values.columns import MOST_COLUMNS, MOST_DEPTH

__all__ = ["parse"]

PRIMITIVES = ("null", "boolean", "int", "long", "float", "double", "bytes", "string")
_NAME = lazy_pattern(r"[A-Za-z_]\w*", re.ASCII)
_FULL_NAME = lazy_pattern(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)
_MOST_FIXED = 1 << 20
_MOST_DIGITS = 76
_MOST_BRANCHES = 1000  # each one is compared with each branch of another schema

#: The logical types that each underlying type can have, except decimal.
_LOGICAL = {
    "int": ("date", "time-millis"),
    "long": (
        "time-micros",
        *(f"{local}timestamp-{unit}" for local in ("", "local-") for unit in ("millis", "micros", "nanos")),
    ),
    "string": ("uuid",),
}
#: The same for fixed types, by their size.
_LOGICAL_FIXED = {16: ("uuid",), 12: ("duration",)}


def parse(schema: object, references: Iterable[object] = ()) -> Type:
    """Return the type that a schema describes; ``references``, in this order, define the types that it references.

    Raises AvroSchemaError for a schema that is invalid, recursive or too large.
    """
    parser = _Parser()
    for each in references:
        parser.type_of(_loaded(each), "", 0)
    return parser.type_of(_loaded(schema), "", 0)


def _loaded(schema: object) -> Any:
    try:
        if isinstance(schema, bytes | bytearray):
            schema = schema.decode()
        if isinstance(schema, str) and schema not in PRIMITIVES:
            schema = json.loads(schema)
    except (ValueError, RecursionError) as error:
        raise AvroSchemaError(f"the schema is not JSON: {error}") from None
    return schema


class _Parser:
    """Parses one schema. ``_named`` has the named types found so far; unfinished ones are None."""

    def __init__(self) -> None:
        self._named: dict[str, Type | None] = {}
        self._size: dict[str, int] = {}
        self._height: dict[str, int] = {}  # the levels below a named type, which count at each use
        self._count = 0
        self._deepest = 0

    def type_of(self, schema: Any, namespace: str, depth: int) -> Type:
        self._count += 1
        self._reach(depth)
        if self._count > MOST_COLUMNS:
            raise AvroSchemaError(f"the schema has more than {MOST_COLUMNS} parts")
        if isinstance(schema, str):
            return self._referred(schema, namespace, depth)
        if isinstance(schema, list | tuple):
            return self._union(schema, namespace, depth)
        if not isinstance(schema, Mapping) or "type" not in schema:
            raise AvroSchemaError(f"{shown(schema)} is not a schema")
        kind = schema["type"]
        if not isinstance(kind, str):
            return self.type_of(kind, namespace, depth + 1)
        make = self._makers().get(kind)
        return self._simple(schema, kind, namespace, depth) if make is None else make(schema, namespace, depth)

    def _makers(self) -> dict[str, Callable[[Mapping[str, Any], str, int], Type]]:
        return {
            "record": self._record,
            "error": self._record,
            "enum": self._enum,
            "fixed": self._fixed,
            "array": lambda schema, space, depth: Array(self.type_of(_need(schema, "items"), space, depth + 1)),
            "map": lambda schema, space, depth: Map(self.type_of(_need(schema, "values"), space, depth + 1)),
        }

    def _reach(self, depth: int) -> None:
        if depth > MOST_DEPTH - 4:
            raise AvroSchemaError(f"the schema is nested deeper than {MOST_DEPTH - 4} levels")
        self._deepest = max(self._deepest, depth)

    def _simple(self, schema: Mapping[str, Any], kind: str, namespace: str, depth: int) -> Type:
        if kind not in PRIMITIVES:
            return self._referred(kind, namespace, depth)
        return Primitive(kind, _logical(schema, kind, None))

    def _referred(self, name: str, namespace: str, depth: int) -> Type:
        if name in PRIMITIVES:
            return Primitive(name)
        for full in (_full_name(name, namespace), name):
            if full in self._named:
                known = self._named[full]
                if known is None:
                    raise AvroSchemaError(f"{full} contains itself: a recursive schema can't be converted to columns")
                self._count += self._size[full]
                self._reach(depth + self._height[full])
                return known
        raise AvroSchemaError(f"unknown type {shown(name)}")

    def _begin(self, schema: Mapping[str, Any], namespace: str) -> tuple[str, str, frozenset[str]]:
        """Return the full name, the namespace for nested names, and the aliases of a named type; reserve its name."""
        name = _need(schema, "name")
        space = schema.get("namespace", namespace)
        if not isinstance(name, str) or not isinstance(space, str | None):
            raise AvroSchemaError(f"{shown(name)} is not a valid name")
        full = _full_name(name, space or "")
        if not _FULL_NAME.fullmatch(full):
            raise AvroSchemaError(f"{shown(full)} is not a valid name")
        if full in self._named or full in PRIMITIVES:
            raise AvroSchemaError(f"{full} is defined twice")
        self._named[full] = None
        inside = full.rpartition(".")[0]
        aliases = frozenset(_full_name(alias, inside) for alias in _texts(schema, "aliases"))
        return full, inside, aliases

    def _end(self, name: str, kind: Type, before: int, height: int = 0) -> Type:
        self._named[name] = kind
        self._size[name] = self._count - before
        self._height[name] = height
        return kind

    def _record(self, schema: Mapping[str, Any], namespace: str, depth: int) -> Type:
        before = self._count
        name, inside, aliases = self._begin(schema, namespace)
        fields = _need(schema, "fields")
        if not isinstance(fields, list | tuple):
            raise AvroSchemaError(f"the fields of {name} are not a list")
        outside, self._deepest = self._deepest, depth
        made = tuple(self._field(field, name, inside, depth) for field in fields)
        height, self._deepest = self._deepest - depth, max(outside, self._deepest)
        if len({field.name for field in made}) < len(made):
            raise AvroSchemaError(f"{name} has two fields with the same name")
        return self._end(name, Record(name, aliases, made), before, height)

    def _field(self, field: Any, record: str, namespace: str, depth: int) -> Field:
        if not isinstance(field, Mapping) or not isinstance(field.get("name"), str):
            raise AvroSchemaError(f"{record} has a field without a name: {shown(field)}")
        if not _NAME.fullmatch(field["name"]):
            raise AvroSchemaError(f"{record} has a field whose name is not valid: {shown(field['name'])}")
        kind = self.type_of(_need(field, "type"), namespace, depth + 1)
        return Field(field["name"], kind, frozenset(_texts(field, "aliases")), field.get("default", NO_DEFAULT))

    def _enum(self, schema: Mapping[str, Any], namespace: str, depth: int) -> Type:
        name, _, aliases = self._begin(schema, namespace)
        symbols = tuple(_texts(schema, "symbols"))
        default = schema.get("default")
        if not symbols or not all(map(_is_text, symbols)):
            raise AvroSchemaError(f"{name} has no symbols, or a symbol that is empty or not UTF-8: {shown(symbols)}")
        if len(set(symbols)) < len(symbols) or (default is not None and default not in symbols):
            raise AvroSchemaError(f"{name} has the same symbol twice, or a default that is not one of its symbols")
        return self._end(name, Enum(name, aliases, symbols, default), self._count - 1)

    def _fixed(self, schema: Mapping[str, Any], namespace: str, depth: int) -> Type:
        name, _, aliases = self._begin(schema, namespace)
        size = _need(schema, "size")
        if not _is_int(size) or not 1 <= size <= _MOST_FIXED:
            raise AvroSchemaError(f"the size of {name} is not between 1 and {_MOST_FIXED}: {shown(size)}")
        return self._end(name, Fixed(name, aliases, size, _logical(schema, "fixed", size)), self._count - 1)

    def _union(self, schema: list[Any] | tuple[Any, ...], namespace: str, depth: int) -> Type:
        if len(schema) > _MOST_BRANCHES:
            raise AvroSchemaError(f"a union has more than {_MOST_BRANCHES} branches")
        branches = tuple(self.type_of(branch, namespace, depth + 1) for branch in schema)
        kinds = [getattr(branch, "name", branch.kind) for branch in branches]
        if not branches or "union" in kinds or len(set(kinds)) < len(kinds):
            raise AvroSchemaError(f"a union is empty, contains a union, or has the same type twice: {', '.join(kinds)}")
        return Union(branches)


def _logical(schema: Mapping[str, Any], kind: str, size: int | None) -> Logical | None:
    name = schema.get("logicalType")
    if name == "decimal":
        return _decimal(schema, kind, size)
    possible = _LOGICAL.get(kind, ()) if size is None else _LOGICAL_FIXED.get(size, ())
    return Logical(name) if name in possible else None


def _decimal(schema: Mapping[str, Any], kind: str, size: int | None) -> Logical | None:
    precision: Any = schema.get("precision")
    scale: Any = schema.get("scale", 0)
    if kind not in ("bytes", "fixed") or not _is_int(precision) or not _is_int(scale):
        return None
    if not 1 <= precision <= _MOST_DIGITS or not 0 <= scale <= precision:
        return None
    if size is not None and 10**precision - 1 > 2 ** (8 * size - 1) - 1:
        return None  # this many digits do not fit
    return Logical("decimal", precision, scale)


def _is_text(symbol: str) -> bool:
    with suppress(UnicodeEncodeError):  # a lone surrogate
        return bool(symbol.encode())
    return False


def _is_int(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def _full_name(name: str, namespace: str) -> str:
    return name if "." in name or not namespace else f"{namespace}.{name}"


def _need(schema: Mapping[str, Any], key: str) -> Any:
    if key not in schema:
        raise AvroSchemaError(f"there is no {key!r} in {shown(schema)}")
    return schema[key]


def _texts(schema: Mapping[str, Any], key: str) -> list[str]:
    texts = schema.get(key, [])
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        raise AvroSchemaError(f"{key} is not a list of names: {shown(texts)}")
    return list(texts)
