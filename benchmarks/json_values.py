"""How long JSON values take to become a pyarrow table, next to the usual ways, on bytes in memory: no Kafka.

Run as ``python -m benchmarks.json_values`` from the root of the repository. The usual ways are a loop of
``orjson.loads``, or of msgspec's decoder for a Struct, each into ``pa.Table.from_pylist`` with the schema, and
pyarrow's own ``pyarrow.json`` with an explicit schema over the values joined by newlines (which makes two rows of a
value with a newline, and none of an empty one). Ways whose library is not installed are left out. All take the same
bytes in turns, and what is told is the median of the rounds, in processor time of the whole process, so that what else
runs disturbs little; tables are compared first. ``wide`` has a hundred fields, ``nested`` lists and objects in objects.
In ``typed``, ours makes timestamps of the times, and the others leave them texts, as they do in the other shapes.
"""

from __future__ import annotations

import io
import json
import time
from array import array
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate
from random import Random
from statistics import median
from typing import Any

import click
import pyarrow as pa
import pyarrow.json

from kafka_nextgen.values import Json

_STATUS = ("NEW", "PAID", "SENT")
_PLAIN = pa.schema(
    [
        ("id", pa.int64()),
        ("customer", pa.string()),
        ("amount", pa.float64()),
        ("quantity", pa.int32()),
        ("paid", pa.bool_()),
        ("note", pa.string()),
        ("status", pa.string()),
        ("at", pa.string()),
        ("country", pa.string()),
        ("score", pa.float64()),
    ]
)


def _order(random: Random) -> dict[str, Any]:
    values = (
        random.randrange(10**9),
        f"customer-{random.randrange(10**6)}",
        random.random() * 100,
        random.randrange(100),
        random.random() < 0.5,
        "some text" if random.random() < 0.5 else None,
        random.choice(_STATUS),
        f"2026-11-29T{random.randrange(24):02}:30:{random.randrange(60):02}.{random.randrange(10**6):06}Z",
        "DE",
        random.randrange(64) / 4 if random.random() < 0.7 else None,
    )
    return dict(zip(_PLAIN.names, values, strict=True))


def _wide(random: Random) -> dict[str, Any]:
    return {f"{name}_{number}": value for number in range(10) for name, value in _order(random).items()}


def _nested(random: Random) -> dict[str, Any]:
    lines = [{"sku": f"sku-{random.randrange(1000)}", "count": random.randrange(9)} for _ in range(random.randrange(5))]
    return {"id": random.randrange(10**9), "lines": lines, "labels": {"a": "x", "b": "y"}, "order": _order(random)}


_LINE = pa.struct([("sku", pa.string()), ("count", pa.int32())])
_NESTED = pa.schema(
    [
        ("id", pa.int64()),
        ("lines", pa.list_(_LINE)),
        ("labels", pa.struct([("a", pa.string()), ("b", pa.string())])),
        ("order", pa.struct(list(_PLAIN))),
    ]
)
_TYPED = _PLAIN.set(_PLAIN.get_field_index("at"), pa.field("at", pa.timestamp("us", "UTC")))

Make = Callable[[Random], dict[str, Any]]
#: The schema, what makes a value, and the share of the rows that are measured.
SHAPES: dict[str, tuple[pa.Schema, Make, int]] = {
    "flat": (_PLAIN, _order, 1),
    "typed": (_TYPED, _order, 1),
    "wide": (
        pa.schema([(f"{field.name}_{number}", field.type) for number in range(10) for field in _PLAIN]),
        _wide,
        10,
    ),
    "nested": (_NESTED, _nested, 2),
}
Way = Callable[[], pa.Table]


def _buffers(values: Sequence[bytes]) -> tuple[bytes, memoryview, None]:
    return b"".join(values), memoryview(array("i", (0, *accumulate(map(len, values))))), None


