"""A schema with most of what there is, and values of it."""

from __future__ import annotations

from typing import Any

#: A record of everything whose columns a row that is taken back may have touched.
WIDE = {
    "type": "record",
    "name": "W",
    "fields": [
        {"name": "i", "type": ["null", "int"]},
        {"name": "s", "type": "string"},
        {"name": "b", "type": ["null", "boolean"]},
        {"name": "l", "type": {"type": "array", "items": ["null", "string", {"type": "map", "values": "long"}]}},
        {
            "name": "r",
            "type": [
                "null",
                {"type": "record", "name": "I", "fields": [{"name": "x", "type": {"type": "array", "items": "int"}}]},
            ],
        },
        {"name": "e", "type": {"type": "enum", "name": "E", "symbols": ["A", "B"]}},
        {"name": "end", "type": "string"},
    ],
}
GOOD: list[dict[str, Any]] = [
    {"i": 1, "s": "one", "b": True, "l": [], "r": None, "e": "A", "end": "."},
    {"i": None, "s": "", "b": None, "l": [None, "x", {"k": 5}], "r": {"x": [1, 2]}, "e": "B", "end": ""},
    {"i": 3, "s": "three" * 50, "b": False, "l": [{"a": 1, "b": 2}, None], "r": {"x": []}, "e": "A", "end": "ü"},
]
