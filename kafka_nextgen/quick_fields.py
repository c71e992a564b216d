"""Records whose fields are read without a call, where the extension in C is used.

Each field of a named tuple is found by a call, which is a good part of what a loop over records does. The extension has
a base for records whose fields lie at fixed places, as in a class with ``__slots__``. Upon that the same class is made
once more: what is typed, and what there is without the extension, stays a ``NamedTuple``.
"""

from __future__ import annotations

from typing import TypeVar

from kafka_nextgen.compiled import ACCELERATED, accelerator

__all__ = ["with_quick_fields"]

T = TypeVar("T")

#: What the base does itself: making one.
_OF_THE_BASE = ("__new__", "_make")


def with_quick_fields(record: type[T]) -> type[T]:
    """Decorate the one class of named tuples that has the fields of ``RecordFields`` and their defaults."""
    if not ACCELERATED:
        return record
    fields: tuple[str, ...] = record._fields  # type: ignore[attr-defined]  # as all named tuples have
    contents = {name: what for name, what in vars(record).items() if name not in (*fields, *_OF_THE_BASE)}
    return type(record.__name__, (accelerator.RecordFields,), contents)
