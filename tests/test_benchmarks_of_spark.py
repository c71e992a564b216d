"""The benchmark of Spark without Spark: what is asked of each source, and how the figures read; then once with it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from random import Random

import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import BinaryType, IntegerType, LongType, StringType, StructField, StructType, TimestampType

from benchmarks import spark as benchmark
from benchmarks import spark_values
from benchmarks.spark_queries.batch import QUERIES, Timing
from benchmarks.spark_queries.ranges import sizes_of_batches
from benchmarks.spark_queries.ready_made import ReadyMade
from benchmarks.spark_queries.report import targets_table
from benchmarks.spark_queries.shares import LOADING, PLANNING, WORKER, part_of
from benchmarks.spark_queries.sources import BUILT_IN, OURS, READY_MADE, TUNED, Source, Topic
from benchmarks.spark_queries.streaming import Run
from benchmarks.spark_queries.targets import TARGETS, judged, judged_triggers
from kafka_nextgen.values import Avro, Json
from kafka_nextgen.wire.records import NewRecord, encode_batch, rebase
from tests.values.decoding import decoded

TOPIC = Topic("localhost:9092", "orders", 4, 50_001, 100)


def test_every_source_reads_the_same_topic() -> None:
    from_kafka = {"kafka.bootstrap.servers": "localhost:9092", "subscribe": "orders", "startingOffsets": "earliest"}
    assert BUILT_IN.options(TOPIC) == OURS.options(TOPIC) == from_kafka
    assert TUNED.options(TOPIC) == {
        **from_kafka,
        "kafka.max.poll.records": "10000",
        "kafka.max.partition.fetch.bytes": "8388608",
    }
    assert READY_MADE.options(TOPIC) == {"records": "50001", "partitions": "4", "valueBytes": "100"}


#: The columns of a Kafka source without headers, as Spark tells them of the built-in one.
SCHEMA = StructType(
    [
        StructField("key", BinaryType()),
        StructField("value", BinaryType()),
        StructField("topic", StringType()),
        StructField("partition", IntegerType()),
        StructField("offset", LongType()),
        StructField("timestamp", TimestampType()),
        StructField("timestampType", IntegerType()),
    ]
)


def test_ready_made_batches_are_as_many_rows_as_the_topic_has() -> None:
    source = ReadyMade(dict(READY_MADE.options(TOPIC)))
    reader = source.reader(SCHEMA)
    read = [list(reader.read(partition)) for partition in reader.partitions()]
    assert [[batch.num_rows for batch in batches] for batches in read] == [[10_000, 2_501], *[[10_000, 2_500]] * 3]
    assert {len(value) for value in read[0][0]["value"].to_pylist()} == {100}


def test_ready_made_batches_have_the_schema_that_spark_compares_them_with() -> None:
    source = ReadyMade(dict(READY_MADE.options(TOPIC)))
    reader = source.reader(SCHEMA)
    batch: pa.RecordBatch = next(iter(reader.read(reader.partitions()[0])))
    assert to_arrow_schema(SCHEMA, timezone="UTC").equals(batch.schema)
    assert source.schema() == SCHEMA


def test_a_stream_of_ready_made_batches_ends_with_the_last_record() -> None:
    reader = ReadyMade({**READY_MADE.options(TOPIC), "maxOffsetsPerTrigger": "30000"}).streamReader(SCHEMA)
    offsets = [reader.initialOffset()]
    for _ in range(3):
        offsets.append(reader.latestOffset(offsets[-1], reader.getDefaultReadLimit()))
    tasks = [[one.value for one in reader.partitions(*ends)] for ends in pairwise(offsets)]
    assert tasks == [[7500] * 4, [5001, 5000, 5000, 5000], [0] * 4]
    assert [batch.num_rows for batch in reader.read(reader.partitions(*offsets[:2])[0])] == [7500]


def timings(seconds: dict[Source, float]) -> dict[tuple[str, Source], Sequence[Timing]]:
    return {(query, source): [Timing(0.5, s, 2 * s)] * 3 for query in QUERIES for source, s in seconds.items()}


def test_a_missed_target_is_in_bold() -> None:
    measured = timings({BUILT_IN: 2.8, TUNED: 2.0, OURS: 1.0, READY_MADE: 0.5})
    rows = [row.split("|") for row in targets_table(judged(measured)).splitlines()[2:]]
    assert [target for target, _ in judged(measured)] == list(TARGETS)
    assert [row[3].strip() for row in rows] == ["**2.80**", "2.80", "2.00", "2.00", "**0.50**", "**0.50**"]


def test_targets_without_figures_are_left_out() -> None:
    assert [each.what for each, _ in judged(timings({TUNED: 2.0, OURS: 1.0}))] == [TARGETS[2].what, TARGETS[3].what]
    assert list(judged_triggers({OURS: [Run(1.0, [], 1.0)]})) == []


def test_the_batches_of_a_range_are_those_that_begin_before_its_end() -> None:
    batches = [encode_batch([NewRecord(b"x" * 9)] * count) for count in (3, 2, 4)]
    log = b"".join(rebase(batch, base, 0) for batch, base in zip(batches, (0, 3, 5), strict=True))
    sizes = tuple(map(len, batches))
    assert [sizes_of_batches(log, end) for end in (1, 3, 4, 5)] == [sizes[:1], sizes[:1], sizes[:2], sizes[:2]]
    with pytest.raises(RuntimeError, match="do not lead to offset 6"):
        sizes_of_batches(log[:-1], 6)


def test_there_is_a_case_for_each_name_and_no_other() -> None:
    refused = CliRunner().invoke(benchmark.main, ["--case", "largest"])
    assert refused.exit_code == 2
    assert all(name in refused.output for name in (*benchmark.CASES, benchmark.STARTS))


def test_values_are_the_same_in_each_format() -> None:
    value = spark_values.MAKE(Random(1))
    schema = json.dumps(spark_values.SCHEMA)
    from_avro, bad = decoded(Avro(schema), [spark_values.ENCODE["avro"](value)])
    assert bad == []
    types = pa.schema([field.with_nullable(True) for field in from_avro.schema])
    from_json, bad = decoded(Json(types), [spark_values.ENCODE["json"](value)])
    assert bad == []
    assert from_json.to_pylist() == from_avro.to_pylist()
    assert from_avro.schema.names == list(spark_values.TYPES)


_SOURCE = "_source (/a/pyspark_kafka_nextgen/__init__.py:9)"
_IMPORT = "_find_and_load (<frozen importlib._bootstrap>:1)"
_READ = "read_range (/a/kafka_nextgen/spark/reading.py:9)"


@pytest.mark.parametrize(
    ("module", "thread", "functions", "part"),
    [
        (
            "pyspark.sql.worker.create_data_source",
            "MainThread",
            (_SOURCE, _IMPORT),
            (LOADING, "importing kafka_nextgen"),
        ),
        (
            "pyspark.sql.worker.create_data_source",
            "MainThread",
            ("main (a.py:1)", _IMPORT),
            (LOADING, "importing the rest"),
        ),
        ("pyspark.sql.worker.plan_data_source_read", "MainThread", ("main (a.py:1)",), (PLANNING, "the rest")),
        ("pyspark.daemon", "kafka-nextgen-decoder_0", ("run (b.py:1)",), (WORKER, "fetching and decoding")),
        ("pyspark.daemon", "MainThread", (_READ, "to_arrow (a.py:1)"), (WORKER, "making Arrow of records")),
        ("pyspark.daemon", "MainThread", (_READ, "poll (a.py:1)"), (WORKER, "reading, the rest")),
        ("pyspark.daemon", "MainThread", ("dump_stream (a.py:1)",), (WORKER, "giving Arrow to Java")),
        ("benchmarks.spark_queries.again", "MainThread", ("main (a.py:1)",), None),
    ],
)
def test_a_sample_is_told_by_its_process_and_its_stack(
    module: str, thread: str, functions: Sequence[str], part: tuple[str, str] | None
) -> None:
    processes = ('process 1:"python -m benchmarks.spark_queries.again {}"', f'process 2:"python -m {module}"')
    assert part_of(";".join([*processes, f"thread (0x1): {thread}", *functions])) == part
