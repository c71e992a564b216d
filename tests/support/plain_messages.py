"""Messages of plain values, and plain values of messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kafka_nextgen.wire.schema import Structure


def message_of(kind: Any, /, **fields: Any) -> Any:
    """A message, or a structure in one, whose structures are given as dictionaries and whose arrays as lists."""
    kinds = {field.name: field.element or field.kind for field in kind.FIELDS}
    return kind(**{name: _structured(kinds.get(name), value) for name, value in fields.items()})


def _structured(kind: Any, value: Any) -> Any:
    if isinstance(value, list):
        return [_structured(kind, each) for each in value]
    return message_of(kind, **value) if isinstance(value, Mapping) else value


def as_dict(structure: Structure) -> dict[str, Any]:
    """All fields, structures as dictionaries and arrays as lists; those the version lacks have their defaults."""
    return {field.name: _plain(getattr(structure, field.name)) for field in structure.FIELDS}


def _plain(value: Any) -> Any:
    if isinstance(value, Structure):
        return as_dict(value)
    return [_plain(each) for each in value] if isinstance(value, tuple) else value
