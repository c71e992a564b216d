"""Converts a JSON Schema to nodes, using only the parts that define the types of values.

Keywords that only restrict values, such as ``minimum`` or ``pattern``, are ignored: this is not a validator. Schemas
that leave the type open are refused, and so are those that no column can represent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urljoin

from kafka_nextgen.errors import JsonSchemaError
from kafka_nextgen.values.columns import MOST_COLUMNS, MOST_DEPTH
from kafka_nextgen.values.json.checks import check_text
from kafka_nextgen.values.json.leaves import Leaves
from kafka_nextgen.values.json.program import Node

__all__ = ["node_of"]

_COMBINED = ("oneOf", "anyOf", "allOf")
_ENCODINGS = {"base64": False, "base16": True}


def node_of(schema: object, leaves: Leaves, references: Sequence[tuple[str, str]] = ()) -> Node:
    """Return the node for values of a JSON Schema, given as text or as the result of ``json.loads``.

    ``references`` are the names and texts of the other schemas that it references.
    """
    documents = {name: _loaded(text, f"{name}#: ") for name, text in references}
    documents[""] = root = _loaded(schema, "")
    return _Reader(documents, leaves).node(root, "#", "", False, ())


def _loaded(schema: object, place: str) -> object:
    if not isinstance(schema, str | bytes | bytearray):
        return schema
    try:
        return json.loads(schema)
    except (ValueError, RecursionError) as error:
        raise JsonSchemaError(f"{place}the schema is not JSON: {error}") from None


class _Reader:
    """Reads a schema. A place consists of the name of a document, empty for the schema itself, and a JSON pointer."""

    def __init__(self, documents: Mapping[str, object], leaves: Leaves) -> None:
        self._leaves = leaves
        self._documents = {_base(document): document for document in documents.values()} | dict(documents)
        self._count = 0

    def node(
        self, schema: object, place: str, name: str, nullable: bool, refs: tuple[str, ...], depth: int = 1
    ) -> Node:
        """Return the node of the schema at this place; ``refs`` are the references that led there."""
        self._count += 1
        if self._count > MOST_COLUMNS or depth > MOST_DEPTH or len(refs) > MOST_COLUMNS:
            raise JsonSchemaError(f"{place}: more than {MOST_COLUMNS} columns, or nested deeper than {MOST_DEPTH}")
        if not isinstance(schema, Mapping):
            raise JsonSchemaError(f"{place}: {_short(schema)} does not specify the type of values")
        if "$ref" in schema:
            reference = self._place_of(schema["$ref"], place)
            if reference in refs:
                raise JsonSchemaError(f"{place}: {reference} contains itself, but no column can")
            target = self._referred(reference, place)
            return self.node(target, reference, name, nullable, (*refs, reference), depth)
        for word in _COMBINED:
            if word in schema:
                return self._combined(schema[word], word, f"{place}/{word}", name, nullable, refs, depth)
        if "enum" in schema or "const" in schema:
            return self._enum(schema, place, name, nullable)
        return self._typed(schema, place, name, nullable, refs, depth)

    def _place_of(self, reference: object, place: str) -> str:
        """Return the place of a reference: in the same document, or in another one by its name or its ``$id``."""
        within = place.partition("#")[0]
        if isinstance(reference, str):
            given, _, pointer = reference.partition("#")
            base = _base(self._documents[within]) or within
            for name in (given, _joined(base, given)) if given else (within,):
                if name in self._documents:
                    return f"{name}#{pointer}"
        raise JsonSchemaError(
            f"{place}/$ref: {_short(reference)} is neither in this schema nor among its references in the registry"
        )

    def _referred(self, reference: str, place: str) -> object:
        name, _, pointer = reference.partition("#")
        found: Any = self._documents[name]
        for step in pointer.split("/")[1:]:
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            try:
                found = found[int(key)] if isinstance(found, list) else found[key]
            except (KeyError, IndexError, TypeError, ValueError):
                raise JsonSchemaError(f"{place}/$ref: {reference} does not exist") from None
        return found

    def _combined(
        self, branches: object, word: str, place: str, name: str, nullable: bool, refs: tuple[str, ...], depth: int
    ) -> Node:
        if not isinstance(branches, list):
            raise JsonSchemaError(f"{place}: {_short(branches)} is not a list of schemas")
        others = [(number, branch) for number, branch in enumerate(branches) if not _is_null(branch)]
        has_null = len(others) < len(branches)
        if word == "allOf" and has_null:
            raise JsonSchemaError(f"{place}: no value can be null and of another type")
        if len(others) != 1:
            raise JsonSchemaError(f"{place}: a column needs exactly one schema besides null, not {len(others)}")
        number, branch = others[0]
        return self.node(branch, f"{place}/{number}", name, nullable or has_null, refs, depth)

    def _enum(self, schema: Mapping[str, Any], place: str, name: str, nullable: bool) -> Node:
        listed = schema.get("enum", [schema.get("const")])
        if not isinstance(listed, list):
            raise JsonSchemaError(f"{place}/enum: {_short(listed)} is not a list")
        symbols = tuple(dict.fromkeys(symbol for symbol in listed if isinstance(symbol, str)))
        if not symbols or any(symbol is not None and not isinstance(symbol, str) for symbol in listed):
            raise JsonSchemaError(f"{place}: an enum can only be a column if its values are strings or null")
        for symbol in symbols:
            check_text(symbol, place)
        return self._leaves.enum(name, nullable or None in listed, symbols)

    def _typed(
        self, schema: Mapping[str, Any], place: str, name: str, nullable: bool, refs: tuple[str, ...], depth: int
    ) -> Node:
        said = schema.get("type")
        kinds = said if isinstance(said, list) else [said]
        others = [kind for kind in kinds if kind != "null"]
        nullable = nullable or len(others) < len(kinds)
        if kinds and not others:
            return self._leaves.null(name)
        if len(others) != 1:
            raise JsonSchemaError(f"{place}/type: a column can have one type besides null, not {_short(said)}")
        if others[0] == "object":
            return self._object(schema, place, name, nullable, refs, depth)
        if others[0] == "array":
            return self._array(schema, place, name, nullable, refs, depth)
        return self._single(others[0], schema, place, name, nullable)

    def _single(self, kind: object, schema: Mapping[str, Any], place: str, name: str, nullable: bool) -> Node:
        if kind == "string":
            return self._string(schema, place, name, nullable)
        if kind == "number":
            return self._leaves.floating(name, nullable)
        if kind == "integer":
            return self._leaves.integer(name, nullable)
        if kind == "boolean":
            return self._leaves.boolean(name, nullable)
        if kind is None:
            raise JsonSchemaError(f"{place}: the schema does not specify the type of values")
        raise JsonSchemaError(f"{place}/type: {_short(kind)} is not a type of JSON Schema")

    def _string(self, schema: Mapping[str, Any], place: str, name: str, nullable: bool) -> Node:
        encoding = schema.get("contentEncoding")
        if encoding is not None:
            if not isinstance(encoding, str) or encoding not in _ENCODINGS:
                raise JsonSchemaError(
                    f"{place}/contentEncoding: {_short(encoding)} is not supported: use base64 or base16"
                )
            return self._leaves.binary(name, nullable, _ENCODINGS[encoding])
        makers: dict[object, Callable[[str, bool], Node]] = {
            "date-time": self._leaves.timestamp,
            "date": self._leaves.date,
            "time": self._leaves.time,
            "duration": self._leaves.duration,
            "uuid": self._leaves.uuid,
        }
        form = schema.get("format")
        make = makers.get(form, self._leaves.string) if isinstance(form, str) else self._leaves.string
        return make(name, nullable)

    def _array(
        self, schema: Mapping[str, Any], place: str, name: str, nullable: bool, refs: tuple[str, ...], depth: int
    ) -> Node:
        if "prefixItems" in schema or isinstance(schema.get("items"), list):
            raise JsonSchemaError(f"{place}: tuples are not supported: all items of a list have the same type")
        if "items" not in schema:
            raise JsonSchemaError(f"{place}: the schema does not specify the type of items")
        item = self.node(schema["items"], f"{place}/items", "item", False, refs, depth + 1)
        return self._leaves.list(name, nullable, item)

    def _object(
        self, schema: Mapping[str, Any], place: str, name: str, nullable: bool, refs: tuple[str, ...], depth: int
    ) -> Node:
        properties = schema.get("properties")
        more = schema.get("additionalProperties")
        if not properties and isinstance(more, Mapping) and "patternProperties" not in schema:
            value = self.node(more, f"{place}/additionalProperties", "value", False, refs, depth + 2)
            return self._leaves.map(name, nullable, value)
        if not isinstance(properties, Mapping):
            raise JsonSchemaError(f"{place}: an object needs properties, or additionalProperties of one type")
        required = schema.get("required")
        required = required if isinstance(required, list | tuple) else ()
        children = []
        for field, each in properties.items():
            check_text(field, f"{place}/properties")
            where = f"{place}/properties/{field.replace('~', '~0').replace('/', '~1')}"
            children.append(self.node(each, where, field, field not in required, refs, depth + 1))
        return self._leaves.struct(name, nullable, tuple(children))


def _base(document: object) -> str:
    """Return the ``$id`` of a document, by which others refer to it."""
    given = document.get("$id") if isinstance(document, Mapping) else None
    return given.partition("#")[0] if isinstance(given, str) else ""


def _joined(base: str, given: str) -> str:
    try:
        return urljoin(base, given)
    except ValueError:  # a writer can use any text as ``$id``
        return given


def _is_null(schema: object) -> bool:
    return isinstance(schema, Mapping) and schema.get("type") == "null"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
