"""How long Protobuf values take to become a pyarrow table, next to protobuf's classes, on bytes in memory: no Kafka.

Run as ``python -m benchmarks.protobuf_values`` from the root of the repository. protobuf's way is that of most
programs: ``FromString`` of the generated class (its parser is in C), a dict of the attributes, then
``pa.Table.from_pylist``.
If ptars is installed, it is measured too. All take the same bytes in turns, and what is told is the median of the
rounds, in processor time of the whole process, so that what else runs disturbs little; tables are compared first.
``wide`` has a hundred fields, ``nested`` lists, maps and messages in messages.
"""

from __future__ import annotations

import datetime as dt
import time
from array import array
from collections.abc import Callable, Mapping
from importlib import import_module
from itertools import accumulate
from random import Random
from statistics import median
from typing import Any

import click
import pyarrow as pa
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2

from kafka_nextgen.values import Protobuf

_TYPES = descriptor_pb2.FieldDescriptorProto
_STATUS = ("NEW", "PAID", "SENT")
_KINDS: Mapping[str, tuple[int, str]] = {
    "id": (_TYPES.TYPE_INT64, ""),
    "customer": (_TYPES.TYPE_STRING, ""),
    "amount": (_TYPES.TYPE_DOUBLE, ""),
    "quantity": (_TYPES.TYPE_INT32, ""),
    "paid": (_TYPES.TYPE_BOOL, ""),
    "note": (_TYPES.TYPE_STRING, "optional"),
    "status": (_TYPES.TYPE_ENUM, ".bench.Status"),
    "at": (_TYPES.TYPE_MESSAGE, ".google.protobuf.Timestamp"),
    "country": (_TYPES.TYPE_STRING, ""),
    "score": (_TYPES.TYPE_FLOAT, "optional"),
}


def _add_fields(message: Any, kinds: Mapping[str, tuple[int, str]]) -> None:
    for number, (name, (kind, more)) in enumerate(kinds.items(), 1):
        field = message.field.add(name=name, number=number, type=kind, label=_TYPES.LABEL_OPTIONAL)
        if more.startswith("."):
            field.type_name = more
        elif more == "optional":
            field.proto3_optional = True
            field.oneof_index = len(message.oneof_decl)
            message.oneof_decl.add(name=f"_{name}")


def _file() -> Any:
    file = descriptor_pb2.FileDescriptorProto(name="bench.proto", package="bench", syntax="proto3")
    file.dependency.append(timestamp_pb2.DESCRIPTOR.name)
    status = file.enum_type.add(name="Status")
    for number, name in enumerate(_STATUS):
        status.value.add(name=name, number=number)
    _add_fields(file.message_type.add(name="Plain"), _KINDS)
    wide = {f"{name}_{number}": kind for number in range(10) for name, kind in _KINDS.items()}
    _add_fields(file.message_type.add(name="Wide"), wide)
    _add_fields(file.message_type.add(name="Line"), {"sku": (_TYPES.TYPE_STRING, ""), "count": (_TYPES.TYPE_INT32, "")})
    nested = file.message_type.add(name="Nested")
    entry = nested.nested_type.add(name="LabelsEntry")
    entry.options.map_entry = True
    _add_fields(entry, {"key": (_TYPES.TYPE_STRING, ""), "value": (_TYPES.TYPE_STRING, "")})
    messages = {"lines": ".bench.Line", "labels": ".bench.Nested.LabelsEntry", "order": ".bench.Plain"}
    _add_fields(
        nested,
        {"id": _KINDS["id"], **{name: (_TYPES.TYPE_MESSAGE, kind) for name, kind in messages.items()}},
    )
    for field in nested.field[1:3]:
        field.label = _TYPES.LABEL_REPEATED
    return file


def classes() -> dict[str, Any]:
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(timestamp_pb2.DESCRIPTOR.serialized_pb)
    pool.AddSerializedFile(_file().SerializeToString())
    names = ("Plain", "Wide", "Nested")
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"bench.{name}")) for name in names}


def _fill(message: Any, random: Random, suffix: str = "") -> None:
    values = (
        random.randrange(10**9),
        f"customer-{random.randrange(10**6)}",
        random.random() * 100,
        random.randrange(100),
        random.random() < 0.5,
        "some text" if random.random() < 0.5 else None,
        random.randrange(3),
        1_764_419_415_000_000 + random.randrange(10**9),
        "DE",
        random.randrange(64) / 4 if random.random() < 0.7 else None,
    )
    for name, value in zip(_KINDS, values, strict=True):
        if name == "at":
            getattr(message, name + suffix).FromMicroseconds(value)
        elif value is not None:
            setattr(message, name + suffix, value)


def _fill_wide(message: Any, random: Random) -> None:
    for number in range(10):
        _fill(message, random, f"_{number}")


