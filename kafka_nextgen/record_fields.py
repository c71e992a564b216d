"""Records whose fields are read without a Python call, where the C extension is available.

A named tuple finds each field by a descriptor call, which costs much of a loop over records. The extension's base class
has fields at fixed offsets, as with ``__slots__``. The class is rebuilt on that base at run time; type checkers, and
installations without the extension, see a ``NamedTuple``.
"""

from __future__ import annotations

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
    return type(record.__name__, (accelerator.RecordFields,), contents)
