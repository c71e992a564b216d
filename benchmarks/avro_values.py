"""How long Avro values take to become a pyarrow table, next to fastavro, on bytes in memory: no Kafka, no network.

Run as ``python -m benchmarks.avro_values`` from the root of the repository. fastavro's way is that of most programs:
``schemaless_reader`` for each value, then ``pa.Table.from_pylist``. Both take the same bytes in turns, and what is told
is the median of the rounds, in processor time of the whole process, so that what else runs disturbs little; tables are
compared first. ``wide`` has a hundred fields, ``nested`` lists, maps and records in records.
"""

from __future__ import annotations

import io
import time
from array import array
from collections.abc import Callable, Sequence
from itertools import accumulate
from random import Random
from statistics import median
from typing import Any

import click
import fastavro
import pyarrow as pa

from kafka_nextgen.values import Avro

Schema = dict[str, Any]
_NAMES = ("id", "customer", "amount", "quantity", "paid", "note", "status", "at", "country", "score")
_STATUS = {"type": "enum", "name": "Status", "symbols": ["NEW", "PAID", "SENT"]}
_KINDS: Sequence[Any] = (
    "long",
    "string",
    "double",
    "int",
    "boolean",
    ["null", "string"],
    _STATUS,
    {"type": "long", "logicalType": "timestamp-micros"},
    "string",
    ["null", "float"],
)


def _plain(random: Random) -> dict[str, Any]:
    values = (
        random.randrange(10**9),
        f"customer-{random.randrange(10**6)}",
        random.random() * 100,
        random.randrange(100),
        random.random() < 0.5,
        "some text" if random.random() < 0.5 else None,
        random.choice(_STATUS["symbols"]),
        1_764_419_415_000_000 + random.randrange(10**9),
        "DE",
        random.randrange(64) / 4 if random.random() < 0.7 else None,
    )
    return dict(zip(_NAMES, values, strict=True))


def _record(name: str, fields: dict[str, Any]) -> Schema:
    return {"type": "record", "name": name, "fields": [{"name": key, "type": kind} for key, kind in fields.items()]}


def _wide(random: Random) -> dict[str, Any]:
    return {f"{name}_{number}": value for number in range(10) for name, value in _plain(random).items()}


def _nested(random: Random) -> dict[str, Any]:
    lines = [{"sku": f"sku-{random.randrange(1000)}", "count": random.randrange(9)} for _ in range(random.randrange(5))]
    return {"id": random.randrange(10**9), "lines": lines, "labels": {"a": "x", "b": "y"}, "order": _plain(random)}


_PLAIN = dict(zip(_NAMES, _KINDS, strict=True))
_LINES = {"type": "array", "items": _record("Line", {"sku": "string", "count": "int"})}
SHAPES: dict[str, tuple[Schema, Callable[[Random], dict[str, Any]], int]] = {
    "flat": (_record("Order", _PLAIN), _plain, 1),
    "wide": (
        _record(
            "Wide",
            {
                f"{name}_{number}": "Status" if number and name == "status" else kind
                for number in range(10)
                for name, kind in _PLAIN.items()
            },
        ),
        _wide,
        10,
    ),
    "nested": (
        _record(
            "Nested",
            {
                "id": "long",
                "lines": _LINES,
                "labels": {"type": "map", "values": "string"},
                "order": ["null", _record("Order", _PLAIN)],
            },
        ),
        _nested,
        2,
    ),
}


def encoded(schema: Any, value: Any) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, schema, value)
    return out.getvalue()


def measure(shape: str, rows: int, rounds: int) -> tuple[float, float, float]:
    """Bytes of a value, and seconds of ours and of fastavro's."""
    schema, make, share = SHAPES[shape]
    parsed, random = fastavro.parse_schema(schema), Random(1)
    values = [encoded(parsed, make(random)) for _ in range(max(1, rows // share))]
    decoder = Avro(schema).decoder("value", True)
    buffers = b"".join(values), memoryview(array("i", (0, *accumulate(map(len, values))))), None

    def ours() -> pa.Table:
        columns, bad = decoder.decode(buffers, 0, len(values))
        assert not bad
        return pa.Table.from_batches([pa.record_batch(columns)])

    def fastavros() -> pa.Table:
        return pa.Table.from_pylist([fastavro.schemaless_reader(io.BytesIO(value), parsed, None) for value in values])

    _compare(ours(), fastavros())
    times = [(_spent_s(ours), _spent_s(fastavros)) for _ in range(rounds)]
    return len(buffers[0]) / len(values), median(own for own, _ in times), median(other for _, other in times)


def _compare(one: pa.Table, other: pa.Table) -> None:
    """The first rows are the same; Arrow takes fastavro's maps for structs, so these are made dicts."""
    for own, theirs in zip(one.slice(0, 100).to_pylist(), other.slice(0, 100).to_pylist(), strict=True):
        own = {name: dict(value) if name == "labels" else value for name, value in own.items()}
        assert own == theirs, (own, theirs)


def _spent_s(call: Callable[[], object]) -> float:
    begin = time.process_time()
    call()
    return time.process_time() - begin


@click.command()
@click.option("--rows", default=200_000, show_default=True)
@click.option("--rounds", default=5, show_default=True)
def main(rows: int, rounds: int) -> None:
    """Print a line for each shape of values."""
    for shape in SHAPES:
        size, ours_s, fastavros_s = measure(shape, rows, rounds)
        count = max(1, rows // SHAPES[shape][2])
        click.echo(
            f"{shape:8} {count} rows of {size:.0f} bytes: ours {ours_s * 1e3:.1f} ms ({count / ours_s / 1e6:.2f} M/s), "
            f"fastavro {fastavros_s * 1e3:.0f} ms, ratio {fastavros_s / ours_s:.1f}"
        )


if __name__ == "__main__":
    main()
