"""Random Protobuf messages, and bytes of them: fields in any order, any number of times, among unknown ones."""

from __future__ import annotations

import struct
from typing import Any

from hypothesis import strategies as st

from tests.values.protobuf_messages import F, delimited, made, tag, varint

_SCALARS = ("double", "float", "int64", "uint64", "int32", "fixed64", "fixed32", "bool", "string", "bytes", "uint32")
_SCALARS += ("sfixed32", "sfixed64", "sint32", "sint64")
_KEYS = ("int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32", "bool", "string")
_KNOWN = (
    "Timestamp",
    "Duration",
    "Int32Value",
    "StringValue",
    "BoolValue",
    "Struct",
    "Value",
    "ListValue",
    "Any",
    "Empty",
)
_COLORS = {"Color": {"RED": 0, "GREEN": 1, "BLUE": 7, "AZURE": 7, "BELOW": -3}}
_LEVELS = 3


@st.composite
def _fields(draw: Any, level: int, syntax: str) -> list[F]:
    numbers = draw(st.lists(st.integers(1, 40), min_size=1, max_size=5, unique=True))
    fields = []
    for place, number in enumerate(numbers):
        kind, what = draw(_kinds(level, syntax))
        label = draw(st.sampled_from(["", "", "optional", "repeated", "repeated", "map"]))
        if label == "map":
            label = draw(st.sampled_from(_KEYS)) if what != "group" else ""
        elif syntax == "editions" and label == "optional":
            label = ""
        oneof = draw(st.sampled_from([None, "o", "p"])) if label == "" else None
        fields.append(F(f"f{place}", number, kind, label, oneof, what))
    return fields


@st.composite
def _kinds(draw: Any, level: int, syntax: str) -> tuple[str, str]:
    which = draw(st.sampled_from(["scalar", "scalar", "scalar", "enum", "message", "known"]))
    if which == "scalar" or (which == "message" and level == _LEVELS):
        return draw(st.sampled_from(_SCALARS)), "message"
    if which == "enum":
        return ".t.Color", "enum"
    if which == "known":
        return f".google.protobuf.{draw(st.sampled_from(_KNOWN))}", "message"
    what = "group" if syntax == "proto2" and draw(st.integers(0, 3)) == 0 else "message"
    return f".t.L{level + 1}", what


@st.composite
def kinds(draw: Any) -> Any:
    """The class of a message whose fields may be messages of up to three levels."""
    syntax = draw(st.sampled_from(["proto3", "proto3", "proto2", "editions"]))
    levels = {f"L{level}": draw(_fields(level, syntax)) for level in range(1, _LEVELS + 1)}
    return made(draw(_fields(0, syntax)), syntax, _COLORS, **levels)


_NUMBERS = st.one_of(
    st.sampled_from([0, 1, 7, 127, 128, 2**31 - 1, 2**31, 2**32, 2**63, 2**64 - 1, 2**64 - 3]),
    st.integers(0, 2**64 - 1),
)
_TEXTS = st.one_of(st.text(max_size=8).map(lambda text: text.encode("utf-8", "replace")), st.just(b"\xed\xa0\x80"))
_SMALL = st.sampled_from([0, 1, 7, 2**64 - 3, 5])
_UNKNOWN = st.one_of(
    st.integers(1, 60).flatmap(lambda number: _NUMBERS.map(lambda value: tag(number, 0) + varint(value))),
    st.integers(1, 60).map(lambda number: tag(number, 1) + bytes(8)),
    st.integers(1, 60).map(lambda number: tag(number, 5) + bytes(4)),
    st.integers(1, 60).map(lambda number: delimited(number, b"xyz")),
    st.integers(1, 60).map(lambda number: tag(number, 3) + delimited(1, b"a") + tag(number, 4)),
)
_VARINTS = {3, 4, 5, 8, 13, 17, 18}
_EIGHT, _FOUR = {1, 6, 16}, {2, 7, 15}
_TEXT, _GROUP, _MESSAGE, _BYTES, _ENUM = 9, 10, 11, 12, 14
#: Seconds of times that are in the range of nanoseconds, and of which some are in no range at all.
_TIMES = st.sampled_from([0, 1, 2**64 - 5, 9_000_000_000, 9_223_372_036, 253_402_300_800, 315_576_000_001])
_NANOS = st.sampled_from([0, 1, 999_999_999, 10**9, 2**64 - 1])


@st.composite
def values_of(draw: Any, descriptor: Any, level: int = 0) -> bytes:
    """Bytes that are mostly a message, though not always as a serializer writes it."""
    if descriptor.full_name in ("google.protobuf.Timestamp", "google.protobuf.Duration"):
        times = st.one_of(
            _TIMES.map(lambda time: b"\x08" + varint(time)), _NANOS.map(lambda nanos: b"\x10" + varint(nanos))
        )
        return b"".join(draw(st.lists(times, max_size=2)))
    data = []
    fields = list(descriptor.fields)
    for _ in range(draw(st.integers(0, 6 if level < 3 else 2))):
        if not fields or draw(st.integers(0, 14)) == 0:
            data.append(draw(_UNKNOWN))
            continue
        field = fields[draw(st.integers(0, len(fields) - 1))]
        if level > 6 and field.message_type is not None:
            continue
        data.append(draw(_occurrence(field, level)))
    return b"".join(data)


@st.composite
def _occurrence(draw: Any, field: Any, level: int) -> bytes:
    if field.type in (_TEXT, _BYTES):
        text = draw(_TEXTS if draw(st.integers(0, 5)) == 0 else st.sampled_from([b"", b"a", b"key", b"text text text"]))
        return delimited(field.number, text)
    if field.type == _GROUP:
        return tag(field.number, 3) + draw(values_of(field.message_type, level + 1)) + tag(field.number, 4)
    if field.type == _MESSAGE:
        return delimited(field.number, draw(values_of(field.message_type, level + 1)))
    wire = 1 if field.type in _EIGHT else 5 if field.type in _FOUR else 0
    if field.is_repeated and draw(st.booleans()):
        items = draw(st.lists(_scalar(field.type), max_size=4))
        return delimited(field.number, b"".join(items))
    return tag(field.number, wire) + draw(_scalar(field.type))


def _scalar(kind: int) -> Any:
    if kind in _EIGHT:
        return st.one_of(st.floats().map(lambda number: struct.pack("<d", number)), st.binary(min_size=8, max_size=8))
    if kind in _FOUR:
        return st.binary(min_size=4, max_size=4)
    if kind == _ENUM:
        return _SMALL.map(varint)
    return st.one_of(st.integers(0, 3), _NUMBERS).map(varint)


def damaged(data: st.DataObject, whole: bytes) -> bytes:
    """Some bytes replaced, put in or left out, and maybe the end cut off."""
    changed = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(changed)))
        changed[place : place + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=3))
    return bytes(changed[: data.draw(st.integers(0, len(changed)))]) if data.draw(st.booleans()) else bytes(changed)
