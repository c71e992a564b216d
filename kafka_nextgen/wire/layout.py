"""The layout of a structure's fields in one version, for reading and writing.

Fields are in the schema's order. In a flexible version (KIP-482) lengths are compact, and tagged fields follow the
others, ordered by tag. Consecutive fields of fixed size form a run, which is read or written in one step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, groupby
from typing import TypeGuard

from attrs import field

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.wire.schema import Field, Kind, Message, Structure

__all__ = ["FIXED", "UNKNOWN_BITS", "ZERO_ID", "Layout", "Program", "is_fixed", "struct_format"]

#: The types of fixed size: their ``struct`` format letter and their size in bytes.
FIXED = {
    "bool": ("?", 1),
    "int8": ("b", 1),
    "int16": ("h", 2),
    "uint16": ("H", 2),
    "int32": ("i", 4),
    "bitfield": ("I", 4),
    "int64": ("q", 8),
    "float64": ("d", 8),
    "uuid": ("16s", 16),
}
#: The bytes of an id that is None.
ZERO_ID = bytes(16)
#: The number that represents None in a bitfield: only the last bit is set.
UNKNOWN_BITS = 1 << 31


@frozen
class Layout:
    """The layout of one version of a message."""

    version: int
    flexible: bool

    @classmethod
    def of(cls, message: type[Message], version: int) -> Layout:
        """The layout of ``version``, which ``message`` must have."""
        assert message.VERSIONS.has(version), f"{message.__name__} has no version {version}"
        return cls(version, message.is_flexible(version))

    def fields(self, structure: type[Structure]) -> list[Field]:
        """The fields without a tag, in order."""
        return [each for each in structure.FIELDS if each.versions.has(self.version) and each.tag is None]

    def tagged(self, structure: type[Structure]) -> list[Field]:
        """The fields that have a tag, by tag."""
        tagged = [each for each in structure.FIELDS if each.versions.has(self.version) and each.tag is not None]
        return sorted(tagged, key=lambda each: each.tag or 0)

    def runs(self, structure: type[Structure]) -> Iterator[tuple[bool, Sequence[Field]]]:
        """The fields without a tag, grouped: runs of fixed-size fields (True), and single other fields (False)."""
        for has_fixed_size, group in groupby(self.fields(structure), key=lambda each: is_fixed(each.kind)):
            run = list(group)
            yield from [(True, run)] if has_fixed_size else [(False, [each]) for each in run]

    def is_nullable(self, described: Field) -> bool:
        """Whether the field may be null."""
        return described.nullable.has(self.version)

    def least(self, kind: Kind) -> int:
        """The minimum size of a value of this type, in bytes."""
        if isinstance(kind, type):
            return sum(map(self._least_of, self.fields(kind))) + (1 if self.flexible else 0)
        if is_fixed(kind):
            return FIXED[kind][1]
        return 1 if self.flexible else 2 if kind == "string" else 4

    def _least_of(self, described: Field) -> int:
        is_marked = isinstance(described.kind, type) and self.is_nullable(described)
        return 1 if is_marked else self.least(described.kind)


def is_fixed(kind: object) -> TypeGuard[str]:
    """Whether a value of this type always takes the same number of bytes."""
    return isinstance(kind, str) and kind in FIXED


def struct_format(run: Sequence[Field]) -> str:
    """The ``struct`` format of a run of fixed-size fields."""
    return ">" + "".join(FIXED[str(each.kind)][0] for each in run)


@frozen
class Program:
    """The source text of a generated function, and the values of its names."""

    lines: list[str] = field(factory=list)
    names: dict[str, object] = field(factory=dict)
    _numbers: Iterator[int] = field(factory=count)

    def add(self, depth: int, *lines: str) -> None:
        """Add lines, indented by ``depth`` levels."""
        self.lines.extend("    " * depth + line for line in lines)

    def bind(self, value: object, hint: str) -> str:
        """Bind ``value`` to a unique name that the text can use."""
        name = self.fresh(hint)
        self.names[name] = value
        return name

    def fresh(self, hint: str) -> str:
        """A name that is not in use yet."""
        return f"{hint}_{next(self._numbers)}"

    def compile(self, title: str) -> dict[str, object]:
        """Compile the text and return the names it defines. ``title`` is its file name in tracebacks."""
        # The text comes only from our own schemas.
        exec(compile("\n".join(self.lines), f"<{title}>", "exec"), self.names)
        return self.names