def _ours(schema: pa.Schema, values: Sequence[bytes]) -> Way:
    decoder, buffers = Json(schema).decoder("value", True), _buffers(values)

    def run() -> pa.Table:
        columns, bad = decoder.decode(buffers, 0, len(values))
        assert not bad
        return pa.Table.from_batches([pa.record_batch(columns)])

    return run


def _orjsons(schema: pa.Schema, values: Sequence[bytes]) -> Way:
    loads = import_module("orjson").loads
    return lambda: pa.Table.from_pylist([loads(value) for value in values], schema)


def _pyarrows(schema: pa.Schema, values: Sequence[bytes]) -> Way:
    lines = b"\n".join(values)
    parsing = pa.json.ParseOptions(explicit_schema=schema)
    reading = pa.json.ReadOptions(block_size=1 << 26)
    return lambda: pa.json.read_json(io.BytesIO(lines), reading, parsing)


def _struct_of(msgspec: Any, schema: pa.Schema) -> Any:
    kinds = {"int64": int, "int32": int, "string": str, "double": float, "bool": bool}
    fields = [(field.name, kinds.get(str(field.type), object) | None, None) for field in schema]
    return msgspec.defstruct("Value", fields)


def _msgspecs(schema: pa.Schema, values: Sequence[bytes]) -> Way:
    msgspec = import_module("msgspec")
    decode = msgspec.json.Decoder(_struct_of(msgspec, schema)).decode
    names = schema.names

    def run() -> pa.Table:
        found = [decode(value) for value in values]
        columns = [pa.array([getattr(each, name) for each in found], schema.field(name).type) for name in names]
        return pa.Table.from_arrays(columns, schema=schema)

    return run


def _ways(shape: str, values: Sequence[bytes]) -> dict[str, Way]:
    schema = SHAPES[shape][0]
    ways = {"ours": _ours(schema, values)}
    if shape == "typed":
        schema = _PLAIN
    if find_spec("orjson") is not None:
        ways["orjson and from_pylist"] = _orjsons(schema, values)
    if find_spec("msgspec") is not None:
        ways["msgspec and columns"] = _msgspecs(schema, values)
    ways["pyarrow.json"] = _pyarrows(schema, values)
    return ways


def measure(shape: str, rows: int, rounds: int) -> tuple[float, dict[str, float]]:
    """Bytes of a value, and the seconds of each way, ours first."""
    _, make, share = SHAPES[shape]
    random = Random(1)
    values = [json.dumps(make(random), separators=(",", ":")).encode() for _ in range(max(1, rows // share))]
    ways = _ways(shape, values)
    first = ways["ours"]()
    for name, way in ways.items():
        if shape != "typed":
            assert (
                way().to_pylist() == first.to_pylist() if rows <= 1000 else way().slice(0, 100) == first.slice(0, 100)
            ), name
    times = [{name: _spent_s(way) for name, way in ways.items()} for _ in range(rounds)]
    return len(b"".join(values)) / len(values), {name: median(each[name] for each in times) for name in ways}


def _spent_s(call: Callable[[], object]) -> float:
    begin = time.process_time()
    call()
    return time.process_time() - begin


@click.command()
@click.option("--rows", default=200_000, show_default=True)
@click.option("--rounds", default=5, show_default=True)
def main(rows: int, rounds: int) -> None:
    """Print some lines for each shape of values."""
    for shape in SHAPES:
        size, times = measure(shape, rows, rounds)
        count = max(1, rows // SHAPES[shape][2])
        ours_s = times.pop("ours")
        click.echo(
            f"{shape}: {count} rows of {size:.0f} bytes: ours {ours_s * 1e3:.1f} ms ({count / ours_s / 1e6:.2f} M/s)"
        )
        for name, spent_s in times.items():
            click.echo(f"    {name}: {spent_s * 1e3:.0f} ms, {spent_s / ours_s:.1f} times as long")


if __name__ == "__main__":
    main()
