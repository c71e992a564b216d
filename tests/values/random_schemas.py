"""Random Avro schemas, values of them, readers' schemas for them, and what Arrow's objects are in fastavro's terms."""

from __future__ import annotations

import datetime as dt
import itertools
import struct
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

Schema = Any

UTC = dt.timezone.utc
_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_INT = st.integers(-(2**31), 2**31 - 1)
_LONG = st.integers(-(2**63), 2**63 - 1)
_FLOAT = st.floats(width=32, allow_nan=False)


def _milliseconds(value: Any) -> Any:
    return value.replace(microsecond=value.microsecond // 1000 * 1000)


_DATETIMES = st.datetimes(dt.datetime(1800, 1, 1), dt.datetime(2200, 1, 1))
_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "null": st.none(),
    "boolean": st.booleans(),
    "int": _INT,
    "long": _LONG,
    "float": _FLOAT,
    "double": st.floats(allow_nan=False),
    "bytes": st.binary(max_size=12),
    "string": _TEXT,
    "date": st.dates(dt.date(1800, 1, 1)),
    "time-millis": st.times().map(_milliseconds),
    "time-micros": st.times(),
    "timestamp-millis": _DATETIMES.map(_milliseconds).map(lambda time: time.replace(tzinfo=UTC)),
    "timestamp-micros": _DATETIMES.map(lambda time: time.replace(tzinfo=UTC)),
    "local-timestamp-millis": _DATETIMES.map(_milliseconds),
    "local-timestamp-micros": _DATETIMES,
    "uuid": st.uuids(),
}
_LOGICAL_OF = {"date": "int", "time-millis": "int", "uuid": "string"}
_PRIMITIVE = st.sampled_from(["boolean", "int", "long", "float", "double", "bytes", "string"])
_LOGICAL = st.sampled_from([name for name in _VALUES if "-" in name or name in _LOGICAL_OF]).map(
    lambda name: {"type": _LOGICAL_OF.get(name, "long"), "logicalType": name}
)
_DECIMAL = st.tuples(st.integers(1, 20), st.integers(0, 20)).map(
    lambda digits: {
        "type": "bytes",
        "logicalType": "decimal",
        "precision": max(digits),
        "scale": min(digits),
    }
)
_FIXED = st.integers(1, 20).map(lambda size: {"type": "fixed", "size": size})
_DURATION = st.just({"type": "fixed", "size": 12, "logicalType": "duration"})
_ENUM = st.lists(st.sampled_from("ABCDEF"), min_size=1, unique=True).map(
    lambda symbols: {"type": "enum", "symbols": symbols}
)
_LEAF = st.one_of(_PRIMITIVE, _PRIMITIVE, _LOGICAL, _DECIMAL, _FIXED, _DURATION, _ENUM)


def _record(kinds: list[Schema]) -> Schema:
    return {"type": "record", "fields": [{"name": f"f{number}", "type": kind} for number, kind in enumerate(kinds)]}


def _of_branch(kind: Schema) -> str:
    """What has to be different in the branches of a union: fastavro may write, or read by another schema, one of the
    same kind of numbers or bytes as another.
    """
    name = kind if isinstance(kind, str) else kind["type"]
    if name in ("int", "long", "float", "double"):
        return "number"
    return "bytes" if name in ("string", "bytes", "fixed", "enum") else name


def _is_no_date(kind: Schema) -> bool:
    """fastavro, which looks for the branch of a value, raises if the value is a string and no date."""
    return not isinstance(kind, dict) or kind.get("logicalType") != "date"


