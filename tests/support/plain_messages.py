"""Messages as dictionaries, for tests that compare or print whole ones."""

from __future__ import annotations

from typing import Any

from kafka_nextgen.wire.schema import Structure


def as_dict(structure: Structure) -> dict[str, Any]:
    """All fields, structures as dictionaries and arrays as lists; those the version lacks have their defaults."""
    return {field.name: _plain(getattr(structure, field.name)) for field in structure.FIELDS}


def _plain(value: Any) -> Any:
    if isinstance(value, Structure):
        return as_dict(value)
    return [_plain(each) for each in value] if isinstance(value, tuple) else value
