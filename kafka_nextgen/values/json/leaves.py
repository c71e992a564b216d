"""The nodes of all types: their memory layout, and how they are read."""

from __future__ import annotations

import struct

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.values.columns import Kind
from kafka_nextgen.values.json.program import HAS_ZONE, TAKES_INTEGERS, Node, Op
from kafka_nextgen.values.json.texts import DAY_SECONDS

__all__ = ["Leaves"]

_UNITS = {"s": 1, "ms": 1000, "us": 1_000_000, "ns": 1_000_000_000}
_LETTERS = {(1, True): "c", (1, False): "C", (2, True): "s", (2, False): "S"}
_LETTERS |= {(4, True): "i", (4, False): "I", (8, True): "l", (8, False): "L"}


def _metadata(pairs: dict[str, str]) -> bytes:
    """Encode the metadata of a schema for Arrow's C data interface."""
    texts = [text.encode() for pair in pairs.items() for text in pair]
    return struct.pack("=i", len(pairs)) + b"".join(struct.pack("=i", len(text)) + text for text in texts)


_UUID = _metadata({"ARROW:extension:name": "arrow.uuid", "ARROW:extension:metadata": ""})


@frozen
class Leaves:
    """Creates nodes. With ``takes_integers``, times can be integers; with ``is_hex``, bytes are hexadecimal digits."""

    is_hex: bool = False
    takes_integers: bool = False

    def null(self, name: str) -> Node:
        """Only null."""
        return Node(name, Op.NULL, Kind.NULLS, "n", nullable=True)

    def boolean(self, name: str, nullable: bool) -> Node:
        """true and false."""
        return Node(name, Op.BOOLEAN, Kind.BITS, "b", 0, nullable)

    def integer(self, name: str, nullable: bool, width: int = 8, is_signed: bool = True) -> Node:
        """An integer of ``width`` bytes."""
        return Node(name, Op.INTEGER, Kind.NUMBERS, _LETTERS[width, is_signed], width, nullable, a=int(is_signed))

    def floating(self, name: str, nullable: bool, width: int = 8) -> Node:
        """A float or a double."""
        return Node(name, Op.FLOAT, Kind.NUMBERS, "g" if width == 8 else "f", width, nullable)

    def string(self, name: str, nullable: bool) -> Node:
        """A string."""
        return Node(name, Op.STRING, Kind.STRINGS, "u", 0, nullable)

    def enum(self, name: str, nullable: bool, symbols: tuple[str, ...]) -> Node:
        """One of these strings."""
        return Node(name, Op.ENUM, Kind.NUMBERS, "i", 4, nullable, symbols=symbols)

    def binary(self, name: str, nullable: bool, is_hex: bool | None = None) -> Node:
        """Bytes, in base64 or hexadecimal digits."""
        return Node(name, Op.BINARY, Kind.STRINGS, "z", 0, nullable, a=int(self.is_hex if is_hex is None else is_hex))

    def fixed(self, name: str, nullable: bool, width: int) -> Node:
        """Exactly ``width`` bytes."""
        return Node(name, Op.FIXED, Kind.NUMBERS, f"w:{width}", width, nullable, a=int(self.is_hex))

    def uuid(self, name: str, nullable: bool) -> Node:
        """A uuid."""
        return Node(name, Op.UUID, Kind.NUMBERS, "w:16", 16, nullable, metadata=_UUID)

    def decimal(self, name: str, nullable: bool, width: int, precision: int, scale: int) -> Node:
        """A decimal of 16 or 32 bytes."""
        form = f"d:{precision},{scale}" + ("" if width == 16 else ",256")
        return Node(name, Op.DECIMAL, Kind.NUMBERS, form, width, nullable, scale, precision)

    def date(self, name: str, nullable: bool, width: int = 4) -> Node:
        """A date: four bytes with days, or eight bytes with milliseconds."""
        units = 1 if width == 4 else DAY_SECONDS * 1000
        return self._moment(name, nullable, Op.DATE, "tdD" if width == 4 else "tdm", width, units)

    def time(self, name: str, nullable: bool, unit: str = "us") -> Node:
        """A time of day."""
        width = 4 if unit in ("s", "ms") else 8
        return self._moment(name, nullable, Op.TIME, f"tt{unit[0]}", width, _UNITS[unit])

    def timestamp(self, name: str, nullable: bool, unit: str = "us", zone: str = "UTC") -> Node:
        """A timestamp; it has no zone if ``zone`` is empty."""
        form = f"ts{unit[0]}:{zone}"
        return self._moment(name, nullable, Op.TIMESTAMP, form, 8, _UNITS[unit], HAS_ZONE if zone else 0)

    def duration(self, name: str, nullable: bool, unit: str = "us") -> Node:
        """A length of time."""
        return self._moment(name, nullable, Op.DURATION, f"tD{unit[0]}", 8, _UNITS[unit])

    def _moment(self, name: str, nullable: bool, op: Op, form: str, width: int, units: int, flags: int = 0) -> Node:
        flags |= TAKES_INTEGERS if self.takes_integers else 0
        return Node(name, op, Kind.NUMBERS, form, width, nullable, units, flags)

    def list(self, name: str, nullable: bool, item: Node, size: int = 0) -> Node:
        """A fixed number of items, or any number."""
        return Node(name, Op.LIST, Kind.LISTS, "+l", 0, nullable, a=size, children=(item,))

    def map(self, name: str, nullable: bool, value: Node) -> Node:
        """Any number of values, with strings as keys."""
        pair = (self.string("key", False), value)
        entry = Node("entries", Op.ENTRY, Kind.STRUCTS, "+s", children=pair)
        return Node(name, Op.MAP, Kind.LISTS, "+m", 0, nullable, children=(entry,))

    def struct(self, name: str, nullable: bool, children: tuple[Node, ...]) -> Node:
        """Fields, identified by their names."""
        return Node(name, Op.STRUCT, Kind.STRUCTS, "+s", 0, nullable, children=children)