def _within(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    branch = inner.filter(lambda kind: not isinstance(kind, list))
    return st.one_of(
        inner.map(lambda kind: {"type": "array", "items": kind}),
        inner.map(lambda kind: {"type": "map", "values": kind}),
        st.lists(inner, max_size=4).map(_record),
        branch.filter(lambda kind: kind != "null").map(lambda kind: ["null", kind]),
        branch.filter(lambda kind: kind != "null").map(lambda kind: [kind, "null"]),
        st.lists(branch.filter(_is_no_date) | st.just("null"), min_size=1, max_size=4, unique_by=_of_branch),
    )


_KIND = st.recursive(_LEAF | st.just("null"), _within, max_leaves=8)


def named(schema: Schema, numbers: Any = None) -> Schema:
    """The schema with a name for whatever needs one."""
    numbers = itertools.count() if numbers is None else numbers
    if isinstance(schema, list):
        return [named(branch, numbers) for branch in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: named(each, numbers) if name in ("items", "values") else each for name, each in schema.items()}
    if schema["type"] in ("record", "enum", "fixed"):
        made["name"] = f"N{next(numbers)}"
    if schema["type"] == "record":
        made["fields"] = [{**field, "type": named(field["type"], numbers)} for field in schema["fields"]]
    return made


#: Schemas of records.
schemas = st.lists(_KIND, min_size=1, max_size=5).map(_record).map(named)


def values_of(schema: Schema) -> st.SearchStrategy[Any]:
    if isinstance(schema, list):
        return st.one_of(*map(values_of, schema))
    if isinstance(schema, str):
        return _VALUES[schema]
    if schema.get("logicalType") == "decimal":
        most = 10 ** schema["precision"] - 1
        return st.integers(-most, most).map(lambda number: Decimal(number).scaleb(-schema["scale"]))
    if schema.get("logicalType") == "duration":
        return st.tuples(*[st.integers(0, 2**31 - 1)] * 3).map(lambda parts: struct.pack("<III", *parts))
    if "logicalType" in schema:
        return _VALUES[schema["logicalType"]]
    return _COMPLEX[schema["type"]](schema)


_COMPLEX: dict[str, Callable[[Schema], st.SearchStrategy[Any]]] = {
    "array": lambda schema: st.lists(values_of(schema["items"]), max_size=4),
    "map": lambda schema: st.dictionaries(_TEXT, values_of(schema["values"]), max_size=3),
    "record": lambda schema: st.fixed_dictionaries(
        {field["name"]: values_of(field["type"]) for field in schema["fields"]}
    ),
    "fixed": lambda schema: st.binary(min_size=schema["size"], max_size=schema["size"]),
    "enum": lambda schema: st.sampled_from(schema["symbols"]),
}


@st.composite
def readers_of(draw: st.DrawFn, schema: Schema) -> Schema:
    """A schema that may read this one: some fields gone or new, another order, wider types, unions."""
    if isinstance(schema, str):
        wider = {"int": ["long", "double"], "long": ["double"], "float": ["double"]}  # fastavro's float is a double
        return draw(st.sampled_from([schema, *wider.get(schema, [])]))
    if isinstance(schema, list):
        return draw(st.permutations(schema))
    made = {name: draw(readers_of(each)) if name in ("items", "values") else each for name, each in schema.items()}
    if schema["type"] == "enum":
        made["symbols"] = draw(st.permutations([*schema["symbols"], "NEW"]))
    if schema["type"] == "record":
        kept = [field for field in schema["fields"] if draw(st.integers(0, 4))]
        fields = [{**field, "type": draw(readers_of(field["type"]))} for field in draw(st.permutations(kept))]
        new = {"name": "new", "type": ["null", "string"], "default": None}
        made["fields"] = [*fields, new] if draw(st.booleans()) else fields
    return made


def as_read(schema: Schema, value: Any) -> Any:
    """A value of Arrow's as fastavro has it."""
    if isinstance(schema, list):
        return _of_union(schema, value)
    if value is None or isinstance(schema, str):
        return value
    if schema["type"] == "record":
        return {field["name"]: as_read(field["type"], value[field["name"]]) for field in schema["fields"]}
    if schema["type"] == "array":
        return [as_read(schema["items"], item) for item in value]
    if schema["type"] == "map":
        return {key: as_read(schema["values"], each) for key, each in value}
    if schema.get("logicalType") == "duration":
        return struct.pack("<III", value.months, value.days, value.nanoseconds // 1_000_000)
    return value


def _of_union(schema: Schema, value: Any) -> Any:
    others = [branch for branch in schema if branch != "null"]
    if value is None:
        return None
    if len(others) == 1:
        return as_read(others[0], value)
    found = [(branch, each) for branch, each in zip(others, value.values(), strict=True) if each is not None]
    assert len(found) == 1, value
    return as_read(*found[0])
