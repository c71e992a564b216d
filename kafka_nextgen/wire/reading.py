"""Generates the function that reads one version of a message from its schema.

The function checks that the bytes of a field are there before it reads them, so it allocates nothing for missing ones.
It refuses with a ``DecodeError`` that names the field:

* a field or an array that does not fit in the bytes left, and arrays with too many elements;
* null where the schema doesn't allow it, and a string that is not UTF-8;
* an invalid length, and tags (KIP-482) that don't ascend or don't fill their bytes. Unknown tags are skipped.

Only the schema decides how deep structures nest; a peer cannot nest them deeper. An id of zeros is read as None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from struct import Struct, unpack_from
from typing import cast
from uuid import UUID  # noqa: TID251  (only the type; no id is made here)

from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.wire import primitives
from kafka_nextgen.wire.layout import FIXED, UNKNOWN_BITS, ZERO_ID, Layout, Program, is_fixed, struct_format
from kafka_nextgen.wire.primitives import NUMBER_WEIGHT, OBJECT_WEIGHT, Data, Weighing
from kafka_nextgen.wire.schema import Field, Message, Structure, set_fields

__all__ = ["Reader", "make_reader"]

#: Reads from a position up to an end; returns the message and the position after it. Elements of small messages are not
#: counted.
Reader = Callable[[Data, int, int, Weighing | None], tuple[Message, int]]


def make_reader(message: type[Message], version: int) -> Reader:
    """Make the reader of ``version`` of ``message``."""
    title = f"{message.__name__} v{version}"
    maker = _ReaderMaker(Layout.of(message, version), Program(names=dict(_HELPERS)), message.IN_PLACE)
    maker.function("read", lambda: maker.message(message, title))
    return cast(Reader, maker.program.compile(f"read {title}")["read"])


@lru_cache(maxsize=4096)
def _id_of(data: bytes) -> UUID | None:
    """The id of these bytes, None for zeros; cached, because the same ids repeat."""
    return None if data == ZERO_ID else UUID(bytes=data)


def _bits_of(number: int) -> frozenset[int] | None:
    """The bits that are set; None if only the last one is set, which means unknown."""
    return None if number == UNKNOWN_BITS else frozenset(bit for bit in range(32) if number >> bit & 1)


_HELPERS = {
    **{name: getattr(primitives, name) for name in primitives.__all__},
    "new": object.__new__,
    "set_fields": set_fields,
    "unpack_from": unpack_from,
    "id_of": _id_of,
    "bits_of": _bits_of,
}
#: Converts a value of fixed size that ``struct`` has read.
_CONVERSIONS = {"uuid": "id_of", "bitfield": "bits_of"}


@define
class _ReaderMaker:
    """Assembles the source text of a reader. In that text ``pos`` is the current position and ``end`` the limit.

    ``data`` is bytes, or a memoryview for messages that are read in place.
    """

    layout: Layout
    program: Program
    in_place: bool

    def function(self, name: str, body: Callable[[], None]) -> None:
        """Add a function that runs ``body`` and returns ``value``."""
        self.program.add(0, f"def {name}(data, pos, end, weigh):")
        body()
        self.program.add(1, "return value, pos")

    def message(self, message: type[Message], where: str) -> None:
        """Read the whole message, which keeps its version."""
        self.structure(message, "value", 1, where)
        self.program.add(1, f"value_fields['_version'] = {self.layout.version}")

    def structure(self, structure: type[Structure], target: str, depth: int, where: str) -> None:
        """Read all fields in order, then the tags if the version has them."""
        tagged = self.layout.tagged(structure)
        readers = {each.tag: self._tag_reader(each, f"{where}, {each.name}") for each in tagged}
        values: dict[str, str] = {}
        for has_fixed_size, run in self.layout.runs(structure):
            names = [self.program.fresh(each.name) for each in run]
            values.update(zip([each.name for each in run], names, strict=True))
            if has_fixed_size:
                self._fixed(run, names, depth, where)
            else:
                self._field(run[0], names[0], depth, f"{where}, {run[0].name}")
        made = self.program.bind(structure, structure.__name__)
        fields = ", ".join(f"{name!r}: {value}" for name, value in values.items())
        self.program.add(depth, f"{target}_fields = {{{fields}}}")
        if self.layout.flexible:
            self._tags(tagged, readers, f"{target}_fields", depth, where)
        self.program.add(depth, f"{target} = new({made})", f"set_fields({target}, {target}_fields)")

    def _fixed(self, run: Sequence[Field], names: Sequence[str], depth: int, where: str) -> None:
        layout = Struct(struct_format(run))
        unpack = self.program.bind(layout.unpack_from, "unpack")
        self.program.add(
            depth,
            f"if end - pos < {layout.size}: need({layout.size}, pos, end, {where!r})",
            f"{', '.join(names)}, = {unpack}(data, pos)",
            f"pos += {layout.size}",
        )
        for each, name in zip(run, names, strict=True):
            if conversion := _CONVERSIONS.get(str(each.kind)):
                self.program.add(depth, f"{name} = {conversion}({name})")

    def _field(self, described: Field, target: str, depth: int, where: str) -> None:
        """Read one field that is not of fixed size."""
        nullable = self.layout.is_nullable(described)
        if described.element is not None:
            self._array(described.element, nullable, target, depth, where)
        elif isinstance(described.kind, str):
            self._blob(described.kind, nullable, target, depth, where)
        else:
            assert isinstance(described.kind, type)
            self._maybe_structure(described.kind, nullable, target, depth, where)

    def _length(self, is_text: bool, size: str, depth: int, where: str) -> None:
        if self.layout.flexible:
            self.program.add(
                depth,
                "if pos < end and data[pos] < 128:",
                f"    {size} = data[pos] - 1; pos += 1",
                "else:",
                f"    {size}, pos = compact_length(data, pos, end, {where!r})",
            )
        else:
            read = "int16_length" if is_text else "int32_length"
            self.program.add(depth, f"{size}, pos = {read}(data, pos, end, {where!r})")

    def _null(self, nullable: bool, size: str, target: str, depth: int, where: str) -> None:
        """Start the branch on a length; a negative length means null."""
        null = f"{target} = None" if nullable else f"refuse_null({where!r})"
        self.program.add(depth, f"if {size} < 0: {null}")

    def _blob(self, kind: str, nullable: bool, target: str, depth: int, where: str) -> None:
        size = self.program.fresh("size")
        self._length(kind == "string", size, depth, where)
        self._null(nullable, size, target, depth, where)
        self.program.add(
            depth,
            "else:",
            f"    after = pos + {size}",
            f"    if after > end: need({size}, pos, end, {where!r})",
        )
        if kind == "string":
            decoded = "str(data[pos:after], 'utf-8')" if self.in_place else "data[pos:after].decode()"
            self.program.add(
                depth + 1,
                f"try: {target} = {decoded}",
                f"except UnicodeDecodeError as error: not_utf8(error, {where!r})",
            )
        else:
            self.program.add(depth + 1, f"{target} = data[pos:after]")
        self.program.add(depth + 1, "pos = after")

    def _array(self, element: str | type[Structure], nullable: bool, target: str, depth: int, where: str) -> None:
        size = self.program.fresh("size")
        least = max(self.layout.least(element), 1)
        weight = NUMBER_WEIGHT if is_fixed(element) else OBJECT_WEIGHT
        self._length(False, size, depth, where)
        self._null(nullable, size, target, depth, where)
        self.program.add(
            depth,
            f"elif {size} == 0: {target} = ()",
            "else:",
            f"    if {size} * {least} > end - pos: too_many({size}, {least}, end - pos, {where!r})",
            f"    if weigh: weigh({size}, {weight}, {where!r})",
        )
        if is_fixed(element):
            self._numbers(element, size, target, depth + 1)
        else:
            self._elements(element, size, target, depth + 1, where)

    def _numbers(self, element: str, size: str, target: str, depth: int) -> None:
        letter, each = FIXED[element]
        if element in _CONVERSIONS:
            read = f"tuple(map({_CONVERSIONS[element]}, unpack_from('>' + {letter!r} * {size}, data, pos)))"
        else:
            read = f"unpack_from(f'>{{{size}}}{letter}', data, pos)"
        self.program.add(depth, f"{target} = {read}", f"pos += {size} * {each}")

    def _elements(self, element: str | type[Structure], size: str, target: str, depth: int, where: str) -> None:
        one = self.program.fresh("one")
        self.program.add(depth, f"{target}_list = []", f"for _ in range({size}):")
        if isinstance(element, str):
            self._blob(element, False, one, depth + 1, where)
        else:
            self.structure(element, one, depth + 1, where)
        self.program.add(depth + 1, f"{target}_list.append({one})")
        self.program.add(depth, f"{target} = tuple({target}_list)")

    def _maybe_structure(
        self, structure: type[Structure], nullable: bool, target: str, depth: int, where: str, null: int = 0xFF
    ) -> None:
        """A nullable structure starts with a byte: 1 if present; for null -1 (KIP-893), or 0 in a tagged field."""
        if not nullable:
            self.structure(structure, target, depth, where)
            return
        self.program.add(
            depth,
            f"need(1, pos, end, {where!r})",
            "pos += 1",
            f"if data[pos - 1] == {null}: {target} = None",
            f"elif data[pos - 1] != 1: refuse({where!r}, "
            "f'neither null nor a structure: begins with {data[pos - 1]}')",
            "else:",
        )
        self.structure(structure, target, depth + 1, where)

    def _tag_reader(self, described: Field, where: str) -> str:
        """Make a function that reads a tagged field, and return its name. It is a separate function because a tagged
        field ends where its size says."""
        inner = _ReaderMaker(self.layout, Program(names=dict(_HELPERS)), self.in_place)
        inner.function("read", lambda: inner.tagged(described, where))
        return self.program.bind(inner.program.compile(f"read {where}")["read"], "read_tag")

    def tagged(self, described: Field, where: str) -> None:
        """Read the field of a tag."""
        if is_fixed(described.kind):
            self._fixed([described], ["value"], 1, where)
        elif isinstance(described.kind, type):
            nullable = self.layout.is_nullable(described)
            self._maybe_structure(described.kind, nullable, "value", 1, where, null=0)
        else:
            self._field(described, "value", 1, where)

    def _tags(
        self, tagged: Sequence[Field], readers: dict[int | None, str], fields: str, depth: int, where: str
    ) -> None:
        known = self.program.bind(frozenset(each.tag for each in tagged), "known")
        self.program.add(
            depth,
            "if pos < end and data[pos] == 0: pos += 1",
            "else:",
            f"    tags, pos = find_tags(data, pos, end, {known}, {where!r})",
        )
        for each in tagged:
            self.program.add(
                depth + 1,
                f"if {each.tag} in tags:",
                f"    first, last = tags[{each.tag}]",
                f"    {fields}[{each.name!r}], first = {readers[each.tag]}(data, first, last, weigh)",
                f"    if first != last: refuse('{where}, tag {each.tag}', "
                f"'the field does not fill its %d bytes' % (last - tags[{each.tag}][0]))",
            )
