"""Generates the function that writes one version of a message from its schema.

Fields that the version doesn't have are left out. A tagged field (KIP-482) is written only if its value differs from
its default, as in Kafka's own clients. An id that is None is written as zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from struct import Struct, pack
from typing import cast
from uuid import UUID  # noqa: TID251  (only the type; no id is made here)

from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.wire.layout import FIXED, UNKNOWN_BITS, ZERO_ID, Layout, Program, is_fixed, struct_format
from kafka_nextgen.wire.primitives import encoded_varint
from kafka_nextgen.wire.schema import Field, Message, Structure

__all__ = ["Writer", "make_writer"]

#: Adds the parts of a message to a list; takes the list's ``append``.
Writer = Callable[[Message, Callable[[bytes], None]], None]


def make_writer(message: type[Message], version: int) -> Writer:
    """Make the writer of ``version`` of ``message``."""
    maker = _WriterMaker(Layout.of(message, version), Program(names=dict(_HELPERS)))
    maker.program.add(0, "def write(value, out):", "    pass")
    maker.structure(message, "value", "out", 1)
    return cast(Writer, maker.program.compile(f"write {message.__name__} v{version}")["write"])


def _compact(size: int) -> bytes:
    """Encode a length in a flexible message."""
    return encoded_varint(size + 1)


def _id_bytes(topic_id: UUID | None) -> bytes:
    return ZERO_ID if topic_id is None else topic_id.bytes


def _number_of(bits: Iterable[int] | None) -> int:
    return UNKNOWN_BITS if bits is None else sum(1 << bit for bit in set(bits))


_HELPERS = {
    "pack": pack,
    "compact": _compact,
    "varint": encoded_varint,
    "int16": Struct(">h").pack,
    "int32": Struct(">i").pack,
    "id_bytes": _id_bytes,
    "number_of": _number_of,
}
#: Converts a value before ``struct`` writes it.
_CONVERSIONS = {"uuid": "id_bytes", "bitfield": "number_of"}


def _converted(kind: object, value: str) -> str:
    conversion = _CONVERSIONS.get(str(kind))
    return f"{conversion}({value})" if conversion else value


@define
class _WriterMaker:
    """Assembles the source text of a writer. In that text ``out`` takes the parts."""

    layout: Layout
    program: Program

    def structure(self, structure: type[Structure], value: str, out: str, depth: int) -> None:
        """Write all fields in order, then the tags if the version has them."""
        for has_fixed_size, run in self.layout.runs(structure):
            if has_fixed_size:
                self._fixed(run, value, out, depth)
            else:
                self._field(run[0], value, out, depth)
        if self.layout.flexible:
            self._tags(self.layout.tagged(structure), value, out, depth)

    def _fixed(self, run: Sequence[Field], value: str, out: str, depth: int) -> None:
        packed = self.program.bind(Struct(struct_format(run)).pack, "pack")
        values = ", ".join(_converted(each.kind, f"{value}.{each.name}") for each in run)
        self.program.add(depth, f"{out}({packed}({values}))")

    def _field(self, described: Field, value: str, out: str, depth: int, null: str = r"b'\xff'") -> None:
        """Write one field that is not of fixed size."""
        mine = self.program.fresh(described.name)
        self.program.add(depth, f"{mine} = {value}.{described.name}")
        is_structure = isinstance(described.kind, type)
        if self.layout.is_nullable(described):
            missing = null if is_structure else self._length("-1", described.kind == "string")
            self.program.add(depth, f"if {mine} is None: {out}({missing})", "else:")
            depth += 1
            if is_structure:
                self.program.add(depth, rf"{out}(b'\x01')")
        self._present(described, mine, out, depth)

    def _present(self, described: Field, value: str, out: str, depth: int) -> None:
        if described.element is not None:
            self._array(described.element, value, out, depth)
        elif isinstance(described.kind, str):
            self._blob(described.kind, value, out, depth)
        else:
            assert isinstance(described.kind, type)
            self.structure(described.kind, value, out, depth)

    def _length(self, size: str, is_text: bool) -> str:
        """The expression that writes a length."""
        return f"{'compact' if self.layout.flexible else 'int16' if is_text else 'int32'}({size})"

    def _blob(self, kind: str, value: str, out: str, depth: int) -> None:
        is_text = kind == "string"
        if is_text:
            self.program.add(depth, f"{value} = {value}.encode()")
        self.program.add(depth, f"{out}({self._length(f'len({value})', is_text)})", f"{out}({value})")

    def _array(self, element: str | type[Structure], value: str, out: str, depth: int) -> None:
        self.program.add(depth, f"{out}({self._length(f'len({value})', False)})")
        if is_fixed(element):
            values = f"*map({_CONVERSIONS[element]}, {value})" if element in _CONVERSIONS else f"*{value}"
            self.program.add(depth, f"{out}(pack('>' + {FIXED[element][0]!r} * len({value}), {values}))")
            return
        one = self.program.fresh("one")
        self.program.add(depth, f"for {one} in {value}:")
        if isinstance(element, str):
            self._blob(element, one, out, depth + 1)
        else:
            self.structure(element, one, out, depth + 1)

    def _tags(self, tagged: Sequence[Field], value: str, out: str, depth: int) -> None:
        if not tagged:
            self.program.add(depth, rf"{out}(b'\x00')")
            return
        tags = self.program.fresh("tags")
        self.program.add(depth, f"{tags} = []")
        for each in tagged:
            self._tag(each, value, tags, depth)
        self.program.add(
            depth,
            f"{out}(varint(len({tags})))",
            f"for tag, parts in {tags}:",
            f"    {out}(varint(tag)); {out}(varint(sum(map(len, parts)))); {out}(b''.join(parts))",
        )

    def _tag(self, described: Field, value: str, tags: str, depth: int) -> None:
        default = self.program.bind(described.default, "default")
        parts = self.program.fresh("parts")
        self.program.add(
            depth,
            f"if {value}.{described.name} != {default}:",
            f"    {parts} = []",
            f"    {tags}.append(({described.tag}, {parts}))",
            f"    {parts}_add = {parts}.append",
        )
        if is_fixed(described.kind):
            self._fixed([described], value, f"{parts}_add", depth + 1)
        else:
            self._field(described, value, f"{parts}_add", depth + 1, null=r"b'\x00'")
