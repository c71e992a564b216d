"""Small runs of many partitions become one Arrow batch, with the same rows as a batch for each."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest

from kafka_nextgen import ArrowSchemaError, Records, TopicPartition
from kafka_nextgen.engine.application.arrow import SCHEMA, to_batch
from kafka_nextgen.engine.application.joined_runs import LEAST_RUNS, MOST_BYTES, MOST_RECORDS
from kafka_nextgen.wire.records import ColumnSlice, NewRecord, RecordLimits, decode_partition, encode_batch

EVERYTHING = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("timestamp", pa.timestamp("us", "UTC")),
        ("timestamp_type", pa.int8()),
        ("leader_epoch", pa.int32()),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("headers", SCHEMA.field("headers").type),
    ]
)


def run(number: int, records: Sequence[NewRecord], topic: str = "orders", start: int = 0) -> ColumnSlice:
    tp = TopicPartition(topic, number)
    data = encode_batch(records, base_offset=10 * number, leader_epoch=number)
    columns = decode_partition(data, tp, 10 * number, RecordLimits())
    return ColumnSlice(columns, start, len(columns))


def some(count: int, key: bytes | None = b"key") -> list[NewRecord]:
    return [NewRecord(b"value %d" % number, key) for number in range(count)]


def chunks_of(slices: Sequence[ColumnSlice], schema: pa.Schema | None = None) -> list[int]:
    """The rows of each chunk, after a comparison with a batch for each run."""
    table = Records(slices).to_arrow(schema)
    table.validate(full=True)
    apart = pa.Table.from_batches([to_batch(part, schema) for part in slices], schema=schema or SCHEMA)
    assert table.schema == apart.schema
    assert table.to_pylist() == apart.to_pylist()
    return [len(chunk) for chunk in table.column(0).chunks]


@pytest.mark.parametrize("schema", [None, EVERYTHING], ids=["default", "everything"])
@pytest.mark.parametrize("key", [b"key", b"", None])
def test_small_runs_are_one_chunk(schema: pa.Schema | None, key: bytes | None) -> None:
    runs = [run(number, some(1 + number % 4, key), start=number % 2 and number % 4 > 0) for number in range(20)]
    assert chunks_of(runs, schema) == [sum(map(len, runs))]


def test_tombstones_are_joined_with_one_another() -> None:
    assert chunks_of([run(number, [NewRecord(None, b"key")]) for number in range(10)]) == [10]


def test_a_few_runs_are_not_copied() -> None:
    runs = [run(number, some(2)) for number in range(LEAST_RUNS - 1)]
    assert chunks_of(runs) == [2] * len(runs)
    value = Records(runs).to_arrow().column("value").chunk(0).buffers()[2]
    assert value.address == pa.py_buffer(runs[0].columns.values.data).address


def test_runs_that_are_not_small_stay_apart_in_their_place() -> None:
    many, large = some(MOST_RECORDS + 1), [NewRecord(b"v" * (MOST_BYTES + 1))]
    small = [run(number, some(3)) for number in range(2 * LEAST_RUNS)]
    runs = [*small[:LEAST_RUNS], run(40, many), run(41, large), *small[LEAST_RUNS:]]
    assert chunks_of(runs) == [3 * LEAST_RUNS, MOST_RECORDS + 1, 1, 3 * LEAST_RUNS]


@pytest.mark.parametrize(
    "other",
    [[NewRecord(b"v", b"k", headers=(("h", b"1"),))], [NewRecord(b"v", b"k"), NewRecord(None, b"k")]],
    ids=["headers", "some nulls"],
)
def test_headers_and_single_nulls_stay_apart(other: list[NewRecord]) -> None:
    small = [run(number, some(1)) for number in range(LEAST_RUNS)]
    assert chunks_of([*small, run(20, other), *small]) == [LEAST_RUNS, len(other), LEAST_RUNS]


def test_each_topic_has_its_chunk() -> None:
    runs = [run(number, some(2), topic) for topic in ("audit", "orders") for number in range(LEAST_RUNS)]
    assert chunks_of(runs) == [2 * LEAST_RUNS] * 2


def test_an_error_names_the_partition() -> None:
    runs = [run(number, some(1)) for number in range(LEAST_RUNS)]
    runs.append(run(30, [NewRecord(b"v", timestamp=2**62)]))
    with pytest.raises(ArrowSchemaError, match=r"orders\[30\]"):
        Records(runs).to_arrow(EVERYTHING)
