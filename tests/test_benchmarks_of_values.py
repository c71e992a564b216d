"""The benchmark of typed values at a size at which nothing can be measured: that all ways read the same rows."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from benchmarks.consuming.gauge import Reading
from benchmarks.decoding.fill import Filled
from benchmarks.decoding.read import read
from benchmarks.decoding.report import readings_table, verdicts_table
from benchmarks.decoding.run import Measured, Topic, filled_topic
from benchmarks.decoding.task import Task, digest
from benchmarks.decoding.ways import WAYS, Way
from kafka_nextgen.testing import Cluster

RECORDS = 40


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with Cluster() as cluster:
        yield cluster.bootstrap_servers


@pytest.mark.parametrize(("name", "shape"), [("avro", "wide"), ("json", "flat"), ("protobuf", "nested")])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_all_ways_read_the_same_rows_of_a_topic(name: str, shape: str, servers: str) -> None:
    with filled_topic(servers, name, shape, 2, RECORDS, rows_checked=RECORDS) as topic:
        done = {way: read(task_of(way, topic)) for way in WAYS[name]}
    assert {each.reading["records"] for each in done.values()} == {RECORDS}
    assert len({each.digest for each in done.values()}) == 1


def task_of(way: Way, topic: Topic) -> Task:
    about = (topic.format, topic.shape, way.client, way.decoder, topic.bootstrap_servers)
    return Task(*about, topic.checked, 1, RECORDS, is_checked=True)


def test_a_digest_depends_on_rows_but_not_on_types_of_arrow() -> None:
    maps = pa.table({"offset": [7], "at": pa.array([[("b", 1), ("a", 2)]], pa.map_(pa.string(), pa.int64()))})
    structs, other = (pa.Table.from_pylist([{"at": {"a": 2, "b": each}}]) for each in (1, 3))
    assert digest([maps]) == digest([structs]) != digest([other])


def test_what_misses_its_target_is_bold() -> None:
    rates = {"kafka_nextgen": 100, "confluent-kafka": 10, "aiokafka": 25, "no client": 120}
    readings = {way: [Reading(rates[way.client], 1.0, 0.1, 0, 0)] for way in WAYS["json"]}
    measured = Measured("json", "flat", Filled(100, 2000), readings)
    (row,) = verdicts_table([measured]).splitlines()[2:]
    assert [cell.strip() for cell in row.split("|")[2:-1]] == [
        "aiokafka, orjson.loads",
        "**4**",
        "at least 5",
        "1.2",
        "at most 1.3",
    ]
    assert len(readings_table(measured).splitlines()) == 2 + len(WAYS["json"])
