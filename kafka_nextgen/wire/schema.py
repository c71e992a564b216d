"""Schemas of messages as frozen classes, with an annotated field for each of Kafka's.

    class HeartbeatResponse(Message, api_key=12, versions="0-4", flexible="4+"):
        throttle_time_ms: int = field("int32", "1+")
        error_code: int = field("int16", "0+")

Messages have Kafka's names; their fields have Kafka's names in snake_case. A structure inside a message is a class
inside its class. Versions are written as in Kafka's schemas: ``0+``, ``2-4``, ``3``. A field outside a message's
version keeps its default. Values are frozen: ``replaced`` makes a changed copy. Arrays are tuples; a list is converted
to one.

``kafka_nextgen.wire.frames`` reads and writes messages according to these classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar, Union

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: object) -> Any:
        return lambda cls: cls


__all__ = ["Field", "Kind", "Message", "Structure", "Versions", "field", "set_fields"]

#: The name of a simple type, the class of a structure, or a list of one of them for an array.
Kind = Union[str, "type[Structure]", Sequence[str], "Sequence[type[Structure]]"]

S = TypeVar("S", bound="Structure")

#: The defaults of fields, by type.
_DEFAULTS: dict[str, object] = {
    "bool": False,
    "int8": 0,
    "int16": 0,
    "uint16": 0,
    "int32": 0,
    "int64": 0,
    "float64": 0.0,
    "string": "",
    "bytes": b"",
    "records": b"",
}
_MISSING: Any = object()


class Versions(NamedTuple):
    """A range of versions, including the highest."""

    lowest: int
    highest: int

    def has(self, version: int) -> bool:
        """Whether the range includes ``version``."""
        return self.lowest <= version <= self.highest

    @classmethod
    @lru_cache
    def parse(cls, text: str) -> Versions:
        """Read ``0+``, ``2-4``, ``3``, or ``none``."""
        if text == "none":
            return cls(0, -1)
        lowest, _, highest = text.removesuffix("+").partition("-")
        return cls(int(lowest), 32767 if text.endswith("+") else int(highest or lowest))


class Field(NamedTuple):
    """One field: its type, the versions that have it, those in which it may be null, and its tag (KIP-482)."""

    kind: Kind
    versions: Versions
    nullable: Versions
    tag: int | None
    default: object
    name: str = ""

    @property
    def element(self) -> str | type[Structure] | None:
        """The type of an array's elements; None if this is not an array."""
        return self.kind[0] if isinstance(self.kind, list) else None


def field(
    kind: Kind,
    versions: str,
    *,
    nullable: str = "none",
    tag: int | None = None,
    default: Any = _MISSING,
) -> Any:
    """Describe a field of a structure; see ``Field``.

    Without ``default`` a number is 0, a string or an array empty, and an id or a structure None.
    """
    if default is _MISSING:
        default = () if isinstance(kind, list) else _DEFAULTS.get(kind) if isinstance(kind, str) else None
    return Field(kind, Versions.parse(versions), Versions.parse(nullable), tag, default)


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Structure:
    """A frozen group of fields. Those that are not given have their defaults."""

    FIELDS: ClassVar[Sequence[Field]] = ()
    _NAMES: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls, **_: Any) -> None:
        described = [each._replace(name=name) for name, each in vars(cls).items() if isinstance(each, Field)]
        cls.FIELDS = (*cls.FIELDS, *described)  # inherited fields come first
        cls._NAMES = frozenset(each.name for each in cls.FIELDS)
        for each in cls.FIELDS:
            setattr(cls, each.name, each.default)  # the class attribute is the default of instances

    def __init__(self, **values: Any) -> None:
        if not values.keys() <= self._NAMES:
            unknown = ", ".join(map(repr, values.keys() - self._NAMES))
            raise TypeError(f"{type(self).__qualname__} has no field {unknown}")
        for name, value in values.items():
            if type(value) is list:
                values[name] = tuple(value)
        set_fields(self, values)

    @classmethod
    def of(cls: type[S], values: dict[str, Any]) -> S:
        """Make an instance from valid fields, without checks. It keeps ``values`` itself, not a copy."""
        made = object.__new__(cls)
        set_fields(made, values)
        return made

    def replaced(self: S, **changes: Any) -> S:
        """Make a copy with some fields changed."""
        changed = type(self)(**changes)
        return self.of({**vars(self), **vars(changed)})

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__qualname__} is frozen: {name} can't be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__qualname__} is frozen: {name} can't be deleted")

    def _values(self) -> tuple[object, ...]:
        return tuple(getattr(self, each.name) for each in self.FIELDS)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Structure) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((type(self), self._values()))

    def __repr__(self) -> str:
        values = zip(self.FIELDS, self._values(), strict=True)
        told = [f"{each.name}={value!r}" for each, value in values if value != each.default]
        return f"{type(self).__name__}({', '.join(told)})"


#: Sets the fields of an instance without checks, bypassing ``__setattr__``; their dictionary is kept.
set_fields = vars(Structure)["__dict__"].__set__


class Message(Structure):
    """A request, a response, or the key or value of a record: the root structure of a schema.

    ``API_KEY`` is -1 for keys and values of records. ``FLEXIBLE`` are the versions with compact lengths
    and tags (KIP-482). A message that is ``IN_PLACE`` is read without copying: its records are views that keep the
    frame in memory. A message that was read has its ``version``, which comparisons ignore.
    """

    API_KEY: ClassVar[int] = -1
    IN_PLACE: ClassVar[bool] = False
    VERSIONS: ClassVar[Versions]
    FLEXIBLE: ClassVar[Versions]

    _version = -1

    def __init_subclass__(
        cls, *, versions: str, flexible: str, api_key: int = -1, in_place: bool = False, **_: Any
    ) -> None:
        super().__init_subclass__()
        cls.API_KEY = api_key
        cls.IN_PLACE = in_place
        cls.VERSIONS = Versions.parse(versions)
        cls.FLEXIBLE = Versions.parse(flexible)

    @property
    def version(self) -> int:
        """The version that the message was read in, -1 if it was not read."""
        return self._version

    @classmethod
    def is_flexible(cls, version: int) -> bool:
        """Whether ``version`` has compact lengths and tags (KIP-482)."""
        return cls.FLEXIBLE.has(version)
