"""The benchmark of Spark without Spark: what is asked of each source, and how the figures read; then once with it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import pairwise

import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import BinaryType, IntegerType, LongType, StringType, StructField, StructType, TimestampType

from benchmarks import spark as benchmark
from benchmarks.page import PAGE
from benchmarks.spark_queries.batch import QUERIES, Timing
from benchmarks.spark_queries.processor import cpu_s
from benchmarks.spark_queries.ranges import Fetched, Range, sizes_of_batches
from benchmarks.spark_queries.ready_made import ReadyMade
from benchmarks.spark_queries.report import batch_table, range_table, starts_table, streaming_table, targets_table
from benchmarks.spark_queries.shares import LOADING, PLANNING, WORKER, part_of, shares_of, shares_table
from benchmarks.spark_queries.sources import BUILT_IN, OURS, READY_MADE, SOURCES, TUNED, Source, Topic
from benchmarks.spark_queries.start import Start
from benchmarks.spark_queries.streaming import Run
from benchmarks.spark_queries.targets import TARGETS, judged, judged_triggers
from kafka_nextgen.wire.records import NewRecord, encode_batch, rebase

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


def test_the_processor_time_of_this_process_is_counted() -> None:
    before, began = cpu_s(), time.process_time()
    while time.process_time() < began + 0.1:
        pass
    assert cpu_s() - before >= 0.08  # of whole ticks of 10 ms


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


def test_queries_are_told_next_to_ours() -> None:
    rows = batch_table(timings({BUILT_IN: 3.0, OURS: 1.0})).splitlines()[2:]
    assert len(rows) == len(QUERIES) * 2
    assert " ".join(rows[0].split()) == (
        "| count: built-in | 3,000 (3,000..3,000) | 3.00 | 500 (500..500) | 6 (6..6) | 3.00 |"
    )


def test_the_first_trigger_of_a_query_is_told_for_itself() -> None:
    runs = {BUILT_IN: [Run(9.0, [0.6, 0.6], 3.0)], OURS: [Run(5.0, [0.2, 0.4], 1.0)]}
    (built_in, ours) = ([cell.strip() for cell in row.split("|")] for row in streaming_table(runs).splitlines()[2:])
    assert built_in[2:5] == ["600 (600..600)", "2.00", "9,000 (9,000..9,000)"]
    assert ours[2:5] == ["300 (200..400)", "1.00", "5,000 (5,000..5,000)"]
    assert [f"{ratio:.1f}" for _, ratio in judged_triggers(runs)] == ["2.0"]


def test_a_range_is_told_next_to_the_batches_that_have_it() -> None:
    part = Range("orders", 1000, 2000, batches=(40_000, 40_000, 20_000))
    told, _, _, _, row = range_table(part, {OURS: Fetched(2, 150_000)}).splitlines()
    assert told.startswith("1,000 records from offset 1,000 on are in 3 batches of 100,000 bytes")
    assert [cell.strip() for cell in row.split("|")[2:-1]] == ["2", "150,000", "1.50", "1.5"]


def test_the_batches_of_a_range_are_those_that_begin_before_its_end() -> None:
    batches = [encode_batch([NewRecord(b"x" * 9)] * count) for count in (3, 2, 4)]
    log = b"".join(rebase(batch, base, 0) for batch, base in zip(batches, (0, 3, 5), strict=True))
    sizes = tuple(map(len, batches))
    assert [sizes_of_batches(log, end) for end in (1, 3, 4, 5)] == [sizes[:1], sizes[:1], sizes[:2], sizes[:2]]
    with pytest.raises(RuntimeError, match="do not lead to offset 6"):
        sizes_of_batches(log[:-1], 6)


def test_starts_are_told_in_milliseconds() -> None:
    row = starts_table({OURS: [Start(5.0, 3.0, 2.0, 1.0, 0.5, 20.0)]}).splitlines()[-1]
    cells = [cell.split()[0] for cell in row.split("|")[2:-1]]
    assert cells == ["5,000", "6,000", "3,000", "2,000", "1,000", "500", "20"]


def test_there_is_a_case_for_each_name_and_no_other() -> None:
    refused = CliRunner().invoke(benchmark.main, ["--case", "largest"])
    assert refused.exit_code == 2
    assert all(name in refused.output for name in (*benchmark.CASES, benchmark.STARTS))


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


def test_a_checkout_may_be_called_as_the_package_is() -> None:
    elsewhere = "dump_stream (/home/me/kafka_nextgen/.venv/lib/pyspark/serializers.py:1)"
    assert part_of(f'process 1:"python -m pyspark.daemon";thread (0x1): MainThread;{elsewhere}') == (
        WORKER,
        "giving Arrow to Java",
    )


def test_work_is_told_in_milliseconds_of_a_query() -> None:
    lines = [f'process 1:"python -m pyspark.daemon";thread (0x1): MainThread;{_READ} 30'] * 2
    rows = shares_table({"ours": shares_of(lines)}, times=2, hz=100).splitlines()
    assert [row.split("|")[2].strip() for row in rows if "reading, the rest" in row or "| all" in row] == ["300"] * 2


@pytest.mark.parametrize("name", ["spark", "profile_spark"])
def test_the_page_has_a_place_for_the_figures(name: str) -> None:
    assert f"<!-- figures of {name} -->\n" in PAGE.read_text()
    assert f"<!-- end of {name} -->\n" in PAGE.read_text()


def test_a_source_is_known_by_its_name() -> None:
    assert len({source.name for source in SOURCES}) == len(SOURCES)
