"""Named tuples with type parameters for Python 3.10, whose own named tuples have none at run time.

``class Pair(NamedTuple, Generic[T])`` makes a named tuple that can be subscribed. Type checkers, and Python from 3.11
on, use ``typing.NamedTuple``.
"""

from __future__ import annotations

from collections import namedtuple
from types import GenericAlias
from typing import Any

__all__ = ["NamedTuple"]


class _Maker(type):
    """The metaclass whose classes are named tuples."""

    def __new__(cls, name: str, bases: tuple[type, ...], contents: dict[str, Any]) -> type:
        fields = tuple(contents.get("__annotations__", ()))
        defaults = [contents.pop(field) for field in fields if field in contents]
        made = namedtuple(name, fields, defaults=defaults, module=contents["__module__"])  # type: ignore[misc]
        for key, value in {**contents, "__class_getitem__": classmethod(GenericAlias)}.items():
            setattr(made, key, value)
        return made


class _NamedTuple:
    """A placeholder for a class of that metaclass in a list of bases."""

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[type, ...]:
        return (type.__new__(_Maker, "NamedTuple", (), {}),)


NamedTuple = _NamedTuple()
