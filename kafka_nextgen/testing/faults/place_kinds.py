"""The kinds of places that an answer can have for an error code; ``faults/places.py`` says which answer has which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum, auto

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import frozen

__all__ = ["Items", "Lone", "Names", "Place", "Places", "Top"]


class Names(Enum):
    """The topics, groups or partitions that an element of a request names."""

    TOPIC = auto()
    PARTITION = auto()
    OTHER = auto()


@frozen
class Top:
    """The error code of the whole answer. ``fields`` are others that differ from the schema's defaults.

    ``null`` are fields that are null in the versions that allow it.
    """

    fields: Mapping[str, object] = {}
    null: tuple[str, ...] = ()


@frozen
class Lone:
    """One element in an array of the answer, for an answer without its own error code."""

    answered: str
    fields: Mapping[str, object] = {}


@frozen
class Items:
    """An error code for each element of an array: ``asked`` in the request, ``answered`` in the answer.

    Fields with the same name are copied, and fields in ``renamed`` under another name; an element that is a plain value
    becomes the field ``value_field``. ``below`` is the array of each element that has the codes instead.
    """

    asked: str
    answered: str
    names: Names = Names.OTHER
    below: Items | None = None
    value_field: str = ""
    renamed: Mapping[str, str] = {}
    error_field: str = "error_code"
    fields: Mapping[str, object] = {}
    also_asked: str = ""  # a second array of the request whose elements are answered in the same array


Place = Top | Lone | Items


@frozen
class Places:
    """The places of one API; the first one that a version has is used for a purpose.

    ``whole`` is for errors of the request, ``each`` for errors of its parts. ``usual`` is the place of all codes except
    ``others``.
    """

    whole: tuple[Place, ...] = ()
    each: tuple[Items, ...] = ()
    others: frozenset[ErrorCode] = frozenset()
    usually_each: bool = False

    @property
    def levels(self) -> frozenset[Names]:
        """The topics, groups and partitions that the requests of this API name."""
        return frozenset(level.names for items in self.each for level in _levels(items))


def _levels(items: Items) -> Iterator[Items]:
    yield items
    if items.below is not None:
        yield from _levels(items.below)
