"""The examples with Spark, each run as a user runs it: a process of its own."""

from __future__ import annotations

import os
import runpy
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from confluent_kafka import Producer

from kafka_nextgen.cli.demonstration.flights import Flight
from kafka_nextgen.testing import Cluster
from tests.conftest import or_skip
from tests.pyspark.example_programs import EXAMPLES, run
from tests.support.spark import require_spark
from tests.support.waiting import GUARD_S

FLIGHTS = 51_955


@pytest.fixture(scope="module", autouse=True)
def _spark() -> None:
    or_skip(require_spark)


def test_all_flights_arrive_once_and_are_counted(tmp_path: Path) -> None:
    done = run("spark_flights", tmp_path, "--output", "out")
    assert done.returncode == 0, done.stderr
    *batches, verdict = done.stdout.splitlines()
    assert verdict.startswith(f"Proved: each of {FLIGHTS:,} records arrived once, ")
    for query in ("archive", "days"):
        sizes = [int(line.split()[4].replace(",", "")) for line in batches if line.startswith(f"{query}: batch ")]
        assert sum(sizes) == FLIGHTS
        assert len(sizes) >= 4
    assert pq.read_table(tmp_path / "out" / "days").num_rows == 56 * 3


class Archived(NamedTuple):
    partition: int
    offset: int
    line: str


class Counted(NamedTuple):
    day: date
    origin: str
    flights: int
    departed: int
    minutes_late: int


LINE = "2013,1,{day},{departure},515,{delay},830,819,11,UA,{number},N1,EWR,IAH,227,1400,5,15,2013-01-0{day}T10:00:00Z"
LINES = [
    LINE.format(day=1, departure=517, delay=-2, number=1),
    LINE.format(day=1, departure="NA", delay="NA", number=2),
    LINE.format(day=2, departure=530, delay=15, number=3),
    LINE.format(day=5, departure=515, delay=0, number=4),
]
ARCHIVE = [Archived(0, 0, LINES[0]), Archived(1, 0, LINES[1]), Archived(0, 1, LINES[2]), Archived(0, 2, LINES[3])]
JANUARY_1 = Counted(date(2013, 1, 1), "EWR", 2, 1, -2)
ENDS = {0: 3, 1: 1}


@pytest.fixture(scope="module")
def faults() -> Callable[..., list[str]]:
    """Return a function that gives the faults of what was written, unless something else is said: none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        compare = runpy.run_path(str(EXAMPLES / "spark_flights.py"))["faults"]
    flights = [Flight(row, b"N1", line.encode()) for row, line in enumerate(LINES, 1)]

    def of(**other: Any) -> list[str]:
        groups = {"archive": ENDS, "days": ENDS}
        return list(compare(flights, ENDS, **{"archive": ARCHIVE, "days": [JANUARY_1], "groups": groups, **other}))

    return of


def test_a_day_is_expected_once_there_was_a_flight_three_days_after_its_end(faults: Callable[..., list[str]]) -> None:
    assert faults() == []


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (
            {"archive": ARCHIVE[1:]},
            ["partition and offset (0, 0): expected 1, found nothing", f"flight {LINES[0]}: expected 1, found nothing"],
        ),
        (
            {"archive": [*ARCHIVE, ARCHIVE[3]]},
            ["partition and offset (0, 2): expected 1, found 2", f"flight {LINES[3]}: expected 1, found 2"],
        ),
        (
            {"archive": [*ARCHIVE[:3], Archived(0, 2, "else")]},
            [f"flight {LINES[3]}: expected 1, found nothing", "flight else: expected nothing, found 1"],
        ),
        ({"days": []}, ["counts of ('2013-01-01', 'EWR'): expected (2, 1, -2), found nothing"]),
        ({"days": [JANUARY_1, JANUARY_1]}, ["rows of ('2013-01-01', 'EWR'): expected 1, found 2"]),
        (
            {"days": [JANUARY_1._replace(departed=2)]},
            ["counts of ('2013-01-01', 'EWR'): expected (2, 1, -2), found (2, 2, -2)"],
        ),
        (
            {"groups": {"archive": ENDS, "days": {0: 3}}},
            ["group days in partition 1: expected 1, found nothing"],
        ),
    ],
    ids=["lost", "doubled", "changed", "day lost", "day doubled", "miscounted", "group behind"],
)
def test_what_is_wrong_is_named(
    faults: Callable[..., list[str]], written: Mapping[str, object], expected: list[str]
) -> None:
    assert faults(**written) == expected


def test_a_directory_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = run("spark_flights", tmp_path, "--output", ".")
    assert done.returncode == 2
    assert "is not empty" in done.stderr


def test_without_java_one_sentence_says_what_to_install(tmp_path: Path) -> None:
    done = run("spark_flights", tmp_path, env={"PATH": str(tmp_path)})
    assert done.returncode == 1
    assert done.stdout == ""
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith("Error: Spark needs Java 17 or newer in JAVA_HOME or on PATH: install it first")


def test_without_pyspark_one_sentence_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "pyspark.py").write_text("raise ImportError('it is not there')")
    done = run("spark_backfill", tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert done.returncode == 1
    assert done.stderr == "PySpark and PyArrow are needed: pip install 'kafka-nextgen[spark]' (it is not there)\n"


def milliseconds(day: int, hour: int = 12) -> int:
    return int(datetime(2026, 11, day, hour, tzinfo=timezone.utc).timestamp()) * 1000


@pytest.fixture
def servers() -> Iterator[str]:
    """Run a broker with records of the days 1 to 5; one of the third is late, another much too late."""
    with Cluster() as cluster:
        cluster.create_topic("orders", partitions=2)
        producer = Producer({"bootstrap.servers": cluster.bootstrap_servers})
        times = [(1, 12), (2, 0), (2, 23), (3, 12), (4, 0), (3, 13), (5, 0), (3, 14)]
        for number, (day, hour) in enumerate(times):
            producer.produce("orders", b"%d" % number, partition=0, timestamp=milliseconds(day, hour))
        producer.produce("orders", b"old", partition=1, timestamp=milliseconds(1))
        assert producer.flush(GUARD_S) == 0
        yield cluster.bootstrap_servers


def test_days_are_replaced_and_others_left_alone(servers: str, tmp_path: Path) -> None:
    before = {1: b"kept", 2: b"replaced"}  # as an earlier run left them
    for day, value in before.items():
        directory = tmp_path / "orders" / f"day=2026-11-{day:02}"
        directory.mkdir(parents=True)
        pq.write_table(pa.table({"value": [value]}), directory / "part-0.parquet")
    options = ["--since", "2026-11-02", "--until", "2026-11-04", "--output", "orders"]
    done = run("spark_backfill", tmp_path, "--bootstrap-servers", servers, *options)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "4 records of orders from 2026-11-02 until 2026-11-04 are in orders\n"
    rows = pq.read_table(tmp_path / "orders", columns=["day", "value"]).to_pylist()
    assert sorted((str(row["day"]), row["value"]) for row in rows) == [
        ("2026-11-01", b"kept"),
        ("2026-11-02", b"1"),
        ("2026-11-02", b"2"),
        ("2026-11-03", b"3"),
        ("2026-11-03", b"5"),
    ]


def test_days_that_end_before_they_begin_are_refused(tmp_path: Path) -> None:
    done = run("spark_backfill", tmp_path, "--since", "2026-11-02", "--until", "2026-11-02", "--output", "orders")
    assert done.returncode == 2
    assert "--until must be after --since" in done.stderr
