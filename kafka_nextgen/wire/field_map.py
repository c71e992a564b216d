"""Converts our objects to message structures and back. One table of fields serves both directions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, Generic, TypeVar

from attrs import fields_dict

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.wire.schema import Structure

__all__ = ["Conversion", "FieldMap", "attributes_of", "converted", "optional_number", "read_only"]

T = TypeVar("T")
S = TypeVar("S", bound=Structure)

_NO_NUMBER = -1


@frozen
class Conversion:
    """How to write an attribute to the fields of a structure, and how to read it back. Arrays are tuples."""

    to_fields: Callable[[Any], dict[str, Any]]
    read: Callable[[Any], Any]


def converted(field: str, to_field: Callable[[Any], Any], read: Callable[[Any], Any]) -> Conversion:
    """Convert the value of one field."""
    return Conversion(lambda value: {field: to_field(value)}, lambda structure: read(getattr(structure, field)))


def optional_number(field: str) -> Conversion:
    """A non-negative number, or None, which is written as -1."""
    return converted(
        field,
        lambda value: _NO_NUMBER if value is None else value,
        lambda number: None if number < 0 else number,
    )


def read_only(read: Callable[[Any], Any]) -> Conversion:
    """A field that is only read. Writing it takes more context, so the caller does that."""
    return Conversion(lambda _: {}, read)


def attributes_of(kind: type) -> tuple[str, ...]:
    """The attributes of an attrs class or a named tuple."""
    return getattr(kind, "_fields", None) or tuple(fields_dict(kind))


def _getter(names: Sequence[str]) -> Callable[[object], tuple[Any, ...]]:
    """Get these attributes of an object."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple([getattr(value, name) for name in names])


class FieldMap(Generic[T, S]):
    """Converts objects of ``kind`` to structures and back.

    Args:
        kind: An attrs class or a named tuple.
        structure: The structure that has a field for each attribute, by the attribute's name.
        fields: The exceptions, by attribute: another field name, a ``Conversion``, or None if there is no field.
    """

    def __init__(self, kind: type[T], structure: type[S], **fields: str | Conversion | None) -> None:
        self.kind = kind
        self.structure = structure
        self._given = fields
        maps = {**{name: name for name in attributes_of(kind)}, **fields}
        assert len(maps) == len(attributes_of(kind)), f"{kind.__name__} lacks some of the attributes {sorted(fields)}"
        same = {name: field for name, field in maps.items() if isinstance(field, str)}
        missing = set(same.values()) - {field.name for field in structure.FIELDS}
        assert not missing, f"{structure.__qualname__} lacks fields {sorted(missing)}"
        self._names, self._fields = tuple(same), tuple(same.values())
        self._values_of, self._values_in = _getter(self._names), _getter(self._fields)
        self._conversions = [(name, each) for name, each in maps.items() if isinstance(each, Conversion)]

    def extended(self, **fields: str | Conversion | None) -> FieldMap[T, S]:
        """This map with more exceptions."""
        return FieldMap(self.kind, self.structure, **{**self._given, **fields})

    def to_fields(self, value: T) -> dict[str, Any]:
        """The fields of the structure, by name."""
        fields = dict(zip(self._fields, self._values_of(value), strict=True))
        for name, conversion in self._conversions:
            fields |= conversion.to_fields(getattr(value, name))
        return fields

    def to_structure(self, value: T) -> S:
        """Write an object."""
        return self.structure.of(self.to_fields(value))

    def attributes_in(self, structure: S) -> dict[str, Any]:
        """The attributes of the object, by name."""
        attributes = dict(zip(self._names, self._values_in(structure), strict=True))
        for name, conversion in self._conversions:
            attributes[name] = conversion.read(structure)
        return attributes

    def from_structure(self, structure: S) -> T:
        """Read an object."""
        return self.kind(**self.attributes_in(structure))

    @property
    def inline(self) -> Conversion:
        """A conversion for an object inside another one, with one structure for the fields of both."""
        return Conversion(self.to_fields, self.from_structure)

    def array(self, field: str) -> Conversion:
        """A conversion for objects inside another one, written as an array of structures."""
        return converted(
            field,
            lambda values: tuple(map(self.to_structure, values)),
            lambda structures: tuple(map(self.from_structure, structures)),
        )