def _fill_nested(message: Any, random: Random) -> None:
    message.id = random.randrange(10**9)
    for _ in range(random.randrange(5)):
        message.lines.add(sku=f"sku-{random.randrange(1000)}", count=random.randrange(9))
    message.labels.update({"a": "x", "b": "y"})
    _fill(message.order, random)


SHAPES: dict[str, tuple[str, Callable[[Any, Random], None], int]] = {
    "flat": ("Plain", _fill, 1),
    "wide": ("Wide", _fill_wide, 10),
    "nested": ("Nested", _fill_nested, 2),
}
_UTC = dt.timezone.utc


def reader(name: str) -> Callable[[Any], dict[str, Any]]:
    """A function that makes a dict of a message, as one would write it by hand for this type."""
    suffixes = [f"_{number}" for number in range(10)] if name == "Wide" else [""]
    plain = [key + suffix for suffix in suffixes for key in _KINDS if key not in ("note", "score", "status", "at")]
    optional = [key + suffix for suffix in suffixes for key in ("note", "score")]
    enums = [f"status{suffix}" for suffix in suffixes]
    times = [f"at{suffix}" for suffix in suffixes]

    def read(message: Any) -> dict[str, Any]:
        row = {key: getattr(message, key) for key in plain}
        for key in optional:
            row[key] = getattr(message, key) if message.HasField(key) else None
        for key in enums:
            row[key] = _STATUS[getattr(message, key)]
        for key in times:
            row[key] = getattr(message, key).ToDatetime(tzinfo=_UTC) if message.HasField(key) else None
        return row

    def read_nested(message: Any) -> dict[str, Any]:
        return {
            "id": message.id,
            "lines": [{"sku": line.sku, "count": line.count} for line in message.lines],
            "labels": dict(message.labels),
            "order": read(message.order),
        }

    return read_nested if name == "Nested" else read


def _ptars(kind: Any, values: list[bytes]) -> Callable[[], Any] | None:
    """What makes a batch with ptars; None if it is not installed."""
    try:
        ptars = import_module("ptars")
    except ImportError:
        return None
    file = descriptor_pb2.FileDescriptorProto()
    kind.DESCRIPTOR.file.CopyToProto(file)
    pool = ptars.HandlerPool([timestamp_pb2.DESCRIPTOR, kind.DESCRIPTOR.file], ptars.PtarsConfig(timestamp_unit="us"))
    handler = pool.get_for_message(kind.DESCRIPTOR)
    column = pa.array(values, pa.binary())
    return lambda: handler.array_to_record_batch(column)


def measure(shape: str, rows: int, rounds: int) -> tuple[float, float, float, float | None]:
    """Bytes of a value, and seconds of ours, of protobuf's and of ptars'."""
    name, fill, share = SHAPES[shape]
    kind, random = classes()[name], Random(1)
    values = []
    for _ in range(max(1, rows // share)):
        message = kind()
        fill(message, random)
        values.append(message.SerializeToString())
    decoder = Protobuf(kind, unit="us").decoder("value", True)
    buffers = b"".join(values), memoryview(array("i", (0, *accumulate(map(len, values))))), None
    read = reader(name)

    def ours() -> pa.Table:
        columns, bad = decoder.decode(buffers, 0, len(values))
        assert not bad
        return pa.Table.from_batches([pa.record_batch(columns)])

    def protobufs() -> pa.Table:
        return pa.Table.from_pylist([read(kind.FromString(value)) for value in values])

    _compare(ours(), protobufs())
    ptars = _ptars(kind, values)
    ways = [ours, protobufs, *([ptars] if ptars else [])]
    times = [[_spent_s(way) for way in ways] for _ in range(rounds)]
    ours_s, protobufs_s, *ptars_s = (median(spent) for spent in zip(*times, strict=True))
    return len(buffers[0]) / len(values), ours_s, protobufs_s, ptars_s[0] if ptars_s else None


def _compare(one: pa.Table, other: pa.Table) -> None:
    """The first rows are the same; Arrow takes protobuf's maps for structs, so these are made dicts."""
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
        size, ours_s, protobufs_s, ptars_s = measure(shape, rows, rounds)
        count = max(1, rows // SHAPES[shape][2])
        ptars = "" if ptars_s is None else f", ptars {ptars_s * 1e3:.1f} ms, ratio {ptars_s / ours_s:.1f}"
        click.echo(
            f"{shape:8} {count} rows of {size:.0f} bytes: ours {ours_s * 1e3:.1f} ms ({count / ours_s / 1e6:.2f} M/s), "
            f"protobuf {protobufs_s * 1e3:.0f} ms, ratio {protobufs_s / ours_s:.1f}{ptars}"
        )


if __name__ == "__main__":
    main()
