"""Records whose fields are read without a Python call, where the C extension is available.

A named tuple calls a descriptor for each field, which slows down loops over records. The extension's base class has
fields at fixed offsets, as with ``__slots__``. ``with_fast_fields`` rebuilds the class on that base at run time; type
checkers, and installations without the extension, use the ``NamedTuple``.
"""

from __future__ import annotations

from types import GenericAlias
from typing import TypeVar

from kafka_nextgen.compiled import ACCELERATED, accelerator

__all__ = ["with_fast_fields"]

T = TypeVar("T")

#: The constructors come from the base class.
_OF_THE_BASE = ("__new__", "_make")


def with_fast_fields(record: type[T]) -> type[T]:
    """Class decorator for the named tuple with the fields and defaults of ``RecordFields``."""
    if not ACCELERATED:
        return record
    fields: tuple[str, ...] = record._fields  # type: ignore[attr-defined]  # as all named tuples have
    contents = {name: what for name, what in vars(record).items() if name not in (*fields, *_OF_THE_BASE)}
    contents["__class_getitem__"] = classmethod(GenericAlias)
    return type(record.__name__, (accelerator.RecordFields,), contents)
