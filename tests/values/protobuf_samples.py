"""A message with most of what there is, and values of it."""

from __future__ import annotations

from typing import Any

from tests.values.protobuf_messages import F, made

#: A message of everything whose columns a row that is taken back may have touched.
WIDE = made(
    [
        F("i", 1, "int32", "optional"),
        F("s", 2, "string"),
        F("b", 3, "bool"),
        F("l", 4, "sint64", "repeated"),
        F("m", 5, ".t.Inner", "string"),
        F("r", 6, ".t.Inner"),
        F("e", 7, ".t.Color", what="enum"),
        F("t", 8, ".google.protobuf.Timestamp"),
        F("w", 9, ".google.protobuf.StringValue"),
        F("j", 10, ".google.protobuf.Struct"),
        F("x", 11, "double", oneof="o"),
        F("y", 12, "bytes", oneof="o"),
        F("z", 13, ".t.Inner", oneof="o"),
        F("d", 14, "fixed32", "repeated"),
        F("n", 16, ".t.Inner", "repeated"),
        F("u", 17, ".google.protobuf.Duration", "int32"),
        F("v", 200, "uint64"),
    ],
    enums={"Color": {"RED": 0, "GREEN": 1, "BLUE": 7}},
    Inner=[
        F("k", 1, "int32", "repeated"),
        F("t", 2, "string", "optional"),
        F("f", 3, "float"),
        F("e", 4, ".t.Color", "repeated", what="enum"),
    ],
)
_INNER = {"k": [1, 200, -3], "t": "text", "f": 1.5, "e": [1, 7]}
GOOD: list[dict[str, Any]] = [
    {"i": 1, "s": "one", "b": True, "e": 1, "x": 0.0, "v": 2**64 - 1},
    {
        "s": "ü" * 30,
        "l": [1, -1, 2**62],
        "m": {"a": _INNER, "b": {}},
        "r": _INNER,
        "e": 7,
        "t": {"seconds": 1_764_419_415, "nanos": 123456789},
        "w": {"value": "w"},
        "j": {"a": [1.5, "x", None, {"b": True}]},
        "z": {"k": [5]},
        "d": [1, 2**32 - 1],
        "n": [_INNER, {}, {"t": ""}],
        "u": {-1: {"seconds": -5, "nanos": -1}},
    },
    {"i": 0, "r": {}, "w": {}, "y": b"", "n": [{}]},
]
