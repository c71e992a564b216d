"""Rules for names in both Arrow schemas and JSON Schemas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from kafka_nextgen.errors import JsonSchemaError

__all__ = ["check_names", "check_text"]


def check_text(text: str, place: str) -> None:
    """Raise JsonSchemaError unless a name or symbol is UTF-8 without NUL characters, which terminate names in Arrow."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise JsonSchemaError(f"{place}: {text!r} contains an unpaired surrogate") from None
    if "\0" in text:
        raise JsonSchemaError(f"{place}: {text!r} contains a NUL character")


def check_names(names: Iterable[str], place: str) -> None:
    """Raise JsonSchemaError if two fields have the same name."""
    for name, count in Counter(names).items():
        check_text(name, place)
        if count > 1:
            raise JsonSchemaError(f"{place}: {count} fields have the name {name!r}")
