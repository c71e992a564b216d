"""Random types of Arrow's that JSON can be made of, and values of them as JSON and as Python has them."""

from __future__ import annotations

import base64
import datetime as dt
import json
from collections.abc import Callable
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

UTC = dt.timezone.utc
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NAME = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
_DAYS = st.dates(dt.date(1, 1, 2), dt.date(9999, 12, 30))
_MOMENTS = st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2250, 1, 1))

#: With most of what there is, in any of which a value may be bad.
WIDE = pa.schema(
    [
        pa.field("i", pa.int32()),
        pa.field("s", pa.string(), nullable=False),
        pa.field("b", pa.bool_()),
        pa.field("l", pa.list_(pa.map_(pa.string(), pa.int64()))),
        pa.field("r", pa.struct([pa.field("x", pa.list_(pa.int16()), nullable=False), pa.field("y", pa.uuid())])),
        pa.field("d", pa.decimal128(20, 3)),
        pa.field("f", pa.float64()),
        pa.field("t", pa.timestamp("us", "UTC")),
        pa.field("z", pa.binary()),
        pa.field("end", pa.large_string()),
    ]
)
GOOD: list[bytes] = [
    b'{"i":1,"s":"one","b":true,"l":[],"r":null,"d":1.5,"f":1e-7,"t":"2026-11-29T12:30:15Z","z":"AP8=","end":"."}',
    b'{"s":"","l":[null,{"k":5}],"r":{"x":[1,2],"y":"12345678-9abc-def0-1234-56789abcdef0"},"d":"-12.345","end":""}',
    '{"i":3,"s":"three%s","b":false,"l":[{"a":1,"b":2},null],"r":{"x":[]},"f":13.436424411240122,"end":"\\u00fcü"}'.encode()
    % (b"three" * 50),
]


def _stamp(moment: dt.datetime) -> str:
    return moment.isoformat()


#: The type, values of it, and how one is written.
LEAVES: list[tuple[pa.DataType, st.SearchStrategy[Any], Callable[[Any], Any]]] = [
    (pa.null(), st.none(), lambda value: None),
    (pa.bool_(), st.booleans(), bool),
    *((kind, st.integers(-(2**7), 2**7 - 1), int) for kind in (pa.int8(), pa.int16(), pa.int32())),
    (pa.int64(), st.integers(-(2**63), 2**63 - 1), int),
    (pa.uint64(), st.integers(0, 2**64 - 1), int),
    (pa.float32(), st.floats(width=32, allow_nan=False, allow_infinity=False), float),
    (pa.float64(), st.floats(allow_nan=False, allow_infinity=False), float),
    (pa.string(), TEXT, str),
    (pa.large_string(), TEXT, str),
    (pa.binary(), st.binary(max_size=12), lambda value: base64.b64encode(value).decode()),
    (pa.binary(3), st.binary(min_size=3, max_size=3), lambda value: base64.b64encode(value).decode()),
    (pa.uuid(), st.uuids(), str),
    (pa.decimal128(12, 4), st.decimals(-(10**7), 10**7, places=4), lambda value: str(value)),
    (pa.date32(), _DAYS, dt.date.isoformat),
    (pa.time64("us"), st.times(), dt.time.isoformat),
    (pa.timestamp("us"), _MOMENTS, _stamp),
    (pa.timestamp("us", "UTC"), _MOMENTS.map(lambda moment: moment.replace(tzinfo=UTC)), _stamp),
]


@st.composite
def kinds(draw: st.DrawFn, depth: int = 2) -> pa.DataType:
    """A type. Nulls stand only at the top: pyarrow 26 breaks lists of nulls where it casts what is beside them."""
    shape = draw(st.sampled_from(["leaf"] * 3 + ["list", "map", "struct"] * (depth > 0)))
    if shape == "list":
        return pa.list_(draw(fields(depth - 1, "item")))
    if shape == "map":
        return pa.map_(pa.string(), draw(fields(depth - 1, "value")))
    if shape == "struct":
        names = draw(st.lists(NAME, min_size=1, max_size=4, unique=True))
        return pa.struct([draw(fields(depth - 1, name)) for name in names])
    return draw(st.sampled_from([kind for kind, _, _ in LEAVES if depth == 2 or not pa.types.is_null(kind)]))


@st.composite
def fields(draw: st.DrawFn, depth: int, name: str) -> pa.Field:
    kind = draw(kinds(depth))
    return pa.field(name, kind, nullable=pa.types.is_null(kind) or draw(st.booleans()))


SCHEMAS = st.lists(NAME, min_size=1, max_size=5, unique=True).flatmap(
    lambda names: st.tuples(*(fields(2, name) for name in names)).map(pa.schema)
)


@st.composite
def values_of(draw: st.DrawFn, kind: pa.DataType) -> tuple[Any, Any]:
    """A value as Arrow has it in Python, and as ``json.dumps`` takes it."""
    if pa.types.is_list(kind):
        pairs = [draw(nullable_of(kind.value_field)) for _ in range(draw(st.integers(0, 3)))]
        return [own for own, _ in pairs], [written for _, written in pairs]
    if pa.types.is_map(kind):
        keys = draw(st.lists(TEXT, max_size=3, unique=True))
        entries = [(key, draw(nullable_of(kind.item_field))) for key in keys]
        return [(key, own) for key, (own, _) in entries], {key: written for key, (_, written) in entries}
    if pa.types.is_struct(kind):
        return draw(objects_of([kind.field(index) for index in range(kind.num_fields)]))
    strategy, write = next((values, write) for leaf, values, write in LEAVES if leaf == kind)
    own = draw(strategy)
    return own, write(own)


@st.composite
def nullable_of(draw: st.DrawFn, field: pa.Field) -> tuple[Any, Any]:
    if field.nullable and (pa.types.is_null(field.type) or draw(st.integers(0, 3)) == 0):
        return None, None
    return draw(values_of(field.type))


@st.composite
def objects_of(draw: st.DrawFn, members: list[pa.Field]) -> tuple[dict[str, Any], dict[str, Any]]:
    """An object, in any order, without some fields that may be missing, and with one that is none."""
    own, written = {}, {}
    for field in members:
        own[field.name], written[field.name] = draw(nullable_of(field))
        if own[field.name] is None and draw(st.booleans()):
            del written[field.name]
    if draw(st.booleans()):
        written["not a field"] = draw(ANYTHING)
    order = draw(st.permutations(list(written)))
    return own, {name: written[name] for name in order}


ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def written(draw: st.DrawFn, value: Any) -> bytes:
    """JSON text of a value, in one of several ways."""
    indent, ascii_only = draw(st.sampled_from([None, None, 1])), draw(st.booleans())
    separators = draw(st.sampled_from([(",", ":"), (", ", ": "), (" , ", "\t:\r\n")]))
    return json.dumps(value, indent=indent, ensure_ascii=ascii_only, separators=separators).encode()
